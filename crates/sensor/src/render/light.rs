//! What light falls on a surface.

use super::lens::{CameraFromMesh, Lens};
use crate::lighting::{LightFrame, LightSource, Lighting};
use glam::DVec3;

/// A camera's light, in its own frame.
pub(crate) struct Lit {
    ambient: DVec3,
    lights: Vec<Lamp>,
}

struct Lamp {
    /// Where it is, or the unit vector to it.
    at: DVec3,
    near: bool,
    /// Colour times intensity.
    color: DVec3,
}

impl Lit {
    pub(crate) fn new(lighting: &Lighting, camera_from_world: &CameraFromMesh) -> Self {
        let lamp = |light: &crate::Light| {
            let (at, near) = match light.source {
                LightSource::Directional(direction) => (-direction.as_dvec3(), false),
                LightSource::Point(place) => (place.as_dvec3(), true),
            };
            let at = match (light.frame, near) {
                (LightFrame::Camera, _) => at,
                (LightFrame::World, true) => camera_from_world.point(at),
                (LightFrame::World, false) => {
                    camera_from_world.point(at) - camera_from_world.point(DVec3::ZERO)
                }
            };
            let color = DVec3::from(light.color.map(f64::from)) * f64::from(light.intensity);
            Lamp { at: if near { at } else { unit(at) }, near, color }
        };
        let ambient = DVec3::from(lighting.ambient.map(f64::from));
        Self { ambient, lights: lighting.lights.iter().map(lamp).collect() }
    }

    /// What a surface's colour is multiplied with at a point of the camera's frame; `normal` is a unit
    /// vector on the side that is seen.
    pub(crate) fn on(&self, point: DVec3, normal: DVec3) -> [f64; 3] {
        let mut sum = self.ambient;
        for lamp in &self.lights {
            let (to, share) = if lamp.near {
                let away = lamp.at - point;
                (unit(away), 1.0 / (1.0 + dot(away, away)))
            } else {
                (lamp.at, 1.0)
            };
            sum += lamp.color * (dot(to, normal).max(0.0) * share);
        }
        sum.max(DVec3::ZERO).to_array()
    }
}

/// The normal of a triangle on the side that a camera sees along `ray`; zero for one without area.
pub(crate) fn seen_normal(points: [DVec3; 3], ray: DVec3) -> DVec3 {
    let [a, b, c] = points;
    let (u, v) = (b - a, c - a);
    let normal = unit(DVec3::new(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x));
    if dot(normal, ray) > 0.0 { -normal } else { normal }
}

/// The point that a pixel sees at a depth along its ray (along the axis of a plane image).
pub(crate) fn point(lens: &Lens, x: usize, y: usize, depth: f64) -> (DVec3, DVec3) {
    let ray = lens.ray(x, y);
    if lens.orthographic { (DVec3::new(ray.x, ray.y, -depth), DVec3::NEG_Z) } else { (ray * depth, ray) }
}

fn dot(a: DVec3, b: DVec3) -> f64 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

fn unit(vector: DVec3) -> DVec3 {
    let length = libm::sqrt(dot(vector, vector));
    if length > 0.0 { vector * (1.0 / length) } else { DVec3::ZERO }
}
