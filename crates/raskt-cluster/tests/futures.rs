//! Runs whose tasks stand alone, as those of futures do: over real sockets, all in this process.

use crate::workplace::*;
use raskt_cluster::{Client, ClusterError, Job, TaskRun, TaskState, Until};
use raskt_graph::{Graph, LayerId, TaskId};
use raskt_schedule::{Import, RunId, TaskRange};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

fn soon() -> Option<Instant> {
    Some(Instant::now() + PATIENCE)
}

fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

fn submit_tasks(client: &Client, graph: &Graph, wanted: TaskRange, imports: Vec<Import>) -> TaskRun {
    client.submit_tasks(Job { graph: form(graph), wanted: vec![wanted], imports, ..Job::default() }).unwrap()
}

/// So many sums of nothing, each of which is wanted.
fn sources(client: &Client, count: u32, kernel: Sum) -> TaskRun {
    submit_tasks(client, &sums(count, kernel, 0), range(0, 0, u64::from(count)), vec![])
}

/// One sum of results of another run, of the layer that is named.
fn reader(client: &Client, of: &TaskRun, source: TaskRange, kernel: Sum) -> TaskRun {
    let import =
        Import { tasks: range(0, 0, source.len()), run: of.id(), from: TaskId::new(source.layer, source.start) };
    submit_tasks(client, &sums(1, kernel, source.len() as u32), range(1, 0, 1), vec![import])
}

fn gather(client: &Client, wanted: &[(RunId, Vec<TaskRange>)]) -> Result<Vec<i64>, ClusterError> {
    Ok(client.gather(wanted, soon())?.iter().map(number).collect())
}

fn all_of(run: &TaskRun, tasks: TaskRange) -> (RunId, Vec<TaskRange>) {
    (run.id(), vec![tasks])
}

#[test]
fn results_come_in_the_order_in_which_they_are_asked_for() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let run = sources(&client, 10_000, QUICK);
    let wanted = [(run.id(), vec![range(0, 9_000, 10_000), range(0, 0, 3), range(0, 2, 4)])];
    let expected: Vec<i64> = (9_000..10_000).chain(0..3).chain(2..4).collect();
    assert_eq!(gather(&client, &wanted).unwrap(), expected);
    assert!(matches!(run.state(TaskId::new(LayerId(0), 17)), TaskState::Available));
}

#[test]
fn twenty_thousand_runs_of_one_task_at_once() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let graph = sums(1, QUICK, 0);
    let runs: Vec<_> = (0..20_000).map(|_| submit_tasks(&client, &graph, range(0, 0, 1), vec![])).collect();
    let wanted: Vec<_> = runs.iter().map(|run| all_of(run, range(0, 0, 1))).collect();
    let watch = client.watch(&wanted);
    assert!(watch.wait(Until::All, soon()));
    assert_eq!((watch.pending(), watch.failed()), (0, 0));
    assert_eq!(gather(&client, &wanted).unwrap(), vec![0; 20_000]);
}

#[test]
fn each_of_a_thousand_runs_reads_the_one_before() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let first = sources(&client, 2, QUICK);
    let mut last = reader(&client, &first, range(0, 0, 2), QUICK);
    // Nobody holds those in between: they are kept for those that read them.
    drop(first);
    for _ in 0..1000 {
        last = reader(&client, &last, range(1, 0, 1), QUICK);
    }
    assert_eq!(gather(&client, &[all_of(&last, range(1, 0, 1))]).unwrap(), [1]);
}

#[test]
fn one_run_reads_many_that_are_spread_over_workers() {
    let cluster = Cluster::of(3);
    let client = cluster.client();
    let slow = Sum { milliseconds: 1, ..QUICK };
    let runs: Vec<_> = (0..200).map(|_| sources(&client, 3, slow.clone())).collect();
    let import = |(at, run): (u64, &TaskRun)| Import {
        tasks: range(0, at * 3, at * 3 + 3),
        run: run.id(),
        from: TaskId::new(LayerId(0), 0),
    };
    let imports = (0..).zip(&runs).map(import).collect();
    let sums = submit_tasks(&client, &sums(6, QUICK, 600), range(1, 0, 6), imports);
    drop(runs);
    let expected: Vec<i64> =
        (0..6).map(|at| (at * 100..at * 100 + 100).map(|input| input % 3).sum::<i64>() + at).collect();
    assert_eq!(gather(&client, &[all_of(&sums, range(1, 0, 6))]).unwrap(), expected);
}

#[test]
fn what_fails_takes_its_readers_along_and_nothing_else() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let run = sources(&client, 10, Sum { fails_at: Some(3), milliseconds: 0 });
    let bad = reader(&client, &run, range(0, 2, 4), QUICK);
    let worse = reader(&client, &bad, range(1, 0, 1), QUICK);
    let good = reader(&client, &run, range(0, 4, 10), QUICK);
    let id = run.id();
    assert_eq!(gather(&client, &[all_of(&good, range(1, 0, 1))]).unwrap(), [39]);
    // Those in between aren't held by anybody.
    drop((run, bad));
    let error = gather(&client, &[all_of(&worse, range(1, 0, 1))]).unwrap_err();
    assert!(error.to_string().contains("this one fails"), "{error}");
    let TaskState::Failed(failed) = worse.state(TaskId::new(LayerId(1), 0)) else { panic!("{worse:?}") };
    assert_eq!(failed.root(), Some((id, TaskId::new(LayerId(0), 3))));
    assert_eq!(failed.form().map(|form| form.key.as_str()), Some("sum[3]"));
}

#[test]
fn what_failed_can_be_run_again() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let run = sources(&client, 10, Sum { fails_at: Some(3), milliseconds: 0 });
    let reads = reader(&client, &run, range(0, 0, 5), QUICK);
    let task = TaskId::new(LayerId(1), 0);
    for _ in 0..3 {
        let watch = client.watch(&[all_of(&reads, range(1, 0, 1))]);
        assert!(watch.wait(Until::FirstFailure, soon()) && watch.failed() == 1);
        reads.retry(&[range(1, 0, 1)]).unwrap();
        // It fails with the same once more, which is waited for.
        assert!(watch.wait(Until::All, soon()));
        let watch = client.watch(&[all_of(&run, range(0, 0, 10))]);
        assert!(watch.wait(Until::All, soon()) && watch.failed() == 1);
        assert!(matches!(reads.state(task), TaskState::Failed(_)));
    }
}

#[test]
fn an_input_that_is_released_is_there_for_who_reads_it() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let run = sources(&client, 4, Sum { milliseconds: 100, ..QUICK });
    let reads = reader(&client, &run, range(0, 0, 4), QUICK);
    run.release(&[range(0, 0, 4)]);
    assert!(matches!(run.state(TaskId::new(LayerId(0), 1)), TaskState::Released));
    let released = client.gather(&[all_of(&run, range(0, 0, 1))], soon());
    assert!(matches!(released, Err(ClusterError::Released { .. })));
    assert_eq!(gather(&client, &[all_of(&reads, range(1, 0, 1))]).unwrap(), [6]);
}

#[test]
fn results_of_a_worker_that_dies_are_made_again() {
    let mut cluster = Cluster::of(2);
    let client = cluster.client();
    let run = sources(&client, 200, Sum { milliseconds: 1, ..QUICK });
    let wanted = [all_of(&run, range(0, 0, 200))];
    let watch = client.watch(&wanted);
    assert!(watch.wait(Until::All, soon()));
    let reads = reader(&client, &run, range(0, 0, 200), Sum { milliseconds: 50, ..QUICK });
    let gone = cluster.workers.pop().unwrap();
    gone.shut_down(Duration::ZERO);
    drop(gone);
    cluster.join("late");
    assert_eq!(gather(&client, &wanted).unwrap(), (0..200).collect::<Vec<_>>());
    assert_eq!(gather(&client, &[all_of(&reads, range(1, 0, 1))]).unwrap(), [199 * 100]);
}

#[test]
fn what_settles_is_handed_out_in_its_order_and_once() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let first = sources(&client, 4, Sum { milliseconds: 5, ..QUICK });
    let second = reader(&client, &first, range(0, 0, 4), QUICK);
    let third = reader(&client, &second, range(1, 0, 1), QUICK);
    let of = |run: &TaskRun| all_of(run, range(1, 0, 1));
    let watch = client.watch(&[of(&third), of(&second), all_of(&first, range(0, 0, 4)), of(&third)]);
    let mut order = vec![];
    while let Some((run, tasks)) = watch.next_settled(soon()) {
        order.extend(tasks.tasks().map(|task| (run, task.index)));
    }
    // What reads something comes after it.
    assert_eq!(order[4..], [(second.id(), 0), (third.id(), 0)], "{order:?}");
    let mut sources = order[..4].to_vec();
    sources.sort_unstable();
    assert_eq!(sources, [0, 1, 2, 3].map(|index| (first.id(), index)));
    assert!(watch.wait(Until::All, None));
}

#[test]
fn whoever_wants_to_be_called_is_once() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let run = sources(&client, 50, Sum { milliseconds: 1, ..QUICK });
    let (sender, receiver) = channel();
    for index in 0..50 {
        let sender = sender.clone();
        let done = Box::new(move || sender.send(index).unwrap());
        client.on_settled(&[all_of(&run, range(0, index, index + 1))], done);
    }
    drop(sender);
    let mut called: Vec<u64> = (0..50).map(|_| receiver.recv_timeout(PATIENCE).unwrap()).collect();
    called.sort_unstable();
    assert_eq!(called, (0..50).collect::<Vec<_>>());
    let (sender, receiver) = channel();
    client.on_settled(&[all_of(&run, range(0, 0, 50))], Box::new(move || sender.send(()).unwrap()));
    receiver.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn another_client_reads_what_it_knows_the_number_of() {
    let cluster = Cluster::of(2);
    let (one, other) = (cluster.client(), cluster.client());
    let run = sources(&one, 10, QUICK);
    assert_eq!(gather(&one, &[all_of(&run, range(0, 0, 10))]).unwrap().len(), 10);
    let reads = reader(&other, &run, range(0, 0, 10), Sum { milliseconds: 100, ..QUICK });
    // What comes in one session comes in its order: by then the scheduler knows who reads what.
    let later = sources(&other, 1, QUICK);
    assert_eq!(gather(&other, &[all_of(&later, range(0, 0, 1))]).unwrap(), [0]);
    drop(run);
    drop(one);
    assert_eq!(gather(&other, &[all_of(&reads, range(1, 0, 1))]).unwrap(), [45]);
}

#[test]
fn what_is_refused_fails_and_nobody_waits_for_ever() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let run = sources(&client, 1, QUICK);
    let import = Import { tasks: range(0, 0, 1), run: RunId(u64::MAX), from: TaskId::new(LayerId(0), 0) };
    let bad = submit_tasks(&client, &sums(1, QUICK, 1), range(1, 0, 1), vec![import]);
    let error = client.gather(&[all_of(&bad, range(1, 0, 1))], soon()).unwrap_err();
    assert!(matches!(error, ClusterError::Refused(_)), "{error}");
    assert_eq!(gather(&client, &[all_of(&run, range(0, 0, 1))]).unwrap(), [0]);
    let slow = sources(&client, 1, Sum { milliseconds: 2000, ..QUICK });
    let watch = client.watch(&[all_of(&slow, range(0, 0, 1))]);
    assert!(!watch.wait(Until::All, Some(Instant::now())));
    cluster.scheduler.shut_down(Duration::from_millis(200));
    assert!(watch.wait(Until::All, soon()) && watch.failed() == 1);
    let error = client.gather(&[all_of(&slow, range(0, 0, 1))], soon()).unwrap_err();
    assert!(matches!(error, ClusterError::Disconnected(_)), "{error}");
    assert!(client.submit_tasks(Job { graph: form(&sums(1, QUICK, 0)), ..Job::default() }).is_err());
}

/// One failure is told once, whatever fails because of it: all that a client knows of it is one and the same.
#[test]
fn a_failure_is_told_once_for_all_that_fail_with_it() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let failing = sources(&client, 2, Sum { fails_at: Some(1), milliseconds: 100 });
    let readers: Vec<_> = (0..50).map(|_| reader(&client, &failing, range(0, 0, 2), QUICK)).collect();
    let wanted: Vec<_> = readers.iter().map(|run| all_of(run, range(1, 0, 1))).collect();
    assert!(client.watch(&wanted).wait(Until::All, soon()));
    let late = reader(&client, &failing, range(0, 1, 2), QUICK);
    assert!(client.watch(&[all_of(&late, range(1, 0, 1))]).wait(Until::All, soon()));
    let cause = |run: &TaskRun, layer| match run.state(TaskId::new(LayerId(layer), u64::from(layer == 0))) {
        TaskState::Failed(failed) => failed,
        state => panic!("{state:?}"),
    };
    let first = cause(&failing, 0);
    assert!(matches!(first.error(), ClusterError::Task { .. }));
    for run in readers.iter().chain([&late]) {
        assert!(std::sync::Arc::ptr_eq(&first, &cause(run, 1)));
    }
    // What fails otherwise when it is run again is told anew.
    failing.retry(&[range(0, 1, 2)]).unwrap();
    assert!(client.watch(&[all_of(&failing, range(0, 0, 2))]).wait(Until::All, soon()));
    assert!(matches!(cause(&failing, 0).error(), ClusterError::Task { .. }));
    drop((readers, late));
    assert!(matches!(first.error(), ClusterError::Task { .. }));
}

/// A client is told more at once than its window takes: it takes what it gets, and so it gets all of it.
#[test]
fn what_a_client_is_owed_waits_for_its_window() {
    let cluster = Cluster::of(1);
    let security = raskt_cluster::Security { token: Some(cluster.token.clone()), tls: None };
    let limits = raskt_cluster::session::Limits { window_bytes: 20_000, ..Default::default() };
    let options = raskt_cluster::NetworkOptions {
        limits,
        ..raskt_cluster::NetworkOptions::new(raskt_cluster::hello::Role::Client, security).unwrap()
    };
    let network = raskt_cluster::Network::start(options).unwrap();
    let listen = "tcp://127.0.0.1:0".parse().unwrap();
    let client = Client::connect(network, cluster.scheduler.address(), &listen, Native::face(), PATIENCE).unwrap();
    let failing = sources(&client, 2, Sum { fails_at: Some(1), milliseconds: 3000 });
    let readers: Vec<_> = (0..1000).map(|_| reader(&client, &failing, range(0, 0, 2), QUICK)).collect();
    let wanted: Vec<_> = readers.iter().map(|run| all_of(run, range(1, 0, 1))).collect();
    let watch = client.watch(&wanted);
    assert!(watch.wait(Until::All, soon()));
    assert_eq!((watch.failed(), client.lost()), (1000, None));
    assert_eq!(gather(&client, &[all_of(&sources(&client, 3, QUICK), range(0, 0, 3))]).unwrap(), [0, 1, 2]);
}
