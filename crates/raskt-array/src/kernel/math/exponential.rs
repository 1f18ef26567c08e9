//! `exp` and what is made of it.

/// Added to a number below 2^51, rounds it to an integer, which then lies in the low bits.
const ROUNDER: f64 = 6755399441055744.0;
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// `(exp(r) - 1 - r - r²/2) / r³` for |r| ≤ ln 2 / 2, interpolated at Chebyshev's nodes; the error of `exp` is 3e-18.
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

/// `x = n ln 2 + r`: `exp(r) - 1` and the two powers of two whose product is 2^n (which alone might overflow).
#[inline(always)]
fn reduced(x: f64) -> (f64, f64, f64) {
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUNDER);
    let n = shifted - ROUNDER;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, x));
    let [a, b, c, d, e, f, g, h, i] = TAIL;
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let low = c.mul_add(r2, b.mul_add(r, a)) + d * (r2 * r);
    let high = g.mul_add(r2, f.mul_add(r, e)) + (i.mul_add(r, h)) * (r2 * r);
    let tail = high.mul_add(r4, low);
    let minus_one = r2.mul_add(tail.mul_add(r, 0.5), r);
    // The sum is 2 * 1023 + n: biased exponents of the two powers.
    let exponents = shifted.to_bits().wrapping_sub(ROUNDER.to_bits()).wrapping_add(2046);
    let half = exponents >> 1;
    let first = f64::from_bits(half << 52);
    let second = f64::from_bits(exponents.wrapping_sub(half) << 52);
    (minus_one, first, second)
}

/// e to the power of `x`.
#[inline(always)]
pub(in crate::kernel) fn exp(x: f64) -> f64 {
    // Outside these bounds the result is 0 or infinite. The comparisons let a NaN pass.
    let bounded = if x > 710.0 { 710.0 } else { x };
    let bounded = if bounded < -746.0 { -746.0 } else { bounded };
    let (minus_one, first, second) = reduced(bounded);
    (1.0 + minus_one) * first * second
}

/// `exp(x) - 1`, exact near zero.
#[inline(always)]
pub(in crate::kernel) fn expm1(x: f64) -> f64 {
    let bounded = if x > 710.0 { 710.0 } else { x };
    let bounded = if bounded < -746.0 { -746.0 } else { bounded };
    let (minus_one, first, second) = reduced(bounded);
    let large = (1.0 + minus_one) * first * second - 1.0;
    let power = first * second;
    let small = minus_one.mul_add(power, power - 1.0);
    let result = if bounded > 40.0 { large } else { small };
    // Keeps the sign of zero.
    if x == 0.0 { x } else { result }
}

/// The hyperbolic tangent.
#[inline(always)]
pub(in crate::kernel) fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    let bounded = if magnitude > 22.0 { 22.0 } else { magnitude };
    let grown = expm1(2.0 * bounded);
    (grown / (grown + 2.0)).copysign(x)
}
