//! From plans to tasks.
//!
//! A *stage* is one query of the engine over a whole plan, or over partition *i* of one. Where a plan holds tables that
//! other tasks make (Python functions over partitions, blocks of an array), the stage reads their results. Whole plans
//! are one task, which uses all threads; partitions are a task each where the plan allows it, and else slices of the
//! whole. Whole plans that are computed together and read the same rows are one query of several results.

mod casing;
mod cells;
mod durations;
mod engine;
mod expressions;
mod external;
mod functions;
mod groups;
mod heirs;
mod interrupted;
mod joins;
mod kernel;
mod lower;
mod need;
mod numbers;
mod partial;
mod prepared;
mod runtimes;
mod shared;
mod slice;
mod stack;
mod text;
mod ticks;
mod time;
mod together;
mod translate;
mod typing;

pub use engine::initialise;
pub(crate) use engine::{collect, collect_all, in_our_order};
pub(crate) use expressions::common_engine_type;
pub(crate) use external::{MapPartitions, MapWhole, PickPartitions, Same};
pub(crate) use kernel::{Part, Stage, Together};
pub use lower::{lower_partitions, lower_persisted, lower_whole, lower_write};
pub(crate) use slice::Slice;
pub use together::lower_together;
pub(crate) use translate::{Translator, input_of_partition};
pub(crate) use typing::type_of;

use crate::expression::{Expression, digest_of};
use crate::plan::{Column, Frame, Index, Node, holds_tables, hollow, levels_of, reads_tasks, with_tables_apart};
use crate::table::index_column_name;
use polars::prelude::*;
use slice::Cut;
use stack::with_stack_for;
use std::sync::Arc;

impl Frame {
    /// The same without what makes the tables that it reads of tasks: it can say what rows are like, and not be computed.
    pub fn hollow(&self) -> Self {
        Self { root: hollow_root(&self.root), ..self.clone() }
    }
}

impl Column {
    /// As [`Frame::hollow`].
    pub fn hollow(&self) -> Self {
        Self { root: hollow_root(&self.root), ..self.clone() }
    }
}

fn hollow_root(root: &Arc<Node>) -> Arc<Node> {
    if reads_tasks(root) { with_stack_for(root.depth, || hollow(root)) } else { root.clone() }
}

/// What a stage gives: columns over a node.
#[derive(Clone, Debug)]
pub struct StageOutput {
    node: Arc<Node>,
    columns: Vec<(PlSmallStr, Expression)>,
    digest: u128,
}

impl StageOutput {
    /// How many steps of a query lie one under another.
    fn depth(&self) -> usize {
        self.node.depth + levels_of(self.columns.iter().map(|(_, values)| &values.expr))
    }

    /// The same without what makes the tables that it reads of tasks; nothing if it reads none.
    fn hollow(&self) -> Option<Self> {
        reads_tasks(&self.node).then(|| Self { node: hollow_root(&self.node), ..self.clone() })
    }

    /// The same, with tasks that give the tables that it holds in memory.
    fn with_tables_apart(&self) -> Self {
        if !holds_tables(&self.node) {
            return self.clone();
        }
        let node = with_stack_for(self.node.depth, || with_tables_apart(&self.node, crate::source::give));
        Self { node, ..self.clone() }
    }

    /// The labels and columns of a frame.
    pub fn of_frame(frame: &Frame) -> Self {
        let labels = match &frame.index {
            // Without a column there would be no rows: their numbers stand for them.
            Index::Rows(_) if frame.columns.is_empty() => {
                let numbers = Expression::row_number(&frame.root.scope).expect("a range has a type over any columns");
                vec![(index_column_name(0), numbers)]
            }
            Index::Rows(_) => vec![],
            Index::Levels(levels) => {
                levels.iter().enumerate().map(|(at, level)| (index_column_name(at), level.values.clone())).collect()
            }
        };
        Self::new(frame.root.clone(), labels.into_iter().chain(frame.columns.iter().cloned()).collect())
    }

    /// The labels and values of a column; of a scalar the value alone.
    pub fn of_column(column: &Column) -> Self {
        let name = "values";
        if column.is_scalar() || column.labels {
            return Self::new(column.root.clone(), vec![(name.into(), column.values.clone())]);
        }
        Self::of_frame(&column.to_frame(name))
    }

    /// All columns of a node.
    pub(crate) fn of_node(node: &Arc<Node>) -> Self {
        let columns = node.columns.iter().map(|(name, _)| (name.clone(), node.column(name))).collect();
        Self::new(node.clone(), columns)
    }

    fn new(node: Arc<Node>, columns: Vec<(PlSmallStr, Expression)>) -> Self {
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let digests: Vec<u128> = columns.iter().map(|(_, values)| values.digest).chain([node.digest]).collect();
        let digest = digest_of(&names, &digests);
        Self { node, columns, digest }
    }

    /// Columns over a node, under their names, as they have come from elsewhere.
    pub(crate) fn over(node: Arc<Node>, columns: Vec<(PlSmallStr, Expression)>) -> Self {
        Self::new(node, columns)
    }

    /// The hash of its content.
    pub(crate) fn digest(&self) -> u128 {
        self.digest
    }

    /// The columns over it.
    pub(crate) fn columns(&self) -> &[(PlSmallStr, Expression)] {
        &self.columns
    }

    /// The node that has the rows.
    pub fn root(&self) -> &Arc<Node> {
        &self.node
    }

    /// Whether partition *i* of it can be computed from partition *i* of the node.
    fn is_partitionwise(&self) -> bool {
        let local = |values: &Expression| values.is_local();
        self.node.partitionwise && self.columns.iter().all(|(_, values)| local(values)) && self.has_rows()
    }

    /// Whether partition *i* of it has the rows of partition *i* of the node.
    pub(crate) fn is_cut_as_planned(&self) -> bool {
        self.is_partitionwise() || Cut::of(self).is_planned()
    }

    fn has_rows(&self) -> bool {
        self.columns.is_empty() || self.columns.iter().any(|(_, values)| !values.extent.is_scalar())
    }
}
