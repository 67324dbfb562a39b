//! Exposure and white balance, after an image is drawn.

use crate::Tone;

/// Changes the colours of an image, red, green, blue a pixel as stored.
pub(crate) fn apply(tone: &Tone, rgb: &mut [u8]) {
    if *tone == Tone::default() {
        return;
    }
    let tables = gains(tone).map(table);
    for pixel in rgb.as_chunks_mut::<3>().0 {
        for (value, table) in pixel.iter_mut().zip(&tables) {
            *value = table[usize::from(*value)];
        }
    }
}

/// What light of each channel is multiplied with.
fn gains(tone: &Tone) -> [f64; 3] {
    let (light, neutral) = (black_body(f64::from(tone.temperature_k)), black_body(6500.0));
    let ratio = [light[0] / neutral[0], light[1] / neutral[1], light[2] / neutral[2]];
    // Luminance of linear sRGB (IEC 61966-2-1).
    let luminance = 0.2126 * ratio[0] + 0.7152 * ratio[1] + 0.0722 * ratio[2];
    let exposure = libm::exp2(f64::from(tone.exposure_ev));
    ratio.map(|channel| channel / luminance * exposure)
}

/// Linear sRGB of a black body, luminance 1: Kim et al.'s cubic fit of the Planckian locus (1667 to
/// 25,000 K; constant outside), then IEC 61966-2-1.
fn black_body(kelvin: f64) -> [f64; 3] {
    let t = 1e3 / kelvin.clamp(1667.0, 25_000.0);
    let cubic = |[a, b, c, d]: [f64; 4], v: f64| ((a * v + b) * v + c) * v + d;
    let x = if t >= 0.25 {
        cubic([-0.266_123_9, -0.234_358_9, 0.877_695_6, 0.179_910], t)
    } else {
        cubic([-3.025_846_9, 2.107_037_9, 0.222_634_7, 0.240_390], t)
    };
    let y = if t >= 1e3 / 2222.0 {
        cubic([-1.106_381_4, -1.348_110_2, 2.185_558_32, -0.202_196_83], x)
    } else if t >= 0.25 {
        cubic([-0.954_947_6, -1.374_185_93, 2.091_370_15, -0.167_488_67], x)
    } else {
        cubic([3.081_758, -5.873_386_7, 3.751_129_97, -0.370_014_83], x)
    };
    let (big_x, big_z) = (x / y, (1.0 - x - y) / y);
    [
        3.240_625_5 * big_x - 1.537_208 - 0.498_628_6 * big_z,
        -0.968_930_7 * big_x + 1.875_756_1 + 0.041_517_5 * big_z,
        0.055_710_1 * big_x - 0.204_021_1 + 1.056_995_9 * big_z,
    ]
    .map(|channel: f64| channel.max(1e-6))
}

/// For each stored value what it becomes.
fn table(gain: f64) -> [u8; 256] {
    std::array::from_fn(|stored| {
        let value = stored as f64 / 255.0;
        let light =
            if value <= 0.040_45 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) };
        let light = light * gain;
        let value = if light <= 0.003_130_8 {
            light * 12.92
        } else {
            1.055 * libm::pow(light, 1.0 / 2.4) - 0.055
        };
        // The cast saturates.
        (value * 255.0 + 0.5) as u8
    })
}
