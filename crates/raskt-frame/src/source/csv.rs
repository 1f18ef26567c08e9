use super::facts::ColumnFacts;
use super::inference::Odd;
use super::look::{CsvLook, FileLook, left_to_pandas};
use super::{Opened, expand_paths};
use crate::domain::{Domain, DomainClass, parse_dtype_name};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Operand, content_of};
use crate::literal::Literal;
use crate::plan::{Frame, Index, Node, Operator};
use crate::table::check_name;
use polars::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How CSV files are read; the names and meanings are those of `pandas.read_csv`.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub struct CsvOptions {
    /// What stands between fields.
    pub separator: u8,
    /// Whether the first line that isn't skipped has the names.
    pub has_header: bool,
    /// Names to use instead.
    pub names: Option<Vec<String>>,
    /// The columns to read.
    pub use_columns: Option<Vec<String>>,
    /// Types that are known.
    pub dtypes: CsvDtypes,
    /// Columns of points in time.
    pub dates: BTreeSet<String>,
    /// Words that stand for a missing value, beside pandas' own.
    pub missing_words: Vec<String>,
    /// Lines to leave out at the start.
    pub skip_rows: usize,
    /// What fields with separators in them stand between.
    pub quote: Option<u8>,
    /// What starts a line that is no row.
    pub comment: Option<u8>,
}

/// Types that a user gave.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum CsvDtypes {
    /// One for all columns.
    All(String),
    /// By column.
    Columns(BTreeMap<String, String>),
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            separator: b',',
            has_header: true,
            names: None,
            use_columns: None,
            dtypes: CsvDtypes::Columns(BTreeMap::new()),
            dates: BTreeSet::new(),
            missing_words: vec![],
            skip_rows: 0,
            quote: Some(b'"'),
            comment: None,
        }
    }
}

impl CsvOptions {
    /// The type that was given for a column.
    pub(super) fn dtype_of(&self, name: &str) -> Option<&str> {
        match &self.dtypes {
            CsvDtypes::All(dtype) => Some(dtype),
            CsvDtypes::Columns(columns) => columns.get(name).map(String::as_str),
        }
    }
}

/// CSV files with columns of known types.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CsvPlan {
    pub(crate) files: Arc<[PathBuf]>,
    pub(crate) opened: Opened,
    options: Arc<CsvOptions>,
    /// All columns of the files, with the types that they are read as.
    #[serde(with = "crate::wire::schema")]
    schema: SchemaRef,
    #[serde(with = "crate::wire::words")]
    missing_words: Arc<[PlSmallStr]>,
    /// What fields may stand in; nothing if no field does: finding the ends of lines is quicker then.
    quote: Option<u8>,
}

impl CsvPlan {
    /// The engine's scan of the files (or of file `partition`).
    pub(crate) fn scan(&self, partition: Option<usize>) -> PolarsResult<LazyFrame> {
        let files = match partition {
            Some(at) => &self.files[at..=at],
            None => &self.files[..],
        };
        let paths = files.iter().map(|path| PlRefPath::try_from_path(path)).collect::<PolarsResult<Vec<_>>>()?;
        let options = &self.options;
        let missing = match &self.missing_words[..] {
            [] => None,
            [word] => Some(NullValues::AllColumnsSingle(word.clone())),
            words => Some(NullValues::AllColumns(words.to_vec())),
        };
        LazyCsvReader::new_paths(paths.into())
            .with_has_header(options.has_header)
            .with_skip_lines(options.skip_rows)
            .with_separator(options.separator)
            .with_quote_char(self.quote)
            .with_comment_prefix(options.comment.map(|byte| PlSmallStr::from_string((byte as char).to_string())))
            .with_schema(Some(self.schema.clone()))
            .with_null_values(missing)
            .with_missing_is_null(true)
            .with_glob(false)
            .with_cache(false)
            .with_raise_if_empty(false)
            .finish()
    }

    /// What is wrong with one that has come from elsewhere, and is to have so many partitions and these columns.
    pub(crate) fn check(&self, partitions: usize, columns: &[(PlSmallStr, Domain)]) -> Result<(), String> {
        self.opened.check_names(&self.files, partitions)?;
        match columns.iter().find(|(name, domain)| self.schema.get(name) != Some(&domain.dtype)) {
            Some((name, _)) => Err(format!("CSV files without a column `{name}` of its type")),
            None => Ok(()),
        }
    }

    /// How it is told in `explain()`.
    pub(crate) fn describe(&self) -> String {
        match &self.files[..] {
            [file] => format!("`{}`", file.display()),
            files => format!("{} files from `{}`", files.len(), files[0].display()),
        }
    }
}

/// The rows of the CSV files that `paths` mean, with the types that pandas would give them by all rows. Looks at the files
/// in this thread; [`look_at_csv`] lets tasks do it.
pub fn read_csv(paths: &[String], options: CsvOptions) -> Result<Frame> {
    let look = look_at_csv(paths, options)?;
    look.run()?;
    look.frame()
}

/// The look that [`CsvLook::frame`] takes the types of the columns from.
pub fn look_at_csv(paths: &[String], options: CsvOptions) -> Result<CsvLook> {
    let files = expand_paths(paths, &[".csv", ".csv.gz", ".csv.zst", ".txt", ".tsv", ".tbl"])?;
    Ok(CsvLook::new(files, options))
}

impl CsvLook {
    /// The rows of the files. Where pandas reads anything otherwise than the engine does, the error says what.
    pub fn frame(&self) -> Result<Frame> {
        let found = self.found().ok_or_else(|| FrameError::Value("the files were not looked at".into()))?;
        let look = merged(&self.files, &found)?;
        let first = &self.files[0];
        let options = &self.options;
        check_names(first, options, &look.names)?;
        if look.rows.iter().all(|rows| *rows == 0) {
            // pandas gives columns of objects then.
            return Err(left_to_pandas(first, "no rows to tell types by"));
        }
        let mut schema = Schema::with_capacity(look.names.len());
        let mut columns = vec![];
        for (name, facts) in look.names.iter().zip(&look.facts) {
            let wanted = options.use_columns.as_ref().is_none_or(|wanted| wanted.contains(name));
            let read_as = match wanted {
                true => column_type(name, facts, options).map_err(|odd| left_to_pandas(first, odd))?,
                false => DataType::String,
            };
            schema.with_column(PlSmallStr::from_str(name), read_as.clone());
            columns.push((PlSmallStr::from_str(name), Domain::new(read_as, facts.missing, false)));
        }
        let words = look.facts.iter().flat_map(|facts| facts.words.iter()).filter(|word| !word.is_empty());
        let words: BTreeSet<&Vec<u8>> = words.collect();
        let words = words.into_iter().map(|word| PlSmallStr::from_string(String::from_utf8_lossy(word).into_owned()));
        let plan = CsvPlan {
            files: self.files.clone(),
            opened: self.opened.clone(),
            schema: Arc::new(schema),
            missing_words: words.collect(),
            quote: options.quote.filter(|_| look.quotes),
            options: options.clone(),
        };
        finish(frame_of(plan, columns, look.rows.clone()), options, &look)
    }
}

/// What was found in all files together.
struct Look {
    names: Vec<String>,
    facts: Vec<ColumnFacts>,
    rows: Vec<usize>,
    /// Whether a field stands in quotes.
    quotes: bool,
}

fn merged(files: &[PathBuf], found: &[&FileLook]) -> Result<Look> {
    let (names, mut facts) = (found[0].names.clone(), found[0].facts.clone());
    for (look, file) in found.iter().zip(files).skip(1) {
        check_same_names(&names, &look.names, &files[0], file)?;
        facts.iter_mut().zip(&look.facts).for_each(|(merged, facts)| merged.merge(facts.clone()));
    }
    let rows = found.iter().map(|look| look.rows).collect();
    if facts.iter().any(|facts| facts.spaced && facts.dtype() == Some(DataType::String)) {
        return Err(left_to_pandas(&files[0], "numbers with spaces around them"));
    }
    Ok(Look { names, facts, rows, quotes: found.iter().any(|look| look.quotes) })
}

fn check_same_names(first: &[String], names: &[String], first_file: &Path, file: &Path) -> Result<()> {
    if first == names {
        return Ok(());
    }
    let (first_file, file) = (first_file.display(), file.display());
    let (first, names) = (first.join("`, `"), names.join("`, `"));
    Err(FrameError::Value(format!(
        "the files don't have the same columns: `{file}` has `{names}`, and `{first_file}` has `{first}`"
    )))
}

/// Unknown names are left to pandas, which knows when they are an error.
fn check_names(file: &Path, options: &CsvOptions, names: &[String]) -> Result<()> {
    names.iter().try_for_each(|name| check_name(name))?;
    let known = |name: &String| names.contains(name);
    let are_known = options.use_columns.iter().flatten().all(known) && options.dates.iter().all(known);
    if are_known { Ok(()) } else { Err(left_to_pandas(file, "no column of a name that was given")) }
}

/// The type that a column is read as; an error says why only pandas reads it.
fn column_type(name: &str, facts: &ColumnFacts, options: &CsvOptions) -> Result<DataType, Odd> {
    let Some(found) = facts.dtype() else { return Err("integers that no type of the engine holds") };
    if options.dates.contains(name) {
        return match facts.dates {
            Some(_) => Ok(DataType::String),
            None => Err("points in time that are written in several ways"),
        };
    }
    let full = facts.present && !facts.missing;
    let given = match options.dtype_of(name).map(parse_dtype_name) {
        None => return Ok(found),
        Some(given) => given.map_err(|_| "a type that only pandas knows")?,
    };
    match &given {
        DataType::String => Ok(DataType::String),
        DataType::Float64 | DataType::Float32 if facts.is_numeric() => Ok(DataType::Float64),
        DataType::Int64 if full && found == DataType::Int64 => Ok(DataType::Int64),
        dtype if full && found == DataType::Int64 && fits(facts.range, dtype) => Ok(given),
        DataType::Boolean if full && found == DataType::Boolean => Ok(given),
        // These are made of the text afterwards.
        DataType::Categorical(..) if found == DataType::String => Ok(DataType::String),
        _ => Err("values that the type given for them doesn't read as they are"),
    }
}

/// Whether an integer type holds all values between two.
fn fits(range: Option<(i64, i64)>, dtype: &DataType) -> bool {
    let Some((least, greatest)) = range else { return false };
    let (least, greatest) = (i128::from(least), i128::from(greatest));
    let bits = match dtype {
        DataType::Int8 | DataType::UInt8 => 8,
        DataType::Int16 | DataType::UInt16 => 16,
        DataType::Int32 | DataType::UInt32 => 32,
        DataType::UInt64 => 64,
        _ => return false,
    };
    match dtype.is_unsigned_integer() {
        true => least >= 0 && greatest < 1 << bits,
        false => least >= -(1 << (bits - 1)) && greatest < 1 << (bits - 1),
    }
}

fn frame_of(plan: CsvPlan, columns: Vec<(PlSmallStr, Domain)>, rows: Vec<usize>) -> Frame {
    let schema: Vec<_> = plan.schema.iter().collect();
    let what = [plan.opened.digest(), content_of(&(&plan.options, schema, &plan.missing_words))];
    let partitions = plan.files.len();
    let mut node = Node::new(Operator::Csv(plan), columns, &[], what);
    (node.partitions, node.partitionwise) = (partitions, true);
    Frame::over(Arc::new(node.with_rows(Some(rows.into()))), Index::Rows(None))
}

/// Times and categories, made of strings; the columns that were asked for.
fn finish(mut frame: Frame, options: &CsvOptions, look: &Look) -> Result<Frame> {
    let scope = frame.root.scope.clone();
    for ((name, values), facts) in frame.columns.iter_mut().zip(&look.facts) {
        if options.use_columns.as_ref().is_some_and(|wanted| !wanted.iter().any(|wanted| wanted == name.as_str())) {
            continue;
        }
        if values.domain.class() == DomainClass::Text && facts.quoted_empty {
            let empty = Operand::Literal(Literal::Text(String::new()));
            let present = Expression::comparison(&scope, "ne", &values.operand(), &empty)?;
            *values = values.keep_where(&scope, &present, &Operand::Literal(Literal::Missing))?;
        }
        if let Some(shape) = facts.dates.filter(|_| options.dates.contains(name.as_str())) {
            *values = values.to_datetime(&scope, Some(&shape.format()), true)?;
        } else if let Some(dtype) = options.dtype_of(name).map(parse_dtype_name).transpose()? {
            *values = values.cast(&scope, &dtype)?;
        }
    }
    match &options.use_columns {
        // pandas gives them in the order of the file.
        Some(wanted) => {
            let kept: Vec<&str> = look.names.iter().filter(|name| wanted.contains(name)).map(String::as_str).collect();
            frame.project(&kept)
        }
        None => Ok(frame),
    }
}
