//! The thread of the network, and what it is told.

use super::calls::{Call, keep_calling};
use super::core::{Core, Inbox};
use super::outbox::Outbox;
use super::sessions::{Desk, Host, Sessions};
use crate::address::Address;
use crate::frame::Squeeze;
use crate::hello::{Greeting, Identity, Introduction, Role, SessionId};
use crate::listen::{Door, DoorOptions, ListenError, Refused, log_refused};
use crate::security::Security;
use crate::session::Limits;
use raskt_sync::Mutex;
use std::io;
use std::sync::{Arc, Weak, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// What all sessions of a process have in common.
#[derive(Clone, Debug)]
pub struct NetworkOptions {
    /// As what it comes, and listens.
    pub role: Role,
    /// Which process it is.
    pub identity: Identity,
    /// What it says of itself.
    pub introduction: Introduction,
    /// What peers are known by.
    pub security: Security,
    /// What sessions are held to.
    pub limits: Limits,
    /// How frames are compressed.
    pub squeeze: Squeeze,
}

impl NetworkOptions {
    /// With what is usual, for a process that was just started.
    pub fn new(role: Role, security: Security) -> io::Result<Self> {
        Ok(Self {
            role,
            identity: Identity::random()?,
            introduction: Introduction::default(),
            security,
            limits: Limits::default(),
            squeeze: Squeeze::Never,
        })
    }
}

/// All connections of a process, on a thread of their own. When this goes, sessions end without a word; [`close`](Self::close) them first.
pub struct Network {
    own: Arc<Own>,
    handle: Handle,
    cores: Mutex<Vec<Weak<Core>>>,
    doors: Mutex<Vec<Weak<Sessions>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What its tasks know of the process.
pub(super) struct Own {
    pub options: NetworkOptions,
}

impl Own {
    pub fn greeting(&self, session: SessionId) -> io::Result<Greeting> {
        let mut greeting = Greeting::new(self.options.role, self.options.identity, session)?;
        greeting.window_bytes = self.options.limits.window_bytes;
        Ok(greeting)
    }
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
    /// Starts the thread.
    pub fn start(options: NetworkOptions) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("raskt-network".to_owned()).spawn(run)?;
        let own = Arc::new(Own { options });
        let (cores, doors) = Default::default();
        Ok(Self { own, handle, cores, doors, stop: Some(stop), thread: Some(thread) })
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
        let socket = |source| ListenError::Socket { address: address.to_string(), source };
        let own = self.own.greeting(SessionId(0)).map_err(socket)?;
        let options = &self.own.options;
        let options = DoorOptions {
            security: options.security.clone(),
            accepts: accepts.to_vec(),
            own,
            introduction: options.introduction.clone(),
            refused,
        };
        let sessions = Arc::new(Sessions::new(self.own.clone(), Box::new(host), None));
        self.doors.lock().push(Arc::downgrade(&sessions));
        let (sender, opened) = mpsc::channel();
        let wanted = address.clone();
        let task = self.handle.spawn(async move {
            match Door::open(&wanted, options).await {
                Ok(door) => {
                    let door = Arc::new(door);
                    let _ = sender.send(Ok(door.address().clone()));
                    door.keep(Arc::new(Desk(sessions))).await;
                }
                Err(error) => drop(sender.send(Err(error))),
            }
        });
        let address = opened.recv().unwrap_or_else(|_| Err(socket(io::Error::other("the network has stopped"))))?;
        Ok(Listening { address, task: task.abort_handle() })
    }

    /// Begins a session with whoever listens there, who must be an `expects`. It is called until it answers, for as long as a
    /// session may be resumed; the inbox hears of everything.
    pub fn connect<Out>(&self, address: &Address, expects: Role, inbox: Arc<dyn Inbox>) -> io::Result<Outbox<Out>> {
        let core = Core::new(self.own.options.limits.clone());
        core.set_inbox(inbox);
        let mut cores = self.cores.lock();
        cores.retain(|core| core.strong_count() > 0);
        cores.push(Arc::downgrade(&core));
        drop(cores);
        let introduced = Box::new(|_: &Greeting, _: &Introduction| {});
        let call = Call { address: address.clone(), expects, session: SessionId::random()?, introduced };
        self.handle.spawn(keep_calling(core.clone(), self.own.clone(), call));
        Ok(Outbox::new(core))
    }

    /// Ends all sessions, and waits until what was sent has arrived, but no longer than `patience`. Says whether all has.
    pub fn close(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut open: Vec<_> = self.cores.lock().iter().filter_map(Weak::upgrade).collect();
        for sessions in self.doors.lock().iter().filter_map(Weak::upgrade) {
            open.extend(sessions.cores());
        }
        open.iter().for_each(|core| core.close());
        open.iter().all(|core| core.wait_for_end(deadline))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        drop(self.stop.take());
        let thread = self.thread.take().filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}
