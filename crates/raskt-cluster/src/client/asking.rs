//! What a client has asked, and the errands that it has sent: until an answer has come and was taken.

use super::failed::ClusterError;
use super::watching::Callback;
use crate::errand::ErrandEnd;
use crate::face::Face;
use crate::message::ToClient;
use crate::question::Answer;
use bytes::Bytes;
use raskt_schedule::WorkerId;
use raskt_sync::{Condvar, Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Questions and errands, by their numbers.
pub(crate) struct Asking {
    state: Mutex<State>,
    changed: Condvar,
    face: Arc<dyn Face>,
}

#[derive(Default)]
struct State {
    next: u64,
    questions: BTreeMap<u64, Asked>,
    errands: BTreeMap<u64, Sent>,
    lost: Option<String>,
}

/// What has come of a question.
enum Asked {
    Nothing,
    Answered(Answer),
    /// The scheduler has begun anew before it has answered.
    Interrupted,
}

/// An errand that was sent.
#[derive(Default)]
struct Sent {
    /// Workers that haven't answered.
    waits_for: Vec<WorkerId>,
    came: Vec<(WorkerId, ErrandEnd, Bytes)>,
    /// Called once when all have.
    calls: Vec<Callback>,
}

/// What those hear who have had something done by a scheduler that has begun anew.
pub(super) const INTERRUPTED: &str = "the scheduler has begun anew before it has answered";

impl Sent {
    /// What a worker has answered; gives who is to be called, if it was the last.
    fn take(&mut self, worker: WorkerId, end: ErrandEnd, bytes: Bytes) -> Vec<Callback> {
        let Some(at) = self.waits_for.iter().position(|waited| *waited == worker) else { return vec![] };
        self.waits_for.swap_remove(at);
        self.came.push((worker, end, bytes));
        if self.waits_for.is_empty() { std::mem::take(&mut self.calls) } else { vec![] }
    }
}

/// What a worker has given for an errand.
pub type Given = (WorkerId, Result<Bytes, ClusterError>);

impl Asking {
    pub fn new(face: Arc<dyn Face>) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), face }
    }

    /// A number for a question.
    pub fn question(&self) -> Result<u64, ClusterError> {
        self.begin(|state, number| _ = state.questions.insert(number, Asked::Nothing))
    }

    /// A number for an errand of these workers.
    pub fn errand(&self, workers: &[WorkerId]) -> Result<u64, ClusterError> {
        let sent = Sent { waits_for: workers.to_vec(), ..Sent::default() };
        self.begin(|state, number| _ = state.errands.insert(number, sent))
    }

    fn begin(&self, begin: impl FnOnce(&mut State, u64)) -> Result<u64, ClusterError> {
        let mut state = self.state.lock();
        if let Some(lost) = &state.lost {
            return Err(ClusterError::Disconnected(lost.clone()));
        }
        let number = state.next;
        state.next += 1;
        begin(&mut state, number);
        Ok(number)
    }

    /// Takes what is an answer, and gives who is to be called for it; gives back what isn't.
    pub fn take(&self, message: ToClient, bulk: Vec<Bytes>) -> Result<Vec<Callback>, ToClient> {
        let mut state = self.state.lock();
        let mut calls = vec![];
        match message {
            ToClient::Answer { number, answer } => {
                // One that nobody waits for any more is none.
                state.questions.entry(number).and_modify(|asked| *asked = Asked::Answered(answer));
            }
            ToClient::ErrandOver { number, worker, end } => {
                if let Some(sent) = state.errands.get_mut(&number) {
                    calls = sent.take(worker, end, bulk.into_iter().next().unwrap_or_default());
                }
            }
            other => return Err(other),
        }
        self.changed.notify_all();
        Ok(calls)
    }

    /// The scheduler has begun anew, and knows nothing of what it was asked: nobody waits for that. Gives who is to be called.
    pub fn interrupt(&self) -> Vec<Callback> {
        let mut state = self.state.lock();
        for asked in state.questions.values_mut().filter(|asked| matches!(asked, Asked::Nothing)) {
            *asked = Asked::Interrupted;
        }
        let mut calls = vec![];
        for sent in state.errands.values_mut() {
            for worker in sent.waits_for.clone() {
                calls.extend(sent.take(worker, ErrandEnd::Lost(INTERRUPTED.into()), Bytes::new()));
            }
        }
        self.changed.notify_all();
        calls
    }

    /// Nothing comes any more; gives who is to be called.
    pub fn lose(&self, why: &str) -> Vec<Callback> {
        let mut state = self.state.lock();
        state.lost.get_or_insert_with(|| why.to_owned());
        self.changed.notify_all();
        state.errands.values_mut().flat_map(|sent| std::mem::take(&mut sent.calls)).collect()
    }

    /// Waits for the answer to a question, up to `deadline`; nothing where the scheduler has begun anew before it has answered.
    pub fn answer(&self, number: u64, deadline: Instant) -> Result<Option<Answer>, ClusterError> {
        self.wait(deadline, |state| {
            let asked = state.questions.get_mut(&number)?;
            match std::mem::replace(asked, Asked::Nothing) {
                Asked::Nothing => None,
                Asked::Answered(answer) => Some(Some(answer)),
                Asked::Interrupted => {
                    *asked = Asked::Interrupted;
                    Some(None)
                }
            }
        })
    }

    /// A question that was interrupted is to be asked again.
    pub fn asks_again(&self, number: u64) {
        self.state.lock().questions.entry(number).and_modify(|asked| *asked = Asked::Nothing);
    }

    /// Nobody wants to know the answer any more.
    pub fn forget_question(&self, number: u64) {
        self.state.lock().questions.remove(&number);
    }

    /// Whether all workers have answered, or nothing comes any more.
    pub fn is_over(&self, errand: u64) -> bool {
        let state = self.state.lock();
        state.lost.is_some() || state.errands.get(&errand).is_none_or(|sent| sent.waits_for.is_empty())
    }

    /// What the next workers have given, in the order in which they did; waits for it up to `deadline`. Nothing after the last.
    pub fn given(&self, errand: u64, deadline: Instant) -> Result<Vec<Given>, ClusterError> {
        let came = self.wait(deadline, |state| {
            let sent = state.errands.get_mut(&errand)?;
            (sent.waits_for.is_empty() || !sent.came.is_empty()).then(|| std::mem::take(&mut sent.came))
        })?;
        Ok(came.into_iter().map(|(worker, end, bytes)| (worker, self.given_by(end, bytes))).collect())
    }

    fn given_by(&self, end: ErrandEnd, bytes: Bytes) -> Result<Bytes, ClusterError> {
        match end {
            ErrandEnd::Done => Ok(bytes),
            ErrandEnd::Failed(form) => Err(ClusterError::Task { key: form.key.clone(), error: self.face.error(form) }),
            ErrandEnd::Lost(reason) => Err(ClusterError::Disconnected(reason)),
            ErrandEnd::Refused(reason) => Err(ClusterError::Refused(reason)),
        }
    }

    /// Has `call` called once when an errand is over; gives it back if it is.
    pub fn on_over(&self, errand: u64, call: Callback) -> Option<Callback> {
        let mut state = self.state.lock();
        let is_lost = state.lost.is_some();
        match state.errands.get_mut(&errand).filter(|sent| !sent.waits_for.is_empty() && !is_lost) {
            Some(sent) => {
                sent.calls.push(call);
                None
            }
            None => Some(call),
        }
    }

    /// Nobody wants to know of an errand any more.
    pub fn forget(&self, errand: u64) {
        let gone = self.state.lock().errands.remove(&errand);
        drop(gone);
    }

    fn wait<T>(&self, deadline: Instant, mut find: impl FnMut(&mut State) -> Option<T>) -> Result<T, ClusterError> {
        let mut state: MutexGuard<'_, State> = self.state.lock();
        loop {
            if let Some(found) = find(&mut state) {
                return Ok(found);
            }
            if let Some(lost) = &state.lost {
                return Err(ClusterError::Disconnected(lost.clone()));
            }
            if deadline <= Instant::now() {
                return Err(ClusterError::TimedOut);
            }
            state = self.changed.wait_until(state, deadline).0;
        }
    }
}
