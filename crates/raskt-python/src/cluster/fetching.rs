//! Results of clusters in graphs that run elsewhere: they are fetched before anything runs.

use super::client::check_process;
use super::current::is_used;
use super::running::from_cluster_error;
use super::waiting::while_interruptible;
use super::{ClusterClient, HeldResult};
use crate::block::PythonOp;
use crate::delayed::{Argument, Calls, Node, Work, python_object};
use crate::travel::given_objects;
use hashbrown::HashSet;
use pyo3::prelude::*;
use raskt_futures::fetching;
use raskt_graph::{Graph, Op, OpBody, TaskId};
use raskt_value::{Given, NativeOp, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The values, with what clusters hold fetched.
pub(crate) fn fetched(py: Python<'_>, mut values: Vec<Value>) -> PyResult<Vec<Value>> {
    let held: Vec<(usize, Arc<HeldResult>)> =
        values.iter().enumerate().filter_map(|(at, value)| Some((at, HeldResult::of(value)?))).collect();
    held.iter().try_for_each(|(_, held)| check_process(held.process()))?;
    // Those of one client at a time.
    for part in held.chunk_by(|a, b| Arc::ptr_eq(a.1.client(), b.1.client())) {
        let results: Vec<_> = part.iter().map(|(_, held)| held.clone()).collect();
        let mut fetching = fetching(&results);
        let stalled = fetching.stalled();
        let came = while_interruptible(py, move |deadline| fetching.wait(deadline), stalled)?;
        let came = came.map_err(|error| from_cluster_error(py, &error))?;
        part.iter().zip(came).for_each(|((at, _), value)| values[*at] = value);
    }
    Ok(values)
}

/// The graph as it can run in this process. What `wanted` needs of clusters is fetched; what it doesn't stays there.
pub(crate) fn brought_here(py: Python<'_>, graph: &Arc<Graph>, wanted: &[TaskId]) -> PyResult<Arc<Graph>> {
    if !is_used() {
        return Ok(graph.clone());
    }
    let held: Vec<bool> = graph.ops().map(|op| held_by(op).next().is_some()).collect();
    if !held.contains(&true) {
        return Ok(graph.clone());
    }
    let needed = needed(graph, wanted, &held);
    let mut at = 0..;
    let here = graph.with_ops(|op| {
        let at = at.next().expect("without end");
        let body = if held[at] { body(py, op, needed.as_ref().map(|needed| &needed[at]))? } else { None };
        Ok::<_, PyErr>(Op { body: body.unwrap_or_else(|| op.body.clone()), ..op.clone() })
    })?;
    Ok(Arc::new(here))
}

/// A client of the cluster that holds something which the graph reads, if one does.
pub(crate) fn holder(graph: &Graph) -> Option<ClusterClient> {
    if !is_used() {
        return None;
    }
    let held = graph.ops().flat_map(held_by).filter_map(|(_, value)| HeldResult::of(&value));
    let mut usable = held.filter(|held| check_process(held.process()).is_ok() && held.client().lost().is_none());
    usable.next().map(|held| ClusterClient::of(held.client().clone()))
}

/// More tasks than that aren't looked at for what is needed: all is fetched then.
const LOOKED_AT_MOST: usize = 1 << 20;

/// Which tasks of the ops that hold something are needed for `wanted`; nothing if that takes too long to find out.
fn needed(graph: &Graph, wanted: &[TaskId], held: &[bool]) -> Option<Vec<BTreeSet<u64>>> {
    let mut needed = vec![BTreeSet::new(); held.len()];
    let (mut seen, mut stack): (HashSet<TaskId>, _) = (wanted.iter().copied().collect(), wanted.to_vec());
    while let Some(task) = stack.pop() {
        let op = graph.layer(task.layer).op.0 as usize;
        if held[op] {
            needed[op].insert(task.index);
        }
        graph.for_each_input(task, |input| {
            if seen.insert(input) {
                stack.push(input);
            }
        });
        if seen.len() > LOOKED_AT_MOST {
            return None;
        }
    }
    Some(needed)
}

/// The values that an op gives, if it gives any.
fn given_by(op: &Op) -> Option<&[Value]> {
    if let Some(NativeOp(kernel)) = op.body.downcast_ref() {
        return kernel.given();
    }
    op.body.downcast_ref::<PythonOp>().and_then(|PythonOp(block)| block.given())
}

/// What an op gives that clusters hold, with the numbers of the tasks, as far as that is asked for.
fn held_by(op: &Op) -> Box<dyn Iterator<Item = (u64, Value)> + '_> {
    if let Some(values) = given_by(op) {
        let held = (0..).zip(values).filter(|(_, value)| HeldResult::of(value).is_some());
        return Box::new(held.map(|(at, value)| (at, value.clone())));
    }
    let nodes = op.body.downcast_ref::<Calls>().map_or(&[][..], |Calls(nodes)| nodes);
    let held = |node: &Arc<Node>| match &node.work {
        Work::Held(held) => Some(held.clone().value()),
        _ => None,
    };
    Box::new((0..).zip(nodes).filter_map(move |(at, node)| Some((at, held(node)?))))
}

/// What takes the place of an op's body that gives what clusters hold: of these tasks, or of all.
fn body(py: Python<'_>, op: &Op, needed: Option<&BTreeSet<u64>>) -> PyResult<Option<OpBody>> {
    let is_needed = |at: &u64| needed.is_none_or(|needed| needed.contains(at));
    let (places, held): (Vec<u64>, Vec<Value>) = held_by(op).filter(|(at, _)| is_needed(at)).unzip();
    let came: BTreeMap<u64, Value> = places.into_iter().zip(fetched(py, held)?).collect();
    if let Some(values) = given_by(op) {
        let mut values = values.to_vec();
        came.into_iter().for_each(|(at, value)| values[at as usize] = value);
        return Ok(Some(match op.body.downcast_ref::<PythonOp>() {
            Some(_) => Arc::new(PythonOp(given_objects(values))),
            None => Arc::new(NativeOp(Arc::new(Given(values.into())))),
        }));
    }
    let Some(Calls(nodes)) = op.body.downcast_ref() else { return Ok(None) };
    let mut here = nodes.to_vec();
    for (at, value) in came {
        let object = python_object(py, &value)?.unbind();
        let node = &mut here[at as usize];
        *node = Node::with(Work::Give(Argument::Object(object)), Some(node.key(py)), None);
    }
    Ok(Some(Arc::new(Calls(here))))
}
