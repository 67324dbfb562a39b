//! Working memory of views, shared by all that draw a scene.

use super::fast::Canvas;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// As many canvases as images can be drawn at once, made when they are needed. Workers beyond that wait
/// for one: a canvas holds megabytes where much is visible, and the processor would draw no sooner.
pub(crate) struct Canvases {
    pool: Mutex<Pool>,
    returned: Condvar,
    most: usize,
}

struct Pool {
    /// The last one used is used next: it is still in the processor's caches.
    spare: Vec<Canvas>,
    made: usize,
}

impl Canvases {
    /// One for each core.
    pub(crate) fn new() -> Self {
        Self::of(std::thread::available_parallelism().map_or(1, usize::from))
    }

    fn of(most: usize) -> Self {
        let pool = Pool { spare: Vec::new(), made: 0 };
        Self { pool: Mutex::new(pool), returned: Condvar::new(), most: most.max(1) }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A canvas, once there is one. It comes back when it is dropped.
    pub(crate) fn take(&self) -> Taken<'_> {
        let mut pool = self.pool();
        loop {
            if let Some(canvas) = pool.spare.pop() {
                return Taken { canvas, from: self };
            }
            if pool.made < self.most {
                pool.made += 1;
                return Taken { canvas: Canvas::default(), from: self };
            }
            pool = self.returned.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A canvas in use.
pub(crate) struct Taken<'a> {
    canvas: Canvas,
    from: &'a Canvases,
}

impl Deref for Taken<'_> {
    type Target = Canvas;

    fn deref(&self) -> &Canvas {
        &self.canvas
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut Canvas {
        &mut self.canvas
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.from.pool().spare.push(std::mem::take(&mut self.canvas));
        self.from.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_canvases_are_in_use_than_there_may_be() {
        let canvases = Canvases::of(2);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _taken = canvases.take();
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 2);
        let pool = canvases.pool();
        assert_eq!(pool.made, pool.spare.len());
    }

    #[test]
    fn a_canvas_comes_back_from_a_thread_that_panicked() {
        let canvases = Canvases::of(1);
        std::thread::scope(|scope| {
            let failed = scope.spawn(|| {
                let _taken = canvases.take();
                std::panic::resume_unwind(Box::new(()));
            });
            assert!(failed.join().is_err());
        });
        drop(canvases.take());
        assert_eq!(canvases.pool().spare.len(), 1);
    }
}
