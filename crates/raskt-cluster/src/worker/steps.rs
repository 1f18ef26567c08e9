//! Results that a worker takes over, be they copies or data of clients: some at a time, so that it keeps what has come on the disk before
//! more comes, however much all of it is.

use super::fetching::{Came, Fetching};
use super::room::{Held, Need};
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
use std::time::{Duration, Instant};

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

/// What is set aside at first for a result that is fetched alone, of which nobody knows how large it is.
const ALONE_BYTES: u64 = 8 << 20;

/// The part of a worker's memory that all results on their way may take, of whatever runs they are.
const PART_ON_THE_WAY: u64 = 4;

/// How long a client that gives data is called again when it isn't reached: it may have stood still, or the network may be cut. Whether
/// it is gone for good the scheduler says.
const CALLED_AGAIN: Duration = Duration::from_secs(60);

/// The first pause before it is called again, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];

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
    /// How long who isn't reached is called again.
    patience: Duration,
    done: Mutex<Option<Done>>,
}

/// What hasn't come.
struct Left {
    ranges: VecDeque<TaskRange>,
    /// How many results are fetched next.
    step: u64,
    /// Since when it isn't reached, and the next pause.
    unreached: Option<(Instant, Duration)>,
    /// Bytes of the next result, if it was too large for what was set aside.
    alone: Option<u64>,
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
        Steps::begin(self.clone(), Some(source), (run, tasks), (Self::put, CALLED_AGAIN), Box::new(done));
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
        Steps::begin(self.clone(), source, (run, tasks), (Self::put_copies, Duration::ZERO), Box::new(done));
    }
}

impl Steps {
    pub fn begin(
        fetching: Arc<Fetching>,
        source: Option<Source>,
        (run, tasks): (RunId, Vec<TaskRange>),
        (put, patience): (Put, Duration),
        done: Done,
    ) {
        let left = Mutex::new(Left { ranges: tasks.into(), step: FIRST_STEP, unreached: None, alone: None });
        let done = Mutex::new(Some(done));
        Arc::new(Self { fetching, source, run, put, left, patience, done }).go_on();
    }

    fn go_on(self: Arc<Self>) {
        let (tasks, alone) = self.left.lock().take_sized();
        if tasks.is_empty() {
            return self.end(Ok(()));
        }
        let (memory, goal) = (self.fetching.memory(), self.goal());
        let (reserved, bytes) = match alone {
            Some(bytes) => (memory, bytes),
            None if TaskRange::count(&tasks) == 1 => (goal.min(ALONE_BYTES), goal.min(ALONE_BYTES)),
            None => (goal, goal),
        };
        let names = ResultNames(tasks.iter().map(|&range| (self.run, range)).collect());
        let this = self.clone();
        let fetch = move |held: Held| {
            let of_come = this.clone();
            let come = move |came: Came, face: &dyn Face| {
                of_come.come(tasks, came, face);
                // It is where it is to be.
                drop(held);
            };
            this.fetching.fetch_part(this.source.as_ref(), names, reserved, Box::new(come));
        };
        let need = Need { bytes, most: memory / PART_ON_THE_WAY, is_next: alone.is_some() };
        self.fetching.room.enter(self.source.as_ref(), need, fetch);
    }

    /// Bytes that several results may take together.
    fn goal(&self) -> u64 {
        STEP_BYTES.min(self.fetching.memory() / PART_OF_MEMORY).max(1)
    }

    fn come(self: Arc<Self>, tasks: Vec<TaskRange>, came: Came, face: &dyn Face) {
        let pieces = match came {
            Ok(pieces) => pieces,
            Err(BulkError::TooLarge { bytes, reserved }) if reserved < self.fetching.memory() => {
                self.left.lock().put_back(tasks, bytes);
                return self.go_on();
            }
            Err(error @ (BulkError::Unreached(_) | BulkError::Lost(_))) => return self.call_again(tasks, &error),
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

    /// Who has them wasn't reached.
    fn call_again(self: Arc<Self>, tasks: Vec<TaskRange>, error: &BulkError) {
        let Some(pause) = self.left.lock().miss(tasks, self.patience) else {
            return self.end(Err(error.to_string()));
        };
        tracing::debug!("data of run {} is fetched again in {pause:?}: {error}", self.run.0);
        let fetching = self.fetching.clone();
        fetching.after(pause, move || self.go_on());
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

    /// The same, and how large it is if that is one of which that is known.
    fn take_sized(&mut self) -> (Vec<TaskRange>, Option<u64>) {
        (self.take(), self.alone.take())
    }

    /// These were too large, with so many bytes: fewer come next, or the one with as much room as it takes.
    fn put_back(&mut self, tasks: Vec<TaskRange>, bytes: u64) {
        let count = TaskRange::count(&tasks);
        self.step = (count / 2).max(1);
        self.alone = (count == 1).then_some(bytes);
        self.put_first(tasks);
    }

    fn put_first(&mut self, tasks: Vec<TaskRange>) {
        tasks.into_iter().rev().for_each(|range| self.ranges.push_front(range));
    }

    /// These didn't come: they come first next, after the pause that comes back. None if that has gone on for too long.
    fn miss(&mut self, tasks: Vec<TaskRange>, patience: Duration) -> Option<Duration> {
        let (since, pause) = *self.unreached.get_or_insert_with(|| (Instant::now(), PAUSES[0]));
        if since.elapsed() >= patience {
            return None;
        }
        self.unreached = Some((since, (pause * 2).min(PAUSES[1])));
        self.put_first(tasks);
        Some(pause)
    }

    /// Those of the last step took so many bytes.
    fn learn(&mut self, bytes: u64, goal: u64) {
        self.unreached = None;
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
            sizes in prop::collection::vec((0..3_u8, 0..200_u64), 1..40),
        ) {
            let mut next = 0;
            let ranges: Vec<_> = parts.into_iter().map(|(gap, len)| {
                let start = next + gap;
                next = start + len;
                TaskRange { layer: LayerId(0), start, end: next }
            }).collect();
            let mut left = Left { ranges: ranges.clone().into(), step: FIRST_STEP, unreached: None, alone: None };
            let (mut came, mut sizes, mut misses) = (vec![], sizes.into_iter().cycle(), 20);
            loop {
                let tasks = left.take();
                prop_assert!(tasks.len() <= ResultNames::MOST && TaskRange::count(&tasks) <= STEP_MOST);
                if tasks.is_empty() {
                    break;
                }
                let (is_large, bytes) = sizes.next().unwrap_or_default();
                if is_large == 1 && TaskRange::count(&tasks) > 1 {
                    left.put_back(tasks, bytes);
                } else if is_large == 2 && misses > 0 {
                    misses -= 1;
                    prop_assert!(left.miss(tasks, CALLED_AGAIN).is_some());
                } else {
                    came.extend(tasks.into_iter().flat_map(TaskRange::tasks));
                    left.learn(bytes, 100);
                }
            }
            prop_assert!(came.into_iter().eq(ranges.into_iter().flat_map(TaskRange::tasks)));
        }
    }
    #[test]
    fn who_is_not_reached_is_called_again_for_a_while_that_begins_anew_with_what_comes() {
        let range = TaskRange { layer: LayerId(0), start: 0, end: 3 };
        let mut left = Left { ranges: VecDeque::new(), step: FIRST_STEP, unreached: None, alone: None };
        assert_eq!(left.miss(vec![range], Duration::ZERO), None);
        let mut left = Left { ranges: VecDeque::new(), step: FIRST_STEP, unreached: None, alone: None };
        let pauses: Vec<_> = (0..8).filter_map(|_| left.miss(vec![], CALLED_AGAIN)).collect();
        assert!(pauses[0] == PAUSES[0] && pauses[1] == PAUSES[0] * 2 && pauses[7] == PAUSES[1], "{pauses:?}");
        left.learn(100, 100);
        assert_eq!(left.miss(vec![range], CALLED_AGAIN), Some(PAUSES[0]));
        assert_eq!(left.take(), [range]);
    }
}
