use super::accessor::Accessors;
use super::container::load_uri;
use crate::files::Context;
use crate::{Material, SceneError, SceneModel, Texture, Wrap, pixels};
use ::gltf::json::material::AlphaMode;
use ::gltf::json::texture::{Info, WrappingMode};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Index, Root};
use ambler_geometry::{Place, Vec2};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Which texture coordinates a material wants, and how they are moved (KHR_texture_transform).
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinates {
    pub(super) set: u32,
    pub(super) offset: Vec2,
    pub(super) rotation: f32,
    pub(super) scale: Vec2,
}

impl Coordinates {
    pub(super) fn apply(&self, uv: Vec2) -> Vec2 {
        if self.offset == Vec2::ZERO && self.rotation == 0.0 && self.scale == Vec2::ONE {
            return uv;
        }
        let (sin, cos) = (libm_sin(self.rotation), libm_cos(self.rotation));
        let scaled = uv * self.scale;
        Vec2::new(cos * scaled.x + sin * scaled.y, cos * scaled.y - sin * scaled.x) + self.offset
    }
}

// glam's sine comes from libm in this build, the same bits on every machine.
fn libm_sin(angle: f32) -> f32 {
    Vec2::from_angle(angle).y
}
fn libm_cos(angle: f32) -> f32 {
    Vec2::from_angle(angle).x
}

/// Materials as they are asked for, and the textures behind them, each decoded once.
#[derive(Default)]
pub(super) struct Materials<'a> {
    by_index: BTreeMap<Option<usize>, (u32, Option<Coordinates>)>,
    by_image: BTreeMap<(usize, u8, u8), u32>,
    images: Vec<Image<'a>>,
    /// For each texture its image and how it is read beyond its border.
    textures: Vec<(usize, [Wrap; 2])>,
}

/// An image that waits to be decoded.
struct Image<'a> {
    index: usize,
    checked: pixels::Checked,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Materials<'a> {
    /// Index into the model's pool, and the texture coordinates it needs.
    pub(super) fn get(
        &mut self,
        index: Option<Index<::gltf::json::Material>>,
        accessors: &Accessors<'a>,
        model: &mut SceneModel,
        context: &mut Context,
        place: &str,
    ) -> Result<(u32, Option<Coordinates>), SceneError> {
        let key = index.map(|index| index.value());
        if let Some(&known) = self.by_index.get(&key) {
            return Ok(known);
        }
        let mut material = Material::default();
        let mut coordinates = None;
        if let Some(index) = index {
            let source = accessors.root.get(index).ok_or_else(|| {
                accessors
                    .fault(place, format!("refers to material {}, which does not exist", index.value()))
            })?;
            let place = format!("/materials/{}", index.value());
            material.name = source.name.clone().unwrap_or_default();
            material.double_sided = source.double_sided;
            material.base_color = source.pbr_metallic_roughness.base_color_factor.0;
            if !material.base_color.iter().all(|part| part.is_finite()) {
                return Err(accessors.fault(&place, "the base colour is not finite"));
            }
            if let Checked::Valid(AlphaMode::Mask) = source.alpha_mode {
                material.alpha_cutoff = Some(source.alpha_cutoff.map_or(0.5, |cutoff| cutoff.0));
            }
            if source
                .extensions
                .as_ref()
                .is_some_and(|e| e.others.contains_key("KHR_materials_pbrSpecularGlossiness"))
            {
                context.note("specular-glossiness materials are read by their metallic-roughness part");
            }
            if let Some(info) = &source.pbr_metallic_roughness.base_color_texture {
                coordinates = Some(read_coordinates(info));
                material.texture = Some(self.texture(info, accessors, context, &place)?);
            }
        }
        let position = model.materials.len() as u32;
        model.materials.push(material);
        self.by_index.insert(key, (position, coordinates));
        Ok((position, coordinates))
    }

    fn texture(
        &mut self,
        info: &Info,
        accessors: &Accessors<'a>,
        context: &mut Context,
        place: &str,
    ) -> Result<u32, SceneError> {
        let root = accessors.root;
        let missing = |what: &str, index: usize| {
            accessors.fault(place, format!("refers to {what} {index}, which does not exist"))
        };
        let texture = root.get(info.index).ok_or_else(|| missing("texture", info.index.value()))?;
        let sampler = match texture.sampler {
            Some(index) => Some(root.get(index).ok_or_else(|| missing("sampler", index.value()))?),
            None => None,
        };
        let wrap =
            sampler.map_or([Wrap::Repeat; 2], |sampler| [wrap(&sampler.wrap_s), wrap(&sampler.wrap_t)]);
        let extension = |name: &str| {
            let others = &texture.extensions.as_ref()?.others;
            others.get(name)?.get("source")?.as_u64().and_then(|index| usize::try_from(index).ok())
        };
        let plain = Some(texture.source.value()).filter(|&index| index < root.images.len());
        let Some(image) = extension("EXT_texture_webp").or(plain) else {
            if extension("KHR_texture_basisu").is_some() {
                return Err(SceneError::unsupported(
                    accessors.path,
                    Place::Pointer(place.to_owned()),
                    "the texture is stored as Basis Universal (KHR_texture_basisu)",
                    "convert the textures, for example with 'gltf-transform' to WebP or PNG",
                ));
            }
            return Err(missing("image", texture.source.value()));
        };
        let key = (image, wrap[0] as u8, wrap[1] as u8);
        if let Some(&known) = self.by_image.get(&key) {
            return Ok(known);
        }
        let same = self.images.iter().position(|known| known.index == image);
        let number = match same.and_then(|number| self.images.get(number).map(|known| (number, known))) {
            Some((number, known)) => {
                let (width, height) = (known.checked.width, known.checked.height);
                let place = Place::Pointer(place.to_owned());
                context.spend_pixels(accessors.path, place, width, height)?;
                number
            }
            None => {
                self.images.push(load_image(root, image, accessors, context)?);
                self.images.len() - 1
            }
        };
        let position = self.textures.len() as u32;
        self.textures.push((number, wrap));
        self.by_image.insert(key, position);
        Ok(position)
    }

    /// The textures of all materials, their images decoded side by side.
    pub(super) fn textures(&self, path: &Path) -> Result<Vec<Arc<Texture>>, SceneError> {
        let decode = |image: &Image<'_>| image.checked.decode(path, &image.bytes);
        let decoded: Vec<Result<Texture, SceneError>> = self.images.par_iter().map(decode).collect();
        // The first fault in the file's order, whichever was met first.
        let mut decoded: Vec<Option<Texture>> =
            decoded.into_iter().map(|image| image.map(Some)).collect::<Result<_, _>>()?;
        let mut left: Vec<usize> = vec![0; decoded.len()];
        self.textures.iter().for_each(|&(number, _)| left[number] += 1);
        let mut textures = Vec::with_capacity(self.textures.len());
        for &(number, wrap) in &self.textures {
            left[number] -= 1;
            let image = if left[number] == 0 { decoded[number].take() } else { decoded[number].clone() };
            textures.extend(image.map(|image| Arc::new(Texture { wrap, ..image })));
        }
        Ok(textures)
    }
}

fn load_image<'a>(
    root: &Root,
    index: usize,
    accessors: &Accessors<'a>,
    context: &mut Context,
) -> Result<Image<'a>, SceneError> {
    let place = format!("/images/{index}");
    let Some(image) = root.images.get(index) else {
        return Err(accessors.fault(&place, "the image does not exist"));
    };
    let pointer = Place::Pointer(place.clone());
    if let Some(view) = image.buffer_view {
        let (bytes, _) = accessors.view(view, &place)?;
        let checked = pixels::check(context, accessors.path, pointer, bytes)?;
        return Ok(Image { index, checked, bytes: Cow::Borrowed(bytes) });
    }
    let Some(uri) = &image.uri else {
        return Err(accessors.fault(&place, "the image has neither a buffer view nor a URI"));
    };
    let bytes = load_uri(uri, accessors.path, pointer.clone(), context)?;
    let checked = pixels::check(context, accessors.path, pointer, &bytes)?;
    Ok(Image { index, checked, bytes: Cow::Owned(bytes) })
}

fn read_coordinates(info: &Info) -> Coordinates {
    let mut out =
        Coordinates { set: info.tex_coord, offset: Vec2::ZERO, rotation: 0.0, scale: Vec2::ONE };
    if let Some(transform) =
        info.extensions.as_ref().and_then(|extensions| extensions.texture_transform.as_ref())
    {
        out.offset = Vec2::from_array(transform.offset.0);
        out.rotation = transform.rotation.0;
        out.scale = Vec2::from_array(transform.scale.0);
        if let Some(set) = transform.tex_coord {
            out.set = set;
        }
    }
    out
}

fn wrap(mode: &Checked<WrappingMode>) -> Wrap {
    match mode {
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::Clamp,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::Mirror,
        _ => Wrap::Repeat,
    }
}
