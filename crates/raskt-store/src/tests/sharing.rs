//! Memory that more than one result holds is there once, and counts once.

use super::world::World;
use super::*;
use proptest::prelude::*;
use raskt_value::Part;

/// An object that holds some pieces, of 100 KiB each, and nothing else.
struct Holding(Vec<Part>);

impl Holding {
    fn value(pieces: &[usize]) -> Value {
        let part = |&identity| Part { identity, bytes: 100 * UNIT as usize };
        Value::Foreign(Arc::new(Self(pieces.iter().map(part).collect())))
    }
}

impl Foreign for Holding {
    fn bytes(&self) -> usize {
        self.0.iter().map(|part| part.bytes).sum()
    }

    fn parts(&self) -> &[Part] {
        &self.0
    }

    fn type_name(&self) -> &str {
        "holding"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[test]
fn what_two_results_hold_counts_as_long_as_one_of_them_is_there() {
    let mut state = State::new(1000 * UNIT);
    let first = state.keep(Holding::value(&[1, 2]), facts(None), holder(0));
    let second = state.keep(Holding::value(&[2, 3]), facts(None), holder(0));
    assert_eq!((state.broker.held(), state.broker.peak()), (300 * UNIT, 300 * UNIT));
    assert_eq!(state.report().held, 300 * UNIT);
    state.remove(first);
    assert_eq!(state.broker.held(), 200 * UNIT);
    state.put_right();
    assert_eq!(state.broker.held(), 200 * UNIT);
    state.remove(second);
    assert_eq!(state.broker.held(), 0);
    state.validate();
}

#[test]
fn nothing_is_refused_for_results_that_all_hold_the_same() {
    let mut state = State::new(200 * UNIT);
    for _ in 0..100 {
        state.keep(Holding::value(&[1]), facts(None), holder(0));
    }
    let answer = ask(&mut state, 1, 100);
    assert_eq!(answer, Answer::Promised { is_loading: false });
}

/// A result of 16 KiB, the same once more, its second half, and one of 4 KiB over its first half.
fn keep_sharing(state: &mut State) -> Vec<SlotId> {
    let whole = block(7, 16);
    let parts = [(1024, 1024), (0, 512)].map(|(start, length)| part_of(&whole, start, length));
    let all = [whole.clone(), whole].into_iter().chain(parts);
    all.map(|value| state.keep(value, facts(None), holder(0))).collect()
}

#[test]
fn results_over_one_piece_of_memory_count_once_and_leave_together() {
    let mut world = World::new(20 * UNIT);
    let sharing = keep_sharing(&mut world.state);
    assert_eq!(world.state.broker.held(), 16 * UNIT);
    ask(&mut world.state, 1, 10);
    assert_eq!(world.write_all(), 4, "none of them frees anything without the others");
    assert_eq!((world.state.broker.held(), world.state.broker.promised()), (0, 10 * UNIT));
    // Read back, each has memory of its own.
    for (at, &id) in sharing.iter().enumerate() {
        let file = world.state.file(id).unwrap();
        world.state.broker.set_limit(1000 * UNIT);
        let back = world.state.came_back(id, &file, file.value().unwrap()).unwrap();
        assert_eq!((number(&back), back.bytes() as u64), (7, [16, 16, 8, 4][at] * UNIT));
    }
    assert_eq!(world.state.broker.held(), (16 + 16 + 8 + 4) * UNIT);
}

#[test]
fn results_over_what_somebody_has_stay_until_he_lets_go() {
    let mut world = World::new(20 * UNIT);
    let sharing = keep_sharing(&mut world.state);
    let held = world.state.value(sharing[2]).unwrap();
    ask(&mut world.state, 1, 2);
    assert_eq!(world.state.broker.promised(), 2 * UNIT, "the rest suffices");
    ask(&mut world.state, 2, 10);
    assert_eq!(world.write_all(), 0, "nothing would be free");
    drop(held);
    assert!(world.state.look_at_shared());
    assert_eq!(world.write_all(), 4);
    assert_eq!(world.state.broker.promised(), 12 * UNIT);
}

#[test]
fn results_over_what_one_of_them_is_read_from_leave_when_it_was_read() {
    let mut world = World::new(20 * UNIT);
    let sharing = keep_sharing(&mut world.state);
    world.state.pin(sharing[3]);
    ask(&mut world.state, 1, 1);
    ask(&mut world.state, 2, 10);
    assert_eq!(world.write_all(), 0);
    world.state.unpin(sharing[3]);
    assert_eq!(world.write_all(), 4);
}

#[test]
fn what_is_dropped_together_frees_a_piece_once() {
    let mut state = State::new(1000 * UNIT);
    let whole = block(1, 100);
    (0..10).for_each(|_| _ = state.keep(whole.clone(), cheap(0), holder(0)));
    drop(whole);
    (0..9).for_each(|at| _ = state.keep(block(at, 100), cheap(1), holder(0)));
    let answer = ask(&mut state, 1, 900);
    assert_eq!(answer, Answer::Promised { is_loading: false });
    assert!(!state.broker.is_overbooked() && state.broker.held() <= 100 * UNIT);
}

#[test]
fn of_many_results_over_one_piece_each_is_looked_at_a_few_times() {
    let mut state = State::new(64 * UNIT);
    let (whole, count) = (block(1, 64), 5000);
    for _ in 0..count {
        state.keep(part_of(&whole, 0, 8), facts(None), holder(0));
    }
    state.broker.set_limit(UNIT);
    let looked = looks(&mut state, 1);
    assert!((count..10 * count).contains(&looked), "{looked} looks at {count} results that stay");
    assert!(looks(&mut state, 100) <= 4, "they aren't looked at again");
    state.validate();
}

/// As `what_is_dropped_together_frees_a_piece_once` has it of blocks.
#[test]
fn objects_that_hold_one_piece_free_it_once() {
    let mut state = State::new(1000 * UNIT);
    (0..10).for_each(|_| _ = state.keep(Holding::value(&[1]), cheap(0), holder(0)));
    (0..9).for_each(|at| _ = state.keep(block(at, 100), cheap(1), holder(0)));
    let answer = ask(&mut state, 1, 900);
    assert_eq!(answer, Answer::Promised { is_loading: false });
    assert!(!state.broker.is_overbooked(), "{} are held", state.broker.held() / UNIT);
}

#[test]
fn a_block_that_is_gone_counts_as_long_as_a_view_of_it_is_there() {
    let mut state = State::new(2000 * UNIT);
    let whole = block(1, 1000);
    let view = part_of(&whole, 0, 12_800);
    let [whole, view] = [whole, view].map(|value| state.keep(value, facts(None), holder(0)));
    drop(state.remove(whole));
    assert_eq!(state.broker.held(), 1000 * UNIT);
    // What comes of its going is known, too.
    state.broker.set_limit(500 * UNIT);
    state.make_room();
    assert!(state.jobs.len() == 1 && !state.is_beyond());
    state.validate();
    drop(state.remove(view));
    assert_eq!(state.broker.held(), 0);
    state.validate();
}

proptest! {
    #[test]
    fn what_is_held_is_each_piece_once(steps in prop::collection::vec((any::<bool>(), 0..8_usize, prop::collection::btree_set(0..6_usize, 0..4)), 0..60)) {
        let mut state = State::new(u64::MAX);
        let mut kept: Vec<(SlotId, Vec<usize>)> = vec![];
        for (comes, at, pieces) in steps {
            if comes {
                let pieces: Vec<usize> = pieces.into_iter().collect();
                kept.push((state.keep(Holding::value(&pieces), facts(None), holder(0)), pieces));
            } else if !kept.is_empty() {
                state.remove(kept.remove(at % kept.len()).0);
            }
            let pieces: std::collections::BTreeSet<_> = kept.iter().flat_map(|(_, pieces)| pieces).collect();
            prop_assert_eq!(state.broker.held(), pieces.len() as u64 * 100 * UNIT);
            state.validate();
        }
    }
}
