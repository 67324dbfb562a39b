use super::{Canvas, Color, Point};
use ab_glyph::{Font as _, FontRef, PxScale, ScaleFont as _};
use std::sync::LazyLock;

/// A typeface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// For words: Ubuntu Light.
    Plain,
    /// For numbers, all signs as wide: Hack.
    Mono,
}

static PLAIN: LazyLock<Option<FontRef<'static>>> =
    LazyLock::new(|| FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok());
static MONO: LazyLock<Option<FontRef<'static>>> =
    LazyLock::new(|| FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR).ok());

impl Face {
    fn font(self) -> Option<&'static FontRef<'static>> {
        match self {
            Self::Plain => PLAIN.as_ref(),
            Self::Mono => MONO.as_ref(),
        }
    }
}

/// Width of a line of text in pixels; `size` is the height from the lowest to the highest stroke.
pub fn text_width(face: Face, size: f32, text: &str) -> f32 {
    let Some(font) = face.font() else { return 0.0 };
    let scaled = font.as_scaled(PxScale::from(size));
    text.chars().map(|sign| scaled.h_advance(scaled.glyph_id(sign))).sum()
}

impl Canvas<'_> {
    /// A line of text with its left end and its base line at a point; answers where it ends.
    pub fn text(&mut self, at: Point, face: Face, size: f32, color: Color, text: &str) -> f32 {
        let Some(font) = face.font() else { return at[0] };
        let scaled = font.as_scaled(PxScale::from(size));
        let mut x = at[0];
        for sign in text.chars() {
            let id = scaled.glyph_id(sign);
            let glyph = id.with_scale_and_position(size, ab_glyph::point(x, at[1]));
            x += scaled.h_advance(id);
            let Some(outlined) = font.outline_glyph(glyph) else { continue };
            let bounds = outlined.px_bounds();
            outlined.draw(|dx, dy, cover| {
                let (x, y) = (bounds.min.x as i64 + i64::from(dx), bounds.min.y as i64 + i64::from(dy));
                self.mix(x, y, color, cover);
            });
        }
        x
    }

    /// A line of text that is cut where it does not fit into a width.
    pub fn text_in(&mut self, at: Point, width: f32, face: Face, size: f32, color: Color, text: &str) {
        if text_width(face, size, text) <= width {
            self.text(at, face, size, color, text);
            return;
        }
        let mut short: String = text.to_owned();
        while short.pop().is_some() {
            let cut = format!("{}…", short.trim_end());
            if text_width(face, size, &cut) <= width {
                self.text(at, face, size, color, &cut);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Area;
    use super::*;
    use ambler_sensor::Picture;

    #[test]
    fn the_faces_have_the_signs_that_are_used() {
        for face in [Face::Plain, Face::Mono] {
            let font = face.font().expect("a readable font");
            for sign in "azAZ09.,:;/()+-–…²°'\"".chars() {
                assert_ne!(font.glyph_id(sign).0, 0, "{face:?} has no {sign:?}");
            }
        }
    }

    #[test]
    fn digits_are_as_wide_and_a_long_text_is_cut() {
        let width = |text| text_width(Face::Mono, 16.0, text);
        assert_eq!(width("1.11"), width("0.88"));
        let mut picture = Picture::filled(200, 40, [0; 3]);
        let mut canvas = Canvas::new(&mut picture);
        canvas.text_in([5.0, 25.0], 60.0, Face::Plain, 18.0, [255; 3], "a line that is far too long");
        let lit = |x: u32| (0..40).any(|y| picture.pixels[(y * 200 + x) as usize][0] > 60);
        assert!((5..65).any(lit) && !(66..200).any(lit));
        let area = Area::of(&picture);
        assert_eq!((area.width, area.height), (200, 40));
    }
}
