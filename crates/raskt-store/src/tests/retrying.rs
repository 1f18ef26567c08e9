//! Results that stay are looked at again a few at a time, however many they are.

use super::*;
use crate::round::{LOOKS, TRIES};

/// Asks for `bytes`; goes on until it is answered, and gives how many results were looked at again in each event.
fn ask(state: &mut State, ticket: u64, bytes: u64) -> Vec<usize> {
    let mut looked = vec![];
    let mut before = state.counts.looked_again;
    let mut note = |state: &State| {
        looked.push((state.counts.looked_again - before) as usize);
        before = state.counts.looked_again;
    };
    state.ask(Request {
        holder: holder(ticket),
        bytes,
        inputs: vec![],
        small: 0,
        fetched: 0,
        outputs: Outputs::default(),
    });
    note(state);
    while state.wants_look {
        state.look_on();
        note(state);
    }
    looked
}

/// So many results of which each is referred to.
fn shared(state: &mut State, count: usize) -> (Vec<Value>, Vec<SlotId>) {
    let values: Vec<Value> = (0..count as u64).map(|at| block(at, 1)).collect();
    let ids = values.iter().map(|value| state.keep(value.clone(), facts(None), holder(0))).collect();
    (values, ids)
}

#[test]
fn a_request_that_goes_beyond_the_limit_looks_at_a_few() {
    let count = 20 * LOOKS;
    let mut state = State::new(count as u64 * UNIT);
    let (_values, ids) = shared(&mut state, count);
    for ticket in 0..100 {
        let looked = ask(&mut state, ticket, UNIT);
        assert!(looked.len() == 1 && looked[0] <= LOOKS, "{looked:?}");
        assert!(matches!(state.replies[..], [] | [(_, Reply::Promised { .. })]));
        state.give_back(holder(ticket));
        assert!(state.counts.looked_again <= (ticket + 1) * LOOKS as u64);
        state.replies.clear();
    }
    // All of them have had their turn, though: five times.
    assert_eq!(state.counts.looked_again, 100 * LOOKS as u64);
    let before = state.counts.looked_again;
    assert!(!state.look_at_shared());
    assert_eq!(state.counts.looked_again - before, LOOKS as u64);
    assert_eq!(ids.len(), count);
    state.validate();
}

#[test]
fn a_request_is_refused_when_all_have_been_looked_at_and_not_in_one_event() {
    let count = 5 * LOOKS + 7;
    let mut state = State::new(10 * UNIT);
    let (mut values, ids) = shared(&mut state, count);
    let looked = ask(&mut state, 1, UNIT);
    assert!(looked.iter().all(|&looked| looked <= LOOKS) && looked.iter().sum::<usize>() == count, "{looked:?}");
    assert!(matches!(state.replies[..], [(_, Reply::Exhausted(_))]));
    state.replies.clear();
    // Several that wait are refused one after the other; no event looks at more for that.
    (2..6).for_each(|ticket| drop(ask(&mut state, ticket, UNIT)));
    assert_eq!(state.replies.len(), 4);
    state.replies.clear();
    // One is free to go, wherever it stands.
    for at in [count - 1, 0, count / 2] {
        values[at] = block(0, 1);
        let looked = ask(&mut state, 10 + at as u64, UNIT);
        assert!(looked.iter().all(|&looked| looked <= LOOKS), "{looked:?}");
        assert!(matches!(state.jobs.pop_front(), Some(Job::Write { id, .. }) if id == ids[at]), "{at} leaves");
        assert!(state.replies.is_empty());
        state.lose_threads();
        values[at] = state.value(ids[at]).unwrap();
    }
    state.validate();
}

#[test]
fn those_of_which_only_their_own_world_can_tell_are_tried_a_few_at_a_time() {
    let count = 10 * TRIES;
    let mut state = State::new(100 * count as u64 * UNIT);
    let ids: Vec<_> =
        (0..count as u64).map(|at| state.keep(Mutable::value(at + 20, false), facts(None), holder(0))).collect();
    for id in &ids {
        Mutable::of(&state.value(*id).unwrap()).is_in_use.store(true, Ordering::Relaxed);
    }
    // Tries all that it is asked to; gives how many.
    let try_all = |state: &mut State| {
        let mut tried = 0;
        while let Some(Job::Write { id, value, codec, .. }) = state.jobs.pop_front() {
            assert!(codec.encode(&value).is_err());
            drop(value);
            state.wrote(id, Written::Shared);
            tried += 1;
        }
        tried
    };
    ask(&mut state, 1, UNIT);
    assert!(try_all(&mut state) >= count, "each is met once");
    state.give_back(holder(1));
    for ticket in 2..50 {
        ask(&mut state, ticket, UNIT);
        let tried = try_all(&mut state);
        assert!((1..=TRIES).contains(&tried), "{tried} are tried for one request");
        assert!(matches!(state.replies.pop(), Some((_, Reply::Promised { .. }))), "then it goes beyond the limit");
        state.give_back(holder(ticket));
        state.replies.clear();
    }
    state.validate();
}

/// Views of many blocks, each of which somebody refers to; of those that are looked at in one event each belongs to another block.
#[test]
fn a_look_takes_up_a_few_with_all_that_would_leave_with_them() {
    let looks_at = |blocks: u64, views: u64| {
        let mut state = State::new(u64::MAX / 2);
        let wholes: Vec<Value> = (0..blocks).map(|number| block(number, 1)).collect();
        for _ in 0..views {
            wholes.iter().for_each(|whole| _ = state.keep(part_of(whole, 0, 128), facts(None), holder(0)));
        }
        state.broker.set_limit(UNIT);
        state.make_room();
        let before = state.counts.looked_again;
        (0..10).for_each(|_| state.make_room());
        state.counts.looked_again - before
    };
    let most = 10 * (LOOKS as u64 + 300);
    assert!(looks_at(1000, 1) <= most && looks_at(1000, 300) <= most, "looks in ten events");
}
