//! What Python functions over partitions are given.

use super::{OrRaise, interchange};
use pyo3::prelude::*;
use raskt_frame::polars::prelude::DataFrame;
use raskt_frame::{ColumnForm, Frame, FrameForm};
use serde::{Deserialize, Serialize};

/// What a partition is handed over as.
#[expect(clippy::large_enum_variant, reason = "one for each mapped plan")]
pub(super) enum Input {
    Frame(Frame),
    Labels(Frame),
    Column(raskt_frame::Column),
}

/// The same as it is written.
#[derive(Serialize, Deserialize)]
pub(super) enum InputForm {
    Frame(FrameForm),
    Labels(FrameForm),
    Column(ColumnForm),
}

impl InputForm {
    /// What has come; what is wrong with it, if anything.
    pub(super) fn input(self) -> Result<Input, String> {
        let found = match self {
            Self::Frame(frame) => frame.hollow().map(Input::Frame),
            Self::Labels(frame) => frame.hollow().map(Input::Labels),
            Self::Column(column) => column.hollow().map(Input::Column),
        };
        found.map_err(|error| error.to_string())
    }
}

impl Input {
    /// What is written of it.
    pub(super) fn form(&self) -> PyResult<InputForm> {
        Ok(match self {
            Self::Frame(frame) => InputForm::Frame(FrameForm::of(frame).or_raise()?),
            Self::Labels(frame) => InputForm::Labels(FrameForm::of(frame).or_raise()?),
            Self::Column(column) => InputForm::Column(ColumnForm::of(column).or_raise()?),
        })
    }

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
