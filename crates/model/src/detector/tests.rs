use super::{Detector, ErrorModel, NoisyDetector, Picture, TrueDetector, Truth};
use crate::Knowledge;
use proptest::prelude::*;

/// 40 x 30 pixels: a mug of 4 x 3, a bed of 20 x 10, one pixel of a pen.
fn image() -> Vec<u32> {
    let mut ids = vec![0; 40 * 30];
    for (id, [x0, y0, x1, y1]) in [(3, [2, 2, 6, 5]), (5, [10, 15, 30, 25]), (9, [39, 0, 40, 1])] {
        for y in y0..y1 {
            for x in x0..x1 {
                ids[y * 40 + x] = id;
            }
        }
    }
    ids
}

const LABELS: [(u32, &str); 3] = [(3, "mug"), (5, "bed"), (9, "pen")];

fn picture<'a>(ids: &'a [u32], key: &'a str) -> Picture<'a> {
    let truth = Some(Truth { instance: ids, labels: &LABELS });
    Picture { width: 40, height: 30, truth, key, place: "episode", ..Picture::default() }
}

#[test]
fn the_truth_is_every_thing_that_fills_a_share_of_the_image() {
    let ids = image();
    let found = TrueDetector { least_share: 1e-4 }.detect(&picture(&ids, ""), &[]).unwrap();
    let names: Vec<(&str, u32)> = found.iter().map(|t| (t.label.as_str(), t.pixels())).collect();
    assert_eq!(names, [("mug", 12), ("bed", 200), ("pen", 1)]);
    assert_eq!(found[1].bbox, [10, 15, 30, 25]);
    // 12 of 1,200 pixels are a hundredth.
    let detector = TrueDetector { least_share: 0.01 };
    assert_eq!(detector.detect(&picture(&ids, ""), &[]).unwrap().len(), 2);
    let asked = detector.detect(&picture(&ids, ""), &["Mug", "pen"]).unwrap();
    assert_eq!((asked.len(), asked[0].label.as_str()), (1, "Mug"));
    let untold = Picture { truth: None, ..picture(&ids, "") };
    assert!(detector.detect(&untold, &[]).is_err());
    assert!(detector.detect(&picture(&ids[1..], ""), &[]).is_err());
}

/// A* agents that looked for a book stopped before a shelf with rows of books, which are no goals.
#[test]
fn rows_of_books_are_not_taken_for_a_book() {
    let ids = image();
    let labels = [(3, "book"), (5, "books")];
    let truth = Some(Truth { instance: &ids, labels: &labels });
    let shown = Picture { truth, ..picture(&ids, "") };
    let found = |asked: &str| -> Vec<Option<u32>> {
        let found = TrueDetector::default().detect(&shown, &[asked]).unwrap();
        found.iter().map(|thing| thing.instance).collect()
    };
    assert_eq!(found("book"), [Some(3)]);
    assert_eq!(found("books"), [Some(5)]);
}

#[test]
fn errors_are_as_often_as_stated_and_the_same_each_time() {
    let ids = image();
    let errors = ErrorModel { miss: 0.3, small: 0.0, lasting: 0.5, confuse: 0.2, ..Default::default() };
    let (mut beds, mut mugs, mut others) = (0, 0, 0);
    for seed in 0..60 {
        let detector = NoisyDetector::new(seed, 1e-4, errors, Knowledge::shipped());
        for step in 0..20 {
            let key = format!("{step}");
            let found = detector.detect(&picture(&ids, &key), &[]).unwrap();
            assert_eq!(found, detector.detect(&picture(&ids, &key), &[]).unwrap());
            beds += found.iter().filter(|thing| thing.instance == Some(5)).count();
            mugs += found.iter().filter(|thing| thing.label == "mug").count();
            others += found.iter().filter(|t| t.instance == Some(3) && t.label != "mug").count();
            assert!(found.iter().all(|thing| thing.score > 0.0 && thing.score <= 1.0));
        }
    }
    // 1,200 images; lasting misses make the seeds' shares vary.
    assert!((beds as f64 / 1200.0 - 0.7).abs() < 0.07, "{beds}");
    let confused = others as f64 / (mugs + others) as f64;
    assert!((confused - 0.2).abs() < 0.05, "{confused}");
}

#[test]
fn lasting_misses_last() {
    let ids = image();
    let errors = ErrorModel { miss: 0.5, small: 0.0, lasting: 1.0, confuse: 0.0, ..Default::default() };
    let seen: Vec<usize> = (0..40)
        .map(|seed| {
            let detector = NoisyDetector::new(seed, 1e-4, errors, Knowledge::shipped());
            (0..10)
                .filter(|step| {
                    let key = format!("{step}");
                    let found = detector.detect(&picture(&ids, &key), &["bed"]).unwrap();
                    !found.is_empty()
                })
                .count()
        })
        .collect();
    assert!(seen.iter().all(|count| [0, 10].contains(count)), "{seen:?}");
    let never = seen.iter().filter(|count| **count == 0).count();
    assert!((10..30).contains(&never), "{never}");
}

#[test]
fn small_things_are_missed_more_often() {
    let errors = ErrorModel::default();
    assert!((errors.miss_at(1.0) - 0.1).abs() < 1e-9);
    assert!((errors.miss_at(0.0) - (0.1 + 0.9 * 0.3)).abs() < 1e-12);
    assert!(errors.miss_at(0.001) > errors.miss_at(0.002));
}

#[test]
fn masks_shrink_and_grow_and_small_ones_vanish() {
    let ids = image();
    let errors = ErrorModel { miss: 0.0, small: 0.0, confuse: 0.0, mask_px: 2, ..Default::default() };
    let mut sizes = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let detector = NoisyDetector::new(seed, 1e-4, errors, Knowledge::shipped());
        let found = detector.detect(&picture(&ids, "k"), &["bed"]).unwrap();
        let [x0, y0, x1, y1] = found[0].bbox;
        assert!(found[0].covers((x0 + x1) / 2, (y0 + y1) / 2));
        sizes.insert(found[0].pixels());
    }
    // A rectangle of 20 x 10: less two rows all around, less one, as it is, with one (no corners), two.
    assert_eq!(sizes.into_iter().collect::<Vec<_>>(), [16 * 6, 18 * 8, 200, 260, 324]);
}

#[test]
fn error_models_are_written_as_fields() {
    let model = ErrorModel::parse("miss=0.5, mask=1").unwrap();
    assert_eq!(model, ErrorModel { miss: 0.5, mask_px: 1, ..ErrorModel::default() });
    assert_eq!(ErrorModel::parse("").unwrap(), ErrorModel::default());
    for wrong in ["miss", "miss=2", "mis=0.1", "mask=-1", "score=nan"] {
        let error = ErrorModel::parse(wrong).unwrap_err().to_string();
        assert!(error.contains("miss=0.2"), "{error}");
    }
}

proptest! {
    #[test]
    fn any_truth_is_digested(ids in prop::collection::vec(0u32..6, 0..60), width in 0u32..9, height in 0u32..9) {
        let labels = [(1, "mug"), (4, "bed")];
        let truth = Some(Truth { instance: &ids, labels: &labels });
        let picture = Picture { width, height, truth, ..Picture::default() };
        let noisy = NoisyDetector::new(1, 1e-4, ErrorModel::default(), Knowledge::shipped());
        for found in [TrueDetector::default().detect(&picture, &[]), noisy.detect(&picture, &[])] {
            for thing in found.into_iter().flatten() {
                prop_assert!(thing.bbox[2] <= width && thing.bbox[3] <= height);
            }
        }
    }
}
