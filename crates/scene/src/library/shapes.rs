use super::convex::{self, DecomposeOptions, convex_hull, decompose, simplify_pieces};
use super::{Hull, ObjectModel, StablePose, recipes, stable_poses};
use crate::SceneError;
use crate::files::read_file;
use ambler_geometry::{Aabb, Place, Quat, Vec3};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What physics needs of an object; computed once, then kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectShape {
    /// blake3 of the triangles that it was computed from.
    pub geometry: [u8; 32],
    /// Bounds of these.
    pub bounds: Aabb,
    /// Centre of mass.
    pub center_of_mass: Vec3,
    /// Volume of the pieces, cubic metres.
    pub volume_m3: f32,
    /// Convex pieces.
    pub hulls: Arc<[Hull]>,
    /// Poses of rest.
    pub poses: Vec<StablePose>,
    /// The radius of an object that is a ball; 0 for all others.
    pub ball_m: f32,
    /// The box over whose grid of 65,536 steps a side the corners of the pieces lie.
    pub frame: Aabb,
}

impl ObjectShape {
    /// Computes the shape: from the convex `pieces` that a recipe states, or else by decomposing the
    /// meshes. `None` for meshes without extent.
    pub fn compute(
        model: &ObjectModel,
        pieces: Option<&[Vec<Vec3>]>,
        center_of_mass: Option<Vec3>,
        options: &DecomposeOptions,
    ) -> Option<Self> {
        let bounds = model.bounds();
        if bounds.is_empty() || !(bounds.min.is_finite() && bounds.max.is_finite()) {
            return None;
        }
        let mut hulls = match pieces {
            Some(pieces) => simplify_pieces(pieces, options.merge),
            None => {
                let meshes: Vec<&crate::Mesh> =
                    model.meshes.iter().map(|(mesh, _)| mesh.as_ref()).collect();
                decompose(&meshes, options)
            }
        };
        // What is stored is what is used, whether or not it came from the store.
        let frame =
            Aabb::from_points(hulls.iter().flat_map(|hull| hull.points.iter().copied())).union(bounds);
        let grid = Grid::new(frame)?;
        for point in hulls.iter_mut().flat_map(|hull| &mut hull.points) {
            *point = grid.point(grid.cell(*point));
        }
        let (mut volume, mut moment) = (0.0, ambler_geometry::DVec3::ZERO);
        hulls.retain(|hull| match convex_hull(&hull.points, usize::MAX, 0.0) {
            Some(whole) => {
                let (part, center) = whole.volume_and_center();
                volume += part;
                moment += center * part;
                true
            }
            None => false,
        });
        if hulls.is_empty() || volume <= 0.0 {
            return None;
        }
        let center_of_mass = center_of_mass.unwrap_or_else(|| (moment / volume).as_vec3());
        let mut poses = stable_poses(&hulls, center_of_mass);
        if poses.is_empty() {
            return None;
        }
        let ball_m = ball_radius(model, bounds);
        if ball_m > 0.0 {
            // The facets are the pieces', not the ball's.
            for pose in &mut poses {
                (pose.margin_rad, pose.barrier_m) = (0.0, 0.0);
            }
        }
        Some(Self {
            geometry: Self::geometry_of(model),
            bounds,
            center_of_mass,
            volume_m3: volume as f32,
            hulls: hulls.into(),
            poses,
            ball_m,
            frame,
        })
    }

    /// The hash that [`ObjectShape::geometry`] of this model would be: blake3 over positions and
    /// triangles.
    pub fn geometry_of(model: &ObjectModel) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (mesh, _) in &model.meshes {
            hasher.update(&(mesh.positions.len() as u64).to_le_bytes());
            for position in &mesh.positions {
                for part in position.to_array() {
                    hasher.update(&part.to_bits().to_le_bytes());
                }
            }
            for corner in mesh.triangles.iter().flatten() {
                hasher.update(&corner.to_le_bytes());
            }
        }
        *hasher.finalize().as_bytes()
    }
}

/// The radius where the whole surface lies within 4 % of one distance from the middle, and the bounds are
/// as high as wide; 0 elsewhere.
fn ball_radius(model: &ObjectModel, bounds: Aabb) -> f32 {
    let size = bounds.size();
    if size.min_element() < size.max_element() * 0.93 {
        return 0.0;
    }
    let center = bounds.center();
    let (mut least, mut most) = (f32::INFINITY, 0.0_f32);
    for (mesh, _) in &model.meshes {
        for triangle in &mesh.triangles {
            let corners = triangle.map(|i| mesh.positions.get(i as usize).copied().unwrap_or_default());
            // The middles too: the corners of a cube lie on a ball.
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            for point in corners.into_iter().chain([middle]) {
                let distance = point.distance(center);
                (least, most) = (least.min(distance), most.max(distance));
            }
        }
    }
    if least > most * 0.92 { (least + most) * 0.5 } else { 0.0 }
}

/// The grid of 65,536 steps a side that corners are rounded to.
struct Grid {
    min: Vec3,
    step: Vec3,
}

impl Grid {
    fn new(frame: Aabb) -> Option<Self> {
        let step = (frame.max - frame.min) / 65_535.0;
        (step.is_finite() && step.max_element() > 0.0).then_some(Self { min: frame.min, step })
    }

    fn cell(&self, point: Vec3) -> [u16; 3] {
        std::array::from_fn(|axis| {
            let step = self.step[axis];
            if step > 0.0 { ((point[axis] - self.min[axis]) / step + 0.5) as u16 } else { 0 }
        })
    }

    fn point(&self, cell: [u16; 3]) -> Vec3 {
        self.min + self.step * Vec3::from_array(cell.map(f32::from))
    }
}

/// Shapes by key, in memory and in files: `shapes.bin` beside a catalogue, and a user's cache.
///
/// The key is a hash of everything that determines a shape: the mesh file's bytes or the recipe, the
/// scale and axes, and the version of the algorithm. A changed file has another key and finds nothing.
#[derive(Clone, Debug, Default)]
pub struct ShapeStore {
    /// Shapes by key.
    pub shapes: BTreeMap<[u8; 32], ObjectShape>,
}

const MAGIC: &[u8; 8] = b"AMBSHAPE";
const FORMAT: u32 = 1;

impl ShapeStore {
    /// The key of an object whose mesh has this content.
    pub fn key(content: &[u8], parts: &[&[u8]]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"ambler object shape\n");
        for version in [FORMAT, convex::VERSION, recipes::VERSION] {
            hasher.update(&version.to_le_bytes());
        }
        for part in std::iter::once(&content).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        *hasher.finalize().as_bytes()
    }

    /// Reads a file of shapes.
    ///
    /// # Errors
    /// [`SceneError`] where the file cannot be read, is truncated or damaged.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        Self::parse(&read_file(path, 1 << 30)?, path)
    }

    /// Reads shapes from memory; `path` is for messages.
    ///
    /// # Errors
    /// As [`ShapeStore::read`].
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, SceneError> {
        let mut cursor = Cursor { bytes, at: 0, path };
        if cursor.take(8)? != MAGIC {
            return Err(cursor.fault("is no file of object shapes"));
        }
        if cursor.u32()? != FORMAT {
            return Err(cursor.fault("is of another version"));
        }
        let hash = cursor.array::<32>()?;
        if blake3::hash(bytes.get(cursor.at..).unwrap_or(&[])).as_bytes() != &hash {
            return Err(cursor.fault("is damaged: its bytes do not match their hash"));
        }
        let count = cursor.u32()?;
        let mut shapes = BTreeMap::new();
        for _ in 0..count {
            let key = cursor.array::<32>()?;
            shapes.insert(key, cursor.shape()?);
        }
        if cursor.at != bytes.len() {
            return Err(cursor.fault("has bytes after its end"));
        }
        Ok(Self { shapes })
    }

    /// The file's bytes: the same shapes give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend((self.shapes.len() as u32).to_le_bytes());
        for (key, shape) in &self.shapes {
            body.extend(key);
            body.extend(shape.geometry);
            let (grid, frame) = (Grid::new(shape.frame), shape.frame);
            for vector in
                [shape.bounds.min, shape.bounds.max, frame.min, frame.max, shape.center_of_mass]
            {
                body.extend(vector.to_array().into_iter().flat_map(f32::to_le_bytes));
            }
            body.extend(shape.volume_m3.to_le_bytes());
            body.extend(shape.ball_m.to_le_bytes());
            body.extend((shape.hulls.len() as u16).to_le_bytes());
            for hull in shape.hulls.iter() {
                body.extend((hull.points.len() as u16).to_le_bytes());
                for &point in &hull.points {
                    let cell = grid.as_ref().map_or([0; 3], |grid| grid.cell(point));
                    body.extend(cell.into_iter().flat_map(u16::to_le_bytes));
                }
            }
            body.extend((shape.poses.len() as u16).to_le_bytes());
            for pose in &shape.poses {
                let numbers = pose.rotation.to_array().into_iter();
                let rest = [pose.height_m, pose.probability, pose.margin_rad, pose.barrier_m];
                body.extend(numbers.chain(rest).flat_map(f32::to_le_bytes));
            }
        }
        let mut out = MAGIC.to_vec();
        out.extend(FORMAT.to_le_bytes());
        out.extend(blake3::hash(&body).as_bytes());
        out.extend(body);
        out
    }

    /// Writes the file, by rename.
    ///
    /// # Errors
    /// [`SceneError::File`] where it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), SceneError> {
        write_by_rename(path, &self.to_bytes())
    }
}

/// Writes beside the place and renames, so that a reader never sees half a file.
pub(crate) fn write_by_rename(path: &Path, bytes: &[u8]) -> Result<(), SceneError> {
    let fault = |error: std::io::Error| {
        SceneError::file(path, format!("cannot be written ({error})"), "check the folder's permissions")
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(fault)?;
    }
    let temporary = path.with_extension(format!("{}.{:p}.tmp", std::process::id(), &raw const bytes));
    let written = std::fs::File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| std::fs::rename(&temporary, path)).map_err(|error| {
        // Whatever was written is of no use.
        let _ = std::fs::remove_file(&temporary);
        fault(error)
    })
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    path: &'a Path,
}

impl<'a> Cursor<'a> {
    fn fault(&self, what: &str) -> SceneError {
        SceneError::malformed(
            self.path,
            Place::Byte(self.at as u64),
            what,
            "remove the file: it is made anew from the objects",
        )
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], SceneError> {
        let bytes = self.at.checked_add(count).and_then(|end| self.bytes.get(self.at..end));
        let bytes = bytes.ok_or_else(|| self.fault("ends too early"))?;
        self.at += count;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SceneError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    fn u16(&mut self) -> Result<u16, SceneError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, SceneError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn f32(&mut self) -> Result<f32, SceneError> {
        let value = f32::from_le_bytes(self.array()?);
        if value.is_finite() { Ok(value) } else { Err(self.fault("holds a number that is not finite")) }
    }

    fn vec3(&mut self) -> Result<Vec3, SceneError> {
        Ok(Vec3::new(self.f32()?, self.f32()?, self.f32()?))
    }

    fn shape(&mut self) -> Result<ObjectShape, SceneError> {
        let geometry = self.array()?;
        let bounds = Aabb { min: self.vec3()?, max: self.vec3()? };
        let frame = Aabb { min: self.vec3()?, max: self.vec3()? };
        let center_of_mass = self.vec3()?;
        let volume_m3 = self.f32()?;
        let ball_m = self.f32()?;
        let grid = Grid::new(frame).ok_or_else(|| self.fault("holds a shape without extent"))?;
        let mut hulls = Vec::new();
        for _ in 0..self.u16()? {
            let mut points = Vec::new();
            for _ in 0..self.u16()? {
                points.push(grid.point([self.u16()?, self.u16()?, self.u16()?]));
            }
            if points.len() < 4 {
                return Err(self.fault("holds a piece with fewer than four corners"));
            }
            hulls.push(Hull { points });
        }
        let mut poses = Vec::new();
        for _ in 0..self.u16()? {
            let rotation = Quat::from_xyzw(self.f32()?, self.f32()?, self.f32()?, self.f32()?);
            if (rotation.length() - 1.0).abs() > 1e-3 {
                return Err(self.fault("holds a rotation that is none"));
            }
            poses.push(StablePose {
                rotation,
                height_m: self.f32()?,
                probability: self.f32()?,
                margin_rad: self.f32()?,
                barrier_m: self.f32()?,
            });
        }
        if hulls.is_empty() || poses.is_empty() {
            return Err(self.fault("holds a shape without pieces or poses"));
        }
        Ok(ObjectShape {
            geometry,
            bounds,
            center_of_mass,
            volume_m3,
            hulls: hulls.into(),
            poses,
            ball_m,
            frame,
        })
    }
}
