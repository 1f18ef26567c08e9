//! What the machines themselves cost: graphs whose tasks take no time, run by the scheduler and worker machines alone.
//!
//! ```text
//! cargo run --release -p raskt-schedule --example scale            # every workload, each in a process of its own
//! cargo run --release -p raskt-schedule --example scale -- chain   # one of them
//! ```
//!
//! Of each it prints the processor's time to build the graph and to submit it and what both took, the time of a task, and the most memory that was
//! held, also by task. (Time that other programs take from this one isn't counted, where the system tells.) Every run counts the tasks that it ran, and fails if one is missing.

#[path = "graphs/symbolic.rs"]
mod symbolic;

use raskt_graph::*;
use raskt_schedule::*;
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// Name, tasks (or blocks of the first layer; of the four last, blocks in all, about), workers.
const WORKLOADS: [(&str, u32, u32); 12] = [
    ("independent", 1_000_000, 1),
    ("chain", 1_000_000, 1),
    ("tree", 1_000_000, 1),
    ("random", 1_000_000, 1),
    ("random", 1_000_000, 100),
    ("blocks", 1_000_000, 100),
    ("blocks", 100_000_000, 10_000),
    ("centred", 1_000_000, 100),
    ("centred", 100_000_000, 10_000),
    ("rechunk", 100_000_000, 10_000),
    ("slice", 100_000_000, 10_000),
    ("concatenate", 100_000_000, 10_000),
];

/// What the wheel has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [name, size, workers] => measure(name, size.parse().expect("a number"), workers.parse().expect("a number")),
        names => {
            let chosen =
                WORKLOADS.iter().filter(|(name, ..)| names.is_empty() || names.iter().any(|other| other == name));
            for (name, size, workers) in chosen {
                let this = std::env::current_exe().expect("this program has a path");
                let arguments = [name.to_string(), size.to_string(), workers.to_string()];
                let status = std::process::Command::new(this).args(arguments).status().expect("it can be run again");
                assert!(status.success(), "{name} failed");
            }
        }
    }
}

fn measure(name: &str, size: u32, workers: u32) {
    let start = now();
    let before = resident("VmRSS");
    let (graph, wanted) = build(name, size);
    let built = now() - start;
    let built_bytes = resident("VmRSS").saturating_sub(before);
    let mut cluster = Cluster::new();
    let tasks = graph.tasks();
    let (start, ready) = (now(), resident("VmRSS"));
    cluster.handle(Event::GraphAdded {
        run: RUN,
        parent: None,
        graph,
        wanted,
        failure: FailureScope::Run,
        imports: vec![],
    });
    let submitted = now() - start;
    let held = built_bytes + resident("VmRSS").saturating_sub(ready);
    let start = now();
    cluster.join(workers);
    cluster.run();
    let ran = now() - start;
    assert!(cluster.is_finished, "the run came to a stop");
    assert_eq!(cluster.tasks_run, tasks, "tasks that ran");
    let peak = resident("VmHWM");
    println!(
        "{name:>12} {tasks:>11} tasks {workers:>6} workers: build {:>7.1} ms, submit {:>6.2} ms, together {:>3} MB, run {:>8.1} ms = {:>5.0} ns a task; \
         {:>9} assignments, peak {:>4} MB = {:>5.1} bytes a task",
        milliseconds(built),
        milliseconds(submitted),
        held >> 20,
        milliseconds(ran),
        ran.as_nanos() as f64 / tasks as f64,
        cluster.assignments,
        peak >> 20,
        (peak - before) as f64 / tasks as f64,
    );
}

/// Time that this thread has had a processor; without such a count, time.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let count = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = count.and_then(|count| count.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// A line of `/proc/self/status`, in bytes; zero where there is no such file.
fn resident(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = status.lines().find(|other| other.starts_with(line));
    found.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn build(name: &str, size: u32) -> (Arc<Graph>, Vec<TaskRange>) {
    let mut graph = GraphBuilder::new();
    let op = graph.op(Op {
        kind: OpKind::Array,
        name: "nothing".into(),
        digest: 0,
        flags: OpFlags::default(),
        body: Arc::new(()),
    });
    if let Some(last) = symbolic::summed(&mut graph, op, BLOCK, name, size) {
        return (Arc::new(graph.finish()), vec![TaskRange { layer: last, start: 0, end: 1 }]);
    }
    let (shape, first_wanted) = explicit(name, size);
    let end = shape.len();
    let layer = graph.layer(Layer::new(name, op, shape)).expect("the edges lead upwards");
    (Arc::new(graph.finish()), vec![TaskRange { layer, start: first_wanted, end }])
}

/// What a block costs in a large run: a millisecond and eight bytes, so that about ten make an assignment.
const BLOCK: Cost = Cost { nanoseconds: 1_000_000, scratch_bytes: 0, output_bytes: 8 };

/// An explicit layer, and the first of its tasks that is wanted.
fn explicit(name: &str, size: u32) -> (Shape, u64) {
    let mut edges = ExplicitBuilder::with_capacity(size as usize);
    let mut seed = 1_u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    // A binary tree has an odd number of tasks.
    let size = if name == "tree" { u64::from(size - 1) | 1 } else { u64::from(size) };
    for task in 0..size {
        match name {
            "chain" if task > 0 => edges.own_input(task - 1),
            // The leaves come first; each later task reads the two next that nobody has read.
            "tree" if task >= size.div_ceil(2) => {
                (0..2).for_each(|at| edges.own_input(2 * (task - size.div_ceil(2)) + at))
            }
            "random" if task > 0 => (0..1 + draw(3)).for_each(|_| edges.own_input(draw(task))),
            _ => {}
        }
        edges.task();
    }
    // Of a chain and a tree the last is wanted, of the others everything, so that every task has to run.
    let first_wanted = if matches!(name, "chain" | "tree") { size - 1 } else { 0 };
    // The last task stays the last.
    let (edges, _) = edges.finish_in_order().expect("the edges lead upwards");
    (Shape::Explicit(edges), first_wanted)
}

const RUN: RunId = RunId(1);

/// Worker machines that run everything at once, in the order in which it comes.
struct Cluster {
    scheduler: Scheduler,
    workers: Vec<Worker>,
    /// Assignments that run.
    executing: VecDeque<(usize, Ticket, Vec<TaskRange>)>,
    /// What workers have told the scheduler.
    told: VecDeque<Event>,
    is_finished: bool,
    tasks_run: u64,
    assignments: u64,
}

/// What is handed out at a time, and how many assignments a worker runs at a time.
const CREDIT_NANOSECONDS: u64 = 10_000_000;
const SLOTS: u32 = 2;

/// Bytes that a worker may hold: what it holds is counted, and never too much.
const MEMORY: u64 = 4 << 30;

impl Cluster {
    fn new() -> Self {
        Self {
            scheduler: Scheduler::new(CREDIT_NANOSECONDS),
            workers: vec![],
            executing: VecDeque::new(),
            told: VecDeque::new(),
            is_finished: false,
            tasks_run: 0,
            assignments: 0,
        }
    }

    fn join(&mut self, workers: u32) {
        self.workers = (0..workers).map(|_| Worker::new(SLOTS)).collect();
        for worker in (0..workers).map(WorkerId) {
            let offer = Offer { memory: MEMORY, ..Offer::slots(SLOTS) };
            self.handle(Event::WorkerJoined { worker, offer });
        }
    }

    fn handle(&mut self, event: Event) {
        self.told.push_back(event);
        while let Some(event) = self.told.pop_front() {
            self.handle_one(event);
        }
    }

    fn handle_one(&mut self, event: Event) {
        self.scheduler.handle_event(Time(0), event);
        while let Some(action) = self.scheduler.poll_action() {
            match action {
                Action::Assign { worker, assignment } => {
                    self.assignments += 1;
                    self.tell(worker.0 as usize, WorkerEvent::Assigned(assignment));
                }
                Action::Finished { .. } => self.is_finished = true,
                Action::Failed { task, .. } => panic!("{task} failed"),
                Action::Lost { tasks, .. } => panic!("{tasks:?} are lost"),
                Action::Stalled { cause, .. } => assert!(self.workers.is_empty(), "{cause:?}"),
                Action::Discard { .. } | Action::Recall { .. } | Action::Forget { .. } | Action::Resumed { .. } => {}
                Action::Available { .. } | Action::Unavailable { .. } | Action::TasksFailed { .. } => {
                    panic!("no task stands alone")
                }
            }
        }
    }

    fn tell(&mut self, at: usize, event: WorkerEvent) {
        self.workers[at].handle_event(event);
        while let Some(action) = self.workers[at].poll_action() {
            match action {
                WorkerAction::Reserve { ticket, .. } => self.workers[at].handle_event(WorkerEvent::Promised(ticket)),
                WorkerAction::Execute { ticket, assignment } => {
                    self.executing.push_back((at, ticket, assignment.tasks));
                }
                WorkerAction::Report(report) => {
                    self.told.push_back(Event::Reported { worker: WorkerId(at as u32), report });
                }
                WorkerAction::Fetch { ticket, .. } => self.workers[at].handle_event(WorkerEvent::Fetched(ticket)),
                WorkerAction::Fetched { run, tasks } => {
                    self.told.push_back(Event::Fetched { worker: WorkerId(at as u32), run, tasks });
                }
                WorkerAction::FetchFailed { .. } | WorkerAction::Unsendable { .. } => {
                    panic!("everything can be fetched")
                }
                WorkerAction::Started { .. } | WorkerAction::Unreserve { .. } | WorkerAction::Recalled { .. } => {}
                WorkerAction::Kept { .. } => {}
            }
        }
    }

    fn run(&mut self) {
        while let Some((at, ticket, tasks)) = self.executing.pop_front() {
            let count = TaskRange::count(&tasks);
            self.tasks_run += count;
            let outcomes = tasks.into_iter().map(|range| (range, Outcome::Done { bytes: 8 * range.len() })).collect();
            // Blocks take what they were said to take, tasks of explicit layers nearly nothing.
            let nanoseconds = if self.workers.len() > 1 { 1_000_000 * count } else { 100 * count };
            self.tell(at, WorkerEvent::Executed { ticket, outcomes, nanoseconds });
            while let Some(event) = self.told.pop_front() {
                self.handle_one(event);
            }
        }
    }
}
