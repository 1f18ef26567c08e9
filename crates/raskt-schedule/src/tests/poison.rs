//! Tasks that kill their workers, and tasks that were only near.

use super::graphs::*;
use super::lent::{Cluster, gpu, layers, nothing};
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Independent tasks of a microsecond.
fn sources(tasks: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let cost = Cost { nanoseconds: 1000, ..Cost::default() };
    graph.layer(Layer::new("tasks", op, Shape::source(tasks)).with_cost(cost)).unwrap();
    graph.finish()
}

fn submit(world: &mut World, graph: &Graph) {
    let wanted = TaskRange::of(all_tasks(graph));
    world.handle(added(RUN, None, Arc::new(graph.clone()), wanted));
}

/// Runs everything; a worker dies when it begins one of `poison`, with all that it has. Every worker that dies is replaced.
fn run(world: &mut World, graph: &Graph, poison: &BTreeSet<u64>, tells_starts: bool) -> u32 {
    let mut deaths = 0;
    while let Some((worker, assignment)) = world.assigned.first().cloned() {
        if tells_starts {
            world.handle(Event::Started { worker, run: RUN, attempt: assignment.attempt });
        }
        let kills = assignment.tasks.iter().flat_map(|range| range.tasks()).any(|task| poison.contains(&task.index));
        if kills {
            deaths += 1;
            assert!(deaths < 200, "workers die and die");
            let at = world.memories.keys().position(|&other| other == worker).expect("it is there");
            world.lose(at);
            world.join(2);
        } else {
            world.run_one(graph, 0, || false);
        }
        if world.failed.is_some() {
            break;
        }
    }
    deaths
}

#[test]
fn a_poison_task_fails_with_its_story_and_alone() {
    for tells_starts in [true, false] {
        let graph = sources(20);
        let mut world = World::ahead(4000, 8000);
        world.join(2);
        world.join(2);
        submit(&mut world, &graph);
        run(&mut world, &graph, &BTreeSet::from([7]), tells_starts);
        assert_eq!(world.failed, Some(TaskId::new(LayerId(0), 7)));
        let alone: Vec<_> = world.story.iter().filter(|death| death.alone).collect();
        assert_eq!(alone.len(), if tells_starts { 3 } else { 9 }, "{:?}", world.story);
        assert!(alone.iter().all(|death| death.others == 0));
    }
}

#[test]
fn what_was_only_near_ends_well() {
    let graph = sources(20);
    let mut world = World::ahead(4000, 8000);
    world.join(2);
    submit(&mut world, &graph);
    // Two workers die while everything that they have runs; nobody is poison.
    for _ in 0..2 {
        for (worker, assignment) in world.assigned.clone() {
            world.handle(Event::Started { worker, run: RUN, attempt: assignment.attempt });
        }
        world.lose(0);
        world.join(2);
    }
    run(&mut world, &graph, &BTreeSet::new(), true);
    assert!(world.finished);
}

#[test]
fn what_goes_on_of_a_forgotten_run_is_not_blamed_on_others() {
    const OTHER: RunId = RunId(2);
    let graph = sources(1);
    let wanted = TaskRange::of(all_tasks(&graph));
    let mut world = World::with(Settings { deaths: 1, ..Settings::default() });
    let begin = |world: &mut World| {
        let (worker, assignment) = world.assigned.remove(0);
        world.handle(Event::Started { worker, run: assignment.run, attempt: assignment.attempt });
        world.memories.keys().position(|&other| other == worker).expect("it is there")
    };
    world.join(1);
    world.handle(added(OTHER, None, Arc::new(graph.clone()), wanted));
    begin(&mut world);
    submit(&mut world, &graph);
    for _ in 0..2 {
        world.join(1);
        let first = begin(&mut world);
        world.lose(first);
    }
    world.handle(Event::RunReleased { run: OTHER });
    let second = begin(&mut world);
    world.lose(second);
    assert_eq!(world.failed, None, "a thread of its worker was still at the forgotten run");
    world.join(1);
    let third = begin(&mut world);
    world.lose(third);
    assert!(world.failed.is_some());
}

#[test]
fn a_suspect_waits_no_longer_than_until_some_worker_is_idle() {
    let graph = sources(3);
    // Either of the two that are left may be the first to have nothing else to do.
    for at in [0, 1] {
        let mut world = World::new(1);
        (0..3).for_each(|_| world.join(1));
        submit(&mut world, &graph);
        let assignment = world.assigned[2].1.clone();
        lose_twice(&mut world);
        assert_eq!(world.assigned.len(), 2);
        let idle = world.assigned[at].0;
        world.run_one(&graph, at, || false);
        let (suspect, given) = world.assigned.last().expect("it is handed out");
        assert_eq!((*suspect, &given.tasks), (idle, &assignment.tasks));
    }
}

/// The last worker begins what it has and dies, and so does the one that comes after it.
fn lose_twice(world: &mut World) {
    for again in [true, false] {
        let last = *world.memories.keys().next_back().expect("there is one");
        let given = world.assigned.iter().filter(|(worker, _)| *worker == last);
        for (worker, run, attempt) in
            given.map(|(worker, given)| (*worker, given.run, given.attempt)).collect::<Vec<_>>()
        {
            world.handle(Event::Started { worker, run, attempt });
        }
        world.lose(world.memories.len() - 1);
        if again {
            world.join(2);
        }
    }
}

/// Two tasks that two workers had begun when they died, and two workers.
fn two_suspects() -> (World, Graph) {
    let graph = sources(2);
    let mut world = World::new(1);
    world.join(2);
    submit(&mut world, &graph);
    lose_twice(&mut world);
    world.join(1);
    world.join(1);
    (world, graph)
}

#[test]
fn workers_with_nothing_to_do_take_suspects_however_many_others_do() {
    let (mut world, graph) = two_suspects();
    let workers: BTreeSet<_> = world.assigned.iter().map(|&(worker, _)| worker).collect();
    assert_eq!(workers.len(), 2, "one for each suspect");
    world.run_to_the_end(&graph);
    assert!(world.finished);
}

#[test]
fn a_suspect_that_is_given_up_and_needed_anew_does_not_wait_for_its_first_worker() {
    let (mut world, _) = two_suspects();
    let (first, assignment) = world.assigned[0].clone();
    world.run_one(&sources(2), 1, || false);
    world.handle(Event::Started { worker: first, run: RUN, attempt: assignment.attempt });
    world.gives_back = false;
    for event in [
        Event::Released { run: RUN, tasks: assignment.tasks.clone() },
        Event::Wanted { run: RUN, tasks: assignment.tasks.clone() },
    ] {
        world.handle(event);
    }
    let (second, again) = world.assigned.last().expect("it is handed out");
    assert!(*second != first && again.tasks == assignment.tasks);
}

#[test]
fn workers_that_were_asked_to_leave_blame_nobody() {
    let graph = sources(1);
    let mut world = World::new(1000);
    world.join(1);
    submit(&mut world, &graph);
    for _ in 0..10 {
        let (worker, assignment) = world.assigned.pop().expect("it is handed out again");
        world.handle(Event::Started { worker, run: RUN, attempt: assignment.attempt });
        world.memories.remove(&worker);
        world.handle(Event::WorkerLost { worker, cause: LossCause::Retired });
        world.join(1);
    }
    run(&mut world, &graph, &BTreeSet::new(), true);
    assert!(world.finished);
}

/// No worker can take a suspect, and then nobody needs it any more, or somebody gives what it would make.
#[test]
fn suspects_that_nobody_needs_look_for_no_worker() {
    let needs_gpu = TaskRange { layer: LayerId(0), start: 0, end: 1 };
    let again = || vec![needs_gpu];
    for (is_given, is_finished) in [(false, true), (false, false), (true, false)] {
        let mut cluster = Cluster::new();
        cluster.join(0, 1, 0);
        cluster.submit(1, None, layers(vec![gpu(1), nothing()], false));
        for worker in 1..3 {
            cluster.join(worker, 1, 1);
            assert_eq!(cluster.of(1, worker).len(), 1);
            let (_, given) = cluster.given.iter().find(|(to, _)| to.0 == worker).cloned().expect("it has the suspect");
            cluster.handle(Event::Started { worker: WorkerId(worker), run: RunId(1), attempt: given.attempt });
            cluster.die(worker);
        }
        let run = RunId(1);
        assert_eq!(cluster.stalled, [run; 3], "nobody has a GPU, as twice before");
        match is_given {
            true => cluster.handle(Event::Scattered { run, tasks: again(), worker: WorkerId(0), bytes: 8 }),
            false => cluster.handle(Event::Released { run, tasks: again() }),
        }
        assert_eq!(cluster.resumed, [run; 3], "it goes on with what is left");
        if is_finished {
            cluster.end(0, 1);
            assert_eq!(cluster.finished, [run]);
        }
        cluster.handle(Event::Wanted { run, tasks: again() });
        assert_eq!(cluster.scheduler.is_suspect(run, TaskId::new(LayerId(0), 0)), !is_given);
        assert_eq!(cluster.stalled.len(), if is_given { 3 } else { 4 }, "what is needed again is as it was");
    }
}

/// Two workers die of the task that run 1 has next. A third one is kept for it, which is at something for hours and has three free
/// slots.
fn keep_one(cluster: &mut Cluster) {
    for worker in 1..3 {
        cluster.join(worker, 1, 0);
        assert_eq!(cluster.start(1), worker);
        if worker == 2 {
            cluster.join(5, 4, 0);
            cluster.submit(5, None, layers(vec![nothing()], false));
            assert_eq!(cluster.start(5), 5);
        }
        cluster.die(worker);
    }
    assert!(is_kept(cluster));
}

fn is_kept(cluster: &Cluster) -> bool {
    cluster.scheduler.workers.get(WorkerId(5)).unwrap().quarantine().is_some()
}

#[test]
fn no_worker_is_kept_for_suspects_that_nobody_needs_any_more_or_whose_results_are_given() {
    for is_given in [false, true] {
        let mut cluster = Cluster::new();
        cluster.submit(1, None, layers(vec![nothing()], false));
        keep_one(&mut cluster);
        let (run, tasks) = (RunId(1), vec![TaskRange { layer: LayerId(0), start: 0, end: 1 }]);
        match is_given {
            true => cluster.handle(Event::Scattered { run, tasks, worker: WorkerId(5), bytes: 8 }),
            false => cluster.handle(Event::Released { run, tasks }),
        }
        assert_eq!(cluster.finished, [run]);
        assert!(!is_kept(&cluster));
        cluster.submit(6, None, layers(vec![nothing(); 3], false));
        assert_eq!(cluster.of(6, 5).len(), 3, "three slots are free until a task of hours ends");
    }
}

/// What it reads has to be made again first, and the only worker with free slots is kept for it.
#[test]
fn no_worker_is_kept_for_a_suspect_that_has_lost_what_it_reads() {
    let mut cluster = Cluster::new();
    cluster.join(0, 1, 0);
    cluster.submit(1, None, layers(vec![nothing(); 2], true));
    // The first has the result that the suspect reads, and something else to do.
    cluster.submit(2, None, layers(vec![Annotations { priority: 1, ..nothing() }], false));
    cluster.end(0, 1);
    assert_eq!(cluster.start(2), 0, "it takes hours");
    keep_one(&mut cluster);
    let tasks = vec![TaskRange { layer: LayerId(0), start: 0, end: 1 }];
    cluster.handle(Event::ResultsLost { worker: WorkerId(0), run: RunId(1), tasks });
    assert_eq!(cluster.only(1).map(|(worker, _)| worker), Some(5), "it is made again in one of three free slots");
    cluster.end(5, 1);
    assert!(is_kept(&cluster), "it is ready, and a suspect as before");
    cluster.end(5, 5);
    assert_eq!(cluster.start(1), 5, "it is alone");
}

/// Suspects wait for nine workers that are at something for hours. One comes that has nothing to do, and could take the last of them.
#[test]
fn whoever_has_nothing_to_do_takes_the_suspect_that_it_can_however_many_wait_before_it() {
    [7, 8].into_iter().for_each(try_to_move_the_last);
}

fn try_to_move_the_last(before: u32) {
    let mut cluster = Cluster::new();
    let fpga = || Annotations { resources: [("fpga".into(), 1)].into(), ..nothing() };
    let join = |cluster: &mut Cluster, worker: u32, slots: u32, (gpu, fpga): (u64, u64)| {
        let resources = [("gpu", gpu), ("fpga", fpga)].into_iter().filter(|(_, amount)| *amount > 0);
        let resources = resources.map(|(name, amount)| (name.into(), amount)).collect();
        let offer = Offer { resources, ..Offer::slots(slots) };
        cluster.handle(Event::WorkerJoined { worker: WorkerId(worker), offer });
    };
    // All that there are have something to do for hours.
    (0..180).for_each(|worker| join(&mut cluster, worker, 1, (0, 0)));
    cluster.submit(100, None, layers(vec![nothing(); 180], false));
    (500..500 + before).for_each(|worker| join(&mut cluster, worker, 1, (2, 0)));
    cluster.submit(200, None, layers(vec![gpu(1); before as usize], false));
    join(&mut cluster, 600, 1, (0, 2));
    cluster.submit(201, None, layers(vec![fpga()], false));
    assert_eq!(cluster.given.len(), 181 + before as usize);
    // Nine tasks become suspects.
    for worker in 1000..1002 {
        join(&mut cluster, worker, 9, (u64::from(before), 1));
        if worker == 1000 {
            (10..10 + u64::from(before)).for_each(|run| cluster.submit(run, None, layers(vec![gpu(1)], false)));
            cluster.submit(9, None, layers(vec![fpga()], false));
        }
        (9..10 + u64::from(before)).for_each(|run| assert_eq!(cluster.start(run), worker));
        cluster.die(worker);
    }
    for worker in (500..500 + before).chain([600]) {
        cluster.handle(Event::WorkerResized { worker: WorkerId(worker), slots: 2, memory: u64::MAX });
        assert!(cluster.scheduler.workers.get(WorkerId(worker)).unwrap().quarantine().is_some(), "{worker} is kept");
    }
    join(&mut cluster, 700, 1, (0, 1));
    (0..10).for_each(|_| cluster.handle(Event::TimePassed));
    assert_eq!(
        cluster.only(9).map(|(worker, _)| worker),
        Some(700),
        "it has nothing to do, and {before} wait before it"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_poison_is_failed(
        tasks in 1..40_u32,
        poison in prop::collection::btree_set(0..40_u64, 0..3),
        workers in 1..4_usize,
        tells_starts in any::<bool>(),
    ) {
        let graph = sources(tasks);
        let mut world = World::ahead(4000, 8000);
        (0..workers).for_each(|_| world.join(2));
        submit(&mut world, &graph);
        run(&mut world, &graph, &poison, tells_starts);
        match world.failed {
            Some(task) => prop_assert!(poison.contains(&task.index)),
            None => prop_assert!(world.finished && poison.range(..u64::from(tasks)).next().is_none()),
        }
    }
}
