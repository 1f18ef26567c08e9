//! Schedulers that begin anew, and workers that come back to them, or to one that had given them up.

use super::graphs::*;
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn settings() -> Settings {
    let rebalance = Rebalance { prefill_nanoseconds: 500, ..Rebalance::default() };
    Settings { credit_nanoseconds: 300, rebalance, ..Settings::default() }
}

fn wanted(graph: &Graph, keys: &[usize]) -> Vec<TaskId> {
    let all: Vec<_> =
        graph.layers().flat_map(|(layer, found)| (0..found.len()).map(move |at| TaskId::new(layer, at))).collect();
    let picked = keys.iter().filter(|_| !all.is_empty()).map(|&key| all[key % all.len()]);
    picked.collect::<BTreeSet<_>>().into_iter().collect()
}

/// What has run since.
fn run_and_count(world: &mut World, graph: &Graph) -> BTreeMap<TaskId, u32> {
    let mut counts = BTreeMap::new();
    for _ in 0..20 * graph.tasks() + 100 {
        let Some((_, assignment)) = world.assigned.last() else { return counts };
        for task in assignment.tasks.iter().copied().flat_map(TaskRange::tasks) {
            *counts.entry(task).or_default() += 1;
        }
        world.run_one(graph, world.assigned.len() - 1, || false);
    }
    panic!("work goes on and on");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, ..ProptestConfig::default() })]

    /// Whatever had been done: after it nothing that was kept is run again, and all that is wanted comes out.
    #[test]
    fn nothing_that_was_kept_is_made_again(
        graph in graphs(),
        keys in prop::collection::vec(any::<usize>(), 1..12),
        runs in 0..60_usize,
        lost in 0..4_usize,
        slots in 1..4_u32,
    ) {
        let wanted = wanted(&graph, &keys);
        let mut world = World::with(settings());
        let shared = Arc::new(graph.clone());
        world.handle(added(RUN, None, shared.clone(), TaskRange::of(wanted.iter().copied())));
        (0..3).for_each(|_| world.join(slots));
        for at in 0..runs {
            if world.assigned.is_empty() {
                break;
            }
            world.run_one(&graph, at * 7, || false);
        }
        let mut memories = world.restart(settings());
        if lost < memories.len() {
            memories.remove(lost);
        }
        world.handle(added(RUN, None, shared, TaskRange::of(wanted.iter().copied())));
        let back: Vec<_> = memories.into_iter().map(|memory| world.come_back(memory, 0)).collect();
        prop_assert!(world.assigned.is_empty(), "nobody has a slot yet");
        let kept: BTreeSet<TaskId> = world.memories.values().flat_map(BTreeMap::keys).copied().collect();
        for worker in back {
            world.handle(Event::WorkerResized { worker, slots, memory: u64::MAX });
        }
        let ran = run_and_count(&mut world, &graph);
        prop_assert!(world.finished || wanted.is_empty());
        check_results(&world, &graph, &wanted);
        prop_assert_eq!(world.held(), wanted.len());
        prop_assert!(ran.keys().all(|task| !kept.contains(task)), "{:?} ran, and {:?} was kept", ran, kept);
        prop_assert!(ran.values().all(|&count| count == 1), "{:?}", ran);
    }

    /// One that was given up comes back in the middle: what it has is taken where it is missing, and dropped elsewhere.
    #[test]
    fn who_was_given_up_comes_back(
        graph in graphs(),
        keys in prop::collection::vec(any::<usize>(), 1..12),
        steps in prop::collection::vec((0..6_u8, any::<usize>()), 0..60),
        gives_back in any::<bool>(),
    ) {
        let wanted = wanted(&graph, &keys);
        let mut world = World::with(settings());
        world.gives_back = gives_back;
        world.handle(added(RUN, None, Arc::new(graph.clone()), TaskRange::of(wanted.iter().copied())));
        (0..2).for_each(|_| world.join(2));
        let mut away = vec![];
        for (step, at) in steps {
            match step {
                0 if world.memories.len() > 1 => {
                    let nth = at % world.memories.len();
                    away.extend(world.memories.values().nth(nth).cloned());
                    world.lose(nth);
                }
                1 if !away.is_empty() => _ = world.come_back(away.swap_remove(at % away.len()), 1),
                _ if world.assigned.is_empty() => {}
                _ => world.run_one(&graph, at, || false),
            }
        }
        world.run_to_the_end(&graph);
        prop_assert!(world.finished || world.failed.is_some() || wanted.is_empty());
        if world.failed.is_none() {
            check_results(&world, &graph, &wanted);
            prop_assert_eq!(world.held(), wanted.len());
        }
    }
}

/// Of a run that nobody knows nothing is kept; and what can't be is refused.
#[test]
fn what_is_kept_is_checked() {
    let mut scheduler = Scheduler::new(1);
    let worker = WorkerId(3);
    scheduler.handle_event(Time(0), Event::WorkerJoined { worker, offer: Offer::slots(0) });
    let range = TaskRange { layer: LayerId(0), start: 0, end: 5 };
    let kept = |tasks| Event::Kept { worker, run: RUN, tasks };
    scheduler.try_event(Time(0), kept(vec![(range, 40)])).unwrap();
    assert_eq!(scheduler.poll_action(), Some(Action::Forget { worker, run: RUN }));
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    graph.layer(Layer::new("few", op, Shape::source(4))).unwrap();
    scheduler.handle_event(Time(0), added(RUN, None, Arc::new(graph.finish()), vec![]));
    assert!(scheduler.try_event(Time(0), kept(vec![(range, 40)])).is_err(), "it has four tasks");
    let range = TaskRange { end: 2, ..range };
    assert!(scheduler.try_event(Time(0), kept(vec![(range, u64::MAX)])).is_err(), "of so many bytes");
    scheduler.try_event(Time(0), kept(vec![(range, 16)])).unwrap();
    let dropped = Action::Discard { worker, run: RUN, tasks: vec![range], inventory_version: 2 };
    let actions: Vec<_> = std::iter::from_fn(|| scheduler.poll_action()).collect();
    assert!(actions.contains(&dropped), "nobody wants them: {actions:?}");
    scheduler.validate();
}
