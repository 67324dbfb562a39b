//! The page: whole, harmless, alone, the same each time.

mod common;

use ambler_evaluate::Status;
use ambler_report::*;
use common::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A tag of a page and its attributes.
#[derive(Debug)]
struct Tag {
    name: String,
    attributes: BTreeMap<String, String>,
}

/// The tags of a page; what stands inside `style` and `script` is left out.
fn tags(page: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        // Quotes hide the end of a tag.
        let (mut quote, mut end) = (None, rest.len());
        for (place, c) in rest.char_indices() {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (None, '>') => {
                    end = place;
                    break;
                }
                _ => {}
            }
        }
        let inside = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or("");
        let inside = inside.trim_end_matches('/');
        let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        if name == "style" || name == "script" {
            rest = &rest[rest.find(&format!("</{name}>")).expect("it ends")..];
        }
        tags.push(Tag { name: name.to_owned(), attributes: parse(attributes) });
    }
    tags
}

fn parse(mut text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    loop {
        text = text.trim_start();
        let Some(end) = text.find(|c: char| c == '=' || c.is_whitespace()) else { break };
        let name = text[..end].to_owned();
        text = &text[end..];
        let mut value = String::new();
        if let Some(after) = text.strip_prefix("=\"") {
            let close = after.find('"').expect("a closed value");
            value = after[..close].to_owned();
            text = &after[close + 1..];
        } else {
            assert!(!text.starts_with('='), "a value without quotes: {text}");
        }
        found.insert(name, value);
    }
    found
}

const TAGS: &str = "!doctype html head meta title style body nav b a header h1 p section h2 h3 h4 div table thead tr th tbody td br span svg path circle rect polygon g text figure figcaption details summary form label select option input output button template dialog script defs image use aside ul li dl dt dd code";
const ATTRIBUTES: &str = "lang charset name content http-equiv href class id viewBox width height aria-hidden aria-label role d x y r cx cy rx points transform text-anchor font-size stroke-width data-id data-run data-task data-scene data-category data-class data-v data-t data-filter value type method title download";

/// Nothing but known tags and attributes, nothing that runs or loads.
#[track_caller]
fn harmless(page: &str) {
    for tag in tags(page) {
        let name = tag.name.trim_start_matches('/');
        assert!(TAGS.split(' ').any(|known| known == name), "a tag <{name}>");
        for (attribute, value) in &tag.attributes {
            assert!(ATTRIBUTES.split(' ').any(|known| known == attribute), "{attribute} in <{name}>");
            if attribute == "href" {
                let alone = ["#", "./", "../", "data:image/png;base64,"];
                assert!(alone.iter().any(|start| value.starts_with(start)), "{attribute}={value}");
            }
        }
    }
    let outside = ["http://", "https://", "url(", "@import", "fetch(", "XMLHttpRequest"];
    for word in outside {
        assert!(!page.contains(word), "{word}");
    }
    assert_eq!(page.matches("<script").count(), 1);
}

fn page_of(paths: &[PathBuf], folder: &Path, scenes: &dyn Scenes) -> String {
    let report = Report::gather(read_runs(paths).expect("runs"), scenes, &|_| {});
    html(&report, &TaskResults::all(&report), folder)
}

/// A scene of which there is a plan.
struct Paper;

impl Scenes for Paper {
    fn storey(&self, _: &ambler_replay::Header, height_m: f32) -> Result<usize, String> {
        Ok(usize::from(height_m > 2.0))
    }

    fn plan(&self, _: &ambler_replay::Header, _: usize) -> Result<Plan, String> {
        let png = b"\x89PNG".to_vec();
        Ok(Plan { png, width: 100, height: 80, left_m: -5.0, top_m: -4.0, per_m: 10.0 })
    }

    fn sight(&self, _: &ambler_replay::Log) -> Result<Sight, String> {
        Ok(Sight { first: None, at_end: false })
    }
}

/// Writes logs of all episodes of a run.
fn with_logs(path: &Path) {
    let run = read_runs(&[path.to_path_buf()]).expect("a run").remove(0);
    for record in &run.records {
        let episode = episode(&record.episode_id, &record.scene, &record.category);
        assert_eq!(episode.identity.to_string(), record.identity);
        let walk = Walk { actions: &record.actions, blocked: false, seen: None, away_m: &|_| 1.0 };
        write_log(path, record, &log(&episode, record, &walk));
    }
}

#[test]
fn a_page_has_each_episode_once_and_stands_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = two_runs(folder.path());
    paths.iter().for_each(|path| with_logs(path));
    let page = page_of(&paths, folder.path(), &Paper);
    harmless(&page);
    let runs = read_runs(&paths).expect("runs");
    for record in &runs[0].records {
        let row = format!(r#"<tr data-id="{}""#, record.identity);
        assert_eq!(page.matches(&row).count(), runs.len(), "{}", record.episode_id);
    }
    assert_eq!(page.matches("<tr data-id=").count(), 12);
    assert_eq!(page.matches("<template ").count(), 12);
    assert_eq!(page.matches("data:image/png").count(), 2, "one plan a scene");
    let logs: Vec<String> = tags(&page)
        .into_iter()
        .filter_map(|tag| tag.attributes.get("href").cloned())
        .filter(|link| link.ends_with(".mcap"))
        .collect();
    assert_eq!(logs.len(), 12);
    for link in logs {
        assert!(folder.path().join(&link).is_file(), "{link}");
    }
    // Every piece of a trajectory that is referred to is there.
    let ids: Vec<String> =
        tags(&page).into_iter().filter_map(|tag| tag.attributes.get("id").cloned()).collect();
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "an id stands once");
    for tag in tags(&page).iter().filter(|tag| tag.name == "use" || tag.name == "a") {
        if let Some(anchor) = tag.attributes["href"].strip_prefix('#') {
            assert!(ids.iter().any(|id| id == anchor), "#{anchor}");
        }
    }
}

#[test]
fn a_page_has_the_same_bytes_each_time_and_for_any_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = two_runs(folder.path());
    with_logs(&paths[1]);
    let page = page_of(&paths, folder.path(), &Paper);
    assert_eq!(page, page_of(&paths, folder.path(), &Paper));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    assert_eq!(page, one.install(|| page_of(&paths, folder.path(), &Paper)));
    // Wherever the runs lie.
    let other = tempfile::tempdir().expect("a folder");
    let moved = two_runs(other.path());
    with_logs(&moved[1]);
    assert_eq!(page, page_of(&moved, other.path(), &Paper));
}

/// The numbers of a page are those of the summary.
#[test]
fn a_page_says_what_the_summary_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = page_of(&two_runs(folder.path()), folder.path(), &NoScenes);
    // `hasty` succeeds in every other of six episodes, with SPL 0.2, 0.4 and 0.6.
    assert!(page.contains(r#"<td class="n" data-v="0.5">0.500 <span class="ci">"#), "success");
    assert!(page.contains(r#">0.200 <span class="ci">"#), "SPL");
    // Only `careful` wins, three times: 2 / 2³.
    assert!(page.contains(r#"<td class="n">3</td><td class="n">3</td><td class="n">0</td>"#));
    assert!(page.contains("<span>0.250</span>"), "McNemar's exact test");
}

#[test]
fn hostile_names_are_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "<script>alert(1)</script>";
    let image = "\"><img src=x onerror='alert(1)'>";
    let odd = episode("'; </title></template><!--", script, image);
    let other = episode("b", "]]>\u{202e}\u{0}", "</svg><style>*{display:none}</style>");
    let mut failed = record(1, &other, false, 0.0);
    failed.status = Status::Failed;
    failed.reason = Some(format!("{script}{image}\u{1b}[2J"));
    let records = [record(0, &odd, true, 0.5), failed];
    let path = folder.path().join("a b\"<i>'&\u{fc}");
    write_run(&path, &format!("exec:{script}"), &records);
    let walk = Walk { actions: "FLS", blocked: false, seen: None, away_m: &|_| 0.05 };
    write_log(&path, &records[0], &log(&odd, &records[0], &walk));
    let second = folder.path().join("second");
    write_run(&second, image, &records);
    let page = page_of(&[path, second], folder.path(), &Paper);
    harmless(&page);
    assert!(page.contains("exec:&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!page.contains(['\u{202e}', '\u{0}', '\u{1b}']));
}

/// Numbers that no simulator writes, and yet a file may hold.
#[test]
fn absurd_numbers_draw_nothing_absurd() {
    let folder = tempfile::tempdir().expect("a folder");
    let all: Vec<_> = (0..5).map(|i| episode(&format!("{i}"), "flat", "bed")).collect();
    let mut records: Vec<_> =
        all.iter().enumerate().map(|(i, it)| record(i as u64, it, i % 2 == 0, 0.5)).collect();
    for (record, value) in records.iter_mut().zip([1e308, -1e308, -5.0, 1e6, 0.0]) {
        let scores = record.scores.as_mut().expect("scores");
        (scores.spl, scores.shortest_path_m, scores.path_length_m) = (value, value, value);
        scores.distance_to_goal = Some(value);
        scores.collisions = u64::MAX;
    }
    let path = folder.path().join("run");
    write_run(&path, "agent", &records);
    let page = page_of(
        &[path.clone(), path.join("../run2")].map(|path| {
            write_run(&path, "agent", &records);
            path
        }),
        folder.path(),
        &NoScenes,
    );
    harmless(&page);
    for tag in tags(&page) {
        for (name, value) in &tag.attributes {
            let drawn = ["d", "x", "y", "cx", "cy", "points"].contains(&name.as_str());
            assert!(!drawn || !(value.contains("NaN") || value.contains("inf")), "{name}={value}");
        }
    }
    parquet(
        &Report::gather(read_runs(&[path]).expect("a run"), &NoScenes, &|_| {}).columns(folder.path()),
    )
    .expect("a file");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_names_are_text(scene in ".{1,30}", category in ".{0,30}", agent in ".{0,30}", reason in ".{0,60}") {
        let folder = tempfile::tempdir().expect("a folder");
        let episode = episode("1", "flat", "bed");
        let mut one = record(0, &episode, true, 0.5);
        (one.scene, one.category) = (scene, category);
        let mut two = one.clone();
        (two.index, two.identity) = (1, "<é".to_owned());
        two.status = Status::Failed;
        two.reason = Some(reason);
        write_run(folder.path(), &agent, &[one, two]);
        harmless(&page_of(&[folder.path().to_path_buf()], folder.path(), &NoScenes));
    }
}
