use crate::{ModelError, Region};
use ambler_geometry::{Fault, Place, Vec3};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What an agent remembers of a home: where things may lie, from where it can look there, and where it
/// can walk. World frame, metres.
///
/// It is a function of the *base* scene (without movable things), the body and the seed of a run, never
/// of the variant that is searched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneMemory {
    /// What it was made of and with, for a run's manifest: a hash over scene, body and settings.
    pub identity: String,
    /// Surfaces that hold things, in the order in which they were found.
    pub planes: Vec<KnownPlane>,
    /// Where the body can stand.
    pub map: KnownMap,
}

/// A surface that holds things.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownPlane {
    /// Unique name.
    pub name: String,
    /// What it is the top of: a label such as `desk`.
    pub receptacle: String,
    /// What the home is used for there.
    pub region: Region,
    /// Height, metres.
    pub y: f32,
    /// Convex outline in the floor plane (x, z).
    pub polygon: Vec<[f32; 2]>,
    /// Places on the floor from where it is looked at; the farthest-point order of their choice.
    pub nav_points: Vec<[f32; 3]>,
}

impl KnownPlane {
    /// Mean of the corners, at the height of the plane.
    pub fn centre(&self) -> Vec3 {
        let count = self.polygon.len().max(1) as f32;
        let sum = self.polygon.iter().fold([0.0, 0.0], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
        Vec3::new(sum[0] / count, self.y, sum[1] / count)
    }
}

/// Where a body can stand, on one storey or several over each other: squares of a grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownMap {
    /// Width of a square.
    pub cell_m: f32,
    /// Least x and z.
    pub corner: [f32; 2],
    /// Squares along x.
    pub cols: u32,
    /// Squares along z.
    pub rows: u32,
    /// The storeys, lowest first.
    pub storeys: Vec<Storey>,
}

/// One storey of a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storey {
    /// Height of its floor.
    pub y: f32,
    /// Runs of squares, rows by rows along x: so many where nobody can stand, so many where one can,
    /// and so on.
    pub runs: Vec<u32>,
}

/// Files may have so many bytes.
const MOST_BYTES: u64 = 256 << 20;
/// Squares that a map may have.
const MOST_CELLS: u64 = 64 << 20;

impl Storey {
    /// The squares of a storey, packed.
    pub fn pack(y: f32, open: &[bool]) -> Self {
        let mut runs = Vec::new();
        let (mut last, mut count) = (false, 0);
        for &bit in open {
            if bit != last {
                runs.push(count);
                (last, count) = (bit, 0);
            }
            count += 1;
        }
        runs.push(count);
        Self { y, runs }
    }
}

impl KnownMap {
    /// Whether one can stand on each square of a storey, rows along x; what the runs do not cover is
    /// closed.
    pub fn open(&self, storey: usize) -> Vec<bool> {
        let count = (self.cols as usize).saturating_mul(self.rows as usize);
        let mut open = Vec::with_capacity(count);
        let runs = self.storeys.get(storey).map_or(&[][..], |storey| &storey.runs);
        for (index, &run) in runs.iter().enumerate() {
            let run = (run as usize).min(count - open.len());
            open.resize(open.len() + run, index % 2 == 1);
        }
        open.resize(count, false);
        open
    }

    /// The storey whose floor is nearest to a height.
    pub fn storey_at(&self, y: f32) -> Option<usize> {
        let apart = |storey: &Storey| (storey.y - y).abs();
        let storeys = self.storeys.iter().enumerate();
        storeys.min_by(|a, b| apart(a.1).total_cmp(&apart(b.1))).map(|(index, _)| index)
    }
}

impl SceneMemory {
    /// Writes it as JSON.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        let failed = |what: String| Fault::new(path, Place::Whole, what, "is there room, and leave?");
        let text = serde_json::to_string(self).map_err(|error| failed(error.to_string()))?;
        std::fs::write(path, text).map_err(|error| failed(format!("cannot be written: {error}")))?;
        Ok(())
    }

    /// Reads what [`SceneMemory::write`] wrote.
    ///
    /// # Errors
    /// File, place, what is wrong and what to do.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let remedy = "make it again from the base scene";
        let fault = |what: String| Fault::new(path, Place::Whole, what, remedy);
        let length =
            std::fs::metadata(path).map_err(|error| fault(format!("cannot be opened: {error}")))?.len();
        if length > MOST_BYTES {
            return Err(fault(format!("has more than {} MiB", MOST_BYTES >> 20)).into());
        }
        let text =
            std::fs::read_to_string(path).map_err(|error| fault(format!("cannot be read: {error}")))?;
        Self::parse(&text, path)
    }

    /// The same from text; `path` is named in errors.
    ///
    /// # Errors
    /// As [`SceneMemory::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ModelError> {
        let remedy = "make it again from the base scene";
        let fault = |place, what: String| Fault::new(path, place, what, remedy);
        let memory: Self = serde_json::from_str(text)
            .map_err(|error| fault(Place::Line(error.line() as u64), error.to_string()))?;
        let map = &memory.map;
        if u64::from(map.cols) * u64::from(map.rows) * map.storeys.len().max(1) as u64 > MOST_CELLS {
            let what = format!("a map of {} x {} squares", map.cols, map.rows);
            return Err(fault(Place::Pointer("/map".into()), what).into());
        }
        let finite = |values: &[f32]| values.iter().all(|value| value.is_finite() && value.abs() < 1e6);
        if !(map.cell_m > 0.0 && finite(&[map.cell_m]) && finite(&map.corner)) {
            return Err(fault(Place::Pointer("/map".into()), "a map without a size".into()).into());
        }
        for (index, plane) in memory.planes.iter().enumerate() {
            let good = plane.polygon.len() >= 3
                && finite(&[plane.y])
                && plane.polygon.iter().all(|point| finite(point))
                && plane.nav_points.iter().all(|point| finite(point));
            if !good {
                let place = Place::Pointer(format!("/planes/{index}"));
                return Err(fault(place, "a plane that is no polygon in the home".into()).into());
            }
        }
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn small() -> SceneMemory {
        let open = [false, true, true, false, false, true];
        SceneMemory {
            identity: "x".into(),
            planes: vec![KnownPlane {
                name: "a".into(),
                receptacle: "desk".into(),
                region: Region::Office,
                y: 0.7,
                polygon: vec![[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]],
                nav_points: vec![[1.5, 0.0, 0.5]],
            }],
            map: KnownMap {
                cell_m: 0.05,
                corner: [0.0, 0.0],
                cols: 3,
                rows: 2,
                storeys: vec![Storey::pack(0.0, &open)],
            },
        }
    }

    #[test]
    fn it_comes_back_from_its_file() {
        let memory = small();
        assert_eq!(memory.map.open(0), [false, true, true, false, false, true]);
        assert_eq!(memory.planes[0].centre(), Vec3::new(0.5, 0.7, 0.5));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        memory.write(&path).unwrap();
        assert_eq!(SceneMemory::read(&path).unwrap(), memory);
    }

    #[test]
    fn absurd_files_are_refused() {
        let text = serde_json::to_string(&small()).unwrap();
        let error = |text: &str| SceneMemory::parse(text, Path::new("m")).unwrap_err().to_string();
        assert!(error(&text.replace("\"cols\":3", "\"cols\":4000000000")).contains("/map"));
        assert!(error(&text.replace("[1.5,0.0,0.5]", "[1e30,0.0,0.5]")).contains("/planes/0"));
        assert!(error(&text[..text.len() / 2]).contains("line 1"));
        // Runs that overflow the map are cut.
        let text = text.replace("\"runs\":[1,2,2,1]", "\"runs\":[1,4000000000]");
        let memory = SceneMemory::parse(&text, Path::new("m")).unwrap();
        assert_eq!(memory.map.open(0), [false, true, true, true, true, true]);
    }

    proptest! {
        #[test]
        fn damage_makes_no_panic(at in 0usize..400, byte in 32u8..127) {
            let mut text = serde_json::to_string(&small()).unwrap().into_bytes();
            let at = at % text.len();
            text[at] = byte;
            if let Ok(memory) = SceneMemory::parse(&String::from_utf8_lossy(&text), Path::new("m")) {
                for storey in 0..memory.map.storeys.len() {
                    let _ = memory.map.open(storey);
                }
            }
        }
    }
}
