//! Contact sheets: pages of pictures on which things are accepted or rejected by key, and where the
//! decisions go. One HTML file with everything in it, or a server for one person on this machine.

mod serve;

use crate::exit::Failure;
use crate::terminal;
use ambler_scene::library::{Decided, Decision, Decisions};
use ambler_sensor::Picture;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use image::codecs::jpeg::JpegEncoder;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const TEMPLATE: &str = include_str!("page.html");
/// JPEG quality of the pictures.
const QUALITY: u8 = 86;

/// Where a sheet goes.
#[derive(Args, Debug)]
pub struct SheetOut {
    /// Write the page: one HTML file with everything in it
    #[arg(long, value_name = "HTML")]
    pub out: Option<PathBuf>,
    /// Serve the page on this machine alone; decisions are stored in decisions.ron beside the set
    #[arg(long)]
    pub serve: bool,
    /// Port of the server [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, requires = "serve", hide_default_value = true)]
    port: u16,
}

/// A page of cards.
pub struct Sheet {
    /// What the cards are.
    pub kind: Decided,
    /// Title of the page.
    pub title: String,
    /// What the filter looks at.
    pub hint: &'static str,
    /// How a card's pictures lie: a class of the page's style sheet.
    pub layout: &'static str,
    cards: Vec<Card>,
    images: Vec<String>,
}

/// One thing to decide about.
#[derive(Debug, Serialize)]
pub struct Card {
    /// Its name in the file of decisions.
    pub name: String,
    /// First line of the caption.
    pub head: String,
    /// Other lines.
    pub lines: Vec<String>,
    /// Its pictures.
    pub pictures: Vec<Shown>,
}

/// A picture on a card.
#[derive(Debug, Serialize)]
pub struct Shown {
    image: usize,
    width: u32,
    height: u32,
    /// A word in its corner.
    pub note: String,
    /// What is drawn over it.
    pub marks: Marks,
}

/// What is drawn over a picture, in its pixels.
#[derive(Debug, Default, Serialize)]
pub struct Marks {
    /// A way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub way: Vec<[f32; 2]>,
    /// Places that reach a goal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reach: Vec<[f32; 2]>,
    /// Things, with a text each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dots: Vec<(f32, f32, String)>,
    /// Where a body starts: x, y and its yaw in radians, 0 = up, positive to the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<[f32; 3]>,
    /// A frame: left, top, right, bottom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<[f32; 4]>,
}

impl Sheet {
    /// Without cards.
    pub fn new(kind: Decided, title: &str, hint: &'static str, layout: &'static str) -> Self {
        Self { kind, title: title.to_owned(), hint, layout, cards: Vec::new(), images: Vec::new() }
    }

    /// Adds an image, which any number of cards can show.
    pub fn image(&mut self, jpeg: &[u8], size: [u32; 2]) -> Shared {
        self.images.push(STANDARD.encode(jpeg));
        Shared { image: self.images.len() - 1, size }
    }

    /// Adds a card.
    pub fn add(&mut self, card: Card) {
        self.cards.push(card);
    }

    /// The number of cards.
    pub fn len(&self) -> usize {
        self.cards.len()
    }

    /// Writes it and serves it, as asked. `folder` is where the decisions lie.
    pub fn hand_out(&self, args: &SheetOut, folder: &Path) -> Result<(), Failure> {
        let decisions = Decisions::read(folder).map_err(|error| Failure::Input(error.to_string()))?;
        let page = self.page(&decisions);
        if let Some(out) = &args.out {
            std::fs::write(out, &page).map_err(|error| Failure::cannot_write(out, &error))?;
            terminal::say(&format!("{} {} on {}", self.len(), self.kind.name(), out.display()));
        }
        if args.serve {
            let names = self.cards.iter().map(|card| card.name.clone()).collect();
            let server = serve::Server::new(page, self.kind, names, folder.to_path_buf(), args.port)?;
            terminal::say(&format!("http://{}/  (stop with Ctrl-C)", server.address()));
            server.run();
        }
        Ok(())
    }

    fn page(&self, decisions: &Decisions) -> String {
        let kinds = [Decided::Objects, Decided::Variants, Decided::Episodes];
        let decisions: Value =
            kinds.map(|kind| (kind.name().to_owned(), words(decisions, kind))).into_iter().collect();
        let data = json!({
            "section": self.kind.name(),
            "title": self.title,
            "hint": self.hint,
            "layout": self.layout,
            "cards": self.cards,
            "images": self.images,
            "decisions": decisions,
        });
        // A name from someone's file must not end the script it stands in.
        let text = data.to_string().replace('<', "\\u003c");
        TEMPLATE.replace("\"@DATA@\"", &text)
    }
}

/// An image of a sheet.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    image: usize,
    size: [u32; 2],
}

impl Shared {
    /// On a card.
    pub fn shown(self, note: &str, marks: Marks) -> Shown {
        let [width, height] = self.size;
        Shown { image: self.image, width, height, note: note.to_owned(), marks }
    }
}

/// A picture as JPEG, as pages hold it.
pub fn jpeg(picture: &Picture) -> Result<Vec<u8>, Failure> {
    let mut jpeg = Vec::new();
    let bytes: Vec<u8> = picture.pixels.iter().flatten().copied().collect();
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY)
        .encode(&bytes, picture.width, picture.height, image::ExtendedColorType::Rgb8)
        .map_err(|error| Failure::Input(format!("a picture cannot be encoded ({error})")))?;
    Ok(jpeg)
}

/// Decisions as the page reads them: name to `accept` or `reject`.
fn words(decisions: &Decisions, kind: Decided) -> Value {
    let word = |decision: &Decision| match decision {
        Decision::Accept => "accept",
        Decision::Reject => "reject",
    };
    decisions.of(kind).iter().map(|(name, decision)| (name.clone(), json!(word(decision)))).collect()
}
