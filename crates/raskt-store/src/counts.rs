//! What a store has done, in numbers.

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub written: u64,
    pub read: u64,
    pub dropped: u64,
    pub lost: u64,
    /// Results that turned out to be impossible to write.
    pub refused: u64,
    /// Results that were looked at since memory was short.
    pub looked_at: u64,
    /// Results that were looked at again since somebody may refer to them no longer.
    pub looked_again: u64,
    /// Times that a thread was woken or started.
    pub woken: u64,
}
