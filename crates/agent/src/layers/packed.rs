//! Arrays in text formats: base64 of their little-endian values, so that bits survive.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize as _, Deserializer, Serializer, de};

fn encode<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    STANDARD.decode(text).map_err(|error| de::Error::custom(format!("not base64: {error}")))
}

fn floats_of<E: de::Error>(bytes: &[u8]) -> Result<Vec<f32>, E> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(E::custom("the length of the data is not a multiple of 4"));
    }
    Ok(chunks.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect())
}

pub(super) mod bytes {
    use super::*;
    use std::sync::Arc;

    pub(crate) fn serialize<S: Serializer>(values: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        encode(values, serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<[u8]>, D::Error> {
        decode(deserializer).map(Arc::from)
    }
}

pub(super) mod floats {
    use super::*;
    use std::sync::Arc;

    pub(crate) fn serialize<S: Serializer>(values: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        encode(&bytes, serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<[f32]>, D::Error> {
        floats_of(&decode(deserializer)?).map(Arc::from)
    }
}

pub(super) mod points {
    use super::*;
    use ambler_geometry::Vec3;

    pub(crate) fn serialize<S: Serializer>(values: &[Vec3], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|point| point.to_array())
            .flat_map(|value| value.to_le_bytes())
            .collect();
        encode(&bytes, serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Vec3>, D::Error> {
        let values: Vec<f32> = floats_of(&decode(deserializer)?)?;
        let (points, rest) = values.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(de::Error::custom("points have three numbers each"));
        }
        Ok(points.iter().map(|&point| Vec3::from_array(point)).collect())
    }
}
