use bevy::prelude::*;

/// When a body is at rest: slower than both speeds for a while. It is then put to sleep and stays
/// asleep until something that moves touches it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestRule {
    /// Linear speed in metres a second.
    pub linear_m_s: f32,
    /// Angular speed in radians a second.
    pub angular_rad_s: f32,
    /// For how long, in seconds.
    pub seconds: f32,
}

impl Default for RestRule {
    fn default() -> Self {
        Self { linear_m_s: 0.01, angular_rad_s: 0.1, seconds: 0.5 }
    }
}

/// How physics runs.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct PhysicsSettings {
    /// Gravity along y in m/s². −9.8, as Habitat's.
    pub gravity_y: f32,
    /// Ticks a second. 240, as Habitat's default; constant, so that results do not depend on speed.
    pub ticks_per_second: u32,
    /// Ticks that one discrete action takes. Nothing is computed while all bodies sleep.
    pub ticks_per_step: u32,
    /// When a body is at rest.
    pub rest: RestRule,
    /// A body that has been awake for so long (seconds) while it touches something is slowed down
    /// more and more, so that piles that tremble come to rest.
    pub calm_after_s: f32,
    /// Bodies whose centre is lower than this (metres) have fallen out of the scene: they are flagged
    /// and held where they are. `None`: half a metre below the stage, as [`crate::PhysicsPlugin`]
    /// fills it in; nothing falls out of an empty stage.
    pub fallen_below_y: Option<f32>,
}

impl Default for PhysicsSettings {
    fn default() -> Self {
        Self {
            gravity_y: -9.8,
            ticks_per_second: 240,
            // 0.1 s, the pace at which Habitat's physics tests call it.
            ticks_per_step: 24,
            rest: RestRule::default(),
            calm_after_s: 3.0,
            fallen_below_y: None,
        }
    }
}

impl PhysicsSettings {
    /// Length of a tick in seconds.
    pub fn tick_s(&self) -> f32 {
        1.0 / self.ticks_per_second.max(1) as f32
    }
}
