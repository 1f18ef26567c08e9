//! Suspects run alone: a worker is kept free of everything else for them.

use crate::requirement::Requirement;
use crate::scheduler::Scheduler;
use crate::seat::Placed;
use crate::suspects::Death;
use crate::task::Tag;
use crate::{Attempt, LossCause, RunId, TaskRange, WorkerId};
use raskt_graph::TaskId;
use std::collections::BTreeMap;

/// Why a worker gets nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quarantine {
    pub run: RunId,
    pub task: TaskId,
    /// The hand-out; nothing while the worker has still other things to do.
    pub attempt: Option<Attempt>,
}

impl Scheduler {
    /// Finds workers for suspects, and gives them to those workers that have come to have nothing else.
    pub(crate) fn assign_suspects(&mut self) {
        for worker in self.seats.quarantined() {
            self.go_on_with(worker);
        }
        for id in self.accused.iter().copied().collect::<Vec<_>>() {
            for task in self.ready_suspects(id) {
                self.find_quarantine(id, task);
            }
        }
    }

    /// What is left for workers with nothing to do: suspects, beyond the half of the workers that is kept for them at most
    /// while others have work.
    pub(crate) fn assign_suspects_to_idle(&mut self) {
        for id in self.accused.iter().copied().collect::<Vec<_>>() {
            for task in self.ready_suspects(id) {
                let run = &self.runs[&id];
                let class = run.tasks.layers[task.layer.0 as usize].class;
                let Some(worker) = self.idle_for(run.classes[class as usize].as_deref()) else { continue };
                self.seats.quarantine(worker, Some(Quarantine { run: id, task, attempt: None }));
                self.go_on_with(worker);
            }
        }
    }

    /// A worker that has what is required and nothing to do, not even for runs that are forgotten.
    fn idle_for(&self, requirement: Option<&Requirement>) -> Option<WorkerId> {
        let freest = self.seats.freest(requirement)?;
        self.seats.get(freest).filter(|seat| seat.is_idle() && !seat.has_orphans()).map(|_| freest)
    }

    fn ready_suspects(&self, id: RunId) -> Vec<TaskId> {
        let Some(run) = self.runs.get(&id) else { return vec![] };
        let has_place = |task: &TaskId| self.seats.has_quarantine_for(id, *task);
        run.suspects.iter().filter(|&task| self.is_ready_suspect(id, task)).filter(|task| !has_place(task)).collect()
    }

    fn is_ready_suspect(&self, id: RunId, task: TaskId) -> bool {
        self.runs.get(&id).is_some_and(|run| {
            run.suspects.contains(task) && run.tasks.is_needed(task) && run.tasks.record(task).tag == Tag::Ready
        })
    }

    fn find_quarantine(&mut self, id: RunId, task: TaskId) {
        let run = &self.runs[&id];
        let class = run.tasks.layers[task.layer.0 as usize].class;
        let requirement = run.classes[class as usize].clone();
        if let Some(worker) = self.seats.least_loaded(requirement.as_deref()) {
            self.seats.quarantine(worker, Some(Quarantine { run: id, task, attempt: None }));
            self.go_on_with(worker);
        }
    }

    /// Hands the suspect over if its worker is free of everything else, and frees the worker if the suspect is gone.
    fn go_on_with(&mut self, worker: WorkerId) {
        let Some(seat) = self.seats.get(worker) else { return };
        let Some(Quarantine { run: id, task, attempt }) = seat.quarantine else { return };
        let is_over = match attempt {
            Some(attempt) => seat.find(id, attempt).is_none(),
            None => !self.is_ready_suspect(id, task),
        };
        if is_over {
            return self.seats.quarantine(worker, None);
        }
        if attempt.is_some() {
            return;
        }
        if !seat.is_idle() {
            return self.move_to_idle(worker, id, task);
        }
        let limits = self.limits(id, worker);
        let Some(run) = self.runs.get_mut(&id) else { return };
        let requirement = run.classes[run.tasks.layers[task.layer.0 as usize].class as usize].clone();
        if let Some(batch) = run.take_these(&[TaskRange::one(task)], worker, limits, false) {
            let attempt = Some(batch.attempt);
            self.seats.quarantine(worker, Some(Quarantine { run: id, task, attempt }));
            let gives_back = self.gives_back(id, &batch.tasks);
            self.hand_over(id, worker, batch, requirement, gives_back);
        }
    }

    /// A suspect waits for `worker` to end what it has: if another one has nothing to do by now, that one takes it.
    fn move_to_idle(&mut self, worker: WorkerId, id: RunId, task: TaskId) {
        let run = &self.runs[&id];
        let requirement = &run.classes[run.tasks.layers[task.layer.0 as usize].class as usize];
        if let Some(idle) = self.idle_for(requirement.as_deref()) {
            self.seats.quarantine(worker, None);
            self.seats.quarantine(idle, Some(Quarantine { run: id, task, attempt: None }));
            self.go_on_with(idle);
        }
    }

    /// Notes whom the loss of a worker makes a suspect, and gives those that have killed too many.
    pub(crate) fn blame(
        &mut self,
        worker: WorkerId,
        cause: LossCause,
        quarantine: Option<Quarantine>,
        has_orphans: bool,
        placed: &BTreeMap<(RunId, Attempt), Placed>,
    ) -> Vec<(RunId, TaskId)> {
        let mut guilty = vec![];
        if cause == LossCause::Retired {
            return guilty;
        }
        let started = placed.values().filter(|placed| placed.is_started);
        let executing: u64 = started.map(|placed| TaskRange::count(&placed.tasks)).sum();
        for (&(id, attempt), placed) in placed {
            let Some(run) = self.runs.get_mut(&id) else { continue };
            let is_kept = quarantine.is_some_and(|kept| kept.run == id && kept.attempt == Some(attempt));
            let alone = is_kept && !has_orphans;
            for task in placed.tasks.iter().flat_map(|range| range.tasks()) {
                if !run.tasks.is_current(task, attempt) {
                    continue;
                }
                let others = executing.saturating_sub(u64::from(placed.is_started));
                run.suspects.note(task, Death { worker, others, alone, started: placed.is_started });
                self.accused.insert(id);
                if run.suspects.deaths_alone(task) >= self.settings.deaths {
                    guilty.push((id, task));
                }
            }
        }
        guilty
    }
}
