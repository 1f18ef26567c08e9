//! Memory that more than one result holds is there once, and counts once.

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
    let answer = state.ask(Request { holder: holder(1), bytes: 100 * UNIT, inputs: vec![] });
    assert_eq!(answer, Answer::Promised { is_loading: false });
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
