//! In which order tasks of a run start: those without inputs, where there are many layers of them, and those that require different
//! things.

use super::fair::{Clock, MILLISECOND, gpus};
use super::graphs::*;
use super::shares::queue;
use super::world::*;
use crate::needs::Need;
use crate::queue::{HeadPlace, HeadTurn};
use crate::run_queue::RunQueue;
use crate::*;
use raskt_graph::*;
use std::cmp::Reverse;
use std::ops::Bound;
use std::sync::Arc;

/// Layers of so many blocks, one after the other, summed up eight by eight.
fn concatenated(parts: u32, blocks: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let cost = Cost { nanoseconds: 1_000_000, output_bytes: 8, scratch_bytes: 0 };
    let mut add = |shape| graph.layer(Layer::new("l", op, shape).with_cost(cost)).unwrap();
    let parts: Vec<_> = (0..parts).map(|_| (add(Shape::source(blocks)), blocks)).collect();
    let parts = Parts::new(0, &Grid::new([0]), parts).unwrap();
    let (mut grid, mut last) = (parts.grid().clone(), add(Shape::Concatenate(parts)));
    while grid.len() > 1 {
        let sum = Shape::Reduce { input: last, grid, fan_in: [8].into_iter().collect() };
        grid = sum.grid();
        last = add(sum);
    }
    graph.finish()
}

#[test]
fn of_a_concatenation_little_is_held_at_a_time() {
    let graph = concatenated(64, 8);
    let last = TaskId::new(LayerId(graph.layers().len() as u32 - 1), 0);
    let mut world = World::new(3_000_000);
    world.nanoseconds = 1_000_000;
    world.join(2);
    let wanted = vec![TaskRange::one(last)];
    world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
    let mut most = 0;
    while !world.finished {
        world.run_one(&graph, 0, || false);
        most = most.max(world.held());
    }
    check_results(&world, &graph, &[last]);
    assert!(most <= 8 + 8 + 8 + 12, "{most} of {} held: a sum's inputs on each level, and what is begun", 64 * 8);
}

/// Blocks are made, and each is read where there is a GPU: what is made is read when it is there, and not when all has been made.
#[test]
fn what_requires_something_goes_before_new_work_of_its_own_run() {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let (cost, grid) = (Cost { nanoseconds: MILLISECOND, ..Cost::default() }, Grid::new([1000]));
    let made = graph.layer(Layer::new("made", op, Shape::source(1000)).with_cost(cost)).unwrap();
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(made, grid)] };
    let read = Layer { annotations: Arc::new(gpus(1)), ..Layer::new("read", op, shape) };
    let read = graph.layer(read.with_cost(cost)).unwrap();
    let mut clock = Clock::with(Offer { resources: [("gpu".into(), 1)].into(), ..Offer::slots(2) });
    clock.takes.insert(RunId(1), MILLISECOND);
    let wanted = vec![TaskRange { layer: read, start: 0, end: 1000 }];
    clock.handle(added(RunId(1), None, Arc::new(graph.finish()), wanted));
    (0..4).for_each(|_| assert!(clock.step()));
    for _ in 0..200 {
        let layers: Vec<_> = clock.running.iter().map(|(_, assignment)| assignment.tasks[0].layer).collect();
        assert!(
            layers.contains(&read) && layers.contains(&made),
            "a GPU does nothing, or nothing is made for it: {layers:?}"
        );
        // Those that began together end together.
        (0..2).for_each(|_| assert!(clock.step()));
    }
}

/// Classes of a run are served as if all stood in one queue.
#[test]
fn within_a_run_sources_go_last_and_later_layers_first() {
    let mut queue = queue(&[(1, None, 0)]);
    let turn = |place| Some(HeadTurn { place, ..HeadTurn::of_only(0) });
    let ready = |layer| turn(HeadPlace::Ready(Reverse(LayerId(layer))));
    let source = |along| turn(HeadPlace::Source(along, LayerId(1)));
    let classes = |queue: &RunQueue| {
        let mut from = Bound::Unbounded;
        std::iter::from_fn(|| {
            let next = queue.next(from)?;
            from = Bound::Excluded(next);
            Some(next.class())
        })
        .collect::<Vec<_>>()
    };
    for (class, head) in [(0, source(70)), (1, ready(2)), (2, ready(3)), (3, source(50))] {
        queue.stand(RunId(1), class, head);
    }
    assert_eq!(classes(&queue), [2, 1, 3, 0]);
    // One has another head; of one that stands aside that shows when it is woken.
    let gpu = Need::NONE.next();
    queue.park(RunId(1), 3, gpu);
    queue.stand(RunId(1), 2, ready(1));
    queue.stand(RunId(1), 3, ready(4));
    assert_eq!(classes(&queue), [1, 2, 0]);
    queue.validate([RunId(1)].into_iter());
    assert!(queue.wake(gpu));
    assert_eq!(classes(&queue), [3, 1, 2, 0]);
    queue.validate([RunId(1)].into_iter());
}
