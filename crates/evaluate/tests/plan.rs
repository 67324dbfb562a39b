//! Which episodes a selection keeps, and what a wrong one is told.

mod common;

use ambler_evaluate::*;
use common::*;

fn select(selection: Selection) -> Result<Vec<u64>, String> {
    let plan = Plan::select(entries(24), &selection).map_err(|error| error.to_string())?;
    Ok(plan.entries().iter().map(|entry| entry.index).collect())
}

fn place(conditions: &[&str]) -> Result<Vec<u64>, String> {
    let conditions: Result<_, _> = conditions.iter().map(|text| text.parse()).collect();
    select(Selection {
        conditions: conditions.map_err(|error: EvaluateError| error.to_string())?,
        ..Selection::default()
    })
}

#[test]
fn filters_keep_the_order_of_the_set() {
    assert_eq!(place(&["category=chair"]), Ok(vec![0, 4, 8, 12, 16, 20]));
    assert_eq!(
        place(&["category=chair", "scene=room", "scene!=set/a/room.basis.glb"]),
        Ok(vec![4, 8, 16, 20])
    );
    assert_eq!(place(&["task!=objectnav"]), Ok(vec![2, 6, 10, 14, 18, 22]));
    assert_eq!(place(&["category= chair | bed", "episode_id=0"]), Ok(vec![0, 1]));
    assert_eq!(place(&["category="]), Ok(vec![2, 6, 10, 14, 18, 22]), "no category");
}

#[test]
fn an_episode_is_named_by_id_or_identity() {
    let select_ids = |ids: &[&str]| {
        select(Selection {
            episodes: ids.iter().map(|&id| id.to_owned()).collect(),
            ..Selection::default()
        })
    };
    assert_eq!(select_ids(&["2", "0"]), Ok(vec![0, 1, 2, 6, 7, 8]), "ids repeat across scenes");
    let identity = entries(24)[5].identity.clone();
    assert_eq!(select_ids(&[&identity[..12]]), Ok(vec![5]));
    let error = select_ids(&["nine"]).expect_err("no such episode");
    assert!(error.contains("'nine'") && error.contains("there are 0, 1, 2"), "{error}");
}

#[test]
fn wrong_filters_say_what_there_is() {
    for (text, parts) in [
        ("category", &["no '='"][..]),
        ("colour=red", &["unknown key 'colour'", "category, scene, task, episode_id"]),
        ("category=sofa", &["no episode is left", "category=sofa", "bed, chair", "(none)"]),
    ] {
        let error = place(&[text]).expect_err(text);
        parts.iter().for_each(|part| assert!(error.contains(part), "{part} in {error}"));
    }
    assert!(Plan::select(Vec::new(), &Selection::default()).is_err());
    assert!(select(Selection { limit: Some(0), ..Selection::default() }).is_err());
}

#[test]
fn a_limit_takes_the_first_or_draws_with_a_seed() {
    let limited = |limit, sample_seed| {
        select(Selection { limit: Some(limit), sample_seed, ..Selection::default() })
    };
    assert_eq!(limited(3, None), Ok(vec![0, 1, 2]));
    assert_eq!(limited(99, Some(1)), Ok((0..24).collect()));
    let drawn = limited(6, Some(1)).expect("drawn");
    assert_eq!(limited(6, Some(1)), Ok(drawn.clone()));
    assert_ne!(limited(6, Some(2)), Ok(drawn.clone()));
    assert!(drawn.is_sorted() && drawn.len() == 6 && drawn != [0, 1, 2, 3, 4, 5]);
}

#[test]
fn the_fingerprint_is_of_episodes_and_their_places() {
    let all = plan(10).fingerprint();
    assert_eq!(plan(10).fingerprint(), all);
    assert_ne!(plan(9).fingerprint(), all);
}
