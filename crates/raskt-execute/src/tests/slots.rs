//! Slots that come and go, and threads that time is told by, played by hand.

use super::memory::bytes;
use super::*;
use crate::execution::Execution;
use crate::lending::AtWork;
use crate::recover::Recovery;
use crate::shared::Shared;
use crate::state::{State, Submitted};
use crate::threads;
use raskt_schedule::Ticket;
use raskt_store::{Asker, Broken, Reply};
use std::sync::Weak;
use std::sync::atomic::AtomicBool;

const MIB: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(20);

/// Nobody hears what the store says: the test says it.
struct Nobody;

impl Asker for Nobody {
    fn answered(&self, _: Vec<(u64, Reply)>) {}

    fn store_broke(&self, _: &Broken) {}
}

fn submitted((graph, wanted): (Arc<Graph>, Vec<TaskId>)) -> Submitted {
    Submitted::new(graph, TaskRange::of(wanted), None, (None, None), Arc::default()).unwrap()
}

fn task_of(scratch_bytes: u64) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph, |_, _| Ok(Chunk::scalar(1_i64).into()));
    let cost = Cost { scratch_bytes, output_bytes: 8, nanoseconds: 1000 };
    let layer = graph.layer(Layer::new("task", op, Shape::source(1)).with_cost(cost)).unwrap();
    (Arc::new(graph.finish()), vec![TaskId::new(layer, 0)])
}

#[test]
fn inputs_that_are_read_while_there_is_no_slot_any_more_are_there_when_there_is_one() {
    let store = Store::new(Limits::of_memory(MIB));
    let number = store.enlist(Weak::<Nobody>::new());
    let recovery = Recovery { runners: Runners::default(), store };
    let mut state = State::new(1, &recovery, number);
    state.submit(submitted(task_of(MIB - 8))).unwrap();
    let first = state.pick(None).expect("there is memory for it");
    // Its task waits for something, and another asks for memory meanwhile.
    state.lend(true, None);
    state.submit(submitted(task_of(MIB / 2))).unwrap();
    let asking: Vec<Ticket> = state.asking();
    let [second] = asking[..] else { panic!("{asking:?}") };
    state.take_back_lent();
    state.answered(second, Reply::Promised { is_loading: true });
    assert!(!state.has_work(), "there is one slot, which is taken");
    state.answered(second, Reply::Loaded);
    state.executed(&mut first.execute(&recovery, 1));
    assert_eq!(state.pick(None).map(|execution| execution.ticket), Some(second));
}

fn shared_by_hand(threads: usize, memory: u64, wake: fn(&Arc<Shared>, &mut State) -> bool) -> Arc<Shared> {
    let store = Store::new(Limits::of_memory(memory));
    let options = EngineOptions { threads, ..EngineOptions::default() };
    Shared::new(options, Recovery { runners: Runners::default(), store }, wake)
}

static STUMBLES: AtomicBool = AtomicBool::new(false);

/// Panics after something was picked.
fn stumbling_wake(_: &Arc<Shared>, state: &mut State) -> bool {
    assert!(state.handed_out.is_none() || !STUMBLES.swap(false, Ordering::Relaxed), "it stumbled");
    false
}

#[test]
fn what_was_picked_in_a_change_that_breaks_down_isnt_waited_for() {
    let engine = Engine(shared_by_hand(0, MIB, stumbling_wake));
    let run = submit(&engine, sum_of(100));
    STUMBLES.store(true, Ordering::Relaxed);
    assert!(matches!(run.wait_timeout(PATIENCE), Some(Err(RunError::Broken(_)))));
    assert!(!STUMBLES.load(Ordering::Relaxed));
    assert_eq!(engine.strays(), 0, "no thread got it");
    assert_eq!(number(&submit(&engine, sum_of(100)).wait().unwrap()[0]), 4950);
    drop(run);
    assert!(engine.store().is_empty());
}

/// So many results, and a task that reads them, which takes so long.
fn producers(count: u32, nanoseconds: u64) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let block = |_: &Call<'_>, _: &[Value]| Ok(Chunk::from_vec(vec![0_u8; 4 << 20], &[4 << 20]).unwrap().into());
    let make = op(&mut graph, block);
    let read = op(&mut graph, |_, _| Ok(Chunk::scalar(0_i64).into()));
    let made = graph.layer(Layer::new("make", make, Shape::source(count)).with_cost(bytes(4 * MIB))).unwrap();
    let fan_in = [count].into_iter().collect();
    let shape = Shape::Reduce { input: made, grid: Grid::new([count]), fan_in };
    let cost = Cost { nanoseconds, ..bytes(8) };
    let read = graph.layer(Layer::new("read", read, shape).with_cost(cost)).unwrap();
    (Arc::new(graph.finish()), vec![TaskId::new(read, 0)])
}

/// An engine of four threads, one of which is at a task, for whose end those that it waits for are held back. Nobody idles or runs
/// anything yet.
fn holding_back() -> (Arc<Shared>, Execution) {
    let shared = shared_by_hand(4, 16 * MIB, |_, _| false);
    let run = shared.change(|state| state.submit(submitted(producers(2, 500_000_000))).unwrap()).unwrap();
    let read = loop {
        let execution = shared.change(|state| state.pick(None)).unwrap().expect("there is memory for it");
        if name_of(&execution).starts_with("read") {
            break execution;
        }
        let mut executed = execution.execute(&shared.recovery, 1);
        shared.change(|state| state.executed(&mut executed)).unwrap();
    };
    let (graph, wanted) = producers(8, 1000);
    let inner = Submitted::new(graph, TaskRange::of(wanted), Some(run), (None, None), Arc::default()).unwrap();
    shared.change(|state| state.submit(inner).unwrap()).unwrap();
    assert!(shared.lock().head.wakes_at().is_some(), "they are held back");
    (shared, read)
}

fn name_of(execution: &Execution) -> String {
    let first = execution.tasks[0];
    execution.graph.key(TaskId::new(first.layer, first.start))
}

#[test]
fn a_thread_that_takes_up_work_leaves_the_time_to_another() {
    let (shared, _long) = loop {
        let (shared, long) = holding_back();
        shared.change(|state| state.submit(submitted(task_of(0))).unwrap()).unwrap();
        // It may have taken longer than they wait.
        if shared.lock().head.wakes_at().is_some() {
            break (shared, long);
        }
    };
    let [third, fourth] = {
        let mut state = shared.lock();
        assert!(state.timer.is_none() && state.waiting_executions() == 1);
        [(); 2].map(|()| state.pool.add())
    };
    std::thread::scope(|scope| {
        let idle = scope.spawn(|| {
            let mut state = shared.lock();
            state.pool.set_looking(fourth);
            state.pool.idle += 1;
            shared.work().wait_for(state, PATIENCE).1
        });
        while shared.lock().pool.idle == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(threads::wait_for_work(&shared, third).is_some());
        assert!(!idle.join().unwrap(), "it is woken, to wait no longer than until the producers may go ahead");
    });
}

#[test]
fn a_thread_that_was_refused_once_is_asked_for_again_when_time_is_to_be_told() {
    let (shared, _long) = holding_back();
    let mut state = shared.lock();
    state.pool.refused = Some("asked to".into());
    assert!(!state.has_work());
    threads::wake(&shared, &mut state);
    assert_eq!(state.pool.live(), 1);
    state.is_shut_down = true;
    drop(state);
    let deadline = Instant::now() + PATIENCE;
    while shared.lock().pool.live() > 0 {
        assert!(Instant::now() < deadline, "it stays");
        shared.work().notify_all();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whoever keeps a loan when its task is over has nothing of it any more, nor has what this thread runs next.
#[test]
fn a_loan_ends_with_its_task() {
    let shared = shared_by_hand(1, MIB, |_, _| false);
    let kept = Arc::new(raskt_sync::Mutex::new(vec![]));
    for _ in 0..3 {
        let keeps = kept.clone();
        let body = move |_: &Call<'_>, _: &[Value]| {
            keeps.lock().push(Engine::lend_slot().expect("it is in a task"));
            Ok(Chunk::scalar(1_i64).into())
        };
        let run = shared.change(|state| state.submit(submitted(one_task(body))).unwrap()).unwrap();
        let execution = shared.change(|state| state.pick(None)).unwrap().expect("it can run");
        let at_work = AtWork::start(&shared, run);
        let mut executed = execution.execute(&shared.recovery, 1);
        assert_eq!(shared.lock().lent_slots(), 1);
        drop(at_work);
        shared.change(|state| state.executed(&mut executed)).unwrap();
        assert_eq!(shared.lock().lent_slots(), 0, "it is lent for ever");
    }
    drop(std::mem::take(&mut *kept.lock()));
    assert_eq!(shared.lock().lent_slots(), 0, "it came back twice");
}

/// While a task waits others have its slot: their time is theirs. Else a family that waits much would count as one that had much, and
/// would have to wait for that once more.
#[test]
fn the_time_of_a_task_is_without_that_of_its_waits() {
    const WAIT: Duration = Duration::from_millis(400);
    let shared = shared_by_hand(1, MIB, |_, _| false);
    let body = |_: &Call<'_>, _: &[Value]| {
        let loan = Engine::lend_slot().expect("it is in a task");
        std::thread::sleep(WAIT / 2);
        // What runs meanwhile may wait as well: that is a part of the same wait.
        drop(Engine::lend_slot());
        std::thread::sleep(WAIT / 2);
        drop(loan);
        Ok(Chunk::scalar(1_i64).into())
    };
    let run = shared.change(|state| state.submit(submitted(one_task(body))).unwrap()).unwrap();
    let execution = shared.change(|state| state.pick(None)).unwrap().expect("it can run");
    let at_work = AtWork::start(&shared, run);
    let start = Instant::now();
    let executed = execution.execute(&shared.recovery, 1);
    drop(at_work);
    assert!(start.elapsed() >= WAIT && executed.nanoseconds < (WAIT / 2).as_nanos() as u64, "{}", executed.nanoseconds);
}

/// Libraries that tasks call are told so before another thread runs beside this one, and not for what nobody else will run.
#[test]
fn a_thread_knows_whether_another_is_about_to_run_python_beside_it() {
    let found = |kind, slots, count| {
        let store = Store::new(Limits::of_memory(MIB));
        let number = store.enlist(Weak::<Nobody>::new());
        let mut state = State::new(slots, &Recovery { runners: Runners::default(), store }, number);
        let mut graph = GraphBuilder::new();
        let body =
            Arc::new(NativeOp(Arc::new(Closure(Box::new(
                |_: &Call<'_>, _: &[Value]| Ok(Chunk::scalar(1_i64).into()),
            )))));
        let op = graph.op(Op { kind, name: "task".into(), digest: 0, flags: OpFlags::default(), body });
        let cost = Cost { nanoseconds: 1_000_000_000, output_bytes: 8, scratch_bytes: 0 };
        let layer = graph.layer(Layer::new("task", op, Shape::source(count)).with_cost(cost)).unwrap();
        let wanted = (0..u64::from(count)).map(|index| TaskId::new(layer, index)).collect();
        state.submit(submitted((Arc::new(graph.finish()), wanted))).unwrap();
        std::iter::from_fn(|| state.pick(None)).map(|execution| execution.has_company).collect::<Vec<_>>()
    };
    assert_eq!(found(OpKind::Python, 2, 4), [true, false]);
    assert_eq!(found(OpKind::Python, 2, 1), [false]);
    assert_eq!(found(OpKind::Python, 1, 4), [false], "there is no other thread");
    assert_eq!(found(OpKind::Array, 2, 4), [false, false], "those run no Python");
}
