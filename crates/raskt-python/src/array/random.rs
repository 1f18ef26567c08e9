//! Random arrays.

use super::error::OrRaise;
use super::{ArrayExpr, chunks, dtype};
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use raskt_array::Array;
use raskt_array::kernel::Distribution;

/// Random numbers of the distribution `name` with NumPy's parameters in NumPy's order.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one call from one place in the Python face")]
fn array_random(
    name: &str,
    parameters: &Bound<'_, PyTuple>,
    seed: u64,
    stream: u32,
    shape: Vec<usize>,
    dtype: &Bound<'_, PyAny>,
    chunks: &Bound<'_, PyAny>,
    limit: Option<usize>,
) -> PyResult<ArrayExpr> {
    let distribution = distribution(name, parameters)?;
    check(name, distribution)?;
    let dtype = dtype::from_object(dtype)?;
    let grid = chunks::for_new_array(chunks, &shape, dtype, limit)?;
    Array::random(distribution, seed, stream, dtype, grid).or_raise().map(ArrayExpr::from)
}

fn distribution(name: &str, parameters: &Bound<'_, PyTuple>) -> PyResult<Distribution> {
    use Distribution::*;
    let number = |at: usize| parameters.get_item(at)?.extract::<f64>();
    let found = match name {
        "uniform" => Uniform { low: number(0)?, high: number(1)? },
        "normal" => Normal { loc: number(0)?, scale: number(1)? },
        "exponential" => Exponential { scale: number(0)? },
        "integers" => {
            let span = parameters.get_item(1)?.extract()?;
            let low = parameters.get_item(0)?;
            // Bounds beyond `i64` wrap round, as the numbers themselves will.
            let low = low.extract::<i64>().or_else(|_| low.extract::<u64>().map(|low| low as i64))?;
            Integers { low, span }
        }
        "lognormal" => Lognormal { mean: number(0)?, sigma: number(1)? },
        "laplace" => Laplace { loc: number(0)?, scale: number(1)? },
        "logistic" => Logistic { loc: number(0)?, scale: number(1)? },
        "gumbel" => Gumbel { loc: number(0)?, scale: number(1)? },
        "standard_cauchy" => StandardCauchy,
        "rayleigh" => Rayleigh { scale: number(0)? },
        "weibull" => Weibull { a: number(0)? },
        "pareto" => Pareto { a: number(0)? },
        "power" => Power { a: number(0)? },
        "triangular" => Triangular { left: number(0)?, mode: number(1)?, right: number(2)? },
        "gamma" => Gamma { shape: number(0)?, scale: number(1)? },
        "beta" => Beta { a: number(0)?, b: number(1)? },
        "chisquare" => Chisquare { df: number(0)? },
        "standard_t" => StandardT { df: number(0)? },
        "f" => F { dfnum: number(0)?, dfden: number(1)? },
        "poisson" => Poisson { lam: number(0)? },
        "binomial" => Binomial { n: trials("n", &parameters.get_item(0)?)?, p: number(1)? },
        "negative_binomial" => NegativeBinomial { n: number(0)?, p: number(1)? },
        "geometric" => Geometric { p: number(0)? },
        "wald" => Wald { mean: number(0)?, scale: number(1)? },
        "vonmises" => VonMises { mu: number(0)?, kappa: number(1)? },
        "noncentral_chisquare" => NoncentralChisquare { df: number(0)?, nonc: number(1)? },
        "noncentral_f" => NoncentralF { dfnum: number(0)?, dfden: number(1)?, nonc: number(2)? },
        "zipf" => Zipf { a: number(0)? },
        "logseries" => Logseries { p: number(0)? },
        "hypergeometric" => Hypergeometric {
            ngood: trials("ngood", &parameters.get_item(0)?)?,
            nbad: trials("nbad", &parameters.get_item(1)?)?,
            nsample: trials("nsample", &parameters.get_item(2)?)?,
        },
        _ => return Err(PyNotImplementedError::new_err(format!("there is no distribution `{name}`"))),
    };
    Ok(found)
}

fn trials(name: &str, n: &Bound<'_, PyAny>) -> PyResult<u64> {
    n.extract::<u64>()
        .map_err(|_| PyValueError::new_err(format!("{name} must be a whole number of at least 0, not {n}")))
}

/// Refuses parameters that the distribution isn't defined for, as NumPy does.
fn check(name: &str, distribution: Distribution) -> PyResult<()> {
    use Distribution::*;
    let not_negative: &[(&str, f64)] = &match distribution {
        Normal { scale, .. } | Exponential { scale } | Laplace { scale, .. } | Logistic { scale, .. } => {
            [("scale", scale)]
        }
        Gumbel { scale, .. } | Rayleigh { scale } | Gamma { scale, .. } => [("scale", scale)],
        Lognormal { sigma, .. } => [("sigma", sigma)],
        Weibull { a } => [("a", a)],
        Poisson { lam } => [("lam", lam)],
        _ => [("", 0.0)],
    };
    let positive: &[(&str, f64)] = match distribution {
        Pareto { a } | Power { a } => &[("a", a)],
        Gamma { shape, .. } if shape != 0.0 => &[("shape", shape)],
        Beta { a, b } => &[("a", a), ("b", b)],
        Chisquare { df } | StandardT { df } => &[("df", df)],
        F { dfnum, dfden } => &[("dfnum", dfnum), ("dfden", dfden)],
        NegativeBinomial { n, .. } => &[("n", n)],
        _ => &[],
    };
    let probability = match distribution {
        Binomial { p, .. } => Some((p, (0.0..=1.0).contains(&p), "[0, 1]")),
        NegativeBinomial { p, .. } | Geometric { p } => Some((p, p > 0.0 && p <= 1.0, "(0, 1]")),
        _ => None,
    };
    let refuse = |text: String| Err(PyValueError::new_err(format!("`{name}` {text}")));
    if let Some((what, value)) = not_negative.iter().find(|(_, value)| value.is_nan() || *value < 0.0) {
        return refuse(format!("needs {what} >= 0, not {value}"));
    }
    if let Some((what, value)) = positive.iter().find(|(_, value)| value.is_nan() || *value <= 0.0) {
        return refuse(format!("needs {what} > 0, not {value}"));
    }
    if let Some((p, false, range)) = probability {
        return refuse(format!("needs a probability of {range}, not {p}"));
    }
    if let Triangular { left, mode, right } = distribution
        && !(left <= mode && mode <= right && left < right)
    {
        return refuse(format!("needs left <= mode <= right and left < right, not {left}, {mode}, {right}"));
    }
    if let Uniform { low, high } = distribution
        && !(high - low).is_finite()
    {
        return Err(pyo3::exceptions::PyOverflowError::new_err(format!(
            "the range from {low} to {high} is not finite"
        )));
    }
    Ok(())
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_random, module)?)
}
