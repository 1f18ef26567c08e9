//! Semaphores, and leases that run out.

use super::world::*;
use crate::coordination::{Reply, Request};

fn of_two(name: &str, lease: u64) -> Request {
    Request::AcquireLease { name: name.into(), leases: 2, lease, lasts: None, timeout: None }
}

fn count(world: &mut World, name: &str) -> Reply {
    world.reply(9, Request::Leases { name: name.into() })
}

fn release(name: &str, lease: u64) -> Request {
    Request::ReleaseLease { name: name.into(), lease }
}

#[test]
fn there_are_as_many_leases_as_were_said_first() {
    let mut world = World::new();
    assert_eq!(world.reply(1, of_two("s", 1)), Reply::Done);
    assert_eq!(world.reply(2, of_two("s", 1)), Reply::Done);
    let third = world.ask(3, of_two("s", 1));
    assert_eq!((world.answer(3, third), count(&mut world, "s")), (None, Reply::Number(2)));
    assert_eq!(world.reply(2, release("s", 1)), Reply::Done);
    assert_eq!((world.answer(3, third), count(&mut world, "s")), (Some(Reply::Done), Reply::Number(2)));
    let error = "semaphore `s` has a size of 2, which whoever named it first has fixed, and not 1";
    assert_eq!(refused(&world.reply(4, lease("s", 1, None))), error);
    assert_eq!(refused(&world.reply(4, Request::OpenSemaphore { name: "s".into(), leases: 1 })), error);
}

#[test]
fn a_lease_that_is_not_refreshed_goes_to_the_next() {
    let mut world = World::new();
    assert_eq!(world.reply(1, lease("s", 7, Some(10))), Reply::Done);
    let next = world.ask(2, lease("s", 7, Some(10)));
    world.pass(6);
    let refresh = Request::RefreshLeases { leases: vec![("s".into(), 7), ("s".into(), 8), ("t".into(), 7)] };
    let unknown = Reply::RunOut(vec![("s".into(), 8), ("t".into(), 7)]);
    assert_eq!(world.reply(1, refresh.clone()), unknown);
    world.pass(9);
    assert_eq!(world.answer(2, next), None);
    world.pass(1);
    assert_eq!(world.answer(2, next), Some(Reply::Done));
    // Who had it is told, and gets no lease beside the one that the other has.
    let refresh = Request::RefreshLeases { leases: vec![("s".into(), 7)] };
    assert_eq!(world.reply(1, refresh), Reply::RunOut(vec![("s".into(), 7)]));
    assert!(refused(&world.reply(1, release("s", 7))).contains("its time had run out"));
    assert_eq!(count(&mut world, "s"), Reply::Number(1));
}

#[test]
fn a_lease_that_ends_while_nobody_looks_is_there_for_one_whose_wait_ends_later() {
    let mut world = World::new();
    world.ask(1, lease("s", 1, Some(5)));
    let wish = Request::AcquireLease { name: "s".into(), leases: 1, lease: 1, lasts: Some(5), timeout: Some(7) };
    let next = world.ask(2, wish);
    world.pass(100);
    assert_eq!(world.answer(2, next), Some(Reply::Done));
    assert_eq!(world.machine.wakes_at().map(|at| at.0), Some(105));
}

#[test]
fn a_lease_has_one_number() {
    let mut world = World::new();
    world.ask(1, lease("s", 7, None));
    let error = "lease 7 of semaphore `s` is held or asked for already";
    assert_eq!(refused(&world.reply(1, lease("s", 7, None))), error);
    world.ask(1, lease("s", 8, None));
    assert!(refused(&world.reply(1, lease("s", 8, None))).contains("asked for already"));
    // That of another session is another one.
    let other = world.ask(2, lease("s", 7, None));
    world.gone(1);
    assert_eq!(world.answer(2, other), Some(Reply::Done));
}

#[test]
fn who_waits_for_a_semaphore_that_is_closed_is_told() {
    let mut world = World::new();
    world.ask(1, lease("s", 1, Some(10)));
    let waits = world.ask(2, lease("s", 1, None));
    assert_eq!(world.reply(3, Request::CloseSemaphore { name: "s".into() }), Reply::Done);
    let error = refused(&world.answer(2, waits).expect("an answer"));
    assert_eq!(error, "semaphore `s` was closed or deleted while it was waited for");
    assert_eq!((count(&mut world, "s"), world.machine.wakes_at()), (Reply::Number(0), None));
    // It can be named anew, with another size.
    assert_eq!(world.reply(1, of_two("s", 1)), Reply::Done);
}

#[test]
fn a_semaphore_is_forgotten_with_the_last_who_named_it() {
    let mut world = World::new();
    world.ask(1, lease("s", 1, None));
    world.ask(1, release("s", 1));
    let _ = world.ask(2, Request::OpenSemaphore { name: "s".into(), leases: 1 });
    world.gone(1);
    assert!(refused(&world.reply(3, of_two("s", 1))).contains("a size of 1"));
    world.gone(2);
    assert_eq!(world.reply(3, of_two("s", 1)), Reply::Done);
}

#[test]
fn a_semaphore_without_leases_is_refused() {
    let mut world = World::new();
    let none = Request::OpenSemaphore { name: "s".into(), leases: 0 };
    assert_eq!(refused(&world.reply(1, none)), "semaphore `s` can't have 0 leases: nobody would ever get one");
}

#[test]
fn a_lease_that_was_granted_to_one_who_gave_up_is_free() {
    let mut world = World::new();
    let crossed = world.ask(1, lease("s", 1, Some(10)));
    world.cancel(1, crossed);
    assert_eq!((count(&mut world, "s"), world.machine.wakes_at()), (Reply::Number(0), None));
}
