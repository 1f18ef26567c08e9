//! Inputs that many tasks read: what is kept of their readers, and what becomes of them when the input is lost.

use super::graphs::*;
use super::world::*;
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

const MILLISECOND: u64 = 1_000_000;

/// `x - row - column`: blocks of a grid that read a block of a row, one of a column, and, if so it is said, one of their own.
fn graph(rows: u32, columns: u32, reads_own: bool) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let cost = Cost { nanoseconds: MILLISECOND, output_bytes: 8, scratch_bytes: 0 };
    let mut add = |shape| graph.layer(Layer::new("l", op, shape).with_cost(cost)).unwrap();
    let source = |lengths: [u32; 2]| Shape::Map { grid: Grid::new(lengths), inputs: vec![] };
    let (row, column, grid) = (add(source([1, columns])), add(source([rows, 1])), Grid::new([rows, columns]));
    let read = |layer, lengths: [u32; 2], axes: [Option<u8>; 2]| MapInput {
        layer,
        grid: Grid::new(lengths),
        axes: axes.into_iter().collect(),
    };
    let mut inputs = vec![read(row, [1, columns], [None, Some(1)]), read(column, [rows, 1], [Some(0), None])];
    if reads_own {
        let own = add(source([rows, columns]));
        inputs.push(MapInput::same(own, grid.clone()));
    }
    let difference = add(Shape::Map { grid: grid.clone(), inputs });
    let fan_in = [rows, columns].into_iter().collect();
    add(Shape::Reduce { input: difference, grid, fan_in });
    graph.finish()
}

fn submitted(graph: &Graph, slots: u32) -> World {
    let mut world = World::new(3 * MILLISECOND);
    world.nanoseconds = MILLISECOND;
    world.join(slots);
    world.join(slots);
    let last = LayerId(graph.layers().len() as u32 - 1);
    let wanted = vec![TaskRange::one(TaskId::new(last, 0))];
    world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
    world
}

/// The layer of those that read what is broadcast.
fn readers(graph: &Graph) -> LayerId {
    LayerId(graph.layers().len() as u32 - 2)
}

fn records(world: &World, layer: LayerId) -> usize {
    world.scheduler.runs[&RUN].tasks.layers[layer.0 as usize].pages.live().count()
}

/// Runs until both of what is broadcast is there altogether.
fn run_sources(world: &mut World, graph: &Graph) {
    let is_there = |world: &World| {
        (0..2)
            .flat_map(|layer| {
                (0..graph.layer(LayerId(layer)).len()).map(move |index| TaskId::new(LayerId(layer), index))
            })
            .all(|task| {
                matches!(world.scheduler.task_state(RUN, task), Some(TaskState::InMemory { .. } | TaskState::Released))
            })
    };
    while !is_there(world) {
        world.run_one(graph, 0, || false);
    }
}

#[test]
fn readers_have_a_record_when_they_are_handed_out() {
    let graph = graph(20, 30, false);
    let mut world = submitted(&graph, 1);
    let readers = readers(&graph);
    let mut most = 0;
    while !world.finished {
        world.run_one(&graph, 0, || false);
        let states = (0..600).map(|index| world.scheduler.task_state(RUN, TaskId::new(readers, index)));
        let begun = states.filter(|state| !matches!(state, Some(TaskState::Waiting { .. }))).count();
        assert!(records(&world, readers) <= begun, "only what has begun has a record");
        most = most.max(600 - begun);
    }
    assert!(most > 500, "most of them had still to begin at some time");
    check_results(&world, &graph, &[TaskId::new(LayerId(readers.0 + 1), 0)]);
    assert_eq!(world.held(), 1, "what was broadcast is released");
}

#[test]
fn one_with_inputs_of_its_own_starts_when_the_last_of_all_is_there() {
    let graph = graph(7, 9, true);
    for at in 0..5 {
        let mut world = submitted(&graph, 3);
        let mut step = 0;
        while !world.finished {
            world.run_one(&graph, at * step, || false);
            step += 1;
        }
        check_results(&world, &graph, &[TaskId::new(LayerId(readers(&graph).0 + 1), 0)]);
        assert_eq!(world.held(), 1);
    }
}

#[test]
fn readers_wait_again_while_what_they_read_is_lost() {
    for reads_own in [false, true] {
        let graph = graph(12, 12, reads_own);
        let mut world = submitted(&graph, 1);
        let state = |world: &World, index| world.scheduler.task_state(RUN, TaskId::new(readers(&graph), index));
        let waits_for =
            |world: &World, index, unfinished| state(world, index) == Some(TaskState::Waiting { unfinished });
        // One that could start and has no record.
        let reader = loop {
            match (0..144).find(|&index| waits_for(&world, index, 0)) {
                Some(reader) => break reader,
                None => world.run_one(&graph, 0, || false),
            }
        };
        let row = TaskId::new(LayerId(0), reader % 12);
        let holders: Vec<_> = world.memories.iter().filter(|(_, memory)| memory.contains_key(&row)).collect();
        let holders: Vec<_> = holders.into_iter().map(|(&worker, _)| worker).collect();
        for worker in holders {
            world.memories.get_mut(&worker).unwrap().remove(&row);
            world.handle(Event::ResultsLost { worker, run: RUN, tasks: vec![TaskRange::one(row)] });
        }
        assert!(waits_for(&world, reader, 1));
        world.run_to_the_end(&graph);
        assert!(world.finished);
        check_results(&world, &graph, &[TaskId::new(LayerId(readers(&graph).0 + 1), 0)]);
    }
}

#[test]
fn what_nobody_will_read_any_more_is_let_go() {
    let graph = graph(12, 12, false);
    let mut world = submitted(&graph, 1);
    run_sources(&mut world, &graph);
    let last = vec![TaskRange::one(TaskId::new(LayerId(readers(&graph).0 + 1), 0))];
    world.handle(Event::Released { run: RUN, tasks: last.clone() });
    while !world.assigned.is_empty() {
        world.run_one(&graph, 0, || false);
    }
    assert_eq!(world.held(), 0);
    // Somebody wants it after all.
    world.handle(Event::Wanted { run: RUN, tasks: last });
    world.run_to_the_end(&graph);
    check_results(&world, &graph, &[TaskId::new(LayerId(readers(&graph).0 + 1), 0)]);
}

/// A worker goes that holds some of what is broadcast: looked at are those that read it.
#[test]
fn the_loss_of_a_few_costs_no_look_at_all_readers_of_others() {
    const ROWS: u32 = 100;
    const COLUMNS: u32 = 20_000;
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let cost = Cost { nanoseconds: 10_000, output_bytes: 8, scratch_bytes: 0 };
    let mean = builder.layer(Layer::new("mean", op, Shape::source(COLUMNS)).with_cost(cost)).unwrap();
    let axes = [Some(1)].into_iter().collect();
    let inputs = vec![MapInput { layer: mean, grid: Grid::new([COLUMNS]), axes }];
    let shape = Shape::Map { grid: Grid::new([ROWS, COLUMNS]), inputs };
    let rest = builder.layer(Layer::new("rest", op, shape).with_cost(cost)).unwrap();
    let graph = Arc::new(builder.finish());
    let mut scheduler = Scheduler::new(1_000_000);
    let worker = WorkerId(1);
    let wanted = vec![TaskRange { layer: rest, start: 0, end: u64::from(ROWS) * u64::from(COLUMNS) }];
    scheduler.handle_event(Time(0), added(RUN, None, graph, wanted));
    scheduler.handle_event(Time(0), Event::WorkerJoined { worker, offer: Offer::slots(1) });
    let mut of_rest = 0;
    while of_rest < 5 {
        let Some(Action::Assign { assignment, .. }) = scheduler.poll_action() else { continue };
        of_rest += u32::from(assignment.tasks[0].layer == rest);
        let outcomes =
            assignment.tasks.iter().map(|&range| (range, Outcome::Done { bytes: 8 * range.len() })).collect();
        let report = Report { run: RUN, attempt: assignment.attempt, outcomes, nanoseconds: 1_000_000 };
        scheduler.handle_event(Time(0), Event::Reported { worker, report });
    }
    let pages = |scheduler: &Scheduler| scheduler.runs[&RUN].tasks.layers[rest.0 as usize].pages.looked_at();
    let held = (0..u64::from(COLUMNS)).filter(|&index| scheduler.holds(RUN, worker, TaskId::new(mean, index)));
    let held = held.count() as u64;
    let before = pages(&scheduler);
    scheduler.handle_event(Time(0), Event::WorkerLost { worker, cause: LossCause::Died });
    let looked_at = pages(&scheduler) - before;
    // Once all pages, to find what is gone with the worker.
    let all = u64::from(ROWS) * u64::from(COLUMNS) / 512 + 1;
    assert!(held > 50, "{held} means are lost");
    assert!(looked_at <= all + 2 * held * u64::from(ROWS), "{looked_at} pages for {held} means");
    scheduler.validate();
}
