//! Images on their way to a server and back.

use crate::{ModelError, Picture};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _, ImageReader, Limits};
use std::io::Cursor;

/// A PNG file of the colours of a picture: the same bytes for the same picture.
pub(crate) fn encode_png(picture: &Picture<'_>) -> Result<Vec<u8>, ModelError> {
    let (width, height) = (picture.width, picture.height);
    if width == 0 || height == 0 || picture.rgb.len() != 3 * width as usize * height as usize {
        return Err(ModelError::Image("a remote model needs colour images, and was given none".into()));
    }
    let mut png = Vec::new();
    PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Sub)
        .write_image(picture.rgb, width, height, ExtendedColorType::Rgb8)
        .map_err(|error| ModelError::Image(format!("the image cannot be sent: {error}")))?;
    Ok(png)
}

/// The pixels of a mask that are brighter than half: a PNG file of exactly this size.
pub(crate) fn decode_mask(png: &[u8], width: u32, height: u32) -> Result<Vec<bool>, String> {
    let mut reader = ImageReader::with_format(Cursor::new(png), image::ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(width);
    limits.max_image_height = Some(height);
    limits.max_alloc = Some(64 << 20);
    reader.limits(limits);
    let mask = reader.decode().map_err(|error| format!("is no PNG file: {error}"))?.to_luma8();
    if mask.dimensions() != (width, height) {
        return Err(format!("is {} x {} pixels, not {width} x {height}", mask.width(), mask.height()));
    }
    Ok(mask.as_raw().iter().map(|value| *value > 127).collect())
}
