/// Why a query on a navmesh has no finite answer or was refused. Its text says so to a person.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NavReason {
    /// No polygon within (2, 4, 2) m of the point.
    #[error("the point is not on the navmesh: nothing to stand on within 2 m (4 m in height)")]
    OffMesh,
    /// No polygon near the start.
    #[error("the start is not on the navmesh: nothing to stand on within 2 m (4 m in height)")]
    StartOffMesh,
    /// No polygon near the goal, or near any of the goals.
    #[error("the goal is not on the navmesh: nothing to stand on within 2 m (4 m in height)")]
    GoalOffMesh,
    /// Start and goal cannot be joined on foot.
    #[error(
        "start is on island {start} ({start_area_m2:.2} m²), goal on island {goal} ({goal_area_m2:.2} m²)"
    )]
    DifferentIsland {
        /// Island of the start.
        start: u32,
        /// Island of the goal (of the nearest goal, in a straight line, of several).
        goal: u32,
        /// Area of the start's island, m².
        start_area_m2: f32,
        /// Area of the goal's island, m².
        goal_area_m2: f32,
    },
    /// A coordinate is NaN or infinite.
    #[error("a coordinate is not a finite number")]
    NotFinite,
    /// The list of goals is empty.
    #[error("there are no goals")]
    NoGoals,
    /// The island does not exist.
    #[error("the navmesh has {count} islands, so there is no island {island}")]
    NoSuchIsland {
        /// The island that was asked for.
        island: u32,
        /// How many there are.
        count: u32,
    },
    /// The search ran out of its 2048 nodes or 256 polygons (Detour's limits, as Habitat sets
    /// them) before it reached the goal.
    #[error("the search gave up after 2048 nodes or 256 polygons, Habitat's limits")]
    SearchExhausted,
}
