//! Results that a worker takes over, be they copies or data of clients: some at a time, so that it keeps what has come on the disk before
//! more comes, however much all of it is.

use super::fetching::{Came, Fetching};
use crate::bulk::{BulkError, Source};
use crate::driver::Outbox;
use crate::face::Face;
use crate::hello::{Identity, Role};
use crate::message::{FromWorker, ResultNames};
use crate::parcels::unpack;
use raskt_schedule::{RunId, TaskRange, WorkerId};
use raskt_sync::Mutex;
use raskt_value::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// How long is waited for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Results that are fetched at first; then as many as take about [`STEP_BYTES`].
const FIRST_STEP: u64 = 16;

/// Results of one request, at most.
const STEP_MOST: u64 = super::TASKS_AT_A_TIME;

/// Bytes that results of one request are to take, if they are several.
const STEP_BYTES: u64 = 64 << 20;

/// The part of a worker's memory that results of one request may take, if they are several.
const PART_OF_MEMORY: u64 = 8;

/// Puts results where they are to be.
type Put = fn(&Fetching, RunId, &[TaskRange], Vec<Value>) -> Result<(), String>;

/// Is called at the end.
type Done = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Results that are taken over.
pub(super) struct Steps {
    fetching: Arc<Fetching>,
    source: Option<Source>,
    run: RunId,
    put: Put,
    left: Mutex<Left>,
    done: Mutex<Option<Done>>,
}

/// What hasn't come.
struct Left {
    ranges: VecDeque<TaskRange>,
    /// How many results are fetched next.
    step: u64,
}

impl Fetching {
    /// Fetches data of a client, and puts it into the engine.
    pub fn take_given(
        self: &Arc<Self>,
        run: RunId,
        tasks: Vec<TaskRange>,
        (from, identity): (&[String], Identity),
        answers: Option<Outbox<FromWorker>>,
    ) {
        let addresses = from.iter().filter_map(|address| address.parse().ok()).collect();
        let source = Source { addresses, role: Role::Client, identity: Some(identity) };
        let done = move |put: Result<(), String>| {
            if let (Err(reason), Some(outbox)) = (put, answers) {
                let _ = outbox.send(&FromWorker::NotGiven { run, reason }, vec![]);
            }
        };
        Steps::begin(self.clone(), Some(source), (run, tasks), Self::put, Box::new(done));
    }

    /// Fetches results of another worker, for others to have them here as well.
    pub fn copy(
        self: &Arc<Self>,
        (copy, from): (u64, WorkerId),
        run: RunId,
        tasks: Vec<TaskRange>,
        answers: Option<Outbox<FromWorker>>,
    ) {
        let source = self.source_of(from);
        let done = move |put: Result<(), String>| {
            if let Some(outbox) = answers {
                let _ = outbox.send_waiting(&FromWorker::Copied { copy, failure: put.err() }, vec![], PATIENCE);
            }
        };
        Steps::begin(self.clone(), source, (run, tasks), Self::put_copies, Box::new(done));
    }
}

impl Steps {
    pub fn begin(
        fetching: Arc<Fetching>,
        source: Option<Source>,
        (run, tasks): (RunId, Vec<TaskRange>),
        put: Put,
        done: Done,
    ) {
        let left = Mutex::new(Left { ranges: tasks.into(), step: FIRST_STEP });
        let done = Mutex::new(Some(done));
        Arc::new(Self { fetching, source, run, put, left, done }).go_on();
    }

    fn go_on(self: Arc<Self>) {
        let tasks = self.left.lock().take();
        if tasks.is_empty() {
            return self.end(Ok(()));
        }
        let memory = self.fetching.memory();
        let reserved = if TaskRange::count(&tasks) > 1 { self.goal() } else { memory };
        let names = ResultNames(tasks.iter().map(|&range| (self.run, range)).collect());
        let this = self.clone();
        let come = move |came: Came, face: &dyn Face| this.come(tasks, came, face);
        self.fetching.fetch_part(self.source.as_ref(), names, reserved, Box::new(come));
    }

    /// Bytes that several results may take together.
    fn goal(&self) -> u64 {
        STEP_BYTES.min(self.fetching.memory() / PART_OF_MEMORY).max(1)
    }

    fn come(self: Arc<Self>, tasks: Vec<TaskRange>, came: Came, face: &dyn Face) {
        let pieces = match came {
            Ok(pieces) => pieces,
            Err(BulkError::TooLarge { .. }) if TaskRange::count(&tasks) > 1 => {
                self.left.lock().put_back(tasks);
                return self.go_on();
            }
            Err(error) => return self.end(Err(error.to_string())),
        };
        let bytes: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
        let values = unpack(face.decoders(), pieces).map_err(|error| error.to_string());
        match values.and_then(|values| (self.put)(&self.fetching, self.run, &tasks, values)) {
            Ok(()) => {
                self.left.lock().learn(bytes, self.goal());
                self.go_on();
            }
            Err(reason) => self.end(Err(reason)),
        }
    }

    fn end(&self, result: Result<(), String>) {
        if let Some(done) = self.done.lock().take() {
            done(result);
        }
    }
}

impl Left {
    /// The next results.
    fn take(&mut self) -> Vec<TaskRange> {
        let (mut taken, mut room) = (vec![], self.step);
        while room > 0
            && taken.len() < ResultNames::MOST
            && let Some(range) = self.ranges.pop_front()
        {
            let end = range.end.min(range.start.saturating_add(room));
            if end < range.end {
                self.ranges.push_front(TaskRange { start: end, ..range });
            }
            room -= end - range.start;
            taken.push(TaskRange { end, ..range });
        }
        taken
    }

    /// These were too large together: fewer come next.
    fn put_back(&mut self, tasks: Vec<TaskRange>) {
        self.step = (TaskRange::count(&tasks) / 2).max(1);
        tasks.into_iter().rev().for_each(|range| self.ranges.push_front(range));
    }

    /// Those of the last step took so many bytes.
    fn learn(&mut self, bytes: u64, goal: u64) {
        self.step = match bytes {
            bytes if bytes > goal => (self.step / 2).max(1),
            bytes if bytes < goal / 2 => (self.step * 2).min(STEP_MOST),
            _ => self.step,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raskt_graph::LayerId;

    proptest! {
        /// Each comes once and in order, whatever steps are too large.
        #[test]
        fn all_come_in_order(
            parts in prop::collection::vec((0..3_u64, 1..300_u64), 0..150),
            sizes in prop::collection::vec((0..2_u8, 0..200_u64), 1..40),
        ) {
            let mut next = 0;
            let ranges: Vec<_> = parts.into_iter().map(|(gap, len)| {
                let start = next + gap;
                next = start + len;
                TaskRange { layer: LayerId(0), start, end: next }
            }).collect();
            let mut left = Left { ranges: ranges.clone().into(), step: FIRST_STEP };
            let (mut came, mut sizes) = (vec![], sizes.into_iter().cycle());
            loop {
                let tasks = left.take();
                prop_assert!(tasks.len() <= ResultNames::MOST && TaskRange::count(&tasks) <= STEP_MOST);
                if tasks.is_empty() {
                    break;
                }
                let (is_large, bytes) = sizes.next().unwrap_or_default();
                if is_large == 1 && TaskRange::count(&tasks) > 1 {
                    left.put_back(tasks);
                } else {
                    came.extend(tasks.into_iter().flat_map(TaskRange::tasks));
                    left.learn(bytes, 100);
                }
            }
            prop_assert!(came.into_iter().eq(ranges.into_iter().flat_map(TaskRange::tasks)));
        }
    }
}
