use crate::types::Task;
use ambler_geometry::{Fault, Place, Vec3};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What distance to goal is measured to (Habitat's `DISTANCE_TO`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DistanceTo {
    /// The nearest goal position.
    Point,
    /// The nearest view point of any goal.
    ViewPoints,
}

/// What counts as success. Published work changes it silently; Ambler names it in every result.
/// Success: the agent called stop and its distance to goal is *strictly* less than `distance_m`.
///
/// | name | metres | to | source |
/// |---|---|---|---|
/// | `pointnav` | 0.2 | goal | Habitat PointNav |
/// | `pointnav-challenge` | 0.36 | goal | Habitat PointNav challenge 2021 |
/// | `objectnav` | 0.1 | view points | Habitat ObjectNav |
/// | `instance-imagenav` | 0.1 | view points | Habitat InstanceImageNav |
/// | `ovon` | 0.25 | view points | HM3D-OVON |
/// | `goat` | 0.25 | view points | GOAT-Bench |
/// | `vlnce` | 3.0 | goal | VLN-CE |
///
/// ```
/// use ambler_episode::SuccessRule;
/// let rule: SuccessRule = "objectnav@1.0".parse().expect("a rule with its own distance");
/// assert_eq!((rule.distance_m, rule.to_string().as_str()), (1.0, "objectnav@1"));
/// assert!("objectnav@-1".parse::<SuccessRule>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuccessRule {
    /// One of [`SuccessRule::NAMES`].
    pub name: String,
    /// Metres; success is strictly nearer.
    pub distance_m: f64,
    /// What the distance is measured to.
    pub to: DistanceTo,
}

const RULES: [(&str, f64, DistanceTo); 7] = [
    ("pointnav", 0.2, DistanceTo::Point),
    ("pointnav-challenge", 0.36, DistanceTo::Point),
    ("objectnav", 0.1, DistanceTo::ViewPoints),
    ("instance-imagenav", 0.1, DistanceTo::ViewPoints),
    ("ovon", 0.25, DistanceTo::ViewPoints),
    ("goat", 0.25, DistanceTo::ViewPoints),
    ("vlnce", 3.0, DistanceTo::Point),
];

impl SuccessRule {
    /// Names of the rules.
    pub const NAMES: [&str; 7] =
        ["pointnav", "pointnav-challenge", "objectnav", "instance-imagenav", "ovon", "goat", "vlnce"];

    /// The rule of that name, with its usual distance.
    pub fn named(name: &str) -> Option<Self> {
        let &(name, distance_m, to) = RULES.iter().find(|rule| rule.0 == name)?;
        Some(Self { name: name.to_owned(), distance_m, to })
    }

    /// The usual rule of a task.
    pub fn for_task(task: &Task) -> Self {
        let (name, distance_m, to) = match task {
            Task::PointNav { .. } => RULES[0],
            Task::ObjectNav { .. } => RULES[2],
            Task::InstanceImageNav { .. } => RULES[3],
        };
        Self { name: name.to_owned(), distance_m, to }
    }

    /// Whether a distance to goal is near enough.
    pub fn reached(&self, distance_m: f64) -> bool {
        distance_m < self.distance_m
    }
}

impl fmt::Display for SuccessRule {
    /// `NAME`, or `NAME@METRES` where the distance is not the usual one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::named(&self.name).is_some_and(|rule| rule.distance_m == self.distance_m);
        if usual { f.write_str(&self.name) } else { write!(f, "{}@{}", self.name, self.distance_m) }
    }
}

impl FromStr for SuccessRule {
    type Err = Fault;

    /// Reads `NAME` or `NAME@METRES`.
    fn from_str(text: &str) -> Result<Self, Fault> {
        let (name, distance) = match text.split_once('@') {
            Some((name, distance)) => (name, Some(distance)),
            None => (text, None),
        };
        let mut rule = Self::named(name).ok_or_else(|| {
            let remedy = format!("use one of {}", Self::NAMES.join(", "));
            Fault::new("", Place::Whole, format!("no success rule is called '{name}'"), remedy)
        })?;
        if let Some(distance) = distance {
            rule.distance_m =
                distance.parse().ok().filter(|d: &f64| d.is_finite() && *d > 0.0).ok_or_else(|| {
                    let what = format!("'{distance}' is not a success distance");
                    Fault::new("", Place::Whole, what, "write metres above 0, as in objectnav@0.1")
                })?;
        }
        Ok(rule)
    }
}

/// The points that distance to goal is measured to.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalPoints {
    /// World positions; not empty for an episode that was read or made by this crate.
    pub points: Vec<Vec3>,
    /// What they are.
    pub to: DistanceTo,
    /// View points were asked for but no goal has one, so that the goal positions stand in
    /// (Habitat stops with an `IndexError` there). Results carry this flag.
    pub fell_back: bool,
}

impl GoalPoints {
    /// The points of a task.
    pub fn of(task: &Task, to: DistanceTo) -> Self {
        let positions = |to, fell_back| Self { points: task.goal_positions(), to, fell_back };
        if to == DistanceTo::Point {
            return positions(DistanceTo::Point, false);
        }
        let points: Vec<Vec3> = task
            .object_goals()
            .flat_map(|goal| goal.view_points.iter().map(|view| view.position))
            .collect();
        if points.is_empty() {
            return positions(DistanceTo::Point, true);
        }
        Self { points, to: DistanceTo::ViewPoints, fell_back: false }
    }
}
