//! Google Scanned Objects (Downs et al. 2022): `NAME/meshes/model.obj` with `model.sdf` and
//! `metadata.pbtxt`, as published; or LIBERO's flat `NAME/NAME.obj` with `texture.png`. Z up, metres.

use super::listing::{parent, path};
use super::{Found, Reading};
use crate::files::read_file;
use crate::library::draft::{self, Draft};
use crate::{Licence, SceneError, UpAxis};

pub(super) fn read(reading: &Reading<'_>) -> Result<Option<Found>, SceneError> {
    let mut found = Found::default();
    for file in reading.listing.ending(&[".obj"]) {
        let folder = parent(file).trim_end_matches('/');
        let (name, published) = if let Some(folder) =
            folder.strip_suffix("/meshes").or((folder == "meshes").then_some(""))
            && file.ends_with("/model.obj")
            && reading.listing.has(&format!("{}model.sdf", slash(folder)))
        {
            (folder, true)
        } else {
            let last = folder.rsplit('/').next().unwrap_or("");
            let flat = !last.is_empty()
                && file.ends_with(&format!("/{last}.obj"))
                && reading.listing.has(&format!("{folder}/texture.png"));
            if !flat {
                continue;
            }
            (folder, false)
        };
        let inner = slash(name);
        let short = name.rsplit('/').next().filter(|short| !short.is_empty());
        let short = short.map_or_else(|| crate::assemble::stem(reading.folder), str::to_owned);
        let text = |file: String| -> Result<String, SceneError> {
            if !reading.listing.has(&file) {
                return Ok(String::new());
            }
            let bytes = read_file(&path(reading.folder, &file), 4 << 20)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let (sdf, metadata) = if published {
            (text(format!("{inner}model.sdf"))?, text(format!("{inner}metadata.pbtxt"))?)
        } else {
            Default::default()
        };
        let label =
            between(&metadata, "first:", "\n").map(|word| word.trim().trim_matches('"').to_owned());
        let category = reading
            .vocabulary
            .find(&short)
            .map(str::to_owned)
            .or_else(|| {
                label.filter(|word| !word.is_empty()).map(|word| reading.vocabulary.category(&word))
            })
            .unwrap_or_else(|| crate::normal_name(&short));
        let mass =
            between(&sdf, "<mass>", "</mass>").and_then(|number| number.trim().parse::<f32>().ok());
        found.drafts.push(Draft {
            name: format!("gso_{}", crate::normal_name(&short)),
            category,
            source: "Google Scanned Objects".into(),
            licence: Licence {
                name: "CC-BY-4.0".into(),
                credit: "Google Scanned Objects (Downs et al. 2022, Google Research)".into(),
            },
            mass_kg: mass.filter(|mass| *mass > 0.0 && *mass < 1000.0),
            scale: 1.0,
            center_of_mass: None,
            mesh: draft::file(path(reading.folder, file), UpAxis::Z, 1.0),
        });
    }
    Ok((!found.drafts.is_empty()).then_some(found))
}

fn slash(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}

/// The text between two marks, the first of them.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let rest = text.get(text.find(from)? + from.len()..)?;
    rest.get(..rest.find(to)?)
}
