//! Where results are written to.

use super::Shared;
use crate::file::SpillFile;
use crate::folder::Folder;
use crate::state::Written;
use raskt_value::{Codec, Unwritten, Value};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

impl Shared {
    /// Writes a result, unless `known` is its file and it hasn't changed since.
    pub(super) fn write(&self, value: &Value, codec: &dyn Codec, known: Option<Arc<SpillFile>>) -> Written {
        let encoded = match codec.encode(value) {
            Ok(encoded) => encoded,
            Err(Unwritten::Shared) => return Written::Shared,
            Err(Unwritten::Failed(_)) => return Written::Never,
        };
        if let Some(known) = known.filter(|known| known.holds(&encoded.pieces) && known.is_there()) {
            return Written::To(known);
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

    fn folder(&self) -> io::Result<Arc<Folder>> {
        let mut folder = self.folder.lock();
        // Somebody may have tidied up: it is made again.
        if let Some(made) = folder.made.as_ref().filter(|made| made.is_there()) {
            return Ok(made.clone());
        }
        let place = folder.place.clone().unwrap_or_else(crate::folder::usual_place);
        let made = Arc::new(Folder::create(&place)?);
        folder.made = Some(made.clone());
        Ok(made)
    }

    pub fn remove_files(&self) {
        if let Some(folder) = self.folder.lock().made.take() {
            folder.remove();
        }
    }

    /// Where files lie, if any were written.
    pub fn folder_path(&self) -> Option<PathBuf> {
        self.folder.lock().made.as_ref().map(|folder| folder.path().into())
    }
}
