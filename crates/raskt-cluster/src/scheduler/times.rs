//! How long things take, as they are counted.

use crate::metrics::Text;
use raskt_sync::Mutex;
use std::time::Duration;

/// Bounds of times that are counted, in seconds.
const BOUNDS: [f64; 8] = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 60.0];

/// How often something took how long.
#[derive(Default)]
pub(super) struct Times {
    counts: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

impl Times {
    pub fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        self.count += 1;
        self.sum += seconds;
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.counts[at] += 1;
        }
    }

    pub fn write(&self, text: &mut Text, name: &str, help: &str) {
        let mut all = 0;
        let buckets = BOUNDS.iter().zip(&self.counts).map(|(&bound, count)| {
            all += count;
            (bound, all)
        });
        text.histogram(name, help, &buckets.collect::<Vec<_>>(), self.count, self.sum);
    }
}

/// What is counted as it happens.
#[derive(Default)]
pub(super) struct Measures {
    /// What it took to take in what somebody said, and to say what follows.
    pub steps: Mutex<Times>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_up_to_their_bounds() {
        let mut times = Times::default();
        [5e-6, 5e-4, 0.5, 100.0].into_iter().for_each(|seconds| times.add(Duration::from_secs_f64(seconds)));
        let mut text = Text::default();
        times.write(&mut text, "t", "h");
        for line in [
            "t_bucket{le=\"0.00001\"} 1\n",
            "t_bucket{le=\"0.001\"} 2\n",
            "t_bucket{le=\"60\"} 3\n",
            "t_bucket{le=\"+Inf\"} 4\n",
        ] {
            assert!(text.as_str().contains(line), "{}", text.as_str());
        }
    }
}
