//! Plans that name tables which tasks make, and don't hold what makes them: all that a query needs of these is where they go.

use super::{External, Node, Operator};
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
    hollow_once(node, &mut HashMap::new())
}

fn hollow_once(node: &Arc<Node>, known: &mut HashMap<u128, Arc<Node>>) -> Arc<Node> {
    if let Some(known) = known.get(&node.digest) {
        return known.clone();
    }
    let mut own = Node::clone(node);
    if let Operator::External(external) = &mut own.operator {
        let source = Arc::new(Nothing(external.source.key()));
        *external = External { source, inputs: vec![], ..external.clone() };
    }
    own.inputs_mut().into_iter().for_each(|input| *input = hollow_once(input, known));
    let own = Arc::new(own);
    known.insert(node.digest, own.clone());
    own
}
