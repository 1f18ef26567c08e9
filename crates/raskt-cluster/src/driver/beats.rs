//! Signs of life, while the thread of the network is at something else.
//!
//! That thread gives them itself, as long as it comes to it. Should what somebody said take it long, this one gives them over the same
//! connections, so that nobody is given up for it. Where only one thread can write (TLS) it can't.

use super::core::Core;
use super::sessions::Sessions;
use raskt_sync::Mutex;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often sessions are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The sessions of a network.
#[derive(Default)]
pub(super) struct Open {
    cores: Mutex<Vec<Weak<Core>>>,
    doors: Mutex<Vec<Weak<Sessions>>>,
}

impl Open {
    /// One that this process has begun.
    pub fn add(&self, core: &Arc<Core>) {
        let mut cores = self.cores.lock();
        cores.retain(|core| core.strong_count() > 0);
        cores.push(Arc::downgrade(core));
    }

    /// All that come through a door.
    pub fn add_door(&self, sessions: &Arc<Sessions>) {
        self.doors.lock().push(Arc::downgrade(sessions));
    }

    /// All that are there.
    pub fn all(&self) -> Vec<Arc<Core>> {
        let mut open: Vec<_> = self.cores.lock().iter().filter_map(Weak::upgrade).collect();
        for sessions in self.doors.lock().iter().filter_map(Weak::upgrade) {
            open.extend(sessions.cores());
        }
        open
    }
}

/// The thread, as long as this is kept.
pub(super) struct Beats {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Beats {
    pub fn start(open: Arc<Open>) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let beat = move || keep_beating(&open, &stopped);
        let thread = std::thread::Builder::new().name("raskt-beats".to_owned()).spawn(beat)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }

    pub fn stop(&mut self) {
        drop(self.stop.take());
        let thread = self.thread.take().filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn keep_beating(open: &Open, stopped: &Receiver<()>) {
    while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        open.all().iter().for_each(|core| core.beat());
    }
}
