//! Which files belong to what the user named (habitat.md, loader rules; RoboTHOR's `episodes`).

use super::file::RawFile;
use super::resolve::{self, Role};
use super::{ReadOptions, stream};
use crate::error::EpisodeError;
use crate::set::EpisodeSet;
use ambler_geometry::{Fault, Place};
use rayon::prelude::*;
use std::path::{Component, Path, PathBuf};

pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<EpisodeSet, EpisodeError> {
    let meta = std::fs::metadata(path)
        .map_err(|error| EpisodeError::io(path, "open it", &error, "check the path"))?;
    let mut set = EpisodeSet::default();
    if meta.is_dir() {
        read_folder(&mut set, path, options)?;
    } else {
        read_top(&mut set, path, options)?;
    }
    resolve::finish(&mut set);
    Ok(set)
}

fn read_folder(set: &mut EpisodeSet, path: &Path, options: &ReadOptions) -> Result<(), EpisodeError> {
    let tops = list(set, path, is_episode_name)?;
    let inner: Vec<PathBuf> =
        ["content", "episodes"].iter().map(|name| path.join(name)).filter(|dir| dir.is_dir()).collect();
    if let [top] = tops.as_slice() {
        read_top(set, top, options)?;
        // Its content is read by now; a RoboTHOR folder may still stand beside it.
        for dir in inner.iter().filter(|dir| !dir.ends_with("content")) {
            let files = list(set, dir, is_episode_name)?;
            read_many(set, &files, options, Role::Content)?;
        }
        return Ok(());
    }
    let mut files = tops;
    for dir in &inner {
        files.extend(list(set, dir, is_episode_name)?);
    }
    if files.is_empty() {
        let remedy = "name a .json or .json.gz file, or the folder that holds it and `content`";
        let what = "no episode file in this folder (.json or .json.gz)";
        return Err(EpisodeError::Io(Fault::new(path, Place::Whole, what, remedy)));
    }
    read_many(set, &files, options, Role::Content)
}

fn read_top(set: &mut EpisodeSet, path: &Path, options: &ReadOptions) -> Result<(), EpisodeError> {
    let raw = stream::read(path, options)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = if options.content && raw.thor.is_none() {
        let (dir, suffix) = content_place(path, folder, &raw)?;
        match dir {
            Some(dir) if dir.is_dir() => {
                let wanted = |name: &str| match &suffix {
                    Some(suffix) => !name.starts_with("._") && name.ends_with(suffix.as_str()),
                    None => is_episode_name(name),
                };
                let mut files = list(set, &dir, wanted)?;
                files.retain(|file| file != path);
                files
            }
            _ => Vec::new(),
        }
    } else {
        Vec::new()
    };
    let role = if files.is_empty() { Role::Alone } else { Role::Top };
    resolve::add(set, raw, path, role)?;
    let here = set.episodes.len();
    if !files.is_empty() {
        read_many(set, &files, options, Role::Content)?;
        set.notes.push(format!("{here} episodes here, {} content files loaded", files.len()));
    }
    Ok(())
}

/// The folder of content files and, where the top file names a pattern, their suffix.
fn content_place(
    path: &Path,
    folder: &Path,
    raw: &RawFile,
) -> Result<(Option<PathBuf>, Option<String>), EpisodeError> {
    let Some(pattern) = &raw.content_scenes_path else {
        return Ok((Some(folder.join("content")), None));
    };
    let fail = |what: &str| {
        let remedy = "write a pattern inside the data set, such as {data_path}/content/{scene}.json.gz";
        Err(EpisodeError::content(path, "/content_scenes_path", what, remedy))
    };
    let relative = pattern.strip_prefix("{data_path}").unwrap_or(pattern).trim_start_matches('/');
    let Some((before, suffix)) = relative.split_once("{scene}") else {
        return fail("the pattern has no {scene}");
    };
    if suffix.contains('/') || !(suffix.ends_with(".json") || suffix.ends_with(".json.gz")) {
        return fail("the pattern must end in {scene} and .json or .json.gz");
    }
    let dir = Path::new(before);
    let inside = !pattern.starts_with('/')
        && dir.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside {
        return fail("the pattern leads out of the data set's folder");
    }
    Ok((Some(folder.join(dir)), Some(suffix.to_owned())))
}

/// Files of a folder by name, sorted.
fn list(
    set: &mut EpisodeSet,
    dir: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<PathBuf>, EpisodeError> {
    let fail =
        |error: std::io::Error| EpisodeError::io(dir, "list the folder", &error, "check the path");
    let mut files = Vec::new();
    let mut hidden = 0usize;
    for entry in std::fs::read_dir(dir).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        hidden += usize::from(name.starts_with("._"));
        if wanted(name) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if hidden > 0 {
        set.notes.push(format!("{hidden} files named ._* skipped in {}", dir.display()));
    }
    Ok(files)
}

/// Recorded actions (`…_gt.json.gz`, VLN-CE) lie beside episodes and are none.
fn is_episode_name(name: &str) -> bool {
    let stem = name.strip_suffix(".gz").unwrap_or(name);
    let stem = stem.strip_suffix(".json").filter(|_| !name.starts_with('.'));
    stem.is_some_and(|stem| !stem.ends_with("_gt"))
}

fn read_many(
    set: &mut EpisodeSet,
    files: &[PathBuf],
    options: &ReadOptions,
    role: Role,
) -> Result<(), EpisodeError> {
    // Some at a time: all cores busy, never more than a few raw files in memory.
    for chunk in files.chunks(rayon::current_num_threads().max(1) * 2) {
        let raws: Vec<Result<RawFile, EpisodeError>> =
            chunk.par_iter().map(|file| stream::read(file, options)).collect();
        for (file, raw) in chunk.iter().zip(raws) {
            resolve::add(set, raw?, file, role)?;
        }
    }
    Ok(())
}
