//! A home in a folder of variants.

use super::advisers::Models;
use super::manifest::{Saved, variant_path};
use super::put_json;
use crate::assemble::{LoadedScene, build_navmesh, load_scene};
use crate::cli::eval::scene_name;
use crate::exit::Failure;
use crate::terminal;
use ambler_body::BodyPreset;
use ambler_scene::description::{
    Asset, AssetUp, Description, Labels, VERSION, parse_description, to_ron,
};
use ambler_scene::{ReadOptions, SceneModel, UpAxis, gltf};
use ambler_sdovon::analysis::{Advisers, Analysis, analyse};
use ambler_sdovon::export::{ambler, habitat};
use ambler_sdovon::place::Variant;
use ambler_sdovon::settings::Settings;
use ambler_sdovon::stages::{Stages, get, put};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A home whose variants are made.
pub struct Home {
    /// Name by which its variants are called.
    pub name: String,
    /// Whether it has a navmesh for the default body.
    pub navmesh: bool,
    loaded: LoadedScene,
    /// Its description with the paths that hold in the folder of variants.
    description: Description,
    /// Where its files are, and what they are called in its description.
    source: PathBuf,
    files: Vec<String>,
    navmesh_bytes: Option<Vec<u8>>,
}

impl Home {
    /// Reads a home.
    pub fn read(path: &Path, up: UpAxis) -> Result<Self, Failure> {
        let loaded = load_scene(path, &ReadOptions::with_up(up))?;
        let name = name_of(path);
        let (description, source) = description(path, up)?;
        let files = ambler::files(&description);
        if let Some(file) = files.iter().find(|file| file.ends_with(".gltf") || file.ends_with(".obj")) {
            return Err(Failure::Input(format!(
                "{}: a mesh of several files cannot be copied along; convert it to GLB first (ambler scene convert)",
                source.join(file).display()
            )));
        }
        let body = BodyPreset::named("stretch")
            .ok_or_else(|| Failure::Usage("the body preset stretch is gone".into()))?;
        let navmesh = build_navmesh(&loaded.scene, &body.navmesh_settings()).ok();
        let navmesh_bytes = navmesh.map(|navmesh| navmesh.to_bytes());
        let description = ambler::moved(description, &format!("base/{name}"));
        let navmesh = navmesh_bytes.is_some();
        Ok(Self { name, navmesh, loaded, description, source, files, navmesh_bytes })
    }

    /// The scene.
    pub fn scene(&self) -> &Arc<SceneModel> {
        &self.loaded.scene
    }

    /// Writes what all its variants share: its files, and its stage for Habitat.
    pub fn export(&self, out: &Path) -> Result<(), Failure> {
        for file in &self.files {
            let to = out.join("base").join(&self.name).join(file);
            let bytes = get(&self.source.join(file))?;
            if std::fs::metadata(&to).is_ok_and(|found| found.len() == bytes.len() as u64)
                && std::fs::read(&to).is_ok_and(|found| found == bytes)
            {
                continue;
            }
            put(&to, &bytes)?;
        }
        put(&out.join(format!("stages/{}.glb", self.name)), &gltf::to_glb(self.scene())?)?;
        let config = out.join(format!("stages/{}.stage_config.json", self.name));
        put_json(&config, &habitat::stage(&self.name))?;
        if let Some(bytes) = &self.navmesh_bytes {
            put(&out.join(format!("navmeshes/{}.navmesh", self.name)), bytes)?;
        }
        Ok(())
    }

    /// Stages 1 to 6, kept in the folder.
    pub fn analyse(
        &self,
        out: &Path,
        settings: &Settings,
        models: &Models,
        seed: u64,
    ) -> Result<Analysis, Failure> {
        let folder = out.join("analysis").join(&self.name);
        let mut stages = Stages::new(Some(folder), &self.scene().fingerprint);
        let analysis = self.analyse_with(&mut stages, settings, models, seed)?;
        terminal::log(&format!(
            "{}: {} floors, {} instances, {} surfaces{}",
            self.name,
            analysis.floors.len(),
            analysis.instances.len(),
            analysis.surfaces.len(),
            if stages.made.is_empty() { " (analysed before)" } else { "" },
        ));
        Ok(analysis)
    }

    /// Stages 1 to 6, where `stages` says.
    pub fn analyse_with(
        &self,
        stages: &mut Stages,
        settings: &Settings,
        models: &Models,
        seed: u64,
    ) -> Result<Analysis, Failure> {
        let labels: Vec<&str> = models.labels.iter().map(String::as_str).collect();
        let advisers = Advisers {
            detector: models.detector.as_ref(),
            labels: &labels,
            relevance: models.relevance.as_ref(),
            names: &models.names,
        };
        let mut analysis = analyse(self.loaded.renderer(), settings, &advisers, seed, stages)?;
        analysis.scene.clone_from(&self.name);
        Ok(analysis)
    }

    /// Writes a variant: the scene for Ambler, the one for Habitat, and last why everything is where it is,
    /// which says that the others are whole.
    pub fn write(&self, out: &Path, variant: &Variant, key: &str) -> Result<(), Failure> {
        let first = self.scene().instances.last().map_or(1, |last| last.id.saturating_add(1));
        let description = ambler::description(&self.description, variant, first);
        put(&out.join(format!("{}.ron", variant.name)), to_ron(&description)?.as_bytes())?;
        let scene = out.join(format!("scenes/{}.scene_instance.json", variant.name));
        put_json(&scene, &habitat::scene_instance(variant, self.navmesh))?;
        let saved = Saved { key: key.to_owned(), variant: variant.clone() };
        let value = serde_json::to_value(&saved).map_err(|error| Failure::Input(error.to_string()))?;
        put_json(&variant_path(out, &variant.name), &value)
    }
}

/// Name by which a home's variants are called.
pub fn name_of(path: &Path) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name = scene_name(path);
    let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&name);
    stem.chars().map(safe).collect()
}

/// The description of a home, written for a bare mesh, and the folder in which its files are.
fn description(path: &Path, up: UpAxis) -> Result<(Description, PathBuf), Failure> {
    let file = if path.is_dir() { path.join("scene.ron") } else { path.to_path_buf() };
    let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
    if file.extension().is_some_and(|extension| extension == "ron") {
        return Ok((parse_description(&get(&file)?, &file)?, folder));
    }
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let up = if up == UpAxis::Z { AssetUp::Z } else { AssetUp::Y };
    // A list of objects beside a bare mesh is read by itself; a description names it.
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let list = format!("{}_objects.json", stem.strip_suffix("_scan").unwrap_or(&stem));
    let labels = if folder.join(&list).is_file() { Labels::Capture(list) } else { Labels::Own };
    let asset = Asset { path: name, up, labels, ..Asset::default() };
    let description = Description { version: VERSION, assets: vec![asset], ..Description::default() };
    Ok((description, folder))
}
