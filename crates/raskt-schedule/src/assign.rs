//! Who gets what next.

mod stealing;

use crate::admit::Effect;
use crate::needs::Need;
use crate::placed::{Handed, Placed};
use crate::queue::Head;
use crate::requirement::Requirement;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::take::batch::Batch;
use crate::take::draft::Limits;
use crate::waits::{HEADS_LOOKED_AT, Passed, WAITING_LOOKED_AT, Wait};
use crate::worker_state::WorkerState;
use crate::{Action, Assignment, RunId, TaskRange, WorkerId};
use raskt_graph::TaskId;
use std::ops::Bound;
use std::sync::Arc;

/// What came of somebody's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// An assignment was handed out.
    Something,
    /// There is nothing that could start.
    Nothing,
    /// No worker can take it.
    NotNow,
    /// No worker has memory for it, and it waits for somebody who gives some back.
    HeldBack,
    /// The same, and there is nobody to wait for unless others who have their turn give some back.
    LacksMemory,
}

impl Scheduler {
    /// Gives work to those that have room, in the order of the line. What can't be given to anybody now stays in line, and what
    /// is behind it has its turn.
    pub(crate) fn assign(&mut self) {
        self.assign_suspects();
        self.assign_borrowers();
        self.wake_waiting();
        self.keep_room();
        let mut has_woken = true;
        self.wake_before_reserves();
        while has_woken {
            self.assign_all_in_line();
            self.assign_passed_suspects();
            // For whom a worker was kept has had it: what is left of it is there for those who stand aside, and nothing else comes free
            // while work is handed out.
            has_woken = self.reserves.take_has_ended() && self.wake_opened();
            has_woken |= self.wake_before_reserves();
        }
        self.steal();
        self.tell_of_stalls();
    }

    fn assign_all_in_line(&mut self) {
        if self.assign_in_line(false) {
            // Those that would free memory have had their turn.
            self.assign_in_line(true);
        }
    }

    /// Goes through the line. What no worker has memory for waits if there is somebody to wait for, and else goes ahead at the
    /// end. Says whether it is to be gone through once more, to its end.
    fn assign_in_line(&mut self, is_end: bool) -> bool {
        let mut lacks_memory = false;
        self.wake_able();
        self.queue.take_risen();
        let mut from = Bound::Unbounded;
        while self.workers.has_room() {
            let Some(next) = self.queue.next(from) else { break };
            self.steps += 1;
            let given = self.assign_from(next.run(), next.class() as usize, is_end);
            lacks_memory |= given == Turn::LacksMemory;
            if matches!(given, Turn::NotNow | Turn::HeldBack | Turn::LacksMemory) {
                from = Bound::Excluded(next);
            }
            // Whoever was woken meanwhile may stand before those that were passed, and has his turn all the same.
            if let Some(risen) = self.queue.take_risen()
                && matches!(from, Bound::Excluded(passed) if risen < passed)
            {
                from = Bound::Included(risen);
            }
        }
        lacks_memory
    }

    /// Hands out one assignment of a class of a run, or takes it out of the line.
    fn assign_from(&mut self, id: RunId, class: usize, is_end: bool) -> Turn {
        let need = self.runs.get(&id).map_or(Need::NONE, |run| run.needs[class]);
        self.queue.look_at(id, class as u32);
        let given = self.assign_past(id, class, is_end);
        if given == Turn::Nothing {
            self.publish(id);
        }
        if given == Turn::HeldBack {
            self.queue.hold_back(id, class as u32);
        }
        if self.workers.has_open(need) {
            // There is room for one more who requires the same.
            self.queue.wake(need);
        } else if given == Turn::NotNow {
            // Nobody has: it stands aside until somebody does, as all others who require the same.
            self.queue.park(id, class as u32, need);
            self.note_aside(need);
        }
        // Suspects may have been passed on the way.
        self.note_suspects(id);
        given
    }

    /// Those in line for whom some worker has come to have room are woken, one for each requirement.
    fn wake_able(&mut self) {
        while self.next_opened().is_some() {}
        let mut at = Need::NONE;
        while let Some(&need) = self.wakeable.range(at..).next() {
            self.steps += 1;
            if !self.queue.wake(need) {
                self.wakeable.remove(&need);
            }
            at = need.next();
        }
    }

    /// The first of those is woken for whom some worker has come to have room since it was last asked; whether there was one.
    fn wake_opened(&mut self) -> bool {
        let mut has_woken = false;
        while let Some((need, is_met)) = self.next_opened() {
            has_woken |= is_met && self.queue.wake(need);
        }
        has_woken
    }

    /// Notes of one requirement more that it has changed whether some worker has room for it, and says whether there is one now.
    fn next_opened(&mut self) -> Option<(Need, bool)> {
        let need = self.workers.needs.room_changed.pop_first()?;
        self.steps += 1;
        // Whoever requires nothing any more, since those whom it named are gone, stands in line as others do: that somebody has
        // room for it is told by no change of what it requires.
        let is_met = self.workers.needs.is_any(need) || self.workers.has_open(need);
        _ = if is_met { self.wakeable.insert(need) } else { self.wakeable.remove(&need) };
        Some((need, is_met))
    }

    /// Hands out the first that anybody can take. What lacks memory keeps nobody waiting who would free some.
    fn assign_past(&mut self, id: RunId, class: usize, is_end: bool) -> Turn {
        let mut passed = Passed::new();
        while passed.len() < HEADS_LOOKED_AT {
            self.steps += 1;
            let head = self.runs.get_mut(&id).and_then(|run| run.find_startable_past(class, &passed));
            let Some(head) = head else { break };
            match self.assign_head(id, class, head, false) {
                Turn::LacksMemory => passed.push(head.layer),
                Turn::NotNow if !passed.is_empty() => break,
                given => return given,
            }
        }
        if passed.is_empty() {
            return Turn::Nothing;
        }
        self.assign_lacking(id, class, &passed, is_end)
    }

    /// Hands out the first of the heads of these layers, for which no worker has memory, that doesn't wait for it.
    fn assign_lacking(&mut self, id: RunId, class: usize, passed: &Passed, is_end: bool) -> Turn {
        let requirement = self.runs.get(&id).and_then(|run| run.classes[class].clone());
        let mut given = Turn::HeldBack;
        for (at, &layer) in passed.iter().enumerate() {
            self.steps += 1;
            match self.wait(id, class as u32, layer, requirement.as_deref(), is_end) {
                Wait::Waits => {}
                Wait::Passes => given = Turn::LacksMemory,
                Wait::GoesAhead => {
                    let head = self.runs.get_mut(&id).and_then(|run| run.find_startable_past(class, &passed[..at]));
                    if let Some(head) = head {
                        return self.assign_head(id, class, head, true);
                    }
                }
            }
        }
        given
    }

    /// Hands out a head to whoever has memory for it; to anybody if it `goes_ahead`.
    fn assign_head(&mut self, id: RunId, class: usize, head: Head, goes_ahead: bool) -> Turn {
        let Some(run) = self.runs.get(&id) else { return Turn::Nothing };
        let first = TaskId::new(head.layer, head.start);
        let effect =
            if self.workers.has_memory_limit() { run.effect(self.runs.others(), first) } else { Effect::default() };
        let requirement = run.classes[class].clone();
        let mut net = effect.net();
        let mut chosen = self.choose(id, first, requirement.as_deref(), (net, false));
        if chosen.is_none() && net > 0 && self.workers.freest(requirement.as_deref()).is_some() {
            if !goes_ahead {
                return Turn::LacksMemory;
            }
            chosen = self.choose(id, first, requirement.as_deref(), (net, true));
            net = 0;
        }
        let chosen = chosen.or_else(|| self.find_reserved(requirement.as_deref(), head.priority, net));
        let Some(worker) = chosen else { return Turn::NotNow };
        let mut limits = self.limits(id, worker);
        // What goes ahead doesn't run task by task.
        let goes_ahead = effect.net() > net;
        (limits.room, limits.net) = if goes_ahead { (u64::MAX, 0) } else { (limits.room, net) };
        if self.waits.end(id, class as u32, head.layer) {
            // Others may have waited for the same.
            self.queue.wake_some(WAITING_LOOKED_AT);
        }
        let batch = self.runs.split(&id).map(|(run, others)| run.take(others, class, head, worker, limits));
        if let Some(batch) = batch {
            let handed = Handed { gives_back: effect.gives_back(), is_lent: false, stays: false };
            self.hand_over(id, worker, batch, requirement, handed);
        }
        self.publish(id);
        Turn::Something
    }

    pub(crate) fn limits(&self, id: RunId, worker: WorkerId) -> Limits {
        let ready = self.runs.get(&id).map_or(0, |run| run.tasks.ready_hint());
        let share = match self.workers.slots() {
            0 | 1 => u64::MAX,
            // Half of an even share, so that the last assignments are small and end together.
            slots => ready / (2 * slots),
        };
        let state = self.workers.get(worker);
        Limits {
            credit: self.settings.credit_nanoseconds,
            ready,
            share,
            bytes: state.map_or(0, WorkerState::batch_bytes),
            room: state.map_or(0, |state| state.room(&self.settings.admission)),
            net: 0,
            locality_matters: self.workers.len() > 1,
        }
    }

    /// The worker that should run `task`, which adds `net` bytes to what it holds, among those that can take it now; if it
    /// `goes_ahead`, there is none that admits so much.
    fn choose(
        &self,
        id: RunId,
        task: TaskId,
        requirement: Option<&Requirement>,
        (net, goes_ahead): (u64, bool),
    ) -> Option<WorkerId> {
        let freest = match net {
            0 => self.workers.freest(requirement)?,
            _ if goes_ahead => self.workers.freest_ahead(requirement, net)?,
            _ => self.workers.freest_for(requirement, net)?,
        };
        if self.workers.len() == 1 {
            return Some(freest);
        }
        let holders = self.runs[&id].holders(self.runs.others(), task, freest);
        if holders.is_empty() {
            return Some(freest);
        }
        let total: u64 = holders.iter().map(|(_, bytes)| bytes).sum();
        let others = holders.iter().map(|&(worker, _)| worker).filter(|&worker| worker != freest);
        let admits = |worker| net == 0 || self.workers.has_memory(worker, net, goes_ahead);
        let able = others.filter(|&worker| self.workers.can_take(worker, requirement) && admits(worker));
        let able: Vec<_> = std::iter::once(freest).chain(able).collect();
        let reaches_all = |worker: &WorkerId| {
            !holders.iter().any(|&(holder, _)| self.workers.cannot_reach(*worker, holder, self.now))
        };
        let candidate = |worker: WorkerId| {
            let held = holders.iter().find(|(holder, _)| *holder == worker).map_or(0, |(_, bytes)| *bytes);
            self.workers.candidate(worker, total - held)
        };
        let mut candidates: Vec<_> = able.iter().copied().filter(reaches_all).map(candidate).collect();
        if candidates.is_empty() {
            let others = self.workers.some_open(requirement).filter(|&worker| admits(worker)).filter(reaches_all);
            candidates = others.map(candidate).collect();
        }
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
        handed: Handed,
    ) {
        let Batch { tasks, transient, attempt, memory, fetched, nanoseconds, fetches } = batch;
        let (mut priority, mut is_known) = (0, false);
        let id = run;
        if let Some((run, first)) = self.runs.get_mut(&id).zip(tasks.first()) {
            if run.know(worker) {
                self.workers.know(worker, id, true);
            }
            let layer = first.layer.0 as usize;
            priority = run.tasks.layers[layer].priority;
            is_known = run.estimates[layer].nanoseconds(&run.graph.layer(first.layer).cost).is_some();
        }
        // What is lent is taken from nobody, and helps nobody else who asks for the same.
        if let Some(requirement) = requirement.as_deref().filter(|_| !handed.is_lent) {
            self.end_reserve(requirement, worker, priority);
        }
        let expected = is_known.then_some(nanoseconds);
        let relief = handed.gives_back.then(|| self.relief(run, worker, expected, &fetches)).flatten();
        let charged = self.queue.expect(priority, nanoseconds, is_known);
        self.queue.charge(run, priority, charged);
        let borrowed = self.borrow(worker, run, requirement.as_deref());
        let placed = Placed {
            tasks: tasks.clone(),
            nanoseconds,
            charged,
            memory,
            since: self.now,
            priority,
            is_lent: handed.is_lent,
            requirement,
            borrowed,
            relief,
            is_started: false,
            stolen_for: None,
            stays: handed.stays,
        };
        self.workers.place(worker, run, attempt, placed);
        let assignment = Assignment { run, attempt, tasks, transient, memory, fetched, fetches };
        self.actions.push_back(Action::Assign { worker, assignment });
    }

    /// Whether there is more memory than before once `tasks` have run, going by the first of them.
    pub(crate) fn gives_back(&self, id: RunId, tasks: &[TaskRange]) -> bool {
        let first = tasks.first().map(|range| TaskId::new(range.layer, range.start));
        let effect = |(run, first): (&Run, TaskId)| run.effect(self.runs.others(), first);
        self.workers.has_memory_limit() && self.runs.get(&id).zip(first).map(effect).is_some_and(Effect::gives_back)
    }
}
