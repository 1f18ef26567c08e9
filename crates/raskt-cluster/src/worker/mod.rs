//! The worker server: an engine at one end of a session with the scheduler.

mod adding;
mod along;
mod errands;
mod fetching;
mod gate;
mod graphs;
mod home;
mod inbound;
mod intake;
#[cfg(test)]
mod lacking;
mod left;
mod link;
mod measures;
mod memory;
#[cfg(test)]
mod on_the_way;
mod plugging;
mod providing;
mod refusals;
mod returning;
mod room;
mod seen;
mod serving;
mod set_aside;
mod steps;
#[cfg(test)]
mod taking_leave;
mod uplink;

pub(crate) use fetching::TASKS_AT_A_TIME;
pub use serving::RESTARTED;

use crate::coordination::{Coordination, OverSession, Registered};
use crate::driver::{Listening, Network, Peer};
use crate::face::Face;
use crate::hello::Role;
use crate::message::FromWorker;
use crate::this_worker::KnownAs;
use crate::{Address, ListenError};
use along::Along;
use errands::Errands;
use fetching::Fetching;
use gate::{Gate, Tell};
use home::Home;
use inbound::Inbound;
use intake::Intake;
use link::{Ended, Link};
use providing::Shelf;
use raskt_execute::WorkerEngine;
use raskt_schedule::Offer;
use seen::this_worker;
use serving::Serving;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use uplink::SessionUplink;

/// How a worker is started.
pub struct WorkerOptions {
    /// Where the scheduler listens.
    pub scheduler: Address,
    /// Where results are given.
    pub listen: Address,
    /// What it brings, but for its threads and memory.
    pub offer: Offer,
    /// What its engine is held to.
    pub engine: raskt_execute::EngineOptions,
}

/// Why a worker couldn't begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It can't listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A thread or a socket can't be had.
    #[error("the worker can't start: {0}")]
    Io(#[from] io::Error),
}

/// A worker that is shut down has so long for its plugins and tasks, before it counts as one that doesn't end.
const LEAVES: Duration = Duration::from_secs(600);

/// How long it waits for a scheduler that takes nothing to be told that it leaves.
const SAYS: Duration = Duration::from_millis(200);

/// How long it waits for a scheduler that isn't there, and may be back.
const RESTARTS: Duration = Duration::from_secs(2);

/// How often it gives a sign of life to whoever looks after its process.
const SIGNS: Duration = Duration::from_secs(1);

/// A worker of a cluster.
pub struct WorkerServer {
    engine: WorkerEngine,
    fetching: Arc<Fetching>,
    network: Arc<Network>,
    ended: Arc<Ended>,
    /// Since when it is being shut down, which takes as long as plugins take to be torn down.
    leaves_since: Arc<OnceLock<Instant>>,
    link: Arc<Link>,
    face: Arc<dyn Face>,
    coordination: Coordination,
    tells_serving: Tell,
    _registered: Registered,
    _listening: Listening,
}

impl WorkerServer {
    /// Starts it: `network` is one of the role of a worker, and `runners` run its tasks.
    pub fn start(
        network: Network,
        options: WorkerOptions,
        runners: raskt_execute::Runners,
        store: raskt_execute::Store,
        face: Arc<dyn Face>,
    ) -> Result<Self, StartError> {
        let network = Arc::new(network);
        let ended = Arc::new(Ended::default());
        let link: Arc<Link> = Arc::default();
        let along: Arc<Along> = Arc::default();
        let fetching = Fetching::start(&network, face.clone())?;
        let uplink = SessionUplink::new(link.clone(), fetching.clone(), face.clone(), (ended.clone(), along.clone()));
        let engine = WorkerEngine::with_store(options.engine, store, runners, Arc::new(uplink));
        fetching.serve(engine.clone());
        let shelf = Arc::new(Shelf::start(engine.clone())?);
        let listening = network.serve_results(&options.listen, &[Role::Worker, Role::Client], shelf)?;
        let mut introduction = network.options().introduction.clone();
        // Whoever was given others knows where this process is reached.
        if introduction.addresses.is_empty() {
            introduction.addresses.push(listening.address().to_string());
        }
        network.introduce(introduction);
        // Before any task can come.
        let known_as = KnownAs::default();
        let worker =
            this_worker(&engine, &network, (&options.offer.name, &options.scheduler), (&link, &along), &known_as);
        face.worker_begins(worker);
        let (intake, coordination) = (Arc::new(Intake::default()), Coordination::new());
        let hearing = coordination.session();
        let inbox = Intake::inbox(&intake, hearing.clone());
        let outbox = network.connect::<FromWorker>(&options.scheduler, Role::Scheduler, inbox)?;
        let own = engine.offer();
        let offer = Offer { slots: own.slots, memory: own.memory, ..options.offer };
        let _ = outbox.send(&FromWorker::Join(offer.clone()), vec![]);
        // One that is lost already is told so when it asks.
        let _ = hearing.carried_by(Arc::new(OverSession::new(outbox.clone(), FromWorker::Coordination)));
        link.set(outbox);
        let tells_serving = Intake::teller(&intake);
        let home = Home::new(&network, options.scheduler, offer, coordination.clone(), Intake::inboxes(&intake));
        let serving = Serving {
            engine: engine.clone(),
            fetching: fetching.clone(),
            errands: Errands::new(face.clone())?,
            plugins: BTreeMap::new(),
            gate: Gate::new(tells_serving.clone()),
            face: face.clone(),
            link: link.clone(),
            ended: ended.clone(),
            along,
            known_as,
            coming: None,
            home,
        };
        std::thread::Builder::new().name("raskt-worker".into()).spawn(move || intake.run(serving))?;
        let _registered = Registered::new(coordination.clone());
        let (leaves_since, _listening) = (Arc::default(), listening);
        Ok(Self {
            engine,
            fetching,
            network,
            ended,
            leaves_since,
            link,
            face,
            coordination,
            tells_serving,
            _registered,
            _listening,
        })
    }

    /// The scheduler, once it has answered.
    pub fn scheduler(&self) -> Option<Peer> {
        self.link.outbox()?.peer()
    }

    /// What is shared by name, for the tasks of this worker.
    pub fn coordination(&self) -> &Coordination {
        &self.coordination
    }

    /// Waits until the worker is over, or for so long; gives why it is.
    pub fn wait(&self, patience: Duration) -> Option<String> {
        self.ended.wait(patience)
    }

    /// Somebody starts this worker's process again when it ends, so that it may be told to begin anew.
    pub fn is_looked_after(&self) {
        self.ended.look_after();
    }

    /// Calls `sign` again and again on the thread of the network, as long as that goes on and the worker isn't over, or is being shut
    /// down: whoever looks after its process knows by that whether it is still a worker, or leaves in order. No task can hold it up,
    /// whatever it holds.
    pub fn gives_signs(&self, sign: impl Fn() + Send + 'static) {
        let (ended, leaves_since) = (self.ended.clone(), self.leaves_since.clone());
        self.network.repeat(SIGNS, move || {
            let is_alive = match leaves_since.get() {
                Some(since) => since.elapsed() < LEAVES,
                None => ended.wait(Duration::ZERO).is_none(),
            };
            if is_alive {
                sign();
            }
        });
    }

    /// What tells the scheduler why this worker is about to be ended, as it goes on after its name. It needs no thread of this
    /// worker, and takes no interpreter.
    pub fn last_words(&self) -> impl Fn(&str) + Send + Sync + use<> {
        let link = self.link.clone();
        move |why| {
            if let Some(outbox) = link.outbox() {
                let _ = outbox.send(&FromWorker::IsEnded { why: why.to_owned() }, vec![]);
            }
        }
    }

    /// The same as [`Self::leave`] for one that another takes the place of.
    pub fn give_way(&self, left: &dyn Fn() -> Duration) {
        self.link.will_return();
        self.leave(left);
    }

    /// Lets what runs end for up to `grace`, and leaves. What hasn't begun is done by others, which are given data as well, and what is
    /// here alone they take over.
    pub fn shut_down(&self, grace: Duration) {
        let deadline = Instant::now() + grace;
        self.leave(&|| deadline.saturating_duration_since(Instant::now()));
    }

    /// The same as long as there is time left.
    pub fn leave(&self, left: &dyn Fn() -> Duration) {
        let grace = left();
        let _ = self.leaves_since.set(Instant::now());
        self.fetching.leave();
        self.link.leave();
        // Before anything is given back, so that it doesn't come again.
        if let Some(outbox) = self.link.outbox().filter(|_| !grace.is_zero())
            && outbox.send_waiting(&self.link.leaves(), vec![], grace.min(SAYS)).is_err()
        {
            self.link.owe_leave();
        }
        if !grace.is_zero() {
            self.engine.close();
            (self.tells_serving)(Inbound::Leaving);
        }
        self.engine.wind_down(left);
        let mut last_heard = Instant::now();
        while !grace.is_zero() && !left().is_zero() && last_heard.elapsed() < RESTARTS {
            // The scheduler says when others have all that they need. It may have been started again just now.
            if self.ended.wait(left().min(SAYS)).is_some() {
                break;
            }
            if self.link.outbox().is_some_and(|outbox| outbox.is_connected()) {
                last_heard = Instant::now();
            }
        }
        self.engine.shut_down(left());
        self.face.worker_ends(self.engine.number());
        self.network.close(grace.max(Duration::from_millis(200)));
        self.ended.tell("it was shut down");
    }
}

impl Drop for WorkerServer {
    fn drop(&mut self) {
        self.fetching.leave();
        // The engine keeps its uplink, which knows the engine.
        self.engine.shut_down(Duration::ZERO);
        self.face.worker_ends(self.engine.number());
    }
}
