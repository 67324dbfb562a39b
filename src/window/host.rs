//! What the engine thread works with: stages, simulations and policies of this program, and the record of
//! the sitting.

use super::things::Playroom;
use crate::assemble::{HeadlessFactory, StageSettings, StageStore};
use crate::cli::drop as dropping;
use crate::cli::eval::{self, Replays};
use crate::cli::play::PlayArgs;
use crate::exit::Failure;
use crate::settings::Settings;
use ambler_agent::{
    EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyOptions, Privileged, make_policy,
};
use ambler_body::{Action, BodyPreset};
use ambler_episode::generate::obstacles;
use ambler_episode::{Episode, SuccessRule};
use ambler_evaluate::{
    Limits, OpenMode, Plan, RunFolder, Simulation, SimulationFactory, Status, TimedRecord, Timing,
    run_episode_watched,
};
use ambler_scene::library::{Library, LibraryObject};
use ambler_sensor::CameraSpec;
use ambler_session::{Ending, HUMAN, Host, LibraryRow, StageView, Things};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A sitting over episodes.
pub(super) struct PlayHost {
    episodes: Vec<Arc<Episode>>,
    plan: Plan,
    store: Arc<StageStore>,
    factory: HeadlessFactory,
    settings: Settings,
    body: BodyPreset,
    cameras: Vec<CameraSpec>,
    rule: Option<SuccessRule>,
    out: PathBuf,
    manifest: ambler_evaluate::Manifest,
    label_obstacles: bool,
    objects: Objects,
}

/// The library of objects, read when somebody asks.
#[derive(Default)]
pub(super) struct Objects {
    folder: Option<PathBuf>,
    library: Option<Arc<Library>>,
}

impl Objects {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, library: None }
    }

    fn library(&mut self) -> Result<Arc<Library>, String> {
        if let Some(library) = &self.library {
            return Ok(Arc::clone(library));
        }
        let read = dropping::library(self.folder.as_deref()).map_err(|failure| failure.to_string())?;
        Ok(Arc::clone(self.library.insert(Arc::new(read))))
    }

    pub(super) fn rows(&mut self) -> Result<Vec<LibraryRow>, String> {
        let library = self.library()?;
        let row = |object: &LibraryObject| LibraryRow {
            name: object.name.clone(),
            category: object.category.clone(),
        };
        let mut rows: Vec<LibraryRow> = library.objects.iter().map(row).collect();
        rows.sort_by(|a, b| (&a.category, &a.name).cmp(&(&b.category, &b.name)));
        Ok(rows)
    }

    pub(super) fn things(&mut self, stage: &StageView) -> Result<Box<dyn Things>, String> {
        Ok(Box::new(Playroom::new(stage, self.library()?)))
    }
}

impl PlayHost {
    pub(super) fn new(
        args: &PlayArgs,
        settings: Settings,
        episodes: eval::Episodes,
        plan: Plan,
        shown: Vec<Arc<Episode>>,
    ) -> Result<Self, Failure> {
        let body = settings.body()?;
        let rule = eval::success_rule(&settings)?;
        let label_obstacles =
            plan.entries().iter().any(|entry| entry.category.starts_with(obstacles::CATEGORY));
        let stages = StageSettings { label_obstacles, ..StageSettings::new(&settings, &body)? };
        let store = Arc::new(StageStore::new(episodes.roots, stages));
        let factory = HeadlessFactory::new(Arc::clone(&store), &settings, body.clone(), rule.clone())?;
        // Scenes are loaded when they are shown: what they hold does not name the sitting, their names do.
        let manifest = eval::manifest(HUMAN, "", &settings, &episodes.set, &Default::default(), &plan)?;
        let out = args.out.clone().unwrap_or_else(|| eval::default_folder(HUMAN, &manifest));
        Ok(Self {
            episodes: shown,
            plan,
            store,
            factory,
            cameras: settings.cameras(&body)?,
            settings,
            body,
            rule,
            out,
            manifest,
            label_obstacles,
            objects: Objects::new(args.library.clone()),
        })
    }

    /// The first episode that the sitting has not recorded yet.
    pub(super) fn first_open(&self) -> usize {
        if !self.out.exists() {
            return 0;
        }
        let Ok(folder) = RunFolder::open(&self.out, &self.manifest, OpenMode::Resume) else { return 0 };
        folder.pending(&self.plan).first().copied().unwrap_or(0)
    }

    /// How the episodes ended that were recorded before.
    fn recorded(&self) -> Vec<Option<Ending>> {
        let mut endings = vec![None; self.episodes.len()];
        if !self.out.exists() {
            return endings;
        }
        let Ok(folder) = RunFolder::open(&self.out, &self.manifest, OpenMode::Resume) else {
            return endings;
        };
        for record in folder.records().filter(|record| record.status == Status::Done) {
            let place = self.plan.entries().iter().position(|entry| entry.index == record.index);
            if let Some(slot) = place.and_then(|place| endings.get_mut(place)) {
                *slot = Ending::of_record(record);
            }
        }
        endings
    }
}

impl Host for PlayHost {
    fn episodes(&self) -> &[Arc<Episode>] {
        &self.episodes
    }

    fn outcomes(&self) -> Vec<Option<Ending>> {
        self.recorded()
    }

    fn library(&mut self) -> Result<Vec<LibraryRow>, String> {
        self.objects.rows()
    }

    fn things(&mut self, stage: &StageView) -> Result<Box<dyn Things>, String> {
        self.objects.things(stage)
    }

    fn stage(&self, scene: &str) -> Result<StageView, String> {
        stage_of(&self.store, scene)
    }

    fn simulation(&self, scene: &str) -> Result<Box<dyn Simulation>, String> {
        self.factory.create(scene)
    }

    fn policy(&self, name: &str) -> Result<Box<dyn Policy>, String> {
        let options = self.settings.policy_options().map_err(|failure| failure.to_string())?;
        policy_of(name, &options)
    }

    fn body(&self) -> &BodyPreset {
        &self.body
    }

    fn cameras(&self) -> &[CameraSpec] {
        &self.cameras
    }

    fn rule(&self, episode: &Episode) -> SuccessRule {
        self.rule.clone().unwrap_or_else(|| SuccessRule::for_task(&episode.task))
    }

    fn step_limit(&self) -> u32 {
        self.settings.steps()
    }

    fn save(&mut self, index: usize, actor: &str, actions: &[Action]) -> Result<PathBuf, String> {
        let (Some(entry), Some(episode)) = (self.plan.entries().get(index), self.episodes.get(index))
        else {
            return Err("there is no such episode".to_owned());
        };
        if actor != HUMAN {
            return Err(format!("{actor} drove this: only what a person drove alone is a human record"));
        }
        let ended = actions.last() == Some(&Action::Stop) || actions.len() >= self.step_limit() as usize;
        if !ended {
            return Err("the episode has not ended: stop it first (Enter)".to_owned());
        }
        // Run again as an evaluation runs it, so that the record is one like any agent's.
        let mut simulation = self.simulation(&entry.scene)?;
        let mut policy = Recorded { actions: actions.to_vec(), next: 0 };
        let limits = Limits { max_steps: self.step_limit() };
        let mut folder = RunFolder::open(&self.out, &self.manifest, OpenMode::Resume)
            .map_err(|error| error.to_string())?;
        let known = folder.records().any(|record| record.index == entry.index);
        if known {
            return Err(format!(
                "{} holds a record of this episode already; the first drive counts",
                self.out.display()
            ));
        }
        let stage = self.store.get(&entry.scene).map_err(|failure| failure.to_string())?;
        let prints = json!({ "scene": stage.scene.fingerprint, "navmesh": stage.navmesh.fingerprint() });
        let prints = BTreeMap::from([(entry.scene.clone(), prints)]);
        let (settings, label) = (&self.settings, self.label_obstacles);
        let replays = eval::replays(&self.out, Replays::All, HUMAN, "", settings, &prints, label)
            .map_err(|failure| failure.to_string())?;
        let mut watcher = replays.watcher();
        let ran = run_episode_watched(
            simulation.as_mut(),
            &mut policy,
            episode,
            entry,
            &limits,
            Some(watcher.as_mut()),
        );
        drop(watcher);
        if let Some(problem) = replays.problems().first() {
            return Err(problem.clone());
        }
        folder
            .append(vec![TimedRecord { record: ran.record, wall_s: 0.0 }])
            .map_err(|error| error.to_string())?;
        if folder.pending(&self.plan).is_empty() {
            folder.finish(&self.plan, &Timing::default()).map_err(|error| error.to_string())?;
        }
        Ok(self.out.clone())
    }
}

/// A stage as the engine wants it.
pub(super) fn stage_of(store: &StageStore, scene: &str) -> Result<StageView, String> {
    let stage = store.get(scene).map_err(|failure| failure.to_string())?;
    Ok(StageView {
        scene: Arc::clone(&stage.scene),
        navmesh: Arc::clone(&stage.navmesh),
        renderer: Arc::clone(stage.renderer()),
        keep: stage,
    })
}

/// A policy by its name.
pub(super) fn policy_of(name: &str, options: &PolicyOptions) -> Result<Box<dyn Policy>, String> {
    let factory = make_policy(name, options).map_err(|error| error.to_string())?;
    factory.create().map_err(|error| error.to_string())
}

/// Makes the actions that a person made.
struct Recorded {
    actions: Vec<Action>,
    next: usize,
}

impl Policy for Recorded {
    fn name(&self) -> &str {
        HUMAN
    }

    /// A person looks at the pictures.
    fn needs(&self) -> Needs {
        Needs { rgb: true, depth: true, ..Needs::default() }
    }

    fn reset(&mut self, _: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.next = 0;
        Ok(())
    }

    fn act(&mut self, _: &Observation<'_>, _: &mut Privileged<'_>) -> Result<Action, PolicyError> {
        let action = self.actions.get(self.next).copied().unwrap_or(Action::Stop);
        self.next += 1;
        Ok(action)
    }
}
