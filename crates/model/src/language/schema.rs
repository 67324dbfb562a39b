//! The part of JSON Schema that questions use.

use serde_json::Value;

/// Checks a value against a schema: `type`, `enum`, `properties`, `required`, `additionalProperties:
/// false`, `items`, `minItems`, `maxItems`, `minimum`, `maximum`, `maxLength`. Other words of a schema
/// say nothing here.
///
/// # Errors
/// The first thing that does not fit, with its JSON pointer.
pub fn check_schema(value: &Value, schema: &Value) -> Result<(), String> {
    check_at(value, schema, &mut String::new(), 0)
}

/// Nesting beyond this is no answer.
const MOST_DEPTH: u32 = 64;

fn check_at(value: &Value, schema: &Value, at: &mut String, depth: u32) -> Result<(), String> {
    let place = |at: &str| if at.is_empty() { "the answer".to_owned() } else { at.to_owned() };
    if depth > MOST_DEPTH {
        return Err(format!("{} is nested too deeply", place(at)));
    }
    if let Some(wanted) = schema["type"].as_str() {
        let fits = match wanted {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            _ => true,
        };
        if !fits {
            return Err(format!("{} must be of type {wanted}", place(at)));
        }
    }
    if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
        let names: Vec<String> = allowed.iter().map(Value::to_string).collect();
        return Err(format!("{} must be one of {}", place(at), names.join(", ")));
    }
    if let Some(number) = value.as_f64() {
        if let Some(least) = schema["minimum"].as_f64().filter(|least| number < *least) {
            return Err(format!("{} must be at least {least}", place(at)));
        }
        if let Some(most) = schema["maximum"].as_f64().filter(|most| number > *most) {
            return Err(format!("{} must be at most {most}", place(at)));
        }
    }
    if let (Some(text), Some(most)) = (value.as_str(), schema["maxLength"].as_u64())
        && text.chars().count() as u64 > most
    {
        return Err(format!("{} must have at most {most} characters", place(at)));
    }
    let length = at.len();
    if let Some(object) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                return Err(format!("{} lacks {name:?}", place(at)));
            }
        }
        for (name, item) in object {
            match schema["properties"].get(name) {
                Some(schema) => {
                    at.push_str(&format!("/{name}"));
                    check_at(item, schema, at, depth + 1)?;
                    at.truncate(length);
                }
                None if schema["additionalProperties"] == Value::Bool(false) => {
                    return Err(format!("{} must not have {name:?}", place(at)));
                }
                None => {}
            }
        }
    }
    if let Some(items) = value.as_array() {
        let count = items.len() as u64;
        if let Some(least) = schema["minItems"].as_u64().filter(|least| count < *least) {
            return Err(format!("{} must have at least {least} items", place(at)));
        }
        if let Some(most) = schema["maxItems"].as_u64().filter(|most| count > *most) {
            return Err(format!("{} must have at most {most} items", place(at)));
        }
        if !schema["items"].is_null() {
            for (index, item) in items.iter().enumerate() {
                at.push_str(&format!("/{index}"));
                check_at(item, &schema["items"], at, depth + 1)?;
                at.truncate(length);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let schema = json!({
            "type": "object", "required": ["regions"], "additionalProperties": false,
            "properties": {"regions": {"type": "array", "maxItems": 2, "items": {
                "type": "object", "required": ["name", "confidence"],
                "properties": {"name": {"enum": ["kitchen", "office"]},
                               "confidence": {"type": "number", "minimum": 0, "maximum": 1}}}}}
        });
        let check = |value: Value| check_schema(&value, &schema);
        assert_eq!(check(json!({"regions": [{"name": "office", "confidence": 1}]})), Ok(()));
        for (value, said) in [
            (json!([]), "the answer must be of type object"),
            (json!({}), "the answer lacks \"regions\""),
            (json!({"regions": [], "x": 1}), "must not have \"x\""),
            (json!({"regions": [1]}), "/regions/0 must be of type object"),
            (json!({"regions": [{"name": "x", "confidence": 1}]}), "/regions/0/name must be one of"),
            (json!({"regions": [{"name": "office", "confidence": 2}]}), "must be at most 1"),
            (json!({"regions": [{"name": "office", "confidence": "1"}]}), "must be of type number"),
            (json!({"regions": [{}, {}, {}]}), "at most 2 items"),
        ] {
            let error = check(value).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
