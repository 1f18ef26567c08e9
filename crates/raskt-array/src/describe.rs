//! What an array will cost, and what it looks like after optimising.

use crate::expression::Expr;
use crate::{Array, ArrayError, Extent, Result, error::shape_text};
use raskt_graph::GraphBuilder;
use std::collections::HashSet;
use std::fmt::Write;

/// What computing an array takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Layers of the graph.
    pub layers: usize,
    /// Tasks of the graph.
    pub tasks: u64,
    /// Blocks of the array.
    pub blocks: u64,
    /// Bytes of the array.
    pub bytes: Extent,
    /// Bytes of its largest block.
    pub block_bytes: Extent,
}

impl Array {
    /// What computing it takes.
    pub fn describe(&self) -> Result<Description> {
        let mut graph = GraphBuilder::new();
        graph.lower(self).map_err(|error| ArrayError::Block(error.to_string()))?;
        let graph = graph.finish();
        let block_bytes = self.chunks().largest_block().map(|elements| elements * self.dtype().size());
        let (layers, tasks, blocks) = (graph.layers().len(), graph.tasks(), self.chunks().blocks());
        Ok(Description { layers, tasks, blocks, bytes: self.nbytes(), block_bytes })
    }

    /// The optimised expression, one operation a line, inputs indented; each says what runs it.
    pub fn tree(&self) -> String {
        let mut text = String::new();
        write_tree(&self.optimize(), 0, &mut text, &mut HashSet::new());
        text
    }
}

fn write_tree(array: &Array, depth: usize, text: &mut String, seen: &mut HashSet<u128>) {
    let runner = match array.expr() {
        Expr::Blockwise(blockwise) if !blockwise.is_native() => "python",
        Expr::Lowered(_) => "tasks",
        _ => "native",
    };
    let (name, dtype, shape, blocks) =
        (array.name(), array.dtype(), shape_text(&array.shape()), array.chunks().blocks());
    let first = seen.insert(array.key());
    let note = if first || array.expr().inputs().is_empty() { "" } else { "  (as above)" };
    let plural = if blocks == 1 { "block" } else { "blocks" };
    writeln!(text, "{:1$}{name}  {dtype} {shape}  {blocks} {plural}  [{runner}]{note}", "", depth * 2)
        .expect("a string takes all that is written to it");
    if first {
        let inputs = array.expr().inputs().iter();
        inputs.for_each(|input| crate::stack::grown(|| write_tree(input, depth + 1, text, seen)));
    }
}
