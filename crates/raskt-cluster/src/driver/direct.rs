//! Writing by the thread that sends, while the thread of the network sleeps: so that a message which comes alone needs no other
//! thread to go out. What comes close upon another is left to the thread of the network, which writes many together.

use super::core::{Core, State};
use crate::frame::{Pieces, Squeeze, encode};
use crate::stream::Stream;
use bytes::{Buf, Bytes};
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};
use std::io::IoSlice;
use std::os::fd::{AsFd, OwnedFd};

/// Who has written within this time leaves what comes next to the thread of the network.
const APART_NANOSECONDS: u64 = 50_000;

/// More bytes than these are left to it as well: the lock is held meanwhile.
const FEW_BYTES: usize = 32 << 10;

/// Pieces of memory that go into one call of the system.
const PIECES: usize = 16;

/// The connection, for others than the thread of the network.
#[derive(Debug)]
pub(super) struct Direct {
    /// Another handle on the socket, which takes what fits and never waits.
    socket: OwnedFd,
    squeeze: Squeeze,
    written_at: Option<u64>,
}

impl Direct {
    /// None where bytes can't just be written (TLS), or there is no further handle to be had.
    pub fn of(stream: &Stream, squeeze: Squeeze) -> Option<Self> {
        let socket = match stream {
            Stream::Tcp(stream) => stream.as_fd().try_clone_to_owned(),
            Stream::Unix(stream) => stream.as_fd().try_clone_to_owned(),
            Stream::Tls(_) => return None,
        };
        Some(Self { socket: socket.ok()?, squeeze, written_at: None })
    }

    /// Writes what the socket takes. An error is left to the next who writes.
    fn write(&self, pieces: &mut Pieces) {
        while pieces.has_remaining() {
            let mut slices = [IoSlice::new(&[]); PIECES];
            let count = pieces.chunks_vectored(&mut slices);
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match sendmsg(&self.socket, &slices[..count], &mut SendAncillaryBuffer::default(), flags) {
                Ok(written) if written > 0 => pieces.advance(written),
                _ => return,
            }
        }
    }
}

impl State {
    /// Sends what the session has to send, if the pump sleeps and there is little of it; whether all of it is out.
    pub fn write_directly(&mut self, core: &Core) -> bool {
        let now = core.now();
        let is_free = self.waker.is_some() && !self.is_writing && !self.unwritten.has_remaining();
        let Some(direct) = self.direct.as_mut().filter(|_| is_free) else { return false };
        let before = direct.written_at.replace(now);
        if before.is_some_and(|at| now.saturating_sub(at) < APART_NANOSECONDS) {
            return false;
        }
        self.session.handle_taken(now, core.newly_taken());
        let mut bytes = 0;
        while bytes < FEW_BYTES
            && let Some(frame) = self.session.poll_transmit(now)
        {
            bytes += frame.control.len() + frame.bulk.iter().map(Bytes::len).sum::<usize>();
            if encode(&frame, direct.squeeze, &mut self.unwritten).is_err() {
                // What doesn't fit into a frame was refused when it was sent; the pump finds the gap, and another connection mends it.
                return false;
            }
        }
        // Copying much would keep others from the lock.
        if bytes < FEW_BYTES {
            direct.write(&mut self.unwritten);
        }
        let is_out = !self.unwritten.has_remaining() && !self.session.has_something_to_send();
        is_out && self.session.lost().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Decoder, Kind};
    use crate::session::{Limits, Payload};
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::task::Waker;

    /// A session that is up, whose pump sleeps, and the other end of its connection.
    fn sleeping() -> (Arc<Core>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        theirs.set_nonblocking(true).unwrap();
        let core = Core::new(Limits::default());
        let mut state = core.lock();
        state.session.handle_up(0, 0).unwrap();
        state.waker = Some(Waker::noop().clone());
        state.direct = Some(Direct { socket: ours.into(), squeeze: Squeeze::Never, written_at: None });
        drop(state);
        (core, theirs)
    }

    fn send(core: &Core, bytes: usize) -> bool {
        let mut state = core.lock();
        state.session.send(Payload { control: vec![7; bytes].into(), bulk: vec![] }).unwrap();
        state.write_directly(core)
    }

    fn forget_when(core: &Core) {
        core.lock().direct.as_mut().unwrap().written_at = None;
    }

    /// All that can be read now.
    fn read(theirs: &mut UnixStream) -> Vec<u8> {
        let mut read = vec![];
        let _ = theirs.read_to_end(&mut read);
        read
    }

    /// The bytes of control of the frames that these are.
    fn frames(bytes: &[u8]) -> Vec<usize> {
        let mut decoder = Decoder::new();
        let (mut frames, mut at) = (vec![], 0);
        loop {
            while let Some(frame) = decoder.next().unwrap() {
                assert_eq!(frame.kind, Kind::Messages);
                frames.push(frame.control.len());
            }
            if at == bytes.len() {
                return frames;
            }
            let room = decoder.room();
            let count = room.len().min(bytes.len() - at);
            room[..count].write_copy_of_slice(&bytes[at..at + count]);
            // SAFETY: so many were written just now.
            unsafe { decoder.advance(count) };
            at += count;
        }
    }

    #[test]
    fn what_comes_alone_is_written_at_once_and_what_follows_is_left() {
        let (core, mut theirs) = sleeping();
        assert!(send(&core, 100));
        assert_eq!(frames(&read(&mut theirs)).len(), 1);
        core.lock().direct.as_mut().unwrap().written_at = Some(core.now());
        assert!(!send(&core, 100));
        assert!(read(&mut theirs).is_empty());
        forget_when(&core);
        assert!(send(&core, 100));
        let one = frames(&read(&mut theirs));
        assert!(one.len() == 1 && one[0] > 200, "both go as one frame: {one:?}");
    }

    #[test]
    fn a_pump_that_is_awake_or_writes_is_not_disturbed() {
        for disturb in [|state: &mut State| state.waker = None, |state: &mut State| state.is_writing = true] {
            let (core, mut theirs) = sleeping();
            disturb(&mut core.lock());
            assert!(!send(&core, 10));
            assert!(read(&mut theirs).is_empty() && core.lock().session.has_something_to_send());
        }
    }

    #[test]
    fn what_the_socket_does_not_take_is_left_in_its_order() {
        let (core, mut theirs) = sleeping();
        let mut sent = 0;
        while {
            forget_when(&core);
            sent += 1;
            send(&core, 20_000)
        } {}
        assert!(core.lock().unwritten.has_remaining());
        // Nobody writes before that is out.
        forget_when(&core);
        assert!(!send(&core, 10));
        let mut all = read(&mut theirs);
        let mut unwritten = std::mem::take(&mut core.lock().unwritten);
        while unwritten.has_remaining() {
            core.lock().direct.as_ref().unwrap().write(&mut unwritten);
            all.extend(read(&mut theirs));
        }
        assert_eq!(frames(&all).len(), sent);
        forget_when(&core);
        assert!(send(&core, 10));
        assert_eq!(frames(&read(&mut theirs)).len(), 1);
    }
}
