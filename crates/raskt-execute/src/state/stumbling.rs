//! Panics of the machines where tests want them.

use super::State;

/// A place in what changes the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Submitting,
    Submitted,
    Reserving,
    Asked,
    Answered,
    Executing,
    TakingIn,
    TakenIn,
    Discarding,
    Finishing,
    Releasing,
}

impl Spot {
    pub const ALL: [Self; 11] = [
        Self::Submitting,
        Self::Submitted,
        Self::Reserving,
        Self::Asked,
        Self::Answered,
        Self::Executing,
        Self::TakingIn,
        Self::TakenIn,
        Self::Discarding,
        Self::Finishing,
        Self::Releasing,
    ];
}

impl State {
    /// Panics here if it is told to, when it has come by a number of times.
    pub fn pass(&mut self, spot: Spot) {
        if let Some((at, left)) = &mut self.stumbles
            && *at == spot
        {
            *left -= 1;
            assert!(*left > 0, "it stumbled at {spot:?}");
        }
    }
}
