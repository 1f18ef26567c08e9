//! The process at the other end of a connection within one host: its end is known at once.

use crate::dial::Link;
use crate::hello::this_host;
use crate::stream::Stream;
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open};
use std::os::fd::OwnedFd;
use std::task::{Context, Poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The process that a peer is.
pub(super) struct PeerProcess(AsyncFd<OwnedFd>);

impl PeerProcess {
    /// None where nobody says which it is, or it can't be seen: on another host, in another container, on a kernel without handles on
    /// processes. It takes part in this process's network, by whose thread it is called.
    pub fn of(link: &Link) -> Option<Self> {
        let handle = by_socket(&link.stream).or_else(|| by_name(link))?;
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

/// As the system says of the other end of a Unix socket.
fn by_socket(stream: &Stream) -> Option<OwnedFd> {
    let Stream::Unix(unix) = stream else { return None };
    handle_of(unix.peer_cred().ok()?.pid()?)
}

/// As it calls itself. Whoever says so has proven that he belongs to the cluster; should he name another process, his session ends
/// with that one.
fn by_name(link: &Link) -> Option<OwnedFd> {
    let introduction = &link.introduction;
    let name = introduction.process.filter(|_| !introduction.host.is_empty() && introduction.host == this_host())?;
    // Its number may be given to another before it is opened, and not after.
    let handle = handle_of(name.pid)?;
    name.is_seen().then_some(handle)
}

fn handle_of(pid: i32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(pid).filter(|pid| *pid != getpid())?;
    pidfd_open(pid, PidfdFlags::NONBLOCK).ok()
}
