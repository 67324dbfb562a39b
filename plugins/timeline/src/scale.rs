/// Where steps are on a line of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Left end, points.
    pub left: f32,
    /// Right end, points.
    pub right: f32,
    /// The last step.
    pub last: usize,
}

/// A pointer this near to an event means the event, points.
const SNAP: f32 = 6.0;

impl Scale {
    /// The x of a step.
    pub fn x(&self, step: usize) -> f32 {
        self.left + (self.right - self.left) * step as f32 / self.last.max(1) as f32
    }

    /// The step at an x; events near it attract.
    pub fn step(&self, x: f32, events: impl Iterator<Item = usize>) -> usize {
        let near = events
            .map(|step| (step, (self.x(step) - x).abs()))
            .filter(|&(_, away)| away <= SNAP)
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((step, _)) = near {
            return step;
        }
        let share = ((x - self.left) / (self.right - self.left).max(1.0)).clamp(0.0, 1.0);
        (share * self.last as f32).round() as usize
    }

    /// Steps between the marks of a ruler: 1, 2 or 5 times a power of ten, at least `gap` points apart.
    pub fn tick(&self, gap: f32) -> usize {
        let a_step = (self.right - self.left) / self.last.max(1) as f32;
        let mut power = 1;
        loop {
            for times in [1, 2, 5] {
                if (times * power) as f32 * a_step >= gap {
                    return times * power;
                }
            }
            power *= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_comes_back_from_its_place_and_events_attract() {
        let scale = Scale { left: 10.0, right: 510.0, last: 100 };
        for step in [0, 1, 37, 100] {
            assert_eq!(scale.step(scale.x(step), std::iter::empty()), step);
        }
        assert_eq!(scale.step(scale.x(50) + 4.0, [50].into_iter()), 50);
        assert_eq!(scale.step(scale.x(50) + 9.0, [50].into_iter()), 52);
        assert_eq!(scale.step(-1e9, std::iter::empty()), 0);
        assert_eq!(scale.step(1e9, std::iter::empty()), 100);
    }

    #[test]
    fn marks_are_round_and_apart() {
        assert_eq!(Scale { left: 0.0, right: 500.0, last: 100 }.tick(40.0), 10);
        assert_eq!(Scale { left: 0.0, right: 500.0, last: 500 }.tick(40.0), 50);
        assert_eq!(Scale { left: 0.0, right: 500.0, last: 0 }.tick(40.0), 1);
    }
}
