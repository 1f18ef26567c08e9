//! One connection to a peer that gives results.

use super::order::{Done, Fetch, Order};
use super::reading::{Lent, News, Reading};
use super::receiving::Receiving;
use super::shared::SharedMemory;
use super::step::{Proof, Step};
use super::times::Times;
use super::wire::{Arrival, Wire};
use super::{BulkError, Missing, TRANSFERS_MAX};
use crate::stream::Stream;
use bytes::{Bytes, BytesMut};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, Sleep};

/// A connection to a peer that gives.
pub(super) struct Line<'a> {
    wire: Wire,
    reading: Reading,
    orders: &'a mut UnboundedReceiver<Order>,
    transfers: BTreeMap<u32, Transfer>,
    next: u32,
    times: Times,
    timer: Pin<Box<Sleep>>,
}

struct Transfer {
    receiving: Receiving,
    /// What is to lie in the peer's memory beside the result.
    proof: Option<Proof>,
    /// What was read there; whether it is the result is for the peer to say.
    read: Option<Vec<Bytes>>,
    done: Done,
}

impl<'a> Line<'a> {
    pub fn new(stream: Stream, waiting: BytesMut, orders: &'a mut UnboundedReceiver<Order>, times: Times) -> Self {
        let reading = Reading::of(&stream);
        let wire = Wire::new(stream, waiting);
        let timer = Box::pin(tokio::time::sleep(times.unused));
        Self { wire, reading, orders, transfers: BTreeMap::new(), next: 0, times, timer }
    }

    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<BulkError> {
        match self.work(cx) {
            Ok(()) => Poll::Pending,
            Err(error) => Poll::Ready(error),
        }
    }

    fn work(&mut self, cx: &mut Context<'_>) -> Result<(), BulkError> {
        loop {
            let mut has_moved = false;
            let transfers = &mut self.transfers;
            let mut lend = |step: &Step, bytes: usize| match step {
                Step::Chunk { transfer, piece } => transfers.get_mut(transfer)?.receiving.lend(*piece, bytes),
                _ => None,
            };
            if let Poll::Ready(arrival) = self.wire.poll_next(cx, &mut lend) {
                self.handle(arrival?)?;
                has_moved = true;
            }
            while let Poll::Ready(news) = self.reading.poll_news(cx) {
                self.hear(news)?;
                has_moved = true;
            }
            while self.transfers.len() < TRANSFERS_MAX
                && let Poll::Ready(Some(order)) = self.orders.poll_recv(cx)
            {
                self.ask(order)?;
                has_moved = true;
            }
            let _ = self.wire.poll_write(cx).map_err(|error| BulkError::Lost(error.to_string()))?;
            if has_moved {
                let patience = if self.transfers.is_empty() { self.times.unused } else { self.times.silent };
                self.timer.as_mut().reset(Instant::now() + patience);
            } else if self.timer.as_mut().poll(cx).is_ready() {
                return Err(BulkError::Lost("nothing has come for a long time".to_owned()));
            } else {
                return Ok(());
            }
        }
    }

    fn ask(&mut self, order: Order) -> Result<(), BulkError> {
        let Order { fetch: Fetch { result, parts, reserved }, done } = order;
        let transfer = self.next;
        self.next = self.next.wrapping_add(1);
        let (receiving, proof) = (Receiving::new(reserved), self.reading.proof());
        let credit = receiving.first_credit();
        self.transfers.insert(transfer, Transfer { receiving, proof, read: None, done });
        self.wire.push(&Step::Request { transfer, result, parts, reserved, credit, proof }, None)
    }

    fn handle(&mut self, arrival: Arrival) -> Result<(), BulkError> {
        let Arrival { step, buffer } = arrival;
        match (step, buffer) {
            (Step::Opened { transfer, pieces }, None) => {
                let Some(open) = self.transfers.get_mut(&transfer) else { return Ok(()) };
                match open.receiving.open(&pieces) {
                    Ok(()) => self.finish(transfer),
                    Err(error) => {
                        self.end(transfer, Err(error));
                        self.wire.push(&Step::Cancel { transfer }, None)?;
                    }
                }
            }
            (Step::Chunk { transfer, piece }, Some(buffer)) => {
                let Some(open) = self.transfers.get_mut(&transfer) else { return Ok(()) };
                let bytes = open.receiving.take_back(piece, buffer)?;
                if bytes > 0 {
                    self.wire.push(&Step::Credit { transfer, bytes }, None)?;
                }
                self.finish(transfer);
            }
            (Step::Handles { transfer, files, pieces }, None) => self.take_memory(transfer, files, &pieces)?,
            (Step::Lent { transfer, proof, places }, None) => self.read(transfer, proof, places)?,
            (Step::Kept { transfer }, None) => self.keep(transfer)?,
            (Step::Refused { transfer, why }, None) => self.refused(transfer, why),
            // That it came is all that it says.
            (Step::Working { .. }, None) => {}
            _ => return Err(BulkError::Violation("whoever gives asked for something".to_owned())),
        }
        Ok(())
    }

    fn refused(&mut self, transfer: u32, why: Missing) {
        let Some(open) = self.transfers.get(&transfer) else { return };
        let error = match why {
            Missing::TooLarge(bytes) => BulkError::TooLarge { bytes, reserved: open.receiving.reserved() },
            why => BulkError::Missing(why),
        };
        self.end(transfer, Err(error));
    }

    /// The pieces lie in memory that the peer has handed over.
    fn take_memory(&mut self, transfer: u32, files: u32, pieces: &[(u32, u64, u64)]) -> Result<(), BulkError> {
        let violation = |error: &dyn std::fmt::Display| BulkError::Violation(error.to_string());
        let files =
            self.wire.take_files(files as usize).ok_or_else(|| violation(&"files that were named didn't come"))?;
        let Some(open) = self.transfers.get(&transfer) else { return Ok(()) };
        if !open.receiving.fits(pieces.iter().map(|(_, _, bytes)| *bytes)) {
            return Err(violation(&"memory came that isn't what was asked for"));
        }
        let came = SharedMemory::pieces_of(files, pieces).map_err(|error| violation(&error))?;
        self.end(transfer, Ok(came));
        Ok(())
    }

    /// The pieces lie in the peer's own memory.
    fn read(&mut self, transfer: u32, proof_at: u64, places: Vec<u64>) -> Result<(), BulkError> {
        let Some(open) = self.transfers.get_mut(&transfer) else { return Ok(()) };
        let lengths = open.receiving.lengths().filter(|lengths| lengths.len() == places.len());
        let (Some(proof), Some(lengths)) = (open.proof.take(), lengths) else {
            return Err(BulkError::Violation("memory was lent that isn't what was asked for".to_owned()));
        };
        self.reading.begin(transfer, Lent { proof, proof_at, pieces: places.into_iter().zip(lengths).collect() });
        Ok(())
    }

    fn hear(&mut self, news: News) -> Result<(), BulkError> {
        let (News::GoesOn { transfer, .. } | News::Over { transfer, .. }) = news;
        let Some(open) = self.transfers.get_mut(&transfer) else { return Ok(()) };
        let step = match news {
            // It says no more than that somebody is still at it.
            News::GoesOn { transfer, bytes } => Step::Credit { transfer, bytes },
            News::Over { came: Ok(pieces), .. } => {
                open.read = Some(pieces);
                Step::Read { transfer }
            }
            News::Over { came: Err(_), .. } => Step::Unreadable { transfer },
        };
        self.wire.push(&step, None)
    }

    /// What was read was there until then.
    fn keep(&mut self, transfer: u32) -> Result<(), BulkError> {
        let Some(open) = self.transfers.get_mut(&transfer) else { return Ok(()) };
        let pieces = open.read.take();
        let pieces = pieces.ok_or_else(|| BulkError::Violation("memory was kept that wasn't read".to_owned()))?;
        self.end(transfer, Ok(pieces));
        Ok(())
    }

    fn finish(&mut self, transfer: u32) {
        let whole = self.transfers.get_mut(&transfer).and_then(|open| open.receiving.finish());
        if let Some(pieces) = whole {
            self.end(transfer, Ok(pieces));
        }
    }

    fn end(&mut self, transfer: u32, result: Result<Vec<Bytes>, BulkError>) {
        if let Some(open) = self.transfers.remove(&transfer) {
            open.done.tell(result);
        }
    }

    /// The connection broke: those who were asked for are lost.
    pub fn fail(&mut self, error: &BulkError) {
        for (_, open) in std::mem::take(&mut self.transfers) {
            open.done.tell(Err(error.clone()));
        }
    }
}
