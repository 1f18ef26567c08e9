//! Dataframe plans with pandas' semantics, on the Polars engine.
//!
//! A [`Frame`] is an immutable plan: a [`Node`] that says which rows there are, and on top of it columns and row labels,
//! each an [`Expression`] over the node's columns. Elementwise work changes expressions only; what changes rows
//! (filters, sorts, joins, groups) makes a new node. Names, types and rows are checked when the plan is made.
//!
//! Lowering turns a plan into tasks: one Polars query if nothing in it needs Python, or queries between the Python
//! functions that cut it. Missing values are nulls inside; whether a float column can also hold NaN is tracked by its
//! [`Domain`], so that pandas' rules cost nothing where they make no difference.

mod array;
mod domain;
mod error;
mod explain;
mod expression;
mod literal;
mod logical;
mod message;
mod plan;
mod sink;
mod source;
mod spill;
mod stage;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod wire;

pub use array::{ArrayToFrame, FrameToArray, array_domain, array_to_table};
pub use domain::{Domain, DomainClass, pandas_dtype_name, parse_dtype_name};
pub use error::{FrameError, Result};
pub use expression::{Expression, Extent, Inclusive, ReduceOptions, digest_of};
pub use literal::Literal;
pub use logical::{Logical, MISSING_FIELD, PandasType};
pub use plan::{
    Aggregation, Cells, Column, ColumnOrValue, ConcatJoin, External, Frame, Index, IndexLevel, JoinHow, JoinKeys,
    JoinOptions, JoinPlan, Keep, MemoryPlan, Node, NullPosition, Operator,
};
pub use sink::{WriteFormat, WriteOptions};
pub use source::{
    CsvDtypes, CsvLook, CsvOptions, CsvPlan, ParquetFilter, ParquetIndex, ParquetOptions, ParquetPlan, check_files,
    expand_paths, kept, look_at_csv, memory, pandas_metadata, read_csv, read_parquet,
};
pub use stage::{StageOutput, initialise, lower_partitions, lower_persisted, lower_together, lower_whole, lower_write};
pub use table::{FrameTable, TableFacts, index_column_name, shown_label};
pub use wire::{ColumnForm, DomainsForm, FrameForm, add_decoders};

/// The dataframe engine, for faces that convert its data.
pub use polars;
