//! The steps of a handshake, each from bytes to bytes. What a step gives is needed for the next one, so none can be left out.

use super::greeting::GREETING_BYTES_MAX;
use super::verdict::VERDICT_BYTES;
use super::{Called, GREETING_BYTES, Greeting, Refusal, Role, Verdict};
use crate::token::Token;
use ring::hmac;

/// Bytes of a proof.
pub const PROOF_BYTES: usize = 32;
const DIALER: &[u8] = b"raskt dialer 1";
const LISTENER: &[u8] = b"raskt listener 1";

/// Something of the connection that both ends know and nobody between them can have (TLS exporter); empty without TLS.
pub type Binding = Vec<u8>;

/// A dialer that has said who it is.
pub struct Opening {
    own: [u8; GREETING_BYTES],
    role: Role,
    token: Option<Token>,
    binding: Binding,
}

impl Opening {
    /// Begins. With a token, the listener must have it too.
    pub fn new(mut greeting: Greeting, token: Option<Token>, binding: Binding) -> Self {
        greeting.has_token = token.is_some();
        Self { own: greeting.encode(), role: greeting.role, token, binding }
    }

    /// The first bytes of the connection.
    pub fn bytes(&self) -> &[u8] {
        &self.own
    }

    /// Takes the listener's answer and gives the proof to send.
    pub fn handle_answer(self, answer: &[u8]) -> Result<(Opened, [u8; PROOF_BYTES]), Refusal> {
        let peer = Greeting::decode(answer)?;
        if peer.has_token != self.token.is_some() {
            return Err(Refusal::TokenMissing);
        }
        let key = self.token.as_ref().map(|token| token.key(self.role).ok_or(Refusal::Role(self.role))).transpose()?;
        let signed = Signed { key, opening: self.own.to_vec(), answer: answer.to_vec(), binding: self.binding };
        let proof = signed.sign(DIALER, &[]);
        Ok((Opened { peer, signed }, proof))
    }
}

/// A dialer that has proven itself and waits for the verdict.
pub struct Opened {
    peer: Greeting,
    signed: Signed,
}

impl Opened {
    /// Takes the verdict: the listener's greeting, and the number of the message that it expects, if it lets this side in.
    pub fn handle_verdict(self, bytes: &[u8; VERDICT_BYTES]) -> Result<(Greeting, u64), Refusal> {
        match Verdict::decode(bytes)? {
            // This one ends a session, so not everybody may say it.
            Verdict::Refused(Refusal::SessionOver) => {
                let (said, signature) = Verdict::parts(bytes);
                self.signed.check(LISTENER, said, signature)?;
                Err(Refusal::SessionOver)
            }
            Verdict::Refused(refusal) => Err(refusal),
            Verdict::Accepted { expects, .. } => {
                let (said, signature) = Verdict::parts(bytes);
                self.signed.check(LISTENER, said, signature)?;
                Ok((self.peer, expects))
            }
        }
    }
}

/// What a listener wants of those who come.
#[derive(Clone, Debug)]
pub struct Demand {
    /// The token that they must have; none if their certificate is enough.
    pub token: Option<Token>,
    /// In which roles they may come.
    pub roles: Vec<Role>,
    /// What those have called who come by this connection; none if that can't be said, as of sockets in the file system.
    pub here: Option<Called>,
}

/// A listener that has heard who comes.
pub struct Asked {
    peer: Greeting,
    signed: Signed,
    answer: [u8; GREETING_BYTES],
}

impl Asked {
    /// Takes a greeting, and answers it with the listener's own if there is anything to hope for.
    pub fn handle_opening(
        opening: &[u8],
        demand: &Demand,
        mut own: Greeting,
        binding: Binding,
    ) -> Result<Self, Refusal> {
        if opening.len() > GREETING_BYTES_MAX {
            return Err(Refusal::Malformed);
        }
        let peer = Greeting::decode(opening)?;
        if !demand.roles.contains(&peer.role) {
            return Err(Refusal::Role(peer.role));
        }
        if peer.has_token != demand.token.is_some() {
            return Err(Refusal::TokenMissing);
        }
        // Somebody else was called, who passes on what he hears. That this is what the dialer has said comes out by the proof.
        if let Some(called) = peer.called
            && demand.here != Some(called)
        {
            return Err(Refusal::Elsewhere { called: called.at, here: demand.here.map(|here| here.at) });
        }
        let key =
            demand.token.as_ref().map(|token| token.key(peer.role).ok_or(Refusal::Role(peer.role))).transpose()?;
        own.has_token = key.is_some();
        let answer = own.encode();
        let signed = Signed { key, opening: opening.to_vec(), answer: answer.to_vec(), binding };
        Ok(Self { peer, signed, answer })
    }

    /// What is to be answered.
    pub fn bytes(&self) -> &[u8] {
        &self.answer
    }

    /// As what the peer says to come; nothing of it is proven.
    pub fn claimed(&self) -> &Greeting {
        &self.peer
    }

    /// Takes the proof.
    pub fn handle_proof(self, proof: &[u8; PROOF_BYTES]) -> Result<Answered, Refusal> {
        self.signed.check(DIALER, &[], proof)?;
        Ok(Answered { peer: self.peer, signed: self.signed })
    }
}

/// A listener that knows who has come.
pub struct Answered {
    peer: Greeting,
    signed: Signed,
}

impl Answered {
    /// Who has come.
    pub fn peer(&self) -> &Greeting {
        &self.peer
    }

    /// The verdict, signed.
    pub fn verdict(&self, verdict: &Verdict) -> [u8; VERDICT_BYTES] {
        let mut bytes = verdict.encode();
        let signature = self.signed.sign(LISTENER, Verdict::parts(&bytes).0);
        Verdict::put_signature(&mut bytes, &signature);
        bytes
    }
}

/// What both sides have said, and the key by which they sign it; none where certificates have proven everything.
struct Signed {
    key: Option<hmac::Key>,
    opening: Vec<u8>,
    answer: Vec<u8>,
    binding: Binding,
}

impl Signed {
    fn message(&self, direction: &[u8], more: &[u8]) -> Vec<u8> {
        let mut message = vec![];
        for part in [direction, &self.opening, &self.answer, &self.binding, more] {
            message.extend_from_slice(&(part.len() as u64).to_le_bytes());
            message.extend_from_slice(part);
        }
        message
    }

    fn sign(&self, direction: &[u8], more: &[u8]) -> [u8; PROOF_BYTES] {
        let Some(key) = &self.key else { return [0; PROOF_BYTES] };
        let tag = hmac::sign(key, &self.message(direction, more));
        tag.as_ref().try_into().expect("SHA-256 has 32 bytes")
    }

    /// Takes the same time wherever the first wrong byte is.
    fn check(&self, direction: &[u8], more: &[u8], proof: &[u8]) -> Result<(), Refusal> {
        let Some(key) = &self.key else { return Ok(()) };
        hmac::verify(key, &self.message(direction, more), proof).map_err(|_| Refusal::Token)
    }
}
