//! Where scenes and shipped data are found.

use crate::exit::Failure;
use ambler_geometry::{Fault, Place};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where scenes are looked for: what `--scenes` names, or else `scenes/` in `AMBLER_HOME`, in the
/// working directory and in `../share/ambler` beside the program, in that order.
#[derive(Clone, Debug)]
pub struct SceneRoots(Vec<PathBuf>);

impl SceneRoots {
    /// The roots. Where `--scenes` names a place, it is the only one: nobody wants another scene of
    /// the same name.
    ///
    /// # Errors
    /// `--scenes` names nothing that exists.
    pub fn new(scenes: Option<&Path>) -> Result<Self, Failure> {
        if let Some(scenes) = scenes {
            // Made absolute, so that `.` has a name.
            return scenes.canonicalize().map(|root| Self(vec![root])).map_err(|error| {
                let what = format!("cannot be used: {error}");
                let remedy = "name a scene, or the folder that holds the scenes, with --scenes";
                Failure::Input(Fault::new(scenes, Place::Whole, what, remedy).to_string())
            });
        }
        let homes = [
            std::env::var_os("AMBLER_HOME").map(PathBuf::from),
            std::env::current_dir().ok(),
            std::env::current_exe()
                .ok()
                .and_then(|exe| Some(exe.parent()?.parent()?.join("share").join("ambler"))),
        ];
        Ok(Self(homes.into_iter().flatten().map(|home| home.join("scenes")).collect()))
    }

    /// The first root with shipped scenes.
    pub fn shipped(&self) -> Option<&Path> {
        self.0.iter().map(PathBuf::as_path).find(|root| root.is_dir())
    }

    /// The file or folder of a scene as an episode names it.
    ///
    /// # Errors
    /// Says which places were looked at.
    pub fn find(&self, scene_id: &str) -> Result<PathBuf, Failure> {
        let inside = inside(scene_id).ok_or_else(|| {
            Failure::Input(format!(
                "scene {scene_id:?}: the name leads out of the scenes folder; episodes may only name scenes inside it"
            ))
        })?;
        for root in &self.0 {
            if root.is_file() || root.join("scene.ron").is_file() {
                // `--scenes room.glb` stands for the scene of that name.
                if same_scene(root, &inside) {
                    return Ok(root.clone());
                }
                continue;
            }
            for candidate in candidates(root, &inside) {
                if candidate.is_file() || candidate.join("scene.ron").is_file() {
                    return Ok(candidate);
                }
            }
        }
        let places: Vec<String> = self.0.iter().map(|root| root.display().to_string()).collect();
        Err(Failure::Input(format!(
            "scene {scene_id:?} was not found under {}; name the folder that holds it (or the scene itself) with --scenes",
            places.join(", ")
        )))
    }
}

/// The scene's name as a relative path without `.`, `..` or root; `None` if it leads outside.
fn inside(scene_id: &str) -> Option<PathBuf> {
    let trimmed = scene_id.strip_prefix("data/scene_datasets/").unwrap_or(scene_id);
    let mut path = PathBuf::new();
    for component in Path::new(trimmed).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    (!path.as_os_str().is_empty()).then_some(path)
}

fn candidates(root: &Path, inside: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.join(inside)];
    for extension in ["ron", "glb", "gltf", "ply", "obj"] {
        let mut name = root.join(inside).into_os_string();
        name.push(".");
        name.push(extension);
        found.push(name.into());
    }
    // A set that names `hm3d/val/x/x.glb` beside a folder that holds only `x.glb`.
    if let Some(name) = inside.file_name().filter(|name| Path::new(name) != inside) {
        found.push(root.join(name));
    }
    found
}

fn same_scene(file: &Path, inside: &Path) -> bool {
    let stem = |path: &Path| {
        path.file_name().map(|name| name.to_string_lossy().split('.').next().unwrap_or("").to_string())
    };
    let named = if file.file_name().is_some_and(|name| name == "scene.ron") {
        file.parent().unwrap_or(file)
    } else {
        file
    };
    named.ends_with(inside) || stem(named) == stem(inside)
}

/// The folder of the objects that ship: `assets/objects` in `AMBLER_HOME`, in the working directory or in
/// `../share/ambler` beside the program.
pub fn shipped_objects() -> Option<PathBuf> {
    let mut folders = asset_homes().map(|home| home.join("assets").join("objects"));
    folders.find(|folder| folder.join("catalogue.ron").is_file())
}

/// The robot that ships, in the same places: `assets/robot/stretch3.glb`.
#[cfg(feature = "window")]
pub fn shipped_robot() -> Option<PathBuf> {
    asset_homes()
        .map(|home| home.join("assets").join("robot").join("stretch3.glb"))
        .find(|path| path.is_file())
}

fn asset_homes() -> impl Iterator<Item = PathBuf> {
    let homes = [
        std::env::var_os("AMBLER_HOME").map(PathBuf::from),
        std::env::current_dir().ok(),
        std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.parent()?.join("share/ambler"))),
    ];
    homes.into_iter().flatten()
}

/// Nothing is cached.
static CACHE_OFF: AtomicBool = AtomicBool::new(false);

/// From now on [`cache_folder`] knows none.
pub fn turn_cache_off() {
    CACHE_OFF.store(true, Ordering::Relaxed);
}

/// The folder for caches: `AMBLER_CACHE`, else the user's cache folder; `None` where neither is
/// known, and then nothing is cached.
pub fn cache_folder() -> Option<PathBuf> {
    if CACHE_OFF.load(Ordering::Relaxed) {
        return None;
    }
    if let Some(folder) = std::env::var_os("AMBLER_CACHE") {
        return (!folder.is_empty()).then(|| folder.into());
    }
    let base = std::env::var_os("XDG_CACHE_HOME")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(base.join("ambler"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_name_never_leaves_its_folder() {
        assert_eq!(inside("../secret"), None);
        assert_eq!(inside("a/../../b"), None);
        assert_eq!(inside("/etc/passwd"), Some("etc/passwd".into()));
        assert_eq!(inside("data/scene_datasets/hm3d/val//a.glb"), Some("hm3d/val/a.glb".into()));
        assert_eq!(inside(""), None);
    }

    #[test]
    fn a_scene_file_stands_for_scenes_of_its_name() {
        assert!(same_scene(Path::new("/x/room.basis.glb"), Path::new("hm3d/room.glb")));
        assert!(!same_scene(Path::new("/x/room.glb"), Path::new("hall.glb")));
    }
}
