use ambler_geometry::{Aabb, Affine, Pose, Quat, Vec3, quat_from_yaw};
use ambler_scene::{Instance, Material, Mesh, Placement, SceneModel};
use ambler_sensor::{Moved, Renderer};
use std::sync::Arc;

/// A scene with the robot in it, for people to look at: never for sensors, which do not see their own
/// body.
pub struct Robot {
    renderer: Arc<Renderer>,
    id: u32,
}

/// Where light comes from, and how much comes from everywhere.
const LIGHT: Vec3 = Vec3::new(0.35, 0.85, 0.4);
const AMBIENT: f32 = 0.45;

impl Robot {
    /// Puts a robot into the scene that `renderer` draws. Sensor images are unlit, so that a model
    /// without textures would be a flat patch: its faces are shaded here, once.
    ///
    /// `model` is the robot in the frame of its own file; `body_from_model` takes it to the body's frame
    /// (+Y up from the floor, −Z ahead).
    pub fn new(renderer: &Renderer, model: &SceneModel, body_from_model: &Affine) -> Self {
        let mut scene = SceneModel::clone(renderer.scene());
        let id = scene.instances.last().map_or(1, |last| last.id.saturating_add(1));
        let mesh = shaded(model, body_from_model);
        let bounds = Aabb::from_points(mesh.positions.iter().copied());
        scene.instances.push(Instance {
            id,
            source_id: i64::from(id),
            name: "robot".to_owned(),
            category: 0,
            bounds,
        });
        scene.placements.push(Placement {
            mesh: scene.meshes.len() as u32,
            material: scene.materials.len() as u32,
            world_from_mesh: Affine::IDENTITY,
            instance: id,
        });
        scene.meshes.push(Arc::new(mesh));
        scene.materials.push(Material::default());
        Self { renderer: Arc::new(Renderer::sharing(renderer, Arc::new(scene))), id }
    }

    /// Draws the scene with the robot.
    pub fn renderer(&self) -> &Arc<Renderer> {
        &self.renderer
    }

    /// The robot's id in instance images.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// `moved` with the robot at `pose`, or gone.
    pub fn at(&self, moved: &Moved, pose: Option<&Pose>) -> Moved {
        let mut moved = moved.clone();
        match pose {
            Some(pose) => {
                let turn = quat_from_yaw(pose.heading.yaw());
                moved.set(self.id, Affine::from_rotation_translation(turn, pose.position));
            }
            None => moved.hide(self.id),
        }
        moved
    }

    /// Takes the frame of a robot's file (x ahead, y up, z to the right) to that of a body.
    pub fn body_from_file() -> Affine {
        Affine::from_rotation_translation(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), Vec3::ZERO)
    }
}

/// All of a model as one mesh with a colour for each face.
fn shaded(model: &SceneModel, body_from_model: &Affine) -> Mesh {
    let mut mesh = Mesh { name: "robot".to_owned(), ..Mesh::default() };
    let light = LIGHT.normalize();
    for placement in &model.placements {
        let Some(source) = model.meshes.get(placement.mesh as usize) else { continue };
        let base = model.materials.get(placement.material as usize).map_or([1.0; 4], |it| it.base_color);
        let to = body_from_model.compose(&placement.world_from_mesh);
        for corners in &source.triangles {
            let mut points = corners.map(|corner| to.point(source.positions[corner as usize]));
            if to.is_mirrored() {
                points.swap(1, 2);
            }
            let normal = (points[1] - points[0]).cross(points[2] - points[0]).normalize_or_zero();
            let lit = AMBIENT + (1.0 - AMBIENT) * (0.5 + 0.5 * normal.dot(light));
            let color = [base[0], base[1], base[2]].map(|linear| {
                let shade = (linear * lit * lit).clamp(0.0, 1.0);
                (libm::powf(shade, 1.0 / 2.2) * 255.0) as u8
            });
            let first = mesh.positions.len() as u32;
            mesh.positions.extend(points);
            mesh.colors.extend([[color[0], color[1], color[2], 255]; 3]);
            mesh.triangles.push([first, first + 1, first + 2]);
        }
    }
    mesh
}
