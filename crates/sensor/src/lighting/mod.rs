//! Light that a camera shows surfaces in.

mod file;

use crate::SensorError;
use ambler_geometry::Vec3;
use serde::{Deserialize, Serialize};

/// Light that a camera shows surfaces in: matt surfaces, one normal a triangle, no shadows.
///
/// The colour of a pixel (as stored, a channel) is multiplied with `ambient` and what each light adds:
/// colour · intensity · cos of the angle between the surface's normal, on the side that is seen, and the
/// direction to the light. Lights behind a surface add nothing; sums below 0 are black.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lighting {
    /// Light from everywhere: red, green, blue; 1 shows colours as stored.
    pub ambient: [f32; 3],
    /// The lights, at most [`Lighting::MOST`].
    pub lights: Vec<Light>,
}

/// A light.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Light {
    /// Where its light comes from.
    pub source: LightSource,
    /// Red, green, blue.
    pub color: [f32; 3],
    /// What the colour is multiplied with. Below 0 it takes light away, as Habitat allows.
    pub intensity: f32,
    /// What its place or direction refers to.
    pub frame: LightFrame,
}

/// Where the light of a [`Light`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LightSource {
    /// From so far away that it goes the same way everywhere, by this direction (any length).
    Directional(Vec3),
    /// From a place, metres; 1 / (1 + d²) of it arrives at a distance of d metres.
    Point(Vec3),
}

/// The frame of a light's place or direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LightFrame {
    /// The world: +Y up.
    #[default]
    World,
    /// The camera: it looks along −Z, +X is right, +Y up. A lamp on the robot's head.
    Camera,
}

impl Default for Light {
    /// White, from straight above.
    fn default() -> Self {
        Self {
            source: LightSource::Directional(Vec3::NEG_Y),
            color: [1.0; 3],
            intensity: 1.0,
            frame: LightFrame::World,
        }
    }
}

impl Lighting {
    /// Lights that it may have: each is looked at for every pixel.
    pub const MOST: usize = 64;

    /// Ambient 0.4 (Habitat's wherever lights are on) and four directional lights of intensity 0.5, which
    /// shine into a room from its upper corners: floors and walls stay about as bright as they are stored.
    /// The directions of Habitat's own four are not documented; these are others.
    pub fn default_lights() -> Self {
        let corner = |x: f32, z: f32| Light {
            source: LightSource::Directional(Vec3::new(x, -0.35, z)),
            intensity: 0.5,
            ..Light::default()
        };
        // Not quite mirrored, so that no two walls of a square room look the same.
        let lights = vec![corner(1.0, 0.6), corner(-0.7, 1.0), corner(-1.0, -0.8), corner(0.5, -1.0)];
        Self { ambient: [0.4; 3], lights }
    }

    /// Checks every number; `camera` names the camera in the error.
    ///
    /// # Errors
    /// The first light that makes no sense.
    pub(crate) fn validate(&self, camera: &str) -> Result<(), SensorError> {
        let fault = |what: String, remedy: &str| Err(SensorError::camera(camera, what, remedy));
        let sane = |values: [f32; 3]| values.iter().all(|value| value.abs() <= 1e6);
        if self.lights.len() > Self::MOST {
            let what = format!("it has {} lights", self.lights.len());
            return fault(what, &format!("at most {}", Self::MOST));
        }
        if !sane(self.ambient) {
            return fault(format!("its ambient light is {:?}", self.ambient), "numbers of -1e6 to 1e6");
        }
        for (index, light) in self.lights.iter().enumerate() {
            let (LightSource::Directional(at) | LightSource::Point(at)) = light.source;
            if !(sane(light.color) && light.intensity.abs() <= 1e6 && sane(at.to_array())) {
                return fault(format!("light {index} is {light:?}"), "numbers of -1e6 to 1e6");
            }
            if matches!(light.source, LightSource::Directional(_)) && at.length_squared() == 0.0 {
                return fault(format!("light {index} has no direction"), "a direction is not 0, 0, 0");
            }
        }
        Ok(())
    }
}
