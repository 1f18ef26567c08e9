use super::expand_paths;
use super::facts::ColumnFacts;
use super::header::CsvText;
use super::inference::{Found, Oddities, examine};
use super::syntax::{MISSING_WORDS, Syntax};
use crate::domain::{Domain, DomainClass, parse_dtype_name};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Operand};
use crate::literal::Literal;
use crate::plan::{Frame, Index, Node, Operator};
use polars::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Types of columns are found by looking at every field where the files together have at most so many bytes.
const EXHAUSTIVE_BYTES_MAX: u64 = 256 << 20;
/// Of larger files, the first so many bytes of each are looked at.
const SAMPLE_BYTES: usize = 1 << 20;

/// How CSV files are read; the names and meanings are those of `pandas.read_csv`.
#[derive(Clone, Debug)]
pub struct CsvOptions {
    /// What stands between fields.
    pub separator: u8,
    /// Which line has the names, after those that are skipped; `None` if no line has.
    pub header: Option<usize>,
    /// Names to use instead.
    pub names: Option<Vec<String>>,
    /// The columns to read.
    pub use_columns: Option<Vec<String>>,
    /// Types that are known.
    pub dtypes: CsvDtypes,
    /// Columns of points in time, with their format if it is known.
    pub dates: BTreeMap<String, Option<String>>,
    /// Words that stand for a missing value, beside pandas' own.
    pub missing_words: Vec<String>,
    /// Whether pandas' own count.
    pub default_missing_words: bool,
    /// Lines to leave out at the start.
    pub skip_rows: usize,
    /// Rows to read at most.
    pub row_limit: Option<usize>,
    /// What fields with separators in them stand between.
    pub quote: Option<u8>,
    /// What starts a line that is no row.
    pub comment: Option<u8>,
}

/// Types that a user gave.
#[derive(Clone, Debug)]
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
            header: Some(0),
            names: None,
            use_columns: None,
            dtypes: CsvDtypes::Columns(BTreeMap::new()),
            dates: BTreeMap::new(),
            missing_words: vec![],
            default_missing_words: true,
            skip_rows: 0,
            row_limit: None,
            quote: Some(b'"'),
            comment: None,
        }
    }
}

/// CSV files with columns of known types.
#[derive(Clone, Debug)]
pub struct CsvPlan {
    pub(crate) files: Arc<[PathBuf]>,
    options: Arc<CsvOptions>,
    /// All columns of the files, with the types that they are read as.
    schema: SchemaRef,
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
            .with_has_header(options.header.is_some())
            .with_skip_lines(options.skip_rows + options.header.unwrap_or(0))
            .with_separator(options.separator)
            .with_quote_char(self.quote)
            .with_comment_prefix(options.comment.map(|byte| PlSmallStr::from_string((byte as char).to_string())))
            .with_schema(Some(self.schema.clone()))
            .with_null_values(missing)
            .with_missing_is_null(true)
            .with_n_rows(options.row_limit)
            .with_glob(false)
            .with_cache(false)
            .with_raise_if_empty(false)
            .finish()
    }

    /// How it is told in `explain()`.
    pub(crate) fn describe(&self) -> String {
        match &self.files[..] {
            [file] => format!("`{}`", file.display()),
            files => format!("{} files from `{}`", files.len(), files[0].display()),
        }
    }
}

/// The rows of the CSV files that `paths` mean, with the types that pandas would give them.
pub fn read_csv(paths: &[String], options: CsvOptions) -> Result<Frame> {
    let files = expand_paths(paths, &[".csv", ".csv.gz", ".csv.zst", ".txt", ".tsv", ".tbl"])?;
    let syntax = syntax_of(&options);
    let look = look_at(&files, &options, &syntax)?;
    check_names(&options, &look.names)?;
    if look.rows.as_ref().is_some_and(|rows| rows.iter().all(|rows| *rows == 0)) {
        // pandas gives columns of objects then, which have no type here.
        return Err(FrameError::NotImplemented(format!("`{}` has no rows to tell types by", files[0].display())));
    }
    let mut schema = Schema::with_capacity(look.names.len());
    let mut columns = vec![];
    for (name, facts) in look.names.iter().zip(&look.facts) {
        let (read_as, domain) = column_type(name, facts, &options, look.exhaustive)?;
        schema.with_column(PlSmallStr::from_str(name), read_as);
        columns.push((PlSmallStr::from_str(name), domain));
    }
    let words = look.facts.iter().flat_map(|facts| facts.words.iter()).filter(|word| !word.is_empty());
    let words: BTreeSet<&[u8]> = match look.exhaustive {
        true => words.map(Vec::as_slice).collect(),
        false => syntax.missing.iter().map(Vec::as_slice).filter(|word| !word.is_empty()).collect(),
    };
    let words = words.into_iter().map(|word| PlSmallStr::from_string(String::from_utf8_lossy(word).into_owned()));
    let plan = CsvPlan {
        files: files.into(),
        schema: Arc::new(schema),
        missing_words: words.collect(),
        quote: options.quote.filter(|_| look.quotes || !look.exhaustive),
        options: Arc::new(options.clone()),
    };
    let frame = frame_of(plan, columns, look.rows.clone().filter(|_| options.row_limit.is_none()))?;
    finish(frame, &options, &look)
}

/// What was found in the files.
struct Look {
    names: Vec<String>,
    facts: Vec<ColumnFacts>,
    rows: Option<Vec<usize>>,
    /// Whether a field stands in quotes.
    quotes: bool,
    exhaustive: bool,
}

fn syntax_of(options: &CsvOptions) -> Syntax {
    let own = options.missing_words.iter().map(|word| word.as_bytes().to_vec());
    let default = MISSING_WORDS.iter().map(|word| word.as_bytes().to_vec()).filter(|_| options.default_missing_words);
    // An empty field is missing even so: the reader has nothing to read there.
    let words = own.chain(default).chain([vec![]]).collect();
    Syntax::new(options.separator, options.quote, options.comment, words)
}

/// Looks at the files, several at a time.
fn look_at(files: &[PathBuf], options: &CsvOptions, syntax: &Syntax) -> Result<Look> {
    let bytes: u64 = files.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum();
    let exhaustive = bytes <= EXHAUSTIVE_BYTES_MAX;
    let limit = (!exhaustive).then_some(SAMPLE_BYTES);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let worker = || {
        let (mut found, mut buffer) = (vec![], vec![]);
        loop {
            let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(file) = files.get(at) else { return found };
            found.push((at, look_at_file(file, options, syntax, limit, &mut buffer)));
        }
    };
    let mut found = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut found = worker();
        for worker in workers {
            found.extend(worker.join().expect("looking at text doesn't panic"));
        }
        found
    });
    found.sort_by_key(|(at, _)| *at);
    let mut merged: Option<(Vec<String>, Vec<ColumnFacts>)> = None;
    let (mut rows, mut quotes) = (vec![], false);
    for (at, look) in found {
        let (names, facts, found) = look?;
        rows.push(found.rows);
        quotes |= found.quotes;
        match &mut merged {
            None => merged = Some((names, facts)),
            Some((first, merged)) => {
                check_same_names(first, &names, &files[0], &files[at])?;
                merged.iter_mut().zip(facts).for_each(|(merged, facts)| merged.merge(facts));
            }
        }
    }
    let (names, facts) = merged.expect("there is a file at least");
    Ok(Look { names, facts, rows: exhaustive.then_some(rows), quotes, exhaustive })
}

type FileLook = (Vec<String>, Vec<ColumnFacts>, Found);

/// Looks at one file; `buffer` lends its memory.
fn look_at_file(
    file: &Path,
    options: &CsvOptions,
    syntax: &Syntax,
    limit: Option<usize>,
    buffer: &mut Vec<u8>,
) -> Result<FileLook> {
    let text = CsvText::read(file, options, syntax, limit, std::mem::take(buffer))?;
    let names = options.names.clone().unwrap_or_else(|| text.names.clone());
    if names.len() != text.names.len() {
        let (given, found, file) = (names.len(), text.names.len(), file.display());
        return Err(FrameError::Value(format!("{given} names were given, and `{file}` has {found} columns")));
    }
    let mut facts = vec![ColumnFacts::default(); names.len()];
    let mut oddities = Oddities::default();
    let found = examine(text.rows(), syntax, &mut facts, &mut oddities).map_err(|ragged| {
        let (row, found, wanted, file) = (ragged.row, ragged.found, names.len(), file.display());
        FrameError::Value(format!("row {row} of `{file}` has {found} fields or more, and there are {wanted} columns"))
    })?;
    *buffer = text.into_buffer();
    check_oddities(file, &facts, oddities)?;
    Ok((names, facts, found))
}

/// What pandas reads in ways of its own is left to it.
fn check_oddities(file: &Path, facts: &[ColumnFacts], oddities: Oddities) -> Result<()> {
    let found = match oddities {
        Oddities { blank_line: true, .. } => "blank lines",
        Oddities { inline_comment: true, .. } => "comments after values",
        _ if facts.iter().any(|facts| facts.spaced && facts.dtype() == DataType::String) => {
            "numbers with spaces around them"
        }
        _ => return Ok(()),
    };
    Err(FrameError::NotImplemented(format!("`{}` has {found}, which the native reader can't read", file.display())))
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

fn check_names(options: &CsvOptions, names: &[String]) -> Result<()> {
    let dtypes: Vec<&String> = match &options.dtypes {
        CsvDtypes::All(_) => vec![],
        CsvDtypes::Columns(columns) => columns.keys().collect(),
    };
    let asked = options.use_columns.iter().flatten().chain(dtypes).chain(options.dates.keys());
    for name in asked {
        if !names.contains(name) {
            return Err(FrameError::unknown_column(name, names.iter().map(String::as_str)));
        }
    }
    Ok(())
}

/// The type that a column is read as, and what its values can be then.
fn column_type(name: &str, facts: &ColumnFacts, options: &CsvOptions, exhaustive: bool) -> Result<(DataType, Domain)> {
    let given = match &options.dtypes {
        CsvDtypes::All(dtype) => Some(dtype),
        CsvDtypes::Columns(columns) => columns.get(name),
    };
    let missing = facts.missing || !exhaustive;
    let read_as = match given.map(|dtype| parse_dtype_name(dtype)).transpose()? {
        _ if options.dates.contains_key(name) => DataType::String,
        // These are made of the strings afterwards.
        Some(DataType::Categorical(..) | DataType::Datetime(..) | DataType::Duration(..)) => DataType::String,
        Some(dtype) if dtype.is_integer() && exhaustive && missing => {
            return Err(FrameError::Value(format!(
                "column `{name}` has missing values, and can't be read as integers"
            )));
        }
        Some(dtype) => dtype,
        None => facts.dtype(),
    };
    Ok((read_as.clone(), Domain::new(read_as, missing, false)))
}

fn frame_of(plan: CsvPlan, columns: Vec<(PlSmallStr, Domain)>, rows: Option<Vec<usize>>) -> Result<Frame> {
    let words: Vec<String> = plan
        .files
        .iter()
        .map(|file| format!("{} {:?}", file.display(), file.metadata().and_then(|about| about.modified()).ok()))
        .chain([format!("{:?} {:?} {:?}", plan.options, plan.schema, plan.missing_words)])
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (partitions, local) = (plan.files.len(), plan.options.row_limit.is_none());
    let mut node = Node::new(Operator::Csv(plan), columns, &words, []);
    if local {
        (node.partitions, node.partitionwise) = (partitions, true);
    }
    Ok(Frame::over(Arc::new(node.with_rows(rows.map(Into::into))), Index::Rows(None)))
}

/// Times and categories, made of strings; the columns that were asked for.
fn finish(mut frame: Frame, options: &CsvOptions, look: &Look) -> Result<Frame> {
    let scope = frame.root.scope.clone();
    for ((name, values), facts) in frame.columns.iter_mut().zip(&look.facts) {
        if values.domain.class() == DomainClass::Text && (facts.quoted_empty || !look.exhaustive) {
            let empty = Operand::Literal(Literal::Text(String::new()));
            let present = Expression::comparison(&scope, "ne", &values.operand(), &empty)?;
            *values = values.keep_where(&scope, &present, &Operand::Literal(Literal::Missing))?;
        }
        if let Some(format) = options.dates.get(name.as_str()) {
            *values = values.to_datetime(&scope, format.as_deref(), true)?;
            continue;
        }
        let given = match &options.dtypes {
            CsvDtypes::All(dtype) => Some(dtype),
            CsvDtypes::Columns(columns) => columns.get(name.as_str()),
        };
        if let Some(dtype) = given.map(|dtype| parse_dtype_name(dtype)).transpose()? {
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

/// The first value of each of the columns `names` in the first file that isn't missing: what formats of times are
/// guessed by.
pub fn first_values(paths: &[String], options: &CsvOptions, names: &[String]) -> Result<Vec<Option<String>>> {
    let files = expand_paths(paths, &[".csv", ".csv.gz", ".csv.zst", ".txt", ".tsv", ".tbl"])?;
    let syntax = syntax_of(options);
    let mut found: Vec<Option<String>> = vec![None; names.len()];
    for file in &files {
        let (all, facts, _) = look_at_file(file, options, &syntax, Some(SAMPLE_BYTES), &mut vec![])?;
        for (name, found) in names.iter().zip(&mut found) {
            let at = all.iter().position(|other| other == name);
            let at = at.ok_or_else(|| FrameError::unknown_column(name, all.iter().map(String::as_str)))?;
            *found = found.take().or_else(|| facts[at].first.clone());
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    Ok(found)
}
