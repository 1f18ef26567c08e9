//! How a session's peer is: what is told of it, and when.

use super::Limits;

/// What those who use a session are told of its peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The peer is there for the first time.
    Connected,
    /// It wasn't heard of for a while, or its connection broke. It gets nothing new to do, and loses nothing yet.
    Suspect,
    /// It wasn't heard of for so long that others should do its work. It may come back with what it holds.
    Unreachable,
    /// It is back, and no message was lost.
    Resumed,
    /// It is over, and nothing that wasn't confirmed may be relied on. The last event of a session.
    Lost(Lost),
}

/// Why a session is over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// One side had nothing more to say.
    #[error("the session was closed")]
    Closed,
    /// The peer's process has ended.
    #[error("the peer's process has ended")]
    Died,
    /// The peer didn't come back in time.
    #[error("the peer was not heard of for {0} s")]
    Expired(u64),
    /// The peer doesn't have the session: it has begun anew, or given it up. It may be that it takes this side up in another one.
    #[error("the peer refused: {0}")]
    Forgotten(String),
    /// The peer doesn't let this side in.
    #[error("the peer refused: {0}")]
    Refused(String),
    /// The peer broke the rules.
    #[error("the peer broke the rules of the session: {0}")]
    Violation(String),
}

/// How the peer is, from well to worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Health {
    Well,
    Suspect,
    Unreachable,
}

/// Whether there is a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// There was none yet.
    Never,
    /// There is one.
    Up,
    /// There was one.
    Down { since: u64, was_closed: bool },
}

/// How the peer is after it was silent for so long.
pub(super) fn judge(limits: &Limits, link: Link, heard_at: u64, now: u64) -> Health {
    match unreachable_at(limits, link, heard_at) {
        Some(at) if now >= at => Health::Unreachable,
        Some(_) if matches!(link, Link::Down { .. }) => Health::Suspect,
        Some(_) if now >= heard_at.saturating_add(limits.suspect_nanoseconds) => Health::Suspect,
        _ => Health::Well,
    }
}

/// When that changes next, if nothing is heard.
pub(super) fn changes_at(limits: &Limits, link: Link, heard_at: u64, health: Health) -> Option<u64> {
    match health {
        Health::Well if link == Link::Up => Some(heard_at.saturating_add(limits.suspect_nanoseconds)),
        Health::Well | Health::Suspect => unreachable_at(limits, link, heard_at),
        Health::Unreachable => None,
    }
}

fn unreachable_at(limits: &Limits, link: Link, heard_at: u64) -> Option<u64> {
    let silent = heard_at.saturating_add(limits.unreachable_nanoseconds);
    match link {
        Link::Never => None,
        Link::Down { since, was_closed: true } => Some(silent.min(since.saturating_add(limits.closed_nanoseconds))),
        Link::Up | Link::Down { .. } => Some(silent),
    }
}
