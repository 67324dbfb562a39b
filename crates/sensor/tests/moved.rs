//! Instances that are not where the scene placed them, and scenes that share what they hold.

mod common;

use ambler_geometry::{Aabb, Affine, Mat3, Vec3, random::Stream};
use ambler_scene::{Instance, Mesh, Placement, SceneModel};
use ambler_sensor::{Frame, Moved, Renderer};
use common::{facing_square, pinhole, room, view};
use std::sync::Arc;

const CUP: u32 = 9;

/// A labelled room (ids per triangle), and a cup of two placements of one coloured mesh in it.
fn furnished() -> SceneModel {
    let mut scene = room(Vec3::splat(-2.0), Vec3::splat(2.0));
    let mut cup = facing_square(0.3, 0.0);
    cup.colors = [[9, 200, 30, 255], [250, 1, 70, 255], [0, 90, 200, 255], [30, 30, 30, 255]].into();
    scene.meshes.push(Arc::new(cup));
    for x in [-0.4, 0.4] {
        scene.placements.push(Placement {
            mesh: 1,
            material: 0,
            world_from_mesh: Affine { translation: Vec3::new(x, 0.1, -1.0), ..Affine::IDENTITY },
            instance: CUP,
        });
    }
    scene.categories.push("cup".into());
    scene.instances.push(Instance {
        id: CUP,
        source_id: 9,
        name: "cup".into(),
        category: 4,
        bounds: Aabb::EMPTY,
    });
    scene
}

fn drawn(renderer: &Renderer, moved: &Moved, at: &Affine) -> Frame {
    let mut frame = Frame::default();
    renderer.render_moved(&pinhole(64, 48, 90.0), at, moved, &mut frame).expect("a valid view");
    frame
}

#[test]
fn a_moved_instance_is_drawn_as_in_a_scene_built_with_it_there() {
    let scene = Arc::new(furnished());
    let renderer = Renderer::new(Arc::clone(&scene));
    let mut stream = Stream::new(5, "moved", "poses");
    let mut seen = 0;
    for round in 0..60 {
        let mut number = || (stream.uniform() * 2.0 - 1.0) as f32;
        // Turned and pushed; every third is scaled and mirrored too.
        let turn = view(Vec3::ZERO, number().into(), number().into(), number().into(), 0.5);
        let scale = if round % 3 == 0 { Vec3::new(-0.8, 1.1, 1.3) } else { Vec3::ONE };
        let now = Affine {
            matrix: turn.matrix * Mat3::from_diagonal(scale),
            translation: Vec3::new(number(), number(), number()),
        };
        let mut moved = Moved::default();
        moved.set(CUP, now);
        let mut built = SceneModel::clone(&scene);
        for placement in built.placements.iter_mut().filter(|placement| placement.instance == CUP) {
            placement.world_from_mesh = now.compose(&placement.world_from_mesh);
        }
        let eye = Vec3::new(number(), number(), 1.0 + 0.5 * number());
        let at = view(eye, number().into(), number().into(), 0.0, 1.5);
        let expected = drawn(&Renderer::new(Arc::new(built)), &Moved::default(), &at);
        assert_eq!(drawn(&renderer, &moved, &at), expected, "round {round}");
        seen += expected.instance.iter().filter(|&&id| id == CUP).count();
        assert!(expected.instance.iter().zip(&expected.category).all(|(&i, &c)| (i == CUP) == (c == 4)));
    }
    assert!(seen > 1000, "the cup was in view: {seen} pixels");
}

#[test]
fn what_is_gone_or_nowhere_is_not_drawn() {
    let scene = furnished();
    let renderer = Renderer::new(Arc::new(scene.clone()));
    let mut bare = scene;
    bare.placements.retain(|placement| placement.instance != CUP);
    let expected = drawn(&Renderer::new(Arc::new(bare)), &Moved::default(), &Affine::IDENTITY);
    let whole = drawn(&renderer, &Moved::default(), &Affine::IDENTITY);
    assert_ne!(whole, expected);

    let mut moved = Moved::default();
    moved.hide(CUP);
    assert_eq!(drawn(&renderer, &moved, &Affine::IDENTITY), expected);
    moved.set(CUP, Affine { translation: Vec3::NAN, ..Affine::IDENTITY });
    assert_eq!(drawn(&renderer, &moved, &Affine::IDENTITY), expected);
    // Finite, but not after it is composed with the placement.
    let huge = Affine {
        matrix: Mat3::from_diagonal(Vec3::splat(f32::MAX)),
        translation: Vec3::splat(f32::MAX),
    };
    moved.set(CUP, huge);
    assert_eq!(drawn(&renderer, &moved, &Affine::IDENTITY).rgb.len(), expected.rgb.len());
    moved.reset(CUP);
    assert!(moved.is_empty());
    assert_eq!(drawn(&renderer, &moved, &Affine::IDENTITY), whole);
}

#[test]
fn instances_inside_a_scan_stay_where_they_are() {
    let mut scene = furnished();
    // The scan's placement bears an id too, but its triangles say otherwise.
    scene.placements[0].instance = 77;
    assert!(Moved::can_move(&scene, CUP));
    for stuck in [0, 1, 6, 77, 1000] {
        assert!(!Moved::can_move(&scene, stuck), "{stuck}");
    }
    let renderer = Renderer::new(Arc::new(scene));
    let mut moved = Moved::default();
    for id in [0, 1, 2, 77, 1000] {
        moved.set(id, Affine { translation: Vec3::splat(0.5), ..Affine::IDENTITY });
        moved.hide(id + 3);
    }
    let at = Affine::IDENTITY;
    assert_eq!(drawn(&renderer, &moved, &at), drawn(&renderer, &Moved::default(), &at));
    let listed: Vec<u32> = moved.iter().map(|(id, _)| id).collect();
    assert!(listed.is_sorted(), "{listed:?}");
}

#[test]
fn a_scene_that_shares_meshes_is_drawn_as_if_it_were_alone() {
    let scene = Arc::new(furnished());
    let renderer = Renderer::new(Arc::clone(&scene));
    let mut more = SceneModel::clone(&scene);
    assert!(Arc::ptr_eq(&scene.meshes[0], &more.meshes[0]), "a clone copies no geometry");
    // One mesh changed, one new, one used again; the room is shared.
    Arc::make_mut(&mut more.meshes[1]).colors[0] = [255; 4];
    more.meshes.push(Arc::new(Mesh { triangle_instances: [].into(), ..facing_square(0.5, -0.5) }));
    more.placements.push(Placement { mesh: 2, ..more.placements[1].clone() });
    more.placements.push(Placement {
        mesh: 2,
        world_from_mesh: Affine::IDENTITY,
        ..more.placements[1].clone()
    });
    let more = Arc::new(more);
    let shared = Renderer::sharing(&renderer, Arc::clone(&more));
    let alone = Renderer::new(more);
    let at = view(Vec3::new(0.1, 0.2, 0.9), 0.1, 0.05, 0.0, 1.0);
    let expected = drawn(&alone, &Moved::default(), &at);
    assert_eq!(drawn(&shared, &Moved::default(), &at), expected);
    assert_ne!(drawn(&renderer, &Moved::default(), &at), expected);
}
