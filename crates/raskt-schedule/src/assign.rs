//! Who gets what next.

use crate::admit::Effect;
use crate::batch::{Batch, Limits};
use crate::queue::Head;
use crate::requirement::Requirement;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::seat::{Placed, Seat};
use crate::{Action, Assignment, RunId, TaskRange, WorkerId};
use raskt_graph::TaskId;
use smallvec::SmallVec;
use std::sync::Arc;

/// Workers without work for whom work is asked back after one event, and full workers that are looked at for each.
const ASKED_BACK_FOR: usize = 16;
const ASKED: usize = 8;

impl Scheduler {
    /// Gives work to those that have room, in the order of the line. What can't be given to anybody now stays in line, and what
    /// is behind it has its turn.
    pub(crate) fn assign(&mut self) {
        if !self.accused.is_empty() || self.seats.has_quarantined() {
            self.assign_suspects();
        }
        self.held_back.clear();
        self.assign_in_line(self.seats.minds_memory());
        if !self.held_back.is_empty() && !self.seats.gives_back() {
            // There is nothing to wait for.
            self.held_back.clear();
            self.assign_in_line(false);
        }
        if !self.accused.is_empty() {
            self.assign_suspects_to_idle();
        }
        self.ask_back();
        self.tell_of_stalls();
    }

    fn assign_in_line(&mut self, minds_memory: bool) {
        let mut passed = None;
        while self.seats.has_room() {
            let Some(next) = self.queue.next(passed) else { break };
            if !self.assign_from(next.run(), next.class() as usize, minds_memory) {
                passed = Some(next);
            }
        }
    }

    /// Hands out one assignment of a class of a run, or takes it out of the line; false if nobody can take it now.
    fn assign_from(&mut self, id: RunId, class: usize, minds_memory: bool) -> bool {
        let Some(run) = self.runs.get_mut(&id) else { return true };
        let Some(head) = run.find_startable(class) else {
            self.settle(id);
            return true;
        };
        if self.assign_head(id, class, head, minds_memory) {
            return true;
        }
        // Sources that wait for memory keep nobody who would free some waiting.
        let is_held_back = minds_memory && head.is_source() && self.held_back.contains(&id);
        let run = self.runs.get_mut(&id).filter(|_| is_held_back);
        let ready = run.and_then(|run| run.find_ready(class));
        ready.is_some_and(|ready| self.assign_head(id, class, ready, minds_memory))
    }

    /// Hands out something of `id` to `worker`, whose task waits for it: where it is, and however much else it has. Says whether
    /// there was something.
    pub(crate) fn assign_lent(&mut self, worker: WorkerId, id: RunId) -> bool {
        let Some(run) = self.runs.get_mut(&id) else { return false };
        let heads = (0..run.classes.len()).filter_map(|class| Some((class, run.find_startable(class)?)));
        let heads: SmallVec<[(usize, Head); 2]> = heads.collect();
        let able = |class: usize| self.seats.is_able(worker, run.classes[class].as_deref());
        let Some(&(class, head)) = heads.iter().find(|&&(class, _)| able(class)) else {
            self.settle(id);
            return false;
        };
        let (requirement, first) = (run.classes[class].clone(), run.task_at(head.layer, head.start));
        let gives_back = self.seats.minds_memory() && run.effect(first).gives_back();
        let limits = Limits { room: u64::MAX, net: 0, ..self.limits(id, worker) };
        let batch = self.runs.get_mut(&id).map(|run| run.take(class, head, worker, limits));
        if let Some(batch) = batch {
            self.hand_over(id, worker, batch, requirement, gives_back);
        }
        self.settle(id);
        true
    }

    fn assign_head(&mut self, id: RunId, class: usize, head: Head, minds_memory: bool) -> bool {
        let Some(run) = self.runs.get(&id) else { return false };
        let first = run.task_at(head.layer, head.start);
        let effect = if self.seats.minds_memory() { run.effect(first) } else { Effect::default() };
        let net = if minds_memory { effect.net() } else { 0 };
        let requirement = run.classes[class].clone();
        let Some(worker) = self.choose(id, first, requirement.as_deref(), net) else {
            if net > 0 && self.seats.freest(requirement.as_deref()).is_some() {
                self.held_back.insert(id);
            }
            return false;
        };
        let mut limits = self.limits(id, worker);
        (limits.room, limits.net) = if minds_memory { (limits.room, net) } else { (u64::MAX, 0) };
        let batch = self.runs.get_mut(&id).map(|run| run.take(class, head, worker, limits));
        if let Some(batch) = batch {
            self.hand_over(id, worker, batch, requirement, effect.gives_back());
        }
        self.settle(id);
        true
    }

    pub(crate) fn limits(&self, id: RunId, worker: WorkerId) -> Limits {
        let ready = self.runs.get(&id).map_or(0, |run| run.tasks.ready_hint());
        let share = match self.seats.slots() {
            0 | 1 => u64::MAX,
            // Half of an even share, so that the last assignments are small and end together.
            slots => ready / (2 * slots),
        };
        let seat = self.seats.get(worker);
        Limits {
            credit: self.settings.credit_nanoseconds,
            ready,
            share,
            bytes: seat.map_or(0, Seat::batch_bytes),
            room: seat.map_or(0, Seat::room),
            net: 0,
            minds_holders: self.seats.len() > 1,
        }
    }

    /// The worker that should run `task`, which adds `net` bytes to what it holds, among those that can take it now.
    fn choose(&self, id: RunId, task: TaskId, requirement: Option<&Requirement>, net: u64) -> Option<WorkerId> {
        let freest = match net {
            0 => self.seats.freest(requirement)?,
            _ => self.seats.freest_for(requirement, net)?,
        };
        if self.seats.len() == 1 {
            return Some(freest);
        }
        let holders = self.runs[&id].holders(task);
        if holders.is_empty() {
            return Some(freest);
        }
        let total: u64 = holders.iter().map(|(_, bytes)| bytes).sum();
        let others = holders.iter().map(|&(worker, _)| worker).filter(|&worker| worker != freest);
        let admits = |worker| net == 0 || self.seats.get(worker).is_some_and(|seat| seat.admits(net));
        let able = others.filter(|&worker| self.seats.can_take(worker, requirement) && admits(worker));
        let able: Vec<_> = std::iter::once(freest).chain(able).collect();
        let reaches_all =
            |worker: &WorkerId| !holders.iter().any(|&(holder, _)| self.seats.cannot_reach(*worker, holder));
        let candidate = |worker: WorkerId| {
            let held = holders.iter().find(|(holder, _)| *holder == worker).map_or(0, |(_, bytes)| *bytes);
            self.seats.candidate(worker, total - held)
        };
        let mut candidates: Vec<_> = able.iter().copied().filter(reaches_all).map(candidate).collect();
        if candidates.is_empty() {
            // It will fail to fetch again; the copy then counts as lost and is made anew.
            candidates = able.into_iter().map(candidate).collect();
        }
        Some(candidates[self.placement.choose(&candidates).min(candidates.len() - 1)].worker)
    }

    pub(crate) fn hand_over(
        &mut self,
        run: RunId,
        worker: WorkerId,
        batch: Batch,
        requirement: Option<Arc<Requirement>>,
        gives_back: bool,
    ) {
        let Batch { tasks, fleeting, attempt, memory, nanoseconds, fetches } = batch;
        let mut priority = 0;
        if let Some(run) = self.runs.get_mut(&run) {
            run.known_to.insert(worker);
            let layer = tasks.first().map(|range| range.layer.0 as usize);
            priority = layer.map_or(0, |layer| run.tasks.layers[layer].priority);
        }
        self.queue.charge(run, priority, nanoseconds);
        let placed = Placed {
            tasks: tasks.clone(),
            nanoseconds,
            memory,
            priority,
            requirement,
            gives_back,
            is_started: false,
            asked_for: None,
        };
        self.seats.place(worker, run, attempt, placed);
        let assignment = Assignment { run, attempt, tasks, fleeting, memory, fetches };
        self.actions.push_back(Action::Assign { worker, assignment });
    }

    /// Whether there is more memory than before once `tasks` have run, going by the first of them.
    pub(crate) fn gives_back(&self, id: RunId, tasks: &[TaskRange]) -> bool {
        let first = tasks.first().map(|range| TaskId::new(range.layer, range.start));
        let effect = |(run, first): (&Run, TaskId)| run.effect(first);
        self.seats.minds_memory() && self.runs.get(&id).zip(first).map(effect).is_some_and(Effect::gives_back)
    }

    /// Asks workers that were given work in advance to give some back for those that have nothing to do. What comes back
    /// goes to just these, so that nothing wanders about.
    fn ask_back(&mut self) {
        if self.seats.ahead().next().is_none() {
            return;
        }
        let idle: Vec<_> = self.seats.idle().take(ASKED_BACK_FOR).collect();
        for worker in idle {
            let mut found = None;
            'victims: for victim in self.seats.ahead().take(ASKED) {
                let Some(seat) = self.seats.get(victim) else { continue };
                for (&(run, attempt), placed) in seat.placed().rev() {
                    let is_free = !placed.is_started && placed.asked_for.is_none();
                    if is_free && self.seats.can_take(worker, placed.requirement.as_deref()) {
                        found = Some((victim, run, attempt, placed.tasks.clone()));
                        break 'victims;
                    }
                }
            }
            let Some((victim, run, attempt, tasks)) = found else { return };
            self.seats.ask_back(victim, run, attempt, worker);
            self.actions.push_back(Action::TakeBack { worker: victim, run, attempt, tasks });
        }
    }

    /// Hands `tasks`, which came back, to the worker that they were asked for.
    pub(crate) fn pass_on(&mut self, id: RunId, worker: WorkerId, tasks: &[TaskRange]) {
        let Some(run) = self.runs.get(&id) else { return };
        let Some(layer) = tasks.first().map(|range| range.layer) else { return };
        let class = run.tasks.layers[layer.0 as usize].class;
        let requirement = run.classes[class as usize].clone();
        if !self.seats.can_take(worker, requirement.as_deref()) {
            return;
        }
        let limits = self.limits(id, worker);
        let batch = self.runs.get_mut(&id).and_then(|run| run.take_these(tasks, worker, limits, true));
        if let Some(batch) = batch {
            let gives_back = self.gives_back(id, &batch.tasks);
            self.hand_over(id, worker, batch, requirement, gives_back);
        }
    }
}
