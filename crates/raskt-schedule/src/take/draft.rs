//! An assignment that is being put together, and how much may go into it.

use crate::links::located::OtherRuns;
use crate::queue::Head;
use crate::{Attempt, TaskRange, WorkerId};
use raskt_graph::{LayerId, OpKind, TaskId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most tasks that are handed out in one assignment.
pub(crate) const BATCH_TASKS: u64 = 1024;

/// The part of the credit that is as good as nothing: for so long results may wait although others could have read them.
const CREDIT_PER_WAIT: u64 = 10;

/// How much is handed out at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Nanoseconds of work.
    pub credit: u64,
    /// Tasks that are ready, at most.
    pub ready: u64,
    /// Tasks: a fair part of what is ready.
    pub share: u64,
    /// Bytes of what they read and hold.
    pub bytes: u64,
    /// There are several workers, so that it matters who holds what.
    pub locality_matters: bool,
    /// Bytes that tasks may add to what the worker holds, beside those that go along with what they follow.
    pub room: u64,
    /// How many of them the first task adds.
    pub net: u64,
}

/// An assignment while tasks are put into it.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    /// The other runs, whose results the tasks may read.
    pub others: OtherRuns<'a>,
    pub worker: WorkerId,
    pub attempt: Attempt,
    pub limits: Limits,
    pub tasks: Vec<TaskRange>,
    /// Time that the tasks will take.
    pub nanoseconds: u64,
    /// Bytes of what they make and hold, and of what they read.
    pub bytes: u64,
    /// What all of them have in common.
    pub kind: Kind,
    /// The layer of the first.
    pub layer: LayerId,
    pub count: u64,
    /// Tasks that have become ready by those in the draft.
    pub followers: BinaryHeap<Follower>,
    /// How many more have, and can't go along.
    pub left_behind: u64,
    /// Some task of it reads another.
    pub has_followers: bool,
    /// What the ready tasks of it add to what the worker holds, and what one of the layer of the last of them does.
    pub added: u64,
    pub net: Option<(LayerId, u64)>,
}

/// Tasks of one kind may go together: the same workers can run them, in the same way, at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub class: u32,
    pub priority: i32,
    pub op: OpKind,
}

/// When a task would start among the others of its priority: later layers first, then in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn(pub LayerId, pub Reverse<u64>);

/// What a task adds to an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight {
    pub nanoseconds: u64,
    pub bytes: u64,
}

/// A ready task that goes along when its turn comes; one that nobody has looked at yet starts after all that have become
/// ready, and has no turn.
pub(crate) type Root = (Option<Turn>, TaskId, Weight);

/// A task that has become ready by those in the draft.
pub(crate) type Follower = (Turn, TaskId, Weight);

/// The ready tasks at the head of a queue, as far as a draft may take them.
#[derive(Debug)]
pub(crate) struct Roots {
    pub class: usize,
    /// Nothing if no more are to be taken.
    pub head: Option<Head>,
    /// How many of the head have been.
    pub taken: u64,
    /// The next one, if it was looked at.
    pub next: Option<Root>,
    /// Where they must have their inputs, if that matters.
    pub holder: Option<Option<WorkerId>>,
}

impl Draft<'_> {
    /// Whether nothing more goes in.
    pub fn is_full(&self) -> bool {
        self.nanoseconds >= self.limits.credit || self.count >= BATCH_TASKS || self.bytes >= self.limits.bytes
    }

    /// Whether a task may go in. Only if it is the one thing that anybody could do next, it may keep others waiting.
    pub fn has_room_for(&self, weight: Weight, is_only_one: bool) -> bool {
        let nanoseconds = self.nanoseconds.saturating_add(weight.nanoseconds);
        nanoseconds <= self.limits.credit
            && self.bytes.saturating_add(weight.bytes) <= self.limits.bytes
            && (is_only_one || self.count < self.limits.share || nanoseconds <= self.limits.credit / CREDIT_PER_WAIT)
    }
}
