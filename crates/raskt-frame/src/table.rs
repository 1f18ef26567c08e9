use polars::prelude::{DataFrame, PlSmallStr};
use raskt_value::{Table, TaskError, Value};
use std::any::Any;
use std::sync::Arc;

/// Columns as the engine holds them: what a stage gives, and what a partition is.
///
/// Columns of row labels come first, under names that [`index_column_name`] gives.
#[derive(Clone, Debug)]
pub struct FrameTable {
    /// The data.
    pub frame: DataFrame,
}

/// The name under which the level `at` of the row labels travels.
pub fn index_column_name(at: usize) -> PlSmallStr {
    PlSmallStr::from_string(format!("__index_{at}__"))
}

impl FrameTable {
    /// `value` as a table of this crate.
    pub fn of(value: &Value) -> Result<&Self, TaskError> {
        value.as_table::<Self>().ok_or_else(|| {
            let message = format!("a partition of a dataframe has to be a table, and this is a {}", value.type_name());
            TaskError::new(raskt_value::ErrorKind::Type, message)
        })
    }
}

impl From<DataFrame> for FrameTable {
    fn from(frame: DataFrame) -> Self {
        Self { frame }
    }
}

impl From<FrameTable> for Value {
    fn from(table: FrameTable) -> Self {
        Self::Table(Arc::new(table))
    }
}

impl Table for FrameTable {
    fn rows(&self) -> usize {
        self.frame.height()
    }

    fn bytes(&self) -> usize {
        self.frame.estimated_size()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
