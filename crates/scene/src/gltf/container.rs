use crate::SceneError;
use crate::files::{Context, shorten};
use ::gltf::json::Root;
use ambler_geometry::Place;
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::path::Path;

/// Base64 with or without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The JSON and the binary chunk of a GLB file; a glTF file is JSON alone.
pub(super) fn split<'a>(
    bytes: &'a [u8],
    path: &Path,
    context: &mut Context,
) -> Result<(&'a [u8], Option<&'a [u8]>), SceneError> {
    if !bytes.starts_with(b"glTF") {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        return Ok((bytes, None));
    }
    let fault = |at: usize, what: String| {
        SceneError::malformed(
            path,
            Place::Byte(at as u64),
            what,
            "the file is truncated or damaged: export it again",
        )
    };
    let word = |at: usize| {
        bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()).map(|b| u32::from_le_bytes(*b))
    };
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        return Err(fault(bytes.len(), "the GLB header is cut off".into()));
    };
    if version != 2 {
        return Err(SceneError::unsupported(
            path,
            Place::Byte(4),
            format!("GLB version {version}"),
            "convert the file to glTF 2.0",
        ));
    }
    let length = length as usize;
    if length > bytes.len() {
        return Err(fault(
            bytes.len(),
            format!("the file ends before the {length} bytes that its header promises"),
        ));
    }
    if length < bytes.len() {
        context.note(format!("{} bytes after the end of the GLB are ignored", bytes.len() - length));
    }
    let bytes = bytes.get(..length).unwrap_or(bytes);
    let mut json = None;
    let mut binary = None;
    let mut at = 12_usize;
    while at < bytes.len() {
        let (Some(size), Some(kind)) = (word(at).filter(|_| at + 8 <= bytes.len()), word(at + 4)) else {
            return Err(fault(at, "a chunk's header is cut off".into()));
        };
        let start = at + 8;
        let Some(chunk) = start.checked_add(size as usize).and_then(|end| bytes.get(start..end)) else {
            return Err(fault(at, format!("a chunk of {size} bytes does not fit into the file")));
        };
        match kind {
            0x4E4F_534A if json.is_none() => json = Some(chunk),
            0x004E_4942 if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at = start + chunk.len();
    }
    let json = json.ok_or_else(|| fault(12, "the file has no JSON chunk".into()))?;
    Ok((json, binary))
}

pub(super) fn parse_json(json: &[u8], path: &Path) -> Result<Root, SceneError> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let place = error.path().to_string();
        let place =
            if place == "." { Place::Line(error.inner().line() as u64) } else { Place::Pointer(place) };
        SceneError::malformed(
            path,
            place,
            format!("the glTF JSON cannot be read ({})", error.inner()),
            "export the file again",
        )
    })
}

/// All buffers of the document; `binary` is the GLB's own.
pub(super) fn buffers(
    root: &Root,
    binary: Option<&[u8]>,
    path: &Path,
    context: &mut Context,
) -> Result<Vec<Vec<u8>>, SceneError> {
    let mut buffers = Vec::new();
    for (index, buffer) in root.buffers.iter().enumerate() {
        let place = Place::Pointer(format!("/buffers/{index}"));
        let bytes = match (&buffer.uri, binary) {
            (Some(uri), _) => load_uri(uri, path, place.clone(), context)?,
            (None, Some(binary)) if index == 0 => binary.to_vec(),
            (None, _) => {
                // Legal where an extension fills it (meshopt's fallback buffer): whoever reads it fails.
                Vec::new()
            }
        };
        let promised = buffer.byte_length.0;
        if (bytes.len() as u64) < promised && !bytes.is_empty() {
            return Err(SceneError::malformed(
                path,
                place,
                format!("the buffer has {} bytes, not the {promised} that it should have", bytes.len()),
                "the file or the buffer beside it is truncated: export it again",
            ));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// Bytes of a data URI or of a file in the scene's folder.
pub(super) fn load_uri(
    uri: &str,
    path: &Path,
    place: Place,
    context: &mut Context,
) -> Result<Vec<u8>, SceneError> {
    if let Some(data) = uri.strip_prefix("data:") {
        let fault =
            |what: String| SceneError::malformed(path, place.clone(), what, "export the file again");
        let Some((kind, content)) = data.split_once(',') else {
            return Err(fault(format!("the data URI '{}' has no content", shorten(uri))));
        };
        if !kind.trim_end().ends_with(";base64") {
            return Ok(percent_decode(content));
        }
        return BASE64
            .decode(content.trim())
            .map_err(|error| fault(format!("the content of a data URI is not base64 ({error})")));
    }
    let decoded = String::from_utf8_lossy(&percent_decode(uri)).into_owned();
    Ok(context.read(path, place, &decoded)?.1)
}

fn percent_decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let pair = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        let decoded = pair
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        if let Some(decoded) = decoded {
            out.push(decoded);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_decode_and_stray_ones_stay() {
        assert_eq!(percent_decode("a%20b%2Ec%"), b"a b.c%");
        assert_eq!(percent_decode("100%zz"), b"100%zz");
    }
}
