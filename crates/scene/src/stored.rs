//! Scenes in a bundle: how a [`SceneModel`] is written into one and read from it without copying its
//! arrays, and by what name a scene file finds its bundle.

use crate::{
    Array, Floor, Instance, Licence, Material, Mesh, Placement, ReadOptions, Receptacle, Room,
    SceneModel, Texture, Wrap,
};
use ambler_bundle::{Bundle, Put, Take, Writer, file_checksum};
use ambler_geometry::{Aabb, Affine, Fault, Vec2, Vec3};
use glam::Mat3;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The kind of a scene's bundle. Changes whenever sections or their content change.
pub const MAGIC: [u8; 8] = *b"AMBSCN01";

const META: u32 = 1;
const POSITIONS: u32 = 2;
const UVS: u32 = 3;
const COLORS: u32 = 4;
const TRIANGLES: u32 = 5;
const IDS: u32 = 6;
const TEXELS: u32 = 7;
/// Each texture begins at a multiple of so many pixels: where cache lines do.
const TEXEL_ALIGN: usize = 16;

/// What a scene was read from ([`crate::read_scene_sources`]). Only when one of these files changes,
/// comes or goes can the scene be another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// Checksum (blake3) of the scene file's bytes.
    pub(crate) root: [u8; 32],
    /// The other files, sorted: names relative to the scene's folder, with `/` between them, and
    /// checksums; none of a file that was looked for and not there.
    pub(crate) files: Vec<(String, Option<[u8; 32]>)>,
}

impl Sources {
    /// The names of the other files.
    pub fn names(&self) -> Vec<String> {
        self.files.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Names the content of a scene's files: the root of the name of its bundle.
#[derive(Clone)]
pub struct SourceKey {
    hasher: blake3::Hasher,
    folder: PathBuf,
}

impl SourceKey {
    /// Of a scene file or folder as [`crate::read_scene`] takes it, by the content of the file, its name
    /// (scenes are called by it), the options, and `salt`: what else decides about the bundle.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn new(path: &Path, options: &ReadOptions, salt: &[u8]) -> io::Result<Self> {
        let file = if path.is_dir() { path.join("scene.ron") } else { path.to_path_buf() };
        Self::with_root(file, options, salt, None)
    }

    /// Of a scene that was read from these sources: the name of its bundle, and that of what is known of
    /// its file.
    ///
    /// # Errors
    /// The file is not there any more.
    pub fn of_sources(
        path: &Path,
        options: &ReadOptions,
        salt: &[u8],
        sources: &Sources,
    ) -> io::Result<(String, String)> {
        let file = if path.is_dir() { path.join("scene.ron") } else { path.to_path_buf() };
        let key = Self::with_root(file, options, salt, Some(sources.root))?;
        let mut hasher = key.hasher.clone();
        sources.files.iter().for_each(|(name, sum)| add(&mut hasher, name, *sum));
        Ok((hasher.finalize().to_hex().to_string(), key.name()))
    }

    fn with_root(
        path: PathBuf,
        options: &ReadOptions,
        salt: &[u8],
        root: Option<[u8; 32]>,
    ) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut hasher = blake3::Hasher::new();
        let mut text = |text: &[u8]| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text);
        };
        text(&MAGIC);
        text(salt);
        text(options.up.as_str().as_bytes());
        text(&[u8::from(options.side_files)]);
        text(format!("{:?}", options.limits).as_bytes());
        let real = path.canonicalize()?;
        let names = [path.file_name(), real.parent().and_then(Path::file_name)];
        for name in names {
            text(name.unwrap_or_default().as_encoded_bytes());
        }
        text(&root.map_or_else(|| Ok(file_checksum(&path)?.0), io::Result::Ok)?);
        Ok(Self { hasher, folder })
    }

    /// A name for what is known of this file: 64 hex digits.
    pub fn name(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    /// The name of the bundle of the file and all others that it was made of ([`Sources::names`]): 64 hex
    /// digits. A file that is not there counts as such: when it comes, the name changes.
    ///
    /// # Errors
    /// A file is there but cannot be read; a name leads out of the scene's folder.
    pub fn with_sources(&self, sources: &[String]) -> io::Result<String> {
        let mut hasher = self.hasher.clone();
        for name in sources {
            let plain = Path::new(name).components().all(|c| matches!(c, Component::Normal(_)));
            if !plain {
                return Err(io::Error::other("a source outside the scene's folder"));
            }
            match file_checksum(&self.folder.join(name)) {
                Ok((sum, _)) => add(&mut hasher, name, Some(sum)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => add(&mut hasher, name, None),
                Err(error) => return Err(error),
            }
        }
        Ok(hasher.finalize().to_hex().to_string())
    }
}

fn add(hasher: &mut blake3::Hasher, name: &str, sum: Option<[u8; 32]>) {
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(&[u8::from(sum.is_some())]).update(&sum.unwrap_or([0; 32]));
}

/// Writes a scene's sections.
///
/// # Errors
/// Those of writing.
pub fn write(scene: &SceneModel, writer: &mut Writer) -> io::Result<()> {
    let meta = meta(scene);
    writer.section(META, true, |out| out.push(meta.bytes()))?;
    let meshes = || scene.meshes.iter();
    writer.section(POSITIONS, true, |out| meshes().try_for_each(|mesh| out.push(&mesh.positions)))?;
    writer.section(UVS, true, |out| meshes().try_for_each(|mesh| out.push(&mesh.uvs)))?;
    writer.section(COLORS, true, |out| meshes().try_for_each(|mesh| out.push(&mesh.colors)))?;
    writer.section(TRIANGLES, true, |out| meshes().try_for_each(|mesh| out.push(&mesh.triangles)))?;
    writer.section(IDS, true, |out| meshes().try_for_each(|mesh| out.push(&mesh.triangle_instances)))?;
    writer.section(TEXELS, false, |out| {
        scene.textures.iter().try_for_each(|texture| {
            out.push(&texture.pixels)?;
            out.align()
        })
    })
}

fn meta(scene: &SceneModel) -> Put {
    let mut put = Put::new();
    put.text(&scene.name).text(&scene.fingerprint);
    put.text(&scene.licence.name).text(&scene.licence.credit);
    put_box(&mut put, &scene.bounds);
    put.list(&scene.notes, |put, note| {
        put.text(note);
    });
    put.list(&scene.categories, |put, name| {
        put.text(name);
    });
    put.list(&scene.meshes, |put, mesh| {
        put.text(&mesh.name);
        put.len(mesh.positions.len()).len(mesh.uvs.len()).len(mesh.colors.len());
        put.len(mesh.triangles.len()).len(mesh.triangle_instances.len());
    });
    put.list(&scene.textures, |put, texture| {
        put.u32(texture.width).u32(texture.height);
        texture.wrap.iter().for_each(|&wrap| {
            put.u8(wrap as u8);
        });
    });
    put.list(&scene.materials, |put, material| {
        put.text(&material.name).f32s(&material.base_color);
        put.u32(material.texture.map_or(u32::MAX, |texture| texture));
        put.u8(u8::from(material.alpha_cutoff.is_some()));
        put.f32s(&[material.alpha_cutoff.unwrap_or(0.0)]).u8(u8::from(material.double_sided));
    });
    put.list(&scene.placements, |put, placement| {
        put.u32(placement.mesh).u32(placement.material).u32(placement.instance);
        put.f32s(&placement.world_from_mesh.matrix.to_cols_array());
        put.f32s(&placement.world_from_mesh.translation.to_array());
    });
    put.list(&scene.instances, |put, instance| {
        put.u32(instance.id).i64(instance.source_id).text(&instance.name).u32(instance.category);
        put_box(put, &instance.bounds);
    });
    put.list(&scene.rooms, |put, room| {
        put.text(&room.name).text(&room.category);
        put_polygon(put, &room.polygon);
        put.f32s(&[room.floor_y, room.height]);
    });
    put.list(&scene.floors, |put, floor| {
        put.text(&floor.name).f32s(&[floor.y]);
    });
    put.list(&scene.receptacles, |put, receptacle| {
        put.text(&receptacle.name).u32(receptacle.instance);
        put_polygon(put, &receptacle.polygon);
        put.f32s(&[receptacle.y]);
    });
    put
}

/// Reads a scene. Meshes and textures stay in the file.
///
/// # Errors
/// What is wrong with the bundle: sections that are missing or too short, indices out of range.
pub fn read(bundle: &Bundle) -> Result<SceneModel, Fault> {
    let mut take = Take::new(bundle.bytes(META)?, bundle.path());
    let mut scene = SceneModel {
        name: take.text()?,
        fingerprint: take.text()?,
        licence: Licence { name: take.text()?, credit: take.text()? },
        bounds: take_box(&mut take)?,
        notes: take.list(Take::text)?,
        categories: take.list(Take::text)?,
        ..SceneModel::default()
    };
    scene.meshes = take_meshes(&mut take, bundle)?;
    scene.textures = take_textures(&mut take, bundle)?;
    scene.materials = take.list(|take| {
        let (name, base_color) = (take.text()?, take.f32s()?);
        let texture = Some(take.u32()?).filter(|&texture| texture != u32::MAX);
        let (masked, [cutoff]) = (take.u8()? != 0, take.f32s()?);
        let double_sided = take.u8()? != 0;
        Ok(Material { name, base_color, texture, alpha_cutoff: masked.then_some(cutoff), double_sided })
    })?;
    scene.placements = take.list(|take| {
        let (mesh, material, instance) = (take.u32()?, take.u32()?, take.u32()?);
        let matrix = Mat3::from_cols_array(&take.f32s()?);
        let translation = Vec3::from_array(take.f32s()?);
        Ok(Placement { mesh, material, instance, world_from_mesh: Affine { matrix, translation } })
    })?;
    scene.instances = take.list(|take| {
        let (id, source_id, name) = (take.u32()?, take.i64()?, take.text()?);
        Ok(Instance { id, source_id, name, category: take.u32()?, bounds: take_box(take)? })
    })?;
    scene.rooms = take.list(|take| {
        let (name, category, polygon) = (take.text()?, take.text()?, take_polygon(take)?);
        let [floor_y, height] = take.f32s()?;
        Ok(Room { name, category, polygon, floor_y, height })
    })?;
    scene.floors = take.list(|take| Ok(Floor { name: take.text()?, y: take.f32s::<1>()?[0] }))?;
    scene.receptacles = take.list(|take| {
        let (name, instance, polygon) = (take.text()?, take.u32()?, take_polygon(take)?);
        Ok(Receptacle { name, instance, polygon, y: take.f32s::<1>()?[0] })
    })?;
    take.end()?;
    match broken(&scene) {
        Some(what) => Err(bundle.fault(META, what)),
        None => Ok(scene),
    }
}

/// What of a scene's promises does not hold.
fn broken(scene: &SceneModel) -> Option<&'static str> {
    let within = |index: u32, len: usize| (index as usize) < len;
    let sorted = scene.instances.windows(2).all(|pair| pair[0].id < pair[1].id);
    if scene.categories.first().is_none_or(|first| !first.is_empty()) {
        Some("the first category has a name")
    } else if !sorted || scene.instances.first().is_some_and(|first| first.id == 0) {
        Some("ids of instances are out of order")
    } else if !scene.instances.iter().all(|i| within(i.category, scene.categories.len())) {
        Some("an instance's category does not exist")
    } else if !scene.placements.iter().all(|p| within(p.mesh, scene.meshes.len())) {
        Some("a placement's mesh does not exist")
    } else if !scene
        .materials
        .iter()
        .filter_map(|material| material.texture)
        .all(|texture| within(texture, scene.textures.len()))
    {
        Some("a material's texture does not exist")
    } else {
        None
    }
}

/// The next so many of a list that several share.
struct Shared<T: 'static> {
    all: Array<T>,
    next: usize,
}

impl<T: ambler_bundle::Plain> Shared<T> {
    fn of(bundle: &Bundle, kind: u32) -> Result<Self, Fault> {
        Ok(Self { all: bundle.array(kind)?, next: 0 })
    }

    fn part(&mut self, len: usize) -> Option<Array<T>> {
        let end = self.next.checked_add(len)?;
        let part = self.all.part(self.next..end)?;
        self.next = end;
        Some(part)
    }
}

fn take_meshes(take: &mut Take<'_>, bundle: &Bundle) -> Result<Vec<Arc<Mesh>>, Fault> {
    let mut positions = Shared::<Vec3>::of(bundle, POSITIONS)?;
    let mut uvs = Shared::<Vec2>::of(bundle, UVS)?;
    let mut colors = Shared::<[u8; 4]>::of(bundle, COLORS)?;
    let mut triangles = Shared::<[u32; 3]>::of(bundle, TRIANGLES)?;
    let mut ids = Shared::<u32>::of(bundle, IDS)?;
    take.list(|take| {
        let name = take.text()?;
        let mut lens = [0; 5];
        for len in &mut lens {
            *len = take.len()?;
        }
        let [vertices, with_uvs, with_colors, faces, with_ids] = lens;
        let mesh = || {
            let mesh = Mesh {
                name,
                positions: positions.part(vertices)?,
                uvs: uvs.part(with_uvs)?,
                colors: colors.part(with_colors)?,
                triangles: triangles.part(faces)?,
                triangle_instances: ids.part(with_ids)?,
            };
            let most = mesh.triangles.iter().flatten().copied().max();
            most.is_none_or(|most| (most as usize) < vertices).then_some(mesh)
        };
        mesh().map(Arc::new).ok_or_else(|| take.fault("a mesh that its sections do not hold"))
    })
}

fn take_textures(take: &mut Take<'_>, bundle: &Bundle) -> Result<Vec<Arc<Texture>>, Fault> {
    let mut texels = Shared::<[u8; 4]>::of(bundle, TEXELS)?;
    take.list(|take| {
        let (width, height) = (take.u32()?, take.u32()?);
        let mut wrap = [Wrap::Repeat; 2];
        for wrap in &mut wrap {
            *wrap = match take.u8()? {
                0 => Wrap::Repeat,
                1 => Wrap::Clamp,
                2 => Wrap::Mirror,
                other => return Err(take.fault(format!("a wrap mode {other}"))),
            };
        }
        let count = (width as usize).checked_mul(height as usize).filter(|&count| count > 0);
        let pixels = count.and_then(|count| {
            let pixels = texels.part(count)?;
            texels.next = texels.next.checked_next_multiple_of(TEXEL_ALIGN)?;
            Some(pixels)
        });
        let pixels =
            pixels.ok_or_else(|| take.fault(format!("a texture of {width}×{height} pixels")))?;
        Ok(Arc::new(Texture { width, height, pixels, wrap }))
    })
}

fn put_box(put: &mut Put, bounds: &Aabb) {
    put.f32s(&bounds.min.to_array()).f32s(&bounds.max.to_array());
}

fn take_box(take: &mut Take<'_>) -> Result<Aabb, Fault> {
    Ok(Aabb { min: Vec3::from_array(take.f32s()?), max: Vec3::from_array(take.f32s()?) })
}

fn put_polygon(put: &mut Put, polygon: &[Vec2]) {
    put.list(polygon, |put, point| {
        put.f32s(&point.to_array());
    });
}

fn take_polygon(take: &mut Take<'_>) -> Result<Vec<Vec2>, Fault> {
    take.list(|take| Ok(Vec2::from_array(take.f32s()?)))
}
