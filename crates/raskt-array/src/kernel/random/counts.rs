//! Counts by rejection: Zipf, the logarithmic series, samples without replacement.

use super::philox::Draws;
use super::rejection::log_gamma;

/// The largest number that is given.
const MOST: f64 = i64::MAX as f64;

/// L. Devroye, *Non-uniform random variate generation* (1986), chapter X.6, kept below [`MOST`] as NumPy keeps it.
pub(super) fn zipf(a: f64, draws: &mut Draws) -> f64 {
    if a >= 1025.0 {
        // All others are less likely than the smallest number is large.
        return 1.0;
    }
    let exponent = a - 1.0;
    let (b, least) = (exponent.exp2(), MOST.powf(-exponent));
    loop {
        let u = draws.uniform();
        let u = u * least + (1.0 - u);
        let v = draws.uniform();
        let x = u.powf(-1.0 / exponent).floor();
        if !(1.0..=MOST).contains(&x) {
            continue;
        }
        let t = (1.0 + 1.0 / x).powf(exponent);
        if v * x * (t - 1.0) / (b - 1.0) <= t / b {
            return x;
        }
    }
}

/// A. W. Kemp, *Efficient generation of logarithmically distributed pseudo-random variables* (1981).
pub(super) fn logseries(p: f64, draws: &mut Draws) -> f64 {
    let r = (-p).ln_1p();
    loop {
        let v = draws.uniform();
        if v >= p {
            return 1.0;
        }
        let q = -(r * draws.uniform()).exp_m1();
        if v <= q * q {
            let found = (1.0 + v.ln() / q.ln()).floor();
            if found < 1.0 || v == 0.0 {
                continue;
            }
            return found;
        }
        return if v >= q { 1.0 } else { 2.0 };
    }
}

/// One after the other for a small sample (or a small rest), else by the ratio of uniforms.
pub(super) fn hypergeometric(good: u64, bad: u64, sample: u64, draws: &mut Draws) -> f64 {
    let total = good + bad;
    let found = if sample >= 10 && sample + 10 <= total {
        by_ratio(good, bad, sample, draws)
    } else {
        one_by_one(good, bad, sample, draws)
    };
    found as f64
}

fn one_by_one(good: u64, bad: u64, sample: u64, draws: &mut Draws) -> u64 {
    let total = good + bad;
    let complement = sample > total / 2;
    let mut taken = if complement { total - sample } else { sample };
    let (mut left, mut left_good) = (total, good);
    while taken > 0 && left_good > 0 && left > left_good {
        if draws.below(left) < left_good {
            left_good -= 1;
        }
        left -= 1;
        taken -= 1;
    }
    if left == left_good {
        left_good -= taken;
    }
    if complement { left_good } else { good - left_good }
}

/// E. Stadlober, *The ratio of uniforms approach for generating discrete random variates* (1990): HRUA*.
fn by_ratio(good: u64, bad: u64, sample: u64, draws: &mut Draws) -> u64 {
    const D1: f64 = 1.715_527_769_921_413_5;
    const D2: f64 = 0.898_916_162_058_898_8;
    let (fewer, more, total) = (good.min(bad) as f64, good.max(bad) as f64, (good + bad) as f64);
    let taken_whole = sample.min(good + bad - sample);
    let taken = taken_whole as f64;
    let (p, q) = (fewer / total, more / total);
    let a = taken * p + 0.5;
    let c = ((total - taken) * taken * p * q / (total - 1.0) + 0.5).sqrt();
    let h = D1 * c + D2;
    let mode = ((taken + 1.0) * (fewer + 1.0) / (total + 2.0)).floor();
    let log_factorials = |k: f64| {
        log_gamma(k + 1.0) + log_gamma(fewer - k + 1.0) + log_gamma(taken - k + 1.0) + log_gamma(more - taken + k + 1.0)
    };
    let at_mode = log_factorials(mode);
    let bound = (taken.min(fewer) + 1.0).min((a + 16.0 * c).floor());
    let found = loop {
        let u = 1.0 - draws.uniform();
        let x = a + h * (draws.uniform() - 0.5) / u;
        if x < 0.0 || x >= bound {
            continue;
        }
        let k = x.floor();
        let t = at_mode - log_factorials(k);
        if u * (4.0 - u) - 3.0 <= t {
            break k;
        }
        if u * (u - t) < 1.0 && 2.0 * u.ln() <= t {
            break k;
        }
    };
    let found = if good > bad { taken_whole - found as u64 } else { found as u64 };
    if taken_whole < sample { good - found } else { found }
}
