//! The fast renderer: clusters of triangles, nearest first, into a buffer of what each pixel sees;
//! then colours, once a pixel.
//!
//! A view is drawn in two steps. [`cull`] walks the trees of all placements from near to far, leaves
//! out boxes that are outside the view or behind what is drawn already, and hands the clusters of
//! the rest to [`cluster`], which projects their vertices and sets their triangles up, eight at a
//! time. Small triangles go pixel row by pixel row ([`small`]), large ones and those that cross the
//! near plane span by span ([`large`]). Then [`shade`] turns triangles and depths into images.
//!
//! Where a view may show surfaces a little off, boxes that are far away are not opened: [`stand_in`] has
//! fewer triangles for them.
//!
//! **Nothing is missed or drawn twice along a shared edge.** Corners are rounded to fractions of a
//! pixel, and on rounded corners all edge arithmetic is exact, in i32 for small triangles and in f64
//! for large ones. Where a corner is nearer than the near plane or far outside the image, so that it
//! has no rounded place, its edges are planes through the eye in f64, made so that the triangles on
//! both sides get opposite numbers, bit for bit. Which of the two ways an edge takes depends on its
//! ends alone.
//!
//! Equirectangular and fisheye images are drawn by [`wide`], which has its own first step and colours.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod bake;
mod boxes;
mod canvas;
mod cluster;
mod cull;
mod doubles;
mod large;
mod light;
mod queue;
mod records;
mod shade;
mod simd;
mod small;
mod stand_in;
pub(super) mod stored;
mod texel;
mod wide;

pub(crate) use bake::Baked;
pub(crate) use canvas::Canvas;

use super::lens::Lens;
use super::light::Lit;
use super::scenery::{Placed, Posed, Scenery};
use crate::Frame;
use canvas::{Drawn, View};
use simd::{Lanes, Portable};
use stand_in::{StandIns, Tolerance};
use std::sync::Arc;

/// Which lanes to draw with.
#[derive(Clone, Copy)]
pub(crate) enum Simd {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
}

impl Simd {
    /// The best that the processor has.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = avx2::Avx2::detect() {
            return Self::Avx2(avx2);
        }
        Self::Portable
    }

    pub(crate) fn portable() -> Self {
        Self::Portable
    }
}

/// What a view is drawn from.
pub(crate) struct Source<'a> {
    pub(crate) scenery: &'a Scenery,
    pub(crate) meshes: &'a [Arc<Baked>],
    pub(crate) lens: &'a Lens,
    pub(crate) poses: &'a [Option<Posed>],
    /// For each placement how far off its stand-ins may be; empty where there are to be none.
    pub(crate) tolerances: Vec<Option<Tolerance>>,
    /// Placements as the camera sees them, in single precision.
    pub(crate) views: Vec<Option<View>>,
}

impl Source<'_> {
    pub(crate) fn mesh(&self, placed: usize) -> &Baked {
        &self.meshes[self.scenery.placement(&self.scenery.placed[placed]).mesh as usize]
    }

    /// What stands in for boxes of a placement, and how far off it may be.
    #[inline(always)]
    pub(crate) fn stand_ins(&self, placed: usize) -> Option<(&Tolerance, &StandIns)> {
        let tolerance = self.tolerances.get(placed)?.as_ref()?;
        Some((tolerance, self.mesh(placed).stand_ins.get()?))
    }

    /// What a drawn cluster is of.
    pub(crate) fn mesh_of(&self, drawn: &Drawn) -> &Baked {
        self.mesh(drawn.placed as usize).or_stand_ins(drawn.stand_in)
    }
}

/// Draws all placements that have a pose into a frame that has its size. Surfaces may be off by as many
/// pixels as `lod_px` says, where meshes have stand-ins.
pub(crate) fn draw(
    simd: Simd,
    (scenery, meshes): (&Scenery, &[Arc<Baked>]),
    lens: &Lens,
    poses: &[Option<Posed>],
    lit: Option<&Lit>,
    lod_px: f32,
    canvas: &mut Canvas,
    frame: &mut Frame,
) {
    // Wide images have their own.
    let plane = |pose: &Posed| lens.wide.is_none().then(|| View::new(lens, pose));
    let views = poses.iter().map(|pose| pose.as_ref().and_then(plane)).collect();
    // Holes are of the mesh's own triangles.
    let tolerance = |(pose, placed): (&Option<Posed>, &Placed)| {
        pose.as_ref()
            .filter(|_| placed.cutoff.is_none())
            .map(|pose| Tolerance::new(lens, lod_px, &pose.camera_from_mesh.matrix))
    };
    let tolerances = if lod_px > 0.0 && lens.wide.is_none() {
        poses.iter().zip(&scenery.placed).map(tolerance).collect()
    } else {
        Vec::new()
    };
    let source = Source { scenery, meshes, lens, poses, tolerances, views };
    canvas.reset(lens);
    match simd {
        Simd::Portable => draw_with(Portable, &source, canvas, frame),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2(avx2) => draw_with(avx2, &source, canvas, frame),
    }
    if let Some(lit) = lit {
        light::apply(&source, lit, canvas, &mut frame.rgb);
    }
}

fn draw_with<L: Lanes>(l: L, source: &Source<'_>, canvas: &mut Canvas, frame: &mut Frame) {
    if let Some(rays) = &source.lens.wide {
        return wide::draw(l, source, rays, canvas, frame);
    }
    cull::visit(l, source, canvas, !frame.rgb.is_empty());
    l.run(
        #[inline(always)]
        || shade::frame(l, source, canvas, frame),
    );
}
