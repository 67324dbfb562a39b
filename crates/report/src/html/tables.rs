use super::chart::{DotRow, Mark, swatch};
use super::text::{escaped, minus, number};
use crate::gather::Report;
use crate::results::{BEST, BEST_SUCCESSES, TaskResults};
use ambler_evaluate::report::p_value;
use ambler_evaluate::{Estimate, Group};

/// Columns of the results: head, unit, measure, decimals, with an interval, and whether more is better.
const RESULTS: [(&str, &str, &str, usize, bool, Option<bool>); 7] = [
    ("SR", "", "success", 3, true, Some(true)),
    ("SPL", "", "spl", 3, true, Some(true)),
    ("SoftSPL", "", "soft_spl", 3, true, Some(true)),
    ("Distance<br>to goal", "m", "distance_to_goal", 2, true, Some(false)),
    ("Path", "m", "path_length_m", 1, false, None),
    ("Steps", "", "steps", 1, false, None),
    ("Collisions", "", "collisions", 1, false, None),
];

/// The results of all runs in a task.
pub(super) fn results(report: &Report, task: &TaskResults) -> String {
    let detectors = report.runs.iter().any(|run| !run.detector.is_empty());
    let mut out = String::from(r#"<div class="wide"><table class="sort stack"><thead><tr><th>Run</th>"#);
    if detectors {
        out += "<th>Detector</th>";
    }
    out += r#"<th class="n">Episodes</th><th class="n">Valid</th>"#;
    for (head, unit, ..) in RESULTS {
        out += &head_cell(head, unit);
    }
    out += "<th>Privileged</th></tr></thead><tbody>";
    let best = |name: &str, more: bool| {
        let means = (0..report.runs.len()).filter_map(|run| task.group(run)?.mean(name));
        let ends = means.fold([f64::MAX, f64::MIN], |[low, high], mean| [low.min(mean), high.max(mean)]);
        ends[usize::from(more)]
    };
    for (run, named) in report.runs.iter().enumerate() {
        let Some(group) = task.group(run) else { continue };
        out += &format!("<tr><td>{}{}</td>", swatch(run), escaped(&named.label));
        if detectors {
            let detector = if named.detector.is_empty() { "scene labels" } else { &named.detector };
            out += &format!("<td>{}</td>", escaped(detector));
        }
        out += &format!(r#"<td class="n">{}</td><td class="n">{}</td>"#, group.episodes, group.valid);
        for (_, _, name, digits, interval, more) in RESULTS {
            let mean = group.mean(name);
            let top = more.is_some_and(|more| mean == Some(best(name, more))) && report.runs.len() > 1;
            out += &estimate_cell(group.estimate(name), digits, interval, top);
        }
        let privileged = match group.privileged {
            0 => "no".to_owned(),
            some if some == group.valid => "yes".to_owned(),
            some => format!("in {some}"),
        };
        out += &format!("<td>{privileged}</td></tr>");
    }
    out + "</tbody></table></div>"
}

/// Pairs of runs.
pub(super) fn comparisons(report: &Report, task: &TaskResults) -> String {
    let mut out = String::from(
        r#"<div class="wide"><table class="stack"><thead><tr><th>Runs</th><th class="n">Pairs</th><th class="n">Both<br>succeed</th><th class="n">Only<br>first</th><th class="n">Only<br>second</th><th class="n">Δ SR</th><th class="n">McNemar<br>exact p</th><th class="n">mid-p</th><th class="n">mid-p,<br>Holm</th><th class="n">Δ SPL</th><th class="n">Δ distance<br>to goal (m)</th></tr></thead><tbody>"#,
    );
    for pair in &task.pairs {
        let comparison = &pair.comparison;
        let measure = |name: &str| comparison.measures.iter().find(|measure| measure.name == name);
        let difference = |name: &str, digits: usize| {
            let Some(found) = measure(name) else { return number(None, 0) };
            let Some(value) = found.difference else { return number(None, 0) };
            let interval = found.interval.map_or_else(String::new, |[low, high]| {
                let sure = if low > 0.0 || high < 0.0 { " sure" } else { "" };
                let range = minus(&format!("[{low:+.digits$}, {high:+.digits$}]"));
                format!(r#" <span class="ci{sure}">{range}</span>"#)
            });
            minus(&format!("{value:+.digits$}")) + &interval
        };
        let successes = measure("success").and_then(|found| found.first).unwrap_or(0.0);
        let both = (successes * comparison.pairs as f64).round() as u64;
        let both = both.saturating_sub(comparison.first_wins);
        let p = |p: f64| {
            let sure = if p < 0.05 { r#" class="sure""# } else { "" };
            format!("<span{sure}>{}</span>", escaped(&p_value(p)))
        };
        let other = if comparison.same_success_rules {
            ""
        } else {
            r#" <b class="warn">different success rules: SR and SPL do not compare</b>"#
        };
        out += &format!(
            "<tr><td>{}{}<br>→ {}{}{other}</td>",
            swatch(pair.first),
            escaped(&report.runs[pair.first].label),
            swatch(pair.second),
            escaped(&report.runs[pair.second].label)
        );
        for cell in [
            comparison.pairs.to_string(),
            both.to_string(),
            comparison.first_wins.to_string(),
            comparison.second_wins.to_string(),
            difference("success", 3),
            p(comparison.mcnemar.exact),
            p(comparison.mcnemar.mid_p),
            p(pair.corrected),
            difference("spl", 3),
            difference("distance_to_goal", 2),
        ] {
            out += &format!(r#"<td class="n">{cell}</td>"#);
        }
        out += "</tr>";
    }
    out + "</tbody></table></div>"
}

/// Success, SPL, SoftSPL and distance of groups, a row a group and run.
pub(super) fn groups<'a>(
    report: &Report,
    head: &str,
    names: &[String],
    group: &dyn Fn(usize, &str) -> Option<&'a Group>,
) -> String {
    let mut out = format!(
        r#"<div class="wide tall"><table class="sort"><thead><tr><th>{head}</th><th>Run</th><th class="n">Valid</th>"#
    );
    for (title, unit, ..) in &RESULTS[..4] {
        out += &head_cell(title, unit);
    }
    out += "</tr></thead><tbody>";
    for name in names {
        for (run, named) in report.runs.iter().enumerate() {
            let Some(group) = group(run, name) else { continue };
            out += &format!(
                r#"<tr><td>{}</td><td>{}{}</td><td class="n">{}</td>"#,
                escaped(name),
                swatch(run),
                escaped(&named.label),
                group.valid
            );
            for (_, _, measure, digits, interval, _) in &RESULTS[..4] {
                out += &estimate_cell(group.estimate(measure), *digits, *interval, false);
            }
            out += "</tr>";
        }
    }
    out + "</tbody></table></div>"
}

/// The categories that each run finds best; empty where none has enough successes.
pub(super) fn best(report: &Report, task: &TaskResults) -> String {
    let best: Vec<_> = (0..report.runs.len()).map(|run| (run, task.best(run))).collect();
    let shown: Vec<_> = best.iter().filter(|(_, best)| !best.is_empty()).collect();
    if shown.is_empty() {
        return String::new();
    }
    let mut out = format!(
        r#"<h3>Categories found best</h3><p class="soft">The {BEST} categories with the highest success, of those with at least {BEST_SUCCESSES} successes (so that no chance find leads).</p><div class="wide"><table><thead><tr><th></th>"#
    );
    for (run, _) in &shown {
        out += &format!("<th>{}{}</th>", swatch(*run), escaped(&report.runs[*run].label));
    }
    out += "</tr></thead><tbody>";
    for rank in 0..BEST {
        out += &format!("<tr><td>{}</td>", rank + 1);
        for (_, best) in &shown {
            out += &match best.get(rank) {
                Some(found) => format!(
                    r#"<td>{} <span class="ci">{:.3}, n = {}</span></td>"#,
                    escaped(&found.category),
                    found.success,
                    found.valid
                ),
                None => "<td>–</td>".to_owned(),
            };
        }
        out += "</tr>";
    }
    out + "</tbody></table></div>"
}

/// The mark of a measure in a figure.
pub(super) fn mark(group: Option<&Group>, measure: &str) -> Option<Mark> {
    let estimate = group?.estimate(measure)?;
    Some(Mark {
        mean: estimate.mean?,
        interval: estimate.interval.map(|interval| [interval.low, interval.high]),
        count: estimate.count,
    })
}

/// Rows of a figure: success in groups.
pub(super) fn dot_rows<'a>(
    report: &Report,
    names: &[String],
    group: &dyn Fn(usize, &str) -> Option<&'a Group>,
) -> Vec<DotRow> {
    let marks =
        |name: &str| (0..report.runs.len()).map(|run| mark(group(run, name), "success")).collect();
    names.iter().map(|name| DotRow { label: name.clone(), marks: marks(name) }).collect()
}

fn head_cell(title: &str, unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
    format!(r#"<th class="n">{title}{unit}</th>"#)
}

fn estimate_cell(estimate: Option<&Estimate>, digits: usize, with_interval: bool, top: bool) -> String {
    let mean = estimate.and_then(|estimate| estimate.mean);
    let text = number(mean, digits);
    let text = if top { format!("<b>{text}</b>") } else { text };
    let interval = estimate.and_then(|estimate| estimate.interval).filter(|_| with_interval);
    let interval = interval.map_or_else(String::new, |interval| {
        format!(r#" <span class="ci">[{:.digits$}, {:.digits$}]</span>"#, interval.low, interval.high)
    });
    let value = mean.map_or_else(String::new, |mean| format!(r#" data-v="{mean}""#));
    format!(r#"<td class="n"{value}>{text}{interval}</td>"#)
}
