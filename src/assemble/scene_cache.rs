//! Scenes with what is prepared for drawing them, from the cache where they have been drawn before.
//!
//! A bundle is named by the content of all files that a scene was read from, the options and this very
//! program. It is written in the background once a scene has been prepared, and a bundle that is damaged
//! is made anew.

use crate::exit::Failure;
use crate::{locate, terminal};
use ambler_bundle::{Bundle, Writer};
use ambler_geometry::Fault;
use ambler_scene::stored::{self, MAGIC, SourceKey};
use ambler_scene::{ReadOptions, SceneModel, read_scene_sources};
use ambler_sensor::Renderer;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::UNIX_EPOCH;

/// Bundles together may have so many bytes unless `AMBLER_CACHE_GB` says otherwise.
const MOST_GB: u64 = 20;
/// Bytes of the list of a scene's files.
const MOST_SOURCES: u64 = 1 << 24;

/// A scene and its renderer. Immutable; shared by all that work in it.
pub struct LoadedScene {
    /// The scene.
    pub scene: Arc<SceneModel>,
    renderer: OnceLock<Arc<Renderer>>,
    keep: Option<Keep>,
    from_cache: bool,
}

/// Where a scene that was read from its files is to be kept.
#[derive(Clone)]
struct Keep {
    folder: PathBuf,
    /// Name of the bundle, and of the list of files.
    bundle: String,
    sources: String,
    names: Vec<String>,
}

impl LoadedScene {
    /// The renderer. Of a scene that was read from its files it is prepared when it is first wanted, and
    /// then kept for the next time.
    pub fn renderer(&self) -> &Arc<Renderer> {
        self.renderer.get_or_init(|| {
            let renderer = Arc::new(Renderer::new(Arc::clone(&self.scene)));
            if let Some(keep) = self.keep.clone() {
                store_later(keep, Arc::clone(&renderer));
            }
            renderer
        })
    }

    /// Whether it came from the cache.
    pub fn is_from_cache(&self) -> bool {
        self.from_cache
    }
}

/// Reads a scene, from its bundle where there is one.
///
/// # Errors
/// Those of reading the scene's files.
pub fn load_scene(path: &Path, options: &ReadOptions) -> Result<LoadedScene, Failure> {
    load_scene_with(bundles().as_deref(), path, options)
}

/// As [`load_scene`], with the folder that bundles are kept in; none keeps nothing.
///
/// # Errors
/// As [`load_scene`].
pub fn load_scene_with(
    folder: Option<&Path>,
    path: &Path,
    options: &ReadOptions,
) -> Result<LoadedScene, Failure> {
    let salt = salt();
    if let Some(folder) = folder
        && let Some(found) = find(folder, path, options, &salt)
    {
        return Ok(found);
    }
    let (scene, sources) = read_scene_sources(path, options)?;
    let keep = folder.and_then(|folder| {
        let (bundle, list) = SourceKey::of_sources(path, options, &salt, &sources).ok()?;
        let folder = folder.to_path_buf();
        Some(Keep { folder, bundle, sources: list, names: sources.names() })
    });
    Ok(LoadedScene { scene: Arc::new(scene), renderer: OnceLock::new(), keep, from_cache: false })
}

/// The folder of bundles; none where nothing is cached.
fn bundles() -> Option<PathBuf> {
    Some(locate::cache_folder()?.join("scenes"))
}

/// Another build may read or prepare the same files otherwise.
fn salt() -> Vec<u8> {
    let stamp = std::env::current_exe().and_then(fs::metadata).and_then(|metadata| {
        let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(format!("{} {}", metadata.len(), changed.as_nanos()))
    });
    format!("{} {}", env!("CARGO_PKG_VERSION"), stamp.unwrap_or_default()).into_bytes()
}

fn find(folder: &Path, path: &Path, options: &ReadOptions, salt: &[u8]) -> Option<LoadedScene> {
    let key = SourceKey::new(path, options, salt).ok()?;
    let list = folder.join(key.name()).with_extension("sources");
    if fs::metadata(&list).ok()?.len() > MOST_SOURCES {
        return None;
    }
    let names: Vec<String> = serde_json::from_slice(&fs::read(&list).ok()?).ok()?;
    let bundle = folder.join(key.with_sources(&names).ok()?).with_extension("scene");
    match open(&bundle) {
        Ok(found) => found,
        Err(fault) => {
            terminal::log(&format!("note: {fault}; the scene is read from its files again"));
            // Whoever has it open keeps what is mapped.
            let _ = fs::remove_file(&bundle);
            None
        }
    }
}

fn open(path: &Path) -> Result<Option<LoadedScene>, Fault> {
    let Some(bundle) = Bundle::open(path, MAGIC)? else { return Ok(None) };
    let scene = Arc::new(stored::read(&bundle)?);
    let renderer = Arc::new(Renderer::stored(Arc::clone(&scene), &bundle)?);
    // What was used last is removed last.
    if let Ok(file) = File::open(path) {
        #[allow(clippy::disallowed_methods, reason = "the age of a file of the cache")]
        let _ = file.set_modified(std::time::SystemTime::now());
    }
    Ok(Some(LoadedScene { scene, renderer: OnceLock::from(renderer), keep: None, from_cache: true }))
}

/// Bundles that are being written.
static WRITING: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

fn store_later(keep: Keep, renderer: Arc<Renderer>) {
    let work = move || {
        // A cache is a convenience: a full disk or a read-only folder costs time, not the result.
        let _ = store(&keep, &renderer);
    };
    // One after the other: they compete for the disk.
    let mut writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let before: Vec<_> = writing.drain(..).collect();
    writing.push(std::thread::spawn(move || {
        before.into_iter().for_each(|writer| drop(writer.join()));
        work();
    }));
}

/// Waits until all bundles are written.
pub fn finish_storing() {
    loop {
        let writer = WRITING.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match writer {
            Some(writer) => drop(writer.join()),
            None => return,
        }
    }
}

fn store(keep: &Keep, renderer: &Renderer) -> io::Result<()> {
    let path = keep.folder.join(&keep.bundle).with_extension("scene");
    // Another process may have been faster.
    if !path.is_file() {
        let mut writer = Writer::create(&path, MAGIC)?;
        stored::write(renderer.scene(), &mut writer)?;
        renderer.store(&mut writer)?;
        writer.finish()?;
    }
    let list = keep.folder.join(&keep.sources).with_extension("sources");
    let temporary = list.with_extension(format!("sources-{}.tmp", std::process::id()));
    fs::write(&temporary, serde_json::to_vec(&keep.names)?)?;
    fs::rename(&temporary, &list)?;
    make_room(&keep.folder, &path)
}

/// Removes the bundles that were not used for longest until the others fit; never `but`.
fn make_room(folder: &Path, but: &Path) -> io::Result<()> {
    let gigabytes = std::env::var("AMBLER_CACHE_GB").ok().and_then(|text| text.parse::<f64>().ok());
    let most = gigabytes.map_or(MOST_GB << 30, |most| (most.max(0.0) * f64::from(1 << 30)) as u64);
    let mut files: Vec<(std::time::SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let metadata = entry.metadata()?;
        if entry.path().extension().is_some_and(|extension| extension == "scene") {
            files.push((metadata.modified()?, metadata.len(), entry.path()));
        }
    }
    files.sort();
    let mut all: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, path) in files {
        if all > most && path != but {
            fs::remove_file(&path)?;
            all -= bytes;
        }
    }
    Ok(())
}
