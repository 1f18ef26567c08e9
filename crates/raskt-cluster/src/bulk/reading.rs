//! Results that are read out of the giver's memory.

use super::copying::copy;
use super::mapping::Mapping;
use super::peer_memory::PeerMemory;
use super::step::Proof;
use crate::frame::ALIGNMENT_BYTES;
use crate::random::random;
use crate::stream::Stream;
use bytes::Bytes;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// After so many bytes the giver is told that it goes on.
const NEWS_BYTES: usize = 256 << 20;

/// What is read over there by threads of their own, for one connection.
#[derive(Debug)]
pub(super) struct Reading {
    /// None if it can't be read.
    memory: Option<Arc<PeerMemory>>,
    news: UnboundedSender<News>,
    heard: UnboundedReceiver<News>,
}

/// What is heard of a transfer that is read.
#[derive(Debug)]
pub(super) enum News {
    /// So many bytes more are here.
    GoesOn { transfer: u32, bytes: u64 },
    /// All of it is here; or not, and will not be.
    Over { transfer: u32, came: Result<Vec<Bytes>, Unread> },
}

/// Why memory wasn't read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    /// Nothing of the process can be read, or it isn't the one.
    #[error("the memory of the process can't be read: {0}")]
    Process(io::Error),
    /// This can't be.
    #[error("a result in the memory of another process can't be read: {0}")]
    Pieces(io::Error),
}

/// Pieces in the memory of another process: where each begins, and how long it is.
#[derive(Debug)]
pub(super) struct Lent {
    pub proof: Proof,
    pub proof_at: u64,
    pub pieces: Vec<(u64, u64)>,
}

impl Reading {
    pub fn of(stream: &Stream) -> Self {
        let (news, heard) = unbounded_channel();
        Self { memory: PeerMemory::of(stream).map(Arc::new), news, heard }
    }

    /// What is to be found in the peer's memory, if that may be read.
    pub fn proof(&self) -> Option<Proof> {
        self.memory.as_ref().and_then(|_| random().ok())
    }

    /// Reads pieces; what becomes of them is among the news.
    pub fn begin(&self, transfer: u32, lent: Lent) {
        let (memory, news) = (self.memory.clone(), self.news.clone());
        tokio::task::spawn_blocking(move || {
            let came = match memory {
                Some(memory) => lent.read(&memory, tell(transfer, &news)),
                None => Err(Unread::Process(io::ErrorKind::PermissionDenied.into())),
            };
            let _ = news.send(News::Over { transfer, came });
        });
    }

    /// The next of the news.
    pub fn poll_news(&mut self, cx: &mut Context<'_>) -> Poll<News> {
        match self.heard.poll_recv(cx) {
            Poll::Ready(Some(news)) => {
                if let News::Over { came: Err(error), .. } = &news {
                    tracing::debug!("{error}");
                    if let Unread::Process(_) = error {
                        // It isn't tried again.
                        self.memory = None;
                    }
                }
                Poll::Ready(news)
            }
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}

/// Tells now and then how much more has come, and says whether anybody still waits for it.
fn tell(transfer: u32, news: &UnboundedSender<News>) -> impl FnMut(usize) -> bool + Send {
    let mut untold = 0;
    move |bytes| {
        untold += bytes;
        if untold >= NEWS_BYTES {
            let _ = news.send(News::GoesOn { transfer, bytes: std::mem::take(&mut untold) as u64 });
        }
        !news.is_closed()
    }
}

impl Lent {
    /// Copies the pieces, each to a multiple of 64 bytes. `goes_on` is told after each stride, and says whether there is to be another.
    pub fn read(&self, memory: &PeerMemory, goes_on: impl FnMut(usize) -> bool + Send) -> Result<Vec<Bytes>, Unread> {
        // It is looked at before, so that no foreign bytes are read, and afterwards, so that what came is of the same process.
        memory.has(&self.proof, self.proof_at).map_err(Unread::Process)?;
        let pieces = self.copy(memory, goes_on).map_err(Unread::Pieces)?;
        memory.has(&self.proof, self.proof_at).map_err(Unread::Process)?;
        Ok(pieces)
    }

    fn copy(&self, memory: &PeerMemory, goes_on: impl FnMut(usize) -> bool + Send) -> io::Result<Vec<Bytes>> {
        let ranges = self.ranges().ok_or(io::ErrorKind::OutOfMemory)?;
        let mut room = Mapping::private(ranges.last().map_or(0, |range| range.end))?;
        let places: Vec<_> = self.pieces.iter().map(|(from, _)| *from).zip(ranges.iter().cloned()).collect();
        copy(memory, room.as_mut_slice(), &places, goes_on)?;
        let whole = Bytes::from_owner(room);
        Ok(ranges.into_iter().map(|range| whole.slice(range)).collect())
    }

    /// Where the pieces come to lie; none if no memory is that large.
    fn ranges(&self) -> Option<Vec<Range<usize>>> {
        let mut end = 0_usize;
        let mut ranges = Vec::with_capacity(self.pieces.len());
        for (_, bytes) in &self.pieces {
            let start = end.checked_next_multiple_of(ALIGNMENT_BYTES)?;
            end = start.checked_add(usize::try_from(*bytes).ok()?)?;
            ranges.push(start..end);
        }
        Some(ranges)
    }
}
