//! Settings of an evaluation: one RON file, flags over it, defaults under it.

use crate::exit::Failure;
use ambler_body::BodyPreset;
use ambler_geometry::{Fault, Place, Vec3};
use ambler_sensor::{CameraSpec, Projection};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How lengths along the floor are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum DistanceMode {
    /// As Habitat does (Detour's corridor and string pulling): comparable SPL.
    #[default]
    Habitat,
    /// The true shortest path.
    Exact,
}

impl DistanceMode {
    /// The word for it, as in settings files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Habitat => "habitat",
            Self::Exact => "exact",
        }
    }

    /// The mode of a word.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Habitat, Self::Exact].into_iter().find(|mode| mode.name() == name)
    }
}

/// What an evaluation can be told; the same names in the file (with underscores) and as flags.
/// A field left out keeps its default.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Agent: oracle, greedy, random, forward, frontier, vlfm, l3mvn, random-astar, semantic-astar,
    /// script:FILE, exec:COMMAND; may be given several times to compare agents [default: frontier]
    #[arg(long = "agent", value_name = "NAME")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
    /// Seed of all randomness of the run [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Body preset: stretch, stretch-ovon, locobot, habitat, vlnce, vlnce-rxr [default: stretch]
    #[arg(long, value_name = "NAME", help_heading = "Body")]
    pub body: Option<String>,
    /// Height of the body in metres
    #[arg(long, value_name = "M", help_heading = "Body")]
    pub height: Option<f32>,
    /// Radius of the body in metres
    #[arg(long, value_name = "M", help_heading = "Body")]
    pub radius: Option<f32>,
    /// Highest step in metres
    #[arg(long, value_name = "M", help_heading = "Body")]
    pub max_climb: Option<f32>,
    /// Voxel width of the navmesh in metres
    #[arg(long, value_name = "M", help_heading = "Body")]
    pub cell_size: Option<f32>,
    /// Voxel height of the navmesh in metres
    #[arg(long, value_name = "M", help_heading = "Body")]
    pub cell_height: Option<f32>,
    /// Length of a forward step in metres
    #[arg(long, value_name = "M", help_heading = "Body")]
    pub forward: Option<f32>,
    /// Angle of a turn in degrees
    #[arg(long, value_name = "DEG", help_heading = "Body")]
    pub turn: Option<f64>,
    /// Angle of a look up or down in degrees
    #[arg(long, value_name = "DEG", help_heading = "Body")]
    pub tilt: Option<f64>,
    /// Whether a blocked step slides along the wall [default: false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Body")]
    pub sliding: Option<bool>,
    /// Cameras: front, front-back, front-left-right, panorama4 [default: front]
    #[arg(long, value_name = "NAME", help_heading = "Cameras")]
    pub rig: Option<String>,
    /// Size of each image in pixels
    #[arg(long, value_name = "WxH", help_heading = "Cameras")]
    pub size: Option<String>,
    /// Horizontal field of view in degrees
    #[arg(long, value_name = "DEG", help_heading = "Cameras")]
    pub hfov: Option<f32>,
    /// Height of the cameras above the floor in metres
    #[arg(long, value_name = "M", help_heading = "Cameras")]
    pub camera_height: Option<f32>,
    /// RON file with a list of cameras, lenses, mounts and all, instead of a rig; --print-cameras shows one
    #[arg(long, value_name = "RON", help_heading = "Cameras", conflicts_with_all = ["rig", "size", "hfov", "camera_height"])]
    pub cameras: Option<PathBuf>,
    /// Light that cameras show surfaces in: none (colours as stored), default, or a Habitat
    /// *.lighting_config.json [default: none, or what the file of cameras says]
    #[arg(long, value_name = "LIGHTS", help_heading = "Cameras")]
    pub lights: Option<String>,
    /// The ground-truth detector reports things of at least this many pixels [default: 25]
    #[arg(long, value_name = "N", help_heading = "Cameras")]
    pub detector_pixels: Option<u32>,
    /// Success rule: pointnav, objectnav, ovon, …, with a distance after @ if wanted
    /// [default: by the task]
    #[arg(long, value_name = "RULE", help_heading = "Task")]
    pub success: Option<String>,
    /// Most actions in an episode [default: 500]
    #[arg(long, value_name = "N", help_heading = "Task")]
    pub steps: Option<u32>,
    /// How distances are measured [default: habitat]
    #[arg(long, value_name = "MODE", help_heading = "Task")]
    pub distance: Option<DistanceMode>,
    /// Build the navmesh even where a .navmesh file lies beside the scene [default: false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Task")]
    pub rebuild_navmesh: Option<bool>,
    /// Axis of the scene files that points up: y, z, auto [default: y]
    #[arg(long, value_name = "AXIS", help_heading = "Task")]
    pub up: Option<String>,
    /// Detector of vlfm, l3mvn and the A* agents: truth, noisy, noisy:miss=0.3,confuse=0 (docs/AGENTS.md
    /// lists the fields), or the URL of a server (docs/MODELS.md) [default: truth]
    #[arg(long, value_name = "DETECTOR", help_heading = "Models")]
    pub detector: Option<String>,
    /// The true and the noisy detector report things that fill at least this share of the image, if
    /// they have --detector-pixels too [default: 0.0001]
    #[arg(long, value_name = "SHARE", help_heading = "Models")]
    pub detector_share: Option<f64>,
    /// Image-text scorer of vlfm: offline, or the URL of a server [default: offline]
    #[arg(long, value_name = "SCORER", help_heading = "Models")]
    pub scorer: Option<String>,
    /// What a remote scorer compares images with; {} stands for the goal
    #[arg(long, value_name = "TEXT", help_heading = "Models")]
    pub scorer_text: Option<String>,
    /// What belongs where: judged, activities, shuffled:SEED or a CSV file [default: judged]
    #[arg(long, value_name = "TABLE", help_heading = "Models")]
    pub knowledge: Option<String>,
    /// Ask a language model what belongs where: base URL of a server with OpenAI's chat protocol, such
    /// as http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL", help_heading = "Models")]
    pub language: Option<String>,
    /// The language model that is asked
    #[arg(long, value_name = "NAME", help_heading = "Models")]
    pub language_model: Option<String>,
    /// Environment variable that holds the key for model servers
    #[arg(long, value_name = "VARIABLE", help_heading = "Models")]
    pub model_key_env: Option<String>,
    /// How long a model server may take for an answer, in seconds [default: 60]
    #[arg(long, value_name = "S", help_heading = "Models")]
    pub model_timeout: Option<f64>,
    /// Use only answers of model servers that were kept in the cache [default: false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Models")]
    pub model_offline: Option<bool>,
    /// Folder that `ambler generate variants` made: the A* agents remember the surfaces that its analysis
    /// found in the home, with their regions, instead of the annotated ones
    #[arg(long, value_name = "DIR", help_heading = "Models")]
    pub memory: Option<PathBuf>,
    /// Whether an agent that sees its goal goes as near as it can before it stops [default: true for the
    /// A* agents, false for vlfm and l3mvn, which stop at their papers' distances]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Models")]
    pub final_approach: Option<bool>,
    /// Whether the A* agents look for the goal on their way too, not only where they meant to look
    /// [default: false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Models")]
    pub detect_en_route: Option<bool>,
    /// How long an exec: agent may take for one action, in seconds [default: 30]
    #[arg(long, value_name = "S", help_heading = "External agents")]
    pub step_limit: Option<f64>,
    /// How long an exec: agent may take to start, in seconds [default: 60]
    #[arg(long, value_name = "S", help_heading = "External agents")]
    pub start_limit: Option<f64>,
}

impl Settings {
    /// The settings of a file (RON) with `flags` over them.
    ///
    /// # Errors
    /// The file, the line and what is wrong there.
    pub fn with_file(flags: &Self, file: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = file else { return Ok(flags.clone()) };
        let fault = |place, what: String| {
            Failure::Input(
                Fault::new(path, place, what, "`ambler eval --print-config` shows a whole file")
                    .to_string(),
            )
        };
        let text = std::fs::read_to_string(path)
            .map_err(|error| fault(Place::Whole, format!("cannot read: {error}")))?;
        let options =
            ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let base: Self = options
            .from_str(&text)
            .map_err(|error| fault(Place::Line(error.span.start.line as u64), error.code.to_string()))?;
        let mut whole = overlay(&base, flags)?;
        // Flags win over the file here too: what they say about cameras makes the file's say nothing.
        let parts = [flags.rig.is_some(), flags.size.is_some(), flags.hfov.is_some()];
        if flags.cameras.is_some() {
            (whole.rig, whole.size, whole.hfov, whole.camera_height) = (None, None, None, None);
        } else if parts.contains(&true) || flags.camera_height.is_some() {
            whole.cameras = None;
        }
        Ok(whole)
    }

    /// The body, checked.
    pub fn body(&self) -> Result<BodyPreset, Failure> {
        let name = self.body.as_deref().unwrap_or("stretch");
        let mut body = BodyPreset::named(name).ok_or_else(|| {
            Failure::Usage(format!(
                "unknown body {name:?}; the bodies are {}",
                BodyPreset::NAMES.join(", ")
            ))
        })?;
        fn set<T: Copy>(field: &mut T, value: Option<T>) {
            if let Some(value) = value {
                *field = value;
            }
        }
        set(&mut body.height_m, self.height);
        set(&mut body.radius_m, self.radius);
        set(&mut body.max_climb_m, self.max_climb);
        set(&mut body.cell_size_m, self.cell_size);
        set(&mut body.cell_height_m, self.cell_height);
        set(&mut body.forward_m, self.forward);
        set(&mut body.turn_deg, self.turn);
        set(&mut body.tilt_deg, self.tilt);
        set(&mut body.sliding, self.sliding);
        set(&mut body.camera_height_m, self.camera_height);
        set(&mut body.camera_hfov_deg, self.hfov);
        if let Some(size) = &self.size {
            (body.camera_width, body.camera_height) = parse_size(size)?;
        }
        match body.problem() {
            Some(problem) => Err(Failure::Usage(format!("body {name}: {problem}"))),
            None => Ok(body),
        }
    }

    /// Everything that holds, defaults written out, as the text of a settings file.
    pub fn printed(&self) -> Result<String, Failure> {
        let body = self.body()?;
        // A file of cameras stands for these.
        let own = self.cameras.is_none();
        let whole = Self {
            agent: self.agents(),
            seed: Some(self.seed()),
            body: Some(body.name.clone()),
            height: Some(body.height_m),
            radius: Some(body.radius_m),
            max_climb: Some(body.max_climb_m),
            cell_size: Some(body.cell_size_m),
            cell_height: Some(body.cell_height_m),
            forward: Some(body.forward_m),
            turn: Some(body.turn_deg),
            tilt: Some(body.tilt_deg),
            sliding: Some(body.sliding),
            rig: own.then(|| self.rig.clone().unwrap_or_else(|| "front".into())),
            size: own.then(|| format!("{}x{}", body.camera_width, body.camera_height)),
            hfov: own.then_some(body.camera_hfov_deg),
            camera_height: own.then_some(body.camera_height_m),
            cameras: self.cameras.clone(),
            lights: self.lights.clone(),
            detector_pixels: Some(self.detector_pixels()),
            success: self.success.clone(),
            steps: Some(self.steps()),
            distance: Some(self.distance.unwrap_or_default()),
            rebuild_navmesh: Some(self.rebuild_navmesh.unwrap_or(false)),
            up: Some(self.up.clone().unwrap_or_else(|| "y".into())),
            detector: self.detector.clone(),
            detector_share: self.detector_share,
            scorer: self.scorer.clone(),
            scorer_text: self.scorer_text.clone(),
            knowledge: self.knowledge.clone(),
            language: self.language.clone(),
            language_model: self.language_model.clone(),
            model_key_env: self.model_key_env.clone(),
            model_timeout: self.model_timeout,
            model_offline: self.model_offline,
            memory: self.memory.clone(),
            final_approach: self.final_approach,
            detect_en_route: self.detect_en_route,
            step_limit: Some(self.step_limit()),
            start_limit: Some(self.start_limit()),
        };
        let options =
            ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        options
            .to_string_pretty(&whole, ron::ser::PrettyConfig::default())
            .map_err(|error| Failure::Usage(error.to_string()))
    }

    /// The agents, `frontier` by default.
    pub fn agents(&self) -> Vec<String> {
        if self.agent.is_empty() { vec!["frontier".into()] } else { self.agent.clone() }
    }

    /// Seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// Most actions in an episode.
    pub fn steps(&self) -> u32 {
        self.steps.unwrap_or(500)
    }

    /// Pixels that a thing needs to be detected. 25 of 256 × 256 is a square of 5 × 5.
    pub fn detector_pixels(&self) -> u32 {
        self.detector_pixels.unwrap_or(25)
    }

    /// Time limit for one action, seconds.
    pub fn step_limit(&self) -> f64 {
        self.step_limit.unwrap_or(30.0)
    }

    /// Time limit for starting an agent, seconds.
    pub fn start_limit(&self) -> f64 {
        self.start_limit.unwrap_or(60.0)
    }
}

/// The head camera of a body.
pub fn body_camera(body: &BodyPreset) -> CameraSpec {
    CameraSpec {
        width: body.camera_width,
        height: body.camera_height,
        projection: Projection::Pinhole { hfov_deg: body.camera_hfov_deg },
        mount: Vec3::new(0.0, body.camera_height_m, 0.0),
        ..CameraSpec::default()
    }
}

/// `640x480`, or one number for a square.
pub fn parse_size(text: &str) -> Result<(u32, u32), Failure> {
    let (width, height) = text.split_once(['x', 'X', '×']).unwrap_or((text, text));
    match (width.trim().parse(), height.trim().parse()) {
        (Ok(width), Ok(height)) => Ok((width, height)),
        _ => Err(Failure::Usage(format!("size {text:?} is not WIDTHxHEIGHT, such as 640x480"))),
    }
}

/// `over` where it says something, else `base`.
fn overlay(base: &Settings, over: &Settings) -> Result<Settings, Failure> {
    let broken = |error: serde_json::Error| Failure::Usage(error.to_string());
    let mut whole = serde_json::to_value(base).map_err(broken)?;
    let flags = serde_json::to_value(over).map_err(broken)?;
    if let (Some(whole), Some(flags)) = (whole.as_object_mut(), flags.as_object()) {
        for (name, value) in flags.iter().filter(|(_, value)| !value.is_null()) {
            whole.insert(name.clone(), value.clone());
        }
    }
    serde_json::from_value(whole).map_err(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.ron");
        std::fs::write(&path, "(seed: 7, body: \"locobot\", turn: 10.0)").expect("written");
        let flags = Settings { turn: Some(15.0), ..Settings::default() };
        let settings = Settings::with_file(&flags, Some(&path)).expect("a good file");
        let body = settings.body().expect("a good body");
        assert_eq!(
            (settings.seed(), body.name.as_str(), body.turn_deg, body.height_m),
            (7, "locobot", 15.0, 0.88)
        );
    }

    #[test]
    fn what_is_printed_is_a_settings_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.ron");
        let settings =
            Settings { agent: vec!["oracle".into()], sliding: Some(true), ..Settings::default() };
        std::fs::write(&path, settings.printed().expect("prints")).expect("written");
        let back = Settings::with_file(&Settings::default(), Some(&path)).expect("reads back");
        assert_eq!(back.printed().expect("prints"), settings.printed().expect("prints"));
    }

    #[test]
    fn an_unknown_field_is_named_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.ron");
        std::fs::write(&path, "(\n  sead: 7,\n)").expect("written");
        let error =
            Settings::with_file(&Settings::default(), Some(&path)).expect_err("refused").to_string();
        assert!(error.contains("line 2") && error.contains("sead"), "{error}");
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("640x480").expect("good"), (640, 480));
        assert_eq!(parse_size("256").expect("good"), (256, 256));
        assert!(parse_size("wide").is_err());
    }
}
