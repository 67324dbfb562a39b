use crate::{Lighting, SensorError};
use ambler_geometry::{Aabb, Affine, DVec3, Heading, Mat3, Pose, Vec3};
use glam::DMat3;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The largest width or height in pixels that a camera may have.
pub const MAX_SIDE: u32 = 8192;

/// How a camera maps space to its image.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Projection {
    /// All rays pass through one point. The principal point is the middle of the image.
    Pinhole {
        /// Horizontal field of view in degrees, from the left border of the first pixel to the
        /// right border of the last; inside (0, 180).
        hfov_deg: f32,
    },
    /// All rays are parallel: maps and floor plans.
    Orthographic {
        /// Metres across the width of the image.
        width_m: f32,
    },
    /// The whole sphere: columns are equal steps of azimuth, a full circle with straight ahead in the
    /// middle and right of it to the right; rows are equal steps of elevation, from straight up to
    /// straight down. Depth is measured along the ray unless [`CameraSpec::face_depth`] is set.
    Equirectangular,
    /// An equidistant fisheye: distance from the middle of the image is proportional to the angle from
    /// the optical axis. What is beyond the field of view sees nothing. Depth is measured along the ray
    /// unless [`CameraSpec::face_depth`] is set.
    Fisheye {
        /// Degrees across the width of the image; inside (0, 360].
        fov_deg: f32,
    },
}

impl Projection {
    /// Whether rays go through one point in directions that no plane image has.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Equirectangular | Self::Fisheye { .. })
    }
}

/// Which images a camera delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outputs {
    /// Colour, 3 bytes a pixel.
    pub rgb: bool,
    /// Planar depth in metres, and its validity mask.
    pub depth: bool,
    /// Instance ids.
    pub instance: bool,
    /// Category indices.
    pub category: bool,
}

impl Outputs {
    /// Everything.
    pub const ALL: Self = Self { rgb: true, depth: true, instance: true, category: true };
    /// Nothing.
    pub const NONE: Self = Self { rgb: false, depth: false, instance: false, category: false };
}

impl Default for Outputs {
    fn default() -> Self {
        Self::ALL
    }
}

/// A camera on a body: its lens, its image and where it is mounted.
///
/// The camera looks along its −Z, +X is right and +Y is up in the image; row 0 is the top row, the
/// middle of pixel (column, row) is at (column + 0.5, row + 0.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CameraSpec {
    /// Unique among the cameras of a body.
    pub name: String,
    /// Pixels across, 1 to [`MAX_SIDE`].
    pub width: u32,
    /// Pixels down, 1 to [`MAX_SIDE`].
    pub height: u32,
    /// The lens.
    pub projection: Projection,
    /// Where it sits in the body's frame, metres: +Y up from the floor, −Z ahead, +X right.
    pub mount: Vec3,
    /// Turn of the camera on the body, degrees, positive to the left.
    pub yaw_deg: f32,
    /// Tilt of the camera on the body, degrees, positive up.
    pub pitch_deg: f32,
    /// Surfaces nearer than this (planar metres) are not seen.
    pub near_m: f32,
    /// Surfaces farther than this (planar metres) are not seen.
    pub far_m: f32,
    /// Surfaces are seen from their front only, as Habitat draws them, whatever their material
    /// says; off, both sides are seen.
    pub cull_back_faces: bool,
    /// Of equirectangular and fisheye images: depth is measured along the axis of that face of a cube
    /// around the camera which the pixel looks through (its largest coordinate), as Habitat does, which
    /// draws them from six such faces. Near and far are measured along the ray all the same.
    pub face_depth: bool,
    /// Light that surfaces are shown in; without it colours are shown as stored, as Habitat shows them by
    /// default (`no_lights`).
    pub lighting: Option<Lighting>,
    /// How many pixels surfaces may be shown from their place, 0 to 16; 0 shows everything exactly where
    /// it is. Else what is far away is drawn from fewer triangles, which takes less time where triangles
    /// are smaller than pixels. The first view that asks for it makes these, once for each mesh (about 10
    /// microseconds a triangle, and as much memory again as drawing took).
    ///
    /// No gap opens, and instances do not merge. Distances are measured at the mesh's vertices and where
    /// edges cross, and taken 1.25 times; colours of vertices and textures stay in place as surfaces do,
    /// but contrast that is weaker than 64 of 255 counts less. Depth changes by what a surface moved along
    /// the ray: more than that where it is seen at a slant. Ids and what is seen at all change within so many
    /// pixels of edges. Surfaces of one mesh that lie close behind each other stay apart; those of two
    /// meshes may come through each other where they are nearer than the tolerance.
    ///
    /// Which triangles are drawn depends on where the camera is, so that images change a little from
    /// step to step. Leave it off for scores that depend on exact pixels. With lights, facets are as
    /// large as the triangles that are drawn. Equirectangular and fisheye images, and what may have holes by
    /// its alpha, are always exact.
    pub lod_px: f32,
    /// How the colours of the image are changed, after everything else.
    pub tone: Tone,
    /// The images it delivers.
    pub outputs: Outputs,
}

/// Exposure and white balance of a camera. By default nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tone {
    /// Stops brighter: light times 2 to this. −16 to 16.
    pub exposure_ev: f32,
    /// Colour temperature of the light in kelvin, 1000 to 40,000: neutral grey takes the colour that a
    /// black body of this temperature has beside one of 6500 K, its luminance kept.
    pub temperature_k: f32,
}

impl Default for Tone {
    fn default() -> Self {
        Self { exposure_ev: 0.0, temperature_k: 6500.0 }
    }
}

impl Default for CameraSpec {
    /// 256 × 256, 79°, 1.31 m high (the head camera of a Stretch), near 0.01 m, far 1000 m.
    fn default() -> Self {
        Self {
            name: "front".to_owned(),
            width: 256,
            height: 256,
            projection: Projection::Pinhole { hfov_deg: 79.0 },
            mount: Vec3::new(0.0, 1.31, 0.0),
            yaw_deg: 0.0,
            pitch_deg: 0.0,
            near_m: 0.01,
            far_m: 1000.0,
            cull_back_faces: true,
            face_depth: false,
            lighting: None,
            lod_px: 0.0,
            tone: Tone::default(),
            outputs: Outputs::ALL,
        }
    }
}

/// The names that [`CameraSpec::rig`] knows.
pub const RIG_NAMES: [&str; 4] = ["front", "front-back", "front-left-right", "panorama4"];

impl CameraSpec {
    /// The cameras of a named rig, each like `self` but for its name and its yaw, which is added
    /// to that of `self`:
    ///
    /// | rig | cameras |
    /// |---|---|
    /// | `front` | front |
    /// | `front-back` | front, back |
    /// | `front-left-right` | front, left (+90°), right (−90°) |
    /// | `panorama4` | front, left, back, right, each 90° wide so that they tile the circle |
    ///
    /// # Errors
    /// An unknown name, listing the known ones.
    pub fn rig(&self, name: &str) -> Result<Vec<Self>, SensorError> {
        const FRONT: (&str, f32) = ("front", 0.0);
        const LEFT: (&str, f32) = ("left", 90.0);
        const BACK: (&str, f32) = ("back", 180.0);
        const RIGHT: (&str, f32) = ("right", -90.0);
        let cameras: &[(&str, f32)] = match name {
            "front" => &[FRONT],
            "front-back" => &[FRONT, BACK],
            "front-left-right" => &[FRONT, LEFT, RIGHT],
            "panorama4" => &[FRONT, LEFT, BACK, RIGHT],
            _ => {
                let what = format!("there is no rig '{name}'");
                let remedy = format!("the rigs are {}", RIG_NAMES.join(", "));
                return Err(SensorError::camera(&self.name, what, &remedy));
            }
        };
        let projection = match (name, self.projection) {
            ("panorama4", Projection::Pinhole { .. }) => Projection::Pinhole { hfov_deg: 90.0 },
            (_, projection) => projection,
        };
        Ok(cameras
            .iter()
            .map(|&(camera, yaw)| Self {
                name: camera.to_owned(),
                yaw_deg: self.yaw_deg + yaw,
                projection,
                ..self.clone()
            })
            .collect())
    }

    /// A camera that looks straight down on `bounds` from a metre above them, north at the top, and
    /// its view: all of the box is in the image, with a margin of 2 %. Raise `near_m` for
    /// a cut below the roof; single-sided ceilings are seen through anyway, since they face
    /// down.
    pub fn top_down(bounds: &Aabb, width: u32, height: u32) -> (Self, Affine) {
        let size = bounds.size();
        let aspect = width.max(1) as f32 / height.max(1) as f32;
        let width_m = (size.x.max(size.z * aspect) * 1.02).max(0.1);
        let spec = Self {
            name: "top".to_owned(),
            width,
            height,
            projection: Projection::Orthographic { width_m },
            mount: Vec3::new(0.0, size.y + 1.0, 0.0),
            pitch_deg: -90.0,
            far_m: size.y + 2.0,
            ..Self::default()
        };
        let center = bounds.center();
        let floor = Vec3::new(center.x, center.y - size.y * 0.5, center.z);
        let pose = Pose { position: floor, heading: Heading::from_yaw(0.0) };
        let view = spec.world_from_camera(&pose, 0.0);
        (spec, view)
    }

    /// Checks every number.
    ///
    /// # Errors
    /// The first field that makes no image, with its value and what it may be.
    pub fn validate(&self) -> Result<(), SensorError> {
        let fault = |what: String, remedy: &str| Err(SensorError::camera(&self.name, what, remedy));
        if self.width == 0 || self.height == 0 || self.width > MAX_SIDE || self.height > MAX_SIDE {
            let what = format!("the image is {} × {} pixels", self.width, self.height);
            return fault(what, &format!("each side is 1 to {MAX_SIDE} pixels"));
        }
        match self.projection {
            Projection::Pinhole { hfov_deg } => {
                if !(hfov_deg > 0.0 && hfov_deg < 180.0) {
                    let what = format!("the field of view is {hfov_deg}°");
                    return fault(what, "it lies between 0 and 180 degrees, both excluded");
                }
            }
            Projection::Orthographic { width_m } => {
                if !(width_m > 0.0 && width_m.is_finite()) {
                    let what = format!("the image is {width_m} m wide");
                    return fault(what, "an orthographic width is a positive number of metres");
                }
            }
            Projection::Equirectangular => {}
            Projection::Fisheye { fov_deg } => {
                if !(fov_deg > 0.0 && fov_deg <= 360.0) {
                    let what = format!("the field of view is {fov_deg}°");
                    return fault(what, "a fisheye sees more than 0 and up to 360 degrees");
                }
            }
        }
        if !(self.near_m > 0.0 && self.far_m > self.near_m && self.far_m.is_finite()) {
            let what = format!("near is {} m and far is {} m", self.near_m, self.far_m);
            return fault(what, "0 < near < far, both finite");
        }
        if !(0.0..=16.0).contains(&self.lod_px) {
            let what = format!("surfaces may be shown {} pixels from their place", self.lod_px);
            return fault(what, "lod_px is 0 (exact) to 16 pixels");
        }
        let Tone { exposure_ev, temperature_k } = self.tone;
        if !((-16.0..=16.0).contains(&exposure_ev) && (1000.0..=40_000.0).contains(&temperature_k)) {
            let what = format!("the exposure is {exposure_ev} EV at {temperature_k} K");
            return fault(what, "exposure is -16 to 16 stops, temperature 1000 to 40000 K");
        }
        if let Some(lighting) = &self.lighting {
            lighting.validate(&self.name)?;
        }
        if !(self.mount.is_finite() && self.yaw_deg.is_finite() && self.pitch_deg.is_finite()) {
            let what = format!(
                "it is mounted at {} with yaw {}° and pitch {}°",
                self.mount, self.yaw_deg, self.pitch_deg
            );
            return fault(what, "all of them are finite numbers");
        }
        Ok(())
    }

    /// Where the camera is in the world when the body stands at `pose` with its head tilted by
    /// `tilt_rad` (positive up). The tilt turns the camera about its own X axis, as Habitat's look
    /// actions do, so a camera that looks sideways tilts up too.
    pub fn world_from_camera(&self, pose: &Pose, tilt_rad: f64) -> Affine {
        let body = rotation_y(pose.heading.yaw());
        let camera = rotation_y(f64::from(self.yaw_deg) * PI / 180.0)
            * rotation_x(f64::from(self.pitch_deg) * PI / 180.0 + tilt_rad);
        let position = pose.position.as_dvec3() + body * self.mount.as_dvec3();
        Affine { matrix: to_f32(body * camera), translation: position.as_vec3() }
    }

    /// Scale from ray coordinates to pixels, the same in both directions: the focal length in
    /// pixels of a pinhole camera, pixels a metre of an orthographic one, pixels a radian across an
    /// equirectangular or fisheye image.
    pub fn pixel_scale(&self) -> f64 {
        let width = f64::from(self.width);
        match self.projection {
            Projection::Pinhole { hfov_deg } => {
                width / (2.0 * libm::tan(f64::from(hfov_deg) * PI / 360.0))
            }
            Projection::Orthographic { width_m } => width / f64::from(width_m),
            Projection::Equirectangular => width / (2.0 * PI),
            Projection::Fisheye { fov_deg } => width / (f64::from(fov_deg) * PI / 180.0),
        }
    }

    /// Direction of the ray through an image position in the camera's frame, a unit vector, of an
    /// equirectangular or fisheye camera; `None` for others and beyond a fisheye's field of view.
    pub fn wide_ray(&self, x: f64, y: f64) -> Option<DVec3> {
        let (right, up) = (x - f64::from(self.width) * 0.5, f64::from(self.height) * 0.5 - y);
        match self.projection {
            Projection::Pinhole { .. } | Projection::Orthographic { .. } => None,
            Projection::Equirectangular => {
                let ([sine, cosine], [level, high]) = (self.azimuth(x), self.elevation(y));
                Some(DVec3::new(sine * level, high, -cosine * level))
            }
            Projection::Fisheye { fov_deg } => {
                let from_middle = libm::sqrt(right * right + up * up);
                let angle = from_middle / self.pixel_scale();
                if angle > f64::from(fov_deg) * PI / 360.0 {
                    return None;
                }
                let side = if from_middle > 0.0 { libm::sin(angle) / from_middle } else { 0.0 };
                Some(DVec3::new(right * side, up * side, -libm::cos(angle)))
            }
        }
    }

    /// Sine and cosine of the azimuth of a place in an equirectangular image, to the right of ahead.
    pub(crate) fn azimuth(&self, x: f64) -> [f64; 2] {
        let azimuth = (x - f64::from(self.width) * 0.5) * 2.0 * PI / f64::from(self.width);
        [libm::sin(azimuth), libm::cos(azimuth)]
    }

    /// Cosine and sine of the elevation of a place in an equirectangular image.
    pub(crate) fn elevation(&self, y: f64) -> [f64; 2] {
        let elevation = (f64::from(self.height) * 0.5 - y) * PI / f64::from(self.height);
        [libm::cos(elevation), libm::sin(elevation)]
    }

    /// The intrinsics matrix K (rows), in pixels, for the usual camera axes of computer vision
    /// (x right, y down, z ahead): `[[f, 0, w/2], [0, f, h/2], [0, 0, 1]]`. For an orthographic
    /// camera f is pixels a metre.
    pub fn intrinsics(&self) -> [[f64; 3]; 3] {
        let f = self.pixel_scale();
        [[f, 0.0, f64::from(self.width) * 0.5], [0.0, f, f64::from(self.height) * 0.5], [0.0, 0.0, 1.0]]
    }

    /// The point in the camera's frame that is seen at image position (`x`, `y`) at planar depth
    /// `depth_m`. The middle of pixel (column, row) is (column + 0.5, row + 0.5).
    pub fn unproject(&self, x: f64, y: f64, depth_m: f64) -> DVec3 {
        self.unproject_by(self.pixel_scale(), x, y, depth_m)
    }

    /// The same with [`CameraSpec::pixel_scale`], which takes a tangent, known.
    #[inline]
    pub(crate) fn unproject_by(&self, scale: f64, x: f64, y: f64, depth_m: f64) -> DVec3 {
        let right = (x - f64::from(self.width) * 0.5) / scale;
        let up = (f64::from(self.height) * 0.5 - y) / scale;
        match self.projection {
            Projection::Pinhole { .. } => DVec3::new(right * depth_m, up * depth_m, -depth_m),
            Projection::Orthographic { .. } => DVec3::new(right, up, -depth_m),
            Projection::Equirectangular | Projection::Fisheye { .. } => {
                let ray = self.wide_ray(x, y).unwrap_or(DVec3::ZERO);
                let along = if self.face_depth { ray.abs().max_element() } else { 1.0 };
                if along > 0.0 { ray * (depth_m / along) } else { DVec3::ZERO }
            }
        }
    }

    /// The same point in the world.
    pub fn unproject_to_world(&self, world_from_camera: &Affine, x: f64, y: f64, depth_m: f64) -> DVec3 {
        let matrix = world_from_camera.matrix.as_dmat3();
        matrix * self.unproject(x, y, depth_m) + world_from_camera.translation.as_dvec3()
    }

    /// Image position (x, y) and planar depth of a point in the camera's frame, inside the image
    /// or not; `None` where a pinhole camera has it beside or behind itself.
    pub fn project(&self, point: DVec3) -> Option<(f64, f64, f64)> {
        if self.projection.is_wide() {
            return self.project_wide(point);
        }
        let depth = -point.z;
        let scale = match self.projection {
            Projection::Pinhole { .. } if depth > 0.0 => self.pixel_scale() / depth,
            Projection::Pinhole { .. } => return None,
            _ => self.pixel_scale(),
        };
        let x = f64::from(self.width) * 0.5 + point.x * scale;
        let y = f64::from(self.height) * 0.5 - point.y * scale;
        Some((x, y, depth))
    }

    fn project_wide(&self, point: DVec3) -> Option<(f64, f64, f64)> {
        let distance = point.length();
        let depth = if self.face_depth { point.abs().max_element() } else { distance };
        if !(distance > 0.0 && distance.is_finite()) {
            return None;
        }
        let level = libm::sqrt(point.x * point.x + point.z * point.z);
        let (right, up) = if self.projection == Projection::Equirectangular {
            let azimuth = libm::atan2(point.x, -point.z);
            let elevation = libm::atan2(point.y, level);
            (azimuth * self.pixel_scale(), elevation * f64::from(self.height) / PI)
        } else {
            let side = libm::sqrt(point.x * point.x + point.y * point.y);
            let angle = libm::atan2(side, -point.z) * self.pixel_scale();
            let scale = if side > 0.0 { angle / side } else { 0.0 };
            (point.x * scale, point.y * scale)
        };
        Some((f64::from(self.width) * 0.5 + right, f64::from(self.height) * 0.5 - up, depth))
    }
}

fn rotation_y(radians: f64) -> DMat3 {
    let (s, c) = (libm::sin(radians), libm::cos(radians));
    DMat3::from_cols(DVec3::new(c, 0.0, -s), DVec3::Y, DVec3::new(s, 0.0, c))
}

fn rotation_x(radians: f64) -> DMat3 {
    let (s, c) = (libm::sin(radians), libm::cos(radians));
    DMat3::from_cols(DVec3::X, DVec3::new(0.0, c, s), DVec3::new(0.0, -s, c))
}

fn to_f32(matrix: DMat3) -> Mat3 {
    Mat3::from_cols(matrix.x_axis.as_vec3(), matrix.y_axis.as_vec3(), matrix.z_axis.as_vec3())
}
