//! Columns as expressions over the columns of a node, with pandas' semantics written into them.
//!
//! An [`Expression`] is an expression of the engine together with what pandas needs to know of its values: their
//! [`Domain`], and whether it is computed row by row. Each operation looks at the domains of its operands and adds only
//! the treatment of missing values that they can need.

mod arithmetic;
mod comparison;
mod dtypes;
mod elementwise;
mod functions;
mod reduction;
mod text;
mod time;
mod window;

pub(crate) use dtypes::{common_dtype, engine_dtype};
pub use elementwise::Inclusive;
pub use reduction::ReduceOptions;

use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use polars::prelude::*;
use xxhash_rust::xxh3::Xxh3;

/// A column, or a scalar, computed from the columns of a node.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What the engine computes.
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
    /// The hash of its content: equal digests over equal nodes, equal values.
    pub digest: u128,
}

/// How many values an expression has and what they depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
            Self::Literal(literal) => literal.weak(),
        }
    }

    /// What the engine computes, beside another operand.
    pub(crate) fn beside(&self, other: &Self) -> Expr {
        match self {
            Self::Expression(_) => self.expr(),
            Self::Literal(literal) => literal.beside(&other.domain()),
        }
    }

    pub(crate) fn domain(&self) -> Domain {
        match self {
            Self::Expression(expression) => expression.domain.clone(),
            Self::Literal(literal) => literal.domain(),
        }
    }

    fn digest(&self) -> u128 {
        match self {
            Self::Expression(expression) => expression.digest,
            Self::Literal(literal) => digest_of(&["literal", &format!("{literal:?}")], &[]),
        }
    }
}

impl Expression {
    /// The column `name` of a node.
    pub(crate) fn column(name: &str, domain: Domain) -> Self {
        let digest = digest_of(&["column", name], &[]);
        Self { expr: col(name), condition: None, fixed_point: None, domain, extent: Extent::Rows, digest }
    }

    /// `value` in every row.
    pub(crate) fn literal(value: &Literal) -> Self {
        let expr = match value {
            Literal::Missing => lit(NULL).cast(DataType::Float64),
            value => value.typed(),
        };
        let digest = Operand::Literal(value.clone()).digest();
        Self { expr, condition: None, fixed_point: None, domain: value.domain(), extent: Extent::Scalar, digest }
    }

    /// An expression computed row by row from `operands`; the engine says its type. `what` names the operation with
    /// its arguments.
    pub(crate) fn computed(scope: &Schema, what: &str, operands: &[&Operand], expr: Expr) -> Result<Self> {
        let mut extent = None;
        let mut missing = false;
        for operand in operands {
            missing |= operand.domain().missing;
            if let Operand::Expression(expression) = operand {
                extent = Some(extent.map_or(expression.extent, |found: Extent| found.join(expression.extent)));
            }
        }
        let digests: Vec<u128> = operands.iter().map(|operand| operand.digest()).collect();
        let dtype = type_of(scope, &expr)?;
        let domain = Domain::new(dtype, missing, false);
        let extent = extent.unwrap_or(Extent::Scalar);
        Ok(Self { expr, condition: None, fixed_point: None, domain, extent, digest: digest_of(&[what], &digests) })
    }

    /// The same with `missing` for whether nulls can be among its values.
    pub(crate) fn missing(mut self, missing: bool) -> Self {
        self.domain.missing = missing;
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

    /// What the engine computes, with NaN as null: pandas takes both for missing.
    pub(crate) fn normal(&self) -> Expr {
        if self.domain.nan { self.expr.clone().fill_nan(lit(NULL)) } else { self.expr.clone() }
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
        if self.domain.class() != DomainClass::Int || !self.domain.missing {
            return self.clone();
        }
        let magnitude = self.domain.magnitude;
        Self {
            expr: self.expr.clone().cast(DataType::Float64),
            condition: None,
            fixed_point: None,
            domain: Domain::with_missing(DataType::Float64).within(magnitude),
            extent: self.extent,
            digest: digest_of(&["settled"], &[self.digest]),
        }
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

/// The type of `expr` over columns of `scope`; an error if the engine finds that it makes no sense.
pub(crate) fn type_of(scope: &Schema, expr: &Expr) -> Result<DataType> {
    let schema = DataFrame::empty_with_schema(scope).lazy().select([expr.clone().alias("it")]).collect_schema()?;
    Ok(schema.get_at_index(0).expect("one column was selected").1.clone())
}

/// The columns that `expr` reads.
pub(crate) fn leaves_of(expr: &Expr) -> Vec<PlSmallStr> {
    let name = |part: &Expr| match part {
        Expr::Column(name) => Some(name.clone()),
        _ => None,
    };
    expr.into_iter().filter_map(name).collect()
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
