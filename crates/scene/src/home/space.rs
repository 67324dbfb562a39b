//! The floor of one room while it is furnished: what is taken, what must stay free, and whether a body
//! still gets everywhere.

use super::builder::Frame;
use super::openings::{Filling, Opening};
use super::shell::{RoomShape, hinge_sign, turns_of};
use ambler_geometry::{Vec2, Vec3, polygon_contains};

/// A rectangle on the floor, (x, z) in metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) min: Vec2,
    pub(super) max: Vec2,
}

impl Area {
    pub(super) fn new(a: Vec2, b: Vec2) -> Self {
        Self { min: a.min(b), max: a.max(b) }
    }

    pub(super) fn grown(&self, by: f32) -> Self {
        Self { min: self.min - Vec2::splat(by), max: self.max + Vec2::splat(by) }
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.min.x < other.max.x
            && other.min.x < self.max.x
            && self.min.y < other.max.y
            && other.min.y < self.max.y
    }

    pub(super) fn center(&self) -> Vec2 {
        (self.min + self.max) * 0.5
    }

    /// An area of a piece's own frame, which is turned by quarters, in the world.
    pub(super) fn placed(&self, frame: &Frame) -> Self {
        let world = |p: Vec2| frame.point(Vec3::new(p.x, 0.0, p.y));
        let (a, b) = (world(self.min), world(self.max));
        Self::new(Vec2::new(a.x, a.z), Vec2::new(b.x, b.z))
    }

    fn corners(&self) -> [Vec2; 4] {
        let (low, high) = (self.min, self.max);
        [low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)]
    }
}

/// Distance from a point to a polygon; 0 inside.
fn distance(polygon: &[Vec2], point: Vec2) -> f32 {
    if polygon_contains(polygon, point) {
        return 0.0;
    }
    polygon
        .iter()
        .zip(polygon.iter().cycle().skip(1))
        .map(|(&a, &b)| {
            let along = (point - a).dot(b - a) / (b - a).length_squared().max(1e-12);
            point.distance(a + (b - a) * along.clamp(0.0, 1.0))
        })
        .fold(f32::INFINITY, f32::min)
}

/// What is to be placed: footprint, height and the free depth that its use needs in front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) w: f32,
    pub(super) d: f32,
    pub(super) h: f32,
    /// Free depth in front.
    pub(super) front: f32,
    /// Distance to the wall behind.
    pub(super) gap: f32,
}

/// A place found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) frame: Frame,
    /// Side of the room behind it; 4 for a free-standing piece.
    pub(super) side: usize,
    pub(super) area: Area,
    /// Middle along the wall.
    pub(super) along: f32,
}

/// Half the width that a body must find free wherever it is to pass, with a margin for the grid of a
/// navmesh: 0.2 m of erosion and one cell a side.
const REACH: f32 = 0.29;
const CELL: f32 = 0.05;
/// Surfaces must be this near to the middle of a cell where a body stands: a metre less what the grids of
/// the room and of a navmesh may differ by.
const NEAR: f32 = 0.88;
/// Pockets of floor that no body gets to are at most this large, cells.
const POCKET: usize = 30;

/// The room's floor.
pub(super) struct Space {
    pub(super) area: Area,
    pub(super) floor_y: f32,
    /// Footprints of what stands there.
    pub(super) blocks: Vec<Area>,
    /// Where nothing may stand: before doors.
    pub(super) keeps: Vec<Area>,
    /// For each side, wall that is taken: along from, to, height from, to.
    pub(super) walls: [Vec<[f32; 4]>; 4],
    /// For each side the windows: along from, to, sill, head.
    pub(super) windows: [Vec<[f32; 4]>; 4],
    /// Points a step inside each door.
    pub(super) doors: Vec<Vec2>,
    uses: Vec<Vec2>,
    /// For each surface that holds objects the cells within [`NEAR`] of it: one must be walked.
    surfaces: Vec<Vec<usize>>,
    nx: usize,
    nz: usize,
}

impl Space {
    pub(super) fn new(index: usize, room: &RoomShape, openings: &[Opening]) -> Self {
        let area = Area { min: room.min, max: room.max };
        let size = room.size();
        let mut space = Self {
            area,
            floor_y: room.floor_y,
            blocks: Vec::new(),
            keeps: Vec::new(),
            walls: Default::default(),
            windows: Default::default(),
            doors: Vec::new(),
            uses: Vec::new(),
            surfaces: Vec::new(),
            nx: (size.x / CELL) as usize,
            nz: (size.y / CELL) as usize,
        };
        for side in 0..4 {
            for o in room.holes(index, side, openings) {
                space.opening(index, side, o);
            }
        }
        space
    }

    fn opening(&mut self, room: usize, side: usize, o: &Opening) {
        if o.filling == Filling::Window {
            self.windows[side].push([o.low, o.high, o.sill, o.head]);
            self.walls[side].push([o.low - 0.06, o.high + 0.06, o.sill - 0.04, o.head + 0.06]);
            return;
        }
        self.walls[side].push([o.low - 0.08, o.high + 0.08, 0.0, o.head + 0.06]);
        let Some(into) = o.into(room) else { return };
        let (into, middle) = (Vec2::from_array(into), Vec2::from_array(o.middle()));
        let across = Vec2::new(-into.y, into.x);
        let half = 0.5 * o.width() + 0.06;
        let depth = if o.filling == Filling::Front { 1.05 } else { 0.95 };
        self.keeps.push(Area::new(middle - across * half, middle + across * half + into * depth));
        if o.is_walked() {
            self.doors.push(middle + into * 0.42);
        }
        if o.filling == Filling::Door && o.room == room {
            let turns = turns_of(into.to_array());
            let x_axis = Frame::quarter(Vec3::ZERO, turns).vector(Vec3::X);
            let edge = hinge_sign(o, turns) * (0.5 * o.width() - 0.02);
            let out = hinge_sign(o, turns) * 0.06;
            let along = Vec2::new(x_axis.x, x_axis.z);
            let root = middle + along * edge;
            self.blocks.push(Area::new(root, root + along * out + into * (o.width() + 0.10)));
            // Its wall side is no place for a picture.
        }
    }

    /// Quarter turns of a piece whose back is at a side.
    pub(super) fn turns(side: usize) -> usize {
        [0, 3, 2, 1][side % 4]
    }

    /// Along-coordinates where a side begins and ends.
    pub(super) fn span(&self, side: usize) -> (f32, f32) {
        if side.is_multiple_of(2) {
            (self.area.min.x, self.area.max.x)
        } else {
            (self.area.min.y, self.area.max.y)
        }
    }

    /// A point of a side's wall, moved into the room.
    pub(super) fn wall_point(&self, side: usize, along: f32, away: f32) -> Vec2 {
        match side % 4 {
            0 => Vec2::new(along, self.area.min.y + away),
            1 => Vec2::new(self.area.max.x - away, along),
            2 => Vec2::new(along, self.area.max.y - away),
            _ => Vec2::new(self.area.min.x + away, along),
        }
    }

    /// The frame of a piece at a side's wall.
    pub(super) fn wall_frame(&self, side: usize, along: f32, away: f32) -> Frame {
        let p = self.wall_point(side, along, away);
        Frame::quarter(Vec3::new(p.x, self.floor_y, p.y), Self::turns(side))
    }

    /// Is this stretch of wall free of openings and tall things?
    pub(super) fn wall_is_free(&self, side: usize, low: f32, high: f32, y0: f32, y1: f32) -> bool {
        let (from, to) = self.span(side);
        low >= from
            && high <= to
            && self.walls[side].iter().all(|t| high <= t[0] || t[1] <= low || y1 <= t[2] || t[3] <= y0)
    }

    /// Marks wall as taken.
    pub(super) fn take_wall(&mut self, side: usize, low: f32, high: f32, y0: f32, y1: f32) {
        self.walls[side].push([low, high, y0, y1]);
    }

    fn inside(&self, area: &Area) -> bool {
        area.min.cmpge(self.area.min - 0.001).all() && area.max.cmple(self.area.max + 0.001).all()
    }

    /// No piece, no door's zone in this area.
    pub(super) fn is_free(&self, area: &Area) -> bool {
        self.inside(area) && !self.blocks.iter().chain(&self.keeps).any(|b| b.overlaps(area))
    }

    fn no_block(&self, area: &Area) -> bool {
        self.inside(area) && !self.blocks.iter().any(|b| b.overlaps(area))
    }

    /// The spot of an item at a side; `None` where it does not fit.
    fn at_wall(&self, item: &Item, side: usize, along: f32) -> Option<Spot> {
        let (low, high) = (along - 0.5 * item.w, along + 0.5 * item.w);
        let corner = |t: f32, away: f32| self.wall_point(side, t, away);
        let area = Area::new(corner(low, 0.0), corner(high, item.gap + item.d));
        if !self.is_free(&Area { min: area.min + 0.004, max: area.max - 0.004 }) {
            return None;
        }
        if self.windows[side]
            .iter()
            .any(|w| item.h > w[2] - 0.03 && low < w[1] + 0.05 && w[0] - 0.05 < high)
        {
            return None;
        }
        let front = Area::new(
            corner(low + 0.04, item.gap + item.d + 0.01),
            corner(high - 0.04, item.gap + item.d + item.front),
        );
        if item.front > 0.0 && !self.no_block(&front) {
            return None;
        }
        Some(Spot { frame: self.wall_frame(side, along, item.gap), side, area, along })
    }

    /// The free-standing spot of a piece whose middle is at a point.
    pub(super) fn standing(&self, item: &Item, middle: Vec2, turns: usize) -> Spot {
        let half = Vec2::new(0.5 * item.w, 0.5 * item.d);
        let half = if turns.is_multiple_of(2) { half } else { Vec2::new(half.y, half.x) };
        let frame = Frame::quarter(Vec3::new(middle.x, self.floor_y, middle.y), turns);
        let back = frame.point(Vec3::new(0.0, 0.0, -0.5 * item.d));
        Spot {
            frame: Frame::quarter(back, turns),
            side: 4,
            area: Area { min: middle - half, max: middle + half },
            along: 0.0,
        }
    }

    /// The best place at a wall by `score` (larger is better; `None` refuses), where the room stays
    /// walkable and the piece, and those of its parts that `near` names in its own frame, can be reached.
    /// Takes it.
    pub(super) fn place(
        &mut self,
        item: &Item,
        near: &[Area],
        score: impl Fn(&Self, &Spot) -> Option<f32>,
    ) -> Option<Spot> {
        let mut found: Vec<(f32, Spot)> = Vec::new();
        for side in 0..4 {
            let (from, to) = self.span(side);
            let (low, high) = (from + 0.5 * item.w + 0.005, to - 0.5 * item.w - 0.005);
            if low > high {
                continue;
            }
            let steps = ((high - low) / 0.1) as usize;
            for step in 0..=steps + 1 {
                let along = if step > steps { high } else { low + 0.1 * step as f32 };
                if let Some(spot) = self.at_wall(item, side, along)
                    && let Some(score) = score(self, &spot)
                {
                    found.push((score, spot));
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let use_at = |spot: &Spot| {
            let reach = item.gap + item.d + REACH + 0.04;
            (item.front > 0.0).then(|| self.wall_point(spot.side, spot.along, reach))
        };
        let fits = |spot: &Spot| {
            let mut parts: Vec<Area> = near.iter().map(|part| part.placed(&spot.frame)).collect();
            parts.push(spot.area);
            self.stays_walkable(&[spot.area], use_at(spot), &parts)
        };
        let chosen = found.iter().take(60).map(|f| f.1).find(fits)?;
        let point = use_at(&chosen);
        self.take(&chosen, item.h, point);
        Some(chosen)
    }

    /// Takes a spot: its footprint, the wall behind it, the point of its use.
    pub(super) fn take(&mut self, spot: &Spot, h: f32, use_at: Option<Vec2>) {
        self.blocks.push(spot.area);
        self.uses.extend(use_at);
        // A piece also hides the walls at its sides where it stands in a corner.
        for side in 0..4_usize {
            let touches = match side {
                0 => spot.area.min.y < self.area.min.y + 0.14,
                1 => spot.area.max.x > self.area.max.x - 0.14,
                2 => spot.area.max.y > self.area.max.y - 0.14,
                _ => spot.area.min.x < self.area.min.x + 0.14,
            };
            if touches {
                let (low, high) = if side.is_multiple_of(2) {
                    (spot.area.min.x, spot.area.max.x)
                } else {
                    (spot.area.min.y, spot.area.max.y)
                };
                self.walls[side].push([low, high, 0.0, h]);
            }
        }
    }

    /// A surface that holds objects has been made: from now on a body must get within reach of it.
    pub(super) fn keep_in_reach(&mut self, surface: &[Vec2]) {
        let cells = self.cells_near(surface);
        if self.surfaces.last() != Some(&cells) {
            self.surfaces.push(cells);
        }
    }

    /// Cells whose middle lies within [`NEAR`] of a polygon.
    fn cells_near(&self, polygon: &[Vec2]) -> Vec<usize> {
        let low = polygon.iter().copied().reduce(Vec2::min).unwrap_or_default() - NEAR;
        let high = polygon.iter().copied().reduce(Vec2::max).unwrap_or_default() + NEAR;
        let ((x0, z0), (x1, z1)) = (self.cell(low), self.cell(high));
        let mut cells = Vec::new();
        for z in z0..=z1 {
            for x in x0..=x1 {
                let middle = self.area.min + (Vec2::new(x as f32, z as f32) + 0.5) * CELL;
                if distance(polygon, middle) <= NEAR {
                    cells.push(z * self.nx + x);
                }
            }
        }
        cells
    }

    /// Would everything still be reached with the areas `more` taken as well, and each of `near`?
    pub(super) fn stays_walkable(&self, more: &[Area], use_at: Option<Vec2>, near: &[Area]) -> bool {
        let grid = self.walked(more);
        let Some(grid) = grid else { return false };
        let reached = |point: &Vec2| {
            let (i, j) = self.cell(*point);
            (i.saturating_sub(2)..=(i + 2).min(self.nx.saturating_sub(1))).any(|x| {
                (j.saturating_sub(2)..=(j + 2).min(self.nz.saturating_sub(1)))
                    .any(|z| grid[z * self.nx + x] == 2)
            })
        };
        let any_walked = |cells: &[usize]| cells.iter().any(|&cell| grid.get(cell) == Some(&2));
        self.surfaces.iter().all(|cells| any_walked(cells))
            && near.iter().all(|area| any_walked(&self.cells_near(&area.corners())))
            && self.doors.iter().chain(&self.uses).chain(&use_at).all(reached)
            && grid.iter().filter(|&&cell| cell == 0).count() <= POCKET
    }

    fn cell(&self, point: Vec2) -> (usize, usize) {
        let local = (point - self.area.min) / CELL;
        (
            (local.x.max(0.0) as usize).min(self.nx.saturating_sub(1)),
            (local.y.max(0.0) as usize).min(self.nz.saturating_sub(1)),
        )
    }

    /// 0 = free but not reached, 1 = taken, 2 = reached from the first door; `None` where the first
    /// door is blocked.
    fn walked(&self, more: &[Area]) -> Option<Vec<u8>> {
        let mut grid = vec![0_u8; self.nx * self.nz];
        let rim = ((REACH - 0.03) / CELL) as usize;
        for z in 0..self.nz {
            for x in 0..self.nx {
                if x < rim || z < rim || x + rim >= self.nx || z + rim >= self.nz {
                    grid[z * self.nx + x] = 1;
                }
            }
        }
        for block in self.blocks.iter().chain(more) {
            let block = block.grown(REACH);
            let low = (block.min - self.area.min) / CELL - 0.5;
            let high = (block.max - self.area.min) / CELL - 0.5;
            let from = |v: f32| libm::ceilf(v.max(0.0)) as usize;
            let to = |v: f32, n: usize| (libm::floorf(v + 1.0).max(0.0) as usize).min(n);
            for z in from(low.y)..to(high.y, self.nz) {
                for x in from(low.x)..to(high.x, self.nx) {
                    grid[z * self.nx + x] = 1;
                }
            }
        }
        let first = self.doors.first().copied()?;
        let (x, z) = self.cell(first);
        let mut start = None;
        'search: for dz in 0..5_usize {
            for dx in 0..5_usize {
                let (x, z) = ((x + dx).saturating_sub(2), (z + dz).saturating_sub(2));
                if x < self.nx && z < self.nz && grid[z * self.nx + x] == 0 {
                    start = Some((x, z));
                    break 'search;
                }
            }
        }
        let mut stack = vec![start?];
        while let Some((x, z)) = stack.pop() {
            let at = z * self.nx + x;
            if grid[at] != 0 {
                continue;
            }
            grid[at] = 2;
            if x > 0 {
                stack.push((x - 1, z));
            }
            if z > 0 {
                stack.push((x, z - 1));
            }
            if x + 1 < self.nx {
                stack.push((x + 1, z));
            }
            if z + 1 < self.nz {
                stack.push((x, z + 1));
            }
        }
        Some(grid)
    }

    /// Distance from a point to the nearest door; large without doors.
    pub(super) fn door_distance(&self, point: Vec2) -> f32 {
        self.doors.iter().map(|door| door.distance(point)).fold(20.0, f32::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty(w: f32, d: f32) -> Space {
        Space {
            area: Area { min: Vec2::ZERO, max: Vec2::new(w, d) },
            floor_y: 0.0,
            blocks: Vec::new(),
            keeps: Vec::new(),
            walls: Default::default(),
            windows: Default::default(),
            doors: vec![Vec2::new(0.5, 0.4), Vec2::new(w - 0.5, d - 0.4)],
            uses: Vec::new(),
            surfaces: Vec::new(),
            nx: (w / CELL) as usize,
            nz: (d / CELL) as usize,
        }
    }

    #[test]
    fn a_wall_across_the_room_is_refused_and_one_with_a_gap_is_not() {
        let space = empty(4.0, 3.0);
        let across = Area { min: Vec2::new(1.8, 0.0), max: Vec2::new(2.2, 3.0) };
        let gap = Area { min: Vec2::new(1.8, 0.0), max: Vec2::new(2.2, 2.2) };
        assert!(space.stays_walkable(&[], None, &[]));
        assert!(!space.stays_walkable(&[across], None, &[]));
        assert!(space.stays_walkable(&[gap], None, &[]));
    }

    #[test]
    fn pieces_stand_with_their_backs_to_a_wall_and_apart() {
        let mut space = empty(4.0, 3.0);
        let item = Item { w: 1.0, d: 0.5, h: 0.8, front: 0.5, gap: 0.0 };
        let a = space.place(&item, &[], |_, _| Some(0.0)).unwrap();
        let b = space.place(&item, &[], |_, _| Some(0.0)).unwrap();
        assert!(!a.area.grown(-0.005).overlaps(&b.area.grown(-0.005)));
        let ahead = a.frame.point(Vec3::new(0.0, 0.0, 0.6));
        assert!(space.area.min.cmplt(Vec2::new(ahead.x, ahead.z)).all());
    }
}
