//! What must be true of the scheduler after every event, checked by counting everything again.

use crate::run::Run;
use crate::task::Tag;
use crate::tasks::{Counts, Tasks};
use crate::{Attempt, RunId, Scheduler, TaskRange, TaskState};
use raskt_graph::{Graph, Shape, TaskId};
use std::collections::{BTreeMap, BTreeSet};

impl Scheduler {
    /// Asserts the invariants. Linear in the size of all graphs: for tests.
    ///
    /// # Panics
    /// If one doesn't hold, with the task and what was found.
    pub fn validate(&self) {
        let mut running = 0;
        self.seats.validate(|worker, id, attempt, placed| {
            let run = self.runs.get(&id).expect("only runs that are there have assignments");
            validate_order(run, attempt, &placed.tasks);
            for task in placed.tasks.iter().flat_map(|range| range.tasks()) {
                if run.tasks.is_current(task, attempt) {
                    assert_eq!(
                        run.tasks.record(task).worker,
                        worker,
                        "{task} is with one worker and was given to another"
                    );
                    running += 1;
                }
            }
        });
        let counted = self.runs.values().map(|run| run.tasks.counts.running).sum::<u64>();
        assert_eq!(running, counted, "a task is running if and only if an assignment has it");
        for (&id, run) in &self.runs {
            self.validate_run(run);
            self.validate_line(id, run);
        }
        self.validate_holdings();
        self.queue.validate(self.runs.keys().copied());
    }

    /// What workers are counted to hold is what they hold of the results that will be read.
    fn validate_holdings(&self) {
        let mut counts = BTreeMap::<_, u64>::new();
        for (&run, Run { graph, tasks, .. }) in &self.runs {
            for (layer, len) in graph.layers().map(|(id, layer)| (id, layer.len())) {
                for task in (0..len).map(|index| TaskId::new(layer, index)) {
                    if tasks.is_needed(task) && tasks.is_in_memory(task) && !tasks.is_wanted(task) {
                        let holders = tasks.holders(task);
                        holders.for_each(|worker| *counts.entry((worker, run, layer)).or_default() += 1);
                    }
                }
            }
        }
        for worker in self.seats.workers() {
            let Some(seat) = self.seats.get(worker) else { continue };
            let bytes: u64 = seat.holdings.iter().map(|(.., holding)| holding.bytes).sum();
            assert_eq!(seat.holdings.bytes(), bytes, "bytes that {worker:?} holds");
            for (run, layer, holding) in seat.holdings.iter() {
                let count = counts.remove(&(worker, run, layer));
                assert_eq!(count, Some(holding.count), "results of {layer:?} of {run:?} that {worker:?} holds");
            }
        }
        assert!(counts.is_empty(), "{counts:?} are held and not counted");
        let waits = self.held_back.is_empty() || self.seats.gives_back();
        assert!(waits, "{:?} wait for memory, and nothing will free any", self.held_back);
    }

    fn validate_line(&self, id: RunId, run: &Run) {
        for (class, _) in (0..).zip(&run.classes) {
            let demands = class > 0 && self.queue.has(id, class);
            assert_eq!(
                demands,
                self.demanding.contains(&(id, class)),
                "class {class} of {id:?} among those that demand"
            );
        }
        let is_in_line = !self.queue.has_none_of(id);
        let is_ready = |task: &TaskId| run.tasks.is_needed(*task) && run.tasks.record(*task).tag == Tag::Ready;
        let suspects = run.suspects.iter().filter(is_ready).count() as u64;
        assert!(is_in_line || run.tasks.counts.ready == suspects, "{id:?} has ready tasks and isn't in line");
        assert!(run.suspects.is_empty() || self.accused.contains(&id), "suspects of {id:?} are forgotten");
        let is_told = run.stalled.is_none() || self.stalled.contains(&id);
        assert!(is_told, "{id:?} was told that it is stalled, and is forgotten among those");
        for (&task, holders) in &run.tasks.replicas {
            let record = run.tasks.record(task);
            assert!(record.is_special && record.tag == Tag::InMemory, "{task} has copies, and is {:?}", record.tag);
            assert!(!holders.is_empty() && !holders.contains(&record.worker), "copies of {task}");
            assert!(holders.iter().all(|&holder| self.seats.contains(holder)), "{task} is held by nobody");
        }
    }

    fn validate_run(&self, run: &Run) {
        let Run { graph, tasks, .. } = run;
        let mut counts = Counts::default();
        for (id, layer) in graph.layers() {
            let state = &tasks.layers[id.0 as usize];
            for index in 0..layer.len() {
                let task = TaskId::new(id, index);
                if !tasks.is_needed(task) {
                    assert!(!tasks.is_wanted(task), "{task} is wanted, and not needed");
                    continue;
                }
                self.validate_task(graph, tasks, task);
                let tag = tasks.record(task).tag;
                counts.total += 1;
                counts.done += u64::from(!tag.is_unfinished());
                counts.ready += u64::from(tag == Tag::Ready);
                counts.running += u64::from(tag == Tag::Running);
                counts.unfinished_wanted += u64::from(tasks.is_wanted(task) && tag != Tag::InMemory);
            }
            for (page, left) in state.pages.left() {
                let needed = (page.start..page.end.min(layer.len())).filter(|&index| state.needed.contains(index));
                let unreleased = needed.filter(|&index| state.pages.get(index).tag != Tag::Released).count();
                assert_eq!(left as usize, unreleased, "tasks of a page of {id:?} that are not released");
            }
            validate_exchange(tasks, &layer.shape, TaskId::new(id, 0));
        }
        assert_eq!(tasks.counts, counts, "counted tasks");
    }

    fn validate_task(&self, graph: &Graph, tasks: &Tasks, task: TaskId) {
        let needs_inputs = |tag: Tag| matches!(tag, Tag::Untouched | Tag::Waiting | Tag::Ready | Tag::Running);
        if needs_inputs(tasks.record(task).tag) {
            graph.for_each_input(task, |input| {
                assert!(tasks.is_needed(input), "{task} is to run, and its input {input} isn't needed");
                assert!(
                    tasks.record(input).tag != Tag::Released,
                    "{task} is to run, and its input {input} is released"
                );
            });
        }
        match tasks.state(graph, task) {
            TaskState::Waiting { unfinished } if tasks.layers[task.layer.0 as usize].exchange.is_none() => {
                assert_eq!(u64::from(unfinished), tasks.count_missing(graph, task), "unfinished inputs of {task}");
            }
            TaskState::Ready => assert_eq!(tasks.count_missing(graph, task), 0, "{task} is ready"),
            TaskState::Running { worker } => {
                assert!(self.seats.contains(worker), "{task} runs on {worker:?}, which is not there");
            }
            TaskState::InMemory { worker, unread } => {
                let is_special = tasks.record(task).is_special;
                assert_eq!(is_special, tasks.replicas.contains_key(&task), "copies of {task}");
                assert!(self.seats.contains(worker), "{task} is held by {worker:?}, which is not there");
                assert!(unread > 0 || tasks.is_wanted(task), "{task} is held for nobody");
                assert_eq!(unread, tasks.count_unread(graph, task), "reads of {task} to come");
            }
            TaskState::Waiting { .. } => {}
            TaskState::Released => {
                assert!(!tasks.is_wanted(task), "{task} is wanted, and released");
                assert_eq!(tasks.count_unread(graph, task), 0, "reads of {task}, which is released");
            }
        }
    }
}

/// Tasks of an assignment come after those of it that they read.
fn validate_order(run: &Run, attempt: Attempt, tasks: &[TaskRange]) {
    let mut seen = BTreeSet::new();
    for task in tasks.iter().flat_map(|range| range.tasks()) {
        if run.tasks.is_current(task, attempt) {
            run.graph.for_each_input(task, |input| {
                let is_made_here =
                    tasks.iter().any(|range| range.contains(input)) && run.tasks.is_current(input, attempt);
                assert!(!is_made_here || seen.contains(&input), "{task} comes before its input {input}");
            });
        }
        seen.insert(task);
    }
}

fn validate_exchange(tasks: &Tasks, shape: &Shape, first: TaskId) {
    let (Shape::Exchange { input, producers, consumers }, Some(exchange)) =
        (shape, tasks.layers[first.layer.0 as usize].exchange)
    else {
        return;
    };
    let missing = (0..*producers).filter(|&index| !tasks.is_in_memory(TaskId::new(*input, index))).count();
    assert_eq!(exchange.producers_left, missing as u64, "producers that are not in memory");
    let is_left = |&index: &u64| {
        let task = TaskId::new(first.layer, index);
        tasks.is_needed(task) && tasks.record(task).tag.is_unfinished()
    };
    assert_eq!(exchange.consumers_left, (0..*consumers).filter(is_left).count() as u64, "consumers to come");
}
