//! What tasks lend while they wait for runs that need it.

use super::graphs::added;
use super::graphs::op;
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

pub(super) struct Cluster {
    pub scheduler: Scheduler,
    pub now: Time,
    pub given: Vec<(WorkerId, Assignment)>,
    pub stalled: Vec<RunId>,
    pub resumed: Vec<RunId>,
    pub failed: Vec<(RunId, Vec<Death>)>,
    pub finished: Vec<RunId>,
}

pub(super) fn gpu(amount: u64) -> Annotations {
    Annotations { resources: [("gpu".into(), amount)].into(), ..Annotations::default() }
}

pub(super) fn nothing() -> Annotations {
    Annotations::default()
}

/// One task a layer, each of which reads the one before; or none does.
pub(super) fn layers(annotations: Vec<Annotations>, is_chain: bool) -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let mut before = None;
    for annotations in annotations {
        let grid = Grid::new([1]);
        let inputs = before.map(|layer| MapInput::same(layer, grid.clone())).into_iter().collect();
        let layer = Layer { annotations: Arc::new(annotations), ..Layer::new("task", op, Shape::Map { grid, inputs }) };
        let layer = graph.layer(layer.with_cost(Cost { nanoseconds: 1000, ..Cost::default() })).unwrap();
        before = is_chain.then_some(layer);
    }
    Arc::new(graph.finish())
}

impl Cluster {
    pub fn new() -> Self {
        let scheduler = Scheduler::new(1);
        Self {
            scheduler,
            now: Time(0),
            given: vec![],
            stalled: vec![],
            resumed: vec![],
            failed: vec![],
            finished: vec![],
        }
    }

    pub fn handle(&mut self, event: Event) {
        self.scheduler.handle_event(self.now, event);
        while let Some(action) = self.scheduler.poll_action() {
            match action {
                Action::Assign { worker, assignment } => self.given.push((worker, assignment)),
                Action::Stalled { run, .. } => self.stalled.push(run),
                Action::Resumed { run } => self.resumed.push(run),
                Action::Failed { run, story, .. } => self.failed.push((run, story)),
                Action::Finished { run } => self.finished.push(run),
                _ => {}
            }
        }
        self.scheduler.validate();
    }

    /// Takes back an assignment of a run that has to fetch something, if there is one.
    pub fn fetching(&mut self, run: u64) -> Option<(WorkerId, Attempt)> {
        let fetches = |(_, given): &(WorkerId, Assignment)| given.run.0 == run && !given.fetches.is_empty();
        let (worker, given) = self.given.remove(self.given.iter().position(fetches)?);
        Some((worker, given.attempt))
    }

    pub fn join(&mut self, worker: u32, slots: u32, gpu: u64) {
        let resources = [("gpu".into(), gpu)].into_iter().filter(|(_, amount)| *amount > 0).collect();
        self.handle(Event::WorkerJoined {
            worker: WorkerId(worker),
            offer: Offer { resources, ..Offer::slots(slots) },
        });
    }

    pub fn submit(&mut self, run: u64, parent: Option<u64>, graph: Arc<Graph>) {
        let wanted = graph.layers().map(|(layer, found)| TaskRange { layer, start: 0, end: found.len() }).collect();
        self.handle(added(RunId(run), parent.map(RunId), graph, wanted));
    }

    pub fn lend(&mut self, worker: u32, run: u64) {
        self.handle(Event::SlotsLent { worker: WorkerId(worker), run: RunId(run), slots: 1 });
    }

    /// The assignments that `worker` has of `run`.
    pub fn of(&self, run: u64, worker: u32) -> Vec<Attempt> {
        let of = self.given.iter().filter(|(to, given)| (to.0, given.run.0) == (worker, run));
        of.map(|(_, given)| given.attempt).collect()
    }

    /// The only assignment of `run`, and who has it.
    pub fn only(&self, run: u64) -> Option<(u32, Attempt)> {
        let mut of = self.given.iter().filter(|(_, given)| given.run.0 == run);
        let only = of.next().map(|(worker, given)| (worker.0, given.attempt));
        only.filter(|_| of.next().is_none())
    }

    pub fn start(&mut self, run: u64) -> u32 {
        let (worker, attempt) = self.only(run).expect("it has one");
        self.handle(Event::Started { worker: WorkerId(worker), run: RunId(run), attempt });
        worker
    }

    pub fn end(&mut self, worker: u32, run: u64) {
        let at = self.given.iter().position(|(to, given)| (to.0, given.run.0) == (worker, run));
        let (worker, given) = self.given.remove(at.expect("it has something of it"));
        let outcomes = given.tasks.iter().map(|&range| (range, Outcome::Done { bytes: 8 })).collect();
        let report = Report { run: given.run, attempt: given.attempt, outcomes, nanoseconds: 1000 };
        self.handle(Event::Reported { worker, report });
    }

    pub fn die(&mut self, worker: u32) {
        self.given.retain(|(to, _)| to.0 != worker);
        self.handle(Event::WorkerLost { worker: WorkerId(worker), cause: LossCause::Died });
    }
}

/// All that there is of a GPU is with a task that waits for one that needs it: at once, or after something else.
#[test]
fn what_a_task_waits_for_borrows_what_it_has() {
    for (before, slots) in [(vec![], 1), (vec![nothing()], 1), (vec![nothing()], 2)] {
        let mut cluster = Cluster::new();
        cluster.join(0, slots, 1000);
        cluster.submit(1, None, layers(vec![gpu(1000)], false));
        cluster.start(1);
        cluster.submit(2, Some(1), layers(before.into_iter().chain([gpu(1000)]).collect(), true));
        // Somebody else would like to have it as well.
        cluster.submit(3, None, layers(vec![gpu(1000)], false));
        cluster.lend(0, 2);
        while !cluster.finished.contains(&RunId(2)) {
            assert!(cluster.of(3, 0).is_empty(), "what is lent is lent to those that it is waited for");
            cluster.end(0, 2);
        }
        assert!(cluster.of(3, 0).is_empty(), "the task that waited goes on with it");
        cluster.end(0, 1);
        assert_eq!(cluster.of(3, 0).len(), 1);
    }
}

/// What the deepest needs is with a task two above it, which is on another worker than the one that waits for it.
#[test]
fn what_is_lent_reaches_the_deepest_from_other_workers() {
    let mut cluster = Cluster::new();
    cluster.join(0, 1, 1000);
    cluster.submit(1, None, layers(vec![gpu(1000)], false));
    cluster.join(1, 1, 0);
    cluster.submit(2, Some(1), layers(vec![nothing()], false));
    assert_eq!(cluster.only(2).map(|(worker, _)| worker), Some(1));
    // The lent slot is taken by somebody else at first.
    cluster.submit(9, None, layers(vec![nothing()], false));
    cluster.lend(0, 2);
    assert_eq!(cluster.only(9).map(|(worker, _)| worker), Some(0));
    cluster.submit(3, Some(2), layers(vec![gpu(1000)], false));
    cluster.lend(1, 3);
    assert!(cluster.only(3).is_none(), "there is no slot beside the GPU");
    cluster.end(0, 9);
    assert_eq!(cluster.only(3).map(|(worker, _)| worker), Some(0));
    for (worker, run) in [(0, 3), (1, 2), (0, 1)] {
        cluster.end(worker, run);
    }
    assert_eq!(cluster.finished.len(), 4);
}

/// Of two tasks of a run one waits, and nobody says which.
#[test]
fn what_a_task_at_work_may_have_is_not_lent() {
    let mut cluster = Cluster::new();
    cluster.join(0, 2, 1000);
    cluster.submit(1, None, layers(vec![gpu(1000), nothing()], false));
    assert_eq!(cluster.of(1, 0).len(), 2);
    cluster.submit(2, Some(1), layers(vec![gpu(1000)], false));
    cluster.lend(0, 2);
    assert!(cluster.of(2, 0).is_empty(), "the one with the GPU may be at work");
    let at = cluster.given.iter().position(|(_, given)| given.tasks[0].layer == LayerId(1)).unwrap();
    cluster.given.swap(0, at);
    cluster.end(0, 1);
    assert_eq!(cluster.of(2, 0).len(), 1, "the only one that is left waits");
}

/// Both tasks of a run wait, for different runs, and nobody says which of them has the GPU.
#[test]
fn where_all_wait_all_is_lent() {
    for needs_gpu in [2, 3] {
        let mut cluster = Cluster::new();
        cluster.join(0, 2, 1000);
        cluster.submit(1, None, layers(vec![gpu(1000), nothing()], false));
        for run in 2..4 {
            let requires = if run == needs_gpu { gpu(1000) } else { nothing() };
            cluster.submit(run, Some(1), layers(vec![requires], false));
            cluster.lend(0, run);
        }
        while cluster.finished.len() < 2 {
            let next = [2, 3].into_iter().find(|&run| !cluster.of(run, 0).is_empty());
            cluster.end(0, next.expect("one of them can run"));
        }
        (0..2).for_each(|_| cluster.end(0, 1));
        assert_eq!(cluster.finished.len(), 3);
    }
}

/// A task waits on every worker that there is, and what it waits for may have killed two others.
#[test]
fn a_suspect_has_its_turn_where_all_workers_have_tasks_that_wait() {
    for requires in [nothing(), gpu(1000)] {
        let mut cluster = Cluster::new();
        (0..2).for_each(|worker| cluster.join(worker, 1, 1000));
        cluster.submit(1, None, layers(vec![requires.clone()], false));
        let lender = cluster.start(1);
        cluster.submit(2, Some(1), layers(vec![requires], false));
        let mut next = 2;
        for _ in 0..2 {
            let worker = cluster.start(2);
            assert_ne!(worker, lender, "the only slot is taken");
            cluster.die(worker);
            if next == 2 {
                cluster.join(next, 1, 1000);
                next += 1;
            }
        }
        assert!(cluster.only(2).is_none(), "it is a suspect, and the only slot is taken");
        cluster.lend(lender, 2);
        assert_eq!(cluster.only(2).map(|(worker, _)| worker), Some(lender), "nothing but what waits is there");
        cluster.end(lender, 2);
        cluster.end(lender, 1);
        assert_eq!(cluster.finished, [RunId(2), RunId(1)]);
    }
}

/// Two suspects require the same, and only one of them may borrow it: the other stands before it, and finds nobody.
#[test]
fn a_suspect_that_finds_nobody_keeps_no_other_from_a_lender() {
    let mut cluster = Cluster::new();
    cluster.join(0, 1, 1000);
    cluster.submit(1, None, layers(vec![gpu(1000)], false));
    assert_eq!(cluster.start(1), 0);
    cluster.submit(0, None, layers(vec![gpu(1000)], false));
    cluster.submit(2, Some(1), layers(vec![gpu(1000)], false));
    for worker in 1..3 {
        cluster.join(worker, 2, 2000);
        assert_eq!((cluster.start(0), cluster.start(2)), (worker, worker));
        cluster.die(worker);
    }
    cluster.lend(0, 2);
    assert_eq!(cluster.only(2).map(|(worker, _)| worker), Some(0));
    [2, 1, 0].into_iter().for_each(|run| cluster.end(0, run));
    assert_eq!(cluster.finished, [2, 1, 0].map(RunId));
}

/// A death counts against a suspect beside which tasks only waited; and doesn't if one of them may have gone on, or if the suspect
/// itself waited for what was beside it.
#[test]
fn beside_tasks_that_wait_a_suspect_is_alone() {
    for (goes_on, waits) in [(false, false), (true, false), (false, true)] {
        let mut cluster = Cluster::new();
        let settings = Settings { credit_nanoseconds: 1, deaths: 1, ..Settings::default() };
        cluster.scheduler = Scheduler::with(settings, Arc::new(SoonestStart::default()));
        (0..2).for_each(|worker| cluster.join(worker, 1, 0));
        cluster.submit(1, None, layers(vec![nothing()], false));
        let lender = cluster.start(1);
        cluster.submit(2, Some(1), layers(vec![nothing()], false));
        for next in 2..4 {
            let worker = cluster.start(2);
            cluster.die(worker);
            if next == 2 {
                cluster.join(next, 1, 0);
            }
        }
        cluster.lend(lender, 2);
        assert_eq!(cluster.start(2), lender);
        if goes_on {
            cluster.handle(Event::SlotsReturned { worker: WorkerId(lender), run: RunId(2), slots: 1 });
        }
        if waits {
            cluster.submit(3, Some(2), layers(vec![nothing()], false));
            cluster.lend(lender, 3);
            assert_eq!(cluster.start(3), lender);
        }
        assert!(cluster.failed.is_empty());
        cluster.die(lender);
        let failed: Vec<_> = cluster.failed.iter().map(|(run, _)| run.0).collect();
        assert_eq!(failed, if goes_on || waits { vec![] } else { vec![2] }, "goes on: {goes_on}, waits: {waits}");
        let is_alone = |story: &Vec<Death>| story.last().is_some_and(|death| death.alone && death.others == 0);
        assert!(cluster.failed.iter().all(|(_, story)| is_alone(story)));
    }
}

/// An orphan (a cancelled call that goes on) keeps suspects from its worker, and from no other.
#[test]
fn a_worker_with_a_stray_keeps_suspects_from_no_other() {
    let mut cluster = Cluster::new();
    cluster.join(0, 1, 0);
    cluster.submit(9, None, layers(vec![nothing()], false));
    cluster.start(9);
    cluster.handle(Event::RunReleased { run: RunId(9) });
    // One worker is kept for suspects, and has something else to do; so the next ones have to find idle workers.
    cluster.join(1, 1, 0);
    cluster.given.clear();
    cluster.submit(1, None, layers(vec![nothing()], false));
    for worker in 2..4 {
        let with = cluster.start(1);
        assert_ne!(with, 0, "a worker that is at nothing goes first");
        cluster.join(worker, 1, 0);
        cluster.die(with);
    }
    assert_eq!(cluster.only(1).map(|(worker, _)| worker), Some(3), "an idle worker has the suspect at once");
}

/// Of very many things that could start in a slot that is lent, the first of the highest priority does.
#[test]
fn what_goes_first_in_a_lent_slot_goes_first_whatever_it_requires() {
    // Amounts of the GPU, of which half is taken, and priorities.
    for (required, first) in [
        (vec![(0, 0), (1000, 0)], 0),
        (vec![(0, 0), (1000, 1)], 1),
        (vec![(0, 1), (1000, 1)], 0),
        (vec![(1500, 3), (2500, 4), (1000, 2), (0, 1)], 0),
        (vec![(2500, 4), (1000, 2), (500, 2), (0, 1)], 1),
    ] {
        let mut cluster = Cluster::new();
        cluster.join(0, 2, 2000);
        cluster.submit(1, None, layers(vec![gpu(500)], false));
        cluster.submit(2, None, layers(vec![gpu(500)], false));
        let of = |&(amount, priority)| Annotations { priority, ..if amount > 0 { gpu(amount) } else { nothing() } };
        cluster.submit(3, Some(1), layers(required.iter().map(of).collect(), false));
        assert!(cluster.of(3, 0).is_empty());
        cluster.lend(0, 3);
        let (_, given) = cluster.given.iter().find(|(_, given)| given.run == RunId(3)).expect("it goes on in the slot");
        assert_eq!(given.tasks[0].layer, LayerId(first), "{required:?}");
    }
}

#[test]
fn what_is_lent_again_may_be_as_much_as_can_be_told() {
    let mut cluster = Cluster::new();
    cluster.join(0, 1, u64::MAX);
    cluster.submit(1, None, layers(vec![gpu(u64::MAX)], false));
    for run in 2..5 {
        cluster.submit(run, Some(run - 1), layers(vec![gpu(u64::MAX)], false));
        cluster.lend(0, run);
        assert_eq!(cluster.of(run, 0).len(), 1, "run {run} has what the one above had");
    }
}

/// An engine doesn't say what it begins. Two tasks go on for nobody, which leaves it no slot, and one of them computes something.
#[test]
fn what_goes_on_for_nobody_lends_its_slot_though_it_is_not_known_of() {
    let mut cluster = Cluster::new();
    cluster.join(0, 1, 0);
    cluster.submit(1, None, layers(vec![nothing()], false));
    cluster.handle(Event::RunReleased { run: RunId(1) });
    cluster.handle(Event::WorkerResized { worker: WorkerId(0), slots: 0, memory: u64::MAX });
    cluster.submit(2, None, layers(vec![nothing()], false));
    assert_eq!(cluster.only(2), None);
    cluster.lend(0, 2);
    assert!(cluster.only(2).is_some(), "it would wait for ever");
}

/// What is lent isn't enough before something else has gone, whose run is let go of.
#[test]
fn what_a_forgotten_run_had_is_there_for_those_who_borrow() {
    let mut cluster = Cluster::new();
    cluster.join(0, 3, 4);
    cluster.submit(1, None, layers(vec![gpu(2)], false));
    cluster.submit(3, None, layers(vec![gpu(2)], false));
    cluster.submit(2, Some(1), layers(vec![gpu(4)], false));
    cluster.lend(0, 2);
    assert_eq!(cluster.only(2), None);
    cluster.handle(Event::RunReleased { run: RunId(3) });
    assert!(cluster.only(2).is_some(), "it would wait for ever");
}
