use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;

/// Fields of a JSON object that Ambler does not interpret, in the order of the file, kept as
/// compact JSON text so that they are written back as they were (and cost no more memory than the
/// file: a training set holds a recorded path for each of its 50,000 episodes).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras(Vec<(Box<str>, Box<str>)>);

/// Up to this many fields a repeated key replaces the earlier one; beyond, looking for it would
/// cost quadratic time on hostile files and the last one found wins on reading.
const DEDUPLICATED: usize = 64;

impl Extras {
    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Key and compact JSON text of each field, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, text)| (&**key, &**text))
    }

    /// The JSON text of a field.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(name, _)| &**name == key).map(|(_, text)| &**text)
    }

    /// The value of a field; `None` without it, or where it nests more than 128 levels deep.
    pub fn get(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.text(key)?).ok()
    }

    /// The value of a field that is a finite number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.as_f64().filter(|value| value.is_finite())
    }

    /// The value of a field that is a string.
    pub fn string(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.text(key)?).ok()
    }

    /// Sets a field, in place where it is already there, else at the end.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.set_text(key.into(), value.into().to_string().into());
    }

    /// Removes a field; whether it was there.
    pub fn remove(&mut self, key: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(name, _)| &**name != key);
        self.0.len() < before
    }

    /// All fields that nest no more than 128 levels deep.
    pub fn to_map(&self) -> Map<String, Value> {
        self.0
            .iter()
            .filter_map(|(key, text)| Some((key.to_string(), serde_json::from_str(text).ok()?)))
            .collect()
    }

    pub(crate) fn push_raw(&mut self, key: String, raw: Box<RawValue>) {
        let text = compact(raw);
        self.set_text(key.into_boxed_str(), text);
    }

    fn set_text(&mut self, key: Box<str>, text: Box<str>) {
        if self.0.len() <= DEDUPLICATED
            && let Some(slot) = self.0.iter_mut().find(|(name, _)| *name == key)
        {
            slot.1 = text;
            return;
        }
        self.0.push((key, text));
    }

    pub(crate) fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }
}

impl FromIterator<(String, Value)> for Extras {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(fields: I) -> Self {
        let mut extras = Self::default();
        for (key, value) in fields {
            extras.set(&key, value);
        }
        extras
    }
}

/// The text without white space between tokens, so that what is written does not depend on how the
/// source was laid out.
fn compact(raw: Box<RawValue>) -> Box<str> {
    let text: Box<str> = raw.into();
    if !text.bytes().any(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut kept_from = 0;
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
        } else if byte == b'"' {
            in_string = true;
        } else if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            out.push_str(&text[kept_from..at]);
            kept_from = at + 1;
        }
    }
    out.push_str(&text[kept_from..]);
    out.into_boxed_str()
}

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ExtrasVisitor;
        impl<'de> Visitor<'de> for ExtrasVisitor {
            type Value = Extras;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Extras, A::Error> {
                let mut extras = Extras::default();
                while let Some(key) = map.next_key::<String>()? {
                    let raw: Box<RawValue> = map.next_value()?;
                    extras.push_raw(key, raw);
                }
                extras.shrink();
                Ok(extras)
            }
        }
        deserializer.deserialize_map(ExtrasVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_goes_and_strings_stay() {
        let extras: Extras =
            serde_json::from_str("{ \"a\" : [ 1 , \"x \\\" y\" , { } ],\n \"b\": 1.50 }").unwrap();
        assert_eq!(extras.text("a"), Some("[1,\"x \\\" y\",{}]"));
        assert_eq!(extras.text("b"), Some("1.50"));
        assert_eq!(extras.number("b"), Some(1.5));
        assert_eq!(extras.number("a"), None);
    }

    #[test]
    fn a_repeated_key_counts_once_with_its_last_value() {
        let extras: Extras = serde_json::from_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(extras.len(), 2);
        assert_eq!(extras.number("a"), Some(3.0));
    }

    #[test]
    fn hundred_thousand_levels_are_kept_as_text_without_recursion() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let extras: Extras = serde_json::from_str(&deep).unwrap();
        assert_eq!(extras.text("a").map(str::len), Some(200_000));
        assert_eq!(extras.get("a"), None);
    }
}
