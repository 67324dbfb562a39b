//! What the agent thinks, for those who listen. Nothing here decides anything.

use super::mind::{Kind, Mind, Task};
use crate::Observation;
use crate::layers::{
    Candidate, Event, EventKind, Frame, Layer, Lifetime, Line, PathRole, Paths, Points, Publisher,
    Ranked, Role, Text,
};
use crate::mapping::show;
use ambler_body::Action;
use ambler_geometry::Vec3;

const HOLD: Lifetime = Lifetime::UntilReplaced;

/// What was told last.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    task: Option<Task>,
    /// The map is told once, and again when a step was blocked.
    map_told: bool,
}

impl Mind {
    pub(super) fn publish(&mut self, seen: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        let name = self.kind.name();
        let path = |part: &str| format!("agent/{name}/{part}");
        if seen.step == 0 {
            declare(name, seen, to);
        }
        let y = seen.position.y + show::LIFT_M;
        if (!self.told.map_told || seen.collided)
            && let Some((grid, _)) = show::occupancy(&self.map, y)
        {
            to.publish(&path("map"), HOLD, Frame::Start, Layer::Grid(grid));
            self.told.map_told = true;
        }
        self.publish_planes(&path("surfaces"), &path("order"), to);
        let left = |&(plane, place): &(usize, usize)| Vec3::from(self.planes[plane].nav_points[place]);
        let positions: Vec<Vec3> = self.tour.left.iter().map(left).collect();
        let points = Points { positions, radius_m: Some(0.05), ..Points::default() };
        to.publish(&path("places"), HOLD, Frame::Start, Layer::Points(points));
        let has_aim = matches!(self.task, Task::Walk { .. } | Task::Approach(_));
        let plan = show::plan_layer(&self.plan, &self.costs, seen, has_aim, y);
        to.publish(&path("plan"), HOLD, Frame::Start, plan);
        let points = Points { positions: self.goal.clone(), radius_m: Some(0.02), ..Points::default() };
        to.publish(&path("goal"), HOLD, Frame::Start, Layer::Points(points));
        show::publish_boxes(name, seen, &self.sight.goal, &|_| true, to);
        let text = Text::plain(self.in_words(action));
        to.publish(&path("state"), HOLD, Frame::Body, Layer::Text(text));
        if let Some(reason) = self.reason() {
            to.publish(&path("reason"), HOLD, Frame::Body, Layer::Text(Text::plain(reason)));
        }
        self.tell(seen, action, to);
    }

    fn aim(&self) -> Option<usize> {
        match self.task {
            Task::Walk { plane, .. } | Task::Look { plane, .. } => Some(plane),
            _ => None,
        }
    }

    /// Outlines of the surfaces, and those with places left in the order of their visits.
    fn publish_planes(&self, surfaces: &str, order_path: &str, to: &mut dyn Publisher) {
        let mut order: Vec<usize> = (0..self.planes.len()).collect();
        order.sort_by_key(|&plane| (self.tour.rank[plane], plane));
        let open = |plane: usize| self.tour.left.iter().any(|entry| entry.0 == plane);
        let (mut lines, mut candidates) = (Vec::new(), Vec::new());
        for &plane in &order {
            let known = &self.planes[plane];
            let chosen = self.aim() == Some(plane);
            let label = format!("{}, {}", known.receptacle, known.region.name()).replace('_', " ");
            let number = lines.len() as u32;
            if candidates.len() < 20 && (chosen || open(plane)) {
                candidates.push(Candidate {
                    label: label.clone(),
                    score: match self.kind {
                        Kind::Semantic => self.tour.chance[plane],
                        // The order was drawn; there is nothing better about the first.
                        Kind::Random => 1.0 / (1.0 + f64::from(self.tour.rank[plane])),
                    },
                    chosen,
                    shown_at: Some((surfaces.to_owned(), number)),
                });
            }
            lines.push(Line {
                positions: known.polygon.iter().map(|p| Vec3::new(p[0], known.y + 0.02, p[1])).collect(),
                score: Some(self.tour.chance[plane] as f32),
                label,
                chosen,
            });
        }
        let paths = Paths { lines, role: PathRole::Other, closed: true };
        to.publish(surfaces, HOLD, Frame::Start, Layer::Paths(paths));
        let title = match self.kind {
            Kind::Semantic => {
                format!("Surfaces by chance of the {}", self.errand.goal.replace('_', " "))
            }
            Kind::Random => "Surfaces in the order that was drawn (1 / rank)".to_owned(),
        };
        to.publish(order_path, HOLD, Frame::Start, Layer::Ranked(Ranked { title, candidates }));
    }

    /// Why it goes where it goes.
    fn reason(&self) -> Option<String> {
        let plane = self.aim()?;
        let known = &self.planes[plane];
        let place = format!("{} in a {}", known.receptacle, known.region.name()).replace('_', " ");
        let (rank, count) = (self.tour.rank[plane] + 1, self.planes.len());
        Some(match self.kind {
            Kind::Random => format!("A {place}: number {rank} of {count} in the order that was drawn."),
            Kind::Semantic => format!(
                "A {place}: chance of the {} there {:.4}, rank {rank}; {count} surfaces are known.",
                self.errand.goal.replace('_', " "),
                self.tour.chance[plane],
            ),
        })
    }

    fn in_words(&self, action: Action) -> String {
        let goal = self.errand.goal.replace('_', " ");
        let at = |plane: usize| self.planes[plane].receptacle.replace('_', " ");
        match (action, self.task) {
            (Action::Stop, Task::Done) => "stops: there is nothing left to look at".to_owned(),
            (Action::Stop, _) => format!("stops: it saw the {goal}"),
            (_, Task::Walk { plane, .. }) => format!("walks to a {}", at(plane)),
            (_, Task::Look { plane, .. }) => format!("looks at a {}", at(plane)),
            (_, Task::Approach(_)) => format!("goes to the {goal}"),
            (_, Task::Choose | Task::Done) => "chooses a surface".to_owned(),
        }
    }

    /// What has changed since it was told last.
    fn tell(&mut self, seen: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        if self.told.task != Some(self.task) {
            let text = self.in_words(Action::MoveForward);
            let event = match self.task {
                Task::Walk { plane, .. } => {
                    let event = Event::new(EventKind::Decision, text);
                    Some(event.at(Frame::Start, self.planes[plane].centre()))
                }
                Task::Approach(_) => {
                    let text = format!("sees its goal: {}", self.errand.goal);
                    let at = self.goal.first().copied().unwrap_or(seen.position);
                    Some(Event::new(EventKind::Detection, text).at(Frame::Start, at))
                }
                _ => None,
            };
            if let Some(event) = event {
                to.event(event);
            }
            self.told.task = Some(self.task);
        }
        if action == Action::Stop {
            let event = Event::new(EventKind::Stop, self.in_words(action));
            to.event(event.at(Frame::Start, seen.position));
        }
    }
}

fn declare(name: &str, seen: &Observation<'_>, to: &mut dyn Publisher) {
    let mut say = |part: &str, title: &str, help: &str, role: Role, order: i32| {
        show::declare(to, &format!("agent/{name}/{part}"), title, "", help, role, order);
    };
    say("state", "State", "What it is doing.", Role::State, 0);
    say("reason", "Reason", "Why it looks there.", Role::State, 1);
    let help =
        "Where it can walk, as it remembers: floor (0), where a step was blocked (75), the rest (100).";
    say("map", "Map", help, Role::Map, 2);
    let help = "Surfaces that it remembers; score = chance of the goal on it.";
    say("surfaces", "Surfaces", help, Role::Other, 3);
    say("order", "Order", "Surfaces that are left, the next first.", Role::Other, 4);
    say("places", "Places", "From where it has yet to look.", Role::Other, 5);
    say("plan", "Plan", "The cheapest way to where it is going.", Role::Plan, 6);
    say("goal", "Goal seen", "Surface of the goal that it saw.", Role::Goal, 7);
    for camera in seen.cameras {
        let path = show::boxes_path(name, &camera.name);
        show::declare(to, &path, "Detections", "", "The goal in the image.", Role::Detection, 8);
    }
}
