//! The machine against a plain topological evaluator, over random graphs, workers that come and go, tasks that fail,
//! and reports in any order.

use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use smallvec_lite::smallvec;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// `smallvec!` without a dependency: collects into whatever the field wants.
mod smallvec_lite {
    macro_rules! smallvec {
        ($($item:expr),* $(,)?) => { [$($item),*].into_iter().collect() };
    }
    pub(super) use smallvec;
}

fn op(graph: &mut GraphBuilder) -> OpId {
    let body = Arc::new(()) as Arc<dyn Any + Send + Sync>;
    graph.op(Op { kind: OpKind::Array, name: "test".into(), digest: 0, flags: OpFlags::default(), body })
}

/// Stands for the result of a task: mixes its id with the results of its inputs, in order.
fn result(task: TaskId, inputs: impl IntoIterator<Item = u64>) -> u64 {
    let start = u64::from(task.layer.0) << 40 | task.index;
    inputs.into_iter().fold(start, |hash, input| (hash ^ input).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}

/// The reference: every task of every layer in order.
fn evaluate(graph: &Graph) -> BTreeMap<TaskId, u64> {
    let mut results = BTreeMap::new();
    for (layer, found) in graph.layers() {
        for index in 0..found.len() {
            let task = TaskId::new(layer, index);
            let mut inputs = vec![];
            graph.for_each_input(task, |input| inputs.push(results[&input]));
            results.insert(task, result(task, inputs));
        }
    }
    results
}

/// Workers with memories of their own, and a hand that picks what happens next.
struct World {
    scheduler: Scheduler,
    memories: BTreeMap<WorkerId, BTreeMap<TaskId, u64>>,
    assigned: Vec<(WorkerId, Assignment)>,
    finished: bool,
    failed: Option<TaskId>,
    next_worker: u32,
    trace: Vec<Action>,
}

const RUN: RunId = RunId(1);

impl World {
    fn new(credit: u64) -> Self {
        let scheduler = Scheduler::new(credit);
        let (memories, assigned, trace) = (BTreeMap::new(), vec![], vec![]);
        Self { scheduler, memories, assigned, finished: false, failed: None, next_worker: 0, trace }
    }

    fn handle(&mut self, event: Event) {
        self.scheduler.handle_event(Time(0), event);
        while let Some(action) = self.scheduler.poll_action() {
            self.trace.push(action.clone());
            match action {
                Action::Assign { worker, assignment } => self.assigned.push((worker, assignment)),
                Action::Discard { worker, tasks, .. } => {
                    let memory = self.memories.get_mut(&worker);
                    let memory = memory.expect("only a worker that is there is told to discard");
                    for task in tasks.into_iter().flat_map(TaskRange::tasks) {
                        assert!(memory.remove(&task).is_some(), "{task} was discarded twice");
                    }
                }
                Action::Forget { worker, .. } => self.memories.entry(worker).or_default().clear(),
                Action::Finished { .. } => self.finished = true,
                Action::Failed { task, .. } => self.failed = Some(task),
            }
        }
        self.scheduler.validate();
    }

    fn join(&mut self, slots: u32) {
        let worker = WorkerId(self.next_worker);
        self.next_worker += 1;
        self.memories.insert(worker, BTreeMap::new());
        self.handle(Event::WorkerJoined { worker, slots });
    }

    fn lose(&mut self, at: usize) {
        let worker = *self.memories.keys().nth(at % self.memories.len()).expect("the position is within");
        self.memories.remove(&worker);
        self.assigned.retain(|(assigned, _)| *assigned != worker);
        self.handle(Event::WorkerLost { worker });
    }

    fn find(&self, task: TaskId) -> Option<u64> {
        self.memories.values().find_map(|memory| memory.get(&task).copied())
    }

    /// Runs one of the assignments; a task whose inputs are gone is reported as not run, one that `fails` as failed.
    fn run_one(&mut self, graph: &Graph, at: usize, mut fails: impl FnMut() -> bool) {
        let (worker, assignment) = self.assigned.swap_remove(at % self.assigned.len());
        let mut outcomes = vec![];
        let mut stopped = false;
        for task in assignment.tasks.iter().copied().flat_map(TaskRange::tasks) {
            let mut inputs = Some(vec![]);
            graph.for_each_input(task, |input| match (&mut inputs, self.find(input)) {
                (Some(inputs), Some(value)) => inputs.push(value),
                _ => inputs = None,
            });
            let outcome = match inputs {
                _ if stopped => Outcome::NotRun,
                Some(inputs) if !fails() => {
                    let memory = self.memories.get_mut(&worker).expect("assignments of lost workers are dropped");
                    memory.insert(task, result(task, inputs));
                    Outcome::Done { bytes: 8 }
                }
                Some(_) => Outcome::Failed,
                None => Outcome::NotRun,
            };
            stopped = outcome == Outcome::Failed;
            outcomes.push((TaskRange::one(task), outcome));
        }
        let report = Report { run: RUN, attempt: assignment.attempt, outcomes, nanoseconds: 100 };
        self.handle(Event::Reported { worker, report });
    }
}

/// A random graph: each layer reads earlier ones by one of the shapes.
fn graphs() -> impl Strategy<Value = Graph> {
    prop::collection::vec((0..6_u8, 1..7_u32, any::<u64>()), 1..8).prop_map(|layers| {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        for (at, (kind, size, seed)) in layers.into_iter().enumerate() {
            let earlier = (at > 0).then(|| LayerId((seed % at as u64) as u32));
            let shape = match (kind, earlier) {
                (1, Some(input)) => {
                    let grid = Grid::new([graph.get(input).len() as u32]);
                    Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(input, grid)] }
                }
                (2, Some(input)) => {
                    let grid = Grid::new([graph.get(input).len() as u32]);
                    Shape::Reduce { input, grid, fan_in: smallvec![1 + (seed >> 32) as u32 % 4] }
                }
                (3, Some(input)) => {
                    let producers = graph.get(input).len();
                    Shape::Exchange { input, producers, consumers: u64::from(size) }
                }
                (4, Some(input)) => {
                    let length = graph.get(input).len() as u32;
                    let ranges = (0..size).map(|c| c.min(length)..(c + 1 + (seed >> 40) as u32 % 3).min(length));
                    let grid = Grid::new([length]);
                    Shape::Overlap { input, grid, ranges: Arc::from([ranges.collect()]) }
                }
                (5, _) => Shape::Explicit(explicit(&graph, at, size, seed)),
                _ => Shape::source(size),
            };
            graph.layer(Layer::new(format!("l{at}"), op, shape)).expect("the shape fits its inputs");
        }
        graph.finish()
    })
}

fn explicit(graph: &GraphBuilder, layers: usize, size: u32, mut seed: u64) -> Explicit {
    let mut builder = ExplicitBuilder::default();
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    for task in 0..u64::from(size) {
        for _ in 0..draw(4) {
            if task > 0 && draw(2) == 0 {
                builder.own_input(draw(task));
            } else if layers > 0 {
                let layer = LayerId(draw(layers as u64) as u32);
                builder.input(TaskId::new(layer, draw(graph.get(layer).len())));
            }
        }
        builder.task();
    }
    builder.finish().expect("edges lead upwards")
}

fn all_tasks(graph: &Graph) -> Vec<TaskId> {
    graph.layers().flat_map(|(id, layer)| (0..layer.len()).map(move |index| TaskId::new(id, index))).collect()
}

fn pick_wanted(graph: &Graph, picks: &[prop::sample::Index]) -> Vec<TaskId> {
    let all = all_tasks(graph);
    picks.iter().map(|pick| *pick.get(&all)).collect::<BTreeSet<_>>().into_iter().collect()
}

fn check_results(world: &World, graph: &Graph, wanted: &[TaskId]) {
    let expected = evaluate(graph);
    for &task in wanted {
        assert_eq!(world.find(task), Some(expected[&task]), "result of {task}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn inputs_and_dependents_agree(graph in graphs()) {
        let mut forward = vec![];
        let mut backward = vec![];
        for task in all_tasks(&graph) {
            let mut count = 0;
            graph.for_each_input(task, |input| { count += 1; forward.push((input, task)) });
            prop_assert_eq!(count, graph.input_count(task));
            graph.for_each_dependent(task, |reader| backward.push((task, reader)));
        }
        forward.sort();
        backward.sort();
        prop_assert_eq!(forward, backward);
    }

    #[test]
    fn a_run_gives_the_reference_results_and_keeps_nothing_else(
        graph in graphs(),
        wanted in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        slots in prop::collection::vec(1..4_u32, 1..4),
        choices in prop::collection::vec(any::<usize>(), 1..32),
    ) {
        let wanted = pick_wanted(&graph, &wanted);
        let mut world = World::new(1000);
        slots.iter().for_each(|&slots| world.join(slots));
        world.handle(Event::GraphAdded { run: RUN, graph: Arc::new(graph.clone()), wanted: wanted.clone() });
        for at in choices.iter().cycle() {
            if world.assigned.is_empty() {
                break;
            }
            world.run_one(&graph, *at, || false);
        }
        prop_assert!(world.finished);
        check_results(&world, &graph, &wanted);
        let held: usize = world.memories.values().map(BTreeMap::len).sum();
        prop_assert_eq!(held, wanted.len(), "only wanted results are left");
        world.handle(Event::RunReleased { run: RUN });
        prop_assert!(world.memories.values().all(BTreeMap::is_empty));
    }

    #[test]
    fn what_is_lost_comes_back(
        graph in graphs(),
        wanted in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        steps in prop::collection::vec((0..12_u8, any::<usize>()), 0..60),
    ) {
        let wanted = pick_wanted(&graph, &wanted);
        let mut world = World::new(300);
        world.join(2);
        world.join(1);
        world.handle(Event::GraphAdded { run: RUN, graph: Arc::new(graph.clone()), wanted: wanted.clone() });
        for (kind, at) in steps {
            match kind {
                0 => world.join(1 + at as u32 % 3),
                1 if world.memories.len() > 1 => world.lose(at),
                _ if !world.assigned.is_empty() => world.run_one(&graph, at, || false),
                _ => {}
            }
        }
        // Faults stop: everything wanted must come to its end.
        let bound = 20 * graph.tasks() + 100;
        for _ in 0..bound {
            if world.assigned.is_empty() {
                break;
            }
            world.run_one(&graph, 0, || false);
        }
        prop_assert!(world.finished);
        check_results(&world, &graph, &wanted);
    }

    #[test]
    fn the_same_events_give_the_same_actions(graph in graphs(), choices in prop::collection::vec(any::<usize>(), 1..16)) {
        let trace = || {
            let mut world = World::new(1000);
            world.join(3);
            world.join(2);
            let wanted = all_tasks(&graph);
            world.handle(Event::GraphAdded { run: RUN, graph: Arc::new(graph.clone()), wanted });
            for at in choices.iter().cycle() {
                if world.assigned.is_empty() {
                    break;
                }
                world.run_one(&graph, *at, || false);
            }
            world.trace
        };
        prop_assert_eq!(trace(), trace());
    }
}

fn chain_with_retries(retries: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let first = graph.layer(Layer::new("first", op, Shape::source(1))).unwrap();
    let shape = Shape::Map { grid: Grid::new([1]), inputs: vec![MapInput::same(first, Grid::new([1]))] };
    let annotations = Arc::new(Annotations { retries, ..Annotations::default() });
    graph.layer(Layer { annotations, ..Layer::new("second", op, shape) }).unwrap();
    graph.finish()
}

#[test]
fn a_failed_task_is_tried_again_as_often_as_was_asked() {
    for (retries, failures, succeeds) in [(0, 0, true), (0, 1, false), (2, 2, true), (2, 3, false)] {
        let graph = chain_with_retries(retries);
        let mut world = World::new(1000);
        world.join(1);
        let wanted = vec![TaskId::new(LayerId(1), 0)];
        world.handle(Event::GraphAdded { run: RUN, graph: Arc::new(graph.clone()), wanted });
        world.run_one(&graph, 0, || false);
        for _ in 0..failures {
            world.run_one(&graph, 0, || true);
        }
        if succeeds {
            world.run_one(&graph, 0, || false);
        }
        assert_eq!(world.finished, succeeds);
        assert_eq!(world.failed.is_none(), succeeds);
    }
}

#[test]
fn a_report_of_an_old_attempt_changes_nothing() {
    let graph = chain_with_retries(1);
    let mut world = World::new(1000);
    world.join(1);
    let wanted = vec![TaskId::new(LayerId(0), 0)];
    world.handle(Event::GraphAdded { run: RUN, graph: Arc::new(graph), wanted });
    let (worker, assignment) = world.assigned.pop().unwrap();
    let report = |attempt| Report {
        run: RUN,
        attempt,
        outcomes: vec![(assignment.tasks[0], Outcome::Done { bytes: 8 })],
        nanoseconds: 1,
    };
    world.handle(Event::Reported { worker, report: report(assignment.attempt.next()) });
    assert!(!world.finished);
}

#[test]
fn wanting_a_result_that_needs_nothing_ends_at_once() {
    let mut world = World::new(1000);
    world.join(1);
    world.handle(Event::GraphAdded { run: RUN, graph: Arc::new(Graph::default()), wanted: vec![] });
    assert!(world.finished);
}

#[test]
fn a_worker_asks_for_memory_before_it_starts_and_overbooks_only_alone() {
    let assignment = |memory| Assignment { run: RUN, attempt: Attempt(0), tasks: vec![], memory };
    let mut worker = Worker::new(2);
    worker.handle_event(WorkerEvent::Assigned(assignment(70)));
    assert_eq!(worker.poll_action(), Some(WorkerAction::Reserve { ticket: Ticket(0), bytes: 70, overbook: true }));
    worker.handle_event(WorkerEvent::Assigned(assignment(50)));
    assert_eq!(worker.poll_action(), None);
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    assert!(matches!(worker.poll_action(), Some(WorkerAction::Execute { ticket: Ticket(0), .. })));
    assert_eq!(worker.poll_action(), Some(WorkerAction::Reserve { ticket: Ticket(1), bytes: 50, overbook: false }));
    worker.handle_event(WorkerEvent::Refused(Ticket(1)));
    assert_eq!(worker.poll_action(), None);
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: vec![], nanoseconds: 1 });
    assert_eq!(worker.poll_action(), Some(WorkerAction::Unreserve { ticket: Ticket(0) }));
    assert!(matches!(worker.poll_action(), Some(WorkerAction::Report(_))));
    assert_eq!(worker.poll_action(), Some(WorkerAction::Reserve { ticket: Ticket(2), bytes: 50, overbook: true }));
}

#[test]
fn a_forgotten_run_frees_its_slots_at_once() {
    let mut worker = Worker::new(1);
    for _ in 0..2 {
        let assignment = Assignment { run: RUN, attempt: Attempt(0), tasks: vec![], memory: 1 };
        worker.handle_event(WorkerEvent::Assigned(assignment));
    }
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    worker.handle_event(WorkerEvent::Forgotten(RUN));
    assert!(!worker.is_running(Ticket(0)));
    while worker.poll_action().is_some() {}
    let other = Assignment { run: RunId(2), attempt: Attempt(0), tasks: vec![], memory: 1 };
    worker.handle_event(WorkerEvent::Assigned(other));
    assert!(matches!(worker.poll_action(), Some(WorkerAction::Reserve { overbook: true, .. })));
}
