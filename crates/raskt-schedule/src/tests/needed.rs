//! What graphs of very many blocks need.

mod steps;

use super::graphs::added;
use super::graphs::op;
use crate::run::Run;
use crate::task_set::TaskSet;
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

const SIDE: u32 = 10_000;

/// A hundred million blocks, and a layer that reads boxes of them.
fn graph(ranges: [AxisRanges; 2]) -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let grid = Grid::new([SIDE, SIDE]);
    let source = Shape::Map { grid: grid.clone(), inputs: vec![] };
    let input = graph.layer(Layer::new("source", op, source)).unwrap();
    let shape = Shape::Overlap { input, grid, ranges: Arc::from(ranges) };
    graph.layer(Layer::new("reader", op, shape)).unwrap();
    Arc::new(graph.finish())
}

fn run(graph: &Arc<Graph>) -> Run {
    let all = TaskRange { layer: LayerId(1), start: 0, end: graph.layer(LayerId(1)).len() };
    Run::new(graph.clone(), &[all], true, None)
}

fn cut(first: i64, count: u32) -> AxisRanges {
    let points = 0..u64::from(SIDE) * 10;
    AxisRanges::even(Windows { count, first, stride: 7, width: 7, points, block: 10 }).unwrap()
}

#[test]
fn a_new_cut_of_a_hundred_million_blocks_needs_everything() {
    let count = (SIDE * 10).div_ceil(7);
    let run = run(&graph([cut(0, count), cut(0, count)]));
    assert_eq!(run.tasks.layers[0].needed, TaskSet::Everything);
}

#[test]
fn a_few_columns_of_a_hundred_million_blocks_are_a_box_and_are_found_at_once() {
    let graph = graph([AxisRanges::same(SIDE), cut(99_900, 2)]);
    let run = run(&graph);
    let needed = &run.tasks.layers[0].needed;
    assert!(matches!(needed, TaskSet::Boxes(boxes) if boxes.sets().len() == 1), "{needed:?}");
    assert_eq!(needed.count(0..graph.layer(LayerId(0)).len()), 2 * u64::from(SIDE));
    let source = &graph.layer(LayerId(0)).shape;
    assert_eq!(run.tasks.next_source(source, LayerId(0), 0), Some(9_990));
    assert_eq!(run.tasks.next_source(source, LayerId(0), 9_992), Some(19_990));
}

#[test]
fn only_boxes_of_nothing_may_start_untouched() {
    let mut last = vec![0..1; SIDE as usize];
    last[SIDE as usize - 1] = 1..1;
    let graph = graph([AxisRanges::same(SIDE), last.into()]);
    let run = run(&graph);
    let reader = &graph.layer(LayerId(1)).shape;
    assert_eq!(reader.sources(), u64::from(SIDE));
    assert_eq!(run.tasks.next_source(reader, LayerId(1), 0), Some(9_999));
    assert_eq!(run.tasks.ready_hint(), u64::from(SIDE) + run.tasks.layers[0].needed.count(0..100_000_000));
}

/// Scattered tasks of a very large layer that one task after the other reads: as many as would take minutes one by one.
#[test]
fn scattered_inputs_of_listed_edges_are_taken_in_one_go() {
    const READ: u64 = 400_000;
    const STEP: u64 = 10_000;
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let input = graph.layer(Layer::new("source", op, Shape::source((READ * STEP) as u32))).unwrap();
    let mut edges = ExplicitBuilder::default();
    for at in 0..READ {
        edges.input(TaskId::new(input, at * STEP));
        edges.task();
    }
    let shape = Shape::Explicit(edges.finish().unwrap());
    let reader = graph.layer(Layer::new("reader", op, shape)).unwrap();
    let graph = Arc::new(graph.finish());
    let wanted = TaskRange { layer: reader, start: 1, end: READ };
    let needed = &Run::new(graph, &[wanted], true, None).tasks.layers[0].needed;
    assert_eq!(needed.count(0..READ * STEP), READ - 1);
    assert!(!needed.contains(0) && needed.contains(STEP) && !needed.contains(STEP + 1));
}

/// Memory follows what happens, and not the number of the task to which it does.
#[test]
fn the_last_task_of_a_layer_that_cant_be_listed_takes_one_page() {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let shape = Shape::Map { grid: Grid::new([1 << 22, 1 << 22]), inputs: vec![] };
    let layer = graph.layer(Layer::new("source", op, shape)).unwrap();
    let (run, worker, last) = (RunId(1), WorkerId(1), TaskId::new(layer, (1 << 44) - 1));
    let mut scheduler = Scheduler::new(1000);
    scheduler.handle_event(Time(0), Event::WorkerJoined { worker, offer: Offer::slots(1) });
    let (graph, wanted) = (Arc::new(graph.finish()), TaskRange::of([last]));
    scheduler.handle_event(Time(0), added(run, None, graph, wanted));
    let Some(Action::Assign { assignment, .. }) = scheduler.poll_action() else { panic!("it can run") };
    let outcomes = assignment.tasks.iter().map(|&range| (range, Outcome::Done { bytes: 8 })).collect();
    let report = Report { run, attempt: assignment.attempt, outcomes, nanoseconds: 1 };
    scheduler.handle_event(Time(0), Event::Reported { worker, report });
    assert_eq!(scheduler.poll_action(), Some(Action::Finished { run }));
    scheduler.handle_event(Time(0), Event::WorkerLost { worker, cause: LossCause::Died });
    assert_eq!(scheduler.task_state(run, last), Some(TaskState::Ready));
}
