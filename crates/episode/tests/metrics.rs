//! Measures against arithmetic by hand and Habitat's definitions (habitat.md, Metrics).

use ambler_episode::{
    DistanceTo, GoalPoints, Invalid, Metrics, MetricsTracker, ObjectGoal, SuccessRule, Task,
};
use ambler_geometry::Vec3;
use ambler_navmesh::NavReason;
use std::sync::Arc;

const ISLANDS: NavReason =
    NavReason::DifferentIsland { start: 0, goal: 1, start_area_m2: 1.0, goal_area_m2: 2.0 };

/// Walks along −z: each step is (position z, distance to goal there, collided); then stops or not.
fn run(start_distance: f32, steps: &[(f32, f32, bool)], stop: bool) -> Metrics {
    let rule = SuccessRule::named("pointnav").expect("a rule");
    let points = GoalPoints { points: vec![Vec3::ZERO], to: DistanceTo::Point, fell_back: false };
    let mut tracker =
        MetricsTracker::start(&rule, &points, Vec3::ZERO, &mut |_| Ok(start_distance)).expect("valid");
    let mut at = Vec3::ZERO;
    for &(z, distance, collided) in steps {
        at = Vec3::new(0.0, 0.0, z);
        tracker.update(at, collided, false, &mut |_| Ok(distance));
    }
    if stop {
        tracker.update(at, false, true, &mut |_| -> Result<f32, NavReason> { panic!("nothing moved") });
    }
    tracker.metrics()
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
}

#[test]
fn spl_by_hand() {
    // L = 2; walks 1 + 1.5 = 2.5 m; ends at 0.125 m and stops.
    let metrics = run(2.0, &[(-1.0, 1.25, false), (-2.5, 0.125, true)], true);
    near(metrics.success, 1.0);
    near(metrics.path_length_m, 2.5);
    near(metrics.spl, 2.0 / 2.5);
    near(metrics.soft_spl, (1.0 - 0.125 / 2.0) * 2.0 / 2.5);
    assert_eq!(
        (metrics.steps, metrics.collisions.count, metrics.collisions.is_collision),
        (3, 1, false)
    );
    near(metrics.oracle_success, 1.0);
    near(metrics.min_distance_m, 0.125);
}

#[test]
fn a_path_shorter_than_l_counts_as_l() {
    let metrics = run(2.0, &[(-1.0, 0.1, false)], true);
    near(metrics.spl, 1.0);
}

#[test]
fn without_stop_there_is_no_success() {
    let metrics = run(2.0, &[(-2.0, 0.0, false)], false);
    assert_eq!((metrics.success, metrics.spl, metrics.stopped), (0.0, 0.0, false));
    near(metrics.soft_spl, 1.0);
    near(metrics.oracle_success, 1.0);
}

#[test]
fn the_threshold_itself_fails() {
    // Distances are f32: 0.1999999 is below 0.2, the f32 nearest 0.2 is above it.
    assert_eq!(run(2.0, &[(-1.0, 0.2, false)], true).success, 0.0);
    assert_eq!(run(2.0, &[(-1.0, 0.199_999_9, false)], true).success, 1.0);
    let rule = SuccessRule { distance_m: 0.25, ..SuccessRule::named("pointnav").expect("a rule") };
    assert!(!rule.reached(0.25) && rule.reached(0.25 - 1e-12));
}

#[test]
fn farther_than_at_the_start_gives_soft_spl_zero() {
    near(run(2.0, &[(1.0, 3.0, false)], true).soft_spl, 0.0);
}

#[test]
fn starting_at_the_goal_spl_is_success() {
    // Habitat: ZeroDivisionError (habitat-lab #1139).
    let at_once = run(0.0, &[], true);
    assert_eq!((at_once.success, at_once.spl, at_once.soft_spl, at_once.steps), (1.0, 1.0, 1.0, 1));
    // Habitat: SPL 0 in spite of success, and ZeroDivisionError for soft SPL.
    let after_a_walk = run(0.0, &[(-0.1, 0.1, false)], true);
    assert_eq!((after_a_walk.success, after_a_walk.spl, after_a_walk.soft_spl), (1.0, 1.0, 1.0));
    let timed_out = run(0.0, &[(-1.0, 1.0, false)], false);
    assert_eq!((timed_out.success, timed_out.spl, timed_out.soft_spl), (0.0, 0.0, 0.0));
}

#[test]
fn an_unreachable_start_is_invalid_with_its_reason() {
    // Habitat: NaN, which poisons the average.
    let rule = SuccessRule::named("objectnav").expect("a rule");
    let points = GoalPoints { points: vec![Vec3::ZERO], to: DistanceTo::ViewPoints, fell_back: false };
    let error =
        MetricsTracker::start(&rule, &points, Vec3::ZERO, &mut |_| Err(ISLANDS)).expect_err("invalid");
    assert_eq!(error, Invalid::Unreachable(ISLANDS));
    assert!(error.to_string().contains("island"), "{error}");
    for bad in [f32::INFINITY, f32::NAN, -1.0] {
        let error =
            MetricsTracker::start(&rule, &points, Vec3::ZERO, &mut |_| Ok(bad)).expect_err("invalid");
        assert_eq!(error, Invalid::NotFinite);
    }
    let none = GoalPoints { points: vec![], ..points };
    let error = MetricsTracker::start(&rule, &none, Vec3::ZERO, &mut |_| Ok(1.0)).expect_err("invalid");
    assert_eq!(error, Invalid::NoGoals);
}

#[test]
fn leaving_the_island_has_no_distance_and_no_scores() {
    let rule = SuccessRule::named("pointnav").expect("a rule");
    let points = GoalPoints { points: vec![Vec3::ZERO], to: DistanceTo::Point, fell_back: false };
    let mut tracker =
        MetricsTracker::start(&rule, &points, Vec3::ZERO, &mut |_| Ok(2.0)).expect("valid");
    tracker.update(Vec3::X, false, false, &mut |_| Err(ISLANDS));
    tracker.update(Vec3::X, false, true, &mut |_| Ok(0.0));
    let metrics = tracker.metrics();
    assert_eq!(
        (metrics.success, metrics.spl, metrics.soft_spl, metrics.distance_to_goal),
        (0.0, 0.0, 0.0, None)
    );
    assert!(metrics.lost.is_some_and(|reason| reason.contains("island")));
    near(metrics.min_distance_m, 2.0);
}

#[test]
fn distance_is_measured_only_after_a_move() {
    let rule = SuccessRule::named("pointnav").expect("a rule");
    let points = GoalPoints { points: vec![Vec3::ZERO], to: DistanceTo::Point, fell_back: false };
    let mut calls = 0;
    let mut measure = |_: Vec3| {
        calls += 1;
        Ok(1.0)
    };
    let mut tracker = MetricsTracker::start(&rule, &points, Vec3::ZERO, &mut measure).expect("valid");
    tracker.update(Vec3::ZERO, false, false, &mut measure); // a turn
    tracker.update(Vec3::new(9e-5, 0.0, 0.0), false, false, &mut measure); // below 1e-4
    tracker.update(Vec3::new(1.5e-4, 0.0, 0.0), false, false, &mut measure); // 1.5e-4 from the last measure
    tracker.update(Vec3::new(2e-4, 0.0, 0.0), false, false, &mut measure); // 0.5e-4 from it
    assert_eq!(calls, 2);
}

#[test]
fn ten_thousand_small_steps_add_up_in_f64() {
    let rule = SuccessRule::named("pointnav").expect("a rule");
    let points = GoalPoints { points: vec![Vec3::ZERO], to: DistanceTo::Point, fell_back: false };
    let mut tracker =
        MetricsTracker::start(&rule, &points, Vec3::ZERO, &mut |_| Ok(1.0)).expect("valid");
    for step in 1..=10_000u32 {
        let x = if step % 2 == 1 { 0.25 } else { 0.0 };
        tracker.update(Vec3::new(x, 0.0, 0.0), false, false, &mut |_| Ok(1.0));
    }
    assert_eq!(tracker.metrics().path_length_m, 2500.0);
}

#[test]
fn empty_view_points_fall_back_to_points_and_say_so() {
    // Habitat: IndexError.
    let goal = ObjectGoal { position: Vec3::new(1.0, 0.5, 0.0), ..ObjectGoal::default() };
    let task =
        Task::ObjectNav { category: "chair".into(), goals: Arc::new(vec![goal]), children: Vec::new() };
    let points = GoalPoints::of(&task, DistanceTo::ViewPoints);
    assert_eq!((points.points.len(), points.to, points.fell_back), (1, DistanceTo::Point, true));
    let rule = SuccessRule::for_task(&task);
    let tracker = MetricsTracker::start(&rule, &points, Vec3::ZERO, &mut |_| Ok(1.0)).expect("valid");
    assert!(tracker.metrics().fell_back_to_point);
}

#[test]
fn rules_by_name() {
    let check = |text: &str, metres: f64, to: DistanceTo| {
        let rule: SuccessRule = text.parse().expect("a rule");
        assert_eq!((rule.distance_m, rule.to, rule.to_string().as_str()), (metres, to, text));
    };
    check("pointnav", 0.2, DistanceTo::Point);
    check("pointnav-challenge", 0.36, DistanceTo::Point);
    check("objectnav", 0.1, DistanceTo::ViewPoints);
    check("ovon", 0.25, DistanceTo::ViewPoints);
    check("goat", 0.25, DistanceTo::ViewPoints);
    check("vlnce", 3.0, DistanceTo::Point);
    check("objectnav@0.5", 0.5, DistanceTo::ViewPoints);
    for wrong in
        ["", "chairs", "objectnav@", "objectnav@nan", "objectnav@0", "objectnav@-1", "objectnav@inf"]
    {
        assert!(wrong.parse::<SuccessRule>().is_err(), "{wrong}");
    }
}
