//! Collections as they travel: in pickles, and in tasks that put their results together.
//!
//! A pickled collection is its graph, with the data that it was given, and what says how its results are put together. What is read
//! from a pickle is a collection over that graph: it is computed as it was written, and what is done with it comes after it.

use super::graph::{Form, Travelling, build, given_body};
use super::{decoders, values};
use crate::array::ArrayExpr;
use crate::block::{PythonBlock, input, wire_form};
use crate::cluster::{is_shared_form, read_shared, shared_form};
use crate::collection::{Collection, with_collection};
use crate::delayed::python_object;
use crate::error::{from_graph_error, from_task_error};
use crate::frame::{ColumnExpr, FrameExpr, OrRaise, WriteExpr};
use crate::object::Object;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_array::{Array, Chunks};
use raskt_frame::{ColumnForm, FrameForm};
use raskt_graph::{Graph, GraphBuilder, GraphError, LayerId, Lower, Op};
use raskt_value::wire::{WireError, WireForm};
use raskt_value::{DType, Parcel, Value};
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// What says how the results of a collection are put together.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum CollectionForm {
    /// An array's blocks.
    Array { dtype: DType, chunks: Chunks },
    /// Results of Python functions, each by itself.
    Objects,
    /// A dataframe's tables; or the row labels of one.
    Frame { frame: Arc<FrameForm>, by_partition: bool, labels: bool },
    /// Those of a series, of row labels, or the one of a lazy scalar.
    Column { column: Arc<ColumnForm>, by_partition: bool },
    /// Tables of the paths of files that were written.
    Written { partitions: usize },
}

impl CollectionForm {
    /// The collection over `source`.
    fn collection(self, py: Python<'_>, source: Arc<dyn Lower>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::Array { dtype, chunks } => {
                Bound::new(py, ArrayExpr::from(Array::from_lower(source, dtype, chunks)))?.into_any()
            }
            Self::Objects => Bound::new(py, ObjectsExpr(source))?.into_any(),
            Self::Frame { frame, by_partition, labels } => {
                let frame = frame.over(source).or_raise()?;
                Bound::new(py, FrameExpr { frame, by_partition, labels })?.into_any()
            }
            Self::Column { column, by_partition } => {
                let column = column.over(source).or_raise()?;
                Bound::new(py, ColumnExpr { column, by_partition })?.into_any()
            }
            Self::Written { partitions } => Bound::new(py, WriteExpr::over(source, partitions))?.into_any(),
        })
    }

    /// The same with the bytes that types of pandas are stored by in this process.
    fn stored_here(mut self, py: Python<'_>) -> PyResult<Self> {
        let domains = match &mut self {
            Self::Frame { frame, .. } => Arc::get_mut(frame).map(FrameForm::domains_mut),
            Self::Column { column, .. } => Arc::get_mut(column).map(ColumnForm::domains_mut),
            Self::Array { .. } | Self::Objects | Self::Written { .. } => None,
        };
        let own = |codec: &[u8]| -> PyResult<Arc<[u8]>> {
            let storage = py.import(intern!(py, "raskt.dataframe.base.storage"))?;
            let own = storage.call_method1(intern!(py, "own_bytes"), (PyBytes::new(py, codec),))?;
            Ok(own.cast::<PyBytes>()?.as_bytes().into())
        };
        domains.map_or(Ok(()), |domains| domains.store_as(own))?;
        Ok(self)
    }

    /// How many tables it takes, if that has to be so many.
    fn tables(&self) -> Option<usize> {
        match self {
            Self::Frame { frame, .. } => Some(frame.partitions()),
            Self::Column { column, .. } => Some(column.partitions()),
            _ => None,
        }
    }

    /// The collection that puts results together, and can't be computed.
    pub fn hollow(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        self.collection(py, Arc::new(Nothing))
    }
}

/// Stands where a collection has nothing to be computed from.
pub(crate) struct Nothing;

impl Lower for Nothing {
    fn key(&self) -> u128 {
        0x7261_736b_745f_6e6f << 64
    }

    fn lower(&self, _graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        Err(GraphError::Lowering("a collection that only puts results together can't be computed".into()))
    }
}

/// A layer of a graph that was pickled.
struct Pickled {
    graph: Graph,
    layer: LayerId,
    key: u128,
}

impl Lower for Pickled {
    fn key(&self) -> u128 {
        self.key
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        graph.include(&self.graph, self.layer)
    }
}

/// Python objects that the tasks of a layer give.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct ObjectsExpr(Arc<dyn Lower>);

#[pymethods]
impl ObjectsExpr {
    #[getter]
    fn __raskt_expr__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduce(py, self)
    }
}

impl Collection for ObjectsExpr {
    fn lower(&self, _py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        graph.lower(&*self.0).map_err(from_graph_error)
    }

    fn finish(&self, _py: Python<'_>, _values: Vec<Value>) -> PyResult<Py<PyAny>> {
        Err(PyRuntimeError::new_err("delayed objects are computed one by one"))
    }

    fn persisted(&self, _py: Python<'_>, _values: Vec<Value>) -> PyResult<Py<PyAny>> {
        Err(PyRuntimeError::new_err("delayed objects are persisted one by one"))
    }

    fn hollow(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        CollectionForm::Objects.hollow(py).map(|hollow| Some(hollow.unbind()))
    }

    fn block(&self, py: Python<'_>, _index: u64, value: Value) -> PyResult<Py<PyAny>> {
        Ok(python_object(py, &value)?.unbind())
    }

    fn form(&self, _py: Python<'_>) -> PyResult<CollectionForm> {
        Ok(CollectionForm::Objects)
    }
}

/// What a pickle has: the forms of the graph and of the collection, the number of the layer, and for each op that gives data its values.
type State<'py> = (Bound<'py, PyBytes>, Vec<Vec<Packed<'py>>>);

/// How a collection is pickled: the function that reads it, and what that gets.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, State<'py>);

/// A parcel: its form, and its pieces as arrays of bytes.
pub(crate) type Packed<'py> = (Bound<'py, PyBytes>, Vec<Bound<'py, PyAny>>);

#[derive(Serialize, Deserialize)]
struct Written {
    /// What tells the process that has written it from others: calls that aren't pure are numbered by each process for itself.
    process: [u64; 3],
    graph: Form,
    layer: LayerId,
    collection: CollectionForm,
}

/// How a collection is pickled.
pub(crate) fn reduce<'py>(py: Python<'py>, collection: &dyn Collection) -> PyResult<Reduced<'py>> {
    let mut graph = GraphBuilder::for_travel();
    let layer = collection.lower(py, &mut graph)?;
    reduce_layer(py, &graph.finish(), layer, collection.form(py)?)
}

/// How the collection is pickled whose results the tasks of a layer give.
pub(crate) fn reduce_layer<'py>(
    py: Python<'py>,
    graph: &Graph,
    layer: LayerId,
    collection: CollectionForm,
) -> PyResult<Reduced<'py>> {
    let graph = told_apart(graph).map_err(from_graph_error)?;
    let Travelling { form: graph, given } = Travelling::of(py, &graph)?;
    let written = Written { process: own_words(), graph, layer, collection };
    let written = postcard::to_stdvec(&written).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut packed = vec![];
    for values in given {
        packed.push(pack_all(py, values)?);
    }
    Ok((py.import("raskt._core")?.getattr("_collection_of")?, (PyBytes::new(py, &written), packed)))
}

/// What tells this process from all others.
fn own_words() -> [u64; 3] {
    static DRAWN: LazyLock<[u64; 2]> = LazyLock::new(|| [(); 2].map(|()| RandomState::new().hash_one(())));
    // Those that were forked have drawn the same.
    [DRAWN[0], DRAWN[1], u64::from(std::process::id())]
}

/// The same graph, with ops that are none of another process: those are told apart by numbers that each process counts by itself, and
/// whoever reads pickles of several puts them into one graph.
fn told_apart(graph: &Graph) -> Result<Graph, GraphError> {
    let process = own_words();
    let mut own = GraphBuilder::new();
    for op in graph.ops() {
        let words = process.iter().flat_map(|word| word.to_le_bytes()).chain(op.digest.to_le_bytes());
        let digest = if op.digest == 0 { 0 } else { xxh3_128(&words.collect::<Vec<u8>>()) };
        own.op(Op { digest, ..op.clone() });
    }
    for (_, layer) in graph.layers() {
        own.layer(layer.clone())?;
    }
    Ok(own.finish())
}

/// The values, with those fetched that others aren't to find where they are.
fn pack_all(py: Python<'_>, values: Vec<Value>) -> PyResult<Vec<Packed<'_>>> {
    let shared = values.iter().map(shared_form).collect::<PyResult<Vec<_>>>()?;
    let here: Vec<Value> = values.into_iter().zip(&shared).filter(|(_, form)| form.is_none()).map(|it| it.0).collect();
    let mut here = values::loaded(py, here)?.into_iter();
    let packed = shared.into_iter().map(|form| match (form, &mut here) {
        (Some(form), _) => pack_parcel(py, Parcel { form, pieces: vec![] }),
        (None, here) => pack(py, &here.next().expect("one for each")),
    });
    packed.collect()
}

fn pack<'py>(py: Python<'py>, value: &Value) -> PyResult<Packed<'py>> {
    pack_parcel(py, value.pack().map_err(|error| from_task_error(py, &error))?)
}

fn pack_parcel<'py>(py: Python<'py>, Parcel { form, pieces }: Parcel) -> PyResult<Packed<'py>> {
    let form = postcard::to_stdvec(&form).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((PyBytes::new(py, &form), pieces.iter().map(|piece| values::bytes_of(py, piece)).collect::<PyResult<_>>()?))
}

/// The expression of a collection that was pickled.
#[pyfunction(name = "_collection_of")]
pub(crate) fn collection_of<'py>(
    py: Python<'py>,
    written: &Bound<'py, PyBytes>,
    given: Vec<Vec<Packed<'py>>>,
) -> PyResult<Bound<'py, PyAny>> {
    let malformed = |error: &dyn std::fmt::Display| {
        PyValueError::new_err(format!("what was unpickled is no collection of this version of raskt: {error}"))
    };
    let Written { graph, layer, collection, .. } =
        postcard::from_bytes(written.as_bytes()).map_err(|error| malformed(&error))?;
    let mut content = Xxh3::new();
    note(&mut content, written.as_bytes());
    let mut data: Vec<Vec<Value>> = vec![];
    for values in given {
        content.update(&values.len().to_le_bytes());
        let values = values.into_iter().map(|packed| unpack(py, packed, &mut content));
        data.push(values.collect::<PyResult<_>>()?);
    }
    let key = content.digest128();
    let graph = build(graph, |at, kind| given_body(data.get(at as usize), kind))?;
    let Some(tasks) = graph.layers().nth(layer.0 as usize).map(|(_, layer)| layer.len()) else {
        return Err(malformed(&"its layer isn't there"));
    };
    if collection.tables().is_some_and(|tables| tables as u64 != tasks) {
        return Err(malformed(&"it has other partitions than there are tables"));
    }
    collection.stored_here(py)?.collection(py, Arc::new(Pickled { graph, layer, key }))
}

/// Hashes bytes with their number, so that what follows can't be taken for a part of them.
fn note(content: &mut Xxh3, bytes: &[u8]) {
    content.update(&bytes.len().to_le_bytes());
    content.update(bytes);
}

fn unpack(py: Python<'_>, (form, pieces): Packed<'_>, content: &mut Xxh3) -> PyResult<Value> {
    note(content, form.as_bytes());
    content.update(&pieces.len().to_le_bytes());
    let form: WireForm =
        postcard::from_bytes(form.as_bytes()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let pieces = pieces.iter().map(values::piece_of).collect::<PyResult<Vec<_>>>()?;
    for piece in &pieces {
        content.update(&piece.len().to_le_bytes());
        content.update(&values::digest(piece).to_le_bytes());
    }
    if is_shared_form(&form) {
        return read_shared(&form);
    }
    decoders().unpack(Parcel { form, pieces }).map_err(|error| from_task_error(py, &error))
}

pub(super) const PART: &str = "raskt.python.part";
pub(super) const PART_VERSION: u16 = 1;

/// Puts the results of a collection together, or gives one of them, as Python has it.
pub(crate) struct PartOf {
    collection: CollectionForm,
    /// Which of the results; all of them if it isn't said.
    index: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct PartForm {
    collection: CollectionForm,
    index: Option<u64>,
}

impl PartOf {
    /// What the task travels as that gives such of the collection whose expression is `expr`.
    pub fn wire(expr: &Bound<'_, PyAny>, index: Option<u64>) -> PyResult<WireForm> {
        let collection = with_collection(expr, |collection| collection.form(expr.py()))?;
        wire_form(PART, PART_VERSION, &PartForm { collection, index })
    }

    /// The task that has come.
    pub(super) fn decode(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
        let PartForm { collection, index } = form.read()?;
        Ok(Arc::new(Self { collection, index }))
    }
}

impl PythonBlock for PartOf {
    fn call(&self, py: Python<'_>, _index: u64, inputs: &[Value]) -> PyResult<Value> {
        let expr = self.collection.clone().hollow(py)?;
        let object = with_collection(&expr, |collection| match self.index {
            Some(index) => collection.block(py, index, input(inputs, 0)?.clone()),
            None => collection.finish(py, inputs.to_vec()),
        })?;
        Ok(Object::value(object.into_bound(py)))
    }

    fn name(&self) -> String {
        if self.index.is_some() { "block" } else { "finish" }.into()
    }

    fn wire(&self, _py: Python<'_>) -> PyResult<WireForm> {
        let form = PartForm { collection: self.collection.clone(), index: self.index };
        wire_form(PART, PART_VERSION, &form)
    }
}
