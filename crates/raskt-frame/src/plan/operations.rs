//! Operations on columns: they check that the rows are the same and leave the work to [`Expression`].

use super::frame::{ColumnOrValue, unify};
use super::{Column, Frame, Node};
use crate::domain::DomainClass;
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Extent, Inclusive, ReduceOptions, digest_of};
use crate::literal::Literal;
use polars::prelude::*;
use std::sync::Arc;

impl Expression {
    /// An error unless the engine may reduce the values by `function`. It rounds the means of times otherwise than pandas,
    /// and has no spread of them.
    pub(crate) fn check_reduction(&self, function: &str) -> Result<()> {
        if function == "size" {
            return Ok(());
        }
        let is_time = matches!(self.domain.class(), DomainClass::Time | DomainClass::Duration);
        if is_time && matches!(function, "mean" | "median" | "quantile" | "std" | "var" | "sem") {
            let dtype = self.domain.pandas_dtype();
            return Err(FrameError::NotNative(format!("`{function}` of values of {dtype} has no native form")));
        }
        self.check_native(function)
    }

    /// An error unless the engine may compute with the values: pandas computes with those that are more than the engine's
    /// type says, and with categories. `what` is what was to be done.
    pub(crate) fn check_native(&self, what: &str) -> Result<()> {
        if self.domain.is_plain() && self.domain.class() != DomainClass::Category {
            return Ok(());
        }
        Err(FrameError::NotNative(format!("`{what}` of values of {} has no native form", self.domain.pandas_dtype())))
    }
}

impl ColumnOrValue {
    fn check_native(&self, what: &str) -> Result<()> {
        match self {
            Self::Column(column) => column.values.check_native(what),
            Self::Literal(_) => Ok(()),
        }
    }
}

impl Column {
    /// The hash of its content.
    pub fn digest(&self) -> u128 {
        let frame = self.to_frame("");
        digest_of(
            &["column", self.name.as_deref().unwrap_or("\0"), if self.labels { "labels" } else { "" }],
            &[frame.digest()],
        )
    }

    /// Whether it is one value.
    pub fn is_scalar(&self) -> bool {
        self.values.extent.is_scalar()
    }

    /// A frame of this column alone, under `name`.
    pub fn to_frame(&self, name: &str) -> Frame {
        let columns = vec![(PlSmallStr::from_str(name), self.values.clone())];
        Frame { root: self.root.clone(), index: self.index.clone(), columns }
    }

    /// The same under another name.
    pub fn rename(&self, name: Option<&str>) -> Self {
        Self { name: name.map(PlSmallStr::from_str), ..self.clone() }
    }

    /// `self op other`, or `other op self` if `reflected`: arithmetic, comparisons and logic by their Python names.
    pub fn binary(&self, op: &str, other: &ColumnOrValue, reflected: bool) -> Result<Self> {
        self.values.check_native(op)?;
        other.check_native(op)?;
        let root = self.root_with([other])?;
        let (own, other_operand) = (self.values.operand(), other.operand());
        let (left, right) = if reflected { (&other_operand, &own) } else { (&own, &other_operand) };
        let scope = &root.scope;
        let values = match op {
            "eq" | "ne" | "lt" | "le" | "gt" | "ge" => Expression::comparison(scope, op, left, right)?,
            "and" | "or" | "xor" => Expression::logical(scope, op, left, right)?,
            _ => Expression::arithmetic(scope, op, left, right)?,
        };
        let mut found = self.over(root, values);
        found.counted = self.counted && matches!(op, "add" | "sub" | "mul") && other.is_python_integer();
        if let ColumnOrValue::Column(other) = other {
            if self.is_scalar() && !other.is_scalar() {
                found.name = other.name.clone();
                found.index = other.index.clone();
            } else if found.name != other.name && !other.is_scalar() {
                found.name = None;
            }
        }
        Ok(found)
    }

    /// `op` of each value.
    pub fn unary(&self, op: &str) -> Result<Self> {
        if !matches!(op, "isna" | "notna") {
            self.values.check_native(op)?;
        }
        Ok(self.with(self.values.unary(&self.root.scope, op)?))
    }

    /// The values converted to another type.
    pub fn cast(&self, dtype: &DataType) -> Result<Self> {
        self.values.check_native("astype")?;
        let scope = &self.root.scope;
        let stay = dtype.is_integer() && (self.values.domain.all_or_none || self.values.domain.dtype == *dtype);
        let values = if stay { self.values.all_there(scope)? } else { self.values.clone() };
        Ok(self.with(values.cast(scope, dtype)?))
    }

    /// `value` where a value is missing.
    pub fn fill_missing(&self, value: &ColumnOrValue) -> Result<Self> {
        self.values.check_native("fillna")?;
        value.check_native("fillna")?;
        let root = self.root_with([value])?;
        let values = self.values.fill_missing(&root.scope, &value.operand())?;
        Ok(self.over(root, values))
    }

    /// Whether each value is among `values`.
    pub fn is_in(&self, values: &[Literal]) -> Result<Self> {
        self.values.check_native("isin")?;
        Ok(self.with(self.values.is_in(&self.root.scope, values)?))
    }

    /// Whether each value lies in an interval.
    pub fn between(&self, low: &ColumnOrValue, high: &ColumnOrValue, inclusive: Inclusive) -> Result<Self> {
        self.values.check_native("between")?;
        low.check_native("between")?;
        high.check_native("between")?;
        let root = self.root_with([low, high])?;
        let values = self.values.between(&root.scope, &low.operand(), &high.operand(), inclusive)?;
        Ok(self.over(root, values))
    }

    /// The values, but no less than `low` and no more than `high`.
    pub fn clip(&self, low: Option<&ColumnOrValue>, high: Option<&ColumnOrValue>) -> Result<Self> {
        self.values.check_native("clip")?;
        low.into_iter().chain(high).try_for_each(|bound| bound.check_native("clip"))?;
        let root = self.root_with(low.into_iter().chain(high))?;
        let (low, high) = (low.map(ColumnOrValue::operand), high.map(ColumnOrValue::operand));
        let values = self.values.clip(&root.scope, low.as_ref(), high.as_ref())?;
        Ok(self.over(root, values))
    }

    /// The values where `condition` is true, and `other` elsewhere.
    pub fn keep_where(&self, condition: &Column, other: &ColumnOrValue) -> Result<Self> {
        self.values.check_native("where")?;
        condition.values.check_native("where")?;
        other.check_native("where")?;
        let root = unify(&self.root_with([other])?, &condition.root)?;
        let values = self.values.keep_where(&root.scope, &condition.values, &other.operand())?;
        Ok(self.over(root, values))
    }

    /// The values rounded to `decimals` places.
    pub fn round(&self, decimals: i32) -> Result<Self> {
        self.values.check_native("round")?;
        Ok(self.with(self.values.round(&self.root.scope, decimals)?))
    }

    /// The values with `old[i]` replaced by `new[i]`; others as they are, or missing if not `keep_others`.
    pub fn replace(&self, old: &[Literal], new: &[Literal], keep_others: bool) -> Result<Self> {
        self.values.check_native("replace")?;
        Ok(self.with(self.values.replace(&self.root.scope, old, new, keep_others)?))
    }

    /// `series.str.method(*arguments)`.
    pub fn text(&self, method: &str, arguments: &[Literal]) -> Result<Self> {
        self.values.check_native("str")?;
        Ok(self.with(self.values.text(&self.root.scope, method, arguments)?))
    }

    /// The strings joined with those of another column.
    pub fn text_with(&self, other: &Column, separator: &str) -> Result<Self> {
        self.values.check_native("str.cat")?;
        other.values.check_native("str.cat")?;
        let root = unify(&self.root, &other.root)?;
        let values = self.values.text_with(&root.scope, &other.values, separator)?;
        Ok(self.over(root, values))
    }

    /// `series.dt.method(*arguments)`.
    pub fn time(&self, method: &str, arguments: &[Literal]) -> Result<Self> {
        self.values.check_native("dt")?;
        Ok(self.with(self.values.time(&self.root.scope, method, arguments)?))
    }

    /// Strings read as points in time.
    pub fn to_datetime(&self, format: Option<&str>, strict: bool) -> Result<Self> {
        self.values.check_native("to_datetime")?;
        Ok(self.with(self.values.to_datetime(&self.root.scope, format, strict)?))
    }

    /// One value from all rows.
    pub fn reduce(&self, function: &str, options: ReduceOptions) -> Result<Self> {
        if function == "only" {
            return Ok(self.with(self.values.only()));
        }
        if function == "count" && !self.values.domain.is_plain() {
            let there = self.values.unary(&self.root.scope, "notna")?;
            return Ok(self.with(there.reduce(&self.root.scope, "sum", ReduceOptions::default())?));
        }
        self.values.check_reduction(function)?;
        let mut values = self.values.reduce(&self.root.scope, function, options)?;
        if values.fills_groups && self.root.length().is_some_and(|rows| rows > 0) {
            values = values.missing(false);
        }
        Ok(self.with(values))
    }

    /// `cumsum`, `cumprod`, `cummin` or `cummax`.
    pub fn cumulative(&self, op: &str) -> Result<Self> {
        self.values.check_native(op)?;
        Ok(self.with(self.values.cumulative(&self.root.scope, op)?))
    }

    /// The values moved down by `rows`.
    pub fn shift(&self, rows: i64, fill: &Literal) -> Result<Self> {
        self.values.check_native("shift")?;
        Ok(self.with(self.values.shift(&self.root.scope, rows, fill)?))
    }

    /// The difference from the value `rows` above.
    pub fn diff(&self, rows: i64) -> Result<Self> {
        self.values.check_native("diff")?;
        Ok(self.with(self.values.diff(&self.root.scope, rows)?))
    }

    /// The place of each value in their order, from 1.
    pub fn rank(&self, method: &str, ascending: bool) -> Result<Self> {
        self.values.check_native("rank")?;
        Ok(self.with(self.values.rank(&self.root.scope, method, ascending)?))
    }

    /// Missing values replaced by the nearest one above (or below) that isn't.
    pub fn fill_along(&self, forward: bool) -> Result<Self> {
        self.values.check_native("ffill")?;
        Ok(self.with(self.values.fill_along(&self.root.scope, forward)?))
    }

    /// What this gives within each group of equal `keys`.
    pub fn over_groups(&self, keys: &[Column]) -> Result<Self> {
        let mut root = self.root.clone();
        for key in keys {
            root = unify(&root, &key.root)?;
        }
        if keys.is_empty() {
            return Err(FrameError::Value("groups need a key".into()));
        }
        self.values.check_native("transform")?;
        for key in keys {
            key.values.domain.check_ordered("groupby")?;
        }
        let keys: Vec<Expression> = keys.iter().map(|key| key.values.clone()).collect();
        let values = self.values.over(&root.scope, &keys)?;
        Ok(self.over(root, values))
    }

    fn root_with<'a>(&self, others: impl IntoIterator<Item = &'a ColumnOrValue>) -> Result<Arc<Node>> {
        let mut root = self.root.clone();
        for other in others {
            if let ColumnOrValue::Column(column) = other {
                root = unify(&root, &column.root)?;
            }
        }
        Ok(root)
    }

    fn with(&self, values: Expression) -> Self {
        self.over(self.root.clone(), values)
    }

    fn over(&self, root: Arc<Node>, values: Expression) -> Self {
        Self { root, values, labels: false, counted: false, ..self.clone() }
    }

    /// Whether it is computed from its own row alone.
    pub fn is_rowwise(&self) -> bool {
        self.values.extent == Extent::Rows
    }
}
