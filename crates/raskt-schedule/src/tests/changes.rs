//! Clients that want and release while results are lost, workers die and tasks are taken back too late.

use super::graphs::*;
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub enum Step {
    Want(usize),
    Release(usize),
    Lose(usize),
    Move(usize),
    Die(usize),
    Join(usize),
    Run(usize),
    Fail(usize),
}

pub fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (0..20_u8, any::<usize>()).prop_map(|(kind, at)| match kind {
        0..=3 => Step::Want(at),
        4..=7 => Step::Release(at),
        8 => Step::Lose(at),
        9 => Step::Die(at),
        10 => Step::Join(at),
        11 => Step::Fail(at),
        12 | 13 => Step::Move(at),
        _ => Step::Run(at),
    });
    prop::collection::vec(step, 0..count)
}

/// Does `steps`, then lets everything end. Wants of the last `keys` tasks change, now and then with all of their
/// layers; returns what is wanted at the end.
pub fn play(graph: &Graph, world: &mut World, steps: &[Step], keys: usize) -> Vec<TaskId> {
    let all: Vec<_> = all_tasks(graph).into_iter().rev().take(keys).collect();
    let mut wanted = BTreeSet::new();
    let some = |at: usize| {
        let one = all[at % all.len()];
        let whole = TaskRange { layer: one.layer, start: 0, end: graph.layer(one.layer).len() };
        if at.is_multiple_of(7) { whole } else { TaskRange::one(one) }
    };
    world.join(2);
    world.join(1);
    world.handle(added(RUN, None, Arc::new(graph.clone()), vec![]));
    for &step in steps {
        match step {
            Step::Want(at) => {
                wanted.extend(some(at).tasks());
                world.finished = false;
                world.handle(Event::Wanted { run: RUN, tasks: vec![some(at)] });
            }
            Step::Release(at) => {
                wanted.retain(|&task| !some(at).contains(task));
                world.gives_back = at % 2 == 0;
                world.handle(Event::Released { run: RUN, tasks: vec![some(at)] });
            }
            Step::Lose(at) => world.lose_result(at),
            Step::Move(at) => world.move_result(at),
            Step::Die(at) if world.memories.len() > 1 => world.lose(at),
            Step::Join(at) => world.join(1 + at as u32 % 3),
            Step::Run(at) if !world.assigned.is_empty() => world.run_one(graph, at, || false),
            Step::Fail(at) if !world.assigned.is_empty() => world.run_one(graph, at, || at % 5 == 0),
            _ => {}
        }
        if world.failed.is_some() {
            return vec![];
        }
    }
    world.run_to_the_end(graph);
    wanted.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn what_is_wanted_in_the_end_is_there_and_nothing_else(
        graph in graphs(),
        steps in steps(80),
        keys in 1..20_usize,
        prefill in prop_oneof![Just(0), Just(500), Just(5000)],
    ) {
        let mut world = World::ahead(300, prefill);
        let wanted = play(&graph, &mut world, &steps, keys);
        if world.failed.is_none() {
            prop_assert!(world.finished);
            check_results(&world, &graph, &wanted);
            prop_assert_eq!(world.held(), wanted.len());
        }
    }
}

/// Ten keys, ten thousand wants and releases of them in any order, and whatever comes between.
#[test]
fn ten_keys_are_cancelled_and_submitted_again_ten_thousand_times() {
    let config = ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(graph in graphs(), steps in prop::collection::vec((0..10_u8, any::<usize>()), 1000))| {
        let steps: Vec<_> = steps.into_iter().map(|(kind, at)| match kind {
            0..=2 => Step::Want(at),
            3..=5 => Step::Release(at),
            6 => Step::Lose(at),
            _ => Step::Run(at),
        }).collect();
        let mut world = World::new(300);
        let wanted = play(&graph, &mut world, &steps, 10);
        prop_assert!(world.finished);
        check_results(&world, &graph, &wanted);
        prop_assert_eq!(world.held(), wanted.len());
    });
}

#[test]
fn a_released_task_that_runs_already_is_not_kept() {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let layer = builder.layer(Layer::new("one", op, Shape::source(1))).unwrap();
    let (graph, task) = (builder.finish(), TaskId::new(layer, 0));
    let mut world = World::new(1000);
    world.join(1);
    world.gives_back = false;
    world.handle(added(RUN, None, Arc::new(graph.clone()), TaskRange::of([task])));
    world.handle(Event::Released { run: RUN, tasks: TaskRange::of([task]) });
    assert_eq!(world.scheduler.task_state(RUN, task), None);
    world.run_one(&graph, 0, || false);
    assert_eq!(world.held(), 0, "the late result is discarded");
}

#[test]
fn a_discard_says_what_the_scheduler_had_heard_of_the_worker() {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let layer = graph.layer(Layer::new("tasks", op, Shape::source(3))).unwrap();
    let (graph, all) = (graph.finish(), TaskRange { layer, start: 0, end: 3 });
    let mut world = World::new(1);
    world.join(1);
    world.handle(added(RUN, None, Arc::new(graph.clone()), vec![all]));
    world.run_one(&graph, 0, || false);
    world.run_one(&graph, 0, || false);
    world.handle(Event::Released { run: RUN, tasks: vec![TaskRange { end: 1, ..all }] });
    let inventory_version = world.trace.iter().find_map(|action| match action {
        Action::Discard { inventory_version, .. } => Some(*inventory_version),
        _ => None,
    });
    assert_eq!(inventory_version, Some(2), "both results had been reported");
}
