//! Where results are written to.

use super::Shared;
use crate::file::SpillFile;
use crate::folder::Folder;
use crate::slot::SlotId;
use crate::state::Written;
use raskt_value::{Codec, Unwritten, Value};
use std::io;
use std::sync::Arc;

impl Shared {
    /// Writes a result of this epoch, unless `known` is its file and it hasn't changed since.
    pub(super) fn write(
        self: &Arc<Self>,
        (id, epoch): (SlotId, u32),
        value: &Value,
        codec: &dyn Codec,
        known: Option<Arc<SpillFile>>,
    ) -> Written {
        let encoded = match codec.encode(value) {
            Ok(encoded) => encoded,
            Err(Unwritten::Shared | Unwritten::Interrupted) => return Written::Shared,
            Err(Unwritten::Failed(_)) => return Written::Never,
        };
        if let Some(known) = known.filter(|known| known.holds(&encoded.pieces) && known.is_there()) {
            return Written::To(known);
        }
        let bytes = SpillFile::bytes_of(&encoded);
        let reserved = self.change(|state| state.epoch == epoch && state.disk.reserve(id, bytes));
        if !reserved.unwrap_or(false) {
            return Written::NoRoom;
        }
        let folder = match self.folder() {
            Ok(folder) => folder,
            Err(error) => return Written::Trouble(format!("no folder for spill files can be made: {error}")),
        };
        match SpillFile::write(&folder, encoded) {
            Ok(file) => Written::To(Arc::new(file)),
            Err(error) => {
                let path = folder.path().display();
                Written::Trouble(format!("a spill file in `{path}` can't be written: {error}"))
            }
        }
    }

    /// The folder for files. If it is made, what dead processes left beside it is swept when nothing else is to be done.
    fn folder(self: &Arc<Self>) -> io::Result<Arc<Folder>> {
        let (folder, to_sweep) = self.place.folder()?;
        if let Some(place) = to_sweep {
            let _ = self.change(|state| state.sweep(place));
        }
        Ok(folder)
    }
}
