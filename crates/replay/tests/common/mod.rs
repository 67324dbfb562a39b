//! A flat floor with real navmesh, body and measures, and no renderer; and a log with every kind of
//! layer.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use ambler_agent::layers::*;
use ambler_agent::*;
use ambler_body::{Action, BodyPreset, BodyState, Locomotion};
use ambler_episode::{Episode, EpisodeSet, MetricsTracker, QueryDistance, SuccessRule, Task};
use ambler_evaluate::*;
use ambler_geometry::{Aabb, Heading, Pose, Quat, Vec3};
use ambler_navmesh::{GoalSet, NavMesh, NavMeshSettings, NavQuery};
use ambler_replay::{Header, Log, Recorder};
use std::sync::Arc;

/// A floor of 8 m × 8 m.
pub fn mesh() -> Arc<NavMesh> {
    let corners = [(0.0, 0.0), (0.0, 8.0), (8.0, 8.0), (8.0, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let settings = NavMeshSettings::for_body(1.41, 0.17);
    Arc::new(NavMesh::build(&corners, &[[0, 1, 2], [0, 2, 3]], &settings).expect("a floor"))
}

/// Point goals on the floor; every fourth lies off it.
pub fn set(count: u64) -> EpisodeSet {
    let mut query = NavQuery::new(mesh());
    let mut stream = ambler_geometry::random::Stream::new(2, "test", "episodes");
    let mut point = || {
        let point = Vec3::new(stream.range(0.6, 7.4) as f32, 0.0, stream.range(0.6, 7.4) as f32);
        query.snap(point).expect("on the floor").point
    };
    let episodes = (0..count)
        .map(|index| {
            let goal = if index % 4 == 3 { Vec3::new(90.0, 0.0, 0.0) } else { point() };
            let scene = ["rooms/one.glb", "rooms/two.glb"][index as usize % 2];
            let task = Task::point(goal, None);
            Episode::new((index / 2).to_string(), scene, point(), [0.0, 0.6, 0.0, 0.8], task)
                .expect("an episode")
        })
        .collect();
    EpisodeSet::new(episodes)
}

struct Running {
    episode: Arc<Episode>,
    start: Pose,
    state: BodyState,
    goals: GoalSet,
    points: Vec<Vec3>,
    tracker: MetricsTracker,
    steps: u32,
}

/// The simulation of an episode. `shift_at`: a fault that moves the body by a hair in a step.
pub struct Floor {
    pub body: BodyPreset,
    pub query: NavQuery,
    pub shift_at: Option<u32>,
    goal: Goal,
    run: Option<Running>,
}

impl Floor {
    pub fn new(mesh: &Arc<NavMesh>) -> Self {
        Self {
            body: BodyPreset::named("stretch").expect("the default body"),
            query: NavQuery::new(Arc::clone(mesh)),
            shift_at: None,
            goal: Goal::Point { success_distance_m: 0.2 },
            run: None,
        }
    }

    fn run(&mut self) -> &mut Running {
        self.run.as_mut().expect("reset")
    }
}

impl Simulation for Floor {
    fn reset(&mut self, episode: &Arc<Episode>) -> Result<(), String> {
        let rule = SuccessRule::for_task(&episode.task);
        let points = episode.measured_points(rule.to);
        let goals = self.query.prepare_goals(&points.points);
        let start = episode.start_pose();
        let mut measure = QueryDistance { query: &mut self.query, goals: &goals };
        let tracker = MetricsTracker::start(&rule, &points, start.position, &mut measure)
            .map_err(|invalid| invalid.to_string())?;
        let (episode, state, points) = (Arc::clone(episode), BodyState::at(start), points.points);
        self.run = Some(Running { episode, start, state, goals, points, tracker, steps: 0 });
        Ok(())
    }

    fn begin(&mut self, begin: &mut dyn FnMut(&EpisodeContext<'_>)) {
        let identity = self.run().episode.identity.to_string();
        begin(&EpisodeContext {
            run_seed: 3,
            identity: &identity,
            step_limit: 60,
            ..EpisodeContext::new(&self.body, &self.goal)
        });
    }

    fn provide(&mut self, _needs: Needs) {}

    fn observe(&mut self, look: &mut dyn FnMut(&Observation<'_>, &mut Privileged<'_>)) {
        let Running { start, state, points, steps, .. } = self.run.as_ref().expect("reset");
        let mut seen = Observation::at(start, &state.pose);
        seen.step = *steps;
        seen.collided = state.collided;
        seen.point_goal = Some(point_goal(&state.pose, points[0]));
        let mut privileged = Privileged::new(&mut self.query, state.pose, points, 0.2, false);
        look(&seen, &mut privileged);
    }

    fn step(&mut self, action: Action) {
        let run = self.run.as_mut().expect("reset");
        run.steps += 1;
        Locomotion::from(&self.body).apply(&mut run.state, action, &mut self.query);
        if self.shift_at == Some(run.steps) {
            run.state.pose.position.x += 1e-6;
        }
        let mut measure = QueryDistance { query: &mut self.query, goals: &run.goals };
        let stop = action == Action::Stop;
        run.tracker.update(run.state.pose.position, run.state.collided, stop, &mut measure);
    }

    fn outcome(&mut self) -> Outcome {
        let run = self.run();
        Outcome::of(&run.tracker.metrics(), &run.state.pose)
    }

    fn snapshot(&mut self) -> Snapshot {
        let run = self.run();
        Snapshot::of(&run.tracker.metrics(), run.state, 0.0)
    }
}

pub struct Floors(pub Arc<NavMesh>);

impl SimulationFactory for Floors {
    fn create(&self, _scene: &str) -> Result<Box<dyn Simulation>, String> {
        Ok(Box::new(Floor::new(&self.0)))
    }
}

pub fn policies(name: &str) -> Box<dyn PolicyFactory> {
    make_policy(name, &PolicyOptions::default()).expect("a policy")
}

/// One of each kind of layer, with awkward numbers.
pub fn zoo() -> Vec<(&'static str, Layer)> {
    let points = vec![Vec3::new(0.1, -0.0, 1e-30), Vec3::new(-2.5, 1.0 / 3.0, 7.0)];
    let heading = Heading { start_yaw: 0.3, turns: 5, per_circle: 12 };
    vec![
        (
            "zoo/grid",
            Layer::Grid(Grid {
                corner: Vec3::new(-1.0, 0.02, 2.5),
                cell_m: 0.05,
                cols: 3,
                rows: 2,
                values: Cells::F32(vec![0.0, f32::NAN, -0.0, 1.0 / 3.0, 1e-40, f32::INFINITY].into()),
                kind: GridKind::Label(vec!["a".into(), "ü".into()]),
                range: Some([0.0, 1.0]),
            }),
        ),
        (
            "zoo/small grid",
            Layer::Grid(Grid {
                corner: Vec3::ZERO,
                cell_m: 0.25,
                cols: 2,
                rows: 1,
                values: Cells::U8(vec![100, 255].into()),
                kind: GridKind::Occupancy,
                range: None,
            }),
        ),
        (
            "zoo/points",
            Layer::Points(Points {
                positions: points.clone(),
                scores: vec![0.1, -1.0],
                labels: vec!["one".into(), String::new()],
                radius_m: Some(0.05),
            }),
        ),
        (
            "zoo/paths",
            Layer::Paths(Paths {
                lines: vec![Line {
                    positions: points,
                    score: Some(-0.25),
                    label: "way".into(),
                    chosen: true,
                }],
                role: PathRole::Shortest,
                closed: true,
            }),
        ),
        (
            "zoo/boxes3",
            Layer::Boxes3(vec![Box3 {
                bounds: Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, 2.0, 0.1) },
                rotation: Quat::from_xyzw(0.0, 0.6, 0.0, 0.8),
                label: "chair".into(),
                score: Some(0.83),
                instance: Some(12),
            }]),
        ),
        (
            "zoo/boxes2",
            Layer::Boxes2(Boxes2 {
                camera: "front".into(),
                boxes: vec![Box2 {
                    pixels: [1, 2, 30, 40],
                    label: "bed".into(),
                    score: None,
                    wanted: true,
                }],
            }),
        ),
        (
            "zoo/poses",
            Layer::Poses(Poses {
                poses: vec![Pose { position: Vec3::ONE, heading }],
                labels: vec!["here".into()],
                scores: vec![2.0],
                shape: PoseShape::Frustum,
            }),
        ),
        (
            "zoo/image",
            Layer::Image(Image {
                camera: None,
                width: 2,
                height: 1,
                pixels: Pixels::Rgb8(vec![0, 1, 2, 253, 254, 255].into()),
            }),
        ),
        (
            "zoo/heat",
            Layer::Image(Image {
                camera: Some("front".into()),
                width: 1,
                height: 2,
                pixels: Pixels::F32(vec![0.5, f32::NAN].into()),
            }),
        ),
        (
            "zoo/ranked",
            Layer::Ranked(Ranked {
                title: "options".into(),
                candidates: vec![Candidate {
                    label: "left".into(),
                    score: 0.1 + 0.2,
                    chosen: true,
                    shown_at: Some(("zoo/points".into(), 1)),
                }],
            }),
        ),
        (
            "zoo/text",
            Layer::Text(Text { text: "yes\n\"no\"".into(), prompt: "?".into(), model: "m".into() }),
        ),
        ("zoo/scalar", Layer::Scalar(Scalar { value: 1e-300 })),
    ]
}

pub fn snapshot(step: u32) -> Snapshot {
    let heading = Heading { start_yaw: 0.1, turns: step as i32 % 12, per_circle: 12 };
    let pose = Pose { position: Vec3::new(step as f32 * 0.1, 0.2, -1.0), heading };
    let scores = Scores {
        success: 0.0,
        spl: 0.0,
        soft_spl: 1.0 / 3.0,
        distance_to_goal: (step != 2).then_some(3.0 - f64::from(step) * 0.1),
        path_length_m: f64::from(step) * 0.1,
        shortest_path_m: 3.0,
        collisions: u64::from(step / 2),
    };
    let body = BodyState { pose, tilt: -1, collided: step == 2 };
    Snapshot { body, tilt_rad: -0.5, scores, spl_if_stopped: 0.0 }
}

/// A log of five steps with every kind of layer in its second, and a record.
pub fn zoo_log() -> Log {
    let goal = Task::point(Vec3::new(0.0, 0.0, -3.0), None);
    let episode = Episode::new("7", "zoo", Vec3::ZERO, [0.0, 0.0, 0.0, 1.0], goal).expect("an episode");
    let header = Header { agent: "zoo".into(), ..Header::for_episode(&episode) };
    let episode = Arc::new(episode);
    let entry = plan_entries(&EpisodeSet::new(vec![(*episode).clone()])).remove(0);
    let mut recorder = Recorder::new(header, episode);
    recorder.stepped(None, &snapshot(0));
    for step in 1..5 {
        if step == 2 {
            for (path, layer) in zoo() {
                let schema = Schema { title: path.into(), unit: "m".into(), ..Schema::default() };
                recorder.declare(path, schema);
                recorder.publish(path, Lifetime::UntilReplaced, Frame::Start, layer);
            }
            let event = Event::new(EventKind::Custom("sneeze".into()), "hatschi");
            recorder.event(event.at(Frame::Camera("front".into()), Vec3::new(0.0, 0.1, -1.0)));
        }
        let action = if step == 4 { Action::Stop } else { Action::MoveForward };
        recorder.stepped(Some(action), &snapshot(step));
    }
    let mut record = EpisodeRecord::blank(&entry, Status::Done, None);
    record.scores = Some(snapshot(4).scores);
    record.steps = 4;
    record.actions = "FFFS".into();
    record.stop_called = true;
    recorder.finish(Some(record))
}
