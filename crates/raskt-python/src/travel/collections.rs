//! Collections as they travel: what says how their results are put together, and tasks that do so.

use super::{Reduced, reduce};
use crate::array::ArrayExpr;
use crate::block::{PythonBlock, input, wire_form};
use crate::collection::{Collection, with_collection};
use crate::delayed::python_object;
use crate::error::from_graph_error;
use crate::frame::{ColumnExpr, FrameExpr, OrRaise, WriteExpr};
use crate::object::Object;
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_array::{Array, Chunks};
use raskt_frame::{ColumnForm, FrameForm};
use raskt_graph::{GraphBuilder, GraphError, LayerId, Lower};
use raskt_value::wire::{WireError, WireForm};
use raskt_value::{DType, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    pub(super) fn collection(self, py: Python<'_>, source: Arc<dyn Lower>) -> PyResult<Bound<'_, PyAny>> {
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
    pub(super) fn stored_here(mut self, py: Python<'_>) -> PyResult<Self> {
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
    pub(super) fn tables(&self) -> Option<usize> {
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
