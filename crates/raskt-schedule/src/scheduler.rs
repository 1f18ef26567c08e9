//! The scheduler machine.

use crate::collections::by_number::ByNumber;
use crate::estimate::{LARGEST, LONGEST};
use crate::links::imports::Imports;
use crate::needs::Need;
use crate::policy::{Placement, SoonestStart};
use crate::reserves::Reserves;
use crate::run::Run;
use crate::run_queue::RunQueue;
use crate::settings::{Progress, Settings};
use crate::tasks::Tasks;
use crate::waits::Waits;
use crate::worker_state::WorkerState;
use crate::workers::Workers;
use crate::{Action, Attempt, Event, EventError, LossCause, RunId, TaskRange, TaskState, Time, WorkerId};
use raskt_graph::TaskId;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// The scheduler machine: knows every task of every run and every worker, and decides who does what next.
///
/// Call [`Self::handle_event`] with what happened, then [`Self::poll_action`] until it gives nothing more.
#[derive(Debug)]
pub struct Scheduler {
    pub(crate) runs: ByNumber<RunId, Run>,
    pub(crate) workers: Workers,
    /// Runs that may have something to start, by what it requires.
    pub(crate) queue: RunQueue,
    /// Of those in line, the ones that require something.
    pub(crate) requiring: BTreeSet<(Need, RunId, u32)>,
    /// What is required by those in line and by workers with room, as far as it is known.
    pub(crate) wakeable: BTreeSet<Need>,
    /// Of the requiring, those whose requirement no worker that is there can meet.
    pub(crate) hopeless: BTreeSet<(RunId, Need, u32)>,
    /// Runs of which something that is wanted isn't there.
    pub(crate) unfinished: BTreeSet<RunId>,
    /// Runs of which it isn't known whether they can go on.
    pub(crate) doubtful: BTreeSet<RunId>,
    /// Of the runs that tasks have submitted, those that are requiring: each by itself and by all above it.
    pub(crate) needy: BTreeSet<(RunId, RunId)>,
    /// Those of them that may borrow by now what they require.
    pub(crate) borrowers: BTreeSet<RunId>,
    /// Runs that have something to tell those that they import from, or that import from them.
    pub(crate) unsettled: BTreeSet<RunId>,
    /// Runs of which all that is wanted is there, or has failed: their clients are told when the others have been heard.
    pub(crate) finishing: BTreeSet<RunId>,
    /// Runs that are over, and from which nobody imports any more.
    pub(crate) over: Vec<RunId>,
    /// Runs that were kept for others, and are forgotten since this was asked.
    pub(crate) let_go: Vec<RunId>,
    /// How far all runs have come, taken together.
    pub(crate) totals: Progress,
    /// Things that were looked at to decide what is next.
    pub(crate) steps: u64,
    /// Classes of runs with suspects that look for a worker of their own.
    pub(crate) with_suspects: BTreeSet<(Need, RunId, u32)>,
    /// Those of them that may find what they require with tasks that wait for their runs.
    pub(crate) borrowing_suspects: BTreeSet<(Need, RunId, u32)>,
    /// Workers that are kept for those who ask for much of a resource.
    pub(crate) reserves: Reserves,
    /// Tasks that wait for memory.
    pub(crate) waits: Waits,
    /// When the event at hand happened.
    pub(crate) now: Time,
    pub(crate) actions: VecDeque<Action>,
    pub(crate) settings: Settings,
    pub(crate) placement: Arc<dyn Placement>,
}

impl Scheduler {
    /// A scheduler that hands out about `credit_nanoseconds` of work at a time, and nothing in advance.
    pub fn new(credit_nanoseconds: u64) -> Self {
        Self::with(Settings { credit_nanoseconds, ..Settings::default() }, Arc::new(SoonestStart::default()))
    }

    /// A scheduler with these settings, and `placement` to choose workers.
    pub fn with(settings: Settings, placement: Arc<dyn Placement>) -> Self {
        // What is expected of tasks is added up.
        let settings = Settings { credit_nanoseconds: settings.credit_nanoseconds.min(LONGEST), ..settings };
        Self {
            runs: ByNumber::default(),
            workers: Workers::new(settings),
            queue: RunQueue::new(settings.order),
            requiring: BTreeSet::new(),
            wakeable: BTreeSet::new(),
            hopeless: BTreeSet::new(),
            unfinished: BTreeSet::new(),
            doubtful: BTreeSet::new(),
            needy: BTreeSet::new(),
            borrowers: BTreeSet::new(),
            unsettled: BTreeSet::new(),
            finishing: BTreeSet::new(),
            over: vec![],
            let_go: vec![],
            totals: Progress::default(),
            steps: 0,
            with_suspects: BTreeSet::new(),
            borrowing_suspects: BTreeSet::new(),
            reserves: Reserves::default(),
            waits: Waits::default(),
            now: Time(0),
            actions: VecDeque::new(),
            settings,
            placement,
        }
    }

    /// Takes in what happened, if it can be: what comes from outside of the process, or from callers, is checked.
    pub fn try_event(&mut self, now: Time, event: Event) -> Result<(), EventError> {
        self.check(&event)?;
        self.handle_event(now, event);
        Ok(())
    }

    /// Takes in what happened. An event that [`Self::check`] refuses may be a panic.
    pub fn handle_event(&mut self, now: Time, event: Event) {
        self.now = self.now.max(now);
        if let Some((worker, run)) = event.holder() {
            self.workers.hear(worker);
            if !self.runs.contains_key(&run) && self.workers.contains(worker) {
                // It came to hold something of it while the run was forgotten.
                self.actions.push_back(Action::Forget { worker, run });
            }
        }
        let is_released = event.asking().and_then(|run| self.runs.get(&run)).is_some_and(|run| run.is_released);
        if is_released && !matches!(event, Event::Released { .. }) {
            // Its client has crossed with himself.
            return;
        }
        match event {
            Event::GraphAdded { run, parent, graph, wanted, failure, imports } => {
                let imports = Imports::new(&graph, &imports).ok().flatten();
                let added = Run::new(graph, &wanted, self.settings.heeds_requirements, imports);
                self.add(run, parent, added.with_failure(failure));
            }
            Event::Retried { run, tasks } => self.retry(run, &tasks),
            Event::Cancelled { run, tasks } => self.cancel(run, &tasks),
            Event::Wanted { run, tasks } => self.change(run, |found| {
                found.is_finished = false;
                tasks.into_iter().for_each(|range| found.tasks.want(&found.graph, range));
            }),
            Event::Scattered { run, tasks, worker, bytes } => self.take_scattered(run, &tasks, worker, bytes),
            Event::GiftsKept { run, tasks, worker, bytes } => {
                self.take_scattered(run, &tasks, worker, bytes);
                self.change(run, |found| {
                    if found.is_released {
                        found.tasks.unwant(&found.graph, &tasks);
                    }
                });
            }
            Event::Kept { run, tasks, worker } => self.take_kept(run, &tasks, worker),
            Event::RunsOn { run, tasks, worker } => self.run_on(run, &tasks, worker),
            Event::Released { run, tasks } => self.change(run, |found| found.tasks.unwant(&found.graph, &tasks)),
            Event::RunReleased { run } => drop(self.end(run)),
            Event::WorkerJoined { worker, offer } => {
                if self.workers.len() == 0 {
                    self.doubtful.extend(&self.unfinished);
                    let owners = self.runs.iter().filter(|(_, run)| run.has_importers());
                    self.doubtful.extend(owners.map(|(id, _)| *id));
                }
                self.workers.add(worker, offer);
            }
            Event::WorkerResized { worker, slots, memory } => self.resize(worker, slots, memory),
            Event::WorkerLends { worker, slots } => self.lend_to_anybody(worker, slots),
            Event::Waits { worker, run, attempt, does } => self.workers.note_waiting(worker, (run, attempt), does),
            Event::WorkerRenamed { worker, name } => self.workers.rename(worker, name),
            Event::SlotsLent { worker, run, slots } => self.lend(worker, run, slots),
            Event::SlotsReturned { worker, run, slots } => self.take_back_lent(worker, run, slots),
            Event::WorkerLost { worker, cause } => self.lose_worker(worker, cause),
            Event::ResultsLost { worker, run, tasks } => self.change(run, |found| {
                found.tasks.lose_those_of(&found.graph, worker, &tasks);
            }),
            Event::CopiesDropped { worker, run, tasks } => self.change(run, |found| {
                found.tasks.drop_copies(&found.graph, worker, &tasks);
            }),
            Event::Started { worker, run, attempt } => {
                let is_forgotten = !self.runs.contains_key(&run);
                self.workers.start(worker, run, attempt, is_forgotten);
            }
            Event::Fetched { worker, run, tasks } => self.fetched(worker, run, &tasks),
            Event::FetchFailed { worker, run, attempt, input_run, task, from, reached } => {
                self.fetch_failed(worker, (run, attempt), (input_run, task), from, reached);
            }
            Event::Unsendable { worker, run, attempt, reader, from, is_deadly } => {
                self.unsendable(worker, (run, attempt), reader, (from, is_deadly));
            }
            Event::Recalled { worker, run, attempt, tasks } => self.take_back(worker, run, attempt, &tasks),
            Event::Reported { worker, report } => self.take_report(worker, report),
            Event::TimePassed => {}
        }
        self.settle();
        self.assign();
    }

    /// The next thing to do, until there is none.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// How many things were looked at so far to decide what is next: members of the line, heads of queues, workers and
    /// where they stand for whoever requires something, suspects, classes of runs; and, of what a client wants or lets
    /// go of and of what is lost with a worker, pages and stretches of tasks that stand alike; and layers that are
    /// asked whether they read a task; and ranges of tasks that are put in order to find out what a graph needs. What an event is about isn't counted otherwise, so that the steps of an event
    /// depend on nothing else that is there.
    pub fn steps(&self) -> u64 {
        self.steps + self.workers.steps()
    }

    /// How far `run` has come; nothing if it isn't known.
    pub fn progress(&self, run: RunId) -> Option<Progress> {
        let counts = &self.runs.get(&run)?.tasks.counts;
        Some(Progress { done: counts.done, total: counts.total })
    }

    /// Where `task` of `run` stands; nothing if the run isn't known or nobody needs the task.
    pub fn task_state(&self, run: RunId, task: TaskId) -> Option<TaskState> {
        let run = self.runs.get(&run)?;
        let state = run.tasks.is_needed(task).then(|| run.tasks.state(&run.graph, task))?;
        Some(match state {
            TaskState::InMemory { unread, .. } if run.tasks.is_imported(task) => {
                let worker = run.locate(self.runs.others(), task).holder();
                TaskState::InMemory { worker, unread }
            }
            state => state,
        })
    }

    /// Whether `worker` holds the result of `task` of `run`.
    pub fn holds(&self, run: RunId, worker: WorkerId, task: TaskId) -> bool {
        let Some(run) = self.runs.get(&run).filter(|run| run.tasks.is_needed(task)) else { return false };
        run.tasks.is_in_memory(task) && run.locate(self.runs.others(), task).is_at(worker)
    }

    /// Changes a run, and tells workers and client what follows from it.
    pub(crate) fn change(&mut self, id: RunId, change: impl FnOnce(&mut Run)) {
        if let Some(run) = self.runs.get_mut(&id) {
            change(run);
            self.publish(id);
        }
    }

    /// Tells workers what a run doesn't need any more, tells the client once all that it wants is there, and puts the run in
    /// line if it has something to start.
    pub(crate) fn publish(&mut self, id: RunId) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        if run.goes_on() {
            run.fail_lost();
            run.tasks.fail_again(&run.graph);
        }
        let freed = run.withdraw_unready();
        self.end_quarantines(id, freed);
        let Some(run) = self.runs.get_mut(&id) else { return };
        self.steps += std::mem::take(&mut run.tasks.steps);
        let Tasks { moves, layers, counts, .. } = &mut run.tasks;
        moves.take().for_each(|moved| self.workers.hold(id, moved, layers[moved.layer.0 as usize].result_bytes));
        let now = Progress { done: counts.done, total: counts.total };
        self.totals.exchange(std::mem::replace(&mut run.counted, now), now);
        run.note_whole();
        if !run.tasks.discards.is_empty() {
            for (worker, tasks) in by_place(&mut run.tasks.discards) {
                if let Some(state) = self.workers.get(worker) {
                    self.actions.push_back(Action::Discard {
                        worker,
                        run: id,
                        tasks,
                        inventory_version: state.inventory_version(),
                    });
                }
            }
        }
        if !run.tasks.lost.is_empty() {
            let tasks = run.tasks.lost.clone();
            self.actions.push_back(Action::Lost { run: id, root: id, tasks });
            self.end(id);
            return;
        }
        for ((worker, attempt), tasks) in by_place(&mut run.tasks.cancelled) {
            // One that is just being lost gives nothing back.
            if self.workers.contains(worker) {
                self.actions.push_back(Action::Recall { worker, run: id, attempt, tasks });
            }
        }
        if let Some((run, others)) = self.runs.split(&id) {
            run.tell_of_results(others, &mut self.actions);
        }
        let Some(run) = self.runs.get_mut(&id) else { return };
        let is_finished = run.tasks.counts.unfinished_wanted == 0;
        _ = if is_finished { self.unfinished.remove(&id) } else { self.unfinished.insert(id) };
        if is_finished && !run.is_finished && !run.is_released {
            // What it imports may be gone, and it hasn't heard of that yet.
            self.finishing.insert(id);
        } else {
            run.is_finished = is_finished;
        }
        if self.runs.get(&id).is_some_and(|run| run.tasks.imports.is_none()) {
            self.finish(id);
        }
        while let Some(run) = self.runs.get_mut(&id)
            && let Some(class) = run.tasks.queues.next_changed()
        {
            self.steps += 1;
            let turn = run.head_turn(class);
            self.queue.stand(id, class as u32, turn);
            if turn.is_none() {
                self.waits.forget_class(id, class as u32);
            }
            let demand = (run.needs[class], id, class as u32);
            if class > 0 && turn.is_some() != self.requiring.contains(&demand) {
                self.demand(demand, turn.is_some());
            }
        }
        self.note_links(id);
        let Some(run) = self.runs.get(&id) else { return };
        if run.requiring() > 0 && run.parent.is_some() {
            self.borrowers.insert(id);
        }
        let is_stuck = run.is_stuck() && self.queue.has_none_of(id);
        let is_between = run.tasks.imports.is_some() && run.has_importers();
        let may_be_stalled = is_stuck
            || is_between
            || run.stalled.is_some()
            || run.blocked.is_some()
            || run.classes.len() > 1
            || !run.suspects.is_empty();
        if may_be_stalled || (self.workers.len() == 0 && !run.is_finished) {
            self.doubtful.insert(id);
        }
        if !run.suspects.is_empty() || !run.sought.is_empty() {
            self.note_suspects(id);
        }
    }

    fn lose_worker(&mut self, worker: WorkerId, cause: LossCause) {
        let quarantine = self.workers.get(worker).and_then(WorkerState::quarantine);
        let kept_for = self.workers.get(worker).and_then(WorkerState::kept_for).cloned();
        // What it holds of each run is known while its seat is there.
        let held = |run| self.workers.get(worker).map_or_else(Vec::new, |state| state.holdings().of(run));
        let known: Vec<_> = self.workers.known(worker).into_iter().map(|run| (run, held(run))).collect();
        let guilty = self.blame(worker, cause);
        let placed = self.workers.remove(worker);
        // Before a run of them is forgotten: its family remains.
        placed.iter().for_each(|((id, _), placed)| self.queue.give_back(*id, placed.priority, placed.charged));
        kept_for.iter().for_each(|requirement| self.lose_reserve(requirement));
        self.seek_again(quarantine);
        for (id, held) in known {
            self.change(id, |run| run.lose_worker(worker, &held));
        }
        if self.workers.len() == 0 {
            self.doubtful.extend(&self.unfinished);
        }
        for ((id, attempt), placed) in placed {
            self.change(id, |run| run.requeue(attempt, &placed.tasks));
        }
        for (id, task) in guilty {
            let story = self.runs.get_mut(&id).map(|run| run.suspects.take_story(task));
            if let Some(story) = story {
                self.fail(id, task, worker, story);
            }
        }
    }

    fn take_back(&mut self, worker: WorkerId, id: RunId, attempt: Attempt, tasks: &[TaskRange]) {
        // Only who has it gives it back; what comes late, or from somebody else, changes nothing.
        let placed = self.workers.get(worker).and_then(|state| state.find(id, attempt));
        let Some(expected) = placed.map(|placed| (placed.priority, placed.charged)) else { return };
        let stolen_for = self.workers.take_out(worker, id, attempt, tasks);
        self.look_at_borrowers(worker);
        let is_over = self.workers.get(worker).is_some_and(|state| state.find(id, attempt).is_none());
        if is_over {
            self.queue.give_back(id, expected.0, expected.1);
        }
        self.change(id, |run| run.requeue(attempt, tasks));
        if let Some(idle) = stolen_for {
            self.pass_on(id, idle, tasks);
            self.publish(id);
        }
    }

    fn take_scattered(&mut self, id: RunId, tasks: &[TaskRange], worker: WorkerId, bytes: u64) {
        let is_there = self.workers.contains(worker);
        if self.runs.contains_key(&id) {
            self.workers.know(worker, id, true);
        }
        self.change(id, |run| {
            // Taken to be of equal size.
            let each = (bytes / TaskRange::count(tasks).max(1)).min(LARGEST);
            if !is_there {
                // The worker went before the scheduler heard of the data.
                run.tasks.lose_given(tasks);
                return;
            }
            run.know(worker);
            for range in tasks {
                run.tasks.learn_size(range.layer, each);
                range.tasks().for_each(|task| run.give(task, worker));
                run.estimates[range.layer.0 as usize].learn_bytes(range.len(), each.saturating_mul(range.len()));
            }
        });
    }
}

/// Puts together what goes to the same place.
pub(crate) fn by_place<T: Ord + Copy>(ranges: &mut Vec<(T, TaskRange)>) -> Vec<(T, Vec<TaskRange>)> {
    if !ranges.is_sorted_by_key(|&(to, _)| to) {
        ranges.sort_by_key(|&(to, _)| to);
    }
    let mut places: Vec<(T, Vec<TaskRange>)> = vec![];
    for (to, range) in ranges.drain(..) {
        match places.last_mut() {
            Some((last, tasks)) if *last == to => tasks.push(range),
            _ => places.push((to, Vec::from([range]))),
        }
    }
    places
}
