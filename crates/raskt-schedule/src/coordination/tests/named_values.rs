//! Events, variables and datasets.

use super::world::*;
use crate::coordination::{Action, Reply, Request, Value};
use crate::{RunId, TaskRange};
use raskt_graph::LayerId;

fn wait(name: &str, timeout: Option<u64>) -> Request {
    Request::WaitForEvent { name: name.into(), timeout }
}

fn set(name: &str, value: Value) -> Request {
    Request::SetVariable { name: name.into(), value }
}

fn value_of(name: &str, timeout: Option<u64>) -> Request {
    Request::GetVariable { name: name.into(), timeout }
}

fn publish(name: &str, value: Value, replace: bool) -> Request {
    Request::PublishDataset { name: name.into(), value, replace }
}

fn hold(run: u64, start: u64, end: u64) -> Action {
    Action::Hold { run: RunId(run), tasks: TaskRange { layer: LayerId(0), start, end } }
}

fn let_go(run: u64, start: u64, end: u64) -> Action {
    Action::LetGo { run: RunId(run), tasks: TaskRange { layer: LayerId(0), start, end } }
}

#[test]
fn all_who_wait_for_an_event_go_on_when_it_is_set() {
    let mut world = World::new();
    let waiters = [1, 2, 3].map(|owner| (owner, world.ask(owner, wait("e", None))));
    assert_eq!(world.reply(9, wait("e", Some(0))), Reply::TimedOut);
    assert_eq!(world.reply(9, Request::EventIsSet { name: "e".into() }), Reply::Flag(false));
    assert_eq!(world.reply(9, Request::SetEvent { name: "e".into() }), Reply::Done);
    assert!(waiters.iter().all(|&(owner, request)| world.answer(owner, request) == Some(Reply::Done)));
    assert_eq!(world.reply(9, wait("e", Some(0))), Reply::Done);
    assert_eq!(world.reply(9, Request::EventIsSet { name: "e".into() }), Reply::Flag(true));
    // Set by one who is gone, it stays set.
    world.gone(9);
    assert_eq!(world.reply(1, wait("e", None)), Reply::Done);
    world.ask(1, Request::ClearEvent { name: "e".into() });
    let again = world.ask(1, wait("e", Some(5)));
    world.pass(5);
    assert_eq!(world.answer(1, again), Some(Reply::TimedOut));
}

#[test]
fn a_variable_is_waited_for_until_it_has_a_value() {
    let mut world = World::new();
    let waits = world.ask(1, value_of("v", None));
    let short = world.ask(2, value_of("v", Some(5)));
    world.pass(5);
    assert_eq!(world.answer(2, short), Some(Reply::TimedOut));
    world.ask(3, set("v", Value::plain("one")));
    assert_eq!(texts(world.answer(1, waits)), ["one"]);
    world.ask(3, set("v", Value::plain("two")));
    world.gone(3);
    let now = world.ask(1, value_of("v", Some(0)));
    assert_eq!(texts(world.answer(1, now)), ["two"]);
}

#[test]
fn who_waits_for_a_variable_that_is_deleted_is_told() {
    let mut world = World::new();
    let waits = world.ask(1, value_of("v", None));
    assert_eq!(world.reply(2, Request::DeleteVariable { name: "v".into() }), Reply::Done);
    let error = refused(&world.answer(1, waits).expect("an answer"));
    assert_eq!(error, "variable `v` was closed or deleted while it was waited for");
}

#[test]
fn what_a_variable_refers_to_stays_alive_when_who_set_it_has_gone() {
    let mut world = World::new();
    world.ask(1, set("v", refers(4, 0..2)));
    assert_eq!(world.heard(), [hold(4, 0, 2)]);
    world.gone(1);
    assert_eq!(world.heard(), []);
    // A value in common is never let go of.
    world.ask(2, set("v", refers(4, 1..3)));
    assert_eq!(world.heard(), [hold(4, 2, 3), let_go(4, 0, 1)]);
    world.ask(2, Request::DeleteVariable { name: "v".into() });
    assert_eq!(world.heard(), [let_go(4, 1, 3)]);
}

#[test]
fn a_result_stays_alive_until_who_was_given_it_has_it() {
    let mut world = World::new();
    world.ask(1, set("v", refers(4, 0..1)));
    let got = world.ask(2, value_of("v", None));
    assert!(matches!(world.answer(2, got), Some(Reply::Values { awaits_taken: true, .. })));
    world.ask(1, set("v", Value::plain("other")));
    assert_eq!(world.heard(), [hold(4, 0, 1)]);
    world.taken(2, got);
    assert_eq!(world.heard(), [let_go(4, 0, 1)]);
    // And no longer than it is there.
    world.ask(1, set("v", refers(5, 0..1)));
    world.ask(3, value_of("v", None));
    world.ask(1, Request::DeleteVariable { name: "v".into() });
    assert_eq!(world.heard(), [hold(5, 0, 1)]);
    world.gone(3);
    assert_eq!(world.heard(), [let_go(5, 0, 1)]);
}

#[test]
fn datasets_have_names_of_their_own_and_are_replaced_only_where_that_is_said() {
    let mut world = World::new();
    assert_eq!(world.reply(1, publish("d", refers(1, 0..4), false)), Reply::Done);
    let error = "dataset `d` already exists; `override=True` replaces it";
    assert_eq!(refused(&world.reply(2, publish("d", refers(2, 0..4), false))), error);
    assert_eq!(world.heard(), [hold(1, 0, 4)]);
    assert_eq!(world.reply(2, publish("d", refers(2, 0..4), true)), Reply::Done);
    assert_eq!(world.heard(), [hold(2, 0, 4), let_go(1, 0, 4)]);
    world.gone(2);
    let got = world.ask(3, Request::GetDataset { name: "d".into() });
    assert_eq!(texts(world.answer(3, got)), ["future"]);
    world.taken(3, got);
    assert_eq!(refused(&world.reply(3, Request::GetDataset { name: "e".into() })), "there is no dataset `e`");
    assert_eq!(world.reply(3, Request::UnpublishDataset { name: "d".into() }), Reply::Flag(true));
    assert_eq!(world.reply(3, Request::UnpublishDataset { name: "d".into() }), Reply::Flag(false));
    assert_eq!(world.heard(), [let_go(2, 0, 4)]);
    assert_eq!(world.machine.held(), []);
}
