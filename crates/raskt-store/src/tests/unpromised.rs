//! What the process has taken and nobody was promised slows down what adds to it, and nothing else.

use super::*;

const MIB: u64 = 1 << 20;

/// Turns in which as many tasks run as may, up to `workers`, for so many looks of 10 ms; between two nothing runs for some more. The
/// process has what `taken` says while so many run. Gives how many ran in each.
fn turns((length, pause): (u64, u64), workers: impl Fn(usize) -> usize, taken: impl Fn(usize) -> u64) -> Vec<usize> {
    let mut state = State::new(1024 * MIB);
    let (mut at, mut ticket) = (0, 0);
    let mut ran = vec![];
    for turn in 0..200 {
        let mut running = vec![];
        for _ in 0..workers(turn) {
            ticket += 1;
            match state.ask(Request {
                holder: holder(ticket),
                bytes: 32,
                inputs: vec![],
                small: 0,
                fetched: 0,
                outputs: Outputs::default(),
            }) {
                Answer::Promised { .. } => running.push(holder(ticket)),
                Answer::Pending => state.give_back(holder(ticket)),
            }
        }
        ran.push(running.len());
        for _ in 0..length {
            at += 10;
            state.saw_process(at, taken(running.len()));
        }
        while let Some(holder) = running.pop() {
            state.ended(holder, Some((at, taken(running.len()))));
        }
        for _ in 0..pause {
            at += 10;
            state.saw_process(at, taken(0));
        }
        state.replies.clear();
    }
    ran
}

#[test]
fn what_stays_when_tasks_end_is_not_what_each_of_them_takes() {
    // A cache of any size, which the first task has filled while it was alone.
    for (cache, pause) in [300, 600, 900, 2000].into_iter().flat_map(|cache| [(cache, 0), (cache, 30)]) {
        let ran = turns((10, pause), |turn| if turn < 4 { 1 } else { 4 }, |_| cache * MIB);
        assert!(ran[20..].iter().all(|&ran| ran == 4), "{cache} MiB in a cache: {ran:?}");
    }
    // One that was filled while several ran.
    let ran = turns((10, 0), |_| 16, |_| 900 * MIB);
    assert!(ran[20..].iter().all(|&ran| ran == 16), "{ran:?}");
}

#[test]
fn what_goes_when_tasks_end_is_what_each_of_them_takes() {
    for (each, cache, most) in [(150, 0, 6), (150, 400, 4), (600, 0, 1), (100, 300, 7)] {
        let ran = turns((30, 70), |_| 8, |running| cache * MIB + running as u64 * each * MIB);
        let late = &ran[20..];
        // What is forgotten by and by is found out by one task more.
        assert!(late.iter().all(|ran| ran.abs_diff(most) <= 1), "{each} MiB each beside {cache}: {ran:?}");
    }
}

/// Those who make results of which nobody knows how large they will be.
fn ask_for_nothing(state: &mut State, ticket: u64) -> Answer {
    ask(state, ticket, 0)
}

#[test]
fn what_nobody_knows_the_size_of_waits_for_a_disk_that_is_slower() {
    for bound in [None, Some(500 * UNIT)] {
        let mut state = State::new(400 * UNIT);
        state.broker.set_bound(bound.unwrap_or(u64::MAX));
        for ticket in 0..5 {
            assert_eq!(ask_for_nothing(&mut state, ticket), Answer::Promised { is_loading: false });
            state.keep(block(ticket, 100), facts(None), holder(ticket));
            state.give_back(holder(ticket));
        }
        assert!(matches!(state.jobs[0], Job::Write { .. }), "it is beyond its limit");
        assert_eq!(ask_for_nothing(&mut state, 5), Answer::Pending);
        let mut written = 0;
        while let Some(Job::Write { id, value, .. }) = state.jobs.pop_front() {
            if bound.is_some() {
                // Nothing moves for longer than anybody has patience, and still what is being written makes room.
                state.overbook();
                assert!(state.out_of_bounds().is_none());
            }
            assert!(state.replies.is_empty());
            drop(value);
            state.wrote(id, Written::Shared);
            written += 1;
        }
        // Nothing more can leave.
        assert_eq!((written, state.replies.len()), (5, usize::from(bound.is_none())));
        state.overbook();
        let is_refused = matches!(state.replies[..], [(_, Reply::Exhausted(_))]);
        assert_eq!(is_refused, bound.is_some());
        state.validate();
    }
}

#[test]
fn nothing_is_added_where_whoever_has_more_is_ended() {
    let mut state = State::new(400 * UNIT);
    state.broker.set_bound(600 * UNIT);
    state.disk.limit = 0;
    let (mut refused, mut kept) = (vec![], vec![]);
    for ticket in 0..20 {
        // Of some it is known how large their results are.
        let answer = ask(&mut state, ticket, if ticket % 2 == 0 { 0 } else { 100 });
        if answer == Answer::Pending {
            // Somebody may be about to let go of results.
            assert!(state.replies.is_empty());
            state.overbook();
        }
        let told = std::mem::take(&mut state.replies);
        if matches!(told[..], [(_, Reply::Exhausted(_))]) {
            refused.push(ticket);
        } else {
            assert!(matches!(answer, Answer::Promised { .. }), "{ticket}: {told:?}");
            kept.push(state.keep(block(ticket, 100), facts(None), holder(ticket)));
        }
        state.give_back(holder(ticket));
        state.validate();
    }
    assert_eq!(state.broker.held(), 600 * UNIT);
    assert_eq!(refused, (6..20).collect::<Vec<_>>());
    // What runs may free some when it ends, or run for ever.
    state.broker.overbook(holder(50), 0);
    assert_eq!(ask(&mut state, 51, 100), Answer::Pending);
    assert_eq!(ask(&mut state, 52, 100), Answer::Pending);
    state.overbook();
    assert!(state.replies.is_empty() && state.out_of_bounds() == Some(holder(51)));
    state.refuse();
    assert!(matches!(state.replies[..], [(to, Reply::Exhausted(_))] if to == holder(51)), "one at a time");
    state.give_back(holder(50));
    state.overbook();
    assert_eq!((state.replies.len(), state.out_of_bounds()), (2, None));
    // What those who run read may go when they have.
    kept[..2].iter().for_each(|read| state.pin(*read));
    state.broker.overbook(holder(50), 0);
    assert_eq!(ask(&mut state, 54, 100), Answer::Pending);
    assert_eq!(state.out_of_bounds(), None);
    kept[..2].iter().for_each(|read| state.unpin(*read));
    assert_eq!(state.out_of_bounds(), Some(holder(54)));
    state.give_back(holder(54));
    state.give_back(holder(50));
    // Small inputs count for what is read.
    let reads = Request {
        holder: holder(53),
        bytes: 0,
        inputs: vec![],
        small: 200 * UNIT,
        fetched: 0,
        outputs: Outputs::of(0, 1),
    };
    assert_eq!(state.ask(reads), Answer::Promised { is_loading: false });
    state.give_back(holder(53));
    // One that is as large by itself.
    let mut alone = State::new(400 * UNIT);
    alone.broker.set_bound(600 * UNIT);
    assert_eq!(ask(&mut alone, 1, 700), Answer::Promised { is_loading: false });
    // The way out: it reads more than it makes.
    let first = state.keep(block(1, 1), facts(None), holder(99));
    let reads = Request {
        holder: holder(100),
        bytes: 0,
        inputs: vec![(first, 300 * UNIT)],
        small: 0,
        fetched: 0,
        outputs: Outputs::of(0, 1),
    };
    assert_eq!(state.ask(reads), Answer::Promised { is_loading: false });
}

#[test]
fn what_tasks_make_is_learned_of_them_alone() {
    let mut state = State::new(400 * UNIT);
    state.broker.set_bound(500 * UNIT);
    state.disk.limit = 0;
    // Data from elsewhere, and many small ones together.
    state.keep(block(0, 450), facts(None), holder(99));
    state.hold_small(100 * UNIT, holder(99));
    assert_eq!(ask_for_nothing(&mut state, 1), Answer::Promised { is_loading: false });
    state.keep(block(1, 100), facts(None), holder(1));
    state.give_back(holder(1));
    assert_eq!(ask_for_nothing(&mut state, 2), Answer::Pending);
    // What it fetches is no more than it lets go of.
    state.give_back(holder(2));
    let fetches = Request {
        holder: holder(3),
        bytes: 100 * UNIT,
        inputs: vec![],
        small: 0,
        fetched: 100 * UNIT,
        outputs: Outputs::default(),
    };
    assert_eq!(state.ask(fetches), Answer::Promised { is_loading: false });
}

#[test]
fn those_who_run_and_were_promised_nothing_count_for_what_is_usual() {
    let mut state = State::new(400 * UNIT);
    state.broker.set_bound(500 * UNIT);
    state.disk.limit = 0;
    for ticket in 0..4 {
        assert_eq!(ask_for_nothing(&mut state, ticket), Answer::Promised { is_loading: false });
        state.keep(block(ticket, 101), facts(None), holder(ticket));
        state.give_back(holder(ticket));
    }
    // There is room for none of these but one.
    state.broker.set_bound(510 * UNIT);
    assert_eq!(ask_for_nothing(&mut state, 4), Answer::Promised { is_loading: false });
    assert_eq!(ask_for_nothing(&mut state, 5), Answer::Pending);
    state.overbook();
    assert!(state.replies.is_empty(), "what runs may free some");
    state.keep(block(4, 101), facts(None), holder(4));
    state.give_back(holder(4));
    state.overbook();
    assert!(matches!(state.replies[..], [(to, Reply::Exhausted(_))] if to == holder(5)), "{:?}", state.replies);
}

/// Several that are handed out together make as many results.
#[test]
fn what_is_asked_for_many_at_once_counts_for_all_of_them() {
    let mut state = State::new(400 * UNIT);
    state.broker.set_bound(500 * UNIT);
    state.disk.limit = 0;
    for ticket in 0..3 {
        assert_eq!(ask_for_nothing(&mut state, ticket), Answer::Promised { is_loading: false });
        state.keep(block(ticket, 100), facts(None), holder(ticket));
        state.give_back(holder(ticket));
    }
    let three =
        Request { holder: holder(3), bytes: 0, inputs: vec![], small: 0, fetched: 0, outputs: Outputs::of(0, 3) };
    assert_eq!(state.ask(three), Answer::Pending);
    state.overbook();
    assert!(matches!(state.replies[..], [(to, Reply::Exhausted(_))] if to == holder(3)), "{:?}", state.replies);
    state.replies.clear();
    let two = Request { holder: holder(4), bytes: 0, inputs: vec![], small: 0, fetched: 0, outputs: Outputs::of(0, 2) };
    assert_eq!(state.ask(two), Answer::Promised { is_loading: false });
    // These are to come yet.
    assert_eq!(ask_for_nothing(&mut state, 5), Answer::Pending);
    state.validate();
}
