/// Which axis of the file points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// +Y, Ambler's own; nothing is turned.
    #[default]
    Y,
    /// +Z, as most scans are stored: (x, y, z) becomes (x, z, −y).
    Z,
    /// +Y, with a note where the file looks as if another axis were up. No heuristic is safe, so
    /// nothing is turned.
    Auto,
}

impl UpAxis {
    /// `y`, `z` or `auto`, as on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Y => "y",
            Self::Z => "z",
            Self::Auto => "auto",
        }
    }
}

impl std::str::FromStr for UpAxis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "y" | "Y" => Ok(Self::Y),
            "z" | "Z" => Ok(Self::Z),
            "auto" => Ok(Self::Auto),
            other => Err(format!("unknown up axis '{other}': y, z or auto")),
        }
    }
}

/// How a scene is read. The default is y up, with side files and the usual limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Which axis points up. For a scene description it turns the whole described scene once
    /// more, so leave it at `Y` there: the description states the axis of each asset.
    pub up: UpAxis,
    /// Read labels from `X_objects.json` beside `X.glb` or `X_scan.ply`.
    pub side_files: bool,
    /// What a file may ask for; beyond it, reading ends with [`crate::SceneError::TooLarge`].
    pub limits: Limits,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { up: UpAxis::Y, side_files: true, limits: Limits::default() }
    }
}

impl ReadOptions {
    /// The default options with another up axis.
    pub fn with_up(up: UpAxis) -> Self {
        Self { up, ..Self::default() }
    }
}

/// Bounds on what one scene may hold, all its files together. They stand well above the largest
/// scans in use (HM3D: some 5 million triangles, a few hundred textures of 2048²).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Vertices in the mesh pool, and also vertices placed.
    pub vertices: u64,
    /// Triangles in the mesh pool, and also triangles placed.
    pub triangles: u64,
    /// Placements of meshes.
    pub placements: u64,
    /// Width and height of one image in pixels.
    pub image_side: u32,
    /// Pixels of all textures together (4 bytes each).
    pub texture_pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 30,
            vertices: 100_000_000,
            triangles: 100_000_000,
            placements: 1_000_000,
            image_side: 16_384,
            texture_pixels: 1 << 30,
        }
    }
}
