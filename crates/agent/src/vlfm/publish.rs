//! What the agent thinks, for those who listen. Nothing here decides anything.

use super::mind::{Mind, Mode};
use crate::Observation;
use crate::layers::{
    Candidate, Cells, Event, EventKind, Frame, GridKind, Layer, Lifetime, Line, PathRole, Paths, Points,
    Publisher, Ranked, Role, Scalar, Text,
};
use crate::mapping::show::{self, LIFT_M};
use ambler_body::Action;
use ambler_geometry::Vec3;
use std::sync::Arc;

const MAP: &str = "agent/vlfm/map";
const VALUE: &str = "agent/vlfm/value";
const SCORE: &str = "agent/vlfm/score";
const FRONTIERS: &str = "agent/vlfm/frontiers";
const SCORES: &str = "agent/vlfm/scores";
const PLAN: &str = "agent/vlfm/plan";
const GOAL: &str = "agent/vlfm/goal";
const STATE: &str = "agent/vlfm/state";
const HOLD: Lifetime = Lifetime::UntilReplaced;

/// What was told last.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    mode: Option<Mode>,
    chosen: Option<(f32, f32)>,
}

impl Mind {
    pub(super) fn publish(&mut self, seen: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        if seen.step == 0 {
            declare(seen, to);
        }
        let y = self.map.floor_y() + LIFT_M;
        if to.wants(MAP)
            && let Some((grid, _)) = show::occupancy(&self.map, y)
        {
            to.publish(MAP, HOLD, Frame::Start, Layer::Grid(grid));
        }
        if to.wants(VALUE) {
            self.publish_values(y, to);
        }
        let score = Scalar { value: f64::from(self.score) };
        to.publish(SCORE, HOLD, Frame::Start, Layer::Scalar(score));
        self.publish_borders(y, to);
        if to.wants(PLAN) {
            let has_aim = self.mode != Mode::LookAround;
            let layer = show::plan_layer(&self.plan, &self.costs, seen, has_aim, y);
            to.publish(PLAN, HOLD, Frame::Start, layer);
        }
        let positions = self.cloud.points();
        let points = Points { positions, radius_m: Some(0.025), ..Points::default() };
        to.publish(GOAL, HOLD, Frame::Start, Layer::Points(points));
        show::publish_boxes("vlfm", seen, &self.sight.all, &|label| self.errand.is_goal(label), to);
        let text = Text::plain(self.in_words(action));
        to.publish(STATE, HOLD, Frame::Body, Layer::Text(text));
        self.tell(seen, action, y, to);
    }

    fn publish_values(&self, y: f32, to: &mut dyn Publisher) {
        let window = self.map.known();
        let mut values = Vec::new();
        for z in window.z0..window.z1 {
            for x in window.x0..window.x1 {
                values.push(self.values.at(x, z).unwrap_or(f32::NAN));
            }
        }
        if !values.is_empty() {
            let values = Cells::F32(Arc::from(values));
            let grid = show::grid(&self.map, y, values, GridKind::Value, [0.0, 1.0]);
            to.publish(VALUE, HOLD, Frame::Start, Layer::Grid(grid));
        }
    }

    fn publish_borders(&self, y: f32, to: &mut dyn Publisher) {
        let mut order: Vec<usize> = (0..self.borders.len()).collect();
        order.sort_by(|&a, &b| self.borders[b].1.total_cmp(&self.borders[a].1));
        let (mut lines, mut candidates) = (Vec::new(), Vec::new());
        for (rank, &index) in order.iter().enumerate() {
            let (border, value) = &self.borders[index];
            let chosen = self.chosen == Some(index) && self.mode == Mode::Explore;
            let label = format!("frontier {}", rank + 1);
            candidates.push(Candidate {
                label: label.clone(),
                score: f64::from(*value),
                chosen,
                shown_at: Some((FRONTIERS.to_owned(), rank as u32)),
            });
            let positions = border.line.iter().map(|&(x, z)| Vec3::new(x, y, z)).collect();
            lines.push(Line { positions, score: Some(*value), label, chosen });
        }
        let paths = Paths { lines, role: PathRole::Frontier, closed: false };
        to.publish(FRONTIERS, HOLD, Frame::Start, Layer::Paths(paths));
        let ranked = Ranked { title: "Frontiers by value".to_owned(), candidates };
        to.publish(SCORES, HOLD, Frame::Start, Layer::Ranked(ranked));
    }

    fn in_words(&self, action: Action) -> String {
        let goal = self.errand.goal.replace('_', " ");
        match (action, self.mode) {
            (Action::Stop, Mode::Navigate) => format!("stops: the {goal} is within reach"),
            (Action::Stop, _) => "stops: there is no frontier left".to_owned(),
            (_, Mode::LookAround) => format!("looks around, {} turns left", self.turns_left),
            (_, Mode::Navigate) if self.cloud.is_provisional() => {
                format!("goes to what may be the {goal}")
            }
            (_, Mode::Navigate) => format!("goes to the {goal}"),
            (_, Mode::Explore) => match self.chosen.and_then(|index| self.borders.get(index)) {
                Some((_, value)) => format!("goes to a frontier of value {value:.2}"),
                None => "explores".to_owned(),
            },
        }
    }

    /// What has changed since it was told last.
    fn tell(&mut self, seen: &Observation<'_>, action: Action, y: f32, to: &mut dyn Publisher) {
        let here = Vec3::new(seen.position.x, y, seen.position.z);
        if self.told.mode != Some(self.mode) {
            let (kind, text) = match self.mode {
                Mode::LookAround => (EventKind::Decision, "looks around".to_owned()),
                Mode::Explore => (EventKind::Decision, "explores".to_owned()),
                Mode::Navigate => (EventKind::Detection, format!("sees its goal: {}", self.errand.goal)),
            };
            to.event(Event::new(kind, text).at(Frame::Start, here));
            self.told.mode = Some(self.mode);
        }
        let chosen = self.chosen.and_then(|index| self.borders.get(index));
        if let Some((border, value)) = chosen.filter(|_| self.mode == Mode::Explore)
            && self.told.chosen != Some(border.waypoint)
        {
            let (x, z) = border.waypoint;
            let text = format!("chose a frontier of {}, value {value:.2}", self.borders.len());
            to.event(Event::new(EventKind::Frontier, text).at(Frame::Start, Vec3::new(x, y, z)));
            self.told.chosen = Some(border.waypoint);
        }
        if action == Action::Stop {
            let text = self.in_words(action);
            to.event(Event::new(EventKind::Stop, text).at(Frame::Start, here));
        }
    }
}

fn declare(seen: &Observation<'_>, to: &mut dyn Publisher) {
    let mut say = |path: &str, title: &str, unit: &str, help: &str, role: Role, order: i32| {
        show::declare(to, path, title, unit, help, role, order);
    };
    say(STATE, "State", "", "What it is doing.", Role::State, 0);
    say(MAP, "Map", "", show::OCCUPANCY_HELP, Role::Map, 1);
    let help = "How well what was seen fits the goal, averaged by confidence.";
    say(VALUE, "Value", "", help, Role::Map, 2);
    say(SCORE, "Score", "", "How well the image fits the goal, 0 to 1.", Role::State, 3);
    let help = "Borders between explored and unexplored floor, the best first.";
    say(FRONTIERS, "Frontiers", "", help, Role::Frontier, 4);
    say(SCORES, "Frontier values", "", help, Role::Frontier, 5);
    say(PLAN, "Plan", "", "The cheapest way to its aim on its own map.", Role::Plan, 6);
    say(GOAL, "Goal seen", "", "Surfaces of the goal that it saw.", Role::Goal, 7);
    for camera in seen.cameras {
        let path = show::boxes_path("vlfm", &camera.name);
        say(&path, "Detections", "", "What the detector shows.", Role::Detection, 8);
    }
}
