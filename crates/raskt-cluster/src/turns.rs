//! One at a time of each worker.

use raskt_schedule::WorkerId;
use raskt_sync::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// What is done in its turn: which lasts until the turn is dropped.
type Job = Box<dyn FnOnce(Turn) + Send>;

/// What is done for one worker after the other; that of several workers goes on side by side.
#[derive(Default)]
pub(crate) struct Turns(Mutex<BTreeMap<WorkerId, Queue>>);

/// Of a worker whose turn somebody has.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    /// A job is being begun, and who does so begins the next one as well, if its turn is over by then: turns that end at once, one
    /// after the other, needn't lie on one another on a stack.
    is_beginning: bool,
    is_over: bool,
}

/// Nothing else is done for the worker as long as this is there.
pub(crate) struct Turn(Arc<Turns>, WorkerId);

impl Turns {
    /// Has `job` done when all that was to be done for `worker` before is over: now, or by whoever ends the turn before.
    pub fn enter(self: &Arc<Self>, worker: WorkerId, job: impl FnOnce(Turn) + Send + 'static) {
        let mut all = self.0.lock();
        if let Some(queue) = all.get_mut(&worker) {
            return queue.waiting.push_back(Box::new(job));
        }
        all.insert(worker, Queue { is_beginning: true, ..Queue::default() });
        drop(all);
        self.begin(worker, Box::new(job));
    }

    /// Begins it, and those after it as long as turns end meanwhile. One that breaks down keeps no others: what the first of them has
    /// broken down of goes on when all have been begun, and no further where the thread is breaking down already.
    fn begin(self: &Arc<Self>, worker: WorkerId, job: Job) {
        let (mut next, mut broken) = (Some(job), None);
        while let Some(job) = next {
            let turn = Turn(self.clone(), worker);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job(turn))) {
                broken.get_or_insert(panic);
            }
            next = self.begun(worker);
        }
        if let Some(panic) = broken.filter(|_| !std::thread::panicking()) {
            resume_unwind(panic);
        }
    }

    /// A job has been begun. Gives the next one, if its turn is over already.
    fn begun(&self, worker: WorkerId) -> Option<Job> {
        let mut all = self.0.lock();
        let queue = all.get_mut(&worker)?;
        if queue.is_over {
            return Self::next(&mut all, worker);
        }
        queue.is_beginning = false;
        None
    }

    /// Who is next, and is being begun from now on.
    fn next(all: &mut BTreeMap<WorkerId, Queue>, worker: WorkerId) -> Option<Job> {
        let queue = all.get_mut(&worker)?;
        let Some(next) = queue.waiting.pop_front() else {
            all.remove(&worker);
            return None;
        };
        (queue.is_beginning, queue.is_over) = (true, false);
        Some(next)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut all = self.0.0.lock();
        if let Some(queue) = all.get_mut(&self.1)
            && queue.is_beginning
        {
            queue.is_over = true;
            return;
        }
        let next = Turns::next(&mut all, self.1);
        drop(all);
        if let Some(next) = next {
            self.0.begin(self.1, next);
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

    /// Turns of which one is had, and what is done of four jobs after that of which `breaks` break down.
    fn breaking(breaks: &'static [u32]) -> (Arc<Turns>, Option<Turn>, Arc<Mutex<Vec<u32>>>) {
        let (turns, kept, done) =
            (Arc::new(Turns::default()), Arc::new(Mutex::new(None)), Arc::new(Mutex::new(vec![])));
        let first = kept.clone();
        turns.enter(WorkerId(1), move |turn| *first.lock() = Some(turn));
        for job in 0..4 {
            let done = done.clone();
            turns.enter(WorkerId(1), move |_| {
                done.lock().push(job);
                assert!(!breaks.contains(&job), "it breaks down");
            });
        }
        let first = kept.lock().take();
        (turns, first, done)
    }

    #[test]
    fn a_job_that_breaks_down_keeps_no_others() {
        for breaks in [&[1][..], &[1, 2], &[0, 1, 2, 3]] {
            let (turns, first, done) = breaking(breaks);
            assert!(catch_unwind(AssertUnwindSafe(|| drop(first))).is_err());
            assert_eq!(*done.lock(), [0, 1, 2, 3]);
            assert!(turns.0.lock().is_empty());
        }
    }

    #[test]
    fn jobs_break_down_though_who_ends_the_turn_before_is_breaking_down() {
        let (turns, first, done) = breaking(&[1, 2]);
        let breaks_down = move || {
            let _first = first;
            panic!("who has it breaks down");
        };
        assert!(catch_unwind(AssertUnwindSafe(breaks_down)).is_err());
        assert_eq!(*done.lock(), [0, 1, 2, 3]);
        assert!(turns.0.lock().is_empty());
    }

    #[test]
    fn as_many_turns_as_there_are_may_end_at_once() {
        let (turns, first, done) = (Arc::new(Turns::default()), Arc::new(Mutex::new(None)), Arc::new(Mutex::new(0)));
        let kept = first.clone();
        turns.enter(WorkerId(1), move |turn| *kept.lock() = Some(turn));
        for _ in 0..1_000_000 {
            let done = done.clone();
            turns.enter(WorkerId(1), move |_| *done.lock() += 1);
        }
        let first = first.lock().take();
        drop(first);
        assert_eq!(*done.lock(), 1_000_000);
        assert!(turns.0.lock().is_empty());
    }
}
