//! Why there is no cluster.

use raskt_cluster::{AddressError, InsecureError, ListenError, StartError, TlsError, TokenError};
use std::io;
use thiserror::Error;

/// Why a process has no cluster.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// What was named isn't an address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// There is no token, or it isn't safe.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// Certificates can't be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Nobody has said what peers are to be known by.
    #[error("{0}")]
    Unknown(String),
    /// Others could listen in.
    #[error(transparent)]
    Insecure(#[from] InsecureError),
    /// The scheduler isn't reached, or doesn't let this process in.
    #[error(transparent)]
    Connect(#[from] raskt_cluster::ConnectError),
    /// A worker or a scheduler can't start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It can't listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A thread or a socket can't be had.
    #[error("threads or sockets can't be had: {0}")]
    Io(#[from] io::Error),
}
