use super::Picture;
use crate::{CameraSpec, Frame, Outputs, Projection, Renderer, SensorError};
use ambler_geometry::{Affine, Mat3, Vec3};
use ambler_scene::SceneModel;
use std::sync::Arc;

/// Samples along each side of a pixel.
const SAMPLES: u32 = 3;
/// Field of view in degrees: long enough a lens that nothing looks bent.
const FIELD_DEG: f32 = 24.0;

impl Picture {
    /// A picture of a whole scene (one object, say) from the front, `yaw_deg` to the right and
    /// `pitch_deg` above, `side` pixels square on a ground of this colour.
    ///
    /// # Errors
    /// Those of [`Renderer::render`].
    pub fn of_object(
        scene: &Arc<SceneModel>,
        side: u32,
        yaw_deg: f32,
        pitch_deg: f32,
        ground: [u8; 3],
    ) -> Result<Self, SensorError> {
        let (yaw, pitch) = (yaw_deg.to_radians(), pitch_deg.to_radians());
        let (sy, cy, sp, cp) = (libm::sinf(yaw), libm::cosf(yaw), libm::sinf(pitch), libm::cosf(pitch));
        let back = Vec3::new(sy * cp, sp, cy * cp);
        let right = Vec3::new(cy, 0.0, -sy);
        let rotation = Mat3::from_cols(right, back.cross(right), back);
        let center = scene.bounds.center();
        // Far enough for every corner of the bounds to lie inside the view.
        let half = scene.bounds.size() * 0.5;
        let slope = libm::tanf(FIELD_DEG.to_radians() * 0.5) * 0.94;
        let mut distance = 1e-3_f32;
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let p = rotation.transpose() * (half * Vec3::new(sign(0), sign(1), sign(2)));
            distance = distance.max(p.z + p.x.abs().max(p.y.abs()) / slope);
        }
        let camera = CameraSpec {
            width: side * SAMPLES,
            height: side * SAMPLES,
            projection: Projection::Pinhole { hfov_deg: FIELD_DEG },
            near_m: (distance * 0.05).max(1e-4),
            far_m: distance * 4.0,
            outputs: Outputs { rgb: true, depth: true, ..Outputs::NONE },
            ..CameraSpec::default()
        };
        let view = Affine { matrix: rotation, translation: center + back * distance };
        let mut frame = Frame::default();
        Renderer::new(Arc::clone(scene)).render(&camera, &view, &mut frame)?;
        let wide = (side * SAMPLES) as usize;
        let mut out = Self::filled(side, side, ground);
        for (index, pixel) in out.pixels.iter_mut().enumerate() {
            let (x, y) = (index % side as usize, index / side as usize);
            let mut sum = [0_u32; 3];
            for sample in 0..(SAMPLES * SAMPLES) as usize {
                let (dx, dy) = (sample % SAMPLES as usize, sample / SAMPLES as usize);
                let at = (y * SAMPLES as usize + dy) * wide + x * SAMPLES as usize + dx;
                let seen = frame.valid.get(at).is_some_and(|&valid| valid == 1);
                for (channel, total) in sum.iter_mut().enumerate() {
                    let own = frame.rgb.get(3 * at + channel).copied().unwrap_or(0);
                    *total += u32::from(if seen { own } else { ground[channel] });
                }
            }
            *pixel = sum.map(|total| (total / (SAMPLES * SAMPLES)) as u8);
        }
        Ok(out)
    }
}
