//! `ambler doctor`: what this machine and this installation have.

use super::print_json;
use crate::exit::{self, Failure};
use crate::locate::{self, SceneRoots};
use crate::terminal;
use clap::Args;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    state: String,
    /// What to do about it; nothing where all is well.
    remedy: Option<&'static str>,
    /// Without it `ambler` cannot do its main job.
    needed: bool,
}

/// Looks and says.
pub fn run(args: &DoctorArgs) -> Result<u8, Failure> {
    let findings = [processors(), scenes(), cache(), run_folder(), python()];
    let broken = findings.iter().any(|finding| finding.needed && finding.remedy.is_some());
    if args.json {
        let list: Vec<_> = findings
            .iter()
            .map(|f| json!({ "what": f.what, "state": f.state, "remedy": f.remedy, "needed": f.needed }))
            .collect();
        print_json(&json!({ "version": env!("CARGO_PKG_VERSION"), "ok": !broken, "findings": list }));
    } else {
        terminal::say(&format!("ambler {}", env!("CARGO_PKG_VERSION")));
        for finding in &findings {
            let mark = if finding.remedy.is_none() {
                "✓"
            } else if finding.needed {
                "✗"
            } else {
                "·"
            };
            terminal::say(&format!("  {mark} {:<18}{}", finding.what, finding.state));
            if let Some(remedy) = finding.remedy {
                terminal::say(&format!("    {:<18}→ {remedy}", ""));
            }
        }
        terminal::say("  No GPU, display or system package is needed: sensors are drawn on the CPU.");
    }
    Ok(if broken { exit::NOT_AS_ASKED } else { exit::DONE })
}

fn processors() -> Finding {
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Finding {
        what: "processors",
        state: format!("{count} ({}-{})", std::env::consts::OS, std::env::consts::ARCH),
        remedy: None,
        needed: false,
    }
}

fn scenes() -> Finding {
    let roots = SceneRoots::new(None).ok();
    let found = roots
        .as_ref()
        .and_then(SceneRoots::shipped)
        .map(|root| (root.to_path_buf(), shipped_names(root)));
    let (state, remedy) = match found {
        Some((root, names)) if !names.is_empty() => {
            (format!("{} in {}", names.join(", "), root.display()), None)
        }
        _ => (
            "none found".to_string(),
            Some("run from the repository, or set AMBLER_HOME to the folder that holds scenes/"),
        ),
    };
    Finding { what: "shipped scenes", state, remedy, needed: true }
}

/// Names of the folders that hold a scene description.
fn shipped_names(root: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().join("scene.ron").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn cache() -> Finding {
    let Some(folder) = locate::cache_folder() else {
        return Finding {
            what: "cache",
            state: "off".into(),
            remedy: Some("set AMBLER_CACHE to a folder, and scenes and navmeshes are prepared once"),
            needed: false,
        };
    };
    let writable = is_writable(&folder);
    Finding {
        what: "cache",
        state: folder.display().to_string(),
        remedy: (!writable).then_some("it cannot be written to: set AMBLER_CACHE to another folder"),
        needed: false,
    }
}

fn run_folder() -> Finding {
    let here = std::env::current_dir().unwrap_or_default();
    Finding {
        what: "run folders",
        state: here.join("runs").display().to_string(),
        remedy: (!is_writable(&here)).then_some("the working directory cannot be written to: use --out"),
        needed: false,
    }
}

fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!(".ambler-doctor-{}", std::process::id()));
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&probe, b""));
    let _ = std::fs::remove_file(&probe);
    made.is_ok()
}

fn python() -> Finding {
    let version =
        Command::new("python3").arg("--version").output().ok().filter(|out| out.status.success());
    let (state, remedy) = match version {
        Some(out) => (String::from_utf8_lossy(&out.stdout).trim().to_string(), None),
        None => {
            ("not found".to_string(), Some("only agents written in Python (exec:python3 …) need it"))
        }
    };
    Finding { what: "python3", state, remedy, needed: false }
}
