//! Hands out episodes to workers so that each worker changes its scene as seldom as possible.

use std::collections::{BTreeMap, VecDeque};

use ambler_geometry::random::Stream;

use crate::plan::Plan;

struct Group {
    pending: VecDeque<usize>,
    workers: usize,
}

/// The episodes still to run, grouped by scene in plan order.
pub(crate) struct Queue {
    groups: Vec<Group>,
}

impl Queue {
    /// `pending` are indices into the plan's entries. With a seed, scenes and the episodes within
    /// each are shuffled.
    pub(crate) fn new(plan: &Plan, pending: &[usize], order_seed: Option<u64>) -> Self {
        let mut group_of_scene: BTreeMap<&str, usize> = BTreeMap::new();
        let mut groups: Vec<Group> = Vec::new();
        for &position in pending {
            let Some(entry) = plan.entries().get(position) else { continue };
            let group = *group_of_scene.entry(&entry.scene).or_insert_with(|| {
                groups.push(Group { pending: VecDeque::new(), workers: 0 });
                groups.len() - 1
            });
            groups[group].pending.push_back(position);
        }
        if let Some(seed) = order_seed {
            let mut stream = Stream::new(seed, "plan", "order");
            for group in &mut groups {
                stream.shuffle(group.pending.make_contiguous());
            }
            stream.shuffle(&mut groups);
        }
        Self { groups }
    }

    /// The next episode for a worker that is at home in group `home`: from there while it lasts,
    /// then from a scene nobody works on, then from the one with most left.
    pub(crate) fn next(&mut self, home: &mut Option<usize>) -> Option<usize> {
        if let Some(group) = *home {
            if let Some(position) = self.groups[group].pending.pop_front() {
                return Some(position);
            }
            self.groups[group].workers -= 1;
            *home = None;
        }
        let free = self.groups.iter().position(|group| group.workers == 0 && !group.pending.is_empty());
        let group = free.or_else(|| {
            // The first of the longest, so that the choice is plain.
            let longest =
                self.groups.iter().map(|group| group.pending.len()).max().filter(|&n| n > 0)?;
            self.groups.iter().position(|group| group.pending.len() == longest)
        })?;
        self.groups[group].workers += 1;
        *home = Some(group);
        self.groups[group].pending.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{PlanEntry, Selection};

    fn plan(scenes: &[&str]) -> Plan {
        let entries = scenes
            .iter()
            .enumerate()
            .map(|(index, scene)| PlanEntry {
                index: index as u64,
                episode_id: index.to_string(),
                identity: format!("{index:064x}"),
                scene: (*scene).to_owned(),
                task: "pointnav".to_owned(),
                category: String::new(),
            })
            .collect();
        Plan::select(entries, &Selection::default()).unwrap()
    }

    #[test]
    fn one_worker_visits_each_scene_once_in_plan_order() {
        let plan = plan(&["a", "b", "a", "b", "a"]);
        let mut queue = Queue::new(&plan, &[0, 1, 2, 3, 4], None);
        let mut home = None;
        let order: Vec<usize> = std::iter::from_fn(|| queue.next(&mut home)).collect();
        assert_eq!(order, [0, 2, 4, 1, 3]);
    }

    #[test]
    fn two_workers_take_different_scenes_then_share_the_last() {
        let plan = plan(&["a", "a", "a", "a", "b"]);
        let mut queue = Queue::new(&plan, &[0, 1, 2, 3, 4], None);
        let (mut one, mut two) = (None, None);
        assert_eq!(queue.next(&mut one), Some(0));
        assert_eq!(queue.next(&mut two), Some(4));
        assert_eq!(queue.next(&mut two), Some(1));
        assert_eq!(queue.next(&mut one), Some(2));
        assert_eq!(queue.next(&mut two), Some(3));
        assert_eq!((queue.next(&mut one), queue.next(&mut two)), (None, None));
        assert_eq!((queue.next(&mut one), queue.next(&mut two)), (None, None));
    }

    #[test]
    fn a_shuffled_order_hands_out_each_episode_once() {
        let plan = plan(&["a", "b", "a", "c", "a", "b", "c", "c"]);
        let mut queue = Queue::new(&plan, &[0, 1, 2, 3, 4, 5, 6, 7], Some(3));
        let mut home = None;
        let mut order: Vec<usize> = std::iter::from_fn(|| queue.next(&mut home)).collect();
        assert_ne!(order, [0, 2, 4, 1, 5, 3, 6, 7]);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
