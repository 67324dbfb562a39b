//! Built navmeshes kept on disk.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use glam::Vec3;

use crate::settings::NavMeshSettings;
use crate::{NavMesh, NavMeshError};

/// Changes whenever the builder gives other bytes for the same input.
const BUILDER_VERSION: u32 = 1;

/// Where a navmesh came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built now.
    Built,
    /// Read from the cache.
    Loaded,
}

impl NavMesh {
    /// As [`NavMesh::build`], but first looks for the navmesh in `cache_dir`, and puts it there
    /// after building. The file's name is a hash of `scene_fingerprint` (which must name the
    /// triangles' content, not their path), the settings and the builder's version.
    ///
    /// A cache that cannot be read, is damaged or cannot be written never fails a call: the
    /// navmesh is built. Files are written beside their place and renamed, so that a reader never
    /// sees half of one, whoever writes at the same time.
    ///
    /// `triangles` is called only when the navmesh must be built; it gives vertices and triangles
    /// as [`NavMesh::build`] takes them.
    ///
    /// # Errors
    /// Those of [`NavMesh::build`].
    pub fn build_cached(
        scene_fingerprint: &str,
        triangles: impl FnOnce() -> (Vec<Vec3>, Vec<[u32; 3]>),
        settings: &NavMeshSettings,
        cache_dir: &Path,
    ) -> Result<(Self, Origin), NavMeshError> {
        let file = cache_file(scene_fingerprint, settings, cache_dir);
        if let Some(mesh) = load(&file, settings) {
            return Ok((mesh, Origin::Loaded));
        }
        let (vertices, triangles) = triangles();
        let mesh = Self::build(&vertices, &triangles, settings)?;
        // A cache is a convenience: a full disk or a read-only folder costs time, not the result.
        let _ = store(&file, &mesh.to_bytes());
        Ok((mesh, Origin::Built))
    }
}

fn cache_file(scene_fingerprint: &str, settings: &NavMeshSettings, cache_dir: &Path) -> PathBuf {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"ambler navmesh");
    hasher.update(&BUILDER_VERSION.to_le_bytes());
    hasher.update(&(scene_fingerprint.len() as u64).to_le_bytes());
    hasher.update(scene_fingerprint.as_bytes());
    for value in settings.numbers() {
        hasher.update(&value.to_bits().to_le_bytes());
    }
    hasher.update(&settings.flags().map(u8::from));
    cache_dir.join(format!("{}.navmesh", hasher.finalize().to_hex()))
}

/// The navmesh in a cache file: the hash of its bytes, then these.
fn load(file: &Path, settings: &NavMeshSettings) -> Option<NavMesh> {
    let content = fs::read(file).ok()?;
    let (hash, bytes) = content.split_at_checked(blake3::OUT_LEN)?;
    if blake3::hash(bytes).as_bytes() != hash {
        return None;
    }
    let mesh = NavMesh::parse(bytes, file).ok()?;
    (mesh.settings() == settings).then_some(mesh)
}

fn store(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // The process and the address of a local tell writers apart: names must differ, no more.
    let unique = format!("{}.{:p}.tmp", std::process::id(), &raw const bytes);
    let temporary = file.with_extension(unique);
    let written = fs::File::create(&temporary).and_then(|mut out| {
        out.write_all(blake3::hash(bytes).as_bytes())?;
        out.write_all(bytes)?;
        out.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&temporary, file));
    if renamed.is_err() {
        // Whatever was written is of no use; that it cannot be removed either changes nothing.
        let _ = fs::remove_file(&temporary);
    }
    renamed
}
