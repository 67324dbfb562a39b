//! A scene in the memory of a graphics device.

use ambler_scene::{Mesh, SceneModel, Texture, Wrap};
use std::collections::BTreeMap;
use std::sync::Arc;
use wgpu::util::DeviceExt;

/// Bytes of a corner: position, texture coordinates, colour, instance.
pub(super) const CORNER_BYTES: u64 = 28;
/// What a corner has for an instance where the placement's counts.
const OF_PLACEMENT: u32 = u32::MAX;

/// A mesh on the device.
pub(super) struct Shape {
    pub(super) corners: wgpu::Buffer,
    /// Without it three corners in a row are a triangle.
    pub(super) indices: Option<wgpu::Buffer>,
    /// Indices, or corners.
    pub(super) count: u32,
}

/// One placement, to be drawn in this order.
pub(super) struct Item {
    pub(super) shape: Arc<Shape>,
    pub(super) looks: Arc<wgpu::BindGroup>,
    pub(super) base: [f32; 4],
    pub(super) instance: u32,
    pub(super) cutoff: f32,
    /// Index of the placement in the scene.
    pub(super) placement: usize,
}

/// A scene on the device.
pub(super) struct Uploaded {
    pub(super) items: Vec<Item>,
}

/// What is on the device, by the address of its source, which is kept so that the address stays its own.
#[derive(Default)]
pub(super) struct Store {
    shapes: BTreeMap<usize, (Arc<Mesh>, Arc<Shape>)>,
    images: BTreeMap<usize, (Arc<Texture>, Arc<wgpu::BindGroup>)>,
    white: Option<Arc<wgpu::BindGroup>>,
    scenes: Vec<(Arc<SceneModel>, Arc<Uploaded>)>,
}

/// Scenes that are kept: both of a comparison, with a floor cut away, and the one before.
const MOST_SCENES: usize = 3;

impl Store {
    /// The scene on the device; what others have in common with it is shared.
    pub(super) fn scene(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layout: &wgpu::BindGroupLayout,
        scene: &Arc<SceneModel>,
    ) -> Result<Arc<Uploaded>, String> {
        if let Some(at) = self.scenes.iter().position(|(known, _)| Arc::ptr_eq(known, scene)) {
            let found = self.scenes.remove(at);
            let uploaded = Arc::clone(&found.1);
            self.scenes.push(found);
            return Ok(uploaded);
        }
        let mut items = Vec::with_capacity(scene.placements.len());
        for (index, placement) in scene.placements.iter().enumerate() {
            let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
            if mesh.triangles.is_empty() || !placement.world_from_mesh.is_finite() {
                continue;
            }
            let shape = self.shape(device, mesh)?;
            let material = scene.materials.get(placement.material as usize);
            let texture = material
                .and_then(|material| material.texture)
                .and_then(|texture| scene.textures.get(texture as usize))
                .filter(|_| !mesh.uvs.is_empty());
            let looks = self.looks(device, queue, layout, texture)?;
            items.push(Item {
                shape,
                looks,
                base: material.map_or([1.0; 4], |material| material.base_color),
                instance: placement.instance,
                cutoff: material.and_then(|material| material.alpha_cutoff).unwrap_or(-1.0),
                placement: index,
            });
        }
        let uploaded = Arc::new(Uploaded { items });
        if self.scenes.len() >= MOST_SCENES {
            self.scenes.remove(0);
        }
        self.scenes.push((Arc::clone(scene), Arc::clone(&uploaded)));
        self.shapes.retain(|_, (_, shape)| Arc::strong_count(shape) > 1);
        self.images.retain(|_, (_, image)| Arc::strong_count(image) > 1);
        Ok(uploaded)
    }

    fn shape(&mut self, device: &wgpu::Device, mesh: &Arc<Mesh>) -> Result<Arc<Shape>, String> {
        let key = Arc::as_ptr(mesh) as usize;
        if let Some((_, shape)) = self.shapes.get(&key) {
            return Ok(Arc::clone(shape));
        }
        let (bytes, indices) = corners(mesh);
        let most = device.limits().max_buffer_size;
        if bytes.len() as u64 > most || indices.len() as u64 * 4 > most {
            let size = bytes.len().max(indices.len() * 4);
            return Err(format!(
                "a mesh of {} triangles takes {size} bytes, and the graphics device holds {most} in one piece",
                mesh.triangles.len()
            ));
        }
        let buffer = |contents: &[u8], usage| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
        };
        let count =
            if indices.is_empty() { bytes.len() as u64 / CORNER_BYTES } else { indices.len() as u64 };
        let index_bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let shape = Arc::new(Shape {
            corners: buffer(&bytes, wgpu::BufferUsages::VERTEX),
            indices: (!indices.is_empty()).then(|| buffer(&index_bytes, wgpu::BufferUsages::INDEX)),
            count: u32::try_from(count).map_err(|_| "a mesh has too many triangles".to_owned())?,
        });
        self.shapes.insert(key, (Arc::clone(mesh), Arc::clone(&shape)));
        Ok(shape)
    }

    fn looks(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layout: &wgpu::BindGroupLayout,
        texture: Option<&Arc<Texture>>,
    ) -> Result<Arc<wgpu::BindGroup>, String> {
        let Some(texture) = texture else {
            if self.white.is_none() {
                let one = Texture {
                    width: 1,
                    height: 1,
                    pixels: vec![[255; 4]].into(),
                    wrap: [Wrap::Repeat; 2],
                };
                self.white = Some(Arc::new(image(device, queue, layout, &one)?));
            }
            return self.white.clone().ok_or_else(|| "no texture".to_owned());
        };
        let key = Arc::as_ptr(texture) as usize;
        if let Some((_, known)) = self.images.get(&key) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(image(device, queue, layout, texture)?);
        self.images.insert(key, (Arc::clone(texture), Arc::clone(&made)));
        Ok(made)
    }
}

/// The corners of a mesh, and indices into them, or none where three in a row are a triangle: where each
/// triangle has an owner of its own, corners cannot be shared.
fn corners(mesh: &Mesh) -> (Vec<u8>, Vec<u32>) {
    let mut bytes = Vec::new();
    let mut put = |index: u32, owner: u32| {
        let at = index as usize;
        let position = mesh.positions.get(at).copied().unwrap_or_default();
        let uv = mesh.uvs.get(at).copied().unwrap_or_default();
        let color = mesh.colors.get(at).copied().unwrap_or([255; 4]);
        for number in [position.x, position.y, position.z, uv.x, uv.y] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(color);
        bytes.extend(owner.to_le_bytes());
    };
    if mesh.triangle_instances.is_empty() {
        (0..mesh.positions.len() as u32).for_each(|index| put(index, OF_PLACEMENT));
        let last = mesh.positions.len() as u32;
        let whole =
            mesh.triangles.iter().filter(|triangle| triangle.iter().all(|&corner| corner < last));
        return (bytes, whole.flatten().copied().collect());
    }
    for (triangle, &owner) in mesh.triangles.iter().zip(mesh.triangle_instances.iter()) {
        triangle.iter().for_each(|&corner| put(corner, owner));
    }
    (bytes, Vec::new())
}

fn image(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    layout: &wgpu::BindGroupLayout,
    texture: &Texture,
) -> Result<wgpu::BindGroup, String> {
    let most = device.limits().max_texture_dimension_2d;
    if texture.width.max(texture.height) > most {
        return Err(format!(
            "a texture is {} × {} pixels, and the graphics device takes {most} a side",
            texture.width, texture.height
        ));
    }
    let levels = pyramid(texture);
    let size = wgpu::Extent3d { width: texture.width, height: texture.height, depth_or_array_layers: 1 };
    let mut bytes: Vec<u8> = Vec::with_capacity(texture.pixels.len() * 6);
    levels.iter().for_each(|level| bytes.extend_from_slice(level.2.as_flattened()));
    // Filtered as stored, as the sensors do: no conversion from sRGB and back.
    let made = device.create_texture_with_data(
        queue,
        &wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: levels.len() as u32,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        },
        wgpu::util::TextureDataOrder::LayerMajor,
        &bytes,
    );
    let mode = |wrap: Wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
    };
    let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: mode(texture.wrap[0]),
        address_mode_v: mode(texture.wrap[1]),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..wgpu::SamplerDescriptor::default()
    });
    let view = made.create_view(&wgpu::TextureViewDescriptor::default());
    Ok(device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
        ],
    }))
}

/// Width, height and pixels, row by row.
type Level = (usize, usize, Vec<[u8; 4]>);

/// A texture and its copies of half the size down to one pixel.
fn pyramid(texture: &Texture) -> Vec<Level> {
    let (width, height) = (texture.width as usize, texture.height as usize);
    let mut pixels: Vec<[u8; 4]> = texture.pixels.to_vec();
    pixels.resize(width * height, [255; 4]);
    let mut levels = vec![(width, height, pixels)];
    while let Some(above) = levels.last().filter(|level| level.0 * level.1 > 1) {
        let half = halved(above);
        levels.push(half);
    }
    levels
}

/// The mean of the pixels that each of half the size covers.
fn halved((width, height, above): &Level) -> Level {
    let (half_wide, half_high) = ((width / 2).max(1), (height / 2).max(1));
    let mut half = Vec::with_capacity(half_wide * half_high);
    if half_wide * 2 == *width && half_high * 2 == *height {
        for rows in above.chunks_exact(width * 2) {
            let (upper, lower) = rows.split_at(*width);
            let pairs = upper.as_chunks::<2>().0.iter().zip(lower.as_chunks::<2>().0);
            half.extend(pairs.map(|([a, b], [c, d])| -> [u8; 4] {
                std::array::from_fn(|i| {
                    let sum = u16::from(a[i]) + u16::from(b[i]) + u16::from(c[i]) + u16::from(d[i]);
                    ((sum + 2) / 4) as u8
                })
            }));
        }
        return (half_wide, half_high, half);
    }
    // Where a side is odd, by the shares of what is covered.
    let covered = |at: usize, small: usize, large: usize| -> [(usize, f32); 2] {
        let place = (at as f32 + 0.5) / small as f32 * large as f32 - 0.5;
        let first = place.floor().max(0.0);
        let share = (place - first).clamp(0.0, 1.0);
        [(first as usize, 1.0 - share), ((first as usize + 1).min(large - 1), share)]
    };
    for y in 0..half_high {
        for x in 0..half_wide {
            let mut sum = [0.0f32; 4];
            for (row, down) in covered(y, half_high, *height) {
                for (column, across) in covered(x, half_wide, *width) {
                    let pixel = above[row * width + column];
                    for (sum, value) in sum.iter_mut().zip(pixel) {
                        *sum += f32::from(value) * down * across;
                    }
                }
            }
            half.push(sum.map(|value| (value + 0.5) as u8));
        }
    }
    (half_wide, half_high, half)
}
