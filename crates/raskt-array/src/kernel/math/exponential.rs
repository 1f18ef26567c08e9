//! `exp` and what is made of it.

/// Added to a number below 2^51, rounds it to an integer, which then lies in the low bits.
const ROUNDER: f64 = 6755399441055744.0;
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// `(exp(r) - 1 - r - r²/2) / r³` for |r| ≤ ln 2 / 2, interpolated at Chebyshev's nodes; it gives `exp` to 3e-18.
const TAIL: [f64; 9] = [
    0.16666666666666666,
    0.04166666666665131,
    0.008333333333332152,
    0.0013888888905922382,
    0.00019841269854370018,
    2.480153630713628e-05,
    2.755728000429909e-06,
    2.7613852100963253e-07,
    2.5095589467479502e-08,
];

/// `x = n ln 2 + r`: `exp(r) - 1`, and n in the low bits of a number.
///
/// The polynomial is a plain Horner scheme: many elements are in flight at a time, so that the number of operations
/// counts and their latency doesn't.
#[inline(always)]
fn reduced(x: f64) -> (f64, u64) {
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUNDER);
    let n = shifted - ROUNDER;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, x));
    let mut tail = TAIL[8];
    for at in (0..8).rev() {
        tail = tail.mul_add(r, TAIL[at]);
    }
    ((r * r).mul_add(tail.mul_add(r, 0.5), r), shifted.to_bits())
}

/// Two powers of two whose product is 2^n (which alone might overflow).
#[inline(always)]
fn powers(shifted: u64) -> (f64, f64) {
    // The sum of the biased exponents is 2 * 1023 + n.
    let exponents = shifted.wrapping_sub(ROUNDER.to_bits()).wrapping_add(2046);
    let half = exponents >> 1;
    (f64::from_bits(half << 52), f64::from_bits(exponents.wrapping_sub(half) << 52))
}

/// `x`, moved to where the reduction works: outside, `exp` is 0 or infinite. The comparisons let a NaN pass.
#[inline(always)]
fn bounded(x: f64) -> f64 {
    let x = if x > 710.0 { 710.0 } else { x };
    if x < -746.0 { -746.0 } else { x }
}

/// Up to this magnitude, results of [`exp_moderate`] are normal numbers.
pub(in crate::kernel) const MODERATE: f64 = 700.0;

/// e to the power of a number of at most [`MODERATE`] magnitude.
#[inline(always)]
pub(in crate::kernel) fn exp_moderate(x: f64) -> f64 {
    let (minus_one, shifted) = reduced(x);
    f64::from_bits((1.0 + minus_one).to_bits().wrapping_add(shifted << 52))
}

/// e to the power of `x`.
#[inline(always)]
pub(in crate::kernel) fn exp(x: f64) -> f64 {
    let (minus_one, shifted) = reduced(bounded(x));
    let (first, second) = powers(shifted);
    (1.0 + minus_one) * first * second
}

/// `exp(x) - 1`, exact near zero.
#[inline(always)]
pub(in crate::kernel) fn expm1(x: f64) -> f64 {
    let inside = bounded(x);
    let (minus_one, shifted) = reduced(inside);
    let (first, second) = powers(shifted);
    let large = (1.0 + minus_one) * first * second - 1.0;
    let power = first * second;
    let small = minus_one.mul_add(power, power - 1.0);
    let result = if inside > 40.0 { large } else { small };
    // Keeps the sign of zero.
    if x == 0.0 { x } else { result }
}

/// The hyperbolic tangent.
#[inline(always)]
pub(in crate::kernel) fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    let inside = if magnitude > 22.0 { 22.0 } else { magnitude };
    let grown = expm1(2.0 * inside);
    (grown / (grown + 2.0)).copysign(x)
}
