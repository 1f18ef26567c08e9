//! Errands of a worker: done by threads of their own, so that no task keeps them waiting.

use super::link::answer;
use crate::driver::{Outbox, Ticket};
use crate::errand::{ERRAND_BYTES_MAX, ErrandCall, ErrandEnd};
use crate::face::{Face, error_form};
use crate::message::FromWorker;
use crate::pool::Pool;
use bytes::Bytes;
use raskt_schedule::WorkerId;
use raskt_sync::{Mutex, guard};
use raskt_value::{ErrorKind, TaskError};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Errands that wait, at most; others are refused.
const WAITING_MOST: usize = 1 << 14;

/// The way to the threads.
pub(super) struct Errands {
    threads: Pool,
    waiting: Arc<AtomicUsize>,
    doing: Arc<Doing>,
}

/// What does them.
struct Doing {
    face: Arc<dyn Face>,
    worker: Mutex<Option<WorkerId>>,
}

/// An errand that waits.
struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Errands {
    pub fn new(face: Arc<dyn Face>) -> io::Result<Self> {
        let doing = Arc::new(Doing { face, worker: Mutex::default() });
        // One that takes long keeps none waiting: whoever asks all workers waits for each.
        Ok(Self { threads: Pool::at_once("raskt-errand")?, waiting: Arc::default(), doing })
    }

    /// The number of the worker, which comes before any errand.
    pub fn is_for(&self, worker: WorkerId) {
        *self.doing.worker.lock() = Some(worker);
    }

    /// Has an errand done; never waits for it. Its ticket counts as not taken until it is begun: so no more wait than the window allows.
    pub fn begin(&self, errand: u64, bulk: Vec<Bytes>, answers: Option<Outbox<FromWorker>>, ticket: Option<Ticket>) {
        let bytes = bulk.into_iter().next().unwrap_or_default();
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(self.waiting.clone());
        if before >= WAITING_MOST {
            return refuse(answers.as_ref(), errand, format!("{WAITING_MOST} errands wait at the worker already"));
        }
        let doing = self.doing.clone();
        self.threads.run(move || {
            drop((waiting, ticket));
            let (end, bulk) = doing.done(&bytes);
            answer(answers.as_ref(), &FromWorker::ErrandOver { errand, end }, &bulk);
        });
    }
}

impl Doing {
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
    answer(answers, &FromWorker::ErrandOver { errand, end: ErrandEnd::Refused(reason) }, &[]);
}

fn too_large(bytes: usize) -> TaskError {
    let advice = "have a task make it, whose result stays on the worker";
    let sentence = format!("what a worker gives for an errand has {bytes} bytes; {ERRAND_BYTES_MAX} may be: {advice}");
    TaskError::new(ErrorKind::Value, sentence)
}
