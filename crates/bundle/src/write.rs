use crate::{ALIGN, CHECKED, ENTRY, HEADER};
use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes a bundle, section by section, under another name, and renames in the end. One that is dropped
/// before leaves nothing behind.
pub struct Writer {
    out: BufWriter<File>,
    magic: [u8; 8],
    temporary: PathBuf,
    path: PathBuf,
    at: u64,
    table: Vec<u8>,
    finished: bool,
}

/// A section that is being written.
pub struct Section<'a> {
    out: &'a mut BufWriter<File>,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Writer {
    /// Begins a bundle that will lie at `path`. `magic` says what kind of file it is, version included.
    ///
    /// # Errors
    /// The folder cannot be made or written to.
    pub fn create(path: &Path, magic: [u8; 8]) -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
        out.write_all(&[0; HEADER])?;
        let at = HEADER as u64;
        let path = path.to_path_buf();
        Ok(Self { out, magic, temporary, path, at, table: Vec::new(), finished: false })
    }

    /// Writes a section. `checked`: its checksum is compared whenever the bundle is opened; leave it out
    /// for what is so large that reading it takes long, and whose bits do no harm.
    ///
    /// # Errors
    /// Those of `fill`, and of writing.
    pub fn section(
        &mut self,
        kind: u32,
        checked: bool,
        fill: impl FnOnce(&mut Section<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.align()?;
        let mut section = Section { out: &mut self.out, hasher: blake3::Hasher::new(), bytes: 0 };
        fill(&mut section)?;
        let (bytes, sum) = (section.bytes, section.hasher.finalize());
        self.table.extend(kind.to_le_bytes());
        self.table.extend(if checked { CHECKED } else { 0 }.to_le_bytes());
        self.table.extend(self.at.to_le_bytes());
        self.table.extend(bytes.to_le_bytes());
        self.table.extend(sum.as_bytes());
        self.at += bytes;
        Ok(())
    }

    fn align(&mut self) -> io::Result<()> {
        let gap = self.at.next_multiple_of(ALIGN) - self.at;
        self.out.write_all(&[0; ALIGN as usize][..gap as usize])?;
        self.at += gap;
        Ok(())
    }

    /// Writes the table, waits until all is on the disk, and puts the file in its place.
    ///
    /// # Errors
    /// The disk is full, or the file cannot be renamed.
    pub fn finish(mut self) -> io::Result<()> {
        self.align()?;
        self.out.write_all(&self.table)?;
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&self.magic);
        header[8..16].copy_from_slice(&(self.at + self.table.len() as u64).to_le_bytes());
        header[16..24].copy_from_slice(&self.at.to_le_bytes());
        header[24..32].copy_from_slice(&((self.table.len() / ENTRY) as u64).to_le_bytes());
        let sum = crate::read::table_checksum(&header, &self.table);
        header[32..].copy_from_slice(&sum);
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&header)?;
        self.out.flush()?;
        self.out.get_ref().sync_data()?;
        std::fs::rename(&self.temporary, &self.path)?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.finished {
            // Of no use; that it cannot be removed either changes nothing.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

impl Section<'_> {
    /// Appends values as they lie in memory.
    ///
    /// # Errors
    /// Those of writing.
    pub fn push<T: crate::Plain>(&mut self, values: &[T]) -> io::Result<()> {
        let bytes = crate::plain::bytes_of(values);
        if bytes.len() < 1 << 18 {
            self.hasher.update(bytes);
        } else {
            self.hasher.update_rayon(bytes);
        }
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Appends zeros up to a multiple of 64 bytes.
    ///
    /// # Errors
    /// Those of writing.
    pub fn align(&mut self) -> io::Result<()> {
        let gap = self.bytes.next_multiple_of(ALIGN) - self.bytes;
        self.push(&[0_u8; ALIGN as usize][..gap as usize])
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
