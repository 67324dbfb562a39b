//! All numbers of the pipeline, with both readings of the paper.

use ambler_model::PAPER_RECEPTACLES;
use serde::{Deserialize, Serialize};

/// Which reading holds where the paper's text leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// What the paper writes, with its consequences: coverage passes through walls, objects are turned
    /// about all axes before they fall.
    Paper,
    /// The same steps, repaired: walls block coverage and region windows, planes are split where their
    /// hull would lie over nothing, objects fall in a pose that they can rest in.
    #[default]
    Quality,
}

/// Settings of the whole pipeline. Lengths in metres, angles in degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The reading.
    pub mode: Mode,
    /// Stage 1.
    pub floors: FloorSettings,
    /// Stage 2.
    pub coverage: CoverageSettings,
    /// Stages 3 and 4.
    pub fusion: FusionSettings,
    /// Stage 5.
    pub planes: PlaneSettings,
    /// Stage 6.
    pub regions: RegionSettings,
    /// Stages 7 and 8.
    pub placement: PlacementSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self::quality()
    }
}

impl Settings {
    /// What the paper writes.
    pub fn paper() -> Self {
        Self {
            mode: Mode::Paper,
            floors: FloorSettings { band_m: [0.28, 0.32], ..FloorSettings::default() },
            coverage: CoverageSettings {
                line_of_sight: false,
                r_max_m: 3.0,
                gaussian_norm: GaussianNorm::Sigma,
                enough: 0.9,
                iterations: 200,
                ..CoverageSettings::default()
            },
            fusion: FusionSettings {
                merge_rounds: 0,
                exclusive: false,
                sides_m: 0.0,
                ..FusionSettings::default()
            },
            planes: PlaneSettings {
                // The authors' list.
                receptacles: PAPER_RECEPTACLES.map(str::to_owned).to_vec(),
                refine_m: 0.0,
                fill_least: 0.0,
                ..PlaneSettings::default()
            },
            regions: RegionSettings { line_of_sight: false, ..RegionSettings::default() },
            placement: PlacementSettings {
                rotation: SpawnRotation::Any,
                amount: Amount::PerReceptacle(10),
                least_chance: 0.0,
                ..PlacementSettings::default()
            },
        }
    }

    /// Refuses numbers that make no sense.
    ///
    /// # Errors
    /// Names the first such number.
    pub fn check(&self) -> Result<(), crate::SdovonError> {
        let (f, c, u) = (&self.floors, &self.coverage, &self.fusion);
        let (p, r, l) = (&self.planes, &self.regions, &self.placement);
        let lengths = [
            ("floors.cell_m", f.cell_m, 0.01, 1.0),
            ("floors.support_m", f.support_m, 0.0, 1.0),
            ("floors.erosion_m", f.erosion_m, 0.0, 5.0),
            ("coverage.r_min_m", c.r_min_m, 0.0, 10.0),
            ("coverage.r_max_m", c.r_max_m, 0.1, 50.0),
            ("coverage.enough", c.enough, 0.0, 1.0),
            ("coverage.camera_height_m", c.camera_height_m, 0.05, 3.0),
            ("fusion.voxel_m", u.voxel_m, 0.005, 0.5),
            ("fusion.dense_voxel_m", u.dense_voxel_m, 0.005, 0.5),
            ("fusion.sides_m", u.sides_m, 0.0, 1.0),
            ("planes.thickness_m", p.thickness_m, 0.005, 0.5),
            ("planes.refine_m", p.refine_m, 0.0, 0.5),
            ("regions.window_m", r.window_m, 0.2, 20.0),
            ("regions.step_m", r.step_m, 0.05, 10.0),
            ("regions.cell_m", r.cell_m, 0.02, 2.0),
            ("placement.area_each_m2", l.area_each_m2, 1e-3, 10.0),
            ("placement.drop_m", l.drop_m, 0.0, 2.0),
            ("placement.settle_s", l.settle_s, 0.1, 120.0),
            ("placement.again_s", l.again_s, 0.1, 120.0),
            ("placement.again_m", l.again_m, 1e-4, 1.0),
        ];
        for (name, value, low, high) in lengths {
            if !(value >= low && value <= high) {
                let what = format!("{name} is {value}: it must be {low} to {high}");
                return Err(crate::SdovonError::Settings(what));
            }
        }
        let counts = [
            ("coverage.iterations", c.iterations, 100_000),
            ("coverage.yaws", c.yaws, 360),
            ("fusion.pixel_step", u.pixel_step, 64),
            ("placement.tries", l.tries, 100_000),
            ("placement.rounds", l.rounds, 100),
        ];
        for (name, value, most) in counts {
            if value == 0 || value > most {
                let what = format!("{name} is {value}: it must be 1 to {most}");
                return Err(crate::SdovonError::Settings(what));
            }
        }
        Ok(())
    }

    /// The repaired reading, the default.
    pub fn quality() -> Self {
        Self {
            mode: Mode::Quality,
            floors: FloorSettings::default(),
            coverage: CoverageSettings::default(),
            fusion: FusionSettings::default(),
            planes: PlaneSettings::default(),
            regions: RegionSettings::default(),
            placement: PlacementSettings::default(),
        }
    }
}

/// Stage 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FloorSettings {
    /// Side of a cell of the map.
    pub cell_m: f32,
    /// Heights above the floor between which geometry is an obstacle. The paper slices at 0.3 m.
    pub band_m: [f32; 2],
    /// A cell has a floor where one lies within this of the storey's height.
    pub support_m: f32,
    /// Free cells keep this distance from obstacles (the paper's erosion): 0.18 m of body and 0.07 m.
    pub erosion_m: f32,
    /// Pieces of the free map smaller than this are not places, m².
    pub least_area_m2: f32,
}

impl Default for FloorSettings {
    fn default() -> Self {
        Self { cell_m: 0.05, band_m: [0.1, 1.5], support_m: 0.15, erosion_m: 0.25, least_area_m2: 0.25 }
    }
}

/// Stage 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CoverageSettings {
    /// The inner disc that a view point does not cover.
    pub r_min_m: f32,
    /// σ of the Gaussian that a view point adds (`gaussian_norm` says to what).
    pub r_max_m: f32,
    /// What `r_max_m` is of the Gaussian.
    pub gaussian_norm: GaussianNorm,
    /// Coverage of a cell from which on it counts as strongly covered.
    pub strong: f32,
    /// Share of strongly covered free cells at which sampling stops.
    pub enough: f32,
    /// Draws at most on a floor.
    pub iterations: u32,
    /// Walls block coverage.
    pub line_of_sight: bool,
    /// Height of the camera above the floor.
    pub camera_height_m: f32,
    /// Turns of the camera, equal steps around.
    pub yaws: u32,
    /// Pitches of the camera, degrees, negative looks down.
    pub pitches_deg: Vec<f32>,
    /// Pixels across and down.
    pub image: [u32; 2],
    /// Horizontal field of view, degrees.
    pub hfov_deg: f32,
    /// Depths that are used.
    pub depth_m: [f32; 2],
}

impl Default for CoverageSettings {
    fn default() -> Self {
        Self {
            r_min_m: 0.5,
            r_max_m: 2.0,
            gaussian_norm: GaussianNorm::HalfRadius,
            strong: 0.5,
            enough: 0.95,
            iterations: 100,
            line_of_sight: true,
            camera_height_m: 1.25,
            yaws: 8,
            pitches_deg: vec![-30.0, 0.0],
            image: [640, 480],
            hfov_deg: 79.0,
            depth_m: [0.3, 5.0],
        }
    }
}

/// What r_max is of the Gaussian of a view point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GaussianNorm {
    /// Its σ, as printed: strong coverage then ends at σ·√(2 ln 2) = 1.18 r_max.
    #[default]
    Sigma,
    /// The radius at which strong coverage (one half) ends.
    HalfRadius,
}

/// Stages 3 and 4.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FusionSettings {
    /// Least share of the image that an instance covers to be detected.
    pub least_share: f32,
    /// Every so many pixels, across and down, one is put into space.
    pub pixel_step: u32,
    /// Side of a voxel of an instance's cloud.
    pub voxel_m: f32,
    /// Side of a voxel of a receptacle's cloud, for its planes.
    pub dense_voxel_m: f32,
    /// Weight of the labels' similarity.
    pub label_weight: f32,
    /// Weight of the clouds' overlap.
    pub overlap_weight: f32,
    /// Weighted sum from which on a detection joins an instance.
    pub threshold: f32,
    /// Points of a detection that its overlap is taken from, at most.
    pub overlap_points: u32,
    /// Fewer points than this are no instance.
    pub least_points: u32,
    /// Fewer views than this are no instance.
    pub least_views: u32,
    /// Neighbourhood of the clean-up (DBSCAN), and points in it.
    pub clean_m: f32,
    /// Points in a neighbourhood from which on it is dense.
    pub clean_points: u32,
    /// Overlap (IoU) of two boxes from which on they are one thing seen as two.
    pub error_iou: f32,
    /// How often fused instances are compared with each other and joined; 0 never.
    pub merge_rounds: u32,
    /// What one view shows as two things is two: of one view at most one sighting joins an instance, and
    /// instances that one view shows beside each other are never joined.
    pub exclusive: bool,
    /// Two instances of one label that no view shows together, of which one's box lies in the other's
    /// grown by this, are two sides of one thing (the faces of a door); 0 never.
    pub sides_m: f32,
}

impl Default for FusionSettings {
    fn default() -> Self {
        Self {
            least_share: 1e-4,
            pixel_step: 2,
            voxel_m: 0.025,
            dense_voxel_m: 0.01,
            label_weight: 0.4,
            overlap_weight: 1.6,
            threshold: 0.8,
            overlap_points: 250,
            least_points: 16,
            least_views: 3,
            clean_m: 0.05,
            clean_points: 10,
            error_iou: 0.9,
            merge_rounds: 3,
            exclusive: true,
            sides_m: 0.08,
        }
    }
}

/// Stage 5, Algorithm 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlaneSettings {
    /// Labels of receptacles; without any, those of which the knowledge table says that they hold things.
    pub receptacles: Vec<String>,
    /// Thickness ε_t.
    pub thickness_m: f32,
    /// Points that a plane needs at least (ρ_min), at voxels of 1 cm.
    pub least_points: u32,
    /// The same as a share of the receptacle's points; the larger counts.
    pub least_share: f32,
    /// Convergence ε_c.
    pub convergence: f32,
    /// Rounds of the inner loop at most.
    pub rounds: u32,
    /// Cosine between normal and up, at least.
    pub level_cos: f32,
    /// Area at least, m².
    pub least_area_m2: f32,
    /// Shortest side of the box around the outline, at least.
    pub least_side_m: f32,
    /// Room above that a plane needs.
    pub headroom_m: f32,
    /// Planes whose normals differ by less than this (degrees) and whose heights by less than the
    /// thickness are one.
    pub same_angle_deg: f32,
    /// Half the thickness of the last fit, around the height where most points lie; 0 leaves the fit of
    /// Algorithm 1.
    pub refine_m: f32,
    /// An outline with less than this share of its area over points is split; 0 never.
    pub fill_least: f32,
}

impl Default for PlaneSettings {
    fn default() -> Self {
        Self {
            receptacles: Vec::new(),
            thickness_m: 0.05,
            least_points: 200,
            least_share: 0.05,
            convergence: 0.95,
            rounds: 20,
            level_cos: 0.95,
            least_area_m2: 0.04,
            least_side_m: 0.15,
            headroom_m: 0.2,
            same_angle_deg: 5.0,
            refine_m: 0.01,
            fill_least: 0.8,
        }
    }
}

/// Stage 6.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RegionSettings {
    /// Radius of the window.
    pub window_m: f32,
    /// Step of the window.
    pub step_m: f32,
    /// Side of a cell of the semantic map.
    pub cell_m: f32,
    /// Walls block the window.
    pub line_of_sight: bool,
    /// Rounds of the 3 × 3 mode filter.
    pub smooth_rounds: u32,
}

impl Default for RegionSettings {
    fn default() -> Self {
        Self { window_m: 1.5, step_m: 0.5, cell_m: 0.1, line_of_sight: true, smooth_rounds: 2 }
    }
}

/// How objects are turned before they fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpawnRotation {
    /// Uniform over all orientations: bottles end up lying.
    Any,
    /// Upright or in another pose that the object can rest in, at any yaw.
    #[default]
    Resting,
}

/// How many objects are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// So many (fewer on small surfaces) on each receptacle in each region.
    PerReceptacle(u32),
    /// So many in the whole scene.
    Total(u32),
}

/// Stages 7 and 8.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlacementSettings {
    /// How many objects.
    pub amount: Amount,
    /// Area that one object wants, m².
    pub area_each_m2: f32,
    /// Height above the surface at which objects are let go.
    pub drop_m: f32,
    /// How they are turned.
    pub rotation: SpawnRotation,
    /// Gap between the circles around two objects.
    pub gap_m: f32,
    /// Distance of two objects' middles at least.
    pub least_distance_m: f32,
    /// Places tried for an object.
    pub tries: u32,
    /// Rounds of dropping and checking.
    pub rounds: u32,
    /// Seconds of physics a round at most.
    pub settle_s: f32,
    /// An object's middle may lie this far outside the surface's outline.
    pub outside_m: f32,
    /// An object whose middle has fallen more than this below the surface has fallen off.
    pub below_m: f32,
    /// Overlap that is no longer a contact.
    pub overlap_m: f32,
    /// Seconds of a second simulation, and how far nothing may move in it.
    pub again_s: f32,
    /// Metres.
    pub again_m: f32,
    /// Categories whose probability in the region or on the receptacle is below this are not drawn: the
    /// floor under all probabilities is there so that agents rule nothing out, and put together it would
    /// place one thing in ten where nobody puts it.
    pub least_chance: f64,
    /// Objects longer than this are not put anywhere.
    pub largest_m: f32,
}

impl Default for PlacementSettings {
    fn default() -> Self {
        Self {
            amount: Amount::Total(30),
            area_each_m2: 0.03,
            drop_m: 0.3,
            rotation: SpawnRotation::Resting,
            gap_m: 0.02,
            least_distance_m: 0.1,
            tries: 30,
            rounds: 4,
            settle_s: 5.0,
            outside_m: 0.05,
            below_m: 0.1,
            overlap_m: 0.01,
            again_s: 5.0,
            again_m: 0.01,
            least_chance: 0.002,
            largest_m: 0.6,
        }
    }
}
