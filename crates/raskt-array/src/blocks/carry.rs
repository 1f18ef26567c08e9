//! What running sums and products of floating numbers carry from block to block: the same as if the blocks were gone
//! through one after the other, within rounding.
//!
//! A step beyond the bounds of the type can't be taken back: an infinity stays infinite, and a product that has become
//! zero stays zero. The total of a block doesn't tell whether that happens inside of it, which depends on what is
//! carried into it. So every block is summed up in a [`Path`], which also has the carries that stay within bounds.

mod kernels;

pub(crate) use kernels::{Carry, Summarise, fields};

use ndarray::{ArrayD, ArrayViewD, Axis, Zip};
use raskt_value::complex::Complex;
use raskt_value::{Chunk, Element, ErrorKind, TaskError};
use std::ops::Mul;

fn summarised<S: Summary>(block: &Chunk, axis: usize) -> Result<Chunk, TaskError> {
    let view = block.view::<S::Item>().expect("the type was matched");
    let mut lines = view.raw_dim();
    lines[axis] = S::FIELDS;
    let mut fields = ArrayD::<f64>::zeros(lines);
    if axis + 1 == view.ndim() {
        for (line, mut fields) in view.lanes(Axis(axis)).into_iter().zip(fields.lanes_mut(Axis(axis))) {
            let mut summary = S::start();
            line.iter().for_each(|&item| summary.take(item));
            summary.write(&mut |at, value| fields[at] = value);
        }
        return Ok(Chunk::from_array(fields));
    }
    // Across lines, so that elements are read in the order in which they lie.
    let mut summaries = fields.index_axis(Axis(axis), 0).map(|_| S::start());
    for across in view.axis_iter(Axis(axis)) {
        Zip::from(&mut summaries).and(&across).for_each(|summary, &item| summary.take(item));
    }
    for (summary, mut fields) in summaries.iter().zip(fields.lanes_mut(Axis(axis))) {
        summary.write(&mut |at, value| fields[at] = value);
    }
    Ok(Chunk::from_array(fields))
}

fn carried<S: Summary>(summaries: &Chunk, axis: usize) -> Result<Chunk, TaskError> {
    let refused = || TaskError::new(ErrorKind::Type, "summaries of blocks are of float64");
    let view: ArrayViewD<'_, f64> = summaries.view::<f64>().ok_or_else(refused)?;
    let mut shape = view.raw_dim();
    shape[axis] /= S::FIELDS;
    let mut carries = ArrayD::<S::Item>::from_elem(shape, S::nothing());
    for (fields, mut carries) in view.lanes(Axis(axis)).into_iter().zip(carries.lanes_mut(Axis(axis))) {
        let mut before = None;
        for (at, carry) in carries.iter_mut().enumerate() {
            let summary = S::read(&|field| fields[at * S::FIELDS + field]);
            *carry = summary.carry(before);
            before = Some(*carry);
        }
    }
    Ok(Chunk::from_array(carries))
}

/// What is known of a line of a block.
trait Summary: Copy {
    type Item: Element;
    const FIELDS: usize;
    /// What a result holds before it is written.
    fn nothing() -> Self::Item;
    fn start() -> Self;
    fn take(&mut self, item: Self::Item);
    /// What comes out of the block with what comes in; nothing comes into the first one.
    fn carry(&self, before: Option<Self::Item>) -> Self::Item;
    fn write(&self, field: &mut dyn FnMut(usize, f64));
    fn read(field: &dyn Fn(usize) -> f64) -> Self;
}

/// A type of real numbers and its bounds.
trait Real: Element + Into<f64> {
    /// Sums of this magnitude and more are infinite.
    const INFINITE: f64;
    /// The binary logarithm of that; products of this magnitude and more are infinite.
    const HIGHEST: f64;
    /// Products whose binary logarithm is this or less are zero.
    const LOWEST: f64;
    fn narrow(value: f64) -> Self;
}

/// Sums are followed in a scale in which none of double precision is out of bounds.
const SCALE: f64 = 1.0 / 18_446_744_073_709_551_616.0;

impl Real for f32 {
    // The largest number and half of its last place.
    const INFINITE: f64 = (f32::MAX as f64 + (1_u128 << 103) as f64) * SCALE;
    const HIGHEST: f64 = 128.0 - 4.299_566_5e-8;
    const LOWEST: f64 = -150.0;
    fn narrow(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    const INFINITE: f64 = f64::MAX * SCALE * (1.0 + f64::EPSILON);
    // Its logarithm is all but that of the largest number, which is no infinity yet.
    const HIGHEST: f64 = 1024.0 + 1e-12;
    const LOWEST: f64 = -1075.0;
    fn narrow(value: f64) -> Self {
        value
    }
}

/// Steps from the place where a carry is, a sum by its value and a product by the logarithm of its magnitude.
#[derive(Clone, Copy)]
struct Path {
    /// Carries up to here end below the bounds.
    low: f64,
    /// Carries from here on end above them.
    high: f64,
    /// How far all steps lead; infinite or NaN if one of them is.
    shift: f64,
}

impl Path {
    const FIELDS: usize = 3;

    fn start() -> Self {
        Self { low: f64::NEG_INFINITY, high: f64::INFINITY, shift: 0.0 }
    }

    /// Goes on to `shift`, which is within the bounds for some carries.
    fn go(&mut self, shift: f64, lowest: f64, highest: f64) {
        self.shift = shift;
        if shift.is_finite() {
            // A carry that was beyond the other bound before stays there.
            self.high = (highest - shift).clamp(self.low, self.high);
            self.low = (lowest - shift).clamp(self.low, self.high);
        }
    }

    /// Where a carry ends: infinite if it leaves the bounds on the way.
    fn end(&self, carry: f64) -> f64 {
        let place = if carry >= self.high {
            f64::INFINITY
        } else if carry <= self.low {
            f64::NEG_INFINITY
        } else {
            carry
        };
        place + self.shift
    }

    fn write(&self, field: &mut dyn FnMut(usize, f64)) {
        [self.low, self.high, self.shift].into_iter().enumerate().for_each(|(at, value)| field(at, value));
    }

    fn read(field: &dyn Fn(usize) -> f64) -> Self {
        Self { low: field(0), high: field(1), shift: field(2) }
    }
}

/// A path, and the total as `factor` times a power of two.
#[derive(Clone, Copy)]
struct RealTotal<T> {
    path: Path,
    factor: f64,
    exponent: f64,
    item: std::marker::PhantomData<T>,
}

impl<T> RealTotal<T> {
    const FIELDS: usize = Path::FIELDS + 2;

    fn start(factor: f64) -> Self {
        Self { path: Path::start(), factor, exponent: 0.0, item: std::marker::PhantomData }
    }

    fn write(&self, field: &mut dyn FnMut(usize, f64)) {
        self.path.write(field);
        field(Path::FIELDS, self.factor);
        field(Path::FIELDS + 1, self.exponent);
    }

    fn read(field: &dyn Fn(usize) -> f64) -> Self {
        let (path, factor, exponent) = (Path::read(field), field(Path::FIELDS), field(Path::FIELDS + 1));
        Self { path, factor, exponent, item: std::marker::PhantomData }
    }
}

#[derive(Clone, Copy)]
struct RealSum<T>(RealTotal<T>);

impl<T: Real> Summary for RealSum<T> {
    type Item = T;
    const FIELDS: usize = RealTotal::<T>::FIELDS;

    fn nothing() -> T {
        T::narrow(0.0)
    }

    fn start() -> Self {
        Self(RealTotal::start(-0.0))
    }

    fn take(&mut self, item: T) {
        let item: f64 = item.into();
        let Self(total) = self;
        total.path.go(total.path.shift + item * SCALE, -T::INFINITE, T::INFINITE);
        total.factor += item;
    }

    fn carry(&self, before: Option<T>) -> T {
        let (Self(total), before) = (self, before.map_or(-0.0, Into::into));
        let end = total.path.end(before * SCALE);
        T::narrow(if !end.is_finite() {
            end
        } else if total.factor.is_finite() {
            before + total.factor
        } else {
            // The total alone is out of bounds.
            (before * SCALE + total.path.shift) / SCALE
        })
    }

    fn write(&self, field: &mut dyn FnMut(usize, f64)) {
        self.0.write(field);
    }

    fn read(field: &dyn Fn(usize) -> f64) -> Self {
        Self(RealTotal::read(field))
    }
}

#[derive(Clone, Copy)]
struct RealProduct<T>(RealTotal<T>);

impl<T: Real> Summary for RealProduct<T> {
    type Item = T;
    const FIELDS: usize = RealTotal::<T>::FIELDS;

    fn nothing() -> T {
        T::narrow(0.0)
    }

    fn start() -> Self {
        Self(RealTotal::start(1.0))
    }

    fn take(&mut self, item: T) {
        let item: f64 = item.into();
        let Self(total) = self;
        let (factor, exponent) = split(item);
        let (factor, more) = split(total.factor * factor);
        total.factor = factor;
        total.exponent += exponent + more;
        let is_number = item.is_finite() && item != 0.0;
        let is_within = is_number && total.path.shift.is_finite();
        let step = || if is_number { 0.0 } else { item.abs().log2() };
        let shift = if is_within { total.exponent + factor.abs().log2() } else { total.path.shift + step() };
        total.path.go(shift, T::LOWEST, T::HIGHEST);
    }

    fn carry(&self, before: Option<T>) -> T {
        let (Self(total), before) = (self, before.map_or(1.0, Into::into));
        let end = total.path.end(before.abs().log2());
        let (factor, exponent) = split(before);
        let sign = (factor * total.factor).signum();
        T::narrow(if end.is_finite() {
            scaled(factor * total.factor, exponent + total.exponent)
        } else if end < 0.0 {
            0.0 * sign
        } else {
            end * sign
        })
    }

    fn write(&self, field: &mut dyn FnMut(usize, f64)) {
        self.0.write(field);
    }

    fn read(field: &dyn Fn(usize) -> f64) -> Self {
        Self(RealTotal::read(field))
    }
}

#[derive(Clone, Copy)]
struct ComplexSum<T> {
    re: RealSum<T>,
    im: RealSum<T>,
}

impl<T: Real> Summary for ComplexSum<T>
where
    Complex<T>: Element,
{
    type Item = Complex<T>;
    const FIELDS: usize = 2 * RealSum::<T>::FIELDS;

    fn nothing() -> Complex<T> {
        Complex { re: T::narrow(0.0), im: T::narrow(0.0) }
    }

    fn start() -> Self {
        Self { re: RealSum::start(), im: RealSum::start() }
    }

    fn take(&mut self, item: Complex<T>) {
        self.re.take(item.re);
        self.im.take(item.im);
    }

    fn carry(&self, before: Option<Complex<T>>) -> Complex<T> {
        Complex { re: self.re.carry(before.map(|x| x.re)), im: self.im.carry(before.map(|x| x.im)) }
    }

    fn write(&self, field: &mut dyn FnMut(usize, f64)) {
        self.re.write(field);
        self.im.write(&mut |at, value| field(RealSum::<T>::FIELDS + at, value));
    }

    fn read(field: &dyn Fn(usize) -> f64) -> Self {
        Self { re: RealSum::read(field), im: RealSum::read(&|at| field(RealSum::<T>::FIELDS + at)) }
    }
}

/// The last items of a block, and the product of those before them as that of real numbers, by magnitudes. What is
/// beyond the bounds becomes NaN in both parts within a few steps; how it does, those items tell.
#[derive(Clone, Copy)]
struct ComplexProduct<T> {
    path: Path,
    factor: Complex<f64>,
    exponent: f64,
    count: usize,
    last: [Complex<T>; LAST],
}

/// After so many steps all parts are NaN.
const LAST: usize = 4;

impl<T: Real> ComplexProduct<T> {
    /// Items that are in the product.
    fn join(&mut self, item: Complex<T>) {
        let (item, exponent) = split_complex(wide(item));
        let (factor, more) = split_complex(self.factor * item);
        (self.factor, self.exponent) = (factor, self.exponent + exponent + more);
        let is_number = self.factor.is_finite() && !self.path.shift.is_nan();
        let shift = if is_number { self.exponent + magnitude(self.factor) } else { f64::NAN };
        self.path.go(shift, T::LOWEST, T::HIGHEST);
    }

    fn joined_to(&self, before: Option<Complex<T>>) -> Complex<T> {
        let before = before.map_or(Complex::new(1.0, 0.0), wide);
        let end = self.path.end(magnitude(before));
        let is_zero = end < 0.0 && self.path.shift.is_infinite();
        let found = if !before.is_finite() || self.path.shift.is_nan() || end.is_finite() || is_zero {
            let (factor, exponent) = split_complex(before);
            let (product, exponent) = (factor * self.factor, exponent + self.exponent);
            Complex::new(scaled(product.re, exponent), scaled(product.im, exponent))
        } else if end < 0.0 {
            Complex::new(0.0, 0.0)
        } else {
            Complex::new(f64::NAN, f64::NAN)
        };
        Complex { re: T::narrow(found.re), im: T::narrow(found.im) }
    }
}

impl<T: Real> Summary for ComplexProduct<T>
where
    Complex<T>: Element + Mul<Output = Complex<T>>,
{
    type Item = Complex<T>;
    const FIELDS: usize = Path::FIELDS + 4 + 2 * LAST;

    fn nothing() -> Complex<T> {
        Complex { re: T::narrow(0.0), im: T::narrow(0.0) }
    }

    fn start() -> Self {
        let factor = Complex::new(1.0, 0.0);
        Self { path: Path::start(), factor, exponent: 0.0, count: 0, last: [Self::nothing(); LAST] }
    }

    fn take(&mut self, item: Complex<T>) {
        let at = self.count % LAST;
        if self.count >= LAST {
            self.join(self.last[at]);
        }
        self.last[at] = item;
        self.count += 1;
    }

    fn carry(&self, before: Option<Complex<T>>) -> Complex<T> {
        let joined = if self.count > LAST { Some(self.joined_to(before)) } else { before };
        let last = (self.count.saturating_sub(LAST)..self.count).map(|at| self.last[at % LAST]);
        let found = last.fold(joined, |product, item| Some(product.map_or(item, |product| product * item)));
        found.unwrap_or(Complex { re: T::narrow(1.0), im: T::narrow(0.0) })
    }

    fn write(&self, field: &mut dyn FnMut(usize, f64)) {
        self.path.write(field);
        let rest = [self.factor.re, self.factor.im, self.exponent, self.count as f64];
        let last = self.last.iter().flat_map(|item| [item.re.into(), item.im.into()]);
        rest.into_iter().chain(last).enumerate().for_each(|(at, value)| field(Path::FIELDS + at, value));
    }

    fn read(field: &dyn Fn(usize) -> f64) -> Self {
        let rest = |at: usize| field(Path::FIELDS + at);
        let last = |at: usize| Complex { re: T::narrow(rest(4 + 2 * at)), im: T::narrow(rest(5 + 2 * at)) };
        Self {
            path: Path::read(field),
            factor: Complex::new(rest(0), rest(1)),
            exponent: rest(2),
            count: rest(3) as usize,
            last: std::array::from_fn(last),
        }
    }
}

fn wide<T: Real>(x: Complex<T>) -> Complex<f64> {
    Complex::new(x.re.into(), x.im.into())
}

/// The binary logarithm of the magnitude.
fn magnitude(x: Complex<f64>) -> f64 {
    let (x, exponent) = split_complex(x);
    x.norm().log2() + exponent
}

/// A number as one from 1 to 2 times a power of two; what is none keeps its sign, times nothing.
fn split(x: f64) -> (f64, f64) {
    if x == 0.0 || !x.is_finite() {
        return (1.0_f64.copysign(x), 0.0);
    }
    let exponent = exponent_of(x);
    (scaled(x, -exponent), exponent)
}

/// The same of both parts together; those that aren't finite, or zero, stay as they are.
fn split_complex(x: Complex<f64>) -> (Complex<f64>, f64) {
    let largest = x.re.abs().max(x.im.abs());
    if largest == 0.0 || !x.is_finite() {
        return (x, 0.0);
    }
    let exponent = exponent_of(largest);
    (Complex::new(scaled(x.re, -exponent), scaled(x.im, -exponent)), exponent)
}

/// The power of two that a number which is finite and not zero begins with.
fn exponent_of(x: f64) -> f64 {
    let bits = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as f64 - 1023.0;
    if x.abs() < f64::MIN_POSITIVE { bits(x / f64::EPSILON) - 52.0 } else { bits(x) }
}

/// `x` times a power of two, rounded once.
fn scaled(x: f64, exponent: f64) -> f64 {
    let power = |exponent: f64| f64::from_bits(((exponent + 1023.0) as u64) << 52);
    let exponent = exponent.clamp(-2000.0, 2000.0);
    let half = (exponent / 2.0).trunc();
    x * power(half) * power(exponent - half)
}
