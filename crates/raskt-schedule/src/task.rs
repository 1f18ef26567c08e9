use crate::{Attempt, WorkerId};

/// Where a task stands. Each state carries what is known in it and nothing else.
///
/// | from | to | by |
/// |---|---|---|
/// | `Waiting` | `Ready` | its last unfinished input came into memory |
/// | `Ready` | `Running` | assigned to a worker |
/// | `Ready` | `Waiting` | an input was lost |
/// | `Running` | `InMemory` | reported as done |
/// | `Running` | `Ready` | failed with retries left, not run, or its worker was lost |
/// | `Running` | `Waiting` | its worker was lost, and inputs with it |
/// | `InMemory` | `Released` | its last reader is done, and no client wants it |
/// | `InMemory` | `Waiting` | its worker was lost, and somebody still needs it |
/// | `Released` | `Waiting` | somebody needs it again to recompute what was lost |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// Inputs are missing. A task that nothing has happened to yet is in this state without a record.
    Waiting {
        /// Reads of inputs that are not in memory.
        unfinished: u32,
    },
    /// Everything it reads is in memory.
    Ready,
    /// A worker has it.
    Running {
        /// The worker.
        worker: WorkerId,
    },
    /// Its result is there.
    InMemory {
        /// Who holds it.
        worker: WorkerId,
        /// Reads by dependents that are still to come.
        unread: u32,
    },
    /// Its result was there and isn't needed any more.
    Released,
}

/// What the scheduler knows of a task that something has happened to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub state: TaskState,
    /// Raised by one each time that the task is taken from a worker.
    pub attempt: Attempt,
}
