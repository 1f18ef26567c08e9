//! What `compute` and `persist` ask of a collection.

use crate::travel::{CollectionForm, ObjectsExpr};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use raskt_frame::StageOutput;
use raskt_graph::{GraphBuilder, LayerId};
use raskt_value::{DType, Value};

/// The Rust side of an array or a frame, as a `#[pyclass]` holds it.
///
/// The Python object that users see gives it by the attribute `__raskt_expr__`, and takes a persisted one by the
/// method `__raskt_rebuild__(expr)`.
pub trait Collection {
    /// Adds the collection to the graph; the tasks of the layer that comes back are its blocks or partitions in order.
    fn lower(&self, py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId>;

    /// The same, for results that stay in the store: see [`Self::is_kept`].
    fn lower_kept(&self, py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        self.lower(py, graph)
    }

    /// The query that makes it as a whole, if it is a table: queries computed together share their work.
    fn query(&self) -> Option<StageOutput> {
        None
    }

    /// Refuses to be asked for as a whole where that can't succeed: a result larger than the machine.
    fn check_whole(&self, py: Python<'_>) -> PyResult<()> {
        let _ = py;
        Ok(())
    }

    /// Puts the results of those tasks together: a NumPy array, a pandas frame.
    fn finish(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>>;

    /// Whether a persisted collection can do with what stands for its results, while the store keeps them.
    fn is_kept(&self) -> bool {
        false
    }

    /// Whether nothing of it is to be computed, as far as that isn't seen in its graph.
    fn is_there(&self) -> bool {
        false
    }

    /// The types and shapes of its blocks, in order, if it has blocks of shapes that are known: then results that stay with a
    /// cluster can be its source.
    fn layouts(&self) -> Option<Vec<(DType, Box<[usize]>)>> {
        None
    }

    /// The same collection with those results for a source.
    fn persisted(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>>;

    /// The same collection without what it is computed from, as far as that may hold results that a store keeps: it can put
    /// results together, and not be computed.
    fn hollow(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let _ = py;
        Ok(None)
    }

    /// What says, in another process, how its results are put together.
    fn form(&self, py: Python<'_>) -> PyResult<CollectionForm> {
        let _ = py;
        Err(PyNotImplementedError::new_err("collections of this kind can't be sent to another process yet"))
    }

    /// The result of one of those tasks by itself, as a delayed block or partition gives it.
    fn block(&self, py: Python<'_>, index: u64, value: Value) -> PyResult<Py<PyAny>>;
}

/// Calls `visit` with the Rust side of a `__raskt_expr__`.
pub(crate) fn with_collection<T>(
    expr: &Bound<'_, PyAny>,
    visit: impl FnOnce(&dyn Collection) -> PyResult<T>,
) -> PyResult<T> {
    if let Ok(array) = expr.cast::<crate::array::ArrayExpr>() {
        return visit(array.get());
    }
    if let Ok(frame) = expr.cast::<crate::frame::FrameExpr>() {
        return visit(frame.get());
    }
    if let Ok(column) = expr.cast::<crate::frame::ColumnExpr>() {
        return visit(column.get());
    }
    if let Ok(objects) = expr.cast::<ObjectsExpr>() {
        return visit(objects.get());
    }
    if let Ok(copied) = expr.cast::<crate::delayed::CopiedExpr>() {
        return visit(copied.get());
    }
    if let Ok(written) = expr.cast::<crate::frame::WriteExpr>() {
        return visit(written.get());
    }
    if let Ok(look) = expr.cast::<crate::frame::CsvLookExpr>() {
        return visit(look.get());
    }
    let name = expr.get_type().name()?;
    Err(pyo3::exceptions::PyTypeError::new_err(format!("`{name}` is not an expression of this version of raskt")))
}
