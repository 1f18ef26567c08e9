//! Tables on their way to another process: the stream of Arrow IPC that they are, in one piece.

use super::{FrameTable, write};
use crate::tree::ColumnDtype;
use raskt_value::wire::{Decoders, WireForm};
use raskt_value::{Buffer, ErrorKind, Parcel, TaskError, Value};

const TAG: &str = "raskt.table";
const VERSION: u16 = 1;

/// What a table is when it travels.
///
/// # Errors
/// If a column has a type that is known only here.
pub(crate) fn pack(table: &FrameTable) -> Result<Parcel, TaskError> {
    for column in table.frame.columns() {
        ColumnDtype::of_engine(column.dtype()).map_err(|error| {
            let message = format!("the column `{}` can't be sent to another process: {error}", column.name());
            TaskError::new(ErrorKind::Type, message)
        })?;
    }
    let pieces = vec![write::together(&table.to_ipc()?)];
    Ok(Parcel { form: WireForm::of(TAG, VERSION, &()), pieces })
}

/// Adds what makes tables of what has come.
pub(crate) fn add_decoders(decoders: &mut Decoders) {
    decoders.add_value(TAG, VERSION, unpack);
}

fn unpack(form: &WireForm, pieces: Vec<Buffer>) -> Result<Value, TaskError> {
    form.read::<()>()?;
    let Ok([stream]) = <[Buffer; 1]>::try_from(pieces) else {
        return Err(form.malformed("a table has one piece").into());
    };
    Ok(FrameTable::from_ipc(&stream)?.into())
}
