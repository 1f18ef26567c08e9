//! How long until the next call, after one that failed.

use std::time::Duration;

/// Doubles with each failure, and is never twice the same, so that those who lost the same peer don't come back together.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(2);

impl Backoff {
    /// It went well.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// It failed; how long to wait, between half of what it may be and all of it. `chance` is any number.
    pub fn failed(&mut self, chance: u64) -> Duration {
        let whole = (FIRST * 2_u32.saturating_pow(self.failures.min(16))).min(LONGEST);
        self.failures += 1;
        whole / 2 + whole.mul_f64((chance % 1024) as f64 / 2048.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_to_a_bound_and_begins_anew() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..20).map(|chance| backoff.failed(chance * 50)).collect();
        assert!(waits[0] >= FIRST / 2 && waits[0] <= FIRST && waits[19] >= LONGEST / 2);
        assert!(waits.iter().all(|wait| *wait <= LONGEST));
        backoff.reset();
        assert!(backoff.failed(1023) <= FIRST);
    }
}
