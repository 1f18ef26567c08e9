//! Python functions over blocks, and blocks that Python makes.

use super::error::OrRaise;
use super::snapshot::chunk_of_result;
use super::{ArrayExpr, chunks, dtype, numpy_view};
use crate::block::{PythonBlock, PythonOp, wire_form};
use crate::delayed::{Delayed, DelayedBlocks};
use crate::object::Object;
use crate::travel::{Portable, refuse};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use raskt_array::{Array, AxisChunks, BlockFunction, Chunks, Extent, MapBlocks};
use raskt_graph::{GraphBuilder, GraphError, Layer, LayerId, Lower, Op, OpBody, OpFlags, OpKind, Shape};
use raskt_value::wire::{WireError, WireForm};
use raskt_value::{DType, Value};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_128;

/// A Python function that takes NumPy arrays (read-only views of blocks) and gives one.
struct NumpyBlock {
    function: Portable,
    name: String,
    dtype: DType,
    /// Whether the number of the block is its first argument.
    takes_index: bool,
    /// The grid of the result, set once it is known; blocks are checked against it.
    grid: Arc<OnceLock<Chunks>>,
}

impl PythonBlock for NumpyBlock {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let mut arguments = Vec::with_capacity(inputs.len() + 1);
        if self.takes_index {
            arguments.push(index.into_pyobject(py)?.into_any());
        }
        for input in inputs {
            arguments.push(self.block(py, input)?);
        }
        let result = crate::processes::call(py, self.function.bind(py)?.as_unbound(), PyTuple::new(py, arguments)?)?;
        self.value(index, &result)
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn has_data_apart(&self) -> bool {
        true
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        let function = self.function.dump(py);
        let function = function.or_else(|error| self.refused(py, error))?;
        let Self { name, dtype, takes_index, grid, .. } = self;
        let (name, grid) = (name.clone(), grid.get().cloned());
        let form = NumpyBlockForm { function, name, dtype: *dtype, takes_index: *takes_index, grid };
        wire_form(NUMPY_BLOCK, NUMPY_BLOCK_VERSION, &form)
    }
}

/// What tells it from other functions that travel.
pub(crate) const NUMPY_BLOCK: &str = "raskt.python.numpy_block";
pub(crate) const NUMPY_BLOCK_VERSION: u16 = 1;

/// What it is when it travels.
#[derive(Serialize, Deserialize)]
struct NumpyBlockForm {
    function: Vec<u8>,
    name: String,
    dtype: DType,
    takes_index: bool,
    grid: Option<Chunks>,
}

/// The function that has come.
pub(crate) fn decode_numpy_block(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
    let NumpyBlockForm { function, name, dtype, takes_index, grid } = form.read()?;
    let grid = Arc::new(grid.map_or_else(OnceLock::new, OnceLock::from));
    Ok(Arc::new(NumpyBlock { function: Portable::sent(function), name, dtype, takes_index, grid }))
}

impl NumpyBlock {
    fn block<'py>(&self, py: Python<'py>, input: &Value) -> PyResult<Bound<'py, PyAny>> {
        if let Some(object) = Object::of(input) {
            return Ok(object.bind(py).clone());
        }
        match input.as_chunk() {
            Some(chunk) => numpy_view(py, chunk),
            None => {
                Err(PyTypeError::new_err(format!("`{}` takes array blocks, not a {}", self.name, input.type_name())))
            }
        }
    }

    /// What the function gave, as a block of the data type and shape that were promised.
    fn value(&self, index: u64, result: &Bound<'_, PyAny>) -> PyResult<Value> {
        let py = result.py();
        let numpy = py.import("numpy")?;
        let mut array = match result.cast_exact::<PyUntypedArray>() {
            Ok(array) => array.clone(),
            Err(_) => {
                let plain = py.import("raskt.array.base.plain")?;
                plain.call_method1(intern!(py, "block_of"), (result,))?.cast_into::<PyUntypedArray>()?
            }
        };
        let wanted = dtype::to_descriptor(py, self.dtype);
        if !array.dtype().is_equiv_to(&wanted) {
            if !numpy.call_method1(intern!(py, "can_cast"), (array.dtype(), &wanted, "same_kind"))?.is_truthy()? {
                return Err(self.wrong_dtype(&array));
            }
            let plain = py.import("raskt.array.base.plain")?;
            array = plain.call_method1(intern!(py, "narrowed"), (array, wanted, &self.name))?.cast_into()?;
        }
        self.check_shape(index, array.shape())?;
        let references = if array.is(result) { 2 } else { 1 };
        Ok(chunk_of_result(&array, references)?.into())
    }

    fn refused<T>(&self, py: Python<'_>, error: PyErr) -> PyResult<T> {
        Err(refuse(py, &self.name, &[("the function", self.function.bind(py)?)], error))
    }

    fn wrong_dtype(&self, array: &Bound<'_, PyUntypedArray>) -> PyErr {
        PyTypeError::new_err(format!(
            "`{}` gave a block of {}, which blocks of {} cannot hold: convert it, or promise its type (`dtype` of `map_blocks`)",
            self.name,
            array.dtype(),
            self.dtype
        ))
    }

    fn check_shape(&self, index: u64, found: &[usize]) -> PyResult<()> {
        let Some(grid) = self.grid.get() else { return Ok(()) };
        let expected = grid.block_shape(&grid.grid().coordinates(index));
        let fits = expected.len() == found.len()
            && expected.iter().zip(found).all(|(expected, found)| expected.is_none_or(|expected| expected == *found));
        if fits {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "`{}` gave a block of shape {} where {} was promised (in `map_blocks` by `chunks`, `drop_axis`, `new_axis`)",
            self.name,
            shape_text(found.iter().copied().map(Some)),
            shape_text(expected)
        )))
    }
}

/// A shape as Python writes it.
fn shape_text(lengths: impl IntoIterator<Item = Extent>) -> String {
    let words: Vec<_> = lengths.into_iter().map(|length| length.map_or("nan".into(), |n| n.to_string())).collect();
    match words.as_slice() {
        [only] => format!("({only},)"),
        several => format!("({})", several.join(", ")),
    }
}

/// What tells a function from others: its key if it has one, else a number that is never used again.
fn digest(name: &str, key: Option<&str>) -> u128 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    match key {
        Some(key) => xxh3_128(format!("{name}\0{key}").as_bytes()),
        None => xxh3_128(format!("{name}\0unique\0{}", NEXT.fetch_add(1, Ordering::Relaxed)).as_bytes()),
    }
}

fn body(block: NumpyBlock) -> OpBody {
    Arc::new(PythonOp(Arc::new(block)))
}

/// `function` of each block (of the blocks of several arrays that stand in the same place).
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one call from one place in the Python face")]
fn array_map_blocks(
    function: Py<PyAny>,
    name: String,
    inputs: Vec<PyRef<'_, ArrayExpr>>,
    dtype: &Bound<'_, PyAny>,
    drop_axis: Vec<isize>,
    new_axis: Vec<isize>,
    chunks: Option<Vec<Bound<'_, PyAny>>>,
    takes_index: bool,
    key: Option<&str>,
) -> PyResult<ArrayExpr> {
    let dtype = dtype::from_object(dtype)?;
    let grid = Arc::new(OnceLock::new());
    let key = digest(&name, key);
    let block = NumpyBlock { function: function.into(), name: name.clone(), dtype, takes_index, grid: grid.clone() };
    let function = BlockFunction { name, key, kind: OpKind::Python, flags: OpFlags::default(), body: body(block) };
    let chunks = chunks.map(|axes| axes.iter().map(chunks::axis_spec).collect::<PyResult<_>>()).transpose()?;
    let arrays: Vec<Array> = inputs.iter().map(|input| input.array.clone()).collect();
    let array = Array::map_blocks(MapBlocks { function, dtype, drop_axis, new_axis, chunks }, &arrays).or_raise()?;
    // The function can't have been called yet, so that nobody has set the grid.
    let _ = grid.set(array.chunks().clone());
    Ok(array.into())
}

/// Blocks that a Python function makes from their numbers.
struct PythonSource {
    name: String,
    key: u128,
    body: OpBody,
    chunks: Chunks,
}

impl Lower for PythonSource {
    fn key(&self) -> u128 {
        self.key
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let op = Op {
            kind: OpKind::Python,
            name: self.name.as_str().into(),
            digest: self.key,
            flags: OpFlags::default(),
            body: self.body.clone(),
        };
        let op = graph.op(op);
        graph.layer(Layer::new(self.name.as_str(), op, Shape::Map { grid: self.chunks.grid(), inputs: vec![] }))
    }
}

/// An array whose block `i` is `function(i)`.
#[pyfunction]
fn array_from_function(
    function: Py<PyAny>,
    name: String,
    shape: Vec<usize>,
    dtype: &Bound<'_, PyAny>,
    chunks: &Bound<'_, PyAny>,
    limit: Option<usize>,
    key: Option<&str>,
) -> PyResult<ArrayExpr> {
    let dtype = dtype::from_object(dtype)?;
    let chunks = chunks::for_new_array(chunks, &shape, dtype, limit)?;
    let grid = Arc::new(OnceLock::from(chunks.clone()));
    let key = digest(&name, key);
    let body = body(NumpyBlock { function: function.into(), name: name.clone(), dtype, takes_index: true, grid });
    let source = PythonSource { name, key, body, chunks: chunks.clone() };
    Ok(Array::from_lower(Arc::new(source), dtype, chunks).into())
}

/// One block that a Python function makes of all blocks of an array, whose lengths need not be known.
struct Gather {
    source: Array,
    name: String,
    key: u128,
    body: OpBody,
}

impl Lower for Gather {
    fn key(&self) -> u128 {
        self.key
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let input = graph.lower(&self.source)?;
        let grid = self.source.grid();
        let name = self.name.as_str();
        let op = Op {
            kind: OpKind::Python,
            name: name.into(),
            digest: self.key,
            flags: OpFlags::default(),
            body: self.body.clone(),
        };
        let op = graph.op(op);
        let fan_in = grid.lengths().iter().copied().collect();
        graph.layer(Layer::new(name, op, Shape::Reduce { input, grid, fan_in }))
    }
}

/// An array of one axis and one block of unknown length: `function` of all blocks of `x`.
#[pyfunction]
fn array_gather(function: Py<PyAny>, name: String, x: &ArrayExpr, dtype: &Bound<'_, PyAny>) -> PyResult<ArrayExpr> {
    let dtype = dtype::from_object(dtype)?;
    let chunks = Chunks::new([AxisChunks::unknown(1)]);
    let key = digest(&name, None);
    let grid = Arc::new(OnceLock::from(chunks.clone()));
    let body = body(NumpyBlock { function: function.into(), name: name.clone(), dtype, takes_index: false, grid });
    let source = Gather { source: x.array.clone(), name, key, body };
    Ok(Array::from_lower(Arc::new(source), dtype, chunks).into())
}

/// An array of one block, which a delayed call makes.
#[pyfunction]
fn array_from_delayed(
    py: Python<'_>,
    source: &Delayed,
    name: String,
    shape: Vec<Option<usize>>,
    dtype: &Bound<'_, PyAny>,
) -> PyResult<ArrayExpr> {
    let dtype = dtype::from_object(dtype)?;
    let axes = shape.into_iter().map(|length| length.map_or_else(|| AxisChunks::unknown(1), AxisChunks::single));
    let chunks = Chunks::new(axes);
    let function = py.import("raskt.array.base.plain")?.getattr("block_of")?.unbind();
    let grid = Arc::new(OnceLock::from(chunks.clone()));
    let convert = Arc::new(NumpyBlock { function: function.into(), name, dtype, takes_index: false, grid });
    let source = DelayedBlocks::new(vec![source.node.clone()], convert);
    Ok(Array::from_lower(Arc::new(source), dtype, chunks).into())
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_map_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(array_from_function, module)?)?;
    module.add_function(wrap_pyfunction!(array_gather, module)?)?;
    module.add_function(wrap_pyfunction!(array_from_delayed, module)?)
}
