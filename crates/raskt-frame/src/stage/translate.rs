use super::to_engine;
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Extent, leaves_of};
use crate::plan::{JoinHow, JoinPlan, LEFT_MARK, Node, Operator, RIGHT_MARK, indicator_dtype, is_float_key};
use crate::table::index_column_name;
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
}

impl<'a> Translator<'a> {
    pub(crate) fn new(partition: Option<usize>, tables: &'a HashMap<u128, Vec<DataFrame>>) -> Self {
        Self { partition, tables, known: HashMap::new() }
    }

    /// The columns `columns` over `node`, in its order of rows.
    pub(crate) fn output(&mut self, node: &Arc<Node>, columns: &[(PlSmallStr, Expression)]) -> Result<LazyFrame> {
        let need = Need::of(columns.iter().map(|(_, values)| values), true);
        let rows = columns.iter().any(|(_, values)| !values.extent.is_scalar());
        // A scalar of all rows doesn't tell their order.
        let order = rows || need.order && columns.iter().any(|(_, values)| values.extent != Extent::Scalar);
        let query = self.node(node, &need.ordered(order))?;
        with_columns(query, columns)
    }

    /// The rows of `node`, with the columns that are needed at least.
    fn node(&mut self, node: &Arc<Node>, need: &Need) -> Result<LazyFrame> {
        let key = (node.digest, need.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let query = self.write(node, need)?;
        self.known.insert(key, query.clone());
        Ok(query)
    }

    fn write(&mut self, node: &Arc<Node>, need: &Need) -> Result<LazyFrame> {
        Ok(match &node.operator {
            Operator::Csv(plan) => plan.scan(self.partition)?,
            Operator::Parquet(plan) => plan.scan(self.partition)?,
            Operator::Memory(plan) => rows_of(&plan.tables, self.partition)?,
            Operator::External(_) => rows_of(self.tables.get(&node.digest).map_or(&[], Vec::as_slice), None)?,
            Operator::Project { input, columns } => {
                let kept: Vec<_> = columns.iter().filter(|(name, _)| need.columns.contains(name)).cloned().collect();
                let below = Need::of(kept.iter().map(|(_, values)| values), need.order);
                with_columns(self.node(input, &below)?, &kept)?
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
                self.node(input, &need.with(std::slice::from_ref(predicate)))?.filter(to_engine(predicate)?)
            }
            Operator::Sort { input, by, options } => {
                self.node(input, &need.with(by))?.sort_by_exprs(all_to_engine(by)?, options.clone())
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
                self.node(input, &below)?.sort_by_exprs(all_to_engine(by)?, options).slice(0, count)
            }
            Operator::Unique { input, subset, keep } => {
                let below = need.with(subset).ordered(true);
                self.node(input, &below)?.unique_stable_generic(Some(all_to_engine(subset)?), *keep)
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
        let by = keys.iter().map(|(name, key)| Ok(to_engine(&key.normal())?.alias(name.clone())));
        let by = by.collect::<Result<Vec<Expr>>>()?;
        let order = below.order || ordered;
        let query = self.node(input, &below.ordered(order))?;
        let groups = if ordered { query.group_by_stable(by) } else { query.group_by(by) };
        let values = kept.iter().map(|(name, it)| Ok(to_engine(&it.expr)?.alias(name.clone())));
        let mut query = groups.agg(values.collect::<Result<Vec<_>>>()?);
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
        let mut a = self.node(left, &Need { columns: left_columns, order: need.order })?;
        let mut b = self.node(right, &Need { columns: right_columns, order: need.order })?;
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
            let mut below = Translator::new(Some(at), self.tables);
            return below.node(input, need);
        }
        let columns: Vec<Expr> = need.columns.iter().map(|name| col(name.clone())).collect();
        let mut parts = vec![];
        for input in inputs {
            parts.push(self.node(input, need)?.select(columns.clone()));
        }
        Ok(concat(parts, UnionArgs { maintain_order: need.order, ..Default::default() })?)
    }

    fn cells(
        &mut self,
        node: &Arc<Node>,
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

/// `columns` over `query`; where all of them are constants, one for each of its rows.
fn with_columns(query: LazyFrame, columns: &[(PlSmallStr, Expression)]) -> Result<LazyFrame> {
    let expressions = columns.iter().map(|(name, values)| Ok(to_engine(&values.expr)?.alias(name.clone())));
    Ok(query.select(expressions.collect::<Result<Vec<_>>>()?))
}

fn all_to_engine(expressions: &[tree::Expr]) -> Result<Vec<Expr>> {
    expressions.iter().map(to_engine).collect()
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
