//! Files that go over a Unix socket beside bytes.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::Interest;
use tokio::net::UnixStream;

/// Files that go along with one step, at most.
pub(super) const FILES_PER_STEP_MAX: usize = 16;
/// Room for the message that carries them.
const ANCILLARY_BYTES: usize = 256;

/// Sends bytes, and the files with the first of them.
pub(super) fn poll_send(
    socket: &UnixStream,
    cx: &mut Context<'_>,
    slices: &[IoSlice<'_>],
    files: &[Arc<OwnedFd>],
) -> Poll<io::Result<usize>> {
    loop {
        ready!(socket.poll_write_ready(cx))?;
        let sent = socket.try_io(Interest::WRITABLE, || {
            let files: Vec<_> = files.iter().map(|file| file.as_fd()).collect();
            let mut space = [MaybeUninit::uninit(); ANCILLARY_BYTES];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            if !ancillary.push(SendAncillaryMessage::ScmRights(&files)) {
                return Err(io::Error::other("too many files for one step"));
            }
            Ok(sendmsg(socket, slices, &mut ancillary, SendFlags::NOSIGNAL)?)
        });
        match sent {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            sent => return Poll::Ready(sent),
        }
    }
}

/// Receives bytes, and adds files that came with them.
pub(super) fn poll_receive(
    socket: &UnixStream,
    cx: &mut Context<'_>,
    bytes: &mut [u8],
    files: &mut VecDeque<OwnedFd>,
) -> Poll<io::Result<usize>> {
    loop {
        ready!(socket.poll_read_ready(cx))?;
        let received = socket.try_io(Interest::READABLE, || {
            let mut space = [MaybeUninit::uninit(); ANCILLARY_BYTES];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let received = recvmsg(socket, &mut [IoSliceMut::new(bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
            for message in ancillary.drain() {
                if let RecvAncillaryMessage::ScmRights(came) = message {
                    files.extend(came);
                }
            }
            Ok(received.bytes)
        });
        match received {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            received => return Poll::Ready(received),
        }
    }
}
