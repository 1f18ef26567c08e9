//! What is said of what has failed.

use super::core::Core;
use super::gifts::WhyNot;
use crate::failure::{Killed, NO_MEMORY};
use crate::message::{ErrorForm, FailureForm};
use raskt_schedule::Failure;
use raskt_value::ErrorKind;
use std::sync::Arc;

impl Core {
    /// What clients are told of a failure.
    pub fn failure_form(&self, failure: Failure) -> FailureForm {
        let Failure { run, task, story, worker } = failure;
        let key = || format!("{}-{:x}", self.key(run, task), run.0);
        // Nobody asks what it is called where no worker has died.
        let told = |cause| Some(Killed { key: key(), cause }.into());
        let killed = if story.is_empty() { None } else { told(self.causes.last_of(&story)) };
        if worker.is_some() {
            let error = self.errors.get((run, task)).cloned();
            return FailureForm { run, task, error, story, is_lost: false, killed };
        }
        // What no worker is to blame for hasn't failed of itself, whatever went wrong when it was tried before.
        if let Some(error) = self.cancellation(run, task).map(Arc::new) {
            return FailureForm { run, task, error: Some(error), story, is_lost: false, killed };
        }
        match self.runs.get(&run).and_then(|record| record.gifts.why_not(task)) {
            Some(WhyNot::Told(reason)) => {
                let message = format!("its data couldn't be fetched: {reason}");
                let kind = if reason.starts_with(NO_MEMORY) { ErrorKind::Memory } else { ErrorKind::Foreign };
                let error = ErrorForm { key: self.key(run, task), kind, message, cause: None };
                FailureForm { run, task, error: Some(error.into()), story, is_lost: false, killed }
            }
            Some(WhyNot::Deaths(deaths)) => {
                let words = "it is data that a client has given, and what reads it may end its process";
                let last = self.causes.last_of(deaths).map(|cause| format!("; {cause}")).unwrap_or_default();
                let (story, killed) = (deaths.clone(), told(Some(format!("{words}{last}"))));
                FailureForm { run, task, error: None, story, is_lost: false, killed }
            }
            None => FailureForm { run, task, error: None, story, is_lost: true, killed },
        }
    }
}
