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
                    let (&worker, memory) = world.memories.iter().nth(nth).unwrap();
                    let runs = world.assigned.iter().filter(|(of, _)| *of == worker).map(|(_, given)| given.tasks.clone());
                    away.push((memory.clone(), runs.collect::<Vec<_>>()));
                    world.lose(nth);
                }
                1 if !away.is_empty() => {
                    let (memory, runs) = away.swap_remove(at % away.len());
                    let worker = world.come_back(memory, (at % 2) as u32);
                    runs.into_iter().for_each(|tasks| world.handle(Event::RunsOn { worker, run: RUN, tasks }));
                    world.handle(Event::WorkerResized { worker, slots: 1, memory: u64::MAX });
                }
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

/// What a worker still runs that comes back is begun by nobody else, and that it has a slot less is known.
#[test]
fn what_runs_on_is_handed_out_where_it_runs() {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let cost = Cost { nanoseconds: 1000, ..Cost::default() };
    let first = graph.layer(Layer::new("first", op, Shape::source(4)).with_cost(cost)).unwrap();
    let grid = Grid::new([4]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(first, grid)] };
    let second = graph.layer(Layer::new("second", op, shape).with_cost(cost)).unwrap();
    let graph = graph.finish();
    let wanted: Vec<_> = (0..4).map(|at| TaskId::new(second, at)).collect();
    let mut world = World::with(settings());
    world.handle(added(RUN, None, Arc::new(graph.clone()), TaskRange::of(wanted.iter().copied())));
    // One has the first of the first layer and runs what reads it, the other runs the second of the first layer.
    let has: BTreeMap<_, _> = [(TaskId::new(first, 0), evaluate(&graph)[&TaskId::new(first, 0)])].into();
    let (reader, source) = (world.come_back(has, 0), world.come_back(BTreeMap::new(), 0));
    let runs_on = |worker, task| Event::RunsOn { worker, run: RUN, tasks: vec![TaskRange::one(task)] };
    world.handle(runs_on(reader, wanted[0]));
    world.handle(runs_on(source, TaskId::new(first, 1)));
    // What couldn't begin, is done already or is at somebody else's doesn't count.
    world.handle(runs_on(source, wanted[2]));
    world.handle(runs_on(source, TaskId::new(first, 0)));
    world.handle(runs_on(reader, TaskId::new(first, 1)));
    let given: Vec<_> = world.assigned.iter().map(|(worker, given)| (*worker, given.tasks.clone())).collect();
    let one = |task| vec![TaskRange::one(task)];
    assert_eq!(given, [(reader, one(wanted[0])), (source, one(TaskId::new(first, 1)))]);
    world.join(1);
    let ran = run_and_count(&mut world, &graph);
    assert!(world.finished && ran.values().all(|&count| count == 1) && ran.len() == 7, "{ran:?}");
    check_results(&world, &graph, &wanted);
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
