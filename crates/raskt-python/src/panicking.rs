//! A kernel that panics, so that tests of the Python face can meet one.

use crate::array::ArrayExpr;
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

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_panicking_array, module)?)
}
