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
    let checked = check(context, path, place, bytes)?;
    checked.decode(path, bytes)
}

/// An image whose header was read: it is decoded later, beside others.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    place: Place,
    side: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Reads the header of an image and takes its pixels from what may be spent.
pub(crate) fn check(
    context: &mut Context,
    path: &Path,
    place: Place,
    bytes: &[u8],
) -> Result<Checked, SceneError> {
    let side = context.options.limits.image_side;
    let (width, height) = open(path, &place, bytes, side)?.dimensions();
    context.spend_pixels(path, place.clone(), width, height)?;
    Ok(Checked { place, side, width, height })
}

fn broken(path: &Path, place: &Place, error: &image::ImageError) -> SceneError {
    SceneError::malformed(
        path,
        place.clone(),
        format!("an image cannot be decoded ({error})"),
        "export the image again",
    )
}

fn open<'a>(
    path: &Path,
    place: &Place,
    bytes: &'a [u8],
    side: u32,
) -> Result<impl ImageDecoder + 'a, SceneError> {
    let broken = |error: image::ImageError| broken(path, place, &error);
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
            place.clone(),
            what,
            "convert the images to PNG, JPEG or WebP",
        ));
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(side);
    limits.max_image_height = Some(side);
    limits.max_alloc = Some(u64::from(side) * u64::from(side) * 8);
    reader.limits(limits);
    reader.into_decoder().map_err(broken)
}

impl Checked {
    /// The image itself. `bytes` are those that were checked.
    pub(crate) fn decode(&self, path: &Path, bytes: &[u8]) -> Result<Texture, SceneError> {
        let decoder = open(path, &self.place, bytes, self.side)?;
        let image = image::DynamicImage::from_decoder(decoder)
            .map_err(|error| broken(path, &self.place, &error))?
            .into_rgba8();
        if image.width() == 0 || image.height() == 0 {
            return Err(SceneError::malformed(
                path,
                self.place.clone(),
                "an image without pixels",
                "export the image again",
            ));
        }
        let (width, height) = image.dimensions();
        let pixels = image.as_raw().as_chunks::<4>().0.to_vec();
        Ok(Texture { width, height, pixels: pixels.into(), wrap: [Wrap::Repeat; 2] })
    }
}
