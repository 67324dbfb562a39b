use ambler_geometry::{Fault, Place};

/// What can be wrong with a camera, a view or a picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SensorError {
    /// A camera whose numbers make no image.
    #[error("{0}")]
    Camera(Fault),
    /// A viewpoint that is not a place: NaN, infinite or flattened.
    #[error("{0}")]
    View(Fault),
    /// A file of lights that cannot be read.
    #[error("{0}")]
    Lighting(Fault),
    /// A picture that could not be made or written.
    #[error("{0}")]
    Picture(Fault),
}

impl SensorError {
    /// A fault in a field of the camera called `name`.
    pub(crate) fn camera(name: &str, what: String, remedy: &str) -> Self {
        Self::Camera(Fault::new("", Place::Whole, format!("camera '{name}': {what}"), remedy))
    }
}
