//! The workers of this process, for tasks that share something with others: they ask as their worker.

use super::handle::Coordination;
use raskt_sync::Mutex;

/// The workers, the latest last.
static WORKERS: Mutex<Workers> = Mutex::new(Workers { next: 0, known: vec![] });

struct Workers {
    next: u64,
    known: Vec<Known>,
}

struct Known {
    number: u64,
    /// The process that has its threads: a fork hasn't.
    process: u32,
    coordination: Coordination,
}

/// What the latest of the workers that live in this process shares with others.
pub fn of_worker() -> Option<Coordination> {
    let workers = WORKERS.lock();
    let last = workers.known.iter().rfind(|known| known.process == std::process::id());
    last.map(|known| known.coordination.clone())
}

/// A worker of this process, as long as this is kept.
pub(crate) struct Registered(u64);

impl Registered {
    pub fn new(coordination: Coordination) -> Self {
        let mut workers = WORKERS.lock();
        workers.next += 1;
        let number = workers.next;
        workers.known.push(Known { number, process: std::process::id(), coordination });
        Self(number)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut workers = WORKERS.lock();
        let place = workers.known.iter().position(|known| known.number == self.0);
        let gone = place.map(|at| workers.known.remove(at));
        drop(workers);
        // Not under the lock: the last handle ends a thread.
        drop(gone);
    }
}
