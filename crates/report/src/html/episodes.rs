//! The list of episodes.

use super::chart::swatch;
use super::text::{escaped, link, number};
use super::trajectories::panel;
use crate::class::Class;
use crate::columns::{from, path_text};
use crate::gather::Report;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Filters, the list, and the panels that its buttons open. `folder` is where the page will lie.
pub(super) fn list(report: &Report, folder: &Path) -> String {
    let tasks: BTreeSet<&str> = report.rows.iter().map(|row| report.record(row).task.as_str()).collect();
    let scenes: BTreeSet<&str> =
        report.rows.iter().map(|row| report.record(row).scene.as_str()).collect();
    let categories: BTreeSet<&str> = report
        .rows
        .iter()
        .map(|row| report.record(row).category.as_str())
        .filter(|category| !category.is_empty())
        .collect();
    let classes: BTreeSet<Class> = report.rows.iter().map(|row| row.class).collect();
    let mut out = String::from(r#"<form class="filters">"#);
    let runs = report.runs.iter().enumerate().map(|(run, named)| (run.to_string(), named.label.clone()));
    out += &select("run", "Run", runs);
    let same = |names: &BTreeSet<&str>| -> Vec<(String, String)> {
        names.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect()
    };
    for (key, title, names) in [
        ("task", "Task", same(&tasks)),
        ("scene", "Scene", same(&scenes)),
        ("category", "Category", same(&categories)),
    ] {
        if names.len() > 1 {
            out += &select(key, title, names.into_iter());
        }
    }
    let classes = classes.iter().map(|class| (class.name().to_owned(), class.name().to_owned()));
    out += &select("class", "Outcome", classes);
    out += r#"<label>Search<input type="search" data-filter="text"></label><output id="count"></output></form>"#;

    out += r#"<div class="wide tall"><table id="list" class="sort"><thead><tr><th>Run</th><th>Episode</th><th>Scene</th>"#;
    if tasks.len() > 1 {
        out += "<th>Task</th>";
    }
    if !categories.is_empty() {
        out += "<th>Category</th>";
    }
    out += r#"<th>Outcome</th><th>Way</th><th>Log</th><th class="n">SPL</th><th class="n">SoftSPL</th><th class="n">To goal<br>(m)</th><th class="n">Start<br>distance (m)</th><th class="n">Path<br>(m)</th><th class="n">Steps</th><th class="n">Collisions</th></tr></thead><tbody>"#;
    let mut templates = String::new();
    for (place, row) in report.rows.iter().enumerate() {
        let record = report.record(row);
        let scores = record.scores.as_ref();
        let (category, scene) = (escaped(&record.category), escaped(&record.scene));
        let class = row.class.name();
        let _ = write!(
            out,
            r#"<tr data-id="{}" data-run="{}" data-task="{}" data-scene="{scene}" data-category="{category}" data-class="{class}"><td>{}{}</td><td>{}</td><td>{scene}</td>"#,
            escaped(&record.identity),
            row.run,
            escaped(&record.task),
            swatch(row.run),
            escaped(&report.runs[row.run].label),
            escaped(&record.episode_id),
        );
        if tasks.len() > 1 {
            let _ = write!(out, "<td>{}</td>", escaped(&record.task));
        }
        if !categories.is_empty() {
            let _ = write!(out, "<td>{category}</td>");
        }
        let reason = match &record.reason {
            Some(reason) => format!(": {reason}"),
            None => String::new(),
        };
        let title = format!("{}{reason} (from {})", row.class.meaning(), row.source.name());
        let _ = write!(
            out,
            r#"<td title="{}"><span class="chip c{}"></span>{class}</td>"#,
            escaped(&title),
            row.class as usize
        );
        match &row.track {
            Some(track) => {
                let _ = write!(out, r#"<td><button type="button" data-t="{place}">show</button></td>"#);
                let _ = write!(
                    templates,
                    r#"<template id="t{place}">{}</template>"#,
                    panel(report, row, track)
                );
            }
            None => out += "<td>–</td>",
        }
        match &row.replay {
            Some(path) => {
                let href = link(&path_text(&from(folder, path)));
                let _ = write!(out, r#"<td><a href="{href}" download>mcap</a></td>"#);
            }
            None => out += "<td>–</td>",
        }
        let mut cell = |value: Option<f64>, digits: usize| {
            let key = value.map_or_else(String::new, |value| format!(r#" data-v="{value}""#));
            let _ = write!(out, r#"<td class="n"{key}>{}</td>"#, number(value, digits));
        };
        cell(scores.map(|scores| scores.spl), 3);
        cell(scores.map(|scores| scores.soft_spl), 3);
        cell(scores.and_then(|scores| scores.distance_to_goal), 2);
        cell(scores.map(|scores| scores.shortest_path_m), 2);
        cell(scores.map(|scores| scores.path_length_m), 2);
        cell(Some(record.steps as f64), 0);
        cell(scores.map(|scores| scores.collisions as f64), 0);
        out += "</tr>";
    }
    out += "</tbody></table></div>";
    out += &templates;
    out + r#"<dialog id="viewer"><form method="dialog"><h3></h3><button autofocus>Close</button></form><div class="panels"></div></dialog>"#
}

fn select(key: &str, title: &str, options: impl Iterator<Item = (String, String)>) -> String {
    let mut out = format!(r#"<label>{title}<select data-filter="{key}"><option value="">all</option>"#);
    for (value, name) in options {
        let _ = write!(out, r#"<option value="{}">{}</option>"#, escaped(&value), escaped(&name));
    }
    out + "</select></label>"
}
