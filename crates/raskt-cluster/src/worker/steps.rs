//! Results that a worker takes over, be they copies or data of clients: some at a time, so that it keeps what has come on the disk before
//! more comes, however much all of it is.

use super::fetching::{Came, Fetching, NotPut};
use super::left::Left;
use super::link::answer;
use super::room::{Held, Need};
use crate::bulk::{BulkError, Missing, Source};
use crate::driver::Outbox;
use crate::face::Face;
use crate::failure::{no_memory, shortened};
use crate::hello::{Identity, Role};
use crate::message::{FromWorker, RANGES_OF_DATA, ResultNames};
use crate::parcels::unpack_each;
use raskt_schedule::{RunId, TaskRange, WorkerId};
use raskt_sync::Mutex;
use raskt_value::{TaskError, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// Bytes that results of one request are to take, if they are several.
const STEP_BYTES: u64 = 64 << 20;

/// The part of a worker's memory that results of one request may take, if they are several.
const PART_OF_MEMORY: u64 = 8;

/// What is set aside at first for a result that is fetched alone, of which nobody knows how large it is.
const ALONE_BYTES: u64 = 8 << 20;

/// The least with which results of which nobody knows how large they are are tried, where there is little memory: those that are larger
/// say so.
const LEAST_BYTES: u64 = 16 << 10;

/// The part of a worker's memory that all results on their way may take, of whatever runs they are.
const PART_ON_THE_WAY: u64 = 4;

/// How long a client that gives data is called again when it isn't reached: it may have stood still, or the network may be cut. Whether
/// it is gone for good the scheduler says.
const CALLED_AGAIN: Duration = Duration::from_secs(60);

/// How often in a row what has come waits for its turn once more, since there was no memory for it.
const PUT_OFF_MOST: u32 = 8;

/// The most bytes of a reason that the scheduler is told: with the rest it fits into a frame.
const REASON_BYTES: usize = 64 << 10;

/// Puts results where they are to be.
type Put = fn(&Fetching, RunId, &[TaskRange], Vec<Value>, &Held) -> Result<(), NotPut>;

/// What is told of results that are taken over.
pub(super) enum Told {
    /// These can't be had. Others may come all the same.
    Missed(Vec<TaskRange>, String),
    /// Nothing more comes; why the first that can't be had can't, if there is one.
    Over(Option<String>),
}

type Tell = Arc<dyn Fn(Told) + Send + Sync>;

/// Results that are taken over.
pub(super) struct Steps {
    fetching: Arc<Fetching>,
    source: Option<Source>,
    run: RunId,
    put: Put,
    left: Mutex<Left>,
    /// What it was told when there was no memory for some of it.
    lacked: Mutex<Option<Arc<str>>>,
    /// How long who isn't reached is called again.
    patience: Duration,
    tell: Tell,
    /// Why the first couldn't be had that couldn't.
    missed: Mutex<Option<String>>,
    /// How often in a row there was no memory for what had been let in.
    put_off: AtomicU32,
    is_over: AtomicBool,
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
        let this = self.clone();
        let tell = move |told: Told| {
            if let Told::Missed(tasks, reason) = told
                && !this.leaves()
            {
                for tasks in tasks.chunks(RANGES_OF_DATA) {
                    let not_given = FromWorker::NotGiven { run, tasks: tasks.to_vec(), reason: reason.clone() };
                    answer(answers.as_ref(), &not_given, &[]);
                }
            }
        };
        Steps::begin(self.clone(), Some(source), (run, tasks), (Self::put, CALLED_AGAIN), Arc::new(tell));
    }

    /// Fetches results of another worker, for others to have them here as well.
    pub fn copy(
        self: &Arc<Self>,
        (copy, from): (u64, WorkerId),
        run: RunId,
        tasks: Vec<TaskRange>,
        answers: Option<Outbox<FromWorker>>,
    ) {
        let (source, this) = (self.source_of(from), self.clone());
        let tell = move |told: Told| {
            if let Told::Over(failure) = told {
                let answers = answers.clone();
                // Whoever hears that copies are made has heard by then who holds them.
                this.once_told(move || answer(answers.as_ref(), &FromWorker::Copied { copy, failure }, &[]));
            }
        };
        Steps::begin(self.clone(), source, (run, tasks), (Self::put_copies, Duration::ZERO), Arc::new(tell));
    }
}

impl Steps {
    pub fn begin(
        fetching: Arc<Fetching>,
        source: Option<Source>,
        (run, tasks): (RunId, Vec<TaskRange>),
        (put, patience): (Put, Duration),
        tell: Tell,
    ) {
        let left = Mutex::new(Left::of(tasks));
        let (lacked, missed, put_off, is_over) = Default::default();
        Arc::new(Self { fetching, source, run, put, left, lacked, patience, tell, missed, put_off, is_over }).go_on();
    }

    fn go_on(self: Arc<Self>) {
        let (tasks, alone) = self.left.lock().take_sized();
        if tasks.is_empty() {
            return self.end(None);
        }
        let (memory, goal) = (self.fetching.memory(), self.goal());
        let (bytes, least) = match alone {
            Some(bytes) => (bytes.min(memory), bytes.min(memory)),
            None if TaskRange::count(&tasks) == 1 => (goal.min(ALONE_BYTES), goal.min(LEAST_BYTES)),
            None => (goal, goal.min(LEAST_BYTES)),
        };
        let is_next = alone.is_some();
        // What is large waits for memory once of a run: what is small may come in between, again and again.
        let was_told = self.lacked.lock().clone().filter(|_| is_next);
        let need = Need { bytes, least, most: memory / PART_ON_THE_WAY, is_next, was_told };
        let this = self.clone();
        let go = move |held: Result<Held, Arc<str>>| match held {
            Ok(held) => this.fetch(tasks, if is_next { memory } else { held.granted() }, held),
            Err(reason) => this.lack(tasks, is_next, reason),
        };
        self.fetching.room.enter(self.source.as_ref(), need, go);
    }

    fn fetch(self: Arc<Self>, tasks: Vec<TaskRange>, reserved: u64, held: Held) {
        let names = ResultNames(tasks.iter().map(|&range| (self.run, range)).collect());
        let this = self.clone();
        let come = move |came: Came, face: &dyn Face| {
            this.come(tasks, came, face, &held);
            // It is where it is to be.
            drop(held);
        };
        self.fetching.fetch_part(self.source.as_ref(), names, reserved, Box::new(come));
    }

    /// There is no memory for these, and nothing can leave for them: others are asked. If it is one that is known to be large, the rest may
    /// fit.
    fn lack(self: Arc<Self>, tasks: Vec<TaskRange>, is_large: bool, reason: Arc<str>) {
        *self.lacked.lock() = Some(reason.clone());
        if !is_large {
            return self.end(Some(reason.to_string()));
        }
        self.left.lock().give_up();
        self.miss(tasks, &reason);
        self.go_on();
    }

    /// Bytes that several results may take together.
    fn goal(&self) -> u64 {
        STEP_BYTES.min(self.fetching.memory() / PART_OF_MEMORY).max(1)
    }

    fn come(self: Arc<Self>, tasks: Vec<TaskRange>, came: Came, face: &dyn Face, held: &Held) {
        let pieces = match came {
            Ok(pieces) => pieces,
            Err(BulkError::TooLarge { bytes, reserved }) if reserved < self.fetching.memory() => {
                self.left.lock().put_back(tasks, bytes);
                return self.go_on();
            }
            Err(error @ (BulkError::Unreached(_) | BulkError::Lost(_))) => return self.call_again(tasks, &error),
            Err(BulkError::TooLarge { bytes, reserved }) => {
                let why = format!("it has {bytes} bytes, and that may have {reserved} in all: give it in parts");
                return self.tell_apart(tasks, no_memory(why));
            }
            Err(error @ BulkError::Missing(Missing::Failed(_))) => {
                return self.tell_apart(tasks, error.to_string());
            }
            Err(error) => return self.end(Some(error.to_string())),
        };
        let bytes: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
        let (tasks, values, unread) = match unpack_each(face.decoders(), pieces) {
            Ok(each) if each.len() as u64 == TaskRange::count(&tasks) => read_of(tasks, each),
            Ok(each) => return self.tell_apart(tasks, format!("{} results have come", each.len())),
            Err(error) => return self.tell_apart(tasks, error.to_string()),
        };
        if !tasks.is_empty()
            && let Err(NotPut { reason, for_now }) = (self.put)(&self.fetching, self.run, &tasks, values, held)
        {
            // Others have taken more meanwhile than was known when it was let in: it waits for its turn once more.
            if for_now && self.put_off.fetch_add(1, Ordering::Relaxed) < PUT_OFF_MOST {
                unread.into_iter().for_each(|(reason, tasks)| self.miss(tasks, &reason));
                self.left.lock().put_back(tasks, bytes);
                return self.go_on();
            }
            return self.end(Some(reason));
        }
        self.put_off.store(0, Ordering::Relaxed);
        self.left.lock().learn(bytes, self.goal());
        self.fetching.room.came();
        unread.into_iter().for_each(|(reason, tasks)| self.miss(tasks, &reason));
        self.go_on();
    }

    /// These can't be had together, since one of them can't: fewer are fetched at a time until it is alone.
    fn tell_apart(self: Arc<Self>, tasks: Vec<TaskRange>, reason: String) {
        if TaskRange::count(&tasks) > 1 {
            self.left.lock().put_back(tasks, 0);
        } else {
            self.left.lock().give_up();
            self.miss(tasks, &reason);
        }
        self.go_on();
    }

    /// Who has them wasn't reached.
    fn call_again(self: Arc<Self>, tasks: Vec<TaskRange>, error: &BulkError) {
        let Some(pause) = self.left.lock().miss(tasks, self.patience) else {
            return self.end(Some(error.to_string()));
        };
        tracing::debug!("data of run {} is fetched again in {pause:?}: {error}", self.run.0);
        let fetching = self.fetching.clone();
        fetching.after(pause, move || self.go_on());
    }

    /// Nothing more comes: all has, or what hasn't can't be had.
    fn end(&self, failure: Option<String>) {
        if self.is_over.swap(true, Ordering::Relaxed) {
            return;
        }
        let rest = self.left.lock().rest();
        if let Some(reason) = failure {
            self.miss(rest, &reason);
        }
        let failure = self.missed.lock().take();
        self.say(Told::Over(failure));
    }

    fn miss(&self, tasks: Vec<TaskRange>, reason: &str) {
        let reason = shortened(reason, REASON_BYTES, "");
        self.missed.lock().get_or_insert_with(|| reason.clone());
        self.say(Told::Missed(tasks, reason));
    }

    /// Whoever has read something reads what comes next meanwhile.
    fn say(&self, told: Told) {
        let tell = self.tell.clone();
        self.fetching.see_to(move || tell(told));
    }
}

impl Drop for Steps {
    /// Nobody goes on with it, and nobody has said how it ended.
    fn drop(&mut self) {
        self.end(Some("nobody has seen to it any more".into()));
    }
}

/// Those of `tasks` that could be read, and the others by the reason.
fn read_of(
    tasks: Vec<TaskRange>,
    each: Vec<Result<Value, TaskError>>,
) -> (Vec<TaskRange>, Vec<Value>, BTreeMap<String, Vec<TaskRange>>) {
    let (mut values, mut unread) = (Vec::with_capacity(each.len()), BTreeMap::<String, Vec<TaskRange>>::new());
    let mut read = vec![];
    let all_read = each.iter().all(Result::is_ok);
    for (task, found) in tasks.iter().flat_map(|range| range.tasks()).zip(each) {
        let place = match found {
            Ok(value) => {
                values.push(value);
                &mut read
            }
            Err(error) => unread.entry(error.to_string()).or_default(),
        };
        match place.last_mut() {
            _ if all_read => {}
            Some(last) if last.layer == task.layer && last.end == task.index => last.end += 1,
            _ => place.push(TaskRange::one(task)),
        }
    }
    (if all_read { tasks } else { read }, values, unread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raskt_graph::LayerId;
    use raskt_value::{Chunk, ErrorKind};

    proptest! {
        /// Each result is among those that were read, with its value, or has a reason.
        #[test]
        fn what_can_not_be_read_is_told_from_the_others(
            parts in prop::collection::vec((0..2_u32, 0..3_u64, 1..6_u64), 0..8),
            fails in prop::collection::vec(0..4_u8, 48),
        ) {
            let (mut tasks, mut next) = (vec![], 0);
            for (layer, gap, len) in parts {
                tasks.push(TaskRange { layer: LayerId(layer), start: next + gap, end: next + gap + len });
                next += gap + len;
            }
            let all: Vec<_> = tasks.iter().flat_map(|range| range.tasks()).collect();
            let value = |at: usize| Value::from(Chunk::from_vec(vec![at as u64], &[1]).unwrap());
            let number = |value: &Value| value.as_chunk().unwrap().as_slice::<u64>().unwrap()[0] as usize;
            let error = |reason: u8| TaskError::new(ErrorKind::Type, format!("reason {reason}"));
            let each = (0..all.len()).map(|at| if fails[at] > 1 { Ok(value(at)) } else { Err(error(fails[at])) });
            let (read, values, unread) = read_of(tasks, each.collect());
            let read: Vec<_> = read.into_iter().flat_map(TaskRange::tasks).collect();
            let expected: Vec<_> = (0..all.len()).filter(|&at| fails[at] > 1).collect();
            prop_assert_eq!(values.iter().map(number).collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(read, expected.into_iter().map(|at| all[at]).collect::<Vec<_>>());
            for reason in 0..2 {
                let told = unread.iter().filter(|(told, _)| told.contains(&format!("reason {reason}")));
                let told: Vec<_> = told.flat_map(|(_, ranges)| ranges.iter().flat_map(|range| range.tasks())).collect();
                let expected: Vec<_> = (0..all.len()).filter(|&at| fails[at] == reason).map(|at| all[at]).collect();
                prop_assert_eq!(told, expected);
            }
        }
    }
}
