//! What a session is held to.

const SECOND: u64 = 1_000_000_000;

/// How long is waited for what, and how much may be under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of messages that have been sent and not taken, at most. One message may always be.
    pub window_bytes: u64,
    /// Who has said nothing for this long gives a sign of life.
    pub heartbeat_nanoseconds: u64,
    /// Who wasn't heard of for this long is suspect.
    pub suspect_nanoseconds: u64,
    /// Who wasn't heard of for this long is unreachable, and the connection is given up for another one.
    pub unreachable_nanoseconds: u64,
    /// Whose connection was closed, and who has not made another one for this long, is unreachable: a process that lives
    /// makes one at once.
    pub closed_nanoseconds: u64,
    /// For so long after the peer was last heard of the session may be resumed.
    pub resume_nanoseconds: u64,
    /// A side that wants to end the session waits for so long until what it has sent has arrived.
    pub close_nanoseconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            window_bytes: 128 << 20,
            heartbeat_nanoseconds: SECOND,
            suspect_nanoseconds: 5 * SECOND,
            unreachable_nanoseconds: 13 * SECOND,
            closed_nanoseconds: 2 * SECOND,
            resume_nanoseconds: 60 * SECOND,
            close_nanoseconds: 5 * SECOND,
        }
    }
}
