//! Damaged input of every kind gives an error or a set, never a panic.

use ambler_episode::{parse_episodes, to_json};
use ambler_geometry::random::Stream;
use std::io::Write as _;

const SEEDS: [&str; 5] = [
    r#"{"episodes":[{"episode_id":"0","scene_id":"g/P.glb","start_position":[-2.1,0.1,0.9],"start_rotation":[0,0.86,0,-0.5],"info":{"geodesic_distance":1.4},"goals":[{"position":[-0.6,0.1,0.9],"radius":0.2}],"start_room":null,"shortest_paths":null}]}"#,
    r#"{"goals_by_category":{"T.glb_bed":[{"position":[1,2,3],"radius":null,"object_id":516,"object_name":"bed_516","object_name_id":null,"object_category":"bed","view_points":[{"agent_state":{"position":[1,0,3],"rotation":[0,1,0,0]},"iou":1.18}]}]},"episodes":[{"episode_id":"7","scene_id":"h/T.glb","start_position":[0,0,0],"start_rotation":[0,1,0,0],"goals":[],"object_category":"bed","children_object_categories":["sofa"]}],"category_to_task_category_id":{"bed":1},"category_to_mp3d_category_id":{"bed":11}}"#,
    r#"{"goals":{"T_10":{"position":[0,4,-4],"object_id":10,"object_category":"tv","view_points":[],"image_goals":[{"position":[0,0,0]},{"hfov":65}]}},"episodes":[{"episode_id":"1","scene_id":"h/T.basis.glb","start_position":[0,0,0],"start_rotation":[0,0.89,0,0.45],"goals":[],"goal_object_id":"10","goal_image_id":1}]}"#,
    r#"[{"id":"F_A_0","initial_horizon":30,"initial_orientation":150,"initial_position":{"x":3.7,"y":0.9,"z":-2.2},"object_type":"AlarmClock","scene":"F1","shortest_path":[{"x":3.7,"y":0,"z":-2.2},{"x":3.9,"y":0,"z":-1}],"shortest_path_length":5.5}]"#,
    r#"{"episodes":[{"episode_id":1,"trajectory_id":3,"scene_id":"mp3d/s/s.glb","start_position":[5,1,2],"start_rotation":[0,-0.79,0,0.6],"goals":[{"position":[1,-3,1],"radius":3.0}],"instruction":{"instruction_text":"go","instruction_tokens":[1,2]},"reference_path":[[1,2,3]]}],"instruction_vocab":{"word_list":["a"]}}"#,
];

/// Values that readers trip over.
const ABSURD: [&str; 14] = [
    "null",
    "-1",
    "1e999",
    "1e308",
    "18446744073709551616",
    "\"\"",
    "[]",
    "{}",
    "NaN",
    "true",
    "0.5",
    "[[[[]]]]",
    "{\"a\":{\"a\":{}}}",
    "\"\\ud800\"",
];

fn feed(bytes: &[u8]) {
    if let Ok(set) = parse_episodes(bytes, "fuzz.json".as_ref()) {
        // What was accepted can be used and written.
        for episode in &set.episodes {
            assert!(episode.start_position.is_finite() && !episode.task.goal_positions().is_empty());
            assert!(episode.start_pose().heading.yaw().is_finite());
        }
        let text = to_json(&set);
        let again = parse_episodes(text.as_bytes(), "again.json".as_ref());
        assert!(again.is_ok(), "{:?} from {text}", again.err());
    }
}

#[test]
fn sound_seeds_are_read() {
    for seed in SEEDS {
        let set = parse_episodes(seed.as_bytes(), "seed.json".as_ref());
        assert!(set.is_ok(), "{:?} from {seed}", set.err());
    }
}

#[test]
fn truncated_anywhere() {
    for seed in SEEDS {
        for end in 0..seed.len() {
            let error = parse_episodes(&seed.as_bytes()[..end], "fuzz.json".as_ref());
            assert!(error.is_err(), "accepted the first {end} bytes of {seed}");
        }
    }
}

#[test]
fn bits_flipped_and_values_replaced() {
    let mut stream = Stream::new(1, "episode formats", "fuzz");
    for seed in SEEDS {
        for _ in 0..4000 {
            let mut bytes = seed.as_bytes().to_vec();
            for _ in 0..=stream.index(3) {
                let at = stream.index(bytes.len());
                bytes[at] ^= 1 << stream.index(8);
            }
            feed(&bytes);
        }
        // Each value (what follows a colon, comma or bracket) in turn becomes each absurd one.
        for (at, _) in seed.match_indices([':', ',', '[']) {
            let rest = &seed[at + 1..];
            let end = rest.find([',', ']', '}']).unwrap_or(rest.len());
            for absurd in ABSURD {
                feed(format!("{}{absurd}{}", &seed[..=at], &rest[end..]).as_bytes());
            }
        }
    }
}

#[test]
fn compressed_and_damaged() {
    let mut stream = Stream::new(2, "episode formats", "fuzz");
    for seed in SEEDS {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(seed.as_bytes()).expect("memory");
        let whole = encoder.finish().expect("memory");
        for end in 0..whole.len() {
            assert!(
                parse_episodes(&whole[..end], "fuzz.json.gz".as_ref()).is_err(),
                "{end} of {}",
                whole.len()
            );
        }
        for _ in 0..2000 {
            let mut bytes = whole.clone();
            let at = stream.index(bytes.len());
            bytes[at] ^= 1 << stream.index(8);
            feed(&bytes);
        }
    }
}
