//! What the death of a worker costs that ran very many very short tasks.

use super::graphs::added;
use super::graphs::op;
use crate::*;
use raskt_graph::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

const RUN: RunId = RunId(1);

/// A cluster that runs one layer of tasks of ten microseconds, and says when it begins an assignment.
struct Cluster {
    scheduler: Scheduler,
    /// What each worker has, in order: the first few of them are begun.
    given: BTreeMap<WorkerId, VecDeque<Assignment>>,
    slots: usize,
    turn: VecDeque<WorkerId>,
    next: u32,
    poison: Option<u64>,
    is_finished: bool,
    events: u64,
    deaths: u64,
    failed: Option<(TaskId, Vec<Death>)>,
    /// Hand-outs to workers that got nothing else with them.
    tasks_run: u64,
    /// The most workers that had one assignment alone while others had as many as they have slots.
    most_kept: usize,
}

const TASK: u64 = 10_000;
const BATCH: u64 = 64;

impl Cluster {
    fn new(workers: u32, slots: u32, tasks: u32) -> Self {
        Self::of(workers, slots, tasks, TASK)
    }

    /// The same with tasks that take so long.
    fn of(workers: u32, slots: u32, tasks: u32, nanoseconds: u64) -> Self {
        let mut cluster = Self {
            scheduler: Scheduler::new(BATCH * TASK),
            given: BTreeMap::new(),
            slots: slots as usize,
            turn: VecDeque::new(),
            next: 0,
            poison: None,
            is_finished: false,
            events: 0,
            deaths: 0,
            failed: None,
            tasks_run: 0,
            most_kept: 0,
        };
        (0..workers).for_each(|_| cluster.join());
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        let cost = Cost { nanoseconds, ..Cost::default() };
        let layer = graph.layer(Layer::new("tasks", op, Shape::source(tasks)).with_cost(cost)).unwrap();
        let wanted = vec![TaskRange { layer, start: 0, end: u64::from(tasks) }];
        cluster.handle(added(RUN, None, Arc::new(graph.finish()), wanted));
        cluster
    }

    fn join(&mut self) {
        let worker = WorkerId(self.next);
        self.next += 1;
        self.given.insert(worker, VecDeque::new());
        self.turn.push_back(worker);
        self.handle(Event::WorkerJoined { worker, offer: Offer::slots(self.slots as u32) });
    }

    fn handle(&mut self, event: Event) {
        self.events += 1;
        self.scheduler.handle_event(Time(0), event);
        let mut begun = vec![];
        while let Some(action) = self.scheduler.poll_action() {
            match action {
                Action::Assign { worker, assignment } => {
                    begun.push(Event::Started { worker, run: RUN, attempt: assignment.attempt });
                    self.given.get_mut(&worker).expect("it is there").push_back(assignment);
                }
                Action::Finished { .. } => self.is_finished = true,
                Action::Failed { task, story, .. } => self.failed = Some((task, story)),
                _ => {}
            }
        }
        begun.into_iter().for_each(|event| self.scheduler.handle_event(Time(0), event));
        let kept = self.given.values().filter(|given| given.len() == 1).count();
        let others = self.given.values().filter(|given| given.len() == self.slots).count();
        if others > self.given.len() / 2 {
            self.most_kept = self.most_kept.max(kept);
        }
    }

    fn die(&mut self, worker: WorkerId) {
        self.lose(worker);
        self.join();
    }

    fn lose(&mut self, worker: WorkerId) {
        self.deaths += 1;
        self.given.remove(&worker);
        self.turn.retain(|other| *other != worker);
        self.handle(Event::WorkerLost { worker, cause: LossCause::Died });
    }

    /// One worker runs its first assignment, and dies of the poisonous task if it is about to.
    fn step(&mut self) {
        let Some(worker) = self.turn.pop_front() else { return };
        self.turn.push_back(worker);
        let begun = self.given[&worker].iter().take(self.slots).flat_map(|given| given.tasks.clone());
        let mut begun = begun.collect::<Vec<_>>().into_iter();
        if self.poison.is_some_and(|poison| begun.any(|range| (range.start..range.end).contains(&poison))) {
            return self.die(worker);
        }
        let Some(assignment) = self.given.get_mut(&worker).and_then(VecDeque::pop_front) else { return };
        let count = assignment.len();
        self.tasks_run += count;
        let outcomes = assignment.tasks.iter().map(|&range| (range, Outcome::Done { bytes: 8 })).collect();
        let report = Report { run: RUN, attempt: assignment.attempt, outcomes, nanoseconds: count * TASK };
        self.handle(Event::Reported { worker, report });
    }

    fn run(&mut self) -> u64 {
        let before = self.events;
        while !self.is_finished && self.failed.is_none() {
            self.step();
            assert!(self.events < 100_000, "it goes on and on");
        }
        self.scheduler.validate();
        self.events - before
    }
}

const WORKERS: u32 = 40;
const SLOTS: u32 = 8;
const TASKS: u32 = 200_000;

#[test]
fn a_death_among_many_short_tasks_costs_as_many_events_as_running_them_again() {
    let untroubled = Cluster::new(WORKERS, SLOTS, TASKS).run();
    for deaths in [1, 2, 5] {
        let mut cluster = Cluster::new(WORKERS, SLOTS, TASKS);
        for _ in 0..deaths {
            // The last to come is given what the one before it had: everything on it has seen all deaths.
            let last = *cluster.given.keys().next_back().expect("there is one");
            cluster.die(last);
            cluster.scheduler.validate();
        }
        let more = cluster.run().saturating_sub(untroubled);
        assert_eq!(cluster.tasks_run, u64::from(TASKS), "what ran was lost with nobody");
        assert!(more <= deaths * 2 * u64::from(SLOTS), "{more} events more after {deaths} deaths");
        assert!(cluster.most_kept <= WORKERS as usize / 20, "{} workers were kept for suspects", cluster.most_kept);
    }
}

#[test]
fn a_poisonous_task_among_many_is_found_by_few_deaths() {
    for poison in [0, 777, u64::from(TASKS) - 1] {
        let mut cluster = Cluster::new(WORKERS, SLOTS, TASKS);
        cluster.poison = Some(poison);
        cluster.run();
        let (task, story) = cluster.failed.expect("it kills whatever has it");
        assert_eq!(task.index, poison);
        let workers: BTreeSet<_> = story.iter().map(|death| death.worker).collect();
        assert_eq!(workers.len(), story.len(), "a death of each of them");
        assert_eq!(story.iter().filter(|death| death.alone && death.others == 0).count(), 3);
        // Two among others, then 8 times 64, a fourth of them and so on, and one, three times.
        assert!(cluster.deaths <= 2 + 5 + 3, "{} workers died", cluster.deaths);
    }
}

#[test]
fn suspects_of_a_worker_with_many_threads_run_together() {
    let mut cluster = Cluster::of(2, 64, 128, BATCH * TASK);
    for _ in 0..3 {
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        cluster.scheduler.validate();
        let given: Vec<_> = cluster.given.values().map(VecDeque::len).collect();
        // Also after the second death: they are no longer about it than if nobody had died.
        assert_eq!(given, if cluster.deaths < 3 { [64, 64] } else { [64, 16] }, "after {} deaths", cluster.deaths);
    }
    cluster.run();
    assert!(cluster.is_finished);
}

#[test]
fn a_poisonous_task_of_a_worker_with_many_threads_is_found() {
    for (slots, poison) in [(1, 0), (2, 1), (64, 0), (64, 63), (64, 127), (400, 77)] {
        let mut cluster = Cluster::of(2, slots, 2 * slots, BATCH * TASK);
        cluster.poison = Some(poison);
        cluster.run();
        let (task, story) = cluster.failed.expect("it kills whatever has it");
        assert_eq!(task.index, poison.min(u64::from(2 * slots) - 1));
        assert_eq!(story.iter().filter(|death| death.alone && death.others == 0).count(), 3);
        let parts = (2 * slots).ilog(4) as u64 + 1;
        assert!(cluster.deaths <= 2 + parts + 3, "{} workers died", cluster.deaths);
    }
}

#[test]
fn what_is_left_of_a_group_runs_alone_when_the_rest_is_given_up() {
    let mut cluster = Cluster::new(1, 1, BATCH as u32);
    (0..2).for_each(|_| cluster.die(*cluster.given.keys().next_back().expect("there is one")));
    let layer = LayerId(0);
    // It runs alone; half of it isn't wanted any more.
    cluster.handle(Event::Released { run: RUN, tasks: vec![TaskRange { layer, start: 0, end: BATCH / 2 }] });
    cluster.scheduler.validate();
    cluster.die(*cluster.given.keys().next_back().expect("there is one"));
    cluster.run();
    assert!(cluster.is_finished);
}

#[test]
fn a_worker_with_very_many_threads_may_die() {
    let mut cluster = Cluster::new(1, 400, TASKS);
    for _ in 0..3 {
        (0..50).for_each(|_| cluster.step());
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        assert!(cluster.failed.is_none());
    }
    cluster.run();
    assert!(cluster.is_finished);
}

#[test]
fn all_workers_may_die_at_once_again_and_again() {
    let mut cluster = Cluster::new(200, 2, TASKS);
    for round in 0..8 {
        // The first time they come furthest.
        (0..1_000 - 100 * round).for_each(|_| cluster.step());
        let all: Vec<_> = cluster.given.keys().copied().collect();
        all.iter().for_each(|&worker| cluster.lose(worker));
        all.iter().for_each(|_| cluster.join());
        assert!(cluster.failed.is_none(), "{round}");
    }
    cluster.run();
    assert!(cluster.is_finished);
}

#[test]
fn one_that_dies_again_and_again_beside_another_fails_nothing() {
    let mut cluster = Cluster::new(2, 1, TASKS);
    (0..300).for_each(|_| cluster.step());
    // What the first has done is lost, and it takes long until that is done again.
    cluster.die(WorkerId(0));
    for _ in 0..100 {
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        cluster.step();
        assert!(cluster.failed.is_none(), "{} deaths", cluster.deaths);
    }
    cluster.run();
    assert!(cluster.is_finished);
}

#[test]
fn what_was_whole_again_meanwhile_is_no_life_in_vain() {
    let mut cluster = Cluster::new(1, 1, 20 * BATCH as u32);
    for _ in 0..200 {
        cluster.run();
        cluster.is_finished = false;
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        (0..5).for_each(|_| cluster.step());
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        assert!(cluster.failed.is_none(), "{} deaths", cluster.deaths);
        cluster.events = 0;
    }
}

#[test]
fn a_run_fails_whose_workers_die_before_they_have_got_any_further() {
    let mut cluster = Cluster::new(1, 1, TASKS);
    let mut steps = (20..40).rev().cycle();
    while cluster.failed.is_none() {
        (0..steps.next().expect("without end")).for_each(|_| cluster.step());
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        assert!(cluster.deaths < 100, "it goes on and on");
    }
    cluster.scheduler.validate();
    assert!(cluster.deaths > 12, "{} deaths are borne", cluster.deaths);
    // A run whose workers live a little longer each time comes to its end.
    let mut cluster = Cluster::new(1, 1, 50 * BATCH as u32);
    for more in 1.. {
        (0..more).for_each(|_| cluster.step());
        if cluster.is_finished {
            break;
        }
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        assert!(cluster.failed.is_none(), "{more}");
    }
}

#[test]
fn what_is_kept_for_others_and_was_whole_again_meanwhile_is_no_life_in_vain() {
    let tasks = 20 * BATCH as u32;
    let mut cluster = Cluster::new(1, 1, tasks);
    cluster.run();
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let layer = graph.layer(Layer::new("again", op, Shape::source(tasks))).unwrap();
    let wanted = vec![TaskRange { layer, start: 0, end: u64::from(tasks) }];
    let imports = vec![Import { tasks: wanted[0], run: RUN, from: TaskId::new(LayerId(0), 0) }];
    let (graph, failure) = (Arc::new(graph.finish()), FailureScope::Run);
    cluster.handle(Event::GraphAdded { run: RunId(2), parent: None, graph, wanted, failure, imports });
    // Nobody but that needs it any more.
    cluster.handle(Event::RunReleased { run: RUN });
    for _ in 0..100 {
        cluster.run();
        cluster.is_finished = false;
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        (0..5).for_each(|_| cluster.step());
        cluster.die(*cluster.given.keys().next_back().expect("there is one"));
        assert!(cluster.failed.is_none(), "{} deaths", cluster.deaths);
        cluster.events = 0;
    }
}
