use crate::SceneError;
use crate::files::shorten;
use ambler_geometry::Place;
use std::path::Path;

/// A header longer than this is not one.
const MAX_HEADER_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    /// Type of the count, for a list.
    pub(super) count: Option<Scalar>,
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
    /// Header line, for messages.
    pub(super) line: u64,
}

impl Element {
    /// The fewest bytes one record can take.
    fn min_bytes(&self, encoding: Encoding) -> u64 {
        let per_property = |property: &Property| match encoding {
            Encoding::Ascii => 2,
            _ => property.count.unwrap_or(property.scalar).size() as u64,
        };
        self.properties.iter().map(per_property).sum()
    }

    pub(super) fn find(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.properties.iter().position(|property| property.name == *name))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    pub(super) comments: Vec<String>,
    /// Offset of the first byte after the header.
    pub(super) end: usize,
    /// Lines of the header.
    pub(super) lines: u64,
}

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Header, SceneError> {
    let fault = |line: u64, what: String| {
        SceneError::malformed(path, Place::Line(line), what, "export the PLY file again")
    };
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut comments = Vec::new();
    let mut at = 0_usize;
    let mut line_number = 0_u64;
    loop {
        line_number += 1;
        let rest = bytes.get(at..).unwrap_or(&[]);
        let window = rest.get(..MAX_HEADER_BYTES.saturating_sub(at).min(rest.len())).unwrap_or(&[]);
        let Some(length) = window.iter().position(|&byte| byte == b'\n' || byte == b'\r') else {
            return Err(fault(line_number, "the header does not end (no 'end_header')".into()));
        };
        let raw = window.get(..length).unwrap_or(&[]);
        at += length + 1;
        if window.get(length) == Some(&b'\r') && bytes.get(at) == Some(&b'\n') {
            at += 1;
        }
        let line = String::from_utf8_lossy(raw);
        let line = line.trim();
        if line_number == 1 {
            if line != "ply" {
                return Err(fault(1, "the file does not begin with 'ply'".into()));
            }
            continue;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["comment" | "obj_info", ..] => {
                let text = line.split_once(char::is_whitespace).map_or("", |(_, text)| text);
                comments.push(text.trim().to_owned());
            }
            ["format", name, ..] => {
                encoding = Some(match *name {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::LittleEndian,
                    "binary_big_endian" => Encoding::BigEndian,
                    other => {
                        return Err(fault(line_number, format!("unknown format '{}'", shorten(other))));
                    }
                });
            }
            ["element", name, count] => {
                let count = count.parse::<u64>().map_err(|_| {
                    fault(line_number, format!("the count '{}' is not a number", shorten(count)))
                })?;
                elements.push(Element {
                    name: (*name).to_owned(),
                    count,
                    properties: Vec::new(),
                    line: line_number,
                });
            }
            ["property", rest @ ..] => {
                let unknown = |name: &str| {
                    fault(line_number, format!("unknown property type '{}'", shorten(name)))
                };
                let property = match rest {
                    ["list", count, scalar, name] => {
                        let count = Scalar::parse(count).ok_or_else(|| unknown(count))?;
                        if count.is_float() {
                            return Err(fault(
                                line_number,
                                "a list's count is not of an integer type".into(),
                            ));
                        }
                        let scalar = Scalar::parse(scalar).ok_or_else(|| unknown(scalar))?;
                        Property { name: (*name).to_owned(), scalar, count: Some(count) }
                    }
                    [scalar, name] => {
                        let scalar = Scalar::parse(scalar).ok_or_else(|| unknown(scalar))?;
                        Property { name: (*name).to_owned(), scalar, count: None }
                    }
                    _ => {
                        return Err(fault(line_number, format!("unknown property '{}'", shorten(line))));
                    }
                };
                let Some(element) = elements.last_mut() else {
                    return Err(fault(line_number, "a property comes before the first element".into()));
                };
                element.properties.push(property);
            }
            ["end_header", ..] => break,
            _ => return Err(fault(line_number, format!("unknown header line '{}'", shorten(line)))),
        }
    }
    let Some(encoding) = encoding else {
        return Err(fault(line_number, "the header names no format".into()));
    };
    check_counts(&elements, encoding, bytes.len().saturating_sub(at) as u64, path)?;
    Ok(Header { encoding, elements, comments, end: at, lines: line_number })
}

/// No count may promise more records than the file has bytes for; what is allocated later is
/// bounded by this.
fn check_counts(
    elements: &[Element],
    encoding: Encoding,
    body: u64,
    path: &Path,
) -> Result<(), SceneError> {
    // The last line of a text file may lack its line end.
    let mut left = body.saturating_add(u64::from(encoding == Encoding::Ascii));
    for element in elements {
        let needed = element.count.checked_mul(element.min_bytes(encoding));
        match needed {
            Some(needed) if needed <= left => left -= needed,
            _ => {
                return Err(SceneError::malformed(
                    path,
                    Place::Line(element.line),
                    format!(
                        "{} records of '{}' do not fit into the {left} bytes left",
                        element.count,
                        shorten(&element.name)
                    ),
                    "the file is truncated or its header is wrong: export it again",
                ));
            }
        }
    }
    Ok(())
}
