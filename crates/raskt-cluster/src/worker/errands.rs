//! Errands of a worker: done by threads of their own, so that no task keeps them waiting.

use crate::driver::{Outbox, Ticket};
use crate::errand::{ERRAND_BYTES_MAX, ErrandCall, ErrandEnd};
use crate::face::{Face, error_form};
use crate::message::FromWorker;
use crate::session::SendError;
use bytes::Bytes;
use raskt_schedule::WorkerId;
use raskt_sync::{Condvar, Mutex, guard};
use raskt_value::{ErrorKind, TaskError};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Errands that are done at a time; others wait.
const AT_A_TIME: usize = 64;

/// Errands that wait, at most; others are refused.
const WAITING_MOST: usize = 1 << 14;

/// A thread that has had nothing to do for so long ends.
const IDLE: Duration = Duration::from_secs(5);

/// How long is waited at a time for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The way to the threads.
pub(super) struct Errands(Arc<Pool>);

struct Pool {
    state: Mutex<State>,
    changed: Condvar,
    face: Arc<dyn Face>,
    worker: Mutex<Option<WorkerId>>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    threads: usize,
    idle: usize,
    is_over: bool,
}

/// An errand.
struct Waiting {
    errand: u64,
    bytes: Bytes,
    /// Where it came from.
    answers: Option<Outbox<FromWorker>>,
    /// Counts as not taken until it is begun: so no more wait than the window allows.
    ticket: Option<Ticket>,
}

impl Errands {
    pub fn new(face: Arc<dyn Face>) -> Self {
        let (state, changed, worker) = Default::default();
        Self(Arc::new(Pool { state, changed, face, worker }))
    }

    /// The number of the worker, which comes before any errand.
    pub fn is_for(&self, worker: WorkerId) {
        *self.0.worker.lock() = Some(worker);
    }

    /// Has an errand done; never waits for it.
    pub fn begin(&self, errand: u64, bulk: Vec<Bytes>, answers: Option<Outbox<FromWorker>>, ticket: Option<Ticket>) {
        let bytes = bulk.into_iter().next().unwrap_or_default();
        let mut state = self.0.state.lock();
        if state.waiting.len() >= WAITING_MOST {
            drop(state);
            return refuse(answers.as_ref(), errand, format!("{WAITING_MOST} errands wait at the worker already"));
        }
        state.waiting.push_back(Waiting { errand, bytes, answers: answers.clone(), ticket });
        if state.idle >= state.waiting.len() || state.threads >= AT_A_TIME {
            drop(state);
            return self.0.changed.notify_one();
        }
        state.threads += 1;
        let pool = self.0.clone();
        let spawned = std::thread::Builder::new().name("raskt-errand".into()).spawn(move || pool.serve());
        if let Err(error) = spawned {
            state.threads -= 1;
            // Others will come to it, if there are any.
            if state.threads == 0 && state.waiting.pop_back().is_some() {
                drop(state);
                refuse(answers.as_ref(), errand, format!("the worker gets no thread for it: {error}"));
            }
        }
    }
}

impl Drop for Errands {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.is_over = true;
        state.waiting.clear();
        drop(state);
        self.0.changed.notify_all();
    }
}

impl Pool {
    fn serve(&self) {
        while let Some(Waiting { errand, bytes, answers, ticket }) = self.next() {
            drop(ticket);
            let (end, bulk) = self.done(&bytes);
            send(answers.as_ref(), &FromWorker::ErrandOver { errand, end }, bulk);
        }
    }

    /// What waits longest, or what comes soon; nothing if this thread is to end.
    fn next(&self) -> Option<Waiting> {
        let mut state = self.state.lock();
        let mut is_late = false;
        loop {
            if let Some(next) = state.waiting.pop_front() {
                return Some(next);
            }
            if state.is_over || is_late {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            (state, is_late) = self.changed.wait_for(state, IDLE);
            state.idle -= 1;
        }
    }

    fn done(&self, bytes: &[u8]) -> (ErrandEnd, Vec<Bytes>) {
        let worker = self.worker.lock().unwrap_or(WorkerId(0));
        let call = ErrandCall { worker, bytes };
        let broken = |story| Err(TaskError::new(ErrorKind::Panic, story));
        let given = guard(|| self.face.errand(call)).unwrap_or_else(broken).and_then(|given| match given.len() {
            0..=ERRAND_BYTES_MAX => Ok(given),
            bytes => Err(too_large(bytes)),
        });
        match given {
            Ok(given) => (ErrandEnd::Done, vec![given.into()]),
            Err(error) => (ErrandEnd::Failed(error_form(&*self.face, "errand".into(), &error)), vec![]),
        }
    }
}

fn refuse(answers: Option<&Outbox<FromWorker>>, errand: u64, reason: String) {
    send(answers, &FromWorker::ErrandOver { errand, end: ErrandEnd::Refused(reason) }, vec![]);
}

fn send(answers: Option<&Outbox<FromWorker>>, message: &FromWorker, bulk: Vec<Bytes>) {
    let Some(outbox) = answers else { return };
    while let Err(SendError::Full { .. }) = outbox.send_waiting(message, bulk.clone(), PATIENCE) {}
}

fn too_large(bytes: usize) -> TaskError {
    let advice = "have a task make it, whose result stays on the worker";
    let sentence = format!("what a worker gives for an errand has {bytes} bytes; {ERRAND_BYTES_MAX} may be: {advice}");
    TaskError::new(ErrorKind::Value, sentence)
}
