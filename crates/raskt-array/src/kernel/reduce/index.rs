//! Where the extreme item is: the first of equals; a NaN counts as the most extreme, unless it is skipped.

use super::fold::{Fold, Place};
use super::monoid::{Greatest, Joined, Least};
use super::state::Found;
use crate::kernel::number::Ordered;
use std::marker::PhantomData;

/// The number of the extreme item.
pub(super) struct Extreme<T, W, const SKIP: bool>(PhantomData<(T, W)>);

/// Which end is sought.
pub(super) trait End {
    /// Whether `a` lies strictly nearer to that end than `b`; neither is a NaN.
    fn beats<T: Ordered>(a: T, b: T) -> bool;
    /// The extreme item; a NaN if there is one, or, if those are skipped, if there is nothing else.
    fn extreme<T: Ordered, const SKIP: bool>(items: &[T]) -> T;
}
/// The least item.
pub(super) struct Lowest;
/// The greatest item.
pub(super) struct Highest;

impl End for Lowest {
    fn extreme<T: Ordered, const SKIP: bool>(items: &[T]) -> T {
        Joined::<Least<T, SKIP>>::slice(items, Place { numbers: None, start: 0 })
    }

    #[inline(always)]
    fn beats<T: Ordered>(a: T, b: T) -> bool {
        T::is_less(a, b)
    }
}

impl End for Highest {
    fn extreme<T: Ordered, const SKIP: bool>(items: &[T]) -> T {
        Joined::<Greatest<T, SKIP>>::slice(items, Place { numbers: None, start: 0 })
    }

    #[inline(always)]
    fn beats<T: Ordered>(a: T, b: T) -> bool {
        T::is_less(b, a)
    }
}

const NOWHERE: i64 = -1;

impl<T: Ordered, W: End, const SKIP: bool> Extreme<T, W, SKIP> {
    /// Whether a later item takes the place of an earlier one.
    #[inline(always)]
    fn replaces(later: T, earlier: T) -> bool {
        if SKIP { W::beats(later, earlier) } else { !earlier.is_nan() && (later.is_nan() || W::beats(later, earlier)) }
    }
}

impl<T: Ordered, W: End, const SKIP: bool> Fold for Extreme<T, W, SKIP> {
    type Item = T;
    type State = Found<T>;

    fn start() -> Found<T> {
        Found { value: T::LOWEST, number: NOWHERE }
    }

    fn slice(items: &[T], place: Place<'_>) -> Found<T> {
        // The extreme item first, many at a time; then where it is.
        let value = W::extreme::<T, SKIP>(items);
        if items.is_empty() || (SKIP && value.is_nan()) {
            return Self::start();
        }
        let same = |&item: &T| if value.is_nan() { item.is_nan() } else { item == value };
        let at = items.iter().position(same).unwrap_or(0);
        Found { value, number: place.number(at) }
    }

    fn lanes(states: &mut [Found<T>], items: &[T], place: Place<'_>) {
        for (at, (state, &item)) in states.iter_mut().zip(items).enumerate() {
            let skipped = SKIP && item.is_nan();
            if !skipped && (state.number == NOWHERE || Self::replaces(item, state.value)) {
                *state = Found { value: item, number: place.number(at) };
            }
        }
    }

    fn merge(a: Found<T>, b: Found<T>) -> Found<T> {
        if b.number == NOWHERE || (a.number != NOWHERE && !Self::wins(b, a)) { a } else { b }
    }
}

impl<T: Ordered, W: End, const SKIP: bool> Extreme<T, W, SKIP> {
    /// Whether `b` is nearer to the end than `a`, or equal and of a lower number (blocks need not come in the order of
    /// their numbers).
    fn wins(b: Found<T>, a: Found<T>) -> bool {
        let equal = !Self::replaces(b.value, a.value) && !Self::replaces(a.value, b.value);
        Self::replaces(b.value, a.value) || (equal && b.number < a.number)
    }
}
