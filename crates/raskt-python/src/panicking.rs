//! A kernel that panics and an engine that breaks down, so that tests of the Python face can meet them.

use crate::array::ArrayExpr;
use crate::ending::Outside;
use crate::engines::engine;
use pyo3::prelude::*;
use raskt_array::{Array, AxisChunks, Chunks};
use raskt_graph::{GraphBuilder, GraphError, Layer, LayerId, Lower, Op, OpFlags, OpKind, Shape};
use raskt_value::{Call, DType, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;

struct Panicking;

impl Kernel for Panicking {
    fn run(&self, _: &Call<'_>, _: &[Value]) -> Result<Value, TaskError> {
        panic!("asked to")
    }

    fn name(&self) -> String {
        "panicking".into()
    }
}

impl Lower for Panicking {
    fn key(&self) -> u128 {
        0x7261_736b_745f_7061
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let body = Arc::new(NativeOp(Arc::new(Self)));
        let op = Op {
            kind: OpKind::Array,
            name: "panicking".into(),
            digest: Lower::key(self),
            flags: OpFlags::default(),
            body,
        };
        let op = graph.op(op);
        graph.layer(Layer::new("panicking", op, Shape::source(1)))
    }
}

/// An array of one number whose kernel panics; for tests.
#[pyfunction]
fn _panicking_array() -> ArrayExpr {
    Array::from_lower(Arc::new(Panicking), DType::F64, Chunks::new([AxisChunks::single(1)])).into()
}

/// Breaks the engine of a scheduler down, as a panic of one of its machines does; for tests.
#[pyfunction]
#[pyo3(signature = (scheduler, num_workers=None))]
fn _break_engine(py: Python<'_>, scheduler: &str, num_workers: Option<usize>) -> PyResult<()> {
    let engine = engine(py, scheduler, num_workers)?;
    py.outside(|| engine.break_down("asked to"));
    Ok(())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_break_engine, module)?)?;
    module.add_function(wrap_pyfunction!(_panicking_array, module)?)
}
