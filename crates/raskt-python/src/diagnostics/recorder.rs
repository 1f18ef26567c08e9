use super::clock::Clock;
use hashbrown::HashMap;
use pyo3::prelude::*;
use raskt_execute::{Freed, Observation, Observer, ResultId, TaskRecord, observe};
use raskt_sync::Mutex;
use std::sync::Arc;
use std::time::Instant;

/// Records what tasks do.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct TaskRecorder {
    records: Arc<Records>,
    clock: Clock,
    observation: Mutex<Option<Observation>>,
}

#[derive(Default)]
struct Records {
    tasks: Mutex<Vec<TaskRecord>>,
    freed: Mutex<Vec<(Freed, Instant)>>,
    /// Tasks beyond [`RECORDS_MOST`].
    left_out: Mutex<u64>,
}

/// A recorder keeps so many tasks; of more it only counts how many there were.
const RECORDS_MOST: usize = 10_000_000;

/// Key, op, start, end, thread, bytes, whether it failed.
type Task = (String, String, f64, f64, u32, u64, bool);
/// Key, op, bytes, when the result came, when it went.
type Held = (String, String, u64, f64, Option<f64>);

#[pymethods]
impl TaskRecorder {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        Ok(Self { records: Arc::default(), clock: Clock::of_python(py)?, observation: Mutex::new(None) })
    }

    /// Records from now on.
    fn start(&self) {
        let observation = observe(self.records.clone());
        let before = self.observation.lock().replace(observation);
        drop(before);
    }

    /// Records no longer; what was recorded stays.
    fn stop(&self) {
        let observation = self.observation.lock().take();
        drop(observation);
    }

    /// Forgets what was recorded.
    fn clear(&self) {
        let tasks = std::mem::take(&mut *self.records.tasks.lock());
        self.records.freed.lock().clear();
        *self.records.left_out.lock() = 0;
        drop(tasks);
    }

    /// The tasks in the order in which they ended: key, op, start, end, thread, bytes, failed. Times are in seconds of
    /// `time.perf_counter`.
    fn tasks(&self) -> Vec<Task> {
        let seconds = |moment| self.clock.seconds(moment);
        let tuple = |task: &TaskRecord| {
            let (start, end) = (seconds(task.start), seconds(task.end));
            (task.key.clone(), task.op.to_string(), start, end, task.thread, task.bytes, task.failed)
        };
        self.records.tasks.lock().iter().map(tuple).collect()
    }

    /// The results of the tasks: key, op, bytes, when it came, and when it went (None if it is still there).
    fn held(&self) -> Vec<Held> {
        let (mut results, mut runs) = (HashMap::new(), HashMap::new());
        for (freed, at) in &*self.records.freed.lock() {
            match *freed {
                Freed::Result(id) => drop(results.entry(id).or_insert(*at)),
                Freed::Run { engine, run } => drop(runs.entry((engine, Some(run))).or_insert(*at)),
            }
        }
        let went = |id: &ResultId| results.get(id).or_else(|| runs.get(&(id.engine, id.run))).copied();
        let tasks = self.records.tasks.lock();
        let done = tasks.iter().filter(|task| !task.failed);
        let held = done.map(|task| {
            let (came, went) = (self.clock.seconds(task.end), went(&task.id).map(|at| self.clock.seconds(at)));
            (task.key.clone(), task.op.to_string(), task.bytes, came, went)
        });
        held.collect()
    }

    /// How many tasks ran of which only the number is known, since there were too many.
    fn left_out(&self) -> u64 {
        *self.records.left_out.lock()
    }
}

impl Observer for Records {
    fn ran(&self, records: &[TaskRecord]) {
        let mut tasks = self.tasks.lock();
        let room = RECORDS_MOST.saturating_sub(tasks.len()).min(records.len());
        tasks.extend_from_slice(&records[..room]);
        *self.left_out.lock() += (records.len() - room) as u64;
    }

    fn freed(&self, freed: &[Freed], at: Instant) {
        let mut all = self.freed.lock();
        if all.len() < RECORDS_MOST {
            all.extend(freed.iter().map(|freed| (*freed, at)));
        }
    }
}
