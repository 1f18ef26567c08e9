//! Those who ask for nothing, and may make much.

use super::world::World;
use super::*;

/// Limits as those of a process that is ended if it has more than 500.
fn watched() -> State {
    let mut state = State::new(400 * UNIT);
    state.broker.set_bound(450 * UNIT);
    state
}

fn nothing(ticket: u64, inputs: &[SlotId], state: &State) -> Request {
    let inputs = inputs.iter().map(|&id| (id, state.bytes(id))).collect();
    Request { holder: holder(ticket), bytes: 0, inputs, small: 0, fetched: 0, outputs: Outputs::of(0, 1) }
}

/// Tasks make results of 100, each of which goes at once.
fn learn_large(state: &mut State, first: u64) {
    for ticket in first..first + 8 {
        assert!(matches!(state.ask(nothing(ticket, &[], state)), Answer::Promised { .. }));
        let id = state.keep(block(ticket, 100), facts(None), holder(ticket));
        state.give_back(holder(ticket));
        state.remove(id);
    }
}

#[test]
fn one_that_reads_much_waits_for_another_if_both_may_make_much() {
    let mut state = watched();
    learn_large(&mut state, 0);
    let inputs = [1, 2].map(|number| state.keep(block(number, 150), facts(None), holder(99)));
    assert!(matches!(state.ask(nothing(10, &inputs, &state)), Answer::Promised { .. }), "one alone always may");
    assert_eq!(state.ask(nothing(11, &inputs, &state)), Answer::Pending, "300, and 100 of each");
    let kept = state.keep(block(3, 100), facts(None), holder(10));
    assert!(state.replies.is_empty());
    state.remove(kept);
    inputs.iter().for_each(|id| state.unpin(*id));
    state.give_back(holder(10));
    assert!(matches!(state.replies[..], [(to, Reply::Promised { .. })] if to == holder(11)));
    state.validate();
}

/// Nor do those of whom each makes much for long, though it is one of them that goes beyond.
#[test]
fn those_that_only_might_make_too_much_are_kept_by_nobody_for_ever() {
    let mut state = watched();
    learn_large(&mut state, 0);
    let inputs = [1, 2].map(|number| state.keep(block(number, 150), facts(None), holder(99)));
    assert!(matches!(state.ask(nothing(10, &inputs, &state)), Answer::Promised { .. }));
    for ticket in 11..14 {
        assert_eq!(state.ask(nothing(ticket, &inputs, &state)), Answer::Pending);
        state.overbook();
        assert!(matches!(state.replies.pop(), Some((to, Reply::Promised { .. })) if to == holder(ticket)));
        assert!(!state.broker.is_overbooked());
    }
}

/// What little of a batch may be large sends nothing to the disk where there is memory.
#[test]
fn a_batch_of_many_is_not_taken_for_as_many_large_ones() {
    let mut state = watched();
    learn_large(&mut state, 0);
    let kept = state.keep(block(1, 100), facts(None), holder(99));
    let batch = Request { outputs: Outputs::of(0, 500), ..nothing(10, &[], &state) };
    assert!(matches!(state.ask(batch), Answer::Promised { .. }));
    assert!(matches!(state.ask(nothing(11, &[], &state)), Answer::Promised { .. }));
    assert!(state.jobs.is_empty() && state.value(kept).is_some());
}

#[test]
fn those_that_make_little_lately_wait_for_nobody() {
    let mut state = watched();
    learn_large(&mut state, 0);
    for ticket in 20..70 {
        assert!(matches!(state.ask(nothing(ticket, &[], &state)), Answer::Promised { .. }));
        state.sizes.learn_small(&Outputs::of(0, 1));
        state.hold_small(8, holder(ticket));
        state.give_back(holder(ticket));
    }
    let inputs = [1, 2].map(|number| state.keep(block(number, 150), facts(None), holder(99)));
    for ticket in 70..74 {
        assert!(matches!(state.ask(nothing(ticket, &inputs, &state)), Answer::Promised { .. }));
    }
}

#[test]
fn who_is_first_is_promised_all_that_he_needs_though_others_had_what_he_reads_leave() {
    let mut world = World::new(400 * UNIT);
    (0..2).for_each(|_| world.keep(100, None));
    let inputs: Vec<(SlotId, u64)> = world.results.keys().map(|&id| (id, 100 * UNIT)).collect();
    // Both have files.
    assert_eq!(ask(&mut world.state, 100, 400), Answer::Pending);
    world.write_all();
    world.state.replies.clear();
    world.state.give_back(holder(100));
    let request = |ticket, inputs: &[(SlotId, u64)]| Request {
        holder: holder(ticket),
        bytes: 250 * UNIT,
        inputs: inputs.to_vec(),
        small: 0,
        fetched: 0,
        outputs: Outputs::default(),
    };
    let reads = |ticket, inputs: &[(SlotId, u64)]| Request { bytes: 0, ..request(ticket, inputs) };
    assert!(matches!(world.state.ask(reads(101, &inputs)), Answer::Promised { is_loading: true }));
    world.write_all();
    world.state.replies.clear();
    // Somebody waits for more than there is beside these, and who reads them stands behind him.
    assert_eq!(world.state.ask(request(102, &[])), Answer::Pending);
    assert_eq!(world.state.ask(request(103, &inputs)), Answer::Pending);
    inputs.iter().for_each(|(id, _)| world.state.unpin(*id));
    world.state.give_back(holder(101));
    for ticket in 102..104 {
        world.write_all();
        let promised = |(to, reply): &(Holder, Reply)| *to == holder(ticket) && matches!(reply, Reply::Promised { .. });
        assert!(world.state.replies.iter().any(promised), "{ticket}: {:?}", world.state.replies);
        assert!(world.state.broker.has_promised(holder(ticket)), "{ticket} is counted");
        world.state.replies.clear();
        world.state.give_back(holder(ticket));
    }
    inputs.iter().for_each(|(id, _)| world.state.unpin(*id));
    world.state.validate();
    assert_eq!(world.state.broker.promised(), 0);
}

#[test]
fn what_only_those_read_who_wait_leaves_while_others_run() {
    let mut world = World::new(400 * UNIT);
    world.keep(200, None);
    let id = *world.results.keys().next().unwrap();
    assert!(matches!(ask(&mut world.state, 101, 150), Answer::Promised { .. }));
    let reader = Request {
        holder: holder(103),
        bytes: UNIT,
        inputs: vec![(id, 200 * UNIT)],
        small: 0,
        fetched: 0,
        outputs: Outputs::default(),
    };
    // Somebody has it for the moment.
    world.state.pin(id);
    assert_eq!(ask(&mut world.state, 102, 200), Answer::Pending);
    assert_eq!(world.state.ask(reader), Answer::Pending);
    world.state.unpin(id);
    world.write_all();
    assert!(world.state.replies.is_empty(), "101 runs, and may end");
    world.state.look_behind();
    world.write_all();
    assert!(matches!(world.state.replies[..], [(to, Reply::Promised { .. })] if to == holder(102)));
    assert!(!world.state.broker.is_overbooked());
}

/// However full memory is of large results, and whatever made them.
#[test]
fn one_of_a_function_that_makes_little_waits_for_nobodys_size() {
    let mut state = watched();
    learn_large(&mut state, 0);
    (1..3).for_each(|number| _ = state.keep(block(number, 200), facts(None), holder(99)));
    assert_eq!(state.ask(nothing(10, &[], &state)), Answer::Pending, "it makes 100, and no more than 450 may be held");
    state.give_back(holder(10));
    let of = |family, ticket, state: &State| Request { outputs: Outputs::of(family, 1), ..nothing(ticket, &[], state) };
    assert_eq!(state.ask(of(1, 11, &state)), Answer::Pending, "nobody knows what it makes: others may leave for it");
    state.give_back(holder(11));
    state.sizes.learn_small(&Outputs::of(1, 1));
    assert!(matches!(state.ask(of(1, 12, &state)), Answer::Promised { .. }));
    // Beyond the limit as well.
    state.keep(block(3, 100), facts(None), holder(99));
    assert!(matches!(state.ask(of(1, 13, &state)), Answer::Promised { .. }));
    assert_eq!(state.ask(of(2, 14, &state)), Answer::Pending);
    state.overbook();
    assert!(!state.replies.iter().any(|(_, reply)| matches!(reply, Reply::Exhausted(_))), "nor is it refused");
    state.validate();
}

/// Results are few as yet, and those that run may make too many.
#[test]
fn those_that_read_nothing_and_make_much_wait_for_those_that_run() {
    let mut state = watched();
    learn_large(&mut state, 0);
    let id = state.keep(block(1, 160), facts(None), holder(99));
    state.pin(id);
    for ticket in 10..12 {
        assert!(matches!(state.ask(nothing(ticket, &[], &state)), Answer::Promised { .. }));
    }
    assert_eq!(state.ask(nothing(12, &[], &state)), Answer::Pending, "160, and three of 100");
    state.give_back(holder(10));
    assert!(matches!(state.replies[..], [(to, Reply::Promised { .. })] if to == holder(12)));
    state.unpin(id);
    state.validate();
}

/// What is promised for what they fetch says nothing of what they make.
#[test]
fn those_that_fetch_and_make_much_wait_as_those_that_fetch_nothing() {
    for fetched in [0, 1, 40] {
        let mut state = watched();
        learn_large(&mut state, 0);
        let fetches = |ticket, state: &State| Request {
            bytes: fetched * UNIT,
            fetched: fetched * UNIT,
            ..nothing(ticket, &[], state)
        };
        let id = state.keep(block(1, 160), facts(None), holder(99));
        state.pin(id);
        assert!(matches!(state.ask(fetches(10, &state)), Answer::Promised { .. }));
        assert!(matches!(state.ask(nothing(11, &[], &state)), Answer::Promised { .. }));
        assert_eq!(state.ask(fetches(12, &state)), Answer::Pending, "{fetched}: 160, and three of 100");
        assert_eq!(state.ask(nothing(13, &[], &state)), Answer::Pending, "{fetched}: the one that fetches counts");
        state.give_back(holder(10));
        assert!(matches!(state.replies[..], [(to, Reply::Promised { .. })] if to == holder(12)), "{fetched}");
        // Of what is known to be made it is promised as much.
        state.give_back(holder(11));
        state.give_back(holder(13));
        let sized = Request { bytes: (fetched + 10) * UNIT, outputs: Outputs::default(), ..fetches(14, &state) };
        assert!(matches!(state.ask(sized), Answer::Promised { .. }), "{fetched}");
        state.unpin(id);
        state.validate();
    }
}

/// Where no more may be held, who makes as much as is usual of what he fetches is refused as others are.
#[test]
fn one_that_fetches_little_and_makes_much_adds_no_more_than_may_be_held() {
    for fetched in [0, 1, 40] {
        let mut state = watched();
        state.disk.limit = 0;
        learn_large(&mut state, 0);
        state.keep(block(1, 400), facts(None), holder(99));
        let request = Request { bytes: fetched * UNIT, fetched: fetched * UNIT, ..nothing(10, &[], &state) };
        assert_eq!(state.ask(request), Answer::Pending);
        state.overbook();
        assert!(matches!(state.replies[..], [(_, Reply::Exhausted(_))]), "{fetched}: {:?}", state.replies);
    }
}
