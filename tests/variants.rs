//! Variants of homes from the outside: the same bytes for any number of workers, resumed where they were
//! interrupted, read back by Ambler and by Habitat's rules, and looked for.

mod common;

use common::{json, run};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Everything in a folder by relative path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut stack = vec![folder.to_path_buf()];
    while let Some(at) = stack.pop() {
        for entry in std::fs::read_dir(&at).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                stack.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("inside").to_path_buf();
                found.insert(name, std::fs::read(&path).expect("a readable file"));
            }
        }
    }
    found
}

#[track_caller]
fn same(one: &BTreeMap<PathBuf, Vec<u8>>, two: &BTreeMap<PathBuf, Vec<u8>>) {
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, bytes) in one {
        assert!(*bytes == two[name], "{} differs", name.display());
    }
}

#[test]
fn variants_do_not_depend_on_workers_or_interruptions_and_can_be_looked_for() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let at = scratch.path();
    let home = root().join("scenes/maple_studio");
    let home = home.to_str().expect("a plain path");
    let make = |out: &str, workers: &str, variants: &str| {
        let arguments = [
            "generate",
            "variants",
            home,
            "--out",
            out,
            "--variants",
            variants,
            "--objects",
            "12",
            "--seed",
            "5",
            "--workers",
            workers,
            "--json",
        ];
        json(at, &arguments)
    };
    let first = make("one", "1", "2");
    assert_eq!(first["variants"], 2);
    assert!(first["objects"].as_u64().is_some_and(|count| count >= 14), "{first}");
    // Interrupted after the first variant: the last file that is written is missing, and one is torn.
    make("four", "4", "1");
    let whole = files(&at.join("one"));
    std::fs::write(at.join("four/analysis/maple_studio/5_surfaces.json"), "{").expect("written");
    let second = make("four", "4", "2");
    assert_eq!(second["kept"], 1, "the first variant is taken as it is");
    same(&whole, &files(&at.join("four")));

    // Nothing moves afterwards.
    let check = json(at, &["variants", "check", "one", "--json"]);
    assert_eq!(check["moved"], serde_json::json!([]), "{check}");
    assert_eq!(check["objects"], first["objects"]);

    // Ambler reads it: every placed thing is an instance where the provenance says.
    let why = json(at, &["variants", "explain", "one", "maple_studio_v001", "--json"]);
    let scene = json(at, &["scene", "inspect", "one/maple_studio_v001.ron", "--json"]);
    let placed = why["objects"].as_array().expect("a list");
    let text = scene.to_string();
    for object in placed {
        let chance = object["chances"]["joint"].as_f64().expect("a number");
        assert!(chance > 0.0 && chance < 1.0);
        assert!(!object["surface"].as_str().expect("a name").is_empty());
    }
    assert!(text.contains("maple_studio_v001"), "{text}");

    // Episodes: one for each category of each variant, the same when made again.
    let arguments = ["generate", "objectnav", "one", "--json"];
    let made = json(at, &arguments);
    let count = made["episodes"].as_u64().expect("a number");
    assert!(count >= 10, "{made}");
    assert!((made["expected"].as_f64().expect("a number") - count as f64).abs() < 1e-6);
    let before = files(&at.join("one/episodes"));
    std::fs::remove_file(at.join("one/episodes/variants/maple_studio_v001.report.json"))
        .expect("removed");
    let again = json(at, &arguments);
    assert_eq!(again["kept"], 1);
    same(&before, &files(&at.join("one/episodes")));
    let check =
        json(at, &["episodes", "check", "one/episodes/objectnav.json.gz", "--scenes", "one", "--json"]);
    assert_eq!(check["episodes"], count, "{check}");
    // Categories have the ids that Habitat's semantic images show.
    let set = ambler_episode::read_episodes(&at.join("one/episodes/objectnav.json.gz")).expect("read");
    let lexicon = std::fs::read(at.join("one/semantics/lexicon.json")).expect("there");
    let lexicon: serde_json::Value = serde_json::from_slice(&lexicon).expect("JSON");
    let classes = lexicon["classes"].as_array().expect("a list");
    assert!(set.annotation_category_ids.len() >= 10);
    for (category, id) in &set.annotation_category_ids {
        assert!(classes.iter().any(|class| class["name"] == **category && class["id"] == *id));
    }
    let stats = json(at, &["variants", "stats", "one", "--out", "stats.html", "--json"]);
    assert_eq!(stats["episodes"], count);
    assert_eq!(stats["variants"], 2);
    let page = std::fs::read_to_string(at.join("stats.html")).expect("a page");
    assert!(page.contains("paper: SD-OVON-3k") && page.contains("2897") && page.contains("<svg"));
    another_seed_wants_another_folder(at, home);
    decided(at, count);
}

/// Regenerated with another seed the folder's scenes were overwritten, while episodes and decisions stayed.
#[track_caller]
fn another_seed_wants_another_folder(at: &Path, home: &str) {
    let before = files(&at.join("one"));
    let arguments = ["generate", "variants", home, "--out", "one", "--variants", "2", "--objects", "12"];
    let output = run(at, &[&arguments[..], &["--seed", "6"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("seed 5, and not 6"), "{errors}");
    same(&before, &files(&at.join("one")));
}

/// What a person rejects is left out, said, and comes back when the decision is taken back.
fn decided(at: &Path, count: u64) {
    let sheet = |out: &str, more: &[&str]| {
        let arguments = ["variants", "sheet", "one", "--side", "64", "--out", out];
        let output = run(at, &[&arguments, more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(at.join(out)).expect("a page")
    };
    let page = sheet("variants.html", &[]);
    assert!(page.contains("maple_studio_v000") && page.contains("maple_studio_v001"));
    // Episodes are called by what they are; the page has their names.
    let page = sheet("episodes.html", &["--episodes"]);
    let names: Vec<&str> = page
        .split(r#""name":""#)
        .skip(1)
        .filter_map(|part| part.split('"').next())
        .filter(|name| name.starts_with("maple_studio_v000/"))
        .collect();
    assert!(names.len() >= 5, "{names:?}");
    let before = files(&at.join("one/episodes"));
    let set = ["episodes", "inspect", "one/episodes/objectnav.json.gz", "--json"];
    let decide = |text: &str| std::fs::write(at.join("one/decisions.ron"), text).expect("written");
    decide(&format!(
        "(version: 1, variants: {{\"maple_studio_v001\": Reject, \"gone_v000\": Reject}}, episodes: {{\"{}\": Reject, \"{}\": Accept}})",
        names[0], names[1]
    ));
    let made = json(at, &["generate", "objectnav", "one", "--json"]);
    assert_eq!(made["rejected_variants"], 1, "{made}");
    assert_eq!(made["rejected_episodes"], 1, "{made}");
    assert_eq!(made["episodes"], names.len() as u64 - 1, "{made}");
    assert_eq!(json(at, &set)["episodes"], names.len() as u64 - 1, "what is read is what was written");
    let why = json(at, &["variants", "explain", "one", "--json"]);
    assert_eq!(why["rejected_variants"], serde_json::json!(["maple_studio_v001"]), "{why}");
    assert_eq!(why["rejected_episodes"], serde_json::json!([names[0]]), "{why}");
    let why = json(at, &["variants", "explain", "one", "maple_studio_v001", "--json"]);
    assert_eq!(why["rejected"], true, "{why}");
    // An agent that remembers what the analysis found, not what is annotated, looks for two of them.
    let looked = [
        "eval",
        "one/episodes/objectnav.json.gz",
        "--scenes",
        "one",
        "--agent",
        "random-astar",
        "--memory",
    ];
    let rest = ["--limit", "2", "--quiet", "--json", "--out", "remembered"];
    let known = [&looked[..], &["one"], &rest[..]].concat();
    let done = json(at, &known);
    assert_eq!(done["episodes"], 2, "{done}");
    let manifest = std::fs::read_to_string(at.join("remembered/manifest.json")).expect("a manifest");
    assert!(manifest.contains("memory of surfaces found by analysis "), "{manifest}");
    std::fs::create_dir(at.join("empty")).expect("a folder");
    let output = run(at, &[&looked[..], &["empty"], &rest[..]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("ambler generate variants"), "{error}");

    let stats = json(at, &["variants", "stats", "one", "--json"]);
    assert_eq!(stats["variants"], 1);
    assert_eq!(stats["episodes"], names.len() as u64 - 1);
    // A file that cannot be read is an error with its line, before anything is made.
    decide("(version: 1, variants: {\n    \"maple_studio_v001\": Perhaps,\n})");
    for arguments in [&["generate", "objectnav", "one"][..], &["variants", "explain", "one"]] {
        let output = run(at, arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{errors}");
        assert!(errors.contains("decisions.ron") && errors.contains("line 2"), "{errors}");
        assert!(errors.contains("mend the line"), "{errors}");
    }
    decide("(version: 1, variants: {\"maple_studio_v000\": Reject, \"maple_studio_v001\": Reject})");
    let output = run(at, &["generate", "objectnav", "one"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!at.join("one/episodes/content").exists(), "rejected episodes cannot be run");
    // Taken back, everything is as it was.
    std::fs::remove_file(at.join("one/decisions.ron")).expect("removed");
    assert_eq!(json(at, &["generate", "objectnav", "one", "--json"])["episodes"], count);
    same(&before, &files(&at.join("one/episodes")));
}

#[test]
fn what_cannot_be_made_is_said() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let home = root().join("scenes/maple_studio");
    let home = home.to_str().expect("a plain path");
    for (arguments, code, says) in [
        (vec!["generate", "variants", home, "--out", "x", "--detector", "magic"], 2, "no detector"),
        (
            vec!["generate", "variants", home, "--out", "x", "--knowledge", "magic"],
            2,
            "no knowledge table",
        ),
        (vec!["generate", "variants", home, home, "--out", "x", "--objects", "1"], 2, "two homes"),
        (vec!["generate", "variants", "nowhere", "--out", "x"], 3, "nowhere"),
        (vec!["variants", "explain", "nowhere"], 3, "variants.json"),
    ] {
        let output = run(scratch.path(), &arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(says), "{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}
