//! Wrong lines, for the test that the simulator finds each of them. There are none without the feature `planted`.

/// A mistake that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "planted"), allow(dead_code))]
pub enum Bug {
    /// Whoever reports a running task is believed, though the hand-out may be an old one.
    OldReportIsBelieved = 1,
    /// One of the workers that know of a run isn't told to forget it.
    ForgetIsLost,
    /// A slot that was lent to a run isn't given back when the run has ended.
    LentSlotIsKept,
    /// Of a result with many readers one isn't counted.
    ReaderIsNotCounted,
    /// What a family was handed out isn't counted, so that the oldest goes first for ever.
    FirstComeFirstServed,
    /// A promise of memory isn't given back when what it was for is dropped.
    PromiseLeaks,
    /// Tasks whose box of a grid is empty aren't among those that can start.
    EmptyBoxesNeverStart,
    /// A wanted result that is lost isn't counted among those that are missing.
    LossIsNotCounted,
    /// An all-to-all layer goes on though one of its producers is lost.
    ExchangeStaysOpen,
    /// A client isn't told that its run goes on.
    ResumeIsNotTold,
    /// A suspect counts as alone while something of a forgotten run goes on beside it.
    OrphansAreInnocent,
    /// The clock of shares doesn't go on with the work.
    ClockStandsStill,
    /// What was expected of a hand-out counts for ever if it took less.
    ExpectedStaysUnderWay,
    /// Whoever lacks memory, and has nobody to wait for, is passed as long as there are others.
    LackingIsPassed,
    /// Nobody gets a worker where what he asks for gathers.
    NothingGathers,
    /// The neighbour of a task that fails, fails with it.
    InnocentFails,
    /// Of what failed with a task, one range alone is run again with it.
    RetryForgetsReaders,
    /// A result that another run will read isn't kept for it.
    ImportIsReleased,
}

#[cfg(feature = "planted")]
mod switch {
    use super::Bug;
    use std::sync::atomic::{AtomicU8, Ordering};

    static PLANTED: AtomicU8 = AtomicU8::new(0);

    impl Bug {
        /// All of them.
        pub const ALL: [Self; 18] = [
            Self::OldReportIsBelieved,
            Self::ForgetIsLost,
            Self::LentSlotIsKept,
            Self::ReaderIsNotCounted,
            Self::FirstComeFirstServed,
            Self::PromiseLeaks,
            Self::EmptyBoxesNeverStart,
            Self::LossIsNotCounted,
            Self::ExchangeStaysOpen,
            Self::ResumeIsNotTold,
            Self::OrphansAreInnocent,
            Self::ClockStandsStill,
            Self::ExpectedStaysUnderWay,
            Self::LackingIsPassed,
            Self::NothingGathers,
            Self::InnocentFails,
            Self::RetryForgetsReaders,
            Self::ImportIsReleased,
        ];
    }

    /// From now on all machines of the process make this mistake, or none.
    pub fn plant(bug: Option<Bug>) {
        PLANTED.store(bug.map_or(0, |bug| bug as u8), Ordering::Relaxed);
    }

    /// Whether it is made.
    pub(crate) fn has(bug: Bug) -> bool {
        PLANTED.load(Ordering::Relaxed) == bug as u8
    }
}

#[cfg(feature = "planted")]
pub(crate) use switch::has;
#[cfg(feature = "planted")]
pub use switch::plant;

#[cfg(not(feature = "planted"))]
pub(crate) const fn has(_: Bug) -> bool {
    false
}
