use super::{Opened, expand_paths};
use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Operand};
use crate::literal::Literal;
use crate::message::in_plain_words;
use crate::plan::{ColumnOrValue, Frame, Index, Node, Operator};
use polars::prelude::*;
use std::fs::File;
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

/// Which columns of a Parquet file are row labels, with the names of the levels.
#[derive(Clone, Debug, Default)]
pub enum ParquetIndex {
    /// None: rows are numbered.
    #[default]
    Rows,
    /// These columns.
    Columns(Vec<(String, Option<String>)>),
}

/// A condition on a column: its name, one of `== != < <= > >= in` and `not in`, and a value (several for the last two).
#[derive(Clone, Debug)]
pub struct ParquetFilter {
    /// The column.
    pub column: String,
    /// The comparison.
    pub op: String,
    /// What it is compared with.
    pub values: Vec<Literal>,
}

/// Parquet files with the same columns.
#[derive(Clone, Debug)]
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

/// What the end of a file tells.
struct Footer {
    schema: Schema,
    rows: usize,
    /// For each column, whether it has nulls, as far as is known.
    missing: Vec<bool>,
}

/// The rows of the Parquet files that `paths` mean.
pub fn read_parquet(paths: &[String], options: &ParquetOptions) -> Result<Frame> {
    let files = expand_paths(paths, &[".parquet", ".parq", ".pq"])?;
    let opened = Opened::now(&files);
    let footers = files.iter().map(|file| footer(file)).collect::<Result<Vec<_>>>()?;
    for (file, found) in files.iter().zip(&footers).skip(1) {
        check_schema(&footers[0].schema, &found.schema, &files[0], file)?;
    }
    let mut columns = vec![];
    for (at, (name, dtype)) in footers[0].schema.iter().enumerate() {
        let missing = footers.iter().any(|footer| footer.missing[at]);
        columns.push((name.clone(), Domain::new(dtype.clone(), missing, dtype.is_float())));
    }
    let rows: Arc<[usize]> = footers.iter().map(|footer| footer.rows).collect();
    let frame = frame_of(files, opened, columns, rows);
    finish(frame, options)
}

/// What pandas noted in a file, as JSON.
pub fn pandas_metadata(path: impl AsRef<Path>) -> Result<Option<String>> {
    let path = path.as_ref();
    let mut reader = ParquetReader::new(open(path)?);
    let metadata = reader.get_metadata().map_err(|error| unreadable(path, &error))?;
    let notes = metadata.key_value_metadata().iter().flatten();
    Ok(notes.filter(|note| note.key == "pandas").find_map(|note| note.value.clone()))
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> FrameError {
    FrameError::Io(format!(
        "the Parquet file `{}` can't be read: {}",
        path.display(),
        in_plain_words(&error.to_string())
    ))
}

fn footer(path: &Path) -> Result<Footer> {
    let mut reader = ParquetReader::new(open(path)?);
    let arrow = reader.schema().map_err(|error| unreadable(path, &error))?;
    let metadata = reader.get_metadata().map_err(|error| unreadable(path, &error))?.clone();
    let schema = Schema::from_arrow_schema(&arrow);
    let mut missing = vec![];
    for (name, _) in schema.iter() {
        let mut any = false;
        for group in &metadata.row_groups {
            for chunk in group.columns_under_root_iter(name).into_iter().flatten() {
                let statistics = chunk.statistics(&metadata.footer_buf).and_then(|found| found.ok());
                any |= chunk.num_values() > 0
                    && statistics.and_then(|found| found.null_count()).is_none_or(|count| count > 0);
            }
        }
        missing.push(any);
    }
    Ok(Footer { schema, rows: metadata.num_rows, missing })
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

/// Integers among which some are missing become floats; labels, filters, the columns that were asked for.
fn finish(mut frame: Frame, options: &ParquetOptions) -> Result<Frame> {
    let scope = frame.root.scope.clone();
    for (_, values) in &mut frame.columns {
        if values.domain.class() == DomainClass::Int && values.domain.missing {
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
    if !options.filters.is_empty() {
        let mut any: Option<crate::plan::Column> = None;
        for conditions in &options.filters {
            let mut all: Option<crate::plan::Column> = None;
            for condition in conditions {
                let holds = holds(&frame, condition)?;
                all = Some(match all {
                    Some(before) => before.binary("and", &ColumnOrValue::Column(holds), false)?,
                    None => holds,
                });
            }
            let Some(all) = all else { continue };
            any = Some(match any {
                Some(before) => before.binary("or", &ColumnOrValue::Column(all), false)?,
                None => all,
            });
        }
        if let Some(mask) = any {
            // The rows that stay are numbered anew, as pandas does.
            found = frame.filter(&mask)?;
            if let Index::Rows(name) = frame.index {
                found.index = Index::Rows(name);
            }
        }
    }
    match &options.columns {
        Some(columns) => found.project(&columns.iter().map(String::as_str).collect::<Vec<_>>()),
        None => Ok(found),
    }
}

fn holds(frame: &Frame, condition: &ParquetFilter) -> Result<crate::plan::Column> {
    let column = frame.column(&condition.column)?;
    let scope = &frame.root.scope;
    let op = match condition.op.as_str() {
        "=" | "==" => "eq",
        "!=" => "ne",
        "<" => "lt",
        "<=" => "le",
        ">" => "gt",
        ">=" => "ge",
        "in" => return column.is_in(&condition.values),
        "not in" => return column.is_in(&condition.values)?.unary("invert"),
        op => {
            return Err(FrameError::Value(format!(
                "`{op}` is no comparison for a filter; there are `==`, `!=`, `<`, `<=`, `>`, `>=`, `in` and `not in`"
            )));
        }
    };
    let [value] = condition.values.as_slice() else {
        return Err(FrameError::Value(format!("the comparison `{}` takes one value", condition.op)));
    };
    let values = Expression::comparison(scope, op, &column.values.operand(), &Operand::Literal(value.clone()))?;
    let found = crate::plan::Column { values, ..column.clone() };
    match op {
        // A missing value isn't known to be another one.
        "ne" => found.binary("and", &ColumnOrValue::Column(column.unary("notna")?), false),
        _ => Ok(found),
    }
}
