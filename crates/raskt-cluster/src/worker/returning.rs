//! A worker comes back: to a scheduler that has begun anew, or that had given it up.
//!
//! What it holds is worth as much as before, as long as runs have the same numbers there: that is what the scheduler's lineage says.

use super::serving::Serving;
use crate::coordination::OverSession;
use crate::hello::Role;
use crate::message::FromWorker;
use raskt_schedule::WorkerId;
use std::sync::Arc;
use std::time::Duration;

/// So long a worker that comes back waits for what it has begun to end before it says what it holds. What takes longer is told of later,
/// and may be begun by somebody else meanwhile.
const SETTLING: Duration = Duration::from_secs(1);

impl Serving {
    /// The scheduler doesn't know the session: begins another one. Whether that can be.
    pub(super) fn call_again(&mut self) -> bool {
        let is_called = self.call_anew();
        if !is_called {
            self.home.coordination.end("it has begun anew, and the worker can't come back to it");
        }
        is_called
    }

    fn call_anew(&mut self) -> bool {
        self.gate.clear();
        let home = &mut self.home;
        // Of one that hasn't answered yet nothing is known.
        let Some(network) = home.network.upgrade().filter(|_| home.lineage.is_some()) else { return false };
        let hearing = home.coordination.session();
        let Some(inbox) = (home.inboxes)(hearing.clone()) else { return false };
        self.coming = None;
        let called = network.connect::<FromWorker>(&home.scheduler, Role::Scheduler, inbox);
        home.calling = called.ok().map(|outbox| (outbox, hearing));
        home.calling.is_some()
    }

    /// The scheduler has let it in.
    pub(super) fn welcome(&mut self, worker: WorkerId, lineage: [u8; 16]) {
        tracing::debug!("worker {} has joined", worker.0);
        self.errands.is_for(worker);
        *self.known_as.lock() = (Some(worker), None);
        let Some((outbox, hearing)) = self.home.calling.take() else {
            self.home.lineage = Some(lineage);
            self.link.is_of(lineage);
            return;
        };
        if self.home.lineage != Some(lineage) {
            outbox.close();
            self.home.coordination.end("it has begun anew, and knows nothing of before");
            return self
                .ended
                .tell("the session with the scheduler is over: it has begun anew, and knows nothing of before");
        }
        // One that is lost already is told so when it asks.
        let _ = hearing.carried_by(Arc::new(OverSession::new(outbox.clone(), FromWorker::Coordination)));
        self.link.prepare(outbox, self.home.offer.clone());
        self.fetching.forget_peers();
        if let Err(error) = self.engine.come_back(SETTLING) {
            self.ended.tell(format!("the worker can't come back: {error}"));
        }
    }
}
