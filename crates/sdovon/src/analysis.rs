//! Stages 1 to 6 of one home: what there is, where things can be put, and which region that is.

use crate::SdovonError;
use crate::cloud::Cloud;
use crate::coverage::{self, Coverage};
use crate::floors::{self, FloorMap};
use crate::fuse::{Fused, Fusion};
use crate::observe;
use crate::planes::{self, Headroom, ReceptaclePlane, Solid};
use crate::regions::{self, Labelled, RegionMap};
use crate::settings::Settings;
use crate::stages::{self, Stages};
use ambler_geometry::random::Stream;
use ambler_geometry::{Aabb, Vec2, Vec3};
use ambler_model::{Detector, Knowledge, Region, Relevance};
use ambler_scene::normal_name;
use ambler_sensor::Renderer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything known of a home after stages 1 to 6.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The home's name.
    pub scene: String,
    /// Content and settings that this follows from.
    pub key: String,
    /// Its storeys.
    pub floors: Vec<FloorMap>,
    /// Where each storey was looked at from.
    pub coverage: Vec<Coverage>,
    /// The instances that were found.
    pub instances: Vec<Instance>,
    /// Why others were dropped, and how many.
    pub dropped: BTreeMap<String, u32>,
    /// Surfaces that things can be put on.
    pub surfaces: Vec<Surface>,
    /// Semantic map of each storey.
    pub regions: Vec<RegionMap>,
}

/// An instance that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// What it is called.
    pub label: String,
    /// Views that show it.
    pub views: u32,
    /// Mean confidence.
    pub confidence: f32,
    /// Points of its cloud.
    pub points: u32,
    /// Mean of its points.
    pub centroid: Vec3,
    /// The box around its points.
    pub bounds: Aabb,
    /// The true instance of most of its sightings, where the detector knew; [`crate::truth`] reads it.
    pub true_instance: Option<u32>,
    /// Its cloud, a PLY file in the folder of the stages.
    pub cloud: String,
}

/// A surface that things can be put on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Unique in the home: label, number of the instance, number of the plane.
    pub name: String,
    /// Number of its receptacle among the instances.
    pub receptacle: u32,
    /// What the receptacle is called.
    pub label: String,
    /// Number of its storey.
    pub floor: u32,
    /// Where it lies in the semantic map.
    pub region: Region,
    /// The plane.
    pub plane: ReceptaclePlane,
    /// Room above it.
    pub headroom: Headroom,
}

/// Planes with less than this share of their area free above are left out.
const LEAST_FREE: f32 = 0.25;
/// Planes lower than this above their floor are the floor.
const ABOVE_FLOOR_M: f32 = 0.05;

/// Who is asked.
#[derive(Clone, Copy)]
pub struct Advisers<'a> {
    /// Says what images show.
    pub detector: &'a dyn Detector,
    /// Labels that the detector is asked for; empty for all that it knows.
    pub labels: &'a [&'a str],
    /// Says which region a set of labels is, and what belongs where.
    pub relevance: &'a dyn Relevance,
    /// Says how alike labels are.
    pub names: &'a Knowledge,
}

/// Runs stages 1 to 6 on the renderer's scene, taking from `stages` what is there already.
///
/// # Errors
/// A home without a floor, a detector or model that cannot answer, a folder that cannot be written.
pub fn analyse(
    renderer: &Renderer,
    settings: &Settings,
    advisers: &Advisers<'_>,
    seed: u64,
    stages: &mut Stages,
) -> Result<Analysis, SdovonError> {
    let scene = renderer.scene();
    let camera_m = settings.coverage.camera_height_m;
    let floors: Vec<FloorMap> = stages.next("1_floors", &(&settings.floors, camera_m), || {
        Ok(floors::floors(scene, &settings.floors, camera_m))
    })?;
    if floors.is_empty() {
        return Err(SdovonError::Nothing {
            scene: scene.name.clone(),
            what: "there is no floor on which a body can stand".into(),
            remedy: "check the scene's up axis, or lower the erosion",
        });
    }
    let coverage: Vec<Coverage> = stages.next("2_coverage", &(&settings.coverage, seed), || {
        let sample = |(index, floor)| {
            let mut stream =
                Stream::new(seed, &scene.fingerprint, &format!("coverage of floor {index}"));
            coverage::sample(floor, &settings.coverage, &mut stream)
        };
        Ok(floors.iter().enumerate().map(sample).collect())
    })?;
    let detector = (advisers.detector.identity(), advisers.labels, advisers.names.identity());
    let depends = (&settings.fusion, &settings.planes.receptacles, detector);
    let folder = stages.folder().map(|folder| folder.join("clouds"));
    let mut clouds: Option<Vec<Cloud>> = None;
    let (instances, dropped): (Vec<Instance>, BTreeMap<String, u32>) =
        stages.next("3_instances", &depends, || {
            let (fused, dropped) = find(renderer, &floors, &coverage, settings, advisers)?;
            let instances = fused.iter().enumerate().map(|(i, fused)| Instance::of(i, fused)).collect();
            let list: Vec<Cloud> = fused
                .into_iter()
                .map(|fused| if fused.dense.is_empty() { fused.cloud } else { fused.dense })
                .collect();
            clouds = Some(list);
            Ok((instances, dropped))
        })?;
    if let (Some(folder), Some(clouds)) = (&folder, &clouds) {
        for (instance, cloud) in instances.iter().zip(clouds) {
            stages::put(&folder.join(&instance.cloud), &stages::to_ply(cloud.points()))?;
        }
    }
    let asked = (&settings.regions, advisers.relevance.identity());
    let regions: Vec<RegionMap> = stages.next("4_regions", &asked, || {
        let maps = floors.iter().map(|floor| {
            let things: Vec<Labelled<'_>> = instances
                .iter()
                .filter(|instance| floor.holds(instance.centroid))
                .map(|instance| Labelled {
                    label: &instance.label,
                    centroid: instance.centroid,
                    bounds: instance.bounds,
                })
                .collect();
            regions::regions(floor, &things, advisers.relevance, &settings.regions)
        });
        maps.collect()
    })?;
    let (surfaces, refused): (Vec<Surface>, BTreeMap<String, u32>) =
        stages.next("5_surfaces", &settings.planes, || {
            let clouds = match (clouds, &folder) {
                (Some(clouds), _) => clouds,
                (None, Some(folder)) => instances
                    .iter()
                    .map(|instance| {
                        let bytes = stages::get(&folder.join(&instance.cloud))?;
                        let points = stages::from_ply(&bytes).unwrap_or_default();
                        Ok(Cloud::of(settings.fusion.dense_voxel_m, points))
                    })
                    .collect::<Result<_, SdovonError>>()?,
                (None, None) => Vec::new(),
            };
            Ok(surfaces(scene, &floors, &regions, &instances, &clouds, settings, advisers.names))
        })?;
    let mut dropped = dropped;
    dropped.extend(refused);
    let name = scene.name.clone();
    let key = stages.key().to_owned();
    Ok(Analysis { scene: name, key, floors, coverage, instances, dropped, surfaces, regions })
}

/// Whether planes are looked for on what has this label: it is in the settings' list, or, where that is
/// empty, the table says that it holds things, or what its last word names does (a reading desk).
pub fn is_receptacle(label: &str, settings: &Settings, names: &Knowledge) -> bool {
    let label = normal_name(label);
    let list = &settings.planes.receptacles;
    if !list.is_empty() {
        return list.iter().any(|name| normal_name(name) == label);
    }
    let last = label.rsplit('_').next().unwrap_or("");
    !observe::is_background(&label) && (names.is_receptacle(&label) || names.is_receptacle(last))
}

fn find(
    renderer: &Renderer,
    floors: &[FloorMap],
    coverage: &[Coverage],
    settings: &Settings,
    advisers: &Advisers<'_>,
) -> Result<(Vec<Fused>, BTreeMap<String, u32>), SdovonError> {
    let views: Vec<_> = floors
        .iter()
        .zip(coverage)
        .flat_map(|(floor, coverage)| coverage::views(floor, coverage, &settings.coverage))
        .collect();
    let alike = |a: &str, b: &str| advisers.names.similarity(a, b);
    let mut fusion = Fusion::new(&settings.fusion, &alike);
    let receptacle = |label: &str| is_receptacle(label, settings, advisers.names);
    observe::observe(
        renderer,
        &views,
        settings,
        advisers.detector,
        advisers.labels,
        &receptacle,
        |sightings| fusion.add(sightings),
    )?;
    let (fused, dropped) = fusion.finish();
    Ok((fused, dropped.into_iter().map(|(reason, count)| (reason.to_owned(), count)).collect()))
}

impl Instance {
    fn of(index: usize, fused: &Fused) -> Self {
        let best = fused.instances.iter().rev().max_by_key(|&(_, count)| *count);
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let label: String = fused.label.chars().map(safe).take(40).collect();
        Self {
            label: fused.label.clone(),
            views: fused.views() as u32,
            confidence: fused.scores.iter().sum::<f32>() / fused.views().max(1) as f32,
            points: fused.cloud.len() as u32,
            centroid: fused.cloud.centroid(),
            bounds: fused.cloud.bounds(),
            true_instance: best.map(|(&instance, _)| instance),
            cloud: format!("{index:03}_{label}.ply"),
        }
    }
}

fn surfaces(
    scene: &ambler_scene::SceneModel,
    floors: &[FloorMap],
    regions: &[RegionMap],
    instances: &[Instance],
    clouds: &[Cloud],
    settings: &Settings,
    names: &Knowledge,
) -> (Vec<Surface>, BTreeMap<String, u32>) {
    let solid = Solid::new(scene);
    let mut refused: BTreeMap<String, u32> = BTreeMap::new();
    let mut surfaces = Vec::new();
    for (receptacle, (instance, cloud)) in instances.iter().zip(clouds).enumerate() {
        if !is_receptacle(&instance.label, settings, names) {
            continue;
        }
        for plane in planes::planes(cloud, &settings.planes) {
            let at = plane.middle();
            let mut refuse = |reason: &str| *refused.entry(reason.to_owned()).or_insert(0) += 1;
            let Some(floor) =
                floors.iter().position(|floor| floor.holds(Vec3::new(at.x, plane.y, at.y)))
            else {
                refuse("a plane on no storey");
                continue;
            };
            if plane.y < floors[floor].y + ABOVE_FLOOR_M {
                refuse("a plane on the floor");
                continue;
            }
            // Level and above the camera: it was seen from below.
            if plane.y > floors[floor].y + settings.coverage.camera_height_m {
                refuse("an underside");
                continue;
            }
            let headroom = solid.headroom(&plane, settings.planes.headroom_m);
            if headroom.share < LEAST_FREE {
                refuse("a plane without room above");
                continue;
            }
            surfaces.push(Surface {
                name: String::new(),
                receptacle: receptacle as u32,
                label: instance.label.clone(),
                floor: floor as u32,
                region: region_at(&regions[floor], at),
                plane,
                headroom,
            });
        }
    }
    let mut last = (u32::MAX, 0);
    for surface in &mut surfaces {
        last = (surface.receptacle, if last.0 == surface.receptacle { last.1 + 1 } else { 1 });
        surface.name = format!("{}_{}_{}", surface.label, surface.receptacle, last.1);
    }
    (surfaces, refused)
}

fn region_at(map: &RegionMap, at: Vec2) -> Region {
    map.at(at).unwrap_or(Region::Other)
}
