//! Plans as they are written: nodes, trees, types and what columns are to their users, each once, in an order in which each refers
//! only to earlier ones. So what is used often is written once, and nothing calls itself for what lies below it.

use super::operators::WrittenOperator;
use super::read::DEPTH;
use super::trees::WrittenTree;
use crate::domain::Domain;
use crate::expression::{Expression, Extent};
use crate::logical::Logical;
use crate::plan::Node;
use crate::stage::StageOutput;
use crate::tree::{ColumnDtype, Expr};
use polars::prelude::{DataType, PlSmallStr};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// What stages give, and all that it is computed from.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct WrittenPlan {
    pub types: Vec<ColumnDtype>,
    pub logical: Vec<Logical>,
    pub trees: Vec<WrittenTree>,
    pub nodes: Vec<WrittenNode>,
    pub outputs: Vec<WrittenOutput>,
}

/// Columns over a node.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenOutput {
    pub node: u32,
    pub columns: Vec<Named<WrittenExpression>>,
}

/// Something with its name.
pub(super) type Named<T> = (String, T);

/// A node of a plan.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenNode {
    pub operator: WrittenOperator,
    pub columns: Vec<Named<WrittenDomain>>,
    pub partitions: usize,
    pub rows: Option<Arc<[usize]>>,
    pub partitionwise: bool,
}

/// What is computed, with what is known of it. What only those need who write expressions isn't among it.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenExpression {
    pub tree: u32,
    pub domain: WrittenDomain,
    pub extent: Extent,
    pub fills_groups: bool,
}

/// What the values of a column can be.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenDomain {
    pub dtype: u32,
    pub logical: u32,
    pub missing: bool,
    pub all_or_none: bool,
    pub was_missing: bool,
    pub nan: bool,
    pub magnitude: f64,
}

impl WrittenPlan {
    /// What is written of `outputs`; why they can't travel, if they can't.
    pub fn of<'a>(outputs: impl IntoIterator<Item = &'a StageOutput>) -> Result<Self, String> {
        let mut writer = Writer::default();
        for output in outputs {
            let (node, columns) = (writer.node(output.root())?, writer.named(output.columns())?);
            writer.plan.outputs.push(WrittenOutput { node, columns });
        }
        Ok(writer.finish())
    }
}

/// A plan while it is written.
#[derive(Default)]
pub(super) struct Writer {
    plan: WrittenPlan,
    /// Where types were put; there are few.
    types: Vec<DataType>,
    logical: HashMap<Logical, u32>,
    trees: HashMap<u128, u32>,
    nodes: HashMap<u128, u32>,
}

impl Writer {
    /// All that was written.
    pub fn finish(self) -> WrittenPlan {
        self.plan
    }

    /// Where a node was put, and all that it is made of before it.
    pub fn node(&mut self, root: &Arc<Node>) -> Result<u32, String> {
        let mut left = vec![root];
        while let Some(&node) = left.last() {
            let before = left.len();
            // What makes the tables that tasks give is their own matter.
            let inputs = if WrittenOperator::is_written_with_inputs(node) { node.inputs() } else { vec![] };
            left.extend(inputs.into_iter().filter(|input| !self.nodes.contains_key(&input.digest)));
            if left.len() > before {
                continue;
            }
            left.pop();
            if !self.nodes.contains_key(&node.digest) {
                let written = self.written(node)?;
                self.nodes.insert(node.digest, self.plan.nodes.len() as u32);
                self.plan.nodes.push(written);
            }
        }
        Ok(self.nodes[&root.digest])
    }

    fn written(&mut self, node: &Node) -> Result<WrittenNode, String> {
        if node.depth > DEPTH {
            return Err(format!("it has more than {DEPTH} steps one under another: persist some of them before"));
        }
        let operator = WrittenOperator::of(node, self)?;
        let columns = node.columns.iter().map(|(name, domain)| Ok((name.to_string(), self.domain(domain)?)));
        let columns = columns.collect::<Result<_, String>>()?;
        let (partitions, rows) = (node.partitions, node.partition_rows.clone());
        Ok(WrittenNode { operator, columns, partitions, rows, partitionwise: node.partitionwise })
    }

    /// Where a node was put that was written before.
    pub fn known(&self, node: &Node) -> u32 {
        self.nodes[&node.digest]
    }

    pub fn named(&mut self, columns: &[(PlSmallStr, Expression)]) -> Result<Vec<Named<WrittenExpression>>, String> {
        columns.iter().map(|(name, values)| Ok((name.to_string(), self.expression(values)?))).collect()
    }

    pub fn expression(&mut self, values: &Expression) -> Result<WrittenExpression, String> {
        let (tree, domain) = (self.tree(&values.expr), self.domain(&values.domain)?);
        Ok(WrittenExpression { tree, domain, extent: values.extent, fills_groups: values.fills_groups })
    }

    pub fn all(&mut self, expressions: &[Expr]) -> Vec<u32> {
        expressions.iter().map(|expr| self.tree(expr)).collect()
    }

    /// Where a tree was put, and all that it is made of before it.
    pub fn tree(&mut self, root: &Expr) -> u32 {
        let mut left = vec![(root.digest(), root)];
        while let Some(&(digest, expr)) = left.last() {
            let before = left.len();
            let parts = expr.children().into_iter().filter(|part| !self.trees.contains_key(&part.digest()));
            left.extend(parts.map(|part| (part.digest(), &**part)));
            if left.len() > before {
                continue;
            }
            left.pop();
            if !self.trees.contains_key(&digest) {
                let Ok(written) =
                    expr.with_children(|part| Ok::<_, std::convert::Infallible>(self.trees[&part.digest()]));
                self.trees.insert(digest, self.plan.trees.len() as u32);
                self.plan.trees.push(written);
            }
        }
        self.trees[&root.digest()]
    }

    pub fn domain(&mut self, domain: &Domain) -> Result<WrittenDomain, String> {
        let dtype = match self.types.iter().position(|known| *known == domain.dtype) {
            Some(at) => at as u32,
            None => {
                let written = ColumnDtype::of_engine(&domain.dtype).map_err(|error| error.to_string())?;
                self.plan.types.push(written);
                self.types.push(domain.dtype.clone());
                self.types.len() as u32 - 1
            }
        };
        let logical = match self.logical.get(&domain.logical) {
            Some(at) => *at,
            None => {
                self.plan.logical.push(domain.logical.clone());
                self.logical.insert(domain.logical.clone(), self.plan.logical.len() as u32 - 1);
                self.plan.logical.len() as u32 - 1
            }
        };
        let Domain { missing, all_or_none, was_missing, nan, magnitude, .. } = *domain;
        Ok(WrittenDomain { dtype, logical, missing, all_or_none, was_missing, nan, magnitude })
    }
}
