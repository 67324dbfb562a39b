use super::{Boxes2, Event, EventKind, Frame, Layer, Lifetime, Pixels, Publisher, Schema};
use ambler_geometry::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// The most that may be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Cells of a grid.
    pub cells: usize,
    /// Points of a layer: points, corners of lines, poses.
    pub points: usize,
    /// Boxes, lines and candidates of a layer.
    pub boxes: usize,
    /// Bytes of a layer's arrays.
    pub bytes: usize,
    /// Paths in one step.
    pub paths: usize,
    /// Bytes of a text; longer ones are cut.
    pub text: usize,
    /// Events in one step.
    pub events: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cells: 4_000_000,
            points: 1_000_000,
            boxes: 10_000,
            bytes: 16 << 20,
            paths: 64,
            text: 64 << 10,
            events: 256,
        }
    }
}

impl Limits {
    /// Checks the sizes and numbers of a value; cuts long texts.
    ///
    /// # Errors
    /// Why it cannot be kept.
    pub fn check(&self, layer: &mut Layer) -> Result<(), String> {
        let limits = self;
        let most = |what: &str, count: usize, most: usize| {
            if count > most { Err(format!("{count} {what}, more than {most}")) } else { Ok(()) }
        };
        let sides = |width: u32, height: u32, count: usize| {
            let wanted = u64::from(width) * u64::from(height);
            if wanted == count as u64 {
                Ok(())
            } else {
                Err(format!("{count} values for {width} × {height}"))
            }
        };
        let beside = |what: &str, count: usize, of: usize| {
            if count == 0 || count == of {
                Ok(())
            } else {
                Err(format!("{count} {what} for {of} things"))
            }
        };
        let finite = |points: &[Vec3]| {
            if points.iter().all(|point| point.is_finite()) {
                Ok(())
            } else {
                Err("a position that is not finite".to_owned())
            }
        };
        let numbers = |values: &[f32]| {
            if values.iter().all(|value| value.is_finite()) {
                Ok(())
            } else {
                Err("a number that is not finite".to_owned())
            }
        };
        match layer {
            Layer::Grid(grid) => {
                most("cells", grid.values.len(), limits.cells)?;
                sides(grid.cols, grid.rows, grid.values.len())?;
                if !(grid.cell_m > 0.0 && grid.cell_m.is_finite()) {
                    return Err(format!("cells of {} m", grid.cell_m));
                }
                numbers(grid.range.as_ref().map_or(&[], |range| &range[..]))?;
                finite(&[grid.corner])
            }
            Layer::Points(points) => {
                let count = points.positions.len();
                most("points", count, limits.points)?;
                beside("scores", points.scores.len(), count)?;
                beside("labels", points.labels.len(), count)?;
                numbers(&points.scores)?;
                numbers(points.radius_m.as_slice())?;
                finite(&points.positions)
            }
            Layer::Paths(paths) => {
                most("lines", paths.lines.len(), limits.boxes)?;
                let corners = paths.lines.iter().map(|line| line.positions.len()).sum();
                most("points", corners, limits.points)?;
                paths.lines.iter().try_for_each(|line| {
                    numbers(line.score.as_slice())?;
                    finite(&line.positions)
                })
            }
            Layer::Boxes3(boxes) => {
                most("boxes", boxes.len(), limits.boxes)?;
                boxes.iter().try_for_each(|found| {
                    numbers(found.score.as_slice())?;
                    numbers(&found.rotation.to_array())?;
                    finite(&[found.bounds.min, found.bounds.max])
                })
            }
            Layer::Boxes2(Boxes2 { boxes, .. }) => {
                most("boxes", boxes.len(), limits.boxes)?;
                boxes.iter().try_for_each(|found| numbers(found.score.as_slice()))
            }
            Layer::Poses(poses) => {
                let count = poses.poses.len();
                most("poses", count, limits.boxes)?;
                beside("scores", poses.scores.len(), count)?;
                beside("labels", poses.labels.len(), count)?;
                numbers(&poses.scores)?;
                if !poses.poses.iter().all(|pose| pose.heading.start_yaw.is_finite()) {
                    return Err("a heading that is not finite".to_owned());
                }
                poses.poses.iter().try_for_each(|pose| finite(&[pose.position]))
            }
            Layer::Image(image) => match &image.pixels {
                Pixels::Rgb8(bytes) => {
                    most("bytes", bytes.len(), limits.bytes)?;
                    if bytes.len() % 3 != 0 {
                        return Err("colours have three bytes each".to_owned());
                    }
                    sides(image.width, image.height, bytes.len() / 3)
                }
                Pixels::F32(values) => {
                    most("bytes", values.len().saturating_mul(4), limits.bytes)?;
                    sides(image.width, image.height, values.len())
                }
            },
            Layer::Ranked(ranked) => {
                most("candidates", ranked.candidates.len(), limits.boxes)?;
                if ranked.candidates.iter().all(|candidate| candidate.score.is_finite()) {
                    Ok(())
                } else {
                    Err("a score that is not finite".to_owned())
                }
            }
            Layer::Text(text) => {
                cut(&mut text.text, limits.text);
                cut(&mut text.prompt, limits.text);
                Ok(())
            }
            Layer::Scalar(scalar) if scalar.value.is_finite() => Ok(()),
            Layer::Scalar(scalar) => Err(format!("the number {}", scalar.value)),
        }
    }
}

/// One value that was published.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Its name.
    pub path: String,
    /// How long it holds.
    pub lifetime: Lifetime,
    /// What its positions refer to.
    pub frame: Frame,
    /// The value.
    pub layer: Layer,
}

/// Keeps what is published in a step, within [`Limits`]. What is refused is said once a path, as an
/// event. A value equal to the last one of its path is dropped: the last one still holds.
///
/// ```
/// use ambler_agent::layers::{Board, Frame, Layer, Lifetime, Publisher as _, Scalar};
/// let mut board = Board::default();
/// for _ in 0..2 {
///     let layer = Layer::Scalar(Scalar { value: 3.5 });
///     board.publish("agent/doubt", Lifetime::UntilReplaced, Frame::World, layer);
/// }
/// assert_eq!(board.take_layers().len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Board {
    limits: Limits,
    schemas: BTreeMap<String, Schema>,
    new_schemas: Vec<(String, Schema)>,
    layers: Vec<Published>,
    events: Vec<Event>,
    /// Hash of the last value of each path that still holds.
    last: BTreeMap<String, blake3::Hash>,
    warned: BTreeSet<String>,
    paths_now: usize,
    events_now: usize,
}

impl Board {
    /// An empty board with its own limits.
    pub fn with_limits(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Begins the next step.
    pub fn next_step(&mut self) {
        self.paths_now = 0;
        self.events_now = 0;
    }

    /// What was published since the last call.
    pub fn take_layers(&mut self) -> Vec<Published> {
        std::mem::take(&mut self.layers)
    }

    /// What happened since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// What was declared since the last call.
    pub fn take_schemas(&mut self) -> Vec<(String, Schema)> {
        std::mem::take(&mut self.new_schemas)
    }

    fn warn(&mut self, key: &str, text: String) {
        if self.warned.insert(key.to_owned()) {
            self.events.push(Event::new(EventKind::Warning, text));
        }
    }
}

impl Publisher for Board {
    fn wants(&self, _: &str) -> bool {
        true
    }

    fn declare(&mut self, path: &str, schema: Schema) {
        if !self.schemas.contains_key(path) {
            self.schemas.insert(path.to_owned(), schema.clone());
            self.new_schemas.push((path.to_owned(), schema));
        }
    }

    fn publish(&mut self, path: &str, lifetime: Lifetime, frame: Frame, mut layer: Layer) {
        if self.paths_now >= self.limits.paths {
            let most = self.limits.paths;
            return self
                .warn("paths", format!("more than {most} layers in one step: the rest is left out"));
        }
        self.paths_now += 1;
        if let Err(why) = self.limits.check(&mut layer) {
            return self.warn(path, format!("layer {path} is left out: {why}"));
        }
        let mut hasher = blake3::Hasher::new();
        // Plain data always serialises.
        let _ = serde_json::to_writer(&mut hasher, &(lifetime, &frame, &layer));
        let hash = hasher.finalize();
        if lifetime == Lifetime::ThisStep {
            self.last.remove(path);
        } else if self.last.insert(path.to_owned(), hash) == Some(hash) {
            return;
        }
        self.layers.push(Published { path: path.to_owned(), lifetime, frame, layer });
    }

    fn event(&mut self, mut event: Event) {
        if self.events_now >= self.limits.events {
            let most = self.limits.events;
            return self
                .warn("events", format!("more than {most} events in one step: the rest is left out"));
        }
        self.events_now += 1;
        event.at = event.at.filter(|(_, at)| at.is_finite());
        cut(&mut event.text, self.limits.text);
        self.events.push(event);
    }
}

/// Cuts a text that is too long, and marks the cut.
fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        let end = (0..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(" […]");
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cells, Grid, GridKind, Points, Scalar, Text};
    use super::*;

    fn grid(cols: u32, values: &[f32]) -> Layer {
        Layer::Grid(Grid {
            corner: Vec3::new(-1.0, 0.0, 2.5),
            cell_m: 0.05,
            cols,
            rows: 1,
            values: Cells::F32(values.into()),
            kind: GridKind::Value,
            range: None,
        })
    }

    fn publish(board: &mut Board, path: &str, layer: Layer) {
        board.publish(path, Lifetime::UntilReplaced, Frame::Start, layer);
    }

    #[test]
    fn a_value_is_kept_once_until_it_changes() {
        let mut board = Board::default();
        for values in [[1.0, f32::NAN], [1.0, f32::NAN], [2.0, f32::NAN], [1.0, f32::NAN]] {
            publish(&mut board, "a", grid(2, &values));
        }
        assert_eq!(board.take_layers().len(), 3, "NaN is a value like others");
        for _ in 0..2 {
            board.publish("a", Lifetime::ThisStep, Frame::Start, grid(1, &[1.0]));
        }
        assert_eq!(board.take_layers().len(), 2, "what holds for a step alone is said in each");
    }

    #[test]
    fn what_is_too_large_or_not_finite_is_refused_and_said_once() {
        let mut board =
            Board::with_limits(Limits { cells: 4, points: 2, paths: 9, ..Limits::default() });
        for _ in 0..2 {
            publish(&mut board, "large", grid(5, &[0.0; 5]));
            publish(&mut board, "torn", grid(3, &[0.0; 2]));
            publish(&mut board, "nan", Layer::Scalar(Scalar { value: f64::NAN }));
            let positions = vec![Vec3::ZERO; 3];
            publish(&mut board, "many", Layer::Points(Points { positions, ..Points::default() }));
        }
        publish(&mut board, "last", grid(1, &[0.0]));
        publish(&mut board, "beyond", grid(1, &[0.0]));
        let kept: Vec<String> = board.take_layers().into_iter().map(|layer| layer.path).collect();
        assert_eq!(kept, ["last"]);
        let said: Vec<String> = board.take_events().into_iter().map(|event| event.text).collect();
        assert_eq!(said.len(), 5, "{said:?}");
        assert!(said[0].contains("large") && said[0].contains("5 cells, more than 4"), "{said:?}");
        assert!(said[4].contains("more than 9 layers"), "{said:?}");
        board.next_step();
        publish(&mut board, "beyond", grid(1, &[0.0]));
        assert_eq!(board.take_layers().len(), 1);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let mut board = Board::with_limits(Limits { text: 4, ..Limits::default() });
        publish(&mut board, "t", Layer::Text(Text::plain("abcéf")));
        board.event(Event::new(EventKind::Decision, "no"));
        let layers = board.take_layers();
        assert_eq!(layers[0].layer, Layer::Text(Text::plain("abc […]")));
        assert_eq!(board.take_events()[0].text, "no");
    }

    #[test]
    fn layers_come_back_from_text_with_equal_bits() {
        let weird = [f32::NAN, -0.0, f32::MIN_POSITIVE, 1.0 / 3.0, f32::INFINITY];
        let text = serde_json::to_string(&grid(5, &weird)).unwrap();
        let Layer::Grid(back) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        let Cells::F32(values) = &back.values else { panic!("{text}") };
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(values), bits(&weird));
        assert_eq!(
            (back.value(0, 0), back.value(3, 0), back.value(5, 0)),
            (None, Some(1.0 / 3.0), None)
        );
        let points = Layer::Points(Points {
            positions: vec![Vec3::new(0.1, -0.0, 1e-30)],
            labels: vec!["a".into()],
            ..Points::default()
        });
        let text = serde_json::to_string(&points).unwrap();
        assert_eq!(serde_json::from_str::<Layer>(&text).unwrap(), points);
        for bad in [r#"{"points":{"positions":"AAA="}}"#, r#"{"points":{"positions":"?"}}"#] {
            assert!(serde_json::from_str::<Layer>(bad).is_err(), "{bad}");
        }
    }
}
