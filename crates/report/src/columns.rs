//! One row an episode and run, as columns: what CSV and Parquet files hold.

use crate::gather::{Report, Row};
use ambler_evaluate::EpisodeRecord;
use std::collections::BTreeSet;
use std::path::Path;

/// Values of one column; `None` where an episode has none.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Text.
    Text(Vec<Option<String>>),
    /// Numbers.
    Float(Vec<Option<f64>>),
    /// Whole numbers.
    Int(Vec<Option<i64>>),
    /// Yes or no.
    Bool(Vec<Option<bool>>),
}

impl Values {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::Bool(values) => values.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A column. Units are in the names: `_m` metres, `_rad` radians.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Values,
}

impl Report {
    /// One row an episode and run. `docs/RESULTS.md` says what the columns are. `folder` is where a file
    /// will lie: logs are named from there.
    pub fn columns(&self, folder: &Path) -> Vec<Column> {
        let text = |name: &str, value: &dyn Fn(&Row, &EpisodeRecord) -> Option<String>| Column {
            name: name.to_owned(),
            values: Values::Text(self.each(|row, record| value(row, record))),
        };
        let float = |name: &str, value: &dyn Fn(&EpisodeRecord) -> Option<f64>| Column {
            name: name.to_owned(),
            values: Values::Float(
                self.each(|_, record| value(record).filter(|value| value.is_finite())),
            ),
        };
        let int =
            |name: &str, value: &dyn Fn(&EpisodeRecord) -> Option<u64>| Column {
                name: name.to_owned(),
                values: Values::Int(self.each(|_, record| {
                    value(record).map(|value| i64::try_from(value).unwrap_or(i64::MAX))
                })),
            };
        let flag = |name: &str, value: &dyn Fn(&EpisodeRecord) -> bool| Column {
            name: name.to_owned(),
            values: Values::Bool(self.each(|_, record| Some(value(record)))),
        };
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let end = |record: &EpisodeRecord, axis: usize| {
            record.end.as_ref().map(|end| f64::from(end.position[axis]))
        };
        let mut columns = vec![
            text("run", &|row, _| Some(self.runs[row.run].label.clone())),
            text("agent", &|row, _| some(&self.runs[row.run].agent)),
            text("detector", &|row, _| some(&self.runs[row.run].detector)),
            text("version", &|row, _| some(self.runs[row.run].version())),
            Column {
                name: "seed".to_owned(),
                values: Values::Int(
                    self.each(|row, _| i64::try_from(self.runs[row.run].manifest.seed()).ok()),
                ),
            },
            int("index", &|record| Some(record.index)),
            text("episode_id", &|_, record| Some(record.episode_id.clone())),
            text("identity", &|_, record| Some(record.identity.clone())),
            text("scene", &|_, record| Some(record.scene.clone())),
            text("task", &|_, record| Some(record.task.clone())),
            text("category", &|_, record| some(&record.category)),
            text("status", &|_, record| Some(record.status.as_str().to_owned())),
            text("reason", &|_, record| record.reason.clone()),
            text("class", &|row, _| Some(row.class.name().to_owned())),
            text("class_from", &|row, _| Some(row.source.name().to_owned())),
            text("success_rule", &|_, record| some(&record.success_rule)),
            float("success", &|record| Some(record.scores.as_ref()?.success)),
            float("spl", &|record| Some(record.scores.as_ref()?.spl)),
            float("soft_spl", &|record| Some(record.scores.as_ref()?.soft_spl)),
            float("distance_to_goal_m", &|record| record.scores.as_ref()?.distance_to_goal),
            float("path_length_m", &|record| Some(record.scores.as_ref()?.path_length_m)),
            float("shortest_path_m", &|record| Some(record.scores.as_ref()?.shortest_path_m)),
            int("collisions", &|record| Some(record.scores.as_ref()?.collisions)),
            int("steps", &|record| Some(record.steps)),
            flag("stop_called", &|record| record.stop_called),
            flag("privileged", &|record| record.privileged),
            text("actions", &|_, record| Some(record.actions.clone())),
            float("end_x_m", &|record| end(record, 0)),
            float("end_y_m", &|record| end(record, 1)),
            float("end_z_m", &|record| end(record, 2)),
            float("end_yaw_rad", &|record| Some(record.end.as_ref()?.yaw)),
            text("replay", &|row, _| Some(path_text(&from(folder, row.replay.as_ref()?)))),
        ];
        let extra: BTreeSet<&str> =
            self.rows.iter().flat_map(|row| self.record(row).extra.keys().map(String::as_str)).collect();
        for name in extra {
            columns.push(float(&format!("extra_{name}"), &|record| record.extra.get(name).copied()));
        }
        columns
    }

    fn each<T>(&self, value: impl Fn(&Row, &EpisodeRecord) -> T) -> Vec<T> {
        self.rows.iter().map(|row| value(row, self.record(row))).collect()
    }
}

/// `path` as seen from `folder`; as it is where the two have nothing in common.
pub(crate) fn from(folder: &Path, path: &Path) -> std::path::PathBuf {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (folder, path) = (real(folder), real(path));
    let shared = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    // Another drive, or a folder that does not exist yet and is named from here.
    if shared == 0 || folder.is_relative() != path.is_relative() {
        return path;
    }
    let up = folder.components().skip(shared).map(|_| std::path::Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// A path with `/` between its parts, as files and pages have it.
pub(crate) fn path_text(path: &Path) -> String {
    let parts: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/").replace("//", "/")
}
