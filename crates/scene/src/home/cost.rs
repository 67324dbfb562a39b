//! What makes a floor plan good, in one number, and which rules it breaks.

use super::plan::{Rect, Shared, UNITS};
use super::programme::{Kind, Wanted};
use super::stairs;

/// Wall between two rooms, metres: half of it lies in each.
pub(super) const WALL_M: f64 = 0.12;

/// Two rooms can have a door where they share this much wall: the opening, its frame and a stub.
pub(super) const DOOR_STRETCH_M: f64 = 1.3;

/// The judgement on a plan. Counts are of broken hard rules.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verdict {
    pub(super) cost: f64,
    /// Rooms too narrow or too long.
    pub(super) shape: u32,
    /// Rooms far from the area wanted.
    pub(super) area: u32,
    /// Rooms without the outer wall that they need.
    pub(super) facade: u32,
    /// Rooms that cannot be entered as they should.
    pub(super) access: u32,
    /// Categories whose rooms all lie close together.
    pub(super) spread: u32,
}

impl Verdict {
    /// No hard rule is broken.
    pub(super) fn is_accepted(&self) -> bool {
        self.shape + self.area + self.facade + self.access + self.spread == 0
    }

    /// The rule broken first, in words.
    pub(super) fn reason(&self) -> &'static str {
        if self.access > 0 {
            "no plan: a room cannot be entered"
        } else if self.shape > 0 {
            "no plan: a room is too narrow"
        } else if self.facade > 0 {
            "no plan: a room without outer wall"
        } else if self.area > 0 {
            "no plan: a room's area is off"
        } else {
            "no plan: rooms of one kind too close"
        }
    }
}

/// Judges plans of one programme.
pub(super) struct Judge<'a> {
    wanted: &'a [Wanted],
    outline: Rect,
    has_hall: bool,
    baths: usize,
    spread: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(wanted: &'a [Wanted], outline: Rect) -> Self {
        let count = |kind| wanted.iter().filter(|w| w.kind == kind).count();
        Self {
            wanted,
            outline,
            has_hall: count(Kind::Hall) > 0,
            baths: count(Kind::Bathroom),
            spread: wanted.len() - count(Kind::Outside) - count(Kind::Stairs) >= 12,
        }
    }

    pub(super) fn judge(&self, rects: &[Rect]) -> Verdict {
        let mut verdict = Verdict::default();
        for (wanted, rect) in self.wanted.iter().zip(rects) {
            self.room(wanted, rect, &mut verdict);
        }
        self.access(rects, &mut verdict);
        self.distances(rects, &mut verdict);
        verdict
    }

    /// Metres of outer wall.
    pub(super) fn facade_m(outline: &Rect, rect: &Rect) -> f64 {
        let mut units = 0;
        if rect.x0 == outline.x0 {
            units += rect.z1 - rect.z0;
        }
        if rect.x1 == outline.x1 {
            units += rect.z1 - rect.z0;
        }
        if rect.z0 == outline.z0 {
            units += rect.x1 - rect.x0;
        }
        if rect.z1 == outline.z1 {
            units += rect.x1 - rect.x0;
        }
        f64::from(units) / UNITS
    }

    fn room(&self, wanted: &Wanted, rect: &Rect, verdict: &mut Verdict) {
        if matches!(wanted.kind, Kind::Stairs) {
            return;
        }
        let needs = wanted.kind.needs();
        let (w, d) = (rect.width_m() - WALL_M, rect.depth_m() - WALL_M);
        let (short, long) = (w.min(d), w.max(d));
        if short < needs.side {
            verdict.cost += 1.0 + 8.0 * (needs.side - short);
            verdict.shape += 1;
        }
        let aspect = long / short.max(0.1);
        if aspect > needs.aspect {
            verdict.cost += 4.0 * (aspect - needs.aspect);
            verdict.shape += u32::from(aspect > needs.aspect * 1.08);
        }
        let ratio = w.max(0.1) * d.max(0.1) / wanted.area;
        if !(0.85..=1.25).contains(&ratio) {
            verdict.cost += 3.0 * libm::log(ratio).abs();
        }
        if !(0.66..=1.7).contains(&ratio) {
            verdict.area += 1;
        }
        if needs.facade && Self::facade_m(&self.outline, rect) < 1.8 {
            verdict.cost += 4.0;
            verdict.facade += 1;
        }
    }

    fn access(&self, rects: &[Rect], verdict: &mut Verdict) {
        let kinds = |i: usize| self.wanted[i].kind;
        let count = rects.len();
        let touching = |a: usize, b: usize| {
            stretch(self.wanted, rects, a, b).is_some_and(|shared| shared.length_m() >= DOOR_STRETCH_M)
        };
        // Passages must hang together.
        let mut reached = [false; 64];
        let hub = (0..count)
            .find(|&i| kinds(i) == Kind::Hall)
            .or_else(|| (0..count).find(|&i| kinds(i) == Kind::Living));
        let Some(hub) = hub else { return };
        let mut queue = [0_usize; 64];
        let (mut head, mut tail) = (0, 1);
        queue[0] = hub;
        reached[hub] = true;
        while head < tail {
            let at = queue[head];
            head += 1;
            for next in 0..count {
                if !reached[next]
                    && kinds(next).is_passage()
                    && touching(at, next)
                    && may_join(kinds(at), kinds(next))
                {
                    reached[next] = true;
                    queue[tail] = next;
                    tail += 1;
                }
            }
        }
        let mut public_bath = false;
        for room in 0..count {
            let kind = kinds(room);
            if kind == Kind::Outside {
                continue;
            }
            if kind.is_passage() {
                if !reached[room] {
                    verdict.cost += 6.0;
                    verdict.access += 1;
                }
                if kind == Kind::Kitchen && !self.beside(room, rects, &[Kind::Dining, Kind::Living]) {
                    verdict.cost += 2.0;
                }
                if kind == Kind::Entry && !self.beside(room, rects, &[Kind::Hall, Kind::Living]) {
                    verdict.cost += 2.0;
                }
                continue;
            }
            let mut best: Option<f64> = None;
            for host in 0..count {
                if let Some(cost) = kind.entered_from(kinds(host), self.has_hall)
                    && touching(room, host)
                {
                    if kind == Kind::Bathroom && kinds(host) != Kind::Bedroom {
                        public_bath = true;
                    }
                    best = Some(best.map_or(cost, |b| b.min(cost)));
                }
            }
            match best {
                Some(cost) => verdict.cost += cost,
                None => {
                    verdict.cost += 5.0;
                    verdict.access += 1;
                }
            }
        }
        if self.baths > 0 && !public_bath {
            verdict.cost += 6.0;
            verdict.access += 1;
        }
    }

    fn beside(&self, room: usize, rects: &[Rect], kinds: &[Kind]) -> bool {
        (0..rects.len()).any(|other| {
            kinds.contains(&self.wanted[other].kind)
                && stretch(self.wanted, rects, room, other)
                    .is_some_and(|s| s.length_m() >= DOOR_STRETCH_M)
        })
    }

    /// Bedrooms, bathrooms and closets of a large home spread out: so that "the other bathroom" is
    /// somewhere else.
    fn distances(&self, rects: &[Rect], verdict: &mut Verdict) {
        if !self.spread {
            return;
        }
        for (kind, weight) in [(Kind::Bedroom, 0.35), (Kind::Bathroom, 0.8), (Kind::Closet, 0.8)] {
            let (mut widest, mut pairs): (f64, u32) = (0.0, 0);
            for a in 0..rects.len() {
                for b in a + 1..rects.len() {
                    if self.wanted[a].kind != kind || self.wanted[b].kind != kind {
                        continue;
                    }
                    pairs += 1;
                    let [ax, az] = rects[a].center_m();
                    let [bx, bz] = rects[b].center_m();
                    let distance = libm::hypot(ax - bx, az - bz);
                    widest = widest.max(distance);
                    // Below 5.2 m the centres of the clear rooms may fall under 5 m.
                    verdict.cost += weight * (5.2 - distance).max(0.0);
                }
            }
            if pairs > 0 && widest < 5.2 {
                verdict.cost += 1.0 + (5.2 - widest);
                verdict.spread += 1;
            }
        }
    }
}

/// Two passages may open into each other.
pub(super) fn may_join(a: Kind, b: Kind) -> bool {
    use Kind::{Dining, Entry, Family, Hall, Kitchen, Living, Stairs};
    let one = |x: Kind, y: Kind| {
        matches!(
            (x, y),
            (Hall, Hall | Living | Family | Dining | Kitchen | Entry | Stairs)
                | (Living, Dining | Kitchen | Entry | Family | Stairs)
                | (Dining, Kitchen | Family)
                | (Kitchen, Family)
                | (Entry, Stairs)
        )
    };
    one(a, b) || one(b, a)
}

/// The stretch of wall that two rooms share and in which a door may be: of a staircase only the landing.
pub(super) fn stretch(wanted: &[Wanted], rects: &[Rect], a: usize, b: usize) -> Option<Shared> {
    let mut shared = rects[a].shared(&rects[b])?;
    for room in [a, b] {
        if wanted[room].kind == Kind::Stairs {
            let landing = stairs::landing(&rects[room]);
            let (low, high) =
                if shared.along_z { (landing.z0, landing.z1) } else { (landing.x0, landing.x1) };
            let far = !shared.along_z && shared.at != landing.z1;
            shared.low = shared.low.max(low);
            shared.high = shared.high.min(high);
            if far || shared.high <= shared.low {
                return None;
            }
        }
    }
    Some(shared)
}
