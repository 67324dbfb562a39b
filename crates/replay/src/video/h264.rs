//! Pictures to H.264 frames, by OpenH264.

use super::mp4::Track;
use ambler_sensor::Picture;
use openh264::OpenH264API;
use openh264::encoder::{
    Encoder, EncoderConfig, FrameRate, IntraFramePeriod, Level, Profile, QpRange, RateControlMode,
};
use openh264::formats::YUVSlices;

/// Codes the frames of a film, one after the other. One thread, so that equal pictures give equal bytes.
pub(super) struct Film {
    encoder: Encoder,
    track: Track,
}

impl Film {
    /// A film of pictures of this size (even numbers).
    pub(super) fn new(width: u32, height: u32, rate: u32) -> Result<Self, String> {
        let config = EncoderConfig::new()
            .max_frame_rate(FrameRate::from_hz(rate as f32))
            // Constant quality, whatever the film shows.
            .rate_control_mode(RateControlMode::Off)
            .profile(Profile::Baseline)
            .level(Level::Level_3_1)
            .qp(QpRange::new(20, 24))
            .skip_frames(false)
            .background_detection(false)
            .intra_frame_period(IntraFramePeriod::from_num_frames(5 * rate))
            .num_threads(1);
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config)
            .map_err(|error| error.to_string())?;
        let (width, height) = (width as u16, height as u16);
        Ok(Self { encoder, track: Track { width, height, rate, ..Track::default() } })
    }

    /// Adds a picture.
    pub(super) fn add(&mut self, picture: &Picture) -> Result<(), String> {
        let (y, u, v) = planes(picture);
        let (width, height) = (picture.width as usize, picture.height as usize);
        let source = YUVSlices::new((&y, &u, &v), (width, height), (width, width / 2, width / 2));
        let coded = self.encoder.encode(&source).map_err(|error| error.to_string())?;
        let mut frame = Vec::new();
        let mut key = false;
        for layer in (0..coded.num_layers()).filter_map(|index| coded.layer(index)) {
            for unit in (0..layer.nal_count()).filter_map(|index| layer.nal_unit(index)) {
                let unit = without_start(unit);
                match unit.first().map(|first| first & 0x1F) {
                    Some(7) => self.track.sps = unit.to_vec(),
                    Some(8) => self.track.pps = unit.to_vec(),
                    Some(kind) => {
                        key |= kind == 5;
                        frame.extend((unit.len() as u32).to_be_bytes());
                        frame.extend(unit);
                    }
                    None => {}
                }
            }
        }
        if frame.is_empty() {
            return Err("the encoder left a frame out".to_owned());
        }
        self.track.frames.push((frame, key));
        Ok(())
    }

    /// The film as an MP4 file.
    pub(super) fn finish(self) -> Vec<u8> {
        self.track.file()
    }
}

/// A unit without the zeros and the one in front of it.
fn without_start(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
    match unit.get(zeros) {
        Some(1) if zeros >= 2 => &unit[zeros + 1..],
        _ => unit,
    }
}

/// Brightness and two colour differences (half as wide and high), ITU-R BT.601, limited range.
fn planes(picture: &Picture) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let y = picture
        .pixels
        .iter()
        .map(|&[r, g, b]| {
            let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
            (16 + ((66 * r + 129 * g + 25 * b + 128) >> 8)) as u8
        })
        .collect();
    let mut u = Vec::with_capacity(width * height / 4);
    let mut v = Vec::with_capacity(width * height / 4);
    for row in (0..height & !1).step_by(2) {
        for column in (0..width & !1).step_by(2) {
            let mut sum = [0i32; 3];
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let pixel = picture.pixels[(row + dy) * width + column + dx];
                for (sum, value) in sum.iter_mut().zip(pixel) {
                    *sum += i32::from(value);
                }
            }
            let [r, g, b] = sum;
            u.push((128 + ((-38 * r - 74 * g + 112 * b + 512) >> 10)) as u8);
            v.push((128 + ((112 * r - 94 * g - 18 * b + 512) >> 10)) as u8);
        }
    }
    (y, u, v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_black_and_red_have_the_numbers_of_the_standard() {
        let of = |color| planes(&Picture::filled(2, 2, color));
        assert_eq!(of([255; 3]), (vec![235; 4], vec![128], vec![128]));
        assert_eq!(of([0; 3]), (vec![16; 4], vec![128], vec![128]));
        let (y, u, v) = of([255, 0, 0]);
        assert_eq!((y[0], u[0], v[0]), (82, 90, 240));
    }

    #[test]
    fn equal_pictures_give_equal_films_and_the_first_frame_is_a_key() {
        let film = || {
            let mut film = Film::new(64, 48, 10).expect("an encoder");
            for shade in [10, 200, 90] {
                let mut picture = Picture::filled(64, 48, [shade, 90, 30]);
                picture.pixels[70] = [255; 3];
                film.add(&picture).expect("coded");
            }
            film
        };
        let one = film();
        assert!(one.track.frames[0].1 && one.track.frames.len() == 3);
        assert_eq!(one.track.sps[0] & 0x1F, 7);
        assert_eq!(one.finish(), film().finish());
    }
}
