//! Tasks that wait for memory.

use super::graphs::*;
use super::liveness;
use super::world::*;
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

/// Bytes that the worlds of these tests report of every result.
const RESULT: u64 = 8;

/// Sources of a priority, and sums of four of them each; all of the sums are wanted, or the sources as well.
fn sums(priority: i32, wants_sources: bool) -> (Graph, Vec<TaskRange>) {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let cost = Cost { output_bytes: RESULT, ..Cost::default() };
    let annotations = Arc::new(Annotations { priority, ..Annotations::default() });
    let sources = Layer::new("sources", op, Shape::source(16)).with_cost(cost);
    let input = graph.layer(Layer { annotations, ..sources }).unwrap();
    let shape = Shape::Reduce { input, grid: Grid::new([16]), fan_in: [4].into_iter().collect() };
    let sums = graph.layer(Layer::new("sums", op, shape).with_cost(cost)).unwrap();
    let mut wanted = vec![TaskRange { layer: sums, start: 0, end: 4 }];
    if wants_sources {
        wanted.push(TaskRange { layer: input, start: 0, end: 16 });
    }
    (graph.finish(), wanted)
}

/// A worker of two slots that may hold eight results, and so four that somebody will read.
fn world(graph: &Graph, wanted: Vec<TaskRange>) -> World {
    let mut world = World::new(1);
    world.join_with(Offer { memory: 8 * RESULT, ..Offer::slots(2) });
    world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
    world
}

/// Layers of the tasks that are handed out.
fn layers(world: &World) -> Vec<u32> {
    world.assigned.iter().map(|(_, assignment)| assignment.tasks[0].layer.0).collect()
}

#[test]
fn producers_wait_for_a_task_that_frees_memory_and_go_on_after_it() {
    for priority in [0, 1] {
        let (graph, wanted) = sums(priority, false);
        let mut world = world(&graph, wanted);
        (0..4).for_each(|_| world.run_one(&graph, 0, || false));
        let sum = layers(&world).iter().position(|&layer| layer == 1).expect("the first four have been read by nobody");
        world.run_one(&graph, 1 - sum, || false);
        assert_eq!(layers(&world), [1], "a slot is free, and the memory isn't");
        assert!(world.scheduler.is_held_back(RUN));
        world.run_one(&graph, 0, || false);
        assert_eq!(layers(&world), [0, 0]);
        assert!(!world.scheduler.is_held_back(RUN));
        world.run_to_the_end(&graph);
        assert!(world.finished);
    }
}

#[test]
fn where_nothing_frees_memory_producers_go_on() {
    let (graph, _) = sums(0, false);
    // All of the sources are wanted, and nothing that reads them.
    let sources = TaskRange { layer: LayerId(0), start: 0, end: 16 };
    let mut world = world(&graph, vec![sources]);
    while !world.assigned.is_empty() {
        let left = 16 - world.held();
        assert_eq!(world.assigned.len(), left.min(2), "both slots are used");
        world.run_one(&graph, 0, || false);
    }
    assert!(world.finished);
}

#[test]
fn results_that_are_wanted_keep_nobody_waiting() {
    let (graph, wanted) = sums(0, true);
    let mut world = world(&graph, wanted);
    while !world.assigned.is_empty() {
        assert!(!world.scheduler.is_held_back(RUN), "whatever waits, they stay");
        world.run_one(&graph, 0, || false);
    }
    assert!(world.finished);
}

#[test]
fn a_worker_whose_tasks_wait_for_tasks_is_given_them_beyond_its_memory() {
    let (graph, wanted) = sums(0, false);
    let mut world = world(&graph, wanted);
    (0..4).for_each(|_| world.run_one(&graph, 0, || false));
    let sum = layers(&world).iter().position(|&layer| layer == 1).expect("the first four have been read by nobody");
    world.run_one(&graph, 1 - sum, || false);
    let worker = world.assigned[0].0;
    world.handle(Event::WorkerResized { worker, slots: 3, memory: u64::MAX });
    assert_eq!(layers(&world), [1, 0, 0]);
}

const SECOND: u64 = 1_000_000_000;

/// Layers of so many tasks, of so many bytes, of this time, each of which reads all of the one before; or nothing.
fn pipeline(layers: &[(u32, u64, u64)]) -> (Graph, Vec<TaskRange>) {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let mut last: Option<(LayerId, u32)> = None;
    for &(tasks, output_bytes, nanoseconds) in layers {
        let shape = match last {
            Some((input, producers)) => {
                let fan_in = [producers / tasks].into_iter().collect();
                Shape::Reduce { input, grid: Grid::new([producers]), fan_in }
            }
            None => Shape::source(tasks),
        };
        let cost = Cost { nanoseconds, output_bytes, ..Cost::default() };
        last = Some((graph.layer(Layer::new("layer", op, shape).with_cost(cost)).unwrap(), tasks));
    }
    let (layer, tasks) = last.expect("there is a layer");
    (graph.finish(), vec![TaskRange { layer, start: 0, end: u64::from(tasks) }])
}

const OTHER: RunId = RunId(2);

/// A worker with one task at a time of `RUN` that gives back 500 of its 1000 bytes, expected to take so long; and another run,
/// whose sources have no memory beside it. Both are of one family if it is said so.
fn beside(nanoseconds: u64, is_family: bool) -> World {
    let (graph, wanted) = pipeline(&[(1, 500, 1000), (1, 1, nanoseconds)]);
    let mut world = World::new(1);
    world.spends = false;
    world.join_with(Offer { memory: 1000, ..Offer::slots(2) });
    world.bytes = 500;
    world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
    while layers(&world) == [0] {
        world.run_one(&graph, 0, || false);
    }
    assert_eq!(layers(&world), [1]);
    let (graph, wanted) = pipeline(&[(16, 100, 1000), (1, 1, 1000)]);
    let parent = is_family.then_some(RUN);
    world.handle(added(OTHER, parent, Arc::new(graph), wanted));
    world
}

fn has_begun(world: &World, run: RunId) -> bool {
    world.assigned.iter().any(|(_, assignment)| assignment.run == run)
}

#[test]
fn nobody_waits_for_the_memory_of_strangers() {
    let world = beside(SECOND / 10, false);
    assert!(has_begun(&world, OTHER), "its sources go ahead");
    assert!(!world.scheduler.is_held_back(OTHER));
}

#[test]
fn nobody_waits_for_what_takes_long() {
    assert!(has_begun(&beside(600 * SECOND, true), OTHER), "ten minutes are too long");
}

#[test]
fn waiting_has_a_bound_and_says_for_whom() {
    for nanoseconds in [SECOND / 10, 0] {
        let mut world = beside(nanoseconds, true);
        assert!(!has_begun(&world, OTHER));
        let held = world.scheduler.held_back(OTHER).expect("it waits for memory");
        assert_eq!((held.worker, held.waits_for, held.since), (WorkerId(0), RUN, Time(0)));
        assert!(held.until <= Time(SECOND));
        assert_eq!(world.scheduler.wakes_at(), Some(held.until));
        world.now = Time(held.until.0 - 1);
        world.handle(Event::TimePassed);
        assert!(!has_begun(&world, OTHER));
        world.now = held.until;
        world.handle(Event::TimePassed);
        assert!(has_begun(&world, OTHER), "it goes ahead");
        assert!(!world.scheduler.is_held_back(OTHER));
    }
}

#[test]
fn a_slow_consumer_of_a_run_does_not_stop_its_sources() {
    // Half of the memory is full of what a slow task reads, and of what a fast one would.
    let mut world = beside(0, true);
    let steps = 10;
    for step in 1..=steps {
        world.now = Time(step * SECOND / 5);
        world.handle(Event::TimePassed);
    }
    assert!(has_begun(&world, OTHER));
}

#[test]
fn past_a_head_that_lacks_memory_all_others_have_their_turn() {
    // The later layers stand first: tasks that grow what they read, before tasks that free it.
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let layer = |shape, bytes| {
        Layer::new("layer", op, shape).with_cost(Cost { nanoseconds: 1000, output_bytes: bytes, ..Cost::default() })
    };
    let grid = || Grid::new([4]);
    let map = |input| Shape::Map { grid: grid(), inputs: vec![MapInput::same(input, grid())] };
    let small = graph.layer(layer(Shape::source(4), 100)).unwrap();
    let freed = graph.layer(layer(map(small), 1)).unwrap();
    let other = graph.layer(layer(Shape::source(1), 1)).unwrap();
    let shape = Shape::Map { grid: Grid::new([1]), inputs: vec![MapInput::same(other, Grid::new([1]))] };
    let grown = graph.layer(layer(shape, 5000)).unwrap();
    let last = graph.layer(layer(map(freed), 1)).unwrap();
    let end = graph
        .layer(layer(Shape::Map { grid: Grid::new([1]), inputs: vec![MapInput::same(grown, Grid::new([1]))] }, 1))
        .unwrap();
    let graph = graph.finish();
    let wanted = vec![TaskRange { layer: last, start: 0, end: 4 }, TaskRange { layer: end, start: 0, end: 1 }];
    let mut world = World::new(1);
    world.spends = false;
    world.bytes = 100;
    world.join_with(Offer { memory: 1000, ..Offer::slots(1) });
    world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
    // Until both sources have run: one task grows, four free.
    let mut before_growing = 0;
    while !world.assigned.is_empty() && layers(&world) != [grown.0] {
        before_growing += u64::from(layers(&world) == [freed.0]);
        world.run_one(&graph, 0, || false);
    }
    assert_eq!(before_growing, 4, "what frees memory goes before what takes it and lacks it");
    world.run_to_the_end(&graph);
    assert!(world.finished);
}

/// One worker of one slot whose memory is half full of what a sum will read, and another run that can fill the slot for long: how
/// many hand-outs it takes until the sum is done, at most so many.
fn until_the_sum_is_done(most: u64, net_of_others: u64) -> Option<u64> {
    let mut scheduler = Scheduler::new(1);
    let offer = Offer { memory: 1000, ..Offer::slots(1) };
    scheduler.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(0), offer });
    let (graph, wanted) = pipeline(&[(16, 100, 1000), (1, 1, 1000)]);
    scheduler.handle_event(Time(0), added(RUN, None, Arc::new(graph), wanted));
    let (graph, wanted) = pipeline(&[(10_000, net_of_others, 1000)]);
    scheduler.handle_event(Time(0), added(OTHER, None, Arc::new(graph), wanted));
    for handed in 0..most {
        let Some(Action::Assign { worker, assignment }) = scheduler.poll_action() else { panic!("the slot is free") };
        let Assignment { run, attempt, tasks, .. } = assignment;
        if run == RUN && tasks[0].layer == LayerId(1) {
            return Some(handed);
        }
        let bytes = if run == RUN { 100 * TaskRange::count(&tasks) } else { 1 };
        let outcomes = tasks.iter().map(|&range| (range, Outcome::Done { bytes })).collect();
        let report = Report { run, attempt, outcomes, nanoseconds: 1000 * TaskRange::count(&tasks) };
        scheduler.handle_event(Time((handed + 1) * 10_000_000), Event::Reported { worker, report });
        while let Some(Action::Discard { .. } | Action::Finished { .. }) = scheduler.actions.front() {
            scheduler.poll_action();
        }
        scheduler.validate();
    }
    None
}

#[test]
fn a_producer_without_memory_has_its_turn_though_others_can_fill_the_slots() {
    let handed = until_the_sum_is_done(200, 1).expect("nothing would ever free memory for it");
    assert!(handed <= 60, "it took {handed} hand-outs, and half of sixteen tasks and a sum are its share");
}

const GIB: u64 = 1 << 30;

/// Sources of so many bytes that one task reads, and what is handed out of them.
fn large(s: &mut Scheduler, run: u64, annotations: &Annotations, tasks: u32, output_bytes: u64) -> Vec<u32> {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let cost = Cost { nanoseconds: 1000, output_bytes, ..Cost::default() };
    let made = Layer { annotations: Arc::new(annotations.clone()), ..Layer::new("made", op, Shape::source(tasks)) };
    let input = graph.layer(made.with_cost(cost)).unwrap();
    let shape = Shape::Reduce { input, grid: Grid::new([tasks]), fan_in: [tasks].into_iter().collect() };
    let layer = graph.layer(Layer::new("sum", op, shape)).unwrap();
    let wanted = vec![TaskRange { layer, start: 0, end: 1 }];
    s.handle_event(Time(0), added(RunId(run), None, Arc::new(graph.finish()), wanted));
    s.validate();
    let given = liveness::assigns(&liveness::drain(s));
    given.into_iter().map(|(worker, _)| worker.0).collect()
}

/// A worker with much memory, and then those with little.
fn join(s: &mut Scheduler, worker: u32) {
    let (memory, resources) = (if worker == 0 { 100 * GIB } else { GIB }, [("gpu".into(), 100)].into());
    let offer = Offer { memory, resources, ..Offer::slots(4) };
    s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(worker), offer });
}

fn anybody_and_whoever_has_a_gpu() -> [Annotations; 2] {
    [Annotations::default(), Annotations { resources: [("gpu".into(), 1)].into(), ..Annotations::default() }]
}

#[test]
fn what_is_large_goes_where_there_is_memory_for_it_whoever_has_less_to_do() {
    for annotations in anybody_and_whoever_has_a_gpu() {
        let mut s = Scheduler::new(1);
        join(&mut s, 0);
        assert_eq!(large(&mut s, 1, &annotations, 2, GIB >> 10), [0, 0]);
        for worker in 1..20 {
            join(&mut s, worker);
            assert_eq!(large(&mut s, 1 + u64::from(worker), &annotations, 1, GIB >> 10), [worker]);
        }
        assert_eq!(large(&mut s, 50, &annotations, 2, 5 * GIB), [0, 0]);
        assert_eq!(
            large(&mut s, 51, &annotations, 1, GIB >> 10),
            [1],
            "what is small goes to whoever has little to do"
        );
    }
}

#[test]
fn what_goes_ahead_goes_to_who_can_hold_it_and_not_to_who_has_nothing() {
    for annotations in anybody_and_whoever_has_a_gpu() {
        let mut s = Scheduler::new(1);
        join(&mut s, 0);
        assert_eq!(large(&mut s, 1, &annotations, 2, 30 * GIB), [0, 0], "more than a half is in use");
        (1..20).for_each(|worker| join(&mut s, worker));
        assert_eq!(large(&mut s, 2, &annotations, 1, 5 * GIB), [0]);
        assert_eq!(large(&mut s, 3, &annotations, 1, GIB / 4 * 3), [1], "it has nothing, and can hold that");
    }
}
