//! Pictures of the window.

use super::app::Canvas;
use super::frame::Room;
use ambler_sensor::Picture;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use std::path::PathBuf;

/// Where a picture goes.
#[derive(Component)]
pub(super) struct Into(PathBuf);

/// Asks for a picture of what is drawn now.
pub(super) fn take(commands: &mut Commands, canvas: Option<&Canvas>, path: PathBuf) {
    let shot = match canvas {
        Some(canvas) => Screenshot::image(canvas.0.clone()),
        None => Screenshot::primary_window(),
    };
    commands.spawn((shot, Into(path)));
}

/// Writes a picture that was taken.
pub(super) fn keep(taken: On<ScreenshotCaptured>, paths: Query<&Into>, mut room: ResMut<Room>) {
    let Ok(Into(path)) = paths.get(taken.entity) else { return };
    let image = &taken.image;
    let (width, height) = (image.width(), image.height());
    let swapped = format!("{:?}", image.texture_descriptor.format).starts_with("Bgra");
    let bytes = image.data.as_deref().unwrap_or_default();
    let pixels = bytes.chunks_exact(4).map(|pixel| match swapped {
        true => [pixel[2], pixel[1], pixel[0]],
        false => [pixel[0], pixel[1], pixel[2]],
    });
    let picture = Picture { width, height, pixels: pixels.collect() };
    let written = if picture.pixels.len() == width as usize * height as usize {
        picture.write_png(path).map_err(|error| error.to_string())
    } else {
        Err(format!("the driver gave {} bytes for {width}×{height} pixels", bytes.len()))
    };
    room.shot_taken(path, written);
}
