use ambler_geometry::Affine;
use ambler_scene::SceneModel;

/// Instances that are not where the scene placed them: for each a transform that takes where the
/// scene has it in the world to where it is now, or the word that it is gone.
///
/// All placements of an instance move together. An instance that is part of a mesh with an id per
/// triangle (a labelled scan) cannot move, since its triangles share the mesh with others; what is
/// said about it here has no effect ([`Moved::can_move`] tells).
///
/// ```
/// use ambler_geometry::{Affine, Vec3};
/// use ambler_sensor::Moved;
///
/// let mut moved = Moved::default();
/// moved.set(7, Affine { translation: Vec3::new(0.0, 0.1, 0.0), ..Affine::IDENTITY });
/// moved.hide(3);
/// assert_eq!(moved.get(7).and_then(|lift| lift).map(|lift| lift.translation.y), Some(0.1));
/// assert_eq!(moved.get(3), Some(None));
/// assert_eq!(moved.get(4), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// By ascending id; `None` for those that are gone.
    entries: Vec<(u32, Option<Affine>)>,
}

impl Moved {
    /// The instance is where `now_from_placed` takes its placements: the world transform of each is
    /// `now_from_placed.compose(&placement.world_from_mesh)`. It may scale or mirror; one that is
    /// not finite is like [`Moved::hide`].
    pub fn set(&mut self, instance: u32, now_from_placed: Affine) {
        self.insert(instance, Some(now_from_placed).filter(Affine::is_finite));
    }

    /// The instance is not there.
    pub fn hide(&mut self, instance: u32) {
        self.insert(instance, None);
    }

    /// The instance is where the scene placed it.
    pub fn reset(&mut self, instance: u32) {
        if let Ok(at) = self.find(instance) {
            self.entries.remove(at);
        }
    }

    /// All instances are where the scene placed them.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Whether all instances are where the scene placed them.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Where an instance is: `None` where the scene placed it, `Some(None)` if it is gone.
    pub fn get(&self, instance: u32) -> Option<Option<&Affine>> {
        Some(self.entries.get(self.find(instance).ok()?)?.1.as_ref())
    }

    /// All that moved or is gone, by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Option<&Affine>)> {
        self.entries.iter().map(|(instance, now)| (*instance, now.as_ref()))
    }

    /// Whether an instance can move: it has placements, and none of its triangles lies in a mesh with
    /// an id per triangle.
    pub fn can_move(scene: &SceneModel, instance: u32) -> bool {
        let mut found = false;
        for placement in &scene.placements {
            let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
            if mesh.triangle_instances.is_empty() {
                found |= placement.instance == instance;
            } else if mesh.triangle_instances.contains(&instance) {
                return false;
            }
        }
        found && instance != 0
    }

    /// Where a placement of an instance is; `None` if it is gone.
    pub(crate) fn world_from_mesh(&self, instance: u32, placed: &Affine) -> Option<Affine> {
        match self.get(instance) {
            _ if instance == 0 => Some(*placed),
            None => Some(*placed),
            Some(None) => None,
            // Huge factors may overflow.
            Some(Some(now)) => Some(now.compose(placed)).filter(Affine::is_finite),
        }
    }

    fn insert(&mut self, instance: u32, now: Option<Affine>) {
        match self.find(instance) {
            Ok(at) => self.entries[at].1 = now,
            Err(at) => self.entries.insert(at, (instance, now)),
        }
    }

    fn find(&self, instance: u32) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&instance, |&(id, _)| id)
    }
}
