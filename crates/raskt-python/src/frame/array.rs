//! Frames as arrays, and arrays as frames.

use super::{FrameExpr, OrRaise};
use crate::array::ArrayExpr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_array::{Array, AxisChunks, ChunkSpec, Chunks, ChunksArg};
use raskt_frame::polars::prelude::PlSmallStr;
use raskt_frame::{ArrayToFrame, Domain, Frame, FrameToArray, array_domain};
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

    /// The rows of each partition, where they are known without computing.
    #[getter]
    fn partition_rows(&self) -> Option<Vec<usize>> {
        self.frame.root.partition_rows.as_ref().map(|rows| rows.to_vec())
    }

    /// The rows of an array (of one dimension or two) as `columns` of these rows, by position. It is cut as the rows are,
    /// whose partitions are of known lengths.
    fn beside_array(&self, array: &Bound<'_, ArrayExpr>, columns: Vec<String>) -> PyResult<Self> {
        let array = &array.get().array;
        let own = self.frame.root.partition_rows.as_deref();
        let lengths = array.chunks().axes().first().and_then(|axis| axis.lengths().collect::<Option<Vec<usize>>>());
        if own.is_none() || own != lengths.as_deref() {
            let message = "an array goes beside rows where it is cut as these are, and both lengths are known";
            return Err(PyValueError::new_err(message));
        }
        let (source, described) = source_of(array, &columns)?;
        let described: Vec<_> = described.iter().map(|(name, domain)| (name.as_str(), domain.clone())).collect();
        self.frame.with_columns_of(Arc::new(source), "from_array", &described).or_raise().map(Into::into)
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
    let (source, described) = source_of(&array.get().array, &columns)?;
    let described: Vec<_> = described.iter().map(|(name, domain)| (name.as_str(), domain.clone())).collect();
    let blocks = source.blocks;
    Ok(Frame::from_tasks(Arc::new(source), blocks, &[], &described, "from_array", false, None).into())
}

/// What makes tables of the blocks of an array, and the types of their columns.
fn source_of(array: &Array, columns: &[String]) -> PyResult<(ArrayToFrame, Vec<(String, Domain)>)> {
    let mut array = array.clone();
    if array.ndim() == 2 {
        let whole = ChunksArg::Some(vec![(1, ChunkSpec::Whole)]);
        array = ArrayExpr::checked(array.rechunk(&whole, None))?.array;
    }
    let domain = array_domain(array.dtype());
    let described = columns.iter().map(|name| (name.clone(), domain.clone())).collect();
    let blocks = array.chunks().blocks() as usize;
    let names = columns.iter().map(|name| PlSmallStr::from_str(name)).collect();
    Ok((ArrayToFrame { array: Arc::new(array), blocks, columns: names }, described))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(frame_from_array, module)?)
}
