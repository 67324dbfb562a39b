use ambler_bundle::Array;
use ambler_geometry::{Aabb, Affine, Vec2, Vec3};
use std::sync::Arc;

/// A scene as every part of Ambler sees it: geometry, looks and labels. Every reader produces one;
/// the renderer, the navmesh builder, physics and the window are fed from it and from nothing else.
///
/// Immutable once read: workers share it behind an `Arc`. World frame: +Y up, metres.
#[derive(Clone, Debug, Default)]
pub struct SceneModel {
    /// A short name for people: the file's stem or what the scene description says.
    pub name: String,
    /// The mesh pool; [`Placement`]s refer to it by index. Scenes that differ only in what stands
    /// where share their meshes: a clone of a scene copies no geometry. Change one with
    /// [`Arc::make_mut`], which copies it where others hold it too.
    pub meshes: Vec<Arc<Mesh>>,
    /// The texture pool; [`Material`]s refer to it by index. Shared as meshes are.
    pub textures: Vec<Arc<Texture>>,
    /// The material pool; [`Placement`]s refer to it by index.
    pub materials: Vec<Material>,
    /// What stands where.
    pub placements: Vec<Placement>,
    /// Things that have an identity in instance images. Sorted by `id`, ids unique and not 0.
    pub instances: Vec<Instance>,
    /// Category names. Index 0 is always the empty name, "no category": a category image holds
    /// indices into this list.
    pub categories: Vec<String>,
    /// Rooms, where the source knows them.
    pub rooms: Vec<Room>,
    /// Floors (storeys), lowest first, where the source knows them.
    pub floors: Vec<Floor>,
    /// Surfaces that hold objects, where the source knows them.
    pub receptacles: Vec<Receptacle>,
    /// Licence and credit, where the source states them.
    pub licence: Licence,
    /// blake3 (hex) over the content of all files it was read from and the options; names the scene in
    /// caches and records. Empty for a scene made in memory.
    pub fingerprint: String,
    /// Bounds over *all* vertices of placed meshes, unreferenced ones included: Habitat does so,
    /// and it sets the grid of the navmesh.
    pub bounds: Aabb,
    /// What was odd but harmless in the source; each said once.
    pub notes: Vec<String>,
}

/// A triangle mesh with one material. Triangles are counter-clockwise seen from their front.
/// Its lists are read as slices; in a scene from the cache they lie in its file.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Name in the source; may be empty.
    pub name: String,
    /// Vertex positions in the mesh's frame, metres.
    pub positions: Array<Vec3>,
    /// Texture coordinates per vertex, (0, 0) = the upper left of the image; empty without.
    pub uvs: Array<Vec2>,
    /// Colours per vertex (sRGB, alpha last); empty without. Multiplied with the material's colour.
    pub colors: Array<[u8; 4]>,
    /// Vertex indices, three a triangle, all in range.
    pub triangles: Array<[u32; 3]>,
    /// For each triangle the `id` of its [`Instance`], 0 for none; empty where the placement's
    /// instance holds for all triangles. Where not empty it overrides the placement's.
    pub triangle_instances: Array<u32>,
}

/// An image, sRGB with straight alpha, row 0 at the top.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
    /// `width · height` pixels, row by row.
    pub pixels: Array<[u8; 4]>,
    /// How coordinates outside 0..1 are read, along u and v.
    pub wrap: [Wrap; 2],
}

/// How texture coordinates outside 0..1 are read (glTF's sampler modes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// Tiled.
    #[default]
    Repeat,
    /// The border pixel continues.
    Clamp,
    /// Tiled, every other tile mirrored.
    Mirror,
}

/// Looks of a surface. Ambler draws unlit, as Habitat draws scans.
#[derive(Clone, Debug)]
pub struct Material {
    /// Name in the source; may be empty.
    pub name: String,
    /// Base colour, linear, alpha last; multiplied with texture and vertex colour. (1, 1, 1, 1) by
    /// default.
    pub base_color: [f32; 4],
    /// Base colour texture, index into [`SceneModel::textures`].
    pub texture: Option<u32>,
    /// Pixels with less alpha are holes (glTF's MASK); `None` draws all pixels.
    pub alpha_cutoff: Option<f32>,
    /// The file's wish to be seen from behind. Kept for the window; the sensors cull back faces
    /// whatever it says, as Habitat does, unless asked otherwise.
    pub double_sided: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            texture: None,
            alpha_cutoff: None,
            double_sided: false,
        }
    }
}

/// A mesh placed in the world.
#[derive(Clone, Debug)]
pub struct Placement {
    /// Index into [`SceneModel::meshes`].
    pub mesh: u32,
    /// Index into [`SceneModel::materials`].
    pub material: u32,
    /// Takes mesh coordinates to world coordinates. May mirror: then the triangles' winding is
    /// read the other way round.
    pub world_from_mesh: Affine,
    /// `id` of the [`Instance`] it belongs to; 0 for none.
    pub instance: u32,
}

/// A thing with an identity in instance images.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The value in instance images; never 0. The source's id, or source + 1 where the source
    /// uses 0 for a thing.
    pub id: u32,
    /// The id in the source.
    pub source_id: i64,
    /// Name in the source, or `category_id`.
    pub name: String,
    /// Index into [`SceneModel::categories`]; 0 = unknown.
    pub category: u32,
    /// Bounds in the world over its triangles (or as the source states them).
    pub bounds: Aabb,
}

/// A room with its outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Room {
    /// Unique name.
    pub name: String,
    /// Category such as `kitchen`; empty if unknown.
    pub category: String,
    /// Outline in the floor plane (x, z), metres, simple polygon.
    pub polygon: Vec<Vec2>,
    /// Height of its floor, metres.
    pub floor_y: f32,
    /// Height of the room, metres.
    pub height: f32,
}

/// A storey.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// Name such as `ground floor`.
    pub name: String,
    /// Height of the floor's surface, metres.
    pub y: f32,
}

/// A surface that holds objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Receptacle {
    /// Unique name.
    pub name: String,
    /// `id` of the [`Instance`] it belongs to; 0 for none.
    pub instance: u32,
    /// Outline in the floor plane (x, z), metres.
    pub polygon: Vec<Vec2>,
    /// Height of the surface, metres.
    pub y: f32,
}

/// Licence and credit of a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Licence {
    /// SPDX expression or short name; empty if the source states none.
    pub name: String,
    /// Whom to credit; may be empty.
    pub credit: String,
}

impl SceneModel {
    /// Triangles drawn: each placement counts its mesh.
    pub fn triangle_count(&self) -> usize {
        self.placements.iter().map(|p| self.meshes[p.mesh as usize].triangles.len()).sum()
    }

    /// Vertices placed, unreferenced ones included.
    pub fn vertex_count(&self) -> usize {
        self.placements.iter().map(|p| self.meshes[p.mesh as usize].positions.len()).sum()
    }

    /// The instance with this `id`, if any.
    pub fn instance(&self, id: u32) -> Option<&Instance> {
        let index = self.instances.binary_search_by_key(&id, |instance| instance.id).ok()?;
        self.instances.get(index)
    }

    /// Index of a category by name.
    pub fn category_index(&self, name: &str) -> Option<u32> {
        self.categories.iter().position(|category| category == name).map(|index| index as u32)
    }

    /// Name of a category; empty for 0 and for indices out of range.
    pub fn category_name(&self, index: u32) -> &str {
        self.categories.get(index as usize).map_or("", String::as_str)
    }

    /// All triangles in the world as one vertex and one index list, in placement order, winding
    /// corrected for mirrored placements; unreferenced vertices are kept (they are part of
    /// Habitat's bounds). For navmesh building and collision shapes.
    pub fn world_triangles(&self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let mut vertices = Vec::with_capacity(self.vertex_count());
        let mut triangles = Vec::with_capacity(self.triangle_count());
        for placement in &self.placements {
            let mesh = &self.meshes[placement.mesh as usize];
            let base = vertices.len() as u32;
            vertices.extend(mesh.positions.iter().map(|&p| placement.world_from_mesh.point(p)));
            let mirrored = placement.world_from_mesh.is_mirrored();
            triangles.extend(mesh.triangles.iter().map(|&[a, b, c]| {
                if mirrored { [a + base, c + base, b + base] } else { [a + base, b + base, c + base] }
            }));
        }
        (vertices, triangles)
    }

    /// Recomputes [`SceneModel::bounds`] from the placements.
    pub fn recompute_bounds(&mut self) {
        self.bounds = Aabb::from_points(self.placements.iter().flat_map(|placement| {
            let mesh = &self.meshes[placement.mesh as usize];
            mesh.positions.iter().map(|&p| placement.world_from_mesh.point(p))
        }));
    }
}
