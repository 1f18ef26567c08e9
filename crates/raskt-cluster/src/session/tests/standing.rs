//! What is owed to a peer, and sides that stand still.

use super::*;
use crate::session::outgoing::OWED_BYTES;

/// What is owed goes as the window allows, in its order, and a peer that takes what it gets has all of it.
#[test]
fn what_is_owed_waits_for_the_window() {
    let mut pair = Pair::connected(&Limits { window_bytes: 1000, ..Limits::default() });
    for _ in 0..100 {
        pair.owe(0, 100).unwrap();
    }
    assert!(pair.send(0, 100).is_err(), "whoever isn't owed anything waits for his turn");
    pair.transmit();
    pair.deliver(1);
    let first = pair.came[1].len();
    assert!(first > 0 && first < 5 && !pair.ends[0].has_something_to_send(), "{first} came");
    // Nothing more goes before something of that is taken, and nobody is given up for it.
    for _ in 0..100 {
        pair.pass(SECOND);
        pair.transmit();
        pair.deliver(0);
        pair.deliver(1);
    }
    assert_eq!(pair.came[1].len(), first);
    pair.settle();
    pair.settle();
    assert_eq!(pair.came[1], (0..100).collect::<Vec<_>>());
    assert_eq!(pair.events, [[Event::Connected], [Event::Connected]]);
}

#[test]
fn more_is_not_owed_than_a_bound() {
    let mut session = Session::new(Limits { window_bytes: 1000, ..Limits::default() }, 0);
    session.handle_up(0, 0).unwrap();
    let bulk = vec![Bytes::from(vec![0; 32 << 20])];
    let owe = |session: &mut Session| session.owe(Payload { control: Bytes::new(), bulk: bulk.clone() });
    let refused = (0..100).position(|_| owe(&mut session).is_err());
    // What keeping them costs counts as well.
    assert_eq!(refused, Some((OWED_BYTES >> 25) as usize - 1));
}

/// This side was stopped, and looks at the clock before it reads what has come meanwhile.
#[test]
fn whoever_stood_still_blames_nobody_for_it() {
    for seconds in [4, 20, 50] {
        let mut pair = Pair::connected(&Limits::default());
        pair.pass_awake(2);
        // The other one goes on, and gives up the connection at last.
        let stopped = pair.now;
        for second in 1..=seconds {
            pair.ends[1].handle_time(stopped + second * SECOND);
        }
        pair.now = stopped + seconds * SECOND;
        let closed = !pair.ends[1].is_up();
        assert_eq!(closed, seconds > 13);
        pair.ends[0].handle_time(pair.now);
        if closed {
            pair.ends[0].handle_down(pair.now, true);
        }
        // It may take a while until the other one calls again.
        for _ in 0..5 {
            pair.now += SECOND;
            pair.ends[0].handle_time(pair.now);
        }
        pair.tell();
        assert!(!pair.events[0].contains(&Event::Unreachable), "after {seconds} s: {:?}", pair.events[0]);
        pair.settle();
        assert!(pair.ends.iter().all(|end| end.lost().is_none() && end.is_up()));
    }
}

/// One that is silent while this side is awake is given up as ever, however often this side stood still before.
#[test]
fn standing_still_keeps_nobody_for_ever() {
    let mut pair = Pair::connected(&Limits::default());
    pair.pass(30 * SECOND);
    assert!(pair.ends[0].is_up());
    pair.pass_awake(14);
    assert!(!pair.ends[0].is_up() && pair.events[0].contains(&Event::Unreachable));
    // Even if nobody ever looks in time.
    let mut pair = Pair::connected(&Limits::default());
    (0..15).for_each(|_| pair.pass(10 * SECOND));
    assert!(pair.events[0].contains(&Event::Unreachable));
}

#[test]
fn a_sign_of_life_is_overdue_when_nobody_gives_it() {
    let mut pair = Pair::connected(&Limits::default());
    assert!(!pair.ends[0].is_overdue(SECOND));
    assert!(pair.ends[0].is_overdue(2 * SECOND));
    assert!(pair.ends[0].poll_transmit(2 * SECOND).is_some(), "whoever looks gives it");
    assert!(!pair.ends[0].is_overdue(3 * SECOND));
    assert!(!pair.ends[0].is_overdue(60 * SECOND), "one that never comes back to it isn't alive");
}
