//! One spilled result: a header of 64 bytes, then its bytes.

use crate::aligned::{ALIGNMENT, Aligned};
use crate::folder::Folder;
use raskt_value::{Buffer, Decoder, Encoded, ErrorKind, TaskError, Value};
use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::path::PathBuf;
use std::sync::Arc;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A file that holds a result; it is removed when this is dropped.
///
/// What it must hold, and how that is read, is known here, in memory: a file that says something else is damaged,
/// whatever its own header claims.
pub(crate) struct SpillFile {
    path: PathBuf,
    header: [u8; ALIGNMENT],
    content: Content,
    decoder: Arc<dyn Decoder>,
    folder: Arc<Folder>,
}

/// What tells one content from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Content {
    length: usize,
    checksum: u64,
}

impl Content {
    fn of(pieces: &[Buffer]) -> Self {
        let mut hash = Xxh3::new();
        pieces.iter().for_each(|piece| hash.update(bytes_of(piece)));
        Self { length: pieces.iter().map(Buffer::len).sum(), checksum: hash.digest() }
    }
}

const MAGIC: &[u8; 8] = b"RASKTSP1";

/// Why a file gave no result.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// It isn't there, can't be read, or its bytes are others than those that were written. Trying again doesn't help; computing
    /// the result again does.
    Damaged,
    /// Nothing is known to be wrong with the file, and whoever wants the result is told why he doesn't have it: there was no memory
    /// or no file handle for it, or its bytes are what was written and the decoder failed (of a signal, perhaps).
    Unread(TaskError),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        let kind = match (error.kind(), error.raw_os_error()) {
            (io::ErrorKind::OutOfMemory, _) => ErrorKind::Memory,
            (_, Some(libc::EMFILE | libc::ENFILE)) => ErrorKind::Io,
            _ => return Self::Damaged,
        };
        Self::Unread(TaskError::new(kind, format!("a spill file can't be read now: {error}")))
    }
}

impl SpillFile {
    /// Writes what was encoded into a new file of `folder`.
    pub fn write(folder: &Arc<Folder>, encoded: Encoded) -> io::Result<Self> {
        let Encoded { pieces, decoder } = encoded;
        let content = Content::of(&pieces);
        let (path, file) = folder.create_file()?;
        let header = header(content, &path);
        // From here on the file goes with this, also where writing it fails.
        let spilled = Self { path, header, content, decoder, folder: folder.clone() };
        let pieces: Vec<&[u8]> = pieces.iter().map(bytes_of).collect();
        write_all(file, &spilled.header, &pieces)?;
        Ok(spilled)
    }

    /// Whether it is what would be written of `pieces`.
    pub fn holds(&self, pieces: &[Buffer]) -> bool {
        self.content == Content::of(pieces)
    }

    /// Whether nobody has removed it.
    pub fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// The value that was written.
    pub fn value(&self) -> Result<Value, ReadError> {
        self.decoder.decode(self.read()?).map_err(|error| match error.kind {
            // What was written isn't what it takes: it never will be.
            ErrorKind::Lost => ReadError::Damaged,
            _ => ReadError::Unread(error),
        })
    }

    /// Nobody hears of an error of [`Self::value`].
    pub fn unheard(&self, error: &TaskError) {
        self.decoder.unheard(error);
    }

    /// What was written.
    fn read(&self) -> Result<Buffer, ReadError> {
        let file = self.folder.open_file(&self.path)?;
        if file.metadata()?.len() != self.bytes() {
            return Err(ReadError::Damaged);
        }
        if Aligned::read(&file, ALIGNMENT)?.bytes() != self.header {
            return Err(ReadError::Damaged);
        }
        let payload = Aligned::read(&file, self.content.length)?;
        if xxh3_64(payload.bytes()) != self.content.checksum {
            return Err(ReadError::Damaged);
        }
        Ok(payload.into_buffer())
    }

    /// The size on disk of what was encoded.
    pub fn bytes_of(encoded: &Encoded) -> u64 {
        encoded.pieces.iter().fold(ALIGNMENT as u64, |sum, piece| sum.saturating_add(piece.len() as u64))
    }

    /// Its size on disk.
    pub fn bytes(&self) -> u64 {
        (self.content.length + ALIGNMENT) as u64
    }
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        self.folder.remove_file(&self.path);
    }
}

/// Magic, length, checksum, and the hash of the name, which is random: two files never have one header.
fn header(content: Content, path: &std::path::Path) -> [u8; ALIGNMENT] {
    let Content { length, checksum } = content;
    let mut header = [0; ALIGNMENT];
    header[..8].copy_from_slice(MAGIC);
    header[8..16].copy_from_slice(&(length as u64).to_le_bytes());
    header[16..24].copy_from_slice(&checksum.to_le_bytes());
    header[24..32].copy_from_slice(&xxh3_64(path.as_os_str().as_encoded_bytes()).to_le_bytes());
    let own = xxh3_64(&header[..56]);
    header[56..].copy_from_slice(&own.to_le_bytes());
    header
}

fn write_all(mut file: File, header: &[u8], pieces: &[&[u8]]) -> io::Result<()> {
    // Together, so that a small result costs one call.
    let slices = std::iter::once(header).chain(pieces.iter().copied());
    let mut slices: Vec<_> = slices.map(IoSlice::new).collect();
    let mut slices = slices.as_mut_slice();
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        match file.write_vectored(&slices[..slices.len().min(PIECES_MOST)]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut slices, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A file that grows beyond `RLIMIT_FSIZE` raises a signal that ends the process, unless it is blocked: then the write fails.
pub(crate) fn block_size_signal() {
    // SAFETY: the set is initialised before it is used, and only this thread's mask changes.
    unsafe {
        let mut signals = std::mem::zeroed();
        libc::sigemptyset(&mut signals);
        libc::sigaddset(&mut signals, libc::SIGXFSZ);
        libc::pthread_sigmask(libc::SIG_BLOCK, &signals, std::ptr::null_mut());
    }
}

/// Pieces that the system takes in one call.
const PIECES_MOST: usize = 1024;

fn bytes_of(buffer: &Buffer) -> &[u8] {
    // SAFETY: a buffer's bytes are valid for as long as it lives, and nobody writes to them.
    unsafe { std::slice::from_raw_parts(buffer.as_ptr(), buffer.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn folder() -> (tempfile::TempDir, Arc<Folder>) {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::create(place.path()).unwrap();
        (place, Arc::new(folder))
    }

    fn encoded(pieces: Vec<Buffer>) -> Encoded {
        let decoder = |_| Err(TaskError::new(ErrorKind::Lost, "only bytes are tested"));
        Encoded { pieces, decoder: Arc::new(decoder) }
    }

    #[test]
    fn what_is_read_is_what_was_written_and_aligned() {
        let (_place, folder) = folder();
        for length in [0, 1, 63, 64, 100_000] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let (head, tail) = bytes.split_at(length / 3);
            let pieces = vec![Buffer::from_vec(head.to_vec()), Buffer::from_vec(tail.to_vec())];
            let spilled = SpillFile::write(&folder, encoded(pieces.clone())).unwrap();
            assert!(spilled.holds(&pieces) && !spilled.holds(&[Buffer::from_vec(vec![1_u8])]));
            let read = spilled.read().unwrap();
            assert_eq!(bytes_of(&read), bytes);
            assert_eq!(read.as_ptr() as usize % ALIGNMENT, 0);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "files go with their handles; the lock stays");
    }

    #[test]
    fn a_file_in_the_place_of_another_is_damage() {
        let (_place, folder) = folder();
        let [a, b] =
            [1_u8, 2].map(|byte| SpillFile::write(&folder, encoded(vec![Buffer::from_vec(vec![byte; 10])])).unwrap());
        fs::copy(&a.path, &b.path).unwrap();
        assert!(matches!(b.read(), Err(ReadError::Damaged)));
    }

    #[test]
    fn what_is_no_file_is_damage_and_nobody_waits_for_it() {
        let (_place, folder) = folder();
        for kind in [libc::S_IFIFO, libc::S_IFDIR] {
            let spilled = SpillFile::write(&folder, encoded(vec![])).unwrap();
            fs::remove_file(&spilled.path).unwrap();
            if kind == libc::S_IFDIR {
                fs::create_dir(&spilled.path).unwrap();
            } else {
                let path = std::ffi::CString::new(spilled.path.as_os_str().as_encoded_bytes()).unwrap();
                // SAFETY: the path ends with a zero byte.
                assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
            }
            assert!(matches!(spilled.value(), Err(ReadError::Damaged)));
        }
    }

    #[test]
    fn only_what_is_wrong_with_a_file_is_damage() {
        let (_place, folder) = folder();
        for kind in [ErrorKind::Foreign, ErrorKind::Memory, ErrorKind::Cancelled, ErrorKind::Value] {
            let fails = move |_| Err(TaskError::new(kind, "the decoder fails"));
            let spilled = SpillFile::write(&folder, Encoded { pieces: vec![], decoder: Arc::new(fails) }).unwrap();
            assert!(matches!(spilled.value(), Err(ReadError::Unread(error)) if error.kind == kind));
        }
        let spilled = SpillFile::write(&folder, encoded(vec![])).unwrap();
        assert!(matches!(spilled.value(), Err(ReadError::Damaged)), "what was written isn't what its decoder takes");
        for (code, is_damage) in [(libc::EMFILE, false), (libc::ENOMEM, false), (libc::ENOENT, true), (libc::EIO, true)]
        {
            let found = ReadError::from(io::Error::from_raw_os_error(code));
            assert_eq!(matches!(found, ReadError::Damaged), is_damage, "{code}");
        }
    }

    proptest! {
        #[test]
        fn any_damage_is_seen(length in 0..5000_usize, at: prop::sample::Index, flip in 1..=255_u8, way in 0..4_u8) {
            let (_place, folder) = folder();
            let spilled = SpillFile::write(&folder, encoded(vec![Buffer::from_vec(vec![7_u8; length])])).unwrap();
            let mut bytes = fs::read(&spilled.path).unwrap();
            let at = at.index(bytes.len());
            match way {
                0 => bytes[at] ^= flip,
                1 => bytes.truncate(at),
                2 => bytes.push(flip),
                _ => fs::remove_file(&spilled.path).unwrap(),
            }
            if way < 3 {
                fs::write(&spilled.path, bytes).unwrap();
            }
            prop_assert!(spilled.read().is_err());
        }
    }
}
