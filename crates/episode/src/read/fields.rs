//! What the objects of an episode file look like to serde: each reads the keys it knows and keeps
//! the text of the others.

use crate::extras::Extras;
use crate::types::{ObjectGoal, ObjectId, ViewPoint};
use ambler_geometry::Vec3;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::marker::PhantomData;

/// An object of which some keys are known.
pub(super) trait Fields: Default {
    /// For messages: "an episode".
    const WHAT: &'static str;
    /// Takes the value of `key` and returns true, or leaves the map alone and returns false.
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error>;
    /// Where unknown keys go.
    fn extras(&mut self) -> &mut Extras;
    /// Called at the end of the object: may refuse it.
    fn done(&mut self) -> Result<(), String> {
        Ok(())
    }
}

pub(super) struct FieldsVisitor<T>(pub(super) PhantomData<T>);

impl<'de, T: Fields> Visitor<'de> for FieldsVisitor<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut object = T::default();
        while let Some(key) = map.next_key::<String>()? {
            if !object.take(&key, &mut map)? {
                let raw: Box<RawValue> = map.next_value()?;
                object.extras().push_raw(key, raw);
            }
        }
        object.extras().shrink();
        object.done().map_err(de::Error::custom)?;
        Ok(object)
    }
}

/// Reads an object of known fields where plain `Deserialize` would not do for a foreign type.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Fields> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor(PhantomData)).map(Object)
    }
}

/// Exactly `N` finite numbers.
pub(super) struct Numbers<const N: usize>(pub(super) [f64; N]);

impl<'de, const N: usize> Deserialize<'de> for Numbers<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumbersVisitor<const N: usize>;
        impl<'de, const N: usize> Visitor<'de> for NumbersVisitor<N> {
            type Value = Numbers<N>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an array of {N} numbers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Numbers<N>, A::Error> {
                let mut values = [0.0f64; N];
                for (index, slot) in values.iter_mut().enumerate() {
                    *slot =
                        seq.next_element()?.ok_or_else(|| de::Error::invalid_length(index, &self))?;
                    if !slot.is_finite() {
                        return Err(de::Error::custom("a number that is not finite"));
                    }
                }
                if seq.next_element::<de::IgnoredAny>()?.is_some() {
                    return Err(de::Error::invalid_length(N + 1, &self));
                }
                Ok(Numbers(values))
            }
        }
        deserializer.deserialize_seq(NumbersVisitor)
    }
}

/// A position in metres, finite as f32.
pub(super) struct Position(pub(super) Vec3);

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Numbers(xyz) = Numbers::<3>::deserialize(deserializer)?;
        let point = Vec3::from_array(xyz.map(|value| value as f32));
        if !point.is_finite() {
            return Err(de::Error::custom("a coordinate beyond 3.4e38 metres"));
        }
        Ok(Self(point))
    }
}

/// Text, or a number read as text with a mark that it was one.
#[derive(Clone, Debug, Default)]
pub(super) struct Id {
    pub(super) text: String,
    pub(super) number: Option<i64>,
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;
        impl Visitor<'_> for IdVisitor {
            type Value = Id;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or a whole number")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
                Ok(Id { text: text.to_owned(), number: None })
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Id, E> {
                Ok(Id { text: number.to_string(), number: Some(number) })
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Id, E> {
                let number = i64::try_from(number).map_err(|_| E::custom("an id beyond 2^63"))?;
                self.visit_i64(number)
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Id, E> {
                // pandas writes integer columns with gaps as 516.0.
                if number.fract() == 0.0 && number.abs() < 9.0e15 {
                    return self.visit_i64(number as i64);
                }
                Err(E::custom("an id that is a fraction"))
            }
        }
        deserializer.deserialize_any(IdVisitor)
    }
}

impl From<Id> for ObjectId {
    fn from(id: Id) -> Self {
        match id.number {
            Some(number) => Self::Number(number),
            None => Self::Text(id.text),
        }
    }
}

/// A list whose elements are [`Object`]s.
pub(super) fn objects<'de, T: Fields, A: MapAccess<'de>>(map: &mut A) -> Result<Vec<T>, A::Error> {
    map.next_value_seed(ObjectList(PhantomData))
}

pub(super) struct ObjectList<T>(pub(super) PhantomData<T>);

impl<'de, T: Fields> DeserializeSeed<'de> for ObjectList<T> {
    type Value = Vec<T>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Fields> Visitor<'de> for ObjectList<T> {
    type Value = Vec<T>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list, each element {}", T::WHAT)
    }
    fn visit_unit<E: de::Error>(self) -> Result<Vec<T>, E> {
        Ok(Vec::new())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        // No reservation by a size hint: it would be the input's word.
        let mut list = Vec::new();
        while let Some(Object(item)) = seq.next_element::<Object<T>>()? {
            list.push(item);
        }
        list.shrink_to_fit();
        Ok(list)
    }
}

#[derive(Default)]
pub(super) struct AgentState {
    position: Option<Vec3>,
    rotation: Option<[f64; 4]>,
    extra: Extras,
}

impl Fields for AgentState {
    const WHAT: &'static str = "an agent state";
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "position" => self.position = Some(map.next_value::<Position>()?.0),
            "rotation" => self.rotation = map.next_value::<Option<Numbers<4>>>()?.map(|q| q.0),
            _ => return Ok(false),
        }
        Ok(true)
    }
    fn extras(&mut self) -> &mut Extras {
        &mut self.extra
    }
    fn done(&mut self) -> Result<(), String> {
        if self.position.is_none() { Err("missing field `position`".into()) } else { Ok(()) }
    }
}

#[derive(Default)]
pub(super) struct RawView {
    view: ViewPoint,
    has_state: bool,
}

impl Fields for RawView {
    const WHAT: &'static str = "a view point";
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "agent_state" => {
                let Object(state) = map.next_value::<Object<AgentState>>()?;
                self.view.position = state.position.unwrap_or_default();
                self.view.rotation = state.rotation;
                self.view.state_extra = state.extra;
                self.has_state = true;
            }
            "iou" => self.view.iou = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
    fn extras(&mut self) -> &mut Extras {
        &mut self.view.extra
    }
    fn done(&mut self) -> Result<(), String> {
        if self.has_state { Ok(()) } else { Err("missing field `agent_state`".into()) }
    }
}

/// A goal as it stands in a file: of a point, or of an object.
#[derive(Default)]
pub(super) struct RawGoal {
    pub(super) goal: ObjectGoal,
    has_position: bool,
    /// Whether a key that only object goals have was there.
    pub(super) is_object: bool,
}

impl Fields for RawGoal {
    const WHAT: &'static str = "a goal";
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        let goal = &mut self.goal;
        match key {
            "position" => {
                goal.position = map.next_value::<Position>()?.0;
                self.has_position = true;
                return Ok(true);
            }
            "radius" => {
                goal.radius = map.next_value()?;
                return Ok(true);
            }
            "object_id" => goal.object_id = map.next_value::<Option<Id>>()?.map(Into::into),
            "object_name" => goal.object_name = map.next_value::<Option<String>>()?.unwrap_or_default(),
            "object_category" => {
                goal.object_category = map.next_value::<Option<String>>()?.unwrap_or_default();
            }
            "view_points" => {
                let views = objects::<RawView, A>(map)?;
                goal.view_points = views.into_iter().map(|raw| raw.view).collect();
            }
            _ => return Ok(false),
        }
        self.is_object = true;
        Ok(true)
    }
    fn extras(&mut self) -> &mut Extras {
        &mut self.goal.extra
    }
    fn done(&mut self) -> Result<(), String> {
        if self.has_position {
            Ok(())
        } else {
            Err("a goal without a position (missing field `position`)".into())
        }
    }
}

/// An episode as it stands in a file.
#[derive(Default)]
pub(super) struct RawEpisode {
    pub(super) episode_id: Option<Id>,
    pub(super) scene_id: Option<String>,
    pub(super) start_position: Option<Vec3>,
    pub(super) start_rotation: Option<[f64; 4]>,
    pub(super) goals: Vec<RawGoal>,
    pub(super) object_category: Option<String>,
    pub(super) children: Vec<String>,
    pub(super) goal_object_id: Option<Id>,
    pub(super) goal_image_id: Option<u64>,
    pub(super) info: Extras,
    pub(super) extra: Extras,
}

impl Fields for RawEpisode {
    const WHAT: &'static str = "an episode";
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "episode_id" => self.episode_id = Some(map.next_value()?),
            "scene_id" => self.scene_id = Some(map.next_value()?),
            "start_position" => self.start_position = Some(map.next_value::<Position>()?.0),
            "start_rotation" => self.start_rotation = Some(map.next_value::<Numbers<4>>()?.0),
            "goals" => self.goals = objects(map)?,
            "object_category" => self.object_category = map.next_value()?,
            "children_object_categories" => {
                self.children = map.next_value::<Option<Vec<String>>>()?.unwrap_or_default();
            }
            "goal_object_id" => self.goal_object_id = map.next_value()?,
            "goal_image_id" => self.goal_image_id = map.next_value()?,
            "info" => self.info = map.next_value::<Option<Extras>>()?.unwrap_or_default(),
            _ => return Ok(false),
        }
        Ok(true)
    }
    fn extras(&mut self) -> &mut Extras {
        &mut self.extra
    }
    fn done(&mut self) -> Result<(), String> {
        let missing = match self {
            Self { episode_id: None, .. } => "episode_id",
            Self { scene_id: None, .. } => "scene_id",
            Self { start_position: None, .. } => "start_position",
            Self { start_rotation: None, .. } => "start_rotation",
            _ => return Ok(()),
        };
        Err(format!("missing field `{missing}`"))
    }
}
