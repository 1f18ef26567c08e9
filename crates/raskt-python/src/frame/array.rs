//! Frames as arrays, and arrays as frames.

use super::{FrameExpr, OrRaise};
use crate::array::ArrayExpr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_array::{Array, AxisChunks, ChunkSpec, Chunks, ChunksArg};
use raskt_frame::polars::prelude::PlSmallStr;
use raskt_frame::{ArrayToFrame, Frame, FrameToArray, array_domain};
use std::sync::Arc;

#[pymethods]
impl FrameExpr {
    /// The columns as a matrix, a block for each partition. `lengths`: the rows of each partition, or whether to use
    /// them where they are known without computing; else they are unknown.
    #[pyo3(signature = (lengths=None))]
    fn to_array(&self, lengths: Option<&Bound<'_, PyAny>>) -> PyResult<ArrayExpr> {
        let source = FrameToArray::new(&self.frame, false).or_raise()?;
        let rows = rows_of_partitions(&source, lengths)?;
        let rows =
            rows.map_or_else(|| AxisChunks::unknown(source.blocks() as u32), |lengths| AxisChunks::uneven(&lengths));
        let columns = AxisChunks::single(source.columns().unwrap_or(1));
        let dtype = source.dtype();
        Ok(Array::from_lower(Arc::new(source), dtype, Chunks::new([rows, columns])).into())
    }
}

fn rows_of_partitions(source: &FrameToArray, lengths: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<usize>>> {
    let Some(lengths) = lengths else { return Ok(None) };
    if let Ok(use_known) = lengths.extract::<bool>() {
        return Ok(source.lengths().filter(|_| use_known));
    }
    let lengths: Vec<usize> = lengths.extract()?;
    if lengths.len() != source.blocks() {
        let message = format!("lengths has {} numbers for {} partitions", lengths.len(), source.blocks());
        return Err(PyValueError::new_err(message));
    }
    Ok(Some(lengths))
}

/// The rows of an array (of one dimension or two) as a frame with `columns`, a partition for each block of rows.
#[pyfunction]
fn frame_from_array(array: &Bound<'_, ArrayExpr>, columns: Vec<String>) -> PyResult<FrameExpr> {
    let mut array = array.get().array.clone();
    if array.ndim() == 2 {
        let whole = ChunksArg::Some(vec![(1, ChunkSpec::Whole)]);
        array = ArrayExpr::checked(array.rechunk(&whole, None))?.array;
    }
    let domain = array_domain(array.dtype());
    let described: Vec<_> = columns.iter().map(|name| (name.as_str(), domain.clone())).collect();
    let blocks = array.chunks().blocks() as usize;
    let names = columns.iter().map(|name| PlSmallStr::from_str(name)).collect();
    let source = ArrayToFrame { array: Arc::new(array), blocks, columns: names };
    Ok(Frame::from_tasks(Arc::new(source), blocks, &[], &described, "from_array", false, None).into())
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(frame_from_array, module)?)
}
