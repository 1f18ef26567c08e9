//! Distributions of which one uniform (or normal) number makes one.

use super::Distribution;
use super::philox::{UNIT, unit};
use crate::kernel::math::{exp, expm1, log};
use crate::kernel::operand::{Operand, Target, map, vectorised};

impl Distribution {
    /// Turns random bits (or normal numbers) into numbers of the distribution.
    ///
    /// # Safety
    /// There are as many bits as numbers in the target, of type `f64` and nobody else's.
    pub(super) unsafe fn transform(&self, bits: Operand, out: Target) {
        // SAFETY: as the caller promises.
        unsafe {
            match *self {
                Self::Uniform { low, high } => uniform(low, high - low, bits, out),
                Self::Normal { loc, scale } => shift(loc, scale, bits, out),
                Self::Lognormal { mean, sigma } => lognormal(mean, sigma, bits, out),
                Self::Exponential { scale } => exponential(scale, bits, out),
                Self::Laplace { loc, scale } => laplace(loc, scale, bits, out),
                Self::Logistic { loc, scale } => logistic(loc, scale, bits, out),
                Self::Gumbel { loc, scale } => gumbel(loc, scale, bits, out),
                Self::Rayleigh { scale } => rayleigh(scale, bits, out),
                _ => self.transform_slowly(bits, out),
            }
        }
    }

    /// Those that take a function of the standard library.
    unsafe fn transform_slowly(&self, bits: Operand, out: Target) {
        let one = |x: u64| 1.0 - unit(x);
        // SAFETY: as the caller promises.
        unsafe {
            match *self {
                Self::Bernoulli { p } => map!(bits, out, u64 => f64, |x| f64::from(u8::from(unit(x) < p))),
                Self::StandardCauchy => {
                    map!(bits, out, u64 => f64, |x| (std::f64::consts::PI * (unit(x) - 0.5)).tan());
                }
                Self::Weibull { a } => map!(bits, out, u64 => f64, |x| (-log(one(x))).powf(1.0 / a)),
                Self::Pareto { a } => map!(bits, out, u64 => f64, |x| expm1(-log(one(x)) / a)),
                Self::Power { a } => map!(bits, out, u64 => f64, |x| one(x).powf(1.0 / a)),
                Self::Triangular { left, mode, right } => {
                    map!(bits, out, u64 => f64, |x| triangular(left, mode, right, unit(x)));
                }
                Self::Geometric { p } => {
                    // At least one trial, also where the uniform number is exactly one.
                    map!(bits, out, u64 => f64, |x| (log(one(x)) / (-p).ln_1p()).ceil().max(1.0));
                }
                _ => unreachable!("the others have loops of their own"),
            }
        }
    }
}

vectorised! {
pub(super) unsafe fn uniform(low: f64, span: f64, bits: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        let scale = span * UNIT;
        map!(bits, out, u64 => f64, |x| low + scale * (x >> 11) as f64);
    }
}
}

vectorised! {
/// With 24 bits, so that rounding to `float32` doesn't reach the bound above.
pub(super) unsafe fn uniform_narrow(low: f64, span: f64, bits: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        let (low, span) = (low as f32, span as f32);
        map!(bits, out, u64 => f32, |x| low + span * ((x >> 40) as u32 as f32 * (1.0 / 16777216.0)));
    }
}
}

vectorised! {
pub(super) unsafe fn shift(loc: f64, scale: f64, normals: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe { map!(normals, out, f64 => f64, |x| loc + scale * x) }
}
}

vectorised! {
unsafe fn lognormal(mean: f64, sigma: f64, normals: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe { map!(normals, out, f64 => f64, |x| exp(mean + sigma * x)) }
}
}

vectorised! {
unsafe fn exponential(scale: f64, bits: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe { map!(bits, out, u64 => f64, |x| -scale * log(1.0 - unit(x))) }
}
}

vectorised! {
unsafe fn laplace(loc: f64, scale: f64, bits: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        map!(bits, out, u64 => f64, |x| {
            let u = 1.0 - unit(x);
            let below = log(2.0 * u);
            let above = -log(2.0 * (1.0 - u));
            // `u` is never 0; where it is 1, `below` is taken, so that both are finite.
            loc + scale * if u < 0.5 { below } else if u == 1.0 { 37.0 } else { above }
        });
    }
}
}

vectorised! {
unsafe fn logistic(loc: f64, scale: f64, bits: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        map!(bits, out, u64 => f64, |x| {
            let u = unit(x) + 0.5 / 9007199254740992.0;
            loc + scale * log(u / (1.0 - u))
        });
    }
}
}

vectorised! {
unsafe fn gumbel(loc: f64, scale: f64, bits: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        map!(bits, out, u64 => f64, |x| {
            let u = unit(x) + 0.5 / 9007199254740992.0;
            loc - scale * log(-log(u))
        });
    }
}
}

vectorised! {
unsafe fn rayleigh(scale: f64, bits: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe { map!(bits, out, u64 => f64, |x| scale * (-2.0 * log(1.0 - unit(x))).sqrt()) }
}
}

fn triangular(left: f64, mode: f64, right: f64, u: f64) -> f64 {
    let (base, left_base) = (right - left, mode - left);
    if u <= left_base / base {
        left + (u * left_base * base).sqrt()
    } else {
        right - ((1.0 - u) * (right - mode) * base).sqrt()
    }
}
