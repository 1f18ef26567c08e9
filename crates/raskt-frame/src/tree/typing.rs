//! The types of results: what each node promises. The engine's own type of the same node is compared with it where a plan
//! is made.

use super::*;
use crate::error::{FrameError, Result};
use raskt_value::{DType, Kind};

impl Expr {
    /// The type of its values, over columns of the types that `scope` gives.
    pub(crate) fn dtype(&self, scope: &impl Fn(&str) -> Result<ColumnDtype>) -> Result<ColumnDtype> {
        self.dtype_by(scope, &|child| child.dtype(scope))
    }
}

impl<C> Expr<C> {
    /// The same, if its parts are of the types that `of` gives.
    pub(crate) fn dtype_by(
        &self,
        scope: &impl Fn(&str) -> Result<ColumnDtype>,
        of: &impl Fn(&C) -> Result<ColumnDtype>,
    ) -> Result<ColumnDtype> {
        Ok(match self {
            Self::Column(name) => scope(name)?,
            Self::Literal(value) => value.dtype(),
            Self::Cast { dtype, .. } => dtype.clone(),
            Self::Map { function, input } => mapped(*function, of(input)?),
            Self::Arithmetic { operation, left, right } => arithmetic(*operation, of(left)?, of(right)?)?,
            Self::Comparison { left, right, .. } => {
                comparable(of(left)?, of(right)?)?;
                ColumnDtype::BOOL
            }
            Self::Logical { left, right, .. } => same(of(left)?, of(right)?)?,
            Self::Conditional { then, otherwise, .. } => same(of(then)?, of(otherwise)?)?,
            Self::Coalesce(inputs) => {
                let mut dtypes = inputs.iter().map(of);
                let first = dtypes.next().unwrap_or(Ok(ColumnDtype::Null))?;
                dtypes.try_fold(first, |found, dtype| same(found, dtype?))?
            }
            Self::IsIn { .. } => ColumnDtype::BOOL,
            Self::Text { function, .. } => text(function),
            Self::ConcatText { .. } => ColumnDtype::Text,
            Self::Time { function, input } => time(function, of(input)?)?,
            Self::Aggregate { function, input } => aggregated(*function, of(input)?)?,
            Self::Length => ColumnDtype::INT64,
            Self::Window { function, input } => match function {
                WindowFunction::Rank { .. } => ColumnDtype::FLOAT64,
                _ => of(input)?,
            },
            Self::Over { input, .. } => of(input)?,
            Self::RowNumber => ColumnDtype::INT64,
        })
    }
}

fn mapped(function: Function, input: ColumnDtype) -> ColumnDtype {
    match function {
        Function::IsNull | Function::IsNotNull | Function::IsNan | Function::IsNotNan | Function::IsMarkedMissing => {
            ColumnDtype::BOOL
        }
        Function::DecimalAsFloat => ColumnDtype::FLOAT64,
        Function::FloatAsText => ColumnDtype::Text,
        Function::Truncate(dtype) => ColumnDtype::Number(dtype),
        Function::FinerTime(unit) => match input {
            ColumnDtype::Datetime(_, zone) => ColumnDtype::Datetime(unit, zone),
            ColumnDtype::Duration(_) => ColumnDtype::Duration(unit),
            other => other,
        },
        _ => input,
    }
}

/// Both operands have been made of one type, but for times and what the engine knows of fixed-point numbers.
fn arithmetic(operation: Arithmetic, left: ColumnDtype, right: ColumnDtype) -> Result<ColumnDtype> {
    use ColumnDtype::{Date, Datetime, Decimal, Duration};
    Ok(match (&left, &right, operation) {
        (Datetime(unit, _), Datetime(..), Arithmetic::SubtractTimes) => Duration(*unit),
        (Datetime(..), Duration(_), _) => left,
        (Duration(_), Datetime(..), _) => right,
        (Date, Date, Arithmetic::Subtract) => Duration(TimeUnit::Microseconds),
        (Date, Duration(unit), _) | (Duration(unit), Date, _) => Datetime(*unit, None),
        (Duration(_), Duration(_), Arithmetic::AddTimes | Arithmetic::SubtractTimes) => left,
        (Duration(_), ColumnDtype::Number(_), Arithmetic::MultiplyTimes | Arithmetic::CheckedSum) => left,
        (ColumnDtype::Number(_), Duration(_), Arithmetic::MultiplyTimes) => right,
        // 38 digits are the most that there are; how many places are left is the engine's rule.
        (Decimal { scale: a, .. }, Decimal { scale: b, .. }, _) => {
            let scale = match operation {
                Arithmetic::Multiply => a + b,
                Arithmetic::Divide => (*a).max(6),
                _ => (*a).max(*b),
            };
            Decimal { precision: 38, scale }
        }
        _ => same(left, right)?,
    })
}

/// The one type of two values that are to be of one.
fn same(left: ColumnDtype, right: ColumnDtype) -> Result<ColumnDtype> {
    match (left, right) {
        (left, right) if left == right => Ok(left),
        (ColumnDtype::Null, dtype) | (dtype, ColumnDtype::Null) => Ok(dtype),
        (left, right) => Err(unlike(&left, &right)),
    }
}

fn comparable(left: ColumnDtype, right: ColumnDtype) -> Result<()> {
    use ColumnDtype::{Category, Date, Datetime, Decimal, Enumeration, Number, Text};
    match (&left, &right) {
        (left, right) if left == right => Ok(()),
        (Text | Enumeration(_) | Category { .. }, Text | Enumeration(_) | Category { .. }) => Ok(()),
        (Datetime(x, _), Datetime(y, _)) if x == y => Ok(()),
        (Date, Datetime(..)) | (Datetime(..), Date) => Ok(()),
        (Decimal { .. }, Decimal { .. } | Number(_)) | (Number(_), Decimal { .. }) => Ok(()),
        _ => Err(unlike(&left, &right)),
    }
}

fn unlike(left: &ColumnDtype, right: &ColumnDtype) -> FrameError {
    FrameError::NotNative(format!("values of {left} and of {right} have no native form together"))
}

fn text(function: &TextFunction) -> ColumnDtype {
    use TextFunction::*;
    match function {
        Length | Count(_) | Find(_) => ColumnDtype::INT64,
        NotEmpty | Contains { .. } | StartsWith(_) | EndsWith(_) => ColumnDtype::BOOL,
        ParseNumber(dtype) => ColumnDtype::Number(*dtype),
        ParseDatetime { unit, zone, .. } => ColumnDtype::Datetime(*unit, zone.clone()),
        _ => ColumnDtype::Text,
    }
}

fn time(function: &TimeFunction, input: ColumnDtype) -> Result<ColumnDtype> {
    use TimeFunction::*;
    Ok(match (function, input) {
        (Field(_) | Seconds | Microseconds | Nanoseconds, _) => ColumnDtype::Number(DType::I32),
        (Week, _) => ColumnDtype::Number(DType::U32),
        (Days, _) => ColumnDtype::INT64,
        (TotalSeconds, _) => ColumnDtype::FLOAT64,
        (Date, _) => ColumnDtype::Date,
        (TimeOfDay, _) => ColumnDtype::TimeOfDay,
        (Format(_), _) => ColumnDtype::Text,
        (Localize(zone) | Convert(zone), ColumnDtype::Datetime(unit, _)) => ColumnDtype::Datetime(unit, zone.clone()),
        (Normalize | Floor(_) | Ceiling(_) | Localize(_) | Convert(_), input) => input,
        _ => ColumnDtype::BOOL,
    })
}

fn aggregated(function: Aggregate, input: ColumnDtype) -> Result<ColumnDtype> {
    use Aggregate::*;
    Ok(match function {
        Count | Length | NullCount | Unique | UniqueNotNull => ColumnDtype::INT64,
        Any | All => ColumnDtype::BOOL,
        Minimum | Maximum | First | FirstNotNull | Last | LastNotNull | Sum | Product => input,
        Mean | Median | Quantile(_) | StandardDeviation(_) | Variance(_) | Skewness | Kurtosis => {
            match input.number() {
                // Times have means that are times, and fixed-point numbers means that are floats.
                None => match input {
                    ColumnDtype::Decimal { .. } => ColumnDtype::FLOAT64,
                    ColumnDtype::Date => ColumnDtype::Datetime(TimeUnit::Microseconds, None),
                    input => input,
                },
                Some(DType::F32) if !matches!(function, Skewness | Kurtosis) => input,
                Some(dtype) if dtype.kind() == Kind::Complex => return Err(unlike(&input, &ColumnDtype::FLOAT64)),
                Some(_) => ColumnDtype::FLOAT64,
            }
        }
    })
}
