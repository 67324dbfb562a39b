//! Drawing scenes on the CPU: the [`Renderer`], fast, and the [`PlainRenderer`] that it is tested
//! against.

mod cache;
mod canvases;
mod cluster;
mod fast;
mod lens;
mod light;
mod plain;
mod raster;
mod rays;
mod scenery;
mod shade;
mod stored;
mod texture;
mod tone;
mod wide;

pub use plain::PlainRenderer;

use crate::{CameraSpec, Frame, Moved, SensorError};
use ambler_geometry::Affine;
use ambler_scene::SceneModel;
use canvases::Canvases;
use fast::{Baked, Simd};
use lens::Lens;
use light::Lit;
use rays::KeptRays;
use scenery::{Scenery, camera_from_world};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// No triangle.
const NOTHING: u32 = u32::MAX;

/// Draws a scene into [`Frame`]s on the CPU.
///
/// Holds the scene and caches beside it (triangle clusters, smaller copies of textures), and is
/// shared by any number of threads. One image is drawn by one thread, and is the same bits whatever
/// else runs and whether or not the processor has AVX2. As many images are drawn at once as the machine
/// has cores; further threads wait for their turn, so that working memory does not grow with them.
///
/// What a pixel shows is decided by its middle: the nearest front face there, and of two at
/// the same depth the one with the lower placement, then the lower triangle. Corners of triangles
/// are rounded to 1/1024 of a pixel to decide what a pixel's middle lies in (1/256 in images of more
/// than 2048 pixels a side), and depths that differ by less than 8 millionths count as the same; where
/// surfaces meet at an angle, neither can be seen. [`PlainRenderer`] does neither.
///
/// In equirectangular and fisheye images corners are not rounded, and depths that differ do: there it sees
/// what the [`PlainRenderer`] sees.
pub struct Renderer {
    scenery: Scenery,
    meshes: Vec<Arc<Baked>>,
    simd: Simd,
    /// Those of equirectangular and fisheye images.
    rays: KeptRays,
    canvases: Canvases,
    /// Set once all meshes have stand-ins.
    stand_ins: OnceLock<()>,
}

impl Renderer {
    /// Prepares a scene. Placements that refer to a mesh that is not there are left out.
    pub fn new(scene: Arc<SceneModel>) -> Self {
        let meshes = cache::made(&scene.meshes, None, Baked::new);
        Self::with(scene, None, meshes)
    }

    /// Prepares a scene that has meshes and textures in common with the one that `other` draws (the
    /// same `Arc`, as in clones of a scene): what was prepared for those is shared, not made again.
    pub fn sharing(other: &Self, scene: Arc<SceneModel>) -> Self {
        let known = (&other.scene().meshes[..], &other.meshes[..]);
        let meshes = cache::made(&scene.meshes, Some(known), Baked::new);
        Self::with(scene, Some(&other.scenery), meshes)
    }

    fn with(scene: Arc<SceneModel>, known: Option<&Scenery>, meshes: Vec<Arc<Baked>>) -> Self {
        let scenery = Scenery::new(scene, known, |mesh| meshes[mesh].translucent);
        Self::of(scenery, meshes)
    }

    fn of(scenery: Scenery, meshes: Vec<Arc<Baked>>) -> Self {
        Self {
            scenery,
            meshes,
            simd: Simd::detect(),
            rays: KeptRays::default(),
            canvases: Canvases::new(),
            stand_ins: OnceLock::new(),
        }
    }

    /// Draws without AVX2 from now on, even where the processor has it: the same images, slower.
    pub fn without_avx2(mut self) -> Self {
        self.simd = Simd::portable();
        self
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
        let camera_from_world = camera_from_world(spec, world_from_camera)?;
        if spec.lod_px > 0.0 && !spec.projection.is_wide() {
            self.make_stand_ins();
        }
        let lens = Lens::with(spec, self.rays.of(spec));
        let poses = self.scenery.poses(&camera_from_world, moved);
        frame.size(spec);
        let mut canvas = self.canvases.take();
        let lit = spec.lighting.as_ref().map(|lighting| Lit::new(lighting, &camera_from_world));
        let scene = (&self.scenery, &self.meshes[..]);
        let lod_px = spec.lod_px;
        fast::draw(self.simd, scene, &lens, &poses, lit.as_ref(), lod_px, &mut canvas, frame);
        drop(canvas);
        tone::apply(&spec.tone, &mut frame.rgb);
        Ok(())
    }

    /// Makes what [`CameraSpec::lod_px`] draws, which otherwise the first view that asks for it does:
    /// seconds for a million triangles.
    pub fn make_stand_ins(&self) {
        self.stand_ins.get_or_init(|| {
            for (baked, mesh) in self.meshes.iter().zip(&self.scene().meshes) {
                baked.make_stand_ins(mesh);
            }
        });
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
}
