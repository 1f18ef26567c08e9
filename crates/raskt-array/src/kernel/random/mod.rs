//! Random numbers that are counted, not drawn in turn.
//!
//! The generator is Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: *Parallel random numbers: as
//! easy as 1, 2, 3*, SC 2011). Its key is the seed; its counter is made of the global index of the element, the number
//! of the draw within the element, and the stream. So an element has the same value however the array is cut into
//! blocks, whichever thread makes it, and on every device.

use serde::{Deserialize, Serialize};

mod circular;
mod counts;
mod fill;
mod philox;
mod rejection;
mod transform;
mod validate;
#[cfg(target_arch = "x86_64")]
mod wide;

/// Random numbers: a key and a distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Random {
    /// The seed: the key of the generator.
    pub seed: u64,
    /// Which of the sequences of that seed: every array has one of its own.
    pub stream: u32,
    /// How the numbers are distributed.
    pub distribution: Distribution,
}

/// The distributions, with NumPy's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Distribution {
    /// Uniform over `[low, high)`.
    Uniform {
        /// The lowest value.
        low: f64,
        /// The bound above, which isn't reached.
        high: f64,
    },
    /// Normal (Gaussian).
    Normal {
        /// Mean.
        loc: f64,
        /// Standard deviation, at least 0.
        scale: f64,
    },
    /// Exponential.
    Exponential {
        /// Mean, at least 0.
        scale: f64,
    },
    /// Integers of `[low, low + span)`, all as likely; `span` 0 stands for 2^64.
    Integers {
        /// The lowest value.
        low: i64,
        /// How many values there are.
        span: u64,
    },
    /// 1 with probability `p`, else 0.
    Bernoulli {
        /// Probability of a one.
        p: f64,
    },
    /// Exponential of a normal number.
    Lognormal {
        /// Mean of the logarithm.
        mean: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// Laplace (double exponential).
    Laplace {
        /// Mean.
        loc: f64,
        /// Mean distance from it.
        scale: f64,
    },
    /// Logistic.
    Logistic {
        /// Mean.
        loc: f64,
        /// Scale.
        scale: f64,
    },
    /// Gumbel (extreme value).
    Gumbel {
        /// Mode.
        loc: f64,
        /// Scale.
        scale: f64,
    },
    /// Cauchy.
    StandardCauchy,
    /// Rayleigh.
    Rayleigh {
        /// Mode.
        scale: f64,
    },
    /// Weibull of scale 1.
    Weibull {
        /// Shape.
        a: f64,
    },
    /// Pareto II (Lomax) of scale 1.
    Pareto {
        /// Shape.
        a: f64,
    },
    /// Density `a x^(a-1)` over `[0, 1]`.
    Power {
        /// Exponent plus one.
        a: f64,
    },
    /// Triangular.
    Triangular {
        /// Lowest value.
        left: f64,
        /// Most likely value.
        mode: f64,
        /// Highest value.
        right: f64,
    },
    /// Gamma.
    Gamma {
        /// Shape.
        shape: f64,
        /// Scale.
        scale: f64,
    },
    /// Beta.
    Beta {
        /// Weight towards one.
        a: f64,
        /// Weight towards zero.
        b: f64,
    },
    /// Chi squared.
    Chisquare {
        /// Degrees of freedom.
        df: f64,
    },
    /// Student's t.
    StandardT {
        /// Degrees of freedom.
        df: f64,
    },
    /// Fisher's F.
    F {
        /// Degrees of freedom of the numerator.
        dfnum: f64,
        /// Degrees of freedom of the denominator.
        dfden: f64,
    },
    /// Poisson.
    Poisson {
        /// Mean.
        lam: f64,
    },
    /// Binomial.
    Binomial {
        /// Trials.
        n: u64,
        /// Probability of success.
        p: f64,
    },
    /// Failures before the `n`th success.
    NegativeBinomial {
        /// Successes.
        n: f64,
        /// Probability of success.
        p: f64,
    },
    /// Trials up to the first success.
    Geometric {
        /// Probability of success.
        p: f64,
    },
    /// Wald (inverse Gaussian).
    Wald {
        /// Mean.
        mean: f64,
        /// Scale.
        scale: f64,
    },
    /// Von Mises: angles of `[-pi, pi]`.
    VonMises {
        /// The most likely angle.
        mu: f64,
        /// How much the angles gather there; 0 for not at all.
        kappa: f64,
    },
    /// Noncentral chi squared.
    NoncentralChisquare {
        /// Degrees of freedom.
        df: f64,
        /// Noncentrality, at least 0.
        nonc: f64,
    },
    /// Noncentral F.
    NoncentralF {
        /// Degrees of freedom of the numerator.
        dfnum: f64,
        /// Degrees of freedom of the denominator.
        dfden: f64,
        /// Noncentrality of the numerator, at least 0.
        nonc: f64,
    },
    /// Zipf: whole numbers *k* of probability proportional to `k^-a`.
    Zipf {
        /// The exponent, above 1.
        a: f64,
    },
    /// The logarithmic series: whole numbers *k* of probability proportional to `p^k / k`.
    Logseries {
        /// The base, of `[0, 1)`.
        p: f64,
    },
    /// Good ones in a sample without replacement.
    Hypergeometric {
        /// How many good ones there are.
        ngood: u64,
        /// How many others.
        nbad: u64,
        /// How many are taken.
        nsample: u64,
    },
}
