use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::time::Instant;

/// Turns moments into the seconds of Python's `time.perf_counter`.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    now: Instant,
    seconds: f64,
}

/// One for all, so that all say the same of a moment.
static CLOCK: PyOnceLock<Clock> = PyOnceLock::new();

impl Clock {
    pub fn of_python(py: Python<'_>) -> PyResult<Self> {
        CLOCK.get_or_try_init(py, || Self::read(py)).copied()
    }

    /// Reads both clocks, a few times, and believes the reading that took the shortest.
    fn read(py: Python<'_>) -> PyResult<Self> {
        let perf_counter = py.import("time")?.getattr("perf_counter")?;
        let mut best = None;
        for _ in 0..8 {
            let before = Instant::now();
            let seconds = perf_counter.call0()?.extract()?;
            let took = before.elapsed();
            if best.is_none_or(|(shortest, _)| took < shortest) {
                best = Some((took, Self { now: before + took / 2, seconds }));
            }
        }
        Ok(best.map(|(_, clock)| clock).expect("it was read at least once"))
    }

    pub fn seconds(&self, moment: Instant) -> f64 {
        match moment.checked_duration_since(self.now) {
            Some(after) => self.seconds + after.as_secs_f64(),
            None => self.seconds - self.now.duration_since(moment).as_secs_f64(),
        }
    }
}
