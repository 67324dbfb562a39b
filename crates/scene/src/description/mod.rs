//! Ambler's own scene description (`scene.ron`) and the labels of captures (`X_objects.json`).
//!
//! A description lists mesh files and says where they stand, what their parts are called, and what
//! rooms, floors and receptacles there are. docs/FORMATS.md explains each field.

mod boxes;
mod build;
mod capture;
mod format;

pub use format::{
    Asset, AssetUp, Description, FloorText, Labels, LicenceText, Object, Part, ReceptacleText, RoomText,
    Rotation, Scale, VERSION,
};

use crate::files::{Context, shorten};
use crate::{ReadOptions, SceneError, SceneModel, assemble};
use ambler_geometry::{Affine, Place};
use std::path::Path;

/// Reads a description from memory and the assets that it names from the folder of `path`.
///
/// # Errors
/// [`SceneError`] with the line (RON) or the field's path.
pub fn parse(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<SceneModel, SceneError> {
    let mut context = Context::new(path, options);
    context.add_content(bytes);
    let model = parse_in(bytes, path, &mut context)?;
    Ok(assemble::finish(model, path, &mut context))
}

/// Reads a description from memory without its assets.
///
/// # Errors
/// [`SceneError::Malformed`] with the line; an unknown field or a missing one is named.
pub fn parse_description(bytes: &[u8], path: &Path) -> Result<Description, SceneError> {
    let options =
        ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    let description: Description = options.from_bytes(bytes).map_err(|error| {
        SceneError::malformed(
            path,
            Place::Line(error.span.start.line as u64),
            format!("column {}: {}", error.span.start.col, shorten(&error.code.to_string())),
            "docs/FORMATS.md, section 'Scene description', lists the fields",
        )
    })?;
    if description.version != VERSION {
        return Err(SceneError::unsupported(
            path,
            Place::Pointer("version".into()),
            format!(
                "version {} of the scene description, and this build reads version {VERSION}",
                description.version
            ),
            "use the Ambler that wrote it, or write it anew",
        ));
    }
    Ok(description)
}

/// The description as RON text that [`parse_description`] reads again.
///
/// # Errors
/// [`SceneError::File`] should it hold something that RON cannot express.
pub fn to_ron(description: &Description) -> Result<String, SceneError> {
    let config = ron::ser::PrettyConfig::new()
        .struct_names(false)
        .compact_arrays(true)
        .depth_limit(5)
        .extensions(ron::extensions::Extensions::IMPLICIT_SOME);
    ron::ser::to_string_pretty(description, config).map(|text| text + "\n").map_err(|error| {
        SceneError::file(Path::new(""), format!("the description cannot be written ({error})"), "")
    })
}

pub(crate) fn parse_in(
    bytes: &[u8],
    path: &Path,
    context: &mut Context,
) -> Result<SceneModel, SceneError> {
    let description = parse_description(bytes, path)?;
    build::build(&description, path, context)
}

/// Labels a bare mesh file by the list beside it: `X_objects.json` for `X.glb` and `X_scan.ply`.
pub(crate) fn side_file(
    path: &Path,
    model: &mut SceneModel,
    names: &[String],
    context: &mut Context,
) -> Result<(), SceneError> {
    let stem = assemble::stem(path);
    if stem.is_empty() {
        return Ok(());
    }
    let stem = stem.strip_suffix("_scan").unwrap_or(&stem);
    match context.read_if_there(path, &format!("{stem}_objects.json"))? {
        Some((list, bytes)) => capture::apply(&bytes, &list, model, names, &Affine::IDENTITY, context),
        None => Ok(()),
    }
}
