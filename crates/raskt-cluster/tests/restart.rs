//! The scheduler is killed in the middle and begins anew with its journal: it is a process of its own, workers and clients are here.

use crate::alone;
use crate::workplace::killed::*;
use crate::workplace::*;
use raskt_cluster::{Client, ClusterError, Job, TaskRun, TaskState, Until};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{Import, TaskRange};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn all(count: u64) -> TaskRange {
    TaskRange { layer: LayerId(0), start: 0, end: count }
}

fn slow(milliseconds: u64) -> Sum {
    Sum { fails_at: None, milliseconds }
}

/// Tasks that were run more than once.
fn run_twice() -> usize {
    RUNS.lock().unwrap().values().filter(|&&runs| runs > 1).count()
}

/// Waits until so many different sums have run.
fn await_runs(count: usize) {
    let deadline = Instant::now() + PATIENCE;
    while RUNS.lock().unwrap().len() < count {
        assert!(Instant::now() < deadline, "{} of {count} have run", RUNS.lock().unwrap().len());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_run_goes_on_where_it_was() {
    let _alone = alone();
    let mut place = Place::of(2);
    let client = place.client();
    let run = submit(&client, &sums(400, slow(10), 0), vec![all(400)]);
    await_runs(150);
    place.kill();
    let killed = Instant::now();
    std::thread::sleep(Duration::from_millis(100));
    place.start();
    await_runs(300);
    let ready = killed.elapsed();
    assert_eq!(wait(&run).unwrap(), (0..400).collect::<Vec<_>>());
    println!("went on within {ready:?}; {} of 400 tasks ran twice", run_twice());
    assert!(run_twice() <= 2, "{} of 400 tasks ran twice", run_twice());
    // What comes next is as before.
    assert_eq!(wait(&submit(&client, &sums(10, QUICK, 0), vec![all(10)])).unwrap(), (0..10).collect::<Vec<_>>());
}

#[test]
fn a_tree_comes_out_whatever_is_done_when_the_scheduler_dies_again_and_again() {
    let _alone = alone();
    let mut place = Place::of(2);
    let client = place.client();
    let (graph, root) = tree(600, slow(5));
    let run = submit(&client, &graph, one(root));
    for upto in [100, 250, 400, 599] {
        await_runs(upto);
        place.kill();
        place.start();
    }
    assert_eq!(wait(&run).unwrap(), [expected(600)]);
}

fn submit_tasks(client: &Client, count: u32, kernel: Sum) -> TaskRun {
    let graph = form(&sums(count, kernel, 0));
    client.submit_tasks(Job { graph, wanted: vec![all(u64::from(count))], ..Job::default() }).unwrap()
}

/// What couldn't be sent is for itself alone: the next scheduler isn't asked for it, and all else is as it was.
#[test]
fn what_was_refused_is_submitted_by_nobody_again() {
    let _alone = alone();
    let mut place = Place::of(1);
    let client = place.client();
    let done = submit_tasks(&client, 5, QUICK);
    assert_eq!(client.gather(&[(done.id(), vec![all(5)])], None).unwrap().len(), 5);
    let too_much = vec![(done.id(), u64::MAX); 1 << 20];
    let graph = form(&sums(5, QUICK, 0));
    let refused = client.submit_tasks(Job { graph, wanted: vec![all(5)], named: too_much, ..Job::default() });
    assert!(matches!(refused, Err(ClusterError::Refused(_))));
    place.kill();
    place.start();
    let next = submit_tasks(&client, 5, QUICK);
    for run in [&next, &done] {
        let values = client.gather(&[(run.id(), vec![all(5)])], Some(Instant::now() + PATIENCE)).unwrap();
        assert_eq!(values.len(), 5);
    }
    assert_eq!(client.lost(), None);
}

/// What a client keeps for a run is there as long as anybody needs that, and goes then: also where its scheduler has begun anew.
#[test]
fn what_is_kept_for_a_run_stays_as_long_as_it_is_needed() {
    let _alone = alone();
    let mut place = Place::of(1);
    let client = place.client();
    let kept = [Arc::new(()), Arc::new(())];
    let keeping = |count, kernel, kept: &Arc<()>| {
        let graph = form(&sums(count, kernel, 0));
        let (wanted, keeps) = (vec![all(u64::from(count))], vec![kept.clone() as _]);
        client.submit_tasks(Job { graph, wanted, keeps, ..Job::default() }).unwrap()
    };
    let first = keeping(20, slow(20), &kept[0]);
    let (graph, data, wanted) = sums_of_given(20, QUICK);
    let imports = vec![Import { tasks: data, run: first.id(), from: TaskId::new(LayerId(0), 0) }];
    let second = Job { graph: form(&graph), wanted: vec![wanted], imports, ..Job::default() };
    let second = client.submit_tasks(second).unwrap();
    drop(first);
    place.kill();
    place.start();
    assert!(client.watch(&[(second.id(), vec![wanted])]).wait(Until::All, Some(Instant::now() + PATIENCE)));
    let other = keeping(2, QUICK, &kept[1]);
    assert!(client.watch(&[(other.id(), vec![all(2)])]).wait(Until::All, Some(Instant::now() + PATIENCE)));
    assert_eq!(kept.each_ref().map(Arc::strong_count), [2, 2], "somebody may need it yet");
    drop((second, other));
    let deadline = Instant::now() + PATIENCE;
    while kept.iter().any(|kept| Arc::strong_count(kept) > 1) {
        assert!(Instant::now() < deadline, "nobody needs it");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Futures: what is there stays there, what has failed stays failed, what was let go is gone, and what is submitted while there is no
/// scheduler is run by the next.
#[test]
fn futures_outlive_the_scheduler() {
    let _alone = alone();
    let mut place = Place::of(2);
    let client = place.client();
    let done = submit_tasks(&client, 50, QUICK);
    assert_eq!(client.gather(&[(done.id(), vec![all(50)])], None).unwrap().len(), 50);
    let failing = submit_tasks(&client, 4, Sum { fails_at: Some(2), milliseconds: 0 });
    assert!(client.watch(&[(failing.id(), vec![all(4)])]).wait(Until::All, Some(Instant::now() + PATIENCE)));
    let half = submit_tasks(&client, 50, QUICK);
    half.release(&[TaskRange { start: 25, ..all(50) }]);
    let waiting = submit_tasks(&client, 100, slow(20));
    let runs_before = || RUNS.lock().unwrap().get(&2).copied().unwrap_or(0);
    std::thread::sleep(Duration::from_millis(100));
    place.kill();
    let ran = runs_before();
    let between = submit_tasks(&client, 5, slow(1));
    let dropped = submit_tasks(&client, 5, slow(1));
    drop(dropped);
    place.start();
    for (run, count) in [(&between, 5), (&waiting, 100), (&done, 50)] {
        let values = client.gather(&[(run.id(), vec![all(count)])], Some(Instant::now() + PATIENCE)).unwrap();
        assert_eq!(values.iter().map(number).collect::<Vec<_>>(), (0..count as i64).collect::<Vec<_>>());
    }
    let task = |index| TaskId::new(LayerId(0), index);
    assert!(matches!(failing.state(task(2)), TaskState::Failed(_)));
    assert!(matches!(failing.state(task(1)), TaskState::Available));
    assert!(matches!(half.state(task(30)), TaskState::Released));
    assert!(runs_before() <= ran + 2, "what has failed isn't run again by itself");
    failing.retry(&[all(4)]).unwrap();
    let settled = client.watch(&[(failing.id(), vec![all(4)])]);
    assert!(settled.wait(Until::All, Some(Instant::now() + PATIENCE)));
    assert!(matches!(failing.state(task(2)), TaskState::Failed(_)));
    assert!(run_twice() <= 50);
}

/// Data that a client has given is with a worker; what is read of it goes on, and what is lost with a worker meanwhile is given again.
#[test]
fn given_data_is_where_it_was_or_given_again() {
    let _alone = alone();
    let mut place = Place::of(2);
    let client = place.client();
    let (graph, data, wanted) = sums_of_given(40, slow(20));
    let values = (0..40_i64).map(|at| raskt_value::Chunk::scalar(at).into()).collect();
    let job = Job { graph: form(&graph), wanted: vec![wanted], given: vec![(data, values)], ..Job::default() };
    let run = client.submit(job).unwrap();
    await_runs(10);
    place.kill();
    let gone = place.workers.pop().unwrap();
    gone.shut_down(Duration::ZERO);
    drop(gone);
    place.start();
    assert_eq!(wait(&run).unwrap(), (0..40).map(|at| 2 * at).collect::<Vec<_>>());
}

/// The journal is gone: nobody waits for ever.
#[test]
fn without_its_journal_the_scheduler_knows_nobody() {
    let _alone = alone();
    let mut place = Place::of(1);
    let client = place.client();
    let run = submit(&client, &sums(1000, slow(10), 0), vec![all(1000)]);
    await_runs(3);
    place.kill();
    std::fs::remove_dir_all(place.folder.path().join("journal")).unwrap();
    place.start();
    let error = run.wait_timeout(PATIENCE).expect("it ends").unwrap_err();
    assert!(matches!(&error, ClusterError::Disconnected(why) if why.contains("begun anew")), "{error}");
    let worker = place.workers[0].wait(PATIENCE).expect("it ends as well");
    assert!(worker.contains("begun anew"), "{worker}");
}

/// Nobody has the numbers of somebody else, and who has gone leaves nothing.
#[test]
fn clients_that_do_not_come_back_are_forgotten_and_new_ones_are_new() {
    let _alone = alone();
    let mut place = Place::of(1);
    let (first, second, idle) = (place.client(), place.client(), place.client());
    let kept = submit_tasks(&first, 5, QUICK);
    let other = submit_tasks(&second, 5, slow(1));
    client_gathers(&second, &other);
    place.kill();
    drop((other, second));
    place.start();
    let third = place.client();
    let new = submit_tasks(&third, 5, QUICK);
    assert!(new.id().0 >> 32 != kept.id().0 >> 32);
    client_gathers(&third, &new);
    client_gathers(&first, &kept);
    // One that had nothing yet is who it was.
    client_gathers(&idle, &submit_tasks(&idle, 5, QUICK));
}

fn client_gathers(client: &Client, run: &TaskRun) {
    let values = client.gather(&[(run.id(), vec![all(5)])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(values.iter().map(number).collect::<Vec<_>>(), (0..5).collect::<Vec<_>>());
}

/// What a worker was at when the scheduler died, and for longer than that is away, is begun once: the new one knows that it runs, and gives
/// the slot to nobody else.
#[test]
fn what_runs_on_is_begun_once_and_keeps_nobody_waiting() {
    let _alone = alone();
    let mut place = Place::of(2);
    let client = place.client();
    let long = submit_tasks(&client, 1, slow(8000));
    await_runs(1);
    place.kill();
    place.start();
    let quick = submit_tasks(&client, 20, slow(10));
    let quick = client.gather(&[(quick.id(), vec![all(20)])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(quick.len(), 20);
    let task = TaskId::new(LayerId(0), 0);
    assert!(matches!(long.state(task), TaskState::Pending), "nobody waited for it");
    let value = client.gather(&[(long.id(), vec![all(1)])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(value.iter().map(number).collect::<Vec<_>>(), [0]);
    // The first of the quick ones has the same number.
    assert_eq!(RUNS.lock().unwrap().get(&0), Some(&2));
}
