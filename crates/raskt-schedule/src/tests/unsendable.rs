//! Results that can't be sent from worker to worker: whoever reads one runs where it is.

use super::graphs::*;
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::sync::Arc;

/// So many sources, and for each a task that reads it and the one so far behind it.
fn graph(count: u32, second: Option<u64>) -> Graph {
    graph_of(count, second, Annotations::default())
}

fn graph_of(count: u32, second: Option<u64>, annotations: Annotations) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let sources = graph.layer(Layer::new("made", op, Shape::source(count))).unwrap();
    let mut readers = ExplicitBuilder::default();
    for index in 0..u64::from(count) {
        readers.input(TaskId::new(sources, index));
        second.into_iter().for_each(|by| readers.input(TaskId::new(sources, (index + by) % u64::from(count))));
        readers.task();
    }
    let readers = Layer::new("read", op, Shape::Explicit(readers.finish().unwrap()));
    graph.layer(Layer { annotations: Arc::new(annotations), ..readers }).unwrap();
    graph.finish()
}

/// So many sources, and a task that reads all of them.
fn reading_all(count: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let sources = graph.layer(Layer::new("made", op, Shape::source(count))).unwrap();
    let mut reader = ExplicitBuilder::default();
    (0..u64::from(count)).for_each(|index| reader.input(TaskId::new(sources, index)));
    reader.task();
    graph.layer(Layer::new("read", op, Shape::Explicit(reader.finish().unwrap()))).unwrap();
    graph.finish()
}

fn all(layer: u32, count: u32) -> TaskRange {
    TaskRange { layer: LayerId(layer), start: 0, end: u64::from(count) }
}

/// All sources are there, and can't be sent.
fn made(graph: &Graph, count: u32, slots: &[u32]) -> World {
    let mut world = World::new(300);
    slots.iter().for_each(|&slots| world.join(slots));
    world.handle(added(RUN, None, Arc::new(graph.clone()), vec![all(0, count)]));
    while !world.finished {
        world.run_one(graph, 0, || false);
    }
    world.unsendable = all(0, count).tasks().collect();
    world
}

proptest! {
    #[test]
    fn each_reader_of_one_runs_where_it_is(
        count in 1..40_u32,
        slots in prop::collection::vec(1..4_u32, 1..5),
        late in 0..3_u32,
        picks in prop::collection::vec(any::<usize>(), 400),
        keeps in any::<bool>(),
    ) {
        let graph = graph(count, None);
        let mut world = made(&graph, count, &slots);
        world.gives_back = keeps;
        // Those who come later hold nothing, and have nothing else to do.
        (0..late).for_each(|_| world.join(2));
        world.finished = false;
        world.handle(Event::Wanted { run: RUN, tasks: vec![all(1, count)] });
        let mut picks = picks.into_iter().cycle();
        for _ in 0..100 * count {
            if world.assigned.is_empty() {
                break;
            }
            world.run_one(&graph, picks.next().unwrap(), || false);
        }
        prop_assert!(world.finished, "failed: {:?}", world.failed);
        check_results(&world, &graph, &all(1, count).tasks().collect::<Vec<_>>());
    }

    /// Where two lie apart, nobody can run what reads both: that ends with a failure, and not never.
    #[test]
    fn of_two_that_lie_apart_the_reader_fails(count in 2..12_u32, by in 1..11_u64, picks in prop::collection::vec(any::<usize>(), 400)) {
        let graph = graph(count, Some(by % u64::from(count)));
        let mut world = made(&graph, count, &[1, 1]);
        world.finished = false;
        world.handle(Event::Wanted { run: RUN, tasks: vec![all(1, count)] });
        let mut picks = picks.into_iter().cycle();
        for _ in 0..200 * count {
            if world.assigned.is_empty() || world.failed.is_some() {
                break;
            }
            world.run_one(&graph, picks.next().unwrap(), || false);
        }
        prop_assert!(world.finished || world.failed.is_some());
        if world.finished {
            check_results(&world, &graph, &all(1, count).tasks().collect::<Vec<_>>());
        }
    }

    /// Whatever can't be sent, and whatever else comes between, nothing hangs, and what comes is right.
    #[test]
    fn whatever_can_not_be_sent_it_ends(
        graph in graphs(),
        steps in super::changes::steps(60),
        stays in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut world = World::new(300);
        let tasks = all_tasks(&graph);
        world.unsendable = stays.iter().map(|at| tasks[at.index(tasks.len())]).collect();
        let wanted = super::changes::play(&graph, &mut world, &steps, 8);
        if world.failed.is_none() {
            prop_assert!(world.finished);
            check_results(&world, &graph, &wanted);
        }
    }
}

#[test]
fn it_is_handed_to_the_holder_and_taken_from_there_by_nobody() {
    let graph = graph(6, None);
    let mut world = made(&graph, 6, &[1]);
    world.join(1);
    world.finished = false;
    world.handle(Event::Wanted { run: RUN, tasks: vec![all(1, 6)] });
    let other = WorkerId(1);
    while let Some(at) = world.assigned.iter().position(|(worker, _)| *worker == other) {
        world.run_one(&graph, at, || false);
    }
    assert!(!world.assigned.is_empty() && world.failed.is_none());
    world.run_to_the_end(&graph);
    assert!(world.finished);
    assert!(world.memories[&other].is_empty(), "it could read nothing");
}

/// The holder has what they require, and somebody else uses it for long: whoever was tried elsewhere waits for it.
#[test]
fn a_holder_that_is_busy_for_a_while_is_waited_for() {
    let resources: Resources = [("gpu".into(), 1000)].into();
    let graph = graph_of(4, None, Annotations { resources: resources.clone(), ..Annotations::default() });
    let mut world = World::new(300);
    let holder = world.join_with(Offer { resources: resources.clone(), ..Offer::slots(2) });
    world.handle(added(RUN, None, Arc::new(graph.clone()), vec![all(0, 4)]));
    while !world.finished {
        world.run_one(&graph, 0, || false);
    }
    world.unsendable = all(0, 4).tasks().collect();
    let other = world.join_with(Offer { resources, ..Offer::slots(1) });
    world.finished = false;
    world.handle(Event::Wanted { run: RUN, tasks: vec![all(1, 4)] });
    let of = |world: &World, worker| world.assigned.iter().position(|(at, _)| *at == worker);
    assert!(of(&world, holder).is_some());
    for _ in 0..100 {
        let Some(at) = of(&world, other) else { break };
        world.run_one(&graph, at, || false);
    }
    assert_eq!(world.failed, None);
    world.run_to_the_end(&graph);
    assert!(world.finished && world.failed.is_none());
    check_results(&world, &graph, &all(1, 4).tasks().collect::<Vec<_>>());
}

/// The holder takes nothing for a while, as while a plugin is set up: whoever was tried elsewhere waits for it.
#[test]
fn a_holder_without_slots_for_a_while_is_waited_for() {
    let graph = graph(4, None);
    let mut world = made(&graph, 4, &[2]);
    let holder = WorkerId(0);
    world.handle(Event::WorkerResized { worker: holder, slots: 0, memory: u64::MAX });
    world.join(1);
    world.finished = false;
    world.handle(Event::Wanted { run: RUN, tasks: vec![all(1, 4)] });
    for _ in 0..100 {
        let at = world.assigned.iter().position(|(worker, _)| *worker != holder).expect("somebody else tries");
        world.run_one(&graph, at, || false);
    }
    assert_eq!(world.failed, None);
    world.handle(Event::WorkerResized { worker: holder, slots: 2, memory: u64::MAX });
    world.run_to_the_end(&graph);
    assert!(world.finished && world.failed.is_none());
    check_results(&world, &graph, &all(1, 4).tasks().collect::<Vec<_>>());
}

/// Those who read are to run elsewhere, if that can be: it can't.
#[test]
fn a_holder_is_used_where_others_are_only_preferred() {
    for allow_other_workers in [true, false] {
        let workers = vec!["preferred".to_owned()];
        let graph = graph_of(4, None, Annotations { workers, allow_other_workers, ..Annotations::default() });
        let mut world = made(&graph, 4, &[2]);
        world.join_with(Offer { name: "preferred".into(), ..Offer::slots(1) });
        world.finished = false;
        world.handle(Event::Wanted { run: RUN, tasks: vec![all(1, 4)] });
        for _ in 0..400 {
            if world.assigned.is_empty() || world.failed.is_some() {
                break;
            }
            world.run_one(&graph, 0, || false);
        }
        assert_eq!((world.finished, world.failed.is_some()), (allow_other_workers, !allow_other_workers));
    }
}

/// Each time that it is told workers have died: twice is enough.
#[test]
fn of_two_that_end_their_holders_the_reader_fails_soon() {
    for (is_deadly, most) in [(true, 2), (false, 16)] {
        let graph = graph(2, Some(1));
        let mut world = made(&graph, 2, &[1, 1]);
        world.is_deadly = is_deadly;
        world.finished = false;
        world.handle(Event::Wanted { run: RUN, tasks: vec![TaskRange { end: 1, ..all(1, 2) }] });
        while world.failed.is_none() {
            world.run_one(&graph, 0, || false);
        }
        assert_eq!(world.refused, most);
    }
}

proptest! {
    /// What can't be sent is made again elsewhere where its holder goes, and whoever reads it goes there, however often.
    #[test]
    fn a_reader_goes_on_where_holders_go(picks in prop::collection::vec((any::<usize>(), 0..3_u8), 1..60)) {
        let graph = reading_all(8);
        let mut world = made(&graph, 8, &[1, 1, 1]);
        world.unsendable = [TaskId::new(LayerId(0), 0)].into();
        world.is_deadly = true;
        world.finished = false;
        world.handle(Event::Wanted { run: RUN, tasks: vec![all(1, 1)] });
        let losses = picks.iter().filter(|(_, is_loss)| *is_loss == 0).count();
        let all_picks = picks.into_iter().chain((0..100).map(|_| (0, 1)));
        for (pick, is_loss) in all_picks {
            if world.finished {
                break;
            }
            if is_loss == 0 {
                world.join(1);
                world.lose_by(pick, LossCause::Retired);
            } else if !world.assigned.is_empty() {
                world.run_one(&graph, pick, || false);
            }
            prop_assert!(world.failed.is_none(), "after {losses} losses at the most");
        }
        prop_assert!(world.finished);
    }
}

/// What was near deaths runs alone: on the worker that holds what it reads, though others have less to do.
#[test]
fn a_suspect_runs_where_what_it_reads_is() {
    let graph = graph(2, None);
    let mut world = made(&graph, 2, &[1]);
    let holder = WorkerId(0);
    world.finished = false;
    world.handle(Event::Wanted { run: RUN, tasks: vec![all(1, 2)] });
    let elsewhere = |world: &World| world.assigned.iter().position(|(worker, _)| *worker != holder);
    let mut deaths = 0;
    while deaths < 3 {
        world.join(1);
        // It has nothing to do, and is given the task that the holder hasn't begun.
        let at = elsewhere(&world).expect("somebody else tries");
        let victim = world.assigned[at].0;
        let place = world.memories.keys().position(|worker| *worker == victim).unwrap();
        world.lose(place);
        deaths += 1;
    }
    world.join(1);
    for _ in 0..60 {
        let Some(at) = elsewhere(&world) else { break };
        world.run_one(&graph, at, || false);
    }
    assert_eq!(world.failed, None);
    world.run_to_the_end(&graph);
    assert!(world.finished && world.failed.is_none());
    check_results(&world, &graph, &all(1, 2).tasks().collect::<Vec<_>>());
}
