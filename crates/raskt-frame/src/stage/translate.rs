use super::collect;
use super::expressions::Translation;
use super::prepared::{Prepared, Rows};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Extent, leaves_of};
use crate::plan::{JoinHow, JoinPlan, LEFT_MARK, Node, Operator, RIGHT_MARK, indicator_dtype, is_float_key};
use crate::table::{index_column_name, internal_name};
use crate::tree;
use polars::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What is asked of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Need {
    /// The columns.
    pub columns: BTreeSet<PlSmallStr>,
    /// Whether the order of the rows can be seen in the result.
    pub order: bool,
}

impl Need {
    pub(crate) fn of<'a>(values: impl IntoIterator<Item = &'a Expression>, order: bool) -> Self {
        let mut columns = BTreeSet::new();
        let mut order = order;
        for values in values {
            columns.extend(values.leaves());
            order |= matches!(values.extent, Extent::OrderedScalar | Extent::Window);
        }
        Self { columns, order }
    }

    fn with(&self, expressions: &[tree::Expr]) -> Self {
        let leaves = expressions.iter().flat_map(leaves_of);
        Self { columns: self.columns.iter().cloned().chain(leaves).collect(), order: self.order }
    }

    /// What is asked of it as well.
    fn add(&mut self, other: &Self) {
        self.columns.extend(other.columns.iter().cloned());
        self.order |= other.order;
    }

    /// Whether what has this has what another one needs.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.columns.is_superset(&other.columns) && (self.order || !other.order)
    }

    fn ordered(self, order: bool) -> Self {
        Self { order, ..self }
    }
}

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
    expressions: Translation,
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
        let empty = |mut query: LazyFrame| Ok(DataFrame::empty_with_schema(&*query.collect_schema()?));
        Self { compute: empty, ..Self::new(None, tables) }
    }

    /// The columns `columns` over `node`, in its order of rows.
    pub(crate) fn output(&mut self, node: &Arc<Node>, columns: &[(PlSmallStr, Expression)]) -> Result<LazyFrame> {
        let need = Need::of(columns.iter().map(|(_, values)| values), true);
        let rows = columns.iter().any(|(_, values)| !values.extent.is_scalar());
        // A scalar of all rows doesn't tell their order.
        let order = rows || need.order && columns.iter().any(|(_, values)| values.extent != Extent::Scalar);
        let query = self.rows(node, &need.ordered(order))?;
        self.select(query, columns)
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

    /// Expressions over `query` under their names, and `query` with what they need to be there before.
    fn named<'b>(
        &mut self,
        query: LazyFrame,
        columns: impl Iterator<Item = (&'b PlSmallStr, &'b tree::Expr)>,
    ) -> Result<(LazyFrame, Vec<Expr>)> {
        let (names, expressions): (Vec<_>, Vec<_>) = columns.unzip();
        let (query, expressions, _) = self.prepared(query, expressions, Rows::All)?;
        Ok((query, expressions.into_iter().zip(names).map(|(values, name)| values.alias(name.clone())).collect()))
    }

    /// `expressions` as the engine computes them over `query` with what they need to be there before: columns of the names
    /// that come third.
    fn prepared<'b>(
        &mut self,
        mut query: LazyFrame,
        expressions: impl IntoIterator<Item = &'b tree::Expr>,
        rows: Rows,
    ) -> Result<(LazyFrame, Vec<Expr>, Vec<PlSmallStr>)> {
        let mut before = Prepared::default();
        let light: Vec<tree::Expr> = expressions.into_iter().map(|expr| before.of(expr, rows)).collect();
        for level in &before.levels {
            let columns = level.iter().map(|(name, expr)| Ok(self.expressions.of(expr)?.alias(name.clone())));
            query = query.with_columns(columns.collect::<Result<Vec<_>>>()?);
        }
        Ok((query, self.expressions.all(&light)?, before.names()))
    }

    /// What `change` makes of `query` by `expressions`, which need not see what they need to be there before.
    fn by(
        &mut self,
        query: LazyFrame,
        expressions: &[tree::Expr],
        change: impl FnOnce(LazyFrame, Vec<Expr>) -> LazyFrame,
    ) -> Result<LazyFrame> {
        let (query, expressions, added) = self.prepared(query, expressions, Rows::All)?;
        let changed = change(query, expressions);
        Ok(if added.is_empty() { changed } else { changed.drop(by_name(added, true, false)) })
    }

    /// The rows of `node`, which is where a query begins, with the columns that are needed at least.
    fn rows(&mut self, node: &Arc<Node>, need: &Need) -> Result<LazyFrame> {
        if self.asked.is_none() {
            self.share(node, need)?;
        }
        self.node(node, need)
    }

    /// The rows of `node`, with the columns that are needed at least.
    fn node(&mut self, node: &Arc<Node>, need: &Need) -> Result<LazyFrame> {
        if let Some(asked) = &mut self.asked {
            asked.entry(node.digest).and_modify(|known| known.add(need)).or_insert_with(|| need.clone());
            return Ok(DataFrame::empty_with_schema(&node.scope).lazy());
        }
        // Of plans that are computed together, each asks for columns of its own.
        if let Some((_, shared)) = self.shared.get(&node.digest).filter(|(asked, _)| asked.covers(need)) {
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
            Operator::Sort { input, by, options } => {
                let query = self.node(input, &need.with(by))?;
                self.by(query, by, |query, by| query.sort_by_exprs(by, options.clone()))?
            }
            Operator::Slice { input, offset, length } => {
                let length = IdxSize::try_from(*length).unwrap_or(IdxSize::MAX);
                self.node(input, &need.clone().ordered(true))?.slice(*offset, length)
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
                let count = IdxSize::try_from(*count).unwrap_or(IdxSize::MAX);
                let query = self.node(input, &below)?;
                self.by(query, by, |query, by| query.sort_by_exprs(by, options).slice(0, count))?
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
            Operator::Repartition { input } | Operator::Divided { input, .. } => self.node(input, need)?,
        })
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
            self.node(input, &below)?.select(below.columns.iter().map(|name| col(name.clone())).collect::<Vec<_>>());
        let there = Need { columns: added.iter().map(|(there, _)| there.clone()).collect(), order: true };
        let added: Vec<Expr> = added.iter().map(|(there, here)| col(there.clone()).alias(here.clone())).collect();
        let added = self.node(from, &there)?.select(added);
        if below.columns.is_empty() {
            return Ok(added);
        }
        Ok(concat_lf_horizontal([base, added], HConcatOptions::default())?)
    }

    fn aggregated(
        &mut self,
        input: &Arc<Node>,
        keys: &[(PlSmallStr, Expression)],
        aggregations: &[(PlSmallStr, Expression)],
        sort: bool,
        drop_missing: bool,
        need: &Need,
    ) -> Result<LazyFrame> {
        let kept: Vec<&(PlSmallStr, Expression)> =
            aggregations.iter().filter(|(name, _)| need.columns.contains(name)).collect();
        let below = Need::of(keys.iter().map(|(_, key)| key).chain(kept.iter().map(|(_, values)| values)), false);
        let by_first_row = !sort && need.order;
        let ordered = by_first_row || kept.iter().any(|(_, values)| values.extent == Extent::OrderedScalar);
        let order = below.order || ordered;
        let query = self.node(input, &below.ordered(order))?;
        let keys_of: Vec<tree::Expr> = keys.iter().map(|(_, key)| key.normal()).collect();
        let both = keys_of.iter().chain(kept.iter().map(|(_, values)| &values.expr));
        let (query, mut by, _) = self.prepared(query, both, Rows::OfGroups)?;
        let names = keys.iter().map(|(name, _)| name).chain(kept.iter().map(|(name, _)| name));
        by.iter_mut().zip(names).for_each(|(values, name)| *values = values.clone().alias(name.clone()));
        let values = by.split_off(keys.len());
        let groups = if ordered { query.group_by_stable(by) } else { query.group_by(by) };
        let mut query = groups.agg(values);
        for (name, key) in keys {
            if drop_missing && key.domain.can_miss() {
                query = query.filter(col(name.clone()).is_not_null());
            }
            if is_float_key(&key.domain) {
                query = query.with_column(col(name.clone()).cast(DataType::Float64));
            }
        }
        if sort && need.order {
            let names: Vec<PlSmallStr> = keys.iter().map(|(name, _)| name.clone()).collect();
            query = query.sort(names, SortMultipleOptions::default().with_nulls_last(true));
        }
        Ok(query)
    }

    fn joined(&mut self, plan: &JoinPlan, need: &Need) -> Result<LazyFrame> {
        let JoinPlan { left, right, keys, how, match_missing, indicator } = plan;
        let marked = indicator.as_ref().is_some_and(|name| need.columns.contains(name));
        let side = |side: &Node, side_keys: Vec<&PlSmallStr>| -> BTreeSet<PlSmallStr> {
            let wanted = side.columns.iter().map(|(name, _)| name).filter(|name| need.columns.contains(*name));
            wanted.chain(side_keys).cloned().collect()
        };
        let left_columns = side(left, keys.iter().map(|(key, _)| key).collect());
        let right_columns = side(right, keys.iter().map(|(_, key)| key).collect());
        let mut sides = vec![];
        for (side, columns) in [(left, left_columns), (right, right_columns)] {
            let is_empty = columns.is_empty();
            let query = self.node(side, &Need { columns, order: need.order })?;
            sides.push(if is_empty { counted(query, vec![]) } else { query });
        }
        let (mut b, mut a) = (sides.remove(1), sides.remove(0));
        if marked {
            a = a.with_column(lit(true).alias(LEFT_MARK));
            b = b.with_column(lit(true).alias(RIGHT_MARK));
        }
        let (kind, order) = match how {
            JoinHow::Inner => (JoinType::Inner, MaintainOrderJoin::LeftRight),
            JoinHow::Left => (JoinType::Left, MaintainOrderJoin::LeftRight),
            JoinHow::Right => (JoinType::Right, MaintainOrderJoin::RightLeft),
            JoinHow::Outer => (JoinType::Full, MaintainOrderJoin::LeftRight),
            JoinHow::LeftSemi => (JoinType::Semi, MaintainOrderJoin::Left),
            JoinHow::LeftAnti => (JoinType::Anti, MaintainOrderJoin::Left),
            JoinHow::Cross => {
                if need.order {
                    a = a.with_row_index(LEFT_ROW, None);
                    b = b.with_row_index(RIGHT_ROW, None);
                }
                let mut query = a.cross_join(b, None);
                if need.order {
                    query = query.sort([LEFT_ROW, RIGHT_ROW], SortMultipleOptions::default());
                }
                return Ok(if marked { with_indicator(query, indicator) } else { query });
            }
        };
        let by = |side: fn(&(PlSmallStr, PlSmallStr)) -> &PlSmallStr| -> Vec<Expr> {
            keys.iter().map(|pair| col(side(pair).clone())).collect()
        };
        let builder = a
            .join_builder()
            .with(b)
            .how(kind)
            .left_on(by(|pair| &pair.0))
            .right_on(by(|pair| &pair.1))
            .join_nulls(*match_missing)
            .maintain_order(if need.order { order } else { MaintainOrderJoin::None });
        let keep_both = !matches!(how, JoinHow::LeftSemi | JoinHow::LeftAnti);
        let builder = if keep_both { builder.coalesce(JoinCoalesce::KeepColumns) } else { builder };
        let mut query = builder.finish();
        if marked {
            query = with_indicator(query, indicator);
        }
        if *how == JoinHow::Outer && need.order {
            let by: Vec<Expr> = keys.iter().map(|(a, b)| coalesce(&[col(a.clone()), col(b.clone())])).collect();
            let options = SortMultipleOptions::default().with_nulls_last(true).with_maintain_order(true);
            query = query.sort_by_exprs(by, options);
        }
        Ok(query)
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
        let columns: Vec<Expr> = need.columns.iter().map(|name| col(name.clone())).collect();
        let mut parts = vec![];
        for input in inputs {
            let query = self.node(input, need)?;
            parts.push(if columns.is_empty() { counted(query, vec![]) } else { query.select(columns.clone()) });
        }
        Ok(concat(parts, UnionArgs { maintain_order: need.order, ..Default::default() })?)
    }

    fn cells(
        &mut self,
        node: &Node,
        input: &Arc<Node>,
        labels: &[PlSmallStr],
        columns: &[(PlSmallStr, Vec<Expression>)],
    ) -> Result<LazyFrame> {
        let mut row = vec![];
        for (at, (_, cells)) in columns.iter().enumerate() {
            let name = |cell: usize| PlSmallStr::from_string(format!("{at} {cell}"));
            row.extend(cells.iter().enumerate().map(|(cell, values)| (name(cell), values.clone())));
        }
        let query = if row.is_empty() { DataFrame::empty().lazy() } else { self.output(input, &row)? };
        let (labels, schema): (Vec<PlSmallStr>, SchemaRef) = (labels.to_vec(), node.scope.clone());
        let names: Vec<PlSmallStr> = columns.iter().map(|(name, _)| name.clone()).collect();
        let found = schema.clone();
        let lay_out = move |row: DataFrame| lay_out(&row, &labels, &names, &schema);
        let schema = Arc::new(move |_: &Schema| Ok(found.clone()));
        Ok(query.map(lay_out, OptFlags::empty(), Some(schema), Some("cells")))
    }
}

/// `columns`, which are constants, for each row of a query: beside its numbers.
pub(super) fn counted(query: LazyFrame, columns: Vec<Expr>) -> LazyFrame {
    let numbers = int_range(lit(0), len(), 1, DataType::Int64).alias(internal_name("counted", 0));
    query.select([vec![numbers], columns].concat())
}

/// Numbers the rows of one side of a cross join.
const LEFT_ROW: &str = "\u{f8ff}left_row";
/// Numbers the rows of the other side.
const RIGHT_ROW: &str = "\u{f8ff}right_row";

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

/// Says in words which side each row comes from.
fn with_indicator(query: LazyFrame, name: &Option<PlSmallStr>) -> LazyFrame {
    let side = when(col(LEFT_MARK).is_null())
        .then(lit("right_only"))
        .when(col(RIGHT_MARK).is_null())
        .then(lit("left_only"))
        .otherwise(lit("both"))
        .cast(indicator_dtype());
    query.with_column(side.alias(name.clone().unwrap_or_default()))
}

/// One row of cells as a table, column after column.
fn lay_out(row: &DataFrame, labels: &[PlSmallStr], names: &[PlSmallStr], schema: &Schema) -> PolarsResult<DataFrame> {
    let labels_column =
        Series::new(index_column_name(0), labels.iter().map(|label| label.as_str()).collect::<Vec<_>>());
    let mut columns = vec![Column::from(labels_column)];
    for (at, name) in names.iter().enumerate() {
        let dtype = schema.try_get(name)?;
        let mut cells = Series::new_empty(name.clone(), dtype);
        for cell in 0..labels.len() {
            let value = row.column(&format!("{at} {cell}"))?.cast(dtype)?;
            cells.append(value.as_materialized_series())?;
        }
        columns.push(cells.into());
    }
    DataFrame::new_infer_height(columns)
}
