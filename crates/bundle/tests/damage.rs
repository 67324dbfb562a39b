//! Bundles as disks, other versions and other people leave them.
#![allow(clippy::unwrap_used, reason = "tests")]

use ambler_bundle::{Bundle, Put, Take, Writer};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"TESTING1";

fn written(folder: &Path) -> (PathBuf, Vec<u8>) {
    let path = folder.join("a");
    let mut writer = Writer::create(&path, MAGIC).unwrap();
    writer.section(1, true, |out| out.push(&[1_u8, 2, 3])).unwrap();
    writer.section(2, true, |out| out.push(&[1.5_f32; 40])).unwrap();
    writer.section(3, false, |out| out.push(&[7_u32; 100])).unwrap();
    writer.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

/// Opens it and looks at everything in it.
fn look(path: &Path) -> Option<(Vec<u8>, Vec<f32>, Vec<u32>)> {
    let bundle = Bundle::open(path, MAGIC).ok()??;
    Some((
        bundle.bytes(1).ok()?.to_vec(),
        bundle.array::<f32>(2).ok()?.to_vec(),
        bundle.array::<u32>(3).ok()?.to_vec(),
    ))
}

#[test]
fn what_was_written_is_read_and_nothing_else_is_left_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = written(folder.path());
    assert_eq!(look(&path), Some((vec![1, 2, 3], vec![1.5; 40], vec![7; 100])));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(Bundle::open(&folder.path().join("b"), MAGIC).unwrap().is_none());
    let fault = Bundle::open(&path, *b"TESTING2").unwrap_err();
    assert!(fault.to_string().contains("another kind or version"), "{fault}");
}

#[test]
fn a_writer_that_gives_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(&folder.path().join("a"), MAGIC).unwrap();
    let refused = writer.section(1, true, |_| Err(std::io::Error::other("no more")));
    assert!(refused.is_err());
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_replaced_stays_as_it_was_for_those_who_have_it_open() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = written(folder.path());
    let old = Bundle::open(&path, MAGIC).unwrap().unwrap().array::<u32>(3).unwrap();
    let mut writer = Writer::create(&path, MAGIC).unwrap();
    writer.section(3, true, |out| out.push(&[8_u32])).unwrap();
    writer.finish().unwrap();
    assert_eq!(old, [7; 100]);
    assert_eq!(Bundle::open(&path, MAGIC).unwrap().unwrap().array::<u32>(3).unwrap(), [8]);
}

#[test]
fn every_shorter_file_and_every_flipped_bit_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = written(folder.path());
    let whole = look(&path).unwrap();
    for len in 0..bytes.len() {
        std::fs::write(&path, &bytes[..len]).unwrap();
        assert!(Bundle::open(&path, MAGIC).is_err(), "{len} bytes of {}", bytes.len());
    }
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &changed).unwrap();
        match Bundle::open(&path, MAGIC) {
            Err(_) => {}
            // In the gaps between sections, or in the section that opening does not check.
            Ok(bundle) => {
                let found = look(&path).unwrap();
                let bundle = bundle.unwrap();
                assert!(found == whole || bundle.check_all().is_err(), "bit {bit}");
                assert_eq!((found.0, found.1), (whole.0.clone(), whole.1.clone()), "bit {bit}");
            }
        }
    }
}

proptest! {
    /// Whoever can write a checksum can write anything.
    #[test]
    fn a_hostile_table_gives_no_panic(
        entries in prop::collection::vec((0_u32..4, any::<u32>(), prop_oneof![0_u64..2000, any::<u64>()], prop_oneof![0_u64..2000, any::<u64>()]), 0..4),
        count in prop_oneof![0_u64..5, any::<u64>()],
        start in prop_oneof![Just(512_u64), any::<u64>()],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut table = Vec::new();
        let body = vec![0_u8; 512 - 64];
        for (kind, flags, at, bytes) in entries {
            table.extend(kind.to_le_bytes());
            table.extend(flags.to_le_bytes());
            table.extend(at.to_le_bytes());
            table.extend(bytes.to_le_bytes());
            let inside = body.get(at as usize - 64_usize.min(at as usize)..).and_then(|rest| rest.get(..bytes as usize));
            table.extend(*blake3(inside.unwrap_or(&[])));
        }
        let mut header = MAGIC.to_vec();
        header.extend((512 + table.len() as u64).to_le_bytes());
        header.extend(start.to_le_bytes());
        header.extend(count.to_le_bytes());
        let sum = blake3(&[&header[..], &table].concat());
        let file = [&header[..], &sum[..], &body, &table].concat();
        let path = folder.path().join("a");
        std::fs::write(&path, file).unwrap();
        if let Ok(Some(bundle)) = Bundle::open(&path, MAGIC) {
            for kind in 0..4 {
                let _ = bundle.bytes(kind);
                let _ = bundle.array::<u32>(kind);
            }
            let _ = bundle.check_all();
        }
    }

    #[test]
    fn any_bytes_can_be_taken_apart(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut take = Take::new(&bytes, Path::new("a"));
        let _ = take.list(|take| Ok((take.text()?, take.u8()?)));
        let _ = take.list(Take::u64);
        let _ = take.f32s::<3>();
        let _ = take.end();
    }
}

fn blake3(bytes: &[u8]) -> Box<[u8; 32]> {
    Box::new(*::blake3::hash(bytes).as_bytes())
}

#[test]
fn what_is_put_is_taken() {
    let mut put = Put::new();
    put.text("mug").u32(7).i64(-1).f32s(&[f32::NAN, -0.0]).list(&[1_u64, 2], |put, &value| {
        put.u64(value);
    });
    let mut take = Take::new(put.bytes(), Path::new("a"));
    assert_eq!(
        (take.text().unwrap().as_str(), take.u32().unwrap(), take.i64().unwrap()),
        ("mug", 7, -1)
    );
    assert_eq!(take.f32s::<2>().unwrap().map(f32::to_bits), [f32::NAN, -0.0].map(f32::to_bits));
    assert_eq!(take.list(Take::u64).unwrap(), [1, 2]);
    take.end().unwrap();
    assert!(take.u8().is_err());
}
