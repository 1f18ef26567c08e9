//! Whose turn it is.

use super::named::Policy;

/// Whose turn it is among families of runs (a run, and those that its tasks submit) of equal priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Who has had the least of the workers' time.
    #[default]
    FairShares,
    /// The oldest: others get what it leaves.
    FirstComeFirstServed,
}

impl Order {
    /// Where a family stands, the least first and the oldest of equal ones, that has had so many nanoseconds and has so
    /// many under way.
    pub(crate) fn turn(self, had: u64, under_way: u64) -> u64 {
        match self {
            Self::FairShares => had.saturating_add(under_way),
            Self::FirstComeFirstServed => 0,
        }
    }
}

impl Policy for Order {
    const KIND: &'static str = "order";

    fn name(&self) -> &str {
        match self {
            Self::FairShares => "fair-shares",
            Self::FirstComeFirstServed => "first-come-first-served",
        }
    }

    fn numbers(&self) -> Vec<u64> {
        vec![]
    }

    fn named(name: &str, numbers: &[u64]) -> Option<Self> {
        let mut all = [Self::FairShares, Self::FirstComeFirstServed].into_iter();
        all.find(|order| order.name() == name && numbers.is_empty())
    }
}
