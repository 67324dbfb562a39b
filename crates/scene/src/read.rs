use crate::files::{Context, read_file, read_summed};
use crate::stored::Sources;
use crate::{ReadOptions, SceneError, SceneModel, assemble, description, gltf, obj, ply};
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
    let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    // `room.obj.gz` was unpacked and is an OBJ file.
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
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
/// extension second), any of them gzipped, or a folder that holds `scene.ron`.
///
/// Files that it refers to are read from its folder and below, nowhere else.
///
/// # Errors
/// [`SceneError`] with file, place, what and remedy. Never panics, whatever the bytes are, and
/// allocates no more than the file's size and [`crate::Limits`] justify.
pub fn read_scene(path: &Path, options: &ReadOptions) -> Result<SceneModel, SceneError> {
    Ok(read_scene_sources(path, options)?.0)
}

/// As [`read_scene`], with what the scene was read from.
///
/// # Errors
/// As [`read_scene`].
pub fn read_scene_sources(
    path: &Path,
    options: &ReadOptions,
) -> Result<(SceneModel, Sources), SceneError> {
    let inside;
    let path = if path.is_dir() {
        inside = path.join("scene.ron");
        inside.as_path()
    } else {
        path
    };
    let mut context = Context::new(path, options);
    let (bytes, root) = read_summed(path, options.limits.file_bytes)?;
    context.add_content(&bytes);
    let model = match kind_of(&bytes, path)? {
        Kind::Description => description::parse_in(&bytes, path, &mut context)?,
        kind => {
            let (mut model, names) = read_asset(kind, &bytes, path, &mut context)?;
            if options.side_files {
                description::side_file(path, &mut model, &names, &mut context)?;
            }
            model
        }
    };
    let sources = Sources { root, files: context.sources() };
    Ok((assemble::finish(model, path, &mut context), sources))
}

/// A mesh file; for each placement the name of its node, object or group.
pub(crate) fn read_asset(
    kind: Kind,
    bytes: &[u8],
    path: &Path,
    context: &mut Context,
) -> Result<(SceneModel, Vec<String>), SceneError> {
    match kind {
        Kind::Ply => {
            let model = ply::parse_in(bytes, path, context)?;
            let names = vec![String::new(); model.placements.len()];
            Ok((model, names))
        }
        Kind::Gltf => gltf::parse_in(bytes, path, context),
        Kind::Obj => obj::parse_in(bytes, path, context),
        Kind::Description => Err(SceneError::unsupported(
            path,
            Place::Whole,
            "a scene description cannot be an asset of another",
            "list its assets in the one description",
        )),
    }
}

/// As [`read_scene`] for the mesh file of an object. Google Scanned Objects keep the mesh in `meshes` and
/// its texture beside that folder in `materials/textures`: there the border is the object's folder.
pub(crate) fn read_object(path: &Path, options: &ReadOptions) -> Result<SceneModel, SceneError> {
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "meshes"));
    let Some(root) = folder.and_then(Path::parent) else { return read_scene(path, options) };
    let mut context = Context::within(root, options);
    let bytes = read_file(path, options.limits.file_bytes)?;
    context.add_content(&bytes);
    let (model, _) = read_asset(kind_of(&bytes, path)?, &bytes, path, &mut context)?;
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
