//! A small world for the tests of policies: a scene, its navmesh, one camera, Habitat's rules.

use ambler_agent::layers::{Board, Event, Published};
use ambler_agent::{
    EpisodeContext, Goal, KnownHome, Observation, PolicyOptions, Privileged, Recall, base_scene,
    compass, make_policy, plane_seeds, point_goal, relative_position, remember,
};
use ambler_body::{Action, BodyPreset, BodyState, Locomotion};
use ambler_geometry::random::Stream;
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_model::{Knowledge, SceneMemory};
use ambler_navmesh::{NavMesh, NavQuery};
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Frame, Outputs, Renderer, detect};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct World {
    pub(crate) scene: Arc<SceneModel>,
    pub(crate) renderer: Renderer,
    pub(crate) query: NavQuery,
    pub(crate) body: BodyPreset,
    pub(crate) camera: CameraSpec,
    pub(crate) options: PolicyOptions,
}

/// How an episode ended.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) stopped: bool,
    pub(crate) error: Option<String>,
    pub(crate) end: Pose,
    pub(crate) actions: String,
    pub(crate) length_m: f64,
    /// Geodesic distance to the goals at the start and at the end.
    pub(crate) distances_m: (f32, f32),
    pub(crate) collisions: u32,
    /// Time spent in the policy.
    pub(crate) thinking: Duration,
    pub(crate) used_privilege: bool,
    /// What it published, where somebody listened.
    pub(crate) published: Vec<Published>,
    pub(crate) events: Vec<Event>,
}

impl Walk {
    pub(crate) fn success(&self, within_m: f32) -> bool {
        self.stopped && self.distances_m.1 < within_m
    }

    /// Success weighted by path length; 1 for an episode that starts at its goal.
    pub(crate) fn spl(&self, within_m: f32) -> f64 {
        if !self.success(within_m) {
            return 0.0;
        }
        let shortest = f64::from(self.distances_m.0);
        let longer = shortest.max(self.length_m);
        if longer <= 0.0 { 1.0 } else { shortest / longer }
    }
}

/// Time that this thread has run, whatever else the machine does; zero where the system does not tell.
fn time_on_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// What an agent of the default body remembers of a scene, made of its base alone.
pub(crate) fn memory_of(scene: &SceneModel) -> SceneMemory {
    let table = Knowledge::shipped();
    let base = base_scene(scene, &table);
    let body = BodyPreset::named("stretch").unwrap();
    let (vertices, triangles) = base.world_triangles();
    let mesh = NavMesh::build(&vertices, &triangles, &body.navmesh_settings()).unwrap();
    let seeds = plane_seeds(&base, &table).unwrap();
    remember(&base, &seeds, &mut NavQuery::new(Arc::new(mesh)), body.camera_height_m)
}

impl World {
    pub(crate) fn new(scene: SceneModel) -> Self {
        let body = BodyPreset::named("stretch").unwrap();
        let (vertices, triangles) = scene.world_triangles();
        let mesh = NavMesh::build(&vertices, &triangles, &body.navmesh_settings()).unwrap();
        let scene = Arc::new(scene);
        let outputs = Outputs { rgb: false, depth: true, instance: true, category: false };
        let camera = CameraSpec { outputs, ..CameraSpec::default() };
        Self {
            renderer: Renderer::new(scene.clone()),
            scene,
            query: NavQuery::new(Arc::new(mesh)),
            body,
            camera,
            options: PolicyOptions::default(),
        }
    }

    /// The largest island.
    pub(crate) fn island(&self) -> u32 {
        let islands = self.query.mesh().islands();
        let area = |i: &usize| islands[*i].area_m2;
        (0..islands.len()).max_by(|a, b| area(a).total_cmp(&area(b))).unwrap() as u32
    }

    pub(crate) fn random_pose(&mut self, stream: &mut Stream) -> Pose {
        let island = self.island();
        let position = self.query.random_point(stream, Some(island)).unwrap();
        let heading = Heading::from_yaw(stream.range(0.0, std::f64::consts::TAU));
        Pose { position, heading }
    }

    /// Points of a 0.1 m grid on the largest island, within 1 m of an instance's box, from which a
    /// body that faces it (level or looking up or down once) sees it with 0.2 % of its pixels.
    pub(crate) fn view_points(&mut self, id: u32) -> Vec<Vec3> {
        let bounds = self.scene.instance(id).unwrap().bounds;
        let island = self.island();
        let floor = self.query.mesh().bounds().min.y;
        let mut points = Vec::new();
        let steps = |low: f32, high: f32| ((high - low + 2.2) / 0.1) as i32;
        for i in 0..steps(bounds.min.x, bounds.max.x) {
            for j in 0..steps(bounds.min.z, bounds.max.z) {
                let x = bounds.min.x - 1.1 + 0.1 * i as f32;
                let z = bounds.min.z - 1.1 + 0.1 * j as f32;
                let near = Vec3::new(
                    x.clamp(bounds.min.x, bounds.max.x),
                    0.0,
                    z.clamp(bounds.min.z, bounds.max.z),
                );
                let (dx, dz) = (near.x - x, near.z - z);
                if dx * dx + dz * dz > 1.0 {
                    continue;
                }
                let Ok(snap) = self.query.snap(Vec3::new(x, floor, z)) else { continue };
                let off = snap.point - Vec3::new(x, snap.point.y, z);
                if off.length() > 0.01 || snap.island != island {
                    continue;
                }
                let middle = bounds.center();
                let yaw = libm::atan2(f64::from(x - middle.x), f64::from(z - middle.z));
                let pose = Pose { position: snap.point, heading: Heading::from_yaw(yaw) };
                if [0.0, -std::f64::consts::FRAC_PI_6, std::f64::consts::FRAC_PI_6]
                    .iter()
                    .any(|&tilt| self.sees(&pose, tilt, id))
                {
                    points.push(snap.point);
                }
            }
        }
        points
    }

    fn sees(&self, pose: &Pose, tilt: f64, id: u32) -> bool {
        let camera = CameraSpec { width: 64, height: 64, ..self.camera.clone() };
        let mut frame = Frame::default();
        self.renderer.render(&camera, &camera.world_from_camera(pose, tilt), &mut frame).unwrap();
        frame.instance.iter().filter(|&&pixel| pixel == id).count() >= 8
    }

    /// Runs one episode: to a category's viewpoints, or to a point.
    pub(crate) fn walk(
        &mut self,
        agent: &str,
        start: Pose,
        goal: &Goal,
        goals: &[Vec3],
        seed: u64,
    ) -> Walk {
        self.listen(agent, start, goal, goals, seed, None)
    }

    /// The same while somebody listens to what the agent thinks.
    pub(crate) fn listen(
        &mut self,
        agent: &str,
        start: Pose,
        goal: &Goal,
        goals: &[Vec3],
        seed: u64,
        mut board: Option<Board>,
    ) -> Walk {
        let factory = make_policy(agent, &self.options).unwrap();
        let mut policy = factory.create().unwrap();
        let cameras = [self.camera.clone()];
        let success_m = match goal {
            Goal::Point { success_distance_m } => *success_distance_m,
            Goal::Object { .. } => 0.1,
        };
        let scene = self.scene.clone();
        let memory = std::cell::OnceCell::new();
        let recall = || {
            let memory: &Arc<SceneMemory> = memory.get_or_init(|| Arc::new(memory_of(&self.scene)));
            Ok(KnownHome { memory: Arc::clone(memory), start })
        };
        let context = EpisodeContext {
            home: Some(Recall(&recall)),
            run_seed: seed,
            identity: "episode",
            cameras: &cameras,
            categories: &scene.categories,
            ..EpisodeContext::new(&self.body, goal)
        };
        policy.reset(&context).unwrap();
        let needs = policy.needs();
        let body = Locomotion::from(&self.body);
        let mut state = BodyState::at(start);
        let mut frames = [Frame::default()];
        let mut walk = Walk {
            stopped: false,
            error: None,
            end: start,
            actions: String::new(),
            length_m: 0.0,
            distances_m: (self.distance(start.position, goals), f32::INFINITY),
            collisions: 0,
            thinking: Duration::ZERO,
            used_privilege: false,
            published: Vec::new(),
            events: Vec::new(),
        };
        for step in 0..500 {
            let tilt_rad = f64::from(state.tilt) * body.tilt_rad;
            let mut detections = Vec::new();
            if needs.sensors() {
                let at = self.camera.world_from_camera(&state.pose, tilt_rad);
                self.renderer.render(&self.camera, &at, &mut frames[0]).unwrap();
                if needs.detections {
                    detections.push(detect(&self.scene, &frames[0], &self.camera, 1));
                }
            }
            let seen = Observation {
                step,
                frames: &frames,
                cameras: &cameras,
                detections: &detections,
                position: relative_position(&start, state.pose.position),
                compass: compass(&start, &state.pose),
                tilt_rad,
                collided: state.collided,
                point_goal: matches!(goal, Goal::Point { .. })
                    .then(|| point_goal(&state.pose, goals[0])),
            };
            let mut query = self.query.clone();
            let began = time_on_cpu();
            let mut privileged =
                Privileged::new(&mut query, state.pose, goals, success_m, self.body.sliding);
            let answer = policy.act(&seen, &mut privileged);
            walk.used_privilege |= privileged.used();
            walk.thinking += time_on_cpu().saturating_sub(began);
            let action = match answer {
                Ok(action) => action,
                Err(error) => {
                    walk.error = Some(error.to_string());
                    break;
                }
            };
            if let Some(board) = &mut board {
                board.next_step();
                policy.publish(&seen, action, board);
                walk.published.extend(board.take_layers());
                walk.events.extend(board.take_events());
            }
            walk.actions.push(action.letter());
            let before = state.pose.position;
            body.apply(&mut state, action, &mut self.query);
            walk.length_m += f64::from(before.distance(state.pose.position));
            walk.collisions += u32::from(state.collided);
            if action == Action::Stop {
                walk.stopped = true;
                break;
            }
        }
        walk.end = state.pose;
        walk.distances_m.1 = self.distance(state.pose.position, goals);
        walk
    }

    fn distance(&mut self, at: Vec3, goals: &[Vec3]) -> f32 {
        self.query.geodesic_multi(at, goals).map_or(f32::INFINITY, |(distance, _)| distance)
    }
}
