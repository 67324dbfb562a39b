//! Bundles: files of large arrays that are mapped, not read, and the [`Array`] that lies in one.
//!
//! A bundle is a cache. Whoever wrote a file that it is made of can make it again, so that a bundle that
//! is damaged is no error but work: [`Bundle::open`] says what is wrong with it, and the caller makes it
//! anew. docs/FORMATS.md has the bytes.
//!
//! - A [`Writer`] writes sections one after the other beside the file's place and renames in the end:
//!   readers never see half a file, and of two writers the last one wins.
//! - A [`Bundle`] checks sizes, places and checksums once, and hands out sections as [`Array`]s.
//! - [`Put`] and [`Take`] write and read small things, one after the other.
//!
//! This crate never knows what is in a section, never trusts a count in a file further than the file's
//! bytes go, and never changes a file in place: a file that is mapped stays as it is.
//!
//! ```
//! use ambler_bundle::{Array, Bundle, Writer};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("squares");
//! let mut writer = Writer::create(&path, *b"EXAMPLE1")?;
//! writer.section(7, true, |out| out.push(&[0_u32, 1, 4, 9]))?;
//! writer.finish()?;
//!
//! let bundle = Bundle::open(&path, *b"EXAMPLE1")?.expect("it was just written");
//! let squares: Array<u32> = bundle.array(7)?;
//! assert_eq!(squares[3], 9);
//! assert!(bundle.array::<u32>(8).is_err(), "there is no such section");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail by panic"))]

mod array;
mod pack;
mod plain;
mod read;
mod write;

pub use array::Array;
pub use pack::{Put, Take};
pub use plain::Plain;
pub use read::Bundle;
pub use write::{Section, Writer};

/// Sections begin at multiples of this: where cache lines do.
const ALIGN: u64 = 64;
/// Bytes before the first section: what kind of file it is, bytes in all, place of the table, number of
/// entries, checksum of the table and of what stands before.
const HEADER: usize = 64;
/// Bytes of an entry of the table: kind, flags, place, bytes, checksum.
const ENTRY: usize = 56;
/// Flag of sections whose checksum is compared when a bundle is opened.
const CHECKED: u32 = 1;

/// Maps a file.
#[allow(unsafe_code, reason = "mapping a file is unsafe since somebody may change it")]
fn map(file: &std::fs::File) -> std::io::Result<memmap2::Mmap> {
    // SAFETY: what is mapped are files of a cache, which are written under another name and renamed,
    // and never changed in place, neither by `Writer` nor by anything else that respects the cache.
    // What is read from them are numbers of which any bits are valid.
    unsafe { memmap2::Mmap::map(file) }
}

/// blake3, on several threads where it is worth it.
fn checksum(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    if bytes.len() < 1 << 18 {
        hasher.update(bytes);
    } else {
        hasher.update_rayon(bytes);
    }
    *hasher.finalize().as_bytes()
}

/// blake3 over the content of a file, on several threads; with the number of its bytes.
///
/// # Errors
/// It cannot be opened or read, or is no ordinary file.
pub fn file_checksum(path: &std::path::Path) -> std::io::Result<([u8; 32], u64)> {
    let file = std::fs::File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("not an ordinary file"));
    }
    if metadata.len() == 0 {
        return Ok((checksum(&[]), 0));
    }
    let mut hasher = blake3::Hasher::new();
    if metadata.len() < 1 << 20 {
        hasher.update_reader(file)?;
    } else {
        // Not mapped: it is another's file, which may shrink while it is looked at.
        let mut file = file;
        let mut buffer = vec![0; 4 << 20];
        loop {
            match std::io::Read::read(&mut file, &mut buffer) {
                Ok(0) => break,
                Ok(count) => drop(hasher.update_rayon(&buffer[..count])),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok((*hasher.finalize().as_bytes(), metadata.len()))
}
