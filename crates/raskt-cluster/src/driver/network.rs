//! The thread of the network, and what it is told.

use super::beats::{Beats, Open};
use super::calls::{Call, keep_calling};
use super::core::{Core, Inbox};
use super::outbox::Outbox;
use super::own::{NetworkOptions, Own};
use super::sessions::{Desk, Host, Sessions};
use crate::address::Address;
use crate::bulk::{Counter, Fetcher, Provide};
use crate::hello::{Introduction, Role, SessionId};
use crate::listen::{Door, DoorOptions, Keeper, ListenError, Refused, log_refused};
use crate::security::InsecureError;
use crate::session::Session;
use raskt_sync::{Mutex, guard};
use std::io;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// All connections of a process, on threads of their own. When this goes, sessions end without a
/// word to their peers; [`close`](Self::close) them first. It waits for a call of an inbox that is going on.
pub struct Network {
    own: Arc<Own>,
    handle: Handle,
    bulk: Handle,
    open: Arc<Open>,
    threads: Vec<Thread>,
    beats: Beats,
}

/// A door that is open as long as this is kept.
pub struct Listening {
    address: Address,
    task: tokio::task::AbortHandle,
}

impl Listening {
    /// Where it really listens.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Network {
    /// Starts the threads: one for messages, one for what is large.
    pub fn start(options: NetworkOptions) -> io::Result<Self> {
        let introduction = Arc::new(Mutex::new(options.introduction.clone()));
        let (control, bulk) = (Thread::start("raskt-network")?, Thread::start("raskt-bulk")?);
        let (handle, bulk_handle) = (control.handle.clone(), bulk.handle.clone());
        let open = Arc::<Open>::default();
        let beats = Beats::start(open.clone())?;
        let own = Arc::new(Own { options, introduction });
        Ok(Self { own, handle, bulk: bulk_handle, open, threads: vec![control, bulk], beats })
    }

    /// What its sessions have in common.
    pub fn options(&self) -> &NetworkOptions {
        &self.own.options
    }

    /// Listens, if that is safe, and lets in those who come in one of these roles.
    pub fn listen(&self, address: &Address, accepts: &[Role], host: impl Host) -> Result<Listening, ListenError> {
        self.listen_with(address, accepts, host, log_refused())
    }

    /// The same; those who aren't let in are told of to `refused`.
    pub fn listen_with(
        &self,
        address: &Address,
        accepts: &[Role],
        host: impl Host,
        refused: Refused,
    ) -> Result<Listening, ListenError> {
        let options = self.door_options(address, accepts, refused)?;
        let sessions = Arc::new(Sessions::new(self.own.clone(), Box::new(host)));
        self.open.add_door(&sessions);
        open_door(&self.handle, address, options, Arc::new(Desk(sessions)))
    }

    /// Gives results to those who fetch them, at an address of its own, which belongs into the introduction.
    pub fn serve_results(
        &self,
        address: &Address,
        accepts: &[Role],
        provider: Arc<dyn Provide>,
    ) -> Result<Listening, ListenError> {
        let options = self.door_options(address, accepts, log_refused())?;
        open_door(&self.bulk, address, options, Arc::new(Counter::new(provider)))
    }

    /// Fetches results of others.
    pub fn fetcher(&self) -> Fetcher {
        Fetcher::new(self.own.clone(), self.bulk.clone())
    }

    /// What the process says of itself.
    pub fn introduced(&self) -> Introduction {
        self.own.introduction.lock().clone()
    }

    /// What the process says of itself to those who come from now on.
    pub fn introduce(&self, introduction: Introduction) {
        *self.own.introduction.lock() = introduction;
    }

    fn door_options(&self, address: &Address, accepts: &[Role], refused: Refused) -> Result<DoorOptions, ListenError> {
        let own = self.own.greeting(SessionId(0));
        let own = own.map_err(|source| ListenError::Socket { address: address.to_string(), source })?;
        let security = self.own.options.security.clone();
        Ok(DoorOptions {
            security,
            accepts: accepts.to_vec(),
            own,
            introduction: self.own.introduction.clone(),
            refused,
        })
    }

    /// Begins a session with whoever listens there, who must be an `expects`. It is called until it answers, for as long as a
    /// session may be resumed; the inbox hears of everything.
    pub fn connect<Out>(&self, address: &Address, expects: Role, inbox: Arc<dyn Inbox>) -> io::Result<Outbox<Out>> {
        let core = Core::new(self.own.options.limits.clone());
        core.set_inbox(inbox);
        self.open.add(&core);
        let peer = Arc::new(Mutex::new(None));
        let call = Call { address: address.clone(), expects, session: SessionId::random()?, peer: peer.clone() };
        self.handle.spawn(keep_calling(core.clone(), self.own.clone(), call));
        Ok(Outbox::new(core, peer))
    }

    /// An error if what is known here wouldn't do to call `address`.
    pub fn check_dialing(&self, address: &Address) -> Result<(), InsecureError> {
        self.own.options.security.check_dialing(address)
    }

    /// Calls something that doesn't wait every so often, as long as the thread for messages goes on.
    pub fn repeat(&self, every: Duration, call: impl Fn() + Send + 'static) {
        self.handle.spawn(async move {
            loop {
                call();
                tokio::time::sleep(every).await;
            }
        });
    }

    /// Ends all sessions, and waits until what was sent has arrived, but no longer than `patience`. Says whether all has.
    pub fn close(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let open = self.open.all();
        open.iter().for_each(|core| core.close());
        open.iter().all(|core| core.wait_for_end(deadline))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let open = self.open.all();
        self.beats.stop();
        self.threads.clear();
        // Nobody else calls inboxes any more.
        for core in open {
            core.change(Session::abandon);
            core.deliver_all();
        }
    }
}

/// Listens on the thread of `handle`, and keeps the door there.
fn open_door(
    handle: &Handle,
    address: &Address,
    options: DoorOptions,
    keeper: Arc<dyn Keeper>,
) -> Result<Listening, ListenError> {
    let (sender, opened) = mpsc::channel();
    let wanted = address.clone();
    let task = handle.spawn(async move {
        match Door::open(&wanted, options).await {
            Ok(door) => {
                let door = Arc::new(door);
                let _ = sender.send(Ok(door.address().clone()));
                door.keep(keeper).await;
            }
            Err(error) => drop(sender.send(Err(error))),
        }
    });
    let stopped =
        || ListenError::Socket { address: address.to_string(), source: io::Error::other("the network has stopped") };
    let address = opened.recv().unwrap_or_else(|_| Err(stopped()))?;
    Ok(Listening { address, task: task.abort_handle() })
}

/// A thread that does nothing but what tasks of the network need.
struct Thread {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Messages may be nested, and are read by functions that call each other.
const STACK_BYTES: usize = 8 << 20;

impl Thread {
    fn start(name: &str) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(run)?;
        Ok(Self { handle, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        let stop = self.stop.take();
        // Where somebody has closed all files of the process it can't be woken, and isn't waited for.
        let is_woken = guard(|| drop(stop)).is_ok();
        let thread = self.thread.take().filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = thread.filter(|thread| is_woken || thread.is_finished()) {
            let _ = thread.join();
        }
    }
}
