//! Groups.

use super::arguments::{columns, reduce_options};
use super::{ColumnExpr, FrameExpr, OrRaise};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raskt_frame::Aggregation;

type AggregationArgument<'py> = (String, Py<ColumnExpr>, String, Option<Bound<'py, PyDict>>);

#[pymethods]
impl FrameExpr {
    /// One row for each value of the columns `by`.
    #[pyo3(signature = (by, aggregations, *, sort=true, dropna=true, as_index=true))]
    fn groupby(
        &self,
        by: Vec<Py<ColumnExpr>>,
        aggregations: Vec<AggregationArgument<'_>>,
        sort: bool,
        dropna: bool,
        as_index: bool,
    ) -> PyResult<Self> {
        let mut found = vec![];
        for (name, column, function, options) in aggregations {
            let options = reduce_options(options.as_ref())?;
            found.push(Aggregation { name, column: column.get().column.clone(), function, options });
        }
        self.frame.group(&columns(&by), &found, sort, dropna, as_index).or_raise().map(Into::into)
    }
}
