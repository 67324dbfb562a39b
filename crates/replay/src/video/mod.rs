//! A film of a log: what the robot saw, the map from above, the numbers. Drawn from the log and the
//! scene alone; the same log gives the same pictures.

mod frame;
mod h264;
mod mp4;

pub use frame::{Director, HEIGHT, Scenery, WIDTH};

use crate::error::ReplayError;
use ambler_geometry::{Fault, Place};
use ambler_sensor::Picture;
use std::path::Path;

/// Pictures a second: one a step.
pub const RATE: u32 = 10;

/// Writes the film of a log; the name's ending decides: `.mp4` (H.264) or `.gif`. `progress` is told
/// how many pictures are drawn.
///
/// # Errors
/// Another ending; a camera that cannot be drawn; a file that cannot be written.
pub fn film(
    director: &mut Director<'_>,
    path: &Path,
    progress: &mut dyn FnMut(usize),
) -> Result<(), ReplayError> {
    let fault =
        |what: String, remedy: &str| ReplayError::Io(Fault::new(path, Place::Whole, what, remedy));
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let drawn = |error: ambler_sensor::SensorError| {
        fault(format!("a picture cannot be drawn: {error}"), "check the cameras of the episode log")
    };
    let coded =
        |error: String| fault(format!("a picture cannot be coded: {error}"), "try the other format");
    let bytes = match ending.to_ascii_lowercase().as_str() {
        "mp4" => {
            let mut film = h264::Film::new(WIDTH, HEIGHT, RATE).map_err(coded)?;
            for index in 0..director.len() {
                film.add(&director.picture(index).map_err(drawn)?).map_err(coded)?;
                progress(index + 1);
            }
            film.finish()
        }
        "gif" => {
            let mut film = Gif::new()?;
            for index in 0..director.len() {
                film.add(&director.picture(index).map_err(drawn)?).map_err(coded)?;
                progress(index + 1);
            }
            film.finish().map_err(coded)?
        }
        _ => {
            return Err(fault(
                format!("unknown ending {ending:?}"),
                "name a file that ends in .mp4 or .gif",
            ));
        }
    };
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    std::fs::write(&partial, bytes)
        .and_then(|()| std::fs::rename(&partial, path))
        .map_err(|error| ReplayError::io(path, "be written", &error))
}

/// A GIF that is shown again and again.
struct Gif {
    encoder: gif::Encoder<Vec<u8>>,
}

impl Gif {
    fn new() -> Result<Self, ReplayError> {
        let made = gif::Encoder::new(Vec::new(), WIDTH as u16, HEIGHT as u16, &[])
            .and_then(|mut encoder| encoder.set_repeat(gif::Repeat::Infinite).map(|()| encoder));
        // Writing into memory does not fail.
        made.map(|encoder| Self { encoder }).map_err(|error| {
            ReplayError::Io(Fault::new("", Place::Whole, format!("cannot begin a GIF: {error}"), ""))
        })
    }

    fn add(&mut self, picture: &Picture) -> Result<(), String> {
        let rgb: Vec<u8> = picture.pixels.iter().flatten().copied().collect();
        let mut frame =
            gif::Frame::from_rgb_speed(picture.width as u16, picture.height as u16, &rgb, 20);
        frame.delay = (100 / RATE) as u16;
        self.encoder.write_frame(&frame).map_err(|error| error.to_string())
    }

    fn finish(self) -> Result<Vec<u8>, String> {
        self.encoder.into_inner().map_err(|error| error.to_string())
    }
}
