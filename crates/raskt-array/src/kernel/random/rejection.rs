//! Distributions of which an element takes as many draws as it needs.

use super::philox::Draws;
use super::{Distribution, circular, counts};

/// One number of `distribution`.
pub(super) fn draw(distribution: &Distribution, draws: &mut Draws) -> f64 {
    use Distribution::*;
    match *distribution {
        Gamma { shape, scale } => scale * gamma(shape, draws),
        Chisquare { df } => 2.0 * gamma(df / 2.0, draws),
        Beta { a, b } => beta(a, b, draws),
        StandardT { df } => draws.normal() / (gamma(df / 2.0, draws) * 2.0 / df).sqrt(),
        F { dfnum, dfden } => (gamma(dfnum / 2.0, draws) / dfnum) / (gamma(dfden / 2.0, draws) / dfden),
        Poisson { lam } => poisson(lam, draws),
        Binomial { n, p } => binomial(n, p, draws),
        NegativeBinomial { n, p } => {
            let rate = gamma(n, draws) * (1.0 - p) / p;
            poisson(rate, draws)
        }
        Wald { mean, scale } => wald(mean, scale, draws),
        VonMises { mu, kappa } => circular::von_mises(mu, kappa, draws),
        NoncentralChisquare { df, nonc } => noncentral_chisquare(df, nonc, draws),
        NoncentralF { dfnum, dfden, nonc } => {
            (noncentral_chisquare(dfnum, nonc, draws) / dfnum) / (2.0 * gamma(dfden / 2.0, draws) / dfden)
        }
        Zipf { a } => counts::zipf(a, draws),
        Logseries { p } => counts::logseries(p, draws),
        Hypergeometric { ngood, nbad, nsample } => counts::hypergeometric(ngood, nbad, nsample, draws),
        _ => unreachable!("the others take one draw"),
    }
}

/// J. R. Michael, W. R. Schucany and R. W. Haas, *Generating random variates using transformations with multiple
/// roots* (1976), the smaller root written without a difference.
fn wald(mean: f64, scale: f64, draws: &mut Draws) -> f64 {
    let normal = draws.normal();
    let y = mean * normal * normal;
    let root = y + (4.0 * scale * y + y * y).sqrt();
    let smaller = if y > 0.0 { mean * (4.0 * scale * y / root / root) } else { mean };
    if draws.uniform() <= mean / (mean + smaller) { smaller } else { mean * (mean / smaller) }
}

fn noncentral_chisquare(df: f64, nonc: f64, draws: &mut Draws) -> f64 {
    if df > 1.0 {
        let central = 2.0 * gamma((df - 1.0) / 2.0, draws);
        let shifted = draws.normal() + nonc.sqrt();
        return central + shifted * shifted;
    }
    let more = if nonc > 0.0 { poisson(nonc / 2.0, draws) } else { 0.0 };
    2.0 * gamma(df / 2.0 + more, draws)
}

/// G. Marsaglia and W. W. Tsang, *A simple method for generating gamma variables* (2000).
fn gamma(shape: f64, draws: &mut Draws) -> f64 {
    if shape == 0.0 {
        return 0.0;
    }
    if shape < 1.0 {
        let boost = (-draws.exponential() / shape).exp();
        return gamma(shape + 1.0, draws) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = draws.normal();
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        let u = 1.0 - draws.uniform();
        if u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// By two gammas; where both underflow (tiny parameters), by their logarithms (Jöhnk).
fn beta(a: f64, b: f64, draws: &mut Draws) -> f64 {
    if a <= 1.0 && b <= 1.0 {
        loop {
            let (log_x, log_y) = (-draws.exponential() / a, -draws.exponential() / b);
            let (x, y) = (log_x.exp(), log_y.exp());
            if x + y > 1.0 {
                continue;
            }
            if x + y > 0.0 {
                return x / (x + y);
            }
            let most = log_x.max(log_y);
            return (log_x - most - ((log_x - most).exp() + (log_y - most).exp()).ln()).exp();
        }
    }
    let (x, y) = (gamma(a, draws), gamma(b, draws));
    x / (x + y)
}

/// By multiplication for a small mean, else W. Hörmann's PTRS, *The transformed rejection method for generating Poisson
/// random variables* (1993).
fn poisson(lam: f64, draws: &mut Draws) -> f64 {
    if lam < 10.0 {
        let bound = (-lam).exp();
        let (mut count, mut product) = (0.0, draws.uniform());
        while product > bound {
            count += 1.0;
            product *= draws.uniform();
        }
        return count;
    }
    let log_lam = lam.ln();
    let b = 0.931 + 2.53 * lam.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let v_r = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u = draws.uniform() - 0.5;
        let v = 1.0 - draws.uniform();
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + lam + 0.43).floor();
        if us >= 0.07 && v <= v_r {
            return k;
        }
        if k < 0.0 || (us < 0.013 && v > us) {
            continue;
        }
        if v.ln() + inverse_alpha.ln() - (a / (us * us) + b).ln() <= -lam + k * log_lam - log_gamma(k + 1.0) {
            return k;
        }
    }
}

/// By counting the gaps between successes for a small mean, else W. Hörmann's BTRS, *The generation of binomial random
/// variates* (1993).
fn binomial(n: u64, p: f64, draws: &mut Draws) -> f64 {
    let trials = n as f64;
    if p > 0.5 {
        return trials - binomial(n, 1.0 - p, draws);
    }
    if p <= 0.0 || n == 0 {
        return 0.0;
    }
    if trials * p < 10.0 {
        let log_q = (-p).ln_1p();
        let (mut count, mut passed) = (0.0, 0.0);
        loop {
            passed += (draws.exponential() / -log_q).floor() + 1.0;
            if passed > trials {
                return count;
            }
            count += 1.0;
        }
    }
    let deviation = (trials * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let c = trials * p + 0.5;
    let v_r = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * deviation;
    let log_odds = (p / (1.0 - p)).ln();
    let mode = ((trials + 1.0) * p).floor();
    let at_mode = log_gamma(mode + 1.0) + log_gamma(trials - mode + 1.0);
    loop {
        let u = draws.uniform() - 0.5;
        let v = 1.0 - draws.uniform();
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + c).floor();
        if k < 0.0 || k > trials {
            continue;
        }
        if us >= 0.07 && v <= v_r {
            return k;
        }
        let scaled = (v * alpha / (a / (us * us) + b)).ln();
        if scaled <= at_mode - log_gamma(k + 1.0) - log_gamma(trials - k + 1.0) + (k - mode) * log_odds {
            return k;
        }
    }
}

/// The logarithm of the gamma function for `x` of at least 1, by Stirling's series.
pub(super) fn log_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series =
        inverse.mul_add(inverse.mul_add(inverse.mul_add(-1.0 / 1680.0, 1.0 / 1260.0), -1.0 / 360.0), 1.0 / 12.0);
    (x - 0.5) * x.ln() - x + 0.918_938_533_204_672_8 + series / x - shift
}
