//! Doors and windows: who is joined to whom, and where in the wall.

use super::cost::{DOOR_STRETCH_M, WALL_M, may_join, stretch};
use super::plan::{Plan, Rect, Shared, UNITS};
use super::programme::{Kind, Wanted};
use ambler_geometry::random::Stream;

/// What fills an opening in a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// A door leaf that stands open.
    Door,
    /// Nothing: a wide opening between living spaces.
    Wide,
    /// The closed door to the street.
    Front,
    /// A window.
    Window,
}

/// A hole in a wall. One record makes hole, frame, leaf and label.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub(super) filling: Filling,
    /// The room whose side of the wall it is; a door's leaf swings into it.
    pub(super) room: usize,
    /// The room behind; `None` for the outside.
    pub(super) other: Option<usize>,
    /// The wall runs along z.
    pub(super) along_z: bool,
    /// Coordinate of the wall's line, metres.
    pub(super) at: f32,
    /// Where the clear hole begins and ends along the wall, metres.
    pub(super) low: f32,
    pub(super) high: f32,
    /// Heights of sill and head above the floor, metres.
    pub(super) sill: f32,
    pub(super) head: f32,
    /// `room` lies on the side of larger coordinates.
    pub(super) room_is_after: bool,
    /// Hinges at the low end.
    pub(super) hinge_low: bool,
}

impl Opening {
    pub(super) fn width(&self) -> f32 {
        self.high - self.low
    }

    pub(super) fn is_walked(&self) -> bool {
        matches!(self.filling, Filling::Door | Filling::Wide)
    }

    /// The middle of the hole on the wall's line, (x, z).
    pub(super) fn middle(&self) -> [f32; 2] {
        let along = 0.5 * (self.low + self.high);
        if self.along_z { [self.at, along] } else { [along, self.at] }
    }

    /// Unit direction along which one walks into the room; `None` if the room is not beside it.
    pub(super) fn into(&self, room: usize) -> Option<[f32; 2]> {
        let sign = match room {
            r if r == self.room => 1.0,
            r if Some(r) == self.other => -1.0,
            _ => return None,
        };
        let sign = if self.room_is_after { sign } else { -sign };
        Some(if self.along_z { [sign, 0.0] } else { [0.0, sign] })
    }
}

const HEAD_M: f32 = 2.06;
/// Clear width of a door: 0.9 m and what its open leaf takes.
const DOOR_M: f64 = 0.96;

struct Joints<'a> {
    wanted: &'a [Wanted],
    rects: &'a [Rect],
    /// Union-find over rooms.
    group: Vec<usize>,
    doors: Vec<(usize, usize, Filling)>,
}

impl Joints<'_> {
    fn kind(&self, room: usize) -> Kind {
        self.wanted[room].kind
    }

    fn shared(&self, a: usize, b: usize) -> Option<f64> {
        let length = stretch(self.wanted, self.rects, a, b)?.length_m();
        (length >= DOOR_STRETCH_M).then_some(length)
    }

    fn root(&self, mut room: usize) -> usize {
        while self.group[room] != room {
            room = self.group[room];
        }
        room
    }

    fn join(&mut self, a: usize, b: usize, filling: Filling) {
        let (x, y) = (self.root(a), self.root(b));
        self.group[x.max(y)] = x.min(y);
        self.doors.push((a, b, filling));
    }
}

/// Joins all rooms; `None` where one stays apart.
fn join_rooms(
    wanted: &[Wanted],
    rects: &[Rect],
    stream: &mut Stream,
) -> Option<Vec<(usize, usize, Filling)>> {
    let mut joints = Joints { wanted, rects, group: (0..rects.len()).collect(), doors: Vec::new() };
    join_passages(&mut joints, stream);
    let has_hall = wanted.iter().any(|w| w.kind == Kind::Hall);
    let baths = wanted.iter().filter(|w| w.kind == Kind::Bathroom).count();
    let mut public_baths = 0;
    let mut owned = vec![0_u32; rects.len()];
    // Leaves: closets last, so that they see which bedrooms own one already.
    let mut leaves: Vec<usize> = (0..rects.len())
        .filter(|&i| !joints.kind(i).is_passage() && joints.kind(i) != Kind::Outside)
        .collect();
    leaves.sort_by_key(|&i| (joints.kind(i) == Kind::Closet, joints.kind(i) == Kind::Bathroom, i));
    for room in leaves {
        let kind = joints.kind(room);
        let ensuite = kind == Kind::Bathroom && baths > 1 && stream.uniform() < 0.4;
        let mut best: Option<(f64, usize)> = None;
        for host in 0..rects.len() {
            let Some(mut cost) = kind.entered_from(joints.kind(host), has_hall) else { continue };
            let Some(length) = joints.shared(room, host) else { continue };
            if kind == Kind::Bathroom && joints.kind(host) == Kind::Bedroom {
                // One bath at least is everybody's; the last chance decides.
                let only = public_baths == 0 && !other_public_bath(&joints, room);
                cost += if only {
                    100.0
                } else if ensuite {
                    -1.0
                } else {
                    0.5
                };
            }
            cost += 0.6 * f64::from(owned[host]);
            if joints.kind(host) == Kind::Hall {
                cost -= 0.05;
            }
            cost -= 0.01 * length;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, host));
            }
        }
        let (_, host) = best?;
        if joints.kind(host) == Kind::Bedroom {
            owned[host] += 1;
        } else if kind == Kind::Bathroom {
            public_baths += 1;
        }
        joints.join(host, room, Filling::Door);
    }
    let first = (0..rects.len()).find(|&i| joints.kind(i) != Kind::Outside)?;
    let all = (0..rects.len())
        .filter(|&i| joints.kind(i) != Kind::Outside)
        .all(|i| joints.root(i) == joints.root(first));
    all.then_some(joints.doors)
}

/// Another bathroom could be entered from a passage.
fn other_public_bath(joints: &Joints<'_>, room: usize) -> bool {
    (0..joints.rects.len()).any(|bath| {
        bath != room
            && joints.kind(bath) == Kind::Bathroom
            && !joints.doors.iter().any(|&(_, b, _)| b == bath)
            && (0..joints.rects.len()).any(|host| {
                matches!(joints.kind(host), Kind::Hall | Kind::Living | Kind::Family)
                    && joints.shared(bath, host).is_some()
            })
    })
}

/// Openings between passages: open plan where it is common, doors where the rest needs them.
fn join_passages(joints: &mut Joints<'_>, stream: &mut Stream) {
    use Kind::{Dining, Entry, Family, Hall, Kitchen, Living, Stairs};
    let mut pairs: Vec<(f64, usize, usize, bool)> = Vec::new();
    for a in 0..joints.rects.len() {
        for b in a + 1..joints.rects.len() {
            let (x, y) = (joints.kind(a), joints.kind(b));
            if !x.is_passage() || !y.is_passage() || !may_join(x, y) || joints.shared(a, b).is_none() {
                continue;
            }
            let (chance, wide) = match (x.min(y), x.max(y)) {
                (Hall, Hall | Stairs) => (1.0, true),
                (Dining, Kitchen) => (0.85, true),
                (Living, Dining) => (0.8, true),
                (Living, Kitchen) => (0.5, true),
                (Living, Family) => (0.4, true),
                (Living, Hall) | (Living, Entry) => (0.95, true),
                (Entry, Hall) => (0.95, true),
                (Family, Hall) => (0.8, false),
                (Kitchen, Hall) => (0.5, false),
                (Dining, Hall) => (0.4, false),
                _ => (0.3, false),
            };
            pairs.push((chance, a, b, wide));
        }
    }
    pairs.sort_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)).then(p.2.cmp(&q.2)));
    for second in [false, true] {
        for &(chance, a, b, wide) in &pairs {
            let apart = joints.root(a) != joints.root(b);
            let draw = stream.uniform();
            let wanted =
                if second { apart } else { draw < chance && (apart || chance >= 0.8 || draw < 0.3) };
            if wanted && !joints.doors.iter().any(|&(x, y, _)| (x, y) == (a, b)) {
                let filling = if wide { Filling::Wide } else { Filling::Door };
                joints.join(a, b, filling);
            }
        }
    }
}

/// Doors, the front door and windows of a plan; `None` where a room cannot be joined or a door finds
/// no place.
pub(super) fn openings(
    wanted: &[Wanted],
    plan: &Plan,
    ground: bool,
    stream: &mut Stream,
) -> Option<Vec<Opening>> {
    let mut out: Vec<Opening> = Vec::new();
    for (host, room, filling) in join_rooms(wanted, &plan.rects, stream)? {
        let shared = stretch(wanted, &plan.rects, host, room)?;
        out.push(place_door(host, room, filling, shared, wanted, &out, stream)?);
    }
    if ground {
        out.extend(front_door(wanted, plan, stream));
    }
    hang_doors(&mut out)?;
    for room in 0..wanted.len() {
        windows(room, wanted[room].kind, plan, &mut out, stream);
    }
    Some(out)
}

/// Rectangle (along from, to; across from, to) as x and z: least x, least z, greatest x, greatest z.
fn rectangle(along_z: bool, along: [f32; 2], across: [f32; 2]) -> [f32; 4] {
    let across = [across[0].min(across[1]), across[0].max(across[1])];
    if along_z {
        [across[0], along[0], across[1], along[1]]
    } else {
        [along[0], across[0], along[1], across[1]]
    }
}

fn overlap(a: [f32; 4], b: [f32; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Where the open leaf of a door stands.
fn leaf_area(o: &Opening, hinge_low: bool) -> [f32; 4] {
    let along = if hinge_low { [o.low - 0.09, o.low + 0.02] } else { [o.high - 0.02, o.high + 0.09] };
    let into = if o.room_is_after { 1.0 } else { -1.0 };
    rectangle(o.along_z, along, [o.at, o.at + into * (o.width() + 0.12)])
}

/// What must be free to walk through an opening, on a room's side.
fn way(o: &Opening, room: usize) -> Option<[f32; 4]> {
    let [x, z] = o.into(room)?;
    let into = if o.along_z { x } else { z };
    Some(rectangle(o.along_z, [o.low, o.high], [o.at, o.at + into * 0.75]))
}

/// Chooses for each door the side it hangs at, so that its open leaf stands in no other opening's way
/// and meets no other leaf; `None` where both sides fail.
fn hang_doors(openings: &mut [Opening]) -> Option<()> {
    for index in 0..openings.len() {
        let door = openings.get(index).cloned()?;
        if door.filling != Filling::Door {
            continue;
        }
        let clear = |hinge_low: bool| {
            let leaf = leaf_area(&door, hinge_low);
            openings.iter().enumerate().all(|(other, o)| {
                let in_way = other != index && way(o, door.room).is_some_and(|way| overlap(way, leaf));
                let meets = other < index
                    && o.filling == Filling::Door
                    && o.room == door.room
                    && overlap(leaf_area(o, o.hinge_low), leaf);
                !in_way && !meets
            })
        };
        let hinge = [door.hinge_low, !door.hinge_low].into_iter().find(|&hinge| clear(hinge))?;
        openings.get_mut(index)?.hinge_low = hinge;
    }
    Some(())
}

/// A hole that keeps 0.12 m to walls across and 0.3 m to other holes.
fn place_door(
    host: usize,
    room: usize,
    filling: Filling,
    shared: Shared,
    wanted: &[Wanted],
    others: &[Opening],
    stream: &mut Stream,
) -> Option<Opening> {
    let (low, high) = (f64::from(shared.low) / UNITS, f64::from(shared.high) / UNITS);
    let stub = WALL_M / 2.0 + 0.10;
    let free = high - low - 2.0 * stub;
    let width = match filling {
        Filling::Wide => {
            let hall = wanted[host].kind == Kind::Hall && wanted[room].kind == Kind::Hall;
            let most = if hall { 1.5 } else { stream.range(1.5, 2.6) };
            free.min(most)
        }
        _ => DOOR_M.min(free),
    };
    if width < 0.93 {
        return None;
    }
    let at = f64::from(shared.at) / UNITS;
    let slack = free - width;
    // Leaf doors sit near an end, so that walls stay free; wide ones in the middle.
    let mut offsets: Vec<f64> = if filling == Filling::Wide {
        vec![0.5 * slack, 0.3 * slack, 0.7 * slack, 0.1 * slack, 0.9 * slack]
    } else {
        let near = slack.min(stream.range(0.0, 0.15));
        vec![near, slack - near, 0.25 * slack, 0.75 * slack, 0.5 * slack]
    };
    if filling == Filling::Door && stream.uniform() < 0.5 {
        offsets.swap(0, 1);
    }
    let along_z = shared.along_z;
    for offset in offsets {
        let start = low + stub + offset;
        let clear = others.iter().all(|o| {
            let same_wall = o.along_z == along_z && (f64::from(o.at) - at).abs() < 0.05;
            !same_wall || start + width + 0.3 < f64::from(o.low) || f64::from(o.high) + 0.3 < start
        });
        if clear {
            return Some(Opening {
                filling,
                room,
                other: Some(host),
                along_z,
                at: at as f32,
                low: start as f32,
                high: (start + width) as f32,
                sill: 0.0,
                head: if filling == Filling::Wide { 2.2 } else { HEAD_M },
                room_is_after: shared.second_is_after,
                hinge_low: offset <= 0.5 * slack,
            });
        }
    }
    None
}

/// The four sides of a room that lie on the outline: (along z, line, low, high, room is after).
fn outer_sides(rect: &Rect, outline: &Rect) -> Vec<(bool, i32, i32, i32, bool)> {
    let mut sides = Vec::new();
    if rect.z0 == outline.z0 {
        sides.push((false, rect.z0, rect.x0, rect.x1, true));
    }
    if rect.x1 == outline.x1 {
        sides.push((true, rect.x1, rect.z0, rect.z1, false));
    }
    if rect.z1 == outline.z1 {
        sides.push((false, rect.z1, rect.x0, rect.x1, false));
    }
    if rect.x0 == outline.x0 {
        sides.push((true, rect.x0, rect.z0, rect.z1, true));
    }
    sides
}

fn front_door(wanted: &[Wanted], plan: &Plan, stream: &mut Stream) -> Option<Opening> {
    for kind in [Kind::Entry, Kind::Hall, Kind::Living, Kind::Dining, Kind::Kitchen] {
        for room in (0..wanted.len()).filter(|&i| wanted[i].kind == kind) {
            let mut sides = outer_sides(&plan.rects[room], &plan.outline);
            // The shortest side: the end of a hall.
            sides.sort_by_key(|side| side.3 - side.2);
            for (along_z, at, low, high, room_is_after) in sides {
                let (low, high) = (f64::from(low) / UNITS, f64::from(high) / UNITS);
                let slack = high - low - 0.95 - 0.4;
                if slack < 0.0 {
                    continue;
                }
                let start = low + 0.2 + slack * stream.range(0.3, 0.7);
                return Some(Opening {
                    filling: Filling::Front,
                    room,
                    other: None,
                    along_z,
                    at: (f64::from(at) / UNITS) as f32,
                    low: start as f32,
                    high: (start + 0.95) as f32,
                    sill: 0.0,
                    head: 2.1,
                    room_is_after,
                    hinge_low: stream.uniform() < 0.5,
                });
            }
        }
    }
    None
}

/// Width, sill and head of a kind's windows, and metres of wall a window; `None` without.
fn window_form(kind: Kind, stream: &mut Stream) -> Option<(f64, f32, f32, f64)> {
    Some(match kind {
        Kind::Living | Kind::Family => (stream.range(1.5, 2.1), 0.5, 2.15, 3.0),
        Kind::Dining => (stream.range(1.3, 1.7), 0.7, 2.15, 3.0),
        Kind::Kitchen => (stream.range(1.1, 1.4), 1.1, 2.1, 3.2),
        Kind::Bedroom | Kind::Office | Kind::Library | Kind::Gym => {
            (stream.range(1.1, 1.5), 0.85, 2.12, 3.2)
        }
        Kind::Bathroom => (0.7, 1.4, 2.1, 6.0),
        Kind::Laundry | Kind::Entry if stream.uniform() < 0.5 => (0.7, 1.3, 2.1, 6.0),
        Kind::Hall if stream.uniform() < 0.6 => (0.9, 0.95, 2.1, 6.0),
        _ => return None,
    })
}

fn windows(room: usize, kind: Kind, plan: &Plan, out: &mut Vec<Opening>, stream: &mut Stream) {
    let Some((width, sill, head, pitch)) = window_form(kind, stream) else { return };
    for (along_z, at, low, high, room_is_after) in outer_sides(&plan.rects[room], &plan.outline) {
        let (low, high) = (f64::from(low) / UNITS + 0.06, f64::from(high) / UNITS - 0.06);
        let length = high - low;
        if length < width + 0.5 {
            continue;
        }
        let count = ((length / pitch) as usize).clamp(1, 4);
        let share = length / count as f64;
        for index in 0..count {
            let middle = low + share * (index as f64 + 0.5);
            let (from, to) = (middle - 0.5 * width, middle + 0.5 * width);
            let at = (f64::from(at) / UNITS) as f32;
            let taken = out.iter().any(|o| {
                o.along_z == along_z
                    && (o.at - at).abs() < 0.05
                    && (from as f32) < o.high + 0.25
                    && o.low < to as f32 + 0.25
            });
            if !taken {
                out.push(Opening {
                    filling: Filling::Window,
                    room,
                    other: None,
                    along_z,
                    at,
                    low: from as f32,
                    high: to as f32,
                    sill,
                    head,
                    room_is_after,
                    hinge_low: true,
                });
            }
        }
    }
}
