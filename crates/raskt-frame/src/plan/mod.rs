//! Plans: nodes that say which rows there are, and frames and columns over them.

mod cells;
mod concat;
mod divisions;
mod frame;
mod groupby;
mod hollow;
mod join;
mod node;
mod operations;
mod partitions;
mod rows;
mod there;

pub use cells::Cells;
pub use concat::ConcatJoin;
pub(crate) use divisions::{divisions_by, ordered};
pub use frame::{Column, ColumnOrValue, Frame, Index, IndexLevel};
pub use groupby::Aggregation;
pub(crate) use groupby::{aggregate, is_float_key};
pub(crate) use hollow::{holds_tables, hollow, reads_tasks, with_tables_apart};
pub(crate) use join::indicator_dtype;
pub use join::{JoinHow, JoinKeys, JoinOptions};
pub use node::{External, JoinPlan, MemoryPlan, Node, Operator};
pub(crate) use node::{LEFT_MARK, RIGHT_MARK, levels_of};
pub(crate) use partitions::labelled;
pub use rows::{Keep, NullPosition};
