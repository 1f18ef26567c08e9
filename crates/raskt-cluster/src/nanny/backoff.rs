//! How long from one start of a process to the next.

use std::time::Duration;

/// How long is waited: doubled with each death in a row, up to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// With the first death.
    pub first: Duration,
    /// At most.
    pub longest: Duration,
    /// Who has lived for so long has nothing to do with the deaths before.
    pub lived: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        Self { first: Duration::from_millis(250), longest: Duration::from_secs(30), lived: Duration::from_secs(60) }
    }
}

impl Waits {
    /// After so many deaths in a row before this one: between half of what it may be and all of it, by `chance`, so that workers
    /// that died together don't come back together.
    pub fn after(&self, deaths: u32, chance: u64) -> Duration {
        let factor = 2_u32.saturating_pow(deaths.min(20));
        let whole = self.first.saturating_mul(factor).min(self.longest);
        whole / 2 + whole.mul_f64((chance % 1024) as f64 / 2048.0)
    }
}

/// A number that looks like any other, always the same for the same two.
pub(super) fn chance(seed: u64, at: u64) -> u64 {
    let mixed = (seed ^ at.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 16
}
