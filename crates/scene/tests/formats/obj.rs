use crate::bytes::{MTL, OBJ_SQUARE, png};
use ambler_scene::{ReadOptions, obj, read_scene};
use std::path::Path;

#[test]
fn a_square_with_material_and_colours() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.mtl"), format!("{MTL}map_Kd -clamp on sub\\t.png\n")).unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("sub/t.png"), png()).unwrap();
    let path = folder.path().join("a.obj");
    std::fs::write(&path, OBJ_SQUARE).unwrap();
    let scene = read_scene(&path, &ReadOptions::default()).unwrap();
    let mesh = &scene.meshes[0];
    assert_eq!((mesh.name.as_str(), mesh.positions.len()), ("top", 4));
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.uvs[0].to_array(), [0.0, 1.0], "OBJ counts v from the bottom");
    assert_eq!(mesh.uvs[3].to_array(), [1.0, 1.0], "−1 is the last coordinate");
    assert_eq!(mesh.colors[1], [0, 255, 0, 255]);
    let material = &scene.materials[0];
    assert_eq!((material.name.as_str(), material.texture), ("wood", Some(0)));
    assert_eq!(material.base_color, [1.0, 1.0, 1.0, 0.5], "Kd is ignored beside map_Kd");
    assert_eq!(scene.textures[0].pixels[1], [0, 0, 255, 255]);
}

#[test]
fn parts_split_by_name_and_material() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 5 5 5\no a\nusemtl m\nf 1 3 2\nusemtl n\nf 1 3 2\no b\nusemtl m\nf 1//1 3//1 2//1\n";
    let scene = obj::parse(text.as_bytes(), Path::new("a.obj"), &ReadOptions::default()).unwrap();
    assert_eq!((scene.meshes.len(), scene.materials.len(), scene.placements.len()), (3, 2, 3));
    assert_eq!(scene.placements[2].material, 0);
    assert_eq!(scene.bounds.max.to_array(), [1.0, 0.0, 1.0], "vertices without faces are left out");
}

#[test]
fn colours_without_a_texture_come_from_kd() {
    let materials = obj::parse_mtl(MTL.as_bytes(), Path::new("a.mtl"), &ReadOptions::default()).unwrap();
    assert_eq!(materials[0].base_color, [0.5, 0.25, 1.0, 0.5]);
}

#[test]
fn faults_name_their_line() {
    for (text, expected) in [
        ("v 0 0\n", "line 1: a vertex has fewer than three coordinates"),
        ("v 0 0 nan\n", "line 1: a coordinate is not a finite number"),
        ("v 0 0 0\nf 1 2 1\n", "line 2: a face refers to vertex 2, but there are 1 up to here"),
        ("v 0 0 0\nf 0 1 1\n", "line 2: a face refers to vertex 0"),
        (
            "v 0 0 0\nf -9223372036854775808 1 1\n",
            "line 2: a face refers to vertex -9223372036854775808",
        ),
        ("v 0 0 0\nf 1/4 1 1\n", "line 2: a face refers to texture coordinate 4"),
        ("v 0 0 0\n\\\nf x 1 1\n", "line 2: 'x' is not an index of a vertex"),
    ] {
        let error = obj::parse(text.as_bytes(), Path::new("a.obj"), &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}\n does not say\n{expected}");
    }
}
