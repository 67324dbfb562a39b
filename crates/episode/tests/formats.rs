//! What files may and may not say.

use ambler_episode::{
    EpisodeError, EpisodeSet, ReadOptions, Task, parse_episodes, read_episodes, read_episodes_with,
    to_json, write_episodes,
};
use std::io::Write as _;

fn parse(text: &str) -> Result<EpisodeSet, EpisodeError> {
    parse_episodes(text.as_bytes(), "set.json".as_ref())
}

fn episode(more: &str) -> String {
    format!(
        r#"{{"episode_id":"0","scene_id":"s/a.glb","start_position":[0,0,0],"start_rotation":[0,0,0,1]{more}}}"#
    )
}

fn set_of(episodes: &[String]) -> String {
    format!(r#"{{"episodes":[{}]}}"#, episodes.join(","))
}

const GOAL: &str = r#","goals":[{"position":[1,0,0],"radius":null}]"#;

/// The message of a refusal names the file and holds each of the words.
fn check_refused(text: &str, words: &[&str]) {
    let error = match parse(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    };
    for word in words.iter().chain(&["set.json"]) {
        assert!(error.contains(word), "'{word}' is not in: {error}");
    }
}

#[test]
fn refusals_name_place_and_remedy() {
    let with = |more: &str| set_of(&[episode(GOAL), episode(more)]);
    check_refused(&with(""), &["/episodes/1/goals", "without a goal", "never replaced"]);
    check_refused(&with(r#","goals":[]"#), &["/episodes/1/goals"]);
    check_refused(&with(r#","goals":[{"radius":0.2}]"#), &["/episodes/1/goals/0", "position"]);
    check_refused(&with(r#","goals":[{"position":null}]"#), &["/episodes/1/goals/0/position"]);
    check_refused(
        &with(r#","goals":[{"position":[1,2]}]"#),
        &["/episodes/1/goals/0/position", "3 numbers"],
    );
    check_refused(&with(r#","goals":[{"position":[1,2,3,4]}]"#), &["/episodes/1/goals/0/position"]);
    check_refused(&with(r#","goals":[{"position":[1,2,1e300]}]"#), &["/episodes/1/goals/0/position"]);
    check_refused(
        &with(r#","object_category":"chair""#),
        &["/episodes/1/object_category", "a.glb_chair"],
    );
    check_refused(&with(r#","goals":[],"tasks":[["chair","object",null]]"#), &["GOAT"]);
    let nan = with(GOAL).replace("\"start_position\":[0,0,0]", "\"start_position\":[0,NaN,0]");
    check_refused(&nan, &["/episodes/0/start_position", "line 1", "NaN"]);
    let zero = with(GOAL).replace("[0,0,0,1]", "[0,0,0,0]");
    check_refused(&zero, &["/episodes/0/start_rotation", "x, y, z, w"]);
    check_refused(
        &with(GOAL).replace("\"start_rotation\":[0,0,0,1]", "\"a\":1"),
        &["/episodes/0", "start_rotation"],
    );
    check_refused(&with(GOAL).replace("s/a.glb", "//"), &["/episodes/0/scene_id"]);
    check_refused("", &["empty"]);
    check_refused("{}", &["episodes"]);
    check_refused("{\"locations\":[]}", &["episodes", "locations"]);
    check_refused("42", &["episodes"]);
    check_refused("not json", &["line 1"]);
    check_refused("{\"episodes\":[]} trailing", &["line 1"]);
    check_refused("{\"episodes\":[", &["ends too early"]);
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    // In a key that nobody reads it is text; in one that is read it is refused.
    let kept = set_of(&[episode(&format!("{GOAL},\"deep\":{}", deep(100_000)))]);
    let set = parse(&kept).expect("kept as text");
    assert_eq!(to_json(&set).matches('[').count(), kept.matches('[').count());
    check_refused(&set_of(&[episode(&format!(",\"goals\":{}", deep(100_000)))]), &["/episodes/0/goals"]);
    check_refused(&deep(100_000), &[]);
}

#[test]
fn unknown_keys_come_back() {
    let text = r#"{"episodes":[{"episode_id":3,"scene_id":"s/a.glb","start_position":[0.1,0.0,-2.5],"start_rotation":[0.0,0.86832,0.0,-0.49601],"info":{"geodesic_distance":1.5,"x":{"y":[1,2.50,null]}},"goals":[{"position":[1.0,0.0,0.0],"radius":0.2,"color":"red"}],"start_room":null,"weird":[1e3,"\u00e9"]}],"version":"7"}"#;
    let set = parse(text).expect("sound");
    assert_eq!(to_json(&set), text);
    assert_eq!(set.extra.string("version").as_deref(), Some("7"));
    let Task::PointNav { goals } = &set.episodes[0].task else { panic!("a point goal") };
    assert_eq!(goals[0].extra.string("color").as_deref(), Some("red"));
}

#[test]
fn identity_is_of_content_alone() {
    let id = |text: &str| parse(&set_of(&[text.to_owned()])).expect("sound").episodes[0].identity;
    let base = id(&episode(GOAL));
    let same = [
        episode(GOAL).replace("\"0\"", "\"99\""),
        episode(GOAL).replace("s/a.glb", "/home/x/data/scene_datasets/s//a.glb"),
        episode(GOAL).replace("[0,0,0,1]", "[0,0,0,-1]"),
        episode(GOAL).replace("[0,0,0,1]", "[0,0,0,0.999994]"),
        episode(&format!("{GOAL},\"info\":{{\"geodesic_distance\":1}},\"start_room\":null")),
        episode(GOAL).replace("\"radius\":null", "\"radius\":0.2"),
    ];
    for text in same {
        assert_eq!(id(&text), base, "{text}");
    }
    let other = [
        episode(GOAL).replace("s/a.glb", "s/b.glb"),
        episode(GOAL).replace("[1,0,0]", "[1,0,0.001]"),
        episode(GOAL).replace("[0,0,0,1]", "[0,1,0,0]"),
        episode(GOAL).replace("\"start_position\":[0,0,0]", "\"start_position\":[0,0.1,0]"),
    ];
    for text in other {
        assert_ne!(id(&text), base, "{text}");
    }
    // Fixed for ever: results and random streams hang on it.
    assert_eq!(base.to_string(), blake3::hash(
        format!(
            r#"{{"category":"","goals":"{}","scene":"s/a.glb","start":{{"position":[0,0,0],"rotation":[0,0,0,1]}},"task":"pointnav"}}"#,
            blake3::hash(b"[[1,0,0]]")
        ).as_bytes()
    ).to_string());
}

#[test]
fn old_files_carry_goals_in_each_episode() {
    let goals = r#","object_category":"chair","goals":[{"position":[1,0,0],"radius":null,"object_id":5,"object_name":"chair_5","object_category":"chair","view_points":[{"agent_state":{"position":[1,0,1],"rotation":[0,0,0,1]},"iou":0.5}]}]"#;
    let set = parse(&set_of(&[episode(goals), episode(goals), episode(goals)])).expect("sound");
    assert_eq!((set.groups.len(), set.groups[0].key.as_str()), (1, "a.glb_chair"));
    let address = |index: usize| match &set.episodes[index].task {
        Task::ObjectNav { goals, .. } => goals.as_ptr(),
        _ => panic!("an object goal"),
    };
    assert_eq!(address(0), address(2), "goals are shared");
    // Written, the goals stand once, under their key.
    assert_eq!(to_json(&set).matches("chair_5").count(), 1);
}

#[test]
fn ovon_has_no_maps_text_ids_and_children() {
    let text = r#"{"goals_by_category":{"a.glb_table":[{"position":[0,0,0],"object_id":"table_12","view_points":[{"agent_state":{"position":[0,0,1],"rotation":[0,0,0,1]},"iou":null}]}],"a.glb_desk":[{"position":[5,0,0],"object_id":7,"view_points":[{"agent_state":{"position":[5,0,1],"rotation":[0,0,0,1]},"iou":0.1},{"agent_state":{"position":[5,0,2],"rotation":[0,0,0,1]},"iou":0.1}]}]},"episodes":[EP]}"#
        .replace("EP", &episode(r#","goals":[],"object_category":"table","children_object_categories":["desk","bench"]"#));
    let set = parse(&text).expect("sound");
    let episode = &set.episodes[0];
    assert_eq!(episode.goal_points().len(), 3, "view points of children count");
    let first = episode.task.object_goals().next().expect("a goal");
    assert_eq!(first.object_id.as_ref().and_then(|id| id.number()), Some(12));
    let again = parse(&to_json(&set)).expect("sound");
    assert_eq!(again.episodes[0].identity, episode.identity);
    assert!(!to_json(&set).contains("category_to"));
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(9));
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn folders_content_and_hidden_files() {
    let dir = tempfile::tempdir().expect("a folder");
    let content = dir.path().join("val/content");
    std::fs::create_dir_all(&content).expect("made");
    std::fs::write(dir.path().join("val/val.json.gz"), gzip(b"{\"episodes\":[]}")).expect("written");
    std::fs::write(
        content.join("b.json.gz"),
        gzip(set_of(&[episode(GOAL).replace("a.glb", "b.glb")]).as_bytes()),
    )
    .expect("written");
    std::fs::write(content.join("a.json"), set_of(&[episode(GOAL)])).expect("written");
    std::fs::write(content.join("._a.json.gz"), b"\0\x05\x16\x07Mac OS X").expect("written");
    let set = read_episodes(&dir.path().join("val/val.json.gz")).expect("sound");
    let scenes: Vec<&str> = set.episodes.iter().map(|episode| &*episode.scene_id).collect();
    assert_eq!(scenes, ["s/a.glb", "s/b.glb"], "content files by name");
    let noted = |word: &str| set.notes.iter().any(|note| note.contains(word));
    assert!(
        noted("0 episodes here, 2 content files loaded")
            && noted("._*")
            && noted("repeat across scenes")
    );
    assert_eq!(read_episodes(&dir.path().join("val")).expect("sound").episodes.len(), 2);
    assert_eq!(read_episodes(&content).expect("sound").episodes.len(), 2);

    // A pattern of its own, and one that leads away.
    let top = dir.path().join("val/top.json");
    std::fs::create_dir(dir.path().join("val/parts")).expect("made");
    std::fs::write(dir.path().join("val/parts/x_part.json"), set_of(&[episode(GOAL)])).expect("written");
    let pattern = |text: &str| {
        std::fs::write(&top, format!(r#"{{"episodes":[],"content_scenes_path":"{text}"}}"#))
            .expect("written");
        read_episodes(&top)
    };
    assert_eq!(pattern("{data_path}/parts/{scene}_part.json").expect("sound").episodes.len(), 1);
    for bad in [
        "{data_path}/../{scene}.json",
        "/etc/{scene}.json",
        "parts/x.json",
        "parts/{scene}/../../x.json",
    ] {
        let error = pattern(bad).expect_err("leads away").to_string();
        assert!(error.contains("/content_scenes_path"), "{error}");
    }
    assert!(read_episodes(&dir.path().join("nowhere.json")).is_err());
    std::fs::create_dir(dir.path().join("empty")).expect("made");
    let error = read_episodes(&dir.path().join("empty")).expect_err("no file").to_string();
    assert!(error.contains("no episode file"), "{error}");
}

#[test]
fn damaged_and_hostile_compression() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("set.json.gz");
    let good = gzip(set_of(&[episode(GOAL), episode(GOAL)]).as_bytes());
    std::fs::write(&path, &good[..good.len() - 9]).expect("written");
    let error = read_episodes(&path).expect_err("truncated").to_string();
    assert!(error.contains("ends too early") && error.contains("set.json.gz"), "{error}");
    // 300 MB of spaces in 300 kB.
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(9));
    bomb.write_all(b"{\"episodes\":[],\"x\":\"").expect("memory");
    for _ in 0..300 {
        bomb.write_all(&vec![b' '; 1_000_000]).expect("memory");
    }
    std::fs::write(&path, bomb.finish().expect("memory")).expect("written");
    let error = read_episodes(&path).expect_err("a bomb").to_string();
    assert!(error.contains("larger than is allowed"), "{error}");
    let options = ReadOptions { max_text_bytes: 100, ..ReadOptions::default() };
    std::fs::write(&path, set_of(&[episode(GOAL)])).expect("written");
    assert!(read_episodes_with(&path, &options).is_err(), "plain text is limited too");
    // Named .gz but plain: harmless.
    assert_eq!(read_episodes(&path).expect("sound").episodes.len(), 1);
}

#[test]
fn written_files_are_whole_and_stable() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = parse(&set_of(&[episode(GOAL)])).expect("sound");
    for name in ["a.json", "a.json.gz"] {
        let path = dir.path().join(name);
        write_episodes(&set, &path).expect("written");
        let first = std::fs::read(&path).expect("bytes");
        write_episodes(&set, &path).expect("written");
        assert_eq!(first, std::fs::read(&path).expect("bytes"));
        assert_eq!(read_episodes(&path).expect("sound").fingerprint(), set.fingerprint());
    }
    let left: Vec<_> = std::fs::read_dir(dir.path()).expect("listed").collect();
    assert_eq!(left.len(), 2, "no partial files stay");
    assert!(write_episodes(&set, &dir.path().join("no/such/a.json")).is_err());
}
