//! The machine against a plain topological evaluator, over random graphs, workers that come and go, tasks that fail,
//! and reports in any order.

use super::graphs::*;
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::collections::BTreeMap;
use std::sync::Arc;

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
        world.handle(added(RUN, None, Arc::new(graph.clone()), TaskRange::of(wanted.clone())));
        for at in choices.iter().cycle() {
            if world.assigned.is_empty() {
                break;
            }
            world.run_one(&graph, *at, || false);
        }
        prop_assert!(world.finished);
        check_results(&world, &graph, &wanted);
        prop_assert_eq!(world.held(), wanted.len(), "only wanted results are left");
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
        world.handle(added(RUN, None, Arc::new(graph.clone()), TaskRange::of(wanted.clone())));
        for (kind, at) in steps {
            match kind {
                0 => world.join(1 + at as u32 % 3),
                1 if world.memories.len() > 1 => world.lose(at),
                _ if !world.assigned.is_empty() => world.run_one(&graph, at, || false),
                _ => {}
            }
        }
        world.run_to_the_end(&graph);
        prop_assert!(world.finished);
        check_results(&world, &graph, &wanted);
    }

    #[test]
    fn the_same_events_give_the_same_actions(graph in graphs(), choices in prop::collection::vec(any::<usize>(), 1..16)) {
        let trace = || {
            let mut world = World::new(1000);
            world.join(3);
            world.join(2);
            let wanted = TaskRange::of(all_tasks(&graph));
            world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
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

pub fn chain_with_retries(retries: u32) -> Graph {
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
        let wanted = vec![TaskRange::one(TaskId::new(LayerId(1), 0))];
        world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
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
fn a_worker_that_always_refuses_is_not_stolen_for_ever() {
    let graph = chain_with_retries(1);
    let mut world = World::new(1000);
    world.join(1);
    let wanted = vec![TaskRange::one(TaskId::new(LayerId(1), 0))];
    world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
    world.run_one(&graph, 0, || false);
    let mut refusals = 0;
    while let Some((worker, Assignment { attempt, tasks, .. })) = world.assigned.pop() {
        refusals += 1;
        let outcomes = vec![(tasks[0], Outcome::NotRun)];
        world.handle(Event::Reported { worker, report: Report { run: RUN, attempt, outcomes, nanoseconds: 0 } });
    }
    assert_eq!((refusals, world.failed), (32, Some(TaskId::new(LayerId(1), 0))));
}

#[test]
fn a_report_of_an_old_attempt_changes_nothing() {
    let graph = chain_with_retries(1);
    let mut world = World::new(1000);
    world.join(1);
    let wanted = vec![TaskRange::one(TaskId::new(LayerId(0), 0))];
    world.handle(added(RUN, None, Arc::new(graph), wanted));
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
    world.handle(added(RUN, None, Arc::new(Graph::default()), vec![]));
    assert!(world.finished);
}
