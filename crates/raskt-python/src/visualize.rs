//! Graphs as text for Graphviz.

use crate::delayed::Calls;
use crate::request::Request;
use crate::travel;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use raskt_graph::{Graph, LayerId, TaskId};
use std::fmt::Write;

/// A graph of more tasks than this is drawn by layers: a picture of more can't be read.
const TASKS: u64 = 1000;

/// The graph of collections and delayed objects in Graphviz' DOT language.
///
/// A small graph is drawn task by task, a large one layer by layer with the number of tasks of each.
#[pyfunction]
#[pyo3(signature = (*args, traverse=true))]
fn graph_dot(py: Python<'_>, args: &Bound<'_, PyTuple>, traverse: bool) -> PyResult<String> {
    let request = Request::new(py, args, traverse, false, travel::is_on())?;
    let mut dot = String::from("digraph raskt {\n  rankdir=BT;\n  node [shape=box, fontname=\"sans-serif\"];\n");
    let drawn = if request.graph.tasks() <= TASKS {
        draw_tasks(py, &request.graph, &mut dot)
    } else {
        draw_layers(&request.graph, &mut dot)
    };
    drawn.expect("writing to a string never fails");
    dot.push_str("}\n");
    Ok(dot)
}

fn draw_tasks(py: Python<'_>, graph: &Graph, dot: &mut String) -> std::fmt::Result {
    for (id, layer) in graph.layers() {
        for index in 0..layer.len() {
            let task = TaskId::new(id, index);
            writeln!(dot, "  {} [label={:?}];", node_name(task), label(py, graph, task))?;
            let mut edges = vec![];
            graph.for_each_input(task, |input| edges.push(input));
            for input in edges {
                writeln!(dot, "  {} -> {};", node_name(input), node_name(task))?;
            }
        }
    }
    Ok(())
}

fn draw_layers(graph: &Graph, dot: &mut String) -> std::fmt::Result {
    for (id, layer) in graph.layers() {
        let label = format!("{}\n{}\n{} tasks", layer.name, graph.op_of(id).name, layer.len());
        writeln!(dot, "  layer{} [label={label:?}];", id.0)?;
        let earlier = |input: &LayerId| *input != id;
        for input in layer.shape.input_layers().into_iter().filter(earlier) {
            writeln!(dot, "  layer{} -> layer{};", input.0, id.0)?;
        }
    }
    Ok(())
}

fn node_name(task: TaskId) -> String {
    format!("task{}_{}", task.layer.0, task.index)
}

fn label(py: Python<'_>, graph: &Graph, task: TaskId) -> String {
    let op = graph.op_of(task.layer);
    match op.body.downcast_ref::<Calls>() {
        Some(calls) => calls.0[task.index as usize].label(py),
        None => format!("{}\n{}", op.name, graph.key(task)),
    }
}

/// The method `visualize` of everything lazy.
pub(crate) fn visualize_one(
    object: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let py = object.py();
    let options = kwargs.map_or_else(|| Ok(PyDict::new(py)), |kwargs| kwargs.copy())?;
    if let Ok(filename) = args.get_item(0) {
        options.set_item("filename", filename)?;
    }
    let visualize = py.import("raskt._visualize")?.getattr("visualize")?;
    Ok(visualize.call((object,), Some(&options))?.unbind())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(graph_dot, module)?)
}
