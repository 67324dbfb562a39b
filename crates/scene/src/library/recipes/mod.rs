//! Recipes for small objects: geometry, colours, pictures and convex pieces made from a few numbers,
//! so that nothing but a line of the catalogue is stored.
//!
//! Ambler draws unlit, so light is worked into the vertex colours: a soft light from above and the
//! front, darker insides and undersides, a highlight on what is glossy.

mod canvas;
mod font;
mod primitives;
mod shape;

mod appliances;
mod bottles;
mod cutlery;
mod decor;
mod devices;
mod food;
mod kitchen;
mod packages;
mod soft;
mod toys;

use super::ObjectModel;
use crate::SceneError;
use ambler_geometry::random::Stream;
use ambler_geometry::{Place, Vec3};
use serde::{Deserialize, Serialize};
use shape::Shape;
use std::path::Path;

/// Changes whenever a recipe gives another object for the same numbers.
pub const VERSION: u32 = 1;

/// What a recipe makes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// One of [`kinds`].
    pub kind: String,
    /// Width (x), height (y) and depth (z) in metres.
    pub size_m: [f32; 3],
    /// Colours as `#rrggbb`; what is not said, the recipe chooses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colors: Vec<String>,
    /// Which variant of its form, from 0.
    #[serde(default)]
    pub style: u32,
    /// What is written on it, in capital letters and digits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// What a recipe's function sees.
struct Wish<'a> {
    /// Width.
    w: f32,
    /// Height.
    h: f32,
    /// Depth.
    d: f32,
    style: u32,
    label: &'a str,
    colors: Vec<[f32; 3]>,
    stream: Stream,
}

impl Wish<'_> {
    /// The colour that was asked for, or this one.
    fn color(&self, index: usize, otherwise: u32) -> [f32; 3] {
        self.colors.get(index).copied().unwrap_or_else(|| shape::rgb(otherwise))
    }
}

type Maker = fn(&mut Shape, &mut Wish<'_>);

/// All recipes by name.
const TABLES: &[&[(&str, Maker)]] = &[
    kitchen::RECIPES,
    cutlery::RECIPES,
    packages::RECIPES,
    bottles::RECIPES,
    food::RECIPES,
    soft::RECIPES,
    devices::RECIPES,
    appliances::RECIPES,
    decor::RECIPES,
    toys::RECIPES,
];

/// The names of all recipes.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter().map(|(name, _)| *name))
}

/// The object, and the convex pieces that it consists of.
pub(super) fn make(recipe: &Recipe) -> Result<(ObjectModel, Vec<Vec<Vec3>>), SceneError> {
    let fault = |what: String, remedy: &str| {
        SceneError::malformed(Path::new("recipe"), Place::Pointer(recipe.kind.clone()), what, remedy)
    };
    let maker = TABLES.iter().flat_map(|table| table.iter()).find(|(name, _)| *name == recipe.kind);
    let Some((_, maker)) = maker else {
        return Err(fault("is no recipe".into(), "'ambler objects list --recipes' names them all"));
    };
    let [w, h, d] = recipe.size_m;
    if !recipe.size_m.iter().all(|side| (0.001..=3.0).contains(side)) {
        return Err(fault(
            format!("a size of {w} × {h} × {d} m"),
            "give three lengths from 0.001 to 3 metres",
        ));
    }
    let colors = recipe
        .colors
        .iter()
        .map(|text| {
            let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
            let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            value.map(shape::rgb).ok_or_else(|| fault(format!("'{text}' is no colour"), "write #rrggbb"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let stream = Stream::new(u64::from(recipe.style), &recipe.kind, "recipe");
    let mut wish = Wish { w, h, d, style: recipe.style, label: &recipe.label, colors, stream };
    let mut shape = Shape::default();
    maker(&mut shape, &mut wish);
    Ok(shape.finish())
}

/// The object that a recipe makes: the same bytes for the same recipe.
///
/// # Errors
/// [`SceneError::Malformed`] for an unknown kind, a size that no small object has, or a wrong colour.
pub fn build(recipe: &Recipe) -> Result<ObjectModel, SceneError> {
    Ok(make(recipe)?.0)
}
