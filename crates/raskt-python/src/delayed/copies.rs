//! Copies of delayed calls: the same work under another identity, and perhaps after something else.

use super::copied::Copying;
use super::token::{content, settle};
use super::{Argument, Delayed, Node, Work};
use hashbrown::{HashMap, HashSet};
use pyo3::prelude::*;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Copies of `roots` and of all calls that they read, but for `omit` and what only those read.
///
/// Collections that they read, or are blocks of, are copied too, but for those in `omit_collections`. The calls that read no
/// copied call come after `after`. With a `seed` the copies are the same each time; without one
/// they are unlike any others.
#[pyfunction]
#[pyo3(signature = (roots, omit, after, seed=None, omit_collections=vec![]))]
pub(crate) fn delayed_copies(
    py: Python<'_>,
    roots: Vec<PyRef<'_, Delayed>>,
    omit: Vec<PyRef<'_, Delayed>>,
    after: Vec<PyRef<'_, Delayed>>,
    seed: Option<Vec<u8>>,
    omit_collections: Vec<Py<PyAny>>,
) -> PyResult<Vec<Delayed>> {
    let after: Vec<_> = after.iter().map(|delayed| delayed.node.clone()).collect();
    let omit = omit.iter().map(|delayed| delayed.node.id).collect();
    let collections = Copying::new(after.clone(), omit_collections);
    let mut copies = Copies { omit, after, collections, seed, copied: HashMap::new() };
    for root in &roots {
        copies.walk(py, &root.node)?;
    }
    Ok(roots.iter().map(|root| Delayed { node: copies.of(&root.node) }).collect())
}

struct Copies {
    omit: HashSet<u64>,
    after: Vec<Arc<Node>>,
    collections: Arc<Copying>,
    seed: Option<Vec<u8>>,
    /// By the number of the original.
    copied: HashMap<u64, Arc<Node>>,
}

impl Copies {
    /// Copies `root` and what it reads, inputs first and without recursion.
    fn walk(&mut self, py: Python<'_>, root: &Arc<Node>) -> PyResult<()> {
        let mut stack = vec![root.clone()];
        while let Some(node) = stack.last().cloned() {
            let depth = stack.len();
            if !self.is_done(&node) {
                node.for_each_input(&mut |input| {
                    if !self.is_done(input) {
                        stack.push(input.clone());
                    }
                });
                if stack.len() > depth {
                    continue;
                }
                let copy = self.copy(py, &node)?;
                self.copied.insert(node.id, copy);
            }
            stack.pop();
        }
        Ok(())
    }

    fn is_done(&self, node: &Node) -> bool {
        self.omit.contains(&node.id) || self.copied.contains_key(&node.id)
    }

    /// The copy of a node; the node itself if it isn't copied.
    fn of(&self, node: &Arc<Node>) -> Arc<Node> {
        self.copied.get(&node.id).unwrap_or(node).clone()
    }

    fn copy(&self, py: Python<'_>, node: &Arc<Node>) -> PyResult<Arc<Node>> {
        let mut reads_copies = false;
        node.for_each_input(&mut |input| reads_copies |= self.copied.contains_key(&input.id));
        let mut extra = node.extra.as_deref().cloned().unwrap_or_default();
        extra.key = None;
        extra.after = extra.after.iter().map(|node| self.of(node)).collect();
        // A collection sees to it itself.
        if !reads_copies && !matches!(node.work, Work::Block { .. }) {
            extra.after.extend(self.after.iter().cloned());
        }
        let work = self.work(py, &node.work)?;
        Ok(match &self.seed {
            None => Node::made(work, extra, false),
            Some(seed) => {
                settle(py, node);
                Node::identified(work, extra, self.token(py, content(py, node), seed))
            }
        })
    }

    fn token(&self, py: Python<'_>, original: u128, seed: &[u8]) -> u128 {
        let mut bytes = original.to_le_bytes().to_vec();
        bytes.extend(self.after.iter().flat_map(|node| content(py, node).to_le_bytes()));
        bytes.extend(seed);
        xxh3_128(&bytes)
    }

    fn work(&self, py: Python<'_>, work: &Work) -> PyResult<Work> {
        let mut replace = |leaf: &Argument| {
            Ok(match (leaf.as_node(), leaf) {
                (Some(node), _) => Argument::Node(self.of(node)),
                (None, Argument::Collection(object)) => Argument::Collection(self.collections.copy(py, object)?),
                (None, leaf) => unreachable!("leaves are nodes and collections: {}", leaf.is_delayed()),
            })
        };
        let mut replaced = |argument: &Argument| argument.replaced(py, &mut replace);
        Ok(match work {
            Work::Give(argument) => Work::Give(replaced(argument)?),
            Work::Call { function, arguments } => {
                let positional = arguments.positional().iter().map(&mut replaced).collect::<PyResult<_>>()?;
                let named = arguments.named().iter();
                let named = named.map(|(name, argument)| Ok((name.clone_ref(py), replaced(argument)?)));
                Work::call(function.clone_ref(py), positional, named.collect::<PyResult<_>>()?)
            }
            Work::Block { collection, index } => {
                Work::Block { collection: self.collections.copy(py, collection)?, index: *index }
            }
            Work::Stored(kept) => Work::Stored(kept.clone()),
            Work::Held(held) => Work::Held(held.clone()),
            Work::Taken => Work::Taken,
        })
    }
}
