//! What comes from the scheduler, and by which thread it is seen to.
//!
//! The thread of the network must not wait: what may take long, or drop what people have made, is left to a thread of its own. But a
//! small piece of work that comes when that has nothing to do is handed on at once: waking it would take longer than the work.

use super::home::Inboxes;
use super::inbound::Inbound;
use super::serving::Serving;
use crate::coordination::Hearing;
use crate::driver::{Incoming, inbox};
use crate::message::{Reads, ToWorker};
use crate::session;
use raskt_schedule::WorkerOrder;
use raskt_sync::{Condvar, Mutex, guard};
use std::collections::VecDeque;
use std::sync::Arc;

/// A graph of so many bytes at most is read by the thread of the network.
const SMALL_GRAPH_BYTES: u64 = 16 << 10;

/// What has come, and whoever sees to it.
#[derive(Default)]
pub(super) struct Intake {
    state: Mutex<State>,
    came: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Inbound>,
    /// Away while the thread is at something; and before it has begun, and after the worker's end.
    idle: Option<Serving>,
    is_over: bool,
}

impl Intake {
    /// Gets what the scheduler says, on the thread of the network.
    pub fn inbox(intake: &Arc<Self>, hearing: Hearing) -> Arc<dyn crate::Inbox> {
        let intake = intake.clone();
        inbox(move |incoming: Incoming<ToWorker>| {
            intake.take(match incoming {
                // It waits for nothing, and may be what a task waits for.
                Incoming::Message { message: ToWorker::Coordination(told), bulk, .. } => {
                    return hearing.hear(told, &bulk);
                }
                Incoming::Message { message, bulk, ticket } => Inbound::Message(message, bulk, ticket),
                Incoming::Event(event) => {
                    if let session::Event::Lost(lost) = &event {
                        hearing.ended(lost);
                    }
                    Inbound::Event(event)
                }
            });
        })
    }

    /// The same for the sessions that come after that, as long as somebody is there who sees to it.
    pub fn inboxes(intake: &Arc<Self>) -> Inboxes {
        let intake = Arc::downgrade(intake);
        Box::new(move |hearing| Some(Self::inbox(&intake.upgrade()?, hearing)))
    }

    /// What takes in what doesn't come from the scheduler, as long as somebody is there who sees to it.
    pub fn teller(intake: &Arc<Self>) -> Arc<dyn Fn(Inbound) + Send + Sync> {
        let intake = Arc::downgrade(intake);
        Arc::new(move |inbound| {
            if let Some(intake) = intake.upgrade() {
                intake.take(inbound);
            }
        })
    }

    fn take(&self, inbound: Inbound) {
        let mut state = self.state.lock();
        if state.is_over {
            return;
        }
        let left = match (state.queue.is_empty(), &mut state.idle) {
            (true, Some(serving)) => serving.take_quickly(inbound),
            _ => Some(inbound),
        };
        if let Some(left) = left {
            state.queue.push_back(left);
            drop(state);
            self.came.notify_one();
        }
    }

    /// The thread that sees to what may take long.
    pub fn run(&self, serving: Serving) {
        let mut state = self.state.lock();
        state.idle = Some(serving);
        loop {
            let Some(inbound) = state.queue.pop_front() else {
                state = self.came.wait(state);
                continue;
            };
            let Some(mut serving) = state.idle.take() else { return };
            drop(state);
            let goes_on = guard(|| serving.see_to(inbound)).unwrap_or_else(|story| {
                serving.ended.tell(format!("the worker broke down: {story}"));
                false
            });
            state = self.state.lock();
            if !goes_on {
                state.is_over = true;
                let rest = std::mem::take(&mut state.queue);
                drop(state);
                return drop((rest, serving));
            }
            state.idle = Some(serving);
        }
    }
}

impl Serving {
    /// Does what can be done at once; gives back what can't, or what comes of it and is still to be seen to.
    fn take_quickly(&mut self, inbound: Inbound) -> Option<Inbound> {
        if self.coming.is_some() || !self.gate.is_open() {
            return Some(inbound);
        }
        match inbound {
            Inbound::Message(ToWorker::Order(order @ WorkerOrder::Assign(_)), ..) => {
                let (obeyed, is_left) = self.engine.unheard().handle(order);
                self.heed(obeyed);
                is_left.then_some(Inbound::Left)
            }
            Inbound::Message(ToWorker::Graph { run, mark, ref told, bytes }, ref bulk, _)
                if bytes <= SMALL_GRAPH_BYTES && bulk.first().is_some_and(|first| first.len() as u64 == bytes) =>
            {
                let Ok(reads) = Reads::of(bulk.get(1)) else { return Some(inbound) };
                let was_left = self.meet_quickly(run, mark, &reads.marks);
                match self.add_graph_quickly(run, &reads.imports, &bulk[0]) {
                    Some(is_left) => {
                        self.along.tell_of(run, told);
                        (is_left || was_left).then_some(Inbound::Left)
                    }
                    None => Some(inbound),
                }
            }
            inbound => Some(inbound),
        }
    }
}
