use crate::{Eye, cut};
use ambler_geometry::Affine;
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Frame, Moved, Picture, Renderer};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// What a picture is for. Of each there is one wish at a time, the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WishKey {
    /// What a camera of the robot sees, by its place on the rig. Drawn before all else.
    Sensor(usize),
    /// The main view.
    Main,
    /// The same view of another way that is shown beside.
    Beside,
    /// The map.
    Map,
}

/// Draws views of scenes by other means than the sensors' renderer, for people alone.
pub trait Drawer: Send + Sync {
    /// Draws a view of a flat lens into `frame`; returns how many triangles were drawn.
    ///
    /// # Errors
    /// Why it cannot; the sensors' renderer draws it then.
    fn draw(
        &self,
        scene: &Arc<SceneModel>,
        spec: &CameraSpec,
        world_from_camera: &Affine,
        moved: &Moved,
        frame: &mut Frame,
    ) -> Result<usize, String>;
}

/// A picture that somebody wants.
#[derive(Clone)]
pub struct Wish {
    /// What it is for.
    pub key: WishKey,
    /// Says which wish a painting answers; grows.
    pub number: u64,
    /// The step of the history that it shows.
    pub step: usize,
    /// The camera.
    pub eye: Eye,
    /// What has moved.
    pub moved: Moved,
    /// Draws it.
    pub renderer: Arc<Renderer>,
    /// Height in the world above which everything is cut away, but not instances in `moved`.
    pub cut_y: Option<f32>,
    /// The painter's [`Drawer`] is to draw it, where it has one.
    pub device: bool,
}

/// A picture that was drawn.
#[derive(Debug)]
pub struct Painting {
    /// The number of its wish.
    pub number: u64,
    /// The step of the history that it shows.
    pub step: usize,
    /// The camera it was drawn with.
    pub eye: Eye,
    /// The images.
    pub frame: Frame,
    /// Red, green, blue, alpha a pixel: colour, depth, instances and categories, as far as the camera
    /// delivers them.
    pub pictures: BTreeMap<&'static str, Vec<u8>>,
    /// Seconds it took.
    pub took_s: f64,
    /// Triangles handed to the [`Drawer`]; `None` where the sensors' renderer drew it.
    pub drawn: Option<usize>,
    /// Why the [`Drawer`] did not draw it though it was asked.
    pub problem: Option<String>,
}

/// The depth shown darkest, metres: fixed, so that pictures can be compared.
pub const FAR_M: f32 = 10.0;
const NEAR_M: f32 = 0.3;

#[derive(Default)]
struct Board {
    wishes: BTreeMap<WishKey, Wish>,
    done: BTreeMap<WishKey, Arc<Painting>>,
    drawer: Option<Arc<dyn Drawer>>,
    busy: bool,
    over: bool,
}

type Shared = Arc<(Mutex<Board>, Condvar)>;

/// Draws pictures on a thread of its own. A wish that came before its picture was begun is forgotten
/// when a newer one for the same key comes.
pub struct Painter {
    shared: Shared,
    thread: Option<JoinHandle<()>>,
}

fn board(shared: &Shared) -> std::sync::MutexGuard<'_, Board> {
    shared.0.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Painter {
    /// Starts the thread; `wake` is called after each picture.
    pub fn start(wake: impl Fn() + Send + 'static) -> Self {
        let shared: Shared = Arc::default();
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("painter".to_owned()).spawn(move || {
            let mut cuts = Cuts::default();
            while let Some(wish) = next(&theirs) {
                let key = wish.key;
                let drawer = board(&theirs).drawer.clone();
                let painting = paint(wish, &mut cuts, drawer.as_deref());
                let mut board = board(&theirs);
                board.busy = false;
                if let Some(painting) = painting {
                    board.done.insert(key, Arc::new(painting));
                }
                drop(board);
                wake();
            }
        });
        // A machine without threads draws nothing; everything else goes on.
        Self { shared, thread: thread.ok() }
    }

    /// Hands out wishes that ask for it to a drawer from now on.
    pub fn set_drawer(&self, drawer: Arc<dyn Drawer>) {
        board(&self.shared).drawer = Some(drawer);
    }

    /// Whether there is a drawer.
    pub fn has_drawer(&self) -> bool {
        board(&self.shared).drawer.is_some()
    }

    /// Asks for a picture.
    pub fn wish(&self, wish: Wish) {
        board(&self.shared).wishes.insert(wish.key, wish);
        self.shared.1.notify_one();
    }

    /// The newest picture for a key.
    pub fn painting(&self, key: WishKey) -> Option<Arc<Painting>> {
        board(&self.shared).done.get(&key).cloned()
    }

    /// Whether nothing is being drawn or waited for.
    pub fn is_idle(&self) -> bool {
        let board = board(&self.shared);
        !board.busy && board.wishes.is_empty()
    }

    /// Forgets all wishes and pictures: another scene was opened.
    pub fn clear(&self) {
        let mut board = board(&self.shared);
        board.wishes.clear();
        board.done.clear();
    }
}

impl Drop for Painter {
    fn drop(&mut self) {
        board(&self.shared).over = true;
        self.shared.1.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The next wish to fulfil; `None` when it is over.
fn next(shared: &Shared) -> Option<Wish> {
    let mut board = board(shared);
    loop {
        if board.over {
            return None;
        }
        if let Some((_, wish)) = board.wishes.pop_first() {
            board.busy = true;
            return Some(wish);
        }
        board = shared.1.wait(board).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Scenes that were cut last, since one is looked at many times.
#[derive(Default)]
struct Cuts(Vec<(Arc<Renderer>, f32, Arc<Renderer>)>);

/// So many are kept: the two of a comparison and the last floor.
const MOST_CUTS: usize = 3;

impl Cuts {
    fn below(&mut self, whole: &Arc<Renderer>, y: f32, moved: &Moved) -> Arc<Renderer> {
        let known =
            |(of, at, _): &(Arc<Renderer>, f32, Arc<Renderer>)| Arc::ptr_eq(of, whole) && *at == y;
        if let Some(place) = self.0.iter().position(known) {
            let found = self.0.remove(place);
            self.0.push(found);
        } else {
            let scene = cut::below(whole.scene(), y, |instance| moved.get(instance).is_some());
            let made = Arc::new(Renderer::sharing(whole, Arc::new(scene)));
            if self.0.len() >= MOST_CUTS {
                self.0.remove(0);
            }
            self.0.push((Arc::clone(whole), y, made));
        }
        self.0.last().map_or_else(|| Arc::clone(whole), |(.., made)| Arc::clone(made))
    }
}

fn paint(wish: Wish, cuts: &mut Cuts, drawer: Option<&dyn Drawer>) -> Option<Painting> {
    let start = Instant::now();
    let mut frame = Frame::default();
    let Wish { key: _, number, step, eye, moved, renderer, cut_y, device } = wish;
    let renderer = match cut_y {
        Some(y) => cuts.below(&renderer, y, &moved),
        None => renderer,
    };
    let draw = |drawer: &dyn Drawer| {
        drawer.draw(renderer.scene(), &eye.spec, &eye.world_from_camera, &moved, &mut frame)
    };
    let (drawn, problem) = match drawer.filter(|_| device).map(draw) {
        None => (None, None),
        Some(Ok(triangles)) => (Some(triangles), None),
        Some(Err(problem)) => (None, Some(problem)),
    };
    if drawn.is_none() {
        renderer.render_moved(&eye.spec, &eye.world_from_camera, &moved, &mut frame).ok()?;
    }
    let mut pictures = BTreeMap::new();
    let outputs = eye.spec.outputs;
    if outputs.rgb {
        pictures.insert("rgb", rgba(&Picture::of_rgb(&frame)));
    }
    // The main view's depth and ids are for picking and overlays, not to be looked at.
    if outputs.category {
        pictures.insert("depth", rgba(&Picture::of_depth(&frame, Some((NEAR_M, FAR_M)))));
        pictures.insert("instance", rgba(&Picture::of_instances(&frame)));
        pictures.insert("category", rgba(&Picture::of_categories(&frame)));
    }
    let took_s = start.elapsed().as_secs_f64();
    Some(Painting { number, step, eye, frame, pictures, took_s, drawn, problem })
}

fn rgba(picture: &Picture) -> Vec<u8> {
    picture.pixels.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::unbounded;
    use std::time::Duration;

    #[test]
    fn the_newest_wish_is_drawn_and_the_window_is_woken() {
        let (told, heard) = unbounded();
        let painter = Painter::start(move || assert!(told.send(()).is_ok()));
        let renderer = Arc::new(Renderer::new(Arc::new(SceneModel::default())));
        let wish = |number| Wish {
            key: WishKey::Main,
            number,
            step: 3,
            eye: Eye { spec: CameraSpec::default(), world_from_camera: Affine::IDENTITY },
            moved: Moved::default(),
            renderer: Arc::clone(&renderer),
            cut_y: (number % 2 == 0).then_some(1.0),
            device: false,
        };
        for number in 1..=50 {
            painter.wish(wish(number));
        }
        while painter.painting(WishKey::Main).is_none_or(|painting| painting.number < 50) {
            heard.recv_timeout(Duration::from_secs(20)).expect("a picture");
        }
        let painting = painter.painting(WishKey::Main).unwrap();
        assert_eq!((painting.step, painting.frame.width), (3, 256));
        assert_eq!(painting.pictures["rgb"].len(), 256 * 256 * 4);
        assert_eq!(painting.pictures.len(), 4);
        assert!(painter.is_idle());
        painter.clear();
        assert!(painter.painting(WishKey::Main).is_none());
    }
}
