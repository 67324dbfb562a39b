//! Stairs: two flights with a landing between, in a room that lies at the same place on every floor.
//!
//! The room's far end (large z) is the landing of each storey; the flights fill the rest. The left
//! flight (small x) rises away from the landing to a half landing, the right one comes back.

use super::builder::{Builder, Frame, Look};
use super::furniture::v;
use super::plan::Rect;
use super::shell::RoomShape;
use super::style::Style;
use ambler_geometry::Vec2;

/// Size of the room between the lines of its walls, in grid units: 2.3 × 5.0 m.
pub(super) const WIDTH: i32 = 23;
pub(super) const LENGTH: i32 = 50;
/// Depth of the landing, in grid units.
const LANDING: i32 = 15;

/// The part of the room that is level with its floor.
pub(super) fn landing(room: &Rect) -> Rect {
    Rect { z0: room.z1 - LANDING, ..*room }
}

/// Where the landing begins, in metres.
pub(super) fn edge(room: &RoomShape) -> f32 {
    room.max.y + 0.06 - LANDING as f32 / 10.0
}

/// Steps in each flight.
const STEPS: usize = 8;
/// Depth of the half landing, metres.
const HALF_M: f32 = 1.0;

/// Both flights from a room's floor to the storey above, `rise` metres higher.
pub(super) fn flights(b: &mut Builder, room: &RoomShape, rise: f32, style: &Style) {
    b.begin("stairs", Frame::WORLD);
    let (x0, x1, z0, z1) = (room.min.x, room.max.x, room.min.y, edge(room));
    let middle = 0.5 * (x0 + x1);
    let riser = rise / (2 * STEPS) as f32;
    let run = (z1 - z0 - HALF_M) / (STEPS - 1) as f32;
    // Solid on the ground floor; above, the flight below needs its headroom.
    let low =
        |top: f32| if room.floor_y > 0.1 { room.floor_y + (top - 0.34).max(-0.3) } else { room.floor_y };
    let wood = style.wood;
    let body = Look::plain(style.trim);
    let step = |b: &mut Builder, x: [f32; 2], z: [f32; 2], top: f32| {
        let y = room.floor_y + top;
        b.block(body, v(x[0], low(top), z[0]), v(x[1], y - 0.03, z[1]));
        b.block(wood, v(x[0], y - 0.03, z[0]), v(x[1], y, z[1]));
    };
    for i in 1..STEPS {
        let z = z1 - run * i as f32;
        step(b, [x0, middle - 0.03], [z, z + run], riser * i as f32);
    }
    step(b, [x0, x1], [z0, z0 + HALF_M], riser * STEPS as f32);
    for i in 1..STEPS {
        let z = z0 + HALF_M + run * (i - 1) as f32;
        step(b, [middle + 0.03, x1], [z, z + run], riser * (STEPS + i) as f32);
    }
    b.begin("railing", Frame::WORLD);
    // A wall between the flights, and a guard before the drop on the landing above.
    let (y0, y1) = (room.floor_y, room.floor_y + rise + 0.95);
    b.block(body.times(0.97), v(middle - 0.03, y0, z0 + HALF_M), v(middle + 0.03, y1, z1));
}

/// The guard on a landing with a drop before it.
pub(super) fn guard(b: &mut Builder, room: &RoomShape, is_top: bool, style: &Style) {
    let (x0, x1, z) = (room.min.x, 0.5 * (room.min.x + room.max.x), edge(room));
    if !is_top {
        return;
    }
    b.begin("railing", Frame::WORLD);
    let y = room.floor_y;
    let (wood, metal) = (style.wood, Look::plain(style.trim));
    b.bevel(wood, v(x0, y + 0.92, z - 0.03), v(x1, y + 0.97, z + 0.03), 0.008);
    let count = 9;
    for i in 0..=count {
        let x = x0 + 0.02 + (x1 - x0 - 0.04) * i as f32 / count as f32;
        b.block(metal, v(x - 0.014, y, z - 0.014), v(x + 0.014, y + 0.92, z + 0.014));
    }
}

/// The level part of an upper storey's floor: (least, greatest) corner.
pub(super) fn floor_part(room: &RoomShape) -> (Vec2, Vec2) {
    (Vec2::new(room.min.x - 0.06, edge(room)), room.max + 0.06)
}
