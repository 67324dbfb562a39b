//! One writer a folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use ambler_geometry::{Fault, Place};

use crate::error::EvaluateError;

pub(crate) const LOCK_FILE: &str = "run.lock";

/// Holds the folder for this process. The operating system gives the lock up when the process
/// ends, however it ends, so a lock file that lies about after a crash blocks nobody.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    pub(crate) fn take(folder: &Path) -> Result<Self, EvaluateError> {
        let path = folder.join(LOCK_FILE);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| EvaluateError::write(&path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(&path, &holder(&mut file))),
            // A file system without locks (some network mounts): go by the process that the file
            // names, where that can be looked up.
            Err(TryLockError::Error(_)) => {
                let holder = holder(&mut file);
                if holder != std::process::id().to_string() && alive(&holder) {
                    return Err(locked(&path, &holder));
                }
            }
        }
        // For people who look into it, and for the case above; the lock does not depend on it.
        let _ = file.set_len(0);
        let _ = file.rewind();
        let _ = write!(file, "{}", std::process::id());
        let _ = file.flush();
        Ok(Self { _file: file })
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.rewind();
    let _ = file.take(32).read_to_string(&mut text);
    text.trim().to_owned()
}

fn alive(pid: &str) -> bool {
    pid.parse::<u32>().is_ok_and(|pid| Path::new("/proc").join(pid.to_string()).exists())
}

fn locked(path: &Path, holder: &str) -> EvaluateError {
    let who = if holder.is_empty() { String::new() } else { format!(" (process {holder})") };
    EvaluateError::Locked(Fault::new(
        path,
        Place::Whole,
        format!("another run writes in this folder{who}"),
        "wait for it, stop it, or choose another folder with --out",
    ))
}
