use ambler_session::{Painter, Painting, WishKey};
use bevy::asset::RenderAssetUsages;
use bevy::prelude::{Assets, Handle, Image};
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy_egui::{EguiTextureHandle, EguiUserTextures, egui::TextureId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A picture as a texture.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What egui calls it.
    pub texture: TextureId,
    /// Pixels across and down.
    pub size: [u32; 2],
    image: Handle<Image>,
}

/// The newest pictures, as textures.
#[derive(Default)]
pub struct Gallery {
    shown: BTreeMap<(WishKey, &'static str), Shown>,
    paintings: BTreeMap<WishKey, Arc<Painting>>,
}

impl Gallery {
    /// Brings the textures up to date with what the painter has drawn. Says whether one changed.
    pub fn refresh(
        &mut self,
        painter: &Painter,
        keys: &[WishKey],
        images: &mut Assets<Image>,
        textures: &mut EguiUserTextures,
    ) -> bool {
        let mut changed = false;
        for &key in keys {
            let Some(painting) = painter.painting(key) else {
                self.paintings.remove(&key);
                continue;
            };
            let old = self.paintings.insert(key, Arc::clone(&painting));
            if old.is_some_and(|old| Arc::ptr_eq(&old, &painting)) {
                continue;
            }
            changed = true;
            let size = [painting.frame.width, painting.frame.height];
            for (&name, pixels) in &painting.pictures {
                let slot = (key, name);
                let same = self.shown.get_mut(&slot).filter(|shown| shown.size == size);
                if let Some(shown) = same
                    && let Some(mut image) = images.get_mut(&shown.image)
                {
                    image.data = Some(pixels.clone());
                    continue;
                }
                if let Some(old) = self.shown.remove(&slot) {
                    textures.remove_image(old.image.id());
                }
                let extent = Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 };
                let image = images.add(Image::new(
                    extent,
                    TextureDimension::D2,
                    pixels.clone(),
                    TextureFormat::Rgba8UnormSrgb,
                    RenderAssetUsages::MAIN_WORLD | RenderAssetUsages::RENDER_WORLD,
                ));
                let texture = textures.add_image(EguiTextureHandle::Strong(image.clone()));
                self.shown.insert(slot, Shown { texture, size, image });
            }
        }
        changed
    }

    /// A picture, such as the `depth` of the first camera.
    pub fn picture(&self, key: WishKey, name: &'static str) -> Option<&Shown> {
        self.shown.get(&(key, name))
    }

    /// What a picture was drawn from.
    pub fn painting(&self, key: WishKey) -> Option<&Arc<Painting>> {
        self.paintings.get(&key)
    }
}
