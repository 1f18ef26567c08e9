//! Results that can't be read any more, that were dropped, or that were never there.

use super::bench::*;
use super::kernels::{Mixer, block, digest};
use crate::*;
use raskt_graph::*;
use raskt_schedule::*;
use raskt_value::{Call, ErrorKind, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A worker that has computed as many sources of 100 KiB as it has no memory for.
fn crowded(count: u32) -> (Bench, Arc<Graph>) {
    struct Large;
    impl Runner for Large {
        fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
            let made = super::graphs::result(call.task, inputs.iter().map(digest));
            Ok(block(made, if call.task.layer.0 == 0 { 100 * 128 } else { 1 }))
        }
    }
    let graph = pairs(count);
    let bench = Bench::new((1, 350), Arc::new(Large), graph.clone());
    for at in 0..u64::from(count) {
        let mut assigned = assignment(at as u32, vec![range(0, at, at + 1)], vec![]);
        assigned.memory = 100 << 10;
        bench.order(WorkerOrder::Assign(assigned));
        assert_eq!(bench.report().outcomes[0].1, Outcome::Done { bytes: 100 << 10 });
    }
    (bench, graph)
}

#[test]
fn a_spilled_input_that_cant_be_read_is_told_of_as_lost_and_fails_nobody() {
    let (bench, graph) = crowded(8);
    bench.until(|bench| bench.files().len() >= 5);
    bench.files().iter().for_each(|file| drop(std::fs::remove_file(file)));
    bench.assign(100, vec![range(1, 0, 8)], vec![]);
    assert!(matches!(bench.told(), WorkerTold::Started { .. }));
    let WorkerTold::ResultsLost { tasks: lost, .. } = bench.told() else { panic!("it tells of what is lost first") };
    let report = bench.end();
    let is_not_run = |(_, outcome): &(TaskRange, Outcome)| *outcome == Outcome::NotRun;
    assert!(report.outcomes.iter().any(is_not_run), "{report:?}");
    assert!(report.outcomes.iter().all(|(_, outcome)| *outcome != Outcome::Failed), "{report:?}");
    // What is lost isn't here, and nobody is told of it twice.
    let held = bench.held(&lost);
    assert!(held.iter().all(Option::is_none));
    // Whatever else is lost is found out by those who ask; what they get is right.
    let expected = super::graphs::evaluate(&graph);
    let all: Vec<_> = range(0, 0, 8).tasks().collect();
    for (task, value) in all.iter().zip(bench.held(&[range(0, 0, 8)])) {
        assert!(value.is_none_or(|value| digest(&value) == expected[task]));
    }
    let missing = bench.held(&[range(0, 0, 8)]).iter().filter(|value| value.is_none()).count() as u64;
    let mut told = TaskRange::count(&lost);
    while told < missing {
        let WorkerTold::ResultsLost { tasks, .. } = bench.told() else { panic!("it tells of the others") };
        told += TaskRange::count(&tasks);
    }
    assert_eq!(told, missing);
    bench.says_nothing_more();
    bench.ends_empty();
}

/// What it has begun may wait for the disk when a worker is to leave: it ends all the same, or others have it.
#[test]
fn what_reads_spilled_inputs_ends_though_its_worker_leaves() {
    for _ in 0..20 {
        let (bench, _) = crowded(6);
        bench.until(|bench| bench.files().len() >= 3);
        bench.assign(100, vec![range(1, 0, 6)], vec![]);
        bench.engine.wind_down(&|| PATIENCE);
        loop {
            match bench.told() {
                WorkerTold::Started { .. } | WorkerTold::Resized { .. } => {}
                WorkerTold::Recalled { attempt, .. } => break assert_eq!(attempt, Attempt(100)),
                WorkerTold::Reported(report) => {
                    break assert!(report.outcomes.iter().all(|(_, outcome)| matches!(outcome, Outcome::Done { .. })));
                }
                other => panic!("{other:?}"),
            }
        }
        bench.engine.shut_down(PATIENCE);
        assert_eq!(bench.bytes(), (0, 0, 0));
    }
}

#[test]
fn tasks_that_read_what_was_never_here_are_not_run_and_those_before_them_are() {
    let graph = pairs(4);
    let bench = Bench::mixing(1, graph.clone());
    bench.assign(1, vec![range(0, 0, 2)], vec![]);
    bench.report();
    bench.assign(2, vec![range(1, 0, 4)], vec![]);
    let report = bench.report();
    let expected = [(range(1, 0, 2), Outcome::Done { bytes: 16 }), (range(1, 2, 4), Outcome::NotRun)];
    assert_eq!(report.outcomes, expected);
    bench.assign(3, vec![range(1, 3, 4)], vec![]);
    assert_eq!(bench.report().outcomes, [(range(1, 3, 4), Outcome::NotRun)], "not even the first");
    // Made with what reads it, where one of the readers can't be run: it stays, though it was to go.
    let mut assigned = assignment(4, vec![range(0, 3, 4), range(1, 3, 4), range(1, 2, 3)], vec![]);
    assigned.transient = vec![range(0, 3, 4)];
    bench.order(WorkerOrder::Assign(assigned));
    let done = |tasks| (tasks, Outcome::Done { bytes: 8 });
    let expected = [done(range(0, 3, 4)), done(range(1, 3, 4)), (range(1, 2, 3), Outcome::NotRun)];
    assert_eq!(bench.report().outcomes, expected);
    assert!(bench.held(&[range(0, 3, 4)])[0].is_some());
    bench.ends_empty();
}

#[test]
fn what_is_discarded_goes_unless_it_was_told_of_since() {
    let bench = Bench::mixing(1, pairs(2));
    bench.assign(1, vec![range(0, 0, 2)], vec![]);
    bench.report();
    let discard = |version| {
        bench.order(WorkerOrder::Discard { run: RUN, tasks: vec![range(0, 0, 2)], inventory_version: version })
    };
    discard(0);
    assert!(bench.held(&[range(0, 0, 2)]).iter().all(Option::is_some), "the scheduler hadn't heard of them");
    discard(1);
    assert!(bench.held(&[range(0, 0, 2)]).iter().all(Option::is_none));
    assert_eq!(bench.bytes(), (0, 0, 0));
    bench.ends_empty();
}

/// A kernel that makes the same from nothing at any time, and counts how often.
struct Cheap(Arc<AtomicU32>);

impl Kernel for Cheap {
    fn run(&self, call: &Call<'_>, _: &[Value]) -> Result<Value, TaskError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(block(call.index, 100 * 128))
    }

    fn name(&self) -> String {
        "cheap".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

#[test]
fn what_a_kernel_makes_from_nothing_is_made_again_for_whoever_asks() {
    let ran = Arc::new(AtomicU32::new(0));
    let mut graph = GraphBuilder::new();
    let body = Arc::new(NativeOp(Arc::new(Cheap(ran.clone()))));
    let op = graph.op(Op { kind: OpKind::Array, name: "cheap".into(), digest: 0, flags: OpFlags::default(), body });
    graph.layer(Layer::new("cheap", op, Shape::source(12))).unwrap();
    let bench = Bench::with((1, 350), Runners::default(), Arc::new(graph.finish()));
    // It has no disk.
    bench.engine.store().set_limits(Limits { memory: 350 << 10, disk: 0, spill_path: None });
    for at in 0..12 {
        let mut assigned = assignment(at as u32, vec![range(0, at, at + 1)], vec![]);
        assigned.memory = 100 << 10;
        bench.order(WorkerOrder::Assign(assigned));
        bench.report();
    }
    let held = bench.held(&[range(0, 0, 12)]);
    let held: Vec<_> = held.iter().map(|value| value.as_ref().map(digest)).collect();
    assert_eq!(held, (0..12).map(Some).collect::<Vec<_>>());
    assert!(ran.load(Ordering::SeqCst) > 12);
    bench.says_nothing_more();
    bench.ends_empty();
}

#[test]
fn what_is_on_its_way_to_others_is_bounded_and_all_of_it_comes() {
    let (bench, graph) = crowded(8);
    let (sender, receiver) = std::sync::mpsc::channel();
    for at in 0..8 {
        let sender = sender.clone();
        bench.engine.values(RUN, &[range(0, at, at + 1)], move |given| drop(sender.send((at, given)))).unwrap();
    }
    let expected = super::graphs::evaluate(&graph);
    let (mut on_its_way, mut come) = (std::collections::VecDeque::new(), 0);
    while come < 8 {
        // Each is larger than the share that may be read for others: a second one isn't, before the first is let go.
        let (at, given) = receiver.recv_timeout(std::time::Duration::from_secs(30)).unwrap();
        let value = given.values[0].as_ref().unwrap();
        assert_eq!(digest(value), expected[&TaskId::new(LayerId(0), at)]);
        come += 1;
        on_its_way.push_back(given);
        while let Ok((at, given)) = receiver.recv_timeout(std::time::Duration::from_millis(300)) {
            assert_eq!(digest(given.values[0].as_ref().unwrap()), expected[&TaskId::new(LayerId(0), at)]);
            come += 1;
            on_its_way.push_back(given);
        }
        assert!(on_its_way.len() <= 4, "{} at a time", on_its_way.len());
        on_its_way.pop_front();
    }
    drop(on_its_way);
    bench.ends_empty();
}

#[test]
fn a_task_for_which_there_will_never_be_memory_fails_and_says_who_has_it() {
    struct Stays;
    impl raskt_value::Foreign for Stays {
        fn bytes(&self) -> usize {
            200 << 10
        }
        fn type_name(&self) -> &str {
            "stays"
        }
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }
    struct Keeper;
    impl Runner for Keeper {
        fn run(&self, _: &TaskCall<'_>, _: &[Value]) -> Result<Value, TaskError> {
            Ok(Value::Foreign(Arc::new(Stays)))
        }
    }
    let bench = Bench::new((1, 300), Arc::new(Keeper), pairs(64));
    for at in 0..64 {
        let mut assigned = assignment(at as u32, vec![range(0, at, at + 1)], vec![fetch(8, range(1, 0, 1), true)]);
        assigned.memory = 200 << 10;
        bench.order(WorkerOrder::Assign(assigned));
        let mut said = bench.next();
        if let Said::Fetch(request) = said {
            bench.engine.fetched(request.id, answer(vec![block(1, 1)]));
            said = bench.next();
        }
        if matches!(said, Said::Told(WorkerTold::Fetched { .. })) {
            said = bench.next();
        }
        assert!(matches!(said, Said::Told(WorkerTold::Started { .. })), "{said:?}");
        match bench.next() {
            Said::Told(WorkerTold::Reported(_)) => {}
            Said::Failed(failure) => {
                assert_eq!(failure.error.kind, ErrorKind::Memory);
                assert!(failure.error.message.contains("test"), "{}", failure.error.message);
                let (_, error) = bench.engine.error_of(RUN, failure.task).unwrap();
                assert_eq!(error.message, failure.error.message);
                assert_eq!(bench.end().outcomes, [(range(0, at, at + 1), Outcome::Failed)]);
                return bench.ends_empty();
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("64 results of which none can leave were taken in");
}

#[test]
fn data_that_a_client_gives_is_told_of_and_read() {
    let graph = pairs(2);
    let bench = Bench::new((1, 1 << 10), Arc::new(Mixer::default()), graph.clone());
    let given = results(&graph, range(0, 0, 2), 100);
    let values = range(0, 0, 2).tasks().zip(given).collect();
    bench.engine.put(RUN, values, &bench.engine.expect(0)).unwrap();
    assert_eq!(bench.told(), WorkerTold::Scattered { run: RUN, tasks: vec![range(0, 0, 2)], bytes: 200 << 10 });
    bench.order(WorkerOrder::Discard { run: RUN, tasks: vec![range(0, 0, 2)], inventory_version: 0 });
    bench.assign(1, vec![range(1, 0, 2)], vec![]);
    assert_eq!(bench.report().outcomes, [(range(1, 0, 2), Outcome::Done { bytes: 16 })]);
    let small = vec![(TaskId::new(LayerId(0), 0), block(3, 1))];
    bench.engine.put(RUN, small, &bench.engine.expect(0)).unwrap();
    assert!(matches!(bench.told(), WorkerTold::Scattered { bytes: 8, .. }));
    assert_eq!(bench.bytes().0, (100 << 10) + 16 + 8, "it takes the place of what was there");
    bench.ends_empty();
}

#[test]
fn data_for_which_there_is_no_memory_is_refused() {
    let graph = pairs(32);
    let bench = Bench::new((1, 1 << 10), Arc::new(Mixer::default()), graph.clone());
    // Nothing can leave, and whoever has more is ended.
    let store = bench.engine.store();
    store.set_limits(Limits { disk: 0, ..Limits::of_memory(1 << 20) });
    store.set_bound(1200 << 10);
    let given = range(0, 0, 32).tasks().zip(results(&graph, range(0, 0, 32), 100));
    let (mut taken, mut refused) = (0, 0);
    for (task, value) in given {
        match bench.engine.put(RUN, vec![(task, value)], &bench.engine.expect(0)) {
            Ok(()) => {
                taken += 1;
                assert!(matches!(bench.told(), WorkerTold::Scattered { .. }));
            }
            Err(WorkerError::Memory(report)) => {
                refused += 1;
                assert_eq!(report.disk_limit, 0);
            }
            Err(other) => panic!("{other}"),
        }
        assert!(bench.bytes().0 <= 1200 << 10);
    }
    assert_eq!((taken, refused), (12, 20));
    let room_for = |bytes| bench.engine.room_for(bytes);
    assert_eq!((room_for(0), room_for(100 << 10)), (0, 0), "it is known before it is fetched");
    store.set_bound(1250 << 10);
    assert_eq!((room_for(49 << 10), room_for(100 << 10)), (49 << 10, 50 << 10), "and how much would fit");
    store.set_bound(u64::MAX);
    assert_eq!(room_for(100 << 20), 100 << 20);
    store.set_bound(1200 << 10);
    bench.says_nothing_more();
    // Copies are data like any other.
    let copy = vec![(TaskId::new(LayerId(1), 0), block(3, 100 << 7))];
    assert!(matches!(bench.engine.put_copies(RUN, copy, &bench.engine.expect(0)), Err(WorkerError::Memory(_))));
    bench.ends_empty();
}
