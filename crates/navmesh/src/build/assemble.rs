//! A Detour tile from polygons and their height detail, laid out as Detour's tile builder does.

use rerecast::DetailNavmesh;

use super::plan::Plan;
use super::polygon::{NONE, PolygonMesh};
use crate::settings::NavMeshSettings;
use crate::tile::{BvNode, DetailMesh, FLAG_WALK, Poly, Tile};

/// The tile. `top` is the upper bound in y: the scene's top and the body's height above it.
pub(super) fn tile(
    plan: &Plan,
    settings: &NavMeshSettings,
    mesh: &PolygonMesh,
    detail: &DetailNavmesh,
    top: f32,
) -> Tile {
    let mut tile = Tile {
        walkable_height: settings.agent_height_m,
        walkable_radius: settings.agent_radius_m,
        walkable_climb: settings.agent_max_climb_m,
        bmin: plan.bmin,
        bmax: [plan.bmax[0], top, plan.bmax[2]],
        bv_quant_factor: 1.0 / plan.cell_size,
        ..Tile::default()
    };
    let scale = [plan.cell_size, plan.cell_height, plan.cell_size];
    tile.verts = mesh
        .corners
        .iter()
        .map(|corner| std::array::from_fn(|k| plan.bmin[k] + f32::from(corner[k]) * scale[k]))
        .collect();
    for polygon in &mesh.polygons {
        let mut poly =
            Poly { flags: FLAG_WALK, vert_count: polygon.corners.len() as u8, ..Poly::default() };
        for (edge, (&corner, &behind)) in polygon.corners.iter().zip(&polygon.neighbours).enumerate() {
            poly.verts[edge] = corner;
            poly.neis[edge] = if behind == NONE { 0 } else { behind + 1 };
        }
        tile.max_links += i32::from(poly.vert_count);
        tile.polys.push(poly);
    }
    for (polygon, sub) in mesh.polygons.iter().zip(&detail.meshes) {
        // The first vertices of a detail mesh are the polygon's corners; only the rest is stored.
        let corners = polygon.corners.len();
        let from = sub.base_vertex_index as usize;
        let all = &detail.vertices[from..from + sub.vertex_count as usize];
        let own = all.get(corners..).unwrap_or_default();
        tile.detail_meshes.push(DetailMesh {
            vert_base: tile.detail_verts.len() as u32,
            tri_base: sub.base_triangle_index,
            vert_count: own.len() as u8,
            tri_count: sub.triangle_count as u8,
        });
        tile.detail_verts.extend(own.iter().map(|vertex| vertex.to_array()));
    }
    tile.detail_tris = detail
        .triangles
        .iter()
        .zip(&detail.triangle_flags)
        .map(|(t, flags)| [t[0], t[1], t[2], *flags])
        .collect();
    tile.bv_nodes = bv_tree(plan, detail);
    tile
}

/// The bounds of a polygon's detail, in voxel widths on every axis.
#[derive(Clone, Copy)]
struct Item {
    bmin: [u16; 3],
    bmax: [u16; 3],
    polygon: usize,
}

fn bv_tree(plan: &Plan, detail: &DetailNavmesh) -> Vec<BvNode> {
    let factor = 1.0 / plan.cell_size;
    let mut items: Vec<Item> = detail
        .meshes
        .iter()
        .enumerate()
        .map(|(polygon, sub)| {
            let from = sub.base_vertex_index as usize;
            let vertices = &detail.vertices[from..from + sub.vertex_count as usize];
            let first = vertices.first().map_or(plan.bmin, |vertex| vertex.to_array());
            let (mut low, mut high) = (first, first);
            for vertex in vertices {
                for (k, value) in vertex.to_array().into_iter().enumerate() {
                    low[k] = low[k].min(value);
                    high[k] = high[k].max(value);
                }
            }
            let quantised = |point: [f32; 3]| {
                std::array::from_fn(|k| {
                    (((point[k] - plan.bmin[k]) * factor) as i32).clamp(0, 0xffff) as u16
                })
            };
            Item { bmin: quantised(low), bmax: quantised(high), polygon }
        })
        .collect();
    let mut nodes = Vec::with_capacity(2 * items.len());
    if !items.is_empty() {
        divide(&mut items, &mut nodes);
    }
    // Detour reserves one node more than a full tree has.
    nodes.resize(2 * items.len(), BvNode::default());
    nodes
}

/// Halves the items along their longest axis, sorted by lower bound; depth first.
fn divide(items: &mut [Item], nodes: &mut Vec<BvNode>) {
    let own = nodes.len();
    if let [item] = items {
        nodes.push(BvNode { bmin: item.bmin, bmax: item.bmax, i: item.polygon as i32 });
        return;
    }
    let mut node = BvNode { bmin: items[0].bmin, bmax: items[0].bmax, i: 0 };
    for item in &*items {
        for k in 0..3 {
            node.bmin[k] = node.bmin[k].min(item.bmin[k]);
            node.bmax[k] = node.bmax[k].max(item.bmax[k]);
        }
    }
    let sides: [u16; 3] = std::array::from_fn(|k| node.bmax[k] - node.bmin[k]);
    let mut axis = usize::from(sides[1] > sides[0]);
    if sides[2] > sides[axis] {
        axis = 2;
    }
    nodes.push(node);
    items.sort_by_key(|item| item.bmin[axis]);
    let (left, right) = items.split_at_mut(items.len() / 2);
    divide(left, nodes);
    divide(right, nodes);
    nodes[own].i = -((nodes.len() - own) as i32);
}
