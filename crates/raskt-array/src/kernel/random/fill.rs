//! Writes runs of random elements.

use super::philox::{Draws, GROUP, Key, bits, fill_groups, uniform_groups, unit};
use super::transform::{shift, uniform, uniform_narrow};
use super::{Distribution, Random, rejection};
use crate::kernel::engine::TILE;
use crate::kernel::math::{log, sin_cos_turns};
use crate::kernel::number::{Convert, Number};
use crate::kernel::operand::{Operand, Target, vectorised};
use crate::kernel::walk::Run;
use raskt_value::{DType, TaskError, with_element};
use std::mem::MaybeUninit;

/// Room for the groups that a tile touches.
#[repr(C, align(64))]
struct Bits([[MaybeUninit<u64>; GROUP]; TILE / GROUP + 2]);

impl Random {
    /// Writes the elements of a run.
    ///
    /// # Safety
    /// `out` has room for `run.length` elements of `dtype`, at most [`TILE`].
    pub(in crate::kernel) unsafe fn generate(&self, dtype: DType, run: Run, out: Target) -> Result<(), TaskError> {
        let key = Key { seed: self.seed, stream: self.stream };
        // SAFETY: as the caller promises, for the type that was matched.
        with_element!(dtype, T => unsafe { self.distribution.fill::<T>(key, run, out) });
        Ok(())
    }
}

impl Distribution {
    unsafe fn fill<T: Number>(&self, key: Key, run: Run, out: Target)
    where
        i64: Convert<T>,
        f64: Convert<T>,
    {
        if self.by_rejection() {
            // SAFETY: as the caller promises.
            let out = unsafe { out.slice::<T>() };
            for (at, out) in out.iter_mut().enumerate() {
                let index = run.index.wrapping_add(run.step.wrapping_mul(at as i64)) as u64;
                out.write(rejection::draw(self, &mut Draws::new(key, index, 0)).convert());
            }
            return;
        }
        if let (Self::Uniform { low, high }, DType::F64) = (*self, T::DTYPE)
            && (run.index as u64).is_multiple_of(GROUP as u64)
            && run.step == 1
        {
            let whole = run.length - run.length % GROUP;
            // SAFETY: as the caller promises; the groups and the rest are parts of the target.
            unsafe {
                let (groups, _) = out.slice::<f64>().as_chunks_mut::<GROUP>();
                uniform_groups(key, run.index as u64 / GROUP as u64, low, high - low, groups);
                let rest =
                    Run { at: 0, index: run.index.wrapping_add(whole as i64), step: 1, length: run.length - whole };
                if rest.length > 0 {
                    self.fill_by_bits::<T>(key, rest, out.part::<T>(whole, rest.length));
                }
            }
            return;
        }
        // SAFETY: as the caller promises.
        unsafe { self.fill_by_bits::<T>(key, run, out) }
    }

    /// By way of the bits of each element.
    unsafe fn fill_by_bits<T: Number>(&self, key: Key, run: Run, out: Target)
    where
        i64: Convert<T>,
        f64: Convert<T>,
    {
        let mut room = Bits([[MaybeUninit::uninit(); GROUP]; TILE / GROUP + 2]);
        let bits = self.bits(key, run, &mut room.0);
        let bits = Operand { start: bits.as_ptr().cast(), uniform: false };
        // SAFETY: there are as many bits as elements in the target, which is of type `T`.
        unsafe {
            match (*self, T::DTYPE) {
                (Self::Uniform { low, high }, DType::F64) => uniform(low, high - low, bits, out),
                (Self::Uniform { low, high }, DType::F32) => uniform_narrow(low, high - low, bits, out),
                (Self::Integers { low, span }, _) => {
                    map_indexed(out, |at| {
                        integer(key, run, at, low, span, bits.slice::<u64>(out.length)[at]).convert()
                    });
                }
                (Self::Normal { loc, scale }, DType::F64) => shift(loc, scale, bits, out),
                _ => {
                    let mut wide = [0.0_f64; TILE];
                    let target = Target { start: wide.as_mut_ptr().cast(), length: out.length };
                    self.transform(bits, target);
                    let wide = &wide[..out.length];
                    map_indexed(out, |at| wide[at].convert());
                }
            }
        }
    }

    /// The random bits of each element of a run; for a normal distribution, standard normal numbers instead.
    fn bits<'a>(&self, key: Key, run: Run, room: &'a mut [[MaybeUninit<u64>; GROUP]]) -> &'a [u64] {
        let normal = matches!(self, Self::Normal { .. } | Self::Lognormal { .. });
        let index = run.index as u64;
        if run.step != 1 && run.length > 1 {
            for at in 0..run.length {
                let index = index.wrapping_add((run.step as u64).wrapping_mul(at as u64));
                room.as_flattened_mut()[at].write(if normal {
                    single_normal(key, index).to_bits()
                } else {
                    bits(key, index, 0)
                });
            }
            // SAFETY: they were written.
            return unsafe { written(&room.as_flattened()[..run.length]) };
        }
        let skip = (index % GROUP as u64) as usize;
        let groups = &mut room[..(skip + run.length).div_ceil(GROUP)];
        fill_groups(key, index / GROUP as u64, groups);
        // SAFETY: all of the groups were written.
        unsafe {
            if normal {
                normal_groups(groups);
            }
            written(&groups.as_flattened()[skip..skip + run.length])
        }
    }

    /// Whether an element takes as many draws as it needs.
    pub(in crate::kernel) fn by_rejection(&self) -> bool {
        use Distribution::*;
        matches!(
            self,
            Gamma { .. }
                | Beta { .. }
                | Chisquare { .. }
                | StandardT { .. }
                | F { .. }
                | Poisson { .. }
                | Binomial { .. }
                | NegativeBinomial { .. }
                | Wald { .. }
                | VonMises { .. }
                | NoncentralChisquare { .. }
                | NoncentralF { .. }
                | Zipf { .. }
                | Logseries { .. }
                | Hypergeometric { .. }
        )
    }
}

vectorised! {
/// Turns the bits of whole groups into standard normal numbers (as bits), by Box and Muller: the first half of a group
/// gives the radius, the second the angle.
unsafe fn normal_groups(groups: &mut [[MaybeUninit<u64>; GROUP]]) {
    for group in groups {
        let (head, tail) = group.split_at_mut(GROUP / 2);
        for (head, tail) in head.iter_mut().zip(tail) {
            // SAFETY: they were written.
            let (cosine, sine) = unsafe { box_muller(head.assume_init(), tail.assume_init()) };
            head.write(cosine.to_bits());
            tail.write(sine.to_bits());
        }
    }
}
}

#[inline(always)]
fn box_muller(head: u64, tail: u64) -> (f64, f64) {
    let radius = (-2.0 * log(1.0 - unit(head))).sqrt();
    let (sine, cosine) = sin_cos_turns(unit(tail));
    (radius * cosine, radius * sine)
}

/// The standard normal number of one element.
fn single_normal(key: Key, index: u64) -> f64 {
    let half = GROUP as u64 / 2;
    let first = index & !half;
    let (cosine, sine) = box_muller(bits(key, first, 0), bits(key, first | half, 0));
    if index & half == 0 { cosine } else { sine }
}

/// An integer of `[low, low + span)`, without bias: D. Lemire, *Fast random integer generation in an interval* (2019).
#[inline(always)]
fn integer(key: Key, run: Run, at: usize, low: i64, span: u64, bits: u64) -> i64 {
    if span == 0 {
        return bits as i64;
    }
    let product = u128::from(bits) * u128::from(span);
    let chosen = if (product as u64) < span {
        let index = run.index.wrapping_add(run.step.wrapping_mul(at as i64)) as u64;
        unbiased(key, index, span, product)
    } else {
        (product >> 64) as u64
    };
    low.wrapping_add(chosen as i64)
}

#[cold]
fn unbiased(key: Key, index: u64, span: u64, mut product: u128) -> u64 {
    let threshold = span.wrapping_neg() % span;
    let mut draws = Draws::new(key, index, 1);
    while (product as u64) < threshold {
        product = u128::from(draws.next()) * u128::from(span);
    }
    (product >> 64) as u64
}

/// # Safety
/// All of them were written.
unsafe fn written(room: &[MaybeUninit<u64>]) -> &[u64] {
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(room.as_ptr().cast(), room.len()) }
}

/// Writes each element by its position.
unsafe fn map_indexed<T: Number>(out: Target, value: impl Fn(usize) -> T) {
    // SAFETY: as the caller promises.
    let out = unsafe { out.slice::<T>() };
    for (at, out) in out.iter_mut().enumerate() {
        out.write(value(at));
    }
}
