//! Against the standard library, over edges and over samples of all magnitudes.

use super::*;

const EDGES: [f64; 30] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
    f64::MAX,
    f64::MIN,
    f64::EPSILON,
    -f64::EPSILON,
    709.782712893384,
    709.7827128933841,
    -745.13,
    -745.2,
    -708.4,
    1e-17,
    -1e-17,
    22.0,
    1e6,
    -1e6,
    std::f64::consts::PI,
    std::f64::consts::FRAC_PI_2,
];

/// Numbers of all magnitudes: random bits, and uniform ones in a range.
fn samples(range: f64) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state ^ (state >> 29)
    };
    let wide: Vec<f64> = (0..20_000).map(|_| f64::from_bits(next())).collect();
    let near = (0..200_000).map(|_| (next() >> 11) as f64 / (1_u64 << 52) as f64 * range - range);
    EDGES.into_iter().chain(wide.iter().copied()).chain(near).collect()
}

fn ulps_between(found: f64, expected: f64) -> u64 {
    if found.is_nan() || expected.is_nan() {
        return if found.is_nan() && expected.is_nan() { 0 } else { u64::MAX };
    }
    let order = |x: f64| if x.is_sign_negative() { -((x.to_bits() << 1 >> 1) as i64) } else { x.to_bits() as i64 };
    order(found).abs_diff(order(expected))
}

fn check(name: &str, found: impl Fn(f64) -> f64, expected: impl Fn(f64) -> f64, range: f64, within: u64) {
    for x in samples(range) {
        let (found, expected) = (found(x), expected(x));
        let ulps = ulps_between(found, expected);
        assert!(ulps <= within, "{name}({x:e}) is {found:e}, not {expected:e}: {ulps} ulps");
        assert!(found != 0.0 || found.is_sign_negative() == expected.is_sign_negative(), "{name}({x:e}): sign of zero");
    }
}

#[test]
fn exponentials_agree() {
    check("exp", exp, f64::exp, 750.0, 1);
    check("exp", exp, f64::exp, 1.0, 1);
    let moderate = |f: fn(f64) -> f64| move |x: f64| if x.abs() <= MODERATE { f(x) } else { 0.0 };
    check("exp_moderate", moderate(exp_moderate), moderate(f64::exp), 700.0, 1);
    check("expm1", expm1, f64::exp_m1, 50.0, 2);
    check("expm1", expm1, f64::exp_m1, 1.0, 2);
    check("tanh", tanh, f64::tanh, 25.0, 3);
    check("tanh", tanh, f64::tanh, 1.0, 3);
}

#[test]
fn logarithms_agree() {
    check("log", log, f64::ln, 1e3, 1);
    check("log", log, f64::ln, 2.0, 1);
    check("log1p", log1p, f64::ln_1p, 1e3, 2);
    check("log1p", log1p, f64::ln_1p, 1.0, 2);
}

#[test]
fn sine_and_cosine_agree() {
    let bounded = |f: fn(f64) -> f64| move |x: f64| if x.abs() <= REDUCIBLE { f(x) } else { 0.0 };
    for range in [REDUCIBLE, 100.0, 1.0] {
        check("sin", bounded(sin), bounded(f64::sin), range, 1);
        check("cos", bounded(cos), bounded(f64::cos), range, 1);
    }
    for at in 0..=1000 {
        let turns = f64::from(at) / 1000.0;
        let (sine, cosine) = sin_cos_turns(turns);
        let (expected_sine, expected_cosine) = (turns * std::f64::consts::TAU).sin_cos();
        assert!((sine - expected_sine).abs() < 1e-15 && (cosine - expected_cosine).abs() < 1e-15);
    }
}
