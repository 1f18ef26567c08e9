//! Workers with memories of their own, and a hand that picks what happens next.

use super::graphs::{evaluate, result};
use crate::*;
use raskt_graph::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub struct World {
    pub scheduler: Scheduler,
    pub memories: BTreeMap<WorkerId, BTreeMap<TaskId, u64>>,
    pub assigned: Vec<(WorkerId, Assignment)>,
    pub finished: bool,
    pub failed: Option<TaskId>,
    next_worker: u32,
    pub trace: Vec<Action>,
    /// Whether workers give back what they are asked for; if not, they have begun it all.
    pub gives_back: bool,
    /// Whether workers let go of results that go with their readers; if not, they keep and report them.
    pub spends: bool,
    /// What workers say that an assignment took.
    pub nanoseconds: u64,
    pub stalled: Option<StallCause>,
    pub story: Vec<Death>,
    pub lost: Vec<TaskRange>,
    pub record: FlightRecorder,
    pub now: Time,
    /// What workers say that a result takes.
    pub bytes: u64,
    /// What can't be sent from worker to worker.
    pub unsendable: BTreeSet<TaskId>,
    /// Who is to send one of these dies.
    pub is_deadly: bool,
    /// How often one of these was to be sent.
    pub refused: u32,
}

pub const RUN: RunId = RunId(1);

pub fn soonest_start() -> Arc<dyn Placement> {
    Arc::new(SoonestStart::default())
}

impl World {
    pub fn new(credit: u64) -> Self {
        Self::with(Settings { credit_nanoseconds: credit, ..Settings::default() })
    }

    pub fn ahead(credit_nanoseconds: u64, prefill_nanoseconds: u64) -> Self {
        let rebalance = Rebalance { prefill_nanoseconds, ..Rebalance::default() };
        Self::with(Settings { credit_nanoseconds, rebalance, ..Settings::default() })
    }

    pub fn with(settings: Settings) -> Self {
        Self::placed_by(settings, &soonest_start())
    }

    pub fn placed_by(settings: Settings, placement: &Arc<dyn Placement>) -> Self {
        let scheduler = Scheduler::with(settings, placement.clone());
        let (memories, assigned, trace) = (BTreeMap::new(), vec![], vec![]);
        Self {
            scheduler,
            memories,
            assigned,
            finished: false,
            failed: None,
            next_worker: 0,
            trace,
            gives_back: true,
            spends: true,
            nanoseconds: 100,
            stalled: None,
            story: vec![],
            lost: vec![],
            record: FlightRecorder::new(settings, placement),
            now: Time(0),
            bytes: 8,
            unsendable: BTreeSet::new(),
            is_deadly: false,
            refused: 0,
        }
    }

    fn tell(&mut self, event: Event) {
        self.record.note(self.now, &event);
        self.scheduler.handle_event(self.now, event);
    }

    pub fn handle(&mut self, event: Event) {
        self.tell(event);
        while let Some(action) = self.scheduler.poll_action() {
            self.trace.push(action.clone());
            match action {
                Action::Assign { worker, assignment } => self.assigned.push((worker, assignment)),
                Action::Discard { worker, tasks, .. } => {
                    let memory = self.memories.get_mut(&worker);
                    let memory = memory.expect("only a worker that is there is told to discard");
                    for task in tasks.into_iter().flat_map(TaskRange::tasks) {
                        memory.remove(&task);
                    }
                }
                Action::Recall { worker, attempt, tasks, run } => {
                    let place =
                        |(to, assignment): &(WorkerId, Assignment)| *to == worker && assignment.attempt == attempt;
                    let Some(at) = self.assigned.iter().position(place).filter(|_| self.gives_back) else { continue };
                    let assignment = &mut self.assigned[at].1;
                    tasks.iter().for_each(|range| range.cut_out_of(&mut assignment.tasks));
                    if assignment.is_empty() {
                        self.assigned.swap_remove(at);
                    }
                    self.tell(Event::Recalled { worker, run, attempt, tasks });
                }
                Action::Forget { worker, .. } => self.memories.entry(worker).or_default().clear(),
                Action::Lost { tasks, .. } => self.lost.extend(tasks),
                Action::Stalled { cause, .. } => self.stalled = Some(cause),
                Action::Resumed { .. } => self.stalled = None,
                Action::Finished { .. } => self.finished = true,
                Action::Failed { task, story, .. } => (self.failed, self.story) = (Some(task), story),
                Action::Available { .. } | Action::Unavailable { .. } | Action::TasksFailed { .. } => {}
            }
        }
        self.scheduler.validate();
        self.check_inventories();
    }

    /// What workers hold is what the scheduler takes them to hold.
    fn check_inventories(&self) {
        for (&worker, memory) in &self.memories {
            for &task in memory.keys() {
                match self.scheduler.task_state(RUN, task) {
                    Some(TaskState::Running { worker: holder }) if holder == worker => {}
                    Some(TaskState::InMemory { .. }) if self.scheduler.holds(RUN, worker, task) => {}
                    state => panic!("{worker:?} holds {task}, which is {state:?}"),
                }
            }
        }
    }

    /// A result that some worker holds is gone.
    pub fn lose_result(&mut self, at: usize) {
        let held = self.memories.iter().flat_map(|(&worker, memory)| memory.keys().map(move |&task| (worker, task)));
        let held: Vec<_> = held.collect();
        if held.is_empty() {
            return;
        }
        let (worker, task) = held[at % held.len()];
        self.memories.get_mut(&worker).expect("it was found there").remove(&task);
        self.handle(Event::ResultsLost { worker, run: RUN, tasks: TaskRange::of([task]) });
    }

    /// A result that some worker holds is copied by another one, and goes from the first unless somebody is about to read it.
    pub fn move_result(&mut self, at: usize) {
        let held: Vec<_> =
            self.memories.iter().flat_map(|(&of, memory)| memory.keys().map(move |&it| (of, it))).collect();
        let Some(&(from, task)) = held.get(at % held.len().max(1)) else { return };
        let is_there = matches!(self.scheduler.task_state(RUN, task), Some(TaskState::InMemory { .. }));
        let to = self.memories.keys().copied().filter(|&to| to != from).nth(at % self.memories.len().max(1));
        let (Some(to), true) = (to, is_there) else { return };
        let value = self.memories[&from][&task];
        self.memories.get_mut(&to).expect("it is there").insert(task, value);
        self.handle(Event::Fetched { worker: to, run: RUN, tasks: TaskRange::of([task]) });
        let unread = self.scheduler.task_state(RUN, task);
        self.handle(Event::CopiesDropped { worker: from, run: RUN, tasks: TaskRange::of([task]) });
        let is_read = matches!(unread, Some(TaskState::InMemory { unread, .. }) if unread > 0);
        assert_eq!(self.scheduler.holds(RUN, from, task), is_read, "what is read stays, what isn't goes");
        assert!(self.scheduler.holds(RUN, to, task));
    }

    /// Faults stop: everything must come to its end.
    pub fn run_to_the_end(&mut self, graph: &Graph) {
        for _ in 0..20 * graph.tasks() + 100 {
            if self.assigned.is_empty() {
                return;
            }
            self.run_one(graph, 0, || false);
        }
        panic!("work goes on and on");
    }

    /// Different results that workers hold.
    pub fn held(&self) -> usize {
        self.memories.values().flat_map(BTreeMap::keys).collect::<BTreeSet<_>>().len()
    }

    pub fn join(&mut self, slots: u32) {
        self.join_with(Offer::slots(slots));
    }

    pub fn join_with(&mut self, offer: Offer) -> WorkerId {
        let worker = WorkerId(self.next_worker);
        self.next_worker += 1;
        self.memories.insert(worker, BTreeMap::new());
        self.handle(Event::WorkerJoined { worker, offer });
        worker
    }

    /// The scheduler begins anew and is told again what is wanted. Gives what workers had, who are to come back.
    pub fn restart(&mut self, settings: Settings) -> Vec<BTreeMap<TaskId, u64>> {
        self.scheduler = Scheduler::with(settings, soonest_start());
        self.record = FlightRecorder::new(settings, &soonest_start());
        self.assigned.clear();
        (self.finished, self.failed, self.stalled) = (false, None, None);
        std::mem::take(&mut self.memories).into_values().collect()
    }

    /// A worker is back with what it had, and gets nothing to do yet.
    pub fn come_back(&mut self, memory: BTreeMap<TaskId, u64>, slots: u32) -> WorkerId {
        let worker = self.join_with(Offer::slots(slots));
        let tasks = TaskRange::of(memory.keys().copied()).into_iter().map(|range| (range, 8 * range.len())).collect();
        self.memories.insert(worker, memory);
        self.handle(Event::Kept { worker, run: RUN, tasks });
        worker
    }

    pub fn lose(&mut self, at: usize) {
        self.lose_by(at, LossCause::Died);
    }

    pub fn lose_by(&mut self, at: usize, cause: LossCause) {
        let worker = *self.memories.keys().nth(at % self.memories.len()).expect("the position is within");
        self.memories.remove(&worker);
        self.assigned.retain(|(assigned, _)| *assigned != worker);
        self.handle(Event::WorkerLost { worker, cause });
    }

    pub fn find(&self, task: TaskId) -> Option<u64> {
        self.memories.values().find_map(|memory| memory.get(&task).copied())
    }

    /// Fetches what an assignment reads, and gives what it doesn't keep; nothing if that couldn't be had, so that the assignment
    /// was given back.
    fn fetch(&mut self, worker: WorkerId, assignment: &Assignment) -> Option<BTreeMap<TaskId, u64>> {
        let (mut kept, mut passing) = (BTreeMap::new(), BTreeMap::new());
        for &Fetch { from, tasks, keep, .. } in &assignment.fetches {
            for task in tasks.tasks() {
                let found = self.memories.get(&from).map(|memory| memory.get(&task).copied());
                if matches!(found, Some(Some(_))) && self.unsendable.contains(&task) {
                    let (attempt, graph) = (assignment.attempt, self.scheduler.graph(RUN).expect("it is there"));
                    let reads = |reader: &TaskId| {
                        let mut reads = false;
                        graph.for_each_input(*reader, |input| reads |= input == task);
                        reads
                    };
                    let mut tasks = assignment.tasks.iter().flat_map(|range| range.tasks());
                    let reader = tasks.find(reads).expect("somebody reads it");
                    let is_deadly = self.is_deadly;
                    self.refused += 1;
                    self.handle(Event::Unsendable { worker, run: RUN, attempt, reader, from, is_deadly });
                    return None;
                }
                let Some(Some(value)) = found else {
                    let (attempt, reached) = (assignment.attempt, found.is_some());
                    self.handle(Event::FetchFailed { worker, run: RUN, attempt, input_run: RUN, task, from, reached });
                    return None;
                };
                let fetched = if keep { &mut kept } else { &mut passing };
                fetched.insert(task, value);
            }
        }
        if !kept.is_empty() {
            let tasks = TaskRange::of(kept.keys().copied());
            self.memories.get_mut(&worker).expect("it is there").extend(kept);
            self.handle(Event::Fetched { worker, run: RUN, tasks });
        }
        Some(passing)
    }

    /// Runs one of the assignments; a task whose inputs are gone is reported as not run, one that `fails` as failed.
    pub fn run_one(&mut self, graph: &Graph, at: usize, mut fails: impl FnMut() -> bool) {
        let (worker, assignment) = self.assigned.swap_remove(at % self.assigned.len());
        let Some(mut passing) = self.fetch(worker, &assignment) else { return };
        let spends = self.spends;
        let mut outcomes = vec![];
        let mut stopped = false;
        for task in assignment.tasks.iter().copied().flat_map(TaskRange::tasks) {
            let mut inputs = Some(vec![]);
            let memory = &self.memories[&worker];
            graph.for_each_input(task, |input| match (&mut inputs, memory.get(&input).or(passing.get(&input))) {
                (Some(inputs), Some(&value)) => inputs.push(value),
                _ => inputs = None,
            });
            let outcome = match inputs {
                _ if stopped => Outcome::NotRun,
                Some(inputs) if !fails() => {
                    let is_fleeting = spends && assignment.transient.iter().any(|range| range.contains(task));
                    let memory = self.memories.get_mut(&worker).expect("assignments of lost workers are dropped");
                    let place = if is_fleeting { &mut passing } else { memory };
                    place.insert(task, result(task, inputs));
                    Outcome::Done { bytes: self.bytes }
                }
                Some(_) => Outcome::Failed,
                None => Outcome::NotRun,
            };
            stopped = outcome == Outcome::Failed;
            outcomes.push((TaskRange::one(task), outcome));
        }
        if spends {
            self.spend(graph, worker, &assignment, passing, &mut outcomes);
        }
        let report = Report { run: RUN, attempt: assignment.attempt, outcomes, nanoseconds: self.nanoseconds };
        self.handle(Event::Reported { worker, report });
    }

    /// Lets go of what only tasks of the assignment read that are done, and keeps the rest of what is `passing`.
    fn spend(
        &mut self,
        graph: &Graph,
        worker: WorkerId,
        assignment: &Assignment,
        mut passing: BTreeMap<TaskId, u64>,
        outcomes: &mut [(TaskRange, Outcome)],
    ) {
        let is_done = |outcome| matches!(outcome, Outcome::Done { .. });
        let done = |&(range, outcome): &(TaskRange, Outcome)| (TaskId::new(range.layer, range.start), is_done(outcome));
        let done: BTreeMap<_, _> = outcomes.iter().map(done).collect();
        let memory = self.memories.get_mut(&worker).expect("assignments of lost workers are dropped");
        for (range, outcome) in outcomes.iter_mut().filter(|(_, outcome)| is_done(*outcome)) {
            let task = TaskId::new(range.layer, range.start);
            let mut readers = vec![];
            graph.for_each_dependent(task, |reader| readers.extend(done.get(&reader)));
            if !assignment.transient.iter().any(|range| range.contains(task)) {
                continue;
            }
            match !readers.is_empty() && readers.iter().all(|&&done| done) {
                true => *outcome = Outcome::Consumed { bytes: self.bytes },
                false => memory.extend(passing.remove_entry(&task)),
            }
        }
    }
}

pub fn check_results(world: &World, graph: &Graph, wanted: &[TaskId]) {
    let expected = evaluate(graph);
    for &task in wanted {
        assert_eq!(world.find(task), Some(expected[&task]), "result of {task}");
    }
}
