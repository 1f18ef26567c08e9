//! Everything has a bound, and what is over is refused in a sentence.

use super::world::*;
use crate::coordination::{Limits, Reply, Request, Value};
use crate::{RunId, TaskRange};
use raskt_graph::LayerId;

#[track_caller]
fn is_refused(world: &mut World, owner: u64, request: Request, why: &str) {
    let reply = world.reply(owner, request);
    assert!(refused(&reply).contains(why), "{reply:?} doesn't say {why}");
}

fn set(name: &str, value: Value) -> Request {
    Request::SetVariable { name: name.into(), value }
}

#[test]
fn names_and_values_are_as_long_as_they_may_be() {
    let mut world = World::with(Limits { name_bytes: 3, value_bytes: 5, value_results: 1, ..Limits::default() });
    is_refused(&mut world, 1, lock("four", None), "there may be 3 bytes in a name");
    is_refused(&mut world, 1, get("four", None), "there may be 3 bytes in a name");
    is_refused(&mut world, 1, set("v", Value::plain("123456")), "5 bytes in a value: scatter what is larger");
    let mut two = refers(1, 0..1);
    two.bytes = "".into();
    two.results.push((RunId(2), TaskRange { layer: LayerId(0), start: 0, end: 1 }));
    is_refused(&mut world, 1, set("v", two.clone()), "1 ranges of results");
    two.results = vec![(RunId(2), TaskRange { layer: LayerId(0), start: 1, end: 0 })];
    is_refused(&mut world, 1, set("v", two), "ends before it begins");
    assert_eq!(world.reply(1, set("abc", Value::plain("12345"))), Reply::Done);
}

/// Asks something of a name.
type Asks<'a> = &'a dyn Fn(&str) -> Request;

#[test]
fn there_are_as_many_names_of_a_kind_as_there_may_be() {
    let mut world = World::with(Limits { names: 1, ..Limits::default() });
    let open = |name: &str| Request::OpenSemaphore { name: name.into(), leases: 1 };
    let log = |name: &str| Request::Log { topic: name.into(), event: "".into() };
    let publish = |name: &str| Request::PublishDataset { name: name.into(), value: Value::default(), replace: false };
    let event = |name: &str| Request::SetEvent { name: name.into() };
    let requests: [(Asks, &str); 7] = [
        (&|name| lock(name, Some(0)), "1 names of kind lock"),
        (&open, "1 names of kind semaphore"),
        (&event, "1 names of kind event"),
        (&|name| set(name, Value::default()), "1 names of kind variable"),
        (&|name| put(name, "", None), "1 names of kind queue"),
        (&log, "1 names of kind topic"),
        (&publish, "1 names of kind dataset"),
    ];
    for (request, why) in requests {
        assert!(!matches!(world.reply(1, request("a")), Reply::Refused(_)));
        is_refused(&mut world, 1, request("b"), why);
    }
    // What has gone makes room.
    world.gone(1);
    assert_eq!(world.reply(2, lock("b", None)), acquired(&["b"]));
    assert_eq!(world.reply(2, open("b")), Reply::Done);
}

#[test]
fn all_values_together_have_a_bound() {
    let mut world = World::with(Limits { all_bytes: 400, ..Limits::default() });
    world.ask(1, set("a", Value::plain("x".repeat(200))));
    for request in [
        set("b", Value::plain("x".repeat(200))),
        put("q", &"x".repeat(200), None),
        Request::PublishDataset { name: "d".into(), value: Value::plain("x".repeat(200)), replace: false },
        Request::SetMetadata { keys: vec!["k".into()], entries: vec![(vec![], "x".repeat(200).into())] },
    ] {
        is_refused(&mut world, 1, request, "400 bytes in all values that the scheduler keeps");
    }
    // What waits to be put, and what is on its way, counts as well.
    world.ask(1, Request::DeleteVariable { name: "a".into() });
    world.ask(1, Request::OpenQueue { name: "q".into(), size: Some(1) });
    world.ask(1, put("q", &"x".repeat(100), None));
    let waits = world.ask(1, put("q", &"x".repeat(100), None));
    let got = world.ask(2, get("q", None));
    is_refused(&mut world, 1, set("b", Value::plain("x".repeat(100))), "bytes in all values");
    world.taken(2, got);
    assert_eq!(world.reply(1, set("b", Value::plain("x".repeat(100)))), Reply::Done);
    assert_eq!(world.answer(1, waits), Some(Reply::Done));
}

#[test]
fn so_many_wait_and_so_many_of_a_session() {
    let mut world = World::with(Limits { waiting: 3, waiting_of_a_session: 2, ..Limits::default() });
    world.ask(9, lock("x", None));
    let first = world.ask(1, lock("x", None));
    world.ask(1, lock("x", None));
    is_refused(&mut world, 1, lock("x", None), "2 requests of a client or worker that wait");
    world.ask(2, lock("x", None));
    is_refused(&mut world, 3, lock("x", None), "3 requests that wait, of all clients and workers");
    assert_eq!(world.machine.waiting(), 3);
    world.cancel(1, first);
    assert_eq!(world.machine.waiting(), 2);
    world.ask(3, lock("x", None));
    // A put that can't wait leaves nothing behind.
    world.ask(9, Request::OpenQueue { name: "q".into(), size: Some(1) });
    world.ask(9, put("q", "a", None));
    is_refused(&mut world, 9, put("q", "b", None), "3 requests that wait");
}

#[test]
fn the_rest_has_bounds_too() {
    let limits = Limits {
        locks_at_once: 1,
        queue_items: 2,
        acquaintances: 1,
        metadata_depth: 2,
        metadata_bytes: 400,
        subscriptions_of_a_session: 1,
        reply_names: 1,
        ..Limits::default()
    };
    let mut world = World::with(limits);
    is_refused(&mut world, 1, locks(&["a", "b"], 1, None), "1 locks that are asked for at once");
    let leases = vec![("a".into(), 1), ("a".into(), 2)];
    is_refused(&mut world, 1, Request::RefreshLeases { leases }, "1 leases that are refreshed at once");
    (0..2).for_each(|_| drop(world.reply(1, put("q", "", None))));
    is_refused(&mut world, 1, put("q", "", None), "2 items or leases of a queue");
    is_refused(&mut world, 1, Request::GetMany { name: "q".into(), count: 3, timeout: None }, "2 items");
    is_refused(&mut world, 1, Request::OpenQueue { name: "q".into(), size: Some(3) }, "2 items");
    is_refused(
        &mut world,
        1,
        Request::OpenSemaphore { name: "s".into(), leases: 3 },
        "2 items or leases of a semaphore",
    );
    is_refused(&mut world, 2, put("q", "", None), "1 names of semaphores and queues in use");
    let metadata = |keys: &[&str], bytes: usize| Request::SetMetadata {
        keys: keys.iter().map(|&key| key.into()).collect(),
        entries: vec![(vec![], vec![0; bytes].into())],
    };
    is_refused(&mut world, 1, metadata(&["a", "b", "c"], 0), "2 keys within keys");
    assert_eq!(world.reply(1, metadata(&["a"], 200)), Reply::Done);
    is_refused(&mut world, 1, metadata(&["b"], 200), "400 bytes in all metadata");
    assert_eq!(world.reply(1, metadata(&["a"], 201)), Reply::Done);
    let subscribe = |topic: &str| Request::Subscribe { topic: topic.into(), from: None };
    assert_eq!(world.reply(1, subscribe("t")), Reply::Done);
    assert_eq!(world.reply(1, subscribe("t")), Reply::Done);
    is_refused(&mut world, 1, subscribe("u"), "1 topics that a client or worker subscribes to");
}

#[test]
fn names_come_by_pages() {
    let mut world = World::with(Limits { reply_names: 2, ..Limits::default() });
    for name in ["b", "c", "a"] {
        world.ask(1, Request::PublishDataset { name: name.into(), value: Value::default(), replace: false });
    }
    let names = |names: &[&str], more| Reply::Names { names: names.iter().map(|&name| name.into()).collect(), more };
    assert_eq!(world.reply(1, Request::Datasets { after: None }), names(&["a", "b"], true));
    assert_eq!(world.reply(1, Request::Datasets { after: Some("b".into()) }), names(&["c"], false));
}

#[test]
fn a_number_that_stands_for_what_is_under_way_stands_for_nothing_else() {
    let mut world = World::new();
    let (now, owner) = (crate::Time(0), crate::coordination::Session(1));
    world.ask(2, lock("x", None));
    let waits = world.ask(1, lock("x", None));
    world.machine.handle(now, owner, waits, lock("y", None));
    let heard: Vec<_> = std::iter::from_fn(|| world.machine.poll_action()).collect();
    assert!(format!("{heard:?}").contains("is under way already"));
    world.gone(2);
    assert_eq!(world.answer(1, waits), Some(acquired(&["x"])));
    world.machine.handle(now, owner, waits, lock("y", None));
    let heard: Vec<_> = std::iter::from_fn(|| world.machine.poll_action()).collect();
    assert!(format!("{heard:?}").contains("is under way already"));
}
