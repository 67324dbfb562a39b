use ambler_geometry::{Pose, Vec3};
use ambler_navmesh::NavQuery;

/// What only an oracle may know: the navmesh, the true pose and the goal points. It remembers
/// that it was used, and the results say so.
#[derive(Debug)]
pub struct Privileged<'a> {
    view: Option<PrivilegedView<'a>>,
    used: bool,
}

/// The privileged things, once asked for.
#[derive(Debug)]
pub struct PrivilegedView<'a> {
    /// Queries on the navmesh that the body walks on.
    pub navmesh: &'a mut NavQuery,
    /// The true pose.
    pub pose: Pose,
    /// Every point that the distance to the goal is measured to: the goal, or all viewpoints.
    pub goals: &'a [Vec3],
    /// Within this distance of one of them the episode succeeds, metres.
    pub success_distance_m: f64,
    /// Whether a blocked step slides along the wall.
    pub sliding: bool,
}

impl<'a> Privileged<'a> {
    /// Grants access.
    pub fn new(
        navmesh: &'a mut NavQuery,
        pose: Pose,
        goals: &'a [Vec3],
        success_distance_m: f64,
        sliding: bool,
    ) -> Self {
        let view = PrivilegedView { navmesh, pose, goals, success_distance_m, sliding };
        Self { view: Some(view), used: false }
    }

    /// Grants nothing.
    pub fn none() -> Self {
        Self { view: None, used: false }
    }

    /// The privileged things, `None` where none are granted. Sets [`Privileged::used`].
    pub fn view(&mut self) -> Option<&mut PrivilegedView<'a>> {
        self.used |= self.view.is_some();
        self.view.as_mut()
    }

    /// Whether the policy looked.
    pub fn used(&self) -> bool {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_granted_is_nothing_used() {
        let mut none = Privileged::none();
        assert!(none.view().is_none());
        assert!(!none.used());
    }
}
