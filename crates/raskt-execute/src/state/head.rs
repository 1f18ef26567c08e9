//! The scheduler's side of an engine: a machine of its own, or one in another process.

mod elsewhere;

pub(crate) use elsewhere::{Elsewhere, Outgoing, Then, Word};

use crate::RunError;
use crate::flight::RecordedScheduler;
use raskt_graph::Graph;
use raskt_schedule::{
    Action, Event, ForgottenRun, Offer, PreparedRun, Progress, RunId, TaskRange, WorkerId, WorkerTold,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The one worker of a scheduler in this process.
pub(super) const WORKER: WorkerId = WorkerId(0);

/// Who decides what this engine does.
#[expect(clippy::large_enum_variant, reason = "there is one to an engine, and it is never moved about")]
pub(crate) enum Head {
    /// A scheduler machine under the engine's own lock.
    Here(RecordedScheduler),
    /// One that is told through an uplink, and whose orders come in as they come.
    Elsewhere(Box<Elsewhere>),
}

impl Head {
    /// Takes in what happened at the worker.
    pub fn tell(&mut self, told: WorkerTold) {
        match self {
            Self::Here(recorded) => recorded.handle_event(told.into_event(WORKER)),
            Self::Elsewhere(elsewhere) => elsewhere.tell(told),
        }
    }

    pub fn time_passed(&mut self) {
        if let Self::Here(recorded) = self {
            recorded.handle_event(Event::TimePassed);
        }
    }

    /// The next thing that a machine of its own wants done.
    pub fn poll_action(&mut self) -> Option<Action> {
        match self {
            Self::Here(recorded) => recorded.scheduler.poll_action(),
            Self::Elsewhere(_) => None,
        }
    }

    /// When it is to be told that time has passed, if nothing happens before. One elsewhere has a clock of its own.
    pub fn wakes_at(&self) -> Option<Instant> {
        match self {
            Self::Here(recorded) => recorded.wakes_at(),
            Self::Elsewhere(_) => None,
        }
    }

    pub fn is_recorded(&self) -> bool {
        matches!(self, Self::Here(recorded) if recorded.is_recorded())
    }

    pub fn record(&mut self, path: &Path, offer: Offer) -> std::io::Result<()> {
        match self {
            Self::Here(recorded) => recorded.record(path, WORKER, offer),
            Self::Elsewhere(_) => Err(std::io::Error::other("the flight record of a cluster is its scheduler's")),
        }
    }

    /// Ends the flight record, and says where it is.
    pub fn land(&mut self) -> Option<PathBuf> {
        match self {
            Self::Here(recorded) => recorded.land(),
            Self::Elsewhere(_) => None,
        }
    }

    pub fn submit(
        &mut self,
        run: RunId,
        parent: Option<RunId>,
        of: (&Arc<Graph>, &[TaskRange]),
        prepared: PreparedRun,
    ) -> Result<(), RunError> {
        match self {
            Self::Here(recorded) => Ok(recorded.submit(run, parent, of, prepared)?),
            Self::Elsewhere(_) => Err(RunError::Stalled("graphs of a worker come from its scheduler".into())),
        }
    }

    pub fn release(&mut self, run: RunId) -> Option<ForgottenRun> {
        match self {
            Self::Here(recorded) => recorded.release(run),
            Self::Elsewhere(_) => None,
        }
    }

    pub fn progress(&self, run: RunId) -> Option<Progress> {
        match self {
            Self::Here(recorded) => recorded.scheduler.progress(run),
            Self::Elsewhere(_) => None,
        }
    }

    pub fn elsewhere(&self) -> Option<&Elsewhere> {
        match self {
            Self::Here(_) => None,
            Self::Elsewhere(elsewhere) => Some(elsewhere),
        }
    }

    pub fn elsewhere_mut(&mut self) -> Option<&mut Elsewhere> {
        match self {
            Self::Here(_) => None,
            Self::Elsewhere(elsewhere) => Some(elsewhere),
        }
    }
}
