//! Whether a peer's system hears what is sent to it.
//!
//! A process that hangs, or is stopped, says nothing, and its system still confirms what arrives for it. When nothing is confirmed
//! either, the way to it is gone: what is there is as good as ever, and nobody knows whether it comes back in a second or a minute.

use crate::stream::Stream;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

/// What was sent so long ago, and nothing since, has been confirmed by any system that it reached.
const UNCONFIRMED: Duration = Duration::from_secs(5);

/// Whether the peer's system confirms nothing any more. Within a host there is no way that could be gone.
pub(super) fn is_cut_off(stream: &Stream) -> bool {
    let socket = match stream {
        Stream::Tcp(stream) => stream.as_raw_fd(),
        Stream::Tls(stream) => stream.get_ref().0.as_raw_fd(),
        Stream::Unix(_) | Stream::Quiet(_) => return false,
    };
    let silent =
        |info: libc::tcp_info| info.tcpi_unacked > 0 && u128::from(info.tcpi_last_ack_recv) >= UNCONFIRMED.as_millis();
    info_of(socket).is_some_and(silent)
}

fn info_of(socket: RawFd) -> Option<libc::tcp_info> {
    // SAFETY: all zeros is one: it is made of numbers.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    let into = std::ptr::from_mut(&mut info).cast();
    // SAFETY: no more than `length` bytes are written, which `info` has, and the caller's stream keeps the socket open.
    let done = unsafe { libc::getsockopt(socket, libc::IPPROTO_TCP, libc::TCP_INFO, into, &mut length) };
    (done == 0).then_some(info)
}

/// Whether a connection ended because the way was gone.
pub(super) fn is_of_the_way(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{HostUnreachable, NetworkDown, NetworkUnreachable, TimedOut};
    matches!(error.kind(), HostUnreachable | NetworkDown | NetworkUnreachable | TimedOut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    /// Who doesn't read is there: its system confirms what comes. (Ways that are gone: `tests/distributed/test_namespaces.py`.)
    #[tokio::test]
    async fn a_peer_that_says_nothing_is_not_cut_off() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut own = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let _theirs = listener.accept().await.unwrap();
        own.write_all(&[0; 100]).await.unwrap();
        assert!(!is_cut_off(&Stream::Tcp(own)));
    }
}
