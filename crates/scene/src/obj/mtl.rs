use crate::files::{Context, shorten};
use crate::{Material, SceneError, SceneModel, pixels};
use ambler_geometry::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Materials by name; their textures go into the model's pool, each image once.
pub(super) fn parse(
    bytes: &[u8],
    path: &Path,
    context: &mut Context,
    model: &mut SceneModel,
) -> Result<BTreeMap<String, Material>, SceneError> {
    let mut materials: BTreeMap<String, Material> = BTreeMap::new();
    let mut images: BTreeMap<PathBuf, u32> = BTreeMap::new();
    let mut current: Option<String> = None;
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        let place = Place::Line(number as u64 + 1);
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if keyword == "newmtl" {
            materials.insert(rest.to_owned(), Material { name: rest.to_owned(), ..Material::default() });
            current = Some(rest.to_owned());
            continue;
        }
        let Some(material) = current.as_ref().and_then(|name| materials.get_mut(name)) else { continue };
        let number = |word: &str| -> Result<f32, SceneError> {
            word.parse::<f32>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
                let what = format!("'{}' is not a number", shorten(word));
                SceneError::malformed(path, place.clone(), what, "export the material again")
            })
        };
        match keyword {
            "Kd" if material.texture.is_none()
                && !rest.starts_with("spectral")
                && !rest.starts_with("xyz") =>
            {
                let words: Vec<&str> = rest.split_whitespace().take(3).collect();
                let red = number(words.first().copied().unwrap_or(""))?;
                let green = words.get(1).map_or(Ok(red), |word| number(word))?;
                let blue = words.get(2).map_or(Ok(red), |word| number(word))?;
                material.base_color = [red, green, blue, material.base_color[3]];
            }
            "d" => material.base_color[3] = number(rest.trim_start_matches("-halo").trim())?,
            "Tr" => material.base_color[3] = 1.0 - number(rest)?,
            "map_Kd" => {
                let name = without_options(rest);
                let found = match context.read_if_there(path, &name)? {
                    Some(found) => Some(found),
                    // The layout of Google Scanned Objects; outside the border it is not found.
                    None => context.read_if_there(path, &format!("../materials/textures/{name}"))?,
                };
                let (image_path, image) = match found {
                    Some(found) => found,
                    None => context.read(path, place.clone(), &name)?,
                };
                let texture = match images.get(&image_path) {
                    Some(&known) => known,
                    None => {
                        let texture = pixels::decode(context, &image_path, Place::Whole, &image)?;
                        model.textures.push(Arc::new(texture));
                        let index = model.textures.len() as u32 - 1;
                        images.insert(image_path, index);
                        index
                    }
                };
                material.texture = Some(texture);
                material.base_color = [1.0, 1.0, 1.0, material.base_color[3]];
            }
            _ => {}
        }
    }
    Ok(materials)
}

/// The file name after options such as `-clamp on` or `-s 1 1 1`; it may hold spaces.
fn without_options(text: &str) -> String {
    let mut rest = text.trim();
    while let Some(option) = rest.split_whitespace().next().filter(|word| word.starts_with('-')) {
        let (least, most) = match option {
            "-blendu" | "-blendv" | "-cc" | "-clamp" | "-texres" | "-imfchan" | "-bm" | "-boost"
            | "-type" => (1, 1),
            "-mm" => (2, 2),
            "-o" | "-s" | "-t" => (1, 3),
            _ => break,
        };
        rest = rest.strip_prefix(option).unwrap_or(rest).trim_start();
        for argument in 0..most {
            let Some(word) = rest.split_whitespace().next() else { break };
            if argument >= least && word.parse::<f32>().is_err() {
                break;
            }
            rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
        }
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_before_a_texture_name_are_skipped() {
        assert_eq!(without_options("-clamp on -s 1 1 1 my wood.png"), "my wood.png");
        assert_eq!(without_options("-o 0.5 7.png"), "7.png");
        assert_eq!(without_options("a.png"), "a.png");
    }
}
