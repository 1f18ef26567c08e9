//! Questions to the scheduler, and errands of workers: as whoever asks sees them.

use super::Client;
use super::asking::{Asking, Given, INTERRUPTED};
use super::errands::Tell;
use super::failed::ClusterError;
use super::shared::Shared;
use crate::errand::{ERRAND_BYTES_MAX, Errand};
use crate::message::FromClient;
use crate::question::{Answer, Question};
use bytes::Bytes;
use raskt_schedule::WorkerId;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it is looked whether a scheduler that has begun anew is back.
const GLANCE: Duration = Duration::from_millis(10);

impl Client {
    /// Asks the scheduler something, and waits up to `patience` for the answer.
    pub fn ask(&self, question: Question, patience: Duration) -> Result<Answer, ClusterError> {
        self.question(question)?.answer(Instant::now() + patience)
    }

    /// Asks the scheduler something.
    pub fn question(&self, question: Question) -> Result<SentQuestion, ClusterError> {
        let sent = SentQuestion { number: self.shared.asking.question()?, question, shared: self.shared.clone() };
        sent.send()?;
        Ok(sent)
    }

    /// Has each of `workers` do what `bytes` say to their faces, beside their tasks. Each does it once at most.
    pub fn errand(&self, workers: Vec<WorkerId>, bytes: Bytes) -> Result<SentErrand, ClusterError> {
        if bytes.len() > ERRAND_BYTES_MAX {
            return Err(ClusterError::Refused(format!(
                "what workers are to do has {} bytes; {ERRAND_BYTES_MAX} may be: data is better scattered, and read by tasks",
                bytes.len()
            )));
        }
        let asking = self.shared.asking.clone();
        let number = asking.errand(&workers)?;
        let errand = SentErrand { number, asking };
        self.shared.send(&FromClient::Errand(Errand { number, workers }), vec![bytes])?;
        Ok(errand)
    }

    /// Has `call` called once when an errand is over, at once if it is: by a thread of the client, which may wait, and with no lock
    /// held.
    pub fn on_errand_over(&self, errand: &SentErrand, call: Box<dyn FnOnce() + Send>) {
        let callbacks = self.shared.callbacks.clone();
        // Numbers of things that have callbacks of their own are counted from the other end.
        let of = u64::MAX - errand.number;
        let call = Box::new(move || callbacks.call(of, call));
        if let Some(call) = errand.asking.on_over(errand.number, call) {
            self.shared.errands.call(call);
        }
    }
}

/// A question that the scheduler is asked.
pub struct SentQuestion {
    number: u64,
    question: Question,
    shared: Arc<Shared>,
}

impl SentQuestion {
    fn send(&self) -> Result<(), ClusterError> {
        let ask = FromClient::Ask { number: self.number, question: self.question.clone() };
        self.shared.send(&ask, vec![])
    }

    /// Waits for the answer up to `deadline`; gives it once. A scheduler that has begun anew before it has answered is asked again,
    /// unless something was to be done, of which nobody knows whether it was.
    pub fn answer(&self, deadline: Instant) -> Result<Answer, ClusterError> {
        loop {
            match self.shared.asking.answer(self.number, deadline)? {
                Some(Answer::Refused(reason)) => return Err(ClusterError::Refused(reason)),
                Some(answer) => return Ok(answer),
                None if !self.question.outlives_the_scheduler() => {
                    return Err(ClusterError::Refused(INTERRUPTED.into()));
                }
                None if !self.shared.is_away() => {
                    self.shared.asking.asks_again(self.number);
                    self.send()?;
                }
                None if deadline <= Instant::now() => return Err(ClusterError::TimedOut),
                None => std::thread::sleep(GLANCE),
            }
        }
    }
}

impl Drop for SentQuestion {
    fn drop(&mut self) {
        self.shared.asking.forget_question(self.number);
    }
}

/// An errand that workers do. When it goes nobody hears what comes of it; it is done all the same.
pub struct SentErrand {
    number: u64,
    asking: Arc<Asking>,
}

impl SentErrand {
    /// Whether nothing more comes.
    pub fn is_over(&self) -> bool {
        self.asking.is_over(self.number)
    }

    /// What the next workers have given, each once, in the order in which they did; waits for it up to `deadline`. Nothing after the
    /// last of them.
    pub fn next(&self, deadline: Instant) -> Result<Vec<Given>, ClusterError> {
        self.asking.given(self.number, deadline)
    }
}

impl Drop for SentErrand {
    fn drop(&mut self) {
        self.asking.forget(self.number);
    }
}
