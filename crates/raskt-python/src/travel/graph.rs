//! Graphs of the Python face as they travel.

use super::apart::{self, Apart};
use super::decoders::{decode_function, decoders};
use super::moved::Moved;
use super::writing::Written;
use crate::block::{PythonBlock, PythonOp, own};
use crate::delayed::{Argument, Calls, Work};
use crate::error::from_graph_error;
use crate::object::Object;
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use raskt_graph::{Graph, GraphError, GraphForm, LayerId, Op, OpBody, OpForm, OpKind, TaskId};
use raskt_value::wire::{BodyForm, WireError};
use raskt_value::{Given, NativeOp, Value};
use std::sync::Arc;

/// A graph as it travels.
pub(crate) type Form = GraphForm<BodyForm>;

/// A graph as it travels, with the data that its layers give.
pub(crate) struct Travelling {
    pub form: Form,
    /// For each such op what each of its tasks gives.
    pub given: Vec<Vec<Value>>,
    /// How many layers of data come before all others.
    before: u32,
}

impl Travelling {
    /// What `graph` is when it travels.
    ///
    /// # Errors
    /// What can't travel is refused by name.
    pub fn of(py: Python<'_>, graph: &Graph) -> PyResult<Self> {
        let mut writing = Writing { given: vec![], moved: Moved::new(graph) };
        let mut bodies =
            graph.ops().enumerate().map(|(at, op)| writing.body(py, at, op)).collect::<PyResult<Vec<_>>>()?;
        let Writing { mut given, moved } = writing;
        let (moved, data) = moved.finish(py, graph).map_err(from_graph_error)?;
        let graph = moved.as_ref().unwrap_or(graph);
        let before = data.len() as u32;
        for values in data {
            bodies.push(BodyForm::Given(given.len() as u32));
            given.push(values);
        }
        let mut bodies = bodies.into_iter();
        let body = |_: &Op| Ok::<_, PyErr>(bodies.next().expect("there is one for each op"));
        Ok(Self { form: GraphForm::of(graph, body)?, given, before })
    }

    /// What a layer is called in it.
    pub fn layer(&self, layer: LayerId) -> LayerId {
        LayerId(layer.0 + self.before)
    }

    /// What a task is called in it.
    pub fn task(&self, task: TaskId) -> TaskId {
        TaskId::new(self.layer(task.layer), task.index)
    }
}

struct Writing {
    given: Vec<Vec<Value>>,
    moved: Moved,
}

impl Writing {
    fn give(&mut self, values: Vec<Value>) -> BodyForm {
        self.given.push(values);
        BodyForm::Given(self.given.len() as u32 - 1)
    }

    fn body(&mut self, py: Python<'_>, at: usize, op: &Op) -> PyResult<BodyForm> {
        if let Some(NativeOp(kernel)) = op.body.downcast_ref() {
            if let Some(values) = kernel.given() {
                return Ok(self.give(values.to_vec()));
            }
            return kernel.wire().map(BodyForm::Native).ok_or_else(|| refused(op, kernel.stays_because()));
        }
        if let Some(calls) = op.body.downcast_ref::<Calls>() {
            return match given_by(py, calls) {
                Some(values) => Ok(self.give(values)),
                None => self.calls(py, at, calls),
            };
        }
        match op.body.downcast_ref() {
            Some(PythonOp(block)) => match block.given() {
                Some(values) => Ok(self.give(values.to_vec())),
                None => self.block(py, at, &**block),
            },
            None => Err(refused(op, None)),
        }
    }

    fn calls(&mut self, py: Python<'_>, at: usize, calls: &Calls) -> PyResult<BodyForm> {
        let is_apart = self.moved.can_each(at, calls.0.len());
        let Written { form, objects } = apart::written(None, || calls.travelling(py, is_apart))?;
        self.moved.read_each(at, objects);
        Ok(BodyForm::Foreign(form))
    }

    fn block(&mut self, py: Python<'_>, at: usize, block: &dyn PythonBlock) -> PyResult<BodyForm> {
        if !block.has_data_apart() || !self.moved.can_all(at) {
            return apart::written(None, || block.wire(py)).map(BodyForm::Foreign);
        }
        let apart = Apart::new(py, vec![], None)?;
        let form = apart::written(Some(&apart), || block.wire(py))?;
        let objects = apart.objects()?;
        if objects.is_empty() {
            return Ok(BodyForm::Foreign(form));
        }
        let form = apart::form(form, objects.len())?;
        self.moved.read_all(at, objects);
        Ok(BodyForm::Foreign(form))
    }
}

/// Whether the tasks of an op only give what is there before anything runs.
pub(crate) fn gives_what_is_there(op: &Op) -> bool {
    if let Some(NativeOp(kernel)) = op.body.downcast_ref() {
        return kernel.given().is_some();
    }
    if let Some(Calls(nodes)) = op.body.downcast_ref() {
        return !nodes.is_empty() && nodes.iter().all(|node| node.work.gives_what_is_there());
    }
    op.body.downcast_ref().is_some_and(|PythonOp(block)| block.given().is_some())
}

/// What calls give, if it is there: results that the store keeps, and objects.
fn given_by(py: Python<'_>, calls: &Calls) -> Option<Vec<Value>> {
    let value = |work: &Work| match work {
        Work::Stored(kept) => Some(Value::Stored(kept.clone())),
        Work::Held(held) => Some(held.clone().value()),
        Work::Give(Argument::Object(object)) => Some(Object::value(object.bind(py).clone())),
        _ => None,
    };
    let is_there = !calls.0.is_empty() && calls.0.iter().all(|node| node.work.gives_what_is_there());
    if is_there { calls.0.iter().map(|node| value(&node.work)).collect() } else { None }
}

fn refused(op: &Op, why: Option<String>) -> PyErr {
    let why = why.unwrap_or_else(|| "it holds something that is only here".into());
    PyNotImplementedError::new_err(format!(
        "`{}` can't run in another process: {why}; scheduler=\"threads\" runs it",
        op.name
    ))
}

/// Why something that has come isn't a graph.
pub(crate) enum Unreadable {
    Graph(GraphError),
    Op(WireError),
}

impl From<GraphError> for Unreadable {
    fn from(error: GraphError) -> Self {
        Self::Graph(error)
    }
}

impl From<WireError> for Unreadable {
    fn from(error: WireError) -> Self {
        Self::Op(error)
    }
}

impl From<Unreadable> for PyErr {
    fn from(error: Unreadable) -> Self {
        PyValueError::new_err(match error {
            Unreadable::Graph(error) => format!("a graph that came is none: {error}"),
            Unreadable::Op(error) => error.to_string(),
        })
    }
}

/// The graph that has come; `given` makes the body of an op that gives data.
pub(crate) fn build(
    form: Form,
    mut given: impl FnMut(u32, OpKind) -> Result<OpBody, WireError>,
) -> Result<Graph, Unreadable> {
    form.build(|op: OpForm<BodyForm>| match op.body {
        BodyForm::Given(at) => Ok(given(at, op.kind)?),
        _ => Ok(body_of(op)?),
    })
}

/// The body of an op that has come. What gives data is never run where it has come: the data comes by itself.
pub(crate) fn body_of(op: OpForm<BodyForm>) -> Result<OpBody, WireError> {
    Ok(match op.body {
        BodyForm::Native(form) => Arc::new(NativeOp(decoders().decode(&form)?)),
        BodyForm::Foreign(form) => Arc::new(PythonOp(decode_function(&form)?)),
        BodyForm::Given(_) => Arc::new(()),
    })
}

/// The body of an op that gives these values.
pub(crate) fn given_body(values: Option<&Vec<Value>>, kind: OpKind) -> Result<OpBody, WireError> {
    let missing = || WireError::Malformed { tag: "given".into(), reason: "data that isn't there".into() };
    let values: Arc<[Value]> = values.ok_or_else(missing)?.as_slice().into();
    Ok(match kind {
        OpKind::Python => Arc::new(PythonOp(Arc::new(GivenObjects(values)))),
        OpKind::Array | OpKind::Frame => Arc::new(NativeOp(Arc::new(Given(values)))),
    })
}

/// What gives these objects.
pub(crate) fn given_objects(values: Vec<Value>) -> Arc<dyn PythonBlock> {
    Arc::new(GivenObjects(values.into()))
}

/// Gives objects that have come.
struct GivenObjects(Arc<[Value]>);

impl PythonBlock for GivenObjects {
    fn call(&self, _: Python<'_>, index: u64, _: &[Value]) -> PyResult<Value> {
        Ok(own(&self.0, index)?.clone())
    }

    fn name(&self) -> String {
        "given".into()
    }

    fn given(&self) -> Option<&[Value]> {
        Some(&self.0)
    }
}
