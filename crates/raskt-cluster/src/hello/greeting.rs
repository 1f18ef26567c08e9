//! The first words of either side, as bytes of a fixed number.

use super::verdict::Refusal;
use super::{Called, Identity, Role, SessionId};
use crate::frame::WIRE_VERSION;

/// How long a greeting is. Later versions may have longer ones, of 4096 bytes at most.
pub const GREETING_BYTES: usize = 256;
/// No greeting of any version is longer.
pub const GREETING_BYTES_MAX: usize = 4096;
/// What stands before all else, in every version: magic, length, versions.
pub(super) const PREFIX_BYTES: usize = 14;
pub(super) const MAGIC: &[u8; 8] = b"raskt:hi";
/// The oldest form of frames that this build reads.
const VERSION_LEAST: u16 = WIRE_VERSION;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Messages, in a session.
    Session = 0,
    /// Results in bulk.
    Transfers = 1,
}

/// What a side says of itself before anything is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The wire versions that it can: the oldest and the newest.
    pub versions: (u16, u16),
    /// As what it comes.
    pub role: Role,
    /// What the connection is for.
    pub purpose: Purpose,
    /// Whether it proves itself by the token; else by its certificate alone.
    pub has_token: bool,
    /// Whether the dialer has spoken in this session before, so that a listener that doesn't know it must refuse.
    pub is_established: bool,
    /// The how-manyeth connection of the session it is: an older one never takes the place of a newer one.
    pub attempt: u32,
    /// Who it is.
    pub identity: Identity,
    /// Which session is begun or resumed.
    pub session: SessionId,
    /// The number of the message that it expects next.
    pub expects: u64,
    /// Bytes of messages that it lets be under way.
    pub window_bytes: u64,
    /// Random, and never the same again.
    pub nonce: [u8; 32],
    /// What a dialer has called, if he wants nobody but who listens there; none of a listener.
    pub called: Option<Called>,
}

impl Greeting {
    /// One that comes as `role`, with everything else as it is at the beginning of a first session.
    pub fn new(role: Role, identity: Identity, session: SessionId) -> std::io::Result<Self> {
        Ok(Self {
            versions: (VERSION_LEAST, WIRE_VERSION),
            role,
            purpose: Purpose::Session,
            has_token: false,
            is_established: false,
            attempt: 0,
            identity,
            session,
            expects: 0,
            window_bytes: u64::MAX,
            nonce: crate::random::random()?,
            called: None,
        })
    }

    /// As it goes over the wire.
    pub fn encode(&self) -> [u8; GREETING_BYTES] {
        let mut bytes = [0; GREETING_BYTES];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(MAGIC);
        put(&(GREETING_BYTES as u16).to_le_bytes());
        put(&self.versions.0.to_le_bytes());
        put(&self.versions.1.to_le_bytes());
        put(&[self.role as u8, self.purpose as u8, self.has_token.into(), self.is_established.into()]);
        put(&[0; 2]);
        put(&self.attempt.to_le_bytes());
        put(&self.identity.process.to_le_bytes());
        put(&self.identity.incarnation.to_le_bytes());
        put(&self.session.0.to_le_bytes());
        put(&self.expects.to_le_bytes());
        put(&self.window_bytes.to_le_bytes());
        put(&self.nonce);
        put(&Called::encode(self.called.as_ref()));
        bytes
    }

    /// Reads one. What is behind the part that this version knows is left to later ones.
    pub fn decode(bytes: &[u8]) -> Result<Self, Refusal> {
        check_prefix(bytes)?;
        let bytes: &[u8; GREETING_BYTES] = bytes.first_chunk().ok_or(Refusal::Malformed)?;
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let longer = |at: usize| u128::from_le_bytes(bytes[at..at + 16].try_into().expect("sixteen bytes"));
        let flag = |at: usize| if bytes[at] <= 1 { Ok(bytes[at] == 1) } else { Err(Refusal::Malformed) };
        Ok(Self {
            versions: (short(10), short(12)),
            role: Role::of(bytes[14]).ok_or(Refusal::Malformed)?,
            purpose: match bytes[15] {
                0 => Purpose::Session,
                1 => Purpose::Transfers,
                _ => return Err(Refusal::Malformed),
            },
            has_token: flag(16)?,
            is_established: flag(17)?,
            attempt: u32::from_le_bytes(bytes[20..24].try_into().expect("four bytes")),
            identity: Identity { process: longer(24), incarnation: long(40) },
            session: SessionId(longer(48)),
            expects: long(64),
            window_bytes: long(72),
            nonce: bytes[80..112].try_into().expect("thirty-two bytes"),
            called: Called::decode(bytes[112..].first_chunk().expect("thirty-four bytes")),
        })
    }
}

/// Looks at the first bytes of a greeting, and says how long it is.
pub(super) fn check_prefix(bytes: &[u8]) -> Result<usize, Refusal> {
    let prefix: &[u8; PREFIX_BYTES] = bytes.first_chunk().ok_or(Refusal::Malformed)?;
    match prefix {
        // A handshake, or an alert, of TLS 1.x.
        [0x15 | 0x16, 3, ..] => return Err(Refusal::SpeaksTls),
        _ if prefix[..8] != *MAGIC => return Err(Refusal::Stranger),
        _ => {}
    }
    let short = |at: usize| u16::from_le_bytes([prefix[at], prefix[at + 1]]);
    let (length, versions) = (short(8) as usize, (short(10), short(12)));
    if !(GREETING_BYTES..=GREETING_BYTES_MAX).contains(&length) {
        return Err(Refusal::Malformed);
    }
    if versions.0 > WIRE_VERSION || versions.1 < VERSION_LEAST || versions.0 > versions.1 {
        return Err(Refusal::Version { theirs: versions, ours: (VERSION_LEAST, WIRE_VERSION) });
    }
    Ok(length)
}
