//! Reductions of persisted tables in two steps: of each table, then of what came of these. So the tables are read one by
//! one, and never have to be in memory together.

use super::StageOutput;
use super::lower::lower_stage;
use super::stack::with_stack_for;
use super::type_of;
use crate::domain::Domain;
use crate::expression::{Expression, Extent, digest_of};
use crate::plan::{External, Node, Operator, aggregate};
use crate::table::internal_name;
use crate::tree::{Aggregate, Child, ColumnDtype, Comparison, Expr, column, literal, missing, when};
use polars::prelude::{DataType, PlSmallStr};
use raskt_graph::{GraphBuilder, GraphError, LayerId, Lower};
use std::sync::Arc;

/// A column with its name.
type Named = (PlSmallStr, Expression);

/// The same output from reduced tables; nothing if it isn't a reduction of persisted tables, or can't be split.
pub(super) fn staged(output: &StageOutput) -> Option<StageOutput> {
    if !output.has_rows() {
        let (node, columns) = scalars(&output.node, &output.columns)?;
        return Some(StageOutput { node, columns, digest: output.digest });
    }
    let node = with_stack_for(output.depth(), || staged_node(&output.node))?;
    Some(StageOutput { node, columns: output.columns.clone(), digest: output.digest })
}

/// Whether partitions of a node are made one by one of tables that a store keeps.
fn is_of_kept_tables(node: &Arc<Node>) -> bool {
    let is_kept = |node: &Node| matches!(&node.operator, Operator::External(External { kept: true, near: false, .. }));
    node.partitionwise && node.partitions > 1 && node.nodes_of_stage().any(is_kept)
}

/// The rows of `node` from groups that were reduced table by table, where such groups are what it is made of.
fn staged_node(node: &Arc<Node>) -> Option<Arc<Node>> {
    let operator = match &node.operator {
        Operator::Aggregate { input, keys, aggregations, sort, drop_missing } => {
            return groups(input, keys, aggregations, *sort, *drop_missing);
        }
        Operator::Project { input, columns } => {
            Operator::Project { input: staged_node(input)?, columns: columns.clone() }
        }
        Operator::Sort { input, by, options } => {
            Operator::Sort { input: staged_node(input)?, by: by.clone(), options: options.clone() }
        }
        Operator::Slice { input, offset, length } => {
            Operator::Slice { input: staged_node(input)?, offset: *offset, length: *length }
        }
        Operator::Top { input, count, by, largest } => {
            Operator::Top { input: staged_node(input)?, count: *count, by: by.clone(), largest: *largest }
        }
        Operator::RowNumber { input, name } => Operator::RowNumber { input: staged_node(input)?, name: name.clone() },
        _ => return None,
    };
    // Its rows are what they were, and so is its digest.
    Some(Arc::new(Node {
        operator,
        columns: node.columns.clone(),
        scope: node.scope.clone(),
        partitions: node.partitions,
        partition_rows: node.partition_rows.clone(),
        partitionwise: node.partitionwise,
        digest: node.digest,
        depth: node.depth,
        size: node.size,
    }))
}

fn groups(
    input: &Arc<Node>,
    keys: &[Named],
    aggregations: &[Named],
    sort: bool,
    drop_missing: bool,
) -> Option<Arc<Node>> {
    if !is_of_kept_tables(input) || keys.iter().any(|(_, key)| key.extent != Extent::Rows) {
        return None;
    }
    let (partials, merged) = split_all(input, aggregations)?;
    let partial = aggregate(input, keys, &partials, false, drop_missing).partitioned_like(input, true);
    let reduced = reduced_tables(StageOutput::of_node(&Arc::new(partial)));
    let keys: Vec<_> = keys.iter().map(|(name, _)| (name.clone(), reduced.column(name))).collect();
    Some(Arc::new(aggregate(&reduced, &keys, &merged, sort, drop_missing)))
}

/// Scalars over `node` as scalars over those of its partitions.
fn scalars(node: &Arc<Node>, columns: &[Named]) -> Option<(Arc<Node>, Vec<Named>)> {
    if !is_of_kept_tables(node) {
        return None;
    }
    let (partials, merged) = split_all(node, columns)?;
    Some((reduced_tables(StageOutput::new(node.clone(), partials)), merged))
}

/// The node of the tables that `output` gives for each partition.
fn reduced_tables(output: StageOutput) -> Arc<Node> {
    let columns = output.columns.iter().map(|(name, values)| (name.clone(), values.domain.clone())).collect();
    let partitions = output.node.partitions;
    let source = Arc::new(Reduced(output));
    let key = source.key();
    let external =
        External { source, name: "reduced tables".into(), python: false, kept: false, near: false, inputs: vec![] };
    let mut node = Node::new(Operator::External(external), columns, &[], [key]);
    (node.partitions, node.partitionwise) = (partitions, true);
    Arc::new(node)
}

/// A reduced table for each partition.
struct Reduced(StageOutput);

impl Lower for Reduced {
    fn key(&self) -> u128 {
        digest_of(&["reduced tables"], &[self.0.digest])
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        lower_stage(graph, &self.0, true, false)
    }
}

/// What is computed of each partition, and what is computed of these; nothing if something depends on all rows at once.
fn split_all(node: &Node, columns: &[Named]) -> Option<(Vec<Named>, Vec<Named>)> {
    let mut split = Split::default();
    let mut merged = vec![];
    for (name, values) in columns {
        if values.extent != Extent::Scalar {
            return None;
        }
        let is_float = values.domain.dtype == DataType::Float64;
        let expr = split.merge(&values.expr, is_float)?;
        merged.push((name.clone(), Expression::new(expr, values.domain.clone(), values.extent)));
    }
    let partial = |(at, expr): (usize, Expr)| {
        let dtype = type_of(&node.scope, &expr).ok()?;
        let domain = Domain::new(dtype.clone(), true, dtype.is_float());
        Some((partial_name(at), Expression::new(expr, domain, Extent::Scalar)))
    };
    let partials = split.0.into_iter().enumerate().map(partial).collect::<Option<Vec<_>>>()?;
    Some((partials, merged))
}

fn partial_name(at: usize) -> PlSmallStr {
    internal_name("partial", at)
}

/// Reductions of a part of the rows, each once.
#[derive(Default)]
struct Split(Vec<Expr>);

impl Split {
    /// The column of `expr` of each part.
    fn of_parts(&mut self, expr: Expr) -> Expr {
        let at = self.0.iter().position(|known| *known == expr).unwrap_or_else(|| {
            self.0.push(expr);
            self.0.len() - 1
        });
        column(&partial_name(at))
    }

    /// `expr` of all rows, from reductions of parts of them; `is_float` says that it is a float of 64 bits.
    fn merge(&mut self, expr: &Expr, is_float: bool) -> Option<Expr> {
        let mut both = |left: &Child, right: &Child| -> Option<(Child, Child)> {
            Some((self.merge(left, is_float)?.into(), self.merge(right, is_float)?.into()))
        };
        Some(match expr {
            Expr::Literal(_) => expr.clone(),
            Expr::Length => self.of_parts(expr.clone()).sum(),
            Expr::Aggregate { function, input } => self.merge_reduction(expr, *function, input, is_float)?,
            Expr::Cast { input, dtype, conversion } => {
                self.merge(input, is_float)?.converted(dtype.clone(), *conversion)
            }
            Expr::Map { function, input } => self.merge(input, is_float)?.map(*function),
            Expr::Arithmetic { operation, left, right } => {
                let (left, right) = both(left, right)?;
                Expr::Arithmetic { operation: *operation, left, right }
            }
            Expr::Comparison { operation, left, right } => {
                let (left, right) = both(left, right)?;
                Expr::Comparison { operation: *operation, left, right }
            }
            Expr::Logical { operation, left, right } => {
                let (left, right) = both(left, right)?;
                Expr::Logical { operation: *operation, left, right }
            }
            Expr::Conditional { condition, then, otherwise } => {
                let (then, otherwise) = both(then, otherwise)?;
                let condition = self.merge(condition, is_float)?.into();
                Expr::Conditional { condition, then, otherwise }
            }
            _ => return None,
        })
    }

    fn merge_reduction(&mut self, expr: &Expr, function: Aggregate, input: &Expr, is_float: bool) -> Option<Expr> {
        if input.any(&depends_on_others) {
            return None;
        }
        Some(match function {
            Aggregate::Sum | Aggregate::Count | Aggregate::Length | Aggregate::NullCount => {
                self.of_parts(expr.clone()).sum()
            }
            Aggregate::Minimum | Aggregate::Maximum => self.of_parts(expr.clone()).aggregate(function),
            // Of times and lengths of time, a mean is none of floats.
            Aggregate::Mean if is_float => {
                let numbers = input.clone().cast(ColumnDtype::FLOAT64);
                let sum = self.of_parts(numbers.clone().sum()).sum();
                let count = self.of_parts(numbers.count()).sum().cast(ColumnDtype::FLOAT64);
                let some = count.clone().compared(Comparison::Greater, literal(0.0));
                when(some, sum / count, missing(ColumnDtype::FLOAT64))
            }
            _ => return None,
        })
    }
}

/// Whether a value that this node gives for a row may depend on other rows.
fn depends_on_others(expr: &Expr) -> bool {
    matches!(expr, Expr::Aggregate { .. } | Expr::Length | Expr::Over { .. } | Expr::Window { .. } | Expr::RowNumber)
}
