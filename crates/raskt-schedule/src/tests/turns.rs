//! In which order tasks without inputs start, where there are many layers of them.

use super::graphs::*;
use super::world::*;
use crate::*;
use raskt_graph::*;
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
    world.handle(Event::GraphAdded { run: RUN, parent: None, graph: Arc::new(graph.clone()), wanted });
    let mut most = 0;
    while !world.finished {
        world.run_one(&graph, 0, || false);
        most = most.max(world.held());
    }
    check_results(&world, &graph, &[last]);
    assert!(most <= 8 + 8 + 8 + 12, "{most} of {} held: a sum's inputs on each level, and what is begun", 64 * 8);
}
