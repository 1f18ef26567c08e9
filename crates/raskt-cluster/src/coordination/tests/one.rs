//! What one client sees, step by step.

use super::pair::*;
use crate::coordination::*;
use raskt_graph::LayerId;
use raskt_schedule::{RunId, TaskRange};
use raskt_sync::Mutex;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant, UNIX_EPOCH};

fn lease(number: u64) -> Request {
    let lasts = Some(LONG.as_nanos() as u64);
    Request::AcquireLease { name: "s".into(), leases: 1, lease: number, lasts, timeout: None }
}

fn log(event: &str) -> Request {
    Request::Log { topic: "t".into(), event: event.into() }
}

#[test]
fn an_answer_is_waited_for_and_a_deadline_kept() {
    let world = World::new();
    let (one, other) = (world.client(), world.client());
    assert!(matches!(one.ask(lock("x")), Reply::Acquired(_)));
    let mut pending = other.request(lock("x"));
    assert!(pending.wait(Some(Instant::now())).is_none());
    assert_eq!(one.ask(unlock("x")), Reply::Done);
    let answer = pending.wait(None).expect("an answer").expect("a scheduler");
    assert!(matches!(answer.reply(), Reply::Acquired(_)));
    // There is no second one, and it keeps the lock when nobody waits any more.
    assert!(pending.wait(None).is_none());
    drop(pending);
    assert_eq!(one.ask(Request::Locked { name: "x".into() }), Reply::Flag(true));
}

#[test]
fn what_nobody_waits_for_is_given_back() {
    let world = World::new();
    let (one, other) = (world.client(), world.client());
    one.ask(put("q", "a"));
    // Whether the answer has come by now or not.
    other.request(get("q", None)).cancel();
    other.request(lock("x")).cancel();
    assert_eq!(one.ask(Request::QueueSize { name: "q".into() }), Reply::Number(1));
    assert_eq!(one.ask(Request::Locked { name: "x".into() }), Reply::Flag(false));
}

#[test]
fn results_are_kept_until_the_answer_goes() {
    let world = World::new();
    let client = world.client();
    let (run, tasks) = (RunId(1), TaskRange { layer: LayerId(0), start: 0, end: 2 });
    let value = Value { bytes: "future".into(), results: vec![(run, tasks)] };
    client.ask(Request::SetVariable { name: "v".into(), value });
    let answer =
        client.request(Request::GetVariable { name: "v".into(), timeout: None }).wait(None).expect("an answer");
    client.ask(Request::DeleteVariable { name: "v".into() });
    assert_eq!(*world.keeping.lock(), [Keeping::Hold { run, tasks }]);
    drop(answer);
    assert_eq!(*world.keeping.lock(), [Keeping::Hold { run, tasks }, Keeping::LetGo { run, tasks }]);
}

#[test]
fn leases_are_refreshed_until_they_are_released() {
    let world = World::new();
    let (one, other) = (world.client(), world.client());
    assert_eq!(one.ask(lease(1)), Reply::Done);
    let mut next = other.request(lease(1));
    for round in 1..5 {
        world.pass(LONG * 3 / 4);
        let due = Instant::now() + LONG * round;
        assert!(one.handle.refresh(due).is_some_and(|next| next > due && next < due + LONG));
    }
    assert!(next.wait(Some(Instant::now())).is_none() && one.handle.holds_lease(&"s".into(), 1));
    one.ask(Request::ReleaseLease { name: "s".into(), lease: 1 });
    assert_eq!(one.handle.refresh(Instant::now() + LONG), None);
    assert!(next.wait(None).is_some_and(|answer| answer.is_ok()));
}

#[test]
fn a_lease_that_ran_out_is_not_held_any_more() {
    let world = World::new();
    let (one, other) = (world.client(), world.client());
    one.ask(lease(1));
    world.pass(LONG);
    assert_eq!(other.ask(lease(7)), Reply::Done);
    one.handle.refresh(Instant::now() + LONG);
    // Answers come in order: that of the refreshing is here with this one.
    one.ask(Request::Leases { name: "s".into() });
    assert!(!one.handle.holds_lease(&"s".into(), 1) && other.handle.holds_lease(&"s".into(), 7));
    assert_eq!(one.handle.refresh(Instant::now() + LONG), None);
}

#[test]
fn when_the_session_is_over_nothing_waits_for_ever() {
    let world = World::new();
    let (mut one, other) = (world.client(), world.client());
    other.ask(lock("x"));
    one.ask(lease(1));
    let mut pending = one.request(lock("x"));
    one.end();
    let error = pending.wait(None).expect("an answer").expect_err("no scheduler");
    assert_eq!(error.to_string(), "the scheduler can't be asked: the session is over");
    assert_eq!(one.handle.ask(lock("y")), Err(Disconnected("the session is over".into())));
    assert!(!one.handle.holds_lease(&"s".into(), 1));
    one.come_back();
    assert!(matches!(one.ask(lock("y")), Reply::Acquired(_)));
}

#[test]
fn the_next_scheduler_is_asked_what_only_looks_and_what_was_asked_meanwhile() {
    let world = World::new();
    let (mut one, other) = (world.client(), world.client());
    let event = Name::from("event");
    other.ask(lock("x"));
    let mut looking = one.request(Request::WaitForEvent { name: event.clone(), timeout: None });
    let mut wanting = one.request(lock("x"));
    one.is_forgotten();
    assert!(wanting.wait(None).expect("an answer").is_err(), "nobody knows whether it was heard");
    let mut meanwhile = one.request(put("q", b"a".to_vec()));
    one.request(lock("y")).cancel();
    let freed = one.handle.ask(unlock("x"));
    assert!(freed.is_err() || matches!(freed, Ok(Reply::Refused(_))), "{freed:?}");
    // Not even that one knows it.
    one.is_forgotten();
    assert!(meanwhile.wait(Some(Instant::now())).is_none() && looking.wait(Some(Instant::now())).is_none());
    one.come_back();
    assert_eq!(meanwhile.wait(None).expect("an answer").expect("a scheduler").reply(), &Reply::Done);
    assert_eq!(value(&other.ask(get("q", Some(0)))), b"a");
    assert!(matches!(other.ask(lock("y")), Reply::Acquired(_)), "what was given up isn't asked");
    assert!(looking.wait(Some(Instant::now())).is_none());
    other.ask(Request::SetEvent { name: event });
    assert_eq!(looking.wait(None).expect("an answer").expect("a scheduler").reply(), &Reply::Done);
    assert_eq!(other.ask(get("q", Some(0))), Reply::TimedOut, "it was put once");
}

#[test]
fn nobody_waits_for_a_scheduler_that_nobody_calls_again() {
    let world = World::new();
    let one = world.client();
    let mut looking = one.request(Request::WaitForEvent { name: "event".into(), timeout: None });
    one.is_forgotten();
    let mut meanwhile = one.request(put("q", b"a".to_vec()));
    one.handle.end("nobody does");
    for pending in [&mut looking, &mut meanwhile] {
        let error = pending.wait(None).expect("an answer").expect_err("no scheduler");
        assert_eq!(error.to_string(), "the scheduler can't be asked: nobody does");
    }
    assert!(one.handle.ask(lock("x")).is_err());
}

#[test]
fn a_subscriber_goes_on_in_another_session_where_it_was() {
    let world = World::new();
    let (mut one, other) = (world.client(), world.client());
    let mut subscription = one.handle.subscribe("t".into()).expect("a scheduler").expect("a subscription");
    world.pass(Duration::from_secs(1));
    ["a", "b", "c"].iter().for_each(|text| drop(other.ask(log(text))));
    let next = |subscription: &mut Subscription| {
        let Delivery { missed, event } = subscription.next(LONG).expect("an event");
        (missed, event.number, String::from_utf8_lossy(&event.bytes.0).into_owned())
    };
    let first = subscription.next(LONG).expect("an event");
    assert_eq!(one.handle.time_of(&first.event), UNIX_EPOCH + Duration::from_secs(2));
    assert_eq!((first.missed, first.event.number), (0, 0));
    one.end();
    other.ask(log("d"));
    one.come_back();
    let rest: Vec<_> = (0..3).map(|_| next(&mut subscription)).collect();
    assert_eq!(rest, [(0, 1, "b".into()), (0, 2, "c".into()), (0, 3, "d".into())]);
    let twice = one.handle.subscribe("t".into()).expect("a scheduler").map(|_| ());
    assert_eq!(twice.expect_err("one is enough").to_string(), "topic `t` is subscribed to already");
    drop(subscription);
    assert!(one.handle.subscribe("t".into()).expect("a scheduler").is_ok());
}

#[test]
fn a_slow_subscriber_is_told_how_many_it_has_missed() {
    let world = World::with(Limits { topic_events: 2, ..Limits::default() });
    let client = world.client();
    let mut subscription = client.handle.subscribe("t".into()).expect("a scheduler").expect("a subscription");
    (0..10).for_each(|number| drop(client.ask(log(&number.to_string()))));
    let taken: Vec<_> = (0..3).filter_map(|_| subscription.next(LONG)).map(|it| (it.missed, it.event.number)).collect();
    assert_eq!(taken, [(0, 0), (7, 8), (0, 9)]);
}

/// What is asked while there is no connection is asked of the next scheduler; what may have been heard isn't.
#[test]
fn what_cannot_have_been_heard_is_asked_again() {
    let world = World::new();
    let mut one = world.client();
    one.cut();
    let mut meanwhile = one.request(put("q", b"meanwhile".to_vec()));
    one.is_forgotten();
    assert!(meanwhile.wait(Some(Instant::now() + Duration::from_millis(10))).is_none(), "it waits for the next one");
    one.come_back();
    assert_eq!(meanwhile.wait(None).expect("an answer").expect("a scheduler").reply(), &Reply::Done);
    assert_eq!(value(&one.ask(get("q", Some(0)))), b"meanwhile");
    // Another connection may have carried it.
    one.cut();
    let mut late = one.request(put("q", b"late".to_vec()));
    one.mend();
    one.is_forgotten();
    assert!(late.wait(None).expect("an answer").is_err(), "nobody knows whether it was heard");
    one.come_back();
    assert_eq!(one.ask(get("q", Some(0))), Reply::TimedOut);
}

/// Says what is asked of it.
struct Recorder(Mutex<Sender<Ask>>);

impl Carrier for Recorder {
    fn connections(&self) -> (u64, bool) {
        (1, true)
    }

    fn carry(&self, ask: Packed<Ask>, bulk: Vec<bytes::Bytes>) -> Result<(), String> {
        let ask = ask.unpack(&bulk).map_err(|error| error.to_string())?;
        self.0.lock().send(ask).map_err(|error| error.to_string())
    }
}

#[test]
fn a_thread_refreshes_leases_while_there_is_a_handle() {
    let (sender, asked) = channel();
    let handle = Coordination::new();
    let hearing = handle.session();
    hearing.carried_by(Arc::new(Recorder(Mutex::new(sender)))).expect("a scheduler");
    let lasts = Some(5_000_000);
    let name = Name::from("s");
    let acquire = Request::AcquireLease { name: name.clone(), leases: 1, lease: 1, lasts, timeout: None };
    let mut pending = handle.request(acquire).expect("a scheduler");
    let Ok(Ask::Request { id, .. }) = asked.recv() else { panic!("a request") };
    let (granted, bulk) = Packed::pack(Told::Reply { id, reply: Reply::Done });
    hearing.hear(granted, &bulk);
    assert!(pending.wait(None).is_some_and(|answer| answer.is_ok()));
    for _ in 0..3 {
        let refreshed = asked.recv().expect("a request");
        let Ask::Request { request: Request::RefreshLeases { leases }, .. } = refreshed else {
            panic!("{refreshed:?}")
        };
        assert_eq!(leases, [(name.clone(), 1)]);
    }
    // With the last handle the thread ends, and with the session what carries it.
    drop((pending, handle, hearing));
    while asked.recv().is_ok() {}
}
