//! One at a time of each worker.

use raskt_schedule::WorkerId;
use raskt_sync::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What is done in its turn: which lasts until the turn is dropped.
type Job = Box<dyn FnOnce(Turn) + Send>;

/// What is done for one worker after the other; that of several workers goes on side by side.
#[derive(Default)]
pub(crate) struct Turns(Mutex<BTreeMap<WorkerId, VecDeque<Job>>>);

/// Nothing else is done for the worker as long as this is there.
pub(crate) struct Turn(Arc<Turns>, WorkerId);

impl Turns {
    /// Has `job` done when all that was to be done for `worker` before is over: now, or by whoever ends the turn before.
    pub fn enter(self: &Arc<Self>, worker: WorkerId, job: impl FnOnce(Turn) + Send + 'static) {
        let mut waiting = self.0.lock();
        if let Some(waiting) = waiting.get_mut(&worker) {
            return waiting.push_back(Box::new(job));
        }
        waiting.insert(worker, VecDeque::new());
        drop(waiting);
        job(Turn(self.clone(), worker));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut all = self.0.0.lock();
        let next = all.get_mut(&self.1).and_then(VecDeque::pop_front);
        if next.is_none() {
            all.remove(&self.1);
        }
        drop(all);
        if let Some(next) = next {
            next(Self(self.0.clone(), self.1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_turn() {
        let (turns, done) = (Arc::new(Turns::default()), Arc::new(Mutex::new(vec![])));
        let held: Arc<Mutex<Vec<Turn>>> = Arc::default();
        for (worker, job) in [(1, 'a'), (1, 'b'), (2, 'c'), (1, 'd')] {
            let (done, held) = (done.clone(), held.clone());
            turns.enter(WorkerId(worker), move |turn| {
                done.lock().push(job);
                held.lock().push(turn);
            });
        }
        assert_eq!(*done.lock(), ['a', 'c']);
        for (ends, then) in [(0, "acb"), (0, "acb"), (0, "acbd"), (0, "acbd")] {
            let turn = held.lock().remove(ends);
            drop(turn);
            assert_eq!(done.lock().iter().collect::<String>(), then);
        }
        assert!(turns.0.lock().is_empty());
        turns.enter(WorkerId(1), |_| {});
        assert!(turns.0.lock().is_empty());
    }
}
