//! The worker server: an engine at one end of a session with the scheduler.

mod adding;
mod along;
mod errands;
mod fetching;
mod graphs;
mod home;
mod intake;
mod link;
mod measures;
mod plugging;
mod providing;
mod returning;
mod seen;
mod uplink;

pub(crate) use fetching::TASKS_AT_A_TIME;

use crate::coordination::{Coordination, OverSession, Registered};
use crate::driver::{Listening, Network, Peer};
use crate::face::Face;
use crate::hello::Role;
use crate::message::{FromWorker, ToWorker};
use crate::session;
use crate::{Address, ListenError};
use along::Along;
use bytes::Bytes;
use errands::Errands;
use fetching::Fetching;
use graphs::{Coming, Message, Step};
use home::Home;
use intake::{Inbound, Intake};
use link::{Ended, Link};
use providing::Shelf;
use raskt_execute::{WorkerEngine, WorkerError};
use raskt_schedule::{Offer, RunId, WorkerId, WorkerOrder};
use raskt_sync::Mutex;
use seen::this_worker;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use uplink::SessionUplink;

/// Why a worker is over that is to begin anew.
pub const RESTARTED: &str = "the scheduler has it begin anew";

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

/// A worker of a cluster.
pub struct WorkerServer {
    engine: WorkerEngine,
    network: Arc<Network>,
    ended: Arc<Ended>,
    link: Arc<Link>,
    face: Arc<dyn Face>,
    coordination: Coordination,
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
        let shelf = Arc::new(Shelf::new(engine.clone()));
        let listening = network.serve_results(&options.listen, &[Role::Worker, Role::Client], shelf)?;
        let mut introduction = network.options().introduction.clone();
        // Whoever was given others knows where this process is reached.
        if introduction.addresses.is_empty() {
            introduction.addresses.push(listening.address().to_string());
        }
        network.introduce(introduction);
        // Before any task can come.
        let id = Arc::default();
        face.worker_begins(this_worker(&engine, &network, &options, (link.clone(), Arc::clone(&id))));
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
        let home = Home::new(&network, options.scheduler, offer, (&intake, coordination.clone()));
        let serving = Serving {
            engine: engine.clone(),
            fetching,
            errands: Errands::new(face.clone()),
            plugins: BTreeMap::new(),
            face: face.clone(),
            link: link.clone(),
            ended: ended.clone(),
            along,
            id,
            coming: None,
            home,
        };
        std::thread::Builder::new().name("raskt-worker".into()).spawn(move || intake.run(serving))?;
        let _registered = Registered::new(coordination.clone());
        Ok(Self { engine, network, ended, link, face, coordination, _registered, _listening: listening })
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

    /// Lets what runs end for up to `grace`, and leaves.
    pub fn shut_down(&self, grace: Duration) {
        self.engine.shut_down(grace);
        self.face.worker_ends(self.engine.number());
        self.network.close(grace.max(Duration::from_millis(200)));
        self.ended.tell("it was shut down");
    }
}

impl Drop for WorkerServer {
    fn drop(&mut self) {
        // The engine keeps its uplink, which knows the engine.
        self.engine.shut_down(Duration::ZERO);
        self.face.worker_ends(self.engine.number());
    }
}

/// Sees to what the scheduler says.
struct Serving {
    engine: WorkerEngine,
    fetching: Arc<Fetching>,
    face: Arc<dyn Face>,
    link: Arc<Link>,
    ended: Arc<Ended>,
    along: Arc<Along>,
    id: Arc<Mutex<Option<WorkerId>>>,
    errands: Errands,
    /// What it has of what workers are to have.
    plugins: BTreeMap<String, Bytes>,
    /// A graph of which pieces are missing.
    coming: Option<Coming>,
    home: Home,
}

/// How long is waited for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(60);

impl Serving {
    /// Sees to what has come; whether the worker goes on.
    fn see_to(&mut self, inbound: Inbound) -> bool {
        match inbound {
            Inbound::Message(message, bulk, ticket) => self.hear((message, bulk, Some(ticket))),
            Inbound::Event(session::Event::Lost(session::Lost::Forgotten(_))) if self.call_again() => {}
            Inbound::Event(session::Event::Lost(lost)) => {
                self.ended.tell(format!("the session with the scheduler is over: {lost}"));
                return false;
            }
            Inbound::Event(_) => {}
            Inbound::Left => self.engine.tell(),
        }
        true
    }

    /// Does what a message says, unless it has to wait for the rest of a graph; and then what has waited.
    fn hear(&mut self, message: Message) {
        let mut messages = VecDeque::from([message]);
        while let Some(message) = messages.pop_front() {
            let Some(mut coming) = self.coming.take() else {
                self.take(message);
                continue;
            };
            let is_gone = match coming.take(message) {
                Step::Waits => {
                    self.coming = Some(coming);
                    continue;
                }
                Step::Ask(from) => {
                    self.ask(coming.run, from);
                    self.coming = Some(coming);
                    continue;
                }
                Step::Whole(graph) => {
                    self.add_graph(coming.run, &coming.imports, &graph);
                    false
                }
                Step::Gone => true,
            };
            // They were before anything that comes from now on.
            coming
                .waiting(is_gone)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .for_each(|message| messages.push_front(message));
        }
    }

    fn take(&mut self, (message, bulk, _ticket): Message) {
        match message {
            ToWorker::Welcome { worker, lineage } => self.welcome(worker, lineage),
            ToWorker::Joined(workers) => self.fetching.joined(workers),
            ToWorker::Left(worker) => self.fetching.left(worker),
            ToWorker::Graph { run, imports, told, bytes } => {
                self.along.add(run, &told);
                let first = bulk.into_iter().next().unwrap_or_default();
                self.coming = Coming::new(run, &imports, &first, bytes);
                match &self.coming {
                    Some(coming) => self.ask(run, coming.next()),
                    None => self.add_graph(run, &imports, &first),
                }
            }
            // Of a graph that came to an end otherwise; and what was heard before.
            ToWorker::GraphPiece { .. } | ToWorker::Coordination(_) => {}
            ToWorker::Order(order) => self.obey(order),
            // Who has begun anew knows nothing of what was asked before, and gives other things the same numbers: what comes of these is
            // told in the session in which they came.
            ToWorker::Errand { errand } => {
                self.errands.begin(errand, bulk, self.link.outbox());
            }
            ToWorker::Copy { copy, run, tasks, from } => {
                self.fetching.copy((copy, from), run, tasks, self.link.outbox());
            }
            ToWorker::Fetch { run, tasks, from, identity } => {
                self.fetching.take_given(run, tasks, (&from, identity), self.link.outbox());
            }
            ToWorker::Restart => self.restart(),
            ToWorker::Plugins { names } => self.drop_plugins(&names),
            ToWorker::Plugin { name, is_new } => self.plug_in(name, is_new, bulk.into_iter().next()),
            ToWorker::Broken(story) => self.ended.tell(format!("the scheduler broke down: {story}")),
            ToWorker::Leave => self.ended.tell("the scheduler has ended it"),
        }
    }

    fn ask(&self, run: RunId, from: u64) {
        if let Some(outbox) = self.link.outbox() {
            // It is small, and what the worker may say is as good as unbounded beside it.
            let _ = outbox.send_waiting(&FromWorker::GraphPiece { run, from }, vec![], PATIENCE);
        }
    }

    /// Ends, so that whoever looks after the process starts another; if somebody does.
    fn restart(&self) {
        match self.ended.begins_anew() {
            true => {
                self.ended.tell(RESTARTED);
                self.link.outbox().into_iter().for_each(|outbox| outbox.close());
            }
            false => {
                if let Some(outbox) = self.link.outbox() {
                    let _ = outbox.send_waiting(&FromWorker::Stays, vec![], PATIENCE);
                }
            }
        }
    }

    fn obey(&self, order: WorkerOrder) {
        if let WorkerOrder::Forget { run } = &order {
            self.along.forget(*run);
        }
        self.heed(self.engine.handle(order));
    }

    /// An order that can't be obeyed is the end.
    fn heed(&self, obeyed: Result<(), WorkerError>) {
        if let Err(error) = obeyed {
            self.ended.tell(format!("the scheduler wants what can't be done: {error}"));
        }
    }
}
