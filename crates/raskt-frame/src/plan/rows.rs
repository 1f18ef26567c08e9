use super::frame::unify;
use super::{Column, Frame, Index, Node, Operator};
use crate::domain::DomainClass;
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Extent, content_of, digest_of};
use crate::table::internal_name;
use crate::tree::{ColumnDtype, Expr, literal};
use polars::prelude::{SortMultipleOptions, UniqueKeepStrategy};

/// Which of equal rows stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Keep {
    /// The first.
    First,
    /// The last.
    Last,
    /// None of them.
    None,
}

/// Where missing values come in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NullPosition {
    /// Before all others.
    First,
    /// After all others.
    Last,
}

impl Frame {
    /// The rows where `mask` is true.
    pub fn filter(&self, mask: &Column) -> Result<Self> {
        if mask.values.domain.class() != DomainClass::Bool {
            let dtype = mask.values.domain.pandas_dtype();
            return Err(FrameError::Type(format!("a filter has to be of truth values, and this column is of {dtype}")));
        }
        let (frame, keys) = self.movable(&[mask])?;
        let rowwise = keys[0].extent == Extent::Rows;
        Ok(frame.filtered(keys[0].as_condition(), rowwise, keys[0].digest))
    }

    /// The rows where none (`any`) or not all of the columns of `subset` are missing; with `thresh`, those where at
    /// least so many aren't.
    pub fn drop_missing(&self, subset: Option<&[&str]>, all: bool, thresh: Option<usize>) -> Result<Self> {
        let names: Vec<&str> = subset.map_or_else(|| self.names().collect(), <[&str]>::to_vec);
        let mut present = vec![];
        for name in names {
            let column = self.column(name)?;
            present.push(column.values.unary(&self.root.scope, "notna")?);
        }
        let count = present.len();
        let (expr, digests) = match thresh {
            Some(_) => {
                let counted = present.iter().map(|it| it.expr.clone().cast(ColumnDtype::INT64));
                let sum = counted.reduce(|a, b| a + b).unwrap_or_else(|| literal(0_i64));
                (
                    sum.at_least(literal(thresh.unwrap_or(count) as i64)),
                    present.iter().map(|it| it.digest).collect::<Vec<_>>(),
                )
            }
            None => {
                let combine = |a: Expr, b: Expr| if all { a.or(b) } else { a.and(b) };
                let expr = present.iter().map(|it| it.expr.clone()).reduce(combine);
                (expr.unwrap_or_else(|| literal(true)), present.iter().map(|it| it.digest).collect())
            }
        };
        let frame = self.rowwise()?;
        if frame.root.digest != self.root.digest {
            return frame.drop_missing(subset, all, thresh);
        }
        let mut found = frame.numbered()?.filtered(
            expr,
            true,
            digest_of(&["dropna"], &[&[content_of(&(all, thresh))], digests.as_slice()].concat()),
        );
        if thresh.is_none() && !all {
            // What is left isn't missing.
            for (name, values) in &mut found.columns {
                if subset.is_none_or(|subset| subset.contains(&name.as_str())) {
                    *values = values.settled();
                    values.domain = values.domain.clone().with_fewer_missing();
                    values.domain.missing = false;
                    values.domain.nan = false;
                }
            }
        }
        Ok(found)
    }

    fn filtered(&self, predicate: Expr, rowwise: bool, digest: u128) -> Self {
        let input = self.root.clone();
        let columns = input.columns.clone();
        let operator = Operator::Filter { input: input.clone(), predicate };
        let node = Node::new(operator, columns, &[], [input.digest, digest]);
        self.of_fewer_rows(node.partitioned_like(&input, rowwise))
    }

    /// The rows in the order of `by`; equal ones stay in theirs.
    pub fn sort(&self, by: &[Column], ascending: &[bool], missing: NullPosition, ignore_index: bool) -> Result<Self> {
        if by.is_empty() || by.len() != ascending.len() {
            let (keys, orders) = (by.len(), ascending.len());
            return Err(FrameError::Value(format!("{keys} columns to sort by and {orders} orders were given")));
        }
        by.iter().try_for_each(|key| key.values.domain.check_ordered("sort"))?;
        let (frame, keys) = self.movable(&by.iter().collect::<Vec<_>>())?;
        let options = SortMultipleOptions {
            descending: ascending.iter().map(|ascending| !ascending).collect(),
            nulls_last: vec![missing == NullPosition::Last; by.len()],
            multithreaded: true,
            maintain_order: true,
            limit: None,
        };
        let input = frame.root.clone();
        let what = content_of(&(ascending, missing));
        let digests = [what, input.digest].into_iter().chain(keys.iter().map(|key| key.digest));
        let by = keys.iter().map(Expression::normal).collect();
        let operator = Operator::Sort { input: input.clone(), by, options };
        let node = Node::new(operator, input.columns.clone(), &[], digests);
        let sorted = frame.moved(node.partitioned_like(&input, false));
        Ok(if ignore_index { sorted.unlabelled() } else { sorted })
    }

    /// The first `count` rows.
    pub fn head(&self, count: usize) -> Result<Self> {
        self.sliced(&self.rowwise()?, 0, count)
    }

    /// The last `count` rows.
    pub fn tail(&self, count: usize) -> Result<Self> {
        self.sliced(&self.movable(&[])?.0, -(count as i64), count)
    }

    /// `length` rows from position `offset`; from the end if negative.
    pub fn slice(&self, offset: i64, length: usize) -> Result<Self> {
        self.sliced(&self.movable(&[])?.0, offset, length)
    }

    fn sliced(&self, frame: &Self, offset: i64, length: usize) -> Result<Self> {
        let input = frame.root.clone();
        let operator = Operator::Slice { input: input.clone(), offset, length };
        let words = format!("{offset} {length}");
        Ok(frame.of_fewer_rows(Node::new(operator, input.columns.clone(), &[&words], [input.digest])))
    }

    /// The `count` rows with the greatest (or least) keys, in their order; rows with missing keys come last.
    pub fn top(&self, count: usize, by: &[Column], largest: bool) -> Result<Self> {
        if by.is_empty() {
            return Err(FrameError::Value("the rows need a column to be ordered by".into()));
        }
        by.iter().try_for_each(|key| key.values.check_native("nlargest"))?;
        let unordered = |key: &&Column| matches!(key.values.domain.class(), DomainClass::Text | DomainClass::Other);
        if let Some(key) = by.iter().find(unordered) {
            let (name, dtype) = (key.name.as_deref().unwrap_or("None"), key.values.domain.pandas_dtype());
            return Err(FrameError::Type(format!(
                "column `{name}` is of {dtype}, and can't give the largest or smallest"
            )));
        }
        if by.len() > 1 && by[0].values.domain.can_miss() {
            return Err(FrameError::NotNative("rows without a key have no native order by the other keys".into()));
        }
        let (frame, keys) = self.movable(&by.iter().collect::<Vec<_>>())?;
        let input = frame.root.clone();
        let words = format!("{count} {largest}");
        let digests = std::iter::once(input.digest).chain(keys.iter().map(|key| key.digest));
        let by = keys.iter().map(Expression::normal).collect();
        let operator = Operator::Top { input: input.clone(), count, by, largest };
        Ok(frame.of_fewer_rows(Node::new(operator, input.columns.clone(), &[&words], digests)))
    }

    /// One row for each value of the columns `subset` (all if `None`).
    pub fn unique(&self, subset: Option<&[&str]>, keep: Keep, ignore_index: bool) -> Result<Self> {
        let names: Vec<&str> = subset.map_or_else(|| self.names().collect(), <[&str]>::to_vec);
        if names.is_empty() {
            // Rows that are compared by nothing are all kept, as in pandas.
            return Ok(if ignore_index { self.rowwise()?.unlabelled() } else { self.clone() });
        }
        for name in &names {
            self.column(name)?.values.domain.check_ordered("drop_duplicates")?;
        }
        let (frame, _) = self.movable(&[])?;
        let keys: Result<Vec<Expression>> = names.iter().map(|name| Ok(frame.column(name)?.values)).collect();
        let keys = keys?;
        let strategy = match keep {
            Keep::First => UniqueKeepStrategy::First,
            Keep::Last => UniqueKeepStrategy::Last,
            Keep::None => UniqueKeepStrategy::None,
        };
        let input = frame.root.clone();
        let digests = [content_of(&keep), input.digest].into_iter().chain(keys.iter().map(|key| key.digest));
        let subset = keys.iter().map(Expression::normal).collect();
        let operator = Operator::Unique { input: input.clone(), subset, keep: strategy };
        let distinct = frame.of_fewer_rows(Node::new(operator, input.columns.clone(), &[], digests));
        Ok(if ignore_index { distinct.unlabelled() } else { distinct })
    }

    /// The same with positions for labels.
    fn unlabelled(&self) -> Self {
        Self { index: Index::Rows(None), ..self.clone() }
    }

    /// The same, ready to lose or move rows: labels are columns, and nothing looks beyond its own row. `keys` are the
    /// columns that say which rows; they have to be of these rows, and come back as columns of the new ones.
    fn movable(&self, keys: &[&Column]) -> Result<(Self, Vec<Expression>)> {
        let mut root = self.root.clone();
        for key in keys {
            root = unify(&root, &key.root)?;
        }
        let extended = Self { root, ..self.clone() };
        let mut values: Vec<Expression> = keys.iter().map(|key| key.values.clone()).collect();
        let computed = extended.rowwise()?;
        if computed.root.digest == extended.root.digest {
            return Ok((extended.numbered()?, values));
        }
        let mut carried = extended.clone();
        for (at, key) in values.iter().enumerate() {
            carried.columns.push((internal_name("sort_key", at), key.clone()));
        }
        let mut baked = carried.baked()?;
        let own = baked.columns.len() - values.len();
        for ((_, column), key) in baked.columns.drain(own..).zip(&mut values) {
            *key = Expression { domain: key.domain.clone(), ..column };
        }
        Ok((baked.numbered()?, values))
    }
}
