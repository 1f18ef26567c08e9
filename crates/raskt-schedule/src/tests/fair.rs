//! Runs beside runs: nobody waits for another one's end.

use super::graphs::added;
use super::graphs::op;
use crate::*;
use raskt_graph::*;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub(super) const MILLISECOND: u64 = 1_000_000;

/// A graph of so many tasks that state how long they take, or of which nobody knows anything.
fn tasks(count: u32, nanoseconds: u64, annotations: Annotations) -> (Arc<Graph>, Vec<TaskRange>) {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let annotations = Arc::new(annotations);
    let layer = Layer { annotations, ..Layer::new("tasks", op, Shape::source(count)) };
    let layer = layer.with_cost(Cost { nanoseconds, ..Cost::default() });
    let layer = graph.layer(layer).unwrap();
    (Arc::new(graph.finish()), vec![TaskRange { layer, start: 0, end: u64::from(count) }])
}

/// One worker with a clock: its assignments end in the order of their ends.
pub(super) struct Clock {
    pub scheduler: Scheduler,
    now: u64,
    events: u64,
    /// What a task of a run takes.
    pub takes: BTreeMap<RunId, u64>,
    pub running: VecDeque<(u64, Assignment)>,
    /// When the first task of each run began.
    began: BTreeMap<RunId, u64>,
    done: BTreeMap<RunId, u64>,
    /// Whether it is known beforehand.
    states: bool,
}

const WORKER: WorkerId = WorkerId(0);

impl Clock {
    fn new(slots: u32) -> Self {
        Self::with(Offer::slots(slots))
    }

    pub fn with(offer: Offer) -> Self {
        let mut scheduler = Scheduler::new(MILLISECOND / 5);
        scheduler.handle_event(Time(0), Event::WorkerJoined { worker: WORKER, offer });
        let (takes, began, done) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { scheduler, now: 0, events: 0, takes, running: VecDeque::new(), began, done, states: false }
    }

    fn submit(&mut self, run: u64, parent: Option<u64>, count: u32, takes: u64) {
        self.submit_with(run, parent, count, takes, Annotations::default());
    }

    fn submit_with(&mut self, run: u64, parent: Option<u64>, count: u32, takes: u64, annotations: Annotations) {
        let (graph, wanted) = tasks(count, if self.states { takes } else { 0 }, annotations);
        self.takes.insert(RunId(run), takes);
        self.handle(added(RunId(run), parent.map(RunId), graph, wanted));
    }

    pub fn handle(&mut self, event: Event) {
        self.scheduler.handle_event(Time(self.now), event);
        while let Some(action) = self.scheduler.poll_action() {
            if let Action::Assign { assignment, .. } = action {
                self.began.entry(assignment.run).or_insert(self.now);
                self.running.push_back((self.now + assignment.len() * self.takes[&assignment.run], assignment));
            }
        }
        self.events += 1;
        if self.events % 64 < 8 {
            self.scheduler.validate();
        }
    }

    /// The assignment that ends first does; false if none runs.
    pub fn step(&mut self) -> bool {
        let first = self.running.iter().enumerate().min_by_key(|(_, (end, _))| *end).map(|(at, _)| at);
        let Some((end, assignment)) = first.and_then(|at| self.running.remove(at)) else { return false };
        self.now = end;
        let Assignment { run, attempt, tasks, .. } = assignment;
        let count = TaskRange::count(&tasks);
        *self.done.entry(run).or_default() += count;
        let outcomes = tasks.into_iter().map(|range| (range, Outcome::Done { bytes: 8 })).collect();
        let report = Report { run, attempt, outcomes, nanoseconds: count * self.takes[&run] };
        self.handle(Event::Reported { worker: WORKER, report });
        true
    }
}

#[test]
fn one_task_beside_a_run_of_many_starts_within_two_of_their_lengths() {
    let mut clock = Clock::new(2);
    clock.submit(1, None, 200, 50 * MILLISECOND);
    while clock.now < 1000 * MILLISECOND {
        clock.step();
    }
    let asked = clock.now;
    clock.submit(2, None, 1, 50 * MILLISECOND);
    while !clock.began.contains_key(&RunId(2)) {
        assert!(clock.step());
    }
    assert!(clock.began[&RunId(2)] - asked <= 100 * MILLISECOND, "{}", clock.began[&RunId(2)] - asked);
}

#[test]
fn runs_share_the_time_and_not_the_tasks() {
    let mut clock = Clock::new(3);
    clock.submit(1, None, 10_000, MILLISECOND);
    clock.submit(2, None, 10_000, 10 * MILLISECOND);
    clock.submit(3, None, 10_000, 30 * MILLISECOND);
    while clock.now < 6000 * MILLISECOND {
        assert!(clock.step());
    }
    for run in clock.takes.keys() {
        let spent = clock.done[run] * clock.takes[run] / MILLISECOND;
        assert!((5500..=6500).contains(&spent), "{run:?} has had {spent} ms of 6000");
    }
}

/// Nothing is known of the tasks of one run, and of those of the other that each takes long: half of the slots are either's.
#[test]
fn what_is_not_known_is_not_taken_for_next_to_nothing() {
    for known in [1, 2] {
        let mut s = Scheduler::new(MILLISECOND / 5);
        for run in [1, 2] {
            let (graph, wanted) = tasks(1000, if run == known { 10 * MILLISECOND } else { 0 }, Annotations::default());
            s.handle_event(Time(0), added(RunId(run), None, graph, wanted));
        }
        s.handle_event(Time(0), Event::WorkerJoined { worker: WORKER, offer: Offer::slots(64) });
        let given: Vec<_> = std::iter::from_fn(|| s.poll_action()).collect();
        let is_of =
            |action: &Action, run| matches!(action, Action::Assign { assignment, .. } if assignment.run.0 == run);
        let of = |run| given.iter().filter(|action| is_of(action, run)).count();
        let (first, second) = (of(1), of(2));
        assert!(first + second == 64 && first.abs_diff(second) <= 2, "{first} and {second} slots");
        s.handle_event(Time(0), Event::RunReleased { run: RunId(1) });
        s.validate();
        s.handle_event(Time(0), Event::WorkerLost { worker: WORKER, cause: LossCause::Died });
        s.handle_event(Time(0), Event::RunReleased { run: RunId(2) });
        assert_eq!(s.leftovers(), None);
    }
}

#[test]
fn nobody_saves_up_time_while_nothing_of_his_can_start() {
    let mut clock = Clock::new(1);
    clock.submit(1, None, 1000, MILLISECOND);
    clock.submit(2, None, 1, MILLISECOND);
    while clock.now < 500 * MILLISECOND {
        clock.step();
    }
    // The second comes back with as much to do as the first.
    clock.submit(3, None, 1000, MILLISECOND);
    let (before, now) = (clock.done[&RunId(1)], clock.now);
    while clock.now < now + 200 * MILLISECOND {
        clock.step();
    }
    let first = clock.done[&RunId(1)] - before;
    assert!((90..=110).contains(&first), "the first run has had {first} of 200 ms");
}

#[test]
fn what_tasks_submit_goes_before_them_and_counts_with_them() {
    let mut clock = Clock::new(1);
    clock.submit(1, None, 100, MILLISECOND);
    clock.submit(2, None, 100, MILLISECOND);
    clock.submit(3, Some(1), 5, MILLISECOND);
    clock.submit(4, Some(3), 5, MILLISECOND);
    while clock.done.get(&RunId(3)).copied() < Some(5) {
        clock.step();
    }
    assert_eq!(clock.done[&RunId(4)], 5, "the deepest goes first");
    assert!(clock.done[&RunId(1)] <= 1, "then the one above, and then the first");
    assert!((9..=12).contains(&clock.done[&RunId(2)]), "the other family has had as much: {:?}", clock.done);
}

#[test]
fn what_tasks_of_one_run_wait_for_shares_the_time_between_them() {
    let mut clock = Clock::new(2);
    // Both lend their slots.
    clock.submit(1, None, 2, 1_000_000 * MILLISECOND);
    for (run, count, takes) in [(2, 10_000, MILLISECOND), (3, 10_000, 10 * MILLISECOND), (4, 3, MILLISECOND)] {
        clock.submit(run, Some(1), count, takes);
        clock.handle(Event::SlotsLent { worker: WORKER, run: RunId(run), slots: u32::from(run < 4) });
    }
    while clock.done.get(&RunId(4)).copied() < Some(3) {
        assert!(clock.step());
    }
    assert!(clock.now <= 40 * MILLISECOND, "the short one ended after {} ms", clock.now / MILLISECOND);
    while clock.now < 2000 * MILLISECOND {
        assert!(clock.step());
    }
    let [first, second] = [2, 3].map(|run| clock.done[&RunId(run)] * clock.takes[&RunId(run)] / MILLISECOND);
    assert!(first.abs_diff(second) <= 100, "they have had {first} and {second} ms");
}

#[test]
fn a_slot_that_is_lent_goes_to_the_run_that_is_waited_for_and_comes_back_with_its_end() {
    let mut clock = Clock::new(1);
    clock.submit(1, None, 100, MILLISECOND);
    assert_eq!(clock.running.len(), 1);
    clock.submit(2, None, 1, MILLISECOND);
    clock.submit(3, Some(1), 1, MILLISECOND);
    assert_eq!(clock.running.len(), 1, "the only slot is taken");
    clock.handle(Event::SlotsLent { worker: WORKER, run: RunId(3), slots: 1 });
    assert_eq!(clock.running.iter().map(|(_, assignment)| assignment.run.0).collect::<Vec<_>>(), [1, 3]);
    // Run 3 ends, and the task of run 1 goes on in its slot: nobody else has come into it.
    let (_, assignment) = clock.running.remove(1).unwrap();
    let outcomes = assignment.tasks.iter().map(|&range| (range, Outcome::Done { bytes: 8 })).collect();
    let report = Report { run: RunId(3), attempt: assignment.attempt, outcomes, nanoseconds: MILLISECOND };
    clock.handle(Event::Reported { worker: WORKER, report });
    assert_eq!(clock.running.len(), 1);
    // To wait for what has ended lends nothing; to stop waiting before the end takes the slot back.
    clock.handle(Event::SlotsLent { worker: WORKER, run: RunId(3), slots: 1 });
    assert_eq!(clock.running.len(), 1);
    clock.submit(5, Some(1), 3, MILLISECOND);
    clock.handle(Event::SlotsLent { worker: WORKER, run: RunId(5), slots: 1 });
    assert_eq!(clock.running.len(), 2);
    clock.handle(Event::SlotsReturned { worker: WORKER, run: RunId(5), slots: 1 });
    clock.step();
    assert_eq!(clock.running.len(), 1);
}

#[test]
fn to_wait_again_and_again_hands_out_no_more_than_there_are_slots() {
    let mut clock = Clock::new(2);
    clock.submit(1, None, 2, MILLISECOND);
    clock.submit(2, Some(1), 1000, MILLISECOND);
    clock.submit(3, None, 10, MILLISECOND);
    for _ in 0..100 {
        clock.handle(Event::SlotsLent { worker: WORKER, run: RunId(2), slots: 1 });
        clock.handle(Event::SlotsReturned { worker: WORKER, run: RunId(2), slots: 1 });
    }
    assert!(clock.running.len() <= 3, "{} assignments on two slots and one that was lent", clock.running.len());
    while !clock.began.contains_key(&RunId(3)) {
        assert!(clock.step());
    }
    assert!(clock.now <= 20 * MILLISECOND, "the other run began after {} ms", clock.now / MILLISECOND);
}

/// Clients that submit one task each, and the next when it is done, until so much time has passed. Gives what each run has done.
fn closed_loop(clock: &mut Clock, clients: u64, until: u64) {
    for client in 0..clients {
        clock.submit(1000 + client, None, 1, MILLISECOND);
    }
    let mut next = 1000 + clients;
    while clock.now < until {
        assert!(clock.step());
        let ended: Vec<_> = clock.done.keys().copied().filter(|run| (1000..next).contains(&run.0)).collect();
        for run in ended {
            clock.done.remove(&run);
            clock.handle(Event::RunReleased { run });
            clock.submit(next, None, 1, MILLISECOND);
            next += 1;
        }
    }
}

#[test]
fn a_stream_of_new_runs_does_not_starve_one_that_was_served_before() {
    let mut clock = Clock::new(1);
    clock.submit(1, None, 10_000, MILLISECOND);
    closed_loop(&mut clock, 2, 1000 * MILLISECOND);
    let done = clock.done[&RunId(1)];
    assert!((280..=450).contains(&done), "it has had {done} of 1000 ms, and a third is its share");
}

#[test]
fn nor_do_more_clients_than_there_are_slots() {
    let mut clock = Clock::new(4);
    clock.submit(1, None, 10_000, MILLISECOND);
    clock.submit(2, None, 10_000, MILLISECOND);
    closed_loop(&mut clock, 8, 1000 * MILLISECOND);
    for run in [1, 2] {
        let done = clock.done[&RunId(run)];
        assert!((300..=1000).contains(&done), "run {run} has had {done} of 4000 ms");
    }
}

#[test]
fn what_is_under_way_of_a_nested_run_that_is_forgotten_is_given_back() {
    let mut clock = Clock::new(4);
    clock.states = true;
    clock.submit(1, None, 10_000, MILLISECOND);
    clock.submit(2, None, 10_000, MILLISECOND);
    for nested in 100..120 {
        // It would take long, and is given up at once.
        clock.submit(nested, Some(1), 8, 4000 * MILLISECOND);
        for _ in 0..8 {
            clock.step();
        }
        clock.running.retain(|(_, assignment)| assignment.run != RunId(nested));
        clock.handle(Event::RunReleased { run: RunId(nested) });
    }
    let (before, now) = (clock.done[&RunId(1)], clock.now);
    while clock.now < now + 1000 * MILLISECOND {
        assert!(clock.step());
    }
    let had = clock.done[&RunId(1)] - before;
    assert!((1800..=2200).contains(&had), "it has had {had} ms of 4000");
}

pub(super) fn gpus(amount: u64) -> Annotations {
    Annotations { resources: [("gpu".into(), amount)].into(), ..Annotations::default() }
}

/// How long a task waits for all of a worker's `gpus`, while so many runs ask for one each, whose tasks end by turns.
fn waits_for_all(all: u64, others: u64, priority: i32) -> Option<u64> {
    let mut clock = Clock::with(Offer { resources: [("gpu".into(), all)].into(), ..Offer::slots(all as u32 + 1) });
    clock.submit(100, None, 10_000, 7 * MILLISECOND);
    for run in 0..others {
        clock.submit_with(1 + run, None, 10_000, (10 + run) * MILLISECOND, Annotations { priority, ..gpus(1) });
    }
    (0..5).for_each(|_| _ = clock.step());
    clock.submit_with(50, None, 1, MILLISECOND, gpus(all));
    let asked = clock.now;
    while !clock.began.contains_key(&RunId(50)) && clock.now < asked + 20_000 * MILLISECOND {
        assert!(clock.step());
    }
    clock.began.get(&RunId(50)).map(|began| began - asked)
}

#[test]
fn who_asks_for_more_of_a_resource_than_comes_free_at_a_time_gets_it() {
    for (all, others) in [(2, 1), (2, 3), (8, 3)] {
        let waited = waits_for_all(all, others, 0).expect("it never began");
        assert!(waited <= 1100 * MILLISECOND, "it waited for {} ms", waited / MILLISECOND);
    }
    assert_eq!(waits_for_all(2, 1, 1), None, "what goes first does");
}

#[test]
fn a_worker_that_is_kept_for_much_of_a_resource_is_free_again_when_nobody_asks_for_it() {
    for ends_with in 0..2 {
        let mut clock = Clock::with(Offer { resources: [("gpu".into(), 2)].into(), ..Offer::slots(4) });
        clock.submit_with(1, None, 10_000, 10 * MILLISECOND, gpus(1));
        clock.submit_with(2, None, 2, 3 * MILLISECOND, gpus(1));
        clock.submit_with(3, None, 1, MILLISECOND, gpus(2));
        while clock.scheduler.reserves.kept().next().is_none() {
            assert!(clock.step());
        }
        match ends_with {
            0 => clock.handle(Event::RunReleased { run: RunId(3) }),
            _ => {
                while !clock.done.contains_key(&RunId(3)) {
                    assert!(clock.step());
                }
            }
        }
        assert!(clock.scheduler.reserves.kept().next().is_none());
        let (done, now) = (clock.done[&RunId(1)], clock.now);
        while clock.now < now + 100 * MILLISECOND {
            assert!(clock.step());
        }
        assert!(clock.done[&RunId(1)] >= done + 15, "both are used again");
    }
}

#[test]
fn when_a_worker_goes_that_is_kept_for_somebody_another_one_is() {
    let mut s = Scheduler::new(MILLISECOND / 5);
    let offer = || Offer { resources: [("gpu".into(), 2)].into(), ..Offer::slots(4) };
    (0..3).for_each(|worker| s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(worker), offer: offer() }));
    for (run, count, amount) in [(1, 1000, 1), (2, 1, 2), (3, 1, 2)] {
        let (graph, wanted) = tasks(count, MILLISECOND, gpus(amount));
        s.handle_event(Time(0), added(RunId(run), None, graph, wanted));
    }
    let patience = Settings::default().admission.patience_nanoseconds;
    s.handle_event(Time(patience), Event::TimePassed);
    let (need, kept) = s.reserves.kept().next().expect("somebody has stood aside for long");
    s.handle_event(Time(patience), Event::WorkerLost { worker: kept, cause: LossCause::Retired });
    s.validate();
    assert_eq!(s.reserves.kept_for(need), None);
    s.handle_event(Time(2 * patience), Event::TimePassed);
    s.validate();
    assert!(s.reserves.kept_for(need).is_some_and(|other| other != kept));
}
