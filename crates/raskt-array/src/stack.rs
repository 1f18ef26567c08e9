/// Runs `work` with stack enough for another level of an expression: a loop in a user's program may write a hundred
/// thousand levels.
pub(crate) fn grown<R>(work: impl FnOnce() -> R) -> R {
    const LEFT_BYTES: usize = 128 << 10;
    const GROWN_BYTES: usize = 4 << 20;
    stacker::maybe_grow(LEFT_BYTES, GROWN_BYTES, work)
}
