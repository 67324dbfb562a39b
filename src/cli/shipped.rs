//! The episodes that ship: which of them run when none are named.

use crate::exit::Failure;
use ambler_episode::EpisodeSet;
use ambler_geometry::{Fault, Place};
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};

/// File in the folder of shipped scenes that lists the episodes to run.
const LIST: &str = "default.ron";

/// One line of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// An episode file, from the folder of shipped scenes.
    set: String,
    /// Only this many of its episodes, from its beginning.
    #[serde(default)]
    first: Option<usize>,
}

/// The episodes that run when none are named: those that `default.ron` lists, or all that lie in a
/// scene's folder `episodes` where there is no list. Empty where nothing ships.
///
/// # Errors
/// [`Failure::Input`] for a list or an episode file that cannot be read.
pub fn episodes(root: &Path) -> Result<EpisodeSet, Failure> {
    let mut all = EpisodeSet::default();
    for (path, first) in lines(root)? {
        let mut set = ambler_episode::read_episodes(&path)?;
        set.episodes.truncate(first.unwrap_or(usize::MAX));
        all.episodes.extend(set.episodes);
        all.groups.extend(set.groups);
        all.files.extend(set.files);
        all.notes.extend(set.notes);
    }
    Ok(all)
}

fn lines(root: &Path) -> Result<Vec<(PathBuf, Option<usize>)>, Failure> {
    let list = root.join(LIST);
    let text = match std::fs::read_to_string(&list) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(everything(root).into_iter().map(|path| (path, None)).collect());
        }
        Err(error) => {
            let fault = Fault::new(
                &list,
                Place::Whole,
                format!("cannot be read: {error}"),
                "check its permissions",
            );
            return Err(Failure::Input(fault.to_string()));
        }
    };
    let lines: Vec<Line> = ron::from_str(&text).map_err(|error| {
        let place = Place::Line(error.span.start.line as u64);
        let what = format!("is no list of episode sets: {}", error.code);
        Failure::Input(
            Fault::new(
                &list,
                place,
                what,
                "write (set: \"scene/episodes/file.json.gz\", first: Some(5))",
            )
            .to_string(),
        )
    })?;
    for line in &lines {
        let inside = Path::new(&line.set).components().all(|part| matches!(part, Component::Normal(_)));
        if !inside {
            let what = format!("names '{}', which lies outside its folder", line.set);
            let fault =
                Fault::new(&list, Place::Whole, what, "name a file below the folder of the list");
            return Err(Failure::Input(fault.to_string()));
        }
    }
    Ok(lines.into_iter().map(|line| (root.join(line.set), line.first)).collect())
}

/// The episode files of all shipped scenes, by name.
fn everything(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for scene in std::fs::read_dir(root).into_iter().flatten().flatten() {
        for file in std::fs::read_dir(scene.path().join("episodes")).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.ends_with(".json") || name.ends_with(".json.gz") {
                files.push(file.path());
            }
        }
    }
    files.sort();
    files
}
