//! Each reader on files made by hand, whose content is known, and on what hostile files do.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod bytes;
mod description;
mod gltf;
mod gzip;
mod hostile;
mod obj;
mod ply;
