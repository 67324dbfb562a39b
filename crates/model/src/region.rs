use ambler_scene::normal_name;
use serde::{Deserialize, Serialize};

/// What a part of a home is for: the vocabulary of region semantics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Region {
    Bathroom,
    Bedroom,
    Kitchen,
    DiningRoom,
    LivingRoom,
    Office,
    Hallway,
    Laundry,
    Closet,
    Gym,
    Garage,
    Entry,
    Storage,
    /// Playrooms, family rooms and whatever has no name here.
    Other,
}

/// Other names that data sets use.
const ALSO: &[(&str, Region)] = &[
    ("bath", Region::Bathroom),
    ("toilet", Region::Bathroom),
    ("restroom", Region::Bathroom),
    ("bed_room", Region::Bedroom),
    ("nursery", Region::Bedroom),
    ("dining", Region::DiningRoom),
    ("living", Region::LivingRoom),
    ("lounge", Region::LivingRoom),
    ("study", Region::Office),
    ("library", Region::Office),
    ("meeting_room", Region::Office),
    ("conference_room", Region::Office),
    ("hall", Region::Hallway),
    ("corridor", Region::Hallway),
    ("staircase", Region::Hallway),
    ("stairs", Region::Hallway),
    ("laundry_room", Region::Laundry),
    ("walk_in_closet", Region::Closet),
    ("workout_room", Region::Gym),
    ("entryway", Region::Entry),
    ("entrance", Region::Entry),
    ("foyer", Region::Entry),
    ("storage_room", Region::Storage),
    ("utility_room", Region::Storage),
    ("pantry", Region::Storage),
    ("family_room", Region::Other),
    ("playroom", Region::Other),
];

impl Region {
    /// All regions, in the order of a table's columns.
    pub const ALL: [Self; 14] = [
        Self::Bathroom,
        Self::Bedroom,
        Self::Kitchen,
        Self::DiningRoom,
        Self::LivingRoom,
        Self::Office,
        Self::Hallway,
        Self::Laundry,
        Self::Closet,
        Self::Gym,
        Self::Garage,
        Self::Entry,
        Self::Storage,
        Self::Other,
    ];

    /// Lower snake case, as in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bathroom => "bathroom",
            Self::Bedroom => "bedroom",
            Self::Kitchen => "kitchen",
            Self::DiningRoom => "dining_room",
            Self::LivingRoom => "living_room",
            Self::Office => "office",
            Self::Hallway => "hallway",
            Self::Laundry => "laundry",
            Self::Closet => "closet",
            Self::Gym => "gym",
            Self::Garage => "garage",
            Self::Entry => "entry",
            Self::Storage => "storage",
            Self::Other => "other",
        }
    }

    /// Its place in [`Region::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }

    /// The region that a name stands for, as rooms of scenes and answers of models spell it;
    /// `None` for names that say nothing.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = normal_name(name);
        let known = Self::ALL.into_iter().find(|region| region.name() == name);
        known.or_else(|| ALSO.iter().find(|(also, _)| *also == name).map(|&(_, region)| region))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_rooms_of_homes_are_known() {
        for (index, region) in Region::ALL.into_iter().enumerate() {
            assert_eq!(Region::from_name(region.name()), Some(region));
            assert_eq!(region.index(), index);
        }
        // The kinds of rooms that docs/HOMES.md lists.
        for (name, region) in [
            ("living room", Region::LivingRoom),
            ("Family Room", Region::Other),
            ("storage_room", Region::Storage),
            ("entryway", Region::Entry),
            ("staircase", Region::Hallway),
            ("laundry_room", Region::Laundry),
            ("library", Region::Office),
        ] {
            assert_eq!(Region::from_name(name), Some(region), "{name}");
        }
        assert_eq!(Region::from_name("pool"), None);
    }
}
