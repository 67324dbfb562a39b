//! Mesh files that are gzipped, and homes in the form that packs them.

use crate::bytes::{glb_square, ply_square};
use ambler_scene::home::{Form, HomeSpec, ScanSpec, generate, write, write_scan};
use ambler_scene::{ReadOptions, read_scene};
use std::io::Write as _;

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn a_gzipped_mesh_is_the_mesh() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.glb", glb_square()), ("a.ply", ply_square("ascii"))] {
        let (plain, gz) = (folder.path().join(name), folder.path().join(format!("{name}.gz")));
        std::fs::write(&plain, &bytes).unwrap();
        std::fs::write(&gz, packed(&bytes)).unwrap();
        let options = ReadOptions { side_files: false, ..ReadOptions::default() };
        let (a, b) = (read_scene(&plain, &options).unwrap(), read_scene(&gz, &options).unwrap());
        assert_eq!(a.world_triangles(), b.world_triangles());
        // The content is the same, so are the results.
        assert_eq!(a.fingerprint, b.fingerprint);
    }
}

#[test]
fn a_broken_or_bottomless_gzip_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb.gz");
    let good = packed(&glb_square());
    for length in 0..good.len() {
        std::fs::write(&path, &good[..length]).unwrap();
        assert!(read_scene(&path, &ReadOptions::default()).is_err(), "{length} bytes");
    }
    std::fs::write(&path, packed(&vec![0; 64 << 20])).unwrap();
    let error = read_scene(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("unpacks to more than"), "{error}");
}

#[test]
fn the_same_seed_writes_the_same_bytes_and_reads_back_with_its_labels() {
    let home = generate(&HomeSpec { rooms: Some(3), ..HomeSpec::new(4) }).unwrap();
    let again = generate(&HomeSpec { rooms: Some(3), ..HomeSpec::new(4) }).unwrap();
    let other = generate(&HomeSpec { rooms: Some(3), ..HomeSpec::new(5) }).unwrap();
    let spec = ScanSpec { triangles: 60_000, ..ScanSpec::new(4) };
    for form in [Form::Exact, Form::Compact] {
        let mut folders = Vec::new();
        for scene in [&home, &again, &other] {
            let folder = tempfile::tempdir().unwrap();
            write(scene, &folder.path().join("clean"), form).unwrap();
            write_scan(scene, &spec, &folder.path().join("scan"), form).unwrap();
            folders.push(folder);
        }
        let bytes = |index: usize, part: &str| -> Vec<Vec<u8>> {
            let mut files: Vec<_> =
                std::fs::read_dir(folders[index].path().join(part)).unwrap().collect();
            files.sort_by_key(|file| file.as_ref().unwrap().file_name());
            files.into_iter().map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
        };
        for part in ["clean", "scan"] {
            assert_eq!(bytes(0, part).len(), 2);
            assert_eq!(bytes(0, part), bytes(1, part), "{form:?} {part}");
            assert_ne!(bytes(0, part), bytes(2, part), "{form:?} {part}");
            let read = read_scene(&folders[0].path().join(part), &ReadOptions::default()).unwrap();
            assert_eq!(read.rooms.len(), 3);
            let labelled = read.instances.iter().filter(|i| !i.bounds.is_empty()).count();
            assert!(labelled * 10 >= home.instances.len() * 9, "{form:?} {part}: {labelled}");
        }
    }
}
