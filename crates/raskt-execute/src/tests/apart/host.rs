//! A worker with a store of its own, and the links from it and to it.

use super::head::{Inbound, Outbound, Port};
use super::kernels::copied;
use super::links::{Cut, link};
use crate::*;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, WorkerId, WorkerTold};
use raskt_sync::Mutex;
use raskt_value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// The workers that can be reached.
pub type Peers = Arc<Mutex<BTreeMap<WorkerId, Host>>>;

#[derive(Clone)]
pub struct Host {
    pub worker: WorkerId,
    pub engine: WorkerEngine,
    pub cut: Cut,
    folder: Arc<tempfile::TempDir>,
}

/// How a worker is made.
#[derive(Clone)]
pub struct HostPlan {
    pub threads: usize,
    pub memory: u64,
    pub runners: Runners,
    /// How long messages take at most.
    pub microseconds: u64,
}

/// Sends on what the engine says.
struct Words {
    worker: WorkerId,
    up: Sender<Inbound>,
    fetches: Sender<FetchRequest>,
}

impl Uplink for Words {
    fn tell(&self, told: WorkerTold) {
        let _ = self.up.send(Inbound::Told(self.worker, told));
    }

    fn failed(&self, failure: TaskFailure) {
        let _ = self.up.send(Inbound::Failed(failure));
    }

    fn fetch(&self, request: FetchRequest) {
        let _ = self.fetches.send(request);
    }

    fn give_up(&self, _fetch: FetchId) {}

    fn broke(&self, story: &str) {
        panic!("a worker broke: {story}");
    }
}

impl Host {
    /// Starts a worker, and has it join.
    pub fn start(worker: WorkerId, plan: &HostPlan, head: &Sender<Inbound>, peers: &Peers) -> Self {
        let (cut, folder) = (Cut::default(), Arc::new(tempfile::tempdir().unwrap()));
        let way = |of: u64| (u64::from(worker.0) * 16 + of, plan.microseconds);
        let to_head = head.clone();
        let up = link(way(0), cut.clone(), move |message| _ = to_head.send(message));
        let reachable = peers.clone();
        let answers = link(way(1), cut.clone(), move |(fetch, answer)| {
            let own = reachable.lock().get(&worker).cloned();
            if let Some(own) = own {
                own.engine.fetched(fetch, answer);
            }
        });
        let reachable = peers.clone();
        let fetches = link(way(2), cut.clone(), move |request| ask(&reachable, request, &answers));
        let store = Store::new(Limits { memory: plan.memory, disk: u64::MAX, spill_path: Some(folder.path().into()) });
        let options = EngineOptions { threads: plan.threads, ..EngineOptions::default() };
        let words = Words { worker, up: up.clone(), fetches };
        let engine = WorkerEngine::with_store(options, store, plan.runners.clone(), Arc::new(words));
        let host = Self { worker, engine: engine.clone(), cut: cut.clone(), folder };
        peers.lock().insert(worker, host.clone());
        let offer = engine.offer();
        let down = link(way(3), cut.clone(), move |message| match message {
            Outbound::Graph(run, graph) => engine.add_graph(run, graph, &[]).or_else(unless_shut_down).unwrap(),
            Outbound::Put(run, values) => engine.put(run, values, &engine.expect(0)).or_else(unless_shut_down).unwrap(),
            Outbound::Order(order) => engine.handle(order).or_else(unless_shut_down).unwrap(),
        });
        let _ = up.send(Inbound::Join(worker, offer, Port { down, cut, graphs: BTreeSet::new() }));
        host
    }

    /// It is gone, with all that it had.
    pub fn kill(&self, peers: &Peers) {
        self.cut.cut();
        peers.lock().remove(&self.worker);
        self.engine.shut_down(Duration::ZERO);
    }

    pub fn files(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.folder.path()).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
        files.map(|entry| entry.path()).filter(|path| path.file_name().unwrap() != "owner").collect()
    }

    /// Results as a client gets them; nothing for those that aren't here.
    pub fn values(&self, run: RunId, tasks: &[TaskId]) -> Vec<Option<Value>> {
        let (sender, receiver) = channel();
        let ranges = TaskRange::of(tasks.iter().copied());
        let told = move |given: Given| {
            let _ = sender.send(given.values.iter().map(|value| value.as_ref().ok().map(copied)).collect());
        };
        self.engine.values(run, &ranges, told).unwrap();
        receiver.recv_timeout(Duration::from_secs(60)).expect("whoever asks is answered")
    }

    /// Nothing is left in it, once what was under way has ended.
    pub fn becomes_empty(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let left = self.left();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "worker {} keeps {left}", self.worker.0);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn left(&self) -> String {
        let report = self.engine.store().report().unwrap();
        let (runs, fetches, strays) = self.engine.leftovers();
        if report.held + report.promised + report.spilled == 0
            && self.engine.inventory().is_empty()
            && (runs, fetches, strays) == (0, true, 0)
        {
            return String::new();
        }
        format!("{runs} runs, {strays} strays, fetches {fetches}, {report}")
    }
}

fn unless_shut_down(error: WorkerError) -> Result<(), WorkerError> {
    if matches!(error, WorkerError::ShutDown) { Ok(()) } else { Err(error) }
}

type Answer = (FetchId, FetchAnswer);

fn ask(peers: &Peers, request: FetchRequest, answers: &Sender<Answer>) {
    let (id, answers) = (request.id, answers.clone());
    let Some(peer) = peers.lock().get(&request.from).cloned() else {
        let _ = answers.send((id, Err(Unreachable)));
        return;
    };
    let told = move |given: Given| {
        let copies = given.values.iter().map(|value| value.as_ref().map(copied).map_err(Clone::clone)).collect();
        let _ = answers.send((id, Ok(copies)));
    };
    peer.engine.values(request.run, &request.tasks, told).unwrap();
}
