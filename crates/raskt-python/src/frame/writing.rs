//! Plans that write files.

use super::logical::domains_of;
use super::{FrameExpr, interchange};
use crate::collection::Collection;
use crate::error::{NotNative, from_graph_error};
use crate::travel::{CollectionForm, Reduced, reduce};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use raskt_frame::{Frame, Index, StageOutput, WriteFormat, WriteOptions, lower_write};
use raskt_graph::{GraphBuilder, LayerId, Lower};
use raskt_value::Value;
use std::sync::Arc;

/// A dataframe with the files that computing it writes; the result is the list of their paths.
#[pyclass(frozen, weakref, module = "raskt._core")]
pub(crate) struct WriteExpr(Writing);

enum Writing {
    Planned(Frame, WriteOptions),
    /// Tasks that write so many partitions, which were pickled.
    Pickled(Arc<dyn Lower>, usize),
}

impl WriteExpr {
    /// Files that the tasks of `source` write, which gives a table of paths for each partition.
    pub(crate) fn over(source: Arc<dyn Lower>, partitions: usize) -> Self {
        Self(Writing::Pickled(source, partitions))
    }

    fn partitions(&self) -> usize {
        match &self.0 {
            Writing::Planned(frame, _) => frame.root.partitions,
            Writing::Pickled(_, partitions) => *partitions,
        }
    }
}

impl Collection for WriteExpr {
    fn lower(&self, _py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        match &self.0 {
            Writing::Planned(frame, options) => lower_write(graph, &StageOutput::of_frame(frame), options),
            Writing::Pickled(source, _) => graph.lower(&**source),
        }
        .map_err(from_graph_error)
    }

    fn form(&self, _py: Python<'_>) -> PyResult<CollectionForm> {
        Ok(CollectionForm::Written { partitions: self.partitions() })
    }

    fn finish(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        let table = interchange::one_table(&values)?;
        let paths = table.columns()[0].as_materialized_series().str().map_err(raskt_frame::FrameError::from);
        let paths = super::OrRaise::or_raise(paths)?;
        let paths: Vec<String> = paths.iter().flatten().map(str::to_owned).collect();
        Ok(PyList::new(py, paths)?.into_any().unbind())
    }

    fn persisted(&self, _py: Python<'_>, _values: Vec<Value>) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err("files that are written can't be persisted; use compute"))
    }

    fn block(&self, py: Python<'_>, _index: u64, value: Value) -> PyResult<Py<PyAny>> {
        self.finish(py, vec![value])
    }
}

#[pymethods]
impl WriteExpr {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduce(py, self)
    }

    /// "written".
    #[getter]
    fn kind(&self) -> &'static str {
        "written"
    }

    /// How many partitions it has.
    #[getter]
    fn npartitions(&self) -> usize {
        self.partitions()
    }

    /// The plan of what is written, as text.
    #[pyo3(signature = (engine=false))]
    fn explain(&self, engine: bool) -> String {
        let _ = engine;
        match &self.0 {
            Writing::Planned(frame, options) => {
                format!("native  write `{}`\n{}", options.path.display(), frame.explain())
            }
            Writing::Pickled(..) => "native  write, as it was pickled\n".into(),
        }
    }
}

#[pymethods]
impl FrameExpr {
    /// The Parquet files that hold it, a file for each partition.
    #[pyo3(signature = (path, *, compression=Some("snappy"), index=None, single_file=false, has_folder=false))]
    fn to_parquet(
        &self,
        py: Python<'_>,
        path: std::path::PathBuf,
        compression: Option<&str>,
        index: Option<bool>,
        single_file: bool,
        has_folder: bool,
    ) -> PyResult<WriteExpr> {
        let frame = match (index, &self.frame.index) {
            (Some(false), _) => Frame { index: Index::Rows(None), ..self.frame.clone() },
            (Some(true), Index::Rows(_)) => super::OrRaise::or_raise(self.frame.labelled())?,
            _ => self.frame.clone(),
        };
        refuse_others(&frame)?;
        let columns = file_names(&frame, |at| format!("__index_level_{at}__"));
        let metadata = Some(notes(py, &frame, &columns)?);
        let format = WriteFormat::Parquet { compression: compression.unwrap_or("none").to_owned(), metadata };
        Ok(WriteExpr(Writing::Planned(frame, WriteOptions { path, single_file, has_folder, columns, format })))
    }

    /// The CSV files that hold it, a file for each partition.
    #[pyo3(signature = (path, *, sep=",", header=true, index=true, single_file=false, has_folder=false))]
    fn to_csv(
        &self,
        path: std::path::PathBuf,
        sep: &str,
        header: bool,
        index: bool,
        single_file: bool,
        has_folder: bool,
    ) -> PyResult<WriteExpr> {
        let frame = match index {
            true => super::OrRaise::or_raise(self.frame.labelled())?,
            false => Frame { index: Index::Rows(None), ..self.frame.clone() },
        };
        refuse_others(&frame)?;
        let [separator] = sep.as_bytes() else {
            return Err(PyNotImplementedError::new_err(format!(
                "sep has to be one character of ASCII, and is {sep:?}"
            )));
        };
        let columns = file_names(&frame, |_| String::new());
        let format = WriteFormat::Csv { separator: *separator, header };
        Ok(WriteExpr(Writing::Planned(frame, WriteOptions { path, single_file, has_folder, columns, format })))
    }
}

/// An error if a column or a level of labels isn't what the engine's type says: pandas writes those.
fn refuse_others(frame: &Frame) -> PyResult<()> {
    match domains_of(frame).into_iter().find(|domain| !domain.is_plain()) {
        None => Ok(()),
        Some(domain) => {
            Err(NotNative::new_err(format!("values of {} have no native form in a file", domain.pandas_dtype())))
        }
    }
}

/// The names of labels and columns in a file; `unnamed` is that of a level of labels without one.
fn file_names(frame: &Frame, unnamed: impl Fn(usize) -> String) -> Vec<String> {
    let labels = match &frame.index {
        Index::Rows(_) => vec![],
        Index::Levels(levels) => levels.iter().map(|level| level.name.as_ref().map(|name| name.to_string())).collect(),
    };
    let labels = labels.into_iter().enumerate().map(|(at, name)| name.unwrap_or_else(|| unnamed(at)));
    labels.chain(frame.names().map(str::to_owned)).collect()
}

/// What pandas notes in Parquet files, so that labels are found again.
fn notes(py: Python<'_>, frame: &Frame, columns: &[String]) -> PyResult<String> {
    let (names, dtypes) = match &frame.index {
        Index::Rows(_) => (vec![], vec![]),
        Index::Levels(levels) => (
            levels.iter().map(|level| level.name.as_ref().map(|name| name.to_string())).collect(),
            levels.iter().map(|level| level.values.domain.pandas_dtype()).collect::<Vec<_>>(),
        ),
    };
    let own: Vec<String> = frame.columns.iter().map(|(_, values)| values.domain.pandas_dtype()).collect();
    let dtypes: Vec<String> = dtypes.into_iter().chain(own).collect();
    let function = py.import("raskt.dataframe.interchange.arrow")?.getattr("parquet_notes")?;
    function.call1((columns, dtypes, names))?.extract()
}
