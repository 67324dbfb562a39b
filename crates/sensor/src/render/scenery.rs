//! What both renderers know of a scene: what is placed, what it looks like, what it is called.

use super::NOTHING;
use super::cache;
use super::lens::{CameraFromMesh, Lens};
use super::shade::Painted;
use super::texture::Pyramid;
use crate::{CameraSpec, Moved, SensorError};
use ambler_geometry::{Affine, Fault, Place};
use ambler_scene::{Material, Placement, SceneModel};
use glam::{DMat3, DVec3};
use std::sync::Arc;

pub(crate) struct Scenery {
    pub(crate) scene: Arc<SceneModel>,
    pub(crate) textures: Vec<Arc<Pyramid>>,
    pub(crate) placed: Vec<Placed>,
}

/// A placement that can be drawn.
pub(crate) struct Placed {
    /// Index into the scene's placements.
    placement: usize,
    /// Number of its first triangle in the scene.
    pub(crate) first: u32,
    /// The instance it moves with; 0 for none.
    instance: u32,
    /// Some of its pixels may be holes: alpha below this.
    pub(crate) cutoff: Option<f64>,
}

/// A placement as a camera sees it.
pub(crate) struct Posed {
    pub(crate) camera_from_mesh: CameraFromMesh,
    pub(crate) mirrored: bool,
}

impl Scenery {
    /// `translucent` says of a mesh whether any vertex is not fully opaque. Placements that refer to
    /// a mesh that is not there are left out.
    pub(crate) fn new(
        scene: Arc<SceneModel>,
        known: Option<&Self>,
        translucent: impl Fn(usize) -> bool,
    ) -> Self {
        let known = known.map(|known| (&known.scene.textures[..], &known.textures[..]));
        let textures = cache::made(&scene.textures, known, Pyramid::new);
        Self::with(scene, textures, translucent)
    }

    /// As [`Scenery::new`], with the smaller copies of the textures.
    pub(crate) fn with(
        scene: Arc<SceneModel>,
        textures: Vec<Arc<Pyramid>>,
        translucent: impl Fn(usize) -> bool,
    ) -> Self {
        let mut placed = Vec::with_capacity(scene.placements.len());
        let mut next: u32 = 0;
        for (index, placement) in scene.placements.iter().enumerate() {
            let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
            if !placement.world_from_mesh.is_finite() {
                continue;
            }
            // NOTHING itself is no number, so that the last triangle is below it.
            let Ok(count) = u32::try_from(mesh.triangles.len()) else { break };
            let Some(end) = next.checked_add(count).filter(|&end| end < NOTHING) else { break };
            let material = scene.materials.get(placement.material as usize);
            let cutoff = material.and_then(|material| {
                let texture = material.texture.and_then(|index| textures.get(index as usize));
                let holes = texture.is_some_and(|texture| texture.translucent)
                    || material.base_color[3] < 1.0
                    || translucent(placement.mesh as usize);
                material.alpha_cutoff.filter(|_| holes).map(f64::from)
            });
            placed.push(Placed {
                placement: index,
                first: next,
                instance: if mesh.triangle_instances.is_empty() { placement.instance } else { 0 },
                cutoff,
            });
            next = end;
        }
        Self { scene, textures, placed }
    }

    /// Where the camera sees each placement; `None` for those that are gone.
    pub(crate) fn poses(&self, camera_from_world: &CameraFromMesh, moved: &Moved) -> Vec<Option<Posed>> {
        self.placed
            .iter()
            .map(|placed| {
                let world_from_mesh =
                    moved.world_from_mesh(placed.instance, &self.placement(placed).world_from_mesh)?;
                Some(Posed {
                    camera_from_mesh: CameraFromMesh {
                        matrix: camera_from_world.matrix * world_from_mesh.matrix.as_dmat3(),
                        translation: camera_from_world.point(world_from_mesh.translation.as_dvec3()),
                    },
                    mirrored: world_from_mesh.is_mirrored(),
                })
            })
            .collect()
    }

    pub(crate) fn placement(&self, placed: &Placed) -> &Placement {
        &self.scene.placements[placed.placement]
    }

    pub(crate) fn instance_of(&self, placed: &Placed, triangle: u32) -> u32 {
        let placement = self.placement(placed);
        let ids = &self.scene.meshes[placement.mesh as usize].triangle_instances;
        ids.get(triangle as usize).copied().unwrap_or(placement.instance)
    }

    pub(crate) fn category_of(&self, instance: u32) -> u32 {
        self.scene.instance(instance).map_or(0, |found| found.category)
    }

    pub(crate) fn material(&self, placed: &Placed) -> Option<&Material> {
        self.scene.materials.get(self.placement(placed).material as usize)
    }

    pub(crate) fn painted(
        &self,
        lens: &Lens,
        camera_from_mesh: &CameraFromMesh,
        placed: &Placed,
        triangle: u32,
    ) -> Painted<'_> {
        let placement = self.placement(placed);
        let mesh = &self.scene.meshes[placement.mesh as usize];
        let corners = mesh.triangles[triangle as usize];
        let points =
            corners.map(|corner| camera_from_mesh.point(mesh.positions[corner as usize].as_dvec3()));
        let material = self.material(placed);
        let texture = material.and_then(|material| material.texture).and_then(|index| {
            Some((&**self.scene.textures.get(index as usize)?, &**self.textures.get(index as usize)?))
        });
        Painted::new(lens, points, mesh, corners, material, texture)
    }
}

/// Checks a camera and inverts its view in double precision.
pub(crate) fn camera_from_world(
    spec: &CameraSpec,
    world_from_camera: &Affine,
) -> Result<CameraFromMesh, SensorError> {
    spec.validate()?;
    invert(world_from_camera).ok_or_else(|| {
        SensorError::View(Fault::new(
            "",
            Place::Whole,
            format!("camera '{}' is not at a place: {world_from_camera:?}", spec.name),
            "a view is a finite rotation and translation",
        ))
    })
}

fn invert(world_from_camera: &Affine) -> Option<CameraFromMesh> {
    let matrix = world_from_camera.matrix.as_dmat3();
    let determinant = matrix.determinant();
    if !world_from_camera.is_finite() || !determinant.is_finite() || determinant == 0.0 {
        return None;
    }
    let matrix: DMat3 = matrix.inverse();
    if !matrix.is_finite() {
        return None;
    }
    let zero = CameraFromMesh { matrix, translation: DVec3::ZERO };
    let translation = -zero.point(world_from_camera.translation.as_dvec3());
    Some(CameraFromMesh { matrix, translation })
}
