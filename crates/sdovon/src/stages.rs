//! Results of stages in a folder: each can be looked at, and is taken from there the next time when
//! nothing that it depends on has changed.

use crate::SdovonError;
use ambler_geometry::{Fault, Place, Vec3};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Enters every key: to be raised when a stage computes something else from the same input.
const VERSION: u32 = 2;

/// Told when a stage begins to be computed (`true`) and when it is done (`false`).
pub type Watch = Box<dyn Fn(&'static str, bool) + Send + Sync>;

/// Where the results of a scene's stages are kept.
pub struct Stages {
    folder: Option<PathBuf>,
    watch: Option<Watch>,
    /// Names everything that the stages so far depend on.
    key: String,
    /// Stages taken from the folder, and stages computed.
    pub taken: Vec<&'static str>,
    /// Stages computed.
    pub made: Vec<&'static str>,
}

#[derive(Serialize, Deserialize)]
struct Saved<T> {
    key: String,
    result: T,
}

impl Stages {
    /// In a folder; `None` keeps nothing. `identity` names the scene by content.
    pub fn new(folder: Option<PathBuf>, identity: &str) -> Self {
        let key = digest(&[b"ambler sd-ovon", &VERSION.to_le_bytes(), identity.as_bytes()]);
        Self { folder, watch: None, key, taken: Vec::new(), made: Vec::new() }
    }

    /// With someone who is told what is computed when; it changes no result.
    #[must_use]
    pub fn watched(mut self, watch: Watch) -> Self {
        self.watch = Some(watch);
        self
    }

    /// The folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Name of everything that the stages so far depend on.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The result of the next stage: from its file where that was made of the same things, else computed
    /// and saved. `depends` is what the stage depends on besides the stages before it.
    ///
    /// # Errors
    /// Those of the computation, and a folder that cannot be written.
    pub fn next<T: Serialize + DeserializeOwned>(
        &mut self,
        name: &'static str,
        depends: &impl Serialize,
        make: impl FnOnce() -> Result<T, SdovonError>,
    ) -> Result<T, SdovonError> {
        let depends = serde_json::to_vec(depends).unwrap_or_default();
        self.key = digest(&[self.key.as_bytes(), name.as_bytes(), &depends]);
        let path = self.folder.as_ref().map(|folder| folder.join(format!("{name}.json")));
        let saved = path.as_ref().and_then(|path| std::fs::read(path).ok());
        // A file that cannot be read is made anew, as one of other settings is.
        let saved = saved.and_then(|bytes| serde_json::from_slice::<Saved<T>>(&bytes).ok());
        if let Some(saved) = saved.filter(|saved| saved.key == self.key) {
            self.taken.push(name);
            return Ok(saved.result);
        }
        let tell = |begins: bool| self.watch.iter().for_each(|watch| watch(name, begins));
        tell(true);
        let result = make()?;
        tell(false);
        let saved = Saved { key: self.key.clone(), result };
        self.made.push(name);
        if let Some(path) = path {
            let text = serde_json::to_vec(&saved).map_err(|error| {
                SdovonError::File(Fault::new(&path, Place::Whole, error.to_string(), "tell the makers"))
            })?;
            put(&path, &text)?;
        }
        Ok(saved.result)
    }
}

fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex().to_string()
}

/// Numbers temporary files.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Writes a file whole or not at all: under another name first, then renamed.
///
/// # Errors
/// A folder that cannot be made or written.
pub fn put(path: &Path, bytes: &[u8]) -> Result<(), SdovonError> {
    let write = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        // Workers may write the same file at the same time.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        name.push(format!(".{}-{number}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        std::fs::write(&temporary, bytes)?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(|error: std::io::Error| {
        let what = format!("cannot be written ({error})");
        SdovonError::File(Fault::new(path, Place::Whole, what, "choose another folder"))
    })
}

/// Reads a file.
///
/// # Errors
/// With the path, where it cannot be read.
pub fn get(path: &Path) -> Result<Vec<u8>, SdovonError> {
    std::fs::read(path).map_err(|error| {
        let what = format!("cannot be read ({error})");
        SdovonError::File(Fault::new(path, Place::Whole, what, "check the path"))
    })
}

/// Points as a PLY file that any viewer of clouds opens.
pub fn to_ply(points: &[Vec3]) -> Vec<u8> {
    let mut bytes = header(points.len()).into_bytes();
    for point in points {
        point.to_array().iter().for_each(|part| bytes.extend(part.to_le_bytes()));
    }
    bytes
}

/// Points of a file that [`to_ply`] wrote; `None` for any other.
pub fn from_ply(bytes: &[u8]) -> Option<Vec<Vec3>> {
    let end = b"end_header\n";
    let at = bytes.windows(end.len()).take(400).position(|window| window == end)? + end.len();
    let body = bytes.get(at..)?;
    let count = body.len() / 12;
    if bytes.get(..at)? != header(count).as_bytes() || body.len() != count * 12 {
        return None;
    }
    let number = |part: &[u8]| Some(f32::from_le_bytes(part.try_into().ok()?));
    body.chunks_exact(12)
        .map(|point| {
            let (x, y, z) = (number(&point[..4])?, number(&point[4..8])?, number(&point[8..])?);
            Some(Vec3::new(x, y, z)).filter(|point| point.is_finite())
        })
        .collect()
}

fn header(count: usize) -> String {
    format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty float x\nproperty float y\n\
         property float z\nend_header\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_made_once_and_again_when_what_it_depends_on_changes() {
        let folder = tempfile::tempdir().unwrap();
        let run = |setting: u32, made: &mut u32| {
            let mut stages = Stages::new(Some(folder.path().into()), "home");
            let first: u32 = stages.next("1_first", &setting, || Ok(setting + 1)).unwrap();
            stages
                .next("2_second", &(), || {
                    *made += 1;
                    Ok(first * 10)
                })
                .unwrap()
        };
        let mut made = 0;
        assert_eq!((run(1, &mut made), run(1, &mut made), made), (20, 20, 1));
        assert_eq!((run(2, &mut made), made), (30, 2), "the second depends on the first");
        std::fs::write(folder.path().join("2_second.json"), "{").unwrap();
        assert_eq!((run(2, &mut made), made), (30, 3), "a torn file is made anew");
    }

    #[test]
    fn points_come_back_and_damage_is_noticed() {
        let points = vec![Vec3::new(1.0, 2.5, -3.0), Vec3::ZERO];
        let bytes = to_ply(&points);
        assert_eq!(from_ply(&bytes), Some(points));
        for end in 0..bytes.len() {
            assert_eq!(from_ply(&bytes[..end]), None);
        }
        assert_eq!(from_ply(&to_ply(&[Vec3::NAN])), None);
    }
}
