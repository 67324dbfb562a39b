use super::PROTOCOL_VERSION;
use crate::{EpisodeContext, Goal, Needs, Observation};
use ambler_body::{Action, BodyPreset};
use ambler_sensor::{CameraSpec, Detection, Frame, Projection};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_bytes::ByteBuf;

#[derive(Serialize)]
struct HelloRequest<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: u64,
    protocol: &'static str,
    version: u64,
    actions: [&'static str; 6],
    body: &'a BodyPreset,
    cameras: Vec<Camera<'a>>,
}

/// A camera's constants. Angles in degrees, lengths in metres.
#[derive(Serialize)]
struct Camera<'a> {
    name: &'a str,
    width: u32,
    height: u32,
    projection: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hfov_deg: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width_m: Option<f32>,
    mount: [f32; 3],
    yaw_deg: f32,
    pitch_deg: f32,
    near_m: f32,
    far_m: f32,
}

#[derive(Serialize)]
struct ResetRequest<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: u64,
    episode: Episode<'a>,
}

#[derive(Serialize)]
struct Episode<'a> {
    episode_id: &'a str,
    identity: &'a str,
    scene_id: &'a str,
    task: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success_distance_m: Option<f64>,
    seed: u64,
    step_limit: u32,
    categories: &'a [String],
    cameras: Vec<Camera<'a>>,
}

#[derive(Serialize)]
struct ActRequest<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: u64,
    observation: Seen<'a>,
}

#[derive(Serialize)]
struct Seen<'a> {
    step: u32,
    gps: [f32; 2],
    position: [f32; 3],
    compass: f64,
    tilt: f64,
    collided: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointgoal: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objectgoal: Option<&'a str>,
    cameras: Cameras<'a>,
}

/// Camera name → images, in the order of the rig.
struct Cameras<'a>(Vec<(&'a str, Images)>);

impl Serialize for Cameras<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, images) in &self.0 {
            map.serialize_entry(name, images)?;
        }
        map.end()
    }
}

#[derive(Default, Serialize)]
struct Images {
    #[serde(skip_serializing_if = "Option::is_none")]
    rgb: Option<Array>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<Array>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<Array>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<Array>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<Array>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detections: Option<Vec<Found>>,
}

/// Raw little-endian values in row-major order, with NumPy's name of their type.
#[derive(Serialize)]
struct Array {
    dtype: &'static str,
    shape: Vec<u32>,
    data: ByteBuf,
}

#[derive(Serialize)]
struct Found {
    instance: u32,
    category: u32,
    pixels: u32,
    bbox: [u32; 4],
    median_depth_m: f32,
    position: [f32; 3],
}

/// The first message to a program: who speaks, the actions, the body and its cameras.
pub fn encode_hello(id: u64, body: &BodyPreset, cameras: &[CameraSpec]) -> Vec<u8> {
    pack(&HelloRequest {
        kind: "hello",
        id,
        protocol: "ambler-agent",
        version: PROTOCOL_VERSION,
        actions: Action::ALL.map(Action::name),
        body,
        cameras: cameras.iter().map(camera).collect(),
    })
}

/// Begins an episode. Its seed is a function of run seed and episode alone, below 2⁵³ so that
/// every language can hold it.
pub fn encode_reset(id: u64, context: &EpisodeContext<'_>) -> Vec<u8> {
    let (task, category) = match context.goal {
        Goal::Point { .. } => ("pointnav", None),
        Goal::Object { category, .. } => ("objectnav", Some(category.as_str())),
    };
    pack(&ResetRequest {
        kind: "reset",
        id,
        episode: Episode {
            episode_id: context.episode_id,
            identity: context.identity,
            scene_id: context.scene_id,
            task,
            category,
            success_distance_m: context.point_success_m(),
            seed: context.stream("exec").next_u64() >> 11,
            step_limit: context.step_limit,
            categories: context.categories,
            cameras: context.cameras.iter().map(camera).collect(),
        },
    })
}

/// Asks for an action. Of the images only those in `needs` travel.
pub fn encode_act(
    id: u64,
    observation: &Observation<'_>,
    object: Option<&str>,
    needs: Needs,
) -> Vec<u8> {
    let cameras = observation.frames.iter().zip(observation.cameras).enumerate();
    let cameras = cameras.map(|(index, (frame, spec))| {
        let detections = observation.detections.get(index).map(Vec::as_slice);
        (spec.name.as_str(), images(frame, detections, needs))
    });
    pack(&ActRequest {
        kind: "act",
        id,
        observation: Seen {
            step: observation.step,
            gps: observation.gps(),
            position: observation.position.to_array(),
            compass: observation.compass,
            tilt: observation.tilt_rad,
            collided: observation.collided,
            pointgoal: observation.point_goal.map(|goal| [goal.rho, goal.phi]),
            objectgoal: object,
            cameras: Cameras(cameras.collect()),
        },
    })
}

/// Asks the program to end. No answer is expected.
pub fn encode_close(id: u64) -> Vec<u8> {
    #[derive(Serialize)]
    struct Close {
        #[serde(rename = "type")]
        kind: &'static str,
        id: u64,
    }
    pack(&Close { kind: "close", id })
}

fn camera(spec: &CameraSpec) -> Camera<'_> {
    let (projection, hfov_deg, width_m) = match spec.projection {
        Projection::Pinhole { hfov_deg } => ("pinhole", Some(hfov_deg), None),
        Projection::Orthographic { width_m } => ("orthographic", None, Some(width_m)),
        Projection::Equirectangular => ("equirectangular", Some(360.0), None),
        Projection::Fisheye { fov_deg } => ("fisheye", Some(fov_deg), None),
    };
    Camera {
        name: &spec.name,
        width: spec.width,
        height: spec.height,
        projection,
        hfov_deg,
        width_m,
        mount: spec.mount.to_array(),
        yaw_deg: spec.yaw_deg,
        pitch_deg: spec.pitch_deg,
        near_m: spec.near_m,
        far_m: spec.far_m,
    }
}

fn images(frame: &Frame, detections: Option<&[Detection]>, needs: Needs) -> Images {
    let (h, w) = (frame.height, frame.width);
    let array = |wanted: bool, dtype, channels: &[u32], data: Vec<u8>| {
        let shape = [&[h, w], channels].concat();
        (wanted && !data.is_empty()).then(|| Array { dtype, shape, data: ByteBuf::from(data) })
    };
    let copied = |wanted: bool, bytes: &[u8]| if wanted { bytes.to_vec() } else { Vec::new() };
    let words = |wanted: bool, words: &[u32]| -> Vec<u8> {
        if wanted { words.iter().flat_map(|word| word.to_le_bytes()).collect() } else { Vec::new() }
    };
    let depth = if needs.depth {
        frame.depth.iter().flat_map(|metres| metres.to_le_bytes()).collect()
    } else {
        Vec::new()
    };
    let found = |d: &Detection| Found {
        instance: d.instance,
        category: d.category,
        pixels: d.pixels,
        bbox: d.bbox,
        median_depth_m: d.median_depth_m,
        position: d.position.to_array(),
    };
    Images {
        rgb: array(needs.rgb, "uint8", &[3], copied(needs.rgb, &frame.rgb)),
        depth: array(needs.depth, "float32", &[], depth),
        valid: array(needs.depth, "uint8", &[], copied(needs.depth, &frame.valid)),
        instance: array(needs.instance, "uint32", &[], words(needs.instance, &frame.instance)),
        category: array(needs.category, "uint32", &[], words(needs.category, &frame.category)),
        detections: detections
            .filter(|_| needs.detections)
            .map(|detections| detections.iter().map(found).collect()),
    }
}

/// Messages are made of strings, numbers, maps and bytes, for which msgpack cannot fail; were it to,
/// the agent would be sent an empty message and complain.
fn pack(message: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec_named(message).unwrap_or_default()
}
