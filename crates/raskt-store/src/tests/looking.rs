//! Looks at what stays in memory: they come to an end, meet all in time, and take no longer for many that hold the same.

use super::*;
use crate::round::LOOKS;

fn done_soon(work: impl FnOnce() + Send + 'static) -> bool {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        work();
        _ = tell.send(());
    });
    told.recv_timeout(Duration::from_secs(10)).is_ok()
}

/// A block and a view of it were referred to, and are free by now; what else there is can't be written.
#[test]
fn a_request_is_refused_when_all_that_were_shared_have_left() {
    let ended = done_soon(|| {
        let mut state = State::new(10 * UNIT);
        state.disk.limit = 0;
        let whole = block(1, 2);
        let view = part_of(&whole, 0, 128);
        state.keep(whole.clone(), cheap(0), holder(0));
        state.keep(view, cheap(0), holder(0));
        (2..42).for_each(|number| _ = state.keep(block(number, 1), facts(None), holder(0)));
        drop(whole);
        ask(&mut state, 1, 1);
        assert!(matches!(state.replies[..], [(_, Reply::Exhausted(_))]));
    });
    assert!(ended, "the store is at it for ever, with its lock");
}

/// The same where what else there is are objects that somebody refers to.
#[test]
fn a_request_is_refused_though_objects_stay() {
    let mut state = State::new(10 * UNIT);
    let whole = block(1, 2);
    let view = part_of(&whole, 0, 128);
    state.keep(whole.clone(), cheap(0), holder(0));
    state.keep(view, cheap(0), holder(0));
    let ids: Vec<_> = (2..42).map(|n| state.keep(Mutable::value(n, false), facts(None), holder(0))).collect();
    state.make_room();
    drop(whole);
    for id in ids {
        Mutable::of(&state.value(id).unwrap()).is_in_use.store(true, Ordering::Relaxed);
    }
    ask(&mut state, 1, 1);
    let mut tried = 0;
    while state.replies.is_empty() {
        if std::mem::take(&mut state.wants_look) {
            state.look_on();
            continue;
        }
        let Some(Job::Write { id, value, .. }) = state.jobs.pop_front() else { panic!("waits for nothing") };
        drop(value);
        state.wrote(id, Written::Shared);
        tried += 1;
        assert!(tried < 10_000, "the same are tried again and again");
    }
    assert!(matches!(state.replies[..], [(_, Reply::Exhausted(_))]));
}

/// A block with nine views, which somebody refers to, and one block that is free by now.
#[test]
fn a_request_goes_beyond_only_if_those_few_that_stayed_cant_leave() {
    let mut state = State::new(u64::MAX / 2);
    let whole = block(1, 2);
    let views = (0..9).map(|at| part_of(&whole, at * 16, 16));
    views.chain([whole.clone()]).for_each(|value| _ = state.keep(value, cheap(0), holder(0)));
    let other = block(2, 10);
    state.keep(other.clone(), cheap(0), holder(0));
    state.broker.set_limit(UNIT);
    // All of them are met, and stay; nobody has looked again yet.
    state.keep(block(3, 1), cheap(0), holder(0));
    state.broker.set_limit(20 * UNIT);
    drop(other);
    let answer = ask(&mut state, 2, 15);
    assert!(!state.broker.is_overbooked(), "{answer:?}, {} held of 20", state.broker.held() / UNIT);
}

/// A shuffle's outputs, each of which shows some of every block, while somebody refers to the blocks.
#[test]
fn a_look_at_shuffle_outputs_takes_no_longer_than_one_at_blocks() {
    for parts in [1_u64, 1000] {
        let mut state = State::new(u64::MAX / 2);
        let blocks: Vec<Value> = (0..parts).map(|number| block(number, 64)).collect();
        for at in 0..1000 {
            let parts = blocks.iter().map(|block| part_of(block, at * 8, 8)).collect();
            let output = Value::Manifest(Arc::new(raskt_value::Manifest { parts }));
            state.keep(output, facts(None), holder(0));
        }
        state.broker.set_limit(UNIT);
        // Once all of them have to be looked at.
        (0..4).for_each(|_| state.make_room());
        let before = state.counts.looked_again;
        state.make_room();
        let looked = state.counts.looked_again - before;
        assert!(looked <= 2 * LOOKS as u64, "{looked} looks at {parts} parts under the lock");
    }
}

/// One of a shuffle's outputs is read after the other, while memory is short and somebody refers to the blocks.
#[test]
fn a_use_of_a_shuffle_output_takes_no_longer_than_that_of_a_block() {
    let mut state = State::new(u64::MAX / 2);
    let blocks: Vec<Value> = (0..1000).map(|number| block(number, 64)).collect();
    let keep = |at: usize| {
        let parts = blocks.iter().map(|block| part_of(block, at * 8, 8)).collect();
        state.keep(Value::Manifest(Arc::new(raskt_value::Manifest { parts })), facts(None), holder(0))
    };
    let ids: Vec<SlotId> = (0..1000).map(keep).collect();
    state.broker.set_limit(UNIT);
    state.make_room();
    let before = state.counts.looked_at;
    // The first is looked at with all others.
    for &id in &ids[1..11] {
        state.set_turn(id, Some(1));
        state.keep(block(5000, 1), cheap(1), holder(0));
    }
    let looked = state.counts.looked_at - before;
    assert!(looked < 1000, "{looked} looks for ten uses");
}
