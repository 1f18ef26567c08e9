//! `log` and `log1p`, after FreeBSD's msun (`e_log.c`).

const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
const SERIES: [f64; 7] = [
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
];

/// The natural logarithm of a positive, normal, finite number.
#[inline(always)]
fn log_normal(x: f64, exponent_bias: f64) -> f64 {
    // Moves the mantissa to [√½, √2): what is taken from the bits rounds the exponent up above √2.
    let bits = x.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd);
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(0x3fe6_a09e_667f_3bcd));
    // The exponent as a number, by way of the low bits of 2^52.
    let n = f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000) - (4503599627370496.0 + 1023.0) - exponent_bias;
    let f = mantissa - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let [a, b, c, d, e, g, h] = SERIES;
    let even = w * w.mul_add(w.mul_add(g, d), b);
    let odd = z * w.mul_add(w.mul_add(w.mul_add(h, e), c), a);
    let tail = s.mul_add(half_square + (even + odd), n * LN2_LOW);
    n.mul_add(LN2_HIGH, f - (half_square - tail))
}

/// The natural logarithm: -inf of zero, NaN of negative numbers.
#[inline(always)]
pub(in crate::kernel) fn log(x: f64) -> f64 {
    let subnormal = x < f64::MIN_POSITIVE;
    let (scaled, bias) = if subnormal { (x * 18014398509481984.0, 54.0) } else { (x, 0.0) };
    let result = log_normal(scaled, bias);
    let result = if x == f64::INFINITY { x } else { result };
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    if x < 0.0 || x.is_nan() { f64::NAN } else { result }
}

/// `log(1 + x)`, exact near zero.
#[inline(always)]
pub(in crate::kernel) fn log1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    // What rounding lost, in the first order.
    let lost = if sum >= 2.0 { 1.0 - (sum - x) } else { x - (sum - 1.0) };
    let result = log(sum) + lost / sum;
    let result = if x == f64::INFINITY || x <= -1.0 { log(sum) } else { result };
    // Below this, the sum forgets all of `x` (and the sign of zero).
    if x.abs() < 1.1e-16 { x } else { result }
}
