use ambler_navmesh::NavReason;

/// Why a follower has no next action.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FollowError {
    /// There is no path to the goal.
    #[error("no path to the goal: {0}")]
    NoPath(#[from] NavReason),
    /// There is a path, but no action of this body leads along it: it may be narrower than its
    /// steps are long, or the search reached its limit.
    #[error("there is a path to the goal, but no sequence of the body's actions follows it")]
    NoWay,
}
