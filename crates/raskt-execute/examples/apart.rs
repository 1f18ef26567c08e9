//! A million native tasks that do nothing, on two workers whose scheduler is on a thread of its own: what a task costs where what
//! is assigned and told goes through channels. Nothing is written or sent, so that this is the least that a cluster can cost.
//!
//! ```text
//! cargo run --release -p raskt-execute --example apart -- [SHAPE] [TASKS] [THREADS]
//! ```
//!
//! SHAPE is one of `independent`, `pairs` (each task reads one of a layer before it) and `tree` (sums of two). Each of the two
//! workers has so many THREADS, one unless it is said. Prints one line of JSON.

use raskt_execute::{
    EngineOptions, FetchId, FetchRequest, Given, Runners, TaskFailure, TaskRange, Unreachable, Uplink, WorkerEngine,
};
use raskt_graph::{Graph, GraphBuilder, GraphError, Grid, Layer, LayerId, MapInput, Op, OpFlags, OpKind, Shape};
use raskt_schedule::{
    Action, Event, FailureScope, RunId, Scheduler, Settings, Time, WorkerId, WorkerOrder, WorkerTold,
};
use raskt_value::{Call, Chunk, Kernel, NativeOp, TaskError, Value};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the wheel has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RUN: RunId = RunId(1);
const WORKERS: [WorkerId; 2] = [WorkerId(1), WorkerId(2)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let shape = arguments.next().unwrap_or_else(|| "independent".into());
    let tasks = arguments.next().map_or(Ok(1_000_000), |tasks| tasks.parse())?;
    let threads = arguments.next().map_or(Ok(1), |threads| threads.parse())?;
    let (graph, wanted) = graph(&shape, tasks)?;
    let graph = Arc::new(graph);
    let (sender, inbound) = channel();
    let peers = Arc::new(Peers::default());
    let memory_limit = EngineOptions::default().memory_limit / 2;
    for worker in WORKERS {
        let words = Words { worker, head: Mutex::new(sender.clone()), peers: peers.clone() };
        let engine = WorkerEngine::new(EngineOptions { threads, memory_limit }, Runners::default(), Arc::new(words));
        engine.add_graph(RUN, graph.clone(), &[])?;
        peers.0.lock().expect("nobody panics").insert(worker, engine);
    }
    let start = Instant::now();
    let events = schedule(&graph, &wanted, &peers, &inbound);
    let seconds = start.elapsed().as_secs_f64();
    let (result, total) = (sum(&peers, &wanted), graph.tasks());
    println!(r#"{{"seconds": {seconds}, "result": {result}, "tasks": {total}, "events": {events}}}"#);
    for engine in peers.0.lock().expect("nobody panics").values() {
        engine.shut_down(Duration::from_secs(1));
    }
    Ok(())
}

/// The workers.
#[derive(Default)]
struct Peers(Mutex<BTreeMap<WorkerId, WorkerEngine>>);

impl Peers {
    fn engine(&self, worker: WorkerId) -> Option<WorkerEngine> {
        self.0.lock().expect("nobody panics").get(&worker).cloned()
    }
}

/// What a worker says goes into the channel of the scheduler, and what it reads of the other one it gets at once.
struct Words {
    worker: WorkerId,
    head: Mutex<Sender<(WorkerId, WorkerTold)>>,
    peers: Arc<Peers>,
}

impl Uplink for Words {
    fn tell(&self, told: WorkerTold) {
        let _ = self.head.lock().expect("nobody panics").send((self.worker, told));
    }

    fn failed(&self, failure: TaskFailure) {
        eprintln!("{} failed: {}", failure.key, failure.error.message);
    }

    fn fetch(&self, request: FetchRequest) {
        let Some(own) = self.peers.engine(self.worker) else { return };
        let (id, back) = (request.id, own.clone());
        let told = move |given: Given| back.fetched(id, Ok(given.values.to_vec()));
        match self.peers.engine(request.from) {
            Some(peer) if peer.values(request.run, &request.tasks, told).is_ok() => {}
            _ => own.fetched(id, Err(Unreachable)),
        }
    }

    fn give_up(&self, _: FetchId) {}

    fn broke(&self, story: &str) {
        eprintln!("a worker broke: {story}");
    }
}

/// Drives the scheduler until the run has ended; gives how much it heard.
fn schedule(
    graph: &Arc<Graph>,
    wanted: &[TaskRange],
    peers: &Peers,
    inbound: &Receiver<(WorkerId, WorkerTold)>,
) -> u64 {
    let start = Instant::now();
    let now = || Time(start.elapsed().as_nanos() as u64);
    let mut scheduler = Scheduler::with(Settings::default(), Arc::new(raskt_schedule::SoonestStart::default()));
    for worker in WORKERS {
        let offer = peers.engine(worker).map(|engine| engine.offer());
        offer.into_iter().for_each(|offer| scheduler.handle_event(now(), Event::WorkerJoined { worker, offer }));
    }
    let (graph, wanted) = (graph.clone(), wanted.to_vec());
    scheduler.handle_event(
        now(),
        Event::GraphAdded { run: RUN, parent: None, graph, wanted, failure: FailureScope::Run, imports: vec![] },
    );
    let mut events = 0;
    loop {
        while let Some(action) = scheduler.poll_action() {
            match WorkerOrder::of(action) {
                Ok((worker, order)) => {
                    let refused = peers.engine(worker).and_then(|engine| engine.handle(order).err());
                    refused.into_iter().for_each(|error| eprintln!("{error}"));
                }
                Err(Action::Finished { .. } | Action::Failed { .. }) => return events,
                Err(_) => {}
            }
        }
        let patience = scheduler.wakes_at().map_or(3600 * 1_000_000_000, |at| at.0.saturating_sub(now().0));
        let event = match inbound.recv_timeout(Duration::from_nanos(patience)) {
            Ok((worker, told)) => told.into_event(worker),
            Err(RecvTimeoutError::Timeout) => Event::TimePassed,
            Err(RecvTimeoutError::Disconnected) => return events,
        };
        events += 1;
        scheduler.handle_event(now(), event);
    }
}

/// The sum of what is wanted, wherever it is.
fn sum(peers: &Peers, wanted: &[TaskRange]) -> i64 {
    let (sender, receiver) = channel();
    for worker in WORKERS {
        let sender = sender.clone();
        let told = move |given: Given| {
            let numbers = given.values.iter().flatten().map(height);
            let _ = sender.send(numbers.sum::<i64>());
        };
        let asked = peers.engine(worker).map(|engine| engine.values(RUN, wanted, told));
        asked.into_iter().filter_map(Result::err).for_each(|error| eprintln!("{error}"));
    }
    drop(sender);
    receiver.iter().sum()
}

/// The longest way up from a task, in tasks.
struct Height;

impl Kernel for Height {
    fn run(&self, _: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(Chunk::scalar(1 + inputs.iter().map(height).max().unwrap_or(0)).into())
    }

    fn name(&self) -> String {
        "height".into()
    }
}

fn height(value: &Value) -> i64 {
    value.as_chunk().and_then(Chunk::as_slice::<i64>).map_or(0, |slice| slice[0])
}

/// A graph of so many tasks, about, and those that nobody in it reads.
fn graph(shape: &str, tasks: u32) -> Result<(Graph, Vec<TaskRange>), Box<dyn std::error::Error>> {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(NativeOp(Arc::new(Height)));
    let op = graph.op(Op { kind: OpKind::Array, name: "height".into(), digest: 1, flags: OpFlags::default(), body });
    let mut add = |shape| -> Result<LayerId, GraphError> { graph.layer(Layer::new("height", op, shape)) };
    let mut len = if shape == "independent" { tasks } else { tasks / 2 };
    let mut last = add(Shape::source(len))?;
    match shape {
        "independent" => {}
        "pairs" => {
            let grid = Grid::new([len]);
            last = add(Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(last, grid)] })?;
        }
        "tree" => {
            while len > 1 {
                let fan_in = [2].into_iter().collect();
                last = add(Shape::Reduce { input: last, grid: Grid::new([len]), fan_in })?;
                len = len.div_ceil(2);
            }
        }
        other => return Err(format!("there is no shape `{other}`").into()),
    }
    let wanted = TaskRange { layer: last, start: 0, end: u64::from(len) };
    Ok((graph.finish(), vec![wanted]))
}
