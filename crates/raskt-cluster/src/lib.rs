//! How processes of a cluster speak with each other.

mod address;
pub mod bulk;
pub mod certs;
mod dial;
mod driver;
pub mod frame;
pub mod hello;
mod listen;
mod security;
pub mod session;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;
mod token;

pub use address::{Address, AddressError};
pub use driver::{Host, Inbox, Incoming, Listening, Network, NetworkOptions, Outbox, Peer, Ticket, channel, inbox};
pub use listen::{ListenError, Refused, RefusedPeer, log_refused};
pub use security::{InsecureError, Security};
pub use tls::{Names, Tls, TlsError};
pub use token::{Token, TokenError};
