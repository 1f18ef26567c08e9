use super::Opened;
use super::csv::CsvOptions;
use super::facts::{ColumnFacts, Watch};
use super::header::Header;
use super::inference::{Odd, examine};
use super::syntax::Syntax;
use super::text::{Pieces, is_packed};
use crate::domain::parse_dtype_name;
use crate::error::{FrameError, Result};
use crate::expression::digest_of;
use crate::table::FrameTable;
use crate::wire::FrameKernel;
use polars::prelude::{DataFrame, NamedFrom, PlSmallStr, Series};
use raskt_graph::{Cost, GraphBuilder, GraphError, Grid, Layer, LayerId, Op, OpFlags, OpKind, Shape};
use raskt_value::{Call, Kernel, NativeOp, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A look at every field of CSV files, before they are read: a task for each file.
pub struct CsvLook {
    pub(super) files: Arc<[PathBuf]>,
    /// What the files were before they were looked at.
    pub(super) opened: Opened,
    pub(super) options: Arc<CsvOptions>,
    pub(super) syntax: Syntax,
    found: Arc<[OnceLock<FileLook>]>,
}

/// What was found in one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FileLook {
    pub names: Vec<String>,
    pub facts: Vec<ColumnFacts>,
    pub rows: usize,
    /// Whether a field stands in quotes.
    pub quotes: bool,
}

/// Tells looks apart: files can be others the next time.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl CsvLook {
    pub(super) fn new(files: Vec<PathBuf>, options: CsvOptions) -> Self {
        let found = files.iter().map(|_| OnceLock::new()).collect();
        let opened = Opened::now(&files);
        Self { syntax: Syntax::of(&options), opened, files: files.into(), options: Arc::new(options), found }
    }

    /// Adds the tasks to `graph`. Each gives what it found: [`Self::take`] has to be told of it.
    pub fn lower(&self, graph: &mut GraphBuilder) -> std::result::Result<LayerId, GraphError> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
        let look = LookAt { files: self.files.clone(), options: self.options.clone() };
        let body = Arc::new(NativeOp(Arc::new(FrameKernel::from(look))));
        let digest = digest_of(&["look at CSV", &number], &[]);
        let op = graph.op(Op { kind: OpKind::Frame, name: "look".into(), digest, flags: OpFlags::default(), body });
        let sizes = self.files.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len());
        let bytes = sizes.max().unwrap_or(0);
        let cost = Cost {
            nanoseconds: 1 + bytes * NANOSECONDS_PER_BYTE,
            output_bytes: 0,
            scratch_bytes: self.files.iter().map(|file| held_bytes(file)).max().unwrap_or(0),
        };
        let grid = Grid::new([self.files.len() as u32]);
        graph.layer(Layer::new("look", op, Shape::Map { grid, inputs: vec![] }).with_cost(cost))
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Looks at all files in this thread.
    pub fn run(&self) -> Result<()> {
        for (file, found) in self.files.iter().zip(&*self.found) {
            let look = look_at_file(file, &self.options, &self.syntax, &mut || Ok(()))?;
            let _ = found.set(look.map_err(|odd| left_to_pandas(file, odd))?);
        }
        Ok(())
    }

    /// Takes in what its tasks gave, in order.
    pub fn take(&self, given: &[Value]) -> Result<()> {
        if given.len() != self.files.len() {
            let (looks, files) = (given.len(), self.files.len());
            return Err(FrameError::Value(format!("{looks} looks at {files} files")));
        }
        for (value, found) in given.iter().zip(&*self.found) {
            // A task that is run again finds the same.
            let _ = found.set(FileLook::of(value)?);
        }
        Ok(())
    }

    /// What was found in each file, if all were looked at.
    pub(super) fn found(&self) -> Option<Vec<&FileLook>> {
        self.found.iter().map(OnceLock::get).collect()
    }
}

/// The column of a look that was written down.
const LOOK: PlSmallStr = PlSmallStr::from_static("look");

impl FileLook {
    /// As a table of one value, which stands for it on its way to whoever wants to know.
    fn written(&self) -> Result<DataFrame> {
        let bytes = postcard::to_stdvec(self).map_err(|error| FrameError::Engine(error.to_string()))?;
        Ok(DataFrame::new(1, vec![Series::new(LOOK, [bytes.as_slice()]).into()])?)
    }

    /// What such a table stands for.
    fn of(value: &Value) -> Result<Self> {
        let table = &FrameTable::of(value).map_err(|error| FrameError::Type(error.message))?.frame;
        let bytes = table.column(&LOOK)?.binary()?.get(0);
        let found = bytes.and_then(|bytes| postcard::from_bytes(bytes).ok());
        found.ok_or_else(|| FrameError::Value("a table that is no look at a file".into()))
    }
}

/// What the look at a byte takes.
const NANOSECONDS_PER_BYTE: u64 = 4;
/// What the look at a file of any size holds beside what is packed, which is read whole.
const SCRATCH_BYTES_MAX: u64 = 4 << 20;

/// What the look at a file holds.
fn held_bytes(file: &Path) -> u64 {
    let bytes = file.metadata().map_or(0, |about| about.len());
    if is_packed(file) { bytes + SCRATCH_BYTES_MAX } else { bytes.min(SCRATCH_BYTES_MAX) }
}

/// Looks at a file for each task, and gives what it found.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct LookAt {
    files: Arc<[PathBuf]>,
    options: Arc<CsvOptions>,
}

impl LookAt {
    /// A file whose name isn't text, which can't be told to others.
    pub(crate) fn nameless(&self) -> Option<&Path> {
        self.files.iter().map(|file| &**file).find(|file| file.to_str().is_none())
    }
}

impl Kernel for LookAt {
    fn run(&self, call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        let mut check = || match call.cancel.is_cancelled() {
            true => Err(FrameError::Cancelled),
            false => Ok(()),
        };
        let file = self.files.get(call.index as usize);
        let file = file.ok_or_else(|| FrameError::Value(format!("there is no file {}", call.index)))?;
        let found = look_at_file(file, &self.options, &Syntax::of(&self.options), &mut check)?;
        let found = found.map_err(|odd| left_to_pandas(file, odd))?;
        Ok(FrameTable::from(found.written()?).into())
    }

    fn name(&self) -> String {
        "look".into()
    }
}

/// The error for a file that the native reader doesn't read as pandas does.
pub(super) fn left_to_pandas(file: &Path, odd: Odd) -> FrameError {
    FrameError::NotImplemented(format!("`{}` has {odd}", file.display()))
}

/// Looks at all rows of a file (or as many as are asked for), a piece at a time.
fn look_at_file(
    file: &Path,
    options: &CsvOptions,
    syntax: &Syntax,
    check: &mut dyn FnMut() -> Result<()>,
) -> Result<std::result::Result<FileLook, Odd>> {
    let mut pieces = Pieces::open(file)?;
    let header = match Header::of(pieces.more()?.0, options, syntax) {
        Ok(header) => header,
        Err(odd) => return Ok(Err(odd)),
    };
    let names = options.names.clone().unwrap_or_else(|| header.names.clone());
    if names.len() != header.names.len() {
        return Ok(Err("another number of columns than names were given"));
    }
    let mut found = FileLook { facts: options.watched(&names), names, rows: 0, quotes: header.quotes };
    let mut taken = header.bytes;
    loop {
        pieces.take(taken);
        check()?;
        let (text, last) = pieces.more()?;
        let seen = match examine(text, syntax, &mut found.facts, last) {
            Ok(seen) => seen,
            Err(odd) => return Ok(Err(odd)),
        };
        found.rows += seen.rows;
        found.quotes |= seen.quotes;
        taken = seen.bytes;
        if last {
            return Ok(Ok(found));
        }
    }
}

impl CsvOptions {
    /// What is to be found out about each column.
    fn watched(&self, names: &[String]) -> Vec<ColumnFacts> {
        let watch = |name: &String| match self.dtype_of(name).map(parse_dtype_name) {
            _ if self.dates.contains(name) => Watch::Dates,
            Some(Ok(dtype)) if dtype.is_integer() => Watch::Range,
            _ => Watch::Type,
        };
        names.iter().map(|name| ColumnFacts::watching(watch(name))).collect()
    }
}
