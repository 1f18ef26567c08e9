//! What clients are told of single results, where each is something by itself.

use crate::alone::failures::Root;
use crate::alone::told::Told;
use crate::links::located::OtherRuns;
use crate::run::Run;
use crate::scheduler::by_place;
use crate::tasks::Tasks;
use crate::{Action, FailureScope, Held, TaskRange};
use raskt_graph::TaskId;
use std::collections::VecDeque;

impl Run {
    /// The client is to be told of each result, if each stands alone.
    pub fn tell_of_each(&mut self) {
        let stands_alone = self.failure == FailureScope::Task;
        self.tasks.told = stands_alone.then(|| Told::new(self.graph.layers().len()).into());
    }

    /// Tells the client which of the results that it wants are there, which aren't any more, and which never will be.
    pub fn tell_of_results(&mut self, others: OtherRuns, actions: &mut VecDeque<Action>) {
        let run = self.id;
        let Some(told) = &mut self.tasks.told else { return };
        let (changed, mut failed) = (std::mem::take(&mut told.changed), std::mem::take(&mut told.failed));
        if changed.is_empty() && failed.is_empty() {
            return;
        }
        let (come, gone) = self.tasks.take_changed(&changed);
        if !gone.is_empty() {
            actions.push_back(Action::Unavailable { run, tasks: gone });
        }
        if !come.is_empty() {
            actions.push_back(Action::Available {
                run,
                results: self.held(others, come.iter().flat_map(|range| range.tasks()), usize::MAX),
            });
        }
        for (root, tasks) in by_place::<Root>(&mut failed) {
            let failures = self.tasks.failures.as_ref();
            if let Some(failure) = failures.and_then(|failures| failures.failure(root)).cloned() {
                actions.push_back(Action::TasksFailed { run, tasks, failure });
            }
        }
    }

    /// Who holds `tasks`, which are in memory, and how many bytes they have; of several that hold a result, one is named. Gives
    /// `most` entries at most.
    pub fn held(&self, others: OtherRuns, tasks: impl Iterator<Item = TaskId>, most: usize) -> Vec<Held> {
        let mut held: Vec<Held> = vec![];
        for task in tasks {
            let located = self.locate(others, task);
            let bytes = located.tasks.layers[located.task.layer.0 as usize].result_bytes;
            let worker = located.holder();
            if let Some(last) = held.last_mut()
                && (last.worker, last.tasks.layer, last.tasks.end) == (worker, task.layer, task.index)
            {
                (last.tasks.end, last.bytes) = (task.index + 1, last.bytes.saturating_add(bytes));
            } else if held.len() < most {
                held.push(Held { worker, tasks: TaskRange::one(task), bytes });
            } else {
                break;
            }
        }
        held
    }
}

impl Tasks {
    /// Of `changed`, what is there and the client doesn't know it, and what isn't and it was told so. It is taken to know from now on.
    fn take_changed(&mut self, changed: &[TaskRange]) -> (Vec<TaskRange>, Vec<TaskRange>) {
        let (mut come, mut gone) = (vec![], vec![]);
        for task in changed.iter().flat_map(|range| range.tasks()) {
            let layer = &self.layers[task.layer.0 as usize];
            let is_there = layer.wanted.contains(task.index) && self.is_in_memory(task);
            let (len, one) = (layer.len, task.index..task.index + 1);
            let Some(told) = &mut self.told else { continue };
            let known = &mut told.known[task.layer.0 as usize];
            match (is_there, known.contains(task.index)) {
                (true, false) => {
                    known.insert(one, len);
                    TaskRange::push(&mut come, task);
                }
                (false, true) => {
                    known.remove(one, len);
                    TaskRange::push(&mut gone, task);
                }
                _ => {}
            }
        }
        (come, gone)
    }
}
