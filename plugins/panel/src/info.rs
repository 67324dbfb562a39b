use ambler_session::Painting;
use bevy_egui::egui::TextureId;
use std::sync::Arc;

/// One row of the list of episodes.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeRow {
    /// The id in the file.
    pub id: String,
    /// The scene.
    pub scene: String,
    /// What is asked, in a few words.
    pub asks: String,
    /// The geodesic distance that the file states, metres.
    pub stated_m: Option<f64>,
}

/// What does not change during a sitting.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// All episodes.
    pub episodes: Vec<EpisodeRow>,
    /// The agents that can be chosen.
    pub agents: Vec<String>,
    /// The name of the graphics adapter, and whether it is a processor.
    pub adapter: (String, bool),
}

/// What the machine is busy with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Seconds of laying the window out.
    pub frame_s: f64,
    /// Seconds of drawing what was laid out, on the graphics device.
    pub draw_s: f64,
    /// Seconds of a whole frame.
    pub whole_s: f64,
    /// Triangles of the panels and of what is painted over the view, in the last frame.
    pub drawn: usize,
    /// Seconds of the last main picture.
    pub view_s: f64,
    /// Triangles of the last main picture where the graphics device drew it.
    pub view_drawn: Option<usize>,
    /// Triangles that the last main picture shows, where the processor drew it.
    pub view_seen: Option<u32>,
    /// Why the graphics device did not draw it though it was asked.
    pub problem: Option<String>,
    /// Seconds of the last sensor picture.
    pub sensor_s: f64,
    /// Triangles in the scene.
    pub triangles: usize,
}

/// The pictures of one camera.
#[derive(Clone, Debug)]
pub struct CameraPictures {
    /// The camera's name.
    pub camera: String,
    /// Name, texture, and size in pixels of each picture.
    pub pictures: Vec<(&'static str, TextureId, [u32; 2])>,
    /// What they were drawn from.
    pub painting: Arc<Painting>,
}

/// The pictures of all cameras.
#[derive(Clone, Debug, Default)]
pub struct Pictures {
    /// In the order of the rig.
    pub cameras: Vec<CameraPictures>,
}
