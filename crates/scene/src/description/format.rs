use ambler_geometry::{Affine, Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version this build reads and writes.
pub const VERSION: u32 = 1;

/// Ambler's own scene description, `scene.ron`: assets, objects, rooms, floors, receptacles, licence.
/// docs/FORMATS.md, section "Scene description", explains each field with examples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// [`VERSION`].
    pub version: u32,
    /// Name for people; the folder's or file's name without.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Licence and credit.
    #[serde(default)]
    pub licence: LicenceText,
    /// Mesh files and where they stand.
    pub assets: Vec<Asset>,
    /// Things with an identity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// Rooms with outlines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rooms: Vec<RoomText>,
    /// Storeys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floors: Vec<FloorText>,
    /// Surfaces that hold objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receptacles: Vec<ReceptacleText>,
    /// New names for categories: old to new.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub category_map: BTreeMap<String, String>,
    /// Height of the one floor, metres; short for one entry in `floors`, and the default of rooms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor_y: Option<f32>,
}

/// Licence and credit of a scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LicenceText {
    /// SPDX expression or short name.
    pub name: String,
    /// Whom to credit.
    #[serde(default)]
    pub credit: String,
}

/// Up axis of an asset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AssetUp {
    /// +Y.
    #[default]
    Y,
    /// +Z; (x, y, z) becomes (x, z, −y) before anything else.
    Z,
}

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rotation {
    /// Degrees about +Y, counter-clockwise from above.
    Yaw(f32),
    /// Degrees about x, then about y, then about z (fixed axes).
    Degrees([f32; 3]),
    /// A quaternion x, y, z, w; its length does not matter.
    Quaternion([f32; 4]),
}

impl Default for Rotation {
    fn default() -> Self {
        Self::Yaw(0.0)
    }
}

impl Rotation {
    fn is_none(&self) -> bool {
        *self == Self::Yaw(0.0)
    }

    /// As a unit quaternion; `None` where it is not finite or has no direction.
    pub fn quat(self) -> Option<Quat> {
        let rotation = match self {
            Self::Yaw(degrees) => Quat::from_rotation_y(degrees.to_radians()),
            Self::Degrees([x, y, z]) => {
                Quat::from_rotation_z(z.to_radians())
                    * Quat::from_rotation_y(y.to_radians())
                    * Quat::from_rotation_x(x.to_radians())
            }
            Self::Quaternion(xyzw) => Quat::from_array(xyzw),
        };
        let length = rotation.length();
        (length.is_finite() && length > 1e-6).then(|| rotation * (1.0 / length))
    }
}

/// A scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Scale {
    /// The same along all axes.
    Uniform(f32),
    /// Along x, y and z.
    Axes([f32; 3]),
}

impl Default for Scale {
    fn default() -> Self {
        Self::Uniform(1.0)
    }
}

impl Scale {
    fn is_none(&self) -> bool {
        *self == Self::Uniform(1.0)
    }

    fn vector(self) -> Vec3 {
        match self {
            Self::Uniform(scale) => Vec3::splat(scale),
            Self::Axes(scale) => Vec3::from_array(scale),
        }
    }
}

/// Where an asset's labels come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Labels {
    /// What the file itself carries.
    #[default]
    Own,
    /// None; what the file carries is dropped.
    Drop,
    /// A capture's list of objects (`X_objects.json`) in the scene's folder.
    Capture(String),
}

/// A mesh file and where it stands: turned y up, scaled, rotated, moved, in this order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asset {
    /// Relative to the description, inside its folder.
    pub path: String,
    /// Up axis of the file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub up: AssetUp,
    /// Metres.
    #[serde(default, skip_serializing_if = "is_default")]
    pub translation: [f32; 3],
    /// No rotation by default.
    #[serde(default, skip_serializing_if = "Rotation::is_none")]
    pub rotation: Rotation,
    /// 1 by default.
    #[serde(default, skip_serializing_if = "Scale::is_none")]
    pub scale: Scale,
    /// The file's own by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub labels: Labels,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Asset {
    /// World from asset; `None` where a number is not finite.
    pub fn world_from_asset(&self) -> Option<Affine> {
        let placed = Affine::from_scale_rotation_translation(
            self.scale.vector(),
            self.rotation.quat()?,
            Vec3::from_array(self.translation),
        );
        let placed = match self.up {
            AssetUp::Y => placed,
            AssetUp::Z => placed.compose(&Affine::Y_UP_FROM_Z_UP),
        };
        placed.is_finite().then_some(placed)
    }
}

/// A thing with an identity: which triangles it is, and what it is called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Value in instance images, from 1; the next free one without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// Unique name; `category_id` without.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Category; brought to lower snake case.
    pub category: String,
    /// What belongs to it.
    pub parts: Vec<Part>,
    /// Triangles whose middle lies lower than this (metres) do not belong to it: keeps the floor out
    /// of boxes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f32>,
    /// Boxes also take triangles that have an identity already.
    #[serde(default, skip_serializing_if = "is_default")]
    pub replace: bool,
}

/// A part of an object. Boxes take the triangles whose middle they hold; where boxes overlap, the
/// smallest wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Part {
    /// An axis-aligned box in the world, metres.
    Box {
        /// Smallest corner.
        min: [f32; 3],
        /// Largest corner.
        max: [f32; 3],
    },
    /// A turned box in the world, metres.
    Oriented {
        /// Middle.
        center: [f32; 3],
        /// Full edge lengths along its own axes.
        size: [f32; 3],
        /// World from box.
        rotation: Rotation,
    },
    /// All meshes of nodes (glTF) or objects and groups (OBJ) with this name; a `*` at the end stands
    /// for anything.
    Node(String),
    /// All triangles with this material.
    Material(String),
    /// What an asset (index into `assets`) calls by this id.
    Source {
        /// Index into `assets`.
        asset: u32,
        /// The id in the file.
        id: i64,
    },
    /// A whole asset (index into `assets`).
    Asset(u32),
}

/// A room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoomText {
    /// Unique name.
    pub name: String,
    /// Category such as `kitchen`.
    #[serde(default)]
    pub category: String,
    /// Outline as (x, z) pairs in metres, at least three.
    pub polygon: Vec<[f32; 2]>,
    /// Height of its floor in metres; the description's `floor_y`, or 0, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor_y: Option<f32>,
    /// Height of the room in metres, 2.5 without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f32>,
}

/// A storey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorText {
    /// Name such as `ground floor`.
    pub name: String,
    /// Height of its surface in metres.
    pub y: f32,
}

/// A surface that holds objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceptacleText {
    /// Unique name.
    pub name: String,
    /// Name of the object it belongs to; may be empty.
    #[serde(default)]
    pub object: String,
    /// Outline as (x, z) pairs in metres, at least three.
    pub polygon: Vec<[f32; 2]>,
    /// Height of the surface in metres.
    pub y: f32,
}

impl Part {
    /// Middle, half edges and world-from-box rotation of a box; `None` for the other kinds.
    pub(super) fn as_box(&self) -> Option<(Vec3, Vec3, Option<Mat3>)> {
        match *self {
            Self::Box { min, max } => {
                let (min, max) = (Vec3::from_array(min), Vec3::from_array(max));
                Some(((min + max) * 0.5, (max - min) * 0.5, Some(Mat3::IDENTITY)))
            }
            Self::Oriented { center, size, rotation } => {
                let turn = rotation.quat().map(Mat3::from_quat);
                Some((Vec3::from_array(center), Vec3::from_array(size) * 0.5, turn))
            }
            _ => None,
        }
    }
}
