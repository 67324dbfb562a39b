use ambler_geometry::Vec3;
use ambler_scene::SceneModel;
use ambler_sensor::{Moved, Renderer};
use std::sync::Arc;

/// Objects of an episode's scene that a hand drops and pushes: a world with physics, implemented above this
/// crate.
pub trait Things: Send {
    /// Lets an object of the library fall from a little above a place; returns its instance.
    ///
    /// # Errors
    /// Why not.
    fn drop(&mut self, object: &str, at: Vec3) -> Result<u32, String>;

    /// Gives an instance a push: a change of its velocity, metres a second.
    ///
    /// # Errors
    /// Why it cannot be moved.
    fn push(&mut self, instance: u32, way: Vec3) -> Result<(), String>;

    /// Lets a twentieth of a second pass. Says whether anything still moves.
    fn pass(&mut self) -> bool;

    /// The scene with what was dropped, and what draws it; the same `Arc`s until something is added.
    fn scene(&self) -> (Arc<SceneModel>, Arc<Renderer>);

    /// What is not where the scene has it.
    fn moved(&self) -> Moved;

    /// What fell out of the scene since it was last asked.
    fn lost(&mut self) -> Vec<String>;
}

/// An object of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryRow {
    /// Its name.
    pub name: String,
    /// Its category.
    pub category: String,
}

/// What a hand did to the objects of the open episode.
#[derive(Clone, Debug, Default)]
pub struct Hand {
    /// Objects were moved while the episode ran: it is not scored.
    pub touched: bool,
    /// Something is still moving.
    pub moving: bool,
    /// Instances that were dropped, oldest first.
    pub dropped: Vec<u32>,
    /// What is not where the scene has it.
    pub moved: Moved,
    /// Grows whenever the scene or what moved in it changes.
    pub revision: u64,
}

/// Why an episode with objects moved by hand has no score.
pub const UNSCORED: &str = "objects were moved by hand, so this drive is not scored: put them back and begin \
                            the episode again";
