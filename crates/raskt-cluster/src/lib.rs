//! How processes of a cluster speak with each other: below the messages of scheduler, workers and clients.
//!
//! ```text
//!  Network   a thread that runs sessions over sockets   bulk   results, pulled with credit or handed over as memory
//!     │
//!  session   in order and once, over connections that come and go; signs of life; back-pressure
//!     │
//!  hello     who is there: versions, roles, a proof by the token or a certificate
//!     │
//!  frame     64 bytes of header, control, bulk that is used where it was read
//! ```
//!
//! `frame`, `hello` (but for `exchange`) and `session` decide without acting: they take bytes, frames and times, and give what
//! follows. `dial`, `listen`, `driver` and `bulk` bring them to sockets.
//!
//! **Closed by default.** Nothing listens where others could reach it without TLS and certificates or a token
//! ([`Security`]); within a host a token is needed. Before somebody has proven who he is, 256 bytes of a fixed form are all that is
//! read of him, for five seconds, and few can be at the door at a time.
//!
//! **Everything is bounded.** A frame, its parts, what is written out of it, the messages that a peer has and hasn't taken, the
//! transfers of a connection: each has a constant. No memory is taken for what was only announced.
//!
//! What messages say is none of this crate's business: an [`Outbox`] sends whatever `serde` can write, and an [`Inbox`] gets it.

mod address;
pub mod bulk;
pub mod certs;
mod client;
pub mod coordination;
mod deadly;
mod dial;
mod driver;
mod errand;
mod face;
mod failure;
pub mod frame;
pub mod hello;
pub mod journal;
mod listen;
mod local;
mod message;
pub mod metrics;
pub mod nanny;
mod native;
mod packing;
mod parcels;
mod pool;
mod question;
mod quiet;
mod random;
mod ranges;
mod scheduler;
mod security;
pub mod session;
mod small;
mod sparing;
mod standing;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;
mod this_worker;
mod tls;
mod tls_words;
mod token;
mod turns;
pub mod usual;
mod worker;

pub use address::{Address, AddressError};
pub use client::{
    Call, Client, ClusterError, ConnectError, Gather, Job, RemoteRun, SentErrand, SentQuestion, TaskFailed, TaskRun,
    TaskState, Unreached, Until, Watch,
};
pub use driver::{Host, Inbox, Incoming, Listening, Network, NetworkOptions, Outbox, Peer, Ticket, channel, inbox};
pub use errand::{ERRAND_BYTES_MAX, ErrandCall};
pub use face::{CallBody, Face, GoesOn};
pub use listen::{ListenError, Refused, RefusedPeer, log_refused};
pub use local::{LocalCluster, LocalOptions};
pub use message::{ErrorForm, WorkerInfo};
pub use native::NativeFace;
pub use question::{
    ANSWER_ENTRIES_MAX, Answer, LogFacts, Order, ProcessingFacts, Question, ResultFacts, RunFacts, SchedulerFacts,
    StoryFacts, StreamFacts, WorkerFacts,
};
pub use scheduler::SchedulerServer;
pub use security::{InsecureError, Security};
pub use this_worker::ThisWorker;
pub use tls::{Names, Tls, TlsError};
pub use token::{Token, TokenError};
pub use worker::{RESTARTED, StartError, WorkerOptions, WorkerServer};
