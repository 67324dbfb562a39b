//! Whole navigation episodes: real navmesh, body, metrics and agents on a flat floor, without a
//! renderer; agents and simulations that break harm their episode alone.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ambler_agent::*;
use ambler_body::{Action, BodyPreset, BodyState, Locomotion};
use ambler_episode::{Episode, EpisodeSet, MetricsTracker, QueryDistance, SuccessRule, Task};
use ambler_evaluate::*;
use ambler_geometry::{Pose, Vec3};
use ambler_navmesh::{GoalSet, NavMesh, NavMeshSettings, NavQuery};
use common::promised;

/// Two floors of 8 m × 8 m, 4 m apart: no path from one to the other.
fn mesh() -> Arc<NavMesh> {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for x in [0.0, 12.0] {
        let first = vertices.len() as u32;
        for (dx, z) in [(0.0, 0.0), (0.0, 8.0), (8.0, 8.0), (8.0, 0.0)] {
            vertices.push(Vec3::new(x + dx, 0.0, z));
        }
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    Arc::new(
        NavMesh::build(&vertices, &triangles, &NavMeshSettings::for_body(1.41, 0.17)).expect("a floor"),
    )
}

/// Point goals on the navmesh; every third asks for the other floor.
fn set(count: u64) -> EpisodeSet {
    let mut query = NavQuery::new(mesh());
    let mut stream = ambler_geometry::random::Stream::new(2, "test", "episodes");
    let mut point = |floor: f64| {
        let point =
            Vec3::new((floor + stream.range(0.6, 7.4)) as f32, 0.0, stream.range(0.6, 7.4) as f32);
        query.snap(point).expect("on the floor").point
    };
    let episodes = (0..count)
        .map(|index| {
            let goal = point(if index % 3 == 2 { 12.0 } else { 0.0 });
            let scene = ["rooms/one.glb", "rooms/two.glb"][index as usize % 2];
            Episode::new(
                (index / 2).to_string(),
                scene,
                point(0.0),
                [0.0, 0.0, 0.0, 1.0],
                Task::point(goal, None),
            )
            .expect("an episode")
        })
        .collect();
    EpisodeSet::new(episodes)
}

struct Floor {
    body: BodyPreset,
    query: NavQuery,
    run: Option<(Arc<Episode>, Pose, BodyState, GoalSet, Vec<Vec3>, MetricsTracker)>,
    goal: Goal,
    panic_at: Option<u64>,
    steps: u64,
}

impl Simulation for Floor {
    fn reset(&mut self, episode: &Arc<Episode>) -> Result<(), String> {
        let rule = SuccessRule::for_task(&episode.task);
        let points = episode.measured_points(rule.to);
        let goals = self.query.prepare_goals(&points.points);
        let pose = episode.start_pose();
        let mut measure = QueryDistance { query: &mut self.query, goals: &goals };
        let tracker = MetricsTracker::start(&rule, &points, pose.position, &mut measure)
            .map_err(|invalid| invalid.to_string())?;
        self.goal = Goal::Point { success_distance_m: rule.distance_m };
        self.steps = 0;
        self.run = Some((Arc::clone(episode), pose, BodyState::at(pose), goals, points.points, tracker));
        Ok(())
    }

    fn begin(&mut self, begin: &mut dyn FnMut(&EpisodeContext<'_>)) {
        let (episode, ..) = self.run.as_ref().expect("reset");
        let identity = episode.identity.to_string();
        begin(&EpisodeContext {
            run_seed: 3,
            identity: &identity,
            ..EpisodeContext::new(&self.body, &self.goal)
        });
    }

    fn provide(&mut self, _needs: Needs) {}

    fn observe(&mut self, look: &mut dyn FnMut(&Observation<'_>, &mut Privileged<'_>)) {
        let (_, start, state, _, points, _) = self.run.as_ref().expect("reset");
        let mut privileged = Privileged::new(&mut self.query, state.pose, points, 0.2, false);
        look(&Observation::at(start, &state.pose), &mut privileged);
    }

    fn step(&mut self, action: Action) {
        self.steps += 1;
        if self.panic_at == Some(self.steps) {
            panic!("a wall fell over");
        }
        let (_, _, state, goals, _, tracker) = self.run.as_mut().expect("reset");
        Locomotion::from(&self.body).apply(state, action, &mut self.query);
        let mut measure = QueryDistance { query: &mut self.query, goals };
        tracker.update(state.pose.position, state.collided, action == Action::Stop, &mut measure);
    }

    fn outcome(&mut self) -> Outcome {
        let (_, _, state, _, _, tracker) = self.run.as_ref().expect("reset");
        Outcome::of(&tracker.metrics(), &state.pose)
    }
}

struct Floors {
    mesh: Arc<NavMesh>,
    made: AtomicU64,
    panic_at: Option<u64>,
    missing: Option<&'static str>,
}

impl Floors {
    fn new() -> Self {
        Self { mesh: mesh(), made: AtomicU64::new(0), panic_at: None, missing: None }
    }
}

impl SimulationFactory for Floors {
    fn create(&self, scene: &str) -> Result<Box<dyn Simulation>, String> {
        if self.missing == Some(scene) {
            return Err(format!("no scene {scene}"));
        }
        self.made.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Floor {
            body: BodyPreset::named("stretch").expect("the default body"),
            query: NavQuery::new(Arc::clone(&self.mesh)),
            run: None,
            goal: Goal::Point { success_distance_m: 0.2 },
            panic_at: self.panic_at,
            steps: 0,
        }))
    }
}

fn run(
    set: &EpisodeSet,
    floors: &Floors,
    policies: &dyn PolicyFactory,
    workers: usize,
    order_seed: Option<u64>,
) -> (Summary, [Vec<u8>; 3], Vec<EpisodeRecord>) {
    let plan = Plan::select(plan_entries(set), &Selection::default()).expect("a plan");
    let manifest = Manifest::new("0.1.0", 3).with("agent", policies.name()).with_plan(&plan);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut run = RunFolder::open(folder.path(), &manifest, OpenMode::Resume).expect("opened");
    let limits = Limits { max_steps: 60 };
    let make = || -> Result<Box<dyn Worker + '_>, String> {
        Ok(Box::new(NavigationWorker::new(&set.episodes, floors, policies, limits)?))
    };
    let options = ExecuteOptions { workers, order_seed, stop: None };
    let done = execute(&plan, &mut run, &options, &make, &mut Silent).expect("a run");
    let summary = run.finish(&plan, &done.timing).expect("results");
    let records = read_run(folder.path()).expect("readable").records;
    (summary, promised(folder.path()), records)
}

fn policies(name: &str) -> Box<dyn PolicyFactory> {
    make_policy(name, &PolicyOptions::default()).expect("a policy")
}

#[test]
fn the_oracle_reaches_every_goal_of_its_floor() {
    let (summary, _, records) = run(&set(9), &Floors::new(), policies("oracle").as_ref(), 2, None);
    assert_eq!((summary.overall.episodes, summary.overall.valid, summary.overall.invalid), (9, 6, 3));
    assert_eq!(summary.overall.mean("success"), Some(1.0), "{:?}", summary.reasons);
    assert!(summary.overall.mean("spl").is_some_and(|spl| spl > 0.9));
    assert_eq!(summary.overall.privileged, 6);
    assert_eq!(summary.success_rules, ["pointnav"]);
    assert!(summary.reasons[0].reason.contains("no goal can be reached"), "{:?}", summary.reasons);
    let done = records.iter().find(|record| record.status == Status::Done).expect("one");
    assert!(done.actions.ends_with('S') && done.stop_called && done.end.is_some());
    assert_eq!(done.actions.len() as u64, done.steps);
}

#[test]
fn results_do_not_depend_on_workers_and_order() {
    for (name, episodes) in [("random", 24), ("greedy", 12)] {
        let set = set(episodes);
        let policies = policies(name);
        let (_, expected, records) = run(&set, &Floors::new(), policies.as_ref(), 1, None);
        assert!(name == "greedy" || records.iter().all(|record| !record.privileged));
        for (workers, order) in [(2, None), (4, Some(1)), (1, Some(2))] {
            let (_, bytes, _) = run(&set, &Floors::new(), policies.as_ref(), workers, order);
            assert!(bytes == expected, "{name}: {workers} workers, order {order:?}");
        }
    }
}

#[test]
fn an_episode_without_a_stop_ends_at_the_limit_without_success() {
    let (summary, _, records) = run(&set(6), &Floors::new(), policies("forward").as_ref(), 1, None);
    assert_eq!(summary.overall.mean("success"), Some(0.0));
    for record in records.iter().filter(|record| record.valid()) {
        assert_eq!(record.steps == 60, !record.stop_called, "{record:?}");
    }
}

#[test]
fn a_worker_changes_its_scene_once() {
    let floors = Floors::new();
    run(&set(24), &floors, policies("random").as_ref(), 1, None);
    assert_eq!(floors.made.load(Ordering::SeqCst), 2);
}

#[test]
fn a_missing_scene_makes_its_episodes_invalid() {
    let floors = Floors { missing: Some("rooms/two.glb"), ..Floors::new() };
    let (summary, ..) = run(&set(12), &floors, policies("oracle").as_ref(), 1, None);
    let reason = summary.reasons.iter().find(|reason| reason.reason.contains("no scene rooms/two.glb"));
    assert_eq!(reason.map(|reason| (reason.status, reason.episodes)), Some((Status::Invalid, 6)));
}

#[test]
fn a_panicking_simulation_is_a_fault_and_is_made_anew() {
    let floors = Floors { panic_at: Some(3), ..Floors::new() };
    let (summary, _, records) = run(&set(6), &floors, policies("forward").as_ref(), 1, None);
    assert_eq!((summary.overall.valid, summary.overall.faults, summary.overall.invalid), (0, 4, 2));
    let fault = records.iter().find(|record| record.status == Status::Fault).expect("one");
    assert_eq!(fault.reason.as_deref(), Some("the simulation panicked: a wall fell over"));
    assert_eq!(fault.actions, "FFF", "what was done before is kept");
    assert_eq!(
        floors.made.load(Ordering::SeqCst),
        5,
        "one anew after each fault but the last of the run"
    );
}

/// Panics, gives up or refuses in every second episode; else it walks.
struct Moody {
    episodes: Arc<AtomicU64>,
    how: &'static str,
    bad: bool,
    steps: u32,
}

impl Policy for Moody {
    fn name(&self) -> &str {
        "moody"
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn reset(&mut self, _: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.steps = 0;
        self.bad = self.episodes.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
        if self.bad && self.how == "refuses" {
            return Err(PolicyError::Failed { reason: "not today".to_owned() });
        }
        Ok(())
    }

    fn act(&mut self, _: &Observation<'_>, _: &mut Privileged<'_>) -> Result<Action, PolicyError> {
        self.steps += 1;
        match (self.bad && self.steps == 3, self.how) {
            (true, "panics") => panic!("index out of bounds"),
            (true, "crashes") => Err(PolicyError::Crashed { reason: "exit status 1".to_owned() }),
            _ => Ok(if self.steps < 6 { Action::MoveForward } else { Action::Stop }),
        }
    }
}

struct Moodies(Arc<AtomicU64>, &'static str);

impl PolicyFactory for Moodies {
    fn name(&self) -> &str {
        "moody"
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::new(Moody { episodes: Arc::clone(&self.0), how: self.1, bad: false, steps: 0 }))
    }
}

#[test]
fn an_agent_that_breaks_costs_its_episode_and_counts_as_no_success() {
    for (how, part, steps) in [
        ("panics", "index out of bounds", 2),
        ("crashes", "exit status 1", 2),
        ("refuses", "not today", 0),
    ] {
        let floors = Floors::new();
        let (summary, _, records) = run(&set(12), &floors, &Moodies(Arc::default(), how), 1, None);
        assert_eq!(
            (summary.overall.valid, summary.overall.failed, summary.overall.faults),
            (8, 4, 0),
            "{how}"
        );
        for record in records.iter().filter(|record| record.status == Status::Failed) {
            assert!(record.reason.as_ref().is_some_and(|reason| reason.contains(part)), "{record:?}");
            let scores = record.scores.as_ref().expect("scores");
            assert_eq!((scores.success, scores.spl, scores.soft_spl), (0.0, 0.0, 0.0));
            assert!(scores.distance_to_goal.is_some());
            assert_eq!(record.steps, steps, "{how}");
        }
        assert_eq!(floors.made.load(Ordering::SeqCst), 2, "the simulation is none the worse");
    }
}
