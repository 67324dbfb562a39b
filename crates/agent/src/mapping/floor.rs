/// Height of the lowest bin below the body, metres.
const BELOW_M: f32 = 0.4;
/// Height of a bin, metres.
const BIN_M: f32 = 0.02;
const BINS: usize = 32;
/// Points that make an estimate.
const ENOUGH: u32 = 50;
/// Further than this from the estimate the body is on another storey, metres.
const STOREY_M: f32 = 0.5;

/// How high the floor is. A body's position is a point of the navmesh, which lies up to a voxel (0.2 m)
/// above the floor that a camera sees, so the floor is what most of the low points show.
#[derive(Clone, Debug)]
pub(crate) struct Floor {
    bins: [u32; BINS],
    /// Height of the body when the count began.
    base_y: f32,
    y: f32,
}

impl Floor {
    pub(crate) fn at(body_y: f32) -> Self {
        Self { bins: [0; BINS], base_y: body_y, y: body_y }
    }

    /// Begins anew when the body came to another storey.
    pub(crate) fn follow(&mut self, body_y: f32) {
        if !((body_y - self.y).abs() < STOREY_M) {
            *self = Self::at(body_y);
        }
    }

    /// Counts a point; heights far from the body's do not matter.
    pub(crate) fn count(&mut self, y: f32) {
        let bin = (y - self.base_y + BELOW_M) / BIN_M;
        if bin >= 0.0 && bin < BINS as f32 {
            self.bins[bin as usize] += 1;
        }
    }

    /// The last estimate.
    pub(crate) fn height(&self) -> f32 {
        self.y
    }

    /// The floor's height after all points so far, start frame, metres.
    pub(crate) fn estimate(&mut self) -> f32 {
        let sums = self.bins.windows(3).map(|bins| bins.iter().sum::<u32>());
        let most = sums.enumerate().max_by_key(|&(bin, sum)| (sum, std::cmp::Reverse(bin)));
        if let Some((bin, _)) = most.filter(|&(_, sum)| sum >= ENOUGH) {
            self.y = self.base_y - BELOW_M + (bin as f32 + 1.5) * BIN_M;
        }
        self.y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_where_most_low_points_are() {
        let mut floor = Floor::at(0.24);
        assert_eq!(floor.estimate(), 0.24);
        for i in 0..300 {
            floor.count(0.04 + 0.01 * (i % 3) as f32);
            floor.count(0.9);
            floor.count(if i % 2 == 0 { 0.3 } else { f32::NAN });
        }
        assert!((floor.estimate() - 0.05).abs() < 0.02, "{}", floor.estimate());
        floor.follow(2.9);
        assert_eq!(floor.estimate(), 2.9);
    }
}
