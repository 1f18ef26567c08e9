//! `sin` and `cos`, after FreeBSD's msun (`k_sin.c`, `k_cos.c`, `e_rem_pio2.c`).

/// Up to this magnitude the argument is reduced here; beyond it, by the standard library.
pub(in crate::kernel) const REDUCIBLE: f64 = 1_000_000.0;

const ROUNDER: f64 = 6755399441055744.0;
/// π/2 in parts: the first two have 33 bits, so that their products with a quadrant are exact.
const HALF_PI_1: f64 = 1.570_796_326_734_125_6;
const HALF_PI_2: f64 = 6.077_100_506_303_966e-11;
const HALF_PI_3: f64 = 2.022_266_248_795_950_6e-21;

/// The sine of `y + tail` for |y| ≤ π/4.
#[inline(always)]
fn sin_near_zero(y: f64, tail: f64) -> f64 {
    let z = y * y;
    let v = z * y;
    let r = 1.58969099521155010221e-10_f64.mul_add(z, -2.50507602534068634195e-08);
    let r = r.mul_add(z, 2.75573137070700676789e-06).mul_add(z, -1.98412698298579493134e-04);
    let r = r.mul_add(z, 8.33333333332248946124e-03);
    y - (v.mul_add(1.66666666666666324348e-01, z * (0.5 * tail - v * r) - tail))
}

/// The cosine of `y + tail` for |y| ≤ π/4.
#[inline(always)]
fn cos_near_zero(y: f64, tail: f64) -> f64 {
    let z = y * y;
    let r = (-1.13596475577881948265e-11_f64).mul_add(z, 2.08757232129817482790e-09);
    let r = r.mul_add(z, -2.75573143513906633035e-07).mul_add(z, 2.48015872894767294178e-05);
    let r = r.mul_add(z, -1.38888888888741095749e-03).mul_add(z, 4.16666666666666019037e-02);
    let half = 0.5 * z;
    let w = 1.0 - half;
    w + (((1.0 - w) - half) + (z * z).mul_add(r, -(y * tail)))
}

/// The quadrant (in the low bits), and the rest in two parts.
#[inline(always)]
fn reduced(x: f64) -> (u64, f64, f64) {
    let shifted = x.mul_add(std::f64::consts::FRAC_2_PI, ROUNDER);
    let n = shifted - ROUNDER;
    let r = n.mul_add(-HALF_PI_1, x);
    let high = n.mul_add(-HALF_PI_2, r);
    // What the subtraction rounded away (exact, since |n π/2| of the second part is small beside what it left), and
    // the third part.
    let lost = n.mul_add(-HALF_PI_2, r - high);
    let low = n.mul_add(-HALF_PI_3, lost);
    let y = high + low;
    (shifted.to_bits(), y, (high - y) + low)
}

/// The sine where the quadrant is even, the cosine where it is odd, with the sign of quadrants 2 and 3 turned.
#[inline(always)]
fn quadrant(n: u64, y: f64, tail: f64) -> f64 {
    let (sine, cosine) = (sin_near_zero(y, tail), cos_near_zero(y, tail));
    let value = if n & 1 == 0 { sine } else { cosine };
    f64::from_bits(value.to_bits() ^ ((n & 2) << 62))
}

/// The sine of a number of at most [`REDUCIBLE`] magnitude.
#[inline(always)]
pub(in crate::kernel) fn sin(x: f64) -> f64 {
    let (n, y, tail) = reduced(x);
    let result = quadrant(n, y, tail);
    if x == 0.0 { x } else { result }
}

/// The cosine of a number of at most [`REDUCIBLE`] magnitude.
#[inline(always)]
pub(in crate::kernel) fn cos(x: f64) -> f64 {
    let (n, y, tail) = reduced(x);
    quadrant(n.wrapping_add(1), y, tail)
}

/// The sine and the cosine of `turns` whole turns (2π each), for turns of [0, 1].
#[inline(always)]
pub(in crate::kernel) fn sin_cos_turns(turns: f64) -> (f64, f64) {
    let quarters = 4.0 * turns;
    let shifted = quarters + ROUNDER;
    let y = (quarters - (shifted - ROUNDER)) * std::f64::consts::FRAC_PI_2;
    let n = shifted.to_bits();
    (quadrant(n, y, 0.0), quadrant(n.wrapping_add(1), y, 0.0))
}
