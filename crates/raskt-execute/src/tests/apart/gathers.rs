//! What assignments read of other workers.

use super::bench::*;
use super::graphs::evaluate;
use super::kernels::digest;
use crate::*;
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::*;

fn task(layer: u32, index: u64) -> TaskId {
    TaskId::new(LayerId(layer), index)
}

fn done(report: &Report) -> Vec<(TaskRange, bool)> {
    report.outcomes.iter().map(|(tasks, outcome)| (*tasks, matches!(outcome, Outcome::Done { .. }))).collect()
}

#[test]
fn what_is_fetched_stays_or_goes_with_its_reader_as_the_scheduler_wants() {
    for kib in [0, 100] {
        let graph = pairs(4);
        let bench = Bench::mixing(1, graph.clone());
        let fetches = vec![fetch(8, range(0, 0, 1), true), fetch(9, range(0, 1, 2), false)];
        bench.assign(1, vec![range(1, 0, 2)], fetches);
        let (first, second) = (bench.asked(), bench.asked());
        assert_eq!((first.from, first.tasks.clone()), (WorkerId(8), vec![range(0, 0, 1)]));
        assert_eq!((second.from, second.tasks.clone()), (WorkerId(9), vec![range(0, 1, 2)]));
        bench.engine.fetched(second.id, answer(results(&graph, range(0, 1, 2), kib)));
        bench.says_nothing_more();
        bench.engine.fetched(first.id, answer(results(&graph, range(0, 0, 1), kib)));
        assert_eq!(bench.told(), WorkerTold::Fetched { run: RUN, tasks: vec![range(0, 0, 1)] });
        assert_eq!(done(&bench.report()), [(range(1, 0, 2), true)]);
        let held = bench.held(&[range(0, 0, 2), range(1, 0, 2)]);
        let expected = evaluate(&graph);
        let held: Vec<_> = held.iter().map(|value| value.as_ref().map(digest)).collect();
        let here = |layer, index| Some(expected[&task(layer, index)]);
        assert_eq!(held, [here(0, 0), None, here(1, 0), here(1, 1)]);
        let bytes = if kib == 0 { 8 } else { kib << 10 };
        assert_eq!(bench.bytes(), (bytes + 16, 0, 0), "the copy that stays, and two results");
        let inventory = vec![(range(0, 0, 1), bytes), (range(1, 0, 2), 16)];
        assert_eq!(bench.engine.inventory(), [HeldResults { run: RUN, tasks: inventory }]);
        bench.ends_empty();
    }
}

#[test]
fn what_several_read_is_asked_for_once() {
    let graph = pairs(3);
    let bench = Bench::mixing(2, graph.clone());
    bench.assign(1, vec![range(1, 0, 1)], vec![fetch(8, range(0, 0, 1), true)]);
    let asked = bench.asked();
    bench.assign(2, vec![range(1, 0, 2)], vec![fetch(9, range(0, 0, 2), true)]);
    assert_eq!(bench.asked().tasks, [range(0, 1, 2)], "the other one is on its way");
    bench.engine.fetched(asked.id, answer(results(&graph, range(0, 0, 1), 100)));
    assert_eq!(bench.told(), WorkerTold::Fetched { run: RUN, tasks: vec![range(0, 0, 1)] });
    assert_eq!(bench.report().attempt, Attempt(1));
    // What has come stays for the second, whatever becomes of it here.
    bench.order(WorkerOrder::Discard { run: RUN, tasks: vec![range(0, 0, 1)], inventory_version: 9 });
    bench.engine.fetched(FetchId(asked.id.0 + 1), answer(results(&graph, range(0, 1, 2), 100)));
    let WorkerTold::Fetched { tasks, .. } = bench.told() else { panic!("it tells of its copies") };
    assert_eq!(TaskRange::count(&tasks), 2);
    assert_eq!(done(&bench.report()), [(range(1, 0, 2), true)]);
    bench.ends_empty();
}

#[test]
fn what_comes_beside_what_cant_be_had_is_dropped() {
    let graph = pairs(3);
    let bench = Bench::mixing(1, graph.clone());
    let fetches = vec![fetch(8, range(0, 0, 2), true), fetch(9, range(0, 2, 3), true)];
    bench.assign(1, vec![range(1, 0, 3)], fetches);
    let (first, second) = (bench.asked(), bench.asked());
    let [there, _] = &results(&graph, range(0, 0, 2), 100)[..] else { panic!() };
    bench.engine.fetched(first.id, Ok(vec![Ok(there.clone()), Err(Missing::NotHere)]));
    assert!(matches!(bench.next(), Said::GaveUp(id) if id == second.id));
    let (run, attempt, from) = (RUN, Attempt(1), WorkerId(8));
    assert_eq!(
        bench.told(),
        WorkerTold::FetchFailed { run, attempt, input_run: RUN, task: task(0, 1), from, reached: true }
    );
    bench.until(|bench| bench.bytes() == (0, 0, 0));
    // What comes too late is nobody's.
    bench.engine.fetched(second.id, answer(results(&graph, range(0, 2, 3), 100)));
    bench.until(|bench| bench.bytes() == (0, 0, 0));
    // An answer that says too little says nothing.
    bench.assign(2, vec![range(1, 0, 2)], vec![fetch(8, range(0, 0, 2), true)]);
    let asked = bench.asked();
    bench.engine.fetched(asked.id, answer(results(&graph, range(0, 0, 1), 0)));
    let WorkerTold::FetchFailed { attempt: Attempt(2), reached: false, .. } = bench.told() else { panic!() };
    bench.assign(3, vec![range(1, 0, 1)], vec![fetch(8, range(0, 0, 1), true)]);
    bench.engine.fetched(bench.asked().id, Err(Unreachable));
    let WorkerTold::FetchFailed { attempt: Attempt(3), reached: false, .. } = bench.told() else { panic!() };
    bench.ends_empty();
}

#[test]
fn who_shares_a_request_fails_for_what_he_reads_himself() {
    let graph = pairs(3);
    let bench = Bench::mixing(2, graph.clone());
    bench.assign(1, vec![range(1, 0, 2)], vec![fetch(8, range(0, 0, 2), true)]);
    bench.assign(2, vec![range(1, 0, 1)], vec![fetch(8, range(0, 0, 1), true)]);
    let asked = bench.asked();
    let first = results(&graph, range(0, 0, 1), 0).remove(0);
    bench.engine.fetched(asked.id, Ok(vec![Ok(first), Err(Missing::NotHere)]));
    let WorkerTold::FetchFailed { attempt: Attempt(1), .. } = bench.told() else { panic!() };
    assert_eq!(bench.told(), WorkerTold::Fetched { run: RUN, tasks: vec![range(0, 0, 1)] });
    assert_eq!(bench.report().attempt, Attempt(2));
    bench.ends_empty();
}

#[test]
fn what_is_taken_back_or_forgotten_while_it_is_fetched_is_given_up() {
    let graph = pairs(2);
    let bench = Bench::mixing(1, graph);
    bench.assign(1, vec![range(1, 0, 2)], vec![fetch(8, range(0, 0, 2), true)]);
    let asked = bench.asked();
    // The rest of it is as it was.
    bench.order(WorkerOrder::Recall { run: RUN, attempt: Attempt(1), tasks: vec![range(1, 0, 1)] });
    let recalled = |tasks| WorkerTold::Recalled { run: RUN, attempt: Attempt(1), tasks };
    assert_eq!(bench.told(), recalled(vec![range(1, 0, 1)]));
    bench.order(WorkerOrder::Recall { run: RUN, attempt: Attempt(1), tasks: vec![range(1, 0, 2)] });
    assert_eq!(bench.told(), recalled(vec![range(1, 1, 2)]));
    assert!(matches!(bench.next(), Said::GaveUp(id) if id == asked.id));
    assert_eq!(bench.bytes(), (0, 0, 0));
    bench.assign(2, vec![range(1, 0, 1)], vec![fetch(8, range(0, 0, 1), true)]);
    bench.asked();
    bench.ends_empty();
}
