//! Python functions over blocks, blocks that Python reads, and the shapes of blocks that nobody knew.

use super::error::OrRaise;
use super::{ArrayExpr, chunks, chunk_from_numpy, dtype, numpy_view};
use crate::block::{PythonBlock, PythonOp};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use raskt_array::{Array, BlockFunction, Chunks, MapBlocks};
use raskt_graph::{GraphBuilder, GraphError, Layer, LayerId, Lower, MapInput, Op, OpBody, OpFlags, OpKind, Shape};
use raskt_value::{Buffer, Call, Chunk, DType, Element, Kernel, NativeOp, TaskError, Value, with_element};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_128;

/// A Python function that takes NumPy arrays (read-only views of blocks) and gives one.
struct NumpyBlock {
    function: Py<PyAny>,
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
        let result = self.function.bind(py).call1(PyTuple::new(py, arguments)?)?;
        self.value(index, &result)
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

impl NumpyBlock {
    fn block<'py>(&self, py: Python<'py>, input: &Value) -> PyResult<Bound<'py, PyAny>> {
        match input.as_chunk() {
            Some(chunk) => numpy_view(py, chunk),
            None => Err(PyTypeError::new_err(format!("`{}` takes array blocks, not a {}", self.name, input.type_name()))),
        }
    }

    /// What the function gave, as a block of the data type and shape that were promised.
    fn value(&self, index: u64, result: &Bound<'_, PyAny>) -> PyResult<Value> {
        let py = result.py();
        let numpy = py.import("numpy")?;
        let mut array = numpy.call_method1(intern!(py, "asarray"), (result,))?.cast_into::<PyUntypedArray>()?;
        let wanted = dtype::to_descriptor(py, self.dtype);
        if !array.dtype().is_equiv_to(&wanted) {
            if !numpy.call_method1(intern!(py, "can_cast"), (array.dtype(), &wanted, "same_kind"))?.is_truthy()? {
                return Err(self.wrong_dtype(&array));
            }
            array = array.call_method1(intern!(py, "astype"), (wanted,))?.cast_into()?;
        }
        self.check_shape(index, array.shape())?;
        Ok(chunk_from_numpy(&array)?.into())
    }

    fn wrong_dtype(&self, array: &Bound<'_, PyUntypedArray>) -> PyErr {
        PyTypeError::new_err(format!(
            "`{}` gave a block of {} where {} was expected: pass `dtype={}`",
            self.name,
            array.dtype(),
            self.dtype,
            array.dtype()
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
        let expected: Vec<_> = expected.iter().map(|length| length.map_or("nan".into(), |n| n.to_string())).collect();
        Err(PyValueError::new_err(format!(
            "`{}` gave a block of shape {found:?} where ({}) was expected: pass `chunks`, `drop_axis` or `new_axis`",
            self.name,
            expected.join(", ")
        )))
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

fn flags() -> OpFlags {
    OpFlags { releases_gil: false, ..OpFlags::default() }
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
    let block = NumpyBlock { function, name: name.clone(), dtype, takes_index, grid: grid.clone() };
    let function = BlockFunction { name, key, kind: OpKind::Python, flags: flags(), body: body(block) };
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
            flags: flags(),
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
    let body = body(NumpyBlock { function, name: name.clone(), dtype, takes_index: true, grid });
    let source = PythonSource { name, key, body, chunks: chunks.clone() };
    Ok(Array::from_lower(Arc::new(source), dtype, chunks).into())
}

/// The shapes of another array's blocks, one after the other.
struct BlockShapes(Array);

impl Lower for BlockShapes {
    fn key(&self) -> u128 {
        self.0.key().wrapping_add(xxh3_128(b"block shapes"))
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let layer = graph.lower(&self.0)?;
        let grid = self.0.grid();
        let op = graph.op(Op {
            kind: OpKind::Array,
            name: "block shape".into(),
            digest: xxh3_128(b"raskt block shape"),
            flags: OpFlags::default(),
            body: Arc::new(NativeOp(Arc::new(ShapeOfBlock))),
        });
        let inputs = vec![MapInput::same(layer, grid.clone())];
        graph.layer(Layer::new("block shape", op, Shape::Map { grid, inputs }))
    }
}

struct ShapeOfBlock;

impl Kernel for ShapeOfBlock {
    fn run(&self, _: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let chunk = inputs[0].as_chunk().expect("blocks of arrays are chunks");
        let lengths: Vec<i64> = chunk.shape().iter().map(|&length| length as i64).collect();
        let count = lengths.len();
        Ok(Chunk::from_vec(lengths, &[count]).expect("as many as there are").into())
    }

    fn name(&self) -> String {
        "block shape".into()
    }
}

/// The lengths of each block of `x`, one block after the other in C order.
#[pyfunction]
fn array_block_shapes(x: &ArrayExpr) -> ArrayExpr {
    let blocks = x.array.chunks().blocks() as usize;
    let lengths = Chunks::from_lengths(&[vec![x.array.ndim(); blocks]]);
    Array::from_lower(Arc::new(BlockShapes(x.array.clone())), DType::I64, lengths).into()
}

/// A block of `shape` that takes no memory.
pub(super) fn stand_in(dtype: DType, shape: &[usize]) -> Value {
    let strides = shape.iter().map(|_| 0).collect();
    let buffer = with_element!(dtype, T => one_element::<T>());
    Chunk::from_parts(dtype, shape.into(), strides, 0, buffer).expect("one element for all").into()
}

fn one_element<T: Element>() -> Buffer {
    // SAFETY: all zero bits are a value of every element type.
    Buffer::from_vec(vec![unsafe { std::mem::zeroed::<T>() }])
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_map_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(array_from_function, module)?)?;
    module.add_function(wrap_pyfunction!(array_block_shapes, module)?)
}
