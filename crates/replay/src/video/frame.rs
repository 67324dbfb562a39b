//! The pictures of a film.

use crate::log::{Log, Step};
use crate::paint::{
    Area, Canvas, Color, Face, MapView, Pen, colors, draw_layer, draw_robot, draw_track, text_width,
};
use ambler_agent::layers::{EventKind, Layer};
use ambler_evaluate::Status;
use ambler_geometry::{Aabb, Affine, Heading, Pose, Vec3};
use ambler_sensor::{CameraSpec, Frame, Outputs, Picture, Projection, Renderer, SensorError};

/// Size of a picture in pixels.
pub const WIDTH: u32 = 960;
/// Size of a picture in pixels.
pub const HEIGHT: u32 = 540;
/// The robot's view.
const EYE: Area = Area { x: 0, y: 0, width: 540, height: 540 };
/// The map.
const MAP: Area = Area { x: 540, y: 0, width: 420, height: 300 };
/// The strip at its foot with what the lines mean.
const LEGEND: u32 = 22;
/// The numbers.
const PANEL: Area = Area { x: 540, y: 300, width: 420, height: 240 };
/// The last picture is shown this many times more, with the outcome.
const HOLD: usize = 20;
/// The map shows what is below this height above the body's floor, metres.
const CUT_M: f32 = 1.9;
/// The map shows at least so much, metres.
const LEAST_M: f32 = 4.5;
/// The body is on another storey when its floor is further off than this, metres.
const STOREY_M: f32 = 1.0;

/// What a film needs besides the log.
pub struct Scenery<'a> {
    /// Draws the scene.
    pub renderer: &'a Renderer,
    /// The shortest path from the start to the goal; empty where it is not known.
    pub shortest: Vec<Vec3>,
    /// The points that the distance to the goal is measured to.
    pub goals: Vec<Vec3>,
    /// A stop nearer to one of them than this succeeds, metres.
    pub success_m: f32,
}

/// Draws the pictures of a film, in any order.
pub struct Director<'a> {
    log: &'a Log,
    scenery: Scenery<'a>,
    view: MapView,
    /// Pixels of the map at which a stop succeeds.
    there: Vec<bool>,
    /// The map without what moves, and the height of the floor that it shows.
    ground: Option<(f32, Picture)>,
}

impl<'a> Director<'a> {
    /// A film of a log.
    pub fn new(log: &'a Log, scenery: Scenery<'a>) -> Self {
        let points = log.steps.iter().map(|step| step.pose.position);
        let points = points.chain(scenery.shortest.iter().copied());
        let nearest = log.episode.task.goal_positions().into_iter().filter(|goal| {
            // Of many goals those that matter: near where the body was.
            log.steps.iter().any(|step| step.pose.position.distance(*goal) < 3.0)
        });
        let mut bounds = Aabb::from_points(points.chain(nearest)).inflated(1.2);
        for (low, high) in
            [(&mut bounds.min.x, &mut bounds.max.x), (&mut bounds.min.z, &mut bounds.max.z)]
        {
            let missing = (LEAST_M - (*high - *low)).max(0.0);
            *low -= 0.5 * missing;
            *high += 0.5 * missing;
        }
        // The legend hides nothing of what must be seen.
        let seen = Area { height: MAP.height - LEGEND, ..MAP };
        let mut view = MapView::fitting(seen, &bounds);
        view.middle[1] += 0.5 * LEGEND as f32 / view.scale;
        view.area = MAP;
        let there = there(&view, &scenery);
        Self { log, scenery, view, there, ground: None }
    }

    /// Number of pictures.
    pub fn len(&self) -> usize {
        self.log.steps.len() + HOLD
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.log.steps.is_empty()
    }

    /// A picture: one a step, then the outcome.
    ///
    /// # Errors
    /// A camera that cannot be drawn.
    pub fn picture(&mut self, index: usize) -> Result<Picture, SensorError> {
        let number = index.min(self.log.steps.len().saturating_sub(1));
        let mut picture = Picture::filled(WIDTH, HEIGHT, colors::GROUND);
        let Some(step) = self.log.steps.get(number).cloned() else { return Ok(picture) };
        self.eye(&mut picture, number, &step)?;
        self.map(&mut picture, number, &step)?;
        let mut canvas = Canvas::new(&mut picture);
        self.panel(&mut canvas, number, &step);
        if index + 1 >= self.log.steps.len() {
            self.banner(&mut canvas, &step);
        }
        // Seams between the parts.
        canvas.fill(Area { x: EYE.width - 1, y: 0, width: 2, height: HEIGHT }, colors::CASING, 1.0);
        canvas.fill(
            Area { x: MAP.x, y: MAP.height - 1, width: MAP.width, height: 2 },
            colors::CASING,
            1.0,
        );
        Ok(picture)
    }

    /// What the first camera sees, with boxes around what was detected.
    fn eye(&self, picture: &mut Picture, number: usize, step: &Step) -> Result<(), SensorError> {
        let Some(camera) = self.log.header.cameras.first() else { return Ok(()) };
        let scale = EYE.width as f32 / camera.width.max(camera.height).max(1) as f32;
        let side = |pixels: u32| ((pixels as f32 * scale) as u32).clamp(1, EYE.width);
        let outputs = Outputs { rgb: true, ..Outputs::NONE };
        let (width, height) = (side(camera.width), side(camera.height));
        let spec = CameraSpec { width, height, outputs, ..camera.clone() };
        let mut frame = Frame::default();
        self.scenery.renderer.render(&spec, &step.world_from_camera(&spec), &mut frame)?;
        let seen = Picture::of_rgb(&frame);
        let (left, top) = ((EYE.width - width) / 2, (EYE.height - height) / 2);
        let mut canvas = Canvas::new(picture);
        canvas.copy(&seen, left, top);
        let mut canvas = canvas.within(EYE);
        for value in self.log.layers_at(number as u32) {
            let Layer::Boxes2(found) = &value.layer else { continue };
            for found_box in found.boxes.iter().filter(|_| found.camera == camera.name) {
                let [x0, y0, x1, y1] = found_box.pixels.map(|pixel| pixel as f32 * scale);
                let at = |x: f32, y: f32| [x + left as f32, y + top as f32];
                canvas.outline(at(x0, y0), at(x1, y1), Pen::new(colors::CASING, 5.0));
                canvas.outline(at(x0, y0), at(x1, y1), Pen::new(colors::ORANGE, 2.5));
                let label = match found_box.score {
                    Some(score) => format!("{} {score:.2}", found_box.label),
                    None => found_box.label.clone(),
                };
                if !label.is_empty() {
                    let y = if y0 > 24.0 { y0 - 24.0 } else { y0 };
                    plate(&mut canvas, at(x0, y), &label, 17.0, colors::ORANGE);
                }
            }
        }
        if step.collided {
            let frame = Pen::new(colors::VERMILION, 8.0);
            canvas.outline([4.0, 4.0], [EYE.width as f32 - 5.0, EYE.height as f32 - 4.0], frame);
            plate(&mut canvas, [16.0, 16.0], "collision", 20.0, colors::VERMILION);
        }
        let action = match self.log.steps.get(number + 1).and_then(|next| next.action) {
            Some(action) => words(action.name()),
            None => "end".to_owned(),
        };
        let text = format!("step {number} of {}   {action}", self.log.last_step());
        plate(&mut canvas, [12.0, EYE.height as f32 - 40.0], &text, 18.0, colors::TEXT);
        Ok(())
    }

    /// The floor from above.
    fn map(&mut self, picture: &mut Picture, number: usize, step: &Step) -> Result<(), SensorError> {
        let floor = step.pose.position.y;
        if self.ground.as_ref().is_none_or(|(shown, _)| (shown - floor).abs() > STOREY_M) {
            self.ground = Some((floor, self.ground(floor)?));
        }
        let mut canvas = Canvas::new(picture);
        if let Some((_, ground)) = &self.ground {
            canvas.copy(ground, MAP.x, MAP.y);
        }
        let canvas = &mut canvas;
        let values = self.log.layers_at(number as u32);
        let draw = |canvas: &mut Canvas<'_>, wanted: &dyn Fn(&Layer) -> bool| {
            for value in values.iter().filter(|value| wanted(&value.layer)) {
                if let Some(world_from) = self.log.world_from(&value.frame, value.step) {
                    draw_layer(canvas, &self.view, &world_from, &value.layer);
                }
            }
        };
        draw(canvas, &|layer| matches!(layer, Layer::Grid(_)));
        self.goals(canvas);
        let mut map = canvas.within(MAP);
        let shortest = self.view.pixels(&Affine::IDENTITY, &self.scenery.shortest);
        map.lines(&shortest, Pen { alpha: 0.6, ..Pen::new(colors::CASING, 4.0) });
        map.lines(&shortest, Pen::new(colors::YELLOW, 2.0).dashed(7.0, 5.0));
        draw(canvas, &|layer| !matches!(layer, Layer::Grid(_)));
        let poses: Vec<Pose> = self.log.steps[..=number].iter().map(|step| step.pose).collect();
        draw_track(canvas, &self.view, &poses);
        let mut map = canvas.within(MAP);
        for event in self.log.events.iter().take_while(|event| event.step as usize <= number) {
            if event.event.kind == EventKind::Collision
                && let Some((frame, at)) = &event.event.at
                && let Some(world_from) = self.log.world_from(frame, event.step)
            {
                let [x, y] = self.view.pixel(world_from.point(*at));
                for pen in [Pen::new(colors::CASING, 4.5), Pen::new(colors::VERMILION, 2.5)] {
                    map.line([x - 4.5, y - 4.5], [x + 4.5, y + 4.5], pen);
                    map.line([x - 4.5, y + 4.5], [x + 4.5, y - 4.5], pen);
                }
            }
        }
        draw_robot(canvas, &self.view, &step.pose, self.log.header.body.radius_m);
        self.legend(
            &mut canvas.within(MAP),
            &values.iter().map(|value| &value.layer).collect::<Vec<_>>(),
        );
        Ok(())
    }

    /// The scene from above, cut below the ceiling.
    fn ground(&self, floor: f32) -> Result<Picture, SensorError> {
        let spec = CameraSpec {
            name: "map".to_owned(),
            width: MAP.width,
            height: MAP.height,
            projection: Projection::Orthographic { width_m: MAP.width as f32 / self.view.scale },
            mount: Vec3::new(0.0, CUT_M, 0.0),
            pitch_deg: -90.0,
            far_m: CUT_M + STOREY_M,
            outputs: Outputs { rgb: true, depth: true, ..Outputs::NONE },
            ..CameraSpec::default()
        };
        let [x, z] = self.view.middle;
        let pose = Pose { position: Vec3::new(x, floor, z), heading: Heading::from_yaw(0.0) };
        let mut frame = Frame::default();
        self.scenery.renderer.render(&spec, &spec.world_from_camera(&pose, 0.0), &mut frame)?;
        let mut picture = Picture::of_rgb(&frame);
        for (pixel, &seen) in picture.pixels.iter_mut().zip(&frame.valid) {
            // Dimmed, so that what is drawn on it stands out.
            let dim = |value: u8, ground: u8| ((u32::from(value) * 5 + u32::from(ground) * 2) / 7) as u8;
            let ground = colors::GROUND;
            *pixel = match seen {
                0 => ground,
                _ => [dim(pixel[0], ground[0]), dim(pixel[1], ground[1]), dim(pixel[2], ground[2])],
            };
        }
        Ok(picture)
    }

    /// Where a stop succeeds, to scale, and what is looked for.
    fn goals(&self, canvas: &mut Canvas<'_>) {
        let mut map = canvas.within(MAP);
        for (index, _) in self.there.iter().enumerate().filter(|(_, there)| **there) {
            let (x, y) = (index as u32 % MAP.width, index as u32 / MAP.width);
            map.mix(i64::from(MAP.x + x), i64::from(MAP.y + y), colors::GREEN, 0.55);
        }
        for goal in self.view.pixels(&Affine::IDENTITY, &self.log.episode.task.goal_positions()) {
            map.disc(goal, 6.0, colors::CASING, 1.0);
            map.disc(goal, 4.8, colors::GREEN, 1.0);
            map.disc(goal, 1.8, [255; 3], 1.0);
        }
    }

    /// What the lines mean, of those that are there, and how long a metre is.
    fn legend(&self, map: &mut Canvas<'_>, layers: &[&Layer]) {
        use ambler_agent::layers::PathRole;
        let has = |role: PathRole| {
            layers.iter().any(|layer| {
                matches!(layer, Layer::Paths(paths)
                if paths.role == role && paths.lines.iter().any(|line| line.positions.len() > 1))
            })
        };
        let mut entries: Vec<(&str, Pen)> = vec![("walked", Pen::new(crate::paint::viridis(0.8), 3.0))];
        if self.scenery.shortest.len() > 1 {
            entries.push(("shortest", Pen::new(colors::YELLOW, 2.0).dashed(5.0, 4.0)));
        }
        if has(PathRole::Plan) {
            entries.push(("plan", Pen::new(colors::PURPLE, 2.5).dashed(2.0, 4.0)));
        }
        if has(PathRole::Frontier) {
            entries.push(("frontier", Pen::new(colors::SKY, 4.0)));
        }
        let bottom = (MAP.y + MAP.height) as f32;
        map.fill(Area { y: MAP.y + MAP.height - LEGEND, ..MAP }, colors::CASING, 0.7);
        let mut x = MAP.x as f32 + 8.0;
        for (name, pen) in entries {
            map.line([x, bottom - 11.0], [x + 18.0, bottom - 11.0], pen);
            x = map.text([x + 23.0, bottom - 7.0], Face::Plain, 14.0, colors::TEXT, name) + 12.0;
        }
        let metre = self.view.scale;
        let right = (MAP.x + MAP.width) as f32 - 10.0;
        let pen = Pen::new(colors::TEXT, 2.0);
        map.lines(
            &[
                [right - metre, bottom - 14.0],
                [right - metre, bottom - 9.0],
                [right, bottom - 9.0],
                [right, bottom - 14.0],
            ],
            pen,
        );
        let width = text_width(Face::Plain, 14.0, "1 m");
        map.text([right - metre - width - 5.0, bottom - 7.0], Face::Plain, 14.0, colors::TEXT, "1 m");
    }

    /// The goal, the numbers, what the agent is doing.
    fn panel(&self, canvas: &mut Canvas<'_>, number: usize, step: &Step) {
        let header = &self.log.header;
        let (left, width) = (PANEL.x as f32 + 16.0, PANEL.width as f32 - 32.0);
        let goal = match header.category.as_str() {
            "" => "Go to the point".to_owned(),
            category => format!("Find: {}", words(category)),
        };
        let top = PANEL.y as f32;
        canvas.text_in([left, top + 30.0], width, Face::Plain, 24.0, colors::TEXT, &goal);
        let agent = format!("{}, episode {} in {}", header.agent, header.episode_id, header.scene);
        canvas.text_in([left, top + 52.0], width, Face::Plain, 15.0, colors::FAINT, &agent);
        let best = step.distance_to_goal.map(|distance| {
            let length = step.shortest_path_m.max(step.path_length_m + distance);
            let ahead = if length > 0.0 { step.shortest_path_m / length } else { 1.0 };
            ahead.max(step.spl_if_stopped)
        });
        let metres = |value: f64| format!("{value:.2} m");
        let distance = step.distance_to_goal.map_or_else(|| "no way".to_owned(), metres);
        let numbers = [
            ("to goal", distance),
            ("SPL if stopped", format!("{:.3}", step.spl_if_stopped)),
            ("walked", metres(step.path_length_m)),
            ("SPL at best", best.map_or_else(|| "–".to_owned(), |best| format!("{best:.3}"))),
            ("shortest", metres(step.shortest_path_m)),
            ("collisions", step.collisions.to_string()),
        ];
        for (index, (name, value)) in numbers.iter().enumerate() {
            let x = left + 204.0 * (index % 2) as f32;
            let y = top + 84.0 + 26.0 * (index / 2) as f32;
            canvas.text([x, y], Face::Plain, 16.0, colors::FAINT, name);
            let end = x + if index % 2 == 0 { 180.0 } else { 184.0 };
            let start = end - text_width(Face::Mono, 16.0, value);
            canvas.text([start, y], Face::Mono, 16.0, colors::TEXT, value);
        }
        let state = self.log.layers_at(number as u32).into_iter().find_map(|value| match &value.layer {
            Layer::Text(text) if value.path.ends_with("/state") => Some(text.text.clone()),
            _ => None,
        });
        if let Some(state) = state {
            canvas.text_in([left, top + 172.0], width, Face::Plain, 17.0, colors::TEXT, &state);
        }
        self.timeline(canvas, number, left, top + 204.0, width);
    }

    /// How far the episode is, with its events.
    fn timeline(&self, canvas: &mut Canvas<'_>, number: usize, left: f32, y: f32, width: f32) {
        let last = self.log.last_step().max(1) as f32;
        let at = |step: f32| left + width * step / last;
        canvas.line([left, y], [left + width, y], Pen::new([60, 64, 72], 6.0));
        canvas.line([left, y], [at(number as f32), y], Pen::new(colors::FAINT, 6.0));
        for event in &self.log.events {
            let (color, height): (Color, f32) = match event.event.kind {
                EventKind::Collision => (colors::VERMILION, 9.0),
                EventKind::Detection => (colors::ORANGE, 9.0),
                EventKind::Frontier => (colors::SKY, 6.0),
                EventKind::Stop => (colors::GREEN, 9.0),
                _ => continue,
            };
            let x = at(event.step as f32);
            canvas.line([x, y - height], [x, y + height], Pen::new(color, 2.0));
        }
        canvas.disc([at(number as f32), y], 6.0, [255; 3], 1.0);
        let text = format!("{number}/{}", self.log.last_step());
        let start = left + width - text_width(Face::Mono, 13.0, &text);
        canvas.text([start, y + 26.0], Face::Mono, 13.0, colors::FAINT, &text);
        let latest = self.log.events.iter().rev().find(|event| {
            let age = (number as u32).checked_sub(event.step);
            age.is_some_and(|age| age < 12) && !matches!(event.event.kind, EventKind::Custom(_))
        });
        if let Some(event) = latest {
            let room = width - 70.0;
            canvas.text_in([left, y + 26.0], room, Face::Plain, 14.0, colors::FAINT, &event.event.text);
        }
    }

    /// How the episode ended.
    fn banner(&self, canvas: &mut Canvas<'_>, step: &Step) {
        let there = step.distance_to_goal.map_or_else(
            || "no path leads to the goal".to_owned(),
            |distance| format!("{distance:.2} m from the goal"),
        );
        let needs = format!("needs {:.2} m", self.scenery.success_m);
        let (word, text, color) = match &self.log.record {
            None => ("NOT ENDED", there, colors::ORANGE),
            Some(record) => {
                let success = record.scores.as_ref().is_some_and(|scores| scores.success >= 1.0);
                match (record.status, success) {
                    (Status::Done, true) => (
                        "SUCCESS",
                        format!(
                            "stopped {there}, SPL {:.3}",
                            record.scores.as_ref().map_or(0.0, |scores| scores.spl)
                        ),
                        colors::GREEN,
                    ),
                    (Status::Done, false) if record.stop_called => {
                        ("FAILED", format!("stopped {there}, {needs}"), colors::VERMILION)
                    }
                    (Status::Done, false) => ("FAILED", format!("no stop; {there}"), colors::VERMILION),
                    (status, _) => (
                        if status == Status::Invalid { "INVALID" } else { "FAILED" },
                        record.reason.clone().unwrap_or_default(),
                        colors::VERMILION,
                    ),
                }
            }
        };
        let area = Area { x: 0, y: 226, width: EYE.width, height: 84 };
        canvas.fill(area, color, 0.88);
        let middle = |face: Face, size: f32, text: &str| {
            (0.5 * (EYE.width as f32 - text_width(face, size, text))).max(12.0)
        };
        let white = [255; 3];
        canvas.text([middle(Face::Plain, 36.0, word), 264.0], Face::Plain, 36.0, white, word);
        let room = EYE.width as f32 - 24.0;
        canvas.text_in([middle(Face::Plain, 20.0, &text), 294.0], room, Face::Plain, 20.0, white, &text);
    }
}

/// Text on a dark plate, its upper left corner at a point.
fn plate(canvas: &mut Canvas<'_>, at: [f32; 2], text: &str, size: f32, color: Color) {
    let width = text_width(Face::Plain, size, text) + 16.0;
    let area = Area {
        x: at[0].max(0.0) as u32,
        y: at[1].max(0.0) as u32,
        width: width as u32,
        height: (size * 1.4) as u32 + 2,
    };
    canvas.fill(area, colors::CASING, 0.72);
    canvas.text([at[0] + 8.0, at[1] + size * 1.12], Face::Plain, size, color, text);
}

/// A name in words: `move_forward` is `move forward`.
fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// The pixels of the map that are near enough to a goal: each once, however many places overlap.
fn there(view: &MapView, scenery: &Scenery<'_>) -> Vec<bool> {
    let mut there = vec![false; MAP.width as usize * MAP.height as usize];
    let radius = (scenery.success_m * view.scale).max(2.0);
    for [gx, gy] in view.pixels(&Affine::IDENTITY, &scenery.goals) {
        let (gx, gy) = (gx - MAP.x as f32, gy - MAP.y as f32);
        let range = |at: f32, most: u32| {
            (at - radius).clamp(0.0, most as f32) as u32
                ..(at + radius + 1.0).clamp(0.0, most as f32) as u32
        };
        for y in range(gy, MAP.height) {
            for x in range(gx, MAP.width) {
                let (dx, dy) = (x as f32 + 0.5 - gx, y as f32 + 0.5 - gy);
                if dx * dx + dy * dy < radius * radius {
                    there[(y * MAP.width + x) as usize] = true;
                }
            }
        }
    }
    there
}
