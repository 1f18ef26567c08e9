//! The memory that results come into ahead of any task, as the room for them sees it.

use crate::bulk::Fetcher;
use crate::failure::no_memory;
use crate::pool::Pool;
use raskt_execute::{Arriving, WorkerEngine};
use std::sync::Arc;
use std::time::Duration;

/// What is known of the memory that results come into.
pub(super) trait Memory: Send + Sync {
    /// Of so many bytes more, as many as there is memory for. It is asked again and again, and has to cost little.
    fn room_for(&self, bytes: u64) -> u64;

    /// So many bytes are on their way, and count as long as what comes back is there.
    fn expect(&self, bytes: u64) -> Arriving;

    /// Whether there may be some for so many bytes when what runs has ended.
    fn may_have_room(&self, bytes: u64) -> bool;

    /// What is said to those for whom there is none. It may cost as much as there are results.
    fn reason(&self) -> String;

    /// Has something done after a pause by a thread that may take long; it is dropped if nobody does so any more.
    fn after(&self, pause: Duration, then: Box<dyn FnOnce() + Send>);
}

/// That of an engine.
pub(super) struct OfEngine {
    pub engine: WorkerEngine,
    pub fetcher: Fetcher,
    pub threads: Arc<Pool>,
}

impl Memory for OfEngine {
    fn room_for(&self, bytes: u64) -> u64 {
        self.engine.room_for(bytes)
    }

    fn expect(&self, bytes: u64) -> Arriving {
        self.engine.expect(bytes)
    }

    fn may_have_room(&self, bytes: u64) -> bool {
        self.engine.store().may_have_room(bytes)
    }

    fn reason(&self) -> String {
        match self.engine.store().report() {
            Ok(report) => no_memory(report),
            Err(broken) => no_memory(broken),
        }
    }

    fn after(&self, pause: Duration, then: Box<dyn FnOnce() + Send>) {
        let threads = self.threads.clone();
        self.fetcher.after(pause, move || threads.run(then));
    }
}
