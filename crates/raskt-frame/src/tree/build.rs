//! Trees, written as they are read.

use super::*;
use std::ops;

/// The column `name`.
pub(crate) fn column(name: &str) -> Expr {
    Expr::Column(name.into())
}

/// `value` in every row.
pub(crate) fn literal(value: impl Into<Value>) -> Expr {
    Expr::Literal(value.into())
}

/// Nothing in any row, of `dtype`.
pub(crate) fn missing(dtype: ColumnDtype) -> Expr {
    Expr::Literal(Value::Null(dtype))
}

/// The position of each row.
pub(crate) fn row_number() -> Expr {
    Expr::RowNumber
}

/// `then` where `condition` is true, and `otherwise` elsewhere.
pub(crate) fn when(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Conditional { condition: condition.into(), then: then.into(), otherwise: otherwise.into() }
}

/// The first that isn't null.
pub(crate) fn coalesce(inputs: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Coalesce(inputs.into_iter().map(Into::into).collect())
}

/// Strings one after the other.
pub(crate) fn concat_text(inputs: impl IntoIterator<Item = Expr>, separator: &str) -> Expr {
    Expr::ConcatText { inputs: inputs.into_iter().map(Into::into).collect(), separator: separator.into() }
}

impl Expr {
    pub(crate) fn cast(self, dtype: ColumnDtype) -> Self {
        self.converted(dtype, Conversion::Lenient)
    }

    pub(crate) fn strict_cast(self, dtype: ColumnDtype) -> Self {
        self.converted(dtype, Conversion::Strict)
    }

    pub(crate) fn converted(self, dtype: ColumnDtype, conversion: Conversion) -> Self {
        Self::Cast { input: self.into(), dtype, conversion }
    }

    pub(crate) fn map(self, function: Function) -> Self {
        Self::Map { function, input: self.into() }
    }

    pub(crate) fn is_null(&self) -> Self {
        self.clone().map(Function::IsNull)
    }

    pub(crate) fn is_not_null(&self) -> Self {
        self.clone().map(Function::IsNotNull)
    }

    pub(crate) fn nan_as_null(self) -> Self {
        self.map(Function::NanAsNull)
    }

    pub(crate) fn fill_null(self, by: Self) -> Self {
        coalesce([self, by])
    }

    pub(crate) fn arithmetic(self, operation: Arithmetic, right: Self) -> Self {
        Self::Arithmetic { operation, left: self.into(), right: right.into() }
    }

    pub(crate) fn compared(self, operation: Comparison, right: Self) -> Self {
        Self::Comparison { operation, left: self.into(), right: right.into() }
    }

    pub(crate) fn equals(self, right: Self) -> Self {
        self.compared(Comparison::Equal, right)
    }

    pub(crate) fn differs(self, right: Self) -> Self {
        self.compared(Comparison::NotEqual, right)
    }

    pub(crate) fn at_least(self, right: Self) -> Self {
        self.compared(Comparison::GreaterOrEqual, right)
    }

    pub(crate) fn logical(self, operation: Logical, right: Self) -> Self {
        Self::Logical { operation, left: self.into(), right: right.into() }
    }

    pub(crate) fn and(self, right: Self) -> Self {
        self.logical(Logical::And, right)
    }

    pub(crate) fn or(self, right: Self) -> Self {
        self.logical(Logical::Or, right)
    }

    pub(crate) fn negated(self) -> Self {
        self.map(Function::Not)
    }

    pub(crate) fn text(self, function: TextFunction) -> Self {
        Self::Text { function, input: self.into() }
    }

    pub(crate) fn time(self, function: TimeFunction) -> Self {
        Self::Time { function, input: self.into() }
    }

    pub(crate) fn aggregate(self, function: Aggregate) -> Self {
        Self::Aggregate { function, input: self.into() }
    }

    pub(crate) fn sum(self) -> Self {
        self.aggregate(Aggregate::Sum)
    }

    pub(crate) fn count(self) -> Self {
        self.aggregate(Aggregate::Count)
    }

    pub(crate) fn window(self, function: WindowFunction) -> Self {
        Self::Window { function, input: self.into() }
    }

    pub(crate) fn over(self, keys: impl IntoIterator<Item = Self>) -> Self {
        Self::Over { input: self.into(), keys: keys.into_iter().map(Into::into).collect() }
    }
}

impl ops::Add for Expr {
    type Output = Self;

    fn add(self, right: Self) -> Self {
        self.arithmetic(Arithmetic::Add, right)
    }
}

impl ops::Sub for Expr {
    type Output = Self;

    fn sub(self, right: Self) -> Self {
        self.arithmetic(Arithmetic::Subtract, right)
    }
}

impl ops::Mul for Expr {
    type Output = Self;

    fn mul(self, right: Self) -> Self {
        self.arithmetic(Arithmetic::Multiply, right)
    }
}

impl ops::Div for Expr {
    type Output = Self;

    fn div(self, right: Self) -> Self {
        self.arithmetic(Arithmetic::Divide, right)
    }
}
