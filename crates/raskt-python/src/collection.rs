//! What `compute` and `persist` ask of a collection.

use pyo3::prelude::*;
use raskt_graph::{GraphBuilder, LayerId};
use raskt_value::Value;

/// The Rust side of an array or a frame, as a `#[pyclass]` holds it.
///
/// The Python object that users see gives it by the attribute `__raskt_expr__`, and takes a persisted one by the
/// method `__raskt_rebuild__(expr)`.
pub trait Collection {
    /// Adds the collection to the graph; the tasks of the layer that comes back are its blocks or partitions in order.
    fn lower(&self, py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId>;

    /// Puts the results of those tasks together: a NumPy array, a pandas frame.
    fn finish(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>>;

    /// The same collection with those results for a source.
    fn persisted(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>>;
}
