//! Blocks that are made in place: constants, ranges, the identity, random numbers.

use super::number::{Convert, Number, Real};
use super::operand::{Target, vectorised};
use super::walk::{Run, Walk};
use super::{Affine, Random};
use raskt_value::complex::Complex;
use raskt_value::{DType, Scalar, TaskError, with_element};
use serde::{Deserialize, Serialize};
use std::mem::MaybeUninit;

/// What makes the elements of an array out of nothing but their index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// What is made at an index.
    pub generator: Generator,
    /// The type of its elements.
    pub dtype: DType,
    /// The index of the element at a global coordinate of the region that is evaluated.
    pub index: Affine,
}

/// What is made at an index *i*.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Generator {
    /// The same value everywhere (`zeros`, `ones`, `full`).
    Full(Scalar),
    /// `start + step * i` as `numpy.arange` and `numpy.linspace` compute it: in `f64` for real numbers, in wrapping
    /// integers for integers.
    Linear {
        /// The value at index 0.
        start: Scalar,
        /// The difference of neighbours.
        step: Scalar,
        /// An index with a value of its own: the last one of `linspace`, which is the end exactly.
        end: Option<(i64, Scalar)>,
    },
    /// One where the index is 0, else zero (`eye` with [`Affine::diagonal`]).
    Eye,
    /// One where the index is 0 or less, else zero (`tri` with [`Affine::diagonal`]).
    Triangle,
    /// A random number, which depends on the seed, the stream and the index alone.
    Random(Random),
}

impl Source {
    /// `value` everywhere, over `axes` axes.
    pub fn full(value: Scalar, dtype: DType, axes: usize) -> Self {
        let index = Affine { base: 0, steps: smallvec::SmallVec::from_elem(0, axes) };
        Self { generator: Generator::Full(value), dtype, index }
    }
}

impl Generator {
    /// What it is called in `explain()`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Full(_) => "full",
            Self::Linear { .. } => "linear",
            Self::Eye => "eye",
            Self::Triangle => "tri",
            Self::Random(_) => "random",
        }
    }
}

/// Writes the elements `start..` of a source.
///
/// # Safety
/// `out` is of the source's type and nobody else's.
pub(super) unsafe fn generate(source: &Source, walk: &Walk, start: usize, out: Target) -> Result<(), TaskError> {
    // SAFETY: as the caller promises, for the type that was matched.
    with_element!(source.dtype, T => unsafe { generate_as::<T>(&source.generator, walk, start, out) })
}

unsafe fn generate_as<T: Number>(generator: &Generator, walk: &Walk, start: usize, out: Target) -> Result<(), TaskError>
where
    i64: Convert<T>,
{
    let mut done = Ok(());
    walk.for_each_run(start, out.length, |run| {
        let part = out.part::<T>(run.at, run.length);
        // SAFETY: a part of the target.
        let elements = unsafe { part.slice::<T>() };
        match generator {
            Generator::Full(value) => elements.fill(MaybeUninit::new(value.cast())),
            Generator::Eye => fill_by(elements, run, |index| i64::from(index == 0).convert()),
            Generator::Triangle => fill_by(elements, run, |index| i64::from(index <= 0).convert()),
            Generator::Linear { start, step, end } => {
                // SAFETY: as above.
                unsafe { linear::<T>(*start, *step, run, part) };
                if let Some((at, value)) = *end {
                    fill_at(elements, run, at, value.cast());
                }
            }
            Generator::Random(random) => {
                // SAFETY: as above.
                if let Err(error) = unsafe { random.generate(T::DTYPE, run, part) } {
                    done = Err(error);
                }
            }
        }
    });
    done
}

#[inline(always)]
fn fill_by<T: Number>(out: &mut [MaybeUninit<T>], run: Run, value: impl Fn(i64) -> T) {
    for (at, out) in out.iter_mut().enumerate() {
        out.write(value(run.index.wrapping_add(run.step.wrapping_mul(at as i64))));
    }
}

/// Writes `value` where the run comes by index `wanted`.
fn fill_at<T: Number>(out: &mut [MaybeUninit<T>], run: Run, wanted: i64, value: T) {
    let distance = wanted.wrapping_sub(run.index);
    if run.step == 0 {
        if distance == 0 {
            out.fill(MaybeUninit::new(value));
        }
    } else if distance.wrapping_rem(run.step) == 0 && (0..run.length as i64).contains(&distance.wrapping_div(run.step))
    {
        out[distance.wrapping_div(run.step) as usize].write(value);
    }
}

/// `start + step * index` in the arithmetic of `T`.
unsafe fn linear<T: Number>(start: Scalar, step: Scalar, run: Run, out: Target) {
    // SAFETY: as the caller promises, for the type that was matched.
    unsafe {
        match T::DTYPE {
            DType::F32 => linear_real::<f32>(start.cast(), step.cast(), run, out),
            DType::F64 => linear_real::<f64>(start.cast(), step.cast(), run, out),
            DType::C64 => linear_complex::<Complex<f32>>(run, out, {
                let (start, step): (Complex<f32>, Complex<f32>) = (start.cast(), step.cast());
                move |index| start + step * index as f32
            }),
            DType::C128 => linear_complex::<Complex<f64>>(run, out, {
                let (start, step): (Complex<f64>, Complex<f64>) = (start.cast(), step.cast());
                move |index| start + step * index as f64
            }),
            _ => {
                let (start, step): (i64, i64) = (start.cast(), step.cast());
                fill_by(out.slice::<T>(), run, |index| {
                    Scalar::Int(start.wrapping_add(step.wrapping_mul(index))).cast()
                });
            }
        }
    }
}

/// # Safety
/// The target is of type `T` and nobody else's.
unsafe fn linear_complex<T: Number>(run: Run, out: Target, value: impl Fn(i64) -> T) {
    // SAFETY: as the caller promises.
    fill_by(unsafe { out.slice::<T>() }, run, value);
}

vectorised! {
unsafe fn linear_real<T: Real>(start: T, step: T, run: Run, out: Target) {
    // SAFETY: as the caller promises.
    let out = unsafe { out.slice::<T>() };
    for (at, out) in out.iter_mut().enumerate() {
        let index = run.index.wrapping_add(run.step.wrapping_mul(at as i64));
        out.write(start.add(step.multiply(T::narrow(index as f64))));
    }
}
}
