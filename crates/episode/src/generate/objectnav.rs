use super::pointnav::note_levels;
use super::view_points::{ViewPointOptions, view_points};
use super::{GenerateError, Generated, Reasons, island_radius, levels, obstacles, provenance, rotation};
use crate::extras::Extras;
use crate::set::EpisodeSet;
use crate::types::{Episode, ObjectGoal, ObjectId, Task};
use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;
use ambler_navmesh::{GoalSet, NavMesh, NavQuery};
use ambler_scene::{Instance, SceneModel, is_structural, normal_name};
use ambler_sensor::{Frame, Renderer};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rules of drawing object goals.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectNavOptions {
    /// How view points are found.
    pub views: ViewPointOptions,
    /// Least geodesic distance from the start to the nearest view point, metres. Lowered, with a
    /// note, on floors too small for it; never below the success distance.
    pub min_distance_m: f64,
    /// Greatest geodesic distance, metres.
    pub max_distance_m: f64,
    /// Least radius of the start's island, metres. Lowered, with a note, where none is so large.
    pub min_island_radius_m: f32,
    /// Categories to ask for; all but those of the building where empty.
    pub categories: Vec<String>,
    /// Starts tried per episode and level of relaxation.
    pub tries: u32,
}

impl Default for ObjectNavOptions {
    fn default() -> Self {
        Self {
            views: ViewPointOptions::default(),
            min_distance_m: 1.0,
            max_distance_m: 30.0,
            min_island_radius_m: 1.5,
            categories: Vec::new(),
            tries: 300,
        }
    }
}

/// Shares of the reach that view points are confined to on floors too small for it.
const NEARER: [f32; 2] = [0.6, 0.35];

struct Category {
    name: Arc<str>,
    goals: Arc<Vec<ObjectGoal>>,
    prepared: GoalSet,
    /// Which goal each prepared point belongs to.
    owner: Vec<usize>,
}

impl Category {
    fn new(name: Arc<str>, goals: Vec<ObjectGoal>, mesh: &Arc<NavMesh>) -> Self {
        let points: Vec<Vec3> =
            goals.iter().flat_map(|goal| goal.view_points.iter().map(|view| view.position)).collect();
        let owner = goals
            .iter()
            .enumerate()
            .flat_map(|(index, goal)| std::iter::repeat_n(index, goal.view_points.len()))
            .collect();
        let prepared = NavQuery::new(Arc::clone(mesh)).prepare_goals(&points);
        Self { name, goals: Arc::new(goals), prepared, owner }
    }

    /// Leaves out view points farther than `reach_m` from their object's box in the floor plane,
    /// but for the nearest of each.
    fn confine(&mut self, mesh: &Arc<NavMesh>, scene: &SceneModel, reach_m: f32) {
        let mut goals = self.goals.to_vec();
        for goal in &mut goals {
            let Some(ObjectId::Number(id)) = goal.object_id else { continue };
            let Some(instance) = scene
                .instances
                .iter()
                .find(|instance| instance.source_id == id && instance.name == goal.object_name)
            else {
                continue;
            };
            let away = |position: Vec3| {
                let nearest = position.clamp(instance.bounds.min, instance.bounds.max);
                (position.x - nearest.x).hypot(position.z - nearest.z)
            };
            let least = goal.view_points.iter().map(|view| away(view.position)).fold(f32::MAX, f32::min);
            goal.view_points.retain(|view| away(view.position) <= reach_m.max(least));
        }
        *self = Self::new(Arc::clone(&self.name), goals, mesh);
    }
}

/// Draws `count` object-goal episodes over the renderer's scene, its categories in turn.
///
/// Goals are the instances of all categories that do not name the building itself. A scene without
/// such labels gets goals `obstacle_1`, `obstacle_2`, …: clusters of geometry that stand on the
/// floor apart from the walls ([`obstacles::label`]); a note says so, and an agent that is to
/// recognise them needs the scene labelled the same way. Where the floor is so small that every
/// place on it is by the goal, view points are confined to nearer ones, with a note.
///
/// # Errors
/// When there is no floor, nothing to look for, or not one episode passes the rules.
pub fn objectnav(
    scene_id: &str,
    renderer: &Renderer,
    mesh: &Arc<NavMesh>,
    count: usize,
    seed: u64,
    options: &ObjectNavOptions,
) -> Result<Generated, GenerateError> {
    if !(options.min_distance_m > 0.0 && options.max_distance_m > options.min_distance_m) {
        return Err(GenerateError::Options("distances must satisfy 0 < least < greatest".into()));
    }
    if mesh.islands().is_empty() {
        return Err(GenerateError::NoFloor);
    }
    let mut notes = Vec::new();
    let mut refused = Reasons::default();
    let (radius_m, lowered) = island_radius(mesh, options.min_island_radius_m);
    let labelled;
    let renderer = if has_objects(renderer.scene()) {
        renderer
    } else {
        let scene = obstacles::label(renderer.scene(), mesh);
        let added = scene.instances.len() - renderer.scene().instances.len();
        notes.push(format!(
            "the scene has no labelled objects: {added} unnamed obstacles stand in for them"
        ));
        labelled = Renderer::new(Arc::new(scene));
        &labelled
    };
    let mut categories = find(renderer, mesh, radius_m, options, &mut refused, &mut notes)?;
    if categories.is_empty() {
        return Err(GenerateError::NothingToFind { reasons: refused });
    }
    if lowered {
        notes.push(format!(
            "no island has a radius of {} m: {radius_m:.2} m is asked for instead",
            options.min_island_radius_m
        ));
    }
    let (mut episodes, mut used) =
        draw_all(scene_id, mesh, &categories, count, seed, radius_m, options, &mut refused)?;
    for share in NEARER {
        if !episodes.is_empty() || count == 0 {
            break;
        }
        categories.iter_mut().for_each(|category| {
            category.confine(mesh, renderer.scene(), share * options.views.reach_m);
        });
        let drawn = draw_all(scene_id, mesh, &categories, count, seed, radius_m, options, &mut refused)?;
        (episodes, used) = drawn;
        if !episodes.is_empty() {
            let reach = share * options.views.reach_m;
            notes.push(format!("small floor: view points are within {reach:.2} m of their objects"));
        }
    }
    if episodes.is_empty() && count > 0 {
        return Err(GenerateError::NoneFits { reasons: refused, area_m2: mesh.area_m2() });
    }
    note_levels(&mut notes, &levels(options.min_distance_m), &used);
    if episodes.len() < count {
        notes.push(format!(
            "{} of {count} episodes: the floor gives no more ({refused})",
            episodes.len()
        ));
    }
    let mut set = EpisodeSet::new(episodes);
    provenance(&mut set, "objectnav", seed, mesh);
    Ok(Generated { set, refused, notes })
}

fn has_objects(scene: &SceneModel) -> bool {
    scene.instances.iter().any(|instance| !is_structural(scene.category_name(instance.category)))
}

/// Categories with at least one goal that can be seen from a floor large enough, by name.
fn find(
    renderer: &Renderer,
    mesh: &Arc<NavMesh>,
    radius_m: f32,
    options: &ObjectNavOptions,
    refused: &mut Reasons,
    notes: &mut Vec<String>,
) -> Result<Vec<Category>, GenerateError> {
    let scene = renderer.scene();
    let wanted: Vec<String> = options.categories.iter().map(|name| normal_name(name)).collect();
    let instances: Vec<(&Instance, &str)> = scene
        .instances
        .iter()
        .map(|instance| (instance, scene.category_name(instance.category)))
        .filter(|(_, name)| !is_structural(name))
        .filter(|(_, name)| {
            wanted.is_empty() || wanted.iter().any(|wanted| wanted == &normal_name(name))
        })
        .collect();
    // One object a task; results are gathered in the order of the instances.
    let found: Vec<Result<(Option<ObjectGoal>, Reasons), GenerateError>> = instances
        .par_iter()
        .map_init(
            || (NavQuery::new(Arc::clone(mesh)), Frame::default()),
            |(query, frame), &(instance, name)| {
                let mut reasons = Reasons::default();
                let mut views =
                    view_points(renderer, query, instance, &options.views, frame, &mut reasons)?;
                views.retain(|view| {
                    let large = query.island_of(view.position).is_ok_and(|island| {
                        mesh.islands().get(island as usize).is_some_and(|it| it.radius_m >= radius_m)
                    });
                    if !large {
                        reasons.count("view point on an island too small");
                    }
                    large
                });
                if views.is_empty() {
                    return Ok((None, reasons));
                }
                let goal = ObjectGoal {
                    position: instance.bounds.center(),
                    object_id: Some(ObjectId::Number(instance.source_id)),
                    object_name: instance.name.clone(),
                    object_category: name.to_owned(),
                    view_points: views,
                    ..ObjectGoal::default()
                };
                Ok((Some(goal), reasons))
            },
        )
        .collect();
    let mut by_name: BTreeMap<&str, Vec<ObjectGoal>> = BTreeMap::new();
    let mut unseen = Vec::new();
    for ((instance, name), result) in instances.iter().zip(found) {
        let (goal, reasons) = result?;
        refused.add(&reasons);
        match goal {
            Some(goal) => by_name.entry(name).or_default().push(goal),
            None => unseen.push(instance.name.as_str()),
        }
    }
    if !unseen.is_empty() {
        let some: Vec<&str> = unseen.iter().take(8).copied().collect();
        let more = if unseen.len() > some.len() { ", …" } else { "" };
        notes.push(format!(
            "{} objects cannot be seen from a floor nearby and are no goals: {}{more}",
            unseen.len(),
            some.join(", ")
        ));
    }
    Ok(by_name.into_iter().map(|(name, goals)| Category::new(name.into(), goals, mesh)).collect())
}

/// Episodes, and how many were drawn at each level of relaxation.
fn draw_all(
    scene_id: &str,
    mesh: &Arc<NavMesh>,
    categories: &[Category],
    count: usize,
    seed: u64,
    radius_m: f32,
    options: &ObjectNavOptions,
    refused: &mut Reasons,
) -> Result<(Vec<Episode>, Vec<usize>), GenerateError> {
    let mut query = NavQuery::new(Arc::clone(mesh));
    let levels = levels(options.min_distance_m);
    let mut used = vec![0usize; levels.len()];
    let mut episodes = Vec::new();
    let mut in_vain = 0usize;
    for index in 0.. {
        // A category that gives no start is passed over; when all did so in turn, no more come.
        if episodes.len() >= count || in_vain >= categories.len() {
            break;
        }
        let Some(category) = categories.get(index % categories.len()) else { break };
        let mut stream = Stream::new(seed, scene_id, &format!("objectnav {index}"));
        let drawn = levels.iter().enumerate().find_map(|(number, level)| {
            let least = level.min_distance_m;
            (0..options.tries).find_map(|_| {
                let start = query.random_point(&mut stream, None)?;
                let reason = match start_distance(&mut query, category, start, radius_m) {
                    Err(reason) => reason,
                    Ok((distance, _)) if f64::from(distance) < least => "too near",
                    Ok((distance, _)) if f64::from(distance) > options.max_distance_m => "too far",
                    Ok((distance, point)) => return Some((number, start, distance, point)),
                };
                refused.count(reason);
                None
            })
        });
        let Some((number, start, geodesic_m, point)) = drawn else {
            in_vain += 1;
            continue;
        };
        in_vain = 0;
        used[number] += 1;
        let yaw = stream.range(0.0, std::f64::consts::TAU);
        let mut info = Extras::default();
        info.set("geodesic_distance", f64::from(geodesic_m));
        // As Habitat's: to the nearest goal's centre, so that it may exceed the geodesic distance.
        let nearest =
            category.goals.iter().map(|goal| goal.position.distance(start)).fold(f32::MAX, f32::min);
        info.set("euclidean_distance", f64::from(nearest));
        let closest = category.owner.get(point).and_then(|&goal| category.goals.get(goal));
        if let Some(ObjectId::Number(id)) = closest.and_then(|goal| goal.object_id.as_ref()) {
            info.set("closest_goal_object_id", *id);
        }
        let task = Task::ObjectNav {
            category: Arc::clone(&category.name),
            goals: Arc::clone(&category.goals),
            children: Vec::new(),
        };
        let id = episodes.len().to_string();
        episodes.push(Episode::new(id, scene_id, start, rotation(yaw), task)?.with_info(info));
    }
    Ok((episodes, used))
}

fn start_distance(
    query: &mut NavQuery,
    category: &Category,
    start: Vec3,
    radius_m: f32,
) -> Result<(f32, usize), &'static str> {
    let island = query.island_of(start).map_err(|_| "start off the navmesh")?;
    let radius = query.mesh().islands().get(island as usize).map_or(0.0, |island| island.radius_m);
    if radius < radius_m {
        return Err("island too small");
    }
    query.geodesic_to(&category.prepared, start).map_err(|_| "unreachable")
}
