//! Policies have names and numbers, so that a record of what they decided can be replayed.

/// A policy as a flight record tells of it.
pub(crate) trait Policy: Sized {
    /// What it is, in words.
    const KIND: &'static str;

    /// The rule, in words.
    fn name(&self) -> &str;

    /// All that the rule depends on.
    fn numbers(&self) -> Vec<u64>;

    /// The policy of this name with these numbers, if this build has one that takes so many.
    fn named(name: &str, numbers: &[u64]) -> Option<Self>;
}
