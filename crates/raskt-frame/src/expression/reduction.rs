use super::dtypes::{engine_dtype, number_of, pandas_number, reduced_number};
use super::{Expression, Extent};
use crate::domain::{Domain, DomainClass::*};
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::stage::type_of;
use crate::tree::{Aggregate, Arithmetic, ColumnDtype, Expr, Function, literal, missing, when};
use polars::prelude::{DataType, Schema};
use raskt_value::DType;

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

/// Lengths of time as floats: their sums tell whether those of the lengths have wrapped.
pub(super) fn as_floats(lengths: Expr) -> Expr {
    lengths.cast(ColumnDtype::INT64).cast(ColumnDtype::FLOAT64)
}

impl Expression {
    /// The value of the first row, whatever it is.
    pub(crate) fn only(&self) -> Self {
        // Integers and truth values have no missing ones in pandas: where there may be some, they are of another type.
        let missing = self.domain.missing || !matches!(self.domain.class(), Bool | Int);
        let domain = Domain { missing, ..self.domain.clone() }.whole();
        Self::new(self.expr.clone().aggregate(Aggregate::First), domain, Extent::OrderedScalar)
    }

    /// One value from all of a group's (or of all rows'): `function` is pandas' name of the reduction.
    pub(crate) fn reduce(&self, scope: &Schema, function: &str, options: ReduceOptions) -> Result<Self> {
        let class = self.domain.class();
        if matches!(function, "sum" | "prod") && self.domain.is_rounded() {
            return self.rounded_total(scope, function, options);
        }
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
        let number = if class == Bool { x.clone().cast(ColumnDtype::INT64) } else { x.clone() };
        let narrow = self.domain.dtype == DataType::Float32;
        let wide = |number: Expr| if narrow { number.cast(ColumnDtype::FLOAT64) } else { number };
        let count = || x.clone().count();
        // In pandas a variance has the type of the values, also on the way to the deviation: it may be infinite.
        let deviation = || match (narrow, number.clone()) {
            (true, number) => number.aggregate(Aggregate::Variance(options.ddof)).map(Function::SquareRoot),
            (false, number) => number.aggregate(Aggregate::StandardDeviation(options.ddof)),
        };
        let mut expr = match function {
            "sum" if class == Duration => {
                let floats = as_floats(number.clone()).sum();
                number.sum().arithmetic(Arithmetic::CheckedSum, floats)
            }
            "sum" => self.widened(number).sum(),
            "prod" => self.widened(number).aggregate(Aggregate::Product),
            "mean" => number.aggregate(Aggregate::Mean),
            "min" => x.clone().aggregate(Aggregate::Minimum),
            "max" => x.clone().aggregate(Aggregate::Maximum),
            "count" => count(),
            "size" => self.expr.clone().aggregate(Aggregate::Length),
            "std" => deviation(),
            "var" => number.aggregate(Aggregate::Variance(options.ddof)),
            "sem" => wide(deviation()) / count().cast(ColumnDtype::FLOAT64).map(Function::SquareRoot),
            "median" => number.aggregate(Aggregate::Median),
            // In pandas those of floats in single precision are in double precision, unless one is missing.
            "quantile" if class == Bool || narrow => {
                let dtype = self.domain.pandas_dtype();
                return Err(FrameError::NotNative(format!("`quantile` of values of {dtype} has no native form")));
            }
            "quantile" => number.aggregate(Aggregate::Quantile(options.q.to_bits())),
            "nunique" => x.clone().aggregate(if can_miss { Aggregate::UniqueNotNull } else { Aggregate::Unique }),
            "first" => x.clone().aggregate(if can_miss { Aggregate::FirstNotNull } else { Aggregate::First }),
            "last" => x.clone().aggregate(if can_miss { Aggregate::LastNotNull } else { Aggregate::Last }),
            "any" | "all" if !options.skipna && can_miss && class == Bool => {
                return Err(FrameError::NotNative(
                    "truth values some of which are missing are objects in pandas".into(),
                ));
            }
            "any" | "all" => {
                let nonzero = self.nonzero(x.clone());
                // NaN is no zero, and so true.
                let all = if !options.skipna && can_miss { nonzero.fill_null(literal(true)) } else { nonzero };
                all.aggregate(if function == "any" { Aggregate::Any } else { Aggregate::All })
            }
            "skew" => number.aggregate(Aggregate::Skewness),
            "kurt" => number.aggregate(Aggregate::Kurtosis),
            _ => {
                return Err(FrameError::NotNative(format!("the reduction `{function}` has no native form")));
            }
        };
        let countless = matches!(function, "count" | "size" | "nunique" | "any" | "all");
        let mut conditions = vec![];
        if options.min_count > 0 && matches!(function, "sum" | "prod") {
            conditions.push(count().at_least(literal(i64::from(options.min_count))));
        }
        if !options.skipna && can_miss && !countless {
            conditions.push(x.clone().aggregate(Aggregate::NullCount).equals(literal(0_i64)));
        }
        for condition in conditions {
            let nothing = missing(ColumnDtype::of_engine(&type_of(scope, &expr)?)?);
            expr = when(condition, expr, nothing);
        }
        // The least of integers some of which are missing is a float, as it is in pandas.
        if matches!(function, "min" | "max") && self.domain.is_rounded() {
            expr = Self { expr, ..self.clone() }.as_floats();
        }
        let mut dtype = type_of(scope, &expr)?;
        let promised = pandas_number(&self.domain).and_then(|own| reduced_number(function, own)).map(engine_dtype);
        if let Some(promised) = promised.filter(|promised| *promised != dtype) {
            // Floats of the other width; nothing else is due where the table knows the type.
            if !promised.is_float() || !dtype.is_float() {
                let dtype = self.domain.pandas_dtype();
                return Err(FrameError::NotNative(format!("`{function}` of a column of {dtype} has no native form")));
            }
            expr = expr.cast(ColumnDtype::of_engine(&promised)?);
            dtype = promised;
        }
        let full = countless || (matches!(function, "sum" | "prod") && options.min_count == 0 && options.skipna);
        let ordered =
            matches!(function, "first" | "last") || matches!(self.extent, Extent::Window | Extent::OrderedScalar);
        let extent = if ordered { Extent::OrderedScalar } else { Extent::Scalar };
        let nan = dtype.is_float() && self.can_make_nan(function);
        let domain = Domain::new(dtype, !full, nan).whole();
        let fills_groups = match function {
            "min" | "max" | "first" | "last" | "mean" | "median" | "quantile" => !can_miss,
            "sum" | "prod" => !can_miss && options.min_count == 1,
            _ => false,
        };
        Ok(Self { fills_groups, ..Self::new(expr, domain, extent) })
    }

    /// The sum or product of integers that are floats in pandas if one is missing, and integers if none is: what only the
    /// values tell. Floats are promised, and have to be the same number then. Those that integers wrap around for are
    /// refused: in a group without missing values they wrap if no other group has any.
    fn rounded_total(&self, scope: &Schema, function: &str, options: ReduceOptions) -> Result<Self> {
        let mut found = self.rounded().reduce(scope, function, options)?;
        let integers = Self { domain: self.domain.clone().full_of_values(), ..self.clone() };
        let exact = integers.reduce(scope, function, options)?.expr;
        let nothing = missing(ColumnDtype::of_engine(&type_of(scope, &exact)?)?);
        let full = || self.expr.clone().aggregate(Aggregate::NullCount).equals(literal(0_i64));
        let (total, bound) = (|| found.expr.clone(), f64::from(2_u32).powi(62));
        let wraps = || full().and(total().at_least(literal(bound)).or(literal(-bound).at_least(total())));
        // An infinity times zero is no number.
        let beyond = total().nan_as_null().fill_null(literal(f64::INFINITY));
        let refused = when(wraps(), beyond, literal(0.0)).map(Function::RefuseLarge);
        let exact = when(wraps(), nothing.clone(), when(full(), exact, nothing));
        let exact = exact.map(Function::RefuseRounded).cast(ColumnDtype::FLOAT64);
        found.expr = when(wraps(), refused, when(full(), exact, total()));
        Ok(found)
    }

    /// Sums of narrow integers are 64 bits wide.
    fn widened(&self, x: Expr) -> Expr {
        match &self.domain.dtype {
            dtype if dtype.is_unsigned_integer() && *dtype != DataType::UInt64 => {
                x.cast(ColumnDtype::Number(DType::U64))
            }
            dtype if dtype.is_signed_integer() && *dtype != DataType::Int64 => x.cast(ColumnDtype::INT64),
            _ => x,
        }
    }

    /// Whether each number is none of zero.
    fn nonzero(&self, x: Expr) -> Expr {
        let zero = number_of(&self.domain.dtype).and_then(|dtype| Literal::Int(0).number(dtype));
        match zero {
            Some(zero) => x.differs(literal(zero)),
            None => x,
        }
    }

    /// Infinite values can cancel out to NaN in sums and what is made of them.
    fn can_make_nan(&self, function: &str) -> bool {
        !matches!(function, "min" | "max" | "first" | "last")
            && self.domain.class() == Float
            && !self.domain.is_moderate()
    }

    /// The same, known to be of a group that isn't empty: the least of values none of which is missing isn't either.
    pub(crate) fn of_group(mut self) -> Self {
        self.domain.missing &= !self.fills_groups;
        // One group may have a value, and another none.
        self.domain.all_or_none = false;
        self
    }
}
