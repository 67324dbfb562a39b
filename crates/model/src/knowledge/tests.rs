use super::{Knowledge, PAPER_RECEPTACLES, TableChoice, read};
use crate::{FLOOR, Region, Relevance};
use ambler_scene::library::Library;
use proptest::prelude::*;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn every_shipped_line_is_read() {
    let counted: usize = read::shipped_texts().iter().map(|(text, _)| text.lines().count() - 1).sum();
    assert_eq!(Knowledge::shipped().entries().len(), counted);
    assert_eq!(read::shipped_texts().map(|(text, lines)| text.lines().count() - 1 - lines), [0, 0]);
}

#[test]
fn the_library_and_the_shipped_homes_are_known() {
    let table = Knowledge::shipped();
    let library = Library::read(&root().join("assets/objects")).unwrap();
    assert!(library.categories.len() >= 73);
    for category in &library.categories {
        let entry = table.find(&category.name).unwrap_or_else(|| panic!("{} is unknown", category.name));
        assert!(entry.movable, "{}", category.name);
        assert!(entry.regions.iter().any(|score| *score >= 4.0), "{} is at home nowhere", entry.name);
        assert!(entry.receptacles.iter().any(|score| *score >= 4.0), "{} lies nowhere", entry.name);
    }
    // Rooms, walls and the like are no things.
    let not_things = ["room", "office", "closet", "hallway", "entryway", "kitchen"];
    for scene in std::fs::read_dir(root().join("scenes")).unwrap() {
        let Ok(text) = std::fs::read_to_string(scene.unwrap().path().join("scene.ron")) else {
            continue;
        };
        for (_, rest) in text.match_indices("category: \"").map(|(at, m)| (at, &text[at + m.len()..])) {
            let name = rest.split('"').next().unwrap();
            let known = ambler_scene::is_structural(name)
                || not_things.iter().any(|end| name.ends_with(end))
                || table.find(name).is_some();
            assert!(known, "{name} of a shipped scene is unknown");
        }
    }
}

#[test]
fn the_papers_receptacles_hold_things() {
    let table = Knowledge::shipped();
    for receptacle in
        PAPER_RECEPTACLES.into_iter().chain(["coffee table", "kitchen counter", "tv_stand"])
    {
        assert!(table.is_receptacle(receptacle), "{receptacle}");
        assert!(!table.receptacle_columns(receptacle).is_empty());
    }
    assert!(!table.is_receptacle("toilet") && !table.is_receptacle("chair"));
    // A couch is a sofa; a table is as good as the better of dining and coffee table.
    assert_eq!(table.receptacle_columns("couch"), table.receptacle_columns("sofa"));
    assert_eq!(table.receptacle_columns("table"), [0, 2]);
}

#[test]
fn chances_are_chances_in_every_table() {
    for table in [Knowledge::shipped(), Knowledge::activities(), Knowledge::shipped().shuffled(3)] {
        let objects = table.vocabulary();
        for region in Region::ALL {
            for receptacle in PAPER_RECEPTACLES {
                let joint = table.joint(&objects, region, receptacle).unwrap();
                assert!((joint.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                assert!(joint.iter().all(|chance| *chance >= FLOOR / 1.2));
            }
        }
    }
}

#[test]
fn things_are_where_people_have_them() {
    for table in [Knowledge::shipped(), Knowledge::activities()] {
        let best = |goal: &str| {
            let chances = table.goal_by_region(goal).unwrap();
            Region::ALL.into_iter().max_by(|a, b| chances[a.index()].total_cmp(&chances[b.index()]))
        };
        for (goal, region) in [
            ("toothbrush", Region::Bathroom),
            ("frying_pan", Region::Kitchen),
            ("hammer", Region::Garage),
            ("stapler", Region::Office),
            ("alarm clock", Region::Bedroom),
            ("iron", Region::Laundry),
            ("dumbbell", Region::Gym),
        ] {
            assert_eq!(best(goal), Some(region), "{goal} by {}", table.identity());
        }
        let on =
            |goal: &str, receptacle: &str| table.goal(goal, Region::LivingRoom, receptacle).unwrap();
        assert!(on("cushion", "sofa") > 3.0 * on("cushion", "desk"));
        assert!(on("laptop", "desk") > 3.0 * on("laptop", "dresser"));
    }
    // Furniture as a goal.
    let chances = Knowledge::shipped().goal_by_region("couch").unwrap();
    assert!(chances[Region::LivingRoom.index()] > 3.0 * chances[Region::Kitchen.index()]);
}

#[test]
fn the_second_table_is_another_one_and_the_shuffled_one_knows_nothing() {
    let (first, second) = (Knowledge::shipped(), Knowledge::activities());
    let shuffled = first.shuffled(1);
    let row = |table: &Knowledge, name: &str| -> Vec<f64> {
        let entry = table.find(name).unwrap();
        entry.regions.iter().chain(&entry.receptacles).copied().collect()
    };
    // Pearson's correlation over all movable rows.
    let correlation = |a: &Knowledge, b: &Knowledge| {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for name in a.vocabulary() {
            x.extend(row(a, name));
            y.extend(row(b, name));
        }
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let (mx, my) = (mean(&x), mean(&y));
        let sum = |a: &[f64], b: &[f64], ma: f64, mb: f64| {
            a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum::<f64>()
        };
        sum(&x, &y, mx, my) / (sum(&x, &x, mx, mx) * sum(&y, &y, my, my)).sqrt()
    };
    let independent = correlation(&first, &second);
    assert!((0.5..0.95).contains(&independent), "{independent}");
    let chance = correlation(&first, &shuffled);
    assert!(chance.abs() < 0.4 && chance < independent - 0.3, "{chance}");
    assert_eq!(row(&shuffled, "mug"), row(&first.shuffled(1), "mug"));
    assert_ne!(
        first.vocabulary().iter().map(|name| row(&shuffled, name)).collect::<Vec<_>>(),
        first.vocabulary().iter().map(|name| row(&first.shuffled(2), name)).collect::<Vec<_>>()
    );
    // What labels say of a region is not shuffled.
    assert_eq!(shuffled.region_of(&["stove", "refrigerator"]), Region::Kitchen);
}

#[test]
fn labels_make_regions() {
    let table = Knowledge::shipped();
    for (labels, region) in [
        (&["bed", "nightstand", "wardrobe"][..], Region::Bedroom),
        (&["toilet", "mug"][..], Region::Bathroom),
        (&["sofa", "tv", "coffee table", "rug", "wall", "floor"][..], Region::LivingRoom),
        (&["desk", "office_chair", "monitor"][..], Region::Office),
        (&["washing_machine", "dryer", "laundry_hamper"][..], Region::Laundry),
        (&["dining_table", "chair"][..], Region::DiningRoom),
        (&["clothes", "clothes_rack", "shoes"][..], Region::Closet),
        (&["wall", "no such thing"][..], Region::Other),
    ] {
        assert_eq!(table.region_of(labels), region, "{labels:?}");
    }
    let once = table.region_given_labels(&["bed", "lamp"]).unwrap();
    assert_eq!(table.region_given_labels(&["lamp", "bed", "bed"]).unwrap(), once);
    assert_eq!(table.region_given_labels(&[]).unwrap(), [1.0 / 14.0; 14]);
}

#[test]
fn unknown_names_are_taken_for_the_nearest() {
    let table = Knowledge::shipped();
    let near = |name: &str| table.nearest(name).map(|entry| entry.name.clone());
    for (name, wanted) in [
        ("blue coffee mug", Some("mug")),
        ("Fruit Bowl", Some("bowl")),
        ("tooth brushes", Some("toothbrush")),
        ("kettel", Some("kettle")),
        ("king size bed", Some("bed")),
        ("zeppelin", None),
    ] {
        assert_eq!(near(name).as_deref(), wanted, "{name}");
    }
    // Nothing near: as likely everywhere as anything.
    let chances = table.goal_by_region("zeppelin").unwrap();
    assert!(chances.iter().all(|chance| *chance > 0.0));
}

#[test]
fn labels_are_alike_in_four_steps() {
    let table = Knowledge::shipped();
    assert_eq!(table.similarity("Mugs", "mug"), 1.0);
    assert_eq!(table.similarity("coffee cup", "mug"), 0.7);
    assert_eq!(table.similarity("couch", "settee"), 0.7);
    assert_eq!(table.similarity("mug", "plate"), 0.4);
    assert_eq!(table.similarity("mug", "hammer"), 0.0);
    assert_eq!(table.similarity("zeppelin", "airship"), 0.0);
    assert_eq!(table.similarity("zeppelin", "Zeppelin"), 1.0);
}

#[test]
fn tables_are_named() {
    assert_eq!(TableChoice::parse("judged"), Ok(TableChoice::Judged));
    assert_eq!(TableChoice::parse("shuffled:12"), Ok(TableChoice::Shuffled(12)));
    assert!(TableChoice::parse("shuffled:x").unwrap_err().to_string().contains("shuffled:7"));
    assert!(TableChoice::parse("guess").unwrap_err().to_string().contains("activities"));
    let missing = TableChoice::parse("no/such.csv").unwrap().load().unwrap_err().to_string();
    assert!(missing.contains("no/such.csv"), "{missing}");
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line() {
    let (objects, _) = read::shipped_texts()[0];
    let head = objects.lines().next().unwrap();
    let row = objects.lines().nth(1).unwrap();
    let error = |text: &str| read::parse_objects(text).unwrap_err().to_string();
    assert!(error("a,b").contains("line 1"));
    assert!(error(head).contains("no categories"));
    assert!(error(&format!("{head}\n{row},3")).contains("line 2: there are 31 fields"));
    assert!(error(&format!("{head}\n{row}\n{}", row.replace(",9,", ",nan,"))).contains("line 3"));
    assert!(error(&format!("{head}\n{}", row.replace(",9,", ",11,"))).contains("0 to 10"));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[a-z,;0-9\\n.\"-]{0,400}", cut in 0usize..20_000, at in 0usize..20_000, byte in 0u8..128) {
        let _ = read::parse_objects(&text);
        let (objects, _) = read::shipped_texts()[0];
        let mut bytes = objects.as_bytes()[..cut.min(objects.len())].to_vec();
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        let _ = read::parse_objects(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_name_has_a_chance(name in "\\PC{0,40}") {
        let table = Knowledge::shipped();
        let chance = table.goal(&name, Region::Kitchen, &name).unwrap();
        prop_assert!(chance > 0.0 && chance < 1.0);
        prop_assert!((0.0..=1.0).contains(&table.similarity(&name, "mug")));
    }
}
