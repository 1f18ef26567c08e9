//! The file by which workers and clients find a scheduler.

use super::private::replace;
use crate::failure::Failure;
use crate::stop::Stop;
use raskt_cluster::Address;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Found {
    /// Which scheduler it is: another one has another.
    pub id: String,
    /// Where others reach it.
    pub address: String,
    /// Where its token is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
    /// Where the certificate of its authority is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_ca_file: Option<PathBuf>,
    /// Its process.
    pub process: u32,
    /// Of raskt.
    pub version: String,
}

/// The file of a scheduler that runs; it goes with this.
pub(crate) struct SchedulerFile {
    path: PathBuf,
    id: String,
}

/// A longer one isn't read.
const BYTES_MAX: u64 = 64 << 10;
/// How often it is looked for one that isn't there yet.
const GLANCE: Duration = Duration::from_millis(100);

impl SchedulerFile {
    /// Writes it, if one is asked for.
    pub fn write(path: Option<&Path>, found: &Found) -> Result<Option<Self>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let text = serde_json::to_string_pretty(found).map_err(Failure::failed)?;
        let written = replace(path, &(text + "\n"));
        let failed = |error| Failure::usage(format!("scheduler file `{}` can't be written: {error}", path.display()));
        written.map_err(failed)?;
        Ok(Some(Self { path: path.into(), id: found.id.clone() }))
    }
}

impl Drop for SchedulerFile {
    fn drop(&mut self) {
        if Found::read(&self.path).is_ok_and(|found| found.is_some_and(|found| found.id == self.id)) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Found {
    /// Reads it; nothing if it isn't there.
    pub fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let wrong = |why: &dyn std::fmt::Display| {
            Failure::usage(format!("scheduler file `{}` can't be used: {why}", path.display()))
        };
        let about = match path.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            about => about.map_err(|error| wrong(&error))?,
        };
        if about.mode() & 0o022 != 0 {
            return Err(wrong(&format!("others may write to it (mode {:o}): `chmod 600` it", about.mode() & 0o777)));
        }
        if !about.is_file() || about.len() > BYTES_MAX {
            return Err(wrong(&"it is no short regular file"));
        }
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
        serde_json::from_str(&text).map(Some).map_err(|error| wrong(&error))
    }

    /// The address.
    pub fn address(&self) -> Result<Address, Failure> {
        self.address.parse().map_err(Failure::usage)
    }
}

/// Reads the file once it is there, if it is within `patience` and nobody wants the command to end.
pub(crate) fn await_scheduler_file(path: &Path, stop: &Stop<'_>, patience: Duration) -> Result<Option<Found>, Failure> {
    let deadline = Instant::now() + patience;
    let mut is_told = false;
    loop {
        if let Some(found) = Found::read(path)? {
            return Ok(Some(found));
        }
        if !std::mem::replace(&mut is_told, true) {
            tracing::info!("waiting for a scheduler to write `{}`", path.display());
        }
        if Instant::now() >= deadline {
            let (path, seconds) = (path.display(), patience.as_secs_f64());
            return Err(Failure::unreached(format!("no scheduler has written `{path}` within {seconds} s")));
        }
        if stop.wait(GLANCE) {
            return Ok(None);
        }
    }
}
