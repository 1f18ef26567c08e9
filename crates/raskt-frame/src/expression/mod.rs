//! Columns as expressions over the columns of a node, with pandas' semantics written into them.
//!
//! An [`Expression`] is a tree ([`Expr`]) together with what pandas needs to know of its values: their [`Domain`], and
//! whether it is computed row by row. Each operation looks at the domains of its operands, writes out the types that
//! pandas computes in, and adds only the treatment of missing values that they can need.

mod arithmetic;
mod comparison;
mod dtypes;
mod elementwise;
mod reduction;
mod text;
mod time;
mod window;

pub(crate) use dtypes::{common_dtype, engine_dtype};
pub use elementwise::Inclusive;
pub use reduction::ReduceOptions;

use crate::domain::Domain;
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::stage::type_of;
use crate::tree::{ColumnDtype, Expr, Function, column, literal, row_number, when};
use polars::prelude::{DataType, PlSmallStr, Schema};
use std::hash::Hash;
use xxhash_rust::xxh3::Xxh3;

/// A column, or a scalar, computed from the columns of a node.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What is computed.
    pub(crate) expr: Expr,
    /// For truth values: a simpler form that may give null instead of false. Filters take it, since the engine can then
    /// compare it with the statistics of a file.
    pub(crate) condition: Option<Expr>,
    /// For floats that are fixed-point numbers converted: those numbers. Comparisons with a number of as many places take
    /// them, since the engine can then compare it with the statistics of a file, too.
    pub(crate) fixed_point: Option<Box<Expression>>,
    /// What its values can be.
    pub domain: Domain,
    /// How many values it has and what they depend on.
    pub extent: Extent,
    /// For reductions: whether every group of rows has a value, though no rows at all have none.
    pub(crate) fills_groups: bool,
    /// The hash of its content: equal digests over equal nodes, equal values.
    pub digest: u128,
}

/// How many values an expression has and what they depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Extent {
    /// One value for all rows, whatever their order.
    Scalar,
    /// One value for all rows, which depends on their order: the first.
    OrderedScalar,
    /// A value for each row, computed from that row alone.
    Rows,
    /// A value for each row, computed from others too: cumulative sums, ranks, differences from the mean.
    Window,
}

impl Extent {
    /// Whether it is one value.
    pub fn is_scalar(self) -> bool {
        self <= Self::OrderedScalar
    }

    fn join(self, other: Self) -> Self {
        match (self.is_scalar(), other.is_scalar()) {
            (true, false) | (false, true) => Self::Window,
            _ => self.max(other),
        }
    }
}

/// One side of an operation.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a few at a time, for as long as a plan is made")]
pub(crate) enum Operand {
    Expression(Expression),
    Literal(Literal),
}

impl Operand {
    pub(crate) fn expr(&self) -> Expr {
        match self {
            Self::Expression(expression) => expression.expr.clone(),
            Self::Literal(value) => literal(value.value()),
        }
    }

    /// What is computed beside another operand.
    pub(crate) fn beside(&self, other: &Self) -> Expr {
        match self {
            Self::Expression(_) => self.expr(),
            Self::Literal(value) => literal(value.beside(&other.domain())),
        }
    }

    /// Whether it is a scalar that is missing only where there are no rows.
    fn is_there_with_rows(&self) -> bool {
        matches!(self, Self::Expression(it) if it.extent.is_scalar() && it.fills_groups)
    }

    pub(crate) fn domain(&self) -> Domain {
        match self {
            Self::Expression(expression) => expression.domain.clone(),
            Self::Literal(literal) => literal.domain(),
        }
    }
}

impl Expression {
    pub(crate) fn new(expr: Expr, domain: Domain, extent: Extent) -> Self {
        Self { digest: expr.digest(), expr, condition: None, fixed_point: None, fills_groups: false, domain, extent }
    }

    /// The column `name` of a node.
    pub(crate) fn column(name: &str, domain: Domain) -> Self {
        Self::new(column(name), domain, Extent::Rows)
    }

    /// `value` in every row.
    pub(crate) fn literal(value: &Literal) -> Self {
        Self::new(literal(value.value()), value.domain(), Extent::Scalar)
    }

    /// An expression computed row by row from `operands`: of the type that the tree promises, which has to be the engine's.
    pub(crate) fn computed(scope: &Schema, operands: &[&Operand], expr: Expr) -> Result<Self> {
        let mut extent = None;
        let missing = can_miss(operands);
        for operand in operands {
            if let Operand::Expression(expression) = operand {
                extent = Some(extent.map_or(expression.extent, |found: Extent| found.join(expression.extent)));
            }
        }
        let extent = extent.unwrap_or(Extent::Scalar);
        let expr = if extent.is_scalar() || !expr.is_scalar() { expr } else { for_each_row(operands, expr) };
        let domain = Domain::new(type_of(scope, &expr)?, missing, false);
        Ok(Self::new(expr, domain, extent))
    }

    /// The same with `missing` for whether nulls can be among its values.
    pub(crate) fn missing(mut self, missing: bool) -> Self {
        self.domain.missing = missing;
        self.domain.all_or_none &= missing;
        self
    }

    /// The same, null where one of `operands` is and nowhere else: integers are null in all rows or in none if those are.
    /// Scalars of scalars are there as soon as there are rows, if those are.
    pub(crate) fn null_with(mut self, operands: &[&Operand]) -> Self {
        let whole = |operand: &&&Operand| {
            let domain = operand.domain();
            !domain.missing || domain.all_or_none || operand.is_there_with_rows()
        };
        if operands.iter().filter(whole).count() == operands.len() {
            self.domain = self.domain.whole();
        }
        let there = |operand: &&Operand| !operand.domain().missing || operand.is_there_with_rows();
        self.fills_groups = self.extent.is_scalar() && self.domain.missing && operands.iter().all(there);
        self
    }

    /// The same with `nan` for whether NaN can be among its values, if they are floats.
    pub(crate) fn nan(mut self, nan: bool) -> Self {
        self.domain.nan = nan && self.domain.dtype.is_float();
        self
    }

    /// The same, known to be no further from zero than `magnitude`; such floats can't be NaN either if it is moderate.
    pub(crate) fn within(mut self, magnitude: f64) -> Self {
        self.domain = self.domain.within(magnitude);
        self.domain.nan &= !self.domain.is_moderate();
        self
    }

    /// The same with another extent.
    pub(crate) fn extent(mut self, extent: Extent) -> Self {
        self.extent = extent;
        self
    }

    /// What is computed, with NaN as null: pandas takes both for missing.
    pub(crate) fn normal(&self) -> Expr {
        if self.domain.nan { self.expr.clone().nan_as_null() } else { self.expr.clone() }
    }

    /// Its type as one of the tree.
    pub(crate) fn dtype(&self) -> Result<ColumnDtype> {
        ColumnDtype::of_engine(&self.domain.dtype)
    }

    /// The form that a filter takes.
    pub(crate) fn as_condition(&self) -> Expr {
        self.condition.clone().unwrap_or_else(|| self.expr.clone())
    }

    /// The columns of the node that it reads.
    pub(crate) fn leaves(&self) -> Vec<PlSmallStr> {
        leaves_of(&self.expr)
    }

    /// The same as pandas has it: integers some of which are missing are floats there, and stay so when none is missing any
    /// more.
    pub(crate) fn settled(&self) -> Self {
        if !self.domain.is_rounded() {
            return self.clone();
        }
        let domain = Domain::with_missing(DataType::Float64).within(self.domain.magnitude);
        Self::new(self.as_floats(), domain, self.extent)
    }

    /// The same where pandas has floats whatever the values are, and rounds integers to them.
    pub(crate) fn rounded(&self) -> Self {
        if !self.domain.is_rounded() {
            return self.clone();
        }
        let domain = Domain::with_missing(DataType::Float64).within(self.domain.magnitude);
        Self::new(self.expr.clone().cast(ColumnDtype::FLOAT64), domain, self.extent)
    }

    /// Numbers as floats; refused at run time where integers some of which may be missing would be others.
    pub(crate) fn as_floats(&self) -> Expr {
        let wide = matches!(self.domain.dtype, DataType::Int64 | DataType::UInt64);
        let own = self.expr.clone();
        let exact = if wide && self.domain.is_rounded() { own.map(Function::RefuseRounded) } else { own };
        exact.cast(ColumnDtype::FLOAT64)
    }

    /// An error if the engine gives another type than the table of types promises.
    pub(crate) fn check(&self, promised: DataType) -> Result<()> {
        if self.domain.dtype == promised {
            return Ok(());
        }
        let (found, promised) = (self.domain.pandas_dtype(), Domain::full(promised).pandas_dtype());
        Err(FrameError::NotNative(format!("the engine would give {found} where {promised} is due")))
    }

    pub(crate) fn operand(&self) -> Operand {
        Operand::Expression(self.clone())
    }
}

/// `expr`, which doesn't look at its operands, for each of their rows.
fn for_each_row(operands: &[&Operand], expr: Expr) -> Expr {
    let expressions = operands.iter().filter_map(|operand| match operand {
        Operand::Expression(expression) if !expression.extent.is_scalar() => Some(&expression.expr),
        _ => None,
    });
    let column_read = expressions.flat_map(leaves_of).next();
    let row = column_read.map_or_else(row_number, |name| column(&name));
    when(row.is_null(), expr.clone(), expr)
}

/// Whether nulls can be among what is computed from `operands`. Beside rows a scalar of them is there, since there are
/// rows.
pub(super) fn can_miss(operands: &[&Operand]) -> bool {
    let is_rows = |operand: &&Operand| matches!(operand, Operand::Expression(it) if !it.extent.is_scalar());
    let rows = operands.iter().any(is_rows);
    operands.iter().any(|operand| operand.domain().missing && !(rows && operand.is_there_with_rows()))
}

/// The columns that `expr` reads.
pub(crate) fn leaves_of(expr: &Expr) -> Vec<PlSmallStr> {
    expr.columns().into_iter().map(PlSmallStr::from_str).collect()
}

/// The hash of a value's content: no text of it is made.
pub(crate) fn content_of(value: &(impl Hash + ?Sized)) -> u128 {
    let mut hasher = Xxh3::new();
    value.hash(&mut hasher);
    hasher.digest128()
}

/// The hash of `words` and of the contents that `digests` stand for.
pub fn digest_of(words: &[&str], digests: &[u128]) -> u128 {
    let mut hasher = Xxh3::new();
    for word in words {
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    for digest in digests {
        hasher.update(&digest.to_le_bytes());
    }
    hasher.digest128()
}
