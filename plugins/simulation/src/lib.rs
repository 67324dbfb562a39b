//! The step schedule: what an episode is made of.
//!
//! A [`Simulation`] owns a Bevy `World` and steps it by running one schedule, [`SimStep`], once per
//! discrete action. The window, `ambler eval` and other hosts step the same world with the same
//! plugins in the same order; nothing here reads a clock. [`StepSet`] orders all systems of all
//! plugins in one place.
//!
//! This crate never knows a body, a sensor or a task: other plugins add those.
//!
//! ```
//! use ambler_plugin_simulation::{SimStep, Simulation, StepCount, StepSet};
//! use bevy::prelude::*;
//!
//! #[derive(Resource, Default)]
//! struct Heard(Vec<u64>);
//!
//! let mut simulation = Simulation::new(|app| {
//!     app.init_resource::<Heard>();
//!     app.add_systems(
//!         SimStep,
//!         (|count: Res<StepCount>, mut heard: ResMut<Heard>| heard.0.push(count.0)).in_set(StepSet::Score),
//!     );
//! });
//! simulation.step();
//! simulation.step();
//! assert_eq!(simulation.world().resource::<Heard>().0, [1, 2]);
//! ```

use bevy::ecs::schedule::{ScheduleLabel, SingleThreadedExecutor};
use bevy::prelude::*;

/// The schedule that one discrete action runs once.
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SimStep;

/// The schedule that runs once when an episode begins: the first look, before any action. It has
/// the same sets as [`SimStep`].
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SimStart;

/// The order of everything that happens in a step. Every system of every plugin is in one of these.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepSet {
    /// The step counter advances.
    Count,
    /// The action moves the body.
    Act,
    /// Things fall, roll and come to rest.
    Physics,
    /// Cameras are drawn and detectors run.
    Sense,
    /// Metrics are taken and the episode may end.
    Score,
}

impl StepSet {
    /// All sets in the order in which they run.
    pub const ORDER: [Self; 5] = [Self::Count, Self::Act, Self::Physics, Self::Sense, Self::Score];
}

/// Steps made since the episode began.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCount(pub u64);

/// The step schedule with its sets, and the counter.
pub struct SimulationPlugin;

impl Plugin for SimulationPlugin {
    fn build(&self, app: &mut App) {
        // One thread, so that a step costs no hand-over; workers run whole episodes side by side.
        let mut step = Schedule::new(SimStep);
        step.set_executor(SingleThreadedExecutor::new());
        let mut start = Schedule::new(SimStart);
        start.set_executor(SingleThreadedExecutor::new());
        for mut schedule in [step, start] {
            schedule.configure_sets(
                (StepSet::Count, StepSet::Act, StepSet::Physics, StepSet::Sense, StepSet::Score).chain(),
            );
            app.add_schedule(schedule);
        }
        app.init_resource::<StepCount>();
        app.add_systems(SimStep, count.in_set(StepSet::Count));
    }
}

fn count(mut count: ResMut<StepCount>) {
    count.0 += 1;
}

/// Is told after each set of a step that has run: how hosts share out the time. Nothing in a world
/// reads a clock; a host that wants to know hands one in with [`observe_sets`].
#[derive(Resource)]
struct SetObserver(Box<dyn FnMut(StepSet) + Send + Sync>);

/// Calls `observer` after each set of [`SimStep`].
pub fn observe_sets(app: &mut App, observer: impl FnMut(StepSet) + Send + Sync + 'static) {
    app.insert_resource(SetObserver(Box::new(observer)));
    let tell = |set: StepSet| move |mut observer: ResMut<SetObserver>| (observer.0)(set);
    let order = StepSet::ORDER;
    for (index, &set) in order.iter().enumerate() {
        match order.get(index + 1) {
            Some(&next) => app.add_systems(SimStep, tell(set).after(set).before(next)),
            None => app.add_systems(SimStep, tell(set).after(set)),
        };
    }
}

/// A world that is stepped one action at a time. Made fresh for every episode.
pub struct Simulation {
    world: World,
}

impl Simulation {
    /// Builds a world with the step schedule and whatever `assemble` adds. The `App` only builds;
    /// it is gone afterwards.
    pub fn new(assemble: impl FnOnce(&mut App)) -> Self {
        let mut app = App::empty();
        app.add_plugins(SimulationPlugin);
        assemble(&mut app);
        app.finish();
        app.cleanup();
        Self { world: std::mem::take(app.world_mut()) }
    }

    /// Runs [`SimStart`]: the first look of the episode.
    pub fn start(&mut self) {
        self.world.run_schedule(SimStart);
        self.world.clear_trackers();
    }

    /// Runs [`SimStep`] once.
    pub fn step(&mut self) {
        step_world(&mut self.world);
    }

    /// The world, to read.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to set it up or to change it between steps.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

/// Runs [`SimStep`] once on any world that has it: for hosts that keep the world themselves.
/// Trackers are cleared afterwards, else the buffers of removed components grow without end.
pub fn step_world(world: &mut World) {
    world.run_schedule(SimStep);
    world.clear_trackers();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Resource, Default)]
    struct Order(Vec<&'static str>);

    #[test]
    fn sets_run_in_their_order_whatever_order_they_were_added_in() {
        let mut simulation = Simulation::new(|app| {
            app.init_resource::<Order>();
            app.add_systems(
                SimStep,
                (
                    (|mut order: ResMut<Order>| order.0.push("score")).in_set(StepSet::Score),
                    (|mut order: ResMut<Order>| order.0.push("act")).in_set(StepSet::Act),
                    (|mut order: ResMut<Order>| order.0.push("sense")).in_set(StepSet::Sense),
                ),
            );
        });
        simulation.step();
        assert_eq!(simulation.world().resource::<Order>().0, ["act", "sense", "score"]);
        assert_eq!(simulation.world().resource::<StepCount>().0, 1);
    }

    #[test]
    fn an_observer_is_told_of_each_set_in_order() {
        let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let heard = std::sync::Arc::clone(&told);
        let mut simulation = Simulation::new(|app| {
            observe_sets(app, move |set| heard.lock().expect("one thread").push(set));
        });
        simulation.step();
        assert_eq!(*told.lock().expect("one thread"), StepSet::ORDER);
    }

    #[test]
    fn a_simulation_can_move_to_a_worker() {
        fn assert_send<T: Send>() {}
        assert_send::<Simulation>();
    }
}
