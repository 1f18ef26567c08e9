//! What `compute`, `persist` and pickles ask of a column.

use super::logical::{domains_of_column, logicals};
use super::{ColumnExpr, OrRaise, interchange};
use crate::collection::Collection;
use crate::error::from_graph_error;
use crate::travel::{CollectionForm, Reduced, reduce_layer};
use pyo3::prelude::*;
use raskt_frame::{Column, ColumnForm, Frame, StageOutput, lower_partitions, lower_persisted, lower_whole};
use raskt_graph::{GraphBuilder, LayerId};
use raskt_value::Value;
use std::sync::Arc;

impl Collection for ColumnExpr {
    fn lower(&self, _py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        let output = StageOutput::of_column(&self.column);
        let lower = if self.by_partition { lower_partitions } else { lower_whole };
        lower(graph, &output).map_err(from_graph_error)
    }

    fn lower_kept(&self, _py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        lower_persisted(graph, &StageOutput::of_column(&self.column)).map_err(from_graph_error)
    }

    fn is_kept(&self) -> bool {
        !self.column.is_scalar()
    }

    fn is_there(&self) -> bool {
        self.column.is_there()
    }

    fn query(&self) -> Option<StageOutput> {
        (!self.by_partition).then(|| StageOutput::of_column(&self.column))
    }

    fn finish(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        interchange::to_column(py, &interchange::one_table(&values)?, &self.column, 0)
    }

    fn persisted(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        let own = &self.column;
        let unlabelled = raskt_frame::Index::Rows(None);
        let index = if own.is_scalar() || own.labels { &unlabelled } else { &own.index };
        let logical = logicals(&domains_of_column(own));
        let rows = (!own.is_scalar()).then(|| own.to_frame(""));
        let frame = interchange::persisted_frame(&values, index, &logical, own.root.partitions, rows.as_ref())?;
        let column = frame.column_at(0).or_raise()?.rename(own.name.as_deref());
        let column = match (own.is_scalar(), own.labels) {
            (true, _) => Column {
                counted: own.counted,
                ..column.reduce("only", raskt_frame::ReduceOptions::default()).or_raise()?
            },
            (_, true) => labelled_by(&frame, &Column { labels: true, ..column }, own)?,
            _ => column,
        };
        Ok(Py::new(py, Self::from(column))?.into_any())
    }

    fn hollow(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let by_partition = self.by_partition;
        Ok(Some(Py::new(py, Self { column: self.column.hollow(), by_partition })?.into_any()))
    }

    fn form(&self, _py: Python<'_>) -> PyResult<CollectionForm> {
        let column = Arc::new(ColumnForm::of(&self.column).or_raise()?);
        Ok(CollectionForm::Column { column, by_partition: self.by_partition })
    }

    fn block(&self, py: Python<'_>, index: u64, value: Value) -> PyResult<Py<PyAny>> {
        let start = self.column.to_frame("values").rows_before(index as usize);
        interchange::to_column(py, &interchange::one_table(&[value])?, &self.column, start)
    }
}

#[pymethods]
impl ColumnExpr {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let mut graph = GraphBuilder::for_travel();
        let lower = if self.column.is_scalar() { lower_whole } else { lower_partitions };
        let tables = lower(&mut graph, &self.column.tables()).map_err(from_graph_error)?;
        reduce_layer(py, &graph.finish(), tables, self.form(py)?)
    }
}

/// The labels that computed `values` are, which `own` was before: a persisted index is made of itself.
fn labelled_by(computed: &Frame, values: &Column, own: &Column) -> PyResult<Column> {
    let before = own.to_frame("");
    // Other labels than those of the rows (a level of several, say) have divisions and steps of their own.
    let of_rows = before.labels().is_ok_and(|labels| labels.values.digest == own.values.digest);
    let mut frame = computed.clone();
    if of_rows && let raskt_frame::Index::Rows(_) = own.index {
        frame.index = raskt_frame::Index::Rows(own.name.clone());
    } else {
        frame = frame.with_levels(std::slice::from_ref(values)).or_raise()?;
        if of_rows {
            frame = interchange::lying_as(frame, &before)?;
        }
    }
    frame.labels().or_raise()
}
