//! The cameras of a run: a rig on the body's head, or what a file says.

use crate::exit::Failure;
use crate::settings::{Settings, body_camera};
use ambler_body::BodyPreset;
use ambler_geometry::{Fault, Place};
use ambler_sensor::{CameraSpec, Lighting, Projection};
use std::path::Path;

/// Cameras that a body may have: their names are told apart and each is drawn at every step.
const MOST: usize = 64;
/// Largest file that is read, bytes.
const LARGEST: u64 = 16 << 20;

/// Agents that build a map from depth images, which have to be plane.
const MAPPERS: [&str; 5] = ["frontier", "vlfm", "l3mvn", "random-astar", "semantic-astar"];

impl Settings {
    /// The cameras on the body, checked.
    ///
    /// # Errors
    /// A file of cameras that cannot be used, beside settings that it would make meaningless; a rig or light
    /// that is not there; a camera that makes no image; an agent that needs another one.
    pub fn cameras(&self, body: &BodyPreset) -> Result<Vec<CameraSpec>, Failure> {
        let mut cameras = match &self.cameras {
            Some(file) => {
                let beside = [
                    ("rig", self.rig.is_some()),
                    ("size", self.size.is_some()),
                    ("hfov", self.hfov.is_some()),
                    ("camera_height", self.camera_height.is_some()),
                ];
                if let Some((name, _)) = beside.iter().find(|(_, set)| *set) {
                    let text =
                        format!("cameras and {name} are both set: the file of cameras says it all");
                    return Err(Failure::Usage(text));
                }
                read_cameras(file)?
            }
            None => body_camera(body).rig(self.rig.as_deref().unwrap_or("front"))?,
        };
        if let Some(lights) = &self.lights {
            let lighting = lighting(lights)?;
            cameras.iter_mut().for_each(|camera| camera.lighting.clone_from(&lighting));
        }
        for camera in &cameras {
            camera.validate()?;
        }
        let maps = |camera: &CameraSpec| {
            let o = camera.outputs;
            let flat = matches!(camera.projection, Projection::Pinhole { .. });
            flat && o.depth && o.instance && o.category
        };
        if let Some(agent) = self.agents().iter().find(|agent| MAPPERS.contains(&agent.as_str()))
            && !cameras.iter().any(maps)
        {
            let text = format!(
                "agent {agent} maps what a pinhole camera sees and its detector finds: one that delivers depth, \
                 instance and category, and there is none"
            );
            return Err(Failure::Usage(text));
        }
        Ok(cameras)
    }
}

/// Light by its name: `none` (colours as stored), `default`, or one of Habitat's lighting files.
///
/// # Errors
/// What is wrong with the file.
pub fn lighting(name: &str) -> Result<Option<Lighting>, Failure> {
    match name {
        "none" => Ok(None),
        "default" => Ok(Some(Lighting::default_lights())),
        file if !Path::new(file).exists() => Err(Failure::Usage(format!(
            "lights {file:?} are none of: none, default, a Habitat *.lighting_config.json that is there"
        ))),
        file => Ok(Some(Lighting::read(Path::new(file))?)),
    }
}

/// A lens by its name: `pinhole:DEGREES`, `orthographic:METRES`, `equirectangular` or `fisheye:DEGREES`.
///
/// # Errors
/// Another name, or no number where one has to be.
pub fn projection(text: &str) -> Result<Projection, Failure> {
    let unknown = || {
        Failure::Usage(format!(
            "projection {text:?} is none of pinhole:DEGREES, orthographic:METRES, equirectangular, \
             fisheye:DEGREES"
        ))
    };
    let (name, number) = text.split_once(':').unwrap_or((text, ""));
    let value = || number.trim().parse::<f32>().map_err(|_| unknown());
    match name {
        "pinhole" => Ok(Projection::Pinhole { hfov_deg: value()? }),
        "orthographic" => Ok(Projection::Orthographic { width_m: value()? }),
        "fisheye" => Ok(Projection::Fisheye { fov_deg: value()? }),
        "equirectangular" if number.is_empty() => Ok(Projection::Equirectangular),
        _ => Err(unknown()),
    }
}

/// Cameras as the text of a file that [`Settings::cameras`] reads.
///
/// # Errors
/// None that can be had from cameras.
pub fn printed(cameras: &[CameraSpec]) -> Result<String, Failure> {
    options()
        .to_string_pretty(cameras, ron::ser::PrettyConfig::default())
        .map_err(|error| Failure::Usage(error.to_string()))
}

fn options() -> ron::Options {
    ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
}

fn read_cameras(path: &Path) -> Result<Vec<CameraSpec>, Failure> {
    let fault = |place, what: String| {
        let remedy = "`ambler eval --print-cameras` shows a whole file";
        Failure::Input(Fault::new(path, place, what, remedy).to_string())
    };
    let unreadable = |error: std::io::Error| fault(Place::Whole, format!("cannot read: {error}"));
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > LARGEST {
        return Err(fault(Place::Whole, format!("{length} bytes are too many for a list of cameras")));
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let cameras: Vec<CameraSpec> = options()
        .from_str(&text)
        .map_err(|error| fault(Place::Line(error.span.start.line as u64), error.code.to_string()))?;
    if cameras.is_empty() || cameras.len() > MOST {
        return Err(fault(Place::Whole, format!("{} cameras: 1 to {MOST} are needed", cameras.len())));
    }
    for (index, camera) in cameras.iter().enumerate() {
        camera.validate().map_err(|error| fault(Place::Whole, error.to_string()))?;
        let plain = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
        if !camera.name.chars().all(plain) {
            let what =
                format!("camera {index} is called {:?}: letters, digits, '_', '-', '.'", camera.name);
            return Err(fault(Place::Whole, what));
        }
        let turned = camera.yaw_deg.abs().max(camera.pitch_deg.abs());
        if camera.mount.abs().max_element() > 100.0 || turned > 3600.0 {
            let what = format!(
                "camera '{}' is mounted at {} and turned by {}° and {}°: at most 100 m off and 3600°",
                camera.name, camera.mount, camera.yaw_deg, camera.pitch_deg
            );
            return Err(fault(Place::Whole, what));
        }
        if camera.name.is_empty() || cameras[..index].iter().any(|other| other.name == camera.name) {
            return Err(fault(
                Place::Whole,
                format!("camera {index} is called {:?}: each has a name of its own", camera.name),
            ));
        }
    }
    Ok(cameras)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, settings: &Settings) -> Result<Vec<CameraSpec>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cameras.ron");
        std::fs::write(&path, text).expect("written");
        let settings =
            Settings { cameras: Some(path), agent: vec!["oracle".into()], ..settings.clone() };
        let body = settings.body().expect("a body");
        settings.cameras(&body).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_of_cameras_is_read_and_printed() {
        let text = r#"[
            (name: "head", width: 320, height: 240, projection: Fisheye(fov_deg: 200.0)),
            (name: "around", projection: Equirectangular, tone: (exposure_ev: 1.0),
             lighting: (ambient: (0.5, 0.5, 0.5), lights: [(source: Point((0.0, 2.0, 0.0)))])),
        ]"#;
        let cameras = with(text, &Settings::default()).expect("good");
        assert_eq!((cameras[0].width, cameras[0].mount.y), (320, 1.31));
        assert_eq!(cameras[1].projection, Projection::Equirectangular);
        assert_eq!(cameras[1].lighting.as_ref().expect("lit").lights.len(), 1);
        let again = with(&printed(&cameras).expect("prints"), &Settings::default());
        assert_eq!(again.expect("good"), cameras);
        let lit = Settings { lights: Some("default".into()), ..Settings::default() };
        let lit = with(text, &lit).expect("good");
        assert!(lit.iter().all(|camera| camera.lighting == Some(Lighting::default_lights())));
    }

    #[test]
    fn the_example_in_the_documentation_is_read() {
        let text = include_str!("../docs/FORMATS.md").split("## Cameras").nth(1).expect("the section");
        let example = text.split("```ron").nth(1).and_then(|rest| rest.split("```").next()).expect("it");
        let cameras = with(example, &Settings::default()).expect("good");
        assert_eq!(cameras.len(), 3);
        assert_eq!(
            cameras[2].lighting.as_ref().expect("lit").lights[1].frame,
            ambler_sensor::LightFrame::Camera
        );
    }

    #[test]
    fn faults_in_a_file_of_cameras_say_where_and_what() {
        let fault = |text: &str| with(text, &Settings::default()).expect_err("refused");
        assert!(fault("[(\n name: \"a\", widht: 3)]").contains("line 2"), "a mistyped field");
        assert!(fault("[]").contains("0 cameras"));
        assert!(fault("[(name: \"a\"), (name: \"a\")]").contains("camera 1 is called \"a\""));
        assert!(fault("[(width: 0)]").contains("0 × 256"));
        assert!(fault("[(projection: Fisheye(fov_deg: 400.0))]").contains("400"));
        assert!(fault("[(name: \"a/../b\")]").contains("a/../b"));
        assert!(fault("[(mount: (1e38, 0.0, 0.0))]").contains("mounted at"));
        let rig = Settings { rig: Some("front".into()), ..Settings::default() };
        assert!(with("[()]", &rig).expect_err("both").contains("rig"));
    }

    #[test]
    fn an_agent_that_maps_needs_a_pinhole_camera() {
        let agent = Settings { agent: vec!["frontier".into()], ..Settings::default() };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cameras.ron");
        let settings = Settings { cameras: Some(path.clone()), ..agent };
        let body = settings.body().expect("a body");
        std::fs::write(&path, "[(projection: Equirectangular)]").expect("written");
        let error = settings.cameras(&body).expect_err("refused").to_string();
        assert!(error.contains("frontier") && error.contains("pinhole"), "{error}");
        std::fs::write(&path, "[(name: \"a\", projection: Equirectangular), (name: \"b\")]")
            .expect("written");
        assert_eq!(settings.cameras(&body).expect("good").len(), 2);
        std::fs::write(&path, "[(name: \"b\", outputs: (depth: false))]").expect("written");
        assert!(settings.cameras(&body).is_err(), "it cannot map without depth");
    }

    #[test]
    fn lenses_by_name() {
        assert_eq!(projection("fisheye:200").expect("good"), Projection::Fisheye { fov_deg: 200.0 });
        assert_eq!(projection("equirectangular").expect("good"), Projection::Equirectangular);
        for bad in ["fisheye", "equirectangular:3", "pinhole:wide", "cube", ""] {
            let error = projection(bad).expect_err("refused").to_string();
            assert!(error.contains("orthographic:METRES"), "{error}");
        }
    }
}
