//! What agents that map with depth share: the grid of the floor plane, the cheapest ways on it, steps
//! along them, the cone that a camera sees, and the layers that show them.

pub(crate) mod approach;
pub(crate) mod cone;
pub(crate) mod dense;
mod floor;
pub(crate) mod map;
pub(crate) mod plan;
pub(crate) mod show;
pub(crate) mod steer;
pub(crate) mod walker;
