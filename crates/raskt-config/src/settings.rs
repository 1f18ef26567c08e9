//! Settings in types, for the crates that heed them.

use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The settings in types; [`SETTINGS`](crate::SETTINGS) has their bounds and defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// The folder of flight records; `None` means that none are written.
    pub flight_record: Option<PathBuf>,
    /// Where tasks run.
    pub scheduler: Scheduler,
    /// Threads that run tasks; `None` means one for each processor that this process may use.
    pub num_workers: Option<NonZeroUsize>,
    /// How many threads BLAS, OpenMP and Arrow have while Python tasks run in parallel.
    pub library_threads: LibraryThreads,
    /// Of arrays.
    pub array: ArraySettings,
    /// Of memory.
    pub memory: MemorySettings,
    /// Of progress bars.
    pub progress: ProgressSettings,
}

/// Where tasks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// On a pool of threads.
    Threads,
    /// Python functions in worker processes, everything else on threads.
    Processes,
    /// One after the other, in the thread that calls.
    Sync,
}

/// How many threads the libraries that Python tasks call have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LibraryThreads {
    /// One each while tasks run in parallel, and as many as they like for one that runs alone.
    Held,
    /// As many as they like.
    Free,
}

/// Settings of arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArraySettings {
    /// Bytes of a block, where chunks are chosen automatically.
    pub chunk_size: u64,
}

/// Settings of memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MemorySettings {
    /// Bytes that this process may take; `None` means eight tenths of what the machine or the container has.
    pub limit: Option<u64>,
    /// Bytes of spill files; `None` means all that is free.
    pub disk_limit: Option<u64>,
    /// The folder of spill files; `None` means with other temporary files.
    pub spill_path: Option<PathBuf>,
}

/// Settings of progress bars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProgressSettings {
    /// Seconds between two drawings.
    pub interval: f64,
    /// Seconds that a computation runs before the first drawing.
    pub minimum: f64,
    /// Characters between the brackets.
    pub width: usize,
}
