//! The side that wants results.

use super::receiving::Receiving;
use super::shared::SharedMemory;
use super::step::Step;
use super::wire::{Arrival, Wire};
use super::{BulkError, Missing, Part, TRANSFERS_MAX};
use crate::address::Address;
use crate::dial::{Link, dial};
use crate::driver::Own;
use crate::hello::{Identity, Purpose, Refusal, Role, SessionId};
use bytes::Bytes;
use raskt_sync::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, error::SendError, unbounded_channel};
use tokio::time::{Instant, Sleep};

/// A connection without work is closed after this long.
const IDLE: Duration = Duration::from_secs(60);
/// A peer that owes something and sends nothing is given up after this long. Whether it lives is known sooner by its session.
const SILENT: Duration = Duration::from_secs(60);

/// From whom results are fetched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Where it gives results, the best first: those of this host's file system before those of the network.
    pub addresses: Vec<Address>,
    /// As what it must be there.
    pub role: Role,
    /// Which process, in which of its lives, it must be, if that is known. Two hosts may have sockets of the same path, and who is
    /// started again at the same port has nothing of what it had.
    pub identity: Option<Identity>,
}

/// Which result is fetched, and what was reserved for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The name of the result.
    pub result: Vec<u8>,
    /// What of it; all if that is empty.
    pub parts: Vec<Part>,
    /// Bytes of memory that were reserved for it. If it has more, nothing is sent, and the error says how many.
    pub reserved: u64,
}

/// Fetches results of peers. Clones share their connections.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
}

struct Inner {
    own: Arc<Own>,
    handle: Handle,
    /// What waits there is bounded by those who ask: each has what it costs to ask, and would only have to ask again.
    lines: Mutex<HashMap<Source, UnboundedSender<Order>>>,
}

type Came = Result<Vec<Bytes>, BulkError>;

/// Who waits for a result. He is told once, whatever happens, and does no harm to others if he panics.
struct Done(Option<Box<dyn FnOnce(Came) + Send>>);

impl Done {
    fn tell(mut self, came: Came) {
        self.tell_once(came);
    }

    fn tell_once(&mut self, came: Came) {
        if let Some(done) = self.0.take()
            && catch_unwind(AssertUnwindSafe(|| done(came))).is_err()
        {
            tracing::error!("whoever waited for a result panicked when it came");
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.tell_once(Err(BulkError::Lost("the network has stopped".to_owned())));
    }
}

struct Order {
    fetch: Fetch,
    done: Done,
}

impl Fetcher {
    pub(crate) fn new(own: Arc<Own>, handle: Handle) -> Self {
        Self { inner: Arc::new(Inner { own, handle, lines: Mutex::new(HashMap::new()) }) }
    }

    /// Fetches a result of a peer, at the first of its addresses where it answers. `done` is called with its pieces, once, by the
    /// thread of transfers, and must not wait.
    pub fn fetch(
        &self,
        source: &Source,
        fetch: Fetch,
        done: impl FnOnce(Result<Vec<Bytes>, BulkError>) + Send + 'static,
    ) {
        let order = Order { fetch, done: Done(Some(Box::new(done))) };
        let mut lines = self.inner.lines.lock();
        let order = match lines.get(source).cloned() {
            None => order,
            Some(line) => match line.send(order) {
                Ok(()) => return,
                Err(SendError(order)) => order,
            },
        };
        let (line, orders) = unbounded_channel();
        // Its other end is here.
        let _ = line.send(order);
        lines.insert(source.clone(), line);
        self.inner.handle.spawn(self.inner.clone().serve(source.clone(), orders));
    }

    /// The same for a thread that has nothing else to do; never one of the network.
    pub fn fetch_and_wait(&self, source: &Source, fetch: Fetch) -> Result<Vec<Bytes>, BulkError> {
        let (sender, receiver) = std::sync::mpsc::channel();
        self.fetch(source, fetch, move |result| drop(sender.send(result)));
        receiver.recv().unwrap_or_else(|_| Err(BulkError::Unreached("the network has stopped".to_owned())))
    }

    /// Calls `then` by the thread of transfers once `pause` is over; never, if the network stops before.
    pub(crate) fn after(&self, pause: Duration, then: impl FnOnce() + Send + 'static) {
        self.inner.handle.spawn(async move {
            tokio::time::sleep(pause).await;
            then();
        });
    }
}

impl Inner {
    /// The task of one peer.
    async fn serve(self: Arc<Self>, source: Source, mut orders: UnboundedReceiver<Order>) {
        let error = match self.reach(&source).await {
            Ok(link) => {
                let mut line = Line::new(link, &mut orders);
                let error = poll_fn(|cx| line.poll(cx)).await;
                line.fail(&error);
                error
            }
            Err(refusal) if refusal.may_pass() => BulkError::Unreached(refusal.to_string()),
            Err(refusal) => BulkError::Refused(refusal.to_string()),
        };
        self.lines.lock().remove(&source);
        orders.close();
        while let Ok(order) = orders.try_recv() {
            // Nothing was said of these.
            let error = match &error {
                BulkError::Refused(_) | BulkError::Unreached(_) => error.clone(),
                error => BulkError::Unreached(error.to_string()),
            };
            order.done.tell(Err(error));
        }
    }

    async fn reach(&self, source: &Source) -> Result<Link, Refusal> {
        let mut last = Refusal::NotWanted("it has no address for results".to_owned());
        for address in &source.addresses {
            let session = SessionId::random()?;
            let mut greeting = self.own.greeting(session)?;
            greeting.purpose = Purpose::Transfers;
            let introduction = self.own.introduction.lock().clone();
            match dial(address, &self.own.options.security, greeting, &introduction, source.role).await {
                Ok(link) if source.identity.is_none_or(|identity| identity == link.peer.identity) => return Ok(link),
                Ok(link) => last = Refusal::NotWanted(format!("{address} is another process, {}", link.peer.identity)),
                Err(refusal) => last = refusal,
            }
        }
        Err(last)
    }
}

/// A connection to a peer that gives.
struct Line<'a> {
    wire: Wire,
    orders: &'a mut UnboundedReceiver<Order>,
    transfers: BTreeMap<u32, Transfer>,
    next: u32,
    timer: Pin<Box<Sleep>>,
}

struct Transfer {
    receiving: Receiving,
    done: Done,
}

impl<'a> Line<'a> {
    fn new(link: Link, orders: &'a mut UnboundedReceiver<Order>) -> Self {
        let wire = Wire::new(link.stream, link.decoder.into_waiting());
        Self { wire, orders, transfers: BTreeMap::new(), next: 0, timer: Box::pin(tokio::time::sleep(IDLE)) }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<BulkError> {
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
            while self.transfers.len() < TRANSFERS_MAX
                && let Poll::Ready(Some(order)) = self.orders.poll_recv(cx)
            {
                self.ask(order)?;
                has_moved = true;
            }
            let _ = self.wire.poll_write(cx).map_err(|error| BulkError::Lost(error.to_string()))?;
            if has_moved {
                let patience = if self.transfers.is_empty() { IDLE } else { SILENT };
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
        let receiving = Receiving::new(reserved);
        let credit = receiving.first_credit();
        self.transfers.insert(transfer, Transfer { receiving, done });
        self.wire.push(&Step::Request { transfer, result, parts, reserved, credit }, None)
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
            (Step::Refused { transfer, why }, None) => self.refused(transfer, why),
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
        let end = |piece: &(u32, u64, u64)| piece.1.checked_add(piece.2);
        let mut memories = vec![];
        for (file, number) in files.into_iter().zip(0..) {
            let ends = pieces.iter().filter(|piece| piece.0 == number).map(end);
            let bytes = ends.collect::<Option<Vec<_>>>().ok_or_else(|| violation(&"a piece has no end"))?;
            let bytes = bytes.into_iter().max().unwrap_or(0);
            memories.push(SharedMemory::open(Arc::new(file), bytes).map_err(|error| violation(&error))?);
        }
        let cut = |(file, from, bytes): &(u32, u64, u64)| {
            let memory = memories.get(*file as usize)?;
            Some(memory.bytes().slice(*from as usize..(from + bytes) as usize))
        };
        let result: Option<Vec<Bytes>> = pieces.iter().map(cut).collect();
        self.end(transfer, Ok(result.ok_or_else(|| violation(&"a piece lies in a file that didn't come"))?));
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
    fn fail(&mut self, error: &BulkError) {
        for (_, open) in std::mem::take(&mut self.transfers) {
            open.done.tell(Err(error.clone()));
        }
    }
}
