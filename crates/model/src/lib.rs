//! What belongs where in a home, and the clients of the models that people plug in: detectors,
//! image-text scorers and language models over HTTP, each beside what stands in for it offline.
//!
//! - [`Relevance`]: how likely a thing is in a region and on a receptacle, and what region a set of
//!   labels makes. [`Knowledge`] is a table of it that ships, [`LanguageRelevance`] asks a model.
//! - [`Detector`]: labelled boxes and masks in an image. [`TrueDetector`] knows the truth,
//!   [`NoisyDetector`] errs as told, [`RemoteDetector`] asks a server.
//! - [`ImageTextScorer`]: how well an image fits a text. [`OfflineScorer`] reasons from labels,
//!   [`RemoteScorer`] asks a server.
//! - [`LanguageModel`]: answers in JSON that fits a schema. [`ChatModel`] talks to any server with
//!   OpenAI's chat protocol.
//!
//! What a server answered is kept on disk by the content of the question ([`AnswerCache`]), so a
//! run repeats without it.
//!
//! This crate never loads a scene, never moves or draws anything, never trusts an answer that came
//! over a network, and never asks a server that nobody named.
//!
//! ```
//! use ambler_model::{Knowledge, Region, Relevance};
//! let table = Knowledge::shipped();
//! let chances = table.objects_given_region(&["toothbrush", "frying_pan"], Region::Kitchen)?;
//! assert!(chances[1] > 0.9 && (chances[0] + chances[1] - 1.0).abs() < 1e-12);
//! assert_eq!(table.region_of(&["toilet", "bathtub", "vanity"]), Region::Bathroom);
//! # Ok::<(), ambler_model::ModelError>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test"))]

mod cache;
mod detector;
mod error;
mod http;
mod knowledge;
mod language;
mod memory;
mod picture;
mod region;
mod relevance;
mod scorer;
mod words;

pub use cache::AnswerCache;
pub use detector::{
    Detected, Detector, ErrorModel, Mask, NoisyDetector, Picture, RemoteDetector, TrueDetector, Truth,
};
pub use error::ModelError;
pub use http::{Server, ServerSettings};
pub use knowledge::{Entry, Knowledge, PAPER_RECEPTACLES, RECEPTACLES, TableChoice};
pub use language::{
    ChatModel, LanguageModel, LanguageRelevance, MOST_ASKED_AGAIN, Question, check_schema,
};
pub use memory::{KnownMap, KnownPlane, SceneMemory, Storey};
pub use region::Region;
pub use relevance::{FLOOR, Relevance};
pub use scorer::{ImageTextScorer, OfflineScorer, RemoteScorer, SCORER_TEXT};
pub use words::edits;
