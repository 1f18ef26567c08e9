//! Room for plans that are deep: a loop in a user's program may put hundreds of nodes one under another, and walks over
//! them, the engine's among them, call themselves for each.

/// Plans of so many nodes fit on any stack.
const SHALLOW: usize = 64;
/// What the engine takes for a node, at most: measured, and doubled.
const NODE_BYTES: usize = 256 << 10;

/// Runs `work` on a plan, or expressions, of that depth with stack enough for it.
pub(super) fn with_stack_for<R>(depth: usize, work: impl FnOnce() -> R) -> R {
    if depth <= SHALLOW { work() } else { stacker::grow(depth * NODE_BYTES, work) }
}
