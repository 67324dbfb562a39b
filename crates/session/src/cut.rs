use ambler_geometry::Vec3;
use ambler_scene::{Mesh, Placement, SceneModel};
use std::sync::Arc;

/// The scene without what is higher than `y`: triangles are cut where they reach higher. Placements of
/// instances for which `whole` says so are left as they are, wherever they are.
pub(crate) fn below(scene: &SceneModel, y: f32, whole: impl Fn(u32) -> bool) -> SceneModel {
    let mut cut = scene.clone();
    cut.placements.clear();
    for placement in &scene.placements {
        let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
        if whole(placement.instance) {
            cut.placements.push(placement.clone());
            continue;
        }
        let heights: Vec<f32> =
            mesh.positions.iter().map(|&at| placement.world_from_mesh.point(at).y).collect();
        let low = heights.iter().copied().fold(f32::INFINITY, f32::min);
        let high = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        if high <= y {
            cut.placements.push(placement.clone());
        } else if low < y {
            let mesh = lower_part(mesh, &heights, y);
            cut.placements.push(Placement { mesh: cut.meshes.len() as u32, ..placement.clone() });
            cut.meshes.push(Arc::new(mesh));
        }
    }
    cut
}

/// A corner while a mesh is being cut.
#[derive(Clone, Copy)]
struct Corner {
    /// Index of a corner of the mesh and of the one after it.
    between: [u32; 2],
    /// How far it is from the first to the second.
    share: f32,
}

fn lower_part(mesh: &Mesh, heights: &[f32], y: f32) -> Mesh {
    let mut corners: Vec<Corner> = Vec::new();
    let mut known: Vec<Option<u32>> = vec![None; mesh.positions.len()];
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut owners: Vec<u32> = Vec::new();
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let height = |corner: usize| heights[triangle[corner] as usize];
        if (0..3).all(|corner| height(corner) > y) {
            continue;
        }
        let mut ring: Vec<u32> = Vec::with_capacity(4);
        for corner in 0..3 {
            let next = (corner + 1) % 3;
            let (here, there) = (height(corner), height(next));
            if here <= y {
                let vertex = triangle[corner];
                let slot = &mut known[vertex as usize];
                ring.push(*slot.get_or_insert_with(|| {
                    corners.push(Corner { between: [vertex; 2], share: 0.0 });
                    corners.len() as u32 - 1
                }));
            }
            if (here <= y) != (there <= y) {
                corners.push(Corner {
                    between: [triangle[corner], triangle[next]],
                    share: (y - here) / (there - here),
                });
                ring.push(corners.len() as u32 - 1);
            }
        }
        for last in 2..ring.len() {
            triangles.push([ring[0], ring[last - 1], ring[last]]);
            owners.extend(mesh.triangle_instances.get(index));
        }
    }
    let place = |list: &[Vec3], corner: &Corner| {
        let [a, b] = corner.between.map(|at| list[at as usize]);
        a.lerp(b, corner.share)
    };
    let mix = |a: u8, b: u8, share: f32| (f32::from(a) + (f32::from(b) - f32::from(a)) * share) as u8;
    let positions: Vec<Vec3> = corners.iter().map(|corner| place(&mesh.positions, corner)).collect();
    let mut cut = Mesh { name: mesh.name.clone(), ..Mesh::default() };
    if !mesh.uvs.is_empty() {
        let of = |corner: &Corner| {
            let [a, b] = corner.between.map(|at| mesh.uvs[at as usize]);
            a.lerp(b, corner.share)
        };
        cut.uvs.extend(corners.iter().map(of));
    }
    if !mesh.colors.is_empty() {
        let of = |corner: &Corner| {
            let [a, b] = corner.between.map(|at| mesh.colors[at as usize]);
            std::array::from_fn(|part| mix(a[part], b[part], corner.share))
        };
        cut.colors.extend(corners.iter().map(of));
    }
    cut.positions.extend(positions);
    cut.triangles.extend(triangles);
    cut.triangle_instances.extend(owners);
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::Affine;

    /// A wall of 2 × 3 m in two triangles with colours that tell the height.
    fn wall() -> SceneModel {
        let mut mesh = Mesh::default();
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 3.0], [0.0, 3.0]];
        mesh.positions.extend(corners.map(|[x, y]| Vec3::new(x, y, 0.0)));
        mesh.colors.extend(corners.map(|[_, y]| [(y * 80.0) as u8, 0, 0, 255]));
        mesh.triangles.extend([[0, 1, 2], [0, 2, 3]]);
        mesh.triangle_instances.extend([7, 8]);
        let placement =
            Placement { mesh: 0, material: 0, world_from_mesh: Affine::IDENTITY, instance: 0 };
        SceneModel { meshes: vec![Arc::new(mesh)], placements: vec![placement], ..SceneModel::default() }
    }

    fn area(mesh: &Mesh) -> f32 {
        let of = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            0.5 * (b - a).cross(c - a).z
        };
        mesh.triangles.iter().map(of).sum()
    }

    #[test]
    fn a_wall_is_cut_at_the_height_with_its_winding_colours_and_owners() {
        let scene = below(&wall(), 1.5, |_| false);
        let mesh = &scene.meshes[scene.placements[0].mesh as usize];
        // Half of 6 m² is left, seen from the same side.
        assert!((area(mesh) - 3.0).abs() < 1e-5);
        assert!(mesh.positions.iter().all(|at| at.y <= 1.5 + 1e-6));
        for (at, color) in mesh.positions.iter().zip(mesh.colors.iter()) {
            assert!((f32::from(color[0]) - at.y * 80.0).abs() <= 1.0);
        }
        assert_eq!(mesh.triangle_instances.len(), mesh.triangles.len());
        assert!([7, 8].iter().all(|owner| mesh.triangle_instances.contains(owner)));
    }

    #[test]
    fn what_is_lower_is_shared_and_what_is_higher_is_gone() {
        let scene = wall();
        let kept = below(&scene, 3.0, |_| false);
        assert!(Arc::ptr_eq(&kept.meshes[kept.placements[0].mesh as usize], &scene.meshes[0]));
        assert!(below(&scene, -0.1, |_| false).placements.is_empty());
        assert_eq!(below(&scene, -0.1, |id| id == 0).placements.len(), 1);
    }
}
