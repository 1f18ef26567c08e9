//! Memory that processes of a host can have together: written once, sealed, and mapped by whoever gets its file.

use super::mapping::Mapping;
use bytes::Bytes;
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::MapFlags;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

/// What nobody may do to memory that was handed out: write to it, cut it (that would end its readers), or let it grow.
const SEALS: SealFlags = SealFlags::SEAL.union(SealFlags::SHRINK).union(SealFlags::GROW).union(SealFlags::WRITE);

/// How long the system is waited for, again and again.
const SEAL_PAUSES: [Duration; 4] =
    [Duration::from_millis(1), Duration::from_millis(10), Duration::from_millis(100), Duration::from_millis(300)];

/// Memory that can be written, and then be shared without a copy.
#[derive(Debug)]
pub struct SharedBuffer {
    file: OwnedFd,
    mapping: Mapping,
}

impl SharedBuffer {
    /// So many zeros.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let file = memory_file(bytes as u64)?;
        let mapping = Mapping::of_file(&file, bytes, MapFlags::SHARED)?;
        Ok(Self { file, mapping })
    }

    /// To write to.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        self.mapping.as_mut_slice()
    }

    /// Nothing is written any more, by nobody.
    pub fn seal(self) -> io::Result<SharedMemory> {
        let Self { file, mapping } = self;
        let bytes = mapping.as_ref().len();
        // A mapping that may be written to keeps memory from being sealed.
        drop(mapping);
        seal(&file)?;
        SharedMemory::open(Arc::new(file), bytes as u64)
    }
}

/// Memory that is sealed, and its file.
#[derive(Clone, Debug)]
pub struct SharedMemory {
    file: Arc<OwnedFd>,
    bytes: Bytes,
}

impl SharedMemory {
    /// Copies pieces into one file, each at a multiple of 64 bytes. Says where each begins.
    pub fn copied(pieces: &[Bytes]) -> io::Result<(Self, Vec<u64>)> {
        let mut offsets = vec![];
        let mut end = 0_u64;
        for piece in pieces {
            offsets.push(end);
            end += piece.len().next_multiple_of(crate::frame::ALIGNMENT_BYTES) as u64;
        }
        let file = File::from(memory_file(end)?);
        for (piece, offset) in pieces.iter().zip(&offsets) {
            // To write whole pages spares the system to clear them.
            file.write_all_at(piece, *offset)?;
        }
        let file = OwnedFd::from(file);
        seal(&file)?;
        Ok((Self { file: Arc::new(file), bytes: Bytes::new() }, offsets))
    }

    /// Maps a file that somebody has handed over, if nobody can change it any more.
    pub(super) fn open(file: Arc<OwnedFd>, bytes: u64) -> io::Result<Self> {
        let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        let seals = rustix::fs::fcntl_get_seals(&file)?;
        if !seals.contains(SEALS) {
            return refused("shared memory came that could be changed by others");
        }
        let length = rustix::fs::fstat(&file)?.st_size;
        if u64::try_from(length).is_ok_and(|length| length < bytes) {
            return refused("shared memory came that is shorter than what lies in it");
        }
        // What this process writes to it stays with this process.
        let mapping = Mapping::of_file(&file, bytes as usize, MapFlags::PRIVATE)?;
        Ok(Self { file, bytes: Bytes::from_owner(mapping) })
    }

    /// Pieces that lie in files that somebody has handed over: in which, from where, and how long each is.
    pub(super) fn pieces_of(files: Vec<OwnedFd>, pieces: &[(u32, u64, u64)]) -> io::Result<Vec<Bytes>> {
        let wrong = |why| io::Error::new(io::ErrorKind::InvalidData, why);
        let end = |piece: &(u32, u64, u64)| piece.1.checked_add(piece.2);
        let mut memories = vec![];
        for (file, number) in files.into_iter().zip(0..) {
            let ends = pieces.iter().filter(|piece| piece.0 == number).map(end);
            let ends = ends.collect::<Option<Vec<_>>>().ok_or_else(|| wrong("a piece has no end"))?;
            memories.push(Self::open(Arc::new(file), ends.into_iter().max().unwrap_or(0))?);
        }
        let cut = |(file, from, bytes): &(u32, u64, u64)| {
            let memory = memories.get(*file as usize)?;
            Some(memory.bytes().slice(*from as usize..(from + bytes) as usize))
        };
        let cut: Option<Vec<Bytes>> = pieces.iter().map(cut).collect();
        cut.ok_or_else(|| wrong("a piece lies in a file that didn't come"))
    }

    /// What is in it; nothing if it was only made to be handed over.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(super) fn file(&self) -> &Arc<OwnedFd> {
        &self.file
    }
}

/// Has nobody write to a file any more. The system itself may be at its pages for a moment (moving or counting them).
fn seal(file: &OwnedFd) -> io::Result<()> {
    let mut pauses = SEAL_PAUSES.iter();
    loop {
        match rustix::fs::fcntl_add_seals(file, SEALS) {
            Err(rustix::io::Errno::BUSY) => match pauses.next() {
                Some(pause) => std::thread::sleep(*pause),
                None => return Err(rustix::io::Errno::BUSY.into()),
            },
            done => return Ok(done?),
        }
    }
}

fn memory_file(bytes: u64) -> io::Result<OwnedFd> {
    let file = rustix::fs::memfd_create("raskt", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    rustix::fs::ftruncate(&file, bytes)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_there_and_stays() {
        let mut buffer = SharedBuffer::new(10_000).unwrap();
        buffer.as_mut_slice().fill(5);
        let memory = buffer.seal().unwrap();
        assert_eq!(memory.bytes()[..], [5; 10_000]);
        let again = SharedMemory::open(memory.file().clone(), 10_000).unwrap();
        assert_eq!(again.bytes(), memory.bytes());
        let file = File::from(memory.file().try_clone().unwrap());
        assert!(file.write_all_at(&[1], 0).is_err() && file.set_len(0).is_err());
    }

    #[test]
    fn who_is_at_it_for_a_moment_is_waited_for() {
        let file = memory_file(5000).unwrap();
        let writable = Mapping::of_file(&file, 5000, MapFlags::SHARED).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(SEAL_PAUSES[0]);
                drop(writable);
            });
            seal(&file).unwrap();
        });
        let file = memory_file(5000).unwrap();
        let _writable = Mapping::of_file(&file, 5000, MapFlags::SHARED).unwrap();
        assert!(seal(&file).is_err());
    }

    #[test]
    fn what_others_could_change_or_cut_is_refused() {
        let open = Arc::new(memory_file(100).unwrap());
        assert!(SharedMemory::open(open, 100).is_err());
        let (short, offsets) = SharedMemory::copied(&[Bytes::from_static(b"abc"), Bytes::from_static(b"d")]).unwrap();
        assert_eq!(offsets, [0, 64]);
        assert!(SharedMemory::open(short.file().clone(), 129).is_err());
        assert_eq!(SharedMemory::open(short.file().clone(), 65).unwrap().bytes()[64], b'd');
        assert!(SharedBuffer::new(0).unwrap().seal().unwrap().bytes().is_empty());
    }
}
