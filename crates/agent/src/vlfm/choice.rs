/// A border counts as the one that was chosen last within this distance, metres.
const SAME_M: f32 = 0.5;
/// It keeps to the last one unless its value fell by more than this.
const LOYALTY: f32 = 0.01;

/// Which border to go to, and which were chosen before.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    last: Option<((f32, f32), f32)>,
    /// Place, border and the two best values of each choice.
    made: Vec<((f32, f32), (f32, f32), [f32; 2])>,
}

impl Choice {
    /// The border to go to from `at`, of those with these waypoints and values: the last one as long as
    /// its value holds, else the best that was not chosen before in the same situation, else the
    /// farthest.
    pub(super) fn choose(&mut self, at: (f32, f32), borders: &[((f32, f32), f32)]) -> Option<usize> {
        let apart = |a: (f32, f32), b: (f32, f32)| {
            ((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1)).sqrt()
        };
        let mut order: Vec<usize> = (0..borders.len()).collect();
        order.sort_by(|&a, &b| borders[b].1.total_cmp(&borders[a].1));
        let value = |rank: usize| order.get(rank).map_or(0.0, |&index| borders[index].1);
        let situation = [value(0), value(1)];
        let mut chosen = None;
        if let Some((place, value)) = self.last {
            let nearest = (0..borders.len())
                .map(|index| (apart(borders[index].0, place), index))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            chosen = nearest
                .filter(|&(apart, index)| apart <= SAME_M && borders[index].1 + LOYALTY > value)
                .map(|(_, index)| index);
        }
        let is_new = |&&index: &&usize| !self.made.contains(&(at, borders[index].0, situation));
        let chosen = chosen.or_else(|| order.iter().find(is_new).copied()).or_else(|| {
            (0..borders.len())
                .max_by(|&a, &b| apart(borders[a].0, at).total_cmp(&apart(borders[b].0, at)))
        })?;
        self.made.push((at, borders[chosen].0, situation));
        self.last = Some(borders[chosen]);
        Some(chosen)
    }

    /// Forgets the last one: it could not be reached.
    pub(super) fn drop_last(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_to_a_border_until_its_value_falls() {
        let mut choice = Choice::default();
        let (a, b) = ((1.0, 0.0), (5.0, 0.0));
        assert_eq!(choice.choose((0.0, 0.0), &[(a, 0.5), (b, 0.4)]), Some(0));
        // Another is better now, but the last one is as good as it was, a little elsewhere.
        assert_eq!(choice.choose((0.0, 0.2), &[(b, 0.9), ((1.3, 0.0), 0.495)]), Some(1));
        assert_eq!(choice.choose((0.0, 0.4), &[(b, 0.9), ((1.3, 0.0), 0.4)]), Some(0));
        assert_eq!(choice.choose((0.0, 0.4), &[]), None);
    }

    #[test]
    fn it_leaves_circles() {
        let mut choice = Choice::default();
        let borders = [((1.0, 0.0), 0.5), ((5.0, 0.0), 0.4)];
        let mut choose = || {
            choice.drop_last();
            choice.choose((0.0, 0.0), &borders)
        };
        assert_eq!([choose(), choose()], [Some(0), Some(1)]);
        assert_eq!(choose(), Some(1), "both were chosen: the farthest");
    }
}
