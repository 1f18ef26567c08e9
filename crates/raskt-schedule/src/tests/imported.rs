//! Runs that read results of other runs.

use super::links::*;
use crate::*;
use raskt_graph::*;
use std::collections::BTreeSet;
use std::sync::Arc;

const ALONE: FailureScope = FailureScope::Task;
const WHOLE: FailureScope = FailureScope::Run;

fn is_empty(cluster: &Cluster) -> bool {
    cluster.memories.values().all(BTreeSet::is_empty) && cluster.scheduler.leftovers().is_none()
}

#[test]
fn what_is_imported_is_kept_while_it_is_read_though_its_client_has_released_it() {
    let mut cluster = Cluster::new(2);
    cluster.submit(1, rows(2, 4), vec![range(1, 0, 4)], ALONE, vec![]);
    cluster.work_all();
    cluster.submit(2, rows(3, 3), vec![range(2, 0, 3)], WHOLE, vec![import(0, 3, 1, task(1, 1))]);
    cluster.release(1);
    assert!(cluster.scheduler.task_state(RunId(1), task(1, 0)).is_none_or(|state| state == TaskState::Released));
    let held: usize = cluster.memories.values().map(BTreeSet::len).sum();
    assert_eq!(held, 3, "what nobody imports went at once");
    cluster.work_all();
    assert!(cluster.knows(2).is_finished);
    assert!(!cluster.memories.values().flatten().any(|(run, _)| *run == RunId(1)), "it is kept for nobody");
    cluster.release(2);
    assert!(is_empty(&cluster) && cluster.scheduler.progress(RunId(1)).is_none());
}

#[test]
fn what_was_released_or_is_lost_is_made_again_by_its_own_run() {
    let mut cluster = Cluster::new(1);
    cluster.submit(1, rows(2, 4), vec![range(1, 0, 4)], ALONE, vec![]);
    cluster.work_all();
    cluster.handle(Event::Released { run: RunId(1), tasks: vec![range(1, 0, 4)] });
    cluster.submit(2, rows(2, 4), vec![range(1, 0, 4)], ALONE, vec![import(0, 4, 1, task(1, 0))]);
    cluster.work(0);
    // All that was made of it by now is lost.
    let worker = cluster.join();
    cluster.kill(WorkerId(0));
    cluster.work_all();
    assert_eq!(cluster.knows(2).available.len(), 4);
    assert!(cluster.ran[&(RunId(1), task(1, 3))] >= 2);
    assert!(cluster.memories[&worker].iter().all(|(run, _)| *run == RunId(2)));
    cluster.release(2);
    cluster.release(1);
    assert!(is_empty(&cluster));
}

#[test]
fn readers_of_what_fails_fail_with_it_and_end_their_runs_or_themselves() {
    for scope in [ALONE, WHOLE] {
        let mut cluster = Cluster::new(2);
        cluster.failing.insert((RunId(1), task(0, 2)));
        cluster.submit(1, rows(2, 4), vec![range(1, 0, 4)], ALONE, vec![]);
        cluster.submit(2, rows(2, 4), vec![range(1, 0, 4)], scope, vec![import(0, 4, 1, task(1, 0))]);
        cluster.submit(3, rows(2, 4), vec![range(1, 0, 4)], ALONE, vec![import(0, 4, 2, task(1, 0))]);
        cluster.work_all();
        assert_eq!(cluster.knows(3).failed[&task(1, 2)], (RunId(1), task(0, 2)), "through two runs");
        assert_eq!(cluster.knows(3).available.len(), 3, "the others don't suffer");
        match scope {
            ALONE => assert!(cluster.knows(2).available.len() == 3 && cluster.knows(2).failed.len() == 1),
            WHOLE => assert_eq!(cluster.knows(2).ended, Some((RunId(1), task(0, 2)))),
        }
        // The last of them is to be run again: with what failed first.
        cluster.failing.clear();
        cluster.handle(Event::Retried { run: RunId(3), tasks: vec![range(1, 2, 3)] });
        cluster.work_all();
        let knows = cluster.knows(3);
        match scope {
            ALONE => assert_eq!(cluster.knows(1).available.len(), 4, "it is there for its own client as well"),
            WHOLE => {}
        }
        assert!(knows.available.contains(&task(1, 2)) || knows.failed.contains_key(&task(1, 2)), "{knows:?}");
        for run in [1, 3] {
            cluster.release(run);
        }
        if scope == ALONE {
            cluster.release(2);
        }
        assert!(is_empty(&cluster));
    }
}

#[test]
fn data_that_is_imported_and_lost_fails_those_that_read_it() {
    let mut cluster = Cluster::new(1);
    cluster.submit(1, rows(1, 2), vec![], ALONE, vec![]);
    cluster.memories.get_mut(&WorkerId(0)).unwrap().extend([0, 1].map(|index| (RunId(1), task(0, index))));
    cluster.handle(Event::Scattered { run: RunId(1), tasks: vec![range(0, 0, 2)], worker: WorkerId(0), bytes: 16 });
    cluster.submit(2, rows(2, 2), vec![range(1, 0, 2)], ALONE, vec![import(0, 2, 1, task(0, 0))]);
    cluster.submit(3, rows(2, 1), vec![range(1, 0, 1)], WHOLE, vec![import(0, 1, 1, task(0, 0))]);
    cluster.kill(WorkerId(0));
    assert_eq!(cluster.knows(2).failed[&task(1, 0)], (RunId(1), task(0, 0)));
    assert_eq!(cluster.knows(3).ended, Some((RunId(1), task(0, 0))));
}

#[test]
fn an_imported_result_may_be_wanted_itself() {
    let mut cluster = Cluster::new(1);
    cluster.submit(1, rows(1, 3), vec![range(0, 0, 3)], ALONE, vec![]);
    cluster.submit(2, rows(1, 2), vec![range(0, 0, 2)], ALONE, vec![import(0, 2, 1, task(0, 1))]);
    cluster.work_all();
    assert_eq!(cluster.knows(2).available.len(), 2);
    cluster.release(1);
    assert_eq!(cluster.memories[&WorkerId(0)].len(), 2);
    let held = cluster.scheduler.who_has(RunId(2), range(0, 0, 2), 10);
    assert_eq!(held, [Held { worker: WorkerId(0), tasks: range(0, 0, 2), bytes: 16 }]);
    cluster.handle(Event::Released { run: RunId(2), tasks: vec![range(0, 0, 1)] });
    assert_eq!(cluster.memories[&WorkerId(0)].len(), 1);
    cluster.release(2);
    assert!(is_empty(&cluster));
}

#[test]
fn imports_of_what_is_not_there_are_refused() {
    let mut scheduler = Scheduler::new(1000);
    let graph = Arc::new(rows(2, 4));
    let add = |run: u64, imports: Vec<Import>| {
        let (parent, wanted, failure) = (None, vec![], ALONE);
        Event::GraphAdded { run: RunId(run), parent, graph: graph.clone(), wanted, failure, imports }
    };
    scheduler.try_event(Time(0), add(1, vec![])).unwrap();
    let mut refuse = |imports: Vec<Import>| scheduler.try_event(Time(0), add(2, imports)).unwrap_err().to_string();
    assert_eq!(
        refuse(vec![import(0, 4, 7, task(0, 0))]),
        "what it reads isn't there any more (results of run 7): whoever had it has let go of it, or has left"
    );
    assert_eq!(
        refuse(vec![import(0, 4, 2, task(0, 0))]),
        "what it reads isn't there any more (results of run 2): whoever had it has let go of it, or has left"
    );
    assert_eq!(refuse(vec![import(0, 4, 1, task(1, 1))]), "tasks 1 to 5 of layer `row-1`, which has 4 tasks");
    assert_eq!(refuse(vec![import(0, 4, 1, task(5, 0))]), "tasks of layer 5, and the graph has 2 layers");
    let not_imported = "not every task of layer `first` stands for exactly one other";
    assert_eq!(refuse(vec![import(0, 3, 1, task(0, 0))]), not_imported);
    assert_eq!(refuse(vec![import(0, 4, 1, task(0, 0)), import(0, 1, 1, task(0, 0))]), not_imported);
    assert_eq!(refuse(vec![import(1, 4, 1, task(0, 0))]), not_imported.replace("first", "row-1"));
    scheduler.try_event(Time(0), add(2, vec![import(0, 4, 1, task(0, 0))])).unwrap();
    scheduler.try_event(Time(0), Event::WorkerJoined { worker: WorkerId(1), offer: Offer::slots(1) }).unwrap();
    let given = Event::Scattered { run: RunId(2), tasks: vec![range(0, 0, 1)], worker: WorkerId(1), bytes: 1 };
    assert!(matches!(scheduler.try_event(Time(0), given), Err(EventError::GivenTwice { .. })));
}

/// A graph that reads so many results of others together.
fn together(reads: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = super::graphs::op(&mut graph);
    let input = graph.layer(Layer::new("reads", op, Shape::source(reads))).unwrap();
    let (grid, fan_in) = (Grid::new([reads]), [reads].into_iter().collect());
    graph.layer(Layer::new("all", op, Shape::Reduce { input, grid, fan_in })).unwrap();
    graph.finish()
}

/// Calls that are made one after the other, each of which reads several of those before it, where the first has failed: through however
/// many ways they are of it, each fails at once. And each is made once more when the last is to be.
#[test]
fn what_reads_failed_ones_in_many_ways_fails_at_once() {
    for (reads, links) in [(2, 60_u64), (3, 40), (8, 30)] {
        let mut cluster = Cluster::new(1);
        cluster.failing.insert((RunId(0), task(0, 0)));
        cluster.submit(0, rows(1, 1), vec![range(0, 0, 1)], ALONE, vec![]);
        cluster.work_all();
        let mut most = 0;
        for link in 1..links {
            let of = |at: u32| {
                let run = link.saturating_sub(u64::from(at) + 1);
                let tasks = range(0, u64::from(at), u64::from(at) + 1);
                Import { tasks, run: RunId(run), from: task(u32::from(run > 0), 0) }
            };
            let imports = (0..reads).map(of).collect();
            let steps = cluster.scheduler.steps();
            cluster.submit(link, together(reads), vec![range(1, 0, 1)], ALONE, imports);
            most = most.max(cluster.scheduler.steps() - steps);
            assert!(most < 100 * u64::from(reads), "{most} steps for link {link} that reads {reads}");
            assert_eq!(cluster.knows(link).failed[&task(1, 0)], (RunId(0), task(0, 0)));
        }
        assert!(cluster.assigned.is_empty());
        cluster.failing.clear();
        cluster.handle(Event::Retried { run: RunId(links - 1), tasks: vec![range(1, 0, 1)] });
        cluster.work_all();
        assert!(cluster.knows(links - 1).available.contains(&task(1, 0)));
        (0..links).for_each(|run| cluster.release(run));
        assert!(is_empty(&cluster));
    }
}

/// Very many runs, each of which reads what the one before has made: none costs more than the first, in whatever order they go.
#[test]
fn chains_of_runs_cost_the_same_for_each() {
    for order in 0..3 {
        let count = 3000_u64;
        let mut scheduler = Scheduler::new(1000);
        scheduler.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(0), offer: Offer::slots(1) });
        let (first, next) = (Arc::new(rows(1, 1)), Arc::new(rows(2, 1)));
        let mut most = 0;
        for run in 0..count {
            let imports = if run == 0 { vec![] } else { vec![import(0, 1, run - 1, task(u32::from(run > 1), 0))] };
            let (graph, layer) = if run == 0 { (first.clone(), 0) } else { (next.clone(), 1) };
            let wanted = vec![range(layer, 0, 1)];
            let before = scheduler.steps();
            let added = Event::GraphAdded { run: RunId(run), parent: None, graph, wanted, failure: ALONE, imports };
            scheduler.handle_event(Time(0), added);
            while let Some(action) = scheduler.poll_action() {
                if let Action::Assign { worker, assignment: Assignment { run, attempt, tasks, .. } } = action {
                    let outcomes = tasks.iter().map(|range| (*range, Outcome::Done { bytes: 1 })).collect();
                    let report = Report { run, attempt, outcomes, nanoseconds: 10 };
                    scheduler.handle_event(Time(0), Event::Reported { worker, report });
                }
            }
            most = most.max(scheduler.steps() - before);
            if order == 0 && run > 0 {
                scheduler.handle_event(Time(0), Event::RunReleased { run: RunId(run - 1) });
            }
        }
        assert!(most < 100, "{most} steps for one of them");
        let order: Vec<u64> = match order {
            0 => vec![count - 1],
            1 => (0..count).rev().collect(),
            _ => (0..count).collect(),
        };
        for run in order {
            scheduler.handle_event(Time(0), Event::RunReleased { run: RunId(run) });
        }
        scheduler.validate();
        assert!(scheduler.runs.is_empty() && scheduler.leftovers().is_none());
    }
}

/// Very many runs read the same: what one of them does costs no more for that.
#[test]
fn many_readers_of_one_result_do_not_mind_each_other() {
    let most_steps = |count: u64| {
        let mut scheduler = Scheduler::new(1000);
        let (first, next) = (Arc::new(rows(1, 8)), Arc::new(rows(2, 1)));
        let mut most = 0;
        let mut handle = |event: Event| {
            let before = scheduler.steps();
            scheduler.handle_event(Time(0), event);
            let mut actions = vec![];
            while let Some(action) = scheduler.poll_action() {
                actions.push(action);
            }
            most = most.max(scheduler.steps() - before);
            actions
        };
        let done = |action: Action| {
            let Action::Assign { worker, assignment: Assignment { run, attempt, tasks, .. } } = action else {
                return None;
            };
            let outcomes = tasks.iter().map(|range| (*range, Outcome::Done { bytes: 1 })).collect();
            Some((run, Event::Reported { worker, report: Report { run, attempt, outcomes, nanoseconds: 10 } }))
        };
        let added = |run: u64, graph: &Arc<Graph>, layer: u32, imports: Vec<Import>| {
            let (graph, wanted) = (graph.clone(), vec![range(layer, 0, 1)]);
            Event::GraphAdded { run: RunId(run), parent: None, graph, wanted, failure: ALONE, imports }
        };
        _ = handle(Event::WorkerJoined { worker: WorkerId(0), offer: Offer::slots(1) });
        let mut open: Vec<_> = handle(added(0, &first, 0, vec![])).into_iter().filter_map(done).collect();
        open = open.into_iter().flat_map(|(_, event)| handle(event)).filter_map(done).collect();
        for run in 1..=count {
            let actions = handle(added(run, &next, 1, vec![import(0, 1, 0, task(0, 0))]));
            open.extend(actions.into_iter().filter_map(done));
        }
        let mut ended = 0;
        while let Some((run, event)) = open.pop() {
            open.extend(handle(event).into_iter().filter_map(done));
            open.extend(handle(Event::RunReleased { run }).into_iter().filter_map(done));
            ended += 1;
        }
        assert_eq!(ended, count);
        most
    };
    let (few, many) = (most_steps(10), most_steps(1000));
    assert!(many <= few, "{few} steps at most with ten of them, and {many} with a thousand");
}

/// Who can't go on since what he imports can't be made hears of it, though its client is gone.
#[test]
fn whoever_waits_for_what_no_worker_can_make_is_told() {
    let mut cluster = Cluster::new(1);
    let mut graph = GraphBuilder::new();
    let op = super::graphs::op(&mut graph);
    let resources = [("gpu".into(), 1000)].into_iter().collect();
    let annotations = Arc::new(Annotations { resources, ..Annotations::default() });
    graph.layer(Layer { annotations, ..Layer::new("on-gpu", op, Shape::source(1)) }).unwrap();
    cluster.submit(1, graph.finish(), vec![range(0, 0, 1)], ALONE, vec![]);
    cluster.submit(2, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 1, task(0, 0))]);
    cluster.submit(3, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 2, task(1, 0))]);
    cluster.release(1);
    cluster.submit(4, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 3, task(1, 0))]);
    cluster.release(3);
    for run in [2, 4] {
        let stalled = cluster.knows(run).stalled.clone();
        assert!(matches!(&stalled, Some(StallCause::Unmet { name, .. }) if &**name == "on-gpu"), "{stalled:?}");
    }
    let worker = WorkerId(7);
    cluster.memories.insert(worker, BTreeSet::new());
    let resources = [("gpu".into(), 1000)].into_iter().collect();
    cluster.handle(Event::WorkerJoined { worker, offer: Offer { resources, ..Offer::slots(1) } });
    assert_eq!((&cluster.knows(2).stalled, &cluster.knows(4).stalled), (&None, &None));
    cluster.work_all();
    assert!(cluster.knows(2).is_finished && cluster.knows(4).is_finished);
}
