//! Who gets what, and when.

use super::graphs::*;
use super::world::*;
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

/// Layers of `tasks` tasks that read nothing, each with annotations of its own.
fn sources(layers: impl IntoIterator<Item = (u32, Annotations)>) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    for (at, (tasks, annotations)) in layers.into_iter().enumerate() {
        let layer = Layer::new(format!("l{at}"), op, Shape::source(tasks))
            .with_cost(Cost { nanoseconds: 1000, ..Cost::default() });
        graph.layer(Layer { annotations: Arc::new(annotations), ..layer }).unwrap();
    }
    graph.finish()
}

fn submit(world: &mut World, graph: &Graph) {
    let wanted = TaskRange::of(all_tasks(graph));
    world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
}

fn gpu(thousandths: u64) -> Annotations {
    Annotations { resources: [("gpu".into(), thousandths)].into(), ..Annotations::default() }
}

fn offer(name: &str, slots: u32, gpus: u64) -> Offer {
    let resources = if gpus > 0 { [("gpu".into(), gpus * 1000)].into() } else { Resources::default() };
    Offer { name: name.into(), resources, ..Offer::slots(slots) }
}

#[test]
fn a_higher_priority_starts_first() {
    let priority = |priority| Annotations { priority, ..Annotations::default() };
    let graph = sources([(1, priority(0)), (1, priority(5)), (1, priority(-1))]);
    let mut world = World::new(1);
    submit(&mut world, &graph);
    world.join(1);
    let mut order = vec![];
    while let Some((_, assignment)) = world.assigned.first() {
        order.push(assignment.tasks[0].layer.0);
        world.run_one(&graph, 0, || false);
    }
    assert_eq!(order, [1, 0, 2]);
}

#[test]
fn requirements_count_for_nothing_where_nobody_heeds_them() {
    let somewhere_else = Annotations { workers: vec!["elsewhere".into()], ..gpu(1000) };
    let graph = sources([(3, somewhere_else)]);
    let mut world = World::with(Settings { heeds_requirements: false, ..Settings::default() });
    submit(&mut world, &graph);
    world.join(1);
    world.run_to_the_end(&graph);
    assert_eq!(world.stalled, None);
}

#[test]
fn resources_are_counted_while_a_worker_has_the_task() {
    let graph = sources([(6, gpu(500)), (1, Annotations::default())]);
    let mut world = World::new(1);
    let plain = world.join_with(offer("plain", 8, 0));
    let graphic = world.join_with(offer("graphic", 8, 1));
    submit(&mut world, &graph);
    let on_gpu = world.assigned.iter().filter(|(_, assignment)| assignment.tasks[0].layer == LayerId(0));
    let on_gpu: Vec<_> = on_gpu.map(|(worker, _)| *worker).collect();
    assert_eq!(on_gpu, [graphic, graphic], "half a gpu each");
    world.run_to_the_end(&graph);
    assert!(world.finished && world.memories[&plain].len() <= 1 && world.memories[&graphic].len() >= 6);
}

#[test]
fn a_request_that_no_worker_can_meet_is_told_by_name_until_one_can() {
    let graph = sources([(1, gpu(2000)), (3, Annotations::default())]);
    let mut world = World::new(1);
    world.join_with(offer("small", 1, 1));
    submit(&mut world, &graph);
    let Some(cause @ StallCause::Unmet { layer, .. }) = &world.stalled else { panic!("{:?}", world.stalled) };
    assert_eq!((*layer, cause.to_string()), (LayerId(0), "`l0` needs 2 `gpu`, which no worker has".into()));
    world.run_to_the_end(&graph);
    assert!(!world.finished && world.held() == 3, "the other tasks were run");
    world.join_with(offer("large", 1, 2));
    assert_eq!(world.stalled, None);
    world.run_to_the_end(&graph);
    assert!(world.finished);
}

#[test]
fn without_workers_a_run_says_what_it_waits_for() {
    let graph = sources([(1, Annotations::default())]);
    let mut world = World::new(1);
    submit(&mut world, &graph);
    assert_eq!(world.stalled, Some(StallCause::NoWorkers));
    world.join(1);
    assert_eq!(world.stalled, None);
}

#[test]
fn named_workers_run_what_is_theirs() {
    let named =
        |allow_other_workers| Annotations { workers: vec!["b".into()], allow_other_workers, ..Annotations::default() };
    for (allowed, has_b, expected) in
        [(false, true, Some(1)), (true, true, Some(1)), (true, false, Some(0)), (false, false, None)]
    {
        let graph = sources([(1, named(allowed))]);
        let mut world = World::new(1);
        world.join_with(offer("a", 1, 0));
        if has_b {
            world.join_with(offer("b", 1, 0));
        }
        submit(&mut world, &graph);
        assert_eq!(world.assigned.first().map(|(worker, _)| worker.0), expected);
        assert_eq!(world.stalled.is_some(), expected.is_none());
    }
}

/// Also what has waited for that name.
#[test]
fn a_worker_that_is_called_otherwise_runs_what_is_for_its_name() {
    let named = Annotations { workers: vec!["a".into()], ..Annotations::default() };
    let graph = sources([(4, named)]);
    let called = |worker, name: &str| Event::WorkerRenamed { worker, name: name.into() };
    let mut world = World::new(1);
    let (one, _) = (world.join_with(offer("b", 1, 0)), world.join_with(offer("c", 1, 0)));
    submit(&mut world, &graph);
    assert!(world.assigned.is_empty() && world.stalled.is_some());
    world.handle(called(one, "a"));
    assert!(world.stalled.is_none() && !world.assigned.is_empty());
    assert!(world.assigned.iter().all(|(worker, _)| *worker == one));
    // One that was called so isn't any more.
    let mut world = World::new(1);
    let (one, other) = (world.join_with(offer("a", 1, 0)), world.join_with(offer("b", 1, 0)));
    world.handle(called(one, "b"));
    world.handle(called(other, "a"));
    submit(&mut world, &graph);
    assert!(!world.assigned.is_empty() && world.assigned.iter().all(|(worker, _)| *worker == other));
}

#[test]
fn a_task_goes_to_the_worker_that_holds_what_it_reads() {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let cost = Cost { nanoseconds: 1000, scratch_bytes: 0, output_bytes: 1 << 20 };
    let first = builder.layer(Layer::new("first", op, Shape::source(2)).with_cost(cost)).unwrap();
    let grid = Grid::new([2]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(first, grid)] };
    builder.layer(Layer::new("second", op, shape).with_cost(cost)).unwrap();
    let graph = builder.finish();
    let mut world = World::new(1);
    world.join(2);
    world.join(2);
    submit(&mut world, &graph);
    for _ in 0..2 {
        let (worker, assignment) = world.assigned[0].clone();
        world.run_one(&graph, 0, || false);
        let follows = world.assigned.iter().find(|(_, other)| other.tasks[0].layer == LayerId(1)).expect("it is ready");
        assert_eq!((follows.0, follows.1.tasks[0].start), (worker, assignment.tasks[0].start));
        assert!(follows.1.fetches.is_empty());
        world.assigned.retain(|(_, other)| other.tasks[0].layer == LayerId(0));
    }
}

#[test]
fn work_is_given_in_advance_by_time_and_taken_back_for_an_idle_worker() {
    let graph = sources([(10, Annotations::default())]);
    let mut world = World::ahead(1, 4000);
    let first = world.join_with(Offer::slots(1));
    submit(&mut world, &graph);
    assert_eq!(world.assigned.len(), 4, "four tasks of a microsecond are four microseconds");
    let second = world.join_with(Offer::slots(1));
    assert_eq!(world.assigned.iter().filter(|(worker, _)| *worker == second).count(), 4);
    for _ in 0..6 {
        let at = world.assigned.iter().position(|(worker, _)| *worker == second).expect("it has work");
        world.run_one(&graph, at, || false);
    }
    // Everything is handed out, and the first worker hasn't begun: it gives back what it has in advance.
    assert!(world.assigned.iter().any(|(worker, _)| *worker == second), "{:?}", world.assigned);
    while let Some(at) = world.assigned.iter().position(|(worker, _)| *worker == second) {
        world.run_one(&graph, at, || false);
    }
    let left = world.assigned.iter().filter(|(worker, _)| *worker == first).count();
    assert_eq!(left, 1, "what is in its slot it keeps");
    world.run_to_the_end(&graph);
    assert!(world.finished);
}

/// A result of the first worker, and its reader, which was given to the second one.
fn reader_elsewhere() -> (World, Graph, WorkerId, WorkerId) {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let cost = Cost { nanoseconds: 1_000_000, ..Cost::default() };
    let first = builder.layer(Layer::new("first", op, Shape::source(2)).with_cost(cost)).unwrap();
    let grid = Grid::new([2]);
    builder
        .layer(Layer::new("second", op, Shape::Reduce { input: first, grid, fan_in: [2].into_iter().collect() }))
        .unwrap();
    let graph = builder.finish();
    let mut world = World::new(1);
    let (holder, other) = (world.join_with(Offer::slots(1)), world.join_with(Offer::slots(1)));
    submit(&mut world, &graph);
    world.run_one(&graph, 0, || false);
    world.run_one(&graph, 0, || false);
    let reader = world.assigned[0].0;
    let (holder, other) = if reader == holder { (other, holder) } else { (holder, other) };
    assert_eq!(world.assigned[0].1.fetches.len(), 1);
    (world, graph, holder, other)
}

fn fail_to_fetch(world: &mut World, reached: bool) {
    let (worker, assignment) = world.assigned.remove(0);
    let Fetch { from, tasks, .. } = assignment.fetches[0];
    let (attempt, task) = (assignment.attempt, TaskId::new(tasks.layer, tasks.start));
    world.handle(Event::FetchFailed { worker, run: RUN, attempt, input_run: RUN, task, from, reached });
}

#[test]
fn a_copy_that_its_holder_does_not_have_is_made_again() {
    let (mut world, graph, holder, other) = reader_elsewhere();
    fail_to_fetch(&mut world, true);
    assert_eq!(world.assigned[0].1.tasks[0].layer, LayerId(0), "the lost input comes first");
    assert!(!world.scheduler.workers.cannot_reach(other, holder, world.now), "it was reached");
    world.run_to_the_end(&graph);
    assert!(world.finished);
}

#[test]
fn a_worker_that_cannot_reach_a_holder_is_not_given_its_readers_twice_without_end() {
    let (mut world, graph, _, _) = reader_elsewhere();
    let mut hand_outs = 0;
    // Neither worker reaches the other; in the end one of them makes both inputs itself.
    while !world.finished {
        hand_outs += 1;
        assert!(hand_outs < 20, "it goes round in circles");
        match world.assigned[0].1.fetches.is_empty() {
            true => world.run_one(&graph, 0, || false),
            false => fail_to_fetch(&mut world, false),
        }
        world.now.0 += 200_000_000;
    }
}

#[test]
fn a_way_that_failed_once_is_tried_again_after_a_while() {
    let (mut world, graph, _, _) = reader_elsewhere();
    let reader = world.assigned[0].0;
    fail_to_fetch(&mut world, false);
    // For now the other one is given it; later the first one may fail once more before a copy counts as lost.
    assert_ne!(world.assigned[0].0, reader);
    let held = world.held();
    world.now = Time(3600 * 1_000_000_000);
    fail_to_fetch(&mut world, false);
    assert_eq!(world.held(), held);
    world.now = Time(2 * 3600 * 1_000_000_000);
    let is_reader = |world: &World| world.assigned[0].1.tasks[0].layer == LayerId(1);
    fail_to_fetch(&mut world, false);
    assert!(is_reader(&world), "nothing was lost by failures that are hours apart");
    world.run_to_the_end(&graph);
    assert!(world.finished);
}

#[test]
fn who_holds_what_is_wanted_is_told_in_ranges() {
    let graph = sources([(40, Annotations::default()), (1, Annotations::default())]);
    let mut world = World::new(4000);
    (0..3).for_each(|_| world.join(1));
    submit(&mut world, &graph);
    assert_eq!(world.scheduler.wanted_at(RUN), None, "it isn't there yet");
    world.run_to_the_end(&graph);
    let found = world.scheduler.wanted_at(RUN).expect("all of it is there");
    let workers: Vec<_> = found.iter().map(|(worker, _)| *worker).collect();
    assert!(workers.is_sorted() && workers.len() == 3, "each once, in order: {workers:?}");
    for (worker, ranges) in found {
        let tasks: Vec<_> = ranges.iter().flat_map(|range| range.tasks()).collect();
        assert!(tasks.iter().eq(world.memories[&worker].keys()), "what {worker:?} holds");
        assert!(ranges.len() <= 12, "as ranges: {ranges:?}");
    }
}

#[test]
fn of_a_run_that_is_waited_for_the_highest_priority_is_handed_out_first() {
    let named = Annotations { workers: vec!["a".into()], priority: 5, ..Annotations::default() };
    let graph = sources([(1, Annotations::default()), (1, named)]);
    let mut world = World::new(1);
    let worker = world.join_with(offer("a", 1, 0));
    world.handle(added(
        RunId(2),
        None,
        Arc::new(sources([(1, Annotations::default())])),
        vec![TaskRange { layer: LayerId(0), start: 0, end: 1 }],
    ));
    submit(&mut world, &graph);
    assert_eq!(world.assigned.len(), 1, "the only slot is taken");
    world.handle(Event::SlotsLent { worker, run: RUN, slots: 1 });
    assert_eq!(world.assigned[1].1.tasks[0].layer, LayerId(1));
}

#[test]
fn a_worker_that_is_lost_lends_no_slots() {
    let graph = sources([(3, Annotations::default())]);
    let mut world = World::new(1);
    let lender = world.join_with(offer("a", 1, 0));
    submit(&mut world, &graph);
    world.handle(Event::SlotsLent { worker: lender, run: RUN, slots: 1 });
    world.lose(0);
    assert!(world.scheduler.runs[&RUN].lenders().next().is_none());
    world.join(1);
    world.run_to_the_end(&graph);
    assert!(world.finished);
}
