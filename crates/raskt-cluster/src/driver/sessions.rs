//! The sessions of those who have called this process.

use super::core::{Core, Inbox};
use super::outbox::Outbox;
use super::own::Own;
use super::peer::Peer;
use super::process::PeerProcess;
use super::pump::pump;
use crate::dial::Link;
use crate::hello::{Greeting, Identity, Purpose, Refusal, Role, SessionId};
use crate::listen::Keeper;
use crate::session::Session;
use raskt_sync::Mutex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::{pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Connections that wait for the task of their session; more are dropped, and come again.
const LINKS_WAITING: usize = 4;

/// Takes in those who call.
pub trait Host: Send + Sync + 'static {
    /// A peer has begun a session. Gives who gets its messages; none to close it at once. Called by the thread of the network.
    fn arrived(&self, peer: Peer, outbox: Outbox<()>) -> Option<Arc<dyn Inbox>>;
}

impl<F: Fn(Peer, Outbox<()>) -> Option<Arc<dyn Inbox>> + Send + Sync + 'static> Host for F {
    fn arrived(&self, peer: Peer, outbox: Outbox<()>) -> Option<Arc<dyn Inbox>> {
        self(peer, outbox)
    }
}

/// All sessions that came through one door, by their number.
pub(super) struct Sessions {
    own: Arc<Own>,
    host: Box<dyn Host>,
    held: Mutex<HashMap<SessionId, Held>>,
}

struct Held {
    core: Arc<Core>,
    identity: Identity,
    role: Role,
    links: mpsc::Sender<Link>,
    /// The newest connection; those that were begun before it and come later are dead already, and know an older state.
    attempt: u32,
}

impl Held {
    fn take_over(&mut self, link: Link) {
        if link.peer.attempt > self.attempt {
            self.attempt = link.peer.attempt;
            let _ = self.links.try_send(link);
        }
    }
}

impl Sessions {
    pub fn new(own: Arc<Own>, host: Box<dyn Host>) -> Self {
        Self { own, host, held: Mutex::new(HashMap::new()) }
    }

    /// All that are there.
    pub fn cores(&self) -> Vec<Arc<Core>> {
        self.held.lock().values().map(|held| held.core.clone()).collect()
    }

    fn begin(self: &Arc<Self>, link: Link, from: String) {
        let core = Core::new(self.own.options.limits.clone());
        let (peer, session) = (link.peer.clone(), link.peer.session);
        let (links, receiver) = mpsc::channel(LINKS_WAITING);
        let held = Held { core: core.clone(), identity: peer.identity, role: peer.role, links, attempt: peer.attempt };
        match self.held.lock().entry(session) {
            // Two connections of a new session came together: the first one has begun it.
            Entry::Occupied(mut held) => return held.get_mut().take_over(link),
            Entry::Vacant(place) => drop(place.insert(held)),
        }
        let peer = Peer::of(&link, from);
        let outbox = Outbox::new(core.clone(), Arc::new(Mutex::new(Some(peer.clone()))));
        let arrived = catch_unwind(AssertUnwindSafe(|| self.host.arrived(peer, outbox)));
        match arrived.unwrap_or(None) {
            Some(inbox) => core.set_inbox(inbox),
            None => core.lock().session.close_when_up(core.now()),
        }
        tokio::spawn(self.clone().serve(core, session, link, receiver));
    }

    /// The task of a session.
    async fn serve(self: Arc<Self>, core: Arc<Core>, session: SessionId, first: Link, mut links: mpsc::Receiver<Link>) {
        let mut next = Some(first);
        let mut process = None;
        while core.lost().is_none() {
            let link = match next.take() {
                Some(link) => Some(link),
                None => tokio::select! {
                    biased;
                    link = links.recv() => link,
                    () = core.watch() => break,
                    () = end_of(process.as_ref()) => {
                        core.change(Session::handle_died);
                        break;
                    }
                },
            };
            let Some(link) = link else { break };
            process = PeerProcess::of(&link);
            next = pump(&core, (link, process.as_ref()), self.own.options.squeeze, &mut links).await;
        }
        self.held.lock().remove(&session);
        core.deliver_in_turns().await;
    }
}

/// Comes when a process has ended; never, if there is none that is known.
async fn end_of(process: Option<&PeerProcess>) {
    match process {
        Some(process) => poll_fn(|cx| process.poll_ended(cx)).await,
        None => pending().await,
    }
}

/// The door asks the sessions through this, since it needs the handle that tasks keep.
pub(super) struct Desk(pub Arc<Sessions>);

impl Keeper for Desk {
    fn admit(&self, peer: &Greeting) -> Result<(u64, bool), Refusal> {
        if peer.purpose == Purpose::Transfers {
            return Err(Refusal::NotWanted("results are fetched at another address".to_owned()));
        }
        let held = self.0.held.lock();
        match held.get(&peer.session) {
            // Nobody else knows the number of a session; and if somebody did, he is told what one is told of an old one.
            Some(held) if held.identity != peer.identity || held.role != peer.role => Err(Refusal::SessionOver),
            Some(held) => {
                let state = held.core.lock();
                if state.session.lost().is_some() {
                    Err(Refusal::SessionOver)
                } else {
                    Ok((state.session.expects(), true))
                }
            }
            None if peer.is_established => Err(Refusal::SessionOver),
            None => Ok((0, false)),
        }
    }

    fn enter(&self, link: Link, from: String) {
        let mut held = self.0.held.lock();
        match held.get_mut(&link.peer.session) {
            Some(held) => held.take_over(link),
            None if link.peer.is_established => {}
            None => {
                drop(held);
                self.0.begin(link, from);
            }
        }
    }
}
