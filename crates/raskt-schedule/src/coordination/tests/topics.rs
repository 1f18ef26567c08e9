//! Topics: events that are kept, and told.

use super::world::*;
use crate::Time;
use crate::coordination::{Action, Limits, Reply, Request, Session, TopicEvent};
use proptest::prelude::*;
use std::collections::VecDeque;

fn log(topic: &str, event: &str) -> Request {
    Request::Log { topic: topic.into(), event: event.into() }
}

fn events(topic: &str, from: u64) -> Request {
    Request::EventsOf { topic: topic.into(), from }
}

fn subscribe(topic: &str, from: Option<u64>) -> Request {
    Request::Subscribe { topic: topic.into(), from }
}

fn event(number: u64, time: u64, text: &str) -> TopicEvent {
    TopicEvent { number, time: Time(time), bytes: text.into() }
}

/// Numbers of the events that a session was told of, and how many it has missed.
fn told(world: &mut World, owner: u64) -> Vec<(u64, Vec<u64>)> {
    let of = |action| match action {
        Action::Notice { owner: of, missed, events, .. } if of == Session(owner) => {
            Some((missed, events.iter().map(|event| event.number).collect()))
        }
        _ => None,
    };
    world.heard().into_iter().filter_map(of).collect()
}

#[test]
fn the_newest_events_are_kept_with_their_times() {
    let mut world = World::with(Limits { topic_events: 2, ..Limits::default() });
    for text in ["a", "b", "c"] {
        world.pass(10);
        assert_eq!(world.reply(1, log("t", text)), Reply::Done);
    }
    let all = vec![event(1, 20, "b"), event(2, 30, "c")];
    assert_eq!(world.reply(2, events("t", 0)), Reply::Events { events: all, more: false });
    assert_eq!(world.reply(2, events("t", 2)), Reply::Events { events: vec![event(2, 30, "c")], more: false });
    assert_eq!(world.reply(2, events("t", 99)), Reply::Events { events: vec![], more: false });
    assert_eq!(world.reply(2, events("u", 0)), Reply::Events { events: vec![], more: false });
    let names = Reply::Names { names: vec!["t".into()], more: false };
    assert_eq!(world.reply(2, Request::Topics { after: None }), names);
}

#[test]
fn events_are_of_the_time_of_day_where_somebody_says_it() {
    let mut world = World::with(Limits::default());
    // The clock on the wall was set forward, and then back.
    for (text, day) in [("a", 500), ("b", 20)] {
        world.pass(10);
        world.machine.set_day(Time(day));
        assert_eq!(world.reply(1, log("t", text)), Reply::Done);
    }
    let all = vec![event(0, 500, "a"), event(1, 20, "b")];
    assert_eq!(world.reply(2, events("t", 0)), Reply::Events { events: all, more: false });
}

#[test]
fn events_come_by_pages() {
    let mut world = World::with(Limits { reply_items: 2, ..Limits::default() });
    ["a", "b", "c"].iter().for_each(|text| drop(world.reply(1, log("t", text))));
    let page = vec![event(0, 0, "a"), event(1, 0, "b")];
    assert_eq!(world.reply(2, events("t", 0)), Reply::Events { events: page, more: true });
    assert_eq!(world.reply(2, events("t", 2)), Reply::Events { events: vec![event(2, 0, "c")], more: false });
}

#[test]
fn a_subscriber_is_told_of_later_events_once_it_has_those_before() {
    let mut world = World::new();
    world.ask(1, log("t", "before"));
    world.ask(2, subscribe("t", None));
    assert_eq!(told(&mut world, 2), []);
    ["a", "b", "c"].iter().for_each(|text| drop(world.reply(1, log("t", text))));
    assert_eq!(told(&mut world, 2), [(0, vec![1])]);
    // Of what it was never told it has nothing to say.
    world.acknowledge(2, "t", 3);
    assert_eq!(told(&mut world, 2), []);
    world.acknowledge(2, "t", 1);
    assert_eq!(told(&mut world, 2), [(0, vec![2, 3])]);
    world.ask(2, Request::Unsubscribe { topic: "t".into() });
    world.ask(1, log("t", "later"));
    assert_eq!(told(&mut world, 2), []);
}

#[test]
fn one_who_comes_back_goes_on_where_it_was() {
    let mut world = World::new();
    ["a", "b", "c"].iter().for_each(|text| drop(world.reply(1, log("t", text))));
    world.ask(2, subscribe("t", Some(1)));
    assert_eq!(told(&mut world, 2), [(0, vec![1, 2])]);
    // Of events that aren't there yet, as after a scheduler that was started anew, all that come are told.
    world.ask(3, subscribe("t", Some(77)));
    world.ask(1, log("t", "d"));
    assert_eq!(told(&mut world, 3), [(0, vec![3])]);
}

#[test]
fn a_topic_that_was_only_listened_to_is_forgotten() {
    let mut world = World::new();
    world.ask(1, subscribe("t", None));
    world.gone(1);
    assert_eq!(world.reply(2, Request::Topics { after: None }), Reply::Names { names: vec![], more: false });
}

#[test]
fn an_event_makes_room_in_its_own_topic_where_there_is_none() {
    let mut world = World::with(Limits { all_bytes: 300, event_bytes: 200, ..Limits::default() });
    ["a", "b", "c"].iter().for_each(|text| drop(world.reply(1, log("t", text))));
    assert_eq!(world.reply(1, log("t", &"d".repeat(200))), Reply::Done);
    let Reply::Events { events: kept, .. } = world.reply(2, events("t", 0)) else { panic!("events") };
    assert_eq!(kept.iter().map(|event| event.number).collect::<Vec<_>>(), [3]);
    assert!(refused(&world.reply(1, log("u", "x"))).contains("bytes in all values"));
    assert!(refused(&world.reply(1, log("t", &"x".repeat(201)))).contains("200 bytes in an event of a topic"));
}

#[derive(Clone, Debug)]
enum Step {
    Log,
    Acknowledge(u64),
    Again(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![4 => Just(Step::Log), 2 => (0..3u64).prop_map(Step::Acknowledge), 1 => (0..3u64).prop_map(Step::Again)]
}

proptest! {
    /// However slow a subscriber is: what it was told and what it is said to have missed are all events, in order.
    #[test]
    fn nothing_is_lost_without_a_word(steps in prop::collection::vec(step(), 1..200)) {
        let mut world = World::with(Limits { topic_events: 5, events_at_once: 3, ..Limits::default() });
        let mut next = [0; 3];
        let mut open: [VecDeque<u64>; 3] = Default::default();
        (0..3).for_each(|owner| drop(world.reply(owner, subscribe("t", None))));
        let mut logged = 0;
        // At the end everybody says what it has, until there is no more.
        let ends = (0..99).flat_map(|_| (0..3).map(Step::Acknowledge));
        for step in steps.into_iter().chain(ends) {
            match step {
                Step::Log => {
                    world.ask(9, log("t", "x"));
                    logged += 1;
                }
                Step::Acknowledge(owner) => {
                    if let Some(last) = open[owner as usize].pop_front() {
                        world.acknowledge(owner, "t", last);
                    }
                }
                Step::Again(owner) => {
                    open[owner as usize].clear();
                    world.ask(owner, subscribe("t", Some(next[owner as usize])));
                }
            }
            for action in world.heard() {
                let Action::Notice { owner, missed, events, .. } = action else { continue };
                let owner = owner.0 as usize;
                prop_assert!(events.len() <= 3 && open[owner].is_empty());
                next[owner] += missed;
                for event in &events {
                    prop_assert_eq!(event.number, next[owner]);
                    next[owner] += 1;
                }
                open[owner].push_back(next[owner] - 1);
            }
        }
        prop_assert_eq!(next, [logged; 3]);
    }
}
