//! Locks, one and several.

use super::world::*;
use crate::coordination::{Reply, Request};

#[test]
fn who_came_first_has_it_first() {
    let mut world = World::new();
    assert_eq!(world.reply(1, lock("x", None)), acquired(&["x"]));
    let second = world.ask(2, lock("x", None));
    let third = world.ask(3, lock("x", None));
    assert_eq!(world.reply(1, unlock(&["x"])), Reply::Done);
    assert_eq!((world.answer(2, second), world.answer(3, third)), (Some(acquired(&["x"])), None));
    assert_eq!(world.reply(2, unlock(&["x"])), Reply::Done);
    assert_eq!(world.answer(3, third), Some(acquired(&["x"])));
    assert_eq!(world.reply(1, Request::Locked { name: "x".into() }), Reply::Flag(true));
    assert_eq!(world.reply(3, unlock(&["x"])), Reply::Done);
    assert_eq!(world.reply(1, Request::Locked { name: "x".into() }), Reply::Flag(false));
}

#[test]
fn a_lock_is_released_by_its_holder_alone() {
    let mut world = World::new();
    world.ask(1, lock("x", None));
    let error = "lock `x` isn't held by who releases it: it was released before, or its time had run out";
    assert_eq!(refused(&world.reply(2, unlock(&["x"]))), error);
    let other_holder = Request::ReleaseLocks { names: vec!["x".into()], holder: 7 };
    assert_eq!(refused(&world.reply(1, other_holder)), error);
    assert_eq!(world.reply(1, unlock(&["x"])), Reply::Done);
    assert_eq!(refused(&world.reply(1, unlock(&["x"]))), error);
}

#[test]
fn a_wait_ends_with_its_time_and_without_any_where_none_is_given() {
    let mut world = World::new();
    world.ask(1, lock("x", None));
    assert_eq!(world.reply(2, lock("x", Some(0))), Reply::TimedOut);
    let waits = world.ask(2, lock("x", Some(10)));
    assert_eq!(world.machine.wakes_at().map(|at| at.0), Some(10));
    world.pass(9);
    assert_eq!(world.answer(2, waits), None);
    world.pass(1);
    assert_eq!(world.answer(2, waits), Some(Reply::TimedOut));
    assert_eq!(world.machine.wakes_at(), None);
}

#[test]
fn the_time_of_a_wait_is_over_before_what_comes_later_is_heard() {
    let mut world = World::new();
    world.ask(1, lock("x", None));
    let waits = world.ask(2, lock("x", Some(10)));
    // Nobody has told of the time before the release comes.
    world.now = 11;
    world.ask(1, unlock(&["x"]));
    assert_eq!(world.answer(2, waits), Some(Reply::TimedOut));
    assert_eq!(world.reply(3, lock("x", Some(0))), acquired(&["x"]));
}

#[test]
fn several_are_had_at_once_or_not_at_all() {
    let mut world = World::new();
    world.ask(1, lock("b", None));
    let both = world.ask(2, locks(&["a", "b"], 2, None));
    // `a` is free and kept for who waits for both: else it might wait for ever.
    let later = world.ask(3, lock("a", None));
    assert_eq!((world.answer(2, both), world.answer(3, later)), (None, None));
    // And whoever gives up keeps it from nobody.
    world.cancel(2, both);
    assert_eq!((world.answer(2, both), world.answer(3, later)), (Some(Reply::Cancelled), Some(acquired(&["a"]))));
}

#[test]
fn circles_of_locks_end() {
    let mut world = World::new();
    let requests = [["a", "b"], ["b", "c"], ["c", "a"]].map(|names| locks(&names, 2, None));
    let [first, second, third] = [1, 2, 3].map(|owner| world.ask(owner, requests[owner as usize - 1].clone()));
    assert_eq!(world.answer(1, first), Some(acquired(&["a", "b"])));
    world.ask(1, unlock(&["a", "b"]));
    assert_eq!(world.answer(2, second), Some(acquired(&["b", "c"])));
    assert_eq!(world.answer(3, third), None);
    world.gone(2);
    assert_eq!(world.answer(3, third), Some(acquired(&["c", "a"])));
}

#[test]
fn some_of_several_are_enough_where_that_is_asked() {
    let mut world = World::new();
    world.ask(1, lock("b", None));
    assert_eq!(world.reply(2, locks(&["a", "b", "c"], 2, None)), acquired(&["a", "c"]));
    let waits = world.ask(3, locks(&["a", "b", "c"], 1, None));
    assert_eq!(world.reply(2, unlock(&["c"])), Reply::Done);
    assert_eq!(world.answer(3, waits), Some(acquired(&["c"])));
    // What it has is what it can release.
    refused(&world.reply(3, unlock(&["a", "c"])));
    assert_eq!(world.reply(1, Request::Locked { name: "c".into() }), Reply::Flag(true));
}

#[test]
fn the_locks_of_a_session_pass_on_when_it_ends_and_its_waits_are_dropped() {
    let mut world = World::new();
    world.ask(1, lock("x", None));
    let own = world.ask(1, lock("x", None));
    let other = world.ask(2, lock("x", None));
    world.gone(1);
    assert_eq!(world.answer(1, own), None);
    assert_eq!(world.answer(2, other), Some(acquired(&["x"])));
}

#[test]
fn what_was_granted_to_one_who_gave_up_is_free() {
    let mut world = World::new();
    let crossed = world.ask(1, lock("x", None));
    let waits = world.ask(2, lock("x", None));
    // It gives up before it hears that it has it.
    world.cancel(1, crossed);
    assert_eq!(world.answer(2, waits), Some(acquired(&["x"])));
}

#[test]
fn requests_for_locks_that_make_no_sense_are_refused() {
    let mut world = World::new();
    for (names, count) in [(&["a", "b"][..], 3), (&["a"], 0), (&[], 0), (&[], 1)] {
        assert!(refused(&world.reply(1, locks(names, count, None))).contains("can't be asked for"));
    }
    assert_eq!(refused(&world.reply(1, locks(&["a", "a"], 2, None))), "a lock is named twice in one request");
}
