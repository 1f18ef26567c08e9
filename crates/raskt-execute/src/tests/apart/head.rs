//! The scheduler's side: the real machine on a thread of its own, and ports to workers and clients.

use super::kernels::Job;
use super::links::Cut;
use crate::TaskFailure;
use raskt_graph::{Graph, TaskId};
use raskt_schedule::*;
use raskt_value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// What comes to the scheduler's side.
pub enum Inbound {
    Join(WorkerId, Offer, Port),
    Told(WorkerId, WorkerTold),
    Failed(TaskFailure),
    Lost(WorkerId, LossCause),
    Submit(Job, Sender<Ended>),
    /// The same, and data for some of its tasks, to go to a worker.
    SubmitWith(Job, Vec<(TaskId, Value)>, WorkerId, Sender<Ended>),
    Release(RunId),
    /// Who holds what is wanted of a run.
    Where(RunId, Sender<Vec<Option<WorkerId>>>),
    /// Looks at the machine.
    Look(Box<dyn FnOnce(&mut Scheduler) + Send>),
    Stop,
}

/// What goes to a worker.
pub enum Outbound {
    Graph(RunId, Arc<Graph>),
    Put(RunId, Vec<(TaskId, Value)>),
    Order(WorkerOrder),
}

/// The way to a worker.
pub struct Port {
    pub down: Sender<Outbound>,
    pub cut: Cut,
    pub graphs: BTreeSet<RunId>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    Finished,
    /// Why a task of it failed, if a worker said so.
    Failed(Option<TaskFailure>),
    Lost,
}

/// Results that a client gives.
type Data = Vec<(TaskId, Value)>;

pub struct Head {
    scheduler: Scheduler,
    start: Instant,
    ports: BTreeMap<WorkerId, Port>,
    runs: BTreeMap<RunId, (Job, Sender<Ended>)>,
    failures: BTreeMap<(RunId, TaskId), TaskFailure>,
    /// Runs whose data no worker has yet.
    gifts: BTreeSet<RunId>,
    /// Data for workers that haven't joined yet.
    unsent: Vec<(WorkerId, RunId, Data)>,
    /// Is told how many things have been told.
    heard: u64,
    on_heard: Box<dyn FnMut(u64) + Send>,
}

impl Head {
    /// Starts it; what comes is sent to it. `on_heard` is told how much has come from workers.
    pub fn start(settings: Settings, on_heard: impl FnMut(u64) + Send + 'static) -> Sender<Inbound> {
        let (sender, receiver) = channel();
        let head = Self {
            scheduler: Scheduler::with(settings, Arc::new(SoonestStart::default())),
            start: Instant::now(),
            ports: BTreeMap::new(),
            runs: BTreeMap::new(),
            failures: BTreeMap::new(),
            gifts: BTreeSet::new(),
            unsent: vec![],
            heard: 0,
            on_heard: Box::new(on_heard),
        };
        let run = move || head.serve(&receiver);
        std::thread::Builder::new().name("head".into()).spawn(run).expect("tests get threads");
        sender
    }

    fn serve(mut self, inbound: &Receiver<Inbound>) {
        loop {
            let patience = self.scheduler.wakes_at().map_or(Duration::from_secs(60), |at| {
                Duration::from_nanos(at.0.saturating_sub(self.start.elapsed().as_nanos() as u64))
            });
            match inbound.recv_timeout(patience) {
                Ok(Inbound::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => self.event(Event::TimePassed),
            }
        }
    }

    fn take(&mut self, message: Inbound) {
        match message {
            Inbound::Join(worker, offer, port) => {
                self.ports.insert(worker, port);
                self.event(Event::WorkerJoined { worker, offer });
                for (_, run, values) in self.unsent.extract_if(.., |(to, ..)| *to == worker).collect::<Vec<_>>() {
                    self.give(worker, run, values);
                }
            }
            Inbound::Told(worker, told) => {
                if self.ports.contains_key(&worker) {
                    self.heard += 1;
                    (self.on_heard)(self.heard);
                    let given = if let WorkerTold::Scattered { run, .. } = &told { self.gifts.take(run) } else { None };
                    self.event(told.into_event(worker));
                    given.into_iter().for_each(|run| self.want(run));
                }
            }
            Inbound::Failed(failure) => _ = self.failures.insert((failure.run, failure.task), failure),
            Inbound::Lost(worker, cause) => {
                if self.ports.remove(&worker).is_some() {
                    self.event(Event::WorkerLost { worker, cause });
                }
            }
            Inbound::Submit(job, ended) => self.submit(job, ended),
            Inbound::SubmitWith(job, values, worker, ended) => {
                let run = job.run;
                self.gifts.insert(run);
                self.submit(job, ended);
                self.give(worker, run, values);
            }
            Inbound::Release(run) => {
                self.runs.remove(&run);
                self.event(Event::RunReleased { run });
            }
            Inbound::Where(run, reply) => _ = reply.send(self.holders(run)),
            Inbound::Look(look) => look(&mut self.scheduler),
            Inbound::Stop => {}
        }
    }

    fn submit(&mut self, job: Job, ended: Sender<Ended>) {
        let (run, graph) = (job.run, job.graph.clone());
        // Whoever gives data wants nothing before it is there.
        let wanted = if self.gifts.contains(&run) { vec![] } else { TaskRange::of(job.wanted.iter().copied()) };
        self.runs.insert(run, (job, ended));
        self.event(Event::GraphAdded { run, parent: None, graph, wanted, failure: FailureScope::Run, imports: vec![] });
    }

    /// Sends data to a worker, which may not have joined yet.
    fn give(&mut self, worker: WorkerId, run: RunId, values: Vec<(TaskId, Value)>) {
        let graph = self.runs.get(&run).map(|(job, _)| job.graph.clone());
        match graph.filter(|_| self.ports.contains_key(&worker)) {
            Some(graph) => self.send(worker, run, &graph, Outbound::Put(run, values)),
            None => self.unsent.push((worker, run, values)),
        }
    }

    fn want(&mut self, run: RunId) {
        if let Some((job, _)) = self.runs.get(&run) {
            self.event(Event::Wanted { run, tasks: TaskRange::of(job.wanted.iter().copied()) });
        }
    }

    fn event(&mut self, event: Event) {
        let now = Time(self.start.elapsed().as_nanos() as u64);
        self.scheduler.try_event(now, event).expect("workers say what can be");
        while let Some(action) = self.scheduler.poll_action() {
            self.act(action);
        }
    }

    fn act(&mut self, action: Action) {
        let action = match WorkerOrder::of(action) {
            Ok((worker, order)) => return self.order(worker, order),
            Err(action) => action,
        };
        match action {
            Action::Finished { run } if self.gifts.contains(&run) => {}
            Action::Finished { run } => self.end(run, Ended::Finished),
            Action::Failed { run, task, .. } => {
                let why = self.failures.remove(&(run, task));
                self.end(run, Ended::Failed(why));
            }
            Action::Lost { run, .. } => self.end(run, Ended::Lost),
            _ => {}
        }
    }

    fn end(&mut self, run: RunId, ended: Ended) {
        if let Some((_, sender)) = self.runs.get(&run) {
            let _ = sender.send(ended);
        }
    }

    fn order(&mut self, worker: WorkerId, order: WorkerOrder) {
        match &order {
            WorkerOrder::Assign(assignment) => {
                let run = assignment.run;
                let graph = self.runs[&run].0.graph.clone();
                self.send(worker, run, &graph, Outbound::Order(order));
            }
            WorkerOrder::Forget { run } => {
                let run = *run;
                if let Some(port) = self.ports.get_mut(&worker) {
                    port.graphs.remove(&run);
                    let _ = port.down.send(Outbound::Order(order));
                }
            }
            _ => {
                if let Some(port) = self.ports.get(&worker) {
                    let _ = port.down.send(Outbound::Order(order));
                }
            }
        }
    }

    /// Sends something of a run, after its graph.
    fn send(&mut self, worker: WorkerId, run: RunId, graph: &Arc<Graph>, message: Outbound) {
        let Some(port) = self.ports.get_mut(&worker) else { return };
        if port.graphs.insert(run) {
            let _ = port.down.send(Outbound::Graph(run, graph.clone()));
        }
        let _ = port.down.send(message);
    }

    fn holders(&self, run: RunId) -> Vec<Option<WorkerId>> {
        let Some((job, _)) = self.runs.get(&run) else { return vec![] };
        let holder = |task: &TaskId| {
            let mut workers = self.ports.iter().filter(|(_, port)| !port.cut.is_cut()).map(|(worker, _)| *worker);
            workers.find(|worker| self.scheduler.holds(run, *worker, *task))
        };
        job.wanted.iter().map(holder).collect()
    }
}
