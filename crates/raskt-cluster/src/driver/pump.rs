//! One connection of a session: frames out, frames in, and time, until it breaks.

use super::core::{Core, TURN};
use super::direct::Direct;
use super::process::PeerProcess;
use super::reach::{is_cut_off, is_of_the_way};
use crate::dial::Link;
use crate::frame::{Decoder, Frame, Pieces, Squeeze, encode};
use crate::stream::Stream;
use bytes::{Buf, Bytes};
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::AsyncWrite;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Sleep, timeout};

/// Frames are written together up to so many bytes.
const WRITE_BYTES: usize = 512 << 10;
/// Pieces of memory that go into one call of the system.
const WRITE_PIECES: usize = 64;
/// After so many turns, or so long, the others of the thread have theirs.
const TURNS: u32 = 32;
/// What was said last may take so long to go out.
const LINGER: Duration = Duration::from_secs(1);

/// Moves frames until the connection breaks, is given up, or another one takes its place: that one is given back.
/// With a connection goes the process at its other end, where that is known.
pub(super) async fn pump(
    core: &Arc<Core>,
    (link, process): (Link, Option<&PeerProcess>),
    squeeze: Squeeze,
    others: &mut Receiver<Link>,
) -> Option<Link> {
    let now = core.now();
    let Link { stream, decoder, peer, peer_expects, .. } = link;
    // One that can't be had is as good as none: it is dialed again.
    let Ok(stream) = stream.quiet() else { return None };
    let begun = {
        let mut state = core.lock();
        state.is_cut_off = false;
        state.connections += 1;
        state.session.narrow(peer.window_bytes);
        state.session.handle_up(now, peer_expects)
    };
    core.deliver_in_turns().await;
    if begun.is_err() {
        return None;
    }
    let timer = Box::pin(tokio::time::sleep(Duration::ZERO));
    let _others = Others::let_write(core, &stream, squeeze);
    let pieces = Pieces::default();
    let mut pump = Pump { core, stream, process, decoder, pieces, is_flushed: true, timer, squeeze };
    let (ended, next) = tokio::select! {
        biased;
        other = others.recv() => (Ended::Replaced, other),
        ended = poll_fn(|cx| pump.poll(cx)) => (ended, None),
    };
    match ended {
        Ended::Over => {
            pump.take_unwritten();
            drop(timeout(LINGER, poll_fn(|cx| pump.poll_last_words(cx))).await);
        }
        // Nobody waits for it to come back.
        Ended::Died => core.lock().session.handle_died(),
        Ended::Broken { was_closed, was_cut, why } => {
            tracing::debug!("a connection broke: {why}");
            let mut state = core.lock();
            state.is_cut_off = was_cut;
            state.session.handle_down(core.now(), was_closed);
        }
        Ended::Replaced => core.lock().session.handle_down(core.now(), false),
        Ended::GivenUp => core.lock().is_cut_off = is_cut_off(&pump.stream),
    }
    {
        let mut state = core.lock();
        state.waker = None;
        core.tell_waiting(&state);
    }
    core.deliver_in_turns().await;
    next
}

enum Ended {
    /// The session is over.
    Over,
    /// The session has given the connection up.
    GivenUp,
    /// Another connection is there.
    Replaced,
    /// The peer's process has ended.
    Died,
    Broken {
        was_closed: bool,
        /// The way to the peer is gone.
        was_cut: bool,
        why: String,
    },
}

struct Pump<'a> {
    core: &'a Arc<Core>,
    stream: Stream,
    process: Option<&'a PeerProcess>,
    decoder: Decoder,
    /// What is being written.
    pieces: Pieces,
    is_flushed: bool,
    timer: Pin<Box<Sleep>>,
    squeeze: Squeeze,
}

/// Lets others write as long as this connection is there.
struct Others<'a>(&'a Core);

impl<'a> Others<'a> {
    fn let_write(core: &'a Core, stream: &Stream, squeeze: Squeeze) -> Self {
        let direct = Direct::of(stream, squeeze);
        core.lock().direct = direct;
        Self(core)
    }
}

impl Drop for Others<'_> {
    fn drop(&mut self) {
        // Their handle keeps the connection open.
        self.0.lock().direct = None;
    }
}

impl Pump<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        // What it has said before it ended is in the socket.
        let has_ended = self.process.is_some_and(|process| process.poll_ended(cx).is_ready());
        let began = Instant::now();
        for _ in 0..TURNS {
            match self.turn(cx) {
                Ok(true) if began.elapsed() >= TURN => break,
                Ok(true) => {}
                Ok(false) if has_ended => return Poll::Ready(Ended::Died),
                Ok(false) => return Poll::Pending,
                Err(ended) => return Poll::Ready(ended),
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Reads and writes what can be; says whether there may be more.
    fn turn(&mut self, cx: &mut Context<'_>) -> Result<bool, Ended> {
        let has_read = self.read(cx)?;
        let has_written = self.write(cx)?;
        let is_due = self.keep_time(cx)?;
        Ok(has_read || has_written || is_due)
    }

    /// Writes what is there, and takes the next frames of the session when that is gone. Says whether there may be more.
    fn write(&mut self, cx: &mut Context<'_>) -> Result<bool, Ended> {
        if !self.is_flushed && self.poll_write(cx).map_err(|error| broken(&error))?.is_pending() {
            return Ok(false);
        }
        let (unwritten, frames) = self.next_frames();
        if unwritten.has_remaining() {
            (self.pieces, self.is_flushed) = (unwritten, false);
        }
        for frame in &frames {
            // What doesn't fit into a frame was refused when it was sent.
            let encoded = encode(frame, self.squeeze, &mut self.pieces);
            encoded.map_err(|error| Ended::Broken { was_closed: false, was_cut: false, why: error.to_string() })?;
            self.is_flushed = false;
        }
        if self.is_flushed {
            return Ok(false);
        }
        Ok(self.poll_write(cx).map_err(|error| broken(&error))?.is_ready())
    }

    fn take_unwritten(&mut self) {
        let unwritten = self.core.lock().direct.as_mut().map(|direct| std::mem::take(&mut direct.unwritten));
        let unwritten = unwritten.unwrap_or_default();
        if unwritten.has_remaining() {
            self.pieces = unwritten;
        }
    }

    /// What others have left unwritten, and what comes after it.
    fn next_frames(&self) -> (Pieces, Vec<Frame>) {
        let mut state = self.core.lock();
        let (now, taken) = (self.core.now(), self.core.newly_taken());
        if taken > 0 {
            state.session.handle_taken(now, taken);
        }
        let (mut frames, mut bytes) = (vec![], 0);
        while bytes < WRITE_BYTES
            && let Some(frame) = state.session.poll_transmit(now)
        {
            bytes += frame.control.len() + frame.bulk.iter().map(Bytes::len).sum::<usize>();
            frames.push(frame);
        }
        let Some(direct) = &mut state.direct else { return (Pieces::default(), frames) };
        let unwritten = std::mem::take(&mut direct.unwritten);
        direct.is_pump_writing = unwritten.has_remaining() || !frames.is_empty();
        (unwritten, frames)
    }

    /// Looks whether the session has had enough of this connection, and when it has to be looked at again.
    fn keep_time(&mut self, cx: &mut Context<'_>) -> Result<bool, Ended> {
        let wakes_at = {
            let mut state = self.core.lock();
            let now = self.core.now();
            state.session.handle_time(now);
            if !state.session.is_up() {
                return Err(if state.session.lost().is_some() { Ended::Over } else { Ended::GivenUp });
            }
            // Somebody may have sent or taken something since the frames were taken.
            let is_half = state.direct.as_ref().is_some_and(|direct| direct.unwritten.has_remaining());
            let is_left = state.session.has_something_to_send() || is_half;
            // Others may write while this one is elsewhere, also if it has yet to come back to it.
            if let Some(direct) = &mut state.direct {
                direct.is_pump_writing = !self.is_flushed;
            }
            if self.is_flushed && (is_left || self.core.is_much_taken()) {
                return Ok(true);
            }
            state.waker = Some(cx.waker().clone());
            // A sign of life that can't go out isn't due all the time.
            let least = if self.is_flushed { 0 } else { now + STUCK_NANOSECONDS };
            state.session.wakes_at().map(|at| at.max(least))
        };
        let is_all = self.core.deliver();
        Ok(self.is_due(cx, wakes_at) || !is_all)
    }

    fn is_due(&mut self, cx: &mut Context<'_>, wakes_at: Option<u64>) -> bool {
        let Some(at) = wakes_at else { return false };
        let at = self.core.instant(at);
        if self.timer.deadline() != at {
            self.timer.as_mut().reset(at);
        }
        self.timer.as_mut().poll(cx).is_ready()
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.pieces.has_remaining() {
            let mut slices = [IoSlice::new(&[]); WRITE_PIECES];
            let count = self.pieces.chunks_vectored(&mut slices);
            let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, &slices[..count]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.pieces.advance(written);
        }
        if !self.is_flushed {
            ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
            self.is_flushed = true;
        }
        Poll::Ready(Ok(()))
    }

    /// Reads once, and hands out what came. Says whether something did.
    fn read(&mut self, cx: &mut Context<'_>) -> Result<bool, Ended> {
        let bytes = match self.stream.poll_read_room(cx, self.decoder.room()) {
            Poll::Pending => 0,
            Poll::Ready(Err(error)) => return Err(broken(&error)),
            Poll::Ready(Ok(0)) => {
                let why = "the other side closed it".to_owned();
                return Err(Ended::Broken { was_closed: true, was_cut: false, why });
            }
            Poll::Ready(Ok(bytes)) => bytes,
        };
        // SAFETY: so many were read into the room just now.
        unsafe { self.decoder.advance(bytes) };
        let handled = self.take_frames(bytes > 0);
        let is_all = self.core.deliver();
        handled.map(|()| bytes > 0 || !is_all)
    }

    fn take_frames(&mut self, has_heard: bool) -> Result<(), Ended> {
        let broken = |why: String| Ended::Broken { was_closed: false, was_cut: false, why };
        if has_heard {
            let mut state = self.core.lock();
            let now = self.core.now();
            state.session.handle_heard(now);
        }
        while let Some(frame) = self.decoder.next().map_err(|error| broken(error.to_string()))? {
            let mut state = self.core.lock();
            let now = self.core.now();
            let handled = state.session.handle_frame(now, frame);
            self.core.tell_waiting(&state);
            handled.map_err(|violation| broken(violation.to_string()))?;
        }
        Ok(())
    }

    fn poll_last_words(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// How often a session whose socket is full looks at the clock.
const STUCK_NANOSECONDS: u64 = 100_000_000;

fn broken(error: &io::Error) -> Ended {
    let was_closed = matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::UnexpectedEof
    );
    Ended::Broken { was_closed, was_cut: is_of_the_way(error), why: error.to_string() }
}
