//! Means, groups, comparisons and their tables, against arithmetic done by hand.

mod common;

use ambler_evaluate::report::{Style, render_comparison, render_summary};
use ambler_evaluate::*;
use common::*;

fn scored(index: u64, category: &str, success: f64, spl: f64) -> EpisodeRecord {
    let mut entry = entries(index + 1).pop().expect("an entry");
    entry.category = category.to_owned();
    entry.task = if category.is_empty() { "pointnav" } else { "objectnav" }.to_owned();
    let mut record = EpisodeRecord::blank(&entry, Status::Done, None);
    record.steps = 10;
    record.success_rule = entry.task;
    record.scores = Some(Scores {
        success,
        spl,
        soft_spl: spl,
        distance_to_goal: Some(1.0),
        path_length_m: 2.0,
        shortest_path_m: 1.0,
        collisions: 2,
    });
    record
}

fn refused(index: u64, status: Status, reason: &str) -> EpisodeRecord {
    let entry = entries(index + 1).pop().expect("an entry");
    EpisodeRecord::blank(&entry, status, Some(reason.to_owned()))
}

/// SPL of Anderson et al. 2018: success · shortest / max(shortest, path), averaged over episodes.
#[test]
fn means_are_over_valid_episodes_alone() {
    let mut crashed = scored(3, "bed", 0.0, 0.0);
    crashed.status = Status::Failed;
    crashed.reason = Some("the agent's program ended".to_owned());
    let records = [
        scored(0, "", 1.0, 0.5),
        scored(1, "bed", 1.0, 1.0),
        scored(2, "chair", 0.0, 0.0),
        crashed,
        refused(4, Status::Invalid, "start and goal on different islands"),
        refused(5, Status::Invalid, "start and goal on different islands"),
        refused(6, Status::Fault, "the simulation panicked: x"),
    ];
    let summary = Summary::of(&records.iter().collect::<Vec<_>>(), 1);
    let all = &summary.overall;
    assert_eq!((all.episodes, all.valid, all.failed, all.invalid, all.faults), (7, 4, 1, 2, 1));
    assert_eq!(all.mean("success"), Some(0.5));
    assert_eq!(all.mean("spl"), Some(0.375));
    assert_eq!(all.mean("distance_to_goal"), Some(1.0));
    assert_eq!(all.mean("collisions"), Some(2.0));
    assert_eq!(summary.reasons[0].episodes, 2);
    assert_eq!(summary.reasons[0].status, Status::Invalid);
    let bed = summary.categories.iter().find(|group| group.category == "bed").expect("beds");
    assert_eq!((bed.valid, bed.mean("success")), (2, Some(0.5)));
    assert_eq!(summary.success_rules, ["objectnav", "pointnav"]);
    let json = summary.to_json(Some(&Timing { steps_per_second: 5.5, ..Timing::default() }));
    for (key, value) in [
        ("episodes", 7.0),
        ("valid", 4.0),
        ("success", 0.5),
        ("spl", 0.375),
        ("soft_spl", 0.375),
        ("distance_to_goal", 1.0),
        ("steps_per_second", 5.5),
    ] {
        assert_eq!(json[key].as_f64(), Some(value), "{key}");
    }
}

#[test]
fn nothing_valid_is_no_mean_rather_than_zero() {
    let records = [refused(0, Status::Invalid, "no floor"), refused(1, Status::Invalid, "no floor")];
    let summary = Summary::of(&records.iter().collect::<Vec<_>>(), 1);
    assert_eq!(summary.overall.mean("success"), None);
    assert!(summary.to_json(None)["success"].is_null());
    let text = render_summary(&summary, Style::Unicode, Some(80));
    assert!(text.contains("2 episodes invalid, not averaged:\n  2 × no floor"), "{text}");
    let empty = Summary::of(&[], 1);
    assert_eq!(empty.overall.episodes, 0);
    render_summary(&empty, Style::Ascii, Some(1));
}

#[test]
fn an_infinite_distance_is_counted_apart() {
    let mut lost = scored(0, "", 0.0, 0.0);
    lost.scores.as_mut().expect("scores").distance_to_goal = None;
    let records = [lost, scored(1, "", 1.0, 1.0)];
    let summary = Summary::of(&records.iter().collect::<Vec<_>>(), 1);
    let distance = summary.overall.estimate("distance_to_goal").expect("an estimate");
    assert_eq!((distance.count, distance.mean), (1, Some(1.0)));
    assert_eq!(summary.to_json(None)["distance_infinite"], 1);
}

/// The interval of a group depends on its episodes and the seed, not on which other groups the run
/// has.
#[test]
fn intervals_belong_to_their_group() {
    let records: Vec<EpisodeRecord> = entries(80).iter().map(record_of).collect();
    let all = Summary::of(&records.iter().collect::<Vec<_>>(), 4);
    let chairs: Vec<&EpisodeRecord> =
        records.iter().filter(|record| record.category == "chair").collect();
    let alone = Summary::of(&chairs, 4);
    let of = |summary: &Summary| {
        let group = summary.categories.iter().find(|group| group.category == "chair").cloned();
        group.expect("chairs").estimate("spl").cloned()
    };
    assert_eq!(of(&all), of(&alone));
    let interval = all.overall.estimate("spl").and_then(|spl| spl.interval).expect("an interval");
    let mean = all.overall.mean("spl").expect("a mean");
    assert!(interval.low < mean && mean < interval.high);
    assert_ne!(
        all,
        Summary::of(&records.iter().collect::<Vec<_>>(), 5),
        "another seed, other resamples"
    );
}

/// Two runs that differ by a constant: the paired difference is that constant, without spread,
/// though the episodes themselves spread widely.
#[test]
fn a_comparison_is_paired_by_content() {
    let first: Vec<EpisodeRecord> = (0..20).map(|i| scored(i, "bed", 1.0, i as f64 / 40.0)).collect();
    let mut second: Vec<EpisodeRecord> =
        (0..20).map(|i| scored(i, "bed", 1.0, i as f64 / 40.0 + 0.25)).collect();
    second[7].scores.as_mut().expect("scores").success = 0.0;
    second.reverse();
    second.push(scored(20, "bed", 1.0, 1.0));
    for record in &mut second {
        record.index += 1000; // position in another set
    }
    let comparison = compare(&first, &second, 9);
    assert_eq!((comparison.pairs, comparison.only_first, comparison.only_second), (20, 0, 1));
    assert_eq!((comparison.first_wins, comparison.second_wins), (1, 0));
    let spl = comparison.measures.iter().find(|measure| measure.name == "spl").expect("SPL");
    assert!((spl.difference.expect("a difference") - 0.25).abs() < 1e-12);
    let [low, high] = spl.interval.expect("an interval");
    assert!((low - 0.25).abs() < 1e-12 && (high - 0.25).abs() < 1e-12);
    let text = render_comparison(&comparison, ["greedy", "oracle"], Style::Unicode, Some(100));
    // The note is wrapped to the terminal's width.
    let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwrapped.contains("+0.250") && unwrapped.contains("1 of oracle"), "{text}");
}

#[test]
fn tables_fit_their_terminal() {
    let records: Vec<EpisodeRecord> = entries(80).iter().map(record_of).collect();
    let summary = Summary::of(&records.iter().collect::<Vec<_>>(), 4);
    for width in [50, 60, 70, 80, 100, 120, 160] {
        for style in [Style::Unicode, Style::Ascii] {
            let text = render_summary(&summary, style, Some(width));
            for line in text.lines().filter(|line| !line.contains("×") && !line.contains(" x ")) {
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert_eq!(line, line.trim_end());
            }
            assert!(style != Style::Ascii || text.is_ascii());
        }
    }
    let wide = render_summary(&summary, Style::Unicode, None);
    for part in [
        "all",
        "objectnav",
        "  chair",
        "pointnav",
        "SPL",
        "less than 0.1 m from a view point (objectnav)",
    ] {
        assert!(wide.contains(part), "{part} in\n{wide}");
    }
    let narrow = render_summary(&summary, Style::Unicode, Some(60));
    assert!(wide.contains('[') && !narrow.contains('['), "{narrow}");
    let markdown = render_summary(&summary, Style::Markdown, Some(20));
    assert!(markdown.contains("tv\\|monitor"), "{markdown}");
}
