//! The side that wants results.

use super::BulkError;
use super::line::Line;
use super::order::{Done, Fetch, Order};
use super::times::Times;
use crate::address::Address;
use crate::dial::{Link, dial};
use crate::driver::Own;
use crate::hello::{Identity, Purpose, Refusal, Role, SessionId};
use bytes::Bytes;
use raskt_sync::Mutex;
use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, error::SendError, unbounded_channel};
use tokio::sync::oneshot;

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

/// Fetches results of peers. Clones share their connections.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
}

struct Inner {
    own: Arc<Own>,
    handle: Handle,
    lines: Mutex<Lines>,
}

#[derive(Default)]
struct Lines {
    open: HashMap<Source, Way>,
    /// How many there were.
    count: u64,
}

/// The way to the task of one peer.
struct Way {
    number: u64,
    /// What waits there is bounded by those who ask: each has what it costs to ask, and would only have to ask again.
    orders: UnboundedSender<Order>,
    /// Without it the peer is gone.
    _is_there: oneshot::Sender<()>,
}

impl Fetcher {
    pub(crate) fn new(own: Arc<Own>, handle: Handle) -> Self {
        Self { inner: Arc::new(Inner { own, handle, lines: Mutex::default() }) }
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
        let order = match lines.open.get(source).map(|way| way.orders.clone()) {
            None => order,
            Some(line) => match line.send(order) {
                Ok(()) => return,
                Err(SendError(order)) => order,
            },
        };
        let (line, orders) = unbounded_channel();
        // Its other end is here.
        let _ = line.send(order);
        let (_is_there, gone) = oneshot::channel();
        lines.count += 1;
        let number = lines.count;
        lines.open.insert(source.clone(), Way { number, orders: line, _is_there });
        // Where the network has stopped the order is answered here and now, and whoever hears of it may ask for something else.
        drop(lines);
        self.inner.handle.spawn(self.inner.clone().serve((source.clone(), number), orders, gone));
    }

    /// The same for a thread that has nothing else to do; never one of the network.
    pub fn fetch_and_wait(&self, source: &Source, fetch: Fetch) -> Result<Vec<Bytes>, BulkError> {
        let (sender, receiver) = std::sync::mpsc::channel();
        self.fetch(source, fetch, move |result| drop(sender.send(result)));
        receiver.recv().unwrap_or_else(|_| Err(BulkError::Unreached("the network has stopped".to_owned())))
    }

    /// A peer is known to be gone: whoever waits for something of it waits no longer. It may be asked again.
    pub fn drop_source(&self, source: &Source) {
        drop(self.inner.lines.lock().open.remove(source));
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
    /// The task of one peer, until nobody wants anything of it, or it is `gone`.
    async fn serve(
        self: Arc<Self>,
        (source, number): (Source, u64),
        mut orders: UnboundedReceiver<Order>,
        mut gone: oneshot::Receiver<()>,
    ) {
        let reached = tokio::select! {
            biased;
            _ = &mut gone => Err(has_left()),
            reached = self.reach(&source) => reached.map_err(|refusal| match refusal.may_pass() {
                true => BulkError::Unreached(refusal.to_string()),
                false => BulkError::Refused(refusal.to_string()),
            }),
        };
        let error = match reached {
            Ok(link) => {
                let mut line = Line::new(link.stream, link.decoder.into_waiting(), &mut orders, Times::default());
                let error = tokio::select! {
                    biased;
                    _ = &mut gone => has_left(),
                    error = poll_fn(|cx| line.poll(cx)) => error,
                };
                line.fail(&error);
                error
            }
            Err(error) => error,
        };
        self.lines.lock().end(&source, number);
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

impl Lines {
    /// A line is over; there may be another one to the same peer by now.
    fn end(&mut self, source: &Source, number: u64) {
        if self.open.get(source).is_some_and(|way| way.number == number) {
            self.open.remove(source);
        }
    }
}

fn has_left() -> BulkError {
    BulkError::Lost("it has left".into())
}
