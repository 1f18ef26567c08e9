//! Plans that name tables which tasks make, and don't hold what makes them: all that a query needs of these is where they go.

use super::{External, MemoryPlan, Node, Operator};
use crate::error::FrameError;
use raskt_graph::{GraphBuilder, GraphError, LayerId, Lower};
use std::collections::HashMap;
use std::sync::Arc;

/// Tables of which nothing is there but their key.
struct Nothing(u128);

impl Lower for Nothing {
    fn key(&self) -> u128 {
        self.0
    }

    fn lower(&self, _graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let gone = FrameError::Value("a plan that only runs again can't be planned anew".into());
        Err(GraphError::Lowering(gone.to_string()))
    }
}

/// Whether computing `node` reads tables that tasks make.
pub(crate) fn reads_tasks(node: &Node) -> bool {
    node.nodes_of_stage().any(|node| matches!(node.operator, Operator::External(_)))
}

/// The same plan without what makes such tables. Nodes that are used twice stay one.
pub(crate) fn hollow(node: &Arc<Node>) -> Arc<Node> {
    let change = |node: &mut Node| {
        if let Operator::External(external) = &mut node.operator {
            let source = Arc::new(Nothing(external.source.key()));
            *external = External { source, inputs: vec![], ..external.clone() };
        }
    };
    changed_once(node, &change, &mut HashMap::new())
}

/// Whether computing `node` reads tables that the plan itself holds.
pub(crate) fn holds_tables(node: &Node) -> bool {
    node.nodes_of_stage().any(|node| matches!(node.operator, Operator::Memory(_)))
}

/// The same plan with tasks that give the tables that it holds: what makes them `give` says.
pub(crate) fn with_tables_apart(node: &Arc<Node>, give: fn(&MemoryPlan, u128) -> Arc<dyn Lower>) -> Arc<Node> {
    let change = |node: &mut Node| {
        if let Operator::Memory(plan) = &node.operator {
            let (source, name) = (give(plan, node.digest), "in_memory".into());
            node.operator =
                Operator::External(External { source, name, python: false, kept: false, near: false, inputs: vec![] });
        }
    };
    changed_once(node, &change, &mut HashMap::new())
}

/// A plan of changed nodes, which stand for the rows that they stood for. What makes tables of tasks stays as it is.
fn changed_once(node: &Arc<Node>, change: &dyn Fn(&mut Node), known: &mut HashMap<u128, Arc<Node>>) -> Arc<Node> {
    if let Some(known) = known.get(&node.digest) {
        return known.clone();
    }
    let mut own = Node::clone(node);
    change(&mut own);
    if !matches!(own.operator, Operator::External(_)) {
        own.inputs_mut().into_iter().for_each(|input| *input = changed_once(input, change, known));
    }
    let own = Arc::new(own);
    known.insert(node.digest, own.clone());
    own
}

impl External {
    /// Tables of which only is known what they are known as: what gives them is elsewhere.
    pub(crate) fn known_as(key: u128) -> Self {
        Self {
            source: Arc::new(Nothing(key)),
            name: String::new(),
            python: false,
            kept: false,
            near: false,
            inputs: vec![],
        }
    }
}
