//! Heights within polygons: triangles over the polygon's corners and samples of the floor.
//!
//! From `rerecast`, with two repairs. It adds the grid's corner and the voxel's height to a vertex
//! one after the other where Recast adds their sum; so it is given a grid at the origin, and the
//! sum is added here, to the same bits as Recast's. And it reads the wrong corners when a polygon
//! holds no voxel of its region (thin slivers), which may panic: such polygons stay flat.

use glam::{U16Vec3, Vec3};
use rerecast::{Aabb3d, AreaType, CompactHeightfield, DetailNavmesh, PolygonNavmesh, RegionId, SubMesh};

use super::guarded;
use super::plan::Plan;
use super::polygon::{NONE, Polygon, PolygonMesh};
use crate::NavMeshError;

/// The detail of all polygons, in their order; vertices in world coordinates.
pub(super) fn build(mesh: &PolygonMesh, space: &CompactHeightfield, plan: &Plan) -> DetailNavmesh {
    let mut detail = sample(&mesh.corners, &mesh.polygons, space, plan)
        .unwrap_or_else(|_| one_by_one(mesh, space, plan));
    let [x, y, z] = plan.bmin;
    let up = y + plan.cell_height;
    for vertex in &mut detail.vertices {
        // Local heights are whole voxels; `rerecast` has added one.
        let layers = (vertex.y / plan.cell_height).round() - 1.0;
        *vertex = Vec3::new(vertex.x + x, layers * plan.cell_height + up, vertex.z + z);
    }
    detail
}

fn sample(
    corners: &[[u16; 3]],
    polygons: &[Polygon],
    space: &CompactHeightfield,
    plan: &Plan,
) -> Result<DetailNavmesh, NavMeshError> {
    let most = plan.corners_per_poly;
    let count = polygons.len();
    let mut input = PolygonNavmesh {
        vertices: corners.iter().map(|&[x, y, z]| U16Vec3::new(x, y, z)).collect(),
        polygons: vec![NONE; count * most],
        polygon_neighbors: vec![NONE; count * most],
        flags: vec![0; count],
        regions: polygons.iter().map(|polygon| RegionId::from(polygon.region)).collect(),
        areas: vec![AreaType::DEFAULT_WALKABLE; count],
        max_vertices_per_polygon: most as u16,
        aabb: Aabb3d { min: Vec3::ZERO, max: space.aabb.max - space.aabb.min },
        cell_size: plan.cell_size,
        cell_height: plan.cell_height,
        border_size: 0,
        max_edge_error: plan.max_error,
    };
    for (index, polygon) in polygons.iter().enumerate() {
        let corners = polygon.corners.len();
        input.polygons[index * most..][..corners].copy_from_slice(&polygon.corners);
        input.polygon_neighbors[index * most..][..corners].copy_from_slice(&polygon.neighbours);
    }
    guarded("height detail", || {
        DetailNavmesh::new(&input, space, plan.sample_distance, plan.sample_error)
    })?
    .map_err(|error| NavMeshError::Build { reason: format!("the height detail failed: {error}") })
}

/// As a whole it failed: polygon by polygon, and those at fault flat.
fn one_by_one(mesh: &PolygonMesh, space: &CompactHeightfield, plan: &Plan) -> DetailNavmesh {
    let mut all = DetailNavmesh::default();
    for polygon in &mesh.polygons {
        let corners: Vec<[u16; 3]> =
            polygon.corners.iter().map(|&corner| mesh.corners[usize::from(corner)]).collect();
        let count = corners.len() as u16;
        let alone = Polygon {
            corners: (0..count).collect(),
            neighbours: polygon.neighbours.clone(),
            region: polygon.region,
        };
        let part = sample(&corners, &[alone], space, plan).unwrap_or_else(|_| fan(&corners, plan));
        let Some(own) = part.meshes.first() else { continue };
        all.meshes.push(SubMesh {
            base_vertex_index: all.vertices.len() as u32,
            vertex_count: own.vertex_count,
            base_triangle_index: all.triangles.len() as u32,
            triangle_count: own.triangle_count,
        });
        all.vertices.extend(part.vertices);
        all.triangles.extend(part.triangles);
        all.triangle_flags.extend(part.triangle_flags);
    }
    all
}

/// A polygon's corners as a fan of triangles, in the grid's frame.
fn fan(corners: &[[u16; 3]], plan: &Plan) -> DetailNavmesh {
    let scale = [plan.cell_size, plan.cell_height, plan.cell_size];
    let place = |&[x, y, z]: &[u16; 3]| {
        Vec3::new(f32::from(x) * scale[0], (f32::from(y) + 1.0) * scale[1], f32::from(z) * scale[2])
    };
    let last = corners.len() as u8 - 1;
    // Two bits an edge: 1 = on the polygon's border.
    let flags = |at: u8| u8::from(at == 2) | 1 << 2 | u8::from(at == last) << 4;
    DetailNavmesh {
        meshes: vec![SubMesh {
            base_vertex_index: 0,
            vertex_count: corners.len() as u32,
            base_triangle_index: 0,
            triangle_count: u32::from(last) - 1,
        }],
        vertices: corners.iter().map(place).collect(),
        triangles: (2..=last).map(|at| [0, at - 1, at]).collect(),
        triangle_flags: (2..=last).map(flags).collect(),
    }
}
