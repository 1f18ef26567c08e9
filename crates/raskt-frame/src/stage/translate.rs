use super::collect;
use super::expressions::{Translation, column};
use super::need::Need;
use super::runtimes::outside;
use super::slice::in_divisions;
use crate::error::{FrameError, Result};
use crate::expression::Expression;
use crate::literal::Literal;
use crate::plan::{Node, Operator, ordered};
use crate::table::internal_name;
use polars::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Writes plans as queries of the engine.
pub(crate) struct Translator<'a> {
    /// Which partition to compute; all rows if `None`.
    pub partition: Option<usize>,
    /// The tables that tasks made, by the digest of their node.
    pub tables: &'a HashMap<u128, Vec<DataFrame>>,
    /// Queries already written: equal parts are computed once.
    pub known: HashMap<(u128, Need), LazyFrame>,
    /// What a large plan uses twice, by the digest of its node, and what was asked of it.
    pub(super) shared: HashMap<u128, (Need, LazyFrame)>,
    /// What computes that first.
    pub(super) compute: fn(LazyFrame) -> Result<DataFrame>,
    /// What is asked of each node, while nothing but that is found out.
    pub(super) asked: Option<HashMap<u128, Need>>,
    /// Expressions already written.
    pub(super) expressions: Translation,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(partition: Option<usize>, tables: &'a HashMap<u128, Vec<DataFrame>>) -> Self {
        Self {
            partition,
            tables,
            known: HashMap::new(),
            shared: HashMap::new(),
            compute: collect,
            asked: None,
            expressions: Translation::default(),
        }
    }

    /// One that computes nothing: what would be computed first is empty.
    pub(crate) fn of_words(tables: &'a HashMap<u128, Vec<DataFrame>>) -> Self {
        let empty = |mut query: LazyFrame| Ok(DataFrame::empty_with_schema(&*outside(|| query.collect_schema())?));
        Self { compute: empty, ..Self::new(None, tables) }
    }

    /// The columns `columns` over `node`, in its order of rows.
    pub(crate) fn output(&mut self, node: &Arc<Node>, columns: &[(PlSmallStr, Expression)]) -> Result<LazyFrame> {
        let query = self.rows(node, &Need::of_output(columns))?;
        self.select(query, columns)
    }

    /// The same of several plans at once.
    pub(crate) fn outputs<'b>(
        &mut self,
        outputs: impl Iterator<Item = (&'b Arc<Node>, &'b [(PlSmallStr, Expression)])>,
    ) -> Result<Vec<LazyFrame>> {
        let outputs: Vec<_> = outputs.map(|(node, columns)| (node, Need::of_output(columns), columns)).collect();
        self.share(outputs.iter().map(|(node, need, _)| (*node, need)).collect())?;
        let write = |(node, need, columns)| {
            let query = self.node(node, &need)?;
            self.select(query, columns)
        };
        outputs.into_iter().map(write).collect()
    }

    /// `columns` over `query`.
    fn select(&mut self, query: LazyFrame, columns: &[(PlSmallStr, Expression)]) -> Result<LazyFrame> {
        let (query, expressions) = self.named(query, columns.iter().map(|(name, values)| (name, &values.expr)))?;
        Ok(query.select(expressions))
    }

    /// The rows of `query` with `columns`: as many where there are none, or constants alone, of which the engine would make
    /// no row or one.
    fn select_rows(&mut self, query: LazyFrame, columns: &[(PlSmallStr, Expression)]) -> Result<LazyFrame> {
        if columns.iter().any(|(_, values)| !values.extent.is_scalar()) {
            return self.select(query, columns);
        }
        let (query, expressions) = self.named(query, columns.iter().map(|(name, values)| (name, &values.expr)))?;
        Ok(counted(query, expressions))
    }

    /// The rows of `node`, which is where a query begins, with the columns that are needed at least.
    fn rows(&mut self, node: &Arc<Node>, need: &Need) -> Result<LazyFrame> {
        if self.asked.is_none() {
            self.share(vec![(node, need)])?;
        }
        self.node(node, need)
    }

    /// The rows of `node`, with the columns that are needed at least.
    pub(super) fn node(&mut self, node: &Arc<Node>, need: &Need) -> Result<LazyFrame> {
        if let Some(asked) = &mut self.asked {
            asked.entry(node.digest).and_modify(|known| known.add(need)).or_insert_with(|| need.clone());
            return Ok(DataFrame::empty_with_schema(&node.scope).lazy());
        }
        if let Some((known, shared)) = self.shared.get(&node.digest)
            && known.covers(need)
        {
            return Ok(shared.clone());
        }
        let key = (node.digest, need.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let query = self.write(node, need)?;
        self.known.insert(key, query.clone());
        Ok(query)
    }

    pub(super) fn write(&mut self, node: &Node, need: &Need) -> Result<LazyFrame> {
        Ok(match &node.operator {
            Operator::Csv(plan) => plan.scan(self.partition)?,
            Operator::Parquet(plan) => plan.scan(self.partition)?,
            Operator::Memory(plan) => rows_of(&plan.tables, self.partition)?,
            Operator::External(_) => rows_of(self.tables.get(&node.digest).map_or(&[], Vec::as_slice), None)?,
            Operator::Project { input, columns } => {
                let kept: Vec<_> = columns.iter().filter(|(name, _)| need.columns.contains(name)).cloned().collect();
                let below = Need::of(kept.iter().map(|(_, values)| values), need.order);
                let query = self.node(input, &below)?;
                self.select_rows(query, &kept)?
            }
            Operator::RowNumber { input, name } => {
                let below =
                    Need { columns: need.columns.iter().filter(|own| *own != name).cloned().collect(), ..need.clone() };
                if !need.columns.contains(name) {
                    return self.node(input, &below);
                }
                let before = match (self.partition, &input.partition_rows) {
                    (Some(at), Some(rows)) => rows[..at].iter().sum::<usize>(),
                    _ => 0,
                };
                self.node(input, &below.ordered(true))?.with_row_index(name.clone(), Some(before as IdxSize))
            }
            Operator::Attach { input, from, names } => self.attached(input, from, names, need)?,
            Operator::Filter { input, predicate } => {
                let predicate = std::slice::from_ref(predicate);
                let query = self.node(input, &need.with(predicate))?;
                self.by(query, predicate, |query, mut predicate| query.filter(predicate.remove(0)))?
            }
            // Nobody sees in which order the rows are.
            Operator::Sort { input, .. } if !need.order => self.node(input, need)?,
            Operator::Sort { input, by, options } => {
                let query = self.node(input, &need.with(by))?;
                self.by(query, by, |query, by| query.sort_by_exprs(by, options.clone()))?
            }
            Operator::Slice { input, offset, length } => {
                let query = self.node(input, &need.clone().ordered(true))?;
                if *offset == 0 {
                    first(query, *length)
                } else {
                    query.slice(*offset, IdxSize::try_from(*length).unwrap_or(IdxSize::MAX))
                }
            }
            Operator::Top { input, count, by, largest } => {
                let below = need.with(by).ordered(true);
                let options = SortMultipleOptions {
                    descending: vec![*largest; by.len()],
                    nulls_last: vec![true; by.len()],
                    multithreaded: true,
                    maintain_order: true,
                    limit: None,
                };
                let query = self.node(input, &below)?;
                self.by(query, by, |query, by| first(query.sort_by_exprs(by, options), *count))?
            }
            Operator::Unique { input, subset, keep } => {
                let below = need.with(subset).ordered(true);
                let query = self.node(input, &below)?;
                self.by(query, subset, |query, subset| query.unique_stable_generic(Some(subset), *keep))?
            }
            Operator::Aggregate { input, keys, aggregations, sort, drop_missing } => {
                self.aggregated(input, keys, aggregations, *sort, *drop_missing, need)?
            }
            Operator::Join(plan) => self.joined(plan, need)?,
            Operator::Concat { inputs } => self.concatenated(inputs, need)?,
            Operator::Cells { input, labels, columns } => self.cells(node, input, labels, columns)?,
            Operator::Divided { input, name, divisions: Some(divisions), cut: true, .. }
                if need.order && !ordered(input, name) =>
            {
                self.in_divisions(input, name, divisions, need)?
            }
            Operator::Repartition { input } | Operator::Divided { input, .. } => self.node(input, need)?,
        })
    }

    /// The rows of `input` as their partitions come, one after another.
    fn in_divisions(
        &mut self,
        input: &Arc<Node>,
        name: &PlSmallStr,
        divisions: &[Literal],
        need: &Need,
    ) -> Result<LazyFrame> {
        let mut below = need.clone().ordered(true);
        below.columns.insert(name.clone());
        let query = self.node(input, &below)?;
        let (name, divisions) = (name.clone(), divisions.to_vec());
        let put = move |table: DataFrame| {
            in_divisions(table, &name, &divisions).map_err(|error| polars_err!(ComputeError: "{error}"))
        };
        Ok(query.map(put, OptFlags::empty(), None, Some("divisions")))
    }

    fn attached(
        &mut self,
        input: &Arc<Node>,
        from: &Arc<Node>,
        names: &[(PlSmallStr, PlSmallStr)],
        need: &Need,
    ) -> Result<LazyFrame> {
        let own = need.columns.iter().filter(|name| names.iter().all(|(_, here)| here != *name)).cloned().collect();
        let added: Vec<_> = names.iter().filter(|(_, here)| need.columns.contains(here)).collect();
        let below = Need { columns: own, order: need.order };
        if added.is_empty() {
            return self.node(input, &below);
        }
        let below = below.ordered(true);
        let base =
            self.node(input, &below)?.select(below.columns.iter().map(|name| column(name.clone())).collect::<Vec<_>>());
        let there = Need { columns: added.iter().map(|(there, _)| there.clone()).collect(), order: true };
        let added: Vec<Expr> = added.iter().map(|(there, here)| column(there.clone()).alias(here.clone())).collect();
        let added = self.node(from, &there)?.select(added);
        if below.columns.is_empty() {
            return Ok(added);
        }
        Ok(concat_lf_horizontal([base, added], HConcatOptions::default())?)
    }

    fn concatenated(&mut self, inputs: &[Arc<Node>], need: &Need) -> Result<LazyFrame> {
        if let Some(at) = self.partition {
            let (input, at) = input_of_partition(inputs, at);
            if self.asked.is_some() {
                // Partitions have other numbers there: what is shared below is found out and computed there, too.
                return Ok(DataFrame::empty_with_schema(&input.scope).lazy());
            }
            let mut below = Translator { compute: self.compute, ..Translator::new(Some(at), self.tables) };
            return below.rows(input, need);
        }
        let columns: Vec<Expr> = need.columns.iter().map(|name| column(name.clone())).collect();
        let mut parts = vec![];
        for input in inputs {
            let query = self.node(input, need)?;
            parts.push(if columns.is_empty() { counted(query, vec![]) } else { query.select(columns.clone()) });
        }
        Ok(concat(parts, UnionArgs { maintain_order: need.order, ..Default::default() })?)
    }
}

/// `columns`, which are constants, for each row of a query: beside its numbers.
pub(super) fn counted(query: LazyFrame, columns: Vec<Expr>) -> LazyFrame {
    let numbers = int_range(lit(0), len(), 1, DataType::Int64).alias(internal_name("counted", 0));
    query.select([vec![numbers], columns].concat())
}

/// No frame has so many rows. The engine sets memory aside for as many as it is asked to find.
const ALL_ROWS: usize = 1 << 40;

/// The first `count` rows.
fn first(query: LazyFrame, count: usize) -> LazyFrame {
    if count >= ALL_ROWS { query } else { query.slice(0, count as IdxSize) }
}

/// Which of `inputs` has partition `at` of all, and where.
pub(crate) fn input_of_partition(inputs: &[Arc<Node>], mut at: usize) -> (&Arc<Node>, usize) {
    for input in inputs {
        if at < input.partitions {
            return (input, at);
        }
        at -= input.partitions;
    }
    unreachable!("a concatenation has as many partitions as its inputs together");
}

fn rows_of(tables: &[DataFrame], partition: Option<usize>) -> Result<LazyFrame> {
    match (tables, partition) {
        (tables, Some(at)) => Ok(tables[at].clone().lazy()),
        ([table], None) => Ok(table.clone().lazy()),
        ([], None) => Err(FrameError::Engine("a stage lacks the tables that it reads".into())),
        (tables, None) => {
            let mut all = tables[0].clone();
            for table in &tables[1..] {
                all.vstack_mut(table)?;
            }
            Ok(all.lazy())
        }
    }
}
