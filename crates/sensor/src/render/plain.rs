//! The plain renderer: correct first, clear second. The fast one is tested against it.

use super::cluster::BakedMesh;
use super::lens::{CameraFromMesh, Lens};
use super::light::{self, Lit};
use super::raster::Canvas;
use super::scenery::{Posed, Scenery, camera_from_world};
use super::shade::Painted;
use super::{NOTHING, cache, tone};
use crate::{CameraSpec, Frame, Moved, SensorError};
use ambler_geometry::{Aabb, Affine};
use ambler_scene::SceneModel;
use glam::DVec3;
use std::sync::{Arc, Mutex, PoisonError};

/// Draws a scene as [`Renderer`](crate::Renderer) does, triangle by triangle and pixel by pixel in
/// double precision: the reference for it.
///
/// What a pixel shows is decided by its middle: the nearest front face there, and of two at
/// the same depth (rounded to f32) the one with the lower placement, then the lower triangle.
pub struct PlainRenderer {
    scenery: Scenery,
    meshes: Vec<Arc<BakedMesh>>,
    /// Working memory of views, for the next ones.
    spare: Mutex<Vec<Canvas>>,
}

impl PlainRenderer {
    /// Prepares a scene. Placements that refer to a mesh that is not there are left out.
    pub fn new(scene: Arc<SceneModel>) -> Self {
        let meshes = cache::made(&scene.meshes, None, BakedMesh::new);
        let scenery = Scenery::new(scene, None, |mesh| meshes[mesh].translucent);
        Self { scenery, meshes, spare: Mutex::new(Vec::new()) }
    }

    /// The scene that is drawn.
    pub fn scene(&self) -> &Arc<SceneModel> {
        &self.scenery.scene
    }

    /// Draws the view of a camera into `frame`, reusing its memory.
    ///
    /// # Errors
    /// A camera that [`CameraSpec::validate`] refuses; a view that is not finite or is singular.
    pub fn render(
        &self,
        spec: &CameraSpec,
        world_from_camera: &Affine,
        frame: &mut Frame,
    ) -> Result<(), SensorError> {
        self.render_moved(spec, world_from_camera, &Moved::default(), frame)
    }

    /// Draws with instances where `moved` says they are.
    ///
    /// # Errors
    /// As [`PlainRenderer::render`].
    pub fn render_moved(
        &self,
        spec: &CameraSpec,
        world_from_camera: &Affine,
        moved: &Moved,
        frame: &mut Frame,
    ) -> Result<(), SensorError> {
        let camera_from_world = camera_from_world(spec, world_from_camera)?;
        let lens = Lens::new(spec);
        let mut canvas =
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        canvas.reset(&lens);
        let poses = self.scenery.poses(&camera_from_world, moved);
        self.draw(&lens, &poses, &mut canvas);
        frame.reset(spec);
        let lit = spec.lighting.as_ref().map(|lighting| Lit::new(lighting, &camera_from_world));
        self.read_out(&lens, &poses, lit.as_ref(), &canvas, frame);
        tone::apply(&spec.tone, &mut frame.rgb);
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(canvas);
        Ok(())
    }

    fn draw(&self, lens: &Lens, poses: &[Option<Posed>], canvas: &mut Canvas) {
        // Near clusters first: what they hide is then rejected by its depth.
        let mut visible: Vec<(f64, usize, usize)> = Vec::new();
        for (index, (placed, pose)) in self.scenery.placed.iter().zip(poses).enumerate() {
            let Some(pose) = pose else { continue };
            let mesh = &self.meshes[self.scenery.placement(placed).mesh as usize];
            for (number, cluster) in mesh.clusters.iter().enumerate() {
                if let Some(nearest) = visible_from(lens, &pose.camera_from_mesh, &cluster.bounds) {
                    visible.push((nearest, index, number));
                }
            }
        }
        visible.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));

        for (_, index, number) in visible {
            let (placed, Some(pose)) = (&self.scenery.placed[index], &poses[index]) else { continue };
            let mesh = &self.meshes[self.scenery.placement(placed).mesh as usize];
            let cluster = &mesh.clusters[number];
            if lens.wide.is_some() {
                let (middle, radius) = ball(&pose.camera_from_mesh, &cluster.bounds);
                if canvas.hides(lens, middle, radius) {
                    continue;
                }
            }
            canvas.vertices.clear();
            canvas.projected.clear();
            for &position in &mesh.positions[cluster.vertices.clone()] {
                let point = pose.camera_from_mesh.point(position.as_dvec3());
                canvas.vertices.push(point);
                canvas.projected.push(lens.project(point));
            }
            for triangle in cluster.triangles.clone() {
                let [a, b, c] = mesh.corners[triangle].map(usize::from);
                let corners = if pose.mirrored { [a, c, b] } else { [a, b, c] };
                let source = mesh.sources[triangle];
                let number = placed.first + source;
                match placed.cutoff {
                    None => canvas.draw(lens, corners, number, |_, _| true),
                    Some(cutoff) => {
                        let painted = self.scenery.painted(lens, &pose.camera_from_mesh, placed, source);
                        canvas
                            .draw(lens, corners, number, |x, y| painted.color(lens, x, y)[3] >= cutoff);
                    }
                }
            }
        }
    }

    /// Turns what each pixel sees into the images that were asked for.
    fn read_out(
        &self,
        lens: &Lens,
        poses: &[Option<Posed>],
        lit: Option<&Lit>,
        canvas: &Canvas,
        frame: &mut Frame,
    ) {
        let images = frame.depth.iter_mut().zip(&mut frame.valid).zip(&canvas.depth);
        for (pixel, ((out, valid), &depth)) in images.enumerate() {
            if depth.is_finite() {
                *out = depth;
                if lens.face_depth && lens.wide.is_some() {
                    let ray = lens.ray(pixel % lens.width, pixel / lens.width);
                    *out = (f64::from(depth) * ray.abs().max_element()) as f32;
                }
                *valid = 1;
            }
        }
        if frame.rgb.is_empty() && frame.instance.is_empty() && frame.category.is_empty() {
            return;
        }
        frame.triangles = Some(different(&canvas.seen));
        let (rgb, ids) =
            (!frame.rgb.is_empty(), !frame.instance.is_empty() || !frame.category.is_empty());
        // Neighbouring pixels mostly see the same triangle, placement and instance.
        let mut last = NOTHING;
        let mut painted: Option<Painted<'_>> = None;
        let mut instance = 0;
        let mut category = 0;
        for (pixel, &number) in canvas.seen.iter().enumerate() {
            if number == NOTHING {
                continue;
            }
            if number != last {
                let position = self.scenery.placed.partition_point(|placed| placed.first <= number);
                let Some(at) = position.checked_sub(1) else { continue };
                let (placed, Some(pose)) = (&self.scenery.placed[at], &poses[at]) else { continue };
                let source = number - placed.first;
                if rgb {
                    painted = Some(self.scenery.painted(lens, &pose.camera_from_mesh, placed, source));
                }
                if ids {
                    let id = self.scenery.instance_of(placed, source);
                    if id != instance || last == NOTHING {
                        instance = id;
                        category = self.scenery.category_of(id);
                    }
                }
                last = number;
            }
            if let Some(out) = frame.instance.get_mut(pixel) {
                *out = instance;
            }
            if let Some(out) = frame.category.get_mut(pixel) {
                *out = category;
            }
            if let (Some(painted), Some(out)) = (&painted, frame.rgb.get_mut(pixel * 3..pixel * 3 + 3)) {
                let (x, y) = (pixel % lens.width, pixel / lens.width);
                let color = painted.color(lens, x, y);
                let mut light = [1.0; 3];
                if let Some(lit) = lit {
                    let (point, ray) = light::point(lens, x, y, f64::from(canvas.depth[pixel]));
                    light = lit.on(point, light::seen_normal(painted.points, ray));
                }
                for ((out, value), light) in out.iter_mut().zip(color).zip(light) {
                    // The cast saturates, and takes NaN to 0.
                    *out = (value * light * 255.0 + 0.5) as u8;
                }
            }
        }
    }
}

/// How many different triangles are seen.
fn different(seen: &[u32]) -> u32 {
    let mut numbers = seen.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.iter().filter(|&&number| number != NOTHING).count() as u32
}

/// Middle and radius of a ball around a box, in camera space.
fn ball(camera_from_mesh: &CameraFromMesh, bounds: &Aabb) -> (DVec3, f64) {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let half = (max - min) * 0.5;
    let m = &camera_from_mesh.matrix;
    let axis = |v: DVec3, half: f64| (v * half).length();
    let radius = axis(m.x_axis, half.x) + axis(m.y_axis, half.y) + axis(m.z_axis, half.z);
    // More than rounding can err.
    (camera_from_mesh.point((min + max) * 0.5), radius * (1.0 + 1e-9) + 1e-9)
}

/// The least depth of a box that may be in view; `None` for one that surely is not.
fn visible_from(lens: &Lens, camera_from_mesh: &CameraFromMesh, bounds: &Aabb) -> Option<f64> {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let center = camera_from_mesh.point((min + max) * 0.5);
    let half = (max - min) * 0.5;
    let m = &camera_from_mesh.matrix;
    if lens.wide.is_some() {
        let (center, radius) = ball(camera_from_mesh, bounds);
        let nearest = center.length() - radius;
        let seen = nearest <= lens.far && super::wide::rects(lens, center, radius).next().is_some();
        return seen.then_some(nearest);
    }
    let reach = m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
    // Far more than rounding can err.
    let reach = reach * (1.0 + 1e-9) + DVec3::splat(1e-9);
    let (nearest, farthest) = (-center.z - reach.z, -center.z + reach.z);
    if farthest < lens.near || nearest > lens.far {
        return None;
    }
    // Half the image in ray coordinates, plus a pixel.
    let limit_x = (lens.center[0] + 1.0) / lens.scale;
    let limit_y = (lens.center[1] + 1.0) / lens.scale;
    let widest = if lens.orthographic { 1.0 } else { farthest };
    let out = center.x.abs() - reach.x > limit_x * widest || center.y.abs() - reach.y > limit_y * widest;
    (!out).then_some(nearest)
}
