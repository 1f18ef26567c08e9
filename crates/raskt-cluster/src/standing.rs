//! Graphs of tasks that stand for tasks of other runs, and nothing else: whoever has them run keeps those alive.

use crate::message::Submission;
use bytes::Bytes;
use raskt_graph::{Graph, GraphBuilder, GraphError, GraphForm, Layer, LayerId, Op, OpFlags, OpKind, Shape, TaskId};
use raskt_schedule::{FailureScope, Import, RunId, TaskRange};
use raskt_value::wire::BodyForm;
use std::sync::Arc;

/// The layer of such a graph.
pub(crate) const LAYER: LayerId = LayerId(0);

/// Tasks that stand for others.
pub(crate) struct Standing {
    pub graph: Arc<Graph>,
    /// The graph as it travels.
    pub bytes: Bytes,
    pub tasks: TaskRange,
    pub imports: Vec<Import>,
}

impl Standing {
    /// One task for each of `sources`, in their order.
    pub fn of(sources: &[(RunId, TaskRange)]) -> Result<Self, String> {
        let mut imports = vec![];
        let mut next = 0_u64;
        for (run, source) in sources.iter().filter(|(_, source)| !source.is_empty()) {
            let end = next.checked_add(source.len()).ok_or_else(too_many)?;
            let (tasks, from) = (TaskRange { layer: LAYER, start: next, end }, TaskId::new(source.layer, source.start));
            imports.push(Import { tasks, run: *run, from });
            next = end;
        }
        let graph = graph(u32::try_from(next).map_err(|_| too_many())?).map_err(|error| error.to_string())?;
        let form = GraphForm::of(&graph, |_| Ok::<_, GraphError>(BodyForm::Given(0)));
        let form = form.map_err(|error| error.to_string())?;
        let bytes = postcard::to_stdvec(&form).map_err(|error| error.to_string())?;
        let tasks = TaskRange { layer: LAYER, start: 0, end: next };
        Ok(Self { graph: Arc::new(graph), bytes: bytes.into(), tasks, imports })
    }

    /// Has them stand there under this number.
    pub fn submission(&self, run: RunId, mark: u64) -> Submission {
        Submission {
            run,
            mark,
            named: vec![],
            parent: None,
            wanted: vec![self.tasks],
            failure: FailureScope::Task,
            imports: self.imports.clone(),
            given: vec![],
            given_at: vec![],
            keeps: false,
            in_pieces: false,
        }
    }
}

/// Those of `imports`, which are in order of their tasks, that are of some of these: found by search, however many others there are.
pub(crate) fn meeting(imports: &[Import], tasks: TaskRange) -> impl Iterator<Item = &Import> {
    let first = imports.partition_point(|import| (import.tasks.layer, import.tasks.end) <= (tasks.layer, tasks.start));
    imports[first..].iter().take_while(move |import| import.tasks.meets(tasks))
}

fn too_many() -> String {
    format!("more than {} results can't be kept at once", u32::MAX)
}

fn graph(count: u32) -> Result<Graph, GraphError> {
    let mut graph = GraphBuilder::new();
    let (flags, body) = (OpFlags::default(), Arc::new(()));
    let op = graph.op(Op { kind: OpKind::Array, name: "result".into(), digest: 0, flags, body });
    graph.layer(Layer::new("results", op, Shape::source(count)))?;
    Ok(graph.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(layer: u32, start: u64, end: u64) -> TaskRange {
        TaskRange { layer: LayerId(layer), start, end }
    }

    #[test]
    fn each_stands_for_one_in_order() {
        let sources = [(RunId(3), range(2, 5, 8)), (RunId(3), range(0, 1, 1)), (RunId(1), range(0, 0, 2))];
        let standing = Standing::of(&sources).unwrap();
        assert_eq!(standing.tasks, range(0, 0, 5));
        let sources: Vec<_> =
            standing.imports.iter().map(|import| (import.tasks, import.run, import.source())).collect();
        assert_eq!(sources, [(range(0, 0, 3), RunId(3), range(2, 5, 8)), (range(0, 3, 5), RunId(1), range(0, 0, 2)),]);
    }

    #[test]
    fn more_than_a_layer_has_is_refused() {
        for end in [u64::from(u32::MAX) + 1, u64::MAX] {
            assert!(Standing::of(&[(RunId(1), range(0, 0, end))]).is_err());
        }
        assert!(Standing::of(&[(RunId(1), range(0, 0, u64::MAX)), (RunId(2), range(0, 0, u64::MAX))]).is_err());
    }
}
