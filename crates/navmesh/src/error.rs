use ambler_geometry::Fault;

/// Why a navmesh could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NavMeshError {
    /// The file or the bytes are not a usable `.navmesh`.
    #[error("{0}")]
    Fault(#[from] Fault),
    /// Nothing that a body can stand on is left of the triangles.
    #[error("no floor for this body: {reason}")]
    NoFloor {
        /// What was found instead, with a hint (faces downward, room below the region minimum, …).
        reason: String,
    },
    /// The triangles or the settings cannot be built from.
    #[error("the navmesh cannot be built: {reason}")]
    Build {
        /// What is in the way.
        reason: String,
    },
}
