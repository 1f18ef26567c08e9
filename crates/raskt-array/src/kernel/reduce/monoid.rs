//! Reductions whose state is joined item by item: sums, products, extremes, truth.

use super::fold::{Fold, Place};
use super::state::{Counted, State};
use crate::kernel::number::{Convert, Number, Ordered};
use crate::kernel::operand::vectorised;
use raskt_value::complex::Complex;
use std::marker::PhantomData;

/// States with an associative join and an identity.
pub(super) trait Monoid {
    type Item: Number;
    type State: State;
    fn identity() -> Self::State;
    /// The state of one item.
    fn lift(item: Self::Item) -> Self::State;
    fn join(a: Self::State, b: Self::State) -> Self::State;
}

/// The fold of a monoid.
pub(super) struct Joined<M>(PhantomData<M>);

/// Accumulators that run side by side: as many as fill the vector unit's pipes.
const ACCUMULATORS: usize = 32;

impl<M: Monoid> Fold for Joined<M> {
    type Item = M::Item;
    type State = M::State;

    fn start() -> M::State {
        M::identity()
    }

    fn slice(items: &[M::Item], _place: Place<'_>) -> M::State {
        let mut state = M::identity();
        // SAFETY: the function is safe but for the features, which it checks.
        unsafe { join_slice::<M>(items, &mut state) };
        state
    }

    fn lanes(states: &mut [M::State], items: &[M::Item], _place: Place<'_>) {
        // SAFETY: as above.
        unsafe { join_lanes::<M>(states, items) }
    }

    fn merge(a: M::State, b: M::State) -> M::State {
        M::join(a, b)
    }
}

vectorised! {
unsafe fn join_slice<M: Monoid>(items: &[M::Item], state: &mut M::State) {
    if items.len() < ACCUMULATORS {
        for &item in items {
            *state = M::join(*state, M::lift(item));
        }
        return;
    }
    let (head, rest) = items.split_at(ACCUMULATORS);
    let mut accumulators: [M::State; ACCUMULATORS] = std::array::from_fn(|at| M::lift(head[at]));
    let mut groups = rest.chunks_exact(ACCUMULATORS);
    for group in &mut groups {
        for (accumulator, &item) in accumulators.iter_mut().zip(group) {
            *accumulator = M::join(*accumulator, M::lift(item));
        }
    }
    for (accumulator, &item) in accumulators.iter_mut().zip(groups.remainder()) {
        *accumulator = M::join(*accumulator, M::lift(item));
    }
    let mut width = ACCUMULATORS;
    while width > 1 {
        width /= 2;
        for at in 0..width {
            accumulators[at] = M::join(accumulators[at], accumulators[at + width]);
        }
    }
    *state = accumulators[0];
}
}

vectorised! {
unsafe fn join_lanes<M: Monoid>(states: &mut [M::State], items: &[M::Item]) {
    for (state, &item) in states.iter_mut().zip(items) {
        *state = M::join(*state, M::lift(item));
    }
}
}

/// What sums and products are made in.
pub(super) trait Accumulator: raskt_value::Element {
    const ZERO: Self;
    const ONE: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! accumulators {
    ($($type:ty: $zero:expr, $one:expr, $plus:expr, $times:expr;)*) => {$(
        impl Accumulator for $type {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { $plus(self, other) }
            #[inline(always)]
            fn times(self, other: Self) -> Self { $times(self, other) }
        }
    )*};
}
accumulators! {
    i64: 0, 1, i64::wrapping_add, i64::wrapping_mul;
    u64: 0, 1, u64::wrapping_add, u64::wrapping_mul;
    f64: 0.0, 1.0, |a: f64, b: f64| a + b, |a: f64, b: f64| a * b;
    Complex<f64>: Complex::new(0.0, 0.0), Complex::new(1.0, 0.0),
        |a: Complex<f64>, b: Complex<f64>| a + b, |a: Complex<f64>, b: Complex<f64>| a * b;
}

macro_rules! monoids {
    ($(
        $(#[$doc:meta])*
        $name:ident<T: $bound:path $(, $A:ident: $accumulator:path)?>
            => $state:ty: $identity:expr, |$item:ident| $lift:expr, |$a:ident, $b:ident| $join:expr;
    )*) => {$(
        $(#[$doc])*
        pub(super) struct $name<T $(, $A)?>(PhantomData<(T, $($A)?)>);
        impl<T: $bound $(+ Convert<$A>, $A: $accumulator)?> Monoid for $name<T $(, $A)?> {
            type Item = T;
            type State = $state;
            #[inline(always)]
            fn identity() -> Self::State { $identity }
            #[inline(always)]
            fn lift($item: T) -> Self::State { $lift }
            #[inline(always)]
            fn join($a: Self::State, $b: Self::State) -> Self::State { $join }
        }
    )*};
}

monoids! {
    /// The sum in `A`.
    Sum<T: Number, A: Accumulator> => A: A::ZERO, |x| x.convert(), |a, b| a.plus(b);
    /// The product in `A`.
    Product<T: Number, A: Accumulator> => A: A::ONE, |x| x.convert(), |a, b| a.times(b);
    /// The sum in `A` without NaN.
    NanSum<T: Ordered, A: Accumulator> => A: A::ZERO, |x| if x.is_nan() { A::ZERO } else { x.convert() }, |a, b| a.plus(b);
    /// The product in `A` without NaN.
    NanProduct<T: Ordered, A: Accumulator>
        => A: A::ONE, |x| if x.is_nan() { A::ONE } else { x.convert() }, |a, b| a.times(b);
    /// The sum in `A` without NaN, and how many items were none.
    NanMean<T: Ordered, A: Accumulator> => Counted<A>: Counted { value: A::ZERO, count: 0 },
        |x| Counted { value: if x.is_nan() { A::ZERO } else { x.convert() }, count: i64::from(!x.is_nan()) },
        |a, b| Counted { value: a.value.plus(b.value), count: a.count.wrapping_add(b.count) };
    /// How many items aren't zero.
    Count<T: Number> => i64: 0, |x| i64::from(Convert::<bool>::convert(x)), |a, b| a.wrapping_add(b);
    /// Whether an item isn't zero.
    AnyTrue<T: Number> => bool: false, |x| Convert::<bool>::convert(x), |a, b| a | b;
    /// Whether no item is zero.
    AllTrue<T: Number> => bool: true, |x| Convert::<bool>::convert(x), |a, b| a & b;
}

macro_rules! extremes {
    ($($(#[$doc:meta])* $name:ident: $all:ident, $numbers:ident, $identity:ident, $number_identity:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name<T, const SKIP: bool>(PhantomData<T>);
        impl<T: Ordered, const SKIP: bool> Monoid for $name<T, SKIP> {
            type Item = T;
            type State = T;
            #[inline(always)]
            fn identity() -> T { if SKIP { T::$number_identity } else { T::$identity } }
            #[inline(always)]
            fn lift(x: T) -> T { x }
            #[inline(always)]
            fn join(a: T, b: T) -> T { if SKIP { T::$numbers(a, b) } else { T::$all(a, b) } }
        }
    )*};
}

extremes! {
    /// The least item; a NaN if there is one, unless they are skipped.
    Least: lesser, lesser_number, HIGHEST, HIGHEST_OR_NAN;
    /// The greatest item; a NaN if there is one, unless they are skipped.
    Greatest: greater, greater_number, LOWEST, LOWEST_OR_NAN;
}
