use super::map::{ASSUMED, BUMPED, CELL_M, EXHAUSTED, FREE, GOAL, Map, NO_TARGET, Window};

/// What the distance fields hold where there is no way.
pub(crate) const NO_WAY: u32 = u32::MAX;
/// Units of cost in a metre of free floor.
pub(crate) const COST_PER_M: f32 = 10.0 / CELL_M;

/// Cost factors of cells, 2 = free floor. 0 is impassable.
const OPEN: u8 = 2;
const CLOSE: u8 = 4;
const TIGHT: u8 = 12;
const UNKNOWN: u8 = 6;
/// A step was blocked here once; another heading may pass.
const BLOCKED: u8 = 30;
/// More than the most that one move costs: (30 + 30) · 14 / 4.
const BUCKETS: usize = 256;
/// Clearance is measured in thirds of a cell and not beyond this.
const FAR: u16 = 60;

/// The map as the planner sees it: a window of it with costs, clearances and goal distances.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    window: Option<Window>,
    width: usize,
    height: usize,
    flags: Vec<u8>,
    factor: Vec<u8>,
    /// Distance to the nearest obstacle, thirds of a cell.
    clearance: Vec<u16>,
    /// Distance to the nearest surface of the goal, thirds of a cell.
    from_goal: Vec<u16>,
    buckets: Vec<Vec<u32>>,
    /// What it was made of: the map's changes until then, and how.
    made: Option<(u64, Window, PlanSettings)>,
    /// Cells that were opened around the body, with the factors that they had.
    opened: Vec<(usize, u8)>,
}

/// How the planner treats the body's size and the unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlanSettings {
    /// Closer to obstacles than this the body hardly fits, metres.
    pub(crate) radius_m: f32,
    /// Whether unknown cells may be crossed, at three times the cost.
    pub(crate) optimistic: bool,
}

impl Plan {
    /// Reads the map, anew where it has changed. `window` must hold the body's cell. A plan is always made
    /// of the same map.
    pub(crate) fn rebuild(&mut self, map: &Map, window: Window, settings: PlanSettings) {
        for (index, factor) in self.opened.drain(..).rev() {
            self.factor[index] = factor;
        }
        let made = Some((map.changes(), window, settings));
        if self.made == made {
            return;
        }
        self.made = made;
        self.window = Some(window);
        self.width = window.x1 - window.x0;
        self.height = window.z1 - window.z0;
        let count = self.width * self.height;
        self.flags.clear();
        self.clearance.clear();
        self.from_goal.clear();
        let mut has_goal = false;
        for z in window.z0..window.z1 {
            let (flags, obstacles) = map.row(z, window.x0..window.x1);
            self.flags.extend_from_slice(flags);
            self.clearance.extend(obstacles.map(|is| if is { 0 } else { FAR }));
            let far = |flags: &u8| if flags & GOAL != 0 { 0 } else { u16::MAX / 2 };
            self.from_goal.extend(flags.iter().map(far));
            has_goal |= flags.iter().any(|flags| flags & GOAL != 0);
        }
        self.fill_specks();
        chamfer(&mut self.clearance, self.width);
        // Without a goal everything is far from it.
        if has_goal {
            chamfer(&mut self.from_goal, self.width);
        }
        self.factor.clear();
        self.factor.resize(count, 0);
        // Obstacles fill their cells only in part: half a cell of doubt.
        let tight = thirds(settings.radius_m - 0.5 * CELL_M);
        let close = thirds(settings.radius_m + 0.1);
        for index in 0..count {
            let (flags, clearance) = (self.flags[index], self.clearance[index]);
            self.factor[index] = if clearance == 0 {
                0
            } else if flags & BUMPED != 0 {
                BLOCKED
            } else if flags & (FREE | ASSUMED) == 0 {
                if !settings.optimistic {
                    0
                } else if clearance < tight {
                    TIGHT
                } else {
                    UNKNOWN
                }
            } else if clearance < tight {
                TIGHT
            } else if clearance < close || flags & FREE == 0 {
                CLOSE
            } else {
                OPEN
            };
        }
    }

    /// Unknown cells between free ones were only missed by the sampling of the image.
    fn fill_specks(&mut self) {
        let known = |flags: u8| usize::from(flags & (FREE | ASSUMED) != 0);
        for index in self.width + 1..self.flags.len().saturating_sub(self.width + 1) {
            if self.flags[index] & (FREE | ASSUMED) != 0 || self.clearance[index] == 0 {
                continue;
            }
            let w = self.width;
            let around: usize = [
                index - w - 1,
                index - w,
                index - w + 1,
                index - 1,
                index + 1,
                index + w - 1,
                index + w,
                index + w + 1,
            ]
            .iter()
            .map(|&i| known(self.flags[i]))
            .sum();
            if around >= 5 {
                self.flags[index] |= ASSUMED;
            }
        }
    }

    /// The cheapest way down the field of costs from a cell, as middles of cells.
    pub(crate) fn descend(&self, costs: &[u32], from: usize) -> Vec<(f32, f32)> {
        let mut way = vec![self.middle(from)];
        let mut here = from;
        while let Some(&cost) = costs.get(here).filter(|&&cost| cost != 0) {
            let (column, row) = (here % self.width, here / self.width);
            let next = (row.saturating_sub(1)..(row + 2).min(self.height))
                .flat_map(|z| {
                    (column.saturating_sub(1)..(column + 2).min(self.width)).map(move |x| (x, z))
                })
                .map(|(x, z)| z * self.width + x)
                .filter_map(|index| Some((*costs.get(index)?, index)))
                .min();
            let Some((_, index)) = next.filter(|&(least, _)| least < cost) else { break };
            here = index;
            way.push(self.middle(here));
        }
        way
    }

    /// The planner's index of a point; `None` outside the window.
    pub(crate) fn index(&self, x: f32, z: f32) -> Option<usize> {
        let window = self.window?;
        let (i, j) = Map::cell(x, z)?;
        let inside = i >= window.x0 && i < window.x1 && j >= window.z0 && j < window.z1;
        inside.then(|| (j - window.z0) * self.width + (i - window.x0))
    }

    /// The middle of a cell, start frame.
    pub(crate) fn middle(&self, index: usize) -> (f32, f32) {
        let (x0, z0) = self.window.map_or((0, 0), |window| (window.x0, window.z0));
        Map::middle(x0 + index % self.width.max(1), z0 + index / self.width.max(1))
    }

    pub(crate) fn len(&self) -> usize {
        self.factor.len()
    }

    /// Columns of the window.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn flags(&self, index: usize) -> u8 {
        self.flags[index]
    }

    /// Distance from a cell to the nearest goal surface, metres.
    pub(crate) fn goal_distance_m(&self, index: usize) -> f32 {
        f32::from(self.from_goal[index]) / 3.0 * CELL_M
    }

    /// Distance from a cell to the nearest obstacle, metres, at most 1.
    pub(crate) fn clearance_m(&self, index: usize) -> f32 {
        f32::from(self.clearance[index]) / 3.0 * CELL_M
    }

    /// Whether the body can stand there for all that is known.
    pub(crate) fn is_standing_room(&self, index: usize) -> bool {
        matches!(self.factor[index], OPEN | CLOSE)
    }

    /// Makes room around the body, which stands where it stands, whatever the map says.
    pub(crate) fn make_room(&mut self, x: f32, z: f32) {
        for dz in -2..=2i32 {
            for dx in -2..=2i32 {
                if let Some(index) = self.index(x + dx as f32 * CELL_M, z + dz as f32 * CELL_M)
                    && self.factor[index] == 0
                {
                    self.opened.push((index, self.factor[index]));
                    self.factor[index] = TIGHT;
                }
            }
        }
        if let Some(index) = self.index(x, z) {
            self.opened.push((index, self.factor[index]));
            self.factor[index] = self.factor[index].max(OPEN);
        }
    }

    /// Cells where free floor meets the unknown and the body fits.
    pub(crate) fn frontier(&self) -> Vec<bool> {
        let w = self.width;
        let mut frontier = vec![false; self.len()];
        for index in w..self.len().saturating_sub(w) {
            let column = index % w;
            if column == 0 || column + 1 == w || !self.is_standing_room(index) {
                continue;
            }
            let unknown =
                |i: usize| self.flags[i] & (FREE | ASSUMED | EXHAUSTED) == 0 && self.clearance[i] > 0;
            frontier[index] = self.flags[index] & EXHAUSTED == 0
                && [index - 1, index + 1, index - w, index + w].into_iter().any(unknown);
        }
        frontier
    }

    /// Places to end at, with the cost of ending there: standing room within `most_m` of a goal
    /// surface, for nothing within `reach_m`, beyond it for `dear` times the distance.
    pub(crate) fn goal_places(&self, reach_m: f32, most_m: f32, dear: f32) -> Vec<(u32, u32)> {
        let (reach, most) = (thirds(reach_m), thirds(most_m));
        let per_third = dear * COST_PER_M * CELL_M / 3.0;
        (0..self.len())
            .filter(|&i| {
                self.from_goal[i] <= most
                    && matches!(self.factor[i], OPEN | CLOSE | UNKNOWN)
                    && self.flags[i] & NO_TARGET == 0
            })
            .map(|i| {
                let beyond = self.from_goal[i].saturating_sub(reach);
                ((f32::from(beyond) * per_third) as u32, i as u32)
            })
            .collect()
    }

    /// Groups of touching frontier cells.
    pub(crate) fn groups(&self, mut cells: Vec<bool>) -> Vec<Vec<u32>> {
        let w = self.width;
        let mut groups = Vec::new();
        for first in 0..cells.len() {
            if !cells[first] {
                continue;
            }
            cells[first] = false;
            let mut group = vec![first as u32];
            let mut next = 0;
            while next < group.len() {
                let index = group[next] as usize;
                next += 1;
                // Frontier cells never touch the window's border, so all eight exist.
                for i in [
                    index - w - 1,
                    index - w,
                    index - w + 1,
                    index - 1,
                    index + 1,
                    index + w - 1,
                    index + w,
                    index + w + 1,
                ] {
                    if cells.get(i) == Some(&true) {
                        cells[i] = false;
                        group.push(i as u32);
                    }
                }
            }
            groups.push(group);
        }
        groups
    }

    /// Which cells there is any way to from a cell, whatever it costs: those to which [`spread`](Self::spread)
    /// gives a cost.
    pub(crate) fn reach(&self, from: usize, reached: &mut Vec<bool>) {
        reached.clear();
        reached.resize(self.len(), false);
        let w = self.width;
        if from >= reached.len() {
            return;
        }
        let mut runs = Vec::new();
        // The first cell counts even where nobody can stand.
        reached[from] = true;
        self.push_run(from, reached, &mut runs);
        while let Some((first, last)) = runs.pop() {
            let row = first / w;
            let (left, right) = ((first % w).saturating_sub(1), (last % w + 1).min(w - 1));
            for beside in [row.checked_sub(1), (row + 1 < self.height).then_some(row + 1)] {
                let Some(beside) = beside else { continue };
                for index in beside * w + left..=beside * w + right {
                    if self.factor[index] != 0 && !reached[index] {
                        reached[index] = true;
                        self.push_run(index, reached, &mut runs);
                    }
                }
            }
        }
    }

    /// Reaches along the row as far as it goes.
    fn push_run(&self, from: usize, reached: &mut [bool], runs: &mut Vec<(usize, usize)>) {
        let start = from - from % self.width;
        let (mut first, mut last) = (from, from);
        while first > start && self.factor[first - 1] != 0 && !reached[first - 1] {
            first -= 1;
            reached[first] = true;
        }
        while last + 1 < start + self.width && self.factor[last + 1] != 0 && !reached[last + 1] {
            last += 1;
            reached[last] = true;
        }
        runs.push((first, last));
    }

    /// [`spread`](Self::spread) as far as a cell: what costs more than it does may have [`NO_WAY`], or
    /// more than its least cost. Choosing steps from there needs no more.
    pub(crate) fn spread_to(&mut self, seeds: &mut [(u32, u32)], to: usize, costs: &mut Vec<u32>) {
        self.dijkstra(seeds, to, costs);
    }

    /// Costs of the ways from every cell to the best seed (Dijkstra with buckets, eight
    /// neighbours), the seeds' own costs included. [`NO_WAY`] where there is none.
    pub(crate) fn spread(&mut self, seeds: &mut [(u32, u32)], costs: &mut Vec<u32>) {
        self.dijkstra(seeds, usize::MAX, costs);
    }

    fn dijkstra(&mut self, seeds: &mut [(u32, u32)], to: usize, costs: &mut Vec<u32>) {
        costs.clear();
        costs.resize(self.len(), NO_WAY);
        self.buckets.resize_with(BUCKETS, Vec::new);
        seeds.sort_unstable();
        let mut waiting = 0usize;
        let mut seeds = seeds.iter().copied().peekable();
        let w = self.width;
        let down = w as isize;
        // Step from cell to cell, what of it goes right, length.
        let moves = [
            (-1, -1, 10),
            (1, 1, 10),
            (-down, 0, 10),
            (down, 0, 10),
            (-1 - down, -1, 14),
            (1 - down, 1, 14),
            (-1 + down, -1, 14),
            (1 + down, 1, 14),
        ];
        let mut cost = 0u32;
        loop {
            if waiting == 0 {
                let Some(&(first, _)) = seeds.peek() else { break };
                cost = first;
            }
            if costs.get(to).is_some_and(|&known| known < cost) {
                self.buckets.iter_mut().for_each(Vec::clear);
                break;
            }
            while let Some((_, seed)) = seeds.next_if(|&(at, _)| at <= cost) {
                if cost < costs[seed as usize] {
                    costs[seed as usize] = cost;
                    self.buckets[cost as usize % BUCKETS].push(seed);
                    waiting += 1;
                }
            }
            let slot = cost as usize % BUCKETS;
            while let Some(index) = self.buckets[slot].pop() {
                waiting -= 1;
                if costs[index as usize] != cost {
                    continue;
                }
                let here = u32::from(self.factor[index as usize]);
                let column = index as usize % w;
                let (first, last) = (column == 0, column + 1 == w);
                for (step, aside, base) in moves {
                    if (aside < 0 && first) || (aside > 0 && last) {
                        continue;
                    }
                    // Above the first row and below the last there is nothing.
                    let next = (index as usize).wrapping_add_signed(step);
                    let factor = self.factor.get(next).map_or(0, |&factor| u32::from(factor));
                    if factor == 0 {
                        continue;
                    }
                    let next_cost = cost + base * (here + factor) / 4;
                    if next_cost < costs[next] {
                        costs[next] = next_cost;
                        self.buckets[next_cost as usize % BUCKETS].push(next as u32);
                        waiting += 1;
                    }
                }
            }
            cost += 1;
        }
    }

    /// The cost of a straight walk and the cell where it ends; `None` when something is in the way.
    pub(crate) fn walk(&self, x: f32, z: f32, dx: f32, dz: f32) -> Option<(u32, usize)> {
        let steps = ((dx * dx + dz * dz).sqrt() / CELL_M).ceil().max(1.0);
        let length = (dx * dx + dz * dz).sqrt() / steps * COST_PER_M;
        let mut cost = 0.0;
        let mut end = 0;
        for i in 1..=steps as i32 {
            let t = i as f32 / steps;
            end = self.index(x + dx * t, z + dz * t)?;
            if self.factor[end] == 0 {
                return None;
            }
            cost += length * f32::from(self.factor[end]) / f32::from(OPEN);
        }
        Some((cost as u32, end))
    }
}

fn thirds(metres: f32) -> u16 {
    (metres / CELL_M * 3.0) as u16
}

/// Distance transform in place: every value becomes the least of value + distance over all cells,
/// in thirds of a cell (3 straight, 4 diagonal).
fn chamfer(field: &mut [u16], width: usize) {
    if width < 2 {
        return;
    }
    let mut rows: Vec<&mut [u16]> = field.chunks_exact_mut(width).collect();
    let mut above: Option<&mut [u16]> = None;
    for row in &mut rows {
        if let Some(above) = above {
            from_beside(row, above);
        }
        along(row.iter_mut());
        above = Some(row);
    }
    let mut below: Option<&mut [u16]> = None;
    for row in rows.iter_mut().rev() {
        if let Some(below) = below {
            from_beside(row, below);
        }
        along(row.iter_mut().rev());
        below = Some(row);
    }
}

/// Takes what is nearer by way of the next row, which is done.
fn from_beside(row: &mut [u16], beside: &[u16]) {
    let width = row.len();
    let (Some(before), Some(after)) = (beside.get(..width - 1), beside.get(1..)) else { return };
    for (value, next) in row.iter_mut().zip(beside) {
        *value = (*value).min(next + 3);
    }
    for (value, next) in row.iter_mut().skip(1).zip(before) {
        *value = (*value).min(next + 4);
    }
    for (value, next) in row.iter_mut().zip(after) {
        *value = (*value).min(next + 4);
    }
}

/// Takes what is nearer by way of the cell before.
fn along<'a>(row: impl Iterator<Item = &'a mut u16>) {
    let mut before = u16::MAX / 2;
    for value in row {
        *value = (*value).min(before + 3);
        before = *value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::map::SIDE;
    use ambler_geometry::random::Stream;

    /// A plan of floor, obstacles and the unknown, at random.
    fn scattered(seed: u64) -> Plan {
        let mut stream = Stream::new(seed, "scattered", "plan");
        let mut map = Map::new();
        for z in 0..40 {
            for x in 0..60 {
                let (x, z) = (x as f32 * CELL_M, z as f32 * CELL_M);
                match stream.index(10) {
                    0..4 => map.remember(x, z, false),
                    4..8 => map.remember(x, z, true),
                    _ => {}
                }
            }
        }
        let mut plan = Plan::default();
        let settings = PlanSettings { radius_m: 0.05, optimistic: seed % 2 == 0 };
        plan.rebuild(&map, map.known(), settings);
        plan
    }

    #[test]
    fn a_map_is_read_anew_where_it_changed_and_only_there_is_no_room_left() {
        let mut map = Map::new();
        for i in 0..40 {
            for j in 0..40 {
                map.remember(i as f32 * CELL_M, j as f32 * CELL_M, (i, j) != (20, 20));
            }
        }
        let middle = 20.5 * CELL_M;
        let settings = PlanSettings { radius_m: 0.05, optimistic: false };
        let (mut kept, mut costs) = (Plan::default(), [Vec::new(), Vec::new()]);
        for step in 0..6 {
            match step {
                2 => map.mark(middle + 0.3, middle, BUMPED),
                3 => map.remember(middle, middle + 0.3, false),
                4 => map.clear(),
                5 => map.mark_disc(middle, middle, 0.5, FREE),
                _ => {}
            }
            let mut window = map.known();
            window.include(SIDE / 2 + 20, SIDE / 2 + 20);
            let mut anew = Plan::default();
            for (plan, costs) in [&mut kept, &mut anew].into_iter().zip(&mut costs) {
                plan.rebuild(&map, window, settings);
                plan.make_room(middle + step as f32 * CELL_M, middle);
                plan.spread(&mut [(0, 0)], costs);
            }
            assert_eq!(kept.factor, anew.factor, "step {step}");
            assert_eq!(costs[0], costs[1], "step {step}");
        }
    }

    #[test]
    fn a_cell_is_reached_where_some_way_has_a_cost() {
        for seed in 0..40 {
            let mut plan = scattered(seed);
            let from = plan.len() / 2 + plan.width() / 2;
            let (mut reached, mut costs) = (Vec::new(), Vec::new());
            plan.reach(from, &mut reached);
            plan.spread(&mut [(0, from as u32)], &mut costs);
            for (index, (reached, cost)) in reached.iter().zip(&costs).enumerate() {
                assert_eq!(*reached, *cost != NO_WAY, "seed {seed}, cell {index}");
            }
            plan.reach(usize::MAX, &mut reached);
            assert!(reached.iter().all(|reached| !reached));
        }
    }

    #[test]
    fn costs_as_far_as_a_cell_are_the_whole_fields() {
        for seed in 0..40 {
            let mut plan = scattered(seed);
            let (mut whole, mut part) = (Vec::new(), Vec::new());
            let seeds = [(0, 70), (35, 900), (700, plan.len() as u32 - 70)];
            plan.spread(&mut seeds.clone(), &mut whole);
            for to in [3, 500, plan.len() / 2, plan.len() - 3, usize::MAX] {
                plan.spread_to(&mut seeds.clone(), to, &mut part);
                let limit = whole.get(to).copied().unwrap_or(NO_WAY);
                for (whole, part) in whole.iter().zip(&part) {
                    if *whole <= limit {
                        assert_eq!(part, whole, "seed {seed}");
                    } else {
                        assert!(part >= whole, "seed {seed}");
                    }
                }
            }
            // What was left waiting does not come up again.
            plan.spread(&mut seeds.clone(), &mut part);
            assert_eq!(part, whole);
        }
    }
}
