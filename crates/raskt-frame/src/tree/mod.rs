//! Expressions as raskt's own trees.
//!
//! An [`Expr`] says what is computed of the columns of a node, as plain data: a closed enum without functions of Rust and
//! without the engine's types, so that two trees can be compared, hashed, written down and sent. Its nodes mean exactly one
//! thing: both sides of an arithmetic operation are of one type, and what pandas does about missing values and types is
//! written out as nodes of its own. [`Expr::dtype`] is the table of the types of results. The engine sees a tree in one
//! place, `stage::expressions`.

mod build;
mod display;
mod dtype;
mod function;
mod node;
mod typing;
mod value;
mod walk;
mod written;

#[cfg(test)]
mod tests;

pub(crate) use build::{coalesce, column, concat_text, literal, missing, row_number, when};
pub(crate) use dtype::{ColumnDtype, TimeUnit, by_name};
pub(crate) use function::*;
pub(crate) use node::Child;
pub(crate) use value::Value;
pub(crate) use written::DIGITS;

use serde::{Deserialize, Serialize};

/// What is computed. `C` stands for its parts: trees that are shared, or numbers of such where trees are written down.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr<C = Child> {
    /// The column of that name.
    Column(String),
    /// One value.
    Literal(Value),
    /// The values of `input` as `dtype`.
    Cast { input: C, dtype: ColumnDtype, conversion: Conversion },
    /// A function of each value.
    Map { function: Function, input: C },
    /// An operation of numbers, or times, of one type.
    Arithmetic { operation: Arithmetic, left: C, right: C },
    /// A comparison of values of one type; null where one of them is.
    Comparison { operation: Comparison, left: C, right: C },
    /// An operation of truth values, or of the bits of integers; null as three-valued logic has it.
    Logical { operation: Logical, left: C, right: C },
    /// `then` where `condition` is true, and `otherwise` elsewhere, also where it is null.
    Conditional { condition: C, then: C, otherwise: C },
    /// The first of the inputs that isn't null.
    Coalesce(Vec<C>),
    /// Whether each value is one of `values`, which are all of its type.
    IsIn { input: C, values: Vec<Value>, dtype: ColumnDtype },
    /// A function of each string.
    Text { function: TextFunction, input: C },
    /// Strings one after the other; null where one of them is.
    ConcatText { inputs: Vec<C>, separator: String },
    /// A function of each point in time or length of time.
    Time { function: TimeFunction, input: C },
    /// One value of all that aren't null.
    Aggregate { function: Aggregate, input: C },
    /// How many rows there are.
    Length,
    /// A value for each row that depends on the rows before or after it.
    Window { function: WindowFunction, input: C },
    /// `input` within each group of rows with equal keys.
    Over { input: C, keys: Vec<C> },
    /// The position of each row, from 0.
    RowNumber,
}
