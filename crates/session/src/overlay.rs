//! What is known about an episode, as shapes in the world: data, not drawing. A layer's key names it, its
//! marks say where things are; how they look is the window's affair.

use crate::Moment;
use ambler_episode::{Episode, SuccessRule};
use ambler_geometry::{Affine, Vec3};
use ambler_navmesh::{NavMesh, NavQuery};
use ambler_scene::{Instance, SceneModel};
use std::sync::Arc;

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line through these points.
    Line {
        /// Corners, world.
        points: Vec<Vec3>,
        /// The last corner is joined to the first.
        closed: bool,
    },
    /// A line whose colour tells the time: from the first step to the last.
    Timed(Vec<Vec3>),
    /// A filled triangle; the number chooses one of a few colours.
    Fill([Vec3; 3], usize),
    /// A filled quadrilateral with a colour of its own: red, green, blue, alpha.
    Area([Vec3; 4], [u8; 4]),
    /// A point.
    Dot(Vec3),
    /// A circle on the floor, metres.
    Ring(Vec3, f32),
    /// A cross that faces the viewer.
    Cross(Vec3),
    /// Text at a point.
    Label(Vec3, String),
}

/// How a layer's lines are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Through.
    Solid,
    /// Long dashes.
    Dashed,
    /// Dots.
    Dotted,
}

/// A layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Names it, for keys, scripts and settings.
    pub key: String,
    /// For people.
    pub title: String,
    /// What it shows, in a sentence.
    pub help: String,
    /// Its colour: the one role has the same colour everywhere.
    pub color: [u8; 3],
    /// How its lines are drawn.
    pub stroke: Stroke,
    /// Shown before anybody chooses.
    pub shown: bool,
    /// Tells what a policy may not know.
    pub privileged: bool,
    /// What to draw.
    pub marks: Vec<Mark>,
}

/// Floors of scans are rough by two or three centimetres: what marks them is lifted by this, metres.
pub const LIFT_M: f32 = 0.04;
/// Of so many view points every k-th is drawn.
const MOST_DOTS: usize = 1500;

const ORANGE: [u8; 3] = [230, 159, 0];
const SKY: [u8; 3] = [86, 180, 233];
const GREEN: [u8; 3] = [0, 158, 115];
const YELLOW: [u8; 3] = [240, 228, 66];
const VERMILION: [u8; 3] = [213, 94, 0];
const PURPLE: [u8; 3] = [204, 121, 167];
const WHITE: [u8; 3] = [235, 235, 235];

fn lifted(point: Vec3) -> Vec3 {
    point + Vec3::Y * LIFT_M
}

fn layer(key: &str, title: &str, help: &str, color: [u8; 3], marks: Vec<Mark>) -> Overlay {
    Overlay {
        key: key.to_owned(),
        title: title.to_owned(),
        help: help.to_owned(),
        color,
        stroke: Stroke::Solid,
        shown: true,
        privileged: false,
        marks,
    }
}

/// The layers that every episode has before it begins, in the order in which they are drawn.
pub fn of_episode(
    scene: &SceneModel,
    navmesh: &Arc<NavMesh>,
    episode: &Episode,
    rule: &SuccessRule,
) -> Vec<Overlay> {
    let mut query = NavQuery::new(Arc::clone(navmesh));
    let points = episode.measured_points(rule.to).points;
    let start = episode.start_position;
    let goals = query.prepare_goals(&points);
    let shortest: Vec<Mark> = query
        .find_path_to(&goals, start)
        .map(|(path, _)| Mark::Line {
            points: path.points.into_iter().map(lifted).collect(),
            closed: false,
        })
        .into_iter()
        .collect();
    vec![
        Overlay {
            shown: false,
            privileged: true,
            ..layer(
                "navmesh",
                "Navmesh and islands",
                "Where the body's middle can be; a colour each island",
                SKY,
                navmesh_marks(navmesh),
            )
        },
        Overlay {
            shown: false,
            privileged: true,
            ..layer("rooms", "Rooms", "Rooms as the scene names them", PURPLE, room_marks(scene))
        },
        Overlay {
            shown: false,
            privileged: true,
            ..layer(
                "receptacles",
                "Receptacle surfaces",
                "Surfaces that hold objects",
                WHITE,
                receptacle_marks(scene),
            )
        },
        Overlay {
            privileged: true,
            ..layer(
                "success",
                "Success area",
                "Stopping in here succeeds",
                GREEN,
                success_marks(episode, &points, rule, start),
            )
        },
        Overlay {
            privileged: true,
            ..layer("goal", "Goal", "What the episode asks for", GREEN, goal_marks(episode))
        },
        Overlay {
            stroke: Stroke::Dashed,
            privileged: true,
            ..layer(
                "shortest",
                "Shortest path",
                "The shortest way from the start to the nearest goal",
                YELLOW,
                shortest,
            )
        },
        layer("start", "Start", "Where the episode begins", SKY, vec![Mark::Ring(lifted(start), 0.12)]),
    ]
}

fn navmesh_marks(navmesh: &NavMesh) -> Vec<Mark> {
    navmesh
        .triangles()
        .into_iter()
        .zip(navmesh.triangle_islands())
        .map(|(triangle, island)| Mark::Fill(triangle.map(lifted), island as usize))
        .collect()
}

fn room_marks(scene: &SceneModel) -> Vec<Mark> {
    let mut marks = Vec::new();
    for room in &scene.rooms {
        let outline: Vec<Vec3> =
            room.polygon.iter().map(|at| Vec3::new(at.x, room.floor_y + LIFT_M, at.y)).collect();
        let middle = outline.iter().sum::<Vec3>() / outline.len().max(1) as f32;
        let name = if room.category.is_empty() { &room.name } else { &room.category };
        marks.push(Mark::Line { points: outline, closed: true });
        marks.push(Mark::Label(middle, name.replace('_', " ")));
    }
    marks
}

fn receptacle_marks(scene: &SceneModel) -> Vec<Mark> {
    let outline = |surface: &ambler_scene::Receptacle| Mark::Line {
        points: surface.polygon.iter().map(|at| Vec3::new(at.x, surface.y + 0.01, at.y)).collect(),
        closed: true,
    };
    scene.receptacles.iter().map(outline).collect()
}

fn goal_marks(episode: &Episode) -> Vec<Mark> {
    let mut marks = Vec::new();
    for goal in episode.task.object_goals() {
        marks.push(Mark::Cross(goal.position));
        let name = if goal.object_name.is_empty() { &goal.object_category } else { &goal.object_name };
        marks.push(Mark::Label(goal.position + Vec3::Y * 0.15, name.replace('_', " ")));
    }
    if marks.is_empty() {
        for at in episode.task.goal_positions() {
            let top = at + Vec3::Y * 0.9;
            marks.push(Mark::Line { points: vec![lifted(at), top], closed: false });
            marks.push(Mark::Label(top, "goal".to_owned()));
        }
    }
    marks
}

fn success_marks(episode: &Episode, points: &[Vec3], rule: &SuccessRule, start: Vec3) -> Vec<Mark> {
    let radius = rule.distance_m as f32;
    if episode.task.object_goals().next().is_none() {
        return points.iter().map(|&at| Mark::Ring(lifted(at), radius)).collect();
    }
    let stride = points.len().div_ceil(MOST_DOTS).max(1);
    let mut marks: Vec<Mark> = points.iter().step_by(stride).map(|&at| Mark::Dot(lifted(at))).collect();
    let nearest = points.iter().min_by(|a, b| a.distance(start).total_cmp(&b.distance(start)));
    marks.extend(nearest.map(|&at| Mark::Ring(lifted(at), radius)));
    marks
}

/// The layers of a history up to the step shown.
pub fn of_history(moments: &[Moment], shown: usize) -> Vec<Overlay> {
    let so_far = &moments[..moments.len().min(shown + 1)];
    let walked: Vec<Vec3> = so_far.iter().map(|moment| lifted(moment.pose.position)).collect();
    let hits = so_far.iter().filter(|moment| moment.collided).map(|moment| {
        Mark::Cross(moment.pose.position + moment.pose.heading.forward() * 0.2 + Vec3::Y * 0.15)
    });
    vec![
        layer(
            "trajectory",
            "Trajectory",
            "The way so far, dark to light",
            WHITE,
            vec![Mark::Timed(walked)],
        ),
        layer(
            "collisions",
            "Collisions",
            "Where the body ran into something",
            VERMILION,
            hits.collect(),
        ),
    ]
}

/// Where another way has gone, and where the two part.
pub fn of_other_way(
    moments: &[Moment],
    shown: usize,
    parts_at: Option<usize>,
    color: [u8; 3],
) -> Overlay {
    let so_far = &moments[..moments.len().min(shown + 1)];
    let points = so_far.iter().map(|moment| lifted(moment.pose.position)).collect();
    let mut marks = vec![Mark::Line { points, closed: false }];
    if let Some(moment) = parts_at.and_then(|at| moments.get(at)) {
        let at = lifted(moment.pose.position);
        marks.push(Mark::Ring(at, 0.25));
        marks.push(Mark::Label(at, "the ways part here".to_owned()));
    }
    layer("other", "The other way", "Where the way shown beside has gone", color, marks)
}

/// The thing that is selected: the box around it, where it is now (`None` for one that is gone).
pub fn of_thing(instance: &Instance, moved: Option<Option<&Affine>>) -> Overlay {
    let to = match moved {
        None => Some(Affine::IDENTITY),
        Some(now) => now.copied(),
    };
    let (low, high) = (instance.bounds.min, instance.bounds.max);
    let corner = |to: &Affine, x: bool, y: bool, z: bool| {
        let pick = |high_side: bool, low: f32, high: f32| if high_side { high } else { low };
        to.point(Vec3::new(pick(x, low.x, high.x), pick(y, low.y, high.y), pick(z, low.z, high.z)))
    };
    let mut marks = Vec::new();
    if let Some(to) = to {
        let ring = [(false, false), (true, false), (true, true), (false, true)];
        for y in [false, true] {
            let points = ring.iter().map(|&(x, z)| corner(&to, x, y, z)).collect();
            marks.push(Mark::Line { points, closed: true });
        }
        for (x, z) in ring {
            let points = vec![corner(&to, x, false, z), corner(&to, x, true, z)];
            marks.push(Mark::Line { points, closed: false });
        }
    }
    layer("selected", "Selected", "The thing that is selected", YELLOW, marks)
}

/// The key of [`of_place`]'s layer, which is asked of the navmesh only when somebody wants it.
pub const HERE: &str = "shortest-here";

/// The shortest way from where the body is now.
pub fn of_place(
    navmesh: &mut NavQuery,
    episode: &Episode,
    rule: &SuccessRule,
    moment: &Moment,
) -> Overlay {
    let points = episode.measured_points(rule.to).points;
    let goals = navmesh.prepare_goals(&points);
    let path = navmesh.find_path_to(&goals, moment.pose.position);
    let marks = path
        .map(|(path, _)| Mark::Line {
            points: path.points.into_iter().map(lifted).collect(),
            closed: false,
        })
        .into_iter()
        .collect();
    Overlay {
        stroke: Stroke::Dotted,
        shown: false,
        privileged: true,
        ..layer(HERE, "Shortest path from here", "The shortest way from the step shown", YELLOW, marks)
    }
}

/// A walk that was clicked.
pub fn of_walk(path: &[Vec3]) -> Overlay {
    let marks = vec![Mark::Line { points: path.iter().map(|&at| lifted(at)).collect(), closed: false }];
    Overlay {
        stroke: Stroke::Dotted,
        ..layer("walk", "Walk", "Where the robot is walking to", ORANGE, marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_body::Action;

    #[test]
    fn the_trajectory_ends_at_the_step_shown() {
        let at = |x: f32, collided| Moment {
            pose: ambler_geometry::Pose {
                position: Vec3::new(x, 0.0, 0.0),
                heading: ambler_geometry::Heading::from_yaw(0.0),
            },
            action: Some(Action::MoveForward),
            collided,
            ..Moment::default()
        };
        let moments = [at(0.0, false), at(1.0, true), at(2.0, false), at(3.0, true)];
        let layers = of_history(&moments, 2);
        let [trajectory, collisions] = layers.as_slice() else { panic!("two layers") };
        assert!(
            matches!(&trajectory.marks[0], Mark::Timed(points) if points.len() == 3 && points[2].x == 2.0)
        );
        assert_eq!(collisions.marks.len(), 1);
        assert_eq!(of_history(&moments, 99)[1].marks.len(), 2);
    }
}
