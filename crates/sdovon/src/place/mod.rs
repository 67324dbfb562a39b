//! Stage 8: things fall onto their surfaces, come to rest, and are checked; what fails is drawn again.

mod spot;

use crate::SdovonError;
use crate::analysis::{Analysis, Surface};
use crate::convex;
use crate::plan::{self, Chances, Planner};
use crate::settings::{PlacementSettings, SpawnRotation};
use ambler_geometry::random::Stream;
use ambler_geometry::{Quat, Vec2, Vec3};
use ambler_model::Region;
use ambler_scene::library::LibraryObject;
use serde::{Deserialize, Serialize};
use spot::Spot;
use std::collections::BTreeMap;

/// A body for [`Settle`].
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Unique, from 1.
    pub id: u32,
    /// What it is.
    pub object: &'a LibraryObject,
    /// Position of its origin, metres.
    pub position: Vec3,
    /// Turns its frame into the world's.
    pub rotation: Quat,
    /// It lies still until something touches it.
    pub asleep: bool,
}

/// What a body is doing when the time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It rests.
    AtRest,
    /// It still moves.
    Moving,
    /// It has left the scene.
    Fallen,
}

/// Where a body ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rested {
    /// Which body.
    pub id: u32,
    /// Position of its origin, metres.
    pub position: Vec3,
    /// Turns its frame into the world's.
    pub rotation: Quat,
    /// What it does.
    pub motion: Motion,
    /// How deep it reaches into the home or into another body, metres; of two bodies the lighter one does.
    pub overlap_m: f32,
}

/// The physics of one home. What lies there is the home itself; bodies are those that are handed over.
pub trait Settle: Sync {
    /// Whether an object in this pose would touch nothing of the home.
    fn is_free(&self, object: &LibraryObject, position: Vec3, rotation: Quat) -> bool;

    /// Lets bodies fall for at most so many seconds; where each ended, in the order given. The same bodies
    /// end in the same places.
    ///
    /// # Errors
    /// Says which object makes no body.
    fn settle(&self, bodies: &[Body<'_>], seconds: f32) -> Result<Vec<Rested>, String>;
}

/// A variant of a home: what was put where, and what was not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name: the home's, and its number.
    pub name: String,
    /// The home's name.
    pub base: String,
    /// Seed of the run.
    pub seed: u64,
    /// Number among the home's variants.
    pub number: u32,
    /// Things that rest on surfaces.
    pub objects: Vec<Placed>,
    /// Things that were drawn for a surface, tried in vain, and not replaced by another.
    pub failed: Vec<Failed>,
    /// How often a try failed, by reason, successful things' earlier tries included.
    pub reasons: BTreeMap<String, u32>,
}

/// A thing that rests on a surface, and why it is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// Name in the scene.
    pub name: String,
    /// The library's object.
    pub object: String,
    /// Its category.
    pub category: String,
    /// Name of the surface.
    pub surface: String,
    /// What the surface's receptacle is called.
    pub receptacle: String,
    /// The region in which the surface lies.
    pub region: Region,
    /// Number of the storey.
    pub floor: u32,
    /// Probabilities with which its category was drawn.
    pub chances: Chances,
    /// Position of its origin, metres.
    pub position: Vec3,
    /// Turns its frame into the world's (x, y, z, w).
    pub rotation: Quat,
    /// What was tried for its place before.
    pub rejected: Vec<Rejected>,
}

/// A place for a thing that stayed empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// Name of the surface.
    pub surface: String,
    /// What the surface's receptacle is called.
    pub receptacle: String,
    /// The region in which the surface lies.
    pub region: Region,
    /// What was tried.
    pub rejected: Vec<Rejected>,
}

/// A try that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rejected {
    /// The library's object.
    pub object: String,
    /// Its category.
    pub category: String,
    /// Probability with which its category was drawn.
    pub joint: f64,
    /// Why it failed.
    pub why: String,
}

/// A place for a thing.
struct Slot<'a> {
    surface: usize,
    state: State<'a>,
    rejected: Vec<Rejected>,
}

enum State<'a> {
    /// To be drawn.
    Open,
    /// In the air.
    Falling(Thing<'a>),
    /// At rest, checked.
    Resting(Thing<'a>),
}

#[derive(Clone, Copy)]
struct Thing<'a> {
    object: &'a LibraryObject,
    chances: Chances,
    spot: Spot,
}

/// Verification rounds at most.
const CHECKS: u32 = 4;

/// Makes a variant: draws things for surfaces, lets them fall together, checks each, and draws again for
/// what failed, round by round.
///
/// # Errors
/// A model that cannot answer, or an object that makes no body.
pub fn variant(
    analysis: &Analysis,
    planner: &mut Planner<'_>,
    settle: &dyn Settle,
    settings: &PlacementSettings,
    seed: u64,
    number: u32,
) -> Result<Variant, SdovonError> {
    let mut stream = Stream::new(seed, &analysis.key, &format!("variant {number}"));
    let mut slots: Vec<Slot<'_>> = plan::slots(analysis, settings, &mut stream)
        .into_iter()
        .map(|surface| Slot { surface, state: State::Open, rejected: Vec::new() })
        .collect();
    for _ in 0..settings.rounds.max(1) {
        let open = draw_open(analysis, planner, settle, settings, &mut slots, &mut stream)?;
        if open == 0 {
            break;
        }
        fall(analysis, settle, settings, &mut slots)?;
    }
    for _ in 0..CHECKS {
        if !check_again(settle, settings, &mut slots)? {
            break;
        }
    }
    Ok(finished(analysis, &slots, seed, number))
}

/// Draws a thing and a spot for every open slot; how many got one.
fn draw_open<'a>(
    analysis: &Analysis,
    planner: &mut Planner<'a>,
    settle: &dyn Settle,
    settings: &PlacementSettings,
    slots: &mut [Slot<'a>],
    stream: &mut Stream,
) -> Result<u32, SdovonError> {
    /// Things drawn in turn for a slot in one round, until one has a spot.
    const DRAWS: u32 = 4;
    let mut drawn = 0;
    for index in 0..slots.len() {
        if !matches!(slots[index].state, State::Open) {
            continue;
        }
        let number = slots[index].surface;
        let surface = &analysis.surfaces[number];
        // Surfaces of one piece of furniture lie over each other; circles of others do no harm.
        let taken: Vec<(Vec2, f32)> = slots
            .iter()
            .filter(|slot| slot.surface == number)
            .filter_map(|slot| slot.state.thing())
            .map(|thing| (thing.spot.middle, thing.spot.radius_m))
            .collect();
        for _ in 0..DRAWS {
            let Some(draw) = planner.draw(surface.region, &surface.label, stream)? else { break };
            let spot = spot::draw(draw.object, surface, &taken, settle, settings, stream);
            match spot {
                Ok(spot) => {
                    let thing = Thing { object: draw.object, chances: draw.chances, spot };
                    slots[index].state = State::Falling(thing);
                    drawn += 1;
                    break;
                }
                Err(why) => slots[index].rejected.push(rejected(draw.object, &draw.chances, why)),
            }
        }
    }
    Ok(drawn)
}

fn rejected(object: &LibraryObject, chances: &Chances, why: &str) -> Rejected {
    Rejected {
        object: object.name.clone(),
        category: object.category.clone(),
        joint: chances.joint,
        why: why.to_owned(),
    }
}

impl<'a> State<'a> {
    fn thing(&self) -> Option<Thing<'a>> {
        match self {
            Self::Open => None,
            Self::Falling(thing) | Self::Resting(thing) => Some(*thing),
        }
    }
}

impl Slot<'_> {
    fn fail(&mut self, why: &str) {
        if let Some(thing) = self.state.thing() {
            self.rejected.push(rejected(thing.object, &thing.chances, why));
        }
        self.state = State::Open;
    }
}

fn bodies<'a>(slots: &[Slot<'a>], awake: bool) -> Vec<Body<'a>> {
    let numbered = (1_u32..).zip(slots);
    numbered
        .filter_map(|(id, slot)| {
            let thing = slot.state.thing()?;
            let asleep = !awake && matches!(slot.state, State::Resting(_));
            let Spot { position, rotation, .. } = thing.spot;
            Some(Body { id, object: thing.object, position, rotation, asleep })
        })
        .collect()
}

/// Lets what is in the air fall, beside what rests already, and checks everything.
fn fall(
    analysis: &Analysis,
    settle: &dyn Settle,
    settings: &PlacementSettings,
    slots: &mut [Slot<'_>],
) -> Result<(), SdovonError> {
    let rested = settle.settle(&bodies(slots, false), settings.settle_s).map_err(SdovonError::Settle)?;
    for rested in rested {
        let Some(slot) = slots.get_mut(rested.id as usize - 1) else { continue };
        let Some(thing) = slot.state.thing() else { continue };
        match wrong(&rested, &thing, &analysis.surfaces[slot.surface], settings) {
            Some(why) => slot.fail(why),
            None => slot.state = State::Resting(thing.moved(&rested)),
        }
    }
    Ok(())
}

impl Thing<'_> {
    fn moved(mut self, rested: &Rested) -> Self {
        self.spot.position = rested.position;
        self.spot.rotation = rested.rotation;
        let middle = rested.position + rested.rotation * self.object.center_of_mass;
        self.spot.middle = Vec2::new(middle.x, middle.z);
        self
    }
}

/// An object's middle may rest so much higher than its own size above its surface, metres: on another
/// object, not on the board above.
const STACK_M: f32 = 0.3;

/// What is wrong with how a thing came to rest.
fn wrong(
    rested: &Rested,
    thing: &Thing<'_>,
    surface: &Surface,
    settings: &PlacementSettings,
) -> Option<&'static str> {
    match rested.motion {
        Motion::Fallen => return Some("it fell out of the home"),
        Motion::Moving => return Some("it did not come to rest"),
        Motion::AtRest => {}
    }
    let middle = rested.position + rested.rotation * thing.object.center_of_mass;
    let at = Vec2::new(middle.x, middle.z);
    let above = middle.y - surface.plane.y_at(at);
    if above < -settings.below_m {
        return Some("it fell off its surface");
    }
    if convex::outside(&surface.plane.outline, at) > settings.outside_m {
        return Some("it left its surface");
    }
    // Below the surface, though not far: it hangs beside it, or lies in it.
    if above < -0.02 || above > thing.object.size_m.max_element() + STACK_M {
        return Some("it does not lie on its surface");
    }
    if rested.overlap_m > settings.overlap_m {
        return Some("it reaches into something");
    }
    let up = (rested.rotation * Vec3::Y).y;
    if settings.rotation == SpawnRotation::Resting && thing.spot.upright && up < spot::UPRIGHT_COS {
        return Some("it fell over");
    }
    None
}

/// Lets everything lie for a while, awake; what moves is taken away. Whether anything was.
fn check_again(
    settle: &dyn Settle,
    settings: &PlacementSettings,
    slots: &mut [Slot<'_>],
) -> Result<bool, SdovonError> {
    for slot in slots.iter_mut() {
        if matches!(slot.state, State::Falling(_)) {
            slot.fail("it did not come to rest");
        }
    }
    let bodies = bodies(slots, true);
    let rested = settle.settle(&bodies, settings.again_s).map_err(SdovonError::Settle)?;
    let mut any = false;
    for (before, rested) in bodies.iter().zip(rested) {
        // Half of what is allowed: the next simulation begins from here.
        let moved = before.position.distance(rested.position) > 0.5 * settings.again_m;
        let turned = before.rotation.angle_between(rested.rotation) > 0.1;
        if moved || turned || rested.motion == Motion::Fallen || rested.overlap_m > settings.overlap_m {
            if let Some(slot) = slots.get_mut(rested.id as usize - 1) {
                slot.fail("it drifts");
                any = true;
            }
        }
    }
    Ok(any)
}

fn finished(analysis: &Analysis, slots: &[Slot<'_>], seed: u64, number: u32) -> Variant {
    let mut variant = Variant {
        name: variant_name(&analysis.scene, number),
        base: analysis.scene.clone(),
        seed,
        number,
        objects: Vec::new(),
        failed: Vec::new(),
        reasons: BTreeMap::new(),
    };
    for slot in slots {
        let surface = &analysis.surfaces[slot.surface];
        for rejected in &slot.rejected {
            *variant.reasons.entry(rejected.why.clone()).or_insert(0) += 1;
        }
        let (name, receptacle, region) = (surface.name.clone(), surface.label.clone(), surface.region);
        let Some(thing) = slot.state.thing() else {
            let rejected = slot.rejected.clone();
            variant.failed.push(Failed { surface: name, receptacle, region, rejected });
            continue;
        };
        variant.objects.push(Placed {
            name: format!("placed_{}_{}", thing.object.name, variant.objects.len() + 1),
            object: thing.object.name.clone(),
            category: thing.object.category.clone(),
            surface: name,
            receptacle,
            region,
            floor: surface.floor,
            chances: thing.chances,
            position: thing.spot.position,
            rotation: thing.spot.rotation,
            rejected: slot.rejected.clone(),
        });
    }
    variant
}

/// The name of a variant: the home's, and its number.
pub fn variant_name(base: &str, number: u32) -> String {
    format!("{base}_v{number:03}")
}
