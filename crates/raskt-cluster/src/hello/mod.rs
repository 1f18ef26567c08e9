//! How two processes get to know each other, before anything else is read.
//!
//! ```text
//!  dialer                                        listener
//!    │ opening: versions, role, who, session, nonce  │   256 bytes
//!    │ ────────────────────────────────────────────▶ │
//!    │ answer: the same of the listener              │   256 bytes
//!    │ ◀──────────────────────────────────────────── │
//!    │ proof: HMAC of both by the token              │   32 bytes
//!    │ ────────────────────────────────────────────▶ │
//!    │ verdict: accepted with its own HMAC, or a     │   256 bytes
//!    │ sentence why not                              │
//!    │ ◀──────────────────────────────────────────── │
//! ```
//!
//! The dialer proves itself first, so that no stranger gets anything signed. Both nonces are in what is signed, so that what was
//! heard once is of no use; so are role and purpose, the direction, and within TLS the connection itself, so that nobody can
//! stand between. Within a host the dialer may say which socket he has called (`called`), which is in what is signed as well: who has
//! taken the port of a process that is gone, and passes on what he hears, comes to a listener at another one. That is said where
//! nobody has given the token to the dialer ([`Token::found`](crate::Token::found)): who gives it may have had the port
//! forwarded. The forms (`Opening`, `Verdict`) and the steps (`steps`) know nothing of sockets; `exchange` takes them over one.

mod called;
mod exchange;
mod greeting;
mod introduction;
mod process_name;
mod steps;
mod verdict;
mod versions;

pub use called::Called;
pub use exchange::{Met, answer, open};
pub use greeting::{GREETING_BYTES, Greeting, Purpose};
pub use introduction::{INTRODUCTION_BYTES_MAX, Introduction, this_host};
pub use process_name::ProcessName;
pub use steps::{Answered, Asked, Demand, Opened, Opening};
pub use verdict::{Refusal, VERDICT_BYTES, Verdict};
pub use versions::{Mismatch, Versions, mismatches};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a process is to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Role {
    /// Submits work.
    Client = 1,
    /// Runs tasks.
    Worker = 2,
    /// Hands out tasks.
    Scheduler = 3,
    /// Looks on.
    Viewer = 4,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Client, Self::Worker, Self::Scheduler, Self::Viewer];

    pub(crate) fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|role| *role as u8 == byte)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Client => "client",
            Self::Worker => "worker",
            Self::Scheduler => "scheduler",
            Self::Viewer => "viewer",
        })
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|role| role.to_string() == name);
        known.ok_or_else(|| format!("`{name}` is no role: there are client, worker, scheduler and viewer"))
    }
}

/// Which process it is, and the how-manyeth of its lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Identity {
    /// The process, or what a supervisor starts again in its place.
    pub process: u128,
    /// Each start has another.
    pub incarnation: u64,
}

impl Identity {
    /// One that no other process has.
    pub fn random() -> std::io::Result<Self> {
        let incarnation = u64::from_le_bytes(crate::random::random()?);
        Ok(Self { process: u128::from_le_bytes(crate::random::random()?), incarnation })
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}.{:016x}", self.process, self.incarnation)
    }
}

/// Which session it is; nobody can guess it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(pub u128);

impl SessionId {
    /// That of a new session.
    pub fn random() -> std::io::Result<Self> {
        Ok(Self(u128::from_le_bytes(crate::random::random()?)))
    }
}

#[cfg(test)]
mod tests;
