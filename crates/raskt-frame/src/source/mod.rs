//! Where rows come from: CSV and Parquet files, and memory.

mod csv;
mod facts;
mod fields;
mod header;
mod inference;
mod memory;
mod parquet;
mod paths;
mod quick;
mod syntax;

pub use csv::{CsvDtypes, CsvOptions, CsvPlan, first_values, read_csv};
pub use memory::{kept, memory};
pub use parquet::{ParquetFilter, ParquetIndex, ParquetOptions, ParquetPlan, pandas_metadata, read_parquet};
pub use paths::expand_paths;
