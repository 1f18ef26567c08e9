//! What a large plan uses twice.
//!
//! The engine writes plans out, and looks for equal parts in what it has written: a frame that is joined with groups of its
//! own at each of twenty steps would be there a million times. In large plans, nodes with several users are therefore
//! computed first, with the columns that any of them needs. In smaller ones the engine finds what is equal, and each user
//! reads no more than it needs.

use super::expressions::column;
use super::need::Need;
use super::translate::{Translator, counted};
use crate::error::Result;
use crate::plan::{Node, Operator};
use polars::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Plans that are written out to more nodes than this are large.
const WRITTEN_MAX: u64 = 256;

/// Nodes that are written out to fewer are written out.
const SHARED_MIN: u64 = 16;

impl Translator<'_> {
    /// Computes what the plans of `roots` use twice, if they are large, with all that is asked of it by any of them.
    pub(super) fn share(&mut self, roots: Vec<(&Arc<Node>, &Need)>) -> Result<()> {
        if roots.iter().fold(0, |size: u64, (node, _)| size.saturating_add(node.size)) <= WRITTEN_MAX {
            return Ok(());
        }
        let nodes = nodes_of(&roots);
        let mut shared = used_twice(&nodes, &roots);
        let needs = self.needs(nodes, &roots)?;
        // Whatever a node is made of lies deeper.
        shared.sort_by_key(|node| node.depth);
        for node in shared {
            if let Some(need) = needs.get(&node.digest)
                && self.shared.get(&node.digest).is_none_or(|(known, _)| !known.covers(need))
            {
                let table = self.table(node, need)?;
                self.shared.insert(node.digest, (need.clone(), table));
            }
        }
        Ok(())
    }

    /// What is asked of each of `nodes`, which `roots` are made of, by all of its users together.
    fn needs(&mut self, mut nodes: Vec<&Node>, roots: &[(&Arc<Node>, &Need)]) -> Result<HashMap<u128, Need>> {
        nodes.retain(|node| !node.inputs().is_empty() && !matches!(node.operator, Operator::External(_)));
        nodes.sort_by_key(|node| std::cmp::Reverse(node.depth));
        self.asked = Some(HashMap::new());
        let found = self.ask(&nodes, roots);
        let asked = self.asked.take().unwrap_or_default();
        found.map(|()| asked)
    }

    fn ask(&mut self, nodes: &[&Node], roots: &[(&Arc<Node>, &Need)]) -> Result<()> {
        for (node, need) in roots {
            let _ = self.node(node, need)?;
        }
        for node in nodes {
            let asked = self.asked.as_ref().and_then(|asked| asked.get(&node.digest)).cloned();
            if let Some(need) = asked {
                let _ = self.write(node, &need)?;
            }
        }
        Ok(())
    }

    fn table(&mut self, node: &Node, need: &Need) -> Result<LazyFrame> {
        let query = self.write(node, need)?;
        let columns: Vec<Expr> = need.columns.iter().map(|name| column(name.clone())).collect();
        let query = if columns.is_empty() { counted(query, vec![]) } else { query.select(columns) };
        Ok((self.compute)(query)?.lazy())
    }
}

/// What the plans of `roots` are made of, each node once.
fn nodes_of<'a>(roots: &[(&'a Arc<Node>, &Need)]) -> Vec<&'a Node> {
    let mut seen = HashSet::new();
    let nodes = roots.iter().flat_map(|(node, _)| node.nodes_of_stage());
    nodes.filter(|node| seen.insert(node.digest)).collect()
}

/// Those of `nodes`, which `roots` are made of, that are used twice.
fn used_twice<'a>(nodes: &[&'a Node], roots: &[(&'a Arc<Node>, &Need)]) -> Vec<&'a Node> {
    let mut users: HashMap<u128, (usize, &Node)> = HashMap::new();
    let inputs = nodes.iter().flat_map(|user| user.inputs()).chain(roots.iter().map(|(root, _)| *root));
    for input in inputs.filter(|input| input.size >= SHARED_MIN) {
        users.entry(input.digest).or_insert((0, &**input)).0 += 1;
    }
    users.into_values().filter(|(users, _)| *users > 1).map(|(_, node)| node).collect()
}
