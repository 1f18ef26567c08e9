//! Workers that retire, results that more are to hold, and what a scheduler says of all that.

use crate::workplace::objects::until;
use crate::workplace::*;
use raskt_cluster::{Answer, Client, ClusterError, Job, Order, Question, ResultFacts, TaskRun, TaskState, Until};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{BEGINNING, RunId, TaskRange, WorkerId};
use raskt_value::{Chunk, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// Sums of data that the client gives: what is lost of it can't be made again by anybody but the client.
fn futures(client: &Client, count: u32, kernel: Sum) -> (TaskRun, TaskRange) {
    let graph = sums(count, kernel, 0);
    let range = TaskRange { layer: LayerId(0), start: 0, end: u64::from(count) };
    (client.submit_tasks(Job { graph: form(&graph), wanted: vec![range], ..Job::default() }).unwrap(), range)
}

fn settle(client: &Client, run: &TaskRun, range: TaskRange) {
    assert!(client.watch(&[(run.id(), vec![range])]).wait(Until::All, Some(std::time::Instant::now() + PATIENCE)));
}

fn order(client: &Client, order: Order) -> Result<Vec<WorkerId>, ClusterError> {
    match client.ask(Question::Order(order), PATIENCE)? {
        Answer::Done(workers) => Ok(workers),
        other => panic!("{other:?}"),
    }
}

fn retire(client: &Client, worker: u32, leaves: bool) -> Result<Vec<WorkerId>, ClusterError> {
    order(client, Order::Retire { workers: vec![WorkerId(worker)], leaves })
}

fn results(client: &Client) -> Vec<ResultFacts> {
    let (mut all, mut from) = (vec![], Some(BEGINNING));
    while let Some(at) = from {
        let Ok(Answer::Results { results, next }) = client.ask(Question::Results { from: at }, PATIENCE) else {
            panic!("results")
        };
        all.extend(results);
        from = next;
    }
    all
}

fn gathered(client: &Client, run: RunId, range: TaskRange) -> Vec<i64> {
    let deadline = Some(std::time::Instant::now() + PATIENCE);
    client.gather(&[(run, vec![range])], deadline).unwrap().iter().map(number).collect()
}

#[test]
fn who_left_before_an_order_came_is_no_mistake_of_it() {
    let mut cluster = Cluster::of(2);
    let client = cluster.client();
    let (run, range) = futures(&client, 4, QUICK);
    settle(&client, &run, range);
    cluster.workers.remove(0).shut_down(Duration::ZERO);
    until(|| client.workers().len() == 1);
    let both = || vec![WorkerId(0), WorkerId(1)];
    let replicate = |among| order(&client, Order::Replicate { tasks: vec![(run.id(), range)], copies: 2, among });
    replicate(both()).unwrap();
    assert!(
        matches!(replicate(vec![WorkerId(0)]), Err(ClusterError::Refused(why)) if why.contains("none of the workers"))
    );
    assert_eq!(order(&client, Order::RestartWorkers { workers: vec![WorkerId(0)] }).unwrap(), []);
    assert_eq!(retire(&client, 0, true).unwrap(), []);
    // A number that nobody has had is one.
    let refused = |came| matches!(came, Err(ClusterError::Refused(why)) if why.contains("there is no worker 77"));
    assert!(refused(retire(&client, 77, true)));
    assert!(refused(order(&client, Order::RestartWorkers { workers: vec![WorkerId(77)] })));
    assert!(refused(replicate(vec![WorkerId(77)])));
}

#[test]
fn one_that_retires_leaves_its_results_with_others_and_nothing_is_made_again() {
    let mut cluster = Cluster::of(3);
    let client = cluster.client();
    let (run, range) = futures(&client, 60, Sum { milliseconds: 5, ..QUICK });
    settle(&client, &run, range);
    let before = results(&client);
    assert_eq!(before.len(), 60);
    assert!(before.iter().any(|result| result.workers == [WorkerId(0)]), "{before:?}");
    assert_eq!(retire(&client, 0, true).unwrap(), [WorkerId(0)]);
    let after = results(&client);
    assert_eq!(after.len(), 60);
    let keys = |all: &[ResultFacts]| all.iter().map(|result| result.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&after), keys(&before));
    assert!(after.iter().all(|result| !result.workers.is_empty() && !result.workers.contains(&WorkerId(0))));
    assert!(cluster.workers[0].wait(PATIENCE).unwrap().contains("has ended it"));
    cluster.workers.remove(0).shut_down(Duration::ZERO);
    // What is asked for is where it was copied to, and what is new runs elsewhere.
    assert_eq!(gathered(&client, run.id(), range), (0..60).collect::<Vec<_>>());
    let (more, range) = futures(&client, 10, QUICK);
    assert_eq!(gathered(&client, more.id(), range), (0..10).collect::<Vec<_>>());
}

#[test]
fn results_of_whole_runs_are_found_where_they_were_copied_to() {
    let mut cluster = Cluster::of(2);
    let client = cluster.client();
    let graph = sums(20, QUICK, 0);
    let run = submit(&client, &graph, vec![TaskRange { layer: LayerId(0), start: 0, end: 20 }]);
    while results(&client).len() < 20 {
        std::thread::yield_now();
    }
    retire(&client, 1, true).unwrap();
    cluster.workers.remove(1).shut_down(Duration::ZERO);
    assert_eq!(wait(&run).unwrap(), (0..20).collect::<Vec<_>>());
}

#[test]
fn what_a_client_gave_is_copied_as_well() {
    let mut cluster = Cluster::of(2);
    let client = cluster.client();
    let values: Vec<Value> =
        (0..10_i64).map(|at| Chunk::from_vec(vec![at; 20_000], &[20_000]).unwrap().into()).collect();
    let (graph, data, _) = sums_of_given(10, QUICK);
    let job = Job { graph: form(&graph), wanted: vec![data], given: vec![(data, values)], ..Job::default() };
    let run = client.submit_tasks(job).unwrap();
    settle(&client, &run, data);
    retire(&client, 1, true).unwrap();
    cluster.workers.remove(1).shut_down(Duration::ZERO);
    let sums: Vec<i64> = (0..10).map(|at| at * 20_000).collect();
    assert_eq!(gathered(&client, run.id(), data), sums);
    assert!(results(&client).iter().all(|result| result.workers == [WorkerId(0)]));
}

#[test]
fn one_that_retires_ends_what_it_has_and_gets_nothing_new() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let (slow, range) = futures(&client, 8, Sum { milliseconds: 100, ..QUICK });
    assert_eq!(retire(&client, 0, false).unwrap(), [WorkerId(0)]);
    let Ok(Answer::Workers(workers)) = client.ask(Question::Workers { from: WorkerId(0) }, PATIENCE) else { panic!() };
    assert_eq!(workers.iter().map(|it| (it.worker.0, it.is_retiring)).collect::<Vec<_>>(), [(0, true), (1, false)]);
    assert_eq!(workers[0].assignments, 0);
    let (quick, all) = futures(&client, 100, QUICK);
    settle(&client, &quick, all);
    let at = |result: &ResultFacts| result.run == quick.id() && result.workers != [WorkerId(1)];
    assert!(!results(&client).iter().any(at));
    assert_eq!(gathered(&client, slow.id(), range), (0..8).collect::<Vec<_>>());
}

#[test]
fn the_last_one_can_not_retire_while_it_holds_something() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let (run, range) = futures(&client, 3, QUICK);
    settle(&client, &run, range);
    let refused = retire(&client, 0, true);
    assert!(matches!(&refused, Err(ClusterError::Refused(why)) if why.contains("nobody else")), "{refused:?}");
    // It goes on as before.
    let (more, range) = futures(&client, 3, QUICK);
    assert_eq!(gathered(&client, more.id(), range), [0, 1, 2]);
    assert!(matches!(retire(&client, 9, true), Err(ClusterError::Refused(_))));
    assert_eq!(order(&client, Order::Retire { workers: vec![], leaves: true }).unwrap(), []);
}

#[test]
fn results_are_held_by_as_many_as_are_asked_for() {
    let mut cluster = Cluster::of(3);
    let client = cluster.client();
    let (run, range) = futures(&client, 10, QUICK);
    settle(&client, &run, range);
    let replicate = |copies, among| Order::Replicate { tasks: vec![(run.id(), range)], copies, among };
    order(&client, replicate(2, vec![])).unwrap();
    let held = |least| {
        let all = results(&client);
        all.len() == 10 && all.iter().all(|result| result.workers.len() >= least)
    };
    assert!(held(2));
    order(&client, replicate(3, vec![])).unwrap();
    assert!(held(3));
    // Two of three may die: nothing is made again.
    cluster.workers.drain(..2).for_each(|worker| worker.shut_down(Duration::ZERO));
    assert_eq!(gathered(&client, run.id(), range), (0..10).collect::<Vec<_>>());
    assert!(matches!(order(&client, replicate(2, vec![WorkerId(77)])), Err(ClusterError::Refused(_))));
}

#[test]
fn results_go_to_whoever_holds_little() {
    let mut cluster = Cluster::of(1);
    let client = cluster.client();
    let (run, range) = futures(&client, 90, QUICK);
    settle(&client, &run, range);
    // Where the machine stands still for a moment, what was made then is held twice.
    let held = |client: &Client| {
        let (mut counts, mut twice) = (BTreeMap::from([(0, 0_u32), (1, 0), (2, 0)]), 0);
        for result in results(client) {
            match &*result.workers {
                [alone] => *counts.entry(alone.0).or_default() += 1,
                _ => twice += 1,
            }
        }
        (counts, twice)
    };
    let rebalance = |tasks, among| Order::Rebalance { tasks, among };
    assert_eq!(order(&client, rebalance(vec![], vec![])).unwrap(), [], "there is nobody else");
    cluster.join("second");
    cluster.join("third");
    until(|| client.workers().len() == 3);
    let named = TaskRange { end: 3, ..range };
    // Those that were made while the machine stood still may be held twice by now, and stay.
    let went = order(&client, rebalance(vec![(run.id(), named)], vec![])).unwrap();
    assert!(went == [WorkerId(0)] || held(&client).1 > 0, "{went:?}");
    let (counts, twice) = held(&client);
    assert!((87 - twice.min(87)..=87).contains(&counts[&0]), "only what is named goes: {counts:?}");
    assert_eq!(order(&client, rebalance(vec![], vec![WorkerId(0), WorkerId(1)])).unwrap(), [WorkerId(0)]);
    let (counts, twice) = held(&client);
    assert!(counts[&0].abs_diff(counts[&1]) <= 4 + twice && counts[&2] <= 3, "{counts:?}");
    until(|| order(&client, rebalance(vec![], vec![])).unwrap().is_empty());
    let (counts, twice) = held(&client);
    assert!(counts.values().all(|count| (28 - twice.min(28)..=32 + twice).contains(count)), "{counts:?}");
    assert!(matches!(order(&client, rebalance(vec![], vec![WorkerId(77)])), Err(ClusterError::Refused(_))));
    // What has gone is where it is said to be, and can be read there; and nothing was made again.
    assert_eq!(gathered(&client, run.id(), range), (0..90).collect::<Vec<_>>());
    drop(run);
    until(|| results(&client).is_empty());
}

#[test]
fn a_restart_ends_all_runs_and_whoever_is_looked_after_begins_anew() {
    let cluster = Cluster::of(2);
    let (client, other) = (cluster.client(), cluster.client());
    cluster.workers[0].is_looked_after();
    let (run, range) = futures(&client, 5, QUICK);
    settle(&client, &run, range);
    let theirs = submit(&other, &sums(1, Sum { milliseconds: 200, ..QUICK }, 0), one(LayerId(0)));
    assert_eq!(order(&client, Order::Restart).unwrap(), [WorkerId(0)]);
    assert_eq!(cluster.workers[0].wait(PATIENCE).as_deref(), Some(raskt_cluster::RESTARTED));
    assert!(matches!(run.state(TaskId::new(LayerId(0), 0)), TaskState::Released));
    assert!(matches!(wait(&theirs), Err(ClusterError::Refused(why)) if why.contains("restarted")));
    assert!(results(&client).is_empty());
    let (more, range) = futures(&other, 5, QUICK);
    assert_eq!(gathered(&other, more.id(), range), (0..5).collect::<Vec<_>>());
}

#[test]
fn a_client_ends_the_cluster() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    assert_eq!(order(&client, Order::ShutDown).unwrap(), []);
    assert!(cluster.workers[0].wait(PATIENCE).is_some());
    while client.lost().is_none() {
        std::thread::yield_now();
    }
    assert!(cluster.scheduler.is_told_to_end());
}

#[test]
fn questions_are_answered() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let (run, range) = futures(&client, 4, Sum { fails_at: Some(3), ..QUICK });
    settle(&client, &run, range);
    let (slow, _) = futures(&client, 1, Sum { milliseconds: 60_000, ..QUICK });
    let ask = |question| client.ask(question, PATIENCE).unwrap();
    let Answer::WhoHas(held) = ask(Question::WhoHas { tasks: vec![(run.id(), range), (RunId(7), range)] }) else {
        panic!()
    };
    assert_eq!(
        held.iter().map(|it| (it.task.index, &*it.key, it.workers.len())).collect::<Vec<_>>(),
        [(0, "sum[0]", 1), (1, "sum[1]", 1), (2, "sum[2]", 1)]
    );
    let task = |index| TaskId::new(LayerId(0), index);
    let tasks = vec![(run.id(), task(0)), (run.id(), task(3)), (run.id(), task(9)), (RunId(7), task(0))];
    let Answer::Stories(stories) = ask(Question::Stories { tasks }) else { panic!() };
    assert_eq!(stories.iter().map(|it| &*it.state).collect::<Vec<_>>(), ["memory", "erred", "forgotten", "forgotten"]);
    let processing = || {
        let of = |worker| match ask(Question::Processing { worker: WorkerId(worker) }) {
            Answer::Processing(found) => found,
            other => panic!("{other:?}"),
        };
        of(0).into_iter().chain(of(1)).filter(|it| it.is_started).collect::<Vec<_>>()
    };
    while processing().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!((processing()[0].run, &*processing()[0].key), (slow.id(), "sum[0]"));
    let Answer::Runs(runs) = ask(Question::Runs { from: RunId(0) }) else { panic!() };
    assert_eq!(runs.iter().map(|it| (it.run, it.total)).collect::<Vec<_>>(), [(run.id(), 3), (slow.id(), 1)]);
    let Answer::Workers(workers) = ask(Question::Workers { from: WorkerId(0) }) else { panic!() };
    assert_eq!(workers.iter().map(|it| it.results).sum::<u64>(), 3);
    assert_eq!(workers.iter().map(|it| it.started).sum::<u64>(), 1);
    let Answer::Scheduler(facts) = ask(Question::Scheduler) else { panic!() };
    assert_eq!((facts.runs, facts.tasks, facts.failed), (2, 4, 1));
    let Answer::Log(log) = ask(Question::Log) else { panic!() };
    assert!(log.iter().any(|note| note.words.contains("`worker-1` has joined")));
    std::mem::forget((cluster, client, slow));
}

#[test]
fn what_workers_have_done_is_remembered_for_a_while() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let (run, range) = futures(&client, 50, Sum { fails_at: Some(7), ..QUICK });
    settle(&client, &run, range);
    let ask = |from| match client.ask(Question::Stream { from }, PATIENCE) {
        Ok(Answer::Stream { ended, next }) => (ended, next),
        other => panic!("{other:?}"),
    };
    let (ended, next) = ask(0);
    assert_eq!((ended.iter().map(|it| it.done).sum::<u64>(), ended.iter().map(|it| it.failed).sum::<u64>()), (49, 1));
    assert!(ended.iter().all(|it| it.run == run.id() && it.key.starts_with("sum[")));
    assert_eq!(ask(next), (vec![], next));
    assert_eq!(ask(u64::MAX), (vec![], next));
}
