use crate::overlay::{LIFT_M, Mark, Overlay, Stroke};
use crate::{Event, EventKind, Moment};
use ambler_agent::layers::{
    self, Frame, Grid, GridKind, Layer, Lifetime, Paths, Publisher, Ranked, Role, Schema,
};
use ambler_geometry::{Affine, Mat3, Vec3, quat_from_yaw};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value that a policy published.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The step whose observation it was made from.
    pub step: usize,
    /// Its name, such as `agent/frontier/map`.
    pub path: String,
    /// How long it holds.
    pub lifetime: Lifetime,
    /// What its positions refer to.
    pub frame: Frame,
    /// The value.
    pub layer: Layer,
}

/// What the policies of a drive thought, by ascending step. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Thoughts {
    values: Arc<Vec<Arc<Thought>>>,
    schemas: Arc<BTreeMap<String, Schema>>,
    events: Arc<Vec<Event>>,
}

/// A line of what a policy thinks, for a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Saying {
    /// Text.
    Text(String, String),
    /// A number with its unit.
    Number(String, f64, String),
    /// Candidates, the best first.
    Candidates(String, Ranked),
}

impl Thoughts {
    /// What an episode log holds: values by ascending step, what their paths are, events.
    pub fn recorded(
        values: Vec<Thought>,
        schemas: BTreeMap<String, Schema>,
        events: Vec<Event>,
    ) -> Self {
        let values = values.into_iter().map(Arc::new).collect();
        Self { values: Arc::new(values), schemas: Arc::new(schemas), events: Arc::new(events) }
    }

    /// Takes what was published after deciding at `step`.
    pub(crate) fn add(&mut self, board: &mut layers::Board, step: usize) {
        let schemas = board.take_schemas();
        if !schemas.is_empty() {
            Arc::make_mut(&mut self.schemas).extend(schemas);
        }
        let published = board.take_layers();
        if !published.is_empty() {
            let values = Arc::make_mut(&mut self.values);
            values.extend(published.into_iter().map(|it| {
                Arc::new(Thought {
                    step,
                    path: it.path,
                    lifetime: it.lifetime,
                    frame: it.frame,
                    layer: it.layer,
                })
            }));
        }
        let events = board.take_events();
        if !events.is_empty() {
            // Collisions and the stop are seen without being told.
            let known = [layers::EventKind::Collision, layers::EventKind::Stop];
            let told = events.into_iter().filter(|event| !known.contains(&event.kind));
            let told = told.map(|event| Event { step, kind: EventKind::Agent, text: event.text });
            Arc::make_mut(&mut self.events).extend(told);
        }
    }

    /// Forgets what was thought from `step` on.
    pub(crate) fn truncate(&mut self, step: usize) {
        if self.values.last().is_some_and(|last| last.step >= step) {
            Arc::make_mut(&mut self.values).retain(|value| value.step < step);
        }
        if self.events.last().is_some_and(|last| last.step >= step) {
            Arc::make_mut(&mut self.events).retain(|event| event.step < step);
        }
    }

    /// The events that policies announced.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The values that hold at a step, one a path, in the order that their policies wish.
    pub fn at(&self, step: usize) -> Vec<&Thought> {
        let mut found: BTreeMap<&str, &Thought> = BTreeMap::new();
        for value in self.values.iter() {
            let path = value.path.as_str();
            if value.step <= step || (value.lifetime == Lifetime::Episode && !found.contains_key(path)) {
                found.insert(path, value);
            }
        }
        found.retain(|_, value| value.lifetime != Lifetime::ThisStep || value.step == step);
        let mut values: Vec<&Thought> = found.into_values().collect();
        values.sort_by_key(|value| (self.schema(&value.path).order, &value.path));
        values
    }

    /// What a path is.
    pub fn schema(&self, path: &str) -> Schema {
        self.schemas
            .get(path)
            .cloned()
            .unwrap_or_else(|| Schema { title: path.to_owned(), ..Schema::default() })
    }

    /// What holds at a step, as shapes. Kinds without a place in the world are left out: see
    /// [`Thoughts::sayings`] and [`Thoughts::boxes`].
    pub fn overlays(&self, moments: &[Moment], step: usize) -> Vec<Overlay> {
        self.at(step)
            .into_iter()
            .filter_map(|value| overlay(value, &self.schema(&value.path), moments))
            .collect()
    }

    /// What holds at a step, as lines of a list.
    pub fn sayings(&self, step: usize) -> Vec<Saying> {
        let say = |value: &Thought| {
            let schema = self.schema(&value.path);
            match &value.layer {
                Layer::Text(text) => Some(Saying::Text(schema.title, text.text.clone())),
                Layer::Scalar(scalar) => Some(Saying::Number(schema.title, scalar.value, schema.unit)),
                Layer::Ranked(ranked) => Some(Saying::Candidates(schema.title, ranked.clone())),
                _ => None,
            }
        };
        self.at(step).into_iter().filter_map(say).collect()
    }

    /// Boxes in the image of a camera at a step.
    pub fn boxes(&self, camera: &str, step: usize) -> Vec<layers::Box2> {
        let of = |value: &Thought| match &value.layer {
            Layer::Boxes2(boxes) if boxes.camera == camera => Some(boxes.boxes.clone()),
            _ => None,
        };
        self.at(step).into_iter().filter_map(of).flatten().collect()
    }
}

/// The colour of a role: the same everywhere.
fn color(role: Role) -> [u8; 3] {
    match role {
        Role::Map => [170, 170, 170],
        Role::Frontier => [86, 180, 233],
        Role::Detection => [230, 159, 0],
        Role::Goal => [0, 158, 115],
        Role::Plan => [204, 121, 167],
        Role::State | Role::Other => [240, 228, 66],
    }
}

fn world_from(frame: &Frame, step: usize, moments: &[Moment]) -> Option<Affine> {
    let of = |moment: &Moment| Affine {
        matrix: Mat3::from_quat(quat_from_yaw(moment.pose.heading.yaw())),
        translation: moment.pose.position,
    };
    match frame {
        Frame::World => Some(Affine::IDENTITY),
        Frame::Start => moments.first().map(of),
        Frame::Body => moments.get(step).map(of),
        Frame::Camera(_) => None,
    }
}

fn overlay(value: &Thought, schema: &Schema, moments: &[Moment]) -> Option<Overlay> {
    let to = world_from(&value.frame, value.step, moments)?;
    let lift = |point: Vec3| to.point(point) + Vec3::Y * LIFT_M;
    let mut marks = Vec::new();
    match &value.layer {
        Layer::Grid(grid) => areas(grid, lift, &mut marks),
        Layer::Points(points) => {
            for (index, &at) in points.positions.iter().enumerate() {
                marks.push(Mark::Dot(lift(at)));
                if let Some(label) = points.labels.get(index).filter(|label| !label.is_empty()) {
                    let score =
                        points.scores.get(index).map_or(String::new(), |score| format!(" {score:.2}"));
                    marks.push(Mark::Label(lift(at), format!("{label}{score}")));
                }
            }
        }
        Layer::Paths(paths) => lines(paths, lift, &mut marks),
        Layer::Boxes3(boxes) => {
            for found in boxes {
                let (middle, half) = (found.bounds.center(), found.bounds.size() * 0.5);
                let corner = |x: f32, y: f32, z: f32| {
                    to.point(middle + found.rotation * (half * Vec3::new(x, y, z)))
                };
                for y in [-1.0, 1.0] {
                    let ring = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
                    let points = ring.map(|(x, z)| corner(x, y, z)).to_vec();
                    marks.push(Mark::Line { points, closed: true });
                }
                for (x, z) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    marks.push(Mark::Line {
                        points: vec![corner(x, -1.0, z), corner(x, 1.0, z)],
                        closed: false,
                    });
                }
                let score = found.score.map_or(String::new(), |score| format!(" {score:.2}"));
                marks.push(Mark::Label(corner(0.0, 1.0, 0.0), format!("{}{score}", found.label)));
            }
        }
        Layer::Poses(poses) => {
            for pose in &poses.poses {
                let ahead = lift(pose.position + pose.heading.forward() * 0.3);
                marks.push(Mark::Ring(lift(pose.position), 0.08));
                marks.push(Mark::Line { points: vec![lift(pose.position), ahead], closed: false });
            }
        }
        Layer::Boxes2(_) | Layer::Image(_) | Layer::Ranked(_) | Layer::Text(_) | Layer::Scalar(_) => {
            return None;
        }
    }
    Some(Overlay {
        key: value.path.clone(),
        title: schema.title.clone(),
        help: schema.help.clone(),
        color: color(schema.role),
        stroke: if schema.role == Role::Plan { Stroke::Dotted } else { Stroke::Solid },
        shown: !schema.hidden,
        privileged: schema.privileged,
        marks,
    })
}

fn lines(paths: &Paths, lift: impl Fn(Vec3) -> Vec3, marks: &mut Vec<Mark>) {
    for (rank, line) in paths.lines.iter().enumerate() {
        let points: Vec<Vec3> = line.positions.iter().map(|&at| lift(at)).collect();
        // Only the best are named, and the one that was chosen; the list has all.
        if let Some(&middle) = points.get(points.len() / 2)
            && !line.label.is_empty()
            && (line.chosen || rank < 3)
        {
            let score = line.score.map_or(String::new(), |score| format!(" {score:.2}"));
            let chosen = if line.chosen { " ←" } else { "" };
            marks.push(Mark::Label(middle, format!("{}{score}{chosen}", line.label)));
        }
        if let [only] = points.as_slice() {
            marks.push(Mark::Dot(*only));
        } else {
            marks.push(Mark::Line { points, closed: paths.closed });
        }
    }
}

/// Cells of a row that look alike as one area: maps have tens of thousands of cells.
fn areas(grid: &Grid, lift: impl Fn(Vec3) -> Vec3, marks: &mut Vec<Mark>) {
    let [least, most] = grid.range.unwrap_or_else(|| {
        let known = (0..grid.values.len()).filter_map(|index| grid.values.get(index));
        known.fold([f32::MAX, f32::MIN], |[least, most], value| [least.min(value), most.max(value)])
    });
    let look = |column: u32, row: u32| -> Option<[u8; 4]> {
        let value = grid.value(column, row)?;
        let share = if most > least { ((value - least) / (most - least)).clamp(0.0, 1.0) } else { 0.0 };
        Some(match &grid.kind {
            GridKind::Occupancy if share > 0.6 => [250, 250, 250, 190],
            GridKind::Occupancy => [120, 160, 200, 80],
            GridKind::Explored => [120, 160, 200, 80],
            GridKind::Label(_) => {
                let [r, g, b] = ambler_sensor::id_color(value as u32 + 1);
                [r, g, b, 110]
            }
            GridKind::Value | GridKind::Distance | GridKind::Probability => {
                // In steps, so that cells alike can be joined.
                let step = (share * 12.0).round() / 12.0;
                let [r, g, b] = ambler_sensor::depth_color(f64::from(1.0 - step));
                [r, g, b, 130]
            }
        })
    };
    for row in 0..grid.rows {
        let mut column = 0;
        while column < grid.cols {
            let Some(color) = look(column, row) else {
                column += 1;
                continue;
            };
            let first = column;
            while column < grid.cols && look(column, row) == Some(color) {
                column += 1;
            }
            let at = |column: u32, row: u32| {
                let by = Vec3::new(column as f32 * grid.cell_m, 0.0, row as f32 * grid.cell_m);
                lift(grid.corner + by)
            };
            let corners = [at(first, row), at(first, row + 1), at(column, row + 1), at(column, row)];
            marks.push(Mark::Area(corners, color));
        }
    }
}

/// Asks a policy what it thinks.
pub(crate) fn listen(
    policy: &mut dyn ambler_agent::Policy,
    observation: &ambler_agent::Observation<'_>,
    action: ambler_body::Action,
    board: &mut layers::Board,
) {
    board.next_step();
    policy.publish(observation, action, board as &mut dyn Publisher);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_agent::layers::{Cells, Scalar, Text};

    fn board_with(step: usize, thoughts: &mut Thoughts, say: impl FnOnce(&mut dyn Publisher)) {
        let mut board = layers::Board::default();
        board.next_step();
        say(&mut board);
        thoughts.add(&mut board, step);
    }

    #[test]
    fn a_value_holds_until_it_is_replaced_and_one_of_a_step_only_there() {
        let mut thoughts = Thoughts::default();
        let number = |value| Layer::Scalar(Scalar { value });
        board_with(1, &mut thoughts, |to| {
            to.publish("a", Lifetime::UntilReplaced, Frame::World, number(1.0));
            to.publish("b", Lifetime::ThisStep, Frame::World, number(2.0));
        });
        board_with(3, &mut thoughts, |to| {
            to.publish("a", Lifetime::UntilReplaced, Frame::World, number(3.0));
            to.publish("c", Lifetime::Episode, Frame::World, Layer::Text(Text::plain("always")));
        });
        let at = |step| thoughts.at(step).iter().map(|value| value.path.clone()).collect::<Vec<_>>();
        assert_eq!(at(0), ["c"]);
        assert_eq!(at(1), ["a", "b", "c"]);
        assert_eq!(at(2), ["a", "c"]);
        let value = |step: usize| thoughts.at(step)[0].layer.clone();
        assert_eq!((value(2), value(3)), (number(1.0), number(3.0)));
        thoughts.truncate(3);
        assert_eq!(thoughts.at(9).len(), 1);
    }

    #[test]
    fn cells_alike_in_a_row_are_one_area_in_the_world() {
        let values: Vec<u8> = vec![0, 0, 100, 255, 0, 0, 0, 0];
        let grid = Grid {
            corner: Vec3::new(1.0, 0.0, 2.0),
            cell_m: 0.5,
            cols: 4,
            rows: 2,
            values: Cells::U8(values.into()),
            kind: GridKind::Occupancy,
            range: Some([0.0, 100.0]),
        };
        let mut marks = Vec::new();
        areas(&grid, |at| at, &mut marks);
        assert_eq!(marks.len(), 3, "free, occupied; free");
        let Mark::Area(corners, _) = &marks[2] else { panic!("an area") };
        assert_eq!((corners[0], corners[2]), (Vec3::new(1.0, 0.0, 2.5), Vec3::new(3.0, 0.0, 3.0)));
    }
}
