//! No silent hang: a run that can't go on is told what it waits for.

mod cause;

pub use cause::StallCause;

use crate::needs::Need;
use crate::planted::{self, Bug};
use crate::requirement::Requirement;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::{Action, RunId};
use raskt_graph::LayerId;

fn unmet(run: &Run, layer: LayerId, requirement: &Requirement) -> StallCause {
    let name = run.graph.layer(layer).name.clone();
    StallCause::Unmet { layer, name, requires: requirement.to_string() }
}

/// Imports that are looked at to tell what a run waits for.
const OWNERS_LOOKED_AT: usize = 64;

impl Scheduler {
    /// A class of a run that requires something has come to stand in line, or stands there no longer.
    pub(crate) fn demand(&mut self, demand: (Need, RunId, u32), begins: bool) {
        let (need, run, class) = demand;
        _ = if begins { self.requiring.insert(demand) } else { self.requiring.remove(&demand) };
        if let Some(found) = self.runs.get_mut(&run) {
            found.demand(begins);
            // Of several classes the first tells, and the last.
            if found.parent.is_some() && found.requiring() == u32::from(begins) {
                self.note_needy(run, begins);
            }
        }
        self.workers.ask(need, begins);
        let is_hopeless = begins && !self.workers.needs.is_met(need);
        let hopeless = (run, need, class);
        _ = if is_hopeless { self.hopeless.insert(hopeless) } else { self.hopeless.remove(&hopeless) };
        if !begins {
            self.note_undemanded(need);
        }
    }

    /// Tells clients of runs that can't go on as things are, and of those that can again. Looked at are those to which something has
    /// happened, or to what they require.
    pub(crate) fn tell_of_stalls(&mut self) {
        loop {
            self.look_at_what_is_met();
            let Some(id) = self.doubtful.pop_first() else { return };
            self.steps += 1;
            let cause = self.find_cause(id);
            self.note_suspects(id);
            self.tell_importers_of_block(id, &cause);
            let is_waited_for = |run: &Run| run.tasks.counts.unfinished_wanted > 0 && !run.is_released;
            let is_told = self.runs.get(&id).is_some_and(is_waited_for);
            self.tell(id, cause.filter(|_| is_told));
        }
    }

    /// Who requires what some worker has come to have, or none has any more, may go on or has to wait.
    fn look_at_what_is_met(&mut self) {
        while let Some(need) = self.workers.needs.met_changed.pop_first() {
            self.steps += 1;
            let is_met = self.workers.needs.is_met(need);
            let requiring = (need, RunId(0), 0)..=(need, RunId(u64::MAX), u32::MAX);
            for &(_, run, class) in self.requiring.range(requiring.clone()) {
                let hopeless = (run, need, class);
                _ = if is_met { self.hopeless.remove(&hopeless) } else { self.hopeless.insert(hopeless) };
                self.doubtful.insert(run);
            }
            self.doubtful.extend(self.with_suspects.range(requiring).map(|&(_, run, _)| run));
        }
    }

    fn find_cause(&mut self, id: RunId) -> Option<StallCause> {
        let run = self.runs.get_mut(&id).filter(|run| {
            let counts = &run.tasks.counts;
            counts.unfinished_wanted > 0 || run.has_importers() && counts.done < counts.total
        })?;
        if self.workers.len() == 0 {
            return Some(StallCause::NoWorkers);
        }
        for &(_, _, class) in self.hopeless.range((id, Need::NONE, 0)..=(id, Need::LAST, u32::MAX)) {
            self.steps += 1;
            let head = run.find_startable(class as usize);
            if let Some((requirement, head)) = run.classes[class as usize].as_deref().zip(head) {
                return Some(unmet(run, head.layer, requirement));
            }
        }
        let mut class = 0;
        while let Some((found, group)) = run.suspects.first_ready(class) {
            self.steps += 1;
            if !self.workers.needs.is_met(run.needs[found as usize])
                && let Some(requirement) = run.classes[found as usize].as_deref()
                && let Some(first) = run.suspects.tasks_of(group).first()
            {
                return Some(unmet(run, first.layer, requirement));
            }
            class = found + 1;
        }
        let (has_none, counts) = (self.queue.has_none_of(id), run.tasks.counts);
        match &run.tasks.imports {
            Some(imports) if imports.awaited > 0 => {
                let may_wait = has_none && counts.running == 0 && counts.ready == 0;
                self.cause_of_owners(id).filter(|_| may_wait)
            }
            _ => (has_none && run.is_stuck()).then_some(StallCause::NothingToStart),
        }
    }

    /// Why those can't go on that `id` imports from, as far as they are looked at.
    fn cause_of_owners(&self, id: RunId) -> Option<StallCause> {
        let imports = self.runs.get(&id)?.tasks.imports.as_ref()?;
        let owners = imports.parts().iter().take(OWNERS_LOOKED_AT).filter_map(|import| self.runs.get(&import.run));
        // That there is no worker each finds out by itself.
        owners.filter_map(|owner| owner.blocked.clone()).find(|cause| *cause != StallCause::NoWorkers)
    }

    /// Those that import from `id` may not go on either, or may again.
    fn tell_importers_of_block(&mut self, id: RunId, cause: &Option<StallCause>) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let exports = run.tasks.exports.as_ref().filter(|exports| !exports.is_empty());
        let importers = exports.filter(|_| run.blocked != *cause).map(|exports| exports.importers());
        if let Some(importers) = importers {
            run.blocked = cause.clone();
            self.doubtful.extend(importers);
        }
    }

    /// Tells the client, unless it knows.
    pub(crate) fn tell(&mut self, id: RunId, cause: Option<StallCause>) {
        let Some(run) = self.runs.get_mut(&id).filter(|run| run.stalled != cause) else { return };
        run.stalled = cause.clone();
        match cause {
            Some(cause) => self.actions.push_back(Action::Stalled { run: id, cause }),
            None if planted::has(Bug::ResumeIsNotTold) => {}
            None => self.actions.push_back(Action::Resumed { run: id }),
        }
    }
}
