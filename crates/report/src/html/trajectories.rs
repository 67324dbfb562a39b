//! Where bodies went, over the plans of their scenes.

use super::chart::look;
use super::text::escaped;
use crate::class::Class;
use crate::gather::{Report, Row};
use crate::track::{Plan, Track};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Episodes whose trajectories stand in the page; all others open from the list.
const EXAMPLES: usize = 3;
/// A panel is about this wide on a screen, CSS pixels: sizes of marks follow from it.
const PANEL: f32 = 350.0;

/// What panels refer to: each plan and each set of goals once.
pub(super) fn definitions(report: &Report) -> String {
    let mut out = String::from(r#"<svg class="defs" width="0" height="0" aria-hidden="true"><defs>"#);
    for (place, plan) in report.plans.iter().enumerate() {
        let Plan { width, height, .. } = plan;
        if plan.png.is_empty() {
            let _ = write!(
                out,
                r#"<rect id="plan{place}" class="paper" width="{width}" height="{height}"/>"#
            );
        } else {
            let data = STANDARD.encode(&plan.png);
            let _ = write!(
                out,
                r#"<image id="plan{place}" width="{width}" height="{height}" href="data:image/png;base64,{data}"/>"#
            );
        }
    }
    let mut used: BTreeMap<usize, usize> = BTreeMap::new();
    for track in report.rows.iter().filter_map(|row| row.track.as_ref()) {
        used.entry(track.goals).or_insert(track.plan);
    }
    for (goals, plan) in used {
        let (Some(goals_of), Some(plan)) = (report.goals.get(goals), report.plans.get(plan)) else {
            continue;
        };
        let k = unit(plan);
        let _ = write!(out, r#"<g id="goals{goals}">"#);
        let mut path = String::new();
        for point in goals_of.reach.iter().filter(|point| inside(plan, **point)) {
            let [x, y] = plan.pixel(*point);
            let _ = write!(path, "M{x:.1} {y:.1}h0");
        }
        if !path.is_empty() {
            let _ = write!(out, r#"<path class="reach" stroke-width="{:.1}" d="{path}"/>"#, 5.0 * k);
        }
        for point in goals_of.objects.iter().filter(|point| inside(plan, **point)) {
            let [x, y] = plan.pixel(*point);
            let r = 7.0 * k;
            let _ = write!(
                out,
                r#"<path class="object" stroke-width="{:.1}" d="M{x:.1} {:.1}l{r:.1} {r:.1}l-{r:.1} {r:.1}l-{r:.1} -{r:.1}z"/>"#,
                2.0 * k,
                y - r
            );
        }
        out += "</g>";
    }
    out + "</defs></svg>"
}

/// The trajectory of a row.
pub(super) fn panel(report: &Report, row: &Row, track: &Track) -> String {
    let Some(plan) = report.plans.get(track.plan) else { return String::new() };
    let record = report.record(row);
    let k = unit(plan);
    let label =
        format!("{}, episode {}: {}", report.runs[row.run].label, record.episode_id, row.class.name());
    let mut out = format!(
        r##"<svg class="track" viewBox="0 0 {} {}" role="img" aria-label="{}"><use href="#plan{}"/><use href="#goals{}"/>"##,
        plan.width,
        plan.height,
        escaped(&label),
        track.plan,
        track.goals
    );
    let points: Vec<[f32; 2]> = track
        .points
        .iter()
        .filter(|point| inside(plan, **point))
        .map(|point| plan.pixel(*point))
        .collect();
    let line: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
    if line.len() > 1 {
        let line = line.join("L");
        let _ = write!(out, r#"<path class="casing" stroke-width="{:.1}" d="M{line}"/>"#, 5.5 * k);
        let _ = write!(
            out,
            r#"<path class="way {}" stroke-width="{:.1}" d="M{line}"/>"#,
            look(row.run),
            3.2 * k
        );
    }
    let mut bumps = String::new();
    for point in track.bumps.iter().filter(|point| inside(plan, **point)) {
        let [x, y] = plan.pixel(*point);
        let _ = write!(bumps, "M{x:.1} {y:.1}h0");
    }
    if !bumps.is_empty() {
        let _ = write!(out, r#"<path class="bump" stroke-width="{:.1}" d="{bumps}"/>"#, 4.0 * k);
    }
    if let Some([x, y]) = points.first() {
        let (r, w) = (6.0 * k, 2.0 * k);
        let _ = write!(
            out,
            r#"<circle class="start" cx="{x:.1}" cy="{y:.1}" r="{r:.1}" stroke-width="{w:.1}"><title>start</title></circle>"#
        );
    }
    if let Some([x, y]) = points.last() {
        out += &end(row.class == Class::Success, record.stop_called, *x, *y, k);
    }
    out += &scale_bar(plan, k);
    out + "</svg>"
}

/// Where it ended: a green tick at the goal, a cross elsewhere; in a square where it called stop, in a
/// circle where its steps ended.
fn end(success: bool, stopped: bool, x: f32, y: f32, k: f32) -> String {
    let r = 8.0 * k;
    let (class, words) = match (success, stopped) {
        (true, _) => ("good", "stop at the goal"),
        (false, true) => ("bad", "stop elsewhere"),
        (false, false) => ("bad", "no stop"),
    };
    let shape = if stopped {
        format!(
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{:.1}"/>"#,
            x - r,
            y - r,
            2.0 * r,
            2.0 * r,
            0.3 * r
        )
    } else {
        format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}"/>"#)
    };
    let sign = if success {
        let (a, b, c) = (0.3 * r, 0.35 * r, 0.85 * r);
        format!("M{:.1} {:.1}l{a:.1} {b:.1}l{:.1} -{c:.1}", x - 0.5 * r, y + 0.05 * r, 0.65 * r)
    } else {
        let d = 0.9 * r;
        format!("M{:.1} {:.1}l{d:.1} {d:.1}m0 -{d:.1}l-{d:.1} {d:.1}", x - 0.5 * d, y - 0.5 * d)
    };
    format!(
        r#"<g class="end {class}"><title>{words}</title>{shape}<path class="sign" stroke-width="{:.1}" d="{sign}"/></g>"#,
        2.2 * k
    )
}

fn scale_bar(plan: &Plan, k: f32) -> String {
    let metres = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
    let room = 0.3 * plan.width as f32;
    let metres = metres.into_iter().rfind(|metres| metres * plan.per_m <= room).unwrap_or(1.0);
    let (x, y) = (10.0 * k, plan.height as f32 - 12.0 * k);
    let length = metres * plan.per_m;
    format!(
        r#"<g class="scale"><path stroke-width="{:.1}" d="M{x:.1} {y:.1}h{length:.1}"/><text x="{:.1}" y="{:.1}" font-size="{:.1}" stroke-width="{:.1}">{metres} m</text></g>"#,
        3.0 * k,
        x,
        y - 6.0 * k,
        13.0 * k,
        3.0 * k
    )
}

/// Units of a plan in a pixel of the screen.
fn unit(plan: &Plan) -> f32 {
    plan.width.max(1) as f32 / PANEL
}

fn inside(plan: &Plan, point: [f32; 2]) -> bool {
    let [x, y] = plan.pixel(point);
    (0.0..=plan.width as f32).contains(&x) && (0.0..=plan.height as f32).contains(&y)
}

/// Episodes worth seeing beside each other: drawn in most runs, with outcomes that differ, and not all
/// of one category or scene.
pub(super) fn examples(report: &Report) -> Vec<Vec<usize>> {
    let mut by_episode: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (place, row) in report.rows.iter().enumerate().filter(|(_, row)| row.track.is_some()) {
        let record = report.record(row);
        let group = by_episode.entry((&record.task, &record.identity)).or_default();
        // Of a run that repeats an episode the first time.
        if group.iter().all(|&other| report.rows[other].run != row.run) {
            group.push(place);
        }
    }
    let mut groups: Vec<Vec<usize>> = by_episode.into_values().collect();
    let worth = |group: &[usize]| {
        let success = |place: &&usize| report.rows[**place].class == Class::Success;
        let good = group.iter().filter(success).count();
        let mixed = good > 0 && good < group.len();
        let longest = group
            .iter()
            .filter_map(|&place| report.rows[place].track.as_ref())
            .map(|track| track.points.len())
            .max();
        (group.len(), mixed, good > 0, longest.unwrap_or(0))
    };
    groups.sort_by(|a, b| {
        let order = worth(b).cmp(&worth(a));
        let index =
            |group: &[usize]| group.first().map(|&place| report.record(&report.rows[place]).index);
        order.then_with(|| index(a).cmp(&index(b)))
    });
    let kind = |group: &[usize]| {
        group.first().map(|&place| {
            let record = report.record(&report.rows[place]);
            (record.category.as_str(), record.scene.as_str())
        })
    };
    let mut chosen: Vec<Vec<usize>> = Vec::new();
    let mut rest: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        let new = chosen.iter().all(|other| kind(other) != kind(&group));
        if new && chosen.len() < EXAMPLES { chosen.push(group) } else { rest.push(group) }
    }
    let missing = EXAMPLES.saturating_sub(chosen.len());
    chosen.extend(rest.into_iter().take(missing));
    chosen
}
