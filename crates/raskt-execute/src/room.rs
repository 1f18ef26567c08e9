//! How deep on its stack a thread runs tasks within tasks.
//!
//! Who waits for a run may run its tasks himself, above the task that he is in. That costs no thread, and no more of the stack
//! than there is: a thread that has little left leaves what is deeper to another one, and where there is no other the run ends
//! with an error. A stack that overflows would end the process.

use raskt_sync::usual_stack;

/// Stack of a thread of the pool beyond the usual one ([`usual_stack`]): for tasks within tasks, each of which still begins with
/// as much as it would have in a thread of its own.
const NESTING_BYTES: usize = 8 << 20;

/// Stack that a task within a task is begun with at the least, where no other thread can be had.
const LEAST_BYTES: usize = 2 << 20;

/// Runs within runs of which a thread may have on its stack before the runners are asked whether there is room for more.
const UNASKED: usize = 8;

/// Stack of a thread of the pool.
pub(crate) fn pool_stack() -> usize {
    usual_stack() + NESTING_BYTES
}

/// Bytes of stack that the calling thread has left; as many as can be where the system doesn't say.
pub(crate) fn stack_left() -> usize {
    stacker::remaining_stack().unwrap_or(usize::MAX)
}

/// Whether a thread may run a task above those that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// It has as much for it as any task has.
    Ample,
    /// Another thread should run it, if one can be had.
    Scant,
    /// There is so much stack left, and so much would be the least.
    Exhausted { left: usize, least: usize },
}

impl Room {
    /// That of the calling thread, which is in so many tasks, and had `outermost` bytes of stack left when it began the first of
    /// them. `is_free` says whether what else a thread has is left in it.
    pub fn here(depth: usize, outermost: usize, is_free: impl FnOnce() -> bool) -> Self {
        let left = stack_left();
        // Threads that others have made may have less from the beginning.
        let least = LEAST_BYTES.min(outermost / 2);
        if depth > 0 && left < least {
            Self::Exhausted { left, least }
        } else if left >= usual_stack() && (depth < UNASKED || is_free()) {
            Self::Ample
        } else {
            Self::Scant
        }
    }
}
