//! What was asked, until it is answered or given up.

use super::shared::{Disconnected, PAUSED_MOST, Shared};
use super::wire::Ask;
use crate::pool::waits_here;
use raskt_schedule::coordination::{Reply, RequestId};
use std::sync::Arc;
use std::time::Instant;

/// What was asked. Who lets go of it before it has the answer gives it up: what it is given meanwhile is taken back.
#[must_use = "what nobody waits for is given up"]
pub struct Pending {
    shared: Arc<Shared>,
    id: RequestId,
    is_over: bool,
}

impl Pending {
    pub(super) fn new(shared: Arc<Shared>, id: RequestId) -> Self {
        Self { shared, id, is_over: false }
    }

    /// The answer, if it is there by then; without a deadline however long it takes. Once it was given there is no other.
    pub fn wait(&mut self, deadline: Option<Instant>) -> Option<Result<Answer, Disconnected>> {
        let _waits = waits_here();
        let mut state = self.shared.state.lock();
        loop {
            let is_paused = state.is_paused();
            let open = state.open.get_mut(&self.id)?;
            if let Some(answer) = open.answer.take() {
                state.open.remove(&self.id);
                drop(state);
                self.is_over = true;
                return Some(answer.map(|reply| Answer::new(self.shared.clone(), self.id, reply)));
            }
            state = match deadline {
                None if is_paused => self.shared.changed.wait_for(state, PAUSED_MOST).0,
                None => self.shared.changed.wait(state),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return None;
                    }
                    self.shared.changed.wait_for(state, left).0
                }
            };
        }
    }

    /// Gives it up.
    pub fn cancel(self) {}

    /// Gives it up since its time is over, of which a scheduler that stands still says nothing.
    pub fn time_out(self) -> Answer {
        Answer::new(self.shared.clone(), self.id, Reply::TimedOut)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.is_over {
            let mut state = self.shared.state.lock();
            state.open.remove(&self.id);
            state.locks.give_back(self.id);
            drop(state);
            // Where there is no scheduler any more, it has given up already.
            let _ = self.shared.send(Ask::Cancel { id: self.id });
        }
    }
}

/// An answer. Results that its values refer to stay alive as long as this is there: who wants them for longer says so meanwhile.
pub struct Answer {
    reply: Reply,
    arrival: Arrival,
}

impl Answer {
    fn new(shared: Arc<Shared>, id: RequestId, reply: Reply) -> Self {
        let awaits_taken = matches!(reply, Reply::Values { awaits_taken: true, .. });
        Self { reply, arrival: Arrival { shared, id, is_said: !awaits_taken } }
    }

    /// What it says.
    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// Gives back what it gave, as if it had never come: items are in their queue again, locks and leases are free.
    pub fn give_back(mut self) {
        let Arrival { shared, id, is_said } = &mut self.arrival;
        *is_said = true;
        shared.given_back(*id);
        // Where there is no scheduler any more, it has taken everything back already.
        let _ = shared.send(Ask::Cancel { id: *id });
    }

    /// What it says, for who wants no results that it refers to, or has seen to them.
    pub fn into_reply(self) -> Reply {
        let Self { reply, arrival } = self;
        drop(arrival);
        reply
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.reply.fmt(formatter)
    }
}

/// Says that the values have arrived when it goes.
struct Arrival {
    shared: Arc<Shared>,
    id: RequestId,
    /// Nothing is to be said, or it was.
    is_said: bool,
}

impl Drop for Arrival {
    fn drop(&mut self) {
        if !self.is_said {
            // Where there is no scheduler any more, it keeps nothing for this process.
            let _ = self.shared.send(Ask::Taken { id: self.id });
        }
    }
}
