//! What the engine does with the objects of a scene.

use crate::engine::Work;
use crate::snapshot::Severity;
use crate::{StageView, Things};
use ambler_geometry::Vec3;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What falls is looked at so often.
const LOOK: Duration = Duration::from_millis(50);
/// What has not come to rest after so many looks is left as it is: 15 seconds.
const MOST_LOOKS: u32 = 300;

impl Work {
    /// Reads the library once.
    pub(crate) fn read_library(&mut self) {
        if self.now.library.is_some() {
            return;
        }
        self.now.working = Some("reading the library of objects".to_owned());
        self.publish();
        match self.host.library() {
            Ok(rows) => self.now.library = Some(Arc::new(rows)),
            Err(reason) => {
                self.now.library = Some(Arc::default());
                self.say(Severity::Warning, reason);
            }
        }
        self.now.working = None;
        self.publish();
    }

    pub(crate) fn drop_object(&mut self, object: &str, at: Vec3) {
        let mut id = None;
        self.by_hand(|things| {
            id = Some(things.drop(object, at)?);
            Ok(())
        });
        self.now.hand.dropped.extend(id);
        self.publish();
    }

    pub(crate) fn push(&mut self, instance: u32, way: Vec3) {
        self.by_hand(|things| things.push(instance, way));
        self.publish();
    }

    /// Does something to the objects; from then on the drive has no score.
    fn by_hand(&mut self, deed: impl FnOnce(&mut dyn Things) -> Result<(), String>) {
        self.halt();
        if self.things.is_none() {
            let Some(stage) = self.plain.clone() else { return };
            match self.host.things(&stage) {
                Ok(things) => self.things = Some(things),
                Err(reason) => {
                    self.say(Severity::Warning, reason);
                    return;
                }
            }
        }
        let Some(things) = &mut self.things else { return };
        match deed(things.as_mut()) {
            Ok(()) => {
                self.now.hand.touched = true;
                self.now.hand.moving = true;
                self.falls = Instant::now();
                self.ticks = 0;
                self.take_over();
            }
            Err(reason) => self.say(Severity::Warning, reason),
        }
    }

    /// One look at what falls.
    pub(crate) fn fall(&mut self) {
        self.falls = Instant::now() + LOOK;
        self.ticks += 1;
        let Some(things) = &mut self.things else {
            self.now.hand.moving = false;
            return;
        };
        let moving = things.pass();
        let lost = things.lost();
        self.now.hand.moving = moving && self.ticks < MOST_LOOKS;
        for name in lost {
            self.say(Severity::Note, format!("{name} fell out of the scene"));
        }
        self.take_over();
        self.publish();
    }

    /// Shows the scene, and the drive's cameras, as the objects are now.
    fn take_over(&mut self) {
        let (Some(things), Some(plain)) = (&self.things, &self.plain) else { return };
        let (scene, renderer) = things.scene();
        let moved = things.moved();
        if let Some(drive) = &mut self.drive {
            drive.furnish(&renderer, &moved);
        }
        let known = self.now.stage.as_ref().is_some_and(|stage| Arc::ptr_eq(&stage.scene, &scene));
        if !known {
            self.now.stage = Some(StageView { scene, renderer, ..plain.clone() });
        }
        self.now.hand.moved = moved;
        self.now.hand.revision += 1;
    }

    /// Everything is where the scene has it. The drive goes on without a score until it is begun again.
    pub(crate) fn put_back(&mut self) {
        self.halt();
        self.things = None;
        self.now.hand.moving = false;
        self.now.hand.dropped.clear();
        self.now.hand.moved.clear();
        self.now.hand.revision += 1;
        self.now.stage = self.plain.clone();
        if let (Some(drive), Some(plain)) = (&mut self.drive, &self.plain) {
            drive.furnish(&plain.renderer, &self.now.hand.moved);
        }
        self.publish();
    }
}
