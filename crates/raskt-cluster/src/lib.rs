//! How processes of a cluster speak with each other.

mod address;
pub mod bulk;
pub mod certs;
mod client;
mod dial;
mod driver;
mod face;
pub mod frame;
pub mod hello;
mod listen;
mod message;
mod parcels;
mod scheduler;
mod security;
pub mod session;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;
mod token;
mod worker;

pub use address::{Address, AddressError};
pub use client::{Client, ClusterError, ConnectError, Job, RemoteRun};
pub use driver::{Host, Inbox, Incoming, Listening, Network, NetworkOptions, Outbox, Peer, Ticket, channel, inbox};
pub use face::Face;
pub use listen::{ListenError, Refused, RefusedPeer, log_refused};
pub use message::{ErrorForm, WorkerInfo};
pub use scheduler::SchedulerServer;
pub use security::{InsecureError, Security};
pub use tls::{Names, Tls, TlsError};
pub use token::{Token, TokenError};
pub use worker::{StartError, WorkerOptions, WorkerServer};
