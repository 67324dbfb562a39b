//! Text for people: the table of a run, the table of a comparison.

mod table;

pub use table::{Style, Table};

use crate::record::Status;
use crate::statistics::{Comparison, Estimate, Group, Summary};
use ambler_episode::{DistanceTo, SuccessRule};

/// The table of a run: all episodes, then each task, then each category, with 95 % intervals where
/// there is room; below it what was not averaged and why. `width` is the terminal's, `None` for a
/// file. Ends with a line's end.
///
/// Where the full table is too wide, intervals go first (those of the distance and SoftSPL, then
/// of SPL, then of success), then collisions and steps, and at last the names are cut.
pub fn render_summary(summary: &Summary, style: Style, width: Option<usize>) -> String {
    let candidates = LAYOUTS.iter().map(|layout| summary_table(summary, layout));
    let mut chosen = Table::default();
    for table in candidates {
        chosen = table;
        if style == Style::Markdown || width.is_none_or(|width| chosen.width() <= width) {
            break;
        }
    }
    let mut out = chosen.render(style, width);
    for note in notes(summary) {
        out.push('\n');
        out += &wrapped(&ascii_only(&note, style), width.filter(|_| style != Style::Markdown));
    }
    out
}

/// The table of a comparison: means in both runs and the difference with its 95 % interval.
pub fn render_comparison(
    comparison: &Comparison,
    names: [&str; 2],
    style: Style,
    width: Option<usize>,
) -> String {
    let mut table = Table::new(["measure", "pairs", names[0], names[1], "difference", "95 % interval"]);
    for measure in &comparison.measures {
        let digits = digits(&measure.name);
        table.push([
            title(&measure.name).to_owned(),
            measure.pairs.to_string(),
            number(measure.first, digits),
            number(measure.second, digits),
            measure.difference.map_or_else(dash, |value| format!("{value:+.digits$}")),
            measure
                .interval
                .map_or_else(dash, |[low, high]| format!("[{low:+.digits$}, {high:+.digits$}]")),
        ]);
    }
    let mut out = table.render(style, width);
    let mut note = format!(
        "{} pairs; only {} succeeded in {}, only {} in {} (McNemar: p {}, mid-p {})",
        comparison.pairs,
        names[0],
        comparison.first_wins,
        names[1],
        comparison.second_wins,
        p_value(comparison.mcnemar.exact),
        p_value(comparison.mcnemar.mid_p),
    );
    if comparison.only_first + comparison.only_second > 0 {
        note += &format!(
            "; without a valid partner: {} of {}, {} of {}",
            comparison.only_first, names[0], comparison.only_second, names[1]
        );
    }
    if !comparison.same_success_rules {
        note += "; the runs followed different success rules, so success and SPL do not compare";
    }
    out.push('\n');
    out += &wrapped(&ascii_only(&note, style), width.filter(|_| style != Style::Markdown));
    out
}

/// A p-value as people write it: three decimals, and only that it is small where it is smaller.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

struct Layout {
    /// Measures with an interval beside the mean.
    intervals: &'static [&'static str],
    /// Measures shown.
    measures: &'static [&'static str],
}

const ALL: &[&str] = &["success", "spl", "soft_spl", "distance_to_goal", "steps", "collisions"];
const FEW: &[&str] = &["success", "spl", "soft_spl", "distance_to_goal"];
const LAYOUTS: [Layout; 8] = [
    Layout { intervals: FEW, measures: ALL },
    Layout { intervals: &["success", "spl"], measures: ALL },
    Layout { intervals: &["success", "spl"], measures: FEW },
    Layout { intervals: &["success"], measures: FEW },
    Layout { intervals: &[], measures: ALL },
    Layout { intervals: &[], measures: FEW },
    Layout { intervals: &[], measures: &["success", "spl", "distance_to_goal"] },
    Layout { intervals: &[], measures: &["success", "spl"] },
];

fn summary_table(summary: &Summary, layout: &Layout) -> Table {
    let mut heads = vec!["episodes".to_owned(), "n".to_owned(), "valid".to_owned()];
    heads.extend(layout.measures.iter().map(|name| title(name).to_owned()));
    let mut table = Table::new(heads);
    let mut push = |name: String, group: &Group| {
        let mut cells = vec![name, group.episodes.to_string(), group.valid.to_string()];
        for measure in layout.measures {
            cells.push(cell(group.estimate(measure), layout.intervals.contains(measure)));
        }
        table.push(cells);
    };
    push("all".to_owned(), &summary.overall);
    for task in &summary.tasks {
        let categories: Vec<&Group> =
            summary.categories.iter().filter(|group| group.task == task.task).collect();
        // A row that repeats the one above it says nothing.
        if summary.tasks.len() > 1 || !categories.is_empty() {
            push(task.task.clone(), task);
        }
        for category in categories {
            push(format!("  {}", category.category), category);
        }
    }
    table
}

fn cell(estimate: Option<&Estimate>, with_interval: bool) -> String {
    let Some(estimate) = estimate else { return dash() };
    let digits = digits(&estimate.name);
    let mean = number(estimate.mean, digits);
    match estimate.interval {
        Some(interval) if with_interval => {
            format!("{mean} [{:.digits$}, {:.digits$}]", interval.low, interval.high)
        }
        _ => mean,
    }
}

fn notes(summary: &Summary) -> Vec<String> {
    let overall = &summary.overall;
    let mut notes = Vec::new();
    if !summary.success_rules.is_empty() {
        let rules: Vec<String> = summary.success_rules.iter().map(|rule| described(rule)).collect();
        notes.push(format!("Success: stop {}.", rules.join("; ")));
    }
    if overall.privileged > 0 {
        notes.push(format!(
            "The agent used privileged information in {} of {} valid episodes.",
            overall.privileged, overall.valid
        ));
    }
    if let Some(distance) = overall.estimate("distance_to_goal")
        && distance.count < overall.valid
    {
        notes.push(format!(
            "In {} episodes the body ended where no path leads to the goal: their distance is left out.",
            overall.valid - distance.count
        ));
    }
    const SHOWN: usize = 8;
    for (status, what) in [
        (Status::Invalid, "invalid, not averaged"),
        (Status::Fault, "ended by a fault of the simulator, not averaged"),
        (Status::Failed, "failed by the agent, averaged with success 0"),
    ] {
        let reasons: Vec<_> = summary.reasons.iter().filter(|reason| reason.status == status).collect();
        let episodes: u64 = reasons.iter().map(|reason| reason.episodes).sum();
        if episodes == 0 {
            continue;
        }
        let noun = if episodes == 1 { "episode" } else { "episodes" };
        let mut text = format!("{episodes} {noun} {what}:");
        for reason in reasons.iter().take(SHOWN) {
            text += &format!("\n  {} × {}", reason.episodes, shortened(&reason.reason));
        }
        if reasons.len() > SHOWN {
            text += &format!(
                "\n  and {} further reasons (summary.json has them all)",
                reasons.len() - SHOWN
            );
        }
        notes.push(text);
    }
    notes
}

/// A success rule in words.
pub fn described(rule: &str) -> String {
    match rule.parse::<SuccessRule>() {
        Ok(SuccessRule { distance_m, to, .. }) => {
            let to = match to {
                DistanceTo::Point => "the goal",
                DistanceTo::ViewPoints => "a view point",
            };
            format!("less than {distance_m} m from {to} ({rule})")
        }
        Err(_) => format!("by the rule {rule}"),
    }
}

/// The most of a reason that a table shows: how it begins and how it ends, where the cause stands.
fn shortened(reason: &str) -> String {
    const HEAD: usize = 90;
    const TAIL: usize = 130;
    let letters: Vec<char> = one_line(reason).chars().collect();
    if letters.len() <= HEAD + TAIL + 3 {
        return letters.into_iter().collect();
    }
    let head: String = letters[..HEAD].iter().collect();
    let tail: String = letters[letters.len() - TAIL..].iter().collect();
    format!("{head} … {tail}")
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn ascii_only(text: &str, style: Style) -> String {
    if style != Style::Ascii {
        return text.to_owned();
    }
    let plain = |c: char| match c {
        '×' => 'x',
        c if c.is_ascii() => c,
        _ => '?',
    };
    text.chars().map(plain).collect()
}

/// Breaks lines at spaces; continued lines are indented.
fn wrapped(text: &str, width: Option<usize>) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let mut column = 0;
        for word in line.split_whitespace() {
            let length = word.chars().count();
            if column == 0 {
                out += indent;
                column = indent.len();
            } else if width.is_some_and(|width| column + 1 + length > width) {
                out += &format!("\n{indent}  ");
                column = indent.len() + 2;
            } else {
                out.push(' ');
                column += 1;
            }
            out += word;
            column += length;
        }
        out.push('\n');
    }
    out
}

fn title(name: &str) -> &str {
    match name {
        "success" => "success",
        "spl" => "SPL",
        "soft_spl" => "SoftSPL",
        "distance_to_goal" => "to goal (m)",
        "path_length_m" => "path (m)",
        other => other,
    }
}

fn digits(name: &str) -> usize {
    match name {
        "steps" | "collisions" => 1,
        "distance_to_goal" | "path_length_m" => 2,
        _ => 3,
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(dash, |value| format!("{value:.digits$}"))
}

fn dash() -> String {
    "-".to_owned()
}
