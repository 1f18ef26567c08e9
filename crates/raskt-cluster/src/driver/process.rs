//! The process at the other end of a connection within one host: its end is known at once.

use crate::stream::Stream;
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open};
use std::os::fd::OwnedFd;
use std::task::{Context, Poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The process that a peer is.
pub(super) struct PeerProcess(AsyncFd<OwnedFd>);

impl PeerProcess {
    /// None where the system doesn't say which it is: over TCP, from another container, on a kernel without handles on processes. It
    /// takes part in this process's network, by whose thread it is called.
    pub fn of(stream: &Stream) -> Option<Self> {
        let Stream::Unix(unix) = stream else { return None };
        let pid = unix.peer_cred().ok()?.pid().and_then(Pid::from_raw)?;
        if pid == getpid() {
            return None;
        }
        let handle = pidfd_open(pid, PidfdFlags::NONBLOCK).ok()?;
        // SAFETY: the handle is open as long as it is registered, since both are kept together.
        unsafe { AsyncFd::register_with_interest(handle, Interest::READABLE) }.ok().map(Self)
    }

    /// Whether it has ended; wakes when it does.
    pub fn poll_ended(&self, cx: &mut Context<'_>) -> Poll<()> {
        match self.0.poll_read_ready(cx) {
            Poll::Ready(Ok(_)) => Poll::Ready(()),
            // Nobody will know: the clock has to say it.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}
