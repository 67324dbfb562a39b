use ambler_geometry::random::Stream;
use ambler_model::{KnownPlane, ModelError, Relevance};

/// In which order the surfaces are visited.
#[derive(Clone, Debug, Default)]
pub(super) struct Tour {
    /// Rank of each plane, 0 = first; planes of one rank are visited as they lie.
    pub(super) rank: Vec<u32>,
    /// What each plane promises; the same for all in a random tour.
    pub(super) chance: Vec<f64>,
    /// Places that are left: plane and number of its place.
    pub(super) left: Vec<(usize, usize)>,
}

impl Tour {
    /// Algorithm 3: the planes in an order drawn at random.
    pub(super) fn random(planes: &[KnownPlane], stream: &mut Stream) -> Self {
        let mut order: Vec<usize> = (0..planes.len()).collect();
        stream.shuffle(&mut order);
        let mut rank = vec![0; planes.len()];
        for (place, plane) in order.into_iter().enumerate() {
            rank[plane] = place as u32;
        }
        let even = 1.0 / planes.len().max(1) as f64;
        Self { rank, chance: vec![even; planes.len()], left: all(planes) }
    }

    /// Algorithm 4: by falling chance of the goal on a receptacle of that kind in a region of that kind.
    pub(super) fn by_relevance(
        planes: &[KnownPlane],
        goal: &str,
        relevance: &dyn Relevance,
    ) -> Result<Self, ModelError> {
        let chance = planes
            .iter()
            .map(|plane| relevance.goal(goal, plane.region, &plane.receptacle))
            .collect::<Result<Vec<f64>, _>>()?;
        let mut values = chance.clone();
        values.sort_by(|a, b| b.total_cmp(a));
        values.dedup();
        let rank_of = |chance: &f64| values.iter().position(|value| value == chance).unwrap_or(0) as u32;
        Ok(Self { rank: chance.iter().map(rank_of).collect(), chance, left: all(planes) })
    }

    /// The next place: of the planes of the lowest rank that are left the one with the least cost; those
    /// without a cost are dropped.
    pub(super) fn next(
        &mut self,
        mut cost: impl FnMut(usize, usize) -> Option<u32>,
    ) -> Option<(usize, usize)> {
        self.left.retain(|&(plane, place)| cost(plane, place).is_some());
        let rank = &self.rank;
        self.left
            .iter()
            .copied()
            .min_by_key(|&(plane, place)| (rank[plane], cost(plane, place), plane, place))
    }
}

fn all(planes: &[KnownPlane]) -> Vec<(usize, usize)> {
    let places = |(index, plane): (usize, &KnownPlane)| {
        (0..plane.nav_points.len()).map(move |place| (index, place))
    };
    planes.iter().enumerate().flat_map(places).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_model::{Knowledge, Region};

    fn planes() -> Vec<KnownPlane> {
        [("desk", Region::Office), ("counter", Region::Kitchen), ("counter", Region::Kitchen)]
            .into_iter()
            .map(|(receptacle, region)| KnownPlane {
                name: receptacle.into(),
                receptacle: receptacle.into(),
                region,
                y: 0.8,
                polygon: vec![[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
                nav_points: vec![[0.0; 3], [1.0; 3]],
            })
            .collect()
    }

    #[test]
    fn relevance_comes_first_and_the_way_decides_between_equals() {
        let table = Knowledge::shipped();
        let mut tour = Tour::by_relevance(&planes(), "frying_pan", &table).unwrap();
        assert_eq!(tour.rank, [1, 0, 0]);
        // The second counter is nearer.
        assert_eq!(tour.next(|plane, place| Some(100 - 10 * plane as u32 + place as u32)), Some((2, 0)));
        assert_eq!(tour.next(|plane, _| (plane == 0).then_some(5)), Some((0, 0)));
        assert_eq!(tour.left.len(), 2, "what cannot be reached is dropped");
        let tour = Tour::by_relevance(&planes(), "stapler", &table).unwrap();
        assert_eq!(tour.rank, [0, 1, 1]);
    }

    #[test]
    fn random_tours_are_permutations_that_differ() {
        let tours: Vec<Vec<u32>> =
            (0..20).map(|seed| Tour::random(&planes(), &mut Stream::new(seed, "", "t")).rank).collect();
        for tour in &tours {
            let mut sorted = tour.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2]);
        }
        assert!(tours.iter().any(|tour| *tour != tours[0]));
    }
}
