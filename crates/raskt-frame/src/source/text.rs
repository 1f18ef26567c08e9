use crate::error::{FrameError, Result};
use crate::message::in_plain_words;
use polars::io::utils::compression::CompressedReader;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text of a file a piece at a time, unpacked, in one buffer.
pub(super) struct Pieces<'a> {
    path: &'a Path,
    source: Box<dyn Read>,
    buffer: Vec<u8>,
    /// Where in the buffer begins what wasn't taken yet.
    from: usize,
    ended: bool,
}

/// Bytes of a piece, which a processor keeps close while it is looked at several times; longer lines make it grow.
const PIECE_BYTES: usize = 1 << 20;

impl<'a> Pieces<'a> {
    /// The pieces of the file at `path`, unpacked if its name says that it is packed.
    pub(super) fn open(path: &'a Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let source: Box<dyn Read> = match is_packed(path) {
            // The engine unpacks bytes in memory only.
            true => Box::new(unpacked(path, file)?),
            false => Box::new(file),
        };
        Ok(Self { path, source, buffer: vec![], from: 0, ended: false })
    }

    /// What wasn't taken yet and more, and whether the file ends with it.
    pub(super) fn more(&mut self) -> Result<(&[u8], bool)> {
        self.buffer.drain(..self.from);
        self.from = 0;
        if !self.ended {
            let wanted = PIECE_BYTES.max(self.buffer.len()) as u64;
            self.buffer.reserve(wanted as usize);
            let found = (&mut self.source).take(wanted).read_to_end(&mut self.buffer);
            self.ended = (found.map_err(|error| unreadable(self.path, &error))? as u64) < wanted;
        }
        Ok((&self.buffer, self.ended))
    }

    /// Takes the first so many bytes of what [`Self::more`] gave.
    pub(super) fn take(&mut self, bytes: usize) {
        self.from = bytes;
    }
}

/// Whether the name of a file says that it is packed.
pub(super) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "gz" || ending == "zst")
}

fn unpacked(path: &Path, mut file: File) -> Result<impl Read + 'static> {
    let mut bytes = vec![];
    file.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    CompressedReader::try_new(bytes.into()).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> FrameError {
    FrameError::Io(format!("the file `{}` can't be read: {}", path.display(), in_plain_words(&error.to_string())))
}
