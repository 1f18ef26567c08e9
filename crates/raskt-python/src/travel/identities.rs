//! What layers and calls of pickled graphs are known by: equal numbers, the same work.
//!
//! What an op does is told by its form, and by numbers that no other op of its process has where it isn't pure. A layer is told by its
//! op and by what its tasks read, a call by its own number and by what it reads. So it doesn't matter which others are in a pickle.

use super::pickled::Process;
use crate::block::{PythonOp, ToldCall};
use raskt_graph::{Graph, GraphError, LayerId, Op, OpForm, Shape, TaskId, shape_form};
use raskt_value::wire::BodyForm;
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

/// What the layers and tasks of a graph are known by.
pub(super) struct Identities {
    layers: Vec<u128>,
    /// Of layers whose tasks are known one by one.
    tasks: Vec<Option<Tasks>>,
}

/// Tasks that are known one by one.
enum Tasks {
    Calls(Vec<u128>),
    Given(Vec<u128>),
}

/// What an op is known by.
pub(super) struct OpIdentity {
    of: u128,
    /// If it gives data, the contents of that.
    given: Option<Vec<u128>>,
}

/// What ops are known by that `process` has written; `contents` are those of the data.
pub(super) fn of_ops(
    process: Process,
    ops: &[OpForm<BodyForm>],
    contents: &[Vec<u128>],
) -> postcard::Result<Vec<OpIdentity>> {
    let identity = |op: &OpForm<BodyForm>| {
        let mut hash = Hash::new("op");
        if let BodyForm::Given(at) = op.body {
            let given = contents.get(at as usize).cloned().unwrap_or_default();
            given.iter().for_each(|content| hash.number(*content));
            return Ok(OpIdentity { of: hash.finish(), given: Some(given) });
        }
        hash.form(op)?;
        if op.digest == 0 {
            hash.form(&process)?;
        }
        Ok(OpIdentity { of: hash.finish(), given: None })
    };
    ops.iter().map(identity).collect()
}

/// The same graph, with ops that are told by that in graphs of several.
pub(super) fn told(graph: &Graph, ops: &[OpIdentity]) -> Result<Graph, GraphError> {
    let mut identities = ops.iter();
    graph.with_ops(|op| {
        let identity = identities.next().filter(|identity| identity.given.is_none());
        let digest = if op.digest == 0 && calls_of(op).is_some() { None } else { identity };
        Ok(Op { digest: digest.map_or(0, |identity| identity.of), ..op.clone() })
    })
}

/// The calls of an op, if it makes such as are known one by one.
fn calls_of(op: &Op) -> Option<Vec<ToldCall>> {
    op.body.downcast_ref::<PythonOp>()?.0.calls()
}

impl Identities {
    pub fn of(graph: &Graph, ops: &[OpIdentity]) -> postcard::Result<Self> {
        let mut all = Self { layers: vec![], tasks: vec![] };
        for (id, layer) in graph.layers() {
            let op = &ops[layer.op.0 as usize];
            let mut hash = Hash::new("layer");
            let tasks = match (calls_of(graph.op_of(id)), &op.given) {
                (Some(calls), _) if calls.len() as u64 == layer.len() => {
                    Some(Tasks::Calls(all.calls(graph, id, &calls)))
                }
                (_, Some(given)) if given.len() as u64 == layer.len() => Some(Tasks::Given(given.clone())),
                _ => None,
            };
            hash.form(&*layer.annotations)?;
            match &tasks {
                Some(Tasks::Calls(calls)) => calls.iter().for_each(|call| hash.number(*call)),
                _ => {
                    hash.number(op.of);
                    all.shape(graph, id, &layer.shape, &mut hash)?;
                }
            }
            all.layers.push(hash.finish());
            all.tasks.push(tasks);
        }
        Ok(all)
    }

    fn calls(&self, graph: &Graph, id: LayerId, calls: &[ToldCall]) -> Vec<u128> {
        let mut found: Vec<u128> = vec![];
        for (index, call) in calls.iter().enumerate() {
            let task = TaskId::new(id, index as u64);
            let inputs = graph.input_count(task);
            let known = |input: TaskId, found: &[u128]| match input.layer == id {
                true => found[input.index as usize],
                false => self.of_task(input),
            };
            let mut hash = Hash::new("call");
            hash.number(graph.op_of(id).digest);
            match call.identity {
                None if inputs == 1 => {
                    let mut read = 0;
                    graph.for_each_input(task, |input| read = known(input, &found));
                    found.push(read);
                    continue;
                }
                identity => hash.number(identity.unwrap_or_default()),
            }
            let count = inputs - u64::from(call.is_bundled).min(inputs);
            graph.for_first_inputs(task, count, |input| hash.number(known(input, &found)));
            found.push(hash.finish());
        }
        found
    }

    fn shape(&self, graph: &Graph, id: LayerId, shape: &Shape, hash: &mut Hash) -> postcard::Result<()> {
        if let Shape::Explicit(_) = shape {
            for index in 0..shape.len() {
                let task = TaskId::new(id, index);
                hash.number(u128::from(graph.input_count(task)));
                graph.for_each_input(task, |input| match input.layer == id {
                    true => hash.number(u128::from(input.index)),
                    false => hash.number(self.of_task(input)),
                });
            }
            return Ok(());
        }
        let mut inputs = vec![];
        let numbered = shape.renumbered(
            id,
            |layer| {
                inputs.push(layer);
                LayerId(inputs.len() as u32 - 1)
            },
            |_| None::<TaskId>,
        );
        // Without listed edges there are never too many.
        let numbered = numbered.map_err(|_| postcard::Error::SerdeSerCustom)?;
        hash.form(&shape_form(id, &numbered))?;
        inputs.iter().for_each(|input| hash.number(self.of_layer(*input)));
        Ok(())
    }

    /// What a layer is known by.
    pub fn of_layer(&self, layer: LayerId) -> u128 {
        self.layers[layer.0 as usize]
    }

    /// What the calls of a layer are known by, if it has such.
    pub fn calls_of_layer(&self, layer: LayerId) -> Option<&[u128]> {
        match &self.tasks[layer.0 as usize] {
            Some(Tasks::Calls(calls)) => Some(calls),
            _ => None,
        }
    }

    fn of_task(&self, task: TaskId) -> u128 {
        match &self.tasks[task.layer.0 as usize] {
            Some(Tasks::Calls(tasks) | Tasks::Given(tasks)) => tasks[task.index as usize],
            None => {
                let mut hash = Hash::new("task");
                hash.number(self.of_layer(task.layer));
                hash.number(u128::from(task.index));
                hash.finish()
            }
        }
    }
}

/// A hash of several things, each of which ends where the next one begins.
struct Hash(Xxh3);

impl Hash {
    fn new(what: &str) -> Self {
        let mut hash = Self(Xxh3::new());
        hash.bytes(what.as_bytes());
        hash
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&bytes.len().to_le_bytes());
        self.0.update(bytes);
    }

    fn number(&mut self, number: u128) {
        self.0.update(&number.to_le_bytes());
    }

    fn form(&mut self, form: &impl Serialize) -> postcard::Result<()> {
        self.bytes(&postcard::to_stdvec(form)?);
        Ok(())
    }

    fn finish(self) -> u128 {
        self.0.digest128()
    }
}
