use crate::{Mesh, SceneModel};
use ambler_geometry::{Mat3, Vec3};
use std::sync::Arc;

/// A box that labels the triangles whose middle it holds.
#[derive(Clone, Debug)]
pub(super) struct LabelBox {
    pub(super) id: u32,
    pub(super) center: Vec3,
    pub(super) half: Vec3,
    pub(super) world_from_box: Mat3,
    /// Lower triangles are left alone.
    pub(super) above: f32,
    /// Also triangles that have an identity already.
    pub(super) replace: bool,
}

impl LabelBox {
    fn volume(&self) -> f32 {
        self.half.x * self.half.y * self.half.z
    }

    fn contains(&self, point: Vec3) -> bool {
        let local = self.world_from_box.transpose() * (point - self.center);
        point.y >= self.above && local.abs().cmple(self.half).all()
    }
}

/// Gives triangles the id of the smallest box that holds their middle (of equals the first). Meshes
/// placed more than once are copied where a placement gets labels of its own. Returns how many
/// triangles were labelled.
pub(super) fn apply(model: &mut SceneModel, boxes: &[LabelBox]) -> usize {
    let mut order: Vec<&LabelBox> = boxes.iter().collect();
    order.sort_by(|a, b| a.volume().total_cmp(&b.volume()));
    let mut uses = vec![0_u32; model.meshes.len()];
    for placement in &model.placements {
        if let Some(count) = uses.get_mut(placement.mesh as usize) {
            *count += 1;
        }
    }
    let mut labelled = 0;
    for index in 0..model.placements.len() {
        let Some(placement) = model.placements.get(index) else { continue };
        let Some(mesh) = model.meshes.get(placement.mesh as usize) else { continue };
        let world: Vec<Vec3> =
            mesh.positions.iter().map(|&p| placement.world_from_mesh.point(p)).collect();
        let mut changed = 0;
        let ids: Vec<u32> = (0..mesh.triangles.len())
            .map(|triangle| {
                let now = current(mesh, placement.instance, triangle);
                let corners = mesh.triangles.get(triangle).copied().unwrap_or_default();
                let corner = |index: u32| world.get(index as usize).copied().unwrap_or(Vec3::NAN);
                let middle = (corner(corners[0]) + corner(corners[1]) + corner(corners[2])) / 3.0;
                match order.iter().find(|b| (now == 0 || b.replace) && b.contains(middle)) {
                    Some(found) => {
                        changed += 1;
                        found.id
                    }
                    None => now,
                }
            })
            .collect();
        if changed > 0 {
            labelled += changed;
            set(model, &mut uses, index, ids);
        }
    }
    labelled
}

fn current(mesh: &Mesh, placement: u32, triangle: usize) -> u32 {
    if mesh.triangle_instances.is_empty() {
        placement
    } else {
        mesh.triangle_instances.get(triangle).copied().unwrap_or(0)
    }
}

fn set(model: &mut SceneModel, uses: &mut [u32], index: usize, ids: Vec<u32>) {
    let Some(placement) = model.placements.get_mut(index) else { return };
    let old = placement.mesh as usize;
    let shared = uses.get(old).is_some_and(|&count| count > 1);
    if shared {
        if let Some(count) = uses.get_mut(old) {
            *count -= 1;
        }
        let Some(copy) = model.meshes.get(old).cloned() else { return };
        placement.mesh = model.meshes.len() as u32;
        model.meshes.push(copy);
    }
    if let Some(mesh) = model.meshes.get_mut(placement.mesh as usize) {
        Arc::make_mut(mesh).triangle_instances = ids.into();
    }
}
