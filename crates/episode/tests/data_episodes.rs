//! Real episode files: what they hold is known from the data sets' own tools.

mod data;

use ambler_episode::{
    EpisodeSet, GoalGroup, Kind, ObjectId, SuccessRule, parse_episodes, read_episodes, to_json,
    write_episodes, write_split,
};
use std::sync::Arc;

fn geodesic(set: &EpisodeSet) -> (f64, f64, f64) {
    let all: Vec<f64> =
        set.episodes.iter().map(|episode| episode.stated_geodesic_m().expect("stated")).collect();
    let (least, most) = all.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    (least, most, all.iter().sum::<f64>() / all.len() as f64)
}

fn check_geodesic(set: &EpisodeSet, expected: (f64, f64, f64)) {
    let found = geodesic(set);
    for (found, expected) in [(found.0, expected.0), (found.1, expected.1), (found.2, expected.2)] {
        assert!((found - expected).abs() < 6e-6, "{found} instead of {expected}");
    }
}

fn views(group: &GoalGroup) -> usize {
    group.goals.iter().map(|goal| goal.view_points.len()).sum()
}

fn check_groups(set: &EpisodeSet, prefix: &str, expected: &[(&str, usize, usize)]) {
    assert_eq!(set.groups.len(), expected.len());
    for &(name, goals, view_points) in expected {
        let key = format!("{prefix}{name}");
        let group =
            set.groups.iter().find(|group| group.key == key).unwrap_or_else(|| panic!("no {key}"));
        assert_eq!((group.goals.len(), views(group)), (goals, view_points), "{key}");
    }
}

/// Episodes of one key share one list of goals.
fn check_shared(set: &EpisodeSet) {
    for episode in &set.episodes {
        if let ambler_episode::Task::ObjectNav { goals, .. } = &episode.task {
            let key = episode.goals_key();
            let group = set.groups.iter().find(|group| group.key == key).expect("a group");
            assert!(Arc::ptr_eq(&group.goals, goals), "{key} is copied");
        }
    }
}

/// Written and read again, a set is the same to the last key; written twice, the same bytes.
fn check_round_trip(set: &EpisodeSet) {
    let text = to_json(set);
    let again = parse_episodes(text.as_bytes(), "again.json".as_ref()).expect("what we write we read");
    assert_eq!(again.episodes.len(), set.episodes.len());
    for (a, b) in set.episodes.iter().zip(&again.episodes) {
        assert_eq!(a.identity, b.identity, "{}", a.episode_id);
        assert_eq!((&a.episode_id, &a.scene_id), (&b.episode_id, &b.scene_id));
        assert_eq!((&a.info, &a.extra, &a.task), (&b.info, &b.extra, &b.task));
        assert_eq!((a.start_position, a.start_rotation), (b.start_position, b.start_rotation));
    }
    assert_eq!(set.task_category_ids, again.task_category_ids);
    assert_eq!(set.annotation_category_ids, again.annotation_category_ids);
    assert_eq!(set.groups.len(), again.groups.len());
    assert_eq!(text, to_json(&again));
}

const HM3D: &str = "terms/hm3d_habitat_challenge_2023/objectnav/hm3d/v2/val_mini/val_mini.json.gz";

#[test]
fn hm3d_objectnav_v2() {
    let Some(path) = data::find(HM3D) else { return };
    let set = read_episodes(&path).expect("a sound data set");
    assert_eq!((set.kind(), set.episodes.len()), (Kind::ObjectNav, 15));
    assert!(
        set.notes.iter().any(|note| note == "0 episodes here, 1 content files loaded"),
        "{:?}",
        set.notes
    );
    check_groups(
        &set,
        "TEEsavR23oF.basis.glb_",
        &[
            ("tv_monitor", 1, 173),
            ("bed", 2, 1044),
            ("chair", 12, 2727),
            ("toilet", 2, 139),
            ("sofa", 3, 1238),
            ("plant", 11, 1009),
        ],
    );
    check_geodesic(&set, (1.05396, 10.1391, 5.60264));
    let first = &set.episodes[0];
    assert_eq!(first.episode_id, "7");
    assert_eq!(&*first.scene_id, "hm3d_v0.2/minival/00800-TEEsavR23oF/TEEsavR23oF.basis.glb");
    assert_eq!(first.start_position.to_array(), [-3.99935, 0.01338, -2.67815]);
    assert_eq!(first.category(), "bed");
    assert_eq!(first.info.number("euclidean_distance"), Some(4.94411));
    assert_eq!(first.info.number("closest_goal_object_id"), Some(516.0));
    let norm: f64 = first.start_rotation.iter().map(|value| value * value).sum();
    assert!((norm - 1.0).abs() < 1e-15, "rounded to five decimals in the file, unit here: {norm}");
    let highest =
        set.groups.iter().flat_map(|group| group.goals.iter()).flat_map(|goal| &goal.view_points);
    assert!(highest.filter_map(|view| view.iou).any(|iou| iou > 1.0), "iou is not confined to 0..1");
    assert_eq!(set.task_category_ids.len(), 6);
    assert_eq!(set.annotation_key, "category_to_scene_annotation_category_id");
    assert_eq!(SuccessRule::for_task(&first.task).to_string(), "objectnav");
    assert_eq!(first.goal_points().len(), 1044);
    check_shared(&set);
    check_round_trip(&set);
    // The folder names the same data set as its top file.
    let folder = read_episodes(path.parent().expect("a folder")).expect("the same");
    assert_eq!(folder.fingerprint(), set.fingerprint());
}

#[test]
fn hm3d_instance_imagenav_v3() {
    let Some(path) = data::find(
        "terms/hm3d_habitat_challenge_2023/instance_imagenav/hm3d/v3/val_mini/val_mini.json.gz",
    ) else {
        return;
    };
    let set = read_episodes(&path).expect("a sound data set");
    assert_eq!((set.kind(), set.episodes.len(), set.groups.len()), (Kind::InstanceImageNav, 27, 20));
    let pictures: usize = set
        .groups
        .iter()
        .map(|group| {
            group.goals[0].extra.get("image_goals").expect("pictures").as_array().map_or(0, Vec::len)
        })
        .sum();
    assert_eq!(pictures, 616);
    assert_eq!(set.groups.iter().map(views).sum::<usize>(), 4001);
    check_geodesic(&set, (2.99675, 15.64542, 8.89164));
    assert_eq!(set.groups[0].goals[0].object_id, Some(ObjectId::Number(10)));
    check_round_trip(&set);
}

#[test]
fn mp3d_challenge_2021() {
    let Some(path) = data::find("terms/habitat_challenge_2021/objectgoal_mp3d_val_mini.json.gz") else {
        return;
    };
    let set = read_episodes(&path).expect("a sound data set");
    assert_eq!(set.episodes.len(), 30);
    check_groups(
        &set,
        "x8F5xyUWy9e.glb_",
        &[
            ("towel", 5, 666),
            ("cabinet", 3, 125),
            ("chair", 8, 2184),
            ("plant", 2, 318),
            ("table", 4, 1253),
            ("counter", 2, 412),
            ("bed", 1, 307),
            ("seating", 2, 667),
        ],
    );
    check_geodesic(&set, (1.4278, 13.65876, 6.34716));
    assert_eq!(set.annotation_key, "category_to_mp3d_category_id");
    // Recorded actions are kept as the file has them.
    assert!(
        set.episodes[0]
            .extra
            .text("shortest_paths")
            .is_some_and(|text| text.starts_with("[[{\"position\":null"))
    );
    check_shared(&set);
    check_round_trip(&set);
}

#[test]
fn gibson_pointnav_v2() {
    let Some(path) = data::find("terms/habitat_challenge_2021/pointgoal_gibson_v2_Pablo.json.gz") else {
        return;
    };
    let set = read_episodes(&path).expect("a sound data set");
    assert_eq!((set.kind(), set.episodes.len()), (Kind::PointNav, 30));
    check_geodesic(&set, (1.46981, 9.24977, 4.23349));
    for episode in &set.episodes {
        let ambler_episode::Task::PointNav { goals } = &episode.task else { panic!("a point goal") };
        assert_eq!(goals[0].radius, Some(0.2));
    }
    assert_eq!(&*set.episodes[0].scene_id, "gibson/Pablo.glb");
    check_round_trip(&set);
}

#[test]
fn r2r_vlnce_val_seen() {
    let Some(path) = data::find("terms/mp3d_r2r_vlnce_v1-2/val_seen/val_seen.json.gz") else { return };
    let set = read_episodes(&path).expect("a sound data set");
    assert_eq!((set.kind(), set.episodes.len()), (Kind::PointNav, 778));
    let mut identities: Vec<_> = set.episodes.iter().map(|episode| episode.identity).collect();
    identities.sort();
    identities.dedup();
    // Three people described each path: the instruction is part of what an episode is. A few
    // wrote the same words.
    assert!(identities.len() > 770, "{} different episodes", identities.len());
    assert!(set.episodes[0].instruction().is_some_and(|text| text.starts_with("Walk down the stairs")));
    check_round_trip(&set);
    // The folder holds recorded actions too, which are no episodes.
    let folder = read_episodes(path.parent().expect("a folder")).expect("the same");
    assert_eq!(folder.episodes.len(), 778);
}

#[test]
fn robothor_val() {
    let Some(path) = data::find("ok/robothor_objectnav_episodes/val") else { return };
    let set = read_episodes(&path).expect("a sound data set");
    assert_eq!((set.kind(), set.episodes.len(), set.scenes().len()), (Kind::ObjectNav, 15 * 120, 15));
    let first = &set.episodes[0];
    assert_eq!(
        (first.episode_id.as_str(), first.category()),
        ("FloorPlan_Val1_1_AlarmClock_0", "AlarmClock")
    );
    assert_eq!(first.stated_geodesic_m(), Some(3.9881372734590386));
    // Unity's +z is ahead; ours is −z. 30° clockwise from there is a yaw of −30°.
    assert_eq!(first.start_position.to_array(), [4.75, 0.010180533, 1.5]);
    assert!((first.start_pose().heading.yaw() + 30f64.to_radians()).abs() < 1e-9);
    // The path's length over the floor is what its points give.
    let end = first.goal_points()[0];
    assert!(f64::from(first.start_position.distance(end)) <= 3.9882);
    check_shared(&set);
    check_round_trip(&set);
    let train = read_episodes(&data::find("ok/robothor_objectnav_episodes/train").expect("beside val"))
        .expect("sound");
    assert_eq!(train.episodes.len(), 1800);
}

#[test]
fn fifty_thousand_episodes_share_their_goals() {
    let Some(path) = data::find("terms/mp3d_objectnav_17DRP5sb8fy/train/train.json.gz") else { return };
    // Alone in its process this says what a set costs (cargo test -- --exact).
    let before = resident_mib();
    let start = std::time::Instant::now();
    let set = read_episodes(&path).expect("a sound data set");
    let seconds = start.elapsed().as_secs_f64();
    println!("50,000 episodes in {seconds:.2} s, {:.0} MiB more resident", resident_mib() - before);
    assert_eq!(set.episodes.len(), 50_000);
    assert!(set.notes.iter().any(|note| note == "0 episodes here, 1 content files loaded"));
    assert_eq!(set.task_category_ids.len(), 21);
    check_shared(&set);
    let dir = tempfile::tempdir().expect("a folder");
    let one = dir.path().join("one.json.gz");
    write_episodes(&set, &one).expect("written");
    assert_eq!(read_episodes(&one).expect("read").fingerprint(), set.fingerprint());
    let first = std::fs::read(&one).expect("bytes");
    write_episodes(&set, &one).expect("written");
    assert_eq!(first, std::fs::read(&one).expect("bytes"), "the same bytes each time");
    let files = write_split(&set, &dir.path().join("split"), "train").expect("written");
    let split = read_episodes(&files[0]).expect("read");
    assert_eq!(split.fingerprint(), set.fingerprint());
}

#[test]
fn gibson_episodes_without_goals_are_refused_with_a_remedy() {
    // The layout of SemExp's files: a category, an object id and a floor, but no goal.
    let text = br#"{"episodes":[{"episode_id":0,"scene_id":"gibson_semantic/Corozal.glb","start_position":[0,0,0],
        "start_rotation":[0,0,0,1],"object_category":"bed","object_id":3,"floor_id":0}]}"#;
    let error = parse_episodes(text, "Corozal_episodes.json".as_ref()).expect_err("no goal");
    let message = error.to_string();
    assert!(
        message.contains("/episodes/0/object_category") && message.contains("Corozal.glb_bed"),
        "{message}"
    );
    assert!(message.contains("never replaced"), "{message}");
}

/// Resident memory of this process in MiB; 0 where the system does not say.
fn resident_mib() -> f64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else { return 0.0 };
    text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0
        / 1048576.0
}
