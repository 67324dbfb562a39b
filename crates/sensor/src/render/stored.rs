//! The renderer in a scene's bundle.

use super::Renderer;
use super::fast;
use super::scenery::Scenery;
use super::texture::Pyramid;
use ambler_bundle::{Bundle, Put, Take, Writer};
use ambler_geometry::Fault;
use ambler_scene::{Array, SceneModel};
use std::io;
use std::sync::Arc;

/// Changes whenever what is stored, or how it is made, changes.
const VERSION: u32 = 3;

const META: u32 = 64;
const TEXTURES: u32 = 65;

impl Renderer {
    /// Writes what was prepared for drawing into a bundle, beside the scene itself
    /// ([`ambler_scene::stored::write`]).
    ///
    /// # Errors
    /// Those of writing.
    pub fn store(&self, writer: &mut Writer) -> io::Result<()> {
        let mut meta = Put::new();
        meta.u32(VERSION).list(&self.scenery.textures, |put, pyramid| {
            put.u8(u8::from(pyramid.translucent));
        });
        writer.section(META, true, |out| out.push(meta.bytes()))?;
        fast::stored::write(&self.meshes, writer)?;
        writer.section(TEXTURES, false, |out| {
            self.scenery.textures.iter().try_for_each(|pyramid| out.push(pyramid.stored()))
        })
    }

    /// What [`Renderer::store`] wrote, of the scene that was read from the same bundle. What is large
    /// stays in the file. Draws the same images as [`Renderer::new`].
    ///
    /// # Errors
    /// What is wrong with the bundle. Whatever its bytes are, what is returned draws without a panic.
    pub fn stored(scene: Arc<SceneModel>, bundle: &Bundle) -> Result<Self, Fault> {
        let mut take = Take::new(bundle.bytes(META)?, bundle.path());
        let version = take.u32()?;
        if version != VERSION {
            return Err(bundle.fault(META, format!("version {version} and not {VERSION}")));
        }
        let translucent = take.list(Take::u8)?;
        take.end()?;
        if translucent.len() != scene.textures.len() {
            return Err(bundle.fault(META, "another number of textures"));
        }
        let blocks: Array<[u8; 4]> = bundle.array(TEXTURES)?;
        let mut next = 0_usize;
        let mut textures = Vec::with_capacity(scene.textures.len());
        for (texture, &translucent) in scene.textures.iter().zip(&translucent) {
            let end = next.saturating_add(Pyramid::stored_len(texture));
            let pyramid = blocks
                .part(next..end)
                .and_then(|pixels| Pyramid::from_stored(texture, pixels, translucent != 0))
                .ok_or_else(|| bundle.fault(TEXTURES, "too short"))?;
            textures.push(Arc::new(pyramid));
            next = end;
        }
        let meshes = fast::stored::read(bundle, &scene.meshes)?;
        let scenery = Scenery::with(scene, textures, |mesh| meshes[mesh].translucent);
        Ok(Self::of(scenery, meshes))
    }
}
