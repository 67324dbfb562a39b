use ambler_geometry::Fault;
use ambler_model::ModelError;
use ambler_scene::SceneError;
use ambler_sensor::SensorError;

/// What can go wrong in the pipeline.
#[derive(Debug, thiserror::Error)]
pub enum SdovonError {
    /// A file of the pipeline.
    #[error("{0}")]
    File(Fault),
    /// A home in which nothing can be placed.
    #[error("{scene}: {what}; {remedy}")]
    Nothing {
        /// The scene.
        scene: String,
        /// What is missing.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Settings that make no sense.
    #[error("{0}")]
    Settings(String),
    /// A detector or a language model.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// A camera of the settings.
    #[error("{0}")]
    Sensor(#[from] SensorError),
    /// A scene or an object.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// The physics behind [`crate::place::Settle`].
    #[error("the objects cannot be let fall: {0}")]
    Settle(String),
}
