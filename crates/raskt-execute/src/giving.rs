//! Results for other workers and clients: those that aren't in memory are read by threads of their own.
//!
//! What is read to be given away doesn't wait for memory behind the worker's own tasks: two workers that each wait for memory, and
//! hold what the other one wants, would wait for each other. Instead so much may be on its way at a time, and no more (`line.rs`).

mod line;

pub use self::line::Peer;
use self::line::{Line, Size};
use crate::recover::Recovery;
use crate::shared::Shared;
use crate::uplink::Missing;
use raskt_graph::TaskId;
use raskt_schedule::RunId;
use raskt_store::{Arriving, Pins, Store, StoredRef};
use raskt_sync::{Condvar, Mutex, guard};
use raskt_value::{CancelToken, ErrorKind, StoredValue, TaskError, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Threads that read what is given away: one can decode while the other reads.
const GIVERS: usize = 2;

/// So long one who wants results has what is in the way leave at most, and so often it is looked.
const LEAVING: Duration = Duration::from_secs(1);
const LOOKS_EVERY: Duration = Duration::from_millis(5);

/// Results that were asked for. They stay in memory until this is dropped, and others may have to wait for that.
pub struct Given {
    /// One for each that was asked for, in that order.
    pub values: Vec<Result<Value, Missing>>,
    /// Dropped after the values, so that what leaves memory then is freed.
    _pins: Vec<Pins>,
    _way: Option<OnItsWay>,
}

/// Hands out results.
pub(crate) struct Giver {
    shared: Arc<Shared>,
    line: Mutex<State>,
    /// Something has ended, or somebody wants more.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    line: Line<Wanted>,
    threads: usize,
    /// One of them waits for something to end.
    is_watched: bool,
}

/// Somebody wants results.
pub(crate) struct Wanted {
    pub values: Vec<(RunId, TaskId, Option<Value>)>,
    pub told: Box<dyn FnOnce(Given) + Send>,
}

impl Wanted {
    /// Those that a store keeps.
    fn kept(&self) -> impl Iterator<Item = Arc<StoredRef>> {
        self.values.iter().filter_map(|(_, _, value)| StoredRef::of(value.as_ref()?))
    }
}

/// Bytes that are on their way until this is dropped.
struct OnItsWay {
    giver: Arc<Giver>,
    peer: Peer,
    size: Size,
    /// Of them, what nobody else keeps in memory: it goes when it has arrived, and tasks that lack memory wait for that.
    read: Vec<Arriving>,
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.read.clear();
        self.giver.line.lock().line.end(self.peer, self.size);
        self.giver.wake();
    }
}

impl Giver {
    pub fn new(shared: Arc<Shared>) -> Arc<Self> {
        Arc::new(Self { shared, line: Mutex::new(State::default()), changed: Condvar::new() })
    }

    #[cfg(test)]
    pub fn describe(&self) -> String {
        let state = self.line.lock();
        format!("{}, {} givers", state.line.describe(), state.threads)
    }

    fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Tells of what is wanted: at once if all of it is at hand, and may be on its way; else by another thread when it is.
    pub fn give(self: &Arc<Self>, peer: Peer, wanted: Wanted) {
        let bytes = wanted.kept().map(|kept| StoredValue::bytes(&*kept) as u64).fold(0, u64::saturating_add);
        if bytes == 0 {
            let values = wanted.values.into_iter().map(|(_, _, value)| value.ok_or(Missing::NotHere)).collect();
            return (wanted.told)(Given { values, _pins: vec![], _way: None });
        }
        // What is pinned stays.
        let pins: Vec<Pins> = wanted.kept().map(|kept| kept.pin()).collect();
        let is_read = wanted.kept().any(|kept| kept.in_memory().is_none());
        let limit = self.store().memory_limit();
        let mut state = self.line.lock();
        let passes = if is_read { None } else { state.line.pass(peer, bytes, limit) };
        if let Some(size) = passes {
            drop(state);
            return self.read(wanted, OnItsWay { giver: self.clone(), peer, size, read: vec![] });
        }
        state.line.push(peer, Size::new(bytes, is_read), wanted, Instant::now());
        drop((state, pins));
        self.wake();
    }

    /// Sees to it that a thread gives what may be on its way by now.
    fn wake(self: &Arc<Self>) {
        {
            let mut state = self.line.lock();
            if state.line.is_empty() || state.is_watched || state.threads >= GIVERS {
                return self.changed.notify_all();
            }
            state.threads += 1;
        }
        let giver = self.clone();
        let thread = std::thread::Builder::new().name("raskt-give".into());
        if thread.spawn(move || giver.serve(true)).is_err() {
            // Where the system gives no thread, whoever asks reads.
            self.serve(false);
        }
    }

    /// Gives what may be on its way, as long as somebody waits. One thread alone waits for something to end, if it may.
    fn serve(self: &Arc<Self>, may_wait: bool) {
        while let Some((wanted, way)) = self.next(may_wait) {
            // Beside this one another may read.
            self.wake();
            // Who is told may do as he likes: it is no fault of the next one.
            if let Err(story) = guard(|| self.read(wanted, way)) {
                self.shared.break_down(&story);
            }
        }
    }

    fn next(self: &Arc<Self>, may_wait: bool) -> Option<(Wanted, OnItsWay)> {
        let limit = self.store().memory_limit();
        let mut state = self.line.lock();
        loop {
            if let Some((peer, size, wanted)) = state.line.next(limit, Instant::now()) {
                return Some((wanted, OnItsWay { giver: self.clone(), peer, size, read: vec![] }));
            }
            let until = state.line.looks_at().filter(|_| may_wait && !state.is_watched);
            let Some(until) = until else {
                state.threads -= 1;
                return None;
            };
            state.is_watched = true;
            (state, _) = self.changed.wait_until(state, until);
            state.is_watched = false;
        }
    }

    fn read(&self, wanted: Wanted, mut way: OnItsWay) {
        let Wanted { values, told } = wanted;
        let (mut pins, mut lost): (_, BTreeMap<RunId, Vec<TaskId>>) = (vec![], BTreeMap::new());
        let mut given = Vec::with_capacity(values.len());
        let waits_until = Instant::now() + LEAVING;
        for (run, task, value) in values {
            let value = value.ok_or(Missing::NotHere);
            given.push(value.and_then(|value| match StoredRef::of(&value) {
                Some(kept) => {
                    pins.push(kept.pin());
                    let (found, arriving) = self.find(&kept, waits_until);
                    way.read.extend(arriving);
                    found
                }
                None => Ok(value),
            }));
            if matches!(given.last(), Some(Err(Missing::NotHere))) {
                lost.entry(run).or_default().push(task);
            }
        }
        // What wasn't here to begin with isn't told of once more.
        if !lost.is_empty() {
            let _ = self.shared.change(|state| lost.into_iter().for_each(|(run, tasks)| state.confess(run, tasks)));
        }
        told(Given { values: given, _pins: pins, _way: Some(way) });
    }

    /// A result that is kept, and what it takes from before it is there, unless the store has it in memory from then on, or nobody.
    fn find(&self, kept: &Arc<StoredRef>, waits_until: Instant) -> (Result<Value, Missing>, Option<Arriving>) {
        if let Some(value) = kept.in_memory() {
            return (Ok(value), None);
        }
        let bytes = StoredValue::bytes(&**kept) as u64;
        self.await_room(bytes, waits_until);
        let arriving = self.store().expect(bytes);
        let recovery: &Recovery = &self.shared.recovery;
        let found = recovery.found(kept, None, &CancelToken::default());
        let is_read = found.is_ok() && kept.in_memory().is_none();
        (found.map_err(|error| missing(error.into_task_error())), is_read.then_some(arriving))
    }

    /// Where more memory would be taken than may be, and whoever does that is ended, what can leave does first, if that doesn't take long.
    /// What is in the way otherwise may itself wait for this.
    fn await_room(&self, bytes: u64, until: Instant) {
        while self.store().waits_for_leaving(bytes) && Instant::now() < until {
            std::thread::sleep(LOOKS_EVERY);
        }
    }
}

fn missing(error: TaskError) -> Missing {
    if error.kind == ErrorKind::Lost { Missing::NotHere } else { Missing::Unread(error) }
}
