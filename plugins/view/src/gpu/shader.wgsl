// Draws what the sensors' renderer draws: unlit, colours as stored, the distance along the optical axis, and
// who is seen.

struct Lens {
    // Clip coordinates per metre at a distance of one (pinhole) or anywhere (orthographic), across and up.
    scale: vec2<f32>,
    near_m: f32,
    far_m: f32,
    orthographic: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
}

struct Placement {
    camera_from_mesh: mat4x4<f32>,
    base: vec4<f32>,
    instance: u32,
    cutoff: f32,
    pad_a: u32,
    pad_b: u32,
}

@group(0) @binding(0) var<uniform> lens: Lens;
@group(0) @binding(1) var<storage, read> placements: array<Placement>;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var how: sampler;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(1) uv: vec2<f32>,
    @location(2) depth_m: f32,
    @location(3) @interpolate(flat) placement: u32,
    @location(4) @interpolate(flat) instance: u32,
}

@vertex
fn corner(
    @location(0) position: vec3<f32>,
    @location(1) uv: vec2<f32>,
    @location(2) color: vec4<f32>,
    @location(3) instance: u32,
    @builtin(instance_index) index: u32,
) -> Corner {
    let placement = placements[index];
    let at = placement.camera_from_mesh * vec4<f32>(position, 1.0);
    let depth_m = -at.z;
    var out: Corner;
    if (lens.orthographic == 1u) {
        let share = (depth_m - lens.near_m) / (lens.far_m - lens.near_m);
        out.clip = vec4<f32>(at.xy * lens.scale, 1.0 - share, 1.0);
    } else {
        // The near plane is at 1, infinity at 0: depths keep their digits far away.
        out.clip = vec4<f32>(at.xy * lens.scale, lens.near_m, depth_m);
    }
    out.color = color;
    out.uv = uv;
    out.depth_m = depth_m;
    out.placement = index;
    out.instance = instance;
    return out;
}

struct Seen {
    @location(0) color: vec4<f32>,
    @location(1) depth_m: f32,
    @location(2) instance: u32,
}

@fragment
fn seen(in: Corner) -> Seen {
    let placement = placements[in.placement];
    let color = placement.base * in.color * textureSample(image, how, in.uv);
    if (color.a < placement.cutoff || in.depth_m > lens.far_m) {
        discard;
    }
    var out: Seen;
    out.color = vec4<f32>(color.rgb, 1.0);
    out.depth_m = in.depth_m;
    // A mesh whose triangles belong to many things says whose each is.
    out.instance = select(in.instance, placement.instance, in.instance == 0xffffffffu);
    return out;
}
