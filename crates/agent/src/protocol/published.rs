//! What a program publishes beside its action.

use crate::layers::{
    Box2, Boxes2, Candidate, Cells, Event, EventKind, Frame, Grid, GridKind, Layer, Lifetime, Line,
    PathRole, Paths, Points, Publisher, Ranked, Role, Scalar, Schema, Text,
};
use ambler_geometry::Vec3;
use rmpv::Value;

/// Longest path or title, characters.
const MOST_NAME: usize = 120;

/// Hands what an answer publishes on: its `publish`, a list of maps, and its `events`, a list of texts.
/// What cannot be read is told as an event and costs nothing else.
pub(super) fn hand_on(publish: Option<&Value>, events: Option<&Value>, to: &mut dyn Publisher) {
    for value in publish.and_then(Value::as_array).into_iter().flatten() {
        let path = text(value, "path").unwrap_or_default();
        let path = format!("agent/{}", path.trim_start_matches("agent/"));
        match layer(value) {
            Ok(layer) => {
                to.declare(&path, schema(value, &path, &layer));
                let lifetime = match text(value, "lifetime").as_deref() {
                    Some("step") => Lifetime::ThisStep,
                    Some("episode") => Lifetime::Episode,
                    _ => Lifetime::UntilReplaced,
                };
                let frame = match text(value, "frame").as_deref() {
                    Some("world") => Frame::World,
                    Some("body") => Frame::Body,
                    _ => Frame::Start,
                };
                to.publish(&path, lifetime, frame, layer);
            }
            Err(reason) => {
                to.event(Event::new(EventKind::Warning, format!("{path} cannot be shown: {reason}")));
            }
        }
    }
    for event in events.and_then(Value::as_array).into_iter().flatten() {
        if let Some(told) = event.as_str() {
            let told: String = told.chars().take(500).collect();
            to.event(Event::new(EventKind::Custom("agent".to_owned()), told));
        }
    }
}

fn schema(value: &Value, path: &str, layer: &Layer) -> Schema {
    let usual = match layer {
        Layer::Grid(_) => Role::Map,
        Layer::Paths(_) => Role::Plan,
        Layer::Boxes2(_) => Role::Detection,
        Layer::Text(_) | Layer::Scalar(_) => Role::State,
        _ => Role::Other,
    };
    let role = match text(value, "role").as_deref() {
        Some("map") => Role::Map,
        Some("frontier") => Role::Frontier,
        Some("detection") => Role::Detection,
        Some("goal") => Role::Goal,
        Some("plan") => Role::Plan,
        Some("state") => Role::State,
        _ => usual,
    };
    let title = text(value, "title").unwrap_or_else(|| path.trim_start_matches("agent/").to_owned());
    Schema {
        title,
        unit: text(value, "unit").unwrap_or_default(),
        help: text(value, "help").unwrap_or_else(|| "Published by the agent's program".to_owned()),
        role,
        ..Schema::default()
    }
}

fn layer(value: &Value) -> Result<Layer, String> {
    let kind = text(value, "kind").ok_or("it has no kind")?;
    Ok(match kind.as_str() {
        "text" => Layer::Text(Text::plain(text(value, "text").ok_or("its text is missing")?)),
        "number" => {
            Layer::Scalar(Scalar { value: number(value, "value").ok_or("its value is missing")? })
        }
        "points" => Layer::Points(Points {
            positions: positions(get(value, "points"))?,
            scores: numbers(get(value, "scores")),
            labels: texts(get(value, "labels")),
            radius_m: None,
        }),
        "path" => Layer::Paths(Paths {
            lines: vec![Line { positions: positions(get(value, "points"))?, ..Line::default() }],
            role: PathRole::Plan,
            closed: get(value, "closed").and_then(Value::as_bool).unwrap_or(false),
        }),
        "grid" => grid(value)?,
        "boxes" => boxes(value)?,
        "candidates" => candidates(value)?,
        other => {
            let known = "text, number, points, path, grid, boxes or candidates";
            return Err(format!("its kind is {other:?}, not {known}"));
        }
    })
}

fn grid(value: &Value) -> Result<Layer, String> {
    let whole =
        |key: &str| get(value, key).and_then(Value::as_u64).and_then(|it| u32::try_from(it).ok());
    let cell_m = number(value, "cell_m").filter(|it| *it > 0.0).ok_or("its cell_m is not above 0")?;
    let corner = get(value, "corner").and_then(vector).ok_or("its corner is not [x, y, z]")?;
    let (kind, range) = match text(value, "means").as_deref() {
        None | Some("occupancy") => (GridKind::Occupancy, Some([0.0, 100.0])),
        Some("explored") => (GridKind::Explored, Some([0.0, 1.0])),
        Some("value") => (GridKind::Value, None),
        Some(other) => return Err(format!("it means {other:?}, not occupancy, explored or value")),
    };
    let cells = match get(value, "values") {
        Some(Value::Binary(bytes)) => Cells::U8(bytes.as_slice().into()),
        _ => return Err("its values are not bytes, one a cell, 255 for unknown".to_owned()),
    };
    let (cols, rows) = (whole("cols").ok_or("no cols")?, whole("rows").ok_or("no rows")?);
    Ok(Layer::Grid(Grid { corner, cell_m: cell_m as f32, cols, rows, values: cells, kind, range }))
}

fn boxes(value: &Value) -> Result<Layer, String> {
    let camera = text(value, "camera").ok_or("its camera is missing")?;
    let list = get(value, "boxes").and_then(Value::as_array).ok_or("its boxes are missing")?;
    let one = |found: &Value| -> Option<Box2> {
        let found = found.as_array()?;
        let pixel = |at: usize| u32::try_from(found.get(at)?.as_u64()?).ok();
        Some(Box2 {
            pixels: [pixel(0)?, pixel(1)?, pixel(2)?, pixel(3)?],
            label: found.get(4).and_then(Value::as_str).map(cut).unwrap_or_default(),
            score: found.get(5).and_then(Value::as_f64).map(|score| score as f32),
            wanted: false,
        })
    };
    let boxes: Option<Vec<Box2>> = list.iter().map(one).collect();
    let boxes = boxes.ok_or("a box is not [x0, y0, x1, y1, label, score]")?;
    Ok(Layer::Boxes2(Boxes2 { camera, boxes }))
}

fn candidates(value: &Value) -> Result<Layer, String> {
    let list = get(value, "candidates").and_then(Value::as_array).ok_or("its candidates are missing")?;
    let one = |found: &Value| -> Option<Candidate> {
        let found = found.as_array()?;
        Some(Candidate {
            label: cut(found.first()?.as_str()?),
            score: found.get(1)?.as_f64()?,
            chosen: found.get(2).and_then(Value::as_bool).unwrap_or(false),
            shown_at: None,
        })
    };
    let candidates: Option<Vec<Candidate>> = list.iter().map(one).collect();
    let candidates = candidates.ok_or("a candidate is not [label, score, chosen]")?;
    Ok(Layer::Ranked(Ranked { title: text(value, "title").unwrap_or_default(), candidates }))
}

fn get<'a>(map: &'a Value, key: &str) -> Option<&'a Value> {
    map.as_map()?.iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
}

fn text(map: &Value, key: &str) -> Option<String> {
    let found = get(map, key)?.as_str()?;
    Some(if key == "text" { found.to_owned() } else { cut(found) })
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_NAME).collect()
}

fn number(map: &Value, key: &str) -> Option<f64> {
    get(map, key)?.as_f64().filter(|number| number.is_finite())
}

fn numbers(list: Option<&Value>) -> Vec<f32> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.map(|value| value.as_f64().unwrap_or(f64::NAN) as f32).collect()
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.map(|value| cut(value.as_str().unwrap_or_default())).collect()
}

fn vector(value: &Value) -> Option<Vec3> {
    let [x, y, z] = value.as_array()?.as_slice() else { return None };
    let vector = Vec3::new(x.as_f64()? as f32, y.as_f64()? as f32, z.as_f64()? as f32);
    Some(vector).filter(|vector| vector.is_finite())
}

fn positions(list: Option<&Value>) -> Result<Vec<Vec3>, String> {
    let list = list.and_then(Value::as_array).ok_or("its points are missing")?;
    let all: Option<Vec<Vec3>> = list.iter().map(vector).collect();
    all.ok_or_else(|| "a point is not [x, y, z] with finite numbers".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Board;

    fn map(entries: &[(&str, Value)]) -> Value {
        Value::Map(entries.iter().map(|(key, value)| (Value::from(*key), value.clone())).collect())
    }

    fn point(x: f64) -> Value {
        Value::Array(vec![x.into(), 0.0.into(), (-x).into()])
    }

    #[test]
    fn layers_and_events_reach_the_board_under_the_agents_name() {
        let mut board = Board::default();
        board.next_step();
        let plan = map(&[
            ("path", "plan".into()),
            ("kind", "path".into()),
            ("points", Value::Array(vec![point(0.0), point(1.0)])),
        ]);
        let cells = Value::Binary(vec![0, 100, 255, 0]);
        let grid = map(&[
            ("path", "agent/map".into()),
            ("kind", "grid".into()),
            ("corner", point(2.0)),
            ("cell_m", 0.1.into()),
            ("cols", 2.into()),
            ("rows", 2.into()),
            ("values", cells),
        ]);
        let said = Value::Array(vec!["found a chair".into(), 3.into()]);
        hand_on(Some(&Value::Array(vec![plan, grid])), Some(&said), &mut board);
        let layers = board.take_layers();
        let paths: Vec<&str> = layers.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["agent/plan", "agent/map"]);
        assert!(layers.iter().all(|it| it.frame == Frame::Start));
        assert!(matches!(&layers[0].layer, Layer::Paths(paths) if paths.lines[0].positions.len() == 2));
        assert_eq!(
            board.take_events().iter().map(|it| it.text.as_str()).collect::<Vec<_>>(),
            ["found a chair"]
        );
    }

    #[test]
    fn what_cannot_be_shown_is_told_and_costs_nothing_else() {
        let bad = [
            map(&[("path", "a".into())]),
            map(&[("path", "a".into()), ("kind", "hologram".into())]),
            map(&[("kind", "points".into()), ("points", Value::Array(vec![point(f64::NAN)]))]),
            map(&[("kind", "grid".into()), ("cell_m", (-1.0).into())]),
            map(&[
                ("kind", "boxes".into()),
                ("camera", "c".into()),
                ("boxes", Value::Array(vec![1.into()])),
            ]),
            Value::Nil,
        ];
        for value in bad {
            let mut board = Board::default();
            board.next_step();
            hand_on(Some(&Value::Array(vec![value.clone()])), None, &mut board);
            assert!(board.take_layers().is_empty(), "{value}");
            let events = board.take_events();
            assert!(events.iter().any(|event| event.kind == EventKind::Warning), "{value}");
        }
    }
}
