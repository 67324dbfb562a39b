//! Figures as SVG. Colours come from the page's style sheet, so that they follow its scheme.

use super::text::{cut, escaped};
use std::fmt::Write as _;

/// A mean with its interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) mean: f64,
    pub(super) interval: Option<[f64; 2]>,
    /// Episodes behind it.
    pub(super) count: u64,
}

/// A row of dots: one mark a run.
pub(super) struct DotRow {
    pub(super) label: String,
    pub(super) marks: Vec<Option<Mark>>,
}

/// Width of every figure in its own units, CSS pixels at full size.
pub(super) const WIDTH: f64 = 620.0;
/// Letters of a label that are shown.
const LABEL: usize = 26;
/// Width of a letter.
const LETTER: f64 = 6.8;

/// Colours and shapes that runs have before they repeat.
pub(super) const RUN_LOOKS: usize = 7;

/// A range of values on a range of pixels. Values outside are drawn at its end.
#[derive(Clone, Copy)]
struct Scale {
    values: [f64; 2],
    pixels: [f64; 2],
}

impl Scale {
    fn at(self, value: f64) -> f64 {
        let [low, high] = self.values;
        let share = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        // NaN is nowhere; better at the start than in the markup.
        let share = if share.is_nan() { 0.0 } else { share };
        self.pixels[0] + (self.pixels[1] - self.pixels[0]) * share
    }
}

/// Means with intervals, a row a group, over 0 to 1.
pub(super) fn dots(title: &str, axis: &str, rows: &[DotRow], names: &[String]) -> String {
    let letters = rows.iter().map(|row| row.label.chars().count().min(LABEL)).max().unwrap_or(0);
    let left = letters as f64 * LETTER + 18.0;
    let right = 64.0;
    let step = 11.0;
    let row_height = (names.len() as f64 * step + 9.0).max(26.0);
    let (top, bottom) = (8.0, 44.0);
    let height = top + row_height * rows.len() as f64 + bottom;
    let x = Scale { values: [0.0, 1.0], pixels: [left, WIDTH - right] };
    let floor = height - bottom;
    let mut out = open(title, height);
    for tick in 0..=5 {
        let value = f64::from(tick) * 0.2;
        upright(&mut out, x.at(value), [top, floor], &format!("{value:.1}"));
    }
    for (place, row) in rows.iter().enumerate() {
        let base = top + row_height * place as f64;
        if place > 0 {
            let _ = write!(out, r#"<path class="hair" d="M0 {base:.1}H{WIDTH:.1}"/>"#);
        }
        let middle = base + 0.5 * row_height;
        let _ = write!(
            out,
            r#"<text class="label" x="{:.1}" y="{:.1}" text-anchor="end">{}<title>{}</title></text>"#,
            left - 10.0,
            middle + 4.0,
            escaped(&cut(&row.label, LABEL)),
            escaped(&row.label)
        );
        let counts: Vec<u64> = row.marks.iter().flatten().map(|mark| mark.count).collect();
        if let (Some(least), Some(most)) = (counts.iter().min(), counts.iter().max()) {
            let range = if least == most { most.to_string() } else { format!("{least}–{most}") };
            let (x, y) = (WIDTH - right + 12.0, middle + 4.0);
            let _ = write!(out, r#"<text class="tick" x="{x:.1}" y="{y:.1}">n = {range}</text>"#);
        }
        let first = middle - 0.5 * step * (names.len() as f64 - 1.0);
        for (run, mark) in row.marks.iter().enumerate() {
            let Some(mark) = mark else { continue };
            let y = first + step * run as f64;
            let _ = write!(out, r#"<g class="{}">"#, look(run));
            tip(&mut out, &names[run], &row.label, mark);
            if let Some([low, high]) = mark.interval {
                let _ = write!(
                    out,
                    r#"<path class="whisker" d="M{:.1} {y:.1}H{:.1}"/>"#,
                    x.at(low),
                    x.at(high)
                );
            }
            out += &symbol(run, x.at(mark.mean), y, 4.2);
            out += "</g>";
        }
    }
    axis_title_x(&mut out, 0.5 * (x.pixels[0] + x.pixels[1]), height - 6.0, axis);
    out + "</svg>"
}

/// Share of episodes whose value is at least x, a line a run. Values are in 0 to 1.
pub(super) fn shares(title: &str, axis: &str, values: &[Vec<f64>]) -> String {
    let (left, right, top, bottom, height) = (58.0, 18.0, 10.0, 46.0, 330.0);
    let x = Scale { values: [0.0, 1.0], pixels: [left, WIDTH - right] };
    let y = Scale { values: [0.0, 1.0], pixels: [height - bottom, top] };
    let mut out = open(title, height);
    for tick in 0..=5 {
        let value = f64::from(tick) * 0.2;
        upright(&mut out, x.at(value), [top, height - bottom], &format!("{value:.1}"));
        level(&mut out, y.at(value), [left, WIDTH - right], &format!("{value:.1}"));
    }
    for (run, values) in values.iter().enumerate().filter(|(_, values)| !values.is_empty()) {
        let mut sorted: Vec<f64> = values.iter().map(|value| value.clamp(0.0, 1.0)).collect();
        sorted.sort_by(f64::total_cmp);
        let all = sorted.len() as f64;
        // At 0 all episodes count; above it those that are larger.
        let mut line = format!("M{:.1} {:.1}", x.at(0.0), y.at(1.0));
        let mut above = sorted.len();
        let mut place = 0;
        while place < sorted.len() {
            let value = sorted[place];
            let equal = sorted[place..].iter().take_while(|other| **other == value).count();
            above -= equal;
            place += equal;
            let _ = write!(line, "H{:.1}V{:.1}", x.at(value), y.at(above as f64 / all));
        }
        let class = look(run);
        let _ = write!(out, r#"<path class="line {class}" d="{line}"/>"#);
    }
    axis_title_x(&mut out, 0.5 * (left + WIDTH - right), height - 6.0, axis);
    axis_title_y(&mut out, 0.5 * (top + height - bottom), "share of episodes at or above");
    out + "</svg>"
}

/// Means with intervals over ranges of a distance, a line a run.
pub(super) fn ranges(
    title: &str,
    axes: [&str; 2],
    edges: &[[f64; 2]],
    marks: &[Vec<Option<Mark>>],
    names: &[String],
) -> String {
    let (left, right, top, bottom, height) = (58.0, 18.0, 10.0, 46.0, 330.0);
    let low = edges.first().map_or(0.0, |edge| edge[0]);
    let high = edges.last().map_or(1.0, |edge| edge[1]);
    let x = Scale { values: [low, high], pixels: [left, WIDTH - right] };
    let y = Scale { values: [0.0, 1.0], pixels: [height - bottom, top] };
    let mut out = open(title, height);
    for tick in 0..=5 {
        let value = f64::from(tick) * 0.2;
        level(&mut out, y.at(value), [left, WIDTH - right], &format!("{value:.1}"));
    }
    let labels = edges.iter().map(|edge| edge[0]).chain([high]);
    for value in labels {
        upright(&mut out, x.at(value), [top, height - bottom], &format!("{value}"));
    }
    for (run, name) in names.iter().enumerate() {
        let aside = 7.0 * (run as f64 - 0.5 * (names.len() as f64 - 1.0));
        let at = |edge: &[f64; 2]| x.at(0.5 * (edge[0] + edge[1])) + aside;
        let shown: Vec<(&[f64; 2], &Mark)> = edges
            .iter()
            .zip(marks)
            .filter_map(|(edge, marks)| Some((edge, marks.get(run)?.as_ref()?)))
            .collect();
        if shown.is_empty() {
            continue;
        }
        let _ = write!(out, r#"<g class="{}">"#, look(run));
        let line: Vec<String> =
            shown.iter().map(|(edge, mark)| format!("{:.1} {:.1}", at(edge), y.at(mark.mean))).collect();
        let _ = write!(out, r#"<path class="thin" d="M{}"/>"#, line.join("L"));
        for (edge, mark) in shown {
            let px = at(edge);
            out += "<g>";
            tip(&mut out, name, &format!("{}–{} m", edge[0], edge[1]), mark);
            if let Some([low, high]) = mark.interval {
                let (low, high) = (y.at(low), y.at(high));
                let _ = write!(out, r#"<path class="whisker" d="M{px:.1} {low:.1}V{high:.1}"/>"#);
            }
            out += &symbol(run, px, y.at(mark.mean), 4.2);
            out += "</g>";
        }
        out += "</g>";
    }
    axis_title_x(&mut out, 0.5 * (left + WIDTH - right), height - 6.0, axes[0]);
    axis_title_y(&mut out, 0.5 * (top + height - bottom), axes[1]);
    out + "</svg>"
}

/// Shares of classes, a bar a row. Classes have the looks `c0`, `c1`, ….
pub(super) fn stacks(title: &str, axis: &str, bars: &[(String, Vec<u64>)], classes: &[&str]) -> String {
    let letters = bars.iter().map(|bar| bar.0.chars().count().min(LABEL)).max().unwrap_or(0);
    let left = letters as f64 * LETTER + 18.0;
    let right = 18.0;
    let (top, row, bottom) = (6.0, 34.0, 44.0);
    let height = top + row * bars.len() as f64 + bottom;
    let mut out = open(title, height);
    let x = Scale { values: [0.0, 1.0], pixels: [left, WIDTH - right] };
    for tick in 0..=5 {
        let value = f64::from(tick) * 0.2;
        upright(&mut out, x.at(value), [top, height - bottom], &format!("{value:.1}"));
    }
    for (place, (label, counts)) in bars.iter().enumerate() {
        let y = top + row * place as f64 + 5.0;
        let _ = write!(
            out,
            r#"<text class="label" x="{:.1}" y="{:.1}" text-anchor="end">{}<title>{}</title></text>"#,
            left - 10.0,
            y + 16.0,
            escaped(&cut(label, LABEL)),
            escaped(label)
        );
        let all: u64 = counts.iter().sum();
        let mut before = 0;
        for (class, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let share = |count: u64| count as f64 / all.max(1) as f64;
            let (from, to) = (x.at(share(before)), x.at(share(before + count)));
            before += count;
            let name = classes.get(class).copied().unwrap_or_default();
            let _ = write!(
                out,
                r#"<g class="c{class}"><title>{}: {count} {name} ({:.1} %)</title><rect class="bar" x="{from:.1}" y="{y:.1}" width="{:.1}" height="24"/>"#,
                escaped(label),
                100.0 * share(count),
                to - from
            );
            if to - from > 9.0 * count.to_string().len() as f64 + 6.0 {
                let (x, y) = (0.5 * (from + to), y + 16.0);
                let _ = write!(out, r#"<text class="inbar" x="{x:.1}" y="{y:.1}">{count}</text>"#);
            }
            out += "</g>";
        }
    }
    axis_title_x(&mut out, 0.5 * (left + WIDTH - right), height - 6.0, axis);
    out + "</svg>"
}

/// The mark of a run, alone, for legends.
pub(super) fn swatch(run: usize) -> String {
    format!(
        r#"<svg class="swatch {}" viewBox="0 0 22 12" width="22" height="12" aria-hidden="true"><path class="line" d="M0 6H22"/>{}</svg>"#,
        look(run),
        symbol(run, 11.0, 6.0, 4.2)
    )
}

/// The style-sheet class of a run's colour.
pub(super) fn look(run: usize) -> String {
    format!("r{}", run % RUN_LOOKS)
}

pub(super) fn open(title: &str, height: f64) -> String {
    open_wide(title, WIDTH, height)
}

/// A figure of its own width.
pub(super) fn open_wide(title: &str, width: f64, height: f64) -> String {
    let title = escaped(title);
    format!(
        r#"<svg class="chart" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img" aria-label="{title}">"#
    )
}

/// A shape that differs between runs, so that colour is not needed.
fn symbol(run: usize, x: f64, y: f64, r: f64) -> String {
    match run % RUN_LOOKS {
        0 => format!(r#"<circle class="mark" cx="{x:.1}" cy="{y:.1}" r="{r}"/>"#),
        1 => format!(
            r#"<rect class="mark" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}"/>"#,
            x - 0.88 * r,
            y - 0.88 * r,
            1.76 * r,
            1.76 * r
        ),
        2 => polygon(x, y, r * 1.3, &[(0.0, -1.0), (0.87, 0.6), (-0.87, 0.6)]),
        3 => polygon(x, y, r * 1.3, &[(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]),
        4 => polygon(x, y, r * 1.3, &[(0.0, 1.0), (0.87, -0.6), (-0.87, -0.6)]),
        5 => format!(r#"<circle class="mark open" cx="{x:.1}" cy="{y:.1}" r="{:.1}"/>"#, r * 0.85),
        _ => format!(
            r#"<path class="mark cross" d="M{:.1} {:.1}l{d:.1} {d:.1}m0 -{d:.1}l-{d:.1} {d:.1}"/>"#,
            x - 0.8 * r,
            y - 0.8 * r,
            d = 1.6 * r
        ),
    }
}

fn polygon(x: f64, y: f64, r: f64, corners: &[(f64, f64)]) -> String {
    let points: Vec<String> =
        corners.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + r * dx, y + r * dy)).collect();
    format!(r#"<polygon class="mark" points="{}"/>"#, points.join(" "))
}

fn tip(out: &mut String, run: &str, group: &str, mark: &Mark) {
    let interval =
        mark.interval.map_or_else(String::new, |[low, high]| format!(" [{low:.3}, {high:.3}]"));
    let _ = write!(
        out,
        "<title>{}, {}: {:.3}{interval}, n = {}</title>",
        escaped(run),
        escaped(group),
        mark.mean,
        mark.count
    );
}

/// A vertical line of the grid with its number.
pub(super) fn upright(out: &mut String, x: f64, [top, floor]: [f64; 2], label: &str) {
    let _ = write!(
        out,
        r#"<path class="grid" d="M{x:.1} {top:.1}V{floor:.1}"/><text class="tick" x="{x:.1}" y="{:.1}" text-anchor="middle">{label}</text>"#,
        floor + 16.0
    );
}

/// A horizontal line of the grid with its number.
pub(super) fn level(out: &mut String, y: f64, [left, right]: [f64; 2], label: &str) {
    let _ = write!(
        out,
        r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/><text class="tick" x="{:.1}" y="{:.1}" text-anchor="end">{label}</text>"#,
        left - 8.0,
        y + 4.0
    );
}

pub(super) fn axis_title_x(out: &mut String, x: f64, y: f64, title: &str) {
    let title = escaped(title);
    let _ =
        write!(out, r#"<text class="axis" x="{x:.1}" y="{y:.1}" text-anchor="middle">{title}</text>"#);
}

pub(super) fn axis_title_y(out: &mut String, y: f64, title: &str) {
    let title = escaped(title);
    let _ = write!(
        out,
        r#"<text class="axis" transform="translate(14 {y:.1}) rotate(-90)" text-anchor="middle">{title}</text>"#
    );
}
