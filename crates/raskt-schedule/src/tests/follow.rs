//! Assignments whose tasks read one another.

use super::graphs::*;
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const MICROSECOND: u64 = 1000;
/// What tests hand out at a time; a tenth of it is no wait.
const CREDIT: u64 = 200 * MICROSECOND;

/// Tasks of one layer, each of which reads the earlier ones that `inputs` names, and takes so long.
fn graph(nanoseconds: u64, inputs: &[&[u64]]) -> Graph {
    layered([(nanoseconds, Annotations::default())], inputs, |_| 0)
}

/// The same in several layers, where `layer_of` says which; a task reads others by their number in `inputs`.
fn layered<const N: usize>(
    layers: [(u64, Annotations); N],
    inputs: &[&[u64]],
    layer_of: impl Fn(u64) -> usize,
) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let mut places = BTreeMap::new();
    for (at, (nanoseconds, annotations)) in layers.into_iter().enumerate() {
        let mut builder = ExplicitBuilder::default();
        for (task, inputs) in (0..).zip(inputs).filter(|(task, _)| layer_of(*task) == at) {
            for input in *inputs {
                let place: TaskId = places[input];
                if place.layer.0 as usize == at { builder.own_input(place.index) } else { builder.input(place) }
            }
            let index = places.values().filter(|place: &&TaskId| place.layer.0 as usize == at).count() as u64;
            places.insert(task, TaskId::new(LayerId(at as u32), index));
            builder.task();
        }
        let cost = Cost { nanoseconds, output_bytes: 8, scratch_bytes: 0 };
        let layer = Layer::new(format!("l{at}"), op, Shape::Explicit(builder.finish().unwrap())).with_cost(cost);
        graph.layer(Layer { annotations: Arc::new(annotations), ..layer }).unwrap();
    }
    graph.finish()
}

fn chain(tasks: u64) -> Vec<Vec<u64>> {
    (0..tasks).map(|task| task.checked_sub(1).into_iter().collect()).collect()
}

fn slices(inputs: &[Vec<u64>]) -> Vec<&[u64]> {
    inputs.iter().map(Vec::as_slice).collect()
}

/// Submits the graph to workers with so many slots each; what nobody reads is wanted.
fn world(graph: &Graph, slots: &[u32]) -> World {
    let mut world = World::new(CREDIT);
    slots.iter().for_each(|&slots| world.join(slots));
    submit(&mut world, graph);
    world
}

fn submit(world: &mut World, graph: &Graph) {
    let mut wanted = all_tasks(graph);
    wanted.retain(|&task| {
        let mut is_read = false;
        graph.for_each_dependent(task, |_| is_read = true);
        !is_read
    });
    world.handle(added(RUN, None, Arc::new(graph.clone()), TaskRange::of(wanted)));
}

/// The tasks of each assignment that is out, by index.
fn assigned(world: &World) -> Vec<Vec<u64>> {
    let tasks = |assignment: &Assignment| {
        assignment.tasks.iter().flat_map(|range| range.tasks()).map(|task| task.index).collect()
    };
    world.assigned.iter().map(|(_, assignment)| tasks(assignment)).collect()
}

fn state(world: &World, index: u64) -> Option<TaskState> {
    world.scheduler.task_state(RUN, TaskId::new(LayerId(0), index))
}

/// Reports the one assignment that is out: one outcome for each of its tasks.
fn report(world: &mut World, outcomes: &[Outcome]) {
    let (worker, assignment) = world.assigned.remove(0);
    let tasks: Vec<_> = assignment.tasks.iter().flat_map(|range| range.tasks()).collect();
    assert_eq!(tasks.len(), outcomes.len());
    for (&task, outcome) in tasks.iter().zip(outcomes) {
        if matches!(outcome, Outcome::Done { .. }) {
            world.memories.get_mut(&worker).unwrap().insert(task, 0);
        }
    }
    let outcomes = tasks.into_iter().map(TaskRange::one).zip(outcomes.iter().copied()).collect();
    let report = Report { run: RUN, attempt: assignment.attempt, outcomes, nanoseconds: 100 };
    world.handle(Event::Reported { worker, report });
}

const DONE: Outcome = Outcome::Done { bytes: 8 };
const SPENT: Outcome = Outcome::Consumed { bytes: 8 };

#[test]
fn a_chain_goes_out_as_far_as_the_credit_reaches() {
    let inputs = chain(500);
    let graph = graph(MICROSECOND, &slices(&inputs));
    let mut world = world(&graph, &[2]);
    assert_eq!(assigned(&world), [(0..200).collect::<Vec<_>>()]);
    assert_eq!(state(&world, 199), Some(TaskState::Running { worker: WorkerId(0) }));
    assert_eq!(state(&world, 200), Some(TaskState::Waiting { unfinished: 1 }));
    assert_eq!(world.assigned[0].1.transient, [TaskRange { layer: LayerId(0), start: 0, end: 199 }]);
    world.run_one(&graph, 0, || false);
    assert_eq!((state(&world, 198), world.held()), (Some(TaskState::Released), 1));
    world.run_to_the_end(&graph);
    assert!(world.finished);
}

#[test]
fn small_graphs_go_out_at_once_and_slow_ones_to_all_slots() {
    let diamond: &[&[u64]] = &[&[], &[0], &[0], &[1, 2]];
    let tree: &[&[u64]] = &[&[], &[], &[], &[], &[0, 1], &[2, 3], &[4, 5]];
    let fan: &[&[u64]] = &[&[], &[0], &[0], &[0], &[0]];
    let microseconds = |count| count * MICROSECOND;
    let first = |nanoseconds, inputs: &[&[u64]], slots| assigned(&world(&graph(nanoseconds, inputs), &[slots]));
    assert_eq!(first(microseconds(1), diamond, 2), [[0, 1, 2, 3]]);
    assert_eq!(first(microseconds(1), tree, 2), [[0, 1, 4, 2, 3, 5, 6]]);
    assert_eq!(first(microseconds(1), fan, 4), [[0, 1, 2, 3, 4]]);
    // Waiting for fifty microseconds of others' work is worth a thread; one that is alone has nobody to share with.
    assert_eq!(first(microseconds(50), diamond, 2), [[0]]);
    assert_eq!(first(microseconds(50), tree, 2), [[0], [1]]);
    assert_eq!(first(microseconds(50), tree, 1), [vec![0, 1, 4, 2]]);
    assert_eq!(first(microseconds(50), fan, 4), [[0]]);
    assert_eq!(first(microseconds(500), &[&[], &[0]], 1), [[0]]);
    let mut fanned = world(&graph(microseconds(50), fan), &[4]);
    fanned.nanoseconds = microseconds(50);
    fanned.run_one(&graph(microseconds(50), fan), 0, || false);
    assert_eq!(assigned(&fanned).len(), 4, "each of the slow ones has a slot of its own");
}

#[test]
fn where_ready_tasks_suffice_and_all_is_wanted_nothing_follows() {
    // A thousand pairs: one reads the other.
    let inputs: Vec<Vec<u64>> = (0..2000).map(|task| (task % 2 == 1).then(|| task - 1).into_iter().collect()).collect();
    let graph = graph(MICROSECOND, &slices(&inputs));
    let ends = world(&graph, &[2]);
    assert_eq!(assigned(&ends)[0][..4], [0, 1, 2, 3], "what only they read is let go on the way");
    let mut world = World::new(CREDIT);
    let wanted = TaskRange::of(all_tasks(&graph));
    world.handle(added(RUN, None, Arc::new(graph), wanted));
    world.join(2);
    assert_eq!(assigned(&world)[0][..4], [0, 2, 4, 6]);
}

#[test]
fn a_chain_that_is_wanted_altogether_goes_out_at_once() {
    let inputs = chain(50);
    let graph = graph(MICROSECOND, &slices(&inputs));
    for slots in [1, 2] {
        let mut world = World::new(CREDIT);
        world.join(slots);
        let wanted = TaskRange::of(all_tasks(&graph));
        world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
        assert_eq!((world.assigned[0].1.len(), world.assigned[0].1.transient.len()), (50, 0));
    }
}

#[test]
fn what_is_not_known_to_be_quick_goes_out_alone() {
    let inputs = chain(3);
    let graph = graph(0, &slices(&inputs));
    let mut world = world(&graph, &[1]);
    assert_eq!(assigned(&world), [[0]]);
    world.run_one(&graph, 0, || false);
    assert_eq!(assigned(&world), [[1, 2]], "a task of its layer was seen");
}

#[test]
fn what_is_left_behind_is_not_overtaken_by_other_layers() {
    // A chain through layers, and a source that is read with its end. How long tasks of the first and the third layer take
    // isn't known before one has run.
    let inputs: &[&[u64]] = &[&[], &[], &[0], &[2], &[1, 3]];
    let known = (MICROSECOND, Annotations::default());
    let unknown = (0, Annotations::default());
    let layers = [unknown.clone(), known.clone(), unknown, known];
    let graph = layered(layers, inputs, |task| [0, 0, 1, 2, 3][task as usize]);
    let mut world = world(&graph, &[1]);
    let mut begun = vec![];
    while let Some((_, assignment)) = world.assigned.first() {
        begun.extend(assignment.tasks.iter().flat_map(|range| range.tasks()));
        world.run_one(&graph, 0, || false);
    }
    let source = TaskId::new(LayerId(0), 1);
    assert_eq!(begun.iter().position(|&task| task == source), Some(3), "{begun:?}");
}

#[test]
fn only_tasks_of_one_kind_go_together() {
    let inputs: &[&[u64]] = &[&[], &[0], &[1]];
    let gpu = Annotations { resources: [("gpu".into(), 1000)].into(), ..Annotations::default() };
    let urgent = Annotations { priority: 1, ..Annotations::default() };
    for (annotations, expected) in [(Annotations::default(), 3), (gpu, 2), (urgent, 2)] {
        let layers = [(MICROSECOND, Annotations::default()), (MICROSECOND, annotations)];
        let graph = layered(layers, inputs, |task| usize::from(task == 2));
        let mut world = World::new(CREDIT);
        world.join_with(Offer { resources: [("gpu".into(), 1000)].into(), ..Offer::slots(1) });
        submit(&mut world, &graph);
        assert_eq!(world.assigned[0].1.len(), expected);
        world.run_to_the_end(&graph);
        assert!(world.finished);
    }
}

#[test]
fn a_task_whose_other_input_is_elsewhere_waits_for_its_place() {
    // Tasks 0 and 1 are made by two workers; task 3 reads what came of each.
    let inputs: &[&[u64]] = &[&[], &[], &[1], &[0, 2]];
    let graph = graph(50 * MICROSECOND, inputs);
    let mut world = world(&graph, &[1, 1]);
    assert_eq!(assigned(&world), [vec![0], vec![1, 2]]);
    world.run_one(&graph, 0, || false);
    world.run_one(&graph, 0, || false);
    assert_eq!(assigned(&world), [[3]]);
    assert_eq!(world.assigned[0].1.fetches.len(), 1);
}

#[test]
fn blocks_that_are_held_together_are_bounded() {
    let inputs = chain(40);
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let mut edges = ExplicitBuilder::default();
    for inputs in &inputs {
        inputs.iter().for_each(|&input| edges.own_input(input));
        edges.task();
    }
    let cost = Cost { nanoseconds: MICROSECOND, output_bytes: 8 << 20, scratch_bytes: 0 };
    let layer = Layer::new("blocks", op, Shape::Explicit(edges.finish().unwrap())).with_cost(cost);
    builder.layer(layer).unwrap();
    let world = world(&builder.finish(), &[1]);
    // What each makes and what it reads, together no more than 64 MiB.
    assert_eq!(world.assigned[0].1.len(), 4);
}

#[test]
fn after_a_failure_the_rest_waits_and_is_run_when_it_can() {
    let inputs = chain(4);
    let retries = Annotations { retries: 1, ..Annotations::default() };
    let graph = layered([(MICROSECOND, retries)], &slices(&inputs), |_| 0);
    let mut world = world(&graph, &[1]);
    report(&mut world, &[SPENT, DONE, Outcome::Failed, Outcome::NotRun]);
    assert_eq!(assigned(&world), [[2, 3]], "what is in memory isn't run again");
    assert_eq!(state(&world, 0), Some(TaskState::Released));
    report(&mut world, &[SPENT, DONE]);
    assert!(world.finished);
}

#[test]
fn a_follower_whose_input_failed_for_good_is_not_the_one_to_blame() {
    let inputs = chain(2);
    let graph = graph(MICROSECOND, &slices(&inputs));
    let mut world = world(&graph, &[1]);
    report(&mut world, &[Outcome::Failed, Outcome::NotRun]);
    assert_eq!(world.failed, Some(TaskId::new(LayerId(0), 0)));
}

#[test]
fn what_went_with_its_readers_is_made_again_if_it_is_wanted_since() {
    let inputs = chain(3);
    let graph = graph(MICROSECOND, &slices(&inputs));
    let mut world = world(&graph, &[1]);
    let middle = TaskId::new(LayerId(0), 1);
    world.handle(Event::Wanted { run: RUN, tasks: vec![TaskRange::one(middle)] });
    report(&mut world, &[SPENT, SPENT, DONE]);
    assert!(!world.finished);
    assert_eq!(assigned(&world), [[0, 1]], "with what it is made of");
    report(&mut world, &[SPENT, DONE]);
    assert!(world.finished);
}

#[test]
fn what_others_read_or_clients_want_is_kept() {
    let graph = graph(MICROSECOND, &[&[], &[0], &[0, 1], &[1]]);
    let wanted = [1, 2, 3].map(|index| TaskId::new(LayerId(0), index));
    let mut world = World::new(3 * MICROSECOND);
    world.join(1);
    world.handle(added(RUN, None, Arc::new(graph), TaskRange::of(wanted)));
    assert_eq!(assigned(&world), [[0, 1, 2]]);
    assert_eq!(world.assigned[0].1.transient, [TaskRange::one(TaskId::new(LayerId(0), 0))]);
}

#[test]
fn a_cancelled_end_takes_only_itself_back() {
    let graph = graph(MICROSECOND, &[&[], &[0], &[1], &[1]]);
    let mut world = world(&graph, &[1]);
    assert_eq!(assigned(&world), [[0, 1, 2, 3]]);
    world.handle(Event::Released { run: RUN, tasks: vec![TaskRange::one(TaskId::new(LayerId(0), 2))] });
    assert_eq!(assigned(&world), [[0, 1, 3]]);
    world.run_to_the_end(&graph);
    assert!(world.finished);
    assert_eq!(world.held(), 1);
}

#[test]
fn suspects_run_one_by_one_after_what_they_read() {
    let inputs = chain(3);
    let graph = graph(MICROSECOND, &slices(&inputs));
    let mut world = world(&graph, &[1]);
    for _ in 0..2 {
        let (worker, assignment) = world.assigned[0].clone();
        world.handle(Event::Started { worker, run: RUN, attempt: assignment.attempt });
        world.lose(0);
        world.join(1);
    }
    for task in 0..3 {
        assert_eq!(assigned(&world), [[task]]);
        world.run_one(&graph, 0, || false);
    }
    assert!(world.finished);
}

#[test]
fn what_is_asked_back_comes_with_what_follows_from_it() {
    // Three chains of two; the first worker has all of them until another comes.
    let graph = graph(100 * MICROSECOND, &[&[], &[0], &[], &[2], &[], &[4]]);
    let mut world = World::ahead(CREDIT, 600 * MICROSECOND);
    world.join(1);
    submit(&mut world, &graph);
    assert_eq!(assigned(&world), [[0, 1], [2, 3], [4, 5]]);
    world.join(1);
    let other = world.assigned.iter().find(|(worker, _)| *worker == WorkerId(1)).expect("it has work");
    assert_eq!(other.1.len(), 2);
    world.run_to_the_end(&graph);
    assert!(world.finished);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each task of an assignment reads what its worker has or can fetch, or what stands before it.
    #[test]
    fn what_a_task_reads_comes_before_it(
        graph in graphs(),
        slots in prop::collection::vec(1..4_u32, 1..4),
        choices in prop::collection::vec((any::<usize>(), any::<bool>()), 1..32),
    ) {
        let mut world = World::new(3 * MICROSECOND);
        slots.iter().for_each(|&slots| world.join(slots));
        submit(&mut world, &graph);
        let mut followers = 0;
        for &(at, spends) in choices.iter().cycle() {
            for (worker, assignment) in &world.assigned {
                let mut before = vec![];
                for task in assignment.tasks.iter().flat_map(|range| range.tasks()) {
                    graph.for_each_input(task, |input| {
                        let is_fetched = assignment.fetches.iter().any(|fetch| fetch.tasks.contains(input));
                        let is_there = is_fetched || world.memories[worker].contains_key(&input);
                        followers += usize::from(!is_there);
                        assert!(is_there || before.contains(&input), "{task} can't read {input}");
                    });
                    before.push(task);
                }
            }
            if world.assigned.is_empty() {
                break;
            }
            world.spends = spends;
            world.run_one(&graph, at, || false);
        }
        prop_assert!(world.finished);
    }
}
