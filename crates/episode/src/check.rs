//! Comparing episodes with a navmesh: what would go wrong in a run, found before it.

use crate::metrics::{DistanceMeasure as _, QueryDistance};
use crate::rule::SuccessRule;
use crate::types::{Episode, Task};
use ambler_navmesh::{GoalSet, NavQuery, NavReason};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A start farther beside the navmesh, or a voxel's height and this above or below it (its surface
/// lies up to a voxel over the floor), is worth a finding, metres.
const START_OFF_M: f32 = 0.1;
/// The next storey begins above this difference in height, metres.
const STOREY_M: f32 = 1.0;
/// Lengths that differ by more than this share were measured on another navmesh.
const GEODESIC_SHARE: f64 = 0.01;

/// Something that an episode and a navmesh do not agree in.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Index into the episodes given; `None` for what concerns them all.
    pub index: Option<usize>,
    /// The episode's id; empty for what concerns them all.
    pub episode_id: String,
    /// What kind of disagreement.
    pub kind: FindingKind,
    /// For a person.
    pub text: String,
}

/// Kinds of [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FindingKind {
    /// The episode cannot be solved.
    Unreachable(NavReason),
    /// The start is on no navmesh at all.
    StartOffMesh(NavReason),
    /// The start is beside or above the navmesh, but near enough to be snapped.
    StartNotOnFloor,
    /// The nearest goal is on another storey.
    FloorChange,
    /// The distance that the file states differs from ours by more than 1 %.
    GeodesicDiffers,
    /// The file's goal radius is not the success distance of the task's rule.
    RadiusDiffers,
    /// No goal has a view point.
    NoViewPoints,
    /// The start is already a success.
    StartsAtGoal,
    /// So many starts and distances disagree that the episodes were made for another body, scan
    /// or navmesh.
    OtherNavmesh,
}

impl FindingKind {
    /// A short name for tables and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::StartOffMesh(_) => "start-off-mesh",
            Self::StartNotOnFloor => "start-not-on-floor",
            Self::FloorChange => "floor-change",
            Self::GeodesicDiffers => "geodesic-differs",
            Self::RadiusDiffers => "radius-differs",
            Self::NoViewPoints => "no-view-points",
            Self::StartsAtGoal => "starts-at-goal",
            Self::OtherNavmesh => "other-navmesh",
        }
    }

    /// Whether such an episode is invalid in a run: counted with its reason, never averaged.
    pub fn is_invalid(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::StartOffMesh(_))
    }
}

/// Findings for the episodes of one scene against its navmesh, in the order of the episodes; those
/// that concern all of them last. Goals of a group are prepared once.
pub fn check(episodes: &[Arc<Episode>], query: &mut NavQuery) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut prepared: BTreeMap<_, GoalSet> = BTreeMap::new();
    let (mut stated, mut differing, mut off_floor) = (0usize, 0usize, 0usize);
    let height_off_m = query.mesh().settings().cell_height_m.max(0.0) + START_OFF_M;
    for (index, episode) in episodes.iter().enumerate() {
        let mut report = |kind, text: String| {
            findings.push(Finding {
                index: Some(index),
                episode_id: episode.episode_id.clone(),
                kind,
                text,
            });
        };
        let start = episode.start_position;
        match query.snap(start) {
            Err(reason) => {
                report(FindingKind::StartOffMesh(reason), format!("start {start}: {reason}"));
                continue;
            }
            Ok(snap)
                if (snap.point.y - start.y).abs() > height_off_m
                    || (snap.point.x - start.x).hypot(snap.point.z - start.z) > START_OFF_M =>
            {
                let off = snap.point.distance(start);
                report(
                    FindingKind::StartNotOnFloor,
                    format!("start {start} is {off:.2} m off the navmesh"),
                );
                off_floor += 1;
            }
            Ok(_) => {}
        }
        let rule = SuccessRule::for_task(&episode.task);
        let points = episode.measured_points(rule.to);
        if points.fell_back {
            let text = "no goal has a view point: distance is measured to the goal positions";
            report(FindingKind::NoViewPoints, text.into());
        }
        if let Task::PointNav { goals } = &episode.task {
            let odd =
                goals.iter().filter_map(|goal| goal.radius).find(|radius| *radius != rule.distance_m);
            if let Some(radius) = odd {
                let text = format!("the file's goal radius is {radius} m, the rule '{rule}' ignores it");
                report(FindingKind::RadiusDiffers, text);
            }
        }
        let shared = !matches!(episode.task, Task::PointNav { .. });
        let own;
        let goals = if shared {
            &*prepared.entry(episode.goals_digest).or_insert_with(|| query.prepare_goals(&points.points))
        } else {
            own = query.prepare_goals(&points.points);
            &own
        };
        let ours = match (QueryDistance { query, goals }).distance(start) {
            Ok(distance) => f64::from(distance),
            Err(reason) => {
                report(FindingKind::Unreachable(reason), format!("no goal can be reached: {reason}"));
                continue;
            }
        };
        if rule.reached(ours) {
            report(
                FindingKind::StartsAtGoal,
                format!("the start is {ours:.2} m from the goal: a success"),
            );
        }
        if let Ok((_, nearest)) = query.geodesic_to(goals, start)
            && let Some(goal) = points.points.get(nearest)
            && (goal.y - start.y).abs() > STOREY_M
        {
            let rise = goal.y - start.y;
            report(
                FindingKind::FloorChange,
                format!("the nearest goal is {rise:+.2} m higher than the start"),
            );
        }
        if let Some(theirs) = episode.stated_geodesic_m() {
            stated += 1;
            if (theirs - ours).abs() > (GEODESIC_SHARE * theirs.abs().max(ours)).max(0.01) {
                differing += 1;
                report(
                    FindingKind::GeodesicDiffers,
                    format!("the file states {theirs:.3} m to the goal, this navmesh has {ours:.3} m"),
                );
            }
        }
    }
    let many = |count: usize, of: usize| of >= 5 && count * 2 > of;
    if many(differing, stated) || many(off_floor, episodes.len()) {
        findings.push(Finding {
            index: None,
            episode_id: String::new(),
            kind: FindingKind::OtherNavmesh,
            text: format!(
                "{differing} of {stated} stated distances differ by more than 1 % and {off_floor} starts are off \
                 the floor: these episodes were made with a navmesh for another body (radius, height) or scan"
            ),
        });
    }
    findings
}
