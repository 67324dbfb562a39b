use crate::CameraSpec;

/// The images of one camera at one moment. Row 0 is the top; pixel (column, row) is at index
/// `row · width + column`. Images that the camera does not deliver are empty.
///
/// Rendering into a frame again reuses its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Red, green, blue a pixel (sRGB as the source stores it); black where nothing is seen.
    pub rgb: Vec<u8>,
    /// Metres along the optical axis (not along the ray); 0 where nothing is seen.
    pub depth: Vec<f32>,
    /// 1 where `depth` is a distance, 0 where nothing is seen. Delivered with the depth.
    pub valid: Vec<u8>,
    /// `id` of the instance seen, 0 where nothing or nothing with an identity is seen.
    pub instance: Vec<u32>,
    /// Index of the seen instance's category in the scene's list, 0 for none.
    pub category: Vec<u32>,
    /// How many different triangles the pixels see. `None` where the camera delivers depth alone:
    /// which triangles they are is not looked up then.
    pub triangles: Option<u32>,
}

impl Frame {
    /// Pixels in each image.
    pub fn pixel_count(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Sizes every image for the camera and clears it.
    pub(crate) fn reset(&mut self, spec: &CameraSpec) {
        self.size(spec);
        self.rgb.fill(0);
        self.depth.fill(0.0);
        self.valid.fill(0);
        self.instance.fill(0);
        self.category.fill(0);
    }

    /// Sizes every image for the camera, for a drawing that sets every pixel.
    pub(crate) fn size(&mut self, spec: &CameraSpec) {
        self.width = spec.width;
        self.height = spec.height;
        self.triangles = None;
        let count = self.pixel_count();
        let outputs = spec.outputs;
        self.rgb.resize(if outputs.rgb { count * 3 } else { 0 }, 0);
        self.depth.resize(if outputs.depth { count } else { 0 }, 0.0);
        self.valid.resize(if outputs.depth { count } else { 0 }, 0);
        self.instance.resize(if outputs.instance { count } else { 0 }, 0);
        self.category.resize(if outputs.category { count } else { 0 }, 0);
    }
}
