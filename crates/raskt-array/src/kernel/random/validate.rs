//! Which parameters a distribution can have.

use super::Distribution;
use raskt_value::{ErrorKind, TaskError};

/// The largest mean of a Poisson distribution whose numbers are exact in 64 bits, as NumPy has it.
const POISSON_LAM_MAX: f64 = 9.223_372_006_484_771e18;

impl Distribution {
    /// An error (`ValueError`) that names the first parameter that is out of range.
    pub fn validate(&self) -> Result<(), TaskError> {
        use Distribution::*;
        match *self {
            Uniform { low, high } => check("high - low", high - low, (high - low).is_finite(), "finite"),
            Normal { loc, scale } | Laplace { loc, scale } | Logistic { loc, scale } | Gumbel { loc, scale } => {
                check("loc", loc, !loc.is_nan(), "a number")?;
                not_negative("scale", scale)
            }
            Exponential { scale } | Rayleigh { scale } => not_negative("scale", scale),
            Lognormal { sigma, .. } => not_negative("sigma", sigma),
            Integers { .. } | StandardCauchy => Ok(()),
            Bernoulli { p } => probability(p),
            Weibull { a } | Pareto { a } | Power { a } => positive("a", a),
            Triangular { left, mode, right } => {
                check("mode", mode, left <= mode && mode <= right, "between left and right")?;
                check("right", right, left < right && (right - left).is_finite(), "greater than left")
            }
            Gamma { shape, scale } => {
                not_negative("shape", shape)?;
                not_negative("scale", scale)
            }
            Beta { a, b } => {
                positive("a", a)?;
                positive("b", b)
            }
            Chisquare { df } | StandardT { df } => positive("df", df),
            F { dfnum, dfden } => {
                positive("dfnum", dfnum)?;
                positive("dfden", dfden)
            }
            Poisson { lam } => {
                check("lam", lam, (0.0..=POISSON_LAM_MAX).contains(&lam), "at least 0 and not too large")
            }
            Binomial { p, .. } => probability(p),
            NegativeBinomial { n, p } => {
                positive("n", n)?;
                check("p", p, p > 0.0 && p <= 1.0, "greater than 0 and at most 1")?;
                let most = (1.0 - p) / p * (n + 10.0 * n.sqrt());
                check("n", n, most <= POISSON_LAM_MAX, "smaller, or p larger")
            }
            Geometric { p } => check("p", p, p > 0.0 && p <= 1.0, "greater than 0 and at most 1"),
            Wald { mean, scale } => {
                positive("mean", mean)?;
                positive("scale", scale)
            }
            VonMises { mu, kappa } => {
                check("mu", mu, mu.is_finite(), "finite")?;
                not_negative("kappa", kappa)
            }
            NoncentralChisquare { df, nonc } => {
                positive("df", df)?;
                not_negative("nonc", nonc)
            }
            NoncentralF { dfnum, dfden, nonc } => {
                positive("dfnum", dfnum)?;
                positive("dfden", dfden)?;
                not_negative("nonc", nonc)
            }
            Zipf { a } => check("a", a, a > 1.0, "greater than 1"),
            Logseries { p } => check("p", p, (0.0..1.0).contains(&p), "at least 0 and smaller than 1"),
            Hypergeometric { ngood, nbad, nsample } => {
                let most = ngood.max(nbad);
                check("ngood and nbad", most as f64, most < 1_000_000_000, "smaller than 1000000000")?;
                check("nsample", nsample as f64, nsample <= ngood + nbad, "at most ngood + nbad")
            }
        }
    }
}

fn check(name: &str, value: f64, holds: bool, wanted: &str) -> Result<(), TaskError> {
    if holds {
        return Ok(());
    }
    Err(TaskError::new(ErrorKind::Value, format!("`{name}` must be {wanted}, and is {value}")))
}

fn not_negative(name: &str, value: f64) -> Result<(), TaskError> {
    check(name, value, value >= 0.0 && value.is_finite(), "finite and at least 0")
}

fn positive(name: &str, value: f64) -> Result<(), TaskError> {
    check(name, value, value > 0.0 && value.is_finite(), "finite and greater than 0")
}

fn probability(p: f64) -> Result<(), TaskError> {
    check("p", p, (0.0..=1.0).contains(&p), "between 0 and 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_have_no_distribution_are_refused() {
        use Distribution::*;
        for wrong in [
            Normal { loc: 0.0, scale: -1.0 },
            Uniform { low: f64::MIN, high: f64::MAX },
            Poisson { lam: f64::NAN },
            Poisson { lam: 1e19 },
            Gamma { shape: f64::INFINITY, scale: 1.0 },
            Beta { a: 0.0, b: 1.0 },
            Binomial { n: 5, p: 1.5 },
            NegativeBinomial { n: 1.0, p: 1e-30 },
            Triangular { left: 0.0, mode: 2.0, right: 1.0 },
            Geometric { p: 0.0 },
            Zipf { a: 1.0 },
            Logseries { p: 1.0 },
            Wald { mean: 0.0, scale: 1.0 },
            VonMises { mu: 0.0, kappa: -1.0 },
            NoncentralChisquare { df: 1.0, nonc: -1.0 },
            Hypergeometric { ngood: 3, nbad: 2, nsample: 6 },
        ] {
            assert_eq!(wrong.validate().unwrap_err().kind, ErrorKind::Value, "{wrong:?}");
        }
        assert!(Poisson { lam: 0.0 }.validate().is_ok());
        assert_eq!(
            Normal { loc: 0.0, scale: -1.0 }.validate().unwrap_err().message,
            "`scale` must be finite and at least 0, and is -1"
        );
    }
}
