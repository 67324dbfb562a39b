//! `ambler play`: a window on episodes.

use crate::exit::Failure;
use crate::settings::Settings;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `play`.
#[derive(Args, Debug)]
pub struct PlayArgs {
    /// Episode file or folder, a scene (then point goals are drawn in it), or an episode log or a folder
    /// of them; by default the episodes that scenes/default.ron lists
    pub episodes: Option<PathBuf>,
    /// Show another episode log beside (or, by episode, those of another folder) and where the two part
    #[arg(long, value_name = "LOG")]
    pub against: Option<PathBuf>,
    /// Folder of an object library, to drop objects from [default: what ships with Ambler]
    #[arg(long, value_name = "DIR")]
    pub library: Option<PathBuf>,
    /// Folder with the scenes that the episodes name, or the scene itself
    #[arg(long, value_name = "PATH")]
    pub scenes: Option<PathBuf>,
    /// Show only the first N episodes of the selection
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Show only episodes with this id (or identity); may be given several times
    #[arg(long = "episode", value_name = "ID")]
    pub episode: Vec<String>,
    /// Show only episodes for which this holds: category=chair|bed, scene!=hall, task=objectnav
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub conditions: Vec<String>,
    /// Folder that drives are recorded in; a sitting there goes on where it stopped
    /// [default: runs/human-HASH]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keys of your own, which the help sheet (?) writes: a RON file such as {"forward": ["I"], "stop": ["Space"]}
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
    /// Size of the window in points
    #[arg(long = "window-size", value_name = "WxH", default_value = "1280x720")]
    pub window_size: String,
    /// Do this when the window opens, such as forward, run, camera above; may be given several times
    #[arg(long = "do", value_name = "COMMAND")]
    pub commands: Vec<String>,
    /// Draw the window into a PNG file without a display, after all --do, and end
    #[arg(long, value_name = "PNG")]
    pub screenshot: Option<PathBuf>,
    /// Show this step in the screenshot [default: the newest]
    #[arg(long, value_name = "STEP", requires = "screenshot")]
    pub at: Option<usize>,
    /// Run a script of commands and pictures (RON), and end; with --offscreen without a display
    #[arg(long, value_name = "FILE", conflicts_with = "screenshot")]
    pub script: Option<PathBuf>,
    /// Open no window: for scripts on machines without a display
    #[arg(long, requires = "script")]
    pub offscreen: bool,
    /// Read settings from a RON file; flags win over it
    #[arg(long = "settings", value_name = "FILE")]
    pub settings_file: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings,
}

/// Opens the window.
#[cfg(feature = "window")]
pub fn run(args: &PlayArgs) -> Result<u8, Failure> {
    crate::window::open(args)
}

/// Says how to get one.
#[cfg(not(feature = "window"))]
pub fn run(args: &PlayArgs) -> Result<u8, Failure> {
    // What is wrong with the settings is said all the same.
    Settings::with_file(&args.settings, args.settings_file.as_deref())?.body()?;
    Err(Failure::Usage(
        "this build has no window; build one with `cargo build --release --features window` (it takes \
         15 to 20 minutes the first time)"
            .into(),
    ))
}
