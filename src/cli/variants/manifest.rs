//! `variants.json`: what a folder of variants holds, and what it follows from.

use super::advisers::Models;
use super::home::Home;
use super::put_json;
use crate::exit::Failure;
use ambler_geometry::{Fault, Place};
use ambler_scene::library::Library;
use ambler_sdovon::analysis::Analysis;
use ambler_sdovon::place::Variant;
use ambler_sdovon::settings::Settings;
use ambler_sdovon::stages::get;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file's name.
const FILE: &str = "variants.json";
/// The version that this build reads and writes.
const VERSION: u32 = 1;

/// What a folder of variants holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    version: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Settings of the stages.
    pub settings: Settings,
    /// What found things in images.
    pub detector: String,
    /// What said what belongs where.
    pub relevance: String,
    /// The homes, in the order given.
    pub homes: Vec<HomeEntry>,
}

/// A home in the manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HomeEntry {
    /// Name.
    pub name: String,
    /// Content of its files.
    pub fingerprint: String,
    /// Whether a navmesh is in the folder.
    pub navmesh: bool,
    /// Instances and surfaces that were found.
    pub instances: usize,
    /// Surfaces that were found.
    pub surfaces: usize,
    /// Names of its variants.
    pub variants: Vec<String>,
}

/// A variant as it is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// Names everything that it follows from.
    pub key: String,
    /// The variant.
    pub variant: Variant,
}

impl Manifest {
    /// Without homes.
    pub fn new(seed: u64, settings: &Settings, models: &Models) -> Self {
        Self {
            version: VERSION,
            seed,
            settings: settings.clone(),
            detector: models.detector.identity(),
            relevance: models.relevance.identity(),
            homes: Vec::new(),
        }
    }

    /// Refuses a folder that holds variants of another seed, other settings or models: they would be
    /// overwritten, and their episodes and decisions would be about other scenes.
    ///
    /// # Errors
    /// What differs.
    pub fn check_place(&self, folder: &Path) -> Result<(), Failure> {
        // One that cannot be read is written anew.
        let Ok(there) = Self::read(folder) else { return Ok(()) };
        let differs = if there.seed != self.seed {
            format!("seed {}, and not {}", there.seed, self.seed)
        } else if there.settings != self.settings {
            "other settings".to_owned()
        } else if there.detector != self.detector || there.relevance != self.relevance {
            format!("{} and {}", there.detector, there.relevance)
        } else {
            return Ok(());
        };
        let folder = folder.display();
        Err(Failure::Usage(format!(
            "{folder} holds variants that were made with {differs}: name another folder with --out, or remove it"
        )))
    }

    /// Adds a home with its variants.
    pub fn add(&mut self, home: &Home, analysis: &Analysis, variants: &[Variant]) {
        self.homes.push(HomeEntry {
            name: home.name.clone(),
            fingerprint: home.scene().fingerprint.clone(),
            navmesh: home.navmesh,
            instances: analysis.instances.len(),
            surfaces: analysis.surfaces.len(),
            variants: variants.iter().map(|variant| variant.name.clone()).collect(),
        });
    }

    /// Writes it into the folder.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let value = serde_json::to_value(self).map_err(|error| Failure::Input(error.to_string()))?;
        put_json(&folder.join(FILE), &value)
    }

    /// Reads that of a folder.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        let manifest: Self = parse(&path)?;
        if manifest.version != VERSION {
            let what = format!("version {}", manifest.version);
            return Err(fault(&path, what, "make the variants anew with this build"));
        }
        Ok(manifest)
    }

    /// Whether a folder is one of variants.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// Names of all variants, in order.
    pub fn variants(&self) -> impl Iterator<Item = &str> {
        self.homes.iter().flat_map(|home| &home.variants).map(String::as_str)
    }
}

/// Where a variant is saved.
pub fn variant_path(folder: &Path, name: &str) -> PathBuf {
    folder.join("variants").join(format!("{name}.json"))
}

/// A variant of a folder.
pub fn read_variant(folder: &Path, name: &str) -> Result<Saved, Failure> {
    parse(&variant_path(folder, name))
}

/// Ids of categories in the lexicon of a folder, which is that of Habitat's semantic images.
pub fn lexicon(folder: &Path) -> Result<BTreeMap<String, i64>, Failure> {
    #[derive(Deserialize)]
    struct Lexicon {
        classes: Vec<Class>,
    }
    #[derive(Deserialize)]
    struct Class {
        name: String,
        id: i64,
    }
    let lexicon: Lexicon = parse(&folder.join("semantics/lexicon.json"))?;
    Ok(lexicon.classes.into_iter().map(|class| (class.name, class.id)).collect())
}

fn parse<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    serde_json::from_slice(&get(path)?).map_err(|error| {
        let remedy = "remove the file and run ambler generate variants again";
        Failure::Input(
            Fault::new(path, Place::Line(error.line() as u64), error.to_string(), remedy).to_string(),
        )
    })
}

fn fault(path: &Path, what: String, remedy: &str) -> Failure {
    Failure::Input(Fault::new(path, Place::Whole, what, remedy).to_string())
}

/// Names everything that a home's variants follow from.
pub fn variant_key(
    analysis: &Analysis,
    settings: &Settings,
    models: &Models,
    library: &Library,
    seed: u64,
) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(b"ambler variant 1");
    part(analysis.key.as_bytes());
    part(&serde_json::to_vec(&settings.placement).unwrap_or_default());
    part(models.relevance.identity().as_bytes());
    part(&seed.to_le_bytes());
    for object in &library.objects {
        part(object.name.as_bytes());
        part(object.category.as_bytes());
        part(&object.mass_kg.to_le_bytes());
        for point in object.hulls.iter().flat_map(|hull| &hull.points) {
            point.to_array().iter().for_each(|number| part(&number.to_le_bytes()));
        }
    }
    hasher.finalize().to_hex().to_string()
}
