//! The page: one file that needs nothing else.

mod chart;
pub mod counts;
mod episodes;
mod tables;
mod text;
mod trajectories;

use crate::class::{Class, Source};
use crate::gather::Report;
use crate::results::TaskResults;
use ambler_evaluate::{LEVEL, RESAMPLES, measure};
use chart::{DotRow, dots, ranges, shares, stacks, swatch};
use std::collections::BTreeSet;
use std::path::Path;
use tables::{comparisons, dot_rows, groups, mark};
use text::escaped;
use trajectories::{definitions, examples, panel};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Nothing may be loaded from anywhere.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The page of a report. `folder` is where it will lie: episode logs are linked from there. The same bytes
/// for the same report; it loads nothing.
pub fn html(report: &Report, results: &[TaskResults], folder: &Path) -> String {
    let mut page = Page { figures: 0 };
    let tasks: Vec<&str> = results.iter().map(|task| task.task.as_str()).collect();
    let mut body = header(report, &tasks);
    body += &notes(report);
    for task in results {
        body += &page.task(report, task, results.len() > 1);
    }
    body += &page.trajectories(report);
    body += r#"<section id="episodes"><h2>Episodes</h2>"#;
    body += &episodes::list(report, folder);
    body += "</section>";
    body += &methods(report, results);
    document(&format!("{} – Ambler report", tasks.join(", ")), &body)
}

/// A page that stands alone, with the look of reports; `body` is markup.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(title)
    )
}

/// Numbers the figures.
struct Page {
    figures: usize,
}

impl Page {
    fn figure(&mut self, drawing: &str, caption: &str) -> String {
        self.figures += 1;
        format!(
            r#"<figure><div class="wide">{drawing}</div><figcaption><b>Figure {}.</b> {caption}</figcaption></figure>"#,
            self.figures
        )
    }

    fn task(&mut self, report: &Report, task: &TaskResults, several: bool) -> String {
        let anchor =
            if several { format!("results-{}", slug(&task.task)) } else { "results".to_owned() };
        let mut out = format!(r#"<section id="{anchor}"><h2>"#);
        out += &if several { format!("Results: {}", escaped(&task.task)) } else { "Results".to_owned() };
        out += "</h2>";
        out += &tables::results(report, task);
        out += r#"<p class="soft">Means over valid episodes with 95 % bootstrap intervals; the best mean is bold.</p>"#;
        if !task.pairs.is_empty() {
            out += "<h3>Runs compared, episode by episode</h3>";
            out += &comparisons(report, task);
            out += r#"<p class="soft">Differences are second minus first, over the episodes that are valid in both. p-values below 0.05 and intervals without 0 are bold.</p>"#;
        }
        out += &legend(report);
        out += r#"<div class="figures">"#;
        out += &self.overview(report, task);
        out += &self.classes(report, task);
        out += &self.spl(report, task);
        out += &self.distance(report, task);
        let names: Vec<String> = report.runs.iter().map(|run| run.label.clone()).collect();
        if !task.categories.is_empty() {
            let rows = dot_rows(report, &task.categories, &|run, name| task.category(run, name));
            out += &self.groups("Success by category", "category of the goal", &rows, &names);
        }
        if task.scenes.len() > 1 {
            let rows = dot_rows(report, &task.scenes, &|run, name| task.scene(run, name));
            out += &self.groups("Success by scene", "scene", &rows, &names);
        }
        out += "</div>";
        out += &tables::best(report, task);
        if !task.categories.is_empty() {
            out += "<details><summary>Table by category</summary>";
            out += &groups(report, "Category", &task.categories, &|run, name| task.category(run, name));
            out += "</details>";
        }
        if task.scenes.len() > 1 {
            out += "<details><summary>Table by scene</summary>";
            out += &groups(report, "Scene", &task.scenes, &|run, name| task.scene(run, name));
            out += "</details>";
        }
        out + "</section>"
    }

    /// Success in groups; many groups stand in two columns.
    fn groups(&mut self, title: &str, by: &str, rows: &[DotRow], names: &[String]) -> String {
        const TALL: usize = 12;
        let caption = format!("Success by {by}, with 95 % bootstrap intervals.");
        if rows.len() <= TALL {
            return self.figure(&dots(title, "success rate", rows, names), &caption);
        }
        let (left, right) = rows.split_at(rows.len().div_ceil(2));
        let halves: String = [left, right].map(|rows| dots(title, "success rate", rows, names)).concat();
        let figure = self.figure(&format!(r#"<div class="halves">{halves}</div>"#), &caption);
        figure.replacen("<figure>", r#"<figure class="full">"#, 1)
    }

    fn overview(&mut self, report: &Report, task: &TaskResults) -> String {
        let names: Vec<String> = report.runs.iter().map(|run| run.label.clone()).collect();
        let rows: Vec<DotRow> = [("success rate", "success"), ("SPL", "spl"), ("SoftSPL", "soft_spl")]
            .into_iter()
            .map(|(label, name)| DotRow {
                label: label.to_owned(),
                marks: (0..report.runs.len()).map(|run| mark(task.group(run), name)).collect(),
            })
            .collect();
        let drawing = dots("Success, SPL and SoftSPL", "mean over episodes", &rows, &names);
        self.figure(&drawing, "Success rate, SPL and SoftSPL, with 95 % bootstrap intervals.")
    }

    fn classes(&mut self, report: &Report, task: &TaskResults) -> String {
        let bars: Vec<(String, Vec<u64>)> = (0..report.runs.len())
            .filter(|&run| task.runs[run].is_some())
            .map(|run| (report.runs[run].label.clone(), task.classes[run].to_vec()))
            .collect();
        let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        let drawing = stacks("Outcomes", "share of episodes", &bars, &names);
        let keys: Vec<String> = Class::ALL
            .into_iter()
            .filter(|&class| bars.iter().any(|(_, counts)| counts[class as usize] > 0))
            .map(|class| {
                format!(
                    r#"<span class="key" title="{}"><span class="chip c{}"></span>{}</span>"#,
                    escaped(class.meaning()),
                    class as usize,
                    class.name()
                )
            })
            .collect();
        let keys = format!(r#"<div class="keys">{}</div>"#, keys.join(""));
        self.figure(
            &(drawing + &keys),
            "How episodes came out, and why they failed; numbers are episodes.",
        )
    }

    fn spl(&mut self, report: &Report, task: &TaskResults) -> String {
        let values: Vec<Vec<f64>> = report
            .runs
            .iter()
            .map(|run| {
                let records = run.records.iter().filter(|record| record.task == task.task);
                records.filter_map(|record| measure(record, "spl")).collect()
            })
            .collect();
        let drawing = shares("Distribution of SPL", "SPL", &values);
        self.figure(
            &drawing,
            "Distribution of SPL: the share of episodes whose SPL is at least x. Just right of 0 a line stands at the success rate.",
        )
    }

    fn distance(&mut self, report: &Report, task: &TaskResults) -> String {
        if task.bins.is_empty() {
            return String::new();
        }
        let names: Vec<String> = report.runs.iter().map(|run| run.label.clone()).collect();
        let edges: Vec<[f64; 2]> = task.bins.iter().map(|bin| [bin.low_m, bin.high_m]).collect();
        let marks: Vec<Vec<_>> = task
            .bins
            .iter()
            .map(|bin| bin.runs.iter().map(|group| mark(group.as_ref(), "success")).collect())
            .collect();
        let axes = ["geodesic distance from start to goal (m)", "success rate"];
        let drawing = ranges("Success by distance at the start", axes, &edges, &marks, &names);
        self.figure(
            &drawing,
            "Success against the distance at the start, in ranges between the lines of the axis, with 95 % bootstrap intervals.",
        )
    }

    fn trajectories(&mut self, report: &Report) -> String {
        let examples = examples(report);
        if examples.is_empty() {
            return String::new();
        }
        let mut out = String::from(r#"<section id="trajectories"><h2>Trajectories</h2>"#);
        out += &definitions(report);
        let mut drawing = String::new();
        for places in examples {
            let rows: Vec<_> = places.iter().map(|&place| &report.rows[place]).collect();
            let Some(first) = rows.first().map(|row| report.record(row)) else { continue };
            let goal = if first.category.is_empty() { "a point" } else { &first.category };
            drawing += &format!(
                r#"<h4>Episode {} in {}: go to {}</h4><div class="panels">"#,
                escaped(&first.episode_id),
                escaped(&first.scene),
                escaped(goal)
            );
            for row in rows {
                let Some(track) = &row.track else { continue };
                let record = report.record(row);
                let spl = record.scores.as_ref().map(|scores| scores.spl);
                drawing += &format!(
                    r#"<div class="panel">{}<p>{}{}<span class="soft"> {}, SPL {}, {} steps</span></p></div>"#,
                    panel(report, row, track),
                    swatch(row.run),
                    escaped(&report.runs[row.run].label),
                    row.class.name(),
                    text::number(spl, 2),
                    record.steps
                );
            }
            drawing += "</div>";
        }
        out += &self.figure(
            &drawing,
            "Trajectories over the floor plan, north up. White disc: start; green dots: where a stop succeeds; diamonds: goal objects; small dots on the way: collisions. The sign at the end is a tick for success and a cross for failure, in a square where the agent called stop and in a circle where its steps ended. The list of episodes shows all others.",
        );
        out + "</section>"
    }
}

fn header(report: &Report, tasks: &[&str]) -> String {
    let scenes: BTreeSet<&str> =
        report.rows.iter().map(|row| report.record(row).scene.as_str()).collect();
    let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let most = report.runs.iter().map(|run| run.records.len()).max().unwrap_or(0);
    let least = report.runs.iter().map(|run| run.records.len()).min().unwrap_or(0);
    let episodes = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let seeds: BTreeSet<u64> = report.runs.iter().map(|run| run.manifest.seed()).collect();
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let versions: BTreeSet<&str> = report.runs.iter().map(|run| run.version()).collect();
    let versions: Vec<&str> = versions.into_iter().filter(|version| !version.is_empty()).collect();
    let mut facts = vec![
        plural(report.runs.len(), "run"),
        format!("{episodes} episodes each"),
        plural(scenes.len(), "scene"),
        format!("seed {}", seeds.join(", ")),
    ];
    if !versions.is_empty() {
        facts.push(format!("Ambler {}", versions.join(", ")));
    }
    let mut links: Vec<(String, String)> = match tasks {
        [_] => vec![("results".to_owned(), "Results".to_owned())],
        tasks => tasks
            .iter()
            .map(|task| (format!("results-{}", slug(task)), format!("Results: {task}")))
            .collect(),
    };
    if report.rows.iter().any(|row| row.track.is_some()) {
        links.push(("trajectories".to_owned(), "Trajectories".to_owned()));
    }
    links.push(("episodes".to_owned(), "Episodes".to_owned()));
    links.push(("methods".to_owned(), "Methods".to_owned()));
    let links: Vec<String> = links
        .iter()
        .map(|(anchor, title)| format!(r##"<a href="#{anchor}">{}</a>"##, escaped(title)))
        .collect();
    // A few runs are named; of more, the agents.
    let names: Vec<String> = if report.runs.len() <= 3 {
        report.runs.iter().map(|run| escaped(&run.label)).collect()
    } else {
        let mut agents: Vec<String> = Vec::new();
        for run in &report.runs {
            let agent = escaped(if run.agent.is_empty() { &run.label } else { &run.agent });
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        agents
    };
    format!(
        r#"<nav><b>Ambler report</b>{}</nav><header><h1>{}: {}</h1><p class="soft">{}</p></header>"#,
        links.join(""),
        escaped(&tasks.join(", ")),
        names.join(", "),
        escaped(&facts.join(" · "))
    )
}

fn notes(report: &Report) -> String {
    if report.notes.is_empty() {
        return String::new();
    }
    let items: Vec<String> =
        report.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
    format!(r#"<aside class="notes"><b>Please note</b><ul>{}</ul></aside>"#, items.join(""))
}

fn legend(report: &Report) -> String {
    let keys: Vec<String> = report
        .runs
        .iter()
        .enumerate()
        .map(|(run, named)| {
            format!(r#"<span class="key">{}{}</span>"#, swatch(run), escaped(&named.label))
        })
        .collect();
    format!(r#"<div class="keys legend">{}</div>"#, keys.join(""))
}

fn methods(report: &Report, results: &[TaskResults]) -> String {
    let mut out = String::from(r#"<section id="methods"><h2>Methods</h2><dl>"#);
    let mut say = |term: &str, text: String| out += &format!("<dt>{term}</dt><dd>{text}</dd>");
    let rules: BTreeSet<&str> = results
        .iter()
        .flat_map(|task| task.runs.iter().flatten())
        .flat_map(|summary| summary.success_rules.iter().map(String::as_str))
        .collect();
    let rules: Vec<String> =
        rules.into_iter().map(|rule| escaped(&ambler_evaluate::report::described(rule))).collect();
    if !rules.is_empty() {
        say("Success", format!("The agent called stop {}.", rules.join("; ")));
    }
    say(
        "Measures",
        "SPL: success weighted by the shortest path over the longer of it and the walked path. SoftSPL: the same with progress in place of success. Distance to goal: geodesic, at the end; episodes that end where no path leads to the goal are left out of its mean. Invalid episodes are counted and never averaged; episodes that an agent crashed in count with 0.".to_owned(),
    );
    say(
        "Intervals",
        format!(
            "Percentile bootstrap over episodes, {RESAMPLES} resamples, {:.0} %, drawn from the seed of the run. A share of 0 or 1 has an interval without width: no resample differs.",
            100.0 * LEVEL
        ),
    );
    say(
        "Comparisons",
        "Episodes are paired by content. McNemar's test asks whether the pairs in which only one run succeeded fall to both sides alike: the exact binomial p-value, which is cautious, and mid-p, which comes close to its level; Holm's correction of mid-p is over all pairs of runs of a task. Differences of SPL and distance have paired bootstrap intervals.".to_owned(),
    );
    let mut sources = [0u64; 3];
    for row in &report.rows {
        sources[match row.source {
            Source::Scene => 0,
            Source::Log => 1,
            Source::Record => 2,
        }] += 1;
    }
    let [scene, log, record] = sources;
    let meanings: Vec<String> = Class::ALL
        .into_iter()
        .filter(|class| report.rows.iter().any(|row| row.class == *class))
        .map(|class| {
            format!(
                r#"<li><span class="chip c{}"></span><b>{}</b>: {}</li>"#,
                class as usize,
                class.name(),
                class.meaning()
            )
        })
        .collect();
    say(
        "Outcomes",
        format!(
            r#"<ul class="plain">{}</ul>The goal is in view where the ground-truth detector shows it. In {scene} episodes it was asked at the recorded poses, in {log} the episode log alone decides (with what the agent said that it saw), and in {record} the record."#,
            meanings.join("")
        ),
    );
    out += "</dl>";
    out += &differences(report);
    out + "</section>"
}

/// Where the manifests of the runs differ.
fn differences(report: &Report) -> String {
    const MOST: usize = 30;
    let Some((first, others)) = report.runs.split_first() else { return String::new() };
    let pointers: BTreeSet<String> = others
        .iter()
        .flat_map(|run| first.manifest.differences(&run.manifest))
        .map(|difference| difference.pointer)
        .collect();
    if pointers.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        r#"<h3>Where the settings of the runs differ</h3><div class="wide"><table><thead><tr><th>Setting</th>"#,
    );
    for run in &report.runs {
        out += &format!("<th>{}</th>", escaped(&run.label));
    }
    out += "</tr></thead><tbody>";
    for pointer in pointers.iter().take(MOST) {
        out += &format!("<tr><td><code>{}</code></td>", escaped(pointer.trim_start_matches('/')));
        for run in &report.runs {
            let value = run.manifest.value().pointer(pointer);
            let value = value.map_or_else(|| "–".to_owned(), ToString::to_string);
            out += &format!("<td><code>{}</code></td>", escaped(&text::cut(&value, 60)));
        }
        out += "</tr>";
    }
    out += "</tbody></table></div>";
    if pointers.len() > MOST {
        out += &format!(r#"<p class="soft">and {} more.</p>"#, pointers.len() - MOST);
    }
    out
}

/// A task's name as part of an anchor.
fn slug(task: &str) -> String {
    task.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
