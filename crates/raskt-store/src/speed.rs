//! How fast the disk is.

/// What moving a byte to disk and back takes, measured as it goes.
#[derive(Debug)]
pub(crate) struct Speed {
    write: f64,
    read: f64,
}

/// Nanoseconds a byte that are assumed until something was measured: a gigabyte a second either way.
const ASSUMED: f64 = 1.0;

/// How often a result that is written is expected to be read back.
const READS: f64 = 1.5;

/// The weight of a new measurement.
const NEW: f64 = 0.25;

impl Default for Speed {
    fn default() -> Self {
        Self { write: ASSUMED, read: ASSUMED }
    }
}

impl Speed {
    pub fn wrote(&mut self, bytes: u64, nanoseconds: u64) {
        mix(&mut self.write, bytes, nanoseconds);
    }

    pub fn read(&mut self, bytes: u64, nanoseconds: u64) {
        mix(&mut self.read, bytes, nanoseconds);
    }

    /// Whether computing a result of `bytes` again takes less than writing it and reading it back would, each time that it
    /// is needed.
    pub fn prefers_recomputing(&self, bytes: u64, nanoseconds: u64) -> bool {
        READS * nanoseconds as f64 <= (self.write + READS * self.read) * bytes as f64
    }
}

fn mix(rate: &mut f64, bytes: u64, nanoseconds: u64) {
    *rate += NEW * (nanoseconds as f64 / bytes.max(1) as f64 - *rate);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cheaper_follows_what_was_measured() {
        let mut speed = Speed::default();
        assert!(speed.prefers_recomputing(1000, 1000));
        assert!(!speed.prefers_recomputing(1000, 3000));
        for _ in 0..20 {
            speed.wrote(1000, 10_000);
            speed.read(1000, 5000);
        }
        assert!(speed.prefers_recomputing(1000, 3000), "the disk is slow");
        for _ in 0..40 {
            speed.wrote(1000, 100);
            speed.read(1000, 100);
        }
        assert!(!speed.prefers_recomputing(1000, 1000), "the disk is fast");
    }
}
