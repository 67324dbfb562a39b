//! Equirectangular and fisheye images: rays through one point, in all directions.
//!
//! The same two steps as for plane images, and the same working memory. What is different:
//!
//! - A box or triangle is looked for where its directions are. Its image is bounded by the image
//!   positions of its corners, found once a vertex in single precision, and by how far an edge, which is a
//!   great arc, can bulge out of the box around its ends.
//! - Which pixels a triangle covers, and how far away it is there, is decided in double precision ray by
//!   ray, exactly as the [`PlainRenderer`](crate::PlainRenderer) decides it: by planes through the eye and
//!   the edges. Of what one pixel sees the nearest is kept, and of equally near ones the lowest number,
//!   so that the order of drawing does not matter.
//! - What pixels see is kept as −distance.

mod angles;
mod cluster;
mod cull;
mod pixels;
mod reach;
mod records;
mod shade;
mod specks;

pub(super) use records::slowly;

use super::Source;
use super::canvas::Canvas;
use super::simd::Lanes;
use crate::Frame;
use crate::render::rays::Rays;

/// Draws what the rays see.
pub(crate) fn draw<L: Lanes>(
    l: L,
    source: &Source<'_>,
    rays: &Rays,
    canvas: &mut Canvas,
    frame: &mut Frame,
) {
    cull::visit(l, source, rays, canvas, !frame.rgb.is_empty());
    l.run(
        #[inline(always)]
        || shade::frame(l, source, rays, canvas, frame),
    );
}
