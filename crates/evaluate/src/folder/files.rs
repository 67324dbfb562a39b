//! Writing a file whole or not at all, and canonical JSON.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value};

use crate::error::EvaluateError;

/// Writes `bytes` to `folder/name` through a temporary file and a rename, synced: after a crash the
/// file is the old one or the new one, never a part.
pub(crate) fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), EvaluateError> {
    let path = folder.join(name);
    let temporary = folder.join(format!("{name}.part"));
    let write = || -> io::Result<()> {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, &path)?;
        sync_folder(folder);
        Ok(())
    };
    write().map_err(|error| {
        // Leave no half file behind where we can; the error that counts is the first.
        let _ = fs::remove_file(&temporary);
        EvaluateError::write(&path, &error)
    })
}

/// Makes names in a folder durable. Some file systems cannot do it; the contents are synced anyway.
pub(crate) fn sync_folder(folder: &Path) {
    if let Ok(file) = File::open(folder) {
        let _ = file.sync_all();
    }
}

/// `value` with the keys of all objects sorted.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let mut out = Map::new();
            for key in keys {
                if let Some(inner) = map.get(key) {
                    out.insert(key.clone(), sorted(inner));
                }
            }
            Value::Object(out)
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// JSON with two spaces of indent and an end of line.
pub(crate) fn pretty(value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
