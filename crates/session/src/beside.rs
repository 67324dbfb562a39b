use crate::{Event, Moment, Thoughts};
use std::sync::Arc;

/// Something in which two ways through an episode part, and the first step at which they do.
#[derive(Clone, Debug, PartialEq)]
pub struct Parting {
    /// The first step at which both are known to differ; of an action, the step at which it was chosen.
    pub step: usize,
    /// What differs, such as `action` or `pose`.
    pub kind: String,
    /// What the first and the other have there.
    pub text: String,
}

/// Another way through the same episode, shown beside the present one.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Who acted there.
    pub actor: String,
    /// The branch that it is; `None` for one that the host gave.
    pub branch: Option<usize>,
    /// Its history, the start first.
    pub moments: Arc<Vec<Moment>>,
    /// What its policies thought.
    pub thoughts: Thoughts,
    /// Its events.
    pub events: Arc<Vec<Event>>,
    /// In what they part, the earliest first; empty where they are alike.
    pub partings: Arc<Vec<Parting>>,
}

impl Beside {
    /// Its last step.
    pub fn last(&self) -> usize {
        self.moments.len().saturating_sub(1)
    }

    /// The state at a step of the present way: its own last one where it is over before that.
    pub fn at(&self, step: usize) -> Option<&Moment> {
        self.moments.get(step.min(self.last()))
    }

    /// The first step at which they part.
    pub fn parts_at(&self) -> Option<usize> {
        self.partings.first().map(|parting| parting.step)
    }
}

/// In what two histories of one episode part: the first difference of a kind each.
pub(crate) fn partings(one: &[Moment], other: &[Moment]) -> Vec<Parting> {
    let mut found: Vec<Parting> = Vec::new();
    let mut add = |step: usize, kind: &str, text: String| {
        if !found.iter().any(|known| known.kind == kind) {
            found.push(Parting { step, kind: kind.to_owned(), text });
        }
    };
    for (step, (a, b)) in one.iter().zip(other).enumerate() {
        if a.action != b.action {
            let [a, b] = [a, b].map(|it| it.action.map_or("start".to_owned(), |it| it.to_string()));
            add(step.saturating_sub(1), "action", format!("{a} | {b}"));
        }
        let apart = a.pose.position.distance(b.pose.position);
        let turned = (a.pose.heading.yaw() - b.pose.heading.yaw()).to_degrees();
        if a.pose != b.pose || a.tilt_rad.to_bits() != b.tilt_rad.to_bits() {
            add(step, "pose", format!("{apart:.3} m and {turned:.1}° apart"));
        }
        if a.distance_m != b.distance_m || a.scores != b.scores || a.collisions != b.collisions {
            let metres = |it: Option<f64>| it.map_or("no way".to_owned(), |it| format!("{it:.3} m"));
            let [a, b] = [a.distance_m, b.distance_m].map(metres);
            add(step, "metric", format!("to the goal {a} | {b}"));
        }
    }
    if one.len() != other.len() {
        let common = one.len().min(other.len());
        let text = format!("{} steps | {} steps", one.len() - 1, other.len().saturating_sub(1));
        add(common.saturating_sub(1), "length", text);
    }
    found.sort_by_key(|parting| parting.step);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_body::Action;
    use ambler_geometry::Vec3;

    fn way(actions: &[Action]) -> Vec<Moment> {
        let mut moments = vec![Moment::default()];
        for &action in actions {
            let mut next = Moment { action: Some(action), ..moments[moments.len() - 1].clone() };
            if action == Action::MoveForward {
                next.pose.position += Vec3::Z * -0.25;
            }
            moments.push(next);
        }
        moments
    }

    #[test]
    fn an_action_parts_ways_where_it_was_chosen_and_the_pose_a_step_later() {
        use Action::{MoveForward as F, TurnLeft as L};
        let found = partings(&way(&[F, F, F, L]), &way(&[F, F, L]));
        let told: Vec<(usize, &str)> = found.iter().map(|it| (it.step, it.kind.as_str())).collect();
        assert_eq!(told, [(2, "action"), (3, "pose"), (3, "length")]);
        assert!(partings(&way(&[F, L]), &way(&[F, L])).is_empty());
        // One that only ends earlier parts where it ends.
        let found = partings(&way(&[F, F]), &way(&[F]));
        assert_eq!((found.len(), found[0].step, found[0].kind.as_str()), (1, 1, "length"));
    }
}
