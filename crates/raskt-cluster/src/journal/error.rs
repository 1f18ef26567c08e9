//! What is wrong with a journal.

use std::io;
use std::path::PathBuf;

/// Why there is no journal, or none any more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The system says no.
    #[error("the journal in `{}` can't be {what}: {source}", folder.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// Where.
        folder: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another scheduler writes it.
    #[error("the journal in `{}` is another scheduler's that runs: give this one a folder of its own", folder.display())]
    InUse {
        /// Where.
        folder: PathBuf,
    },
    /// It isn't one, or one of another version.
    #[error("`{}` is no journal of version {version}", path.display())]
    NotOne {
        /// The file.
        path: PathBuf,
        /// The one that is read.
        version: u32,
    },
    /// Something in it isn't what was written.
    #[error(
        "the journal `{}` is damaged at byte {at} of {bytes}: {why}. To go on with what comes before, and give up the rest, cut it \
         there: `truncate --size {at} {}`",
        path.display(),
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the record begins that is wrong.
        at: u64,
        /// How long the file is.
        bytes: u64,
        /// What is wrong.
        why: String,
    },
    /// A write has failed before, and nothing could be written since.
    #[error("the journal in `{}` can't be written: {why}. What is submitted is refused until it can be again", folder.display())]
    Broken {
        /// Where.
        folder: PathBuf,
        /// What the system said.
        why: String,
    },
    /// A record that can't be written, or is too long.
    #[error("a record of {bytes} bytes doesn't fit into a journal")]
    TooLong {
        /// How long it is.
        bytes: u64,
    },
}
