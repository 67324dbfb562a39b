//! What the agent thinks, for those who listen. Nothing here decides anything.

use super::act::{Aim, Explorer};
use crate::Observation;
use crate::layers::{
    Box2, Boxes2, Candidate, Event, EventKind, Frame, Layer, Lifetime, Line, PathRole, Paths, Points,
    Publisher, Ranked, Role, Scalar, Text,
};
use crate::mapping::dense::chain;
use crate::mapping::map::{CELL_M, GOAL, Map};
use crate::mapping::show::{self, LIFT_M};
use ambler_body::Action;
use ambler_geometry::Vec3;

const MAP: &str = "agent/frontier/map";
const EXPLORED: &str = "agent/frontier/explored";
const FRONTIERS: &str = "agent/frontier/frontiers";
const SCORES: &str = "agent/frontier/scores";
const PLAN: &str = "agent/frontier/plan";
const GOAL_SEEN: &str = "agent/frontier/goal";
const STATE: &str = "agent/frontier/state";

impl Explorer {
    pub(super) fn publish(&mut self, seen: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        // In each step, since it may have taken over in the middle of an episode.
        declare(seen, to);
        let y = self.map.floor_y() + LIFT_M;
        if to.wants(MAP) || to.wants(EXPLORED) || to.wants(GOAL_SEEN) {
            self.publish_map(y, to);
        }
        self.publish_frontiers(y, to);
        self.publish_plan(seen, y, to);
        self.publish_detections(seen, to);
        let text = self.in_words(action);
        to.publish(STATE, Lifetime::UntilReplaced, Frame::Body, Layer::Text(Text::plain(text)));
        self.tell(seen, action, y, to);
    }

    fn publish_map(&self, y: f32, to: &mut dyn Publisher) {
        let Some((grid, area)) = show::occupancy(&self.map, y) else { return };
        to.publish(MAP, Lifetime::UntilReplaced, Frame::Start, Layer::Grid(grid));
        let area = Scalar { value: area };
        to.publish(EXPLORED, Lifetime::UntilReplaced, Frame::Start, Layer::Scalar(area));
        let window = self.map.known();
        let mut goal = Vec::new();
        for z in window.z0..window.z1 {
            for x in window.x0..window.x1 {
                if self.map.flags(x, z) & GOAL != 0 {
                    let (x, z) = Map::middle(x, z);
                    goal.push(Vec3::new(x, y, z));
                }
            }
        }
        if !goal.is_empty() {
            let points = Points { positions: goal, radius_m: Some(0.5 * CELL_M), ..Points::default() };
            to.publish(GOAL_SEEN, Lifetime::UntilReplaced, Frame::Start, Layer::Points(points));
        }
    }

    fn publish_frontiers(&self, y: f32, to: &mut dyn Publisher) {
        let chosen = |middle: (f32, f32)| {
            self.state.aim == Aim::Frontier && self.state.heading_for == Some(middle)
        };
        let mut order: Vec<usize> = (0..self.state.frontiers.len()).collect();
        let score = |index: &usize| self.state.frontiers[*index].score;
        order.sort_by(|a, b| score(a).total_cmp(&score(b)));
        let mut lines = Vec::new();
        let mut candidates = Vec::new();
        for (rank, found) in order.iter().map(|&index| &self.state.frontiers[index]).enumerate() {
            let label = format!("frontier {}", rank + 1);
            let middles = found.cells.iter().map(|&cell| self.plan.middle(cell as usize));
            let (chosen, score) = (chosen(found.middle), -f64::from(found.score));
            candidates.push(Candidate {
                label: label.clone(),
                score,
                chosen,
                shown_at: Some((FRONTIERS.to_owned(), rank as u32)),
            });
            lines.push(Line {
                positions: chain(middles.collect())
                    .into_iter()
                    .map(|(x, z)| Vec3::new(x, y, z))
                    .collect(),
                score: Some(score as f32),
                label,
                chosen,
            });
        }
        let paths = Paths { lines, role: PathRole::Frontier, closed: false };
        to.publish(FRONTIERS, Lifetime::UntilReplaced, Frame::Start, Layer::Paths(paths));
        let ranked = Ranked { title: "Frontiers by score".to_owned(), candidates };
        to.publish(SCORES, Lifetime::UntilReplaced, Frame::Start, Layer::Ranked(ranked));
    }

    fn publish_plan(&self, seen: &Observation<'_>, y: f32, to: &mut dyn Publisher) {
        if to.wants(PLAN) {
            let has_aim = self.state.aim != Aim::Nothing;
            let layer = show::plan_layer(&self.plan, &self.costs, seen, has_aim, y);
            to.publish(PLAN, Lifetime::UntilReplaced, Frame::Start, layer);
        }
    }

    fn publish_detections(&self, seen: &Observation<'_>, to: &mut dyn Publisher) {
        for (camera, found) in seen.cameras.iter().zip(seen.detections) {
            let boxes = found
                .iter()
                .filter(|detection| self.categories.contains(&detection.category))
                .map(|detection| Box2 {
                    pixels: detection.bbox,
                    label: self.goal_name.clone(),
                    score: None,
                    wanted: true,
                })
                .collect();
            let layer = Layer::Boxes2(Boxes2 { camera: camera.name.clone(), boxes });
            let frame = Frame::Camera(camera.name.clone());
            to.publish(
                &show::boxes_path("frontier", &camera.name),
                Lifetime::UntilReplaced,
                frame,
                layer,
            );
        }
    }

    fn in_words(&self, action: Action) -> String {
        if action == Action::Stop {
            return "stops: it is at the goal, for all it knows".to_owned();
        }
        if self.state.look_around > 0 {
            return format!("looks around, {} turns left", self.state.look_around);
        }
        let aim = match self.state.aim {
            Aim::Goal if self.state.confirming => "faces the goal",
            Aim::Goal => "walks to the goal",
            Aim::Frontier => "walks to a frontier",
            Aim::Place => "walks to where it has not looked around",
            Aim::Nothing => "has no aim",
        };
        format!("{aim}: {}", action.name().replace('_', " "))
    }

    /// What has changed since it was told last.
    fn tell(&mut self, seen: &Observation<'_>, action: Action, y: f32, to: &mut dyn Publisher) {
        let here = Vec3::new(seen.position.x, y, seen.position.z);
        let told = &mut self.state.told;
        let goal = self.state.goal_height_m.is_some();
        if goal && !told.goal {
            let text = format!("sees its goal: {}", self.goal_name);
            to.event(Event::new(EventKind::Detection, text).at(Frame::Start, here));
        }
        told.goal = goal;
        if self.state.aim == Aim::Frontier && told.heading_for != self.state.heading_for {
            if let Some((x, z)) = self.state.heading_for {
                let left = self.state.frontiers.len();
                let text = format!("chose a frontier of {left}");
                to.event(Event::new(EventKind::Frontier, text).at(Frame::Start, Vec3::new(x, y, z)));
            }
            told.heading_for = self.state.heading_for;
        }
        if told.aim != Some(self.state.aim) {
            let text = match self.state.aim {
                Aim::Nothing => "looks around",
                Aim::Goal => "goes for the goal",
                Aim::Frontier => "explores",
                Aim::Place => "goes where it has not looked around",
            };
            to.event(Event::new(EventKind::Decision, text).at(Frame::Start, here));
            told.aim = Some(self.state.aim);
        }
        if action == Action::Stop {
            to.event(Event::new(EventKind::Stop, "stops").at(Frame::Start, here));
        }
    }
}

fn declare(seen: &Observation<'_>, to: &mut dyn Publisher) {
    let mut say = |path: &str, title: &str, unit: &str, help: &str, role: Role, order: i32| {
        show::declare(to, path, title, unit, help, role, order);
    };
    say(STATE, "State", "", "What it is doing.", Role::State, 0);
    say(MAP, "Map", "", show::OCCUPANCY_HELP, Role::Map, 1);
    say(EXPLORED, "Explored", "m²", "Area of floor and obstacles seen.", Role::Map, 2);
    let help = "Borders between known and unknown floor, the best first; score = - (way in metres - half the width - loyalty).";
    say(FRONTIERS, "Frontiers", "m", help, Role::Frontier, 3);
    say(SCORES, "Frontier scores", "m", help, Role::Frontier, 4);
    say(PLAN, "Plan", "", "The cheapest way to its aim on its own map.", Role::Plan, 5);
    say(GOAL_SEEN, "Goal seen", "", "Surfaces of the goal that it saw.", Role::Goal, 6);
    for camera in seen.cameras {
        let help = "What the detector shows of the goal.";
        say(&show::boxes_path("frontier", &camera.name), "Detections", "", help, Role::Detection, 7);
    }
}
