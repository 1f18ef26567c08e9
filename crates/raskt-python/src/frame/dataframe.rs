use super::arguments::{borrowed, column_or_value, columns, literals, named, strs};
use super::logical::{self, domains_of, logicals};
use super::{ColumnExpr, OrRaise, interchange, literal};
use crate::collection::Collection;
use crate::error::from_graph_error;
use crate::travel::{CollectionForm, Reduced, reduce_layer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use raskt_frame::{Frame, FrameForm, Index, Literal, StageOutput, lower_partitions, lower_persisted, lower_whole};
use raskt_graph::{GraphBuilder, LayerId};
use raskt_value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The plan of a dataframe.
#[pyclass(frozen, weakref, module = "raskt._core")]
pub(crate) struct FrameExpr {
    pub frame: Frame,
    /// Whether its tasks are its partitions, and not one task for the whole.
    pub by_partition: bool,
    /// Whether it stands for the row labels alone (a pandas `MultiIndex`).
    pub labels: bool,
}

impl From<Frame> for FrameExpr {
    fn from(frame: Frame) -> Self {
        Self { frame, by_partition: false, labels: false }
    }
}

impl Collection for FrameExpr {
    fn lower(&self, _py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        let output = StageOutput::of_frame(&self.frame);
        let lower = if self.by_partition { lower_partitions } else { lower_whole };
        lower(graph, &output).map_err(from_graph_error)
    }

    fn lower_kept(&self, _py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        lower_persisted(graph, &StageOutput::of_frame(&self.frame)).map_err(from_graph_error)
    }

    fn is_kept(&self) -> bool {
        true
    }

    fn is_there(&self) -> bool {
        self.frame.is_there()
    }

    fn query(&self) -> Option<StageOutput> {
        (!self.by_partition).then(|| StageOutput::of_frame(&self.frame))
    }

    fn finish(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        self.to_pandas(py, &values, 0)
    }

    fn persisted(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        let partitions = self.frame.root.partitions;
        let logical = logicals(&domains_of(&self.frame));
        let rows = Some(&self.frame);
        let frame = interchange::persisted_frame(&values, &self.frame.index, &logical, partitions, rows)?;
        Ok(Py::new(py, Self { labels: self.labels, ..frame.into() })?.into_any())
    }

    fn hollow(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let (by_partition, labels) = (self.by_partition, self.labels);
        Ok(Some(Py::new(py, Self { frame: self.frame.hollow(), by_partition, labels })?.into_any()))
    }

    fn form(&self, _py: Python<'_>) -> PyResult<CollectionForm> {
        let frame = Arc::new(FrameForm::of(&self.frame).or_raise()?);
        Ok(CollectionForm::Frame { frame, by_partition: self.by_partition, labels: self.labels })
    }

    fn block(&self, py: Python<'_>, index: u64, value: Value) -> PyResult<Py<PyAny>> {
        let start = self.frame.rows_before(index as usize);
        self.to_pandas(py, &[value], start)
    }
}

impl FrameExpr {
    fn to_pandas(&self, py: Python<'_>, values: &[Value], start: usize) -> PyResult<Py<PyAny>> {
        let convert = if self.labels { interchange::to_labels } else { interchange::to_dataframe };
        convert(py, &interchange::one_table(values)?, &self.frame, start)
    }
}

#[pymethods]
impl FrameExpr {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let mut graph = GraphBuilder::for_travel();
        let tables = lower_partitions(&mut graph, &StageOutput::of_frame(&self.frame)).map_err(from_graph_error)?;
        reduce_layer(py, &graph.finish(), tables, self.form(py)?)
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.frame.names().map(str::to_owned).collect()
    }

    /// The names of pandas' types of the columns.
    #[getter]
    fn dtypes(&self) -> Vec<String> {
        self.frame.columns.iter().map(|(_, values)| values.domain.pandas_dtype()).collect()
    }

    /// Whether the integers of a column, all of them, may come to be missing: they are floats in pandas then.
    #[getter]
    fn may_be_none(&self) -> bool {
        self.frame.columns.iter().any(|(_, values)| values.domain.all_or_none)
    }

    /// What restores the values of each column in Python; None for those that are what pandas makes of the engine's type.
    #[getter]
    fn codecs<'py>(&self, py: Python<'py>) -> Vec<Option<Bound<'py, PyBytes>>> {
        self.frame.columns.iter().map(|(_, values)| logical::codec(py, &values.domain)).collect()
    }

    /// The categories of each column that has any without a codec; None for all others.
    #[getter]
    fn categories(&self) -> Vec<Option<Vec<String>>> {
        self.frame.columns.iter().map(|(_, values)| logical::categories(&values.domain)).collect()
    }

    /// The same of each level of the row labels.
    #[getter]
    fn index_codecs<'py>(&self, py: Python<'py>) -> Vec<Option<Bound<'py, PyBytes>>> {
        logical::index_codecs(py, &self.frame.index)
    }

    /// The names of pandas' types of the levels of the row labels.
    #[getter]
    fn index_dtypes(&self) -> Vec<String> {
        logical::index_dtypes(&self.frame.index)
    }

    /// Whether rows have no labels but their numbers from 0 on.
    #[getter]
    fn is_numbered(&self) -> bool {
        matches!(self.frame.index, Index::Rows(_))
    }

    /// Whether its rows lie in memory, so that a few of them are there at once.
    #[getter]
    fn in_memory(&self) -> bool {
        self.frame.root.is_in_memory()
    }

    /// How many partitions it has.
    #[getter]
    fn npartitions(&self) -> usize {
        self.frame.root.partitions
    }

    /// The first label of each partition and the last of all; None if that isn't known.
    #[getter]
    fn divisions<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        divisions_of(py, self.frame.divisions())
    }

    /// The names of the levels of the row labels.
    #[getter]
    fn index_names(&self) -> Vec<Option<String>> {
        self.frame.index.names().into_iter().map(|name| name.map(|name| name.to_string())).collect()
    }

    /// The name of pandas' type of the row labels.
    #[getter]
    fn index_dtype(&self) -> String {
        self.frame.index.pandas_dtype()
    }

    /// Whether the row labels are known to be in ascending order.
    #[getter]
    fn in_order(&self) -> bool {
        self.frame.in_order()
    }

    /// "frame", or "labels" for the row labels alone.
    #[getter]
    fn kind(&self) -> &'static str {
        if self.labels { "labels" } else { "frame" }
    }

    /// The row labels alone, of all their levels.
    fn as_labels(&self) -> Self {
        let frame = Frame { columns: vec![], ..self.frame.clone() };
        Self { frame, by_partition: self.by_partition, labels: true }
    }

    /// One level of the row labels.
    fn level(&self, at: usize) -> PyResult<ColumnExpr> {
        self.frame.level(at).or_raise().map(Into::into)
    }

    /// The same rows with columns (or levels) for the levels of their labels, under the names that these have; numbered
    /// rows for none.
    fn with_levels(&self, levels: Vec<Py<ColumnExpr>>) -> PyResult<Self> {
        self.frame.with_levels(&columns(&levels)).or_raise().map(Into::into)
    }

    /// The same, whose labels are said to lie between divisions, and in ascending order if they are `sorted`; `None` says
    /// that nothing is known of them.
    #[pyo3(signature = (divisions=None, *, sorted=false))]
    fn divided(&self, divisions: Option<Vec<Bound<'_, PyAny>>>, sorted: bool) -> PyResult<Self> {
        let divisions = divisions.map(|labels| self.label_literals(&labels)).transpose()?;
        self.frame.divided(divisions, sorted).or_raise().map(Into::into)
    }

    /// Whether its partitions are those of the rows that it was made from, not equal parts of all.
    #[getter]
    fn keeps_partitions(&self) -> bool {
        self.frame.keeps_partitions()
    }

    /// How far each label is from the next, in pandas' words; None if that isn't known.
    #[getter]
    fn frequency(&self) -> Option<String> {
        self.frame.frequency().map(|frequency| frequency.to_string())
    }

    /// The same, whose labels are said to be so far apart.
    fn stepped(&self, frequency: &str) -> PyResult<Self> {
        self.frame.stepped(frequency).or_raise().map(Into::into)
    }

    /// The same rows, cut anew between divisions.
    fn cut(&self, divisions: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        self.frame.cut(self.label_literals(&divisions)?).or_raise().map(Into::into)
    }

    /// Some partitions, one after another.
    fn pick(&self, at: Vec<usize>) -> PyResult<Self> {
        self.frame.pick(&at).or_raise().map(Into::into)
    }

    /// What tells its rows from those of other plans.
    #[getter]
    fn root(&self) -> String {
        format!("{:032x}", self.frame.rows_digest())
    }

    /// What tells its row labels from others of the same rows.
    #[getter]
    fn labels_key(&self) -> String {
        format!("{:032x}", self.frame.labels_digest())
    }

    /// What tells it from other plans.
    #[getter]
    fn key(&self) -> String {
        format!("{:032x}", self.frame.digest())
    }

    /// How many rows it has, if that is known without computing.
    fn length(&self) -> PyResult<Option<usize>> {
        let known = self.frame.root.length();
        if known.is_some() {
            raskt_frame::check_files(&self.frame.root).or_raise()?;
        }
        Ok(known)
    }

    /// The column `name`.
    fn column(&self, name: &str) -> PyResult<ColumnExpr> {
        self.frame.column(name).or_raise().map(Into::into)
    }

    /// The column at a position.
    fn column_at(&self, at: usize) -> PyResult<ColumnExpr> {
        self.frame.column_at(at).or_raise().map(Into::into)
    }

    /// The row labels.
    fn index(&self) -> PyResult<ColumnExpr> {
        self.frame.labels().or_raise().map(Into::into)
    }

    /// The columns `names`, in that order.
    fn project(&self, names: Vec<String>) -> PyResult<Self> {
        self.frame.project(&strs(&names)).or_raise().map(Into::into)
    }

    /// The same rows with other columns.
    fn select(&self, columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        self.frame.select(&borrowed(&named(&columns)?)).or_raise().map(Into::into)
    }

    /// The same with columns replaced, or added at the end.
    fn assign(&self, columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        self.frame.assign(&borrowed(&named(&columns)?)).or_raise().map(Into::into)
    }

    /// The same with columns renamed.
    fn rename(&self, mapping: BTreeMap<String, String>) -> PyResult<Self> {
        let names: Vec<(&str, &str)> = mapping.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
        self.frame.rename(&names).or_raise().map(Into::into)
    }

    /// The row labels as the first columns (or nowhere), and numbered rows.
    #[pyo3(signature = (drop=false, names=None))]
    fn reset_index(&self, drop: bool, names: Option<Vec<String>>) -> PyResult<Self> {
        let names = names.as_deref().map(strs);
        self.frame.reset_index(drop, names.as_deref()).or_raise().map(Into::into)
    }

    /// The same with other names for the levels of the row labels.
    fn rename_axis(&self, names: Vec<Option<String>>) -> PyResult<Self> {
        let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
        self.frame.rename_axis(&names).or_raise().map(Into::into)
    }

    /// A table laid out from lazy scalars of these rows.
    fn cells(&self, row_labels: Vec<String>, columns: Vec<(Option<String>, Vec<Bound<'_, PyAny>>)>) -> PyResult<Self> {
        let mut found = vec![];
        for (name, cells) in &columns {
            let domain = Literal::Missing.domain();
            let cells = cells.iter().map(|cell| column_or_value(&domain, cell)).collect::<PyResult<Vec<_>>>()?;
            found.push((name.as_deref().unwrap_or(""), cells));
        }
        self.frame.cells(&strs(&row_labels), &found).or_raise().map(Into::into)
    }

    /// The plan as text, and with `engine` the query that the engine makes of it.
    #[pyo3(signature = (engine=false))]
    fn explain(&self, engine: bool) -> PyResult<String> {
        let mut text = self.frame.explain();
        if engine {
            text += &self.frame.explain_engine().or_raise()?;
        }
        Ok(text)
    }

    /// The same plan, whose tasks are its partitions.
    fn by_partition(&self) -> PyResult<Self> {
        let frame = self.frame.with_known_labels().or_raise()?;
        Ok(Self { frame, by_partition: true, labels: self.labels })
    }

    fn __repr__(&self) -> String {
        let labels = if matches!(self.frame.index, Index::Rows(_)) { "numbered rows" } else { "labelled rows" };
        format!("FrameExpr({} columns, {labels}, {} partitions)", self.frame.columns.len(), self.npartitions())
    }
}

impl FrameExpr {
    /// Labels as literals of the type of the row labels.
    fn label_literals(&self, labels: &[Bound<'_, PyAny>]) -> PyResult<Vec<Literal>> {
        literals(&self.frame.labels().or_raise()?.values.domain, labels)
    }
}

pub(super) fn divisions_of(py: Python<'_>, divisions: Option<Vec<Literal>>) -> PyResult<Option<Bound<'_, PyTuple>>> {
    let Some(divisions) = divisions else { return Ok(None) };
    let found = divisions.iter().map(|literal| literal::to_python(py, literal)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, found).map(Some)
}
