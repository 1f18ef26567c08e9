use super::dtypes::{engine_dtype, number_of, reduced_number};
use super::reduction::as_floats;
use super::{Expression, Extent, Operand};
use crate::domain::DomainClass::*;
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::tree::{Arithmetic, ColumnDtype, Expr, Function, Ties, WindowFunction, missing, row_number, when};
use polars::prelude::{DataType, Schema};

impl Expression {
    /// `cumsum`, `cumprod`, `cummin` or `cummax`; missing values stay missing and count for nothing.
    pub(crate) fn cumulative(&self, scope: &Schema, op: &str) -> Result<Self> {
        let own = self.settled();
        let class = own.domain.class();
        if !matches!(class, Bool | Int | Float | Duration) {
            let dtype = self.domain.pandas_dtype();
            return Err(FrameError::Type(format!("`{op}` doesn't work on a column of {dtype}")));
        }
        if class == Bool && (own.domain.may_be_objects() || !matches!(op, "cumsum" | "cumprod")) {
            return Err(FrameError::NotNative(format!("`{op}` of truth values has no native form")));
        }
        let wide = number_of(&own.domain.dtype).and_then(|dtype| match op {
            "cumsum" | "cumprod" => reduced_number(op, dtype),
            _ => Some(dtype),
        });
        let dtype = wide.map_or_else(|| own.domain.dtype.clone(), engine_dtype);
        let number =
            if dtype == own.domain.dtype { own.normal() } else { own.normal().cast(ColumnDtype::of_engine(&dtype)?) };
        let function = match op {
            "cumsum" => WindowFunction::CumulativeSum,
            "cumprod" => WindowFunction::CumulativeProduct,
            "cummin" => WindowFunction::CumulativeMinimum,
            "cummax" => WindowFunction::CumulativeMaximum,
            _ => return Err(FrameError::Value(format!("`{op}` is not a cumulative operation"))),
        };
        let expr = match op {
            "cumsum" if class == Duration => {
                let floats = as_floats(number.clone()).window(function.clone());
                number.window(function).arithmetic(Arithmetic::CheckedSum, floats)
            }
            _ => number.window(function),
        };
        let mut found = own.window(scope, expr, own.domain.can_miss())?;
        found.check(dtype)?;
        if self.domain.is_rounded() && matches!(op, "cumsum" | "cumprod") {
            found.expr = found.expr.map(Function::RefuseLarge);
        }
        // Infinities of both signs add up to NaN.
        let adds = matches!(op, "cumsum" | "cumprod") && !own.domain.is_moderate();
        Ok(found.nan(adds))
    }

    /// The values moved down by `rows` (up if negative); `fill`, or missing, where none comes from.
    pub(crate) fn shift(&self, scope: &Schema, rows: i64, fill: &Literal) -> Result<Self> {
        if self.domain.class() == Bool && *fill == Literal::Missing && rows != 0 {
            return Err(FrameError::NotNative("truth values some of which are missing are objects in pandas".into()));
        }
        let own = if *fill == Literal::Missing { self.clone() } else { self.settled() };
        let fill_value = match fill {
            Literal::Missing => None,
            fill => match own.fitting("shift", &Operand::Literal(fill.clone()))? {
                Expr::Literal(value) => Some(value),
                other => return Err(FrameError::NotNative(format!("`shift` can't fill with {other}"))),
            },
        };
        let expr = own.expr.clone().window(WindowFunction::Shift { rows, fill: fill_value });
        let can_miss = own.domain.missing || (*fill == Literal::Missing && rows != 0);
        let found = own.window(scope, expr, can_miss)?.nan(own.domain.nan);
        found.check(own.domain.dtype.clone())?;
        if self.domain.is_rounded() && *fill != Literal::Missing {
            // Which value was put in, and would be rounded, isn't told from the others.
            let expr = found.expr.clone().map(Function::RefuseLarge);
            return Ok(Self { expr, ..found });
        }
        Ok(if own.domain.missing { found.settled() } else { found.rounded() })
    }

    /// The difference from the value `rows` above.
    pub(crate) fn diff(&self, scope: &Schema, rows: i64) -> Result<Self> {
        match self.domain.dtype {
            // pandas subtracts these as integers, and makes floats of the differences.
            DataType::Int32 | DataType::Int64 if !self.domain.missing => {
                let before = self.expr.clone().window(WindowFunction::Shift { rows, fill: None });
                let before = self.window(scope, before, rows != 0)?;
                let expr = self.expr.clone().arithmetic(Arithmetic::Subtract, before.expr.clone());
                let found = Self::computed(scope, &[&self.operand(), &before.operand()], expr)?;
                found.check(self.domain.dtype.clone())?;
                Ok(found.missing(true).rounded())
            }
            DataType::Float32 | DataType::Float64 | DataType::Datetime(..) | DataType::Duration(_) => {
                let before = self.shift(scope, rows, &Literal::Missing)?;
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
        let ties = match method {
            "average" => Ties::Average,
            "min" => Ties::Minimum,
            "max" => Ties::Maximum,
            "first" => Ties::First,
            "dense" => Ties::Dense,
            _ => {
                return Err(FrameError::Value(format!(
                    "method is `{method}`; it has to be `average`, `min`, `max`, `first` or `dense`"
                )));
            }
        };
        let expr = self.normal().window(WindowFunction::Rank { ties, descending: !ascending });
        self.window(scope, expr, self.domain.can_miss())
    }

    /// Missing values replaced by the last one above (or the next below) that isn't.
    pub(crate) fn fill_along(&self, scope: &Schema, forward: bool) -> Result<Self> {
        let function = if forward { WindowFunction::FillForward } else { WindowFunction::FillBackward };
        let own = self.settled();
        let mut found = own.window(scope, own.normal().window(function), own.domain.can_miss())?;
        found.domain.was_missing = own.domain.may_be_objects();
        Ok(found)
    }

    /// What this expression gives within each group of equal `keys`, in the rows of the group.
    pub(crate) fn over(&self, scope: &Schema, keys: &[Expression]) -> Result<Self> {
        let mut expr = self.expr.clone().over(keys.iter().map(Self::normal));
        let mut can_miss = self.domain.missing && !self.fills_groups;
        for key in keys.iter().filter(|key| key.domain.can_miss()) {
            // Rows whose key is missing belong to no group.
            expr = when(key.normal().is_not_null(), expr, missing(self.dtype()?));
            can_miss = true;
        }
        Ok(self.window(scope, expr, can_miss)?.nan(self.domain.nan))
    }

    /// The position of each row, from 0.
    pub(crate) fn row_number(scope: &Schema) -> Result<Self> {
        Ok(Self::computed(scope, &[], row_number())?.extent(Extent::Window))
    }

    fn window(&self, scope: &Schema, expr: Expr, missing: bool) -> Result<Self> {
        let found = Self::computed(scope, &[&Operand::Expression(self.clone())], expr)?;
        Ok(found.missing(missing).extent(Extent::Window))
    }
}
