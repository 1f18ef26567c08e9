//! A file with the number of this process, for as long as it runs.

use super::private::replace;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// The file; it goes with this.
pub(crate) struct PidFile(PathBuf);

impl PidFile {
    /// Writes it, if one is asked for.
    pub fn write(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let written = replace(path, &format!("{}\n", std::process::id()));
        written.map_err(|error| Failure::usage(format!("pid file `{}` can't be written: {error}", path.display())))?;
        Ok(Some(Self(path.into())))
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // Another process may have put its own there.
        let own = std::process::id().to_string();
        if std::fs::read_to_string(&self.0).is_ok_and(|text| text.trim() == own) {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}
