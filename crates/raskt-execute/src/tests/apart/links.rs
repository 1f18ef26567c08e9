//! Links: what is sent arrives in order, after a while, until the link is cut.

use super::kernels::draws;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// What both ends of all links of a worker know: whether they are cut.
#[derive(Clone, Default)]
pub struct Cut(Arc<AtomicBool>);

impl Cut {
    pub fn cut(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_cut(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A link on which a message takes up to so many microseconds. It ends with its last sender.
pub fn link<M: Send + 'static>(
    (seed, microseconds): (u64, u64),
    cut: Cut,
    mut deliver: impl FnMut(M) + Send + 'static,
) -> Sender<M> {
    let (sender, receiver) = channel();
    let run = move || {
        let mut draw = draws(seed);
        for message in receiver {
            // Now and then: messages that come together arrive together.
            if microseconds > 0 && draw(3) == 0 {
                std::thread::sleep(Duration::from_micros(draw(microseconds)));
            }
            if !cut.is_cut() {
                deliver(message);
            }
        }
    };
    std::thread::Builder::new().name("link".into()).spawn(run).expect("tests get threads");
    sender
}
