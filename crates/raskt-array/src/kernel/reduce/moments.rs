//! Mean and variance together.
//!
//! Items of a tile are gone over twice, mean first; tiles and blocks are merged by T. Chan, G. Golub and R. LeVeque,
//! *Updating formulae and a pairwise algorithm for computing sample variances* (1982).

use super::fold::{Fold, Place};
use super::monoid::Accumulator;
use super::state::Spread;
use crate::kernel::number::{Convert, Ordered};
use crate::kernel::operand::vectorised;
use raskt_value::complex::Complex;
use std::marker::PhantomData;

/// The moments of items of type `T` in `A`.
pub(super) struct Moments<T, A, S>(PhantomData<(T, A, S)>);

/// What happens to a NaN.
pub(super) trait Nans {
    const SKIP: bool;
}
/// It is an item like others, and makes all NaN.
pub(super) struct Taking;
/// It is left out.
pub(super) struct Skipping;
impl Nans for Taking {
    const SKIP: bool = false;
}
impl Nans for Skipping {
    const SKIP: bool = true;
}

/// A number of which moments are made.
pub(super) trait Deviation: Accumulator {
    fn minus(self, other: Self) -> Self;
    fn scaled(self, factor: f64) -> Self;
    /// The square of its magnitude.
    fn square(self) -> f64;
    /// The real part of its product with the conjugate of `other`.
    fn dot(self, other: Self) -> f64;
}

impl Deviation for f64 {
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn scaled(self, factor: f64) -> Self {
        self * factor
    }
    #[inline(always)]
    fn square(self) -> f64 {
        self * self
    }
    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self * other
    }
}

impl Deviation for Complex<f64> {
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn scaled(self, factor: f64) -> Self {
        self * factor
    }
    #[inline(always)]
    fn square(self) -> f64 {
        self.norm_sqr()
    }
    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self.re * other.re + self.im * other.im
    }
}

/// A fold whose parts the loops below are written in.
trait Parts {
    type Item: Ordered + Convert<Self::Mean>;
    type Mean: Deviation;
    const SKIP: bool;
}

impl<T: Ordered + Convert<A>, A: Deviation, S: Nans> Parts for Moments<T, A, S> {
    type Item = T;
    type Mean = A;
    const SKIP: bool = S::SKIP;
}

impl<T: Ordered + Convert<A>, A: Deviation, S: Nans> Fold for Moments<T, A, S> {
    type Item = T;
    type State = Spread<A>;

    fn start() -> Spread<A> {
        Spread { count: 0, mean: A::ZERO, squares: 0.0 }
    }

    fn slice(items: &[T], _place: Place<'_>) -> Spread<A> {
        let mut state = Self::start();
        // SAFETY: the function is safe but for the features, which it checks.
        unsafe { spread_of::<Self>(items, &mut state) };
        state
    }

    fn lanes(states: &mut [Spread<A>], items: &[T], _place: Place<'_>) {
        // SAFETY: as above.
        unsafe { spread_lanes::<Self>(states, items) }
    }

    fn merge(a: Spread<A>, b: Spread<A>) -> Spread<A> {
        if a.count == 0 || b.count == 0 {
            return if b.count == 0 { a } else { b };
        }
        let count = a.count.wrapping_add(b.count);
        let difference = b.mean.minus(a.mean);
        let weight = b.count as f64 / count as f64;
        // A distance that is out of bounds makes the variance infinite, and no mean of two numbers.
        let between = if difference.square().is_finite() {
            a.mean.plus(difference.scaled(weight))
        } else {
            a.mean.scaled(1.0 - weight).plus(b.mean.scaled(weight))
        };
        Spread {
            count,
            mean: between,
            squares: a.squares + b.squares + difference.square() * (a.count as f64 * weight),
        }
    }
}

const ACCUMULATORS: usize = 16;

vectorised! {
unsafe fn spread_of<P: Parts>(items: &[P::Item], state: &mut Spread<P::Mean>) {
    let left_out = |item: P::Item| P::SKIP && item.is_nan();
    let count = if P::SKIP { items.iter().filter(|item| !item.is_nan()).count() } else { items.len() } as i64;
    if count == 0 {
        return;
    }
    let (groups, rest) = items.as_chunks::<ACCUMULATORS>();
    let mut sums = [P::Mean::ZERO; ACCUMULATORS];
    let add = |sum: &mut P::Mean, item: P::Item| {
        *sum = sum.plus(if left_out(item) { P::Mean::ZERO } else { item.convert() });
    };
    for group in groups {
        sums.iter_mut().zip(group).for_each(|(sum, &item)| add(sum, item));
    }
    sums.iter_mut().zip(rest).for_each(|(sum, &item)| add(sum, item));
    let share = 1.0 / count as f64;
    let mut mean = sums.into_iter().fold(P::Mean::ZERO, P::Mean::plus).scaled(share);
    if mean.square() == f64::INFINITY {
        // The sum may be out of bounds where the mean is not.
        let numbers = items.iter().filter(|&&item| !left_out(item));
        mean = numbers.fold(P::Mean::ZERO, |sum, item| sum.plus(Convert::<P::Mean>::convert(*item).scaled(share)));
    }
    let mut squares = [0.0; ACCUMULATORS];
    let mut rests = [P::Mean::ZERO; ACCUMULATORS];
    let deviate = |square: &mut f64, rest: &mut P::Mean, item: P::Item| {
        let away = if left_out(item) { P::Mean::ZERO } else { Convert::<P::Mean>::convert(item).minus(mean) };
        *square += away.square();
        *rest = rest.plus(away);
    };
    for group in groups {
        squares.iter_mut().zip(&mut rests).zip(group).for_each(|((square, rest), &item)| deviate(square, rest, item));
    }
    squares.iter_mut().zip(&mut rests).zip(rest).for_each(|((square, rest), &item)| deviate(square, rest, item));
    // The deviations from a mean that was rounded don't add up to nothing: what is left corrects both.
    let rest = rests.into_iter().fold(P::Mean::ZERO, P::Mean::plus);
    let squares: f64 = squares.into_iter().sum();
    let correction = if squares.is_finite() { rest.square() / count as f64 } else { 0.0 };
    *state = Spread { count, mean: mean.plus(rest.scaled(share)), squares: squares - correction };
}
}

vectorised! {
unsafe fn spread_lanes<P: Parts>(states: &mut [Spread<P::Mean>], items: &[P::Item]) {
    for (state, &item) in states.iter_mut().zip(items) {
        if P::SKIP && item.is_nan() {
            continue;
        }
        let item: P::Mean = item.convert();
        state.count += 1;
        let away = item.minus(state.mean);
        let share = 1.0 / state.count as f64;
        // A distance may be out of bounds where the mean of both is not.
        state.mean = if away.square().is_finite() {
            state.mean.plus(away.scaled(share))
        } else {
            state.mean.scaled(1.0 - share).plus(item.scaled(share))
        };
        let after = item.minus(state.mean);
        state.squares += away.dot(after);
    }
}
}
