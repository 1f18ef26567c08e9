//! One worker by itself: a hand in the place of the scheduler and of other workers.

use super::kernels::{Mixer, block, copied};
use crate::*;
use raskt_graph::*;
use raskt_schedule::*;
use raskt_value::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

pub const RUN: RunId = RunId(5);
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What the worker says.
#[derive(Debug)]
pub enum Said {
    Told(WorkerTold),
    Failed(TaskFailure),
    Fetch(FetchRequest),
    GaveUp(FetchId),
    Broke(String),
}

struct Ear(raskt_sync::Mutex<Sender<Said>>);

impl Ear {
    fn hear(&self, said: Said) {
        let _ = self.0.lock().send(said);
    }
}

impl Uplink for Ear {
    fn tell(&self, told: WorkerTold) {
        self.hear(Said::Told(told));
    }

    fn failed(&self, failure: TaskFailure) {
        self.hear(Said::Failed(failure));
    }

    fn fetch(&self, request: FetchRequest) {
        self.hear(Said::Fetch(request));
    }

    fn give_up(&self, fetch: FetchId) {
        self.hear(Said::GaveUp(fetch));
    }

    fn broke(&self, story: &str) {
        self.hear(Said::Broke(story.into()));
    }
}

pub struct Bench {
    pub engine: WorkerEngine,
    said: Receiver<Said>,
    folder: tempfile::TempDir,
}

impl Bench {
    /// A worker of so many threads and KiB whose native tasks `runner` runs, with `graph` as its run.
    pub fn new((threads, memory_kib): (usize, u64), runner: Arc<dyn Runner>, graph: Arc<Graph>) -> Self {
        Self::with((threads, memory_kib), Runners::default().with_native(runner), graph)
    }

    pub fn with((threads, memory_kib): (usize, u64), runners: Runners, graph: Arc<Graph>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spill_path = Some(folder.path().into());
        let store = Store::new(Limits { memory: memory_kib << 10, disk: u64::MAX, spill_path });
        let (sender, said) = channel();
        let options = EngineOptions { threads, ..EngineOptions::default() };
        let engine = WorkerEngine::with_store(options, store, runners, Arc::new(Ear(raskt_sync::Mutex::new(sender))));
        engine.add_graph(RUN, graph, &[]).unwrap();
        Self { engine, said, folder }
    }

    /// One that computes what [`Mixer`] does.
    pub fn mixing(threads: usize, graph: Arc<Graph>) -> Self {
        Self::new((threads, 1 << 20), Arc::new(Mixer::default()), graph)
    }

    pub fn assign(&self, attempt: u32, tasks: Vec<TaskRange>, fetches: Vec<Fetch>) {
        self.order(WorkerOrder::Assign(assignment(attempt, tasks, fetches)));
    }

    pub fn order(&self, order: WorkerOrder) {
        self.engine.handle(order).unwrap();
    }

    /// The next thing that it says.
    pub fn next(&self) -> Said {
        self.said.recv_timeout(PATIENCE).expect("it says something")
    }

    pub fn told(&self) -> WorkerTold {
        match self.next() {
            Said::Told(told) => told,
            other => panic!("{other:?}"),
        }
    }

    /// What it asks other workers for.
    pub fn asked(&self) -> FetchRequest {
        match self.next() {
            Said::Fetch(request) => request,
            other => panic!("{other:?}"),
        }
    }

    /// How an assignment ended that begins next.
    pub fn report(&self) -> Report {
        assert!(matches!(self.told(), WorkerTold::Started { .. }));
        self.end()
    }

    /// How one ended that has begun.
    pub fn end(&self) -> Report {
        match self.told() {
            WorkerTold::Reported(report) => report,
            other => panic!("{other:?}"),
        }
    }

    pub fn says_nothing_more(&self) {
        assert!(self.said.try_recv().is_err());
    }

    /// What of the tasks of a layer is here.
    pub fn held(&self, tasks: &[TaskRange]) -> Vec<Option<Value>> {
        let (sender, receiver) = channel();
        let told = move |given: Given| {
            let _ = sender.send(given.values.iter().map(|value| value.as_ref().ok().map(copied)).collect());
        };
        self.engine.values(RUN, tasks, told).unwrap();
        receiver.recv_timeout(PATIENCE).expect("whoever asks is answered")
    }

    /// Bytes that are held, promised and spilled.
    pub fn bytes(&self) -> (u64, u64, u64) {
        let report = self.engine.store().report().unwrap();
        (report.held, report.promised, report.spilled)
    }

    pub fn files(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        files.filter(|path| path.file_name().unwrap() != "owner").collect()
    }

    /// Whether nobody is left who could say anything.
    pub fn hangs_up(&self) -> bool {
        matches!(self.said.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected))
    }

    /// Waits for what comes in its own time.
    pub fn until(&self, mut is_so: impl FnMut(&Self) -> bool) {
        let deadline = std::time::Instant::now() + PATIENCE;
        while !is_so(self) {
            assert!(std::time::Instant::now() < deadline, "{}", self.engine.describe());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The run is forgotten: nothing is left.
    pub fn ends_empty(self) {
        self.order(WorkerOrder::Forget { run: RUN });
        self.until(|bench| bench.bytes() == (0, 0, 0) && bench.engine.strays() == 0);
        assert_eq!(self.engine.leftovers(), (0, true, 0));
        assert_eq!(self.engine.inventory(), []);
        self.engine.shut_down(PATIENCE);
    }
}

pub fn assignment(attempt: u32, tasks: Vec<TaskRange>, fetches: Vec<Fetch>) -> Assignment {
    Assignment { run: RUN, attempt: Attempt(attempt), tasks, transient: vec![], memory: 1 << 10, fetched: 0, fetches }
}

pub fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

pub fn fetch(from: u32, tasks: TaskRange, keep: bool) -> Fetch {
    Fetch { run: RUN, from: WorkerId(from), tasks, keep }
}

/// So many sources, and as many tasks that each read one of them.
pub fn pairs(count: u32) -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = super::graphs::op(&mut graph);
    let sources = graph.layer(Layer::new("source", op, Shape::source(count))).unwrap();
    let grid = Grid::new([count]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(sources, grid)] };
    graph.layer(Layer::new("reader", op, shape)).unwrap();
    Arc::new(graph.finish())
}

/// Results of the graph's tasks, of eight bytes or of so many KiB.
pub fn results(graph: &Graph, tasks: TaskRange, kib: u64) -> Vec<Value> {
    let all = super::graphs::evaluate(graph);
    tasks.tasks().map(|task| block(all[&task], if kib == 0 { 1 } else { (kib * 128) as usize })).collect()
}

pub fn answer(values: Vec<Value>) -> FetchAnswer {
    Ok(values.into_iter().map(Ok).collect())
}

/// Three layers of so many sources.
pub fn three_layers(count: u32) -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = super::graphs::op(&mut graph);
    for name in ["first", "second", "third"] {
        graph.layer(Layer::new(name, op, Shape::source(count))).unwrap();
    }
    Arc::new(graph.finish())
}
