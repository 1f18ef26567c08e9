//! No silent hang: a run that can't go on is told what it waits for.

use crate::requirement::Requirement;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::{Action, RunId};
use raskt_graph::LayerId;
use std::fmt;
use std::sync::Arc;

/// Why a run can't go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StallCause {
    /// There is no worker.
    NoWorkers,
    /// No worker that is there has what the tasks of a layer require.
    Unmet {
        /// The layer.
        layer: LayerId,
        /// What people call it.
        name: Arc<str>,
        /// What is missing, in words.
        requires: String,
    },
    /// Nothing runs and nothing can start, though results are missing: a bug of this machine.
    NothingToStart,
}

impl fmt::Display for StallCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWorkers => write!(f, "there is no worker to run it"),
            Self::Unmet { name, requires, .. } => write!(f, "`{name}` needs {requires}, which no worker has"),
            Self::NothingToStart => write!(f, "results are missing, and nothing runs or can start"),
        }
    }
}

impl StallCause {
    fn unmet(run: &Run, layer: LayerId, requirement: &Requirement) -> Self {
        let name = run.graph.layer(layer).name.clone();
        Self::Unmet { layer, name, requires: requirement.to_string() }
    }
}

impl Scheduler {
    /// Tells clients of runs that can't go on as things are, and of those that can again.
    pub(crate) fn tell_of_stalls(&mut self) {
        if self.seats.len() == 0 {
            for id in self.runs.keys().copied().collect::<Vec<_>>() {
                let waits = self.runs[&id].tasks.counts.unfinished_wanted > 0;
                self.tell(id, waits.then_some(StallCause::NoWorkers));
            }
            return;
        }
        if self.stalled.is_empty() && self.accused.is_empty() && self.demanding.is_empty() {
            return;
        }
        // Only runs with requirements, and those that were told, can be stalled or go on.
        let mut doubtful: Vec<_> = self.stalled.iter().copied().collect();
        doubtful.extend(self.accused.iter());
        doubtful.extend(self.demanding.iter().map(|&(run, _)| run));
        doubtful.sort_unstable();
        doubtful.dedup();
        for id in doubtful {
            let cause = self.find_cause(id);
            self.tell(id, cause);
        }
    }

    fn find_cause(&mut self, id: RunId) -> Option<StallCause> {
        let run = self.runs.get_mut(&id)?;
        for class in 1..run.classes.len() {
            if !self.queue.has(id, class as u32) {
                continue;
            }
            let Some(head) = run.find_startable(class) else { continue };
            if let Some(requirement) = run.classes[class].as_deref()
                && !self.seats.is_met_by_any(requirement)
            {
                return Some(StallCause::unmet(run, head.layer, requirement));
            }
        }
        let suspects: Vec<_> = run.suspects.iter().filter(|task| run.tasks.is_needed(*task)).collect();
        for task in suspects {
            let class = run.tasks.layers[task.layer.0 as usize].class as usize;
            if let Some(requirement) = run.classes[class].as_deref()
                && !self.seats.is_met_by_any(requirement)
            {
                return Some(StallCause::unmet(run, task.layer, requirement));
            }
        }
        (self.queue.has_none_of(id) && run.is_stuck()).then_some(StallCause::NothingToStart)
    }

    /// Tells the client, unless it knows.
    pub(crate) fn tell(&mut self, id: RunId, cause: Option<StallCause>) {
        let Some(run) = self.runs.get_mut(&id).filter(|run| run.stalled != cause) else { return };
        run.stalled = cause.clone();
        match cause {
            Some(cause) => {
                self.stalled.insert(id);
                self.actions.push_back(Action::Stalled { run: id, cause });
            }
            None => {
                self.stalled.remove(&id);
                self.actions.push_back(Action::Resumed { run: id });
            }
        }
    }
}
