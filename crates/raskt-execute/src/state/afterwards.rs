//! What is seen to once the engine's lock is gone: what takes as long as a run is large, and what may run code of others, as
//! dropping a Python object may.

use super::entry::RunEntry;
use crate::RunError;
use crate::completion::Completion;
use crate::error::Breakdown;
use crate::execution::Execution;
use crate::made::Made;
use crate::observer::{Freed, tell_freed};
use crate::owner::{OwnsRuns, tell_owners};
use crate::results::Results;
use raskt_schedule::{ForgottenRun, TaskRange};
use raskt_store::{Husk, StoredRef};
use raskt_value::Value;
use std::sync::{Arc, Weak};

#[derive(Default)]
pub(crate) struct Afterwards {
    /// Runs all of whose wanted results are there.
    pub finished: Vec<Finished>,
    /// Runs that ended otherwise; what is told first counts. They are told when what they held is free.
    pub ended: Vec<(Arc<Completion>, RunError)>,
    pub values: Vec<Value>,
    pub husks: Vec<Husk>,
    pub made: Vec<Made>,
    pub executions: Vec<Execution>,
    /// Runs that nobody wants any more.
    pub runs: Vec<RunEntry>,
    pub forgotten: Vec<ForgottenRun>,
    /// Machines that broke, with all that they had.
    pub broken: Vec<Box<dyn Send>>,
    /// What was let go and observers haven't been told of; empty if there are none.
    pub freed: Vec<Freed>,
    /// Runs of owners that ended before they were begun, and why.
    pub unbegun: Vec<(Weak<dyn OwnsRuns>, RunError)>,
}

/// A run whose results are to be given to whoever waits for it. Nobody else reads them: all of it has run.
pub(crate) struct Finished {
    pub completion: Arc<Completion>,
    /// In the order in which they were asked for.
    pub wanted: Vec<TaskRange>,
    pub results: Results,
}

impl Afterwards {
    /// Does it all; says so if a machine that is broken left something that can't be done.
    pub fn see_to(mut self) -> Result<(), String> {
        let finished = std::mem::take(&mut self.finished);
        let told: Vec<_> = finished.into_iter().map(Finished::tell).collect();
        for run in std::mem::take(&mut self.runs) {
            run.results.into_values().for_each(|value| let_go(&value));
        }
        let ended = std::mem::take(&mut self.ended);
        let (freed, unbegun) = (std::mem::take(&mut self.freed), std::mem::take(&mut self.unbegun));
        drop(self);
        ended.into_iter().for_each(|(completion, error)| completion.complete(Err(error)));
        tell_freed(&freed);
        tell_owners(unbegun);
        told.into_iter().collect()
    }
}

impl Finished {
    fn tell(self) -> Result<(), String> {
        let Some(results) = self.results.collect(&self.wanted) else {
            let story = "a run has finished without all that is wanted of it";
            let breakdown = Breakdown { story: story.into(), flight: None };
            self.completion.complete(Err(RunError::Broken(Arc::new(breakdown))));
            return Err(story.into());
        };
        // No task reads them any more.
        results.iter().filter_map(StoredRef::of).for_each(|kept| kept.set_turn(None));
        self.completion.complete(Ok(results));
        Ok(())
    }
}

/// No task of this run waits for the value any more. It leaves the store when it is dropped, if nobody else has it.
fn let_go(value: &Value) {
    if let Some(kept) = StoredRef::of(value)
        && Arc::strong_count(&kept) > 2
    {
        kept.set_turn(None);
    }
}
