use crate::files::{Context, read_file};
use crate::{ReadOptions, SceneError, SceneModel, assemble, gltf, ply};
use ambler_geometry::Place;
use std::path::Path;

/// What a file is, by content first and extension second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ply,
    Gltf,
    Obj,
    Description,
}

pub(crate) fn kind_of(bytes: &[u8], path: &Path) -> Result<Kind, SceneError> {
    if bytes.starts_with(b"glTF") {
        return Ok(Kind::Gltf);
    }
    if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
        return Ok(Kind::Ply);
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "ply" => Ok(Kind::Ply),
        "glb" | "gltf" => Ok(Kind::Gltf),
        "obj" => Ok(Kind::Obj),
        "ron" => Ok(Kind::Description),
        _ => Err(SceneError::unsupported(
            path,
            Place::Whole,
            "no scene format that Ambler reads",
            "name a .glb, .gltf, .ply, .obj or .ron file, or a folder with scene.ron",
        )),
    }
}

/// Reads a scene: a `.glb`, `.gltf`, `.ply`, `.obj` or `.ron` file (told apart by content first,
/// extension second), or a folder that holds `scene.ron`.
///
/// Files that it refers to are read from its folder and below, nowhere else.
///
/// # Errors
/// [`SceneError`] with file, place, what and remedy. Never panics, whatever the bytes are, and
/// allocates no more than the file's size and [`crate::Limits`] justify.
pub fn read_scene(path: &Path, options: &ReadOptions) -> Result<SceneModel, SceneError> {
    let inside;
    let path = if path.is_dir() {
        inside = path.join("scene.ron");
        inside.as_path()
    } else {
        path
    };
    let mut context = Context::new(path, options);
    let bytes = read_file(path, options.limits.file_bytes)?;
    context.add_content(&bytes);
    let model = match kind_of(&bytes, path)? {
        Kind::Ply => ply::parse_in(&bytes, path, &mut context)?,
        Kind::Gltf => gltf::parse_in(&bytes, path, &mut context)?.0,
        Kind::Obj | Kind::Description => {
            return Err(SceneError::unsupported(path, Place::Whole, "not read yet", ""));
        }
    };
    Ok(assemble::finish(model, path, &mut context))
}

/// blake3 (hex) over the content of the scene file and all files it refers to; the same as
/// [`SceneModel::fingerprint`] of a scene read with these options. Reads the whole scene.
///
/// # Errors
/// As [`read_scene`].
pub fn fingerprint(path: &Path, options: &ReadOptions) -> Result<String, SceneError> {
    Ok(read_scene(path, options)?.fingerprint)
}
