use super::error::OrRaise;
use super::{block_shape, chunks, dtype, memory, numpy_from_chunk};
use crate::collection::Collection;
use crate::ending::Outside;
use crate::error::from_graph_error;
use crate::travel::{CollectionForm, Nothing, Reduced, reduce};
use numpy::PyArrayDescr;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use raskt_array::{Array, AxisChunks, assemble};
use raskt_graph::{Graph, GraphBuilder, LayerId, Lower, OpKind, TaskId};
use raskt_value::{Chunk, DType, Value};
use std::sync::{Arc, OnceLock};

/// An array expression: what a `raskt.array.Array` holds.
#[pyclass(frozen, module = "raskt._core")]
#[derive(Clone)]
pub struct ArrayExpr {
    pub(crate) array: Array,
    /// The graph of it alone, once it was computed, and what was wanted of that.
    lowered: Arc<OnceLock<Lowered>>,
}

type Lowered = (Arc<Graph>, Vec<TaskId>);

/// The most tasks of a graph that an expression remembers.
const REMEMBERED_TASKS: u64 = 64;

impl From<Array> for ArrayExpr {
    fn from(array: Array) -> Self {
        Self { array, lowered: Arc::default() }
    }
}

impl ArrayExpr {
    /// The graph that [`Self::remember`] was told, so that a small expression is lowered once, however often it is computed.
    pub(crate) fn remembered(&self) -> Option<Lowered> {
        self.lowered.get().cloned()
    }

    /// Remembers the graph of this expression alone if it is small, native work: what Python functions see besides their
    /// arguments belongs to each computation.
    pub(crate) fn remember(&self, graph: &Arc<Graph>, wanted: &[TaskId]) {
        let is_native = graph.ops().all(|op| op.kind == OpKind::Array);
        if is_native && graph.tasks() <= REMEMBERED_TASKS {
            _ = self.lowered.set((graph.clone(), wanted.to_vec()));
        }
    }
}

impl ArrayExpr {
    /// The expression, or the exception that making it raised.
    pub(crate) fn checked(array: raskt_array::Result<Array>) -> PyResult<Self> {
        array.or_raise().map(Self::from)
    }
}

#[pymethods]
impl ArrayExpr {
    /// Lengths of the axes; NaN where a length isn't known before the array is computed.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        chunks::extents(py, self.array.shape())
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        dtype::to_descriptor(py, self.array.dtype())
    }

    #[getter]
    fn itemsize(&self) -> usize {
        self.array.dtype().size()
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.array.ndim()
    }

    /// How many elements there are; NaN where that isn't known.
    #[getter]
    fn size<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        chunks::extent(py, self.array.len())
    }

    #[getter]
    fn nbytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        chunks::extent(py, self.array.nbytes())
    }

    /// The lengths of all blocks along each axis.
    #[getter]
    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        chunks::to_python(py, self.array.chunks())
    }

    /// The largest block length of each axis.
    #[getter]
    fn chunksize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        chunks::extents(py, self.array.chunks().axes().iter().map(AxisChunks::longest))
    }

    #[getter]
    fn numblocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array.chunks().axes().iter().map(AxisChunks::blocks))
    }

    #[getter]
    fn npartitions(&self) -> u64 {
        self.array.chunks().blocks()
    }

    /// A name that equal expressions share: `sum-1f3a…`.
    #[getter]
    fn name(&self) -> String {
        self.array.name()
    }

    #[getter]
    fn is_known(&self) -> bool {
        self.array.chunks().is_known()
    }

    /// How it is pickled: with its graph and the data that it was given.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduce(py, self)
    }

    /// The same expression with block lengths that were found by computing it.
    fn with_block_shapes(&self, shapes: Vec<Vec<usize>>) -> PyResult<Self> {
        let blocks: Vec<Value> = shapes.iter().map(|shape| block_shape::stand_in(self.array.dtype(), shape)).collect();
        Self::checked(self.array.with_chunk_sizes(&blocks))
    }

    /// The optimised expression as indented text; each node says whether it is native.
    fn tree(&self) -> String {
        self.array.tree()
    }

    /// Tasks in the graph, layers of them, and the bytes of all blocks and of the largest block (`None` if unknown).
    fn describe(&self) -> PyResult<(u64, usize, Option<usize>, Option<usize>)> {
        let found = self.array.describe().or_raise()?;
        Ok((found.tasks, found.layers, found.bytes, found.block_bytes))
    }
}

impl Collection for ArrayExpr {
    fn check_whole(&self, py: Python<'_>) -> PyResult<()> {
        memory::check_result(py, &self.array)
    }

    fn lower(&self, py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        let lowered = graph.lower(&self.array as &dyn Lower).map_err(from_graph_error)?;
        memory::check_blocks(py, graph, lowered)?;
        Ok(lowered)
    }

    fn finish(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        let whole = self.whole(py, values)?;
        element_or_array(numpy_from_chunk(py, whole)?, self.array.ndim())
    }

    fn is_kept(&self) -> bool {
        true
    }

    fn layouts(&self) -> Option<Vec<(DType, Box<[usize]>)>> {
        let chunks = self.array.chunks();
        let grid = chunks.grid();
        let shape = |index| chunks.block_shape(&grid.coordinates(index)).into_iter().collect::<Option<Box<[usize]>>>();
        (0..chunks.blocks()).map(|index| Some((self.array.dtype(), shape(index)?))).collect()
    }

    fn persisted(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        let persisted = Self::checked(self.array.persisted(values))?;
        Ok(Py::new(py, persisted)?.into_any())
    }

    fn hollow(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let array = Array::from_lower(Arc::new(Nothing), self.array.dtype(), self.array.chunks().clone());
        Ok(Some(Py::new(py, Self::from(array))?.into_any()))
    }

    fn form(&self, _py: Python<'_>) -> PyResult<CollectionForm> {
        Ok(CollectionForm::Array { dtype: self.array.dtype(), chunks: self.array.chunks().clone() })
    }

    fn block(&self, py: Python<'_>, _index: u64, value: Value) -> PyResult<Py<PyAny>> {
        match value {
            Value::Chunk(chunk) => element_or_array(numpy_from_chunk(py, chunk)?, self.array.ndim()),
            other => Err(PyRuntimeError::new_err(format!("a block of an array came as a {}", other.type_name()))),
        }
    }
}

/// As NumPy would, gives an element instead of an array of no dimension.
fn element_or_array(array: Bound<'_, PyAny>, ndim: usize) -> PyResult<Py<PyAny>> {
    let result = if ndim == 0 { array.get_item(PyTuple::empty(array.py()))? } else { array };
    Ok(result.unbind())
}

impl ArrayExpr {
    /// All blocks in one; a single block is taken as it is.
    fn whole(&self, py: Python<'_>, mut values: Vec<Value>) -> PyResult<Arc<Chunk>> {
        if let [Value::Chunk(_)] = values.as_slice()
            && let Some(Value::Chunk(chunk)) = values.pop()
        {
            return Ok(chunk);
        }
        memory::check_result(py, &self.array)?;
        py.outside(|| assemble(&values, &self.array)).or_raise().map(Arc::new)
    }
}
