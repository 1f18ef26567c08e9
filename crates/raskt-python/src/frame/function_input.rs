//! What Python functions over partitions are given.

use super::interchange;
use pyo3::prelude::*;
use raskt_frame::Frame;
use raskt_frame::polars::prelude::DataFrame;

/// What a partition is handed over as.
#[expect(clippy::large_enum_variant, reason = "one for each mapped plan")]
pub(super) enum Input {
    Frame(Frame),
    Labels(Frame),
    Column(raskt_frame::Column),
}

impl Input {
    /// What tells how tables are to be shown, and not how they are computed.
    pub(super) fn hollow(self) -> Self {
        match self {
            Self::Frame(frame) => Self::Frame(frame.hollow()),
            Self::Labels(frame) => Self::Labels(frame.hollow()),
            Self::Column(column) => Self::Column(column.hollow()),
        }
    }

    /// How many partitions the plan has.
    pub(super) fn partitions(&self) -> usize {
        match self {
            Self::Frame(frame) | Self::Labels(frame) => frame.root.partitions,
            Self::Column(column) => column.root.partitions,
        }
    }

    /// A table as the pandas object that it stands for; numbered rows begin at those of partition `at`.
    pub(super) fn to_pandas(&self, py: Python<'_>, table: &DataFrame, at: usize) -> PyResult<Py<PyAny>> {
        match self {
            Self::Frame(frame) => interchange::to_dataframe(py, table, frame, frame.rows_before(at)),
            Self::Labels(frame) => interchange::to_labels(py, table, frame, frame.rows_before(at)),
            Self::Column(column) => interchange::to_column(py, table, column, column.to_frame("").rows_before(at)),
        }
    }
}
