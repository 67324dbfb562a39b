use crate::Eye;
use ambler_geometry::{Affine, Vec3};
use ambler_sensor::{Frame, Projection};

/// A picture and the camera it was drawn with: brings points of the world into the picture, and pixels
/// back into the world.
#[derive(Clone, Debug)]
pub struct View<'a> {
    eye: &'a Eye,
    frame: &'a Frame,
    camera_from_world: Affine,
    scale: f32,
}

/// A point of the world in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projected {
    /// Pixels from the left.
    pub x: f32,
    /// Pixels from the top.
    pub y: f32,
    /// Metres along the optical axis.
    pub depth_m: f32,
}

impl<'a> View<'a> {
    /// The view of a pinhole or orthographic camera; `None` for other lenses and impossible views.
    pub fn new(eye: &'a Eye, frame: &'a Frame) -> Option<Self> {
        if eye.spec.projection.is_wide() {
            return None;
        }
        let camera_from_world = eye.world_from_camera.inverse()?;
        Some(Self { eye, frame, camera_from_world, scale: eye.spec.pixel_scale() as f32 })
    }

    fn orthographic(&self) -> bool {
        matches!(self.eye.spec.projection, Projection::Orthographic { .. })
    }

    fn place(&self, camera: Vec3) -> Projected {
        let depth_m = -camera.z;
        let scale = if self.orthographic() { self.scale } else { self.scale / depth_m };
        let spec = &self.eye.spec;
        Projected {
            x: spec.width as f32 * 0.5 + camera.x * scale,
            y: spec.height as f32 * 0.5 - camera.y * scale,
            depth_m,
        }
    }

    /// Where a point is in the picture; `None` behind the camera or cut away.
    pub fn project(&self, point: Vec3) -> Option<Projected> {
        let camera = self.camera_from_world.point(point);
        (-camera.z >= self.near()).then(|| self.place(camera))
    }

    fn near(&self) -> f32 {
        // From above, what marks the floor is shown wherever the cut is.
        if self.orthographic() { f32::MIN } else { self.eye.spec.near_m }
    }

    /// The part of a line that is before the camera.
    pub fn segment(&self, from: Vec3, to: Vec3) -> Option<[Projected; 2]> {
        let [mut a, mut b] = [from, to].map(|point| self.camera_from_world.point(point));
        let near = self.near();
        if -a.z < near && -b.z < near {
            return None;
        }
        if -a.z < near {
            a = b + (a - b) * ((-b.z - near) / (a.z - b.z));
        } else if -b.z < near {
            b = a + (b - a) * ((-a.z - near) / (b.z - a.z));
        }
        Some([self.place(a), self.place(b)])
    }

    /// The part of a polygon that is before the camera.
    pub fn polygon(&self, corners: &[Vec3]) -> Vec<Projected> {
        let near = self.near();
        let corners: Vec<Vec3> = corners.iter().map(|&at| self.camera_from_world.point(at)).collect();
        let mut kept = Vec::with_capacity(corners.len() + 1);
        for (index, &b) in corners.iter().enumerate() {
            let a = corners[(index + corners.len() - 1) % corners.len()];
            let (inside_a, inside_b) = (-a.z >= near, -b.z >= near);
            if inside_a != inside_b {
                kept.push(a + (b - a) * ((-a.z - near) / (b.z - a.z)));
            }
            if inside_b {
                kept.push(b);
            }
        }
        kept.into_iter().map(|camera| self.place(camera)).collect()
    }

    /// Whether nothing in the picture is nearer than the point by more than `slack_m`. Points beside the
    /// picture count as visible, and so does everything in a picture without depth.
    pub fn visible(&self, at: Projected, slack_m: f32) -> bool {
        match self.pixel(at.x, at.y) {
            Some(pixel) => {
                let depth = self.frame.depth.get(pixel).copied().unwrap_or(0.0);
                depth <= 0.0 || at.depth_m <= depth + slack_m
            }
            None => true,
        }
    }

    /// The point of the world that is seen at a place of the picture, and the instance there.
    pub fn pick(&self, x: f32, y: f32) -> Option<(Vec3, u32)> {
        let pixel = self.pixel(x, y)?;
        let depth = *self.frame.depth.get(pixel).filter(|&&depth| depth > 0.0)?;
        let at = self.eye.spec.unproject_to_world(
            &self.eye.world_from_camera,
            f64::from(x),
            f64::from(y),
            f64::from(depth),
        );
        Some((at.as_vec3(), self.frame.instance.get(pixel).copied().unwrap_or(0)))
    }

    fn pixel(&self, x: f32, y: f32) -> Option<usize> {
        let (width, height) = (self.frame.width, self.frame.height);
        let inside = x >= 0.0 && y >= 0.0 && x < width as f32 && y < height as f32;
        inside.then(|| y as usize * width as usize + x as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CameraMode, ViewCamera};
    use ambler_geometry::{Aabb, Heading, Pose};
    use ambler_sensor::CameraSpec;

    fn eye(mode: CameraMode) -> Eye {
        let home = Aabb { min: Vec3::new(-5.0, 0.0, -4.0), max: Vec3::new(5.0, 2.6, 4.0) };
        let pose = Pose { position: Vec3::new(1.0, 0.0, 0.5), heading: Heading::from_yaw(0.8) };
        let mut camera = ViewCamera::new(home);
        let spec = CameraSpec::default();
        let now = camera.eye(320, 200, &pose, 0.1, &spec, 2.0);
        if mode != camera.mode {
            camera.choose(mode, &pose, &now);
        }
        camera.eye(320, 200, &pose, 0.1, &spec, 2.0)
    }

    #[test]
    fn a_projected_point_comes_back_by_its_depth() {
        for mode in CameraMode::ALL {
            let eye = eye(mode);
            let ahead = eye.world_from_camera.vector(Vec3::new(0.2, -0.1, -2.0));
            let point = eye.world_from_camera.translation + ahead;
            let frame = Frame { width: 320, height: 200, ..Frame::default() };
            let view = View::new(&eye, &frame).unwrap();
            let at = view.project(point).unwrap();
            let back = eye.spec.unproject_to_world(
                &eye.world_from_camera,
                f64::from(at.x),
                f64::from(at.y),
                f64::from(at.depth_m),
            );
            assert!((back.as_vec3() - point).length() < 1e-4, "{mode:?}");
        }
    }

    #[test]
    fn lines_and_polygons_are_cut_at_the_camera() {
        let eye = eye(CameraMode::Chase);
        let frame = Frame { width: 320, height: 200, ..Frame::default() };
        let view = View::new(&eye, &frame).unwrap();
        let (at, to) = (eye.world_from_camera.translation, |v| eye.world_from_camera.vector(v));
        let (front, back) = (at + to(-Vec3::Z), at + to(Vec3::Z));
        let cut = view.segment(front, back).unwrap();
        assert!(cut.iter().all(|end| end.depth_m > 0.0 && end.x.is_finite()));
        assert!(view.segment(back, back + to(Vec3::X)).is_none());
        let triangle = [front, back, front + to(Vec3::X)];
        let kept = view.polygon(&triangle);
        assert_eq!(kept.len(), 4, "one corner is cut off");
        assert!(kept.iter().all(|corner| corner.depth_m > 0.0));
        assert!(view.polygon(&[back, back + to(Vec3::X), back + to(Vec3::Y)]).is_empty());
    }

    #[test]
    fn what_is_behind_a_surface_is_not_visible() {
        let eye = eye(CameraMode::Chase);
        let frame = Frame { width: 320, height: 200, depth: vec![2.0; 64_000], ..Frame::default() };
        let view = View::new(&eye, &frame).unwrap();
        let at = |depth_m| Projected { x: 160.0, y: 100.0, depth_m };
        assert!(
            view.visible(at(1.9), 0.0) && view.visible(at(2.05), 0.1) && !view.visible(at(2.2), 0.1)
        );
        let (point, instance) = view.pick(160.0, 100.0).unwrap();
        assert_eq!(instance, 0);
        let ahead =
            eye.world_from_camera.translation + eye.world_from_camera.vector(Vec3::new(0.0, 0.0, -2.0));
        assert!((point - ahead).length() < 1e-3);
    }
}
