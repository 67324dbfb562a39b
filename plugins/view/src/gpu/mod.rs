//! The main view drawn by a graphics device, as the sensors' renderer draws it: unlit, with depth and ids.
//!
//! It is for flying about smoothly, never for what a robot sees. The images come back as a
//! [`Frame`], so that picking and overlays need not know who has drawn it.

mod scene;
#[cfg(test)]
mod tests;

use ambler_geometry::Affine;
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Frame, Moved, Projection};
use ambler_session::Drawer;
use scene::{CORNER_BYTES, Store, Uploaded};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use wgpu::util::DeviceExt;

const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::R32Float;
const OWNER: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;
const HIDDEN: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Rows of what is copied from a texture begin at multiples of this.
const ROW: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;
/// Bytes of a placement and of the lens in the shader.
const PLACEMENT_BYTES: usize = 96;

/// Draws scenes on a graphics device.
pub struct GpuRenderer {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Front faces counter-clockwise, clockwise, and both sides.
    pipelines: [wgpu::RenderPipeline; 3],
    view_layout: wgpu::BindGroupLayout,
    looks_layout: wgpu::BindGroupLayout,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    store: Store,
    targets: Option<Targets>,
}

/// What is drawn into, and where it is read from.
struct Targets {
    size: [u32; 2],
    images: [wgpu::Texture; 3],
    hidden: wgpu::TextureView,
    back: [wgpu::Buffer; 3],
}

impl GpuRenderer {
    /// A renderer on a device.
    pub fn new(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let both = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let buffer = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: both,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let view_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("view"),
            entries: &[
                buffer(0, wgpu::BufferBindingType::Uniform),
                buffer(1, wgpu::BufferBindingType::Storage { read_only: true }),
            ],
        });
        let fragment = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty,
            count: None,
        };
        let looks_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("looks"),
            entries: &[
                fragment(
                    0,
                    wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Float { filterable: true },
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                ),
                fragment(1, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)),
            ],
        });
        let shader = device.create_shader_module(wgpu::include_wgsl!("shader.wgsl"));
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("scene"),
            bind_group_layouts: &[Some(&view_layout), Some(&looks_layout)],
            immediate_size: 0,
        });
        let pipeline =
            |front_face, cull_mode| pipeline(&device, &layout, &shader, front_face, cull_mode);
        let back = Some(wgpu::Face::Back);
        let pipelines = [
            pipeline(wgpu::FrontFace::Ccw, back),
            pipeline(wgpu::FrontFace::Cw, back),
            pipeline(wgpu::FrontFace::Ccw, None),
        ];
        Self { device, queue, pipelines, view_layout, looks_layout, inside: Mutex::default() }
    }

    fn targets(&self, size: [u32; 2]) -> Targets {
        let extent = wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 };
        let texture = |format, usage| {
            self.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("view"),
                size: extent,
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            })
        };
        let images = [COLOR, DEPTH, OWNER].map(|format| texture(format, wgpu::TextureUsages::COPY_SRC));
        let hidden = texture(HIDDEN, wgpu::TextureUsages::empty());
        let back = [0, 1, 2].map(|_| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("view"),
                size: u64::from(row_bytes(size[0])) * u64::from(size[1]),
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        });
        Targets { size, images, hidden: hidden.create_view(&Default::default()), back }
    }

    /// Draws into the targets and asks for them back; says how many triangles were drawn.
    fn submit(
        &self,
        uploaded: &Uploaded,
        scene: &SceneModel,
        spec: &CameraSpec,
        camera_from_world: &Affine,
        moved: &Moved,
        targets: &Targets,
    ) -> usize {
        let mut bytes: Vec<u8> = Vec::with_capacity(uploaded.items.len() * PLACEMENT_BYTES);
        // A placement that is gone keeps its place in the list, so that the others keep theirs.
        let mut turned: Vec<Option<bool>> = Vec::with_capacity(uploaded.items.len());
        for item in &uploaded.items {
            let placed = scene.placements.get(item.placement);
            let world_from_mesh = placed.and_then(|placed| match moved.get(placed.instance) {
                _ if placed.instance == 0 => Some(placed.world_from_mesh),
                None => Some(placed.world_from_mesh),
                Some(None) => None,
                Some(Some(now)) => Some(now.compose(&placed.world_from_mesh)),
            });
            let world_from_mesh = world_from_mesh.filter(Affine::is_finite);
            turned.push(world_from_mesh.as_ref().map(Affine::is_mirrored));
            put_placement(&mut bytes, camera_from_world, &world_from_mesh.unwrap_or_default(), item);
        }
        let buffer = |contents: &[u8], usage| {
            let label = Some("view");
            self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label, contents, usage })
        };
        bytes.resize(bytes.len().max(PLACEMENT_BYTES), 0);
        let placements = buffer(&bytes, wgpu::BufferUsages::STORAGE);
        let lens = buffer(&lens_bytes(spec), wgpu::BufferUsages::UNIFORM);
        let view = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &self.view_layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: lens.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: placements.as_entire_binding() },
            ],
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let views = targets.images.each_ref().map(|image| image.create_view(&Default::default()));
        let attachments = views.each_ref().map(|view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })
        });
        let mut triangles = 0;
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("scene"),
                color_attachments: &attachments,
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &targets.hidden,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(0.0),
                        store: wgpu::StoreOp::Discard,
                    }),
                    stencil_ops: None,
                }),
                ..Default::default()
            });
            pass.set_bind_group(0, &view, &[]);
            let mut set = None;
            for (index, (item, turned)) in uploaded.items.iter().zip(&turned).enumerate() {
                let Some(mirrored) = *turned else { continue };
                let which = if spec.cull_back_faces { usize::from(mirrored) } else { 2 };
                if set != Some(which) {
                    pass.set_pipeline(&self.pipelines[which]);
                    set = Some(which);
                }
                pass.set_bind_group(1, &*item.looks, &[]);
                pass.set_vertex_buffer(0, item.shape.corners.slice(..));
                let index = index as u32;
                match &item.shape.indices {
                    Some(indices) => {
                        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
                        pass.draw_indexed(0..item.shape.count, 0, index..index + 1);
                    }
                    None => pass.draw(0..item.shape.count, index..index + 1),
                }
                triangles += item.shape.count as usize / 3;
            }
        }
        for (image, buffer) in targets.images.iter().zip(&targets.back) {
            encoder.copy_texture_to_buffer(
                image.as_image_copy(),
                wgpu::TexelCopyBufferInfo {
                    buffer,
                    layout: wgpu::TexelCopyBufferLayout {
                        offset: 0,
                        bytes_per_row: Some(row_bytes(targets.size[0])),
                        rows_per_image: None,
                    },
                },
                image.size(),
            );
        }
        self.queue.submit([encoder.finish()]);
        triangles
    }

    /// Waits for what was drawn, and reads it.
    fn read(&self, spec: &CameraSpec, targets: &Targets, frame: &mut Frame) -> Result<(), String> {
        let (told, heard) = mpsc::channel();
        for buffer in &targets.back {
            let told = told.clone();
            buffer.map_async(wgpu::MapMode::Read, .., move |mapped| {
                // Whoever no longer listens needs no answer.
                let _ = told.send(mapped.map_err(|error| error.to_string()));
            });
        }
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: None };
        self.device.poll(wait).map_err(|error| error.to_string())?;
        for _ in &targets.back {
            heard.recv().map_err(|error| error.to_string())??;
        }
        let [width, height] = targets.size;
        let pixels = width as usize * height as usize;
        (frame.width, frame.height) = (width, height);
        let words = |buffer: &wgpu::Buffer| -> Vec<[u8; 4]> {
            let bytes = buffer.get_mapped_range(..);
            let rows = bytes.chunks_exact(row_bytes(width) as usize);
            let mut words = Vec::with_capacity(pixels);
            rows.for_each(|row| words.extend_from_slice(&row.as_chunks::<4>().0[..width as usize]));
            words
        };
        let [color, depth, owner] = targets.back.each_ref().map(words);
        targets.back.iter().for_each(wgpu::Buffer::unmap);
        let outputs = spec.outputs;
        frame.rgb.clear();
        if outputs.rgb {
            frame.rgb.extend(color.iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]));
        }
        frame.depth.clear();
        frame.valid.clear();
        if outputs.depth {
            frame.depth.extend(depth.iter().map(|&word| f32::from_le_bytes(word)));
            frame.valid.extend(frame.depth.iter().map(|&depth| u8::from(depth != 0.0)));
        }
        frame.instance.clear();
        if outputs.instance {
            frame.instance.extend(owner.iter().map(|&word| u32::from_le_bytes(word)));
        }
        frame.category.clear();
        Ok(())
    }
}

impl Drawer for GpuRenderer {
    fn draw(
        &self,
        scene: &Arc<SceneModel>,
        spec: &CameraSpec,
        world_from_camera: &Affine,
        moved: &Moved,
        frame: &mut Frame,
    ) -> Result<usize, String> {
        if spec.projection.is_wide() || spec.outputs.category {
            return Err("only views of a flat lens are drawn by the graphics device".to_owned());
        }
        let most = self.device.limits().max_texture_dimension_2d;
        if spec.width.max(spec.height) > most {
            return Err(format!("the graphics device draws at most {most} pixels a side"));
        }
        let camera_from_world = world_from_camera.inverse().ok_or("the view is singular")?;
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let uploaded = inside.store.scene(&self.device, &self.queue, &self.looks_layout, scene)?;
        let size = [spec.width, spec.height];
        let targets = match inside.targets.take().filter(|targets| targets.size == size) {
            Some(targets) => targets,
            None => self.targets(size),
        };
        let triangles = self.submit(&uploaded, scene, spec, &camera_from_world, moved, &targets);
        self.read(spec, &targets, frame)?;
        inside.targets = Some(targets);
        Ok(triangles)
    }
}

fn row_bytes(width: u32) -> u32 {
    (width * 4).div_ceil(ROW) * ROW
}

fn put_placement(bytes: &mut Vec<u8>, camera_from_world: &Affine, mesh: &Affine, item: &scene::Item) {
    // In double precision, so that what is far from the origin keeps its place.
    let (matrix, shift) =
        (camera_from_world.matrix.as_dmat3(), camera_from_world.translation.as_dvec3());
    let linear = matrix * mesh.matrix.as_dmat3();
    let at = matrix * mesh.translation.as_dvec3() + shift;
    for (column, last) in [(linear.x_axis, 0.0), (linear.y_axis, 0.0), (linear.z_axis, 0.0), (at, 1.0)] {
        for number in [column.x as f32, column.y as f32, column.z as f32, last] {
            bytes.extend(number.to_le_bytes());
        }
    }
    item.base.iter().for_each(|part| bytes.extend(part.to_le_bytes()));
    bytes.extend(item.instance.to_le_bytes());
    bytes.extend(item.cutoff.to_le_bytes());
    bytes.extend([0; 8]);
}

fn lens_bytes(spec: &CameraSpec) -> Vec<u8> {
    let scale = spec.pixel_scale();
    let across = (2.0 * scale / f64::from(spec.width)) as f32;
    let up = (2.0 * scale / f64::from(spec.height)) as f32;
    let flat = matches!(spec.projection, Projection::Orthographic { .. });
    let numbers = [across, up, spec.near_m, spec.far_m].map(f32::to_le_bytes);
    let mut bytes: Vec<u8> = numbers.into_iter().flatten().collect();
    bytes.extend(u32::from(flat).to_le_bytes());
    bytes.extend([0; 12]);
    bytes
}

fn pipeline(
    device: &wgpu::Device,
    layout: &wgpu::PipelineLayout,
    shader: &wgpu::ShaderModule,
    front_face: wgpu::FrontFace,
    cull_mode: Option<wgpu::Face>,
) -> wgpu::RenderPipeline {
    let target = |format| {
        let write_mask = wgpu::ColorWrites::ALL;
        Some(wgpu::ColorTargetState { format, blend: None, write_mask })
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("scene"),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some("corner"),
            compilation_options: Default::default(),
            buffers: &[wgpu::VertexBufferLayout {
                array_stride: CORNER_BYTES,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &wgpu::vertex_attr_array![
                    0 => Float32x3, 1 => Float32x2, 2 => Unorm8x4, 3 => Uint32
                ],
            }],
        },
        primitive: wgpu::PrimitiveState { front_face, cull_mode, ..Default::default() },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: HIDDEN,
            depth_write_enabled: Some(true),
            // Of what is equally far the first is seen, as the sensors have it.
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: shader,
            entry_point: Some("seen"),
            compilation_options: Default::default(),
            targets: &[target(COLOR), target(DEPTH), target(OWNER)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
