//! Counts down what a future's call waits for, without a lock.

#[cfg(feature = "loom")]
use loom::sync::atomic::{AtomicUsize, Ordering};
#[cfg(not(feature = "loom"))]
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what a task still waits for, while its inputs are told of it by one thread and come in on others.
///
/// Whoever sets the task up is waited for as well, so that inputs that come in early can't start a task of which only
/// half the inputs are known. Every arrival happens before the start: what was written before it is seen there. With the
/// feature `loom` the atomics are loom's, and the tests below go through all orders in which threads can meet.
#[derive(Debug)]
pub struct Countdown(AtomicUsize);

impl Countdown {
    /// Waits for the one who sets up.
    #[expect(clippy::new_without_default, reason = "one arrival is owed: that isn't empty")]
    pub fn new() -> Self {
        Self(AtomicUsize::new(1))
    }

    /// One more arrival is waited for. To be called before the arrival of the one who sets up.
    pub fn expect_one(&self) {
        // No order is needed: the caller's own arrival, which comes after this, has one.
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One arrival that was waited for won't come, since it had come before. To be called where [`Self::expect_one`] may.
    pub fn expect_one_less(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// Waits for the one who sets up once more. To be called when nobody else can arrive any more.
    pub fn begin_again(&self) {
        self.0.store(1, Ordering::Relaxed);
    }

    /// Whether everything that was waited for is there.
    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Acquire) == 0
    }

    /// Something that was waited for is there. Says whether it was the last: true for exactly one caller.
    pub fn arrive(&self) -> bool {
        self.0.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

#[cfg(all(test, feature = "loom"))]
mod tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    /// A task with results of its inputs in cells without any synchronisation of their own: loom fails if one may be read
    /// while it is written, or before.
    struct Task {
        missing: Countdown,
        inputs: [UnsafeCell<u32>; 2],
        starts: AtomicUsize,
    }

    fn task() -> Arc<Task> {
        let inputs = [UnsafeCell::new(0), UnsafeCell::new(0)];
        Arc::new(Task { missing: Countdown::new(), inputs, starts: AtomicUsize::new(0) })
    }

    fn arrive(task: &Task) {
        if task.missing.arrive() {
            // SAFETY: nobody writes any more, which is what the test shows.
            let sum: u32 = task.inputs.iter().map(|input| input.with(|input| unsafe { *input })).sum();
            assert_eq!(sum, 3);
            task.starts.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn write(task: &Task, input: usize) {
        // SAFETY: each input is written by one thread.
        task.inputs[input].with_mut(|value| unsafe { *value = input as u32 + 1 });
    }

    #[test]
    fn a_task_starts_once_and_sees_all_its_inputs() {
        loom::model(|| {
            let task = task();
            let inputs = [0, 1].map(|input| {
                task.missing.expect_one();
                let task = task.clone();
                thread::spawn(move || {
                    write(&task, input);
                    arrive(&task);
                })
            });
            arrive(&task);
            inputs.into_iter().for_each(|input| input.join().unwrap());
            assert_eq!(task.starts.load(Ordering::Relaxed), 1);
        });
    }

    #[test]
    fn an_input_that_was_there_before_is_not_waited_for() {
        loom::model(|| {
            let task = task();
            write(&task, 1);
            task.missing.expect_one();
            let other = task.clone();
            let input = thread::spawn(move || {
                write(&other, 0);
                arrive(&other);
            });
            task.missing.expect_one();
            task.missing.expect_one_less();
            arrive(&task);
            input.join().unwrap();
            assert_eq!(task.starts.load(Ordering::Relaxed), 1);
        });
    }
}
