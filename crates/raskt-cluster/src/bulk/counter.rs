//! The side that gives results.

use super::handles::FILES_PER_STEP_MAX;
use super::lending::Lending;
use super::reply::{Found, Piece, Provide, Reply};
use super::sending::{Sending, cut};
use super::shared::SharedMemory;
use super::step::{Proof, Step};
use super::times::{Times, Working};
use super::wire::Wire;
use super::{BulkError, HANDLE_BYTES_MIN, LENT_BYTES_MIN, Missing, NAME_BYTES_MAX, PIECES_MAX, Part, TRANSFERS_MAX};
use crate::dial::Link;
use crate::hello::{Greeting, Purpose, Refusal};
use crate::listen::Keeper;
use crate::stream::Stream;
use bytes::{Bytes, BytesMut};
use std::future::poll_fn;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, Sleep};

/// Bytes of chunks that wait for the socket, at most.
const UNWRITTEN_BYTES: usize = 2 << 20;

#[derive(Debug)]
enum Answer {
    Found { transfer: u32, found: Found },
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

    pub(super) fn serve(&self, stream: Stream, waiting: BytesMut, times: Times) -> Serving {
        let (answers, answered) = unbounded_channel();
        static PEERS: AtomicU64 = AtomicU64::new(1);
        Serving {
            peer: PEERS.fetch_add(1, Ordering::Relaxed),
            wire: Wire::new(stream, waiting),
            provider: self.provider.clone(),
            answers,
            answered,
            asked: Vec::new(),
            copying: Vec::new(),
            lending: Lending::default(),
            sending: Sending::default(),
            handed: Vec::new(),
            working: Working::new(times.working),
            idle: times.idle,
            timer: Box::pin(tokio::time::sleep(times.idle)),
        }
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
        let mut serving = self.serve(link.stream, link.decoder.into_waiting(), Times::default());
        tokio::spawn(async move {
            let error = poll_fn(|cx| serving.poll(cx)).await;
            tracing::debug!("{from} fetches no more: {error}");
        });
    }
}

/// One connection of somebody who fetches.
pub(super) struct Serving {
    /// Which one of all that this process ever had.
    peer: u64,
    wire: Wire,
    provider: Arc<dyn Provide>,
    answers: UnboundedSender<Answer>,
    answered: UnboundedReceiver<Answer>,
    /// What was asked for and isn't found yet.
    asked: Vec<Asked>,
    /// What is being copied to memory that can be handed over.
    copying: Vec<u32>,
    /// What is read out of this process's memory.
    lending: Lending<Asked>,
    sending: Sending,
    /// Memory that is to be handed over when the socket is free.
    handed: Vec<(Step, Vec<Arc<OwnedFd>>)>,
    working: Working,
    idle: Duration,
    timer: Pin<Box<Sleep>>,
}

#[derive(Debug)]
struct Asked {
    transfer: u32,
    parts: Vec<Part>,
    reserved: u64,
    credit: u64,
    proof: Option<Proof>,
}

impl Serving {
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<BulkError> {
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
        has_moved |= self.say_working(cx)? && self.owed() == 0;
        loop {
            let written = self.wire.poll_write(cx).map_err(|error| BulkError::Lost(error.to_string()))?;
            if !self.fill(written.is_ready())? {
                has_moved |= written.is_ready() && unwritten > 0 || self.wire.unwritten() != unwritten;
                return self.keep_time(cx, has_moved);
            }
            has_moved = true;
        }
    }

    /// Says of what takes long that it is being seen to; whether it has.
    fn say_working(&mut self, cx: &mut Context<'_>) -> Result<bool, BulkError> {
        let is_work = !self.asked.is_empty() || !self.copying.is_empty();
        // Who doesn't take what there is isn't told more.
        if !self.working.is_due(cx, is_work) || self.wire.unwritten() > 0 {
            return Ok(false);
        }
        let asked = self.asked.iter().map(|asked| asked.transfer);
        for transfer in asked.chain(self.copying.iter().copied()) {
            self.wire.push(&Step::Working { transfer }, None)?;
        }
        Ok(true)
    }

    /// Whoever neither takes nor asks for anything holds nothing here for long. He may wait for what is looked for, as long as there is nothing
    /// that he could take.
    fn keep_time(&mut self, cx: &mut Context<'_>, has_moved: bool) -> Result<(), BulkError> {
        if has_moved {
            self.timer.as_mut().reset(Instant::now() + self.idle);
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
            Step::Request { transfer, result, parts, reserved, credit, proof } => {
                if result.len() > NAME_BYTES_MAX || parts.len() > PIECES_MAX {
                    return Err(BulkError::Violation("a request is too long".to_owned()));
                }
                if self.under_way() >= TRANSFERS_MAX * 2 {
                    return self.refuse(transfer, Missing::Busy);
                }
                self.asked.push(Asked { transfer, parts, reserved, credit, proof });
                let answers = self.answers.clone();
                let answer = move |found| _ = answers.send(Answer::Found { transfer, found });
                self.provider.provide(&result, Reply::new(self.peer, answer));
            }
            Step::Credit { transfer, bytes } => self.sending.add_credit(transfer, bytes),
            Step::Cancel { transfer } => {
                self.sending.cancel(transfer);
                self.asked.retain(|asked| asked.transfer != transfer);
                self.copying.retain(|copying| *copying != transfer);
                self.lending.take_back(transfer);
            }
            Step::Read { transfer } => {
                self.lending.take_back(transfer).ok_or_else(not_lent)?;
                self.wire.push(&Step::Kept { transfer }, None)?;
            }
            Step::Unreadable { transfer } => {
                let (asked, parts) = self.lending.take_back(transfer).ok_or_else(not_lent)?;
                self.share(asked, parts);
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
        } else if let Some(proof) = asked.proof.filter(|_| bytes >= LENT_BYTES_MIN) {
            let (proof, places) = self.lending.lend(transfer, proof, asked, parts);
            self.wire.push(&Step::Lent { transfer, proof, places }, None)?;
        } else {
            self.share(asked, parts);
        }
        Ok(())
    }

    /// Has them copied to memory that can be handed over.
    fn share(&mut self, asked: Asked, parts: Vec<Bytes>) {
        let answers = self.answers.clone();
        self.copying.push(asked.transfer);
        tokio::task::spawn_blocking(move || {
            let copied = SharedMemory::copied(&parts);
            let _ = answers.send(Answer::Copied { asked, copied, parts });
        });
    }

    fn under_way(&self) -> usize {
        self.asked.len() + self.copying.len() + self.owed()
    }

    /// Transfers that stand until whoever fetches takes more.
    fn owed(&self) -> usize {
        self.lending.len() + self.sending.len()
    }

    fn refuse(&mut self, transfer: u32, why: Missing) -> Result<(), BulkError> {
        self.wire.push(&Step::Refused { transfer, why }, None)
    }
}

fn not_lent() -> BulkError {
    BulkError::Violation("memory that isn't lent was read".to_owned())
}

struct Opened {
    parts: Vec<Bytes>,
    files: Option<Vec<SharedMemory>>,
    bytes: u64,
}
