use crate::SceneError;
use std::path::{Path, PathBuf};

/// The files of a folder and below, by path relative to it with `/` between names, sorted.
pub(super) struct Listing {
    pub(super) files: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// Folders deep, and files, that are looked at.
const DEPTH: usize = 8;
const FILES: usize = 200_000;

impl Listing {
    pub(super) fn of(folder: &Path) -> Result<Self, SceneError> {
        let mut listing = Self { files: Vec::new(), notes: Vec::new() };
        let mut stack = vec![(folder.to_path_buf(), String::new(), 0)];
        while let Some((path, prefix, depth)) = stack.pop() {
            let entries = std::fs::read_dir(&path).map_err(|error| {
                let what = format!("cannot be read ({error})");
                SceneError::file(&path, what, "name the folder that holds the objects")
            })?;
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let Ok(name) = entry.file_name().into_string() else { continue };
                // What file managers leave behind, and links, which may lead anywhere.
                if name.starts_with('.') || kind.is_symlink() {
                    continue;
                }
                let inner = format!("{prefix}{name}");
                if kind.is_dir() {
                    if depth + 1 < DEPTH {
                        stack.push((entry.path(), format!("{inner}/"), depth + 1));
                    }
                } else if listing.files.len() < FILES {
                    listing.files.push(inner);
                } else {
                    listing.notes = vec![format!("more than {FILES} files: the rest is not looked at")];
                }
            }
        }
        listing.files.sort();
        Ok(listing)
    }

    pub(super) fn has(&self, file: &str) -> bool {
        self.files.binary_search_by(|known| known.as_str().cmp(file)).is_ok()
    }

    /// Files that end so, in order.
    pub(super) fn ending<'a>(&'a self, ends: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        self.files.iter().map(String::as_str).filter(move |file| {
            let lower = file.to_ascii_lowercase();
            ends.iter().any(|end| lower.ends_with(end))
        })
    }
}

/// The name of a file without folders and extension.
pub(super) fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// The folder of a file, with its slash; empty at the top.
pub(super) fn parent(file: &str) -> &str {
    file.rfind('/').map_or("", |at| &file[..=at])
}

/// A file named relative to `from`, `..` worked out; `None` where it leads out of the folder.
pub(super) fn beside(from: &str, name: &str) -> Option<String> {
    let slashed = name.replace('\\', "/");
    if slashed.starts_with('/') || slashed.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = parent(from).split('/').filter(|part| !part.is_empty()).collect();
    for part in slashed.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The path of a listed file.
pub(super) fn path(folder: &Path, file: &str) -> PathBuf {
    file.split('/').fold(folder.to_path_buf(), |path, part| path.join(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stay_inside() {
        assert_eq!(beside("a/b/c.json", "../d.glb").as_deref(), Some("a/d.glb"));
        assert_eq!(beside("c.json", "../d.glb"), None);
        assert_eq!(beside("c.json", "/etc/passwd"), None);
        assert_eq!((stem("a/b.object_config.json"), parent("a/b.c"), parent("b.c")), ("b", "a/", ""));
    }
}
