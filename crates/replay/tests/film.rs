//! A scan, an agent that sees: its log holds when simulated again with every image, and makes a film.
//! With AMBLER_KEEP=FOLDER logs and films are kept there to look at.

mod common;

use ambler_agent::*;
use ambler_body::{Action, BodyPreset, BodyState, Locomotion};
use ambler_episode::{Episode, MetricsTracker, QueryDistance, SuccessRule, Task, read_episodes};
use ambler_evaluate::*;
use ambler_geometry::Pose;
use ambler_navmesh::{GoalSet, NavMesh, NavQuery};
use ambler_replay::video::{Director, HEIGHT, Scenery, WIDTH, film};
use ambler_replay::*;
use ambler_scene::{ReadOptions, SceneModel, read_scene};
use ambler_sensor::{CameraSpec, Detection, Frame, Outputs, Renderer, detect};
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Running {
    start: Pose,
    state: BodyState,
    goals: GoalSet,
    points: Vec<ambler_geometry::Vec3>,
    tracker: MetricsTracker,
    steps: u32,
    identity: String,
    goal: Goal,
    needs: Needs,
    frames: Vec<Frame>,
    detections: Vec<Vec<Detection>>,
}

/// A body with a camera in a scan.
struct Scan {
    scene: Arc<SceneModel>,
    renderer: Renderer,
    query: NavQuery,
    body: BodyPreset,
    cameras: Vec<CameraSpec>,
    run: Option<Running>,
}

impl Scan {
    fn new(scene: Arc<SceneModel>, mesh: Arc<NavMesh>) -> Self {
        let renderer = Renderer::new(Arc::clone(&scene));
        let body = BodyPreset::named("stretch").expect("the default body");
        let cameras = vec![CameraSpec::default()];
        Self { scene, renderer, query: NavQuery::new(mesh), body, cameras, run: None }
    }

    fn run(&mut self) -> &mut Running {
        self.run.as_mut().expect("reset")
    }

    fn tilt_rad(&self) -> f64 {
        let tilt = self.run.as_ref().expect("reset").state.tilt;
        f64::from(tilt) * Locomotion::from(&self.body).tilt_rad
    }

    fn draw(&mut self) {
        let tilt = self.tilt_rad();
        let run = self.run.as_mut().expect("reset");
        if !run.needs.sensors() {
            return;
        }
        let outputs = Outputs { rgb: false, depth: true, instance: true, category: true };
        let camera = CameraSpec { outputs, ..self.cameras[0].clone() };
        let view = camera.world_from_camera(&run.state.pose, tilt);
        run.frames.resize(1, Frame::default());
        self.renderer.render(&camera, &view, &mut run.frames[0]).expect("drawn");
        run.detections = vec![detect(&self.scene, &run.frames[0], &camera, 25)];
    }
}

impl Simulation for Scan {
    fn reset(&mut self, episode: &Arc<Episode>) -> Result<(), String> {
        let rule = SuccessRule::for_task(&episode.task);
        let points = episode.measured_points(rule.to);
        let goals = self.query.prepare_goals(&points.points);
        let start = episode.start_pose();
        let mut measure = QueryDistance { query: &mut self.query, goals: &goals };
        let tracker = MetricsTracker::start(&rule, &points, start.position, &mut measure)
            .map_err(|invalid| invalid.to_string())?;
        let goal = match &episode.task {
            Task::PointNav { .. } => Goal::Point { success_distance_m: rule.distance_m },
            task => Goal::Object { category: task.category().to_owned(), also: Vec::new() },
        };
        self.run = Some(Running {
            start,
            state: BodyState::at(start),
            goals,
            points: points.points,
            tracker,
            steps: 0,
            identity: episode.identity.to_string(),
            goal,
            needs: Needs::default(),
            frames: Vec::new(),
            detections: Vec::new(),
        });
        Ok(())
    }

    fn begin(&mut self, begin: &mut dyn FnMut(&EpisodeContext<'_>)) {
        let run = self.run.as_ref().expect("reset");
        begin(&EpisodeContext {
            identity: &run.identity,
            cameras: &self.cameras,
            categories: &self.scene.categories,
            step_limit: 120,
            ..EpisodeContext::new(&self.body, &run.goal)
        });
    }

    fn provide(&mut self, needs: Needs) {
        self.run().needs = needs;
        self.draw();
    }

    fn observe(&mut self, look: &mut dyn FnMut(&Observation<'_>, &mut Privileged<'_>)) {
        let tilt_rad = self.tilt_rad();
        let run = self.run.as_ref().expect("reset");
        let seen = Observation {
            step: run.steps,
            frames: &run.frames,
            cameras: &self.cameras,
            detections: &run.detections,
            tilt_rad,
            collided: run.state.collided,
            point_goal: matches!(run.goal, Goal::Point { .. })
                .then(|| point_goal(&run.state.pose, run.points[0])),
            ..Observation::at(&run.start, &run.state.pose)
        };
        let pose = run.state.pose;
        let mut privileged = Privileged::new(&mut self.query, pose, &run.points, 0.1, false);
        look(&seen, &mut privileged);
    }

    fn step(&mut self, action: Action) {
        let run = self.run.as_mut().expect("reset");
        run.steps += 1;
        Locomotion::from(&self.body).apply(&mut run.state, action, &mut self.query);
        let mut measure = QueryDistance { query: &mut self.query, goals: &run.goals };
        let stop = action == Action::Stop;
        run.tracker.update(run.state.pose.position, run.state.collided, stop, &mut measure);
        self.draw();
    }

    fn outcome(&mut self) -> Outcome {
        let run = self.run();
        Outcome::of(&run.tracker.metrics(), &run.state.pose)
    }

    fn snapshot(&mut self) -> Snapshot {
        let tilt_rad = self.tilt_rad();
        let run = self.run();
        Snapshot::of(&run.tracker.metrics(), run.state, tilt_rad)
    }
}

/// The log of an episode of the shipped scan.
fn log_of(scan: &mut Scan, agent: &str, task: &str, index: usize, folder: &Path) -> (Log, PathBuf) {
    let set = read_episodes(&shipped().join(format!("episodes/{task}.json.gz"))).expect("episodes");
    let entry = plan_entries(&set).remove(index);
    let replays = ReplayFolder::new(folder, Which::All, {
        let (agent, scene) = (agent.to_owned(), scan.scene.fingerprint.clone());
        move |_, episode| Header {
            agent: agent.clone(),
            scene_fingerprint: scene.clone(),
            ..Header::for_episode(episode)
        }
    });
    let mut policy = common::policies(agent).create().expect("a policy");
    let mut watcher = replays.watcher();
    let limits = Limits { max_steps: 120 };
    let episode = &set.episodes[index];
    let watching = Some(watcher.as_mut());
    let ran = run_episode_watched(scan, policy.as_mut(), episode, &entry, &limits, watching);
    drop(watcher);
    assert_eq!(replays.problems(), Vec::<String>::new());
    let alone = run_episode(scan, policy.as_mut(), episode, &entry, &limits);
    assert_eq!(alone.record, ran.record, "who watches changes nothing");
    let file = replays.file(entry.index, &entry.identity);
    (read(&file).expect("a good file"), file)
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/washitsu")
}

fn director<'a>(log: &'a Log, scan: &'a Scan) -> Director<'a> {
    let rule = SuccessRule::for_task(&log.episode.task);
    let goals = log.episode.measured_points(rule.to).points;
    let mut query = scan.query.clone();
    let path = query.find_path_multi(log.episode.start_position, &goals).expect("reachable").0;
    let success_m = rule.distance_m as f32;
    Director::new(log, Scenery { renderer: &scan.renderer, shortest: path.points, goals, success_m })
}

#[test]
fn a_scan_is_seen_again_bit_for_bit_and_makes_a_film() {
    let scene = Arc::new(read_scene(&shipped(), &ReadOptions::default()).expect("the shipped scan"));
    let body = BodyPreset::named("stretch").expect("the default body");
    let (vertices, triangles) = scene.world_triangles();
    let mesh = NavMesh::build(&vertices, &triangles, &body.navmesh_settings()).expect("a floor");
    let mut scan = Scan::new(scene, Arc::new(mesh));
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let kept = std::env::var_os("AMBLER_KEEP").map(PathBuf::from);
    let folder = kept.clone().unwrap_or_else(|| scratch.path().to_path_buf());
    for (agent, task, index) in
        [("frontier", "objectnav", 0), ("greedy", "pointnav", 1), ("frontier", "objectnav", 3)]
    {
        let (log, file) = log_of(&mut scan, agent, task, index, &folder);
        assert_eq!(log.notices, Vec::<String>::new());
        let mut again = resimulate(&mut scan, &log, log.header.clone()).expect("it begins");
        assert!(again.comparison.is_equal(), "{agent}: {:?}", again.comparison);
        assert_eq!(again.steps, log.last_step());
        // Another lens sees something else, from the first step on.
        if agent == "frontier" {
            let lens = ambler_sensor::Projection::Pinhole { hfov_deg: 79.1 };
            let mended = std::mem::replace(&mut scan.cameras[0].projection, lens);
            again = resimulate(&mut scan, &log, log.header.clone()).expect("it begins");
            scan.cameras[0].projection = mended;
            let first = again.comparison.first().expect("a difference");
            assert_eq!((first.kind, first.step), (Kind::Observation, Some(0)));
        }
        let mut director = director(&log, &scan);
        assert_eq!(director.len(), log.steps.len() + 20);
        let first = director.picture(0).expect("drawn");
        assert_eq!((first.width, first.height), (WIDTH, HEIGHT));
        let last = director.picture(director.len() - 1).expect("drawn");
        assert!(first != last && last == director.picture(director.len() - 2).expect("drawn"));
        if kept.is_some() {
            for number in [0, log.steps.len() / 2, log.steps.len() - 1] {
                let picture = director.picture(number).expect("drawn");
                let name = format!("{agent}-{task}-{index}-{number:03}.png");
                picture.write_png(&folder.join(name)).expect("written");
            }
            film(&mut director, &file.with_extension("gif"), &mut |_| {}).expect("a film");
        }
        if kept.is_some() || task == "pointnav" {
            let mut told = 0;
            let out = file.with_extension("mp4");
            film(&mut director, &out, &mut |done| told = done).expect("a film");
            assert_eq!(told, director.len());
            let bytes = std::fs::read(&out).expect("written");
            let at = bytes.windows(4).position(|window| window == b"stsz").expect("a table of sizes");
            let count = u32::from_be_bytes(bytes[at + 12..at + 16].try_into().expect("four bytes"));
            assert_eq!(count as usize, director.len());
        }
    }
}
