use ambler_navmesh::NavMeshSettings;
use serde::{Deserialize, Serialize};

/// A body and how it moves. Presets follow the robots of published benchmarks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyPreset {
    /// Name, as given at the command line.
    pub name: String,
    /// Height, metres; enters the navmesh.
    pub height_m: f32,
    /// Radius, metres; enters the navmesh.
    pub radius_m: f32,
    /// Highest step, metres; enters the navmesh, rounded down to voxels.
    pub max_climb_m: f32,
    /// Voxel width of the navmesh, metres.
    pub cell_size_m: f32,
    /// Voxel height of the navmesh, metres.
    pub cell_height_m: f32,
    /// Length of a forward step, metres.
    pub forward_m: f32,
    /// Angle of a turn, degrees.
    pub turn_deg: f64,
    /// Angle of a look up or down, degrees.
    pub tilt_deg: f64,
    /// Cameras do not tilt further up or down than this, degrees. Habitat's lab sets no limit.
    pub tilt_limit_deg: f64,
    /// Height of the head camera above the floor, metres.
    pub camera_height_m: f32,
    /// Horizontal field of view of the head camera, degrees.
    pub camera_hfov_deg: f32,
    /// Width of the head camera's image, pixels.
    pub camera_width: u32,
    /// Height of the head camera's image, pixels.
    pub camera_height: u32,
    /// Whether a blocked step slides along the wall.
    pub sliding: bool,
}

impl BodyPreset {
    /// Names of the presets, the default first.
    pub const NAMES: [&'static str; 6] =
        ["stretch", "stretch-ovon", "locobot", "habitat", "vlnce", "vlnce-rxr"];

    /// The preset with this name. Figures: `stretch` is Ambler's default (Hello Robot Stretch:
    /// 1.41 m high, 0.17 m radius, camera at 1.31 m); `stretch-ovon` has the navmesh and camera of
    /// HM3D-OVON and GOAT; `locobot` those of the Habitat ObjectNav challenges; `habitat` the
    /// library's defaults; `vlnce` and `vlnce-rxr` those of VLN-CE.
    pub fn named(name: &str) -> Option<Self> {
        let stretch = Self {
            name: "stretch".into(),
            height_m: 1.41,
            radius_m: 0.17,
            max_climb_m: 0.2,
            cell_size_m: 0.05,
            cell_height_m: 0.2,
            forward_m: 0.25,
            turn_deg: 30.0,
            tilt_deg: 30.0,
            tilt_limit_deg: 90.0,
            camera_height_m: 1.31,
            camera_hfov_deg: 79.0,
            camera_width: 256,
            camera_height: 256,
            sliding: false,
        };
        let locobot = Self {
            name: "locobot".into(),
            height_m: 0.88,
            radius_m: 0.18,
            camera_height_m: 0.88,
            camera_width: 640,
            camera_height: 480,
            ..stretch.clone()
        };
        let habitat = Self {
            name: "habitat".into(),
            height_m: 1.5,
            radius_m: 0.1,
            turn_deg: 10.0,
            tilt_deg: 15.0,
            camera_height_m: 1.25,
            camera_hfov_deg: 90.0,
            camera_width: 640,
            camera_height: 480,
            sliding: true,
            ..stretch.clone()
        };
        Some(match name {
            "stretch" => stretch,
            "stretch-ovon" => Self {
                name: name.into(),
                max_climb_m: 0.1,
                cell_height_m: 0.05,
                camera_hfov_deg: 42.0,
                camera_width: 360,
                camera_height: 640,
                ..stretch
            },
            "locobot" => locobot,
            "habitat" => habitat,
            "vlnce" => Self {
                name: name.into(),
                turn_deg: 15.0,
                camera_width: 256,
                camera_height: 256,
                ..habitat
            },
            "vlnce-rxr" => Self { name: name.into(), ..locobot },
            _ => return None,
        })
    }

    /// Turns in a whole circle where the turn angle divides it: then headings never drift.
    pub fn turns_per_circle(&self) -> Option<u32> {
        let turns = 360.0 / self.turn_deg;
        ((1.0..=100_000.0).contains(&turns) && turns.fract() == 0.0).then_some(turns as u32)
    }

    /// The settings of the navmesh for this body; the rest are Habitat's defaults.
    pub fn navmesh_settings(&self) -> NavMeshSettings {
        NavMeshSettings {
            cell_size_m: self.cell_size_m,
            cell_height_m: self.cell_height_m,
            agent_max_climb_m: self.max_climb_m,
            ..NavMeshSettings::for_body(self.height_m, self.radius_m)
        }
    }

    /// What is wrong with the numbers, if anything: each must be finite and positive, turns below
    /// a whole circle.
    pub fn problem(&self) -> Option<String> {
        let numbers = [
            ("height_m", f64::from(self.height_m), 100.0),
            ("radius_m", f64::from(self.radius_m), 100.0),
            ("cell_size_m", f64::from(self.cell_size_m), 100.0),
            ("cell_height_m", f64::from(self.cell_height_m), 100.0),
            ("forward_m", f64::from(self.forward_m), 100.0),
            ("turn_deg", self.turn_deg, 360.0),
            ("tilt_deg", self.tilt_deg, 180.0),
            ("camera_hfov_deg", f64::from(self.camera_hfov_deg), 179.9),
        ];
        numbers.iter().find(|(_, value, most)| !(*value > 0.0 && value <= most)).map(
            |(name, value, most)| format!("{name} is {value}; it must be above 0 and at most {most}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_sound() {
        for name in BodyPreset::NAMES {
            let preset = BodyPreset::named(name).unwrap();
            assert_eq!(preset.name, name);
            assert_eq!(preset.problem(), None, "{name}");
            assert!(preset.turns_per_circle().is_some(), "{name}");
        }
        assert_eq!(BodyPreset::named("rover"), None);
    }

    #[test]
    fn a_turn_that_does_not_divide_the_circle_is_known() {
        let preset = BodyPreset { turn_deg: 7.0, ..BodyPreset::named("stretch").unwrap() };
        assert_eq!(preset.turns_per_circle(), None);
    }
}
