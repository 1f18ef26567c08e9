//! Calls as they are sent: alone, or several as one run, in which they may read each other.

use crate::face::{CallBody, Face};
use bytes::Bytes;
use raskt_graph::{
    Annotations, Cost, ExplicitBuilder, GraphBuilder, GraphError, GraphForm, Layer, LayerId, Op, OpFlags, OpForm,
    Shape, TaskId,
};
use raskt_schedule::{Import, RunId, TaskRange};
use raskt_value::wire::BodyForm;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Instant;

/// So many calls go together at most: those that do the first of them shall not wait for long.
const CALLS_MOST: usize = 64;

/// With as many bytes no further call goes along.
const BYTES_MOST: usize = 256 << 10;

/// Results of other runs stand in this layer, if any are read.
const READ: LayerId = LayerId(0);

/// A call that is to be made.
pub struct Call {
    /// What [`Face::calls`] makes an op of.
    pub body: CallBody,
    /// About how many bytes that is.
    pub bytes: usize,
    /// The results that it reads, in their order: of runs of the same client.
    pub reads: Vec<(RunId, TaskId)>,
    /// What is said of it.
    pub annotations: Option<Arc<Annotations>>,
    /// The run whose task makes it, if one does.
    pub parent: Option<RunId>,
    /// What has to stay until it is over.
    pub keeps: Vec<Arc<dyn Any + Send + Sync>>,
}

/// Calls as they travel.
pub(super) struct Written {
    pub graph: Bytes,
    pub imports: Vec<Import>,
    pub parent: Option<RunId>,
}

/// Calls that go as one run: call `i` is task `i` of the one layer that makes any.
#[derive(Default)]
pub(super) struct Calls {
    annotations: Option<Arc<Annotations>>,
    parent: Option<RunId>,
    bodies: Vec<CallBody>,
    bytes: usize,
    edges: ExplicitBuilder,
    sources: Vec<(RunId, TaskId)>,
    by_source: HashMap<(RunId, TaskId), u64>,
    pub keeps: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Calls {
    /// Such as `call`, none so far.
    pub fn like(call: &Call) -> Self {
        Self { annotations: call.annotations.clone(), parent: call.parent, ..Self::default() }
    }

    /// Whether a call may go along with these.
    pub fn may_take(&self, call: &Call) -> bool {
        self.parent == call.parent && self.annotations == call.annotations && self.bytes + call.bytes <= BYTES_MOST
    }

    pub fn is_full(&self) -> bool {
        self.bodies.len() >= CALLS_MOST
    }

    /// Adds a call; what it reads of `own` are calls that were added before. Gives the task that makes it.
    pub fn add(&mut self, call: Call, own: Option<RunId>) -> TaskId {
        for (run, task) in call.reads {
            match Some(run) == own {
                true => self.edges.own_input(task.index),
                false => {
                    let place = self.place_of((run, task));
                    self.edges.input(TaskId::new(READ, place));
                }
            }
        }
        self.bodies.push(call.body);
        self.bytes += call.bytes;
        self.keeps.extend(call.keeps);
        let index = self.edges.task();
        TaskId::new(self.layer(), index)
    }

    /// The layer of the calls. If the first reads a result of another run, it is the second for all of them.
    fn layer(&self) -> LayerId {
        LayerId(READ.0 + u32::from(!self.sources.is_empty()))
    }

    fn place_of(&mut self, source: (RunId, TaskId)) -> u64 {
        *self.by_source.entry(source).or_insert_with(|| {
            self.sources.push(source);
            self.sources.len() as u64 - 1
        })
    }

    /// What they are when they travel.
    pub fn written(self, face: &dyn Face) -> Result<Written, String> {
        let OpForm { kind, name, digest, flags, body } = face.calls(self.bodies)?;
        let (mut graph, mut bodies) = (GraphBuilder::new(), vec![]);
        let nothing: Arc<dyn Any + Send + Sync> = Arc::new(());
        if !self.sources.is_empty() {
            let flags = OpFlags { gives_stored: true, ..OpFlags::default() };
            let op = graph.op(Op { kind, name: "kept".into(), digest: 0, flags, body: nothing.clone() });
            let cost = Cost { nanoseconds: 100, output_bytes: 0, scratch_bytes: 0 };
            let stand = Shape::source(self.sources.len() as u32);
            graph.layer(Layer::new("kept", op, stand).with_cost(cost)).map_err(told)?;
            bodies.push(BodyForm::Given(0));
        }
        let op = graph.op(Op { kind, name: name.clone(), digest, flags, body: nothing });
        bodies.push(body);
        let layer = Layer::new(name, op, Shape::Explicit(self.edges.finish().map_err(told)?));
        graph.layer(Layer { annotations: self.annotations.unwrap_or_default(), ..layer }).map_err(told)?;
        let mut bodies = bodies.into_iter();
        let form = GraphForm::of(&graph.finish(), |_| bodies.next().ok_or("an op has no body, which is a bug"))?;
        let graph = postcard::to_stdvec(&form).map_err(|error| error.to_string())?;
        Ok(Written { graph: graph.into(), imports: imports(&self.sources), parent: self.parent })
    }
}

fn told(error: GraphError) -> String {
    error.to_string()
}

/// What stands for results of other runs: neighbours of the same are one import.
fn imports(sources: &[(RunId, TaskId)]) -> Vec<Import> {
    let mut imports: Vec<Import> = vec![];
    for (at, &(run, from)) in (0..).zip(sources) {
        match imports.last_mut() {
            Some(last) if last.run == run && last.source().end == from.index && last.from.layer == from.layer => {
                last.tasks.end += 1;
            }
            _ => imports.push(Import { tasks: TaskRange { layer: READ, start: at, end: at + 1 }, run, from }),
        }
    }
    imports
}

/// Calls that wait for others, so that they go together.
#[derive(Default)]
pub(super) struct Gathered {
    pub calls: Option<Waiting>,
    /// Somebody will look whether they have waited for long enough.
    pub is_looked_after: bool,
}

/// Some of them, which are one run.
pub(super) struct Waiting {
    pub calls: Calls,
    /// Gone if nobody wants any of them.
    pub run: Weak<dyn Any + Send + Sync>,
    pub since: Instant,
    /// The runs of data that they wait for.
    pub awaits: Arc<[RunId]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(run: u64, layer: u32, index: u64) -> (RunId, TaskId) {
        (RunId(run), TaskId::new(LayerId(layer), index))
    }

    #[test]
    fn neighbours_of_a_run_are_one_import() {
        let sources = [source(1, 0, 4), source(1, 0, 5), source(1, 1, 6), source(2, 1, 7), source(2, 1, 9)];
        let imports = imports(&sources);
        assert_eq!(imports.len(), 4);
        let found =
            imports.iter().flat_map(|import| import.tasks.tasks().map(|task| (import.run, import.source_of(task))));
        assert!(found.eq(sources));
    }

    fn call(bytes: usize, reads: Vec<(RunId, TaskId)>, priority: i32) -> Call {
        let annotations = Some(Arc::new(Annotations { priority, ..Annotations::default() }));
        Call { body: Box::new(()), bytes, reads, annotations, parent: None, keeps: vec![] }
    }

    #[test]
    fn only_what_is_alike_goes_together_and_no_more_than_a_bound() {
        let mut calls = Calls::like(&call(1, vec![], 3));
        assert!(calls.may_take(&call(1, vec![], 3)), "equal words are the same, whoever said them");
        assert!(!calls.may_take(&call(1, vec![], 4)));
        assert!(!calls.may_take(&Call { parent: Some(RunId(1)), ..call(1, vec![], 3) }));
        for at in 0..CALLS_MOST as u64 {
            assert!(!calls.is_full());
            assert_eq!(calls.add(call(1, vec![source(1, 0, at)], 3), Some(RunId(9))), source(0, 1, at).1);
        }
        assert!(calls.is_full());
        assert!(!calls.may_take(&call(BYTES_MOST, vec![], 3)));
    }
}
