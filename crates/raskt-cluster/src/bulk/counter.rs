//! The side that gives results.

use super::handles::FILES_PER_STEP_MAX;
use super::sending::{Sending, cut};
use super::shared::SharedMemory;
use super::step::Step;
use super::wire::Wire;
use super::{BulkError, HANDLE_BYTES_MIN, Missing, NAME_BYTES_MAX, PIECES_MAX, Part, TRANSFERS_MAX};
use crate::dial::Link;
use crate::hello::{Greeting, Purpose, Refusal};
use crate::listen::Keeper;
use bytes::Bytes;
use std::future::poll_fn;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, Sleep};

/// A connection over which nothing goes is closed after this long: twice as long as whoever fetches would wait.
const IDLE: Duration = Duration::from_secs(120);
/// Bytes of chunks that wait for the socket, at most.
const UNWRITTEN_BYTES: usize = 2 << 20;

/// Finds results. It is called by the thread of transfers and must not wait; the reply may be given later, by anybody.
pub trait Provide: Send + Sync + 'static {
    /// Gives the pieces of a result to whoever asks for it by its name.
    fn provide(&self, result: &[u8], reply: Reply);
}

/// One piece of a result.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Memory of this process.
    Own(Bytes),
    /// Memory that can be handed over as it is.
    Shared(SharedMemory),
}

impl Piece {
    fn bytes(&self) -> &Bytes {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(memory) => memory.bytes(),
        }
    }
}

/// Whoever has asked waits for this. Dropped, it says that the result isn't there.
#[derive(Debug)]
pub struct Reply(Option<(u32, UnboundedSender<Answer>)>);

impl Reply {
    /// There it is.
    pub fn give(mut self, pieces: Vec<Piece>) {
        self.answer(Ok(pieces));
    }

    /// There it isn't.
    pub fn refuse(mut self, why: Missing) {
        self.answer(Err(why));
    }

    fn answer(&mut self, found: Result<Vec<Piece>, Missing>) {
        if let Some((transfer, answers)) = self.0.take() {
            let _ = answers.send(Answer::Found { transfer, found });
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.answer(Err(Missing::NotThere));
    }
}

#[derive(Debug)]
enum Answer {
    Found { transfer: u32, found: Result<Vec<Piece>, Missing> },
    Copied { asked: Asked, copied: std::io::Result<(SharedMemory, Vec<u64>)>, parts: Vec<Bytes> },
}

/// Serves whoever comes for results.
pub(crate) struct Counter {
    provider: Arc<dyn Provide>,
}

impl Counter {
    pub fn new(provider: Arc<dyn Provide>) -> Self {
        Self { provider }
    }
}

impl Keeper for Counter {
    fn admit(&self, peer: &Greeting) -> Result<(u64, bool), Refusal> {
        let is_right = peer.purpose == Purpose::Transfers;
        if is_right {
            Ok((0, false))
        } else {
            Err(Refusal::NotWanted("results are given here, and no messages taken".to_owned()))
        }
    }

    fn enter(&self, link: Link, from: String) {
        let (answers, answered) = unbounded_channel();
        let Link { stream, decoder, .. } = link;
        let mut serving = Serving {
            wire: Wire::new(stream, decoder.into_waiting()),
            provider: self.provider.clone(),
            answers,
            answered,
            asked: Vec::new(),
            copying: Vec::new(),
            sending: Sending::default(),
            handed: Vec::new(),
            timer: Box::pin(tokio::time::sleep(IDLE)),
        };
        tokio::spawn(async move {
            let error = poll_fn(|cx| serving.poll(cx)).await;
            tracing::debug!("{from} fetches no more: {error}");
        });
    }
}

/// One connection of somebody who fetches.
struct Serving {
    wire: Wire,
    provider: Arc<dyn Provide>,
    answers: UnboundedSender<Answer>,
    answered: UnboundedReceiver<Answer>,
    /// What was asked for and isn't found yet.
    asked: Vec<Asked>,
    /// What is being copied to memory that can be handed over.
    copying: Vec<u32>,
    sending: Sending,
    /// Memory that is to be handed over when the socket is free.
    handed: Vec<(Step, Vec<Arc<OwnedFd>>)>,
    timer: Pin<Box<Sleep>>,
}

#[derive(Debug)]
struct Asked {
    transfer: u32,
    parts: Vec<Part>,
    reserved: u64,
    credit: u64,
}

impl Serving {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<BulkError> {
        match self.work(cx) {
            Ok(()) => Poll::Pending,
            Err(error) => Poll::Ready(error),
        }
    }

    fn work(&mut self, cx: &mut Context<'_>) -> Result<(), BulkError> {
        let unwritten = self.wire.unwritten();
        let mut has_moved = false;
        while let Poll::Ready(arrival) = self.wire.poll_next(cx, &mut |_, _| None) {
            self.handle(arrival?.step)?;
            has_moved = true;
        }
        while let Poll::Ready(Some(answer)) = self.answered.poll_recv(cx) {
            self.handle_answer(answer)?;
        }
        loop {
            let written = self.wire.poll_write(cx).map_err(|error| BulkError::Lost(error.to_string()))?;
            if !self.fill(written.is_ready())? {
                has_moved |= written.is_ready() && unwritten > 0 || self.wire.unwritten() != unwritten;
                return self.keep_time(cx, has_moved);
            }
            has_moved = true;
        }
    }

    /// Whoever neither takes nor asks for anything holds nothing here for long.
    fn keep_time(&mut self, cx: &mut Context<'_>, has_moved: bool) -> Result<(), BulkError> {
        if has_moved {
            self.timer.as_mut().reset(Instant::now() + IDLE);
        }
        match self.timer.as_mut().poll(cx) {
            Poll::Ready(()) => Err(BulkError::Lost("nobody took or asked for anything for a long time".to_owned())),
            Poll::Pending => Ok(()),
        }
    }

    /// Takes what is to be written next; says whether there was something.
    fn fill(&mut self, is_free: bool) -> Result<bool, BulkError> {
        if is_free && let Some((step, files)) = self.handed.pop() {
            self.wire.push_with_files(&step, files)?;
            return Ok(true);
        }
        // Memory that waits to be handed over needs a socket that is free.
        if self.wire.unwritten() > UNWRITTEN_BYTES || !self.handed.is_empty() {
            return Ok(false);
        }
        let Some((step, chunk)) = self.sending.next_chunk() else { return Ok(false) };
        self.wire.push(&step, Some(chunk))?;
        Ok(is_free)
    }

    fn handle(&mut self, step: Step) -> Result<(), BulkError> {
        match step {
            Step::Request { transfer, result, parts, reserved, credit } => {
                if result.len() > NAME_BYTES_MAX || parts.len() > PIECES_MAX {
                    return Err(BulkError::Violation("a request is too long".to_owned()));
                }
                if self.asked.len() + self.copying.len() + self.sending.len() >= TRANSFERS_MAX * 2 {
                    return self.refuse(transfer, Missing::Busy);
                }
                self.asked.push(Asked { transfer, parts, reserved, credit });
                self.provider.provide(&result, Reply(Some((transfer, self.answers.clone()))));
            }
            Step::Credit { transfer, bytes } => self.sending.add_credit(transfer, bytes),
            Step::Cancel { transfer } => {
                self.sending.cancel(transfer);
                self.asked.retain(|asked| asked.transfer != transfer);
                self.copying.retain(|copying| *copying != transfer);
            }
            _ => return Err(BulkError::Violation("whoever fetches gave something".to_owned())),
        }
        Ok(())
    }

    fn handle_answer(&mut self, answer: Answer) -> Result<(), BulkError> {
        match answer {
            Answer::Found { transfer, found } => {
                // It may have been cancelled meanwhile.
                let Some(at) = self.asked.iter().position(|asked| asked.transfer == transfer) else { return Ok(()) };
                let asked = self.asked.swap_remove(at);
                match found.and_then(|pieces| self.open(&asked, pieces)) {
                    Ok(opened) => self.begin(asked, opened),
                    Err(why) => self.refuse(transfer, why),
                }
            }
            Answer::Copied { asked: Asked { transfer, credit, .. }, copied, parts } => {
                // It may have been cancelled meanwhile.
                let Some(at) = self.copying.iter().position(|copying| *copying == transfer) else { return Ok(()) };
                self.copying.swap_remove(at);
                match copied {
                    Ok((memory, offsets)) => {
                        let pieces = offsets.into_iter().zip(&parts);
                        let pieces = pieces.map(|(offset, part)| (0, offset, part.len() as u64)).collect();
                        self.handed.push((Step::Handles { transfer, files: 1, pieces }, vec![memory.file().clone()]));
                    }
                    // The system has no memory to share, or doesn't let go of it: then it goes through the socket.
                    Err(error) => {
                        tracing::debug!("memory can't be shared: {error}");
                        self.sending.begin(transfer, parts, credit);
                    }
                }
                Ok(())
            }
        }
    }

    /// The parts that are wanted, and where they lie if that is shared memory.
    fn open(&self, asked: &Asked, pieces: Vec<Piece>) -> Result<Opened, Missing> {
        let files =
            pieces.iter().map(|piece| if let Piece::Shared(memory) = piece { Some(memory.clone()) } else { None });
        let is_few = pieces.len() <= FILES_PER_STEP_MAX && asked.parts.is_empty();
        let files: Option<Vec<_>> = if is_few { files.collect() } else { None };
        let parts = cut(pieces.iter().map(|piece| piece.bytes().clone()).collect(), &asked.parts)?;
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        if parts.len() > PIECES_MAX {
            return Err(Missing::Failed(format!("it has {} pieces, and {PIECES_MAX} can be sent", parts.len())));
        }
        if bytes > asked.reserved { Err(Missing::TooLarge(bytes)) } else { Ok(Opened { parts, files, bytes }) }
    }

    fn begin(&mut self, asked: Asked, opened: Opened) -> Result<(), BulkError> {
        let (transfer, Opened { parts, files, bytes }) = (asked.transfer, opened);
        let lengths: Vec<u64> = parts.iter().map(|part| part.len() as u64).collect();
        self.wire.push(&Step::Opened { transfer, pieces: lengths.clone() }, None)?;
        if !self.wire.takes_files() || bytes < HANDLE_BYTES_MIN {
            self.sending.begin(transfer, parts, asked.credit);
        } else if let Some(memories) = files {
            let pieces = lengths.iter().zip(0..).map(|(length, file)| (file, 0, *length)).collect();
            let files: Vec<_> = memories.iter().map(|memory| memory.file().clone()).collect();
            self.handed.push((Step::Handles { transfer, files: files.len() as u32, pieces }, files));
        } else {
            let answers = self.answers.clone();
            self.copying.push(transfer);
            tokio::task::spawn_blocking(move || {
                let copied = SharedMemory::copied(&parts);
                let _ = answers.send(Answer::Copied { asked, copied, parts });
            });
        }
        Ok(())
    }

    fn refuse(&mut self, transfer: u32, why: Missing) -> Result<(), BulkError> {
        self.wire.push(&Step::Refused { transfer, why }, None)
    }
}

struct Opened {
    parts: Vec<Bytes>,
    files: Option<Vec<SharedMemory>>,
    bytes: u64,
}
