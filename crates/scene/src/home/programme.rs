//! Which rooms a home has, and what each kind of room needs.

use ambler_geometry::random::Stream;

/// Kind of a room. Several kinds may share a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Living,
    Family,
    Dining,
    Kitchen,
    Bedroom,
    Office,
    Bathroom,
    Closet,
    Laundry,
    Storage,
    Entry,
    Hall,
    Stairs,
    Gym,
    Library,
    /// A piece of the footprint that is not built: it makes L and U shapes.
    Outside,
}

/// What a kind of room needs.
pub(super) struct Needs {
    /// Area drawn from this triangle: least, most likely, greatest (m²).
    pub(super) area: [f64; 3],
    /// Shortest clear side in metres.
    pub(super) side: f64,
    /// Longest over shortest side.
    pub(super) aspect: f64,
    /// Must have a piece of outer wall.
    pub(super) facade: bool,
}

impl Kind {
    /// The category that the labels say.
    pub(super) fn category(self) -> &'static str {
        match self {
            Self::Living => "living_room",
            Self::Family => "family_room",
            Self::Dining => "dining_room",
            Self::Kitchen => "kitchen",
            Self::Bedroom => "bedroom",
            Self::Office => "office",
            Self::Bathroom => "bathroom",
            Self::Closet => "closet",
            Self::Laundry => "laundry_room",
            Self::Storage => "storage_room",
            Self::Entry => "entryway",
            Self::Hall => "hallway",
            Self::Stairs => "staircase",
            Self::Gym => "gym",
            Self::Library => "library",
            Self::Outside => "",
        }
    }

    /// Sizes after the space standards that docs/HOMES.md lists.
    pub(super) fn needs(self) -> Needs {
        let (area, side, aspect, facade) = match self {
            Self::Living => ([18.0, 24.0, 34.0], 3.4, 1.9, true),
            Self::Family => ([14.0, 18.0, 26.0], 3.2, 1.8, true),
            Self::Dining => ([10.5, 13.0, 18.0], 2.9, 1.8, true),
            Self::Kitchen => ([9.0, 12.5, 18.0], 2.5, 2.2, true),
            Self::Bedroom => ([10.5, 13.0, 19.0], 2.9, 1.7, true),
            Self::Office => ([8.0, 9.5, 13.0], 2.5, 1.8, true),
            Self::Bathroom => ([4.6, 5.6, 8.0], 1.9, 2.1, false),
            Self::Closet => ([3.2, 3.8, 5.5], 1.55, 2.4, false),
            Self::Laundry => ([4.2, 5.2, 7.5], 1.8, 2.2, false),
            Self::Storage => ([3.0, 3.8, 5.5], 1.5, 2.5, false),
            Self::Entry => ([4.0, 5.0, 8.0], 1.6, 2.4, true),
            Self::Hall => ([6.0, 9.0, 16.0], 1.2, 9.0, false),
            Self::Stairs => ([9.5, 10.0, 11.0], 2.2, 2.3, false),
            Self::Gym => ([10.0, 12.0, 18.0], 2.8, 1.8, false),
            Self::Library => ([9.5, 12.0, 17.0], 2.7, 1.8, false),
            Self::Outside => ([8.0, 14.0, 24.0], 1.4, 5.0, true),
        };
        Needs { area, side, aspect, facade }
    }

    /// Rooms that one may walk through on the way to another.
    pub(super) fn is_passage(self) -> bool {
        matches!(
            self,
            Self::Living
                | Self::Family
                | Self::Dining
                | Self::Kitchen
                | Self::Entry
                | Self::Hall
                | Self::Stairs
        )
    }

    /// How well `self`, which is not a passage, is entered from `host`: 0 is best, `None` is never.
    pub(super) fn entered_from(self, host: Self, has_hall: bool) -> Option<f64> {
        use Kind::{
            Bathroom, Bedroom, Closet, Dining, Entry, Family, Gym, Hall, Kitchen, Laundry, Library,
            Living, Office, Storage,
        };
        let off_hall = if has_hall { 1.0 } else { 0.0 };
        match (self, host) {
            (Bedroom | Bathroom | Office | Gym | Library | Laundry | Storage, Hall) => Some(0.0),
            (Bedroom | Bathroom, Living | Family) => Some(off_hall),
            (Bathroom, Bedroom) => Some(0.4),
            (Closet, Bedroom) => Some(0.0),
            (Closet, Hall) => Some(0.2),
            (Closet, Entry | Living) => Some(0.6),
            (Office | Gym | Library, Living | Family | Entry | Dining) => Some(0.3),
            (Laundry | Storage, Kitchen) => Some(0.0),
            (Laundry | Storage, Entry | Family | Dining | Living) => Some(0.8),
            _ => None,
        }
    }
}

/// A room asked for: its kind and the area it should have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) kind: Kind,
    pub(super) area: f64,
}

/// In this order rooms join a home; a home of `n` rooms has the first `n`. Homes under 8 rooms have
/// lists of their own.
const ORDER: &[Kind] = {
    use Kind::{
        Bathroom, Bedroom, Closet, Dining, Entry, Family, Gym, Hall, Kitchen, Laundry, Library, Living,
        Office, Storage,
    };
    &[
        Living, Kitchen, Dining, Bedroom, Bedroom, Bathroom, Closet, Hall, Bedroom, Bathroom, Laundry,
        Closet, Office, Entry, Family, Bedroom, Hall, Bathroom, Storage, Library, Gym, Closet, Bedroom,
        Hall, Bathroom, Office, Closet, Bedroom, Family, Storage,
    ]
};

/// The kinds of a floor of `rooms` rooms.
fn kinds(rooms: usize, stream: &mut Stream) -> Vec<Kind> {
    use Kind::{Bathroom, Bedroom, Closet, Dining, Entry, Hall, Kitchen, Laundry, Living, Office};
    match rooms {
        0..=3 => vec![Living, Bedroom, Bathroom],
        4 => vec![Living, Kitchen, Bedroom, Bathroom],
        5 => {
            let last = [Closet, Entry, Office][stream.index(3)];
            vec![Living, Kitchen, Bedroom, Bathroom, last]
        }
        6 => vec![Living, Kitchen, Bedroom, Bedroom, Bathroom, Hall],
        7 => {
            let last = [Closet, Dining, Office, Laundry][stream.index(4)];
            vec![Living, Kitchen, Bedroom, Bedroom, Bathroom, Hall, last]
        }
        _ => ORDER.iter().copied().take(rooms).collect(),
    }
}

/// The rooms of each floor, lowest first, with areas.
pub(super) fn programme(rooms: usize, floors: usize, stream: &mut Stream) -> Vec<Vec<Wanted>> {
    let lists = if floors <= 1 { vec![kinds(rooms, stream)] } else { storeys(rooms, floors) };
    let has_space = stream.range(0.92, 1.12);
    let mut floors_wanted: Vec<Vec<Wanted>> = lists
        .into_iter()
        .map(|list| {
            let mut wanted: Vec<Wanted> = list
                .into_iter()
                .map(|kind| Wanted { kind, area: draw_area(kind, stream) * has_space })
                .collect();
            size_halls(&mut wanted);
            wanted
        })
        .collect();
    bound(&mut floors_wanted);
    floors_wanted
}

/// Least and greatest floor area of a home, m², with a margin for what the search makes of it.
const AREA_M2: [f64; 2] = [44.0, 380.0];

/// Scales a home that would be too small or too large.
fn bound(floors: &mut [Vec<Wanted>]) {
    let total: f64 = floors.iter().flatten().map(|w| w.area).sum();
    let scale = total.clamp(AREA_M2[0], AREA_M2[1]) / total;
    for wanted in floors.iter_mut().flatten().filter(|w| w.kind != Kind::Stairs) {
        wanted.area *= scale;
    }
}

fn draw_area(kind: Kind, stream: &mut Stream) -> f64 {
    let [low, mode, high] = kind.needs().area;
    let u = stream.uniform();
    let split = (mode - low) / (high - low);
    if u < split {
        low + libm::sqrt(u * (high - low) * (mode - low))
    } else {
        high - libm::sqrt((1.0 - u) * (high - low) * (high - mode))
    }
}

/// Halls take a ninth of the rest, shared.
fn size_halls(wanted: &mut [Wanted]) {
    let rest: f64 = wanted.iter().filter(|w| w.kind != Kind::Hall).map(|w| w.area).sum();
    let halls = wanted.iter().filter(|w| w.kind == Kind::Hall).count();
    for hall in wanted.iter_mut().filter(|w| w.kind == Kind::Hall) {
        hall.area = (0.105 * rest / halls as f64).max(5.0);
    }
}

/// Several floors: living below, sleeping above; each floor has its stairs.
fn storeys(rooms: usize, floors: usize) -> Vec<Vec<Kind>> {
    use Kind::{
        Bathroom, Bedroom, Closet, Dining, Entry, Family, Gym, Hall, Kitchen, Laundry, Library, Living,
        Office, Stairs, Storage,
    };
    let mut lists: Vec<Vec<Kind>> = Vec::new();
    lists.push(vec![Living, Kitchen, Stairs]);
    for _ in 1..floors {
        lists.push(vec![Bedroom, Bathroom, Stairs, Hall]);
    }
    let below =
        [Dining, Hall, Bathroom, Entry, Office, Laundry, Bedroom, Closet, Family, Storage, Library];
    let above =
        [Bedroom, Closet, Bedroom, Bathroom, Closet, Office, Bedroom, Family, Gym, Bathroom, Closet];
    let mut left = rooms.saturating_sub(lists.iter().map(Vec::len).sum());
    let mut next = vec![0_usize; floors];
    // From 12 rooms on the first upper floor gets three bedrooms, two baths and two closets first.
    if let Some(list) = lists.get_mut(1)
        && rooms >= 12
    {
        let quota = left.min(9_usize.saturating_sub(list.len()));
        list.extend(above.iter().take(quota));
        next[1] = quota;
        left -= quota;
    }
    while left > 0 {
        let mut taken = false;
        for floor in (0..floors).rev() {
            let source: &[Kind] = if floor == 0 { &below } else { &above };
            let Some(list) = lists.get_mut(floor) else { continue };
            if left == 0 {
                break;
            }
            let Some(slot) = next.get_mut(floor) else { continue };
            let Some(&kind) = source.get(*slot) else { continue };
            *slot += 1;
            list.push(kind);
            left -= 1;
            taken = true;
        }
        if !taken {
            break;
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(list: &[Wanted], kind: Kind) -> usize {
        list.iter().filter(|w| w.kind == kind).count()
    }

    #[test]
    fn from_twelve_rooms_on_one_floor_has_three_bedrooms_two_baths_and_two_closets() {
        let mut stream = Stream::new(0, "", "programme");
        for (rooms, floors) in [(12, 1), (17, 1), (30, 1), (12, 2), (20, 2), (30, 3)] {
            let lists = programme(rooms, floors, &mut stream);
            assert_eq!(lists.iter().map(Vec::len).sum::<usize>(), rooms, "{rooms} on {floors}");
            assert!(lists.iter().any(|list| count(list, Kind::Bedroom) >= 3
                && count(list, Kind::Bathroom) >= 2
                && count(list, Kind::Closet) >= 2));
        }
    }

    #[test]
    fn areas_stay_in_their_triangle() {
        let mut stream = Stream::new(1, "", "areas");
        for _ in 0..200 {
            let area = draw_area(Kind::Kitchen, &mut stream);
            assert!((9.0..=18.0).contains(&area));
        }
    }
}
