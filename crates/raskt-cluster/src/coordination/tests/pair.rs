//! A scheduler's side and handles of clients, joined by channels instead of sockets.

use crate::coordination::*;
use crate::session::Lost;
use bytes::Bytes as Memory;
use raskt_schedule::Time;
use raskt_schedule::coordination::Session;
use raskt_sync::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A scheduler whose time goes on only when it is told.
pub struct World {
    server: Mutex<CoordinationServer>,
    now: AtomicU64,
    pub keeping: Mutex<Vec<Keeping>>,
}

/// When the time of the scheduler began.
pub const BEGAN: u64 = 1_000_000_000;

/// Time of the scheduler within which nothing ends.
pub const LONG: Duration = Duration::from_secs(60);

impl World {
    pub fn new() -> Arc<Self> {
        Self::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Arc<Self> {
        let (now, keeping) = (AtomicU64::new(0), Mutex::default());
        Arc::new(Self { server: Mutex::new(CoordinationServer::new(BEGAN, limits)), now, keeping })
    }

    /// A client in a session of its own.
    pub fn client(self: &Arc<Self>) -> Client {
        let handle = Coordination::refreshed_by_hand();
        let connections = Arc::new(Mutex::new((1, true)));
        let (session, hearing) = self.join(&handle, &connections);
        Client { world: self.clone(), handle, session, hearing, connections }
    }

    /// A session with a client. What it is told comes through a thread, as through a network.
    fn join(self: &Arc<Self>, handle: &Coordination, connections: &Connections) -> (Session, Hearing) {
        let (sender, told) = channel::<(Packed<Told>, Vec<Memory>)>();
        let sender = Mutex::new(sender);
        let tell: Tell = Box::new(move |packed, bulk| drop(sender.lock().send((packed, bulk))));
        let session = self.server.lock().arrived(tell);
        let hearing = handle.session();
        let hears = hearing.clone();
        std::thread::spawn(move || told.iter().for_each(|(packed, bulk)| hears.hear(packed, &bulk)));
        let connections = connections.clone();
        let carried = hearing.carried_by(Arc::new(Link { world: self.clone(), session, connections }));
        carried.expect("a scheduler");
        (session, hearing)
    }

    pub fn pass(&self, time: Duration) {
        self.change(|server, now| server.time_passed(now), time);
    }

    fn change(&self, change: impl FnOnce(&mut CoordinationServer, Time) -> Vec<Keeping>, passed: Duration) {
        let mut server = self.server.lock();
        let now = self.now.fetch_add(passed.as_nanos() as u64, Ordering::Relaxed) + passed.as_nanos() as u64;
        let keeping = change(&mut server, Time(now));
        self.keeping.lock().extend(keeping);
    }
}

/// How many there have been, and whether there is one.
type Connections = Arc<Mutex<(u64, bool)>>;

struct Link {
    world: Arc<World>,
    session: Session,
    connections: Connections,
}

impl Carrier for Link {
    fn connections(&self) -> (u64, bool) {
        *self.connections.lock()
    }

    fn carry(&self, ask: Packed<Ask>, bulk: Vec<Memory>) -> Result<(), String> {
        if !self.connections.lock().1 {
            // It would go with the next connection, which doesn't come.
            return Ok(());
        }
        // As it would be written and read on a wire.
        let bytes = postcard::to_stdvec(&ask).map_err(|error| error.to_string())?;
        let ask = postcard::from_bytes(&bytes).map_err(|error| error.to_string())?;
        self.world.change(|server, now| server.hear(now, self.session, ask, &bulk), Duration::ZERO);
        Ok(())
    }
}

/// A client; its session ends when it says so.
pub struct Client {
    world: Arc<World>,
    pub handle: Coordination,
    session: Session,
    hearing: Hearing,
    connections: Connections,
}

impl Client {
    /// The connection is gone, and what is asked from now on isn't heard.
    pub fn cut(&self) {
        self.connections.lock().1 = false;
    }

    /// There is another one.
    pub fn mend(&self) {
        let mut connections = self.connections.lock();
        *connections = (connections.0 + 1, true);
    }

    /// What is answered to a request.
    pub fn ask(&self, request: Request) -> Reply {
        self.handle.ask(request).expect("a scheduler")
    }

    /// Asks for what has to wait.
    pub fn request(&self, request: Request) -> Pending {
        self.handle.request(request).expect("a scheduler")
    }

    /// The session is over for both sides.
    pub fn end(&self) {
        self.world.change(|server, now| server.gone(now, self.session), Duration::ZERO);
        self.hearing.lost("the session is over");
    }

    /// The scheduler has begun anew, and may come to be told so.
    pub fn is_forgotten(&self) {
        self.world.change(|server, now| server.gone(now, self.session), Duration::ZERO);
        self.hearing.ended(&Lost::Forgotten("planted".into()));
    }

    /// It comes back in a new session.
    pub fn come_back(&mut self) {
        self.mend();
        (self.session, self.hearing) = self.world.join(&self.handle, &self.connections);
    }
}

pub fn lock(name: &str) -> Request {
    Request::AcquireLocks { names: vec![name.into()], count: 1, holder: 0, timeout: None }
}

pub fn unlock(name: &str) -> Request {
    Request::ReleaseLocks { names: vec![name.into()], holder: 0 }
}

pub fn put(name: &str, bytes: impl Into<Bytes>) -> Request {
    Request::Put { name: name.into(), value: Value { bytes: bytes.into(), results: vec![] }, timeout: None }
}

pub fn get(name: &str, timeout: Option<u64>) -> Request {
    Request::Get { name: name.into(), timeout }
}

/// The bytes of the one value of a reply.
pub fn value(reply: &Reply) -> Vec<u8> {
    match reply {
        Reply::Values { values, .. } if values.len() == 1 => values[0].bytes.0.to_vec(),
        other => panic!("a value was expected, and not {other:?}"),
    }
}
