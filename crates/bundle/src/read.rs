use crate::{ALIGN, Array, CHECKED, ENTRY, HEADER, checksum};
use ambler_geometry::{Fault, Place};
use memmap2::Mmap;
use rayon::prelude::*;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A bundle that was opened: mapped, its sections known and checked. Clones share the map.
#[derive(Clone, Debug)]
pub struct Bundle {
    map: Arc<Mmap>,
    path: PathBuf,
    sections: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    kind: u32,
    checked: bool,
    bytes: Range<usize>,
    checksum: [u8; 32],
}

impl Bundle {
    /// Opens a bundle of this kind; `None` where there is no file.
    ///
    /// # Errors
    /// A [`Fault`] that says what is wrong: another kind, truncated, sections that do not lie in it, a
    /// checksum that differs.
    pub fn open(path: &Path, magic: [u8; 8]) -> Result<Option<Self>, Fault> {
        if cfg!(target_endian = "big") {
            // Values lie in it as they lie in memory.
            return Ok(None);
        }
        let whole = |what: String| Fault::new(path, Place::Whole, what, "");
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(whole(format!("cannot be opened ({error})"))),
        };
        let metadata = file.metadata().map_err(|error| whole(format!("cannot be read ({error})")))?;
        if !metadata.is_file() {
            return Err(whole("is no ordinary file".into()));
        }
        let map = crate::map(&file).map_err(|error| whole(format!("cannot be mapped ({error})")))?;
        let sections = table(&map, magic)
            .map_err(|(byte, what)| Fault::new(path, Place::Byte(byte as u64), what, ""))?;
        let bundle = Self { map: Arc::new(map), path: path.to_path_buf(), sections };
        bundle.check(|entry| entry.checked)?;
        Ok(Some(bundle))
    }

    /// Compares the checksums of all sections, also of those that opening leaves out.
    ///
    /// # Errors
    /// The first section, in the order of the file, whose bytes changed.
    pub fn check_all(&self) -> Result<(), Fault> {
        self.check(|_| true)
    }

    fn check(&self, which: impl Fn(&Entry) -> bool + Sync) -> Result<(), Fault> {
        let differs = |entry: &&Entry| {
            which(entry) && self.map.get(entry.bytes.clone()).map(checksum) != Some(entry.checksum)
        };
        match self.sections.par_iter().find_first(differs) {
            Some(entry) => Err(Fault::new(
                &self.path,
                Place::Byte(entry.bytes.start as u64),
                format!("section {} is damaged", entry.kind),
                "",
            )),
            None => Ok(()),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Never: a bundle has a header.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// A fault of a section.
    pub fn fault(&self, kind: u32, what: impl Into<String>) -> Fault {
        let byte = self.entry(kind).map_or(0, |entry| entry.bytes.start);
        Fault::new(&self.path, Place::Byte(byte as u64), format!("section {kind}: {}", what.into()), "")
    }

    fn entry(&self, kind: u32) -> Option<&Entry> {
        self.sections.iter().find(|entry| entry.kind == kind)
    }

    /// Whether there is such a section.
    pub fn has(&self, kind: u32) -> bool {
        self.entry(kind).is_some()
    }

    /// The bytes of a section.
    ///
    /// # Errors
    /// There is none.
    pub fn bytes(&self, kind: u32) -> Result<&[u8], Fault> {
        self.entry(kind)
            .and_then(|entry| self.map.get(entry.bytes.clone()))
            .ok_or_else(|| self.fault(kind, "is missing"))
    }

    /// A section as values; it stays in the file.
    ///
    /// # Errors
    /// There is none, or it holds no whole number of values.
    pub fn array<T: crate::Plain>(&self, kind: u32) -> Result<Array<T>, Fault> {
        let entry = self.entry(kind).ok_or_else(|| self.fault(kind, "is missing"))?;
        Array::mapped(&self.map, entry.bytes.clone())
            .ok_or_else(|| self.fault(kind, "holds no whole number of values"))
    }
}

/// Over the header but for the checksum itself, and the table.
pub(crate) fn table_checksum(header: &[u8; HEADER], table: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header[..32]).update(table);
    *hasher.finalize().as_bytes()
}

/// The table of a file, checked; else the byte and what is wrong there.
fn table(map: &[u8], magic: [u8; 8]) -> Result<Vec<Entry>, (usize, String)> {
    let Some(header) = map.first_chunk::<HEADER>() else {
        return Err((0, format!("has {} bytes, less than a header", map.len())));
    };
    if header[..8] != magic {
        return Err((0, "is of another kind or version".into()));
    }
    let number = |at: usize| {
        header
            .get(at..)
            .and_then(|rest| rest.first_chunk())
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    if number(8) != map.len() as u64 {
        return Err((8, format!("has {} bytes and should have {}", map.len(), number(8))));
    }
    let start = usize::try_from(number(16)).unwrap_or(usize::MAX);
    let Some(bytes) = map.get(start..) else {
        return Err((16, format!("the table is said to begin at {}", number(16))));
    };
    let count = usize::try_from(number(24)).ok().and_then(|count| count.checked_mul(ENTRY));
    if count != Some(bytes.len()) {
        return Err((24, format!("a table of {} entries in {} bytes", number(24), bytes.len())));
    }
    if table_checksum(header, bytes) != header[32..] {
        return Err((32, "the checksum of the table differs".into()));
    }
    let mut entries: Vec<Entry> = Vec::with_capacity(bytes.len() / ENTRY);
    for (index, entry) in bytes.as_chunks::<ENTRY>().0.iter().enumerate() {
        let at = start + index * ENTRY;
        let (head, checksum) = entry.split_at(24);
        let words = head.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        let [kind, flags, low, high, low_bytes, high_bytes] = {
            let mut six = [0; 6];
            six.iter_mut().zip(words).for_each(|(to, from)| *to = from);
            six
        };
        let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let (first, len) = (wide(low, high), wide(low_bytes, high_bytes));
        let end = first.checked_add(len).filter(|&end| end <= start as u64);
        if first < HEADER as u64 || first % ALIGN != 0 || end.is_none() {
            return Err((at, format!("section {kind} is said to lie at {first}, {len} bytes")));
        }
        if entries.iter().any(|known| known.kind == kind) {
            return Err((at, format!("a second section {kind}")));
        }
        let mut sum = [0; 32];
        sum.iter_mut().zip(checksum).for_each(|(to, from)| *to = *from);
        // Both fit: they are not beyond the map's end.
        let bytes = first as usize..(first + len) as usize;
        entries.push(Entry { kind, checked: flags & CHECKED != 0, bytes, checksum: sum });
    }
    Ok(entries)
}
