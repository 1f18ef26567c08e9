//! Who is at the other end.

use crate::dial::Link;
use crate::hello::{Identity, Introduction, Role};

/// A peer that has proven who it is.
#[derive(Clone, Debug)]
pub struct Peer {
    /// As what it has come.
    pub role: Role,
    /// Which process it is.
    pub identity: Identity,
    /// Where it came from, for people to read.
    pub from: String,
    /// What it says of itself.
    pub introduction: Introduction,
}

impl Peer {
    pub(crate) fn of(link: &Link, from: String) -> Self {
        let introduction = link.introduction.clone();
        Self { role: link.peer.role, identity: link.peer.identity, from, introduction }
    }
}
