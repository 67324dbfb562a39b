//! Habitat's `*.lighting_config.json`.

use super::{Light, LightFrame, LightSource, Lighting};
use crate::SensorError;
use ambler_geometry::{Fault, Place, Vec3};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The file as it is written. Fields that Habitat does not read are none of ours either.
#[derive(Deserialize)]
struct File {
    #[serde(default = "one")]
    positive_intensity_scale: f32,
    #[serde(default = "one")]
    negative_intensity_scale: f32,
    lights: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(default)]
struct Entry {
    position: [f32; 3],
    direction: [f32; 3],
    color: [f32; 3],
    intensity: f32,
    r#type: Kind,
    position_model: Model,
}

impl Default for Entry {
    fn default() -> Self {
        Self {
            position: [0.0; 3],
            direction: [0.0, -1.0, 0.0],
            color: [1.0; 3],
            intensity: 1.0,
            r#type: Kind::Point,
            position_model: Model::Global,
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// A spot counts as a point, as it does in Habitat.
    #[serde(alias = "spot")]
    Point,
    Directional,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Model {
    Global,
    Camera,
    Object,
}

fn one() -> f32 {
    1.0
}

impl Lighting {
    /// Largest file that is read, bytes.
    const LARGEST: u64 = 16 << 20;

    /// Reads Habitat's `*.lighting_config.json`, whose place and direction refer to a world with +Y up:
    /// its lights in the order of their names, with ambient light of 0.4.
    ///
    /// # Errors
    /// The file, the line, what is wrong and what to do; a light that is fixed to an object.
    pub fn read(path: &Path) -> Result<Self, SensorError> {
        let remedy = "a lighting file is JSON with \"lights\": {NAME: {\"type\", \"position\" or \"direction\", \
                      \"color\", \"intensity\"}}";
        let fault = |place, what: String| SensorError::Lighting(Fault::new(path, place, what, remedy));
        let unreadable = |error: std::io::Error| fault(Place::Whole, format!("cannot read: {error}"));
        let length = std::fs::metadata(path).map_err(unreadable)?.len();
        if length > Self::LARGEST {
            return Err(fault(Place::Whole, format!("{length} bytes are too many for a lighting file")));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let file: File = serde_json::from_str(&text)
            .map_err(|error| fault(Place::Line(error.line() as u64), error.to_string()))?;
        let mut lights = Vec::with_capacity(file.lights.len());
        for (name, entry) in &file.lights {
            let frame = match entry.position_model {
                Model::Global => LightFrame::World,
                Model::Camera => LightFrame::Camera,
                Model::Object => {
                    let what = format!("light {name:?} is fixed to an object");
                    let remedy = "\"position_model\" is \"global\" or \"camera\"";
                    return Err(SensorError::Lighting(Fault::new(path, Place::Whole, what, remedy)));
                }
            };
            let source = match entry.r#type {
                Kind::Directional => LightSource::Directional(Vec3::from(entry.direction)),
                Kind::Point => LightSource::Point(Vec3::from(entry.position)),
            };
            let scale = match entry.intensity < 0.0 {
                true => file.negative_intensity_scale,
                false => file.positive_intensity_scale,
            };
            let intensity = entry.intensity * scale;
            lights.push(Light { source, color: entry.color, intensity, frame });
        }
        let lighting = Self { ambient: [0.4; 3], lights };
        lighting.validate("").map_err(|error| fault(Place::Whole, error.to_string()))?;
        Ok(lighting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Lighting, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("home.lighting_config.json");
        std::fs::write(&path, text).unwrap();
        Lighting::read(&path).map_err(|error| error.to_string())
    }

    const FILE: &str = r#"{
        "positive_intensity_scale": 2.0, "negative_intensity_scale": 0.5,
        "lights": {
            "0": {"type": "directional", "direction": [0, 0, 1], "intensity": 0.5},
            "1": {"type": "spot", "position": [1, 2, 3], "color": [1, 0, 0], "intensity": -1.0,
                  "position_model": "camera", "spot": {"innerConeAngle": 0.1}},
            "2": {}
        }
    }"#;

    /// Fields and defaults as Habitat has them.
    #[test]
    fn a_habitat_file_is_read() {
        let found = read(FILE).unwrap();
        assert_eq!(found.ambient, [0.4; 3]);
        let sun =
            Light { source: LightSource::Directional(Vec3::Z), intensity: 1.0, ..Light::default() };
        let lamp = Light {
            source: LightSource::Point(Vec3::new(1.0, 2.0, 3.0)),
            color: [1.0, 0.0, 0.0],
            intensity: -0.5,
            frame: LightFrame::Camera,
        };
        let plain = Light { source: LightSource::Point(Vec3::ZERO), intensity: 2.0, ..Light::default() };
        assert_eq!(found.lights, [sun, lamp, plain]);
    }

    #[test]
    fn faults_name_the_file_and_what_is_wrong() {
        let object = read(r#"{"lights": {"lamp": {"position_model": "object"}}}"#).unwrap_err();
        assert!(object.contains("home.lighting_config.json") && object.contains("\"lamp\""), "{object}");
        let kind = read("{\n\"lights\": {\"a\": {\"type\": \"sun\"}}}").unwrap_err();
        assert!(kind.contains("line 2") && kind.contains("sun"), "{kind}");
        let dark =
            read(r#"{"lights": {"a": {"type": "directional", "direction": [0,0,0]}}}"#).unwrap_err();
        assert!(dark.contains("no direction"), "{dark}");
        let many: Vec<String> = (0..65).map(|i| format!("\"{i}\": {{}}")).collect();
        assert!(
            read(&format!("{{\"lights\": {{{}}}}}", many.join(","))).unwrap_err().contains("65 lights")
        );
        assert!(read(r#"{"lights": {"a": {"intensity": 1e30}}}"#).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..600_usize) {
            let mut text = FILE.as_bytes().to_vec();
            let at = at.min(text.len());
            text.splice(at.., bytes.iter().copied());
            let _ = read(&String::from_utf8_lossy(&text));
            let _ = read(&FILE[..at]);
        }
    }
}
