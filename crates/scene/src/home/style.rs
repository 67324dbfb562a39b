//! Colours and materials that belong together.

use super::builder::Look;
use super::texture::Tex;
use ambler_geometry::random::Stream;

/// The palette of one home.
#[derive(Clone, Debug)]
pub(super) struct Style {
    pub(super) name: &'static str,
    /// Walls: living spaces, then bedrooms and the like.
    pub(super) walls: Vec<[f32; 3]>,
    pub(super) floor: Look,
    pub(super) wet_floor: Look,
    pub(super) carpets: Vec<[f32; 3]>,
    pub(super) wood: Look,
    pub(super) wood2: Look,
    pub(super) fabrics: Vec<[f32; 3]>,
    pub(super) metal: [f32; 3],
    pub(super) trim: [f32; 3],
    pub(super) stone: Look,
    pub(super) tile: [f32; 3],
    /// Fronts of kitchen cabinets.
    pub(super) fronts: Look,
}

/// Names of the styles.
pub const STYLES: &[&str] = &[
    "nordic",
    "midcentury",
    "farmhouse",
    "industrial",
    "mediterranean",
    "traditional",
    "japandi",
    "coastal",
];

pub(super) fn rgb(hex: u32) -> [f32; 3] {
    [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255].map(|c| c as f32 / 255.0)
}

struct Palette {
    walls: &'static [u32],
    floor: (Tex, u32),
    wet: (Tex, u32),
    carpets: &'static [u32],
    woods: [u32; 2],
    fabrics: &'static [u32],
    metal: u32,
    trim: u32,
    stone: u32,
    tile: u32,
    /// Fronts painted in this colour; of wood without.
    fronts: Option<u32>,
}

fn palette(name: &str) -> Palette {
    match name {
        "midcentury" => Palette {
            walls: &[0xEFE7D6, 0xC9D1B8, 0xE4C9A8, 0xBFD0CC, 0xDDB892],
            floor: (Tex::Plank, 0xB07F50),
            wet: (Tex::Tile, 0x8FB5B0),
            carpets: &[0xC7A97A, 0x9DAA88],
            woods: [0x8A5630, 0xB0764A],
            fabrics: &[0xD08C2E, 0x3E6C5C, 0xA0402F, 0x49708A],
            metal: 0xB08D57,
            trim: 0xF3EBDD,
            stone: 0xE8E2D6,
            tile: 0x86B3AE,
            fronts: None,
        },
        "farmhouse" => Palette {
            walls: &[0xF7F4EC, 0xE3DCCB, 0xB9C7B4, 0xC9D3DA, 0xEAD9C2],
            floor: (Tex::Plank, 0xBC9468),
            wet: (Tex::Checker, 0xF2EFE8),
            carpets: &[0xD8CDB8, 0xB9BFB0],
            woods: [0xB98F5E, 0xE9E4D8],
            fabrics: &[0xA7B5A0, 0xE8DFCF, 0x3F5A73, 0xA65B4A],
            metal: 0x4A4542,
            trim: 0xFFFFFF,
            stone: 0xC9C2B4,
            tile: 0xF0EEE8,
            fronts: Some(0xA9B8A2),
        },
        "industrial" => Palette {
            walls: &[0xD2D0CC, 0xB4B8BA, 0xC08A72, 0xA9B0A6, 0xC8BBA8],
            floor: (Tex::Stone, 0xA5A19B),
            wet: (Tex::Tile, 0x7F8488),
            carpets: &[0x8C8C8C, 0xA09080],
            woods: [0x7B583A, 0x5A4636],
            fabrics: &[0x6E4E38, 0x8A8E90, 0xB5651D, 0x3E4A52],
            metal: 0x2A2B2D,
            trim: 0x4A4C4E,
            stone: 0x8E8C88,
            tile: 0xD8D8D4,
            fronts: Some(0x4E5458),
        },
        "mediterranean" => Palette {
            walls: &[0xFBF3E4, 0xF0D9BF, 0xBFD6E4, 0xF4E3B8, 0xE3C4A8],
            floor: (Tex::Tile, 0xC98A62),
            wet: (Tex::Tile, 0xDDE9EE),
            carpets: &[0xD8C3A0, 0xC99A78],
            woods: [0x96662F, 0xC49A6C],
            fabrics: &[0xE5E0D2, 0x2F6E9E, 0xD9A441, 0xC2603F],
            metal: 0x6B4E2E,
            trim: 0xFFFDF7,
            stone: 0xEADFC9,
            tile: 0x7FB0CC,
            fronts: Some(0x5C8FB0),
        },
        "traditional" => Palette {
            walls: &[0xEADFC8, 0xC8D0C0, 0xD9BFB0, 0xE3D3A8, 0xC4CBD8],
            floor: (Tex::Plank, 0x8E5E36),
            wet: (Tex::Checker, 0xEDE6DA),
            carpets: &[0xB89A78, 0x9C5A50],
            woods: [0x6E3E22, 0x93623A],
            fabrics: &[0x8B3A36, 0x3A5A4A, 0xC9A96A, 0x4A5478],
            metal: 0xB8975A,
            trim: 0xF6F0E2,
            stone: 0xD9CCB8,
            tile: 0xE6DFD0,
            fronts: None,
        },
        "japandi" => Palette {
            walls: &[0xEDE8DF, 0xD9D2C5, 0xB5BCA8, 0xE2D2C0, 0xC9C5C0],
            floor: (Tex::Plank, 0xCBA983),
            wet: (Tex::Stone, 0x9C9A94),
            carpets: &[0xCFC6B6, 0xB2AC9E],
            woods: [0xB58E62, 0x4A3D32],
            fabrics: &[0xCBBFAE, 0x7A766A, 0xA4583C, 0x5B6351],
            metal: 0x3B3733,
            trim: 0xE7E0D4,
            stone: 0xB8B2A8,
            tile: 0xC8C4BC,
            fronts: None,
        },
        "coastal" => Palette {
            walls: &[0xFAFAF8, 0xD6E6EC, 0xA8CBD8, 0xF0E6D0, 0xCFE3D8],
            floor: (Tex::Plank, 0xD5C3A4),
            wet: (Tex::Tile, 0xDDE9EA),
            carpets: &[0xE2D8C4, 0xB8CED6],
            woods: [0xD9C4A0, 0xF4F2EE],
            fabrics: &[0x8FB8C6, 0xF0E3C6, 0xE2725B, 0x3F88A8],
            metal: 0xC0C4C6,
            trim: 0xFFFFFF,
            stone: 0xE6E4DE,
            tile: 0xA9D0D6,
            fronts: Some(0xFFFFFF),
        },
        _ => Palette {
            walls: &[0xF3F1EC, 0xDCE3E6, 0xB4C4CC, 0xE6DED2, 0xCBD6C8],
            floor: (Tex::Plank, 0xDCC7A6),
            wet: (Tex::Tile, 0xE4E5E3),
            carpets: &[0xD5D2CC, 0xB9C0C4],
            woods: [0xE0C9A6, 0xF0EDE6],
            fabrics: &[0x9AA5A8, 0xD9C7B8, 0x3E5866, 0xC98A5E],
            metal: 0x2B2B2B,
            trim: 0xFFFFFF,
            stone: 0xDADAD6,
            tile: 0xF0F2F2,
            fronts: Some(0xF2F2EE),
        },
    }
}

/// The named style with small differences from home to home; a random one without a name. `None` for
/// a name that is not in [`STYLES`].
pub(super) fn style(name: Option<&str>, stream: &mut Stream) -> Option<Style> {
    let drawn = stream.index(STYLES.len());
    let index = match name {
        None => drawn,
        Some(name) => STYLES.iter().position(|style| *style == name)?,
    };
    let name = STYLES.get(index)?;
    let p = palette(name);
    let mut vary = |hex: u32| {
        let light = stream.range(-0.025, 0.025) as f32;
        rgb(hex).map(|c| (c + light + stream.range(-0.01, 0.01) as f32).clamp(0.03, 1.0))
    };
    let colours = |list: &[u32], vary: &mut dyn FnMut(u32) -> [f32; 3]| {
        list.iter().map(|&hex| vary(hex)).collect::<Vec<_>>()
    };
    let wood = Look::new(Tex::Wood, vary(p.woods[0]));
    Some(Style {
        name,
        walls: colours(p.walls, &mut vary),
        floor: Look::new(p.floor.0, vary(p.floor.1)),
        wet_floor: Look::new(p.wet.0, vary(p.wet.1)),
        carpets: colours(p.carpets, &mut vary),
        wood,
        wood2: Look::new(Tex::Wood, vary(p.woods[1])),
        fabrics: colours(p.fabrics, &mut vary),
        metal: rgb(p.metal),
        trim: rgb(p.trim),
        stone: Look::new(Tex::Stone, vary(p.stone)),
        tile: vary(p.tile),
        fronts: p.fronts.map_or(wood, |hex| Look::plain(vary(hex))),
    })
}
