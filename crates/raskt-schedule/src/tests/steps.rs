//! What an event costs depends on nothing that it isn't about.

use super::graphs::added;
use super::graphs::op;
use crate::*;
use raskt_graph::*;
use std::collections::VecDeque;
use std::sync::Arc;

const ACTIVE: RunId = RunId(1 << 32);

/// Layers of so many tasks that read nothing, each with annotations of its own.
fn sources(layers: impl IntoIterator<Item = (u32, Annotations)>) -> (Arc<Graph>, Vec<TaskRange>) {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let cost = Cost { nanoseconds: 1000, ..Cost::default() };
    for (tasks, annotations) in layers {
        let layer = Layer::new("tasks", op, Shape::source(tasks)).with_cost(cost);
        graph.layer(Layer { annotations: Arc::new(annotations), ..layer }).unwrap();
    }
    let graph = graph.finish();
    let wanted = graph.layers().map(|(layer, found)| TaskRange { layer, start: 0, end: found.len() }).collect();
    (Arc::new(graph), wanted)
}

fn gpu() -> Annotations {
    Annotations { resources: [("gpu".into(), 1000)].into(), ..Annotations::default() }
}

fn pinned(to: u32) -> Annotations {
    Annotations { workers: vec![format!("host {to}")], ..Annotations::default() }
}

struct Cluster {
    scheduler: Scheduler,
    given: VecDeque<(WorkerId, Assignment)>,
    /// Those that never end.
    stuck: Vec<(WorkerId, Assignment)>,
    next: u32,
}

impl Cluster {
    fn new() -> Self {
        Self { scheduler: Scheduler::new(1), given: VecDeque::new(), stuck: vec![], next: 0 }
    }

    /// Handles an event, and says how many steps that took.
    fn handle(&mut self, event: Event) -> u64 {
        let before = self.scheduler.steps();
        self.scheduler.handle_event(Time(0), event);
        while let Some(action) = self.scheduler.poll_action() {
            if let Action::Assign { worker, assignment } = action {
                let is_active = assignment.run == ACTIVE;
                match is_active {
                    true => self.given.push_back((worker, assignment)),
                    false => self.stuck.push((worker, assignment)),
                }
            }
        }
        self.scheduler.steps() - before
    }

    fn join(&mut self, offer: Offer) -> WorkerId {
        let worker = WorkerId(self.next);
        self.next += 1;
        self.handle(Event::WorkerJoined { worker, offer });
        worker
    }

    fn submit(&mut self, run: RunId, (graph, wanted): (Arc<Graph>, Vec<TaskRange>)) {
        self.handle(added(run, None, graph, wanted));
    }

    fn end(&mut self, (worker, assignment): (WorkerId, Assignment)) -> u64 {
        let Assignment { run, attempt, tasks, .. } = assignment;
        let outcomes = tasks.into_iter().map(|range| (range, Outcome::Done { bytes: 8 })).collect();
        let report = Report { run, attempt, outcomes, nanoseconds: 1000 };
        self.handle(Event::Reported { worker, report })
    }

    /// The most steps that an event of the active run takes: others are to end, and then some of its tasks do.
    fn most_steps(mut self) -> u64 {
        let mut most = 0;
        for at in 0..100 {
            let next = self.given.pop_front().expect("the active run has work");
            // What began a while ago is of no concern.
            let steps = self.end(next);
            most = most.max(if at < 10 { 0 } else { steps });
        }
        self.scheduler.validate();
        most
    }
}

/// As few as may be that an event has to look at.
const FEW: u64 = 40;

fn assert_independent(build: impl Fn(u32) -> Cluster) {
    let [few, many] = [build(10), build(1000)].map(Cluster::most_steps);
    assert!(many <= FEW && many <= few + few / 2 + 8, "{few} steps beside a few, and {many} beside many");
}

fn active(cluster: &mut Cluster) {
    cluster.submit(ACTIVE, sources([(1000, Annotations::default())]));
}

#[test]
fn of_runs_that_have_ended() {
    assert_independent(|runs| {
        let mut cluster = Cluster::new();
        cluster.join(Offer::slots(2));
        for run in 0..runs {
            cluster.submit(RunId(run.into()), sources([(1, Annotations::default())]));
            let given = cluster.stuck.pop().expect("it has work");
            cluster.end(given);
        }
        active(&mut cluster);
        cluster
    });
}

#[test]
fn of_runs_that_wait_for_a_worker_that_is_busy() {
    assert_independent(|runs| {
        let mut cluster = Cluster::new();
        cluster.join(Offer::slots(2));
        cluster.join(Offer { resources: [("gpu".into(), 1000)].into(), ..Offer::slots(1) });
        for run in 0..runs {
            cluster.submit(RunId(run.into()), sources([(1, gpu())]));
        }
        assert_eq!(cluster.stuck.len(), 1);
        active(&mut cluster);
        cluster
    });
}

#[test]
fn those_that_wait_for_a_worker_have_their_turns_when_it_has_room() {
    let mut cluster = Cluster::new();
    cluster.join(Offer::slots(2));
    cluster.join(Offer { resources: [("gpu".into(), 2000)].into(), ..Offer::slots(4) });
    for run in 0..50 {
        cluster.submit(RunId(run), sources([(2, gpu())]));
    }
    active(&mut cluster);
    for at in 0..100 {
        assert_eq!(cluster.stuck.len(), 2.min(100 - at), "both are used");
        let given = cluster.stuck.remove(0);
        let steps = cluster.end(given);
        assert!(steps <= FEW, "{steps} steps");
        cluster.scheduler.validate();
    }
    assert!(cluster.stuck.is_empty());
}

#[test]
fn of_requirements_that_nobody_meets() {
    assert_independent(|runs| {
        let mut cluster = Cluster::new();
        cluster.join(Offer::slots(2));
        for run in 0..runs {
            cluster.submit(RunId(run.into()), sources([(1, pinned(run))]));
        }
        active(&mut cluster);
        cluster
    });
}

#[test]
fn of_workers_that_are_busy_and_of_those_that_others_wait_for() {
    assert_independent(|workers| {
        let mut cluster = Cluster::new();
        for host in 0..workers {
            cluster.join(Offer { name: format!("host {host}").into(), ..Offer::slots(1) });
            cluster.submit(RunId(host.into()), sources([(2, pinned(host))]));
        }
        assert_eq!(cluster.stuck.len(), workers as usize);
        cluster.join(Offer::slots(2));
        active(&mut cluster);
        cluster
    });
}

#[test]
fn of_other_layers_of_the_same_run() {
    assert_independent(|layers| {
        let mut cluster = Cluster::new();
        cluster.join(Offer { name: "busy".into(), ..Offer::slots(1) });
        cluster.submit(RunId(0), sources([(1, Annotations::default())]));
        cluster.join(Offer::slots(2));
        let others = (0..layers).map(|layer| (1, Annotations { priority: layer as i32 % 5, ..gpu_of(layer) }));
        cluster.submit(ACTIVE, sources(others.chain([(1000, Annotations::default())])));
        cluster
    });
}

/// Something that nobody offers, different for each.
fn gpu_of(layer: u32) -> Annotations {
    Annotations { resources: [(format!("gpu {layer}").into(), 1000)].into(), ..Annotations::default() }
}

#[test]
fn of_suspects_that_nobody_can_take() {
    assert_independent(|tasks| {
        let mut cluster = Cluster::new();
        cluster.join(Offer::slots(2));
        cluster.submit(RunId(0), sources([(tasks, gpu())]));
        for _ in 0..2 {
            let offer = Offer { resources: [("gpu".into(), u64::from(tasks) * 1000)].into(), ..Offer::slots(tasks) };
            let worker = cluster.join(offer);
            for (worker, assignment) in std::mem::take(&mut cluster.stuck) {
                cluster.handle(Event::Started { worker, run: assignment.run, attempt: assignment.attempt });
            }
            cluster.handle(Event::WorkerLost { worker, cause: LossCause::Died });
        }
        active(&mut cluster);
        cluster
    });
}

/// A task that reads another one's result and frees it, and tasks that are too large for any worker's memory.
fn freeing_and_large() -> [(Arc<Graph>, Vec<TaskRange>); 2] {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let large = Cost { output_bytes: 1 << 40, ..Cost::default() };
    let read = graph.layer(Layer::new("read", op, Shape::source(1))).unwrap();
    let grid = Grid::new([1]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(read, grid)] };
    let reader = graph.layer(Layer::new("reader", op, shape)).unwrap();
    let mut other = GraphBuilder::new();
    let op = super::graphs::op(&mut other);
    let made = other.layer(Layer::new("large", op, Shape::source(4)).with_cost(large)).unwrap();
    let shape = Shape::Reduce { input: made, grid: Grid::new([4]), fan_in: [4].into_iter().collect() };
    let sum = other.layer(Layer::new("sum", op, shape)).unwrap();
    let first = |layer| vec![TaskRange { layer, start: 0, end: 1 }];
    [(Arc::new(graph.finish()), first(reader)), (Arc::new(other.finish()), first(sum))]
}

#[test]
fn of_runs_that_wait_for_memory() {
    assert_independent(|runs| {
        let mut cluster = Cluster::new();
        cluster.join(Offer { memory: 1 << 30, ..Offer::slots(runs + 2) });
        for run in 0..u64::from(runs) {
            let [freeing, large] = freeing_and_large();
            cluster.submit(RunId(2 * run), freeing);
            let given = cluster.stuck.pop().expect("it has work");
            cluster.end(given);
            let (graph, wanted) = large;
            let (run, parent) = (RunId(2 * run + 1), Some(RunId(2 * run)));
            cluster.handle(added(run, parent, graph, wanted));
            assert!(cluster.scheduler.is_held_back(run), "its family will free memory");
        }
        assert_eq!(cluster.stuck.len(), runs as usize);
        active(&mut cluster);
        cluster
    });
}

#[test]
fn those_that_wait_for_memory_all_go_on_when_it_is_there_and_nobody_else_is() {
    let mut cluster = Cluster::new();
    cluster.join(Offer { memory: 1 << 30, ..Offer::slots(1000) });
    for run in 0..100 {
        let [freeing, large] = freeing_and_large();
        cluster.submit(RunId(2 * run), freeing);
        let given = cluster.stuck.pop().expect("it has work");
        cluster.end(given);
        let (graph, wanted) = large;
        let (run, parent) = (RunId(2 * run + 1), Some(RunId(2 * run)));
        cluster.handle(added(run, parent, graph, wanted));
    }
    // Whatever ends first: in the end nobody is left behind.
    for _ in 0..100 {
        let given = cluster.stuck.remove(0);
        cluster.end(given);
        cluster.scheduler.validate();
    }
    assert!(cluster.scheduler.all_held_back().next().is_none());
    for run in 0..100 {
        let run = RunId(2 * run + 1);
        assert!(cluster.stuck.iter().any(|(_, given)| given.run == run), "{run:?} stands still");
    }
}

/// Classes of the active run are met; those of others aren't.
#[test]
fn of_what_others_require_and_nobody_has() {
    assert_independent(|runs| {
        let mut cluster = Cluster::new();
        cluster.join(Offer { resources: [("gpu".into(), 1000)].into(), ..Offer::slots(2) });
        for run in 0..runs {
            cluster.submit(RunId(run.into()), sources([(1, pinned(run))]));
        }
        cluster.submit(ACTIVE, sources([(1, gpu()), (1000, Annotations::default())]));
        cluster
    });
}

fn memory(amount: u64) -> Annotations {
    Annotations { resources: [("memory".into(), amount)].into(), ..Annotations::default() }
}

/// Persisted runs whose tasks asked for different amounts of what the worker of the active run offers.
#[test]
fn of_what_runs_required_that_have_ended() {
    assert_independent(|runs| {
        let mut cluster = Cluster::new();
        cluster.join(Offer { resources: [("memory".into(), 1_000_000)].into(), ..Offer::slots(2) });
        for run in 0..runs {
            cluster.submit(RunId(run.into()), sources([(1, memory(1 + u64::from(run)))]));
            let given = cluster.stuck.pop().expect("it has work");
            cluster.end(given);
        }
        active(&mut cluster);
        cluster
    });
}

/// One after the other asks for a GPU, of which there are many, and goes.
#[test]
fn whoever_asks_for_the_same_again_finds_it_at_once() {
    for workers in [10, 1000] {
        let mut cluster = Cluster::new();
        for _ in 0..workers {
            cluster.join(Offer { resources: [("gpu".into(), 1000)].into(), ..Offer::slots(1) });
        }
        for run in 0..20 {
            let before = cluster.scheduler.steps();
            cluster.submit(RunId(run), sources([(1, gpu())]));
            let given = cluster.stuck.pop().expect("it has work");
            cluster.end(given);
            cluster.handle(Event::RunReleased { run: RunId(run) });
            let steps = cluster.scheduler.steps() - before;
            assert!(run == 0 || steps <= FEW, "{steps} steps with {workers} workers");
        }
        assert_eq!(cluster.scheduler.leftovers(), None);
        cluster.scheduler.validate();
    }
}

/// A worker joins, and goes, while somebody waits that would rather have another one.
#[test]
fn of_workers_that_others_may_do_without() {
    let rather = Annotations { workers: vec!["another".into()], allow_other_workers: true, ..gpu() };
    for workers in [10, 1000] {
        let mut cluster = Cluster::new();
        cluster.submit(RunId(0), sources([(5000, rather.clone())]));
        let offer = || Offer { resources: [("gpu".into(), 1000)].into(), ..Offer::slots(1) };
        for worker in 0..workers {
            let steps = cluster.handle(Event::WorkerJoined { worker: WorkerId(worker), offer: offer() });
            assert!(steps <= FEW, "{steps} steps with {worker} workers");
        }
        let steps = cluster.handle(Event::WorkerLost { worker: WorkerId(3), cause: LossCause::Retired });
        assert!(steps <= FEW, "{steps} steps with {workers} workers");
        cluster.scheduler.validate();
    }
}

#[test]
fn of_suspects_that_require_different_things_that_nobody_has() {
    assert_independent(|runs| {
        let mut cluster = Cluster::new();
        for run in 0..runs {
            cluster.submit(RunId(run.into()), sources([(1, pinned(run))]));
            for _ in 0..2 {
                let worker = cluster.join(Offer { name: format!("host {run}").into(), ..Offer::slots(1) });
                let (_, given) = cluster.stuck.pop().expect("it is handed out");
                cluster.handle(Event::Started { worker, run: given.run, attempt: given.attempt });
                cluster.handle(Event::WorkerLost { worker, cause: LossCause::Died });
            }
        }
        cluster.join(Offer::slots(2));
        active(&mut cluster);
        cluster
    });
}
