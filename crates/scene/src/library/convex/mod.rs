//! Convex pieces: hulls of points, and the decomposition of meshes into a few of them.

mod decompose;
mod hull;
mod pieces;
mod vessel;

pub use decompose::{DecomposeOptions, decompose};
pub use hull::{ConvexHull, convex_hull};
pub use pieces::{MAX_PIECES, MAX_POINTS, simplify_pieces};

/// Changes whenever the same mesh gives other pieces or poses.
pub const VERSION: u32 = 1;
