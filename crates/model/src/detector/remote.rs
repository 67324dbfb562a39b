use super::{Detected, Detector, Mask, Picture};
use crate::http::Server;
use crate::picture::{decode_mask, encode_png};
use crate::{AnswerCache, ModelError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Things that one image may show.
const MOST_THINGS: usize = 2000;

/// A detector behind HTTP. docs/MODELS.md states the protocol.
#[derive(Debug)]
pub struct RemoteDetector {
    server: Server,
    cache: AnswerCache,
    /// Things with less confidence are left out.
    least_score: f32,
}

impl RemoteDetector {
    /// A detector at a URL.
    pub fn new(server: Server, cache: AnswerCache, least_score: f32) -> Self {
        Self { server, cache, least_score }
    }
}

impl Detector for RemoteDetector {
    fn identity(&self) -> String {
        format!("remote {}, score {}", self.server.identity(), self.least_score)
    }

    fn needs_truth(&self) -> bool {
        false
    }

    fn detect(&self, picture: &Picture<'_>, labels: &[&str]) -> Result<Vec<Detected>, ModelError> {
        let request = json!({
            "image": STANDARD.encode(encode_png(picture)?),
            "width": picture.width,
            "height": picture.height,
            "labels": labels,
        });
        let check = |answer: &[u8]| read_answer(answer, picture, labels).map(|_| ());
        let answer = self.cache.answer("detector", &self.server, &request, &check)?;
        let mut found = read_answer(&answer, picture, labels)
            .map_err(|what| ModelError::Answer { url: self.server.url().to_owned(), what })?;
        found.retain(|thing| thing.score >= self.least_score);
        Ok(found)
    }
}

/// The things in an answer; what is wrong with it, with the place, where it does not fit.
fn read_answer(answer: &[u8], picture: &Picture<'_>, labels: &[&str]) -> Result<Vec<Detected>, String> {
    let answer: Value = serde_json::from_slice(answer).map_err(|error| format!("no JSON: {error}"))?;
    let list = answer["detections"].as_array().ok_or("/detections is no list")?;
    if list.len() > MOST_THINGS {
        return Err(format!("{} detections; at most {MOST_THINGS} make sense", list.len()));
    }
    let mut found = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        let wrong = |what: &str| format!("/detections/{index}{what}");
        let label = item["label"].as_str().ok_or_else(|| wrong("/label is no text"))?;
        if label.len() > 200 {
            return Err(wrong("/label is longer than 200 bytes"));
        }
        if !labels.is_empty() && !labels.contains(&label) {
            return Err(wrong(&format!("/label is {label:?}, which was not asked for")));
        }
        let score = item["score"].as_f64().filter(|score| (0.0..=1.0).contains(score));
        let score = score.ok_or_else(|| wrong("/score is no number from 0 to 1"))? as f32;
        let sides = item["box"].as_array().filter(|sides| sides.len() == 4);
        let sides = sides.ok_or_else(|| wrong("/box is no list of four numbers"))?;
        let mut bbox = [0_u32; 4];
        for (at, (side, most)) in
            sides.iter().zip([picture.width, picture.height, picture.width, picture.height]).enumerate()
        {
            let side = side.as_f64().filter(|side| side.is_finite());
            let side = side.ok_or_else(|| wrong("/box is no list of four numbers"))?;
            // Boxes of detectors have fractions and stand out of the image a little.
            let side = if at < 2 { side.floor() } else { side.ceil() };
            bbox[at] = side.clamp(0.0, f64::from(most)) as u32;
        }
        if bbox[0] >= bbox[2] || bbox[1] >= bbox[3] {
            return Err(wrong("/box has no pixels in the image"));
        }
        let mask = match &item["mask"] {
            Value::Null => None,
            Value::String(text) => {
                let png = STANDARD.decode(text).map_err(|_| wrong("/mask is no base64"))?;
                let bits = decode_mask(&png, picture.width, picture.height)
                    .map_err(|what| wrong(&format!("/mask {what}")))?;
                Some(Mask { width: picture.width, bits })
            }
            _ => return Err(wrong("/mask is neither text nor null")),
        };
        found.push(Detected { label: label.to_owned(), score, bbox, mask, instance: None });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(answer: &str, labels: &[&str]) -> Result<Vec<Detected>, String> {
        read_answer(answer.as_bytes(), &Picture { width: 8, height: 4, ..Picture::default() }, labels)
    }

    #[test]
    fn boxes_are_cut_to_the_image_and_faults_are_placed() {
        let good = r#"{"detections": [{"label": "cup", "score": 0.5, "box": [-1.5, 0.2, 3.4, 9]}]}"#;
        let found = read(good, &["cup"]).unwrap();
        assert_eq!((found[0].bbox, found[0].pixels()), ([0, 0, 4, 4], 16));
        assert!(read(good, &[]).is_ok());
        assert!(read(good, &["bed"]).unwrap_err().contains("not asked for"));
        for (from, to, said) in [
            ("0.5", "1.5", "/detections/0/score"),
            ("\"cup\"", "7", "/detections/0/label"),
            ("9]", "9, 9]", "/detections/0/box"),
            ("3.4", "-2", "no pixels"),
            ("9]", "9], \"mask\": \"?\"", "/mask is no base64"),
            ("9]", "9], \"mask\": \"aGk=\"", "/mask is no PNG"),
            ("9]", "9], \"mask\": 3", "/mask is neither"),
            ("detections", "found", "/detections is no list"),
        ] {
            let error = read(&good.replace(from, to), &["cup"]).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
        let many = format!("{{\"detections\": [{}]}}", vec!["0"; 2001].join(","));
        assert!(read(&many, &[]).unwrap_err().contains("2001 detections"));
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(text in "\\PC{0,200}", at in 0usize..90, byte in 32u8..127) {
            let _ = read(&text, &[]);
            let mut good = br#"{"detections": [{"label": "cup", "score": 0.5, "box": [1, 0, 3, 4], "mask": null}]}"#.to_vec();
            let at = at % good.len();
            good[at] = byte;
            let _ = read(&String::from_utf8_lossy(&good), &[]);
        }
    }
}
