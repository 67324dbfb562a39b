//! What physics moves, cameras see at its new place, without anything else being built again.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use ambler_geometry::{Affine, Quat, Vec3};
use ambler_plugin_physics::{
    ObjectShape, ObjectSpec, PhysicsPlugin, StageShape, remove_object, settle, spawn_objects,
};
use ambler_plugin_scene::{MovedInstances, ScenePlugin};
use ambler_plugin_simulation::Simulation;
use ambler_scene::{Material, Mesh, Placement, SceneModel};
use ambler_sensor::{CameraSpec, Frame, Renderer};
use std::sync::Arc;

/// A floor (instance 1) and a cube of 0.2 m (instance 2) with its middle at (0, 1, 0).
fn scene() -> SceneModel {
    let floor = Mesh {
        positions: [[-3.0, 0.0, -3.0], [-3.0, 0.0, 3.0], [3.0, 0.0, 3.0], [3.0, 0.0, -3.0]]
            .map(Vec3::from_array)
            .into(),
        triangles: [[0, 1, 2], [0, 2, 3]].into(),
        ..Mesh::default()
    };
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 1 { 0.1 } else { -0.1 };
        Vec3::new(side(0), side(1), side(2))
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let cube = Mesh {
        positions: (0..8).map(corner).collect(),
        triangles: faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        ..Mesh::default()
    };
    let placement = |mesh, instance, at| Placement {
        mesh,
        material: 0,
        world_from_mesh: Affine::from_rotation_translation(Quat::IDENTITY, at),
        instance,
    };
    let mut scene = SceneModel {
        meshes: vec![Arc::new(floor), Arc::new(cube)],
        materials: vec![Material::default()],
        placements: vec![placement(0, 1, Vec3::ZERO), placement(1, 2, Vec3::Y)],
        ..SceneModel::default()
    };
    scene.recompute_bounds();
    scene
}

#[test]
fn a_fallen_cube_is_drawn_where_it_lies() {
    let scene = Arc::new(scene());
    let stage = Arc::new(StageShape::new(&scene, |instance| instance == 2));
    let mut simulation = Simulation::new(|app| {
        app.add_plugins(ScenePlugin { scene: Arc::clone(&scene) });
        app.add_plugins(PhysicsPlugin::new(Arc::clone(&stage)));
    });
    let cube = ObjectShape::cuboid(Vec3::splat(0.1), 1.0).unwrap();
    let spec = ObjectSpec::new(2, cube, Vec3::Y, Quat::IDENTITY);
    let cube = spawn_objects(simulation.world_mut(), &[spec])[0];
    let renderer = Renderer::new(Arc::clone(&scene));
    let camera = CameraSpec::default();
    let view = Affine::from_rotation_translation(Quat::IDENTITY, Vec3::new(0.0, 0.5, 2.0));
    // Mean row of the cube's pixels: below the middle of the image once it has fallen.
    let row = |simulation: &Simulation| {
        let moved = &simulation.world().resource::<MovedInstances>().0;
        let mut frame = Frame::default();
        renderer.render_moved(&camera, &view, moved, &mut frame).unwrap();
        let rows: Vec<usize> = (0..frame.instance.len())
            .filter(|&pixel| frame.instance[pixel] == 2)
            .map(|p| p / 256)
            .collect();
        (rows.iter().sum::<usize>() as f32 / rows.len() as f32, rows.len())
    };
    let (before, _) = row(&simulation);
    assert!(before < 90.0, "{before}");
    assert!(settle(simulation.world_mut(), 5.0).all_at_rest());
    // Its middle lies 0.4 m below the eye and 2 m ahead: 155.2 pixels a unit of slope at hfov 79°.
    let (after, pixels) = row(&simulation);
    assert!((after - (128.0 + 155.2 * 0.4 / 2.0)).abs() < 3.0, "{after}");
    assert!(pixels > 200, "{pixels}");
    remove_object(simulation.world_mut(), cube);
    let moved = &simulation.world().resource::<MovedInstances>().0;
    assert_eq!(moved.get(2), Some(None));
}
