//! What Arrow has no word for, as a note in the schema of a table.

use super::message::{Messages, SCHEMA_NOTE};
use super::{KnownColumn, bad};
use crate::domain::Domain;
use crate::table::TableFacts;
use crate::tree::ColumnDtype;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use polars::prelude::{DataFrame, DataType, PlSmallStr};
use polars::series::IsSorted;
use raskt_value::{Buffer, TaskError};
use serde::{Deserialize, Serialize};

/// What is known of a table beside its bytes, as it is written.
#[derive(Serialize, Deserialize)]
pub(super) struct Notes {
    /// Nothing if one of the types stays in this process.
    columns: Option<Vec<(String, ColumnDtype, Order)>>,
    facts: Option<Facts>,
    /// How many rows there are in all batches.
    pub rows: usize,
}

/// Of each column whether values are missing, and whether there are NaNs.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Facts(Vec<(bool, bool)>);

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Order {
    Ascending,
    Descending,
    Unknown,
}

/// The longest note.
const BYTES: usize = 64 << 20;

impl Notes {
    pub fn of(columns: &[KnownColumn], facts: Option<&TableFacts>, rows: usize) -> Self {
        let column = |column: &KnownColumn| {
            let order = match column.sorted {
                IsSorted::Ascending => Order::Ascending,
                IsSorted::Descending => Order::Descending,
                IsSorted::Not => Order::Unknown,
            };
            Some((column.name.to_string(), ColumnDtype::of_engine(&column.dtype).ok()?, order))
        };
        let of_column = |(_, domain): &(PlSmallStr, Domain)| (domain.missing, domain.nan);
        let facts = facts.map(|facts| Facts(facts.columns.iter().map(of_column).collect()));
        Self { columns: columns.iter().map(column).collect(), facts, rows }
    }

    pub fn text(&self) -> Result<String, TaskError> {
        Ok(STANDARD_NO_PAD.encode(postcard::to_stdvec(self).map_err(bad)?))
    }

    /// Those of a stream.
    pub fn read(bytes: &Buffer) -> Result<Self, TaskError> {
        let text = Messages::of(bytes).note()?;
        if text.len() > BYTES {
            return Err(bad("its notes are too long"));
        }
        let written = STANDARD_NO_PAD.decode(text).map_err(|error| bad(format!("its note {SCHEMA_NOTE}: {error}")))?;
        match postcard::take_from_bytes(&written) {
            Ok((notes, [])) => Ok(notes),
            _ => Err(bad(format!("its note {SCHEMA_NOTE} is damaged"))),
        }
    }

    /// The columns, and what is known of their values.
    pub fn known(self) -> Result<(Vec<KnownColumn>, Option<Facts>), TaskError> {
        let columns =
            self.columns.ok_or_else(|| bad("it has columns of a type that is known only where it was written"))?;
        let count = columns.len();
        if self.facts.as_ref().is_some_and(|facts| facts.0.len() != count) {
            return Err(bad("what is known of other columns"));
        }
        let column = |(name, dtype, order): (String, ColumnDtype, Order)| {
            let sorted = match order {
                Order::Ascending => IsSorted::Ascending,
                Order::Descending => IsSorted::Descending,
                Order::Unknown => IsSorted::Not,
            };
            Ok(KnownColumn { name: name.into(), dtype: dtype.to_engine().map_err(bad)?, sorted })
        };
        Ok((columns.into_iter().map(column).collect::<Result<_, TaskError>>()?, self.facts))
    }
}

impl Facts {
    /// As those of a table that was read.
    pub fn of(self, frame: &DataFrame) -> TableFacts {
        let column = |(column, (missing, nan)): (&polars::prelude::Column, (bool, bool))| {
            let dtype: DataType = column.dtype().clone();
            (column.name().clone(), Domain::new(dtype, missing, nan))
        };
        TableFacts { rows: frame.height(), columns: frame.columns().iter().zip(self.0).map(column).collect() }
    }
}
