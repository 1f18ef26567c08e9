//! Where rows come from: CSV and Parquet files, and memory.

mod conditions;
mod csv;
mod dates;
mod facts;
mod fields;
mod footer;
mod header;
mod inference;
mod look;
mod memory;
mod opened;
mod parquet;
mod paths;
mod quick;
mod syntax;
mod text;

pub use conditions::ParquetFilter;
pub use csv::{CsvDtypes, CsvOptions, CsvPlan, look_at_csv, read_csv};
pub use look::CsvLook;
pub(crate) use look::LookAt;
pub(crate) use memory::{Give, give};
pub use memory::{kept, memory};
pub(crate) use opened::FilesRead;
use opened::Opened;
pub use opened::check_files;
pub use parquet::{ParquetIndex, ParquetOptions, ParquetPlan, pandas_metadata, read_parquet};
pub use paths::expand_paths;
