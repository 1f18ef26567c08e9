//! The scheduler is killed and begins anew: what is shared by name, questions, errands, orders, plugins and results of others.

use crate::workplace::killed::*;
use crate::workplace::*;
use bytes::Bytes;
use raskt_cluster::coordination::{Name, Pending, Reply, Request, Value};
use raskt_cluster::{Answer, Client, ClusterError, Job, Order, Question, SentErrand, TaskRun};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{TaskRange, WorkerId};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

fn soon() -> Option<Instant> {
    Some(Instant::now() + PATIENCE)
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn all(count: u64) -> TaskRange {
    TaskRange { layer: LayerId(0), start: 0, end: count }
}

fn sources(client: &Client, count: u32) -> TaskRun {
    let wanted = vec![all(u64::from(count))];
    client.submit_tasks(Job { graph: form(&sums(count, QUICK, 0)), wanted, ..Job::default() }).unwrap()
}

fn gathered(client: &Client, run: &TaskRun, count: u64) -> Vec<i64> {
    client.gather(&[(run.id(), vec![all(count)])], soon()).unwrap().iter().map(number).collect()
}

fn lock(timeout: Option<u64>) -> Request {
    Request::AcquireLocks { names: vec!["x".into()], count: 1, holder: 1, timeout }
}

/// Waits until what is shared by name can be asked for.
fn await_names(ask: impl Fn(Request) -> Option<Reply>) {
    until("names are there", || ask(Request::GetDataset { name: "none".into() }).is_some());
}

fn is_lost(mut pending: Pending) {
    let error = pending.wait(soon()).expect("it ends").expect_err("nobody has it");
    assert!(error.to_string().contains("begun anew"), "{error}");
}

/// Locks are free, whoever waits hears so, and topics go on with the first event of the new scheduler.
#[test]
fn what_is_shared_by_name_is_gone_and_everybody_hears_so() {
    let mut place = Place::of(1);
    let (one, other) = (place.client(), place.client());
    let worker = place.workers[0].coordination().clone();
    assert_eq!(one.coordination().ask(lock(None)).unwrap(), Reply::Acquired(vec!["x".into()]));
    assert_eq!(one.coordination().begun_anew(), None);
    let waiting = [other.coordination().request(lock(None)).unwrap(), worker.request(lock(None)).unwrap()];
    let topic: Name = "topic".into();
    let log = |client: &Client, bytes: &'static str| {
        let log = Request::Log { topic: "topic".into(), event: bytes.into() };
        client.coordination().ask(log).map(drop)
    };
    let mut events = one.coordination().subscribe(topic).unwrap().unwrap();
    for word in ["a", "b", "c"] {
        log(&other, word).unwrap();
        assert_eq!(events.next(PATIENCE).unwrap().event.bytes, word.into());
    }
    log(&other, "untaken").unwrap();
    // It has come when the next answer has.
    assert_eq!(one.coordination().ask(lock(Some(0))).unwrap(), Reply::TimedOut);
    place.kill();
    place.start();
    waiting.into_iter().for_each(is_lost);
    await_names(|request| other.coordination().ask(request).ok());
    // Since then there are events.
    assert!(other.coordination().begun_anew().is_some() && other.coordination().begun_anew().is_none());
    // Before the other one may be back: its events have the same numbers as those of before.
    log(&other, "d").unwrap();
    log(&other, "e").unwrap();
    for word in ["untaken", "d", "e"] {
        assert_eq!(events.next(PATIENCE).unwrap().event.bytes, word.into());
    }
    await_names(|request| worker.ask(request).ok());
    assert_eq!(worker.ask(lock(Some(0))).unwrap(), Reply::Acquired(vec!["x".into()]));
    assert_eq!(one.coordination().ask(lock(Some(0))).unwrap(), Reply::TimedOut);
    // Who had it hears that others have had it since, and once.
    let release = || one.coordination().ask(Request::ReleaseLocks { names: vec!["x".into()], holder: 1 }).unwrap();
    let told = [release(), release()].map(|reply| format!("{reply:?}"));
    assert!(told[0].contains("Lost") && told[0].contains("begun anew") && told[1].contains("NotHeld"), "{told:?}");
}

/// Whoever only looks waits for the next scheduler, and hears no more of it than that it takes longer.
#[test]
fn who_only_looks_is_answered_by_the_next_scheduler() {
    let mut place = Place::of(1);
    let (one, other) = (place.client(), place.client());
    let run = submit(&one, &sums(2, QUICK, 0), vec![all(2)]);
    assert_eq!(wait(&run).unwrap(), [0, 1]);
    let event = Name::from("event");
    let mut looking = one.coordination().request(Request::WaitForEvent { name: event.clone(), timeout: None }).unwrap();
    one.barrier(PATIENCE).unwrap();
    place.kill();
    let asked = std::thread::scope(|scope| {
        let who_has = Question::WhoHas { tasks: vec![(run.id(), all(2))] };
        let asked = scope.spawn(|| one.ask(who_has, PATIENCE));
        let size = scope.spawn(|| one.coordination().ask(Request::QueueSize { name: "queue".into() }));
        // Both are on their way before there is anybody to hear them.
        std::thread::sleep(Duration::from_millis(50));
        place.start();
        assert!(size.join().unwrap().is_ok());
        asked.join().unwrap()
    });
    assert!(matches!(asked, Ok(Answer::WhoHas(_))), "{asked:?}");
    until("the other one is back", || other.coordination().ask(Request::SetEvent { name: event.clone() }).is_ok());
    assert_eq!(looking.wait(soon()).expect("it comes").unwrap().reply(), &Reply::Done);
}

fn errand(client: &Client, bytes: &'static [u8]) -> SentErrand {
    let workers = client.workers().iter().map(|worker| worker.worker).collect();
    client.errand(workers, Bytes::from_static(bytes)).unwrap()
}

type Given = (WorkerId, Result<Bytes, ClusterError>);

fn all_of(errand: &SentErrand) -> Vec<Given> {
    let mut all = vec![];
    while !errand.is_over() || all.is_empty() {
        all.extend(errand.next(Instant::now() + PATIENCE).unwrap());
    }
    all.extend(errand.next(Instant::now()).unwrap());
    all
}

/// What was asked ends with a sentence, and what is asked afterwards gets its own answer and no other's.
#[test]
fn questions_and_errands_end_with_the_scheduler_that_had_them() {
    let mut place = Place::of(2);
    let client = place.client();
    let run = submit(&client, &sums(40, Sum { milliseconds: 100, ..QUICK }, 0), vec![all(40)]);
    let before = errand(&client, b"pause");
    let (sender, over) = channel();
    client.on_errand_over(&before, Box::new(move || sender.send(()).unwrap()));
    let retire = Order::Retire { workers: vec![WorkerId(0)], leaves: false };
    let order = client.question(Question::Order(retire)).unwrap();
    client.barrier(PATIENCE).unwrap();
    place.kill();
    place.start();
    over.recv_timeout(PATIENCE).unwrap();
    let ended = before.next(Instant::now()).unwrap();
    let is_told =
        |(_, given): &Given| matches!(given, Err(ClusterError::Disconnected(why)) if why.contains("begun anew"));
    assert!(ended.len() == 2 && ended.iter().all(is_told), "{ended:?}");
    assert!(before.is_over());
    let ended = order.answer(Instant::now() + PATIENCE).unwrap_err();
    assert!(ended.to_string().contains("begun anew"), "{ended}");
    assert!(client.wait_for_workers(2, PATIENCE));
    // The first of the new scheduler, while that of before isn't done: it has the same number.
    for words in [&b"after"[..], b"pause"] {
        let given = all_of(&errand(&client, words));
        assert_eq!(given.len(), 2);
        for (worker, given) in given {
            assert_eq!(given.unwrap(), format!("{} by {}", String::from_utf8_lossy(words), worker.0));
        }
    }
    // Nobody retires any more.
    assert_eq!(wait(&run).unwrap(), (0..40).collect::<Vec<_>>());
}

/// Those who wait until they were heard are, and workers of before aren't given what they have.
#[test]
fn plugins_are_kept_and_not_begun_again() {
    let _alone = tell_of_plugins_alone();
    let mut place = Place::of(1);
    let client = place.client();
    for (name, plugin) in [("kept", "1"), ("gone", "2"), ("changed", "3"), ("changed", "4")] {
        client.plugin(name, Some(Bytes::from(plugin)), PATIENCE).unwrap();
    }
    client.plugin("gone", None, PATIENCE).unwrap();
    place.kill();
    std::thread::scope(|scope| {
        let heard = scope.spawn(|| client.barrier(PATIENCE));
        let plugged = scope.spawn(|| client.plugin("between", Some(Bytes::from("5")), PATIENCE));
        place.start();
        heard.join().unwrap().unwrap();
        plugged.join().unwrap().unwrap();
    });
    assert!(client.wait_for_workers(1, PATIENCE));
    place.join(1);
    assert!(client.wait_for_workers(2, PATIENCE));
    // Plugins come before tasks.
    assert_eq!(gathered(&client, &sources(&client, 20), 20).len(), 20);
    let told: Vec<_> = PLUGGED.lock().unwrap().clone();
    let of = |first: bool| {
        let name = |it: &Plugged| format!("{}={}", it.1, it.2.as_deref().map_or("-".into(), String::from_utf8_lossy));
        told.iter().filter(|it| (it.0 == told[0].0) == first).map(name).collect::<Vec<_>>()
    };
    assert_eq!(of(true), ["kept=1", "gone=2", "changed=3", "changed=4", "gone=-", "between=5"]);
    until("the other one has them", || PLUGGED.lock().unwrap().len() == 9);
    // What the two are told of has no order between them.
    let first = told[0].0;
    let told = PLUGGED.lock().unwrap().clone();
    let told: Vec<_> = told.iter().filter(|it| it.0 != first).map(|it| it.1.clone()).collect();
    assert_eq!(told, ["kept", "changed", "between"]);
}

/// Results that somebody has of others are there as before, whoever made them.
#[test]
fn results_of_others_outlive_the_scheduler_and_so_does_what_names_keep() {
    let mut place = Place::of(2);
    let (giver, taker) = (place.client(), place.client());
    let run = sources(&giver, 8);
    giver.barrier(PATIENCE).unwrap();
    let adopted = taker.adopt_at_once((run.id(), TaskId::new(LayerId(0), 5)), None, PATIENCE).unwrap();
    let value = Value { bytes: "of results".into(), results: vec![(run.id(), all(8))] };
    let publish = || Request::PublishDataset { name: "set".into(), value: value.clone(), replace: false };
    assert_eq!(taker.coordination().ask(publish()).unwrap(), Reply::Done);
    assert_eq!(gathered(&giver, &run, 8), (0..8).collect::<Vec<_>>());
    // Whoever goes leaves what others have.
    drop(run);
    giver.close(PATIENCE);
    drop(giver);
    place.kill();
    place.start();
    assert_eq!(gathered(&taker, &adopted.0, 1), [5]);
    await_names(|request| taker.coordination().ask(request).ok());
    let kept = taker.coordination().ask(Request::GetDataset { name: "set".into() }).unwrap();
    assert_eq!(kept, Reply::Values { values: vec![value.clone()], awaits_taken: true });
    let again = taker.take_up(&value.results).unwrap();
    assert_eq!(gathered(&taker, &again, 8), (0..8).collect::<Vec<_>>());
    assert_eq!(gathered(&taker, &adopted.0, 1), [5]);
}
