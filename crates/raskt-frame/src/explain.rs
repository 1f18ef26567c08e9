use crate::error::Result;
use crate::plan::{Column, External, Frame, Node, Operator};
use crate::stage::{StageOutput, Translator, in_our_order};
use crate::table::unmarked;
use crate::tree::Expr;
use polars::prelude::*;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

impl Frame {
    /// The plan as text, a node a line, the last one first; each is marked `native` or `pandas`.
    pub fn explain(&self) -> String {
        let names: Vec<&str> = self.names().collect();
        explain(&format!("dataframe [{}]", shortened(&names.join(", "))), &self.root)
    }

    /// The query that the engine makes of the last stage.
    pub fn explain_engine(&self) -> Result<String> {
        explain_engine(&StageOutput::of_frame(self))
    }
}

impl Column {
    /// The plan as text, a node a line, the last one first; each is marked `native` or `pandas`.
    pub fn explain(&self) -> String {
        let kind = if self.is_scalar() { "scalar" } else { "series" };
        let name = self.name.as_deref().unwrap_or("no name");
        explain(&format!("{kind} [{name}: {}]", shortened(&self.values.expr.to_string())), &self.root)
    }

    /// The query that the engine makes of the last stage.
    pub fn explain_engine(&self) -> Result<String> {
        explain_engine(&StageOutput::of_column(self))
    }
}

fn explain(what: &str, root: &Arc<Node>) -> String {
    let mut text = format!("native  {what}\n");
    add(&mut text, root, 1, &mut HashSet::new());
    let cuts = root.nodes().filter(|node| is_python(node)).count();
    let stages = if cuts == 0 { "one stage".into() } else { format!("{cuts} Python nodes between native stages") };
    let _ = writeln!(text, "{stages}, {} partitions", root.partitions);
    text
}

/// A node that is used twice is told at length once.
fn add(text: &mut String, node: &Node, depth: usize, told: &mut HashSet<u128>) {
    let mark = if is_python(node) { "pandas" } else { "native" };
    let again = !node.inputs().is_empty() && !told.insert(node.digest);
    let what = if again { ", as above" } else { "" };
    let _ = writeln!(text, "{mark}  {}{}{what}", "  ".repeat(depth), describe(node));
    if !again {
        node.inputs().into_iter().for_each(|input| add(text, input, depth + 1, told));
    }
}

fn is_python(node: &Node) -> bool {
    matches!(&node.operator, Operator::External(External { python: true, .. }))
}

fn describe(node: &Node) -> String {
    let list =
        |expressions: &[Expr]| shortened(&expressions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    let details = match &node.operator {
        Operator::Csv(plan) => plan.describe(),
        Operator::Parquet(plan) => plan.describe(),
        Operator::Memory(plan) => format!("{} rows", plan.tables.iter().map(DataFrame::height).sum::<usize>()),
        Operator::External(external) => format!("`{}`", external.name),
        Operator::Project { columns, .. } => {
            shortened(&columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "))
        }
        Operator::RowNumber { name, .. } => name.to_string(),
        Operator::Attach { names, .. } => format!("{} columns", names.len()),
        Operator::Filter { predicate, .. } => shortened(&predicate.to_string()),
        Operator::Sort { by, .. } => list(by),
        Operator::Slice { offset, length, .. } => format!("from {offset}, {length} rows"),
        Operator::Top { count, by, largest, .. } => {
            format!("{count} {} by {}", if *largest { "largest" } else { "smallest" }, list(by))
        }
        Operator::Unique { subset, keep, .. } => format!("{} keeping {keep:?}", list(subset)),
        Operator::Aggregate { keys, aggregations, .. } => {
            let keys = list(&keys.iter().map(|(_, key)| key.expr.clone()).collect::<Vec<_>>());
            let values = list(&aggregations.iter().map(|(_, values)| values.expr.clone()).collect::<Vec<_>>());
            format!("by {keys}: {values}")
        }
        Operator::Join(plan) => format!("{:?} on {} keys", plan.how, plan.keys.len()).to_lowercase(),
        Operator::Concat { inputs } => format!("{} inputs", inputs.len()),
        Operator::Cells { labels, columns, .. } => format!("{} x {}", labels.len(), columns.len()),
        Operator::Repartition { .. } => format!("{} partitions", node.partitions),
        Operator::Divided { frequency: Some(frequency), .. } => format!("a label every {frequency}"),
        Operator::Divided { divisions: None, .. } => "nowhere known".into(),
        Operator::Divided { name, .. } => format!("{} partitions by {name}", node.partitions),
    };
    format!("{}: {details}", node.operator.name())
}

/// At most so many characters of an expression are shown.
const SHOWN_CHARS_MAX: usize = 160;

fn shortened(text: &str) -> String {
    let line = unmarked(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

fn explain_engine(output: &StageOutput) -> Result<String> {
    // Stand-ins for the tables that tasks will have made.
    let made = output.root().nodes_of_stage().filter(|node| matches!(node.operator, Operator::External(_)));
    let empty = |node: &Node| (node.digest, vec![DataFrame::empty_with_schema(&node.scope)]);
    let tables = made.map(empty).collect::<HashMap<_, _>>();
    let query = Translator::of_words(&tables).output(output.root(), output.columns())?;
    Ok(in_our_order(query).with_streaming(true).explain(true)?)
}
