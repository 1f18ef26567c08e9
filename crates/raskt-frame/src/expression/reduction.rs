use super::{Expression, Extent, digest_of};
use crate::domain::{Domain, DomainClass::*};
use crate::error::{FrameError, Result};
use polars::prelude::*;

/// What a reduction can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReduceOptions {
    /// What is taken from the number of values in variances.
    pub ddof: u8,
    /// Which quantile.
    pub q: f64,
    /// With fewer values than this a sum or product is missing.
    pub min_count: u32,
    /// Whether missing values are left out; otherwise one of them makes the result missing.
    pub skipna: bool,
}

impl Default for ReduceOptions {
    fn default() -> Self {
        Self { ddof: 1, q: 0.5, min_count: 0, skipna: true }
    }
}

impl Expression {
    /// The value of the first row, whatever it is.
    pub(crate) fn only(&self) -> Self {
        let domain = Domain { missing: true, ..self.domain.clone() };
        let digest = digest_of(&["only"], &[self.digest]);
        let expr = self.expr.clone().first();
        Self { expr, condition: None, fixed_point: None, domain, extent: Extent::OrderedScalar, digest }
    }

    /// One value from all of a group's (or of all rows'): `function` is pandas' name of the reduction.
    pub(crate) fn reduce(&self, scope: &Schema, function: &str, options: ReduceOptions) -> Result<Self> {
        let class = self.domain.class();
        let allowed = match function {
            "count" | "size" | "nunique" | "first" | "last" => true,
            "min" | "max" => !matches!(class, Category | Other),
            "sum" => matches!(class, Bool | Int | Float | Decimal | Duration),
            "mean" | "median" | "quantile" | "std" => {
                matches!(class, Bool | Int | Float | Decimal | Duration) || (function != "std" && class == Time)
            }
            "any" | "all" => matches!(class, Bool | Int | Float),
            _ => matches!(class, Bool | Int | Float | Decimal),
        };
        if !allowed {
            let dtype = self.domain.pandas_dtype();
            return Err(FrameError::Type(format!("`{function}` doesn't work on a column of {dtype}")));
        }
        let x = self.normal();
        let can_miss = self.domain.can_miss();
        let number = if class == Bool { x.clone().cast(DataType::Int64) } else { x.clone() };
        let count = || x.clone().count().cast(DataType::Int64);
        let expr = match function {
            "sum" => self.widened(number).sum(),
            "prod" => self.widened(number).product(),
            "mean" => number.mean(),
            "min" => x.clone().min(),
            "max" => x.clone().max(),
            "count" => count(),
            "size" => self.expr.clone().len().cast(DataType::Int64),
            "std" => number.std(options.ddof),
            "var" => number.var(options.ddof),
            "sem" => number.std(options.ddof) / x.clone().count().cast(DataType::Float64).sqrt(),
            "median" => number.median(),
            "quantile" => number.quantile(lit(options.q), QuantileMethod::Linear),
            "nunique" if can_miss => x.clone().drop_nulls().n_unique().cast(DataType::Int64),
            "nunique" => x.clone().n_unique().cast(DataType::Int64),
            "first" if can_miss => x.clone().first_non_null(),
            "first" => x.clone().first(),
            "last" if can_miss => x.clone().last_non_null(),
            "last" => x.clone().last(),
            "any" => truth(x.clone(), &self.domain).any(true),
            "all" => truth(x.clone(), &self.domain).all(true),
            "skew" => number.skew(false),
            "kurt" => number.kurtosis(true, false),
            _ => {
                return Err(FrameError::NotImplemented(format!(
                    "the reduction `{function}` has no native form yet; use map_partitions or compute the column"
                )));
            }
        };
        let mut expr = expr;
        let countless = matches!(function, "count" | "size" | "nunique" | "any" | "all");
        if options.min_count > 0 && matches!(function, "sum" | "prod") {
            expr = when(count().gt_eq(lit(options.min_count))).then(expr).otherwise(lit(NULL));
        }
        if !options.skipna && can_miss && !countless {
            expr = when(x.clone().null_count().eq(lit(0))).then(expr).otherwise(lit(NULL));
        }
        // The sum of integers some of which are missing is a float, as it is in pandas.
        if matches!(function, "sum" | "prod" | "min" | "max") && class == Int && self.domain.missing {
            expr = expr.cast(DataType::Float64);
        }
        let dtype = super::type_of(scope, &expr)?;
        let full = countless || (matches!(function, "sum" | "prod") && options.min_count == 0 && options.skipna);
        let ordered =
            matches!(function, "first" | "last") || matches!(self.extent, Extent::Window | Extent::OrderedScalar);
        let extent = if ordered { Extent::OrderedScalar } else { Extent::Scalar };
        let words = [function, &format!("{options:?}")];
        let digest = digest_of(&words, &[self.digest]);
        let nan = dtype.is_float() && self.can_make_nan(function);
        let domain = Domain::new(dtype, !full, nan);
        Ok(Self { expr, condition: None, fixed_point: None, domain, extent, digest })
    }

    /// Sums of narrow integers are 64 bits wide.
    fn widened(&self, x: Expr) -> Expr {
        match &self.domain.dtype {
            dtype if dtype.is_unsigned_integer() && *dtype != DataType::UInt64 => x.cast(DataType::UInt64),
            dtype if dtype.is_signed_integer() && *dtype != DataType::Int64 => x.cast(DataType::Int64),
            _ => x,
        }
    }

    /// Infinite values can cancel out to NaN in sums and what is made of them.
    fn can_make_nan(&self, function: &str) -> bool {
        !matches!(function, "min" | "max" | "first" | "last")
            && self.domain.class() == Float
            && !self.domain.is_moderate()
    }

    /// The same, known to be of a group that isn't empty: the least of values none of which is missing isn't either.
    pub(crate) fn of_group(mut self, function: &str, input: &Expression) -> Self {
        if matches!(function, "min" | "max" | "first" | "last" | "mean" | "median" | "quantile")
            && !input.domain.can_miss()
        {
            self.domain.missing = false;
        }
        self
    }
}

fn truth(x: Expr, domain: &Domain) -> Expr {
    match domain.class() {
        Bool => x,
        Int => x.neq(lit(0)),
        _ => x.neq(lit(0.0)),
    }
}
