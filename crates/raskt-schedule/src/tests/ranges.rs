//! What a client says of very many tasks, and what is lost of very many, costs pages and not tasks.

use super::graphs::added;
use super::graphs::op;
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

const RUN: RunId = RunId(1);
/// Tasks of a layer; and of a page, as many as are looked at in one step.
const LEN: u64 = 1 << 16;
const PAGES: u64 = LEN / 512;
const FIRST: LayerId = LayerId(0);
const SECOND: LayerId = LayerId(1);

/// A layer, and one that reads it block by block.
fn pairs() -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let cost = Cost { nanoseconds: 1000, output_bytes: 8, ..Cost::default() };
    let grid = Grid::new([LEN as u32]);
    let first = graph.layer(Layer::new("first", op, Shape::source(LEN as u32)).with_cost(cost)).unwrap();
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(first, grid)] };
    graph.layer(Layer::new("second", op, shape).with_cost(cost)).unwrap();
    Arc::new(graph.finish())
}

fn all(layer: LayerId) -> TaskRange {
    TaskRange { layer, start: 0, end: LEN }
}

struct Cluster {
    scheduler: Scheduler,
    given: Vec<(WorkerId, Assignment)>,
    discarded: u64,
}

impl Cluster {
    fn new(graph: Arc<Graph>, wanted: Vec<TaskRange>) -> Self {
        let mut cluster = Self { scheduler: Scheduler::new(1_000_000), given: vec![], discarded: 0 };
        cluster.handle(added(RUN, None, graph, wanted));
        cluster
    }

    /// Handles an event, and says how many steps that took.
    fn handle(&mut self, event: Event) -> u64 {
        let before = self.scheduler.steps();
        self.scheduler.handle_event(Time(0), event);
        while let Some(action) = self.scheduler.poll_action() {
            match action {
                Action::Assign { worker, assignment } => self.given.push((worker, assignment)),
                Action::Discard { tasks, .. } => self.discarded += TaskRange::count(&tasks),
                _ => {}
            }
        }
        self.scheduler.steps() - before
    }

    fn join(&mut self, worker: u32) {
        self.handle(Event::WorkerJoined { worker: WorkerId(worker), offer: Offer::slots(1) });
    }

    fn run(&mut self) {
        while let Some((worker, Assignment { run, attempt, tasks, .. })) = self.given.pop() {
            let outcomes = tasks.into_iter().map(|range| (range, Outcome::Done { bytes: 8 * range.len() })).collect();
            let report = Report { run, attempt, outcomes, nanoseconds: 1000 };
            self.handle(Event::Reported { worker, report });
        }
    }

    fn lose(&mut self, worker: u32) -> u64 {
        self.handle(Event::WorkerLost { worker: WorkerId(worker), cause: LossCause::Died })
    }

    fn want(&mut self, tasks: TaskRange) -> u64 {
        self.handle(Event::Wanted { run: RUN, tasks: vec![tasks] })
    }

    fn release(&mut self, tasks: TaskRange) -> u64 {
        self.handle(Event::Released { run: RUN, tasks: vec![tasks] })
    }

    fn progress(&self) -> (u64, u64) {
        let progress = self.scheduler.progress(RUN).expect("it is there");
        (progress.done, progress.total)
    }
}

fn assert_few(steps: u64, what: &str) {
    assert!(steps <= 4 * PAGES, "{what}: {steps} steps for {PAGES} pages");
}

#[test]
fn results_are_let_go_by_pages() {
    let mut cluster = Cluster::new(pairs(), vec![all(FIRST), all(SECOND)]);
    (0..3).for_each(|worker| cluster.join(worker));
    cluster.run();
    assert_few(cluster.release(TaskRange { start: 100, ..all(FIRST) }), "most results");
    assert_eq!(cluster.discarded, LEN - 100);
    assert_few(cluster.release(all(FIRST)), "what is left");
    assert_few(cluster.release(all(SECOND)), "the others");
    assert_eq!(cluster.discarded, 2 * LEN);
    cluster.scheduler.validate();
}

#[test]
fn what_is_there_and_read_is_wanted_by_pages_and_not_any_more() {
    let mut cluster = Cluster::new(pairs(), vec![all(FIRST)]);
    (0..3).for_each(|worker| cluster.join(worker));
    cluster.run();
    // With nobody to run them they keep what they read.
    (0..3).for_each(|worker| {
        cluster.handle(Event::WorkerResized { worker: WorkerId(worker), slots: 0, memory: u64::MAX });
    });
    cluster.want(all(SECOND));
    assert_few(cluster.release(all(FIRST)), "released");
    assert_few(cluster.want(all(FIRST)), "wanted again");
    assert_eq!(cluster.discarded, 0);
    cluster.scheduler.validate();
}

#[test]
fn what_nobody_has_begun_is_wanted_and_dropped_by_pages() {
    let mut cluster = Cluster::new(pairs(), vec![all(SECOND)]);
    assert_eq!(cluster.progress(), (0, 2 * LEN));
    assert_few(cluster.want(all(FIRST)), "inputs that wait");
    assert_few(cluster.release(all(FIRST)), "inputs that are read");
    assert_eq!(cluster.progress(), (0, 2 * LEN));
    assert_few(cluster.release(TaskRange { end: LEN / 2 + 1, ..all(SECOND) }), "half of it");
    assert_eq!(cluster.progress(), (0, LEN - 2));
    cluster.scheduler.validate();
    assert_few(cluster.release(all(SECOND)), "all of it");
    assert_eq!(cluster.progress(), (0, 0));
    cluster.join(0);
    assert!(cluster.given.is_empty(), "nobody needs anything");
    cluster.scheduler.validate();
}

/// Some were begun before all are let go: these alone are looked at one by one.
#[test]
fn what_was_begun_is_dropped_and_the_rest_by_pages() {
    let mut cluster = Cluster::new(pairs(), vec![all(SECOND)]);
    cluster.join(0);
    let begun: u64 = cluster.given.iter().map(|(_, given)| TaskRange::count(&given.tasks)).sum();
    let steps = cluster.release(all(SECOND));
    assert!(steps <= 4 * PAGES + 4 * begun + 4 * 512, "{steps} steps for {begun} tasks and {PAGES} pages");
    assert_eq!(cluster.progress(), (0, 0));
    cluster.scheduler.validate();
}

#[test]
fn a_lost_worker_is_looked_for_where_it_holds_something() {
    for are_wanted in [false, true] {
        let wanted = if are_wanted { vec![all(FIRST), all(SECOND)] } else { vec![all(SECOND)] };
        let mut cluster = Cluster::new(pairs(), wanted);
        cluster.join(0);
        cluster.run();
        cluster.join(7);
        let copies = [3, LEN / 2, LEN - 1].map(|index| TaskRange::one(TaskId::new(SECOND, index)));
        cluster.handle(Event::Fetched { worker: WorkerId(7), run: RUN, tasks: copies.to_vec() });
        let steps = cluster.lose(7);
        assert!(steps <= 20, "{steps} steps for three copies");
        cluster.scheduler.validate();
        cluster.join(8);
        let steps = cluster.lose(8);
        assert!(steps <= 20, "{steps} steps for nothing");
        let steps = cluster.lose(0);
        let layers = if are_wanted { 2 } else { 1 };
        assert!(steps <= layers * PAGES + 20, "{steps} steps for all of it");
        assert_eq!(cluster.progress().0, 0, "all of it has to be made again");
        cluster.scheduler.validate();
    }
}

/// An array of which each of very many layers reads its own block, and another layer puts all of them together: as
/// stacking its slices anew does. Rows and columns alike.
#[test]
fn an_array_that_many_layers_read_doesnt_ask_all_of_them() {
    const COUNT: u32 = 1000;
    for axis in [0, 1] {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        let grid = Grid::new(if axis == 0 { [COUNT, 2] } else { [2, COUNT] });
        let array = Shape::Map { grid: grid.clone(), inputs: vec![] };
        let array = graph.layer(Layer::new("array", op, array)).unwrap();
        let whole: AxisRanges = [0..1, 1..2].to_vec().into();
        let slices = (0..COUNT).map(|at| {
            let own: AxisRanges = (at..at + 1).map(|at| at..at + 1).collect();
            let ranges = if axis == 0 { [own, whole.clone()] } else { [whole.clone(), own] };
            let shape = Shape::Overlap { input: array, grid: grid.clone(), ranges: Arc::from(ranges) };
            graph.layer(Layer::new("slice", op, shape)).unwrap()
        });
        let slices: Vec<_> = slices.collect();
        let parts = Parts::new(axis, &grid, slices.into_iter().map(|slice| (slice, 1))).unwrap();
        let stack = graph.layer(Layer::new("stack", op, Shape::Concatenate(parts))).unwrap();
        let wanted = vec![TaskRange { layer: stack, start: 0, end: u64::from(2 * COUNT) }];
        let mut cluster = Cluster::new(Arc::new(graph.finish()), wanted);
        cluster.join(0);
        cluster.run();
        let steps = cluster.scheduler.steps();
        assert_eq!(cluster.progress().0, u64::from(6 * COUNT), "all of it is done");
        assert!(steps <= 60 * u64::from(COUNT), "{steps} steps for {} tasks", 6 * COUNT);
        cluster.scheduler.validate();
    }
}

/// Layers beside that one, in which it has nothing, aren't looked at.
#[test]
fn a_lost_worker_is_looked_for_in_few_of_many_layers() {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    for _ in 0..1000 {
        graph.layer(Layer::new("tasks", op, Shape::source(1))).unwrap();
    }
    let graph = Arc::new(graph.finish());
    let wanted = graph.layers().map(|(layer, _)| TaskRange { layer, start: 0, end: 1 }).collect();
    let mut cluster = Cluster::new(graph, wanted);
    cluster.join(0);
    cluster.run();
    // Its bit is that of the other one.
    cluster.join(64);
    let copy = TaskRange::one(TaskId::new(LayerId(500), 0));
    cluster.handle(Event::Fetched { worker: WorkerId(64), run: RUN, tasks: vec![copy] });
    let steps = cluster.lose(64);
    assert!(steps <= 20, "{steps} steps for one copy");
    cluster.scheduler.validate();
}
