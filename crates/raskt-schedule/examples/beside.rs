//! What the scheduler's time costs an active run in bad company: beside thousands of runs that wait, and when workers die.
//!
//! ```text
//! cargo run --release -p raskt-schedule --example beside           # all of it
//! cargo run --release -p raskt-schedule --example beside -- waiting
//! cargo run --release -p raskt-schedule --example beside -- deaths
//! ```
//!
//! Times are the processor's, the least of a few; each is told beside that of the same without company.

use raskt_graph::*;
use raskt_schedule::*;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

const ACTIVE: RunId = RunId(1 << 32);
const REPEATS: usize = 3;

/// What the wheel has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |name: &str| names.is_empty() || names.iter().any(|other| other == name);
    if is_asked("waiting") {
        waiting();
    }
    if is_asked("deaths") {
        deaths();
    }
}

/// Independent tasks of this time, with these annotations.
fn tasks(count: u32, nanoseconds: u64, annotations: Annotations) -> (Arc<Graph>, Vec<TaskRange>) {
    let mut graph = GraphBuilder::new();
    let op = graph.op(Op {
        kind: OpKind::Array,
        name: "nothing".into(),
        digest: 0,
        flags: OpFlags::default(),
        body: Arc::new(()),
    });
    let cost = Cost { nanoseconds, ..Cost::default() };
    let layer = Layer::new("tasks", op, Shape::source(count)).with_cost(cost);
    let layer = graph.layer(Layer { annotations: Arc::new(annotations), ..layer }).expect("a source fits");
    (Arc::new(graph.finish()), vec![TaskRange { layer, start: 0, end: u64::from(count) }])
}

/// Workers whose assignments end one after the other.
struct Cluster {
    scheduler: Scheduler,
    given: BTreeMap<WorkerId, VecDeque<Assignment>>,
    turns: VecDeque<WorkerId>,
    slots: u32,
    task_nanoseconds: u64,
    events: u64,
    is_finished: bool,
    failed: Option<Vec<Death>>,
    /// The most workers at a time that had one assignment alone while most others were full.
    kept: usize,
}

impl Cluster {
    fn new(credit: u64, slots: u32, task_nanoseconds: u64) -> Self {
        Self {
            scheduler: Scheduler::new(credit),
            given: BTreeMap::new(),
            turns: VecDeque::new(),
            slots,
            task_nanoseconds,
            events: 0,
            is_finished: false,
            failed: None,
            kept: 0,
        }
    }

    fn join(&mut self, worker: u32, resources: Resources) {
        let worker = WorkerId(worker);
        self.given.insert(worker, VecDeque::new());
        self.turns.push_back(worker);
        self.handle(Event::WorkerJoined { worker, offer: Offer { resources, ..Offer::slots(self.slots) } });
    }

    fn submit(&mut self, run: RunId, (graph, wanted): (Arc<Graph>, Vec<TaskRange>)) {
        self.handle(Event::GraphAdded {
            run,
            parent: None,
            graph,
            wanted,
            failure: FailureScope::Run,
            imports: vec![],
        });
    }

    fn handle(&mut self, event: Event) {
        self.events += 1;
        self.scheduler.handle_event(Time(0), event);
        let mut begun = vec![];
        while let Some(action) = self.scheduler.poll_action() {
            match action {
                Action::Assign { worker, assignment } if assignment.run == ACTIVE => {
                    begun.push(Event::Started { worker, run: ACTIVE, attempt: assignment.attempt });
                    self.given.get_mut(&worker).expect("it is there").push_back(assignment);
                }
                Action::Finished { run: ACTIVE } => self.is_finished = true,
                Action::Failed { story, .. } => self.failed = Some(story),
                _ => {}
            }
        }
        begun.into_iter().for_each(|event| self.scheduler.handle_event(Time(0), event));
    }

    /// The next worker that has something ends the first of it; or dies, if that is what one of the tasks does.
    fn step(&mut self, poison: Option<u64>) {
        let Some(worker) = self.turns.pop_front() else { return };
        self.turns.push_back(worker);
        let given = self.given.get_mut(&worker).expect("it is there");
        let is_poisoned = |task: u64| {
            given.iter().flat_map(|given| &given.tasks).any(|range| (range.start..range.end).contains(&task))
        };
        if poison.is_some_and(is_poisoned) {
            return self.die(worker);
        }
        let Some(Assignment { run, attempt, tasks, .. }) = given.pop_front() else { return };
        let nanoseconds = TaskRange::count(&tasks) * self.task_nanoseconds;
        let outcomes = tasks.into_iter().map(|range| (range, Outcome::Done { bytes: 8 })).collect();
        self.handle(Event::Reported { worker, report: Report { run, attempt, outcomes, nanoseconds } });
    }

    fn die(&mut self, worker: WorkerId) {
        self.given.remove(&worker);
        self.turns.retain(|other| *other != worker);
        self.handle(Event::WorkerLost { worker, cause: LossCause::Died });
        let next = self.given.keys().next_back().map_or(0, |last| last.0.max(worker.0) + 1);
        self.join(next, Resources::default());
    }

    fn run(&mut self, poison: Option<u64>) -> Duration {
        let start = now();
        while !self.is_finished && self.failed.is_none() {
            self.step(poison);
            if self.events.is_multiple_of(16) {
                let full = self.given.values().filter(|given| given.len() as u32 == self.slots).count();
                let alone = self.given.values().filter(|given| given.len() == 1).count();
                self.kept = self.kept.max(if full > self.given.len() / 2 { alone } else { 0 });
            }
        }
        now() - start
    }
}

/// Time that this thread has had a processor; without such a count, time.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let count = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = count.and_then(|count| count.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Who is there beside the active run.
#[derive(Clone, Copy, Debug)]
enum Company {
    Nobody,
    /// Runs that have ended, and whose results are kept.
    Ended,
    /// Runs that wait for a GPU that is taken.
    WaitForGpu,
    /// Runs that wait for workers that aren't there, each for another one.
    WaitForNames,
}

const COMPANY: u64 = 10_000;
const ACTIVE_TASKS: u32 = 200_000;

fn beside(company: Company) -> f64 {
    let mut cluster = Cluster::new(1, 2, 1000);
    cluster.join(0, Resources::default());
    cluster.join(1, [("gpu".into(), 1000)].into());
    for run in 0..COMPANY {
        let annotations = match company {
            Company::Nobody => break,
            Company::Ended => Annotations::default(),
            Company::WaitForGpu => Annotations { resources: [("gpu".into(), 1000)].into(), ..Annotations::default() },
            Company::WaitForNames => Annotations { workers: vec![format!("host {run}")], ..Annotations::default() },
        };
        let (graph, mut wanted) = tasks(1, 1000, annotations);
        if matches!(company, Company::Ended) {
            wanted.clear();
        }
        cluster.submit(RunId(run), (graph, wanted));
    }
    cluster.submit(ACTIVE, tasks(ACTIVE_TASKS, 1000, Annotations::default()));
    let took = cluster.run(None);
    took.as_nanos() as f64 / f64::from(ACTIVE_TASKS)
}

fn waiting() {
    let kinds = [Company::Nobody, Company::Ended, Company::WaitForGpu, Company::WaitForNames];
    let mut least = [f64::MAX; 4];
    for _ in 0..REPEATS {
        kinds.iter().zip(&mut least).for_each(|(&kind, least)| *least = least.min(beside(kind)));
    }
    for (kind, nanoseconds) in kinds.iter().zip(least) {
        let ratio = nanoseconds / least[0];
        println!("{COMPANY} runs: {kind:>12?} {nanoseconds:>8.0} ns an event, {ratio:.2} of that of one alone");
    }
}

const WORKERS: u32 = 100;
const SLOTS: u32 = 32;
const TASK: u64 = 10_000;
const TASKS: u32 = 2 * WORKERS * SLOTS * 1024;

fn deaths() {
    for (deaths, poison) in [(0, None), (1, None), (2, None), (5, None), (0, Some(123_456))] {
        let mut cluster = Cluster::new(1024 * TASK, SLOTS, TASK);
        (0..WORKERS).for_each(|worker| cluster.join(worker, Resources::default()));
        cluster.submit(ACTIVE, tasks(TASKS, TASK, Annotations::default()));
        let start = now();
        for _ in 0..deaths {
            // What the last had, the next one that comes has begun as well.
            let last = *cluster.given.keys().next_back().expect("there is one");
            cluster.die(last);
        }
        let dying = now() - start;
        let ran = cluster.run(poison);
        let story =
            cluster.failed.as_ref().map_or(String::new(), |story| format!(", failed after {} deaths", story.len()));
        println!(
            "{TASKS} tasks of 10 µs on {WORKERS} workers of {SLOTS} slots, {deaths} deaths: {:>7.1} ms in these, {:>7.1} ms after, \
             {:>6} events, {} kept for suspects at most{story}",
            dying.as_secs_f64() * 1e3,
            ran.as_secs_f64() * 1e3,
            cluster.events,
            cluster.kept,
        );
    }
}
