//! The last word of a handshake: let in, or a sentence why not.

use std::io;
use std::net::SocketAddr;

/// How long a verdict is.
pub const VERDICT_BYTES: usize = 256;
const MAGIC: &[u8; 8] = b"raskt:ok";
/// Where the signature of the listener stands.
const SIGNATURE: std::ops::Range<usize> = 32..64;
/// Where the sentence stands.
const SENTENCE: std::ops::Range<usize> = 64..VERDICT_BYTES;

/// Why somebody isn't let in. What it says tells a stranger nothing that he doesn't know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The bytes are none of raskt's.
    #[error("what came is no greeting of raskt")]
    Stranger,
    /// TLS came where none is spoken.
    #[error("one side speaks TLS and the other doesn't: use `tls://` for both, or `tcp://`")]
    SpeaksTls,
    /// A greeting that makes no sense.
    #[error("the greeting makes no sense")]
    Malformed,
    /// No version that both know.
    #[error("wire versions {} to {} are spoken there, {} to {} here: upgrade raskt on the side with the lower ones",
        theirs.0, theirs.1, ours.0, ours.1)]
    Version {
        /// Those of the peer.
        theirs: (u16, u16),
        /// Those of this build.
        ours: (u16, u16),
    },
    /// Who comes in this role has no business here.
    #[error("nobody comes here as {0}")]
    Role(super::Role),
    /// The certificate says another role, or none.
    #[error("the certificate isn't one of a {0}: make one with `raskt certs`")]
    CertificateRole(super::Role),
    /// One side has a token and the other wants none, or none of that role.
    #[error("both sides must have the token of the cluster: give the token file to both")]
    TokenMissing,
    /// The proof is wrong: another token, or an old proof.
    #[error("the token is another cluster's")]
    Token,
    /// The dialer has called something else, and wants nobody but who listens there.
    #[error("{}", elsewhere(called, here.as_ref()))]
    Elsewhere {
        /// What was called.
        called: SocketAddr,
        /// At what somebody came here; none for a socket in the file system.
        here: Option<SocketAddr>,
    },
    /// Too many are at the door.
    #[error("too many are being let in at once: try again")]
    Busy,
    /// It took too long.
    #[error("the greeting took longer than {0} s")]
    Slow(u64),
    /// Nobody knows the session any more.
    #[error("the session is over: begin a new one")]
    SessionOver,
    /// The socket is another user's.
    #[error("the process belongs to user {theirs}, this one to user {ours}")]
    User {
        /// The user there.
        theirs: u32,
        /// The user here.
        ours: u32,
    },
    /// TLS didn't come about.
    #[error("TLS: {0}")]
    Tls(String),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// What those who take the peer in have said.
    #[error("{0}")]
    NotWanted(String),
}

impl Refusal {
    /// Whether another try may go well, without anybody changing anything.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Busy | Self::Slow(_) | Self::Broken(_))
    }

    /// The byte that stands for it in a verdict. What the other side does about it depends on this, not on the sentence.
    fn code(&self) -> u8 {
        match self {
            Self::Busy | Self::Slow(_) | Self::Broken(_) => CODE_PASSING,
            Self::SessionOver => CODE_SESSION_OVER,
            Self::Token => CODE_TOKEN,
            Self::TokenMissing => CODE_TOKEN_MISSING,
            Self::SpeaksTls => CODE_SPEAKS_TLS,
            _ => CODE_OTHER,
        }
    }

    fn of(code: u8, sentence: String) -> Self {
        match code {
            CODE_PASSING => Self::Busy,
            CODE_SESSION_OVER => Self::SessionOver,
            CODE_TOKEN => Self::Token,
            CODE_TOKEN_MISSING => Self::TokenMissing,
            CODE_SPEAKS_TLS => Self::SpeaksTls,
            _ => Self::NotWanted(sentence),
        }
    }
}

/// It goes into a verdict as a whole.
fn elsewhere(called: &SocketAddr, here: Option<&SocketAddr>) -> String {
    let here = match here {
        Some(here) if here == called => "the same of another host".to_owned(),
        Some(here) => here.to_string(),
        None => "a socket in the file system".to_owned(),
    };
    format!(
        "you called {called}, and this is {here}: where a port is forwarded, name the token file yourself \
         (--token-file, security=Security(token_file=...))"
    )
}

/// What goes wrong with a connection may go well the next time; what is wrong with a certificate will not.
impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(rustls::Error::InvalidMessage(_)) => Self::SpeaksTls,
            Some(inner) => Self::Tls(crate::tls_words::in_words(inner)),
            None => Self::Broken(error.to_string()),
        }
    }
}

const CODE_ACCEPTED: u8 = 0;
const CODE_PASSING: u8 = 1;
const CODE_SESSION_OVER: u8 = 2;
const CODE_TOKEN: u8 = 3;
const CODE_TOKEN_MISSING: u8 = 4;
const CODE_SPEAKS_TLS: u8 = 5;
const CODE_OTHER: u8 = 255;

/// What the listener says in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Come in. Frames follow.
    Accepted {
        /// The number of the message that the listener expects next in the session.
        expects: u64,
        /// Whether the session was there before.
        is_resumed: bool,
    },
    /// Go away; in a sentence.
    Refused(Refusal),
}

impl Verdict {
    /// As it goes over the wire, unsigned.
    pub fn encode(&self) -> [u8; VERDICT_BYTES] {
        let mut bytes = [0; VERDICT_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        match self {
            Self::Accepted { expects, is_resumed } => {
                bytes[8] = CODE_ACCEPTED;
                bytes[9] = (*is_resumed).into();
                bytes[16..24].copy_from_slice(&expects.to_le_bytes());
            }
            Self::Refused(refusal) => {
                bytes[8] = refusal.code();
                let sentence = refusal.to_string();
                let length = sentence.floor_char_boundary(SENTENCE.len());
                bytes[SENTENCE.start..SENTENCE.start + length].copy_from_slice(&sentence.as_bytes()[..length]);
            }
        }
        bytes
    }

    /// Reads one, whoever signed it.
    pub fn decode(bytes: &[u8; VERDICT_BYTES]) -> Result<Self, Refusal> {
        if bytes[..8] != *MAGIC {
            return Err(Refusal::Stranger);
        }
        if bytes[8] == CODE_ACCEPTED {
            let expects = u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes"));
            return Ok(Self::Accepted { expects, is_resumed: bytes[9] == 1 });
        }
        let sentence = bytes[SENTENCE].split(|byte| *byte == 0).next().unwrap_or_default();
        // Somebody prints it: nothing of it may steer a terminal.
        let sentence = String::from_utf8_lossy(sentence).chars().filter(|char| !char.is_control()).collect();
        Ok(Self::Refused(Refusal::of(bytes[8], sentence)))
    }

    /// What of it is signed, and where the signature stands.
    pub(super) fn parts(bytes: &[u8; VERDICT_BYTES]) -> (&[u8], &[u8]) {
        (&bytes[..SIGNATURE.start], &bytes[SIGNATURE])
    }

    pub(super) fn put_signature(bytes: &mut [u8; VERDICT_BYTES], signature: &[u8]) {
        bytes[SIGNATURE].copy_from_slice(signature);
    }

    /// Whether these bytes begin as a verdict does: a listener that refuses at once answers with one.
    pub(super) fn is_begun_by(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }
}
