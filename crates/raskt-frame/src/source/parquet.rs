use super::conditions::{ParquetFilter, chosen};
use super::footer::{Nulls, footer, notes};
use super::{Opened, expand_paths};
use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::plan::{Frame, Index, Node, Operator};
use crate::table::check_name;
use polars::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How Parquet files are read.
#[derive(Clone, Debug, Default)]
pub struct ParquetOptions {
    /// The columns to read; all if `None`.
    pub columns: Option<Vec<String>>,
    /// Rows to read: those for which all of one list hold.
    pub filters: Vec<Vec<ParquetFilter>>,
    /// Which columns are row labels.
    pub index: ParquetIndex,
}

impl ParquetOptions {
    /// Whether the values of a column matter.
    fn is_read(&self, name: &str) -> bool {
        let Some(columns) = &self.columns else { return true };
        let is_label = match &self.index {
            ParquetIndex::Rows => false,
            ParquetIndex::Columns(levels) => levels.iter().any(|(column, _)| column == name),
        };
        is_label
            || columns.iter().any(|column| column == name)
            || self.filters.iter().flatten().any(|condition| condition.column == name)
    }
}

/// Which columns of a Parquet file are row labels, with the names of the levels.
#[derive(Clone, Debug, Default)]
pub enum ParquetIndex {
    /// None: rows are numbered.
    #[default]
    Rows,
    /// These columns.
    Columns(Vec<(String, Option<String>)>),
}

/// Parquet files with the same columns.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct ParquetPlan {
    pub(crate) files: Arc<[PathBuf]>,
    pub(crate) opened: Opened,
}

impl ParquetPlan {
    /// The engine's scan of the files (or of file `partition`).
    pub(crate) fn scan(&self, partition: Option<usize>) -> PolarsResult<LazyFrame> {
        let files = match partition {
            Some(at) => &self.files[at..=at],
            None => &self.files[..],
        };
        let paths = files.iter().map(|path| PlRefPath::try_from_path(path)).collect::<PolarsResult<Vec<_>>>()?;
        let arguments = ScanArgsParquet { glob: false, cache: false, ..Default::default() };
        LazyFrame::scan_parquet_files(paths.into(), arguments)
    }

    /// How it is told in `explain()`.
    pub(crate) fn describe(&self) -> String {
        match &self.files[..] {
            [file] => format!("`{}`", file.display()),
            files => format!("{} files from `{}`", files.len(), files[0].display()),
        }
    }
}

/// The rows of the Parquet files that `paths` mean.
pub fn read_parquet(paths: &[String], options: &ParquetOptions) -> Result<Frame> {
    let files = expand_paths(paths, &[".parquet", ".parq", ".pq"])?;
    let opened = Opened::now(&files);
    let footers = files.iter().map(|file| footer(file)).collect::<Result<Vec<_>>>()?;
    for (file, found) in files.iter().zip(&footers).skip(1) {
        check_schema(&footers[0].schema, &found.schema, &files[0], file)?;
    }
    for (file, footer) in files.iter().zip(&footers) {
        let is_read = |name: &str| options.is_read(name);
        footer.check_native(file, is_read)?;
    }
    let mut columns = vec![];
    for (at, (name, dtype)) in footers[0].schema.iter().enumerate() {
        check_name(name)?;
        let missing = footers.iter().any(|footer| footer.nulls[at] != Nulls::None);
        columns.push((name.clone(), Domain::new(dtype.clone(), missing, dtype.is_float())));
    }
    let rows: Arc<[usize]> = footers.iter().map(|footer| footer.rows).collect();
    let frame = frame_of(files, opened, columns, rows);
    finish(frame, options)
}

/// What pandas noted in a file, as JSON.
pub fn pandas_metadata(path: impl AsRef<Path>) -> Result<Option<String>> {
    Ok(notes(path.as_ref())?.remove("pandas"))
}

fn check_schema(first: &Schema, other: &Schema, first_file: &Path, file: &Path) -> Result<()> {
    if first == other {
        return Ok(());
    }
    let (first_file, file) = (first_file.display(), file.display());
    for (name, dtype) in first.iter() {
        match other.get(name) {
            None => {
                let message =
                    format!("the files don't match: `{file}` lacks column `{name}`, which `{first_file}` has");
                return Err(FrameError::Value(message));
            }
            Some(theirs) if theirs != dtype => {
                let name_of = |dtype: &DataType| Domain::full(dtype.clone()).pandas_dtype();
                let (theirs, dtype) = (name_of(theirs), name_of(dtype));
                return Err(FrameError::Value(format!(
                    "the files don't match: column `{name}` is of {theirs} in `{file}` and of {dtype} in `{first_file}`"
                )));
            }
            _ => {}
        }
    }
    Err(FrameError::Value(format!("the files don't match: `{file}` and `{first_file}` have different columns")))
}

fn frame_of(files: Vec<PathBuf>, opened: Opened, columns: Vec<(PlSmallStr, Domain)>, rows: Arc<[usize]>) -> Frame {
    let what = opened.digest();
    let partitions = files.len();
    let operator = Operator::Parquet(ParquetPlan { files: files.into(), opened });
    let mut node = Node::new(operator, columns, &[], [what]);
    (node.partitions, node.partitionwise) = (partitions, true);
    Frame::over(Arc::new(node.with_rows(Some(rows))), Index::Rows(None))
}

/// Integers among which some are missing become floats, where none of them is filtered away; labels, filters, the columns
/// that were asked for.
fn finish(mut frame: Frame, options: &ParquetOptions) -> Result<Frame> {
    let scope = frame.root.scope.clone();
    for (_, values) in &mut frame.columns {
        if values.domain.class() == DomainClass::Int && values.domain.missing && options.filters.is_empty() {
            *values = values.cast(&scope, &DataType::Float64)?;
        }
    }
    if let ParquetIndex::Columns(columns) = &options.index {
        for (at, (column, name)) in columns.iter().enumerate() {
            let column = frame.column(column)?;
            let renamed = column.rename(name.as_deref());
            let own = column.name.clone();
            frame = frame.set_index(&renamed, false, at > 0)?;
            frame.columns.retain(|(name, _)| Some(name) != own.as_ref());
        }
    }
    let mut found = frame.clone();
    if let Some(mask) = chosen(&frame, &options.filters)? {
        // The rows that stay are numbered anew, as pandas does.
        found = frame.filter(&mask)?;
        if let Index::Rows(name) = frame.index {
            found.index = Index::Rows(name);
        }
    }
    match &options.columns {
        Some(columns) => found.project(&columns.iter().map(String::as_str).collect::<Vec<_>>()),
        None => Ok(found),
    }
}
