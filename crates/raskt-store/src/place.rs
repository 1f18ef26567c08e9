//! Where spill files go.
//!
//! Whoever forks or sets limits waits for the lock. So nothing happens under it that takes long: folders that go, and what
//! dead processes left, are removed without it.

use crate::folder::{self, Folder};
use raskt_sync::{Mutex, MutexGuard};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The folder of spill files, and where it is made.
#[derive(Default)]
pub(crate) struct Place(Mutex<FolderState>);

#[derive(Default)]
pub(crate) struct FolderState {
    place: Option<PathBuf>,
    pub made: Option<Arc<Folder>>,
}

impl Place {
    /// Keeps it as it is.
    pub fn hold(&self) -> MutexGuard<'_, FolderState> {
        self.0.lock()
    }

    /// Sets where the folder is made, and says whether that is another place than before.
    pub fn set(&self, place: Option<PathBuf>) -> bool {
        let mut state = self.0.lock();
        if state.place == place {
            return false;
        }
        let old = std::mem::replace(&mut *state, FolderState { place, made: None });
        drop(state);
        // Files that are there keep their folder. If there are none, it goes.
        drop(old);
        true
    }

    /// The folder, which is made if there is none, or somebody has tidied up. Then dead processes may have left folders beside it:
    /// those in the place that comes back are to be removed.
    pub fn folder(&self) -> io::Result<(Arc<Folder>, Option<PathBuf>)> {
        let mut state = self.0.lock();
        if let Some(made) = state.made.as_ref().filter(|made| made.is_there()) {
            return Ok((made.clone(), None));
        }
        let place = state.place.clone().unwrap_or_else(folder::usual_place);
        let made = Arc::new(Folder::create(&place)?);
        let old = state.made.replace(made.clone());
        drop(state);
        drop(old);
        Ok((made, Some(place)))
    }

    /// The folder goes with the last of its files.
    pub fn forget_folder(&self) {
        let made = self.0.lock().made.take();
        drop(made);
    }

    /// Removes the folder with all that is in it, and what dead processes left beside it: children of forks end without tidying up.
    pub fn remove_files(&self) {
        let made = self.0.lock().made.take();
        if let Some(folder) = made {
            folder.remove();
            folder.path().parent().into_iter().for_each(folder::sweep);
        }
    }

    /// Where files lie, if any were written.
    pub fn path(&self) -> Option<PathBuf> {
        self.0.lock().made.as_ref().map(|folder| folder.path().into())
    }
}
