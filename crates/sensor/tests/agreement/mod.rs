//! How images of the fast renderer agree with those of the plain one.

use ambler_geometry::Affine;
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Frame, PlainRenderer, Renderer};
use std::sync::Arc;

/// The renderers of one scene.
pub(crate) struct Renderers {
    pub(crate) fast: Renderer,
    pub(crate) portable: Renderer,
    pub(crate) plain: PlainRenderer,
}

/// What is counted over the views of a scene.
#[derive(Debug, Default)]
pub(crate) struct Agreement {
    pub(crate) pixels: usize,
    pub(crate) ids_differ: usize,
    /// Where the plain image shows no border between instances or to nothing within a pixel.
    pub(crate) ids_differ_off_silhouettes: usize,
    /// Where ids are the same and the plain image has no jump in depth within a pixel.
    pub(crate) smooth: usize,
    pub(crate) depth_differ: usize,
    pub(crate) depth_worst: f32,
    pub(crate) color_differ: usize,
    pub(crate) color_worst: u8,
}

impl Renderers {
    pub(crate) fn new(scene: SceneModel) -> Self {
        let scene = Arc::new(scene);
        let fast = Renderer::new(Arc::clone(&scene));
        let portable = Renderer::sharing(&fast, Arc::clone(&scene)).without_avx2();
        Self { fast, portable, plain: PlainRenderer::new(scene) }
    }

    /// Draws a view with all, and demands the same bytes with AVX2 and without.
    pub(crate) fn compare(&self, spec: &CameraSpec, view: &Affine, sum: &mut Agreement, bytes: bool) {
        let (mut fast, mut plain) = (Frame::default(), Frame::default());
        self.fast.render(spec, view, &mut fast).expect("a valid view");
        self.plain.render(spec, view, &mut plain).expect("a valid view");
        if bytes {
            let mut portable = Frame::default();
            self.portable.render(spec, view, &mut portable).expect("a valid view");
            assert!(fast == portable, "other bytes without AVX2 at {view:?}");
        }
        sum.add(&fast, &plain);
    }
}

impl Agreement {
    fn add(&mut self, fast: &Frame, plain: &Frame) {
        let (width, height) = (fast.width as usize, fast.height as usize);
        for pixel in 0..width * height {
            let (x, y) = (pixel % width, pixel / width);
            let mut silhouette = false;
            let (mut low, mut high) = (f32::INFINITY, 0.0_f32);
            for row in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                for column in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                    let other = row * width + column;
                    silhouette |= plain.instance[other] != plain.instance[pixel]
                        || plain.valid[other] != plain.valid[pixel];
                    low = low.min(plain.depth[other]);
                    high = high.max(plain.depth[other]);
                }
            }
            self.pixels += 1;
            if fast.instance[pixel] != plain.instance[pixel]
                || fast.category[pixel] != plain.category[pixel]
            {
                self.ids_differ += 1;
                self.ids_differ_off_silhouettes += usize::from(!silhouette);
                continue;
            }
            if high - low > 0.02 + 0.05 * low {
                continue;
            }
            self.smooth += 1;
            let off = (fast.depth[pixel] - plain.depth[pixel]).abs() / plain.depth[pixel].max(1e-6);
            self.depth_differ += usize::from(off > 1e-4);
            self.depth_worst = self.depth_worst.max(off);
            let colors = pixel * 3..pixel * 3 + 3;
            let off =
                fast.rgb[colors.clone()].iter().zip(&plain.rgb[colors]).map(|(a, b)| a.abs_diff(*b));
            let off = off.max().unwrap_or(0);
            self.color_differ += usize::from(off > 2);
            self.color_worst = self.color_worst.max(off);
        }
    }

    /// What is promised of the fast renderer.
    pub(crate) fn check(&self, name: &str) {
        println!("{name}: {self:?}");
        assert!(self.ids_differ * 1000 <= self.pixels, "{name}: {self:?}");
        assert_eq!(self.ids_differ_off_silhouettes, 0, "{name}: {self:?}");
        // A pixel's middle that lies on an edge between a steep triangle and its neighbour may show the
        // other one of the two: a few in a million.
        assert!(self.depth_differ * 100_000 <= self.smooth, "{name}: {self:?}");
        assert!(self.color_differ * 20_000 <= self.smooth, "{name}: {self:?}");
    }
}
