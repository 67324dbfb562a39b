//! What the agent thinks, for those who listen. Nothing here decides anything.

use super::mind::{Aim, Mind};
use crate::Observation;
use crate::layers::{
    self, Event, EventKind, Frame, Layer, Lifetime, Line, PathRole, Paths, Points, Publisher, Ranked,
    Role, Text,
};
use crate::mapping::show::{self, LIFT_M};
use ambler_body::Action;
use ambler_geometry::Vec3;

const MAP: &str = "agent/l3mvn/map";
const THINGS: &str = "agent/l3mvn/things";
const FRONTIERS: &str = "agent/l3mvn/frontiers";
const CHANCES: &str = "agent/l3mvn/chances";
const REASON: &str = "agent/l3mvn/reason";
const PLAN: &str = "agent/l3mvn/plan";
const GOAL: &str = "agent/l3mvn/goal";
const STATE: &str = "agent/l3mvn/state";
const HOLD: Lifetime = Lifetime::UntilReplaced;

/// What was told last.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    aim: Option<Aim>,
    goal: bool,
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
        if to.wants(THINGS) {
            self.publish_things(y, to);
        }
        self.publish_candidates(y, to);
        if to.wants(PLAN) {
            let layer = show::plan_layer(&self.plan, &self.costs, seen, self.aim.is_some(), y);
            to.publish(PLAN, HOLD, Frame::Start, layer);
        }
        let goal = self.semantics.largest(&self.errand.names);
        let positions = goal.into_iter().map(|(x, z)| Vec3::new(x, y, z)).collect();
        let points = Points { positions, radius_m: Some(0.025), ..Points::default() };
        to.publish(GOAL, HOLD, Frame::Start, Layer::Points(points));
        show::publish_boxes("l3mvn", seen, &self.sight.all, &|label| self.errand.is_goal(label), to);
        let text = Text::plain(self.in_words(action));
        to.publish(STATE, HOLD, Frame::Body, Layer::Text(text));
        self.tell(seen, action, y, to);
    }

    /// One labelled point a thing's category: the mean of its cells.
    fn publish_things(&self, y: f32, to: &mut dyn Publisher) {
        let mut points = Points { radius_m: Some(0.06), ..Points::default() };
        for (label, cells) in self.semantics.all() {
            if cells.is_empty() {
                continue;
            }
            let count = cells.len() as f32;
            let (x, z) = cells.iter().fold((0.0, 0.0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1));
            points.positions.push(Vec3::new(x / count, y, z / count));
            points.labels.push(label.to_owned());
        }
        to.publish(THINGS, HOLD, Frame::Start, Layer::Points(points));
    }

    fn publish_candidates(&self, y: f32, to: &mut dyn Publisher) {
        let chosen = match self.aim {
            Some(Aim::Border(index)) => Some(index),
            _ => None,
        };
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        order.sort_by(|&a, &b| self.candidates[b].chance.total_cmp(&self.candidates[a].chance));
        let (mut lines, mut ranked) = (Vec::new(), Vec::new());
        for (rank, &index) in order.iter().enumerate() {
            let candidate = &self.candidates[index];
            let near = match candidate.things.as_slice() {
                [] => "nothing near".to_owned(),
                things => things.iter().take(6).cloned().collect::<Vec<_>>().join(", "),
            };
            ranked.push(layers::Candidate {
                label: near.replace('_', " "),
                score: candidate.chance,
                chosen: chosen == Some(index),
                shown_at: Some((FRONTIERS.to_owned(), rank as u32)),
            });
            let points = candidate.border.line.iter();
            lines.push(Line {
                positions: points.map(|&(x, z)| Vec3::new(x, y, z)).collect(),
                score: Some(candidate.chance as f32),
                label: format!("P {:.2}", candidate.chance),
                chosen: chosen == Some(index),
            });
        }
        let paths = Paths { lines, role: PathRole::Frontier, closed: false };
        to.publish(FRONTIERS, HOLD, Frame::Start, Layer::Paths(paths));
        let title = format!("Chance of the {} there", self.errand.goal.replace('_', " "));
        let layer = Layer::Ranked(Ranked { title, candidates: ranked });
        to.publish(CHANCES, HOLD, Frame::Start, layer);
        if let Some(candidate) = chosen.and_then(|index| self.candidates.get(index)) {
            let text = match candidate.things.as_slice() {
                [] => "Nothing is known near this frontier; its size counts.".to_owned(),
                things => format!(
                    "Near it: {}. Chance of the {} there: {:.2}.",
                    things.join(", ").replace('_', " "),
                    self.errand.goal.replace('_', " "),
                    candidate.chance
                ),
            };
            to.publish(REASON, HOLD, Frame::Start, Layer::Text(Text::plain(text)));
        }
    }

    fn in_words(&self, action: Action) -> String {
        let goal = self.errand.goal.replace('_', " ");
        match (action, self.aim) {
            (Action::Stop, Some(Aim::Goal(_))) => format!("stops: the {goal} is within reach"),
            (Action::Stop, _) => "stops: too many plans came to nothing".to_owned(),
            (_, Some(Aim::Goal(_))) => format!("goes to the {goal}"),
            (_, Some(Aim::Border(index))) => match self.candidates.get(index) {
                Some(candidate) => format!(
                    "goes to a frontier {:.1} m away, chance {:.2}",
                    candidate.border.distance_m, candidate.chance
                ),
                None => "explores".to_owned(),
            },
            (_, Some(Aim::Place(_))) => "no frontier in range: goes to a random place".to_owned(),
            (_, None) => "looks for an aim".to_owned(),
        }
    }

    /// What has changed since it was told last.
    fn tell(&mut self, seen: &Observation<'_>, action: Action, y: f32, to: &mut dyn Publisher) {
        let here = Vec3::new(seen.position.x, y, seen.position.z);
        let sees_goal = matches!(self.aim, Some(Aim::Goal(_)));
        if sees_goal && !self.told.goal {
            let text = format!("sees its goal: {}", self.errand.goal);
            to.event(Event::new(EventKind::Detection, text).at(Frame::Start, here));
        }
        self.told.goal = sees_goal;
        if self.told.aim != self.aim {
            let text = self.in_words(Action::MoveForward);
            match self.aim {
                Some(Aim::Border(index)) => {
                    let at = self.candidates.get(index).map_or((here.x, here.z), |c| c.border.centroid);
                    let event = Event::new(EventKind::Frontier, text);
                    to.event(event.at(Frame::Start, Vec3::new(at.0, y, at.1)));
                }
                Some(Aim::Place((x, z))) => {
                    let event = Event::new(EventKind::Decision, text);
                    to.event(event.at(Frame::Start, Vec3::new(x, y, z)));
                }
                _ => {}
            }
            self.told.aim = self.aim;
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
    say(REASON, "Reason", "", "Why it chose its frontier.", Role::State, 1);
    say(MAP, "Map", "", show::OCCUPANCY_HELP, Role::Map, 2);
    say(THINGS, "Things", "", "Categories that it saw, each at the mean of its cells.", Role::Other, 3);
    let help = "Pieces of the outline of what was explored; score = chance of the goal there.";
    say(FRONTIERS, "Frontiers", "", help, Role::Frontier, 4);
    say(CHANCES, "Chances", "", "Frontiers by the things around them.", Role::Frontier, 5);
    say(PLAN, "Plan", "", "The cheapest way to its aim on its own map.", Role::Plan, 6);
    say(GOAL, "Goal seen", "", "Cells of the goal that it goes to.", Role::Goal, 7);
    for camera in seen.cameras {
        let path = show::boxes_path("l3mvn", &camera.name);
        say(&path, "Detections", "", "What the detector shows.", Role::Detection, 8);
    }
}
