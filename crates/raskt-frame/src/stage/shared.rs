//! What a large plan uses twice.
//!
//! The engine writes plans out, and looks for equal parts in what it has written: a frame that is joined with groups of its
//! own at each of twenty steps would be there a million times. In large plans, nodes with several users are therefore
//! computed first, with the columns that any of them needs. In smaller ones the engine finds what is equal, and each user
//! reads no more than it needs.

use super::need::Need;
use super::translate::{Translator, counted};
use crate::error::Result;
use crate::plan::{Node, Operator};
use polars::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Plans that are written out to more nodes than this are large.
const WRITTEN_MAX: u64 = 256;

/// Nodes that are written out to fewer are written out.
const SHARED_MIN: u64 = 16;

impl Translator<'_> {
    /// Computes what `node` uses twice, if it is large.
    pub(super) fn share(&mut self, node: &Arc<Node>, need: &Need) -> Result<()> {
        if node.size <= WRITTEN_MAX {
            return Ok(());
        }
        let mut shared = used_twice(node);
        let mut needs = self.needs(node, need)?;
        // Whatever a node is made of lies deeper.
        shared.sort_by_key(|node| node.depth);
        for node in shared {
            if let Some(need) = needs.remove(&node.digest)
                && !self.shared.get(&node.digest).is_some_and(|(asked, _)| asked.covers(&need))
            {
                let table = self.table(node, &need)?;
                self.shared.insert(node.digest, (need, table));
            }
        }
        Ok(())
    }

    /// What is asked of each node that `node` is made of, by all of its users together.
    fn needs(&mut self, node: &Arc<Node>, need: &Need) -> Result<HashMap<u128, Need>> {
        let is_source = |node: &Node| node.inputs().is_empty() || matches!(node.operator, Operator::External(_));
        let mut nodes: Vec<&Node> = node.nodes_of_stage().filter(|node| !is_source(node)).collect();
        nodes.sort_by_key(|node| std::cmp::Reverse(node.depth));
        self.asked = Some(HashMap::from([(node.digest, need.clone())]));
        for node in nodes {
            let asked = self.asked.as_ref().and_then(|asked| asked.get(&node.digest)).cloned();
            if let Some(need) = asked
                && let Err(error) = self.write(node, &need)
            {
                self.asked = None;
                return Err(error);
            }
        }
        Ok(self.asked.take().unwrap_or_default())
    }

    fn table(&mut self, node: &Node, need: &Need) -> Result<LazyFrame> {
        let query = self.write(node, need)?;
        let columns: Vec<Expr> = need.columns.iter().map(|name| col(name.clone())).collect();
        let query = if columns.is_empty() { counted(query, vec![]) } else { query.select(columns) };
        Ok((self.compute)(query)?.lazy())
    }
}

/// The nodes below `node` that are used twice.
fn used_twice(node: &Node) -> Vec<&Node> {
    let mut users: HashMap<u128, (usize, &Node)> = HashMap::new();
    for user in node.nodes_of_stage() {
        for input in user.inputs().into_iter().filter(|input| input.size >= SHARED_MIN) {
            users.entry(input.digest).or_insert((0, &**input)).0 += 1;
        }
    }
    users.into_values().filter(|(users, _)| *users > 1).map(|(_, node)| node).collect()
}
