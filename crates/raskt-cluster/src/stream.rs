//! A connection, whatever it goes over.

use crate::hello::Refusal;
use crate::quiet::Quiet;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsStream;

/// One of the kinds of connections.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    Unix(UnixStream),
    Quiet(Quiet),
}

macro_rules! each {
    ($stream:expr, $inner:ident => $call:expr) => {
        match $stream.get_mut() {
            Stream::Tcp(stream) => {
                let $inner = Pin::new(stream);
                $call
            }
            Stream::Tls(stream) => {
                let $inner = Pin::new(&mut **stream);
                $call
            }
            Stream::Unix(stream) => {
                let $inner = Pin::new(stream);
                $call
            }
            Stream::Quiet(stream) => {
                let $inner = Pin::new(stream);
                $call
            }
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        each!(self, inner => inner.poll_read(cx, buf))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        each!(self, inner => inner.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        each!(self, inner => inner.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, inner => inner.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, inner => inner.poll_shutdown(cx))
    }
}

impl Stream {
    /// The same, such that its thread is woken for what it waits for alone, where there is a difference.
    pub fn quiet(self) -> io::Result<Self> {
        match self {
            Self::Unix(stream) => Quiet::of(stream).map(Self::Quiet),
            other => Ok(other),
        }
    }

    /// Sockets in the file system are for the processes of one user.
    pub fn check_user(&self) -> Result<(), Refusal> {
        let Self::Unix(unix) = self else { return Ok(()) };
        let theirs = unix.peer_cred()?.uid();
        let ours = rustix::process::geteuid().as_raw();
        if theirs == ours || theirs == 0 { Ok(()) } else { Err(Refusal::User { theirs, ours }) }
    }

    /// Reads into room that nobody has written to, and says how much.
    pub fn poll_read_room(&mut self, cx: &mut Context<'_>, room: &mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::uninit(room);
        match Pin::new(self).poll_read(cx, &mut buf) {
            Poll::Ready(read) => Poll::Ready(read.map(|()| buf.filled().len())),
            Poll::Pending => Poll::Pending,
        }
    }
}
