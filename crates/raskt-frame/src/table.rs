use crate::domain::Domain;
use crate::error::{FrameError, Result};
use crate::logical::{MISSING_FIELD, has_missing_field};
use crate::spill::{self, TableCodec};
use polars::prelude::{Column, DataFrame, PlSmallStr};
use raskt_value::{Codec, Parcel, Summary, Table, TaskError, Value};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Columns as the engine holds them: what a stage gives, and what a partition is.
///
/// Columns of row labels come first, under names that [`index_column_name`] gives.
#[derive(Clone, Debug)]
pub struct FrameTable {
    /// The data.
    pub frame: DataFrame,
    facts: Option<Arc<TableFacts>>,
}

/// What is known of a table also while it isn't in memory.
#[derive(Debug)]
pub struct TableFacts {
    /// How many rows it has.
    pub rows: usize,
    /// Its columns, with what their values are.
    pub columns: Vec<(PlSmallStr, Domain)>,
}

impl TableFacts {
    /// Looks at all values of a table.
    pub fn of(frame: &DataFrame) -> Self {
        let domain = |column: &Column| {
            let missing = column.null_count() > 0 || has_marked(column);
            let nan = column.dtype().is_float() && has_nan(column);
            (column.name().clone(), Domain::new(column.dtype().clone(), missing, nan))
        };
        Self { rows: frame.height(), columns: frame.columns().iter().map(domain).collect() }
    }
}

/// Whether values are marked as missing beside them.
fn has_marked(column: &Column) -> bool {
    has_missing_field(column.dtype())
        && column
            .struct_()
            .and_then(|values| values.field_by_name(MISSING_FIELD))
            .and_then(|marks| Ok(marks.bool()?.any()))
            .unwrap_or(true)
}

fn has_nan(column: &Column) -> bool {
    column.is_nan().is_ok_and(|nan| nan.any())
}

/// The names of columns that no user sees begin with this character, which stands for nothing in any script: names that
/// users give can't collide with them, since those that begin with it are refused.
const INTERNAL_MARK: char = '\u{f8ff}';

/// The name of an inner column: that of those for `stem` which has the number `at`.
pub(crate) fn internal_name(stem: &str, at: impl fmt::Display) -> PlSmallStr {
    PlSmallStr::from_string(format!("{INTERNAL_MARK}{stem}_{at}"))
}

/// Whether `name` is one of those that [`internal_name`] gives for `stem`.
pub(crate) fn is_internal(name: &str, stem: &str) -> bool {
    name.strip_prefix(INTERNAL_MARK).and_then(|name| name.strip_prefix(stem)).is_some_and(|at| at.starts_with('_'))
}

/// The text without the marks of inner names: for people to read.
pub(crate) fn unmarked(text: &str) -> String {
    text.replace(INTERNAL_MARK, "")
}

/// The label that a column's name stands for, for people to read: names carry numbers behind one control character, and
/// the parts of tuples between others.
pub fn shown_label(name: &str) -> String {
    match name.contains('\u{1f}') {
        true => format!("({})", name.split('\u{1f}').map(shown_label).collect::<Vec<_>>().join(", ")),
        false => name.strip_prefix('\u{1d}').unwrap_or(name).to_owned(),
    }
}

/// An error if `name` could be that of an inner column.
pub(crate) fn check_name(name: &str) -> Result<()> {
    if !name.starts_with(INTERNAL_MARK) {
        return Ok(());
    }
    Err(FrameError::NotImplemented(format!(
        "a column can't be called {name:?}: raskt's own columns begin with this character; rename it"
    )))
}

/// The name under which the level `at` of the row labels travels.
pub fn index_column_name(at: usize) -> PlSmallStr {
    // Tables from Python come with these names, too.
    internal_name("index", at)
}

impl FrameTable {
    /// The same, with all that is known of a table.
    pub(crate) fn looked_at(frame: DataFrame) -> Self {
        let facts = Some(Arc::new(TableFacts::of(&frame)));
        Self { frame, facts }
    }

    /// A table with what is known of it.
    pub(crate) fn with_facts(frame: DataFrame, facts: Option<Arc<TableFacts>>) -> Self {
        Self { frame, facts }
    }

    /// What is known of it, if somebody has looked.
    pub(crate) fn facts(&self) -> Option<&Arc<TableFacts>> {
        self.facts.as_ref()
    }

    /// What tells its columns from all others while it is alive: where they lie in memory; nothing if one lies nowhere.
    pub fn place(&self) -> Option<Vec<u64>> {
        let column = |column: &Column| Some(Arc::as_ptr(&column.as_series()?.0).cast::<()>() as u64);
        self.frame.columns().iter().map(column).collect()
    }

    /// `value` as a table of this crate.
    pub fn of(value: &Value) -> std::result::Result<&Self, TaskError> {
        value.as_table::<Self>().ok_or_else(|| {
            let message = format!("a partition of a dataframe has to be a table, and this is a {}", value.type_name());
            TaskError::new(raskt_value::ErrorKind::Type, message)
        })
    }
}

impl From<DataFrame> for FrameTable {
    fn from(frame: DataFrame) -> Self {
        Self { frame, facts: None }
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
        spill::bytes(&self.frame)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn summary(&self) -> Option<Summary> {
        Some(self.facts.clone()?)
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(TableCodec))
    }

    fn pack(&self) -> std::result::Result<Parcel, TaskError> {
        spill::pack(self)
    }
}
