//! The plain renderer: correct first, clear second, fast third. A faster one is tested against it.

mod cache;
mod cluster;
mod lens;
mod raster;
mod shade;
mod texture;

use crate::{CameraSpec, Frame, Moved, SensorError};
use ambler_geometry::{Aabb, Affine, Fault, Place};
use ambler_scene::{Placement, SceneModel};
use cluster::BakedMesh;
use glam::{DMat3, DVec3};
use lens::{CameraFromMesh, Lens};
use raster::{Canvas, NOTHING};
use shade::Painted;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use texture::Pyramid;

/// Draws a scene into [`Frame`]s on the CPU.
///
/// Holds the scene and caches beside it (triangle clusters, smaller copies of textures), and is
/// shared by any number of threads. One image is drawn by one thread, and is the same bits whatever
/// else runs.
///
/// What a pixel shows is decided by its middle: the nearest front face there, and of two at
/// the same depth (rounded to f32) the one with the lower placement, then the lower triangle.
pub struct Renderer {
    scene: Arc<SceneModel>,
    meshes: Vec<Arc<BakedMesh>>,
    textures: Vec<Arc<Pyramid>>,
    placed: Vec<Placed>,
    /// Working memory of views, for the next ones.
    spare: Mutex<Vec<Canvas>>,
}

/// A placement that can be drawn.
struct Placed {
    /// Index into the scene's placements.
    placement: usize,
    /// Number of its first triangle in the scene.
    first: u32,
    /// The instance it moves with; 0 for none.
    instance: u32,
    /// Some of its pixels may be holes: alpha below this.
    cutoff: Option<f64>,
}

/// A placement as a camera sees it.
struct Posed {
    camera_from_mesh: CameraFromMesh,
    mirrored: bool,
}

impl Renderer {
    /// Prepares a scene. Placements that refer to a mesh that is not there are left out.
    pub fn new(scene: Arc<SceneModel>) -> Self {
        let meshes = cache::made(&scene.meshes, None, BakedMesh::new);
        let textures = cache::made(&scene.textures, None, Pyramid::new);
        Self::with(scene, meshes, textures)
    }

    /// Prepares a scene that has meshes and textures in common with the one that `other` draws (the
    /// same `Arc`, as in clones of a scene): what was prepared for those is shared, not made again.
    pub fn sharing(other: &Self, scene: Arc<SceneModel>) -> Self {
        let meshes =
            cache::made(&scene.meshes, Some((&other.scene.meshes, &other.meshes)), BakedMesh::new);
        let textures =
            cache::made(&scene.textures, Some((&other.scene.textures, &other.textures)), Pyramid::new);
        Self::with(scene, meshes, textures)
    }

    fn with(scene: Arc<SceneModel>, meshes: Vec<Arc<BakedMesh>>, textures: Vec<Arc<Pyramid>>) -> Self {
        let mut placed = Vec::with_capacity(scene.placements.len());
        let mut next: u32 = 0;
        for (index, placement) in scene.placements.iter().enumerate() {
            let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
            if !placement.world_from_mesh.is_finite() {
                continue;
            }
            // NOTHING itself is no number, so that the last triangle is below it.
            let Ok(count) = u32::try_from(mesh.triangles.len()) else { break };
            let Some(end) = next.checked_add(count).filter(|&end| end < NOTHING) else { break };
            let material = scene.materials.get(placement.material as usize);
            let cutoff = material.and_then(|material| {
                let texture = material.texture.and_then(|index| textures.get(index as usize));
                let holes = texture.is_some_and(|texture| texture.translucent)
                    || material.base_color[3] < 1.0
                    || meshes[placement.mesh as usize].translucent;
                material.alpha_cutoff.filter(|_| holes).map(f64::from)
            });
            placed.push(Placed {
                placement: index,
                first: next,
                instance: if mesh.triangle_instances.is_empty() { placement.instance } else { 0 },
                cutoff,
            });
            next = end;
        }
        Self { scene, meshes, textures, placed, spare: Mutex::new(Vec::new()) }
    }

    /// The scene that is drawn.
    pub fn scene(&self) -> &Arc<SceneModel> {
        &self.scene
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

    /// Draws the view of a camera as [`Renderer::render`] does, with instances where `moved` says
    /// they are: the same bytes as a scene built with them there.
    ///
    /// # Errors
    /// As [`Renderer::render`].
    pub fn render_moved(
        &self,
        spec: &CameraSpec,
        world_from_camera: &Affine,
        moved: &Moved,
        frame: &mut Frame,
    ) -> Result<(), SensorError> {
        spec.validate()?;
        let camera_from_world = camera_from_world(world_from_camera).ok_or_else(|| {
            SensorError::View(Fault::new(
                "",
                Place::Whole,
                format!("camera '{}' is not at a place: {world_from_camera:?}", spec.name),
                "a view is a finite rotation and translation",
            ))
        })?;
        let lens = Lens::new(spec);
        let mut canvas =
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        canvas.reset(&lens);
        let poses = self.poses(&camera_from_world, moved);
        self.draw(&lens, &poses, &mut canvas);
        frame.reset(spec);
        self.read_out(&lens, &poses, &canvas, frame);
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(canvas);
        Ok(())
    }

    /// Draws many views, side by side on up to `threads` threads, and returns them in the order
    /// given. The images are the same for any number of threads.
    ///
    /// # Errors
    /// The first view, in the order given, that [`Renderer::render`] refuses.
    pub fn render_many(
        &self,
        views: &[(CameraSpec, Affine)],
        threads: usize,
    ) -> Result<Vec<Frame>, SensorError> {
        let slots: Vec<OnceLock<Result<Frame, SensorError>>> =
            views.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let (Some((spec, view)), Some(slot)) = (views.get(index), slots.get(index)) else {
                    break;
                };
                let mut frame = Frame::default();
                let result = self.render(spec, view, &mut frame).map(|()| frame);
                // Each index is drawn once, so its slot is still empty.
                let _ = slot.set(result);
            }
        };
        let threads = threads.clamp(1, views.len().max(1));
        if threads == 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                (1..threads).for_each(|_| drop(scope.spawn(work)));
                work();
            });
        }
        slots.into_iter().filter_map(OnceLock::into_inner).collect()
    }

    /// Where the camera sees each placement; `None` for those that are gone.
    fn poses(&self, camera_from_world: &CameraFromMesh, moved: &Moved) -> Vec<Option<Posed>> {
        self.placed
            .iter()
            .map(|placed| {
                let world_from_mesh =
                    moved.world_from_mesh(placed.instance, &self.placement(placed).world_from_mesh)?;
                Some(Posed {
                    camera_from_mesh: CameraFromMesh {
                        matrix: camera_from_world.matrix * world_from_mesh.matrix.as_dmat3(),
                        translation: camera_from_world.point(world_from_mesh.translation.as_dvec3()),
                    },
                    mirrored: world_from_mesh.is_mirrored(),
                })
            })
            .collect()
    }

    fn draw(&self, lens: &Lens, poses: &[Option<Posed>], canvas: &mut Canvas) {
        // Near clusters first: what they hide is then rejected by its depth.
        let mut visible: Vec<(f64, usize, usize)> = Vec::new();
        for (index, (placed, pose)) in self.placed.iter().zip(poses).enumerate() {
            let Some(pose) = pose else { continue };
            let mesh = &self.meshes[self.placement(placed).mesh as usize];
            for (number, cluster) in mesh.clusters.iter().enumerate() {
                if let Some(nearest) = visible_from(lens, &pose.camera_from_mesh, &cluster.bounds) {
                    visible.push((nearest, index, number));
                }
            }
        }
        visible.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));

        for (_, index, number) in visible {
            let (placed, Some(pose)) = (&self.placed[index], &poses[index]) else { continue };
            let mesh = &self.meshes[self.placement(placed).mesh as usize];
            let cluster = &mesh.clusters[number];
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
                        let painted = self.painted(lens, &pose.camera_from_mesh, placed, source);
                        canvas
                            .draw(lens, corners, number, |x, y| painted.color(lens, x, y)[3] >= cutoff);
                    }
                }
            }
        }
    }

    /// Turns what each pixel sees into the images that were asked for.
    fn read_out(&self, lens: &Lens, poses: &[Option<Posed>], canvas: &Canvas, frame: &mut Frame) {
        for ((out, valid), &depth) in frame.depth.iter_mut().zip(&mut frame.valid).zip(&canvas.depth) {
            if depth.is_finite() {
                *out = depth;
                *valid = 1;
            }
        }
        if frame.rgb.is_empty() && frame.instance.is_empty() && frame.category.is_empty() {
            return;
        }
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
                let position = self.placed.partition_point(|placed| placed.first <= number);
                let Some(at) = position.checked_sub(1) else { continue };
                let (placed, Some(pose)) = (&self.placed[at], &poses[at]) else { continue };
                let source = number - placed.first;
                if rgb {
                    painted = Some(self.painted(lens, &pose.camera_from_mesh, placed, source));
                }
                if ids {
                    let id = self.instance_of(placed, source);
                    if id != instance || last == NOTHING {
                        instance = id;
                        category = self.scene.instance(id).map_or(0, |found| found.category);
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
                let color = painted.color(lens, pixel % lens.width, pixel / lens.width);
                for (out, value) in out.iter_mut().zip(color) {
                    // The cast saturates, and takes NaN to 0.
                    *out = (value * 255.0 + 0.5) as u8;
                }
            }
        }
    }

    fn placement(&self, placed: &Placed) -> &Placement {
        &self.scene.placements[placed.placement]
    }

    fn instance_of(&self, placed: &Placed, triangle: u32) -> u32 {
        let placement = self.placement(placed);
        let ids = &self.scene.meshes[placement.mesh as usize].triangle_instances;
        ids.get(triangle as usize).copied().unwrap_or(placement.instance)
    }

    fn painted(
        &self,
        lens: &Lens,
        camera_from_mesh: &CameraFromMesh,
        placed: &Placed,
        triangle: u32,
    ) -> Painted<'_> {
        let placement = self.placement(placed);
        let mesh = &self.scene.meshes[placement.mesh as usize];
        let corners = mesh.triangles[triangle as usize];
        let points =
            corners.map(|corner| camera_from_mesh.point(mesh.positions[corner as usize].as_dvec3()));
        let material = self.scene.materials.get(placement.material as usize);
        let texture = material.and_then(|material| material.texture).and_then(|index| {
            Some((&**self.scene.textures.get(index as usize)?, &**self.textures.get(index as usize)?))
        });
        Painted::new(lens, points, mesh, corners, material, texture)
    }
}

/// Inverts a view in double precision.
fn camera_from_world(world_from_camera: &Affine) -> Option<CameraFromMesh> {
    let matrix = world_from_camera.matrix.as_dmat3();
    let determinant = matrix.determinant();
    if !world_from_camera.is_finite() || !determinant.is_finite() || determinant == 0.0 {
        return None;
    }
    let matrix: DMat3 = matrix.inverse();
    if !matrix.is_finite() {
        return None;
    }
    let zero = CameraFromMesh { matrix, translation: DVec3::ZERO };
    let translation = -zero.point(world_from_camera.translation.as_dvec3());
    Some(CameraFromMesh { matrix, translation })
}

/// The least depth of a box that may be in view; `None` for one that surely is not.
fn visible_from(lens: &Lens, camera_from_mesh: &CameraFromMesh, bounds: &Aabb) -> Option<f64> {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let center = camera_from_mesh.point((min + max) * 0.5);
    let half = (max - min) * 0.5;
    let m = &camera_from_mesh.matrix;
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
