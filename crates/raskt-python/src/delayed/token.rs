//! What pure calls do, as a number: calls with one token are one task.

use super::{Argument, Node, Work};
use crate::tokenize::Tokenizer;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// The token of `node` if it is pure.
pub(super) fn token_of(py: Python<'_>, node: &Arc<Node>) -> Option<u128> {
    settle(py, node);
    node.token.as_ref()?.get().copied()
}

/// Sees to it that `node` has its token if it is pure.
pub(super) fn settle(py: Python<'_>, node: &Arc<Node>) {
    if is_open(node) {
        Tokens::default().settle(py, node);
    }
}

/// What tells the result of `node` from others: equal numbers, one task.
pub(crate) fn identity(node: &Node) -> u128 {
    let token = node.token.as_ref().and_then(|cell| cell.get());
    token.copied().unwrap_or(u128::from(node.id) | OWN)
}

/// What tells what `node` does from others, also where it is a block of a collection, which is no pure call: equal numbers,
/// equal results.
pub(super) fn content(py: Python<'_>, node: &Node) -> u128 {
    match &node.work {
        Work::Block { .. } if !node.is_pure() => Tokens::default().hash(py, node).unwrap_or_else(|_| identity(node)),
        _ => identity(node),
    }
}

/// Keeps the numbers of nodes apart from tokens.
const OWN: u128 = 0x7261_736b_745f_6e6f << 64;

/// Makes tokens, and hashes each function once.
#[derive(Default)]
pub(super) struct Tokens {
    /// By address: the nodes that are walked hold the functions.
    functions: HashMap<usize, u128>,
}

impl Tokens {
    /// Gives a token to `node`, and to the pure nodes below it first: without recursion, since a chain may be long.
    fn settle(&mut self, py: Python<'_>, node: &Arc<Node>) {
        let mut stack = vec![node];
        while let Some(&node) = stack.last() {
            let depth = stack.len();
            if is_open(node) {
                node.for_each_input(&mut |input| {
                    if is_open(input) {
                        stack.push(input);
                    }
                });
                if stack.len() > depth {
                    continue;
                }
                self.give(py, node);
            }
            stack.pop();
        }
    }

    /// Gives a token to `node`, if it is pure and has none. The pure nodes that it reads have theirs.
    pub fn give(&mut self, py: Python<'_>, node: &Node) {
        let Some(cell) = &node.token else { return };
        if cell.get().is_none() {
            // What has no token is unlike anything else, and so is its number.
            let token = self.hash(py, node).unwrap_or_else(|_| u128::from(node.id) | OWN);
            let _ = cell.set(token);
        }
    }

    fn hash(&mut self, py: Python<'_>, node: &Node) -> PyResult<u128> {
        let mut tokenizer = Tokenizer::new(py, true);
        match &node.work {
            Work::Give(argument) => {
                tokenizer.tag(b'G');
                feed(&mut tokenizer, argument, py)?;
            }
            Work::Call { function, arguments } => {
                tokenizer.tag(b'C');
                tokenizer.number(self.function(py, function)?);
                tokenizer.length(arguments.positional().len());
                arguments.positional().iter().try_for_each(|argument| feed(&mut tokenizer, argument, py))?;
                let mut by_name = vec![];
                for (name, argument) in arguments.named() {
                    by_name.push((name.extract::<String>(py)?, argument));
                }
                by_name.sort_by(|a, b| a.0.cmp(&b.0));
                for (name, argument) in by_name {
                    tokenizer.text(&name);
                    feed(&mut tokenizer, argument, py)?;
                }
            }
            Work::Block { collection, index } => {
                tokenizer.tag(b'B');
                tokenizer.feed(collection.bind(py))?;
                tokenizer.number(u128::from(*index));
            }
            // Such a node is never pure: it has a number.
            Work::Stored(_) | Work::Held(_) | Work::Taken => {}
        }
        node.after().iter().for_each(|node| tokenizer.number(identity(node)));
        Ok(tokenizer.finish())
    }

    fn function(&mut self, py: Python<'_>, function: &Py<PyAny>) -> PyResult<u128> {
        if let Some(&known) = self.functions.get(&(function.as_ptr() as usize)) {
            return Ok(known);
        }
        let mut tokenizer = Tokenizer::new(py, true);
        tokenizer.feed(function.bind(py))?;
        let token = tokenizer.finish();
        self.functions.insert(function.as_ptr() as usize, token);
        Ok(token)
    }
}

fn is_open(node: &Node) -> bool {
    node.token.as_ref().is_some_and(|cell| cell.get().is_none())
}

fn feed<'py>(tokenizer: &mut Tokenizer<'py>, argument: &Argument, py: Python<'py>) -> PyResult<()> {
    match argument {
        Argument::Object(object) | Argument::Collection(object) => tokenizer.feed(object.bind(py)),
        Argument::Node(node) => {
            tokenizer.tag(b'R');
            tokenizer.number(identity(node));
            Ok(())
        }
        Argument::Foreign(foreign) => {
            tokenizer.number(identity(&foreign.values));
            Ok(())
        }
        Argument::Container(container) => {
            tokenizer.tag(container.shape.tag());
            if let Some(object) = container.shape.object() {
                tokenizer.feed(&object.bind(py).get_type())?;
            }
            tokenizer.length(container.items.len());
            container.items.iter().try_for_each(|item| feed(tokenizer, item, py))
        }
    }
}
