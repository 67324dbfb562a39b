//! Light baked into vertex colours: daylight through the windows, a lamp on the ceiling, and a sky of
//! indirect light that corners and undersides see little of.

use super::builder::{Builder, Shade, Vertex};
use super::openings::{Filling, Opening};
use super::shell::RoomShape;
use ambler_geometry::Vec3;

/// How far the eye of the indirect light sees, metres.
const REACH_M: f32 = 1.6;
const RAYS: usize = 24;

struct RoomLight {
    min: Vec3,
    max: Vec3,
    shades: Vec<Shade>,
    /// Middle of each window, direction into the room, area.
    windows: Vec<(Vec3, Vec3, f32)>,
    lamp: Vec3,
    lamp_power: f32,
    warmth: [f32; 3],
}

/// Directions over the hemisphere about +y, thicker towards it, the same for every point.
fn directions() -> Vec<Vec3> {
    (0..RAYS)
        .map(|i| {
            let t = (i as f32 + 0.5) / RAYS as f32;
            let angle = i as f32 * 2.399_963;
            let (r, y) = (libm::sqrtf(t), libm::sqrtf(1.0 - t));
            Vec3::new(r * libm::cosf(angle), y, r * libm::sinf(angle))
        })
        .collect()
}

fn lights(rooms: &[RoomShape], openings: &[Opening], shades: &[Shade]) -> Vec<RoomLight> {
    let mut out: Vec<RoomLight> = rooms
        .iter()
        .map(|room| {
            let size = room.size();
            let (area, center) = (size.x * size.y, room.center());
            RoomLight {
                min: Vec3::new(room.min.x, room.floor_y, room.min.y),
                max: Vec3::new(room.max.x, room.floor_y + room.height, room.max.y),
                shades: Vec::new(),
                windows: Vec::new(),
                lamp: center + Vec3::Y * (room.height - 0.35),
                lamp_power: libm::sqrtf(area).clamp(1.6, 5.0),
                warmth: match room.kind {
                    super::programme::Kind::Bathroom | super::programme::Kind::Laundry => {
                        [0.98, 1.0, 1.02]
                    }
                    _ => [1.03, 1.0, 0.94],
                },
            }
        })
        .collect();
    for shade in shades {
        if let Some(light) = out.get_mut(shade.room) {
            light.shades.push(*shade);
        }
    }
    for opening in openings.iter().filter(|o| o.filling == Filling::Window) {
        let (Some(light), Some(into)) = (out.get_mut(opening.room), opening.into(opening.room)) else {
            continue;
        };
        let [x, z] = opening.middle();
        let inward = Vec3::new(into[0], 0.0, into[1]);
        let height = opening.head - opening.sill;
        let y = light.min.y + 0.5 * (opening.sill + opening.head);
        let side = Vec3::new(-inward.z, 0.0, inward.x);
        for part in [-0.25, 0.25] {
            let at = Vec3::new(x, y, z) + side * (part * opening.width());
            light.windows.push((at, inward, 0.5 * opening.width() * height));
        }
    }
    out
}

/// Distance along a ray to a box; infinite where it misses.
fn hit(from: Vec3, inverse: Vec3, min: Vec3, max: Vec3) -> f32 {
    let (a, b) = ((min - from) * inverse, (max - from) * inverse);
    let (near, far) = (a.min(b).max_element(), a.max(b).min_element());
    if near <= far && far > 0.0 { near.max(0.0) } else { f32::INFINITY }
}

impl RoomLight {
    fn blocked(&self, from: Vec3, to: Vec3) -> bool {
        let way = to - from;
        let inverse = (way + Vec3::splat(1e-6)).recip();
        self.shades.iter().any(|s| hit(from, inverse, s.min, s.max) < 1.0)
    }

    /// Brightness and colour at a point with this normal.
    fn at(&self, position: Vec3, normal: Vec3, rays: &[Vec3], near: &mut Vec<(Vec3, Vec3)>) -> [f32; 3] {
        let inside = position.clamp(self.min + Vec3::splat(0.012), self.max - Vec3::splat(0.012));
        let from = inside + normal * 0.012;
        near.clear();
        let reach = Vec3::splat(REACH_M);
        near.extend(
            self.shades
                .iter()
                .filter(|s| (s.min - reach).cmple(from).all() && (s.max + reach).cmpge(from).all())
                .map(|s| (s.min, s.max)),
        );
        let other = if normal.y.abs() > 0.8 { Vec3::X } else { Vec3::Y };
        let u = normal.cross(other).normalize_or_zero();
        let v = normal.cross(u);
        let mut open = 0.0;
        for ray in rays {
            let way = u * ray.x + normal * ray.y + v * ray.z;
            let inverse = (way + Vec3::splat(1e-6)).recip();
            let (a, b) = ((self.min - from) * inverse, (self.max - from) * inverse);
            let mut distance = a.max(b).min_element().max(0.0);
            for &(min, max) in near.iter() {
                distance = distance.min(hit(from, inverse, min, max));
            }
            open += (distance / REACH_M).min(1.0);
        }
        let open = open / rays.len() as f32;
        let mut daylight = 0.0;
        for &(at, inward, area) in &self.windows {
            let way = at - from;
            let length = way.length().max(0.3);
            let facing = normal.dot(way) / length;
            let leaving = -inward.dot(way) / length;
            // Light that has bounced once comes from around the window as well.
            let soft = 0.25 + 0.75 * facing.max(0.0);
            if leaving > 0.02 && facing > -0.3 {
                let share = area * leaving * soft / (length * length + 0.6);
                if facing <= 0.0 || !self.blocked(from, at) {
                    daylight += share * if facing > 0.0 { 1.0 } else { 0.15 };
                } else {
                    daylight += 0.2 * share;
                }
            }
        }
        let way = self.lamp - from;
        let length = way.length().max(0.3);
        let facing = normal.dot(way) / length;
        let mut lamp = 0.0;
        if facing > 0.0 && !self.blocked(from, self.lamp) {
            lamp = facing * self.lamp_power / (length * length + 1.2);
        }
        let sky = 0.30 + 0.58 * libm::powf(open, 1.1) + 0.05 * normal.y;
        let day = (0.45 * daylight).min(0.55);
        [0, 1, 2].map(|i| {
            let cool = [0.97, 1.0, 1.04][i];
            let sum = sky * (0.5 + 0.5 * self.warmth[i]) + day * cool + 0.28 * lamp * self.warmth[i];
            // Soft shoulder: 0.8 stays, 1.3 becomes 1.
            if sum > 0.8 { 0.8 + (sum - 0.8) / (1.0 + 1.5 * (sum - 0.8)) } else { sum }
        })
    }
}

/// Colours of the vertices of each part, in the builder's order.
pub(super) fn bake(builder: &Builder, rooms: &[RoomShape], openings: &[Opening]) -> Vec<Vec<[u8; 4]>> {
    let lights = lights(rooms, openings, &builder.shades);
    let rays = directions();
    let mut near = Vec::new();
    let mut colours = Vec::with_capacity(builder.parts.len());
    for part in builder.parts.values() {
        let light = lights.get(part.room);
        let mut paint = |vertex: &Vertex| {
            let shine = match light {
                Some(light) if !vertex.glows => {
                    light.at(vertex.position, vertex.normal, &rays, &mut near)
                }
                _ => [1.0; 3],
            };
            let channel =
                |i: usize| libm::roundf((vertex.tint[i] * shine[i]).clamp(0.0, 1.0) * 255.0) as u8;
            [channel(0), channel(1), channel(2), 255]
        };
        colours.push(part.vertices.iter().map(&mut paint).collect());
    }
    colours
}
