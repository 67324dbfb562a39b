//! Figures and tables of counts, for pages of other statistics. Text is escaped here; nobody else has to.

use super::chart::{WIDTH, axis_title_x, axis_title_y, level, open, open_wide, upright};
use super::text::{cut, escaped};
use std::fmt::Write as _;

/// A bar.
#[derive(Clone, Debug, Default)]
pub struct Bar {
    /// What is counted.
    pub label: String,
    /// How many.
    pub count: u64,
    /// What is said of it besides, when it is pointed at.
    pub note: String,
}

/// Width of a figure that takes the whole page.
const WIDE: f64 = 1300.0;
/// Letters of a label that are shown.
const LABEL: usize = 22;
/// Width of a letter.
const LETTER: f64 = 6.6;

/// The distance of ticks: 1, 2 or 5 times a power of ten, at most six of them up to `most`.
fn tick_step(most: u64) -> u64 {
    let mut step = 1_u64;
    loop {
        for part in [1, 2, 5] {
            let step = step.saturating_mul(part);
            if most <= step.saturating_mul(6) {
                return step;
            }
        }
        step = step.saturating_mul(10);
    }
}

/// Upright bars side by side over the whole page, labels below them: many categories.
pub fn columns(title: &str, axis: &str, bars: &[Bar]) -> String {
    let letters = bars.iter().map(|bar| bar.label.chars().count().min(LABEL)).max().unwrap_or(0);
    let (left, right, top) = (62.0, 10.0, 20.0);
    let bottom = letters as f64 * LETTER + 14.0;
    let floor = top + 230.0;
    let height = floor + bottom;
    let step = ((WIDE - left - right) / bars.len().max(1) as f64).min(40.0);
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let y = |count: u64| floor - (floor - top) * count as f64 / most as f64;
    let end = left + step * bars.len() as f64;
    let mut out = open_wide(title, end + right, height);
    let tick = tick_step(most);
    for count in (0..=most / tick).map(|number| number * tick) {
        level(&mut out, y(count), [left, end], &count.to_string());
    }
    // Numbers stand over bars that are wide enough for them.
    let digits = most.to_string().len() as f64;
    let numbered = step > digits * 6.4;
    for (place, bar) in bars.iter().enumerate() {
        let x = left + step * place as f64;
        let middle = x + 0.5 * step;
        let _ = write!(
            out,
            r#"<g class="r0"><title>{}: {}{}</title><rect class="bar" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}"/>"#,
            escaped(&bar.label),
            bar.count,
            escaped(&bar.note),
            x + 0.08 * step,
            y(bar.count),
            0.84 * step,
            floor - y(bar.count),
        );
        if numbered {
            let _ = write!(
                out,
                r#"<text class="tick" x="{middle:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                y(bar.count) - 4.0,
                bar.count
            );
        }
        let _ = write!(
            out,
            r#"<text class="tick" transform="translate({:.1} {:.1}) rotate(-90)" text-anchor="end">{}</text></g>"#,
            middle + 4.0,
            floor + 6.0,
            escaped(&cut(&bar.label, LABEL)),
        );
    }
    axis_title_y(&mut out, 0.5 * (top + floor), axis);
    out + "</svg>"
}

/// Bars below each other: few categories.
pub fn rows(title: &str, axis: &str, bars: &[Bar]) -> String {
    let letters = bars.iter().map(|bar| bar.label.chars().count().min(LABEL)).max().unwrap_or(0);
    let left = letters as f64 * LETTER + 18.0;
    let (top, row, bottom, right) = (6.0, 22.0, 44.0, 60.0);
    let floor = top + row * bars.len() as f64;
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let x = |count: u64| left + (WIDTH - left - right) * count as f64 / most as f64;
    let mut out = open(title, floor + bottom);
    let tick = tick_step(most);
    for count in (0..=most / tick).map(|number| number * tick) {
        upright(&mut out, x(count), [top, floor], &count.to_string());
    }
    for (place, bar) in bars.iter().enumerate() {
        let y = top + row * place as f64;
        let _ = write!(
            out,
            r#"<g class="r0"><title>{}: {}{}</title><text class="label" x="{:.1}" y="{:.1}" text-anchor="end">{}</text><rect class="bar" x="{left:.1}" y="{:.1}" width="{:.1}" height="{:.1}"/><text class="tick" x="{:.1}" y="{:.1}">{}</text></g>"#,
            escaped(&bar.label),
            bar.count,
            escaped(&bar.note),
            left - 10.0,
            y + 15.5,
            escaped(&cut(&bar.label, LABEL)),
            y + 2.0,
            x(bar.count) - left,
            row - 4.0,
            x(bar.count) + 5.0,
            y + 15.5,
            bar.count,
        );
    }
    axis_title_x(&mut out, 0.5 * (left + WIDTH - right), floor + 38.0, axis);
    out + "</svg>"
}

/// How many values lie in each of `parts` equal parts of the range from `low` to `high`; the last part holds
/// its end too, and values outside count nowhere.
pub fn histogram(
    title: &str,
    axes: [&str; 2],
    values: &[f64],
    [low, high]: [f64; 2],
    parts: usize,
) -> String {
    let parts = parts.clamp(1, 200);
    let size = (high - low) / parts as f64;
    let mut counts = vec![0_u64; parts];
    for value in values.iter().filter(|value| (low..=high).contains(*value)) {
        let part = (((value - low) / size) as usize).min(parts - 1);
        counts[part] += 1;
    }
    let (left, right, top, floor) = (62.0, 18.0, 10.0, 284.0);
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let y = |count: u64| floor - (floor - top) * count as f64 / most as f64;
    let x = |value: f64| left + (WIDTH - left - right) * (value - low) / (high - low).max(1e-9);
    let mut out = open(title, floor + 46.0);
    let tick = tick_step(most);
    for count in (0..=most / tick).map(|number| number * tick) {
        level(&mut out, y(count), [left, WIDTH - right], &count.to_string());
    }
    let every = parts.div_ceil(10);
    for part in (0..=parts).step_by(every) {
        let value = low + size * part as f64;
        let text = if size < 1.0 { format!("{value:.1}") } else { format!("{value:.0}") };
        upright(&mut out, x(value), [floor, floor], &text);
    }
    for (part, &count) in counts.iter().enumerate() {
        let (from, to) = (low + size * part as f64, low + size * (part + 1) as f64);
        let _ = write!(
            out,
            r#"<g class="r0"><title>{from:.1} to {to:.1}: {count}</title><rect class="bar" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}"/></g>"#,
            x(from),
            y(count),
            x(to) - x(from),
            floor - y(count),
        );
    }
    axis_title_x(&mut out, 0.5 * (left + WIDTH - right), floor + 40.0, axes[0]);
    axis_title_y(&mut out, 0.5 * (top + floor), axes[1]);
    out + "</svg>"
}

/// A table; from the second column on numbers stand to the right.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let cell = |tag: &str, column: usize, text: &str| {
        let class = if column > 0 { r#" class="n""# } else { "" };
        format!("<{tag}{class}>{}</{tag}>", escaped(text))
    };
    let line = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        let cells: String = cells.enumerate().map(|(column, text)| cell(tag, column, text)).collect();
        format!("<tr>{cells}</tr>")
    };
    let mut out = String::from(r#"<div class="wide"><table><thead>"#);
    out += &line("th", &mut head.iter().copied());
    out += "</thead><tbody>";
    for row in rows {
        out += &line("td", &mut row.iter().map(String::as_str));
    }
    out + "</tbody></table></div>"
}

/// A figure with its caption.
pub fn figure(drawing: &str, caption: &str) -> String {
    let caption = escaped(caption);
    format!(r#"<figure><div class="wide">{drawing}</div><figcaption>{caption}</figcaption></figure>"#)
}

/// Text as markup.
pub fn text(text: &str) -> String {
    escaped(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for (most, step) in [(1, 1), (6, 1), (7, 2), (12, 2), (29, 5), (363, 100), (2897, 500)] {
            assert_eq!(tick_step(most), step, "{most}");
        }
        assert!(tick_step(u64::MAX) > 0);
    }

    #[test]
    fn bars_are_as_long_as_their_counts_and_no_name_is_markup() {
        let bar = |label: &str, count| Bar { label: label.into(), count, note: String::new() };
        let drawn = rows("t", "objects", &[bar("<b>", 10), bar("mug", 5)]);
        assert!(!drawn.contains("<b>") && drawn.contains("&lt;b&gt;: 10"));
        let widths: Vec<f64> = drawn
            .split(r#"<rect class="bar""#)
            .skip(1)
            .filter_map(|part| part.split("width=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        assert!((widths[0] - 2.0 * widths[1]).abs() < 0.11, "{widths:?}");
        assert!(columns("t", "objects", &[]).ends_with("</svg>"));
        let table = table(&["a", "b"], &[vec!["<i>".into(), "1".into()]]);
        assert!(table.contains("<td>&lt;i&gt;</td><td class=\"n\">1</td>"), "{table}");
    }

    /// 0 to 10 in five parts: the last holds its end, what is outside counts nowhere.
    #[test]
    fn values_are_counted_once() {
        let drawn = histogram("t", ["m", "n"], &[0.0, 1.9, 2.0, 10.0, 10.1, -1.0], [0.0, 10.0], 5);
        for (range, count) in [("0.0 to 2.0", 2), ("2.0 to 4.0", 1), ("8.0 to 10.0", 1)] {
            assert!(drawn.contains(&format!("{range}: {count}<")), "{drawn}");
        }
    }
}
