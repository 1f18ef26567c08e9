//! Layers of several pages, n-dimensional, wanted and let go by ranges: the same comes of it as by one task at a time.

use super::graphs::*;
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::collections::BTreeSet;
use std::sync::Arc;

fn draws(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below.max(1)
    }
}

fn big(seed: u64, kinds: &[u8]) -> Graph {
    let mut draw = draws(seed);
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let grid = Grid::new([1 + draw(40) as u32, 1 + draw(40) as u32]);
    let cost = Cost { nanoseconds: 100, output_bytes: 8, ..Cost::default() };
    graph.layer(Layer::new("s", op, Shape::Map { grid, inputs: vec![] }).with_cost(cost)).unwrap();
    for (at, &kind) in kinds.iter().enumerate() {
        let layers = at as u64 + 1;
        let input = LayerId(draw(layers) as u32);
        let read = graph.get(input).shape.grid();
        let len = read.len();
        let shape = match kind {
            0 => Shape::Map { grid: read.clone(), inputs: vec![MapInput::same(input, read)] },
            1 if read.axes() == 2 => {
                // x - x.mean(axis)
                let fan = [read.lengths()[0], 1];
                let mean = Shape::Reduce { input, grid: read.clone(), fan_in: fan.into_iter().collect() };
                let m = graph.layer(Layer::new("m", op, mean).with_cost(cost)).unwrap();
                let mg = graph.get(m).shape.grid();
                let b = MapInput { layer: m, grid: mg, axes: [None, Some(1)].into_iter().collect() };
                Shape::Map { grid: read.clone(), inputs: vec![MapInput::same(input, read), b] }
            }
            2 => {
                let ranges: Vec<AxisRanges> = read
                    .lengths()
                    .iter()
                    .map(|&l| {
                        let a = draw(u64::from(l)) as u32;
                        let step = 1 + draw(3) as u32;
                        let mut v: Vec<_> = (a..l).step_by(step as usize).map(|c| c..c + 1).collect();
                        if draw(2) == 1 {
                            v.reverse();
                        }
                        v.into()
                    })
                    .collect();
                Shape::Overlap { input, grid: read, ranges: ranges.into() }
            }
            3 => {
                let ranges: Vec<AxisRanges> = read
                    .lengths()
                    .iter()
                    .map(|&l| {
                        let halo = draw(3) as u32;
                        (0..l).map(|c| c.saturating_sub(halo)..(c + 1 + halo).min(l)).collect::<Vec<_>>().into()
                    })
                    .collect();
                Shape::Overlap { input, grid: read, ranges: ranges.into() }
            }
            4 => {
                let fan_in = read.lengths().iter().map(|_| 1 + draw(4) as u32).collect();
                Shape::Reduce { input, grid: read, fan_in }
            }
            5 => Shape::Explicit(explicit(&graph, layers as usize, 100 + draw(900) as u32, draw(u64::MAX))),
            6 if len < 600 => Shape::Exchange { input, producers: len, consumers: 1 + draw(700) },
            7 => {
                let parts = (0..2 + draw(3))
                    .map(|_| {
                        let l = LayerId(draw(layers) as u32);
                        (l, graph.get(l).len() as u32)
                    })
                    .collect::<Vec<_>>();
                if parts.iter().map(|p| p.1).sum::<u32>() > 3000 {
                    Shape::source(700)
                } else {
                    Shape::Concatenate(Parts::new(0, &Grid::new([0]), parts).unwrap())
                }
            }
            8 if read.axes() == 2 => {
                let grid = Grid::new([read.lengths()[1], read.lengths()[0]]);
                Shape::Map {
                    grid,
                    inputs: vec![MapInput { layer: input, grid: read, axes: [Some(1), Some(0)].into_iter().collect() }],
                }
            }
            9 if read.axes() == 2 => {
                // both means
                let r =
                    Shape::Reduce { input, grid: read.clone(), fan_in: [read.lengths()[0], 1].into_iter().collect() };
                let c =
                    Shape::Reduce { input, grid: read.clone(), fan_in: [1, read.lengths()[1]].into_iter().collect() };
                let r = graph.layer(Layer::new("r", op, r).with_cost(cost)).unwrap();
                let c = graph.layer(Layer::new("c", op, c).with_cost(cost)).unwrap();
                let (rg, cg) = (graph.get(r).shape.grid(), graph.get(c).shape.grid());
                Shape::Map {
                    grid: read,
                    inputs: vec![
                        MapInput { layer: r, grid: rg, axes: [None, Some(1)].into_iter().collect() },
                        MapInput { layer: c, grid: cg, axes: [Some(0), None].into_iter().collect() },
                    ],
                }
            }
            _ => Shape::source(1 + draw(1200) as u32),
        };
        graph.layer(Layer::new("l", op, shape).with_cost(cost)).unwrap();
    }
    graph.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn ranges_of_large_layers(
        seed in any::<u64>(),
        kinds in prop::collection::vec(0..11_u8, 1..5),
        steps in prop::collection::vec((0..20_u8, any::<u64>(), any::<u64>(), any::<u64>()), 0..40),
    ) {
        let graph = big(seed, &kinds);
        let mut world = World::ahead(100_000, if seed % 2 == 0 { 0 } else { 300_000 });
        world.join(2);
        world.join(1);
        world.handle(added(RUN, None, Arc::new(graph.clone()), vec![]));
        let mut wanted: BTreeSet<TaskId> = BTreeSet::new();
        let layers = graph.layers().len() as u64;
        for (kind, a, b, c) in steps {
            let layer = LayerId((layers - 1 - (a % layers).min(a / 7 % layers)) as u32);
            let len = graph.layer(layer).len();
            if len == 0 { continue; }
            let (x, y) = (b % (len + 1), c % (len + 1));
            let range = match a % 4 { 0 => TaskRange { layer, start: 0, end: len }, _ => TaskRange { layer, start: x.min(y), end: x.max(y) } };
            match kind {
                0..=4 => { wanted.extend(range.tasks()); world.finished = false; world.handle(Event::Wanted { run: RUN, tasks: vec![range] }); }
                5..=9 => { wanted.retain(|&t| !range.contains(t)); world.gives_back = a % 2 == 0; world.handle(Event::Released { run: RUN, tasks: vec![range] }); }
                10 => { // two ranges
                    let other = TaskRange { layer: LayerId((b % layers) as u32), start: 0, end: graph.layer(LayerId((b % layers) as u32)).len() };
                    wanted.retain(|&t| !range.contains(t) && !other.contains(t));
                    world.handle(Event::Released { run: RUN, tasks: vec![range, other] });
                }
                11 => world.lose_result(a as usize),
                12 if world.memories.len() > 1 => world.lose(a as usize),
                13 => world.join(1 + a as u32 % 3),
                _ => for _ in 0..1 + b % 3 { if !world.assigned.is_empty() { world.run_one(&graph, a as usize, || false) } },
            }
        }
        world.run_to_the_end(&graph);
        check_results(&world, &graph, &wanted.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(world.held(), wanted.len());
        let all: Vec<_> = graph.layers().map(|(layer, l)| TaskRange { layer, start: 0, end: l.len() }).collect();
        world.handle(Event::Released { run: RUN, tasks: all });
        prop_assert_eq!(world.held(), 0);
        let p = world.scheduler.progress(RUN).unwrap();
        prop_assert_eq!(p.done, p.total, "nothing to do is left");
        world.handle(Event::RunReleased { run: RUN });
        prop_assert_eq!(world.scheduler.leftovers(), None);
    }
}
