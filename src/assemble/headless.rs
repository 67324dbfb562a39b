use super::stage::{Stage, StageStore};
use super::times::StepTimes;
use crate::exit::Failure;
use crate::settings::{DistanceMode, Settings};
use ambler_agent::{
    EpisodeContext, Goal, KnownHome, Needs, Observation, Privileged, Recall, compass, point_goal,
    relative_position,
};
use ambler_body::{Action, BodyPreset, BodyState, Locomotion};
use ambler_episode::{Episode, GoalPoints, Identity, Metrics, SuccessRule, Task};
use ambler_evaluate::{FinalPose, Outcome, Scores, SimulationFactory, Snapshot, Spent};
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_navmesh::{DistanceField, NavQuery};
use ambler_plugin_body::{Body, BodyPlugin, Motion, PendingAction};
use ambler_plugin_scene::{MovedInstances, Navigation, ScenePlugin};
use ambler_plugin_sensors::{Eyes, SensorsPlugin, set_renderer};
use ambler_plugin_simulation::{Simulation, StepCount};
use ambler_plugin_task::{Measure, Scoring, TaskPlugin};
use ambler_replay::Header;
use ambler_sensor::{CameraSpec, Moved, Outputs, Renderer};
use bevy::prelude::{Entity, Mut, With};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What all headless simulations of a run share.
struct Setup {
    body: BodyPreset,
    cameras: Vec<CameraSpec>,
    detector_pixels: u32,
    distance: DistanceMode,
    rule: Option<SuccessRule>,
    run_seed: u64,
    step_limit: u32,
}

/// Makes [`Headless`] simulations over shared stages.
pub struct HeadlessFactory {
    store: Arc<StageStore>,
    setup: Arc<Setup>,
}

impl HeadlessFactory {
    /// A factory for a run.
    ///
    /// # Errors
    /// Settings that make no camera.
    pub fn new(
        store: Arc<StageStore>,
        settings: &Settings,
        body: BodyPreset,
        rule: Option<SuccessRule>,
    ) -> Result<Self, Failure> {
        let setup = Setup {
            cameras: settings.cameras(&body)?,
            body,
            detector_pixels: settings.detector_pixels(),
            distance: settings.distance.unwrap_or_default(),
            rule,
            run_seed: settings.seed(),
            step_limit: settings.steps(),
        };
        Ok(Self { store, setup: Arc::new(setup) })
    }

    /// A factory for the simulation of a recorded episode.
    ///
    /// # Errors
    /// A success rule or a distance mode that this build does not know.
    pub fn replaying(store: Arc<StageStore>, header: &Header) -> Result<Self, Failure> {
        let unknown = |what: &str, name: &str| {
            Failure::Input(format!(
                "the episode log asks for the {what} {name:?}, which is not known here"
            ))
        };
        let rule = header
            .success
            .as_ref()
            .map(|name| name.parse::<SuccessRule>().map_err(|_| unknown("success rule", name)));
        let setup = Setup {
            body: header.body.clone(),
            cameras: header.cameras.clone(),
            detector_pixels: header.detector_pixels,
            distance: DistanceMode::named(&header.distance)
                .ok_or_else(|| unknown("distance mode", &header.distance))?,
            rule: rule.transpose()?,
            run_seed: header.seed,
            step_limit: header.step_limit,
        };
        Ok(Self { store, setup: Arc::new(setup) })
    }
}

impl SimulationFactory for HeadlessFactory {
    fn create(&self, scene: &str) -> Result<Box<dyn ambler_evaluate::Simulation>, String> {
        let stage = self.store.get(scene).map_err(|failure| failure.to_string())?;
        Ok(Box::new(Headless::new(stage, Arc::clone(&self.setup))))
    }
}

/// Episodes of one scene in worlds without a window; each episode in a fresh world.
pub struct Headless {
    stage: Arc<Stage>,
    setup: Arc<Setup>,
    /// What has been prepared for goals, by digest of the goals.
    measures: BTreeMap<(Identity, bool), Measure>,
    episode: Option<Running>,
    /// What somebody has moved about, and what draws the scene with it.
    furnished: Option<(Arc<Renderer>, Moved)>,
}

/// An episode under way.
struct Running {
    episode: Arc<Episode>,
    identity: String,
    goal: Goal,
    rule: SuccessRule,
    points: GoalPoints,
    scoring: Scoring,
    /// The world and the body in it, once it is known what the policy needs.
    world: Option<(Simulation, Entity)>,
    times: Arc<StepTimes>,
}

impl Running {
    /// The scores so far.
    fn metrics(&mut self) -> Metrics {
        let tracker = match &mut self.world {
            Some((simulation, _)) => Scoring::tracker_of(simulation.world_mut()),
            None => None,
        };
        // Before the world is made, nothing has moved.
        tracker.map_or_else(|| self.scoring.at_start().metrics(), |tracker| tracker.metrics())
    }
}

impl Headless {
    fn new(stage: Arc<Stage>, setup: Arc<Setup>) -> Self {
        Self { stage, setup, measures: BTreeMap::new(), episode: None, furnished: None }
    }

    fn measure(
        &mut self,
        episode: &Episode,
        points: &GoalPoints,
        query: &NavQuery,
    ) -> Result<Measure, String> {
        let key = (episode.goals_digest, points.to == ambler_episode::DistanceTo::Point);
        if let Some(measure) = self.measures.get(&key) {
            return Ok(measure.clone());
        }
        let measure = match self.setup.distance {
            DistanceMode::Habitat => Measure::habitat(query, &points.points),
            DistanceMode::Exact => {
                let field = DistanceField::new(&self.stage.navmesh, &points.points)
                    .map_err(|reason| format!("no goal can be reached: {reason}"))?;
                Measure::Exact(Arc::new(field))
            }
        };
        // Episodes of a scene come grouped by goals more often than not; a few sets are enough.
        if self.measures.len() >= 64 {
            self.measures.clear();
        }
        self.measures.insert(key, measure.clone());
        Ok(measure)
    }
}

impl ambler_evaluate::Simulation for Headless {
    fn reset(&mut self, episode: &Arc<Episode>) -> Result<(), String> {
        self.episode = None;
        let rule = self.setup.rule.clone().unwrap_or_else(|| SuccessRule::for_task(&episode.task));
        let points = episode.measured_points(rule.to);
        let mut query = NavQuery::new(Arc::clone(&self.stage.navmesh));
        let measure = self.measure(episode, &points, &query)?;
        let scoring = Scoring::start(&rule, &points, episode.start_position, measure, &mut query)
            .map_err(|invalid| invalid.to_string())?;
        let goal = match &episode.task {
            Task::ObjectNav { category, children, .. } => Goal::Object {
                category: category.to_string(),
                also: children.iter().map(|child| child.category.to_string()).collect(),
            },
            Task::InstanceImageNav { category, .. } => {
                Goal::Object { category: category.to_string(), also: Vec::new() }
            }
            _ => Goal::Point { success_distance_m: rule.distance_m },
        };
        self.episode = Some(Running {
            identity: episode.identity.to_string(),
            episode: Arc::clone(episode),
            goal,
            rule,
            points,
            scoring,
            world: None,
            times: Arc::default(),
        });
        Ok(())
    }

    fn begin(&mut self, begin: &mut dyn FnMut(&EpisodeContext<'_>)) {
        let Some(running) = &self.episode else { return };
        let recall = || {
            let body = &self.setup.body;
            let memory = self.stage.memory(&body.navmesh_settings(), body.camera_height_m)?;
            Ok(KnownHome { memory, start: running.episode.start_pose() })
        };
        begin(&EpisodeContext {
            run_seed: self.setup.run_seed,
            identity: &running.identity,
            episode_id: &running.episode.episode_id,
            scene_id: &running.episode.scene_id,
            goal: &running.goal,
            cameras: &self.setup.cameras,
            categories: &self.stage.scene.categories,
            body: &self.setup.body,
            step_limit: self.setup.step_limit,
            home: Some(Recall(&recall)),
        });
    }

    fn provide(&mut self, needs: Needs) {
        let Some(running) = &mut self.episode else { return };
        let (stage, setup) = (&self.stage, &self.setup);
        let mut simulation = Simulation::new(|app| {
            app.add_plugins(ScenePlugin { scene: Arc::clone(&stage.scene) });
            app.insert_resource(Navigation(NavQuery::new(Arc::clone(&stage.navmesh))));
            app.add_plugins(BodyPlugin {
                locomotion: Locomotion::from(&setup.body),
                start: running.episode.start_pose(),
            });
            if let Some((_, moved)) = &self.furnished {
                app.insert_resource(MovedInstances(moved.clone()));
            }
            if needs.sensors() {
                let drawn = self.furnished.as_ref().map_or(stage.renderer(), |(renderer, _)| renderer);
                app.add_plugins(SensorsPlugin {
                    renderer: Arc::clone(drawn),
                    cameras: wanted(&setup.cameras, needs),
                    detector_pixels: needs.detections.then_some(setup.detector_pixels),
                });
            }
            app.add_plugins(TaskPlugin { scoring: running.scoring.clone() });
            StepTimes::watch(&running.times, app);
        });
        simulation.start();
        let world = simulation.world_mut();
        let mut bodies = world.query_filtered::<Entity, With<Body>>();
        if let Some(body) = bodies.iter(world).next() {
            running.world = Some((simulation, body));
        }
    }

    fn observe(&mut self, look: &mut dyn FnMut(&Observation<'_>, &mut Privileged<'_>)) {
        let Some(running) = &mut self.episode else { return };
        let Some((simulation, body)) = &mut running.world else { return };
        let world = simulation.world_mut();
        let Some(&Body { state, start }) = world.get::<Body>(*body) else { return };
        let step = u32::try_from(world.resource::<StepCount>().0).unwrap_or(u32::MAX);
        let motion = world.resource::<Motion>().0;
        let goal = match &running.goal {
            Goal::Point { .. } => {
                running.points.points.first().map(|&goal| point_goal(&state.pose, goal))
            }
            Goal::Object { .. } => None,
        };
        world.resource_scope(|world, mut navigation: Mut<'_, Navigation>| {
            // What was drawn steps ago is nothing that one could see now.
            let eyes = world.get_resource::<Eyes>().filter(|eyes| !eyes.closed);
            let observation = Observation {
                step,
                frames: eyes.map_or(&[], |eyes| &eyes.frames),
                cameras: eyes.map_or(&[], |eyes| &eyes.cameras),
                detections: eyes.map_or(&[], |eyes| &eyes.detections),
                position: relative_position(&start, state.pose.position),
                compass: compass(&start, &state.pose),
                tilt_rad: f64::from(state.tilt) * motion.tilt_rad,
                collided: state.collided,
                point_goal: goal,
            };
            let mut privileged = Privileged::new(
                &mut navigation.0,
                state.pose,
                &running.points.points,
                running.rule.distance_m,
                motion.sliding,
            );
            look(&observation, &mut privileged);
        });
    }

    fn step(&mut self, action: Action) {
        let Some((simulation, _)) = self.episode.as_mut().and_then(|running| running.world.as_mut())
        else {
            return;
        };
        simulation.world_mut().resource_mut::<PendingAction>().0 = Some(action);
        simulation.step();
    }

    fn furnish(&mut self, renderer: &Arc<Renderer>, moved: &Moved) {
        self.furnished = Some((Arc::clone(renderer), moved.clone()));
        if let Some((simulation, _)) = self.episode.as_mut().and_then(|running| running.world.as_mut()) {
            let world = simulation.world_mut();
            set_renderer(world, Arc::clone(renderer));
            world.insert_resource(MovedInstances(moved.clone()));
        }
    }

    fn look_next(&mut self, on: bool) {
        let world = self.episode.as_mut().and_then(|running| running.world.as_mut());
        if let Some((simulation, _)) = world
            && let Some(mut eyes) = simulation.world_mut().get_resource_mut::<Eyes>()
        {
            eyes.closed = !on;
        }
    }

    fn time_next_step(&mut self, on: bool) {
        if let Some(running) = &self.episode {
            running.times.switch(on);
        }
    }

    fn spent(&mut self) -> Spent {
        self.episode.as_ref().map_or_else(Spent::default, |running| running.times.take())
    }

    fn outcome(&mut self) -> Outcome {
        let Some(running) = &mut self.episode else { return nothing() };
        let metrics = running.metrics();
        let pose = running
            .world
            .as_ref()
            .and_then(|(simulation, body)| simulation.world().get::<Body>(*body))
            .map_or_else(|| running.episode.start_pose(), |body| body.state.pose);
        Outcome::of(&metrics, &pose)
    }

    fn snapshot(&mut self) -> Snapshot {
        let Some(running) = &mut self.episode else {
            let Outcome { scores, end, .. } = nothing();
            let heading = Heading::from_yaw(end.yaw);
            let pose = Pose { position: Vec3::from_array(end.position), heading };
            return Snapshot { body: BodyState::at(pose), tilt_rad: 0.0, scores, spl_if_stopped: 0.0 };
        };
        let metrics = running.metrics();
        let world = running.world.as_ref().map(|(simulation, body)| (simulation.world(), *body));
        let body = world
            .and_then(|(world, body)| world.get::<Body>(body))
            .map_or_else(|| BodyState::at(running.episode.start_pose()), |body| body.state);
        let motion = world.and_then(|(world, _)| world.get_resource::<Motion>());
        let tilt_rad = motion.map_or(0.0, |motion| f64::from(body.tilt) * motion.0.tilt_rad);
        Snapshot::of(&metrics, body, tilt_rad)
    }
}

/// The outcome of no episode: `outcome` was called without a `reset` that succeeded.
fn nothing() -> Outcome {
    let scores = Scores {
        success: 0.0,
        spl: 0.0,
        soft_spl: 0.0,
        distance_to_goal: None,
        path_length_m: 0.0,
        shortest_path_m: 0.0,
        collisions: 0,
    };
    let end = FinalPose { position: [0.0; 3], yaw: 0.0 };
    Outcome { scores, extra: BTreeMap::new(), success_rule: String::new(), end }
}

/// The cameras with only the outputs that are needed, of those that they deliver.
fn wanted(cameras: &[CameraSpec], needs: Needs) -> Vec<CameraSpec> {
    let of = |camera: &CameraSpec| {
        let delivers = camera.outputs;
        let outputs = Outputs {
            rgb: delivers.rgb && needs.rgb,
            depth: delivers.depth && (needs.depth || needs.detections),
            instance: delivers.instance && (needs.instance || needs.detections),
            category: delivers.category && (needs.category || needs.detections),
        };
        CameraSpec { outputs, ..camera.clone() }
    };
    cameras.iter().map(of).collect()
}
