//! Data that a client put into workers.

use super::graphs::*;
use super::world::*;
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

/// Two given tasks and a sum of them, of which nothing is wanted yet.
fn world() -> (World, Graph, TaskRange, TaskId) {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let data = builder.layer(Layer::new("data", op, Shape::source(2))).unwrap();
    let grid = Grid::new([2]);
    let sum = builder
        .layer(Layer::new("sum", op, Shape::Reduce { input: data, grid, fan_in: [2].into_iter().collect() }))
        .unwrap();
    let graph = builder.finish();
    let mut world = World::new(1000);
    world.join(1);
    world.join(1);
    world.handle(added(RUN, None, Arc::new(graph.clone()), vec![]));
    (world, graph, TaskRange { layer: data, start: 0, end: 2 }, TaskId::new(sum, 0))
}

fn give(world: &mut World, worker: u32, data: TaskRange) {
    let worker = WorkerId(worker);
    for task in data.tasks() {
        world.memories.get_mut(&worker).expect("it is there").insert(task, result(task, []));
    }
    world.handle(Event::Scattered { run: RUN, tasks: vec![data], worker, bytes: 16 });
}

fn want(world: &mut World, task: TaskId) {
    world.finished = false;
    world.handle(Event::Wanted { run: RUN, tasks: TaskRange::of([task]) });
}

#[test]
fn given_data_is_read_and_never_made() {
    let (mut world, graph, data, sum) = world();
    give(&mut world, 0, data);
    assert!(world.assigned.is_empty(), "there is nothing to run");
    want(&mut world, sum);
    world.run_to_the_end(&graph);
    check_results(&world, &graph, &[sum]);
    assert_eq!(world.held(), 3, "the data stays while nobody has released it");
    world.handle(Event::Released { run: RUN, tasks: vec![data] });
    assert_eq!(world.held(), 1);
}

#[test]
fn one_copy_of_two_may_be_lost() {
    let (mut world, graph, data, sum) = world();
    give(&mut world, 0, data);
    give(&mut world, 1, data);
    world.lose(0);
    want(&mut world, sum);
    world.run_to_the_end(&graph);
    assert!(world.finished && world.lost.is_empty());
}

#[test]
fn the_loss_of_the_last_copy_is_told_and_ends_the_run() {
    let (mut world, _, data, sum) = world();
    give(&mut world, 0, data);
    want(&mut world, sum);
    world.assigned.clear();
    world.lose(0);
    assert_eq!(world.lost, [data]);
    assert_eq!(world.scheduler.progress(RUN), None);
}

#[test]
fn data_of_a_worker_that_has_gone_is_lost_at_once() {
    let (mut world, _, data, _) = world();
    world.handle(Event::Scattered { run: RUN, tasks: vec![data], worker: WorkerId(9), bytes: 16 });
    assert_eq!(world.lost, [data]);
}

#[test]
fn data_that_was_released_may_be_given_again() {
    let (mut world, graph, data, sum) = world();
    for _ in 0..2 {
        give(&mut world, 0, data);
        world.handle(Event::Released { run: RUN, tasks: vec![data] });
        assert_eq!(world.held(), 0);
    }
    give(&mut world, 0, data);
    want(&mut world, sum);
    world.run_to_the_end(&graph);
    assert!(world.finished && world.lost.is_empty());
}

/// A hiccup between two workers: where another one has what is required, that one is tried.
#[test]
fn a_fetch_that_fails_once_loses_nothing_where_somebody_else_can_do_it() {
    for others in [0, 1] {
        let mut builder = GraphBuilder::new();
        let op = op(&mut builder);
        let data = builder.layer(Layer::new("data", op, Shape::source(1))).unwrap();
        let annotations = Annotations { resources: [("gpu".into(), 1000)].into(), ..Annotations::default() };
        let inputs = vec![MapInput::same(data, Grid::new([1]))];
        let reader = Layer::new("reader", op, Shape::Map { grid: Grid::new([1]), inputs });
        let reader = builder.layer(Layer { annotations: Arc::new(annotations), ..reader }).unwrap();
        let graph = builder.finish();
        let mut world = World::new(1000);
        world.join(1);
        for _ in 0..=others {
            world.join_with(Offer { resources: [("gpu".into(), 1000)].into(), ..Offer::slots(1) });
        }
        let (data, task) = (TaskRange { layer: data, start: 0, end: 1 }, TaskId::new(reader, 0));
        world.handle(added(RUN, None, Arc::new(graph), vec![]));
        give(&mut world, 0, data);
        want(&mut world, task);
        let (worker, assignment) = world.assigned.pop().unwrap();
        let (attempt, task, from) = (assignment.attempt, TaskId::new(data.layer, 0), WorkerId(0));
        world.memories.get_mut(&from).expect("it is there").clear();
        world.handle(Event::FetchFailed { worker, run: RUN, attempt, input_run: RUN, task, from, reached: false });
        assert_eq!(world.lost.is_empty(), others > 0, "whether it is given up with {others} others");
        if others > 0 {
            assert_ne!(world.assigned.pop().unwrap().0, worker, "it can't reach the holder");
        }
    }
}

/// The same, but the worker had two assignments that read there, and both hear of the same hiccup.
#[test]
fn a_hiccup_loses_nothing_however_many_wait_for_the_same_worker() {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let data = builder.layer(Layer::new("data", op, Shape::source(2))).unwrap();
    let annotations = Annotations { resources: [("gpu".into(), 1000)].into(), ..Annotations::default() };
    let inputs = vec![MapInput::same(data, Grid::new([2]))];
    let reader = Layer::new("reader", op, Shape::Map { grid: Grid::new([2]), inputs });
    let reader = builder.layer(Layer { annotations: Arc::new(annotations), ..reader }).unwrap();
    let graph = builder.finish();
    let mut world = World::new(1);
    world.join(1);
    for _ in 0..2 {
        world.join_with(Offer { resources: [("gpu".into(), 2000)].into(), ..Offer::slots(2) });
    }
    let data = TaskRange { layer: data, start: 0, end: 2 };
    world.handle(added(RUN, None, Arc::new(graph), vec![]));
    world.handle(Event::Scattered { run: RUN, tasks: vec![data], worker: WorkerId(0), bytes: 16 });
    // Both go to one worker: the other one is at something else meanwhile.
    world.handle(Event::WorkerResized { worker: WorkerId(2), slots: 0, memory: u64::MAX });
    world.handle(Event::Wanted { run: RUN, tasks: vec![TaskRange { layer: reader, start: 0, end: 2 }] });
    world.handle(Event::WorkerResized { worker: WorkerId(2), slots: 2, memory: u64::MAX });
    let given = std::mem::take(&mut world.assigned);
    assert!(given.len() == 2 && given.iter().all(|(worker, _)| worker.0 == 1), "{given:?}");
    world.memories.get_mut(&WorkerId(0)).expect("it is there").clear();
    for (worker, Assignment { attempt, fetches, .. }) in given {
        let task = TaskId::new(fetches[0].tasks.layer, fetches[0].tasks.start);
        world.handle(Event::FetchFailed {
            worker,
            run: RUN,
            attempt,
            input_run: RUN,
            task,
            from: WorkerId(0),
            reached: false,
        });
    }
    assert!(
        world.lost.is_empty(),
        "the data is there, another worker can read it, and the run is given up: {:?}",
        world.lost
    );
}

/// Whoever promises memory can tell what is fetched from what is made.
#[test]
fn how_much_of_the_memory_of_an_assignment_is_fetched_is_said() {
    for output_bytes in [0, 70] {
        let mut builder = GraphBuilder::new();
        let op = op(&mut builder);
        let data = builder.layer(Layer::new("data", op, Shape::source(2))).unwrap();
        let shape = Shape::Reduce { input: data, grid: Grid::new([2]), fan_in: [2].into_iter().collect() };
        let cost = Cost { output_bytes, scratch_bytes: output_bytes / 7, ..Cost::default() };
        let sum = builder.layer(Layer::new("sum", op, shape).with_cost(cost)).unwrap();
        let mut world = World::new(1000);
        world.join(1);
        world.join(1);
        world.handle(added(RUN, None, Arc::new(builder.finish()), vec![]));
        let one = |index| TaskRange { layer: data, start: index, end: index + 1 };
        (0..2).for_each(|worker| {
            world.handle(Event::Scattered {
                run: RUN,
                tasks: vec![one(u64::from(worker))],
                worker: WorkerId(worker),
                bytes: 16,
            })
        });
        want(&mut world, TaskId::new(sum, 0));
        let [(_, assignment)] = &world.assigned[..] else { panic!("{:?}", world.assigned) };
        assert_eq!(assignment.fetches.len(), 1);
        assert_eq!((assignment.fetched, assignment.memory), (16, 16 + output_bytes + output_bytes / 7));
    }
}
