//! Episodes on a page of pictures: what is looked for, where it begins, and the way.

use super::decided::episode_name;
use super::sheet::{Pictured, Place};
use super::{Manifest, episodes, one_more};
use crate::cli::plan;
use crate::cli::sheet::{Card, Marks, Shared, Sheet};
use crate::exit::Failure;
use crate::terminal::Progress;
use ambler_episode::{Episode, ObjectGoal, ObjectId, read_episodes};
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_navmesh::NavQuery;
use ambler_scene::library::Decided;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Field of view of the picture of the goal, degrees: closer than the robot's.
const CLOSE_DEG: f32 = 45.0;
/// Field of view of the picture from the start, degrees: the robot's.
const EYE_DEG: f32 = 79.0;
/// View points that a plan shows at most.
const MOST_REACH: usize = 150;

/// An episode, drawn.
struct Drawn {
    name: String,
    head: String,
    lines: Vec<String>,
    pictures: Vec<Pictured>,
    /// Its storey among the plans.
    storey: usize,
    marks: Marks,
}

/// The page. Episodes that were rejected are on it too, so that a decision can be taken back.
pub fn make(folder: &Path, manifest: &Manifest, only: &str, side: u32) -> Result<Sheet, Failure> {
    let names: Vec<&str> = manifest.variants().collect();
    let progress = Mutex::new((Progress::new(names.len() as u64, "episodes", false), 0));
    type Of = (BTreeMap<usize, Pictured>, Vec<Drawn>);
    let drawn: Vec<Result<Of, Failure>> = names
        .par_iter()
        .map(|name| {
            let drawn = of_variant(folder, name, only, side);
            one_more(&progress, name);
            drawn
        })
        .collect();
    let mut sheet = Sheet::new(Decided::Episodes, "Episodes", "variant, category", "episode");
    for drawn in drawn {
        let (plans, episodes) = drawn?;
        let plans: BTreeMap<usize, Shared> = plans
            .into_iter()
            .map(|(storey, plan)| (storey, sheet.image(&plan.jpeg, plan.size)))
            .collect();
        for episode in episodes {
            let mut shown: Vec<_> = episode
                .pictures
                .into_iter()
                .map(|it| sheet.image(&it.jpeg, it.size).shown(&it.note, it.marks))
                .collect();
            shown.extend(plans.get(&episode.storey).map(|plan| plan.shown("the way", episode.marks)));
            sheet.add(Card {
                name: episode.name,
                head: episode.head,
                lines: episode.lines,
                pictures: shown,
            });
        }
    }
    Ok(sheet)
}

fn of_variant(
    folder: &Path,
    name: &str,
    only: &str,
    side: u32,
) -> Result<(BTreeMap<usize, Pictured>, Vec<Drawn>), Failure> {
    let file = episodes::of_one(&folder.join("episodes"), name);
    if !file.is_file() {
        return Ok(Default::default());
    }
    let set = read_episodes(&file)?;
    let wanted = |episode: &&Arc<Episode>| {
        only.is_empty() || episode_name(episode).contains(only) || episode.category().contains(only)
    };
    let episodes: Vec<&Arc<Episode>> = set.episodes.iter().filter(wanted).collect();
    if episodes.is_empty() {
        return Ok(Default::default());
    }
    let place = Place::read(folder, name)?;
    let floors = &place.renderer.scene().floors;
    let mut plans: BTreeMap<usize, plan::Drawn> = BTreeMap::new();
    let mut query = NavQuery::new(Arc::clone(&place.mesh));
    let mut out = Vec::new();
    for episode in episodes {
        let start = episode.start_pose();
        let storey = floors.iter().rposition(|floor| floor.y <= start.position.y + 0.3).unwrap_or(0);
        if !plans.contains_key(&storey) {
            let floor = floors.get(storey).map_or(start.position.y, |floor| floor.y);
            plans.insert(storey, plan::storey(&place.renderer, floor, 2.5 * side as f32, true)?);
        }
        let Some(plan) = plans.get(&storey) else { continue };
        out.push(draw(&place, &mut query, episode, plan, storey, side)?);
    }
    let plans = plans
        .into_iter()
        .map(|(storey, plan)| Ok((storey, Pictured::of(&plan.picture, "", Marks::default())?)));
    Ok((plans.collect::<Result<_, Failure>>()?, out))
}

fn draw(
    place: &Place,
    query: &mut NavQuery,
    episode: &Episode,
    plan: &plan::Drawn,
    storey: usize,
    side: u32,
) -> Result<Drawn, Failure> {
    let start = episode.start_pose();
    let goals: Vec<&ObjectGoal> = episode.task.object_goals().collect();
    let points: Vec<(usize, Vec3)> = goals
        .iter()
        .enumerate()
        .flat_map(|(goal, it)| it.view_points.iter().map(move |view| (goal, view.position)))
        .collect();
    let prepared = query.prepare_goals(&points.iter().map(|(_, at)| *at).collect::<Vec<_>>());
    let found = query.find_path_to(&prepared, start.position).ok();
    let mut pictures = Vec::new();
    let mut way = Vec::new();
    if let Some((path, index)) = &found {
        way = path.points.iter().map(|point| plan.pixel(*point)).collect();
        if let Some((goal, at)) = points.get(*index) {
            let goal = goals[*goal];
            let to = goal.position - *at;
            let yaw = libm::atan2(f64::from(-to.x), f64::from(-to.z));
            let rise = f64::from(to.y - place.eye_m);
            let tilt = libm::atan2(rise, f64::from(to.with_y(0.0).length()));
            let pose = Pose { position: *at, heading: Heading::from_yaw(yaw) };
            let instance = place.renderer.scene().instances.iter().find(|instance| {
                goal.object_id == Some(ObjectId::Number(instance.source_id))
                    && instance.name == goal.object_name
            });
            let id = instance.map(|instance| instance.id);
            let (picture, frame) = place.seen(&pose, tilt, side, CLOSE_DEG, id)?;
            let marks = Marks { frame, ..Marks::default() };
            pictures.push(Pictured::of(&picture, &goal.object_name.replace('_', " "), marks)?);
        }
    }
    let (picture, _) = place.seen(&start, 0.0, side, EYE_DEG, None)?;
    pictures.push(Pictured::of(&picture, "start", Marks::default())?);
    let [x, y] = plan.pixel(start.position);
    let stride = points.len().div_ceil(MOST_REACH).max(1);
    let reach = points.iter().step_by(stride).map(|(_, at)| plan.pixel(*at)).collect();
    let dots = goals.iter().map(|goal| {
        let [x, y] = plan.pixel(goal.position);
        (x, y, goal.object_name.replace('_', " "))
    });
    let yaw = start.heading.yaw() as f32;
    let marks = Marks { way, reach, dots: dots.collect(), start: Some([x, y, yaw]), frame: None };
    let info = |key: &str| episode.info.number(key).map_or("?".into(), |it| format!("{it:.1}"));
    let things = match goals.len() {
        1 => "1 goal object".to_owned(),
        count => format!("{count} goal objects"),
    };
    let no_way = if found.is_none() { "; NO WAY LEADS THERE" } else { "" };
    Ok(Drawn {
        name: episode_name(episode),
        head: format!("{}: {}", episode.scene_id, episode.category().replace('_', " ")),
        lines: vec![
            format!(
                "{} m to walk, {} m straight to the object{no_way}",
                info("geodesic_distance"),
                info("euclidean_distance")
            ),
            format!("{things}, {} view points; episode {}", points.len(), episode.episode_id),
        ],
        pictures,
        storey,
        marks,
    })
}
