//! A Unix socket that wakes nobody who doesn't wait.
//!
//! Each time that somebody reads from such a socket, the system tells the other end that there is room again; a thread that looks out
//! for that is woken by every message that arrives over there, for nothing. So it is looked out for only while there is no room.

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, recv, sendmsg, shutdown};
use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::UnixStream;

/// A Unix socket.
#[derive(Debug)]
pub(crate) struct Quiet {
    socket: AsyncFd<OwnedFd>,
    /// Another handle on it, which looks out for room while there is none.
    room: Option<AsyncFd<OwnedFd>>,
}

impl Quiet {
    /// The same socket. In the runtime that it is in.
    pub fn of(stream: UnixStream) -> io::Result<Self> {
        let socket = registered(stream.into_std()?.into(), Interest::READABLE)?;
        Ok(Self { socket, room: None })
    }
}

fn registered(socket: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the handle is open as long as it is registered, since both are kept together.
    Ok(unsafe { AsyncFd::register_with_interest(socket, interest) }?)
}

impl AsFd for Quiet {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.get_ref().as_fd()
    }
}

impl AsyncRead for Quiet {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.socket.poll_read_ready(cx))?;
            // SAFETY: nothing that is initialized is made anything else: bytes are only received into it.
            let room = unsafe { buf.unfilled_mut() };
            let wanted = room.len();
            let count = match recv(&self.socket, room, RecvFlags::DONTWAIT) {
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {
                    ready.clear_ready();
                    continue;
                }
                Err(error) => return Poll::Ready(Err(error.into())),
                Ok((_, count)) => count,
            };
            if 0 < count && count < wanted {
                // That was all; what comes later is told anew.
                ready.clear_ready();
            }
            // SAFETY: so many were received into it just now.
            unsafe { buf.assume_init(count) };
            buf.advance(count);
            return Poll::Ready(Ok(()));
        }
    }
}

impl AsyncWrite for Quiet {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        loop {
            match sendmsg(&self.socket, bufs, &mut SendAncillaryBuffer::default(), flags) {
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {}
                written => {
                    self.room = None;
                    return Poll::Ready(Ok(written?));
                }
            }
            if self.room.is_none() {
                let again = self.socket.get_ref().try_clone()?;
                self.room = Some(registered(again, Interest::WRITABLE)?);
            }
            let Some(room) = &self.room else { continue };
            // What is told from here on is told for the next time.
            ready!(room.poll_write_ready(cx))?.clear_ready();
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(shutdown(&self.socket, Shutdown::Write).map_err(Into::into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{Future, poll_fn};
    use std::os::fd::AsRawFd;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn run<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { timeout(PATIENCE, work).await.expect("it stands still") })
    }

    fn pair() -> (Quiet, Quiet) {
        let (one, other) = UnixStream::pair().unwrap();
        (Quiet::of(one).unwrap(), Quiet::of(other).unwrap())
    }

    #[test]
    fn much_more_than_there_is_room_for_arrives_in_order() {
        let sent: Vec<u8> = (0..8_u32 << 20).map(|at| (at % 251) as u8).collect();
        let expected = sent.clone();
        let found = run(async move {
            let (mut one, mut other) = pair();
            let writer = tokio::spawn(async move {
                one.write_all(&sent).await.unwrap();
                one.shutdown().await.unwrap();
                one
            });
            let mut found = vec![];
            other.read_to_end(&mut found).await.unwrap();
            assert!(writer.await.unwrap().room.is_none(), "nobody looks out for room any more");
            found
        });
        assert!(found == expected);
    }

    /// What the system is to tell of an open socket, as it says itself: the events of all who look out for something.
    fn looked_out_for(socket: &Quiet) -> Vec<u32> {
        let own = socket.as_fd().as_raw_fd();
        let all = std::fs::read_dir("/proc/self/fdinfo").unwrap().flatten();
        let texts = all.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
        let events = |line: &str| {
            let mut words = line.strip_prefix("tfd:")?.split_whitespace();
            let is_own = words.next()?.parse() == Ok(own);
            is_own.then(|| u32::from_str_radix(words.nth(1)?, 16).ok())?
        };
        texts.flat_map(|text| text.lines().filter_map(events).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn room_is_looked_out_for_only_while_there_is_none() {
        const OUT: u32 = libc::EPOLLOUT as u32;
        run(async {
            let (mut one, mut other) = pair();
            one.write_all(b"a message").await.unwrap();
            let told = looked_out_for(&one);
            assert!(!told.is_empty() && told.iter().all(|events| events & OUT == 0), "{told:x?}");
            let much = vec![7; 8 << 20];
            let mut written = Box::pin(one.write_all(&much));
            let begun = poll_fn(|cx| Poll::Ready(written.as_mut().poll(cx))).await;
            assert!(begun.is_pending());
            drop(written);
            assert!(one.room.is_some());
            let mut read = vec![0; 9 << 20];
            assert!(other.read(&mut read).await.unwrap() > 0);
            one.write_all(b"!").await.unwrap();
            assert!(one.room.is_none());
        });
    }

    #[test]
    fn who_is_gone_is_told() {
        run(async {
            let (mut one, other) = pair();
            drop(other);
            assert_eq!(one.read(&mut [0; 8]).await.unwrap(), 0);
            assert!(one.write_all(&[0; 8]).await.is_err());
        });
    }
}
