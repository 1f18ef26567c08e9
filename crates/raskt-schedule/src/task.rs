//! The states of a task, and the record that holds one.

use crate::{Attempt, WorkerId};

/// Where a task stands. Each state carries what is known in it and nothing else.
///
/// | from | to | by |
/// |---|---|---|
/// | — | `Waiting` | a client wants it, or a task that is wanted reads it |
/// | `Waiting` | `Ready` | its last unfinished input came into memory |
/// | `Ready` | `Running` | assigned to a worker |
/// | `Waiting` | `Running` | assigned together with all the inputs that it misses |
/// | `Ready` | `Waiting` | an input was lost |
/// | `Running` | `InMemory` | reported as done |
/// | `Running` | `Released` | reported as spent: all its readers were of its assignment, and are done |
/// | `Running` | `Ready` | failed with retries left, not run, taken back, or its worker was lost |
/// | `Running` | `Waiting` | the same, and an input wasn't made or was lost meanwhile; or spent, and somebody needs it since |
/// | `InMemory` | `Released` | its last reader is done, and no client wants it; or its last copy was lost |
/// | `Released` | `Waiting` | somebody needs it again |
/// | `Waiting`, `Ready`, `Running` | — | nobody needs it any more; or it has failed for good, or something that it reads has, and its run goes on |
///
/// A task that stands for one of another run is never `Ready` or `Running`. It goes from `Waiting` to `InMemory` when that comes into
/// memory, back when that is lost, and to `Released` when it has been read: from then on its owner needn't keep anything for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// Inputs are missing. A task that nothing has happened to yet is in this state without a record.
    Waiting {
        /// Reads of inputs that are not in memory.
        unfinished: u32,
    },
    /// Everything it reads is in memory.
    Ready,
    /// A worker has it. What it reads is in memory, or is made by tasks that stand before it in its own assignment.
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
    /// Its result was there and isn't any more.
    Released,
}

/// Stands for whoever holds an imported result: that is known where the task is that it stands for. No worker has this number.
pub(crate) const ELSEWHERE: WorkerId = WorkerId(u32::MAX);

/// What the scheduler knows of a task that something has happened to: sixteen bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// The hand-out that it is on while it is running; while it waits, the one that [`Self::count_in`] counts for.
    pub attempt: Attempt,
    /// While waiting, reads of inputs that are not in memory; while in memory, reads to come.
    pub count: u32,
    /// Who runs it or holds it. While it waits there is nobody, and the space is used by [`Self::count_in`].
    pub worker: WorkerId,
    /// How often it has failed.
    pub failures: u16,
    pub tag: Tag,
    /// While running: its worker holds a result of an earlier hand-out, which came after that had been cancelled. While in
    /// memory: more workers than one hold it.
    pub is_special: bool,
}

/// A [`TaskState`] without what it carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    /// Nothing has happened to it; it waits for all that it reads.
    #[default]
    Untouched,
    Waiting,
    Ready,
    Running,
    InMemory,
    Released,
}

impl Tag {
    /// Whether it has still to run.
    pub fn is_unfinished(self) -> bool {
        !matches!(self, Self::InMemory | Self::Released)
    }
}

const _: () = assert!(size_of::<Record>() == 16);

impl Record {
    pub const RELEASED: Self =
        Self { attempt: Attempt(0), count: 0, worker: WorkerId(0), failures: 0, tag: Tag::Released, is_special: false };

    /// Whether a client that wants this task and `other`, or doesn't any more, changes the same of both.
    pub fn stands_like(&self, other: &Self) -> bool {
        let is_like = self.worker == other.worker
            && self.is_special == other.is_special
            && (self.count == 0) == (other.count == 0);
        self.tag == other.tag && (self.tag != Tag::InMemory || is_like)
    }

    /// One of the inputs that it waits for is handed out by `attempt`: whether all of them now are. A hand-out has a number of
    /// its own and is put together in one go, so that what was counted for an older one needn't be cleared.
    pub fn count_in(&mut self, attempt: Attempt) -> bool {
        debug_assert_eq!(self.tag, Tag::Waiting, "only what waits can follow");
        if self.attempt != attempt {
            (self.attempt, self.worker) = (attempt, WorkerId(0));
        }
        self.worker.0 += 1;
        self.worker.0 == self.count
    }

    /// The state that this is, for a task that has `inputs` inputs.
    pub fn state(&self, inputs: impl FnOnce() -> u32) -> TaskState {
        match self.tag {
            Tag::Untouched => TaskState::Waiting { unfinished: inputs() },
            Tag::Waiting => TaskState::Waiting { unfinished: self.count },
            Tag::Ready => TaskState::Ready,
            Tag::Running => TaskState::Running { worker: self.worker },
            Tag::InMemory => TaskState::InMemory { worker: self.worker, unread: self.count },
            Tag::Released => TaskState::Released,
        }
    }
}
