//! Queues: items and waiters in order.

use super::world::*;
use crate::coordination::{Action, Limits, Reply, Request, Value};

fn many(name: &str, count: u64, timeout: Option<u64>) -> Request {
    Request::GetMany { name: name.into(), count, timeout }
}

fn all(name: &str) -> Request {
    Request::GetAll { name: name.into() }
}

fn sized(name: &str, size: u64) -> Request {
    Request::OpenQueue { name: name.into(), size: Some(size) }
}

fn size(world: &mut World, name: &str) -> Reply {
    world.reply(9, Request::QueueSize { name: name.into() })
}

/// The items of a queue that has these, taken at once.
fn drain(world: &mut World, name: &str) -> Vec<String> {
    let got = world.ask(8, all(name));
    world.taken(8, got);
    texts(world.answer(8, got))
}

#[test]
fn items_and_those_who_wait_for_them_go_in_order() {
    let mut world = World::new();
    let waits = [1, 2].map(|owner| (owner, world.ask(owner, get("q", None))));
    for item in ["a", "b", "c"] {
        assert_eq!(world.reply(3, put("q", item, None)), Reply::Done);
    }
    assert_eq!(waits.map(|(owner, request)| texts(world.answer(owner, request))), [["a"], ["b"]]);
    assert_eq!(size(&mut world, "q"), Reply::Number(1));
    world.gone(3);
    assert_eq!(drain(&mut world, "q"), ["c"]);
    assert_eq!(drain(&mut world, "q"), Vec::<String>::new());
}

#[test]
fn who_puts_into_a_full_queue_waits_for_room() {
    let mut world = World::new();
    world.ask(1, sized("q", 1));
    world.ask(1, put("q", "a", None));
    assert_eq!(world.reply(1, put("q", "no", Some(0))), Reply::TimedOut);
    let late = world.ask(1, put("q", "late", Some(5)));
    let (second, third) = (world.ask(1, put("q", "b", None)), world.ask(2, put("q", "c", None)));
    world.pass(5);
    assert_eq!(world.answer(1, late), Some(Reply::TimedOut));
    let got = world.ask(3, get("q", None));
    assert_eq!(texts(world.answer(3, got)), ["a"]);
    assert_eq!((world.answer(1, second), world.answer(2, third)), (Some(Reply::Done), None));
    // What somebody waits to put goes with it.
    world.gone(2);
    assert_eq!(drain(&mut world, "q"), ["b"]);
    assert_eq!(drain(&mut world, "q"), Vec::<String>::new());
}

#[test]
fn many_come_together_and_nothing_is_lost_when_they_do_not_come() {
    let mut world = World::new();
    let three = world.ask(1, many("q", 3, Some(10)));
    let one = world.ask(2, get("q", None));
    world.ask(3, put("q", "a", None));
    world.ask(3, put("q", "b", None));
    assert_eq!((world.answer(1, three), world.answer(2, one)), (None, None));
    // What is there is for whoever came first.
    assert_eq!(drain(&mut world, "q"), Vec::<String>::new());
    world.pass(10);
    assert_eq!(world.answer(1, three), Some(Reply::TimedOut));
    assert_eq!(texts(world.answer(2, one)), ["a"]);
    assert_eq!(drain(&mut world, "q"), ["b"]);
    assert_eq!(texts(Some(world.reply(1, many("q", 0, None)))), Vec::<String>::new());
}

#[test]
fn one_who_wants_more_than_there_may_be_has_room_made() {
    let mut world = World::new();
    world.ask(1, sized("q", 1));
    let puts = ["a", "b", "c", "d", "e"].map(|item| world.ask(1, put("q", item, None)));
    let three = world.ask(2, many("q", 3, None));
    assert_eq!(texts(world.answer(2, three)), ["a", "b", "c"]);
    assert_eq!(puts.map(|request| world.answer(1, request).is_some()), [true, true, true, true, false]);
}

#[test]
fn what_was_given_to_one_who_gave_up_is_where_it_was() {
    let mut world = World::new();
    for item in ["a", "b", "c", "d"] {
        world.ask(1, put("q", item, None));
    }
    let (first, second) = (world.ask(2, get("q", None)), world.ask(3, many("q", 2, None)));
    world.cancel(2, first);
    world.cancel(3, second);
    assert_eq!(drain(&mut world, "q"), ["a", "b", "c", "d"]);
    // What was taken is gone.
    world.ask(1, put("q", "e", None));
    let third = world.ask(2, get("q", None));
    world.taken(2, third);
    world.cancel(2, third);
    assert_eq!(size(&mut world, "q"), Reply::Number(0));
}

#[test]
fn what_comes_back_goes_to_who_waits() {
    let mut world = World::new();
    world.ask(1, put("q", "a", None));
    let first = world.ask(2, get("q", None));
    let waits = world.ask(3, get("q", None));
    world.cancel(2, first);
    assert_eq!(texts(world.answer(3, waits)), ["a"]);
}

#[test]
fn what_was_on_its_way_to_one_who_is_gone_is_where_it_was() {
    let mut world = World::new();
    // They wait, die, and are given something before anybody knows.
    let dead = [world.ask(1, get("q", None)), world.ask(1, many("q", 2, None))];
    let alive = world.ask(2, get("q", None));
    for item in ["a", "b", "c", "d", "e"] {
        world.ask(3, put("q", item, None));
    }
    assert!(dead.iter().all(|&request| world.answer(1, request).is_some()));
    assert_eq!(texts(world.answer(2, alive)), ["d"]);
    world.taken(2, alive);
    world.gone(1);
    assert_eq!(drain(&mut world, "q"), ["a", "b", "c", "e"]);
    // One who waits has it at once, be it the last who knows of the queue.
    let dead = world.ask(4, get("r", None));
    let waits = world.ask(5, get("r", None));
    world.ask(3, put("r", "f", None));
    assert!(world.answer(4, dead).is_some());
    world.gone(3);
    world.gone(4);
    assert_eq!(texts(world.answer(5, waits)), ["f"]);
}

#[test]
fn what_one_who_is_gone_has_said_to_have_is_gone_and_what_it_has_not_stays_with_its_results() {
    let mut world = World::new();
    for run in [1, 2] {
        world.ask(1, Request::Put { name: "q".into(), value: refers(run, 0..1), timeout: None });
    }
    let (first, _) = (world.ask(2, get("q", None)), world.ask(2, get("q", None)));
    world.taken(2, first);
    assert!(matches!(world.heard()[..], [Action::Hold { .. }, Action::Hold { .. }, Action::LetGo { .. }]));
    world.gone(2);
    assert!(world.heard().is_empty());
    assert_eq!(size(&mut world, "q"), Reply::Number(1));
    // The last who knew of the queue takes nothing with it either.
    world.gone(1);
    assert_eq!(size(&mut world, "q"), Reply::Number(1));
}

#[test]
fn a_wait_that_ends_as_an_item_comes_neither_loses_nor_reorders_it() {
    let mut world = World::new();
    let ends = world.ask(1, get("q", Some(5)));
    let waits = world.ask(2, get("q", None));
    world.now = 5;
    // The item comes in the very moment in which the first wait is over.
    world.ask(3, put("q", "a", None));
    assert_eq!(world.answer(1, ends), Some(Reply::TimedOut));
    assert_eq!(texts(world.answer(2, waits)), ["a"]);
    world.cancel(2, waits);
    world.ask(3, put("q", "b", None));
    // Given just before its time is over, and given up before it was heard.
    let given = world.ask(1, get("q", Some(5)));
    world.pass(5);
    world.cancel(1, given);
    assert_eq!(drain(&mut world, "q"), ["a", "b"]);
}

#[test]
fn the_size_of_a_queue_is_what_the_first_says_who_says_one() {
    let mut world = World::new();
    world.ask(1, put("q", "a", None));
    world.ask(1, put("q", "b", None));
    assert_eq!(world.reply(2, sized("q", 1)), Reply::Done);
    let error = "queue `q` has a size of 1, which whoever named it first has fixed, and not 2";
    assert_eq!(refused(&world.reply(3, sized("q", 2))), error);
    assert_eq!(world.reply(3, Request::OpenQueue { name: "q".into(), size: None }), Reply::Done);
    assert_eq!(world.reply(1, put("q", "c", Some(0))), Reply::TimedOut);
    assert!(refused(&world.reply(3, sized("r", 0))).contains("room for 0 items"));
}

#[test]
fn who_waits_at_a_queue_that_is_closed_is_told_and_what_is_in_it_goes() {
    let mut world = World::new();
    world.ask(1, sized("q", 1));
    world.ask(1, Request::Put { name: "q".into(), value: refers(1, 0..1), timeout: None });
    let puts = world.ask(1, put("q", "b", None));
    let gets = world.ask(2, get("other", None));
    world.heard();
    world.ask(3, Request::CloseQueue { name: "q".into() });
    world.ask(3, Request::CloseQueue { name: "other".into() });
    for (owner, request, name) in [(1, puts, "q"), (2, gets, "other")] {
        let error = refused(&world.answer(owner, request).expect("an answer"));
        assert_eq!(error, format!("queue `{name}` was closed or deleted while it was waited for"));
    }
    assert!(matches!(world.heard()[..], [Action::LetGo { .. }]));
    // Items of a queue that was closed meanwhile don't come back into another one of its name.
    world.ask(1, put("r", "old", None));
    let got = world.ask(2, get("r", None));
    world.ask(1, Request::CloseQueue { name: "r".into() });
    world.ask(1, put("r", "new", None));
    world.cancel(2, got);
    assert_eq!(drain(&mut world, "r"), ["new"]);
    // Also when the other one has had as many.
    world.ask(1, put("s", "old", None));
    let got = world.ask(2, get("s", None));
    world.ask(1, Request::CloseQueue { name: "s".into() });
    world.ask(1, put("s", "new", None));
    assert_eq!(drain(&mut world, "s"), ["new"]);
    world.gone(2);
    assert!(world.answer(2, got).is_some());
    assert_eq!(drain(&mut world, "s"), Vec::<String>::new());
}

#[test]
fn more_than_fits_in_a_reply_comes_in_several() {
    let mut world = World::with(Limits { reply_bytes: 400, ..Limits::default() });
    for item in ["a", "b", "c"] {
        let value = Value::plain(item.repeat(100));
        world.ask(1, Request::Put { name: "q".into(), value, timeout: None });
    }
    let got = world.ask(2, many("q", 3, None));
    let initials = |texts: Vec<String>| texts.iter().map(|text| text[..1].to_string()).collect::<Vec<_>>();
    assert_eq!(initials(texts(world.answer(2, got))), ["a", "b"]);
    assert_eq!(initials(drain(&mut world, "q")), ["c"]);
    // What fills a reply isn't waited for any longer, and one item is given however large it is.
    let waits = world.ask(2, many("q", 9, None));
    world.ask(1, Request::Put { name: "q".into(), value: Value::plain("d".repeat(1000)), timeout: None });
    assert_eq!(initials(texts(world.answer(2, waits))), ["d"]);
}
