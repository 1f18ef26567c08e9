//! Tasks that wait for memory.

use super::graphs::*;
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
    world.handle(Event::GraphAdded { run: RUN, parent: None, graph: Arc::new(graph.clone()), wanted });
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
