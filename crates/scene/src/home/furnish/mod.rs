//! Furniture by function: each kind of room gets its sets, what matters most first. A set that must be
//! there and does not fit rejects the plan; the rest is left out.

mod living;
mod service;
mod sleep;
mod walls;

use super::Footprint;
use super::builder::{Builder, Look};
use super::furniture::{self, Looks};
use super::openings::Opening;
use super::programme::Kind;
use super::shell::RoomShape;
use super::space::{Area, Item, Space, Spot};
use super::style::Style;
use ambler_geometry::random::Stream;
use ambler_geometry::{Vec2, Vec3};

/// One room's furnishing under way.
pub(super) struct Task<'a> {
    pub(super) b: &'a mut Builder,
    pub(super) space: Space,
    /// How many of the builder's surfaces the space knows.
    seen: usize,
    pub(super) room: &'a RoomShape,
    pub(super) index: usize,
    pub(super) style: &'a Style,
    pub(super) looks: Looks,
    pub(super) stream: Stream,
    pub(super) footprints: Vec<Footprint>,
    pub(super) also: Also,
}

/// What a home has no room of its own for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Also {
    /// There is no kitchen: the living room holds one.
    pub(super) kitchen: bool,
    /// There is no dining room: kitchen and living room hold a table where it fits.
    pub(super) table: bool,
}

/// Furnishes a room.
///
/// # Errors
/// The reason, where what the room is for does not fit.
pub(super) fn furnish(
    b: &mut Builder,
    index: usize,
    room: &RoomShape,
    openings: &[Opening],
    style: &Style,
    mut stream: Stream,
    also: Also,
) -> Result<Vec<Footprint>, String> {
    b.room = index;
    let looks = looks(style, &mut stream);
    let space = Space::new(index, room, openings);
    if !space.stays_walkable(&[], None, &[]) {
        return Err(format!("doors of a {} block each other", room.kind.category()));
    }
    let seen = b.surfaces.len();
    let mut task =
        Task { b, space, seen, room, index, style, looks, stream, footprints: Vec::new(), also };
    let missing = match room.kind {
        Kind::Living => living::living(&mut task),
        Kind::Family => living::family(&mut task),
        Kind::Dining => living::dining(&mut task),
        Kind::Kitchen => service::kitchen(&mut task),
        Kind::Bedroom => sleep::bedroom(&mut task),
        Kind::Office => living::office(&mut task),
        Kind::Library => living::library(&mut task),
        Kind::Gym => living::gym(&mut task),
        Kind::Bathroom => service::bathroom(&mut task),
        Kind::Closet => sleep::closet(&mut task),
        Kind::Laundry => service::laundry(&mut task),
        Kind::Storage => service::storage(&mut task),
        Kind::Entry => living::entry(&mut task),
        Kind::Hall => living::hall(&mut task),
        Kind::Stairs | Kind::Outside => Ok(()),
    };
    missing.map_err(|piece| format!("no place for the {piece} of a {}", room.kind.category()))?;
    task.see_surfaces();
    if !task.space.stays_walkable(&[], None, &[]) {
        return Err(format!("a surface of a {} is out of reach", room.kind.category()));
    }
    walls::finish(&mut task);
    Ok(task.footprints)
}

/// What a piece that must be there and is not is called.
pub(super) type Missing = Result<(), &'static str>;

fn looks(style: &Style, stream: &mut Stream) -> Looks {
    let count = style.fabrics.len().max(1);
    let first = stream.index(count);
    let second = (first + 1 + stream.index(count.saturating_sub(1).max(1))) % count;
    let fabric = |i: usize| {
        Look::new(super::texture::Tex::Fabric, style.fabrics.get(i).copied().unwrap_or([0.7; 3]))
    };
    let (wood, wood2) =
        if stream.uniform() < 0.75 { (style.wood, style.wood) } else { (style.wood, style.wood2) };
    Looks {
        wood,
        wood2,
        fabric: fabric(first),
        fabric2: fabric(second),
        metal: Look::plain(style.metal),
        white: Look::plain([0.94, 0.93, 0.91]),
        stone: style.stone,
        fronts: style.fronts,
        round_legs: matches!(style.name, "nordic" | "midcentury" | "japandi" | "coastal"),
    }
}

impl Task<'_> {
    pub(super) fn chance(&mut self, share: f64) -> bool {
        self.stream.uniform() < share
    }

    /// A length between two.
    pub(super) fn draw(&mut self, low: f32, high: f32) -> f32 {
        self.stream.range(f64::from(low), f64::from(high)) as f32
    }

    pub(super) fn size(&self) -> Vec2 {
        self.room.size()
    }

    /// Places an item at a wall, and records its footprint.
    pub(super) fn place(
        &mut self,
        category: &str,
        item: Item,
        score: impl Fn(&Space, &Spot) -> Option<f32>,
    ) -> Option<Spot> {
        self.place_near(category, item, &[], score)
    }

    /// As [`Task::place`]; these parts of the piece, in its frame, must be reached each for itself.
    pub(super) fn place_near(
        &mut self,
        category: &str,
        item: Item,
        near: &[Area],
        score: impl Fn(&Space, &Spot) -> Option<f32>,
    ) -> Option<Spot> {
        // Equal places are told apart by a draw for each side.
        let taste: [f32; 4] = std::array::from_fn(|_| 0.25 * self.stream.uniform() as f32);
        self.see_surfaces();
        let spot = self.space.place(&item, near, |space, spot| {
            score(space, spot).map(|s| s + taste.get(spot.side).copied().unwrap_or(0.0))
        })?;
        self.record(category, &spot);
        Some(spot)
    }

    /// In a corner or beside something, by preference; anywhere else.
    pub(super) fn place_anywhere(&mut self, category: &str, item: Item) -> Option<Spot> {
        self.place(category, item, |space, spot| {
            let near = snug(space, spot);
            Some(near + 0.15 * space.door_distance(spot.area.center()).min(3.0))
        })
    }

    /// Tells the space of the surfaces made since it was told last: what comes next must leave them in
    /// reach.
    pub(super) fn see_surfaces(&mut self) {
        for surface in self.b.surfaces.iter().skip(self.seen) {
            self.space.keep_in_reach(&surface.polygon);
        }
        self.seen = self.b.surfaces.len();
    }

    /// Would the room stay walkable with these areas taken, and these parts be reached?
    pub(super) fn allows(&mut self, more: &[Area], use_at: Option<Vec2>, near: &[Area]) -> bool {
        self.see_surfaces();
        self.space.stays_walkable(more, use_at, near)
    }

    pub(super) fn record(&mut self, category: &str, spot: &Spot) {
        self.footprints.push(Footprint {
            category: category.to_owned(),
            room: self.index as u32,
            min: spot.area.min,
            max: spot.area.max,
        });
    }

    /// Takes a free-standing spot.
    pub(super) fn take_standing(&mut self, category: &str, spot: &Spot, h: f32, use_at: Option<Vec2>) {
        self.space.take(spot, h, use_at);
        self.record(category, spot);
    }

    /// Middle of the room on the floor.
    pub(super) fn middle(&self) -> Vec3 {
        self.room.center()
    }

    /// A plant, a floor lamp or nothing in corners that are left.
    pub(super) fn fill_corners(&mut self, lamp: f64, plant: f64) {
        if self.chance(lamp) {
            let item = Item { w: 0.4, d: 0.4, h: 1.7, front: 0.0, gap: 0.02 };
            if let Some(spot) = self.place("floor_lamp", item, corner) {
                furniture::floor_lamp(self.b, spot.frame, &self.looks);
            }
        }
        if self.chance(plant) {
            let h = self.draw(0.8, 1.5);
            let item = Item { w: 0.46, d: 0.46, h: 0.5, front: 0.0, gap: 0.03 };
            if let Some(spot) = self.place("plant", item, corner) {
                furniture::plant(self.b, spot.frame, h, &self.looks, &mut self.stream);
            }
        }
    }
}

/// 1 where the spot ends at a wall across or at another piece, on either side.
pub(super) fn snug(space: &Space, spot: &Spot) -> f32 {
    let (from, to) = space.span(spot.side);
    let (low, high) = if spot.side.is_multiple_of(2) {
        (spot.area.min.x, spot.area.max.x)
    } else {
        (spot.area.min.y, spot.area.max.y)
    };
    if low - from < 0.02 || to - high < 0.02 { 1.0 } else { 0.0 }
}

/// Only corners.
pub(super) fn corner(space: &Space, spot: &Spot) -> Option<f32> {
    (snug(space, spot) > 0.5).then(|| 0.3 * space.door_distance(spot.area.center()).min(4.0))
}

/// The middle of its wall is best.
pub(super) fn centred(space: &Space, spot: &Spot) -> f32 {
    let (from, to) = space.span(spot.side);
    1.0 - (spot.along - 0.5 * (from + to)).abs() / (to - from)
}
