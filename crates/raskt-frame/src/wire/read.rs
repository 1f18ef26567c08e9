//! Plans that have come from elsewhere: built anew, node by node, and checked as they are.

use super::budget::Budget;
use super::check::check;
use super::plan::{Named, WrittenDomain, WrittenExpression, WrittenNode, WrittenPlan};
use super::trees::{Trees, units_of};
use crate::domain::Domain;
use crate::expression::{Expression, content_of, digest_of};
use crate::logical::Logical;
use crate::plan::Node;
use crate::stage::StageOutput;
use crate::tree::{ColumnDtype, Expr};
use polars::prelude::{DataType, PlSmallStr};
use std::sync::Arc;

/// So many steps of a plan lie one under another at most: stacks grow with them.
pub(super) const DEPTH: usize = 1 << 11;

impl WrittenPlan {
    /// What stages give; what is wrong with it, if anything.
    pub fn outputs(self) -> Result<Vec<StageOutput>, String> {
        let mut reader = Reader::of_types(&self)?;
        reader.trees = Trees::read(self.trees)?;
        for node in self.nodes {
            let node = reader.build(node)?;
            reader.nodes.push(node);
        }
        let mut outputs = vec![];
        for output in self.outputs {
            let (trees, node) = (trees_of(&output.columns), reader.node(output.node)?);
            let columns = reader.named(output.columns)?;
            reader.check_types(&node, &trees, &columns.iter().map(|(_, values)| values).collect::<Vec<_>>())?;
            outputs.push(StageOutput::over(node, columns));
        }
        Ok(outputs)
    }
}

fn trees_of(columns: &[Named<WrittenExpression>]) -> Vec<u32> {
    columns.iter().map(|(_, values)| values.tree).collect()
}

/// A plan while it is read.
pub(super) struct Reader {
    budget: Budget,
    types: Vec<(DataType, ColumnDtype)>,
    logical: Vec<Logical>,
    trees: Trees,
    nodes: Vec<Arc<Node>>,
}

impl Reader {
    /// One that knows the types that were written.
    pub fn of_types(plan: &WrittenPlan) -> Result<Self, String> {
        let engine = |dtype: &ColumnDtype| Ok((dtype.to_engine().map_err(|error| error.to_string())?, dtype.clone()));
        let types = plan.types.iter().map(engine).collect::<Result<_, String>>()?;
        Ok(Self {
            budget: Budget::new(),
            types,
            logical: plan.logical.clone(),
            trees: Trees::read(vec![])?,
            nodes: vec![],
        })
    }

    fn build(&mut self, written: WrittenNode) -> Result<Arc<Node>, String> {
        let WrittenNode { operator, columns, partitions, rows, partitionwise } = written;
        // Equal nodes have equal digests: theirs is of all that was written, and of what it stands for.
        let content = postcard::to_stdvec(&(&operator, &columns, partitions, &rows, partitionwise));
        let content = xxhash_rust::xxh3::xxh3_128(&content.map_err(|error| error.to_string())?);
        let read = operator.trees();
        let operator = operator.read(self)?;
        let columns = columns.into_iter().map(|(name, domain)| Ok((name.into(), self.domain(&domain)?)));
        let columns = columns.collect::<Result<Vec<(PlSmallStr, Domain)>, String>>()?;
        let mut node = Node::new(operator, columns, &[], [content]);
        node.digest = self.digest(&node, &read);
        (node.partitions, node.partition_rows, node.partitionwise) = (partitions, rows, partitionwise);
        if node.depth > DEPTH {
            return Err(format!("a plan of more than {DEPTH} steps one under another"));
        }
        self.budget.spend(node.inputs().iter().map(|input| 1 + input.columns.len()).sum())?;
        check(&node)?;
        if let Some(input) = node.inputs().first() {
            let input = Arc::clone(input);
            self.check_types(&input, &read, &node.operator.computed())?;
        }
        Ok(Arc::new(node))
    }

    /// The hash of all that was written of a node, and of what the numbers in it stand for.
    fn digest(&self, node: &Node, trees: &[u32]) -> u128 {
        let inputs = node.inputs().into_iter().map(|input| input.digest);
        let trees = trees.iter().map(|at| self.trees.digest(*at));
        let fields: Vec<(&PlSmallStr, &DataType)> = node.scope.iter().collect();
        let digests: Vec<u128> = [node.digest, content_of(&fields)].into_iter().chain(inputs).chain(trees).collect();
        digest_of(&["written"], &digests)
    }

    /// Whether `trees` over `input` are of the types that are said of them: of all, if nothing is said.
    fn check_types(&mut self, input: &Node, trees: &[u32], said: &[&Expression]) -> Result<(), String> {
        let scope = |name: &str| match input.scope.get(name) {
            Some(dtype) => ColumnDtype::of_engine(dtype),
            None => Err(crate::FrameError::unknown_column(name, [])),
        };
        let found = self.trees.types_of(trees, &scope, &mut self.budget)?;
        for (found, said) in found.iter().zip(said) {
            let found = found.to_engine().map_err(|error| error.to_string())?;
            if !is_alike(&found, &said.domain.dtype) {
                return Err(format!("`{}` is of {found}, and not of {}", said.expr, said.domain.dtype));
            }
        }
        Ok(())
    }

    pub fn node(&self, at: u32) -> Result<Arc<Node>, String> {
        self.nodes.get(at as usize).cloned().ok_or_else(|| "a node refers to later ones".into())
    }

    pub fn tree(&mut self, at: u32) -> Result<Expr, String> {
        self.trees.get(at, &mut self.budget)
    }

    pub fn all(&mut self, trees: &[u32]) -> Result<Vec<Expr>, String> {
        trees.iter().map(|at| self.tree(*at)).collect()
    }

    pub fn named(&mut self, columns: Vec<Named<WrittenExpression>>) -> Result<Vec<(PlSmallStr, Expression)>, String> {
        columns.into_iter().map(|(name, values)| Ok((name.into(), self.expression(values)?))).collect()
    }

    pub fn expression(&mut self, written: WrittenExpression) -> Result<Expression, String> {
        let WrittenExpression { tree, domain, extent, fills_groups } = written;
        let values = Expression::new(self.tree(tree)?, self.domain(&domain)?, extent);
        Ok(Expression { fills_groups, ..values })
    }

    pub fn domain(&mut self, written: &WrittenDomain) -> Result<Domain, String> {
        let WrittenDomain { dtype, logical, missing, all_or_none, was_missing, nan, magnitude } = *written;
        let (engine, dtype) = self.types.get(dtype as usize).ok_or("there is no such type")?;
        let logical = self.logical.get(logical as usize).ok_or("there is no such type of pandas")?.clone();
        self.budget.spend(if engine.is_nested() { units_of(dtype) } else { 1 })?;
        Ok(Domain { dtype: engine.clone(), logical, missing, all_or_none, was_missing, nan, magnitude })
    }
}

/// Whether a type is the one that is said, but for what the engine alone knows: how many digits fixed-point numbers have, and the
/// unit of times.
fn is_alike(found: &DataType, said: &DataType) -> bool {
    matches!(
        (found, said),
        (DataType::Decimal(..), DataType::Decimal(..))
            | (DataType::Duration(_), DataType::Duration(_))
            | (DataType::Datetime(_, None), DataType::Datetime(_, None))
    ) || found == said
}
