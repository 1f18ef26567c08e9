use crate::domain::Domain;
use crate::expression::{Expression, Extent, digest_of};
use crate::literal::Literal;
use crate::plan::JoinHow;
use crate::source::{CsvPlan, ParquetPlan};
use crate::table::{internal_name, is_internal};
use crate::tree::{Expr, column, row_number, when};
use polars::prelude::*;
use raskt_graph::Lower;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Which rows there are, and the columns that expressions over them can read. Immutable and shared; equal digests,
/// equal rows.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where the rows come from.
    pub operator: Operator,
    /// The columns, with what their values can be.
    pub columns: Vec<(PlSmallStr, Domain)>,
    /// The columns with their types, for the engine.
    pub(crate) scope: SchemaRef,
    /// How many partitions it has.
    pub partitions: usize,
    /// The rows of each partition, where that is known without computing.
    pub partition_rows: Option<Arc<[usize]>>,
    /// Whether partition *i* can be computed from partition *i* of what it is made of.
    pub partitionwise: bool,
    /// The hash of its content.
    pub digest: u128,
    /// How many nodes there are one under another, itself included.
    pub(crate) depth: usize,
    /// How many nodes there are if those that are used twice are counted twice.
    pub(crate) size: u64,
}

/// Where the rows of a node come from.
#[derive(Clone)]
pub enum Operator {
    /// CSV files.
    Csv(CsvPlan),
    /// Parquet files.
    Parquet(ParquetPlan),
    /// Tables in memory.
    Memory(MemoryPlan),
    /// Tables that tasks of something else give.
    External(External),
    /// The rows of `input` with other columns.
    Project {
        /// The rows.
        input: Arc<Node>,
        /// The columns.
        columns: Vec<(PlSmallStr, Expression)>,
    },
    /// The rows of `input` with a column that numbers them from 0.
    RowNumber {
        /// The rows.
        input: Arc<Node>,
        /// The new column.
        name: PlSmallStr,
    },
    /// The rows of `input` with the columns that a Python function computed from them, row by row.
    Attach {
        /// The rows.
        input: Arc<Node>,
        /// The node with the columns: as many rows, in the same partitions.
        from: Arc<Node>,
        /// The new columns, by their names there and here.
        names: Vec<(PlSmallStr, PlSmallStr)>,
    },
    /// The rows of `input` where `predicate` is true.
    Filter {
        /// The rows.
        input: Arc<Node>,
        /// The condition; null counts as false.
        predicate: Expr,
    },
    /// The rows of `input` in another order.
    Sort {
        /// The rows.
        input: Arc<Node>,
        /// What they are ordered by.
        by: Vec<Expr>,
        /// How.
        options: SortMultipleOptions,
    },
    /// A run of the rows of `input`.
    Slice {
        /// The rows.
        input: Arc<Node>,
        /// Where it begins; from the end if negative.
        offset: i64,
        /// How many rows it has at most.
        length: usize,
    },
    /// The rows of `input` with the greatest (or least) keys, in their order.
    Top {
        /// The rows.
        input: Arc<Node>,
        /// How many.
        count: usize,
        /// What they are ordered by.
        by: Vec<Expr>,
        /// Whether the greatest come first.
        largest: bool,
    },
    /// One row of `input` for each value of the subset.
    Unique {
        /// The rows.
        input: Arc<Node>,
        /// What has to differ.
        subset: Vec<Expr>,
        /// Which of equal rows stays.
        keep: UniqueKeepStrategy,
    },
    /// One row for each value of the keys.
    Aggregate {
        /// The rows.
        input: Arc<Node>,
        /// The keys, under their names here.
        keys: Vec<(PlSmallStr, Expression)>,
        /// What is computed of each group.
        aggregations: Vec<(PlSmallStr, Expression)>,
        /// Whether the groups come in the order of their keys; otherwise in that of their first rows.
        sort: bool,
        /// Whether rows with a missing key belong to no group.
        drop_missing: bool,
    },
    /// The rows of two nodes side by side where their keys are equal.
    Join(JoinPlan),
    /// The rows of one node under those of another.
    Concat {
        /// Nodes with the same columns.
        inputs: Vec<Arc<Node>>,
    },
    /// Scalars laid out as a table.
    Cells {
        /// The rows that the scalars are computed from.
        input: Arc<Node>,
        /// The labels of the rows.
        labels: Vec<PlSmallStr>,
        /// The columns, a scalar for each row.
        columns: Vec<(PlSmallStr, Vec<Expression>)>,
    },
    /// The rows of `input`, cut into equal partitions.
    Repartition {
        /// The rows.
        input: Arc<Node>,
    },
    /// The rows of `input`, of whose labels it is known (or known no more) which partition has which.
    Divided {
        /// The rows.
        input: Arc<Node>,
        /// The column of labels.
        name: PlSmallStr,
        /// The least label of each partition and the greatest of all.
        divisions: Option<Vec<Literal>>,
        /// How far each label is from the next, in pandas' words, if it is the same for all and is first told
        /// here; an empty text says that it isn't known any more.
        frequency: Option<PlSmallStr>,
        /// Whether the labels are known to be in ascending order besides.
        sorted: bool,
        /// Whether the rows are cut anew, and not only said to lie so: those of the first partition come first then, each
        /// partition's in the order that they had.
        cut: bool,
    },
}

/// Tables in memory, a partition each.
#[derive(Clone)]
pub struct MemoryPlan {
    pub(crate) tables: Arc<[DataFrame]>,
    /// The first label of each table and the last of all, if labels are in order.
    pub(crate) divisions: Option<Vec<Literal>>,
}

/// Tables that tasks of something else give: a Python function over partitions, delayed calls, blocks of an array.
#[derive(Clone)]
pub struct External {
    /// What makes the tasks, a table each.
    pub source: Arc<dyn Lower>,
    /// What it is called in `explain()`.
    pub name: String,
    /// Whether pandas computes it.
    pub python: bool,
    /// Whether a store keeps them: together they may be more than there is memory.
    pub kept: bool,
    /// Whether they lie in memory where they come from.
    pub near: bool,
    /// The plans that it is made of.
    pub inputs: Vec<Arc<Node>>,
}

/// How two nodes are joined. The columns of `left` and `right` have the names that they have in the result.
#[derive(Clone)]
pub struct JoinPlan {
    pub(crate) left: Arc<Node>,
    pub(crate) right: Arc<Node>,
    /// The names of the keys in `left` and in `right`, pair by pair.
    pub(crate) keys: Vec<(PlSmallStr, PlSmallStr)>,
    pub(crate) how: JoinHow,
    /// Whether missing keys are equal, as they are in pandas.
    pub(crate) match_missing: bool,
    /// The column that says where a row comes from.
    pub(crate) indicator: Option<PlSmallStr>,
}

/// Marks the rows of one side of a join that wants an indicator.
pub(crate) const LEFT_MARK: &str = "\u{f8ff}in_left";
/// Marks the rows of the other side.
pub(crate) const RIGHT_MARK: &str = "\u{f8ff}in_right";

/// How many steps of a query `expressions` may become, which are computed one before the other.
pub(crate) fn levels_of<'a>(expressions: impl IntoIterator<Item = &'a Expr>) -> usize {
    let depth = expressions.into_iter().map(Expr::depth).max().unwrap_or(0);
    depth as usize / DEPTH_OF_LEVEL
}

/// The depth of the least part of an expression that becomes a step of its own.
const DEPTH_OF_LEVEL: usize = 8;

impl Node {
    /// A node over `inputs`; it has one partition and unknown rows until said otherwise.
    pub(crate) fn new(
        operator: Operator,
        columns: Vec<(PlSmallStr, Domain)>,
        words: &[&str],
        digests: impl IntoIterator<Item = u128>,
    ) -> Self {
        let scope = columns.iter().map(|(name, domain)| Field::new(name.clone(), domain.dtype.clone())).collect();
        let digests: Vec<u128> = digests.into_iter().collect();
        let digest = digest_of(&[&[operator.name()], words].concat(), &digests);
        let scope = Arc::new(scope);
        let (partitions, partition_rows, partitionwise) = (1, None, false);
        let mut node =
            Self { operator, columns, scope, partitions, partition_rows, partitionwise, digest, depth: 1, size: 1 };
        let (depth, size) = node
            .inputs()
            .iter()
            .fold((0, 1_u64), |(depth, size), input| (input.depth.max(depth), size.saturating_add(input.size)));
        (node.depth, node.size) = (depth + 1 + levels_of(node.expressions()), size);
        node
    }

    /// What it computes.
    fn expressions(&self) -> Vec<&Expr> {
        match &self.operator {
            Operator::Filter { predicate, .. } => vec![predicate],
            Operator::Sort { by, .. } | Operator::Top { by, .. } => by.iter().collect(),
            Operator::Unique { subset, .. } => subset.iter().collect(),
            operator => operator.computed().into_iter().map(|values| &values.expr).collect(),
        }
    }

    /// The same with the partitions of `input`, computed one by one if `local`.
    pub(crate) fn partitioned_like(mut self, input: &Self, local: bool) -> Self {
        self.partitions = input.partitions;
        self.partitionwise = local && input.partitionwise;
        self
    }

    /// The same with the rows of each partition known.
    pub(crate) fn with_rows(mut self, rows: Option<Arc<[usize]>>) -> Self {
        self.partition_rows = rows;
        self
    }

    /// The nodes that it is made of.
    pub fn inputs(&self) -> Vec<&Arc<Node>> {
        match &self.operator {
            Operator::Csv(_) | Operator::Parquet(_) | Operator::Memory(_) => vec![],
            Operator::External(external) => external.inputs.iter().collect(),
            Operator::Project { input, .. }
            | Operator::RowNumber { input, .. }
            | Operator::Filter { input, .. }
            | Operator::Sort { input, .. }
            | Operator::Slice { input, .. }
            | Operator::Top { input, .. }
            | Operator::Unique { input, .. }
            | Operator::Aggregate { input, .. }
            | Operator::Cells { input, .. }
            | Operator::Divided { input, .. }
            | Operator::Repartition { input } => vec![input],
            Operator::Attach { input, from, .. } => vec![input, from],
            Operator::Join(plan) => vec![&plan.left, &plan.right],
            Operator::Concat { inputs } => inputs.iter().collect(),
        }
    }

    /// The same.
    pub(super) fn inputs_mut(&mut self) -> Vec<&mut Arc<Node>> {
        match &mut self.operator {
            Operator::Csv(_) | Operator::Parquet(_) | Operator::Memory(_) => vec![],
            Operator::External(external) => external.inputs.iter_mut().collect(),
            Operator::Project { input, .. }
            | Operator::RowNumber { input, .. }
            | Operator::Filter { input, .. }
            | Operator::Sort { input, .. }
            | Operator::Slice { input, .. }
            | Operator::Top { input, .. }
            | Operator::Unique { input, .. }
            | Operator::Aggregate { input, .. }
            | Operator::Cells { input, .. }
            | Operator::Divided { input, .. }
            | Operator::Repartition { input } => vec![input],
            Operator::Attach { input, from, .. } => vec![input, from],
            Operator::Join(plan) => vec![&mut plan.left, &mut plan.right],
            Operator::Concat { inputs } => inputs.iter_mut().collect(),
        }
    }

    /// It and all nodes that it is made of, each once and before its own inputs.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Self> {
        self.walk(true)
    }

    /// The same, but for what tables that tasks make are made of.
    pub(crate) fn nodes_of_stage(&self) -> impl Iterator<Item = &Self> {
        self.walk(false)
    }

    fn walk(&self, through_tasks: bool) -> impl Iterator<Item = &Self> {
        let (mut left, mut seen) = (vec![self], HashSet::from([self.digest]));
        std::iter::from_fn(move || {
            let next = left.pop()?;
            if through_tasks || !matches!(next.operator, Operator::External(_)) {
                let mut inputs = next.inputs();
                inputs.retain(|input| seen.insert(input.digest));
                left.extend(inputs.into_iter().rev().map(|input| &**input));
            }
            Some(next)
        })
    }

    /// The domain of a column, if it has one of that name.
    pub(crate) fn domain(&self, name: &str) -> Option<&Domain> {
        self.columns.iter().find(|(column, _)| column == name).map(|(_, domain)| domain)
    }

    /// The column `name`, which has to be there.
    pub(crate) fn column(&self, name: &str) -> Expression {
        let domain = self.domain(name).expect("the plan names columns that it has");
        Expression::column(name, domain.clone())
    }

    /// A scalar, or what reads no column, as a column: one value for each row, which aggregations count and add up as
    /// often.
    pub(crate) fn for_each_row(&self, values: Expression) -> Expression {
        let is_constant = values.extent == Extent::Rows && values.leaves().is_empty();
        if !values.extent.is_scalar() && !is_constant {
            return values;
        }
        // Any column, the narrowest: it says how many rows there are, in groups and partitions too.
        let narrowest = self.columns.iter().min_by_key(|(_, domain)| width(&domain.dtype));
        let row = narrowest.map_or_else(row_number, |(name, _)| column(name));
        let extent = if values.leaves().is_empty() { Extent::Rows } else { Extent::Window };
        // Where there is a row there is a value.
        let domain = values.domain.clone();
        let domain = if values.fills_groups { Domain { missing: false, all_or_none: false, ..domain } } else { domain };
        Expression::new(when(row.is_null(), values.expr.clone(), values.expr), domain, extent)
    }

    /// A name that no column has yet.
    pub(crate) fn fresh_name(&self, stem: &str) -> PlSmallStr {
        let taken = self.columns.iter().filter(|(name, _)| is_internal(name, stem)).count();
        internal_name(stem, taken)
    }

    /// The node whose rows these are: itself, but for nodes that only add columns.
    pub(crate) fn rows_of(self: &Arc<Self>) -> &Arc<Self> {
        match &self.operator {
            Operator::Attach { input, .. } | Operator::Divided { input, cut: false, .. } => input.rows_of(),
            _ => self,
        }
    }

    /// Whether its rows lie in memory, so that the first of them are there at once.
    pub fn is_in_memory(&self) -> bool {
        match &self.operator {
            Operator::Memory(_) => true,
            Operator::External(external) => external.kept || external.near,
            Operator::Project { input, .. } | Operator::RowNumber { input, .. } => input.is_in_memory(),
            _ => false,
        }
    }

    /// How many rows there are, where that is known without computing.
    pub fn length(&self) -> Option<usize> {
        match (&self.partition_rows, &self.operator) {
            (Some(rows), _) => Some(rows.iter().sum()),
            (
                None,
                Operator::Repartition { input } | Operator::Project { input, .. } | Operator::Divided { input, .. },
            ) => input.length(),
            (None, Operator::Sort { input, .. }) => input.length(),
            (None, Operator::Slice { input, offset, length }) => match *offset {
                0.. => input.length().map(|rows| rows.saturating_sub(*offset as usize).min(*length)),
                _ => input.length().map(|rows| rows.min(offset.unsigned_abs() as usize).min(*length)),
            },
            (None, Operator::Cells { labels, .. }) => Some(labels.len()),
            _ => None,
        }
    }
}

impl Operator {
    /// The expressions that it computes of its input.
    pub(crate) fn computed(&self) -> Vec<&Expression> {
        match self {
            Self::Project { columns, .. } => columns.iter().map(|(_, values)| values).collect(),
            Self::Aggregate { keys, aggregations, .. } => {
                keys.iter().chain(aggregations).map(|(_, values)| values).collect()
            }
            Self::Cells { columns, .. } => columns.iter().flat_map(|(_, cells)| cells).collect(),
            _ => vec![],
        }
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Csv(_) => "read_csv",
            Self::Parquet(_) => "read_parquet",
            Self::Memory(_) => "in_memory",
            Self::External(_) => "partitions",
            Self::Project { .. } => "project",
            Self::RowNumber { .. } => "row_number",
            Self::Attach { .. } => "attach",
            Self::Filter { .. } => "filter",
            Self::Sort { .. } => "sort",
            Self::Slice { .. } => "slice",
            Self::Top { .. } => "top",
            Self::Unique { .. } => "unique",
            Self::Aggregate { .. } => "aggregate",
            Self::Join(_) => "join",
            Self::Concat { .. } => "concat",
            Self::Cells { .. } => "cells",
            Self::Repartition { .. } => "repartition",
            Self::Divided { .. } => "divide",
        }
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// About how many bytes a value takes.
fn width(dtype: &DataType) -> usize {
    match dtype {
        DataType::Boolean | DataType::Int8 | DataType::UInt8 => 1,
        DataType::Int16 | DataType::UInt16 => 2,
        dtype if dtype.to_physical().is_primitive_numeric() => 8,
        _ => 32,
    }
}
