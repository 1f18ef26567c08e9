//! The memory of the process at the other end of a Unix socket.

use super::step::Proof;
use crate::stream::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, geteuid, pidfd_open};
use std::io;
use std::os::fd::OwnedFd;

/// A process of this host and user. Whether its memory can be read is up to the system, and is only known when it is tried.
#[derive(Debug)]
pub(super) struct PeerMemory {
    pid: Pid,
    /// Its number means no other process as long as this one hasn't ended.
    handle: OwnedFd,
}

impl PeerMemory {
    /// None if it is of another user, can't be seen from here, or isn't known to be of this host.
    pub fn of(stream: &Stream) -> Option<Self> {
        let Stream::Unix(unix) = stream else { return None };
        let peer = unix.peer_cred().ok()?;
        let is_ours = peer.uid() == geteuid().as_raw();
        Self::of_process(peer.pid().filter(|_| is_ours)?)
    }

    pub fn of_process(pid: i32) -> Option<Self> {
        let pid = Pid::from_raw(pid)?;
        Some(Self { pid, handle: pidfd_open(pid, PidfdFlags::empty()).ok()? })
    }

    /// Fills `into` with what lies at an address there.
    pub fn read(&self, mut from: u64, mut into: &mut [u8]) -> io::Result<()> {
        while !into.is_empty() {
            let count = self.read_some(from, into)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            from = from.saturating_add(count as u64);
            into = &mut into[count..];
        }
        Ok(())
    }

    fn read_some(&self, from: u64, into: &mut [u8]) -> io::Result<usize> {
        let from = usize::try_from(from).map_err(|_| io::ErrorKind::InvalidInput)?;
        let here = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
        let there = libc::iovec { iov_base: std::ptr::without_provenance_mut(from), iov_len: into.len() };
        // SAFETY: it writes to `into` alone, and no more than its length. What lies there is looked up in the other process.
        let count = unsafe { libc::process_vm_readv(self.pid.as_raw_nonzero().get(), &here, 1, &there, 1, 0) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }

    /// Whether what was to be put there is there, and the process is still the one that it was.
    pub fn has(&self, proof: &Proof, at: u64) -> io::Result<()> {
        let mut found = Proof::default();
        self.read(at, &mut found)?;
        match found == *proof && !self.has_ended()? {
            true => Ok(()),
            false => Err(io::Error::other("it is another process")),
        }
    }

    fn has_ended(&self) -> io::Result<bool> {
        let mut ends = [PollFd::new(&self.handle, PollFlags::IN)];
        Ok(poll(&mut ends, Some(&Timespec::default()))? > 0)
    }
}
