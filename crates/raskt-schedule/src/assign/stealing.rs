//! Work that workers were given in advance, and give back: for those that have nothing to do, or since they are to begin nothing more.

use crate::placed::{Handed, Placed};
use crate::requirement::Requirement;
use crate::scheduler::Scheduler;
use crate::worker_state::WorkerState;
use crate::{Action, Attempt, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

impl Scheduler {
    /// Asks workers that were given work in advance to give some back for those that have nothing to do. What comes back
    /// goes to just these, so that nothing wanders about.
    pub(crate) fn steal(&mut self) {
        if self.workers.ahead().next().is_none() || self.workers.idle_for(None).next().is_none() {
            return;
        }
        for (worker, (run, attempt), idle) in self.find_thieves() {
            let placed = self.workers.get(worker).and_then(|state| state.find(run, attempt));
            let tasks = placed.map_or_else(Vec::new, |placed| placed.tasks.clone());
            self.workers.steal(worker, run, attempt, idle);
            self.actions.push_back(Action::Recall { worker, run, attempt, tasks });
        }
    }

    /// What is asked back, and for whom. For each assignment it is looked who could take it, and not the other way round: those
    /// with nothing to do who can take none of them keep none from others.
    fn find_thieves(&mut self) -> Vec<(WorkerId, (RunId, Attempt), WorkerId)> {
        let (rebalance, workers) = (self.settings.rebalance, &self.workers);
        let most = rebalance.asking_workers as usize;
        let placed = |worker| workers.get(worker).map(|state| (worker, state));
        let ahead = workers.ahead().filter_map(placed);
        let ahead = ahead.map(|(worker, state)| state.placed().rev().map(move |placed| ((worker, state), placed)));
        // By what is required, who is idle and could take it.
        let mut idle: BTreeMap<Option<&Requirement>, VecDeque<WorkerId>> = BTreeMap::new();
        let (mut found, mut taken) = (vec![], BTreeSet::new());
        for ((worker, state), (&key, placed)) in rebalance.looked_at(ahead) {
            if found.len() >= most {
                break;
            }
            self.steps += 1;
            if !can_go(state, key, placed) {
                continue;
            }
            let required = placed.requirement.as_deref();
            let able = idle.entry(required).or_insert_with(|| workers.idle_for(required).take(most).collect());
            let thief = std::iter::from_fn(|| able.pop_front()).find(|idle| taken.insert(*idle));
            found.extend(thief.map(|idle| (worker, key, idle)));
        }
        found
    }

    /// Hands `tasks`, which came back, to the worker that they were asked for.
    pub(crate) fn pass_on(&mut self, id: RunId, worker: WorkerId, tasks: &[TaskRange]) {
        let Some(run) = self.runs.get(&id) else { return };
        let Some(layer) = tasks.first().map(|range| range.layer) else { return };
        let class = run.tasks.layers[layer.0 as usize].class;
        let requirement = run.classes[class as usize].clone();
        if !self.workers.can_take(worker, requirement.as_deref()) {
            return;
        }
        let limits = self.limits(id, worker);
        let batch = self.runs.split(&id).and_then(|(run, others)| run.take_these(others, tasks, worker, limits, true));
        if let Some(batch) = batch {
            let gives_back = self.gives_back(id, &batch.tasks);
            self.hand_over(id, worker, batch, requirement, Handed { gives_back, is_lent: false, stays: false });
        }
    }

    /// Whoever is to be given no more begins nothing of what it was given in advance either: that is handed out anew, if another one could
    /// take it. What a task of it waits for has no other place.
    pub(crate) fn ask_all_back(&mut self, worker: WorkerId) {
        let Some(state) = self.workers.get(worker) else { return };
        let another = |placed: &Placed| self.workers.has_another(worker, placed.requirement.as_deref());
        let goes =
            |key: (RunId, Attempt), placed: &Placed| can_go(state, key, placed) && !placed.is_lent && another(placed);
        let ahead = state.placed().filter(|(key, placed)| goes(**key, placed));
        let recall = |(&(run, attempt), placed): (&(RunId, Attempt), &Placed)| Action::Recall {
            worker,
            run,
            attempt,
            tasks: placed.tasks.clone(),
        };
        self.actions.extend(ahead.map(recall));
    }
}

/// Whether another worker may have what one was given in advance, and wasn't asked for it.
fn can_go(state: &WorkerState, key: (RunId, Attempt), placed: &Placed) -> bool {
    // No other worker would be kept for a suspect that came to it in this way.
    let is_suspect = || state.suspects().any(|(suspect, _)| suspect == key);
    !placed.is_started && !placed.stays && placed.stolen_for.is_none() && !is_suspect()
}
