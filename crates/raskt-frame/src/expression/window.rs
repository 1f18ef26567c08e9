use super::dtypes::{engine_dtype, number_of, reduced_number};
use super::{Expression, Extent, Operand, digest_of};
use crate::domain::DomainClass::*;
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use polars::prelude::*;

impl Expression {
    /// `cumsum`, `cumprod`, `cummin` or `cummax`; missing values stay missing and count for nothing.
    pub(crate) fn cumulative(&self, scope: &Schema, op: &str) -> Result<Self> {
        let own = self.settled();
        let class = own.domain.class();
        if !matches!(class, Bool | Int | Float | Duration) {
            let dtype = self.domain.pandas_dtype();
            return Err(FrameError::Type(format!("`{op}` doesn't work on a column of {dtype}")));
        }
        if class == Bool && (own.domain.missing || !matches!(op, "cumsum" | "cumprod")) {
            return Err(FrameError::NotNative(format!("`{op}` of truth values has no native form")));
        }
        let wide = number_of(&own.domain.dtype).and_then(|dtype| match op {
            "cumsum" | "cumprod" => reduced_number(op, dtype),
            _ => Some(dtype),
        });
        let dtype = wide.map_or_else(|| own.domain.dtype.clone(), engine_dtype);
        let number = if dtype == own.domain.dtype { own.normal() } else { own.normal().cast(dtype.clone()) };
        let expr = match op {
            "cumsum" => number.cum_sum(false),
            "cumprod" => number.cum_prod(false),
            "cummin" => number.cum_min(false),
            "cummax" => number.cum_max(false),
            _ => return Err(FrameError::Value(format!("`{op}` is not a cumulative operation"))),
        };
        let found = own.window(scope, op, expr, own.domain.can_miss())?;
        found.check(dtype)?;
        Ok(found)
    }

    /// The values moved down by `rows` (up if negative); `fill`, or missing, where none comes from.
    pub(crate) fn shift(&self, scope: &Schema, rows: i64, fill: &Literal) -> Result<Self> {
        let what = format!("shift {rows} {fill:?}");
        let (own, expr) = match fill {
            Literal::Missing => (self.clone(), self.expr.clone().shift(lit(rows))),
            fill => {
                let own = self.settled();
                let fill = own.fitting("shift", &Operand::Literal(fill.clone()))?;
                let expr = own.expr.clone().shift_and_fill(lit(rows), fill);
                (own, expr)
            }
        };
        let missing = own.domain.missing || (*fill == Literal::Missing && rows != 0);
        let found = own.window(scope, &what, expr, missing)?.nan(own.domain.nan);
        found.check(own.domain.dtype.clone())?;
        Ok(found)
    }

    /// The difference from the value `rows` above.
    pub(crate) fn diff(&self, scope: &Schema, rows: i64) -> Result<Self> {
        let before = self.shift(scope, rows, &Literal::Missing)?;
        match self.domain.dtype {
            // pandas subtracts these as integers, and makes floats of the differences.
            DataType::Int32 | DataType::Int64 if !self.domain.missing => {
                let expr = self.expr.clone() - before.expr.clone();
                let found = Self::computed(scope, "diff", &[&self.operand(), &before.operand()], expr)?;
                found.check(self.domain.dtype.clone())?;
                Ok(found.missing(rows != 0))
            }
            DataType::Float32 | DataType::Float64 | DataType::Datetime(..) | DataType::Duration(_) => {
                Self::arithmetic(scope, "sub", &self.operand(), &before.operand())
            }
            _ => {
                let dtype = self.domain.pandas_dtype();
                Err(FrameError::NotNative(format!("`diff` of a column of {dtype} has no native form")))
            }
        }
    }

    /// The place of each value in their order, from 1; a missing value has none.
    pub(crate) fn rank(&self, scope: &Schema, method: &str, ascending: bool) -> Result<Self> {
        let rank = match method {
            "average" => RankMethod::Average,
            "min" => RankMethod::Min,
            "max" => RankMethod::Max,
            "first" => RankMethod::Ordinal,
            "dense" => RankMethod::Dense,
            _ => {
                return Err(FrameError::Value(format!(
                    "method is `{method}`; it has to be `average`, `min`, `max`, `first` or `dense`"
                )));
            }
        };
        let options = RankOptions { method: rank, descending: !ascending };
        let expr = self.normal().rank(options, None).cast(DataType::Float64);
        self.window(scope, &format!("rank {method} {ascending}"), expr, self.domain.can_miss())
    }

    /// Missing values replaced by the last one above (or the next below) that isn't.
    pub(crate) fn fill_along(&self, scope: &Schema, forward: bool) -> Result<Self> {
        let strategy = if forward { FillNullStrategy::Forward(None) } else { FillNullStrategy::Backward(None) };
        let what = if forward { "ffill" } else { "bfill" };
        let own = self.settled();
        own.window(scope, what, own.normal().fill_null_with_strategy(strategy), own.domain.can_miss())
    }

    /// What this expression gives within each group of equal `keys`, in the rows of the group.
    pub(crate) fn over(&self, scope: &Schema, keys: &[Expression]) -> Result<Self> {
        let by: Vec<Expr> = keys.iter().map(Self::normal).collect();
        let mut expr = self.expr.clone().over(by)?;
        let mut missing = self.domain.missing;
        for key in keys.iter().filter(|key| key.domain.can_miss()) {
            // Rows whose key is missing belong to no group.
            expr = when(key.normal().is_not_null()).then(expr).otherwise(lit(NULL));
            missing = true;
        }
        let digests: Vec<u128> = std::iter::once(self.digest).chain(keys.iter().map(|key| key.digest)).collect();
        let found = self.window(scope, "over", expr, missing)?.nan(self.domain.nan);
        Ok(Self { digest: digest_of(&["over"], &digests), ..found })
    }

    /// The position of each row, from 0.
    pub(crate) fn row_number(scope: &Schema) -> Result<Self> {
        let expr = int_range(lit(0), len(), 1, DataType::Int64);
        Ok(Self::computed(scope, "row number", &[], expr)?.extent(Extent::Window))
    }

    fn window(&self, scope: &Schema, what: &str, expr: Expr, missing: bool) -> Result<Self> {
        let found = Self::computed(scope, what, &[&Operand::Expression(self.clone())], expr)?;
        Ok(found.missing(missing).extent(Extent::Window))
    }
}
