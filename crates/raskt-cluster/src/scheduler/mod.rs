//! The scheduler server: the machine, and sessions with those who speak to it.
//!
//! Whoever says something changes the machine under one lock, and what it wants done goes out by sessions that never wait. A thread
//! tells it of the time. The scheduler knows of a graph which task reads which, and nothing of what tasks do.

mod absent;
mod asked;
mod backing;
mod backups;
mod balancing;
mod calling;
mod cancelling;
mod careful;
mod caring;
mod causes;
mod clients;
mod core;
mod entries;
mod erranding;
mod errands;
mod failing;
mod failures;
mod gifts;
mod graphs;
mod held_back;
#[cfg(test)]
mod hostile;
mod marks;
mod measures;
mod movements;
mod moving;
mod names;
mod names_kept;
mod notes;
mod orders;
mod plugging;
mod plugins;
mod questions;
mod receivers;
mod recovery;
mod relocating;
mod returning;
mod sharing;
mod spreading;
mod stopping;
mod stream;
mod streaming;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_data;
#[cfg(test)]
mod tests_of_deaths;
#[cfg(test)]
mod tests_of_leaving;
#[cfg(test)]
mod tests_of_names;
#[cfg(test)]
mod tests_of_workers;
mod times;
mod workers;
mod written;

use crate::driver::{Incoming, Listening, Network, Outbox, Peer, inbox};
use crate::hello::Role;
use crate::journal::Journal;
use crate::message::{FromClient, FromWorker, ToWorker};
use crate::session;
use crate::{Address, Inbox, ListenError};
use core::Core;
use raskt_schedule::{LossCause, Rebalance, Scheduler, Settings, SoonestStart, WorkerId};
use raskt_sync::{Condvar, Mutex, guard};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// A scheduler of a cluster.
pub struct SchedulerServer {
    shared: Arc<Shared>,
    network: Arc<Network>,
    listening: Listening,
    also: Vec<Listening>,
}

struct Shared {
    core: Mutex<Core>,
    /// Told when the machine wants to be woken at another time, and at the end.
    changed: Condvar,
    measures: times::Measures,
}

/// Work that is handed out at a time: enough to hide the way to another process and back.
const CREDIT_NANOSECONDS: u64 = 2_000_000;

/// Work that a slot is given in advance: so that no worker waits for the way there and back, and for some assignments of which nothing
/// is known, which count as a credit each. Who has nothing to do gets it from those who have it.
const PREFILL_NANOSECONDS: u64 = 10_000_000;

/// How long those who are there have to hear that a client ends the cluster.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long the thread of the time sleeps at most.
const GLANCE: Duration = Duration::from_secs(1);

impl SchedulerServer {
    /// Starts it: `network` is one of the role of a scheduler.
    pub fn start(network: Network, listen: &Address) -> Result<Self, ListenError> {
        Self::start_with(network, listen, None)
    }

    /// The same with a journal: it goes on with what that says, once workers that had something of it have had time to come back; and
    /// a scheduler that is started with the journal after the end of this one, at the same address and with the same token, does too.
    pub fn start_from(network: Network, listen: &Address, journal: Journal) -> Result<Self, ListenError> {
        Self::start_with(network, listen, Some(journal))
    }

    fn start_with(network: Network, listen: &Address, journal: Option<Journal>) -> Result<Self, ListenError> {
        let rebalance = Rebalance { prefill_nanoseconds: PREFILL_NANOSECONDS, ..Rebalance::default() };
        let settings = Settings { credit_nanoseconds: CREDIT_NANOSECONDS, rebalance, ..Settings::default() };
        let machine = Scheduler::with(settings, Arc::new(SoonestStart::default()));
        let mut core = Core::new(machine);
        match journal {
            Some(journal) => core.restore(journal),
            None => {
                let random = crate::random::random();
                core.lineage = random.map_err(|source| ListenError::Socket { address: listen.to_string(), source })?;
            }
        }
        let shared = Arc::new(Shared { core: Mutex::new(core), changed: Condvar::new(), measures: Default::default() });
        let network = Arc::new(network);
        let listening = open_to(&shared, &network, listen)?;
        let (timer, ended) = (Arc::downgrade(&shared), Arc::downgrade(&network));
        let spawned = std::thread::Builder::new().name("raskt-time".into()).spawn(move || tell_time(&timer, &ended));
        spawned.map_err(|source| ListenError::Socket { address: listen.to_string(), source })?;
        Ok(Self { shared, network, listening, also: vec![] })
    }

    /// Listens at another address as well: those of this host are reached faster by a socket in the file system.
    pub fn listen_also(&mut self, listen: &Address) -> Result<(), ListenError> {
        self.also.push(open_to(&self.shared, &self.network, listen)?);
        Ok(())
    }

    /// Where it listens.
    pub fn address(&self) -> &Address {
        self.listening.address()
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.shared.core.lock().workers.len()
    }

    /// How many runs clients have going, or keep results of.
    pub fn runs(&self) -> usize {
        let core = self.shared.core.lock();
        core.runs.values().filter(|run| run.client != names::NAMES).count()
    }

    /// Whether a client has ended the cluster: nobody is let in any more.
    pub fn is_told_to_end(&self) -> bool {
        self.shared.core.lock().is_told_to_end
    }

    /// What went wrong, if the machine has broken down: a bug. All were told, and nobody is let in any more.
    pub fn broken(&self) -> Option<String> {
        self.shared.core.lock().broken.clone()
    }

    /// Breaks it down as a panic of the machine does; for tests of those who use it.
    pub fn break_down(&self, story: &str) {
        self.shared.change(|_| panic!("{story}"));
    }

    /// Ends without a word, where there is a journal: workers and clients come back to the scheduler that is started with it next, as they
    /// do when this one is killed. Whoever calls this ends the process next; until then nobody is let in any more. False without a journal.
    pub fn leave_to_next(&self) -> bool {
        let left = self.shared.change(|core| {
            let is_left = core.journal.is_some();
            if is_left {
                // Nothing that comes from now on counts, nor is it written down: the next may open the journal.
                (core.is_closed, core.broken) = (true, Some("it leaves to the next".into()));
                core.write_down();
                core.journal = None;
            }
            is_left
        });
        self.shared.changed.notify_all();
        left == Some(true)
    }

    /// Tells workers to leave, and ends all sessions.
    pub fn shut_down(&self, patience: Duration) {
        self.shared.change(|core| {
            core.is_closed = true;
            core.note_leaving();
            core.workers.values().for_each(|worker| worker.send(&ToWorker::Leave, vec![]));
        });
        self.shared.changed.notify_all();
        self.network.close(patience);
    }
}

/// Lets in those who come to an address.
fn open_to(shared: &Arc<Shared>, network: &Network, listen: &Address) -> Result<Listening, ListenError> {
    let host = shared.clone();
    let arrived = move |peer: Peer, outbox: Outbox<()>| host.arrived(&peer, &outbox);
    network.listen(listen, &[Role::Client, Role::Worker], arrived)
}

/// Tells the machine that time has passed, when it wants to know.
fn tell_time(shared: &Weak<Shared>, network: &Weak<Network>) {
    while let Some(shared) = shared.upgrade() {
        let mut core = shared.core.lock();
        if core.is_closed {
            let is_told_to_end = core.is_told_to_end;
            drop(core);
            if let Some(network) = network.upgrade().filter(|_| is_told_to_end) {
                network.close(FAREWELL);
            }
            return;
        }
        if core.is_due() {
            drop(core);
            shared.change(Core::time_is_up);
            continue;
        }
        core.let_clients_go_on();
        let now = core.now();
        match core.wakes_at() {
            Some(at) if at <= now => {
                drop(core);
                shared.change(Core::time_passed);
            }
            at => {
                let until = at.map_or(GLANCE, |at| Duration::from_nanos(at.0.saturating_sub(now.0)).min(GLANCE));
                let until = core.due_in().map_or(until, |due| until.min(due));
                drop(shared.changed.wait_for(core, until));
            }
        }
    }
}

impl Shared {
    /// Somebody has begun a session.
    fn arrived(self: &Arc<Self>, peer: &Peer, outbox: &Outbox<()>) -> Option<Arc<dyn Inbox>> {
        match peer.role {
            Role::Client => {
                let client = self.change(|core| core.client_arrived(peer, outbox.typed()))?;
                let client = AtomicU32::new(client);
                let shared = self.clone();
                let pieces = graphs::Pieces::default();
                Some(inbox(move |incoming| shared.hear_client(&client, &pieces, incoming)))
            }
            Role::Worker => {
                let worker = self.change(|core| core.worker_arrived(peer, outbox.typed()))?;
                let shared = self.clone();
                Some(inbox(move |incoming| shared.hear_worker(worker, incoming)))
            }
            Role::Scheduler | Role::Viewer => None,
        }
    }

    /// `number` is that of the client, which may turn out to be one that was there before.
    fn hear_client(&self, number: &AtomicU32, pieces: &graphs::Pieces, incoming: Incoming<FromClient>) {
        let client = number.load(Ordering::Relaxed);
        match incoming {
            Incoming::Message { message: FromClient::Back { client: before, secret }, .. } => {
                if self.change(|core| core.client_back(client, before, secret)) == Some(true) {
                    number.store(before, Ordering::Relaxed);
                }
            }
            Incoming::Message { message: FromClient::Plugin { number, name }, bulk, .. } => {
                _ = self.change(|core| core.plugin_changes(client, number, name, bulk));
            }
            Incoming::Message { message: FromClient::Coordination(ask), bulk, ticket } => {
                self.change(|core| core.client_asks(client, ask, &bulk));
                drop(ticket);
            }
            Incoming::Message { message, bulk, ticket } => {
                // What takes as long as a graph is large is done before the lock.
                let graph = pieces.take(&message, bulk.clone());
                self.change(|core| {
                    core.client_says(client, message, graph, bulk);
                    core.hold_back(client, ticket);
                });
            }
            Incoming::Event(session::Event::Lost(_)) => _ = self.change(|core| core.client_lost(client)),
            // One that can't be reached may come back, as long as its session lasts: nobody does its work meanwhile.
            Incoming::Event(_) => {}
        }
    }

    fn hear_worker(&self, worker: WorkerId, incoming: Incoming<FromWorker>) {
        match incoming {
            Incoming::Message { message: FromWorker::Coordination(ask), bulk, ticket } => {
                self.change(|core| core.worker_asks(worker, ask, &bulk));
                drop(ticket);
            }
            Incoming::Message { message, bulk, .. } => _ = self.change(|core| core.worker_says(worker, message, bulk)),
            // Whoever takes his leave is not to blame for it.
            Incoming::Event(session::Event::Lost(session::Lost::Closed)) => {
                _ = self.change(|core| core.worker_lost(worker, LossCause::Retired));
            }
            Incoming::Event(session::Event::Lost(_)) => {
                _ = self.change(|core| core.worker_lost(worker, LossCause::Died));
            }
            Incoming::Event(session::Event::Unreachable) => _ = self.change(|core| core.worker_unreachable(worker)),
            Incoming::Event(session::Event::Resumed) => _ = self.change(|core| core.worker_away(worker, false)),
            Incoming::Event(session::Event::Connected | session::Event::Suspect) => {}
        }
    }

    /// Changes the machine; nothing if it is broken. Should it panic, which is a bug, all are told, and nobody waits for it for ever.
    fn change<T>(&self, change: impl FnOnce(&mut Core) -> T) -> Option<T> {
        let mut core = self.core.lock();
        if core.broken.is_some() || core.is_told_to_end {
            return None;
        }
        let began = Instant::now();
        let changed = guard(|| {
            let before = core.wakes_at();
            let result = change(&mut core);
            core.write_down();
            let is_sooner = core.wakes_at().is_some_and(|at| before.is_none_or(|before| at < before));
            let is_sooner = is_sooner || core.is_told_to_end;
            (result, is_sooner)
        });
        let (result, wakes) = match changed {
            Ok((result, is_sooner)) => (Some(result), is_sooner),
            Err(story) => {
                core.break_down(&story);
                (None, true)
            }
        };
        drop(core);
        self.measures.steps.lock().add(began.elapsed());
        if wakes {
            self.changed.notify_all();
        }
        result
    }
}
