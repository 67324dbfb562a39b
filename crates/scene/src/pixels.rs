use crate::files::Context;
use crate::{SceneError, Texture, Wrap};
use ambler_geometry::Place;
use image::{ImageDecoder, ImageFormat, ImageReader, Limits};
use std::io::Cursor;
use std::path::Path;

/// Decodes a PNG, JPEG or WebP image, told apart by content (extensions and media types in real
/// files are often wrong). Its size is checked before anything is allocated.
pub(crate) fn decode(
    context: &mut Context,
    path: &Path,
    place: Place,
    bytes: &[u8],
) -> Result<Texture, SceneError> {
    let broken = |error: image::ImageError| {
        SceneError::malformed(
            path,
            place.clone(),
            format!("an image cannot be decoded ({error})"),
            "export the image again",
        )
    };
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| broken(image::ImageError::IoError(error)))?;
    if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) {
        let what = if bytes.starts_with(b"\xABKTX") {
            "a KTX texture"
        } else {
            "an image that is neither PNG, JPEG nor WebP"
        };
        return Err(SceneError::unsupported(
            path,
            place,
            what,
            "convert the images to PNG, JPEG or WebP",
        ));
    }
    let side = context.options.limits.image_side;
    let mut limits = Limits::default();
    limits.max_image_width = Some(side);
    limits.max_image_height = Some(side);
    limits.max_alloc = Some(u64::from(side) * u64::from(side) * 8);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(broken)?;
    let (width, height) = decoder.dimensions();
    context.spend_pixels(path, place.clone(), width, height)?;
    let image = image::DynamicImage::from_decoder(decoder).map_err(broken)?.into_rgba8();
    if image.width() == 0 || image.height() == 0 {
        return Err(SceneError::malformed(
            path,
            place,
            "an image without pixels",
            "export the image again",
        ));
    }
    Ok(Texture {
        width: image.width(),
        height: image.height(),
        pixels: image.pixels().map(|pixel| pixel.0).collect(),
        wrap: [Wrap::Repeat; 2],
    })
}
