//! Floors, walls, ceilings, doors and windows.

use super::builder::{Builder, Frame, Look};
use super::cost::WALL_M;
use super::openings::{Filling, Opening};
use super::programme::Kind;
use super::stairs;
use super::style::{Style, rgb};
use super::texture::Tex;
use ambler_geometry::{Vec2, Vec3};

const HALF_WALL: f32 = 0.5 * WALL_M as f32;
/// The outer face lies this far outside the wall's line.
const OUTER_M: f32 = 0.19;

/// A built room.
#[derive(Clone, Debug)]
pub(super) struct RoomShape {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// Clear corner points between the walls, metres.
    pub(super) min: Vec2,
    pub(super) max: Vec2,
    pub(super) floor_y: f32,
    pub(super) height: f32,
    pub(super) wall: [f32; 3],
    pub(super) floor: Look,
}

impl RoomShape {
    pub(super) fn size(&self) -> Vec2 {
        self.max - self.min
    }

    pub(super) fn area(&self) -> f32 {
        self.size().x * self.size().y
    }

    pub(super) fn center(&self) -> Vec3 {
        let c = (self.min + self.max) * 0.5;
        Vec3::new(c.x, self.floor_y, c.y)
    }

    /// Side `0..4`: north (−z), east (+x), south, west: (along z, coordinate of the clear face, low,
    /// high, the room is on the side of larger coordinates).
    pub(super) fn side(&self, side: usize) -> (bool, f32, f32, f32, bool) {
        match side {
            0 => (false, self.min.y, self.min.x, self.max.x, true),
            1 => (true, self.max.x, self.min.y, self.max.y, false),
            2 => (false, self.max.y, self.min.x, self.max.x, false),
            _ => (true, self.min.x, self.min.y, self.max.y, true),
        }
    }

    /// Openings in one of its sides.
    pub(super) fn holes<'a>(
        &self,
        room: usize,
        side: usize,
        openings: &'a [Opening],
    ) -> impl Iterator<Item = &'a Opening> + use<'a> {
        let (along_z, at, _, _, _) = self.side(side);
        openings.iter().filter(move |o| {
            (o.room == room || o.other == Some(room))
                && o.along_z == along_z
                && (o.at - at).abs() < HALF_WALL + 0.01
        })
    }
}

/// Quarter turns of a frame whose z points in this direction.
pub(super) fn turns_of([x, z]: [f32; 2]) -> usize {
    if z > 0.5 {
        0
    } else if x > 0.5 {
        1
    } else if z < -0.5 {
        2
    } else {
        3
    }
}

/// Marks from `low` to `high`: closer at both ends, `step` in between, and the given ones.
fn marks(low: f32, high: f32, step: f32, extra: &[f32]) -> Vec<f32> {
    let mut out = vec![low, high];
    for near in [0.1, 0.3] {
        if high - low > 2.5 * near {
            out.extend([low + near, high - near]);
        }
    }
    let inner = high - low - 0.6;
    let count = (inner / step) as usize;
    if inner > 0.0 {
        let count = count.max(1);
        out.extend((1..count).map(|i| low + 0.3 + inner * i as f32 / count as f32));
    }
    out.extend(extra.iter().copied().filter(|&m| m > low && m < high));
    out.sort_by(f32::total_cmp);
    let mut kept: Vec<f32> = Vec::with_capacity(out.len());
    for mark in out {
        let needed = mark == low || mark == high || extra.contains(&mark);
        match kept.last().copied() {
            Some(last) if mark - last < 0.04 => {
                // Of two marks at one place the needed one stays.
                if needed && !(last == low || extra.contains(&last)) {
                    kept.pop();
                    kept.push(mark);
                } else if needed && mark != last {
                    kept.push(mark);
                }
            }
            _ => kept.push(mark),
        }
    }
    kept
}

/// A wall's face with holes, in small faces that carry the light.
struct WallFace<'a> {
    along_z: bool,
    at: f32,
    low: f32,
    high: f32,
    y: [f32; 2],
    faces_plus: bool,
    /// (low, high, sill, head) with heights in the world.
    holes: &'a [[f32; 4]],
    /// Below this height the second look.
    split: f32,
}

fn wall_face(b: &mut Builder, looks: [Look; 2], wall: &WallFace<'_>, step: f32) {
    let point = |t: f32, y: f32| {
        if wall.along_z { Vec3::new(wall.at, y, t) } else { Vec3::new(t, y, wall.at) }
    };
    let along: Vec<f32> = wall.holes.iter().flat_map(|h| [h[0], h[1]]).collect();
    let mut up: Vec<f32> = wall.holes.iter().flat_map(|h| [h[2], h[3]]).collect();
    up.push(wall.split);
    let (ts, ys) = (marks(wall.low, wall.high, step, &along), marks(wall.y[0], wall.y[1], step, &up));
    let reversed = wall.along_z == wall.faces_plus;
    for t in ts.windows(2) {
        for y in ys.windows(2) {
            let (mt, my) = (0.5 * (t[0] + t[1]), 0.5 * (y[0] + y[1]));
            if wall.holes.iter().any(|h| mt > h[0] && mt < h[1] && my > h[2] && my < h[3]) {
                continue;
            }
            let look = looks[usize::from(my < wall.split)];
            let scale = look.tex.metres();
            let (t0, t1) = if reversed { (t[1], t[0]) } else { (t[0], t[1]) };
            let uv = |t: f32, y: f32| Vec2::new(t / scale, -y / scale);
            b.face(
                look,
                [point(t0, y[0]), point(t1, y[0]), point(t1, y[1]), point(t0, y[1])],
                [uv(t0, y[0]), uv(t1, y[0]), uv(t1, y[1]), uv(t0, y[1])],
            );
        }
    }
}

/// A level face in small faces; looks up or down.
pub(super) fn level(b: &mut Builder, look: Look, min: Vec2, max: Vec2, y: f32, up: bool, step: f32) {
    let (xs, zs) = (marks(min.x, max.x, step, &[]), marks(min.y, max.y, step, &[]));
    let scale = look.tex.metres();
    for x in xs.windows(2) {
        for z in zs.windows(2) {
            let mut corners = [(x[0], z[0]), (x[0], z[1]), (x[1], z[1]), (x[1], z[0])];
            if !up {
                corners.reverse();
            }
            b.face(
                look,
                corners.map(|(x, z)| Vec3::new(x, y, z)),
                corners.map(|(x, z)| Vec2::new(x / scale, z / scale)),
            );
        }
    }
}

/// How a staircase goes on above and below a room that is one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Well {
    /// Height of the storey where stairs lead up from here.
    pub(super) up: Option<f32>,
    /// Stairs come up from below.
    pub(super) down: bool,
}

/// Floor, ceiling and walls of a room.
pub(super) fn room(
    b: &mut Builder,
    index: usize,
    room: &RoomShape,
    openings: &[Opening],
    well: Well,
    style: &Style,
) {
    b.room = index;
    let margin = Vec2::splat(HALF_WALL);
    b.begin("floor", Frame::WORLD);
    // Floors run on under the walls, so that thresholds are closed.
    let (low, high) =
        if well.down { stairs::floor_part(room) } else { (room.min - margin, room.max + margin) };
    level(b, room.floor, low, high, room.floor_y, true, 0.24);
    let top = room.floor_y + well.up.unwrap_or(room.height);
    let white = Look::new(Tex::Plaster, rgb(0xF7F6F2));
    b.begin("ceiling", Frame::WORLD);
    match well.up {
        // Under the landing above.
        Some(rise) => {
            let (low, high) = stairs::floor_part(room);
            level(b, white, low, high, room.floor_y + room.height, false, 0.7);
            let edge = Vec2::new(low.x, stairs::edge(room));
            let (y0, y1) = (room.floor_y + room.height, room.floor_y + rise);
            let corner = |x: f32, y: f32| Vec3::new(x, y, edge.y);
            b.quad(
                Look::plain(style.trim),
                [corner(high.x, y0), corner(low.x, y0), corner(low.x, y1), corner(high.x, y1)],
            );
        }
        None => level(b, white, room.min - margin, room.max + margin, top, false, 0.7),
    }
    b.begin("wall", Frame::WORLD);
    let wet = matches!(room.kind, Kind::Bathroom | Kind::Laundry);
    let split = if room.kind == Kind::Bathroom { 1.3 } else { 1.1 };
    let paint = Look::new(Tex::Plaster, room.wall);
    let tiles = Look::new(Tex::Tile, style.tile);
    for side in 0..4 {
        let (along_z, at, low, high, faces_plus) = room.side(side);
        let holes: Vec<[f32; 4]> = room
            .holes(index, side, openings)
            .map(|o| [o.low, o.high, room.floor_y + o.sill, room.floor_y + o.head])
            .collect();
        let split = if wet { room.floor_y + split } else { f32::NEG_INFINITY };
        let y = [room.floor_y, top];
        let face = WallFace { along_z, at, low, high, y, faces_plus, holes: &holes, split };
        wall_face(b, [paint, tiles], &face, 0.45);
        if room.kind != Kind::Stairs {
            skirting(b, &face, room.floor_y, style);
        }
    }
    if let Some(rise) = well.up {
        stairs::flights(b, room, rise, style);
    }
    if well.down {
        stairs::guard(b, room, well.up.is_none(), style);
    }
}

/// A board along the foot of a wall, left out at doors.
fn skirting(b: &mut Builder, wall: &WallFace<'_>, floor_y: f32, style: &Style) {
    const CASING: f32 = 0.05;
    let look = Look::plain(style.trim);
    let mut gaps: Vec<[f32; 2]> = wall
        .holes
        .iter()
        .filter(|h| h[2] <= floor_y + 0.01)
        .map(|h| [h[0] - CASING, h[1] + CASING])
        .collect();
    gaps.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut from = wall.low;
    gaps.push([wall.high, wall.high]);
    for [low, high] in gaps {
        if low - from > 0.02 {
            let (near, far) =
                if wall.faces_plus { (wall.at, wall.at + 0.014) } else { (wall.at - 0.014, wall.at) };
            let (min, max) = if wall.along_z {
                (Vec3::new(near, floor_y, from), Vec3::new(far, floor_y + 0.09, low))
            } else {
                (Vec3::new(from, floor_y, near), Vec3::new(low, floor_y + 0.09, far))
            };
            b.block(look, min, max);
        }
        from = from.max(high);
    }
}

/// Frame, leaf or sash of an opening.
pub(super) fn opening(b: &mut Builder, o: &Opening, floor_y: f32, style: &Style) {
    let Some(into) = o.into(o.room) else { return };
    let [x, z] = o.middle();
    let turns = turns_of(into);
    let frame = Frame::quarter(Vec3::new(x, floor_y, z), turns);
    b.room = o.room;
    let shades = b.shades.len();
    match o.filling {
        Filling::Window => {
            window(b, o, frame, style);
            b.drop_shades(shades);
        }
        Filling::Wide => {
            b.begin("door_frame", frame);
            lining(b, o, -HALF_WALL, style);
            b.drop_shades(shades);
        }
        Filling::Door => {
            b.begin("door_frame", frame);
            lining(b, o, -HALF_WALL, style);
            b.drop_shades(shades);
            b.begin("door", frame);
            leaf(b, o, turns, style);
        }
        Filling::Front => {
            b.begin("door_frame", frame);
            lining(b, o, -OUTER_M, style);
            b.begin("door", frame);
            let (w, h) = (0.5 * o.width() - 0.022, o.head - 0.022);
            let colour = style.fabrics.get(1).copied().unwrap_or([0.3, 0.4, 0.45]);
            let look = Look::new(Tex::Wood, colour).times(0.85);
            b.bevel(look, Vec3::new(-w, 0.005, -0.05), Vec3::new(w, h, 0.0), 0.004);
            for (low, high) in [(0.2, 0.9), (1.05, 1.85)] {
                b.bevel(
                    look.times(0.92),
                    Vec3::new(-w + 0.14, low, -0.01),
                    Vec3::new(w - 0.14, high, 0.012),
                    0.01,
                );
            }
            handle(b, Vec3::new(w - 0.08, 1.0, 0.0), 1.0, style);
        }
    }
}

/// Boards in the hole and casings on the walls.
fn lining(b: &mut Builder, o: &Opening, back: f32, style: &Style) {
    let look = Look::plain(style.trim);
    let w = 0.5 * o.width();
    let front = HALF_WALL + 0.004;
    let back = back - 0.004;
    for side in [-1.0, 1.0] {
        let (a, c) = (side * w, side * (w - 0.02));
        let (low, high) = (f32::min(a, c), f32::max(a, c));
        b.block(look, Vec3::new(low, 0.0, back), Vec3::new(high, o.head, front));
        let (a, c) = (side * (w + 0.05), side * (w - 0.012));
        let (low, high) = (f32::min(a, c), f32::max(a, c));
        b.bevel(look, Vec3::new(low, 0.0, front), Vec3::new(high, o.head + 0.05, front + 0.014), 0.005);
        if o.other.is_some() {
            b.bevel(
                look,
                Vec3::new(low, 0.0, back - 0.014),
                Vec3::new(high, o.head + 0.05, back),
                0.005,
            );
        }
    }
    b.block(look, Vec3::new(-w, o.head - 0.02, back), Vec3::new(w, o.head, front));
    b.bevel(
        look,
        Vec3::new(-w, o.head - 0.012, front),
        Vec3::new(w, o.head + 0.05, front + 0.014),
        0.005,
    );
    if o.other.is_some() {
        b.bevel(
            look,
            Vec3::new(-w, o.head - 0.012, back - 0.014),
            Vec3::new(w, o.head + 0.05, back),
            0.005,
        );
    }
}

/// Sign, in the opening's frame, of the end at which a door hangs.
pub(super) fn hinge_sign(o: &Opening, turns: usize) -> f32 {
    // Along which the frame's x runs in the world: +x, −z, −x, +z.
    let rises = matches!(turns, 0 | 3);
    if o.hinge_low == rises { -1.0 } else { 1.0 }
}

/// A door that stands open at a right angle, beside the clear hole.
fn leaf(b: &mut Builder, o: &Opening, turns: usize, style: &Style) {
    let hinge = hinge_sign(o, turns);
    let edge = hinge * (0.5 * o.width() - 0.02);
    let (low, high) = if hinge > 0.0 { (edge, edge + 0.04) } else { (edge - 0.04, edge) };
    let (z0, z1, top) = (HALF_WALL + 0.03, HALF_WALL + 0.03 + o.width() - 0.06, o.head - 0.03);
    let look = Look::plain(style.trim).times(0.97);
    b.bevel(look, Vec3::new(low, 0.01, z0), Vec3::new(high, top, z1), 0.004);
    let middle = 0.5 * (z0 + z1);
    for (y0, y1) in [(0.18, 0.88), (1.06, top - 0.14)] {
        for (a, c) in [(z0 + 0.11, middle - 0.04), (middle + 0.04, z1 - 0.11)] {
            for face in [low - 0.005, high - 0.004] {
                let panel = look.times(0.93);
                b.bevel(panel, Vec3::new(face, y0, a), Vec3::new(face + 0.009, y1, c), 0.004);
            }
        }
    }
    for (x, out) in [(low, -1.0), (high, 1.0)] {
        let metal = Look::plain(style.metal);
        let at = Vec3::new(x, 1.0, z1 - 0.06);
        b.rod(metal, at, at + Vec3::X * out * 0.05, 0.009, 6);
        b.rod(metal, at + Vec3::X * out * 0.05, at + Vec3::new(out * 0.05, 0.0, -0.12), 0.009, 6);
    }
}

fn handle(b: &mut Builder, at: Vec3, out: f32, style: &Style) {
    let metal = Look::plain(style.metal);
    b.rod(metal, at, at + Vec3::Z * out * 0.06, 0.01, 6);
    b.rod(metal, at + Vec3::Z * out * 0.06, at + Vec3::new(-0.12, 0.0, out * 0.06), 0.01, 6);
}

fn window(b: &mut Builder, o: &Opening, frame: Frame, style: &Style) {
    b.begin("window", frame);
    let look = Look::plain(style.trim);
    let (w, s, h) = (0.5 * o.width(), o.sill, o.head);
    let (back, front) = (-OUTER_M, HALF_WALL + 0.004);
    // Reveals.
    b.block(look, Vec3::new(-w, s, back), Vec3::new(-w + 0.02, h, front));
    b.block(look, Vec3::new(w - 0.02, s, back), Vec3::new(w, h, front));
    b.block(look, Vec3::new(-w, h - 0.02, back), Vec3::new(w, h, front));
    b.bevel(
        look,
        Vec3::new(-w - 0.05, s - 0.03, back),
        Vec3::new(w + 0.05, s + 0.012, front + 0.06),
        0.006,
    );
    // Casing.
    for side in [-1.0, 1.0] {
        let (a, c) = (side * (w + 0.05), side * (w - 0.012));
        b.bevel(
            look,
            Vec3::new(f32::min(a, c), s + 0.01, front),
            Vec3::new(f32::max(a, c), h + 0.05, front + 0.014),
            0.005,
        );
    }
    b.bevel(look, Vec3::new(-w, h - 0.012, front), Vec3::new(w, h + 0.05, front + 0.014), 0.005);
    // Sash.
    let (z0, z1) = (-0.12, -0.07);
    let bar = |b: &mut Builder, x0: f32, x1: f32, y0: f32, y1: f32| {
        b.block(look, Vec3::new(x0, y0, z0), Vec3::new(x1, y1, z1));
    };
    let (x0, x1, y0, y1) = (-w + 0.02, w - 0.02, s + 0.01, h - 0.02);
    bar(b, x0, x0 + 0.05, y0, y1);
    bar(b, x1 - 0.05, x1, y0, y1);
    bar(b, x0, x1, y0, y0 + 0.05);
    bar(b, x0, x1, y1 - 0.05, y1);
    let panes = if o.width() > 1.0 { 2 } else { 1 };
    for pane in 1..panes {
        let x = x0 + (x1 - x0) * pane as f32 / panes as f32;
        bar(b, x - 0.03, x + 0.03, y0, y1);
    }
    if matches!(style.name, "farmhouse" | "traditional" | "coastal") {
        let y = y0 + 0.62 * (y1 - y0);
        bar(b, x0, x1, y - 0.012, y + 0.012);
    }
}

/// What is seen outside: a band around the home, lawn and trees under a sky.
pub(super) fn garden(b: &mut Builder, min: Vec2, max: Vec2, top: f32) {
    const AWAY_M: f32 = 1.6;
    const LOW_M: f32 = -3.2;
    let high = top + 2.4;
    b.unlabelled(Frame::WORLD);
    b.glows = true;
    let look = Look::plain([1.0; 3]);
    let look = Look { tex: Tex::View, ..look };
    let (a, c) = (min - Vec2::splat(AWAY_M), max + Vec2::splat(AWAY_M));
    let corners = [(a.x, a.y), (a.x, c.y), (c.x, c.y), (c.x, a.y)];
    let mut along = 0.0;
    for index in 0..4_usize {
        let ((x0, z0), (x1, z1)) = (corners[index], corners[(index + 1) % 4]);
        let length = libm::hypotf(x1 - x0, z1 - z0) / 9.0;
        // Faces inwards: seen from inside the corners run clockwise.
        b.face(
            look,
            [
                Vec3::new(x1, LOW_M, z1),
                Vec3::new(x0, LOW_M, z0),
                Vec3::new(x0, high, z0),
                Vec3::new(x1, high, z1),
            ],
            [
                Vec2::new(along + length, 1.0),
                Vec2::new(along, 1.0),
                Vec2::new(along, 0.0),
                Vec2::new(along + length, 0.0),
            ],
        );
        along += length;
    }
    b.glows = false;
}
