//! The page of pictures: one HTML file with everything in it.

use super::brief;
use crate::exit::Failure;
use ambler_scene::library::{Decision, Decisions, Library};
use ambler_sensor::Picture;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("page.html");
/// JPEG quality of the pictures.
const QUALITY: u8 = 86;

/// The page for these objects and their pictures, in the same order.
pub fn make(library: &Library, pictures: &[Picture], decisions: &Decisions) -> Result<String, Failure> {
    let mut objects = Vec::new();
    for (object, picture) in library.objects.iter().zip(pictures) {
        let mut jpeg = Vec::new();
        let bytes: Vec<u8> = picture.pixels.iter().flatten().copied().collect();
        JpegEncoder::new_with_quality(&mut jpeg, QUALITY)
            .encode(&bytes, picture.width, picture.height, image::ExtendedColorType::Rgb8)
            .map_err(|error| Failure::Input(format!("a picture cannot be encoded ({error})")))?;
        let mut value = brief(object);
        value["picture"] = json!(STANDARD.encode(jpeg));
        objects.push(value);
    }
    let data = json!({ "objects": objects, "decisions": decisions_json(decisions) });
    // A name from someone's file must not end the script it stands in.
    let text = data.to_string().replace('<', "\\u003c");
    Ok(TEMPLATE.replace("\"@DATA@\"", &text))
}

/// Decisions as the page reads them: name to `accept` or `reject`.
pub fn decisions_json(decisions: &Decisions) -> Value {
    let word = |decision: &Decision| match decision {
        Decision::Accept => "accept",
        Decision::Reject => "reject",
    };
    decisions.objects.iter().map(|(name, decision)| (name.clone(), json!(word(decision)))).collect()
}
