use crate::{ReadOptions, SceneError};
use ambler_geometry::Place;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

/// What one reading works with: the folder that nothing may leave, what was read so far (for the
/// fingerprint), what is left of the limits, and the notes.
pub(crate) struct Context {
    pub(crate) options: ReadOptions,
    root: PathBuf,
    hasher: blake3::Hasher,
    /// Files that were read, with the checksum of their bytes, or looked for.
    files: BTreeMap<PathBuf, Option<[u8; 32]>>,
    vertices: u64,
    triangles: u64,
    pixels: u64,
    notes: Vec<String>,
}

impl Context {
    /// For a scene at `path`: its folder is the border.
    pub(crate) fn new(path: &Path, options: &ReadOptions) -> Self {
        Self::within(path.parent().unwrap_or(Path::new("")), options)
    }

    /// For a file in `root` or below, which is the border.
    pub(crate) fn within(root: &Path, options: &ReadOptions) -> Self {
        let root = root.to_path_buf();
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"ambler scene 1\n");
        hasher.update(options.up.as_str().as_bytes());
        hasher.update(&[u8::from(options.side_files)]);
        Self {
            options: options.clone(),
            root,
            hasher,
            files: BTreeMap::new(),
            vertices: 0,
            triangles: 0,
            pixels: 0,
            notes: Vec::new(),
        }
    }

    /// Adds a note, once.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) && self.notes.len() < 200 {
            self.notes.push(note);
        }
    }

    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Content that came by other ways than [`Context::read`] enters the fingerprint here.
    pub(crate) fn add_content(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes());
        self.hasher.update(blake3::Hasher::new().update_rayon(bytes).finalize().as_bytes());
    }

    /// The files that were read or looked for, relative to the scene's folder.
    pub(crate) fn sources(&self) -> Vec<(String, Option<[u8; 32]>)> {
        // References are text, so that what they lead to has a name that is text.
        let name = |path: &Path| -> Option<String> {
            let inside = path.strip_prefix(&self.root).ok()?;
            let parts: Option<Vec<&str>> = inside.components().map(|c| c.as_os_str().to_str()).collect();
            Some(parts?.join("/"))
        };
        self.files.iter().filter_map(|(path, sum)| Some((name(path)?, *sum))).collect()
    }

    pub(crate) fn fingerprint(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    /// Takes vertices and triangles from what the limits allow, before they are allocated.
    pub(crate) fn spend_mesh(
        &mut self,
        path: &Path,
        place: Place,
        vertices: u64,
        triangles: u64,
    ) -> Result<(), SceneError> {
        self.vertices = self.vertices.saturating_add(vertices);
        self.triangles = self.triangles.saturating_add(triangles);
        let limits = self.options.limits;
        let (what, count, limit) = if self.vertices > limits.vertices {
            ("vertices", self.vertices, limits.vertices)
        } else if self.triangles > limits.triangles {
            ("triangles", self.triangles, limits.triangles)
        } else {
            return Ok(());
        };
        Err(SceneError::too_large(
            path,
            place,
            format!("the scene asks for {count} {what}, more than {limit}"),
            "reduce the mesh, or split the scene",
        ))
    }

    /// Takes pixels from what the limits allow, before they are allocated.
    pub(crate) fn spend_pixels(
        &mut self,
        path: &Path,
        place: Place,
        width: u32,
        height: u32,
    ) -> Result<(), SceneError> {
        let limits = self.options.limits;
        self.pixels = self.pixels.saturating_add(u64::from(width) * u64::from(height));
        if width > limits.image_side || height > limits.image_side {
            return Err(SceneError::too_large(
                path,
                place,
                format!("an image of {width}×{height} pixels, more than {0}×{0}", limits.image_side),
                "shrink the image",
            ));
        }
        if self.pixels > limits.texture_pixels {
            return Err(SceneError::too_large(
                path,
                place,
                format!("all textures together have more than {} pixels", limits.texture_pixels),
                "shrink the images",
            ));
        }
        Ok(())
    }

    /// Reads a file that `from` refers to by `reference` (relative, `/` or `\` between names),
    /// and adds it to the fingerprint. Refuses whatever lies outside the scene's folder.
    pub(crate) fn read(
        &mut self,
        from: &Path,
        place: Place,
        reference: &str,
    ) -> Result<(PathBuf, Vec<u8>), SceneError> {
        let path = self.resolve(from, place, reference)?;
        let (bytes, sum) = read_summed(&path, self.options.limits.file_bytes)?;
        if self.files.insert(path.clone(), Some(sum)).flatten().is_none() {
            self.add_content(&bytes);
        }
        Ok((path, bytes))
    }

    /// Like [`Context::read`], but `None` where there is no such file.
    pub(crate) fn read_if_there(
        &mut self,
        from: &Path,
        reference: &str,
    ) -> Result<Option<(PathBuf, Vec<u8>)>, SceneError> {
        match self.resolve(from, Place::Whole, reference) {
            Ok(path) if path.is_file() => self.read(from, Place::Whole, reference).map(Some),
            Ok(path) => {
                self.files.entry(path).or_insert(None);
                Ok(None)
            }
            Err(_) => Ok(None),
        }
    }

    fn resolve(&self, from: &Path, place: Place, reference: &str) -> Result<PathBuf, SceneError> {
        let refuse = |why: &str| {
            SceneError::malformed(
                from,
                place.clone(),
                format!("refers to '{}', {why}", shorten(reference)),
                "put the file into the scene's folder and refer to it by a relative path",
            )
        };
        let slashed = reference.replace('\\', "/");
        let drive = slashed.as_bytes().get(1) == Some(&b':');
        if slashed.trim().is_empty() {
            return Err(refuse("which names no file"));
        }
        if slashed.starts_with('/') || drive || slashed.contains("://") {
            return Err(refuse("which is not a relative path"));
        }
        if slashed.contains('\0') {
            return Err(refuse("which holds a zero byte"));
        }
        let base = from.parent().unwrap_or(Path::new(""));
        let inside = base.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let mut names: Vec<&std::ffi::OsStr> = Vec::new();
        for component in inside.components().chain(Path::new(&slashed).components()) {
            match component {
                Component::Normal(name) => names.push(name),
                Component::CurDir => {}
                Component::ParentDir if names.pop().is_some() => {}
                _ => return Err(refuse("which lies outside the scene's folder")),
            }
        }
        let mut path = self.root.clone();
        path.extend(names);
        // A link may lead out although the path does not.
        let root = if self.root.as_os_str().is_empty() { Path::new(".") } else { self.root.as_path() };
        if let (Ok(real), Ok(real_root)) = (path.canonicalize(), root.canonicalize())
            && !real.starts_with(&real_root)
        {
            return Err(refuse("which is a link that leads outside the scene's folder"));
        }
        Ok(path)
    }
}

/// Reads a whole ordinary file; what is gzipped, told by its first bytes, is unpacked.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, SceneError> {
    let bytes = read_packed(path, limit)?;
    if is_gzipped(&bytes) { unpack(&bytes, path, limit) } else { Ok(bytes) }
}

/// As [`read_file`], with blake3 over the bytes as they lie on the disk.
pub(crate) fn read_summed(path: &Path, limit: u64) -> Result<(Vec<u8>, [u8; 32]), SceneError> {
    let bytes = read_packed(path, limit)?;
    let sum = *blake3::Hasher::new().update_rayon(&bytes).finalize().as_bytes();
    Ok((if is_gzipped(&bytes) { unpack(&bytes, path, limit)? } else { bytes }, sum))
}

fn is_gzipped(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

fn read_packed(path: &Path, limit: u64) -> Result<Vec<u8>, SceneError> {
    let metadata = std::fs::metadata(path).map_err(|error| {
        SceneError::file(path, format!("cannot be opened ({error})"), "check the path")
    })?;
    if !metadata.is_file() {
        return Err(SceneError::file(
            path,
            "is not an ordinary file",
            "name a scene file or a folder with scene.ron",
        ));
    }
    if metadata.len() > limit {
        return Err(SceneError::too_large(
            path,
            Place::Whole,
            format!("has {} bytes, more than {limit}", metadata.len()),
            "reduce or split the scene",
        ));
    }
    std::fs::read(path).map_err(|error| {
        SceneError::file(path, format!("cannot be read ({error})"), "check the file's permissions")
    })
}

/// Unpacks gzip. What it may become is bounded: by the limit for files, and by its own size, since a
/// mesh never packs this well.
fn unpack(bytes: &[u8], path: &Path, limit: u64) -> Result<Vec<u8>, SceneError> {
    const MOST_RATIO: u64 = 200;
    const RATIO_FREE_BYTES: u64 = 16 << 20;
    let limit = limit.min(RATIO_FREE_BYTES.max((bytes.len() as u64).saturating_mul(MOST_RATIO)));
    let mut out = Vec::new();
    let reader = flate2::bufread::MultiGzDecoder::new(bytes);
    reader.take(limit.saturating_add(1)).read_to_end(&mut out).map_err(|error| {
        let what = format!("is gzipped, but cannot be unpacked ({error})");
        SceneError::malformed(path, Place::Whole, what, "copy or download the file again")
    })?;
    if out.len() as u64 > limit {
        let what = format!("is gzipped and unpacks to more than {limit} bytes");
        return Err(SceneError::too_large(path, Place::Whole, what, "reduce or split the scene"));
    }
    Ok(out)
}

/// At most 80 characters of something from a file, for a message.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String =
        text.chars().take(80).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(80).is_some() {
        short.push('…');
    }
    short
}
