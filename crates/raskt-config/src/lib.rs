//! Typed settings: defaults, YAML files, `RASKT_…` variables, code; what comes later in that order wins.
//!
//! [`SETTINGS`] is the one table of what can be set, what each setting may be, and its default. [`Configuration`] is
//! the merged state, every value with the [`Origin`] that it came from, so that a bad value is reported with the file
//! and line, or the variable, that holds it. [`Settings`] is the same state as a typed struct.
//!
//! ```
//! use raskt_config::{Configuration, Sources};
//!
//! let sources = Sources::new().with_variable("RASKT_ARRAY__CHUNK_SIZE", "64MiB");
//! let mut configuration = sources.read()?;
//! assert_eq!(configuration.settings().array.chunk_size, 64 << 20);
//!
//! configuration.set("num_workers", 4)?;
//! assert_eq!(configuration.settings().num_workers.map(|count| count.get()), Some(4));
//!
//! let error = configuration.set("array.chunk_sise", "1MiB").unwrap_err();
//! assert_eq!(error.to_string(), "there is no setting `array.chunk_sise`; did you mean `array.chunk-size`?");
//! # Ok::<(), raskt_config::Error>(())
//! ```
//!
//! Programs may keep settings of their own here, under a name of their own: `myproject.colour`. Those aren't checked.
//!
//! Python users see this crate through `raskt.config`, which keeps only what Python code has set; the table, the
//! checks and the reading of files and variables are here alone.

#![deny(clippy::iter_over_hash_type)]

mod bytes;
mod configuration;
mod error;
mod key;
mod kind;
mod near;
mod settings;
mod sources;
mod table;
mod value;
mod yaml;

pub use configuration::{Configuration, Entry};
pub use error::{Error, Origin};
pub use key::Key;
pub use kind::Kind;
pub use settings::{ArraySettings, LibraryThreads, MemorySettings, ProgressSettings, Scheduler, Settings};
pub use sources::Sources;
pub use table::{SETTINGS, Setting};
pub use value::Value;
