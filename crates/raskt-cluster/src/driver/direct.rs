//! Writing by the thread that sends, while the thread of the network sleeps: so that a message which comes alone needs no other
//! thread to go out. What comes close upon another is left to the thread of the network, which writes many together.

use crate::frame::{Pieces, Squeeze, encode};
use crate::session::Session;
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
    /// The pump has something that isn't written yet.
    pub is_pump_writing: bool,
    /// What somebody else didn't write to its end.
    pub unwritten: Pieces,
}

impl Direct {
    /// None where bytes can't just be written (TLS), or there is no further handle to be had.
    pub fn of(stream: &Stream, squeeze: Squeeze) -> Option<Self> {
        let socket = match stream {
            Stream::Tcp(stream) => stream.as_fd().try_clone_to_owned(),
            Stream::Unix(stream) => stream.as_fd().try_clone_to_owned(),
            Stream::Quiet(stream) => stream.as_fd().try_clone_to_owned(),
            Stream::Tls(_) => return None,
        };
        Some(Self::on(socket.ok()?, squeeze))
    }

    fn on(socket: OwnedFd, squeeze: Squeeze) -> Self {
        Self { socket, squeeze, written_at: None, is_pump_writing: false, unwritten: Pieces::default() }
    }

    /// Sends what the session has to send, if there is little of it and the pump isn't at it; whether all of it is out.
    pub fn send(&mut self, session: &mut Session, now: u64) -> bool {
        if self.is_pump_writing || self.unwritten.has_remaining() {
            return false;
        }
        let before = self.written_at.replace(now);
        if before.is_some_and(|at| now.saturating_sub(at) < APART_NANOSECONDS) {
            return false;
        }
        let mut bytes = 0;
        while bytes < FEW_BYTES
            && let Some(frame) = session.poll_transmit(now)
        {
            bytes += frame.control.len() + frame.bulk.iter().map(Bytes::len).sum::<usize>();
            if encode(&frame, self.squeeze, &mut self.unwritten).is_err() {
                // What doesn't fit into a frame was refused when it was sent; the pump finds the gap, and another connection mends it.
                return false;
            }
        }
        // Copying much would keep others from the lock.
        if bytes < FEW_BYTES {
            self.write();
        }
        !self.unwritten.has_remaining() && !session.has_something_to_send() && session.lost().is_none()
    }

    /// Writes what the socket takes. An error is left to the next who writes.
    fn write(&mut self) {
        let pieces = &mut self.unwritten;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Decoder, Kind};
    use crate::session::{Limits, Payload};
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    /// Longer than what is written has to be apart.
    const LATER: u64 = 10 * APART_NANOSECONDS;

    /// A session that is up, with its connection, and the other end of that.
    struct Pair {
        session: Session,
        direct: Direct,
        theirs: UnixStream,
        now: u64,
    }

    impl Pair {
        fn new() -> Self {
            let (ours, theirs) = UnixStream::pair().unwrap();
            ours.set_nonblocking(true).unwrap();
            theirs.set_nonblocking(true).unwrap();
            let mut session = Session::new(Limits::default(), 0);
            session.handle_up(0, 0).unwrap();
            Self { session, direct: Direct::on(ours.into(), Squeeze::Never), theirs, now: 0 }
        }

        /// Sends a message of so many bytes, so much later than the last; whether it is out.
        fn send(&mut self, bytes: usize, later: u64) -> bool {
            self.now += later;
            self.session.send(Payload { control: vec![7; bytes].into(), bulk: vec![] }).unwrap();
            self.direct.send(&mut self.session, self.now)
        }

        /// All that can be read now.
        fn read(&mut self) -> Vec<u8> {
            let mut read = vec![];
            let _ = self.theirs.read_to_end(&mut read);
            read
        }
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
        let mut pair = Pair::new();
        assert!(pair.send(100, LATER));
        assert_eq!(frames(&pair.read()).len(), 1);
        assert!(!pair.send(100, 1));
        assert!(pair.read().is_empty());
        assert!(pair.send(100, LATER));
        let one = frames(&pair.read());
        assert!(one.len() == 1 && one[0] > 200, "both go as one frame: {one:?}");
    }

    #[test]
    fn a_pump_that_writes_is_not_disturbed() {
        let mut pair = Pair::new();
        pair.direct.is_pump_writing = true;
        assert!(!pair.send(10, LATER));
        assert!(pair.read().is_empty() && pair.session.has_something_to_send());
    }

    #[test]
    fn what_the_socket_does_not_take_is_left_in_its_order() {
        let mut pair = Pair::new();
        let mut sent = 1;
        while pair.send(20_000, LATER) {
            sent += 1;
        }
        assert!(pair.direct.unwritten.has_remaining());
        // Nobody writes before that is out.
        assert!(!pair.send(10, LATER));
        let mut all = pair.read();
        while pair.direct.unwritten.has_remaining() {
            pair.direct.write();
            all.extend(pair.read());
        }
        assert_eq!(frames(&all).len(), sent);
        assert!(pair.send(10, LATER));
        assert_eq!(frames(&pair.read()).len(), 1);
    }
}
