use crate::bytes::{self, ply_square};
use ambler_scene::ply::{self, PlyMesh};
use ambler_scene::{ReadOptions, SceneError, SceneModel, UpAxis, read_scene};
use std::path::Path;

fn parse(bytes: &[u8]) -> SceneModel {
    ply::parse(bytes, Path::new("a.ply"), &ReadOptions::default()).unwrap()
}

fn fails(bytes: &[u8]) -> String {
    ply::parse(bytes, Path::new("a.ply"), &ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn the_three_encodings_hold_the_same_scene() {
    for order in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let scene = parse(&ply_square(order));
        let mesh = &scene.meshes[0];
        assert_eq!(mesh.positions[2].to_array(), [2.0, 0.0, 2.0], "{order}");
        assert_eq!(mesh.colors, [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [9, 8, 7, 255]]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]], "a quad becomes a fan");
        assert_eq!(mesh.triangle_instances, [5, 5], "and both halves keep its id");
        assert_eq!(scene.instances.len(), 1);
        let instance = &scene.instances[0];
        assert_eq!((instance.id, instance.source_id, instance.name.as_str()), (5, 5, "floor_5"));
        assert_eq!(scene.category_name(instance.category), "floor");
        assert_eq!(instance.bounds.max.to_array(), [2.0, 0.0, 2.0]);
    }
}

#[test]
fn z_up_is_turned() {
    let options = ReadOptions::with_up(UpAxis::Z);
    let scene = ply::parse(&ply_square("ascii"), Path::new("a.ply"), &options).unwrap();
    assert_eq!(scene.bounds.min.to_array(), [0.0, 0.0, 0.0]);
    assert_eq!(scene.bounds.max.to_array(), [2.0, 2.0, 0.0]);
    assert_ne!(
        scene.fingerprint,
        parse(&ply_square("ascii")).fingerprint,
        "the options are part of the identity"
    );
}

#[test]
fn auto_only_warns() {
    let options = ReadOptions::with_up(UpAxis::Auto);
    let standing = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n4 0 0\n0 4 0\n3 0 1 2\n";
    let scene = ply::parse(standing.as_bytes(), Path::new("a.ply"), &options).unwrap();
    assert_eq!(scene.bounds.max.to_array(), [4.0, 4.0, 0.0]);
    assert!(scene.notes.iter().any(|note| note.contains("z up")), "{:?}", scene.notes);
}

fn with_ids(ids: &[i32]) -> SceneModel {
    let mut text = String::from(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty int y\nproperty float z\n",
    );
    text += &format!(
        "element face {}\nproperty list int uint vertex_index\nproperty short object_id\nend_header\n",
        ids.len()
    );
    text += "0 0 0\n1 0 0\n0 0 1\n";
    for id in ids {
        text += &format!("3 0 2 1 {id}\n");
    }
    parse(text.as_bytes())
}

#[test]
fn a_negative_id_makes_0_a_thing() {
    let scene = with_ids(&[-1, 0, 3]);
    assert_eq!(scene.meshes[0].triangle_instances, [0, 1, 4]);
    let ids: Vec<(u32, i64)> = scene.instances.iter().map(|i| (i.id, i.source_id)).collect();
    assert_eq!(ids, [(1, 0), (4, 3)]);
}

#[test]
fn without_negative_ids_0_is_none() {
    let scene = with_ids(&[0, 1, 3]);
    assert_eq!(scene.meshes[0].triangle_instances, [0, 1, 3]);
    let ids: Vec<(u32, i64)> = scene.instances.iter().map(|i| (i.id, i.source_id)).collect();
    assert_eq!(ids, [(1, 1), (3, 3)]);
}

#[test]
fn vertex_ids_go_to_faces_by_majority() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty int object_id\n\
        element face 3\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0 7\n1 0 0 8\n0 0 1 8\n1 0 1 9\n3 0 1 2\n3 0 1 3\n2 0 1\n";
    let scene = parse(text.as_bytes());
    assert_eq!(scene.meshes[0].triangle_instances, [8, 7]);
    assert!(
        scene.notes.iter().any(|note| note.contains("fewer than three corners")),
        "{:?}",
        scene.notes
    );
}

#[test]
fn texture_coordinates_are_turned_round_and_the_texture_is_found() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.png"), bytes::png()).unwrap();
    let path = folder.path().join("a.ply");
    let text = "ply\nformat ascii 1.0\ncomment TextureFile t.png\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        property float s\nproperty float t\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0 0 0\n1 0 0 1 0.25\n0 0 1 0 1\n3 0 2 1\n";
    std::fs::write(&path, text).unwrap();
    let scene = read_scene(&path, &ReadOptions::default()).unwrap();
    assert_eq!(scene.meshes[0].uvs[1].to_array(), [1.0, 0.75]);
    assert_eq!(scene.materials[0].texture, Some(0));
    assert_eq!(scene.textures[0].pixels, [[255, 0, 0, 255], [0, 0, 255, 255]]);
    std::fs::write(&path, text.replace("t.png", "../t.png")).unwrap();
    let error = read_scene(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("outside the scene's folder"), "{error}");
}

#[test]
fn corners_with_their_own_coordinates_split_vertices() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n\
        0 0 0\n1 0 0\n0 0 1\n1 0 1\n3 0 2 1 6 0 0 0 1 1 0\n3 1 2 3 6 1 0 0.5 0.5 1 1\n";
    let scene = parse(text.as_bytes());
    let mesh = &scene.meshes[0];
    assert_eq!((mesh.positions.len(), mesh.uvs.len()), (5, 5), "vertex 2 has two coordinates");
    assert_eq!(mesh.triangles, [[0, 2, 1], [1, 4, 3]]);
}

#[test]
fn unknown_elements_are_skipped_and_unreferenced_vertices_count_for_the_bounds() {
    let text = "ply\nformat ascii 1.0\nelement camera 1\nproperty list uchar float k\nproperty float f\n\
        element vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n2 1 1 9\n0 0 0\n1 0 0\n0 0 1\n50 0 0\n3 0 2 1\n";
    let scene = parse(text.as_bytes());
    assert_eq!(scene.bounds.max.x, 50.0);
    assert_eq!(scene.triangle_count(), 1);
}

#[test]
fn faults_name_their_place() {
    let text = String::from_utf8(ply_square("ascii")).unwrap();
    let line = text.lines().count();
    for (from, to, expected) in [
        ("4 0 1 2 3 1 5", "4 0 1 2 4 1 5", "at face 0: refers to vertex 4, but there are 4".to_owned()),
        ("4 0 1 2 3 1 5", "4 0 1 x 3 1 5", format!("line {line}: 'x' is not a number")),
        ("4 0 1 2 3 1 5", "4 0 1", format!("line {}: ", line + 1)),
        ("\n2 0 2 ", "\n2 nan 2 ", "vertex 2 has a coordinate that is not a finite number".to_owned()),
        ("format ascii", "format ascii2", "line 2: unknown format 'ascii2'".to_owned()),
        (
            "element vertex 4",
            "element vertex 4000000000",
            "4000000000 records of 'vertex' do not fit".to_owned(),
        ),
        ("end_header", "end_headr", "unknown header line 'end_headr'".to_owned()),
        ("property float y\n", "", "vertices have no property 'y'".to_owned()),
    ] {
        let error = fails(text.replacen(from, to, 1).as_bytes());
        assert!(
            error.starts_with("a.ply, ") && error.contains(&expected),
            "{error}\n does not say\n{expected}"
        );
    }
    assert!(matches!(
        ply::parse(b"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n", Path::new("a.ply"), &ReadOptions::default()),
        Err(SceneError::Unsupported(_)),
    ));
}

#[test]
fn what_is_written_is_read_again() {
    let mesh = PlyMesh {
        positions: vec![[0.0, 0.5, 0.0].into(), [0.0, 0.0, 2.25].into(), [1.5, 0.0, 0.0].into()],
        uvs: vec![[0.0, 0.0].into(), [0.25, 1.0].into(), [1.0, 0.5].into()],
        colors: vec![[1, 2, 3, 255], [4, 5, 6, 255], [7, 8, 9, 255]],
        triangles: vec![[0, 1, 2], [2, 1, 0]],
        ids: vec![3, -1],
        labels: vec![1, 0],
        label_names: vec!["unlabelled".into(), "couch".into()],
        comments: vec!["two sides".into()],
    };
    let scene = parse(&ply::to_bytes(&mesh));
    let read = &scene.meshes[0];
    assert_eq!(read.positions, mesh.positions);
    assert_eq!(read.uvs, mesh.uvs);
    assert_eq!(read.colors, mesh.colors);
    assert_eq!(read.triangles, mesh.triangles);
    assert_eq!(read.triangle_instances, [4, 0]);
    assert_eq!(scene.instances[0].name, "couch_3");
}

#[test]
fn a_scene_written_as_ply_keeps_ids_and_categories() {
    let scene = with_ids(&[-1, 0, 3]);
    let read = parse(&ply::to_bytes(&PlyMesh::from_scene(&scene)));
    assert_eq!(read.meshes[0].triangles, scene.meshes[0].triangles);
    assert_eq!(read.meshes[0].triangle_instances, [0, 1, 4]);
    let square = parse(&ply_square("ascii"));
    let read = parse(&ply::to_bytes(&PlyMesh::from_scene(&square)));
    assert_eq!(read.instances, square.instances);
    assert_eq!(read.meshes[0].colors, square.meshes[0].colors);
}

#[test]
fn faces_choose_among_textures() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.png"), bytes::png()).unwrap();
    let path = folder.path().join("a.ply");
    let text = "ply\nformat ascii 1.0\ncomment TextureFile t.png\ncomment TextureFile t.png\n\
        element vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 3\n\
        property list uchar int vertex_indices\nproperty list uchar float texcoord\nproperty int texnumber\nend_header\n\
        0 0 0\n1 0 0\n0 0 1\n3 0 2 1 6 0 0 0 1 1 0 1\n3 0 1 2 6 0 0 0 1 1 0 0\n3 0 1 2 6 0 0 0 1 1 0 77\n";
    std::fs::write(&path, text).unwrap();
    let scene = read_scene(&path, &ReadOptions::default()).unwrap();
    assert_eq!((scene.meshes.len(), scene.textures.len()), (2, 2));
    assert_eq!(scene.meshes.iter().map(|mesh| mesh.triangles.len()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(scene.placements.iter().map(|p| p.material).collect::<Vec<_>>(), [0, 1]);
}
