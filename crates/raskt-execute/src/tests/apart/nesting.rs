//! Tasks of a worker that compute: on another engine of the process, in place of which the worker does something else.

use super::bench::*;
use super::kernels::digest;
use crate::tests::{one_task, submit};
use crate::*;
use raskt_schedule::*;
use raskt_value::{Chunk, TaskError, Value};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Of the first task of the first layer a computation of its own, for whose end the other task is needed.
struct Nested {
    inner: Engine,
    sender: raskt_sync::Mutex<Sender<i64>>,
    receiver: Arc<raskt_sync::Mutex<Receiver<i64>>>,
}

impl Runner for Nested {
    fn run(&self, call: &TaskCall<'_>, _: &[Value]) -> Result<Value, TaskError> {
        if call.task.index == 1 {
            self.sender.lock().send(42).unwrap();
            return Ok(Chunk::scalar(1_i64).into());
        }
        let receiver = self.receiver.clone();
        let inner = one_task(move |_, _| {
            let number = receiver.lock().recv_timeout(Duration::from_secs(30));
            Ok(Chunk::scalar(number.expect("the other task has the slot")).into())
        });
        Ok(submit(&self.inner, inner).wait().map_err(RunError::into_task_error)?.remove(0))
    }
}

#[test]
fn a_task_that_computes_lends_its_slot_to_what_the_scheduler_sends_next() {
    let (sender, receiver) = channel();
    let inner = Engine::new(EngineOptions { threads: 1, memory_limit: 1 << 30 }, Runners::default());
    let receiver = Arc::new(raskt_sync::Mutex::new(receiver));
    let nested = Nested { inner: inner.clone(), sender: raskt_sync::Mutex::new(sender), receiver };
    let bench = Bench::new((1, 1 << 10), Arc::new(nested), pairs(2));
    bench.assign(1, vec![range(0, 0, 1)], vec![]);
    assert!(matches!(bench.told(), WorkerTold::Started { .. }));
    // It gives nothing back before what it waits for has come: nobody may wait for its memory.
    assert_eq!(bench.told(), WorkerTold::Lends { slots: 1 });
    assert_eq!(bench.told(), WorkerTold::Resized { slots: 2, memory: u64::MAX });
    bench.assign(2, vec![range(0, 1, 2)], vec![]);
    // The other one may be told of before or after.
    let mut told = vec![];
    while told.iter().filter(|told| matches!(told, WorkerTold::Reported(_))).count() < 2 {
        told.push(bench.told());
    }
    let at = |wanted: &dyn Fn(&WorkerTold) -> bool| told.iter().position(wanted).unwrap();
    let ended = |attempt| at(&|told| matches!(told, WorkerTold::Reported(report) if report.attempt == attempt));
    let back = at(&|told| *told == WorkerTold::Lends { slots: 0 });
    let resized = at(&|told| *told == WorkerTold::Resized { slots: 1, memory: 1 << 20 });
    assert!(back < resized && resized < ended(Attempt(1)), "{told:?}");
    let held = bench.held(&[range(0, 0, 1)]);
    assert_eq!(digest(held[0].as_ref().unwrap()), 42);
    bench.ends_empty();
    inner.shut_down(Duration::from_secs(10));
}

/// Waits for something that another task brings about, or goes on without its slot.
struct Waiting {
    seceded: bool,
    sender: raskt_sync::Mutex<Sender<()>>,
    receiver: raskt_sync::Mutex<Receiver<()>>,
}

impl Runner for Waiting {
    fn run(&self, call: &TaskCall<'_>, _: &[Value]) -> Result<Value, TaskError> {
        if call.task.index == 1 {
            self.sender.lock().send(()).unwrap();
        } else {
            let _seceded = self.seceded.then(Engine::secede);
            let _waits = Engine::lend_slot();
            // It says so once.
            let _waits_within = Engine::lend_slot();
            self.receiver.lock().recv_timeout(Duration::from_secs(30)).unwrap();
        }
        Ok(Chunk::scalar(1_i64).into())
    }
}

/// Which of a worker's tasks waits is said, so that it isn't blamed for what the others do; also of one whose slot others have already.
#[test]
fn what_waits_is_named_as_long_as_it_does() {
    for seceded in [false, true] {
        let (sender, receiver) = channel();
        let (sender, receiver) = (raskt_sync::Mutex::new(sender), raskt_sync::Mutex::new(receiver));
        let bench = Bench::new((1, 1 << 10), Arc::new(Waiting { seceded, sender, receiver }), pairs(2));
        bench.assign(1, vec![range(0, 0, 1)], vec![]);
        assert!(matches!(bench.told(), WorkerTold::Started { .. }));
        // Who has seceded goes on, and says so only when it waits.
        let (lends, resized) = (WorkerTold::Lends { slots: 1 }, WorkerTold::Resized { slots: 2, memory: u64::MAX });
        let both = if seceded { [resized, lends] } else { [lends, resized] };
        both.into_iter().for_each(|expected| assert_eq!(bench.told(), expected));
        let waits = |does| WorkerTold::Waits { run: RUN, attempt: Attempt(1), does };
        assert_eq!(bench.told(), waits(true));
        bench.assign(2, vec![range(0, 1, 2)], vec![]);
        // The other one may be told of before or after.
        let mut told = vec![];
        while told.iter().filter(|told| matches!(told, WorkerTold::Reported(_))).count() < 2 {
            told.push(bench.told());
        }
        let at = |wanted: WorkerTold| told.iter().position(|told| *told == wanted).unwrap();
        let last = at(WorkerTold::Resized { slots: 1, memory: 1 << 20 });
        assert!([waits(false), WorkerTold::Lends { slots: 0 }].map(at).iter().all(|at| *at < last), "{told:?}");
        bench.ends_empty();
    }
}

/// What ends next, whatever is said of slots before.
fn ended(bench: &Bench) -> Attempt {
    loop {
        if let WorkerTold::Reported(report) = bench.told()
            && !report.outcomes.is_empty()
        {
            return report.attempt;
        }
    }
}

/// Has its slot again while it still says that it waits; or ends before it says that it doesn't.
struct OutOfOrder {
    kept: raskt_sync::Mutex<Option<SlotLoan>>,
    ends_first: bool,
}

impl Runner for OutOfOrder {
    fn run(&self, _: &TaskCall<'_>, _: &[Value]) -> Result<Value, TaskError> {
        let seceded = Engine::secede();
        let waits = Engine::lend_slot();
        drop(seceded);
        if self.ends_first {
            *self.kept.lock() = waits;
        }
        Ok(Chunk::scalar(1_i64).into())
    }
}

#[test]
fn slots_come_back_in_any_order() {
    for ends_first in [false, true] {
        let runner = Arc::new(OutOfOrder { kept: raskt_sync::Mutex::new(None), ends_first });
        let bench = Bench::new((1, 1 << 10), runner.clone(), pairs(2));
        bench.assign(1, vec![range(0, 0, 1)], vec![]);
        assert_eq!(ended(&bench), Attempt(1));
        // Another thread than that of the task.
        drop(runner.kept.lock().take());
        bench.assign(2, vec![range(0, 1, 2)], vec![]);
        assert_eq!(ended(&bench), Attempt(2));
        drop(runner.kept.lock().take());
        bench.ends_empty();
    }
}

/// Has its slot again, which it had given away twice, while it waits for the other task of the same slot; or another thread ends that
/// loan.
struct Twice {
    ends_elsewhere: bool,
    sender: raskt_sync::Mutex<Sender<()>>,
    receiver: raskt_sync::Mutex<Receiver<()>>,
}

impl Runner for Twice {
    fn run(&self, call: &TaskCall<'_>, _: &[Value]) -> Result<Value, TaskError> {
        if call.task.index == 1 {
            self.sender.lock().send(()).unwrap();
            return Ok(Chunk::scalar(1_i64).into());
        }
        let seceded = Engine::secede();
        let mut within = Engine::lend_slot_within();
        drop(seceded);
        if self.ends_elsewhere {
            std::thread::spawn(|| drop(within)).join().unwrap();
            // It isn't taken for one that lends already.
            within = Engine::lend_slot_within();
        }
        self.receiver.lock().recv_timeout(Duration::from_secs(30)).expect("the other task has the slot");
        drop(within);
        Ok(Chunk::scalar(1_i64).into())
    }
}

#[test]
fn a_slot_is_lent_as_long_as_one_loan_of_it_is_there() {
    for ends_elsewhere in [false, true] {
        let (sender, receiver) = channel();
        let (sender, receiver) = (raskt_sync::Mutex::new(sender), raskt_sync::Mutex::new(receiver));
        let bench = Bench::new((1, 1 << 10), Arc::new(Twice { ends_elsewhere, sender, receiver }), pairs(2));
        bench.assign(1, vec![range(0, 0, 1)], vec![]);
        assert!(matches!(bench.told(), WorkerTold::Started { .. }));
        bench.assign(2, vec![range(0, 1, 2)], vec![]);
        // Whichever says so first.
        let mut ended = [(); 2].map(|()| ended(&bench));
        ended.sort();
        assert_eq!(ended, [Attempt(1), Attempt(2)]);
        bench.ends_empty();
    }
}

/// Goes on without its slot for long.
struct Seceding(raskt_sync::Mutex<Receiver<()>>);

impl Runner for Seceding {
    fn run(&self, _: &TaskCall<'_>, _: &[Value]) -> Result<Value, TaskError> {
        let _seceded = Engine::secede();
        self.0.lock().recv_timeout(Duration::from_secs(30)).unwrap();
        Ok(Chunk::scalar(1_i64).into())
    }
}

#[test]
fn who_has_seceded_has_lent_his_slot_after_a_while() {
    let (sender, receiver) = channel();
    let bench = Bench::new((1, 1 << 10), Arc::new(Seceding(raskt_sync::Mutex::new(receiver))), pairs(2));
    bench.assign(1, vec![range(0, 0, 1)], vec![]);
    assert!(matches!(bench.told(), WorkerTold::Started { .. }));
    assert_eq!(bench.told(), WorkerTold::Resized { slots: 2, memory: u64::MAX });
    let began = std::time::Instant::now();
    assert_eq!(bench.told(), WorkerTold::Lends { slots: 1 });
    assert!(began.elapsed() > Duration::from_secs(3), "it may be the one that kills workers");
    sender.send(()).unwrap();
    assert_eq!(ended(&bench), Attempt(1));
    bench.ends_empty();
}
