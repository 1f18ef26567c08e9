//! The steps over a connection. How long all of it may take is the caller's to say.

use super::greeting::{GREETING_BYTES_MAX, PREFIX_BYTES, check_prefix};
use super::steps::PROOF_BYTES;
use super::verdict::VERDICT_BYTES;
use super::{Answered, Asked, Demand, Greeting, Opening, Refusal, Verdict};
use crate::token::Token;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// What a dialer knows in the end.
#[derive(Clone, Debug)]
pub struct Met {
    /// What the listener said of itself.
    pub peer: Greeting,
    /// The number of the message that it expects next.
    pub peer_expects: u64,
}

/// The dialer's side.
pub async fn open<S>(stream: &mut S, own: Greeting, token: Option<Token>, binding: Vec<u8>) -> Result<Met, Refusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let opening = Opening::new(own, token, binding);
    write(stream, opening.bytes()).await?;
    let answer = match read_greeting(stream).await {
        Ok(answer) => answer,
        Err(Early::Refused(refusal)) => return Err(refusal),
        Err(Early::Verdict(begun)) => return Err(read_refusal(stream, &begun).await),
    };
    let (opened, proof) = opening.handle_answer(&answer)?;
    write(stream, &proof).await?;
    let mut verdict = [0; VERDICT_BYTES];
    stream.read_exact(&mut verdict).await?;
    let (peer, peer_expects) = opened.handle_verdict(&verdict)?;
    Ok(Met { peer, peer_expects })
}

/// The listener's side, up to the verdict. `check` sees what the peer claims before it is answered.
pub async fn answer<S>(
    stream: &mut S,
    demand: &Demand,
    own: Greeting,
    binding: Vec<u8>,
    check: impl FnOnce(&Greeting) -> Result<(), Refusal>,
) -> Result<Answered, Refusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let met = meet(stream, demand, own, binding, check).await;
    if let Err(refusal) = &met {
        refuse(stream, refusal).await;
    }
    met
}

async fn meet<S>(
    stream: &mut S,
    demand: &Demand,
    own: Greeting,
    binding: Vec<u8>,
    check: impl FnOnce(&Greeting) -> Result<(), Refusal>,
) -> Result<Answered, Refusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let opening = read_greeting(stream).await.map_err(|early| match early {
        Early::Refused(refusal) => refusal,
        Early::Verdict(_) => Refusal::Stranger,
    })?;
    let asked = Asked::handle_opening(&opening, demand, own, binding)?;
    check(asked.claimed())?;
    write(stream, asked.bytes()).await?;
    let mut proof = [0; PROOF_BYTES];
    stream.read_exact(&mut proof).await?;
    asked.handle_proof(&proof)
}

/// Says why not, if that can be said at once.
pub async fn refuse<S: AsyncWrite + Unpin>(stream: &mut S, refusal: &Refusal) {
    if !matches!(refusal, Refusal::Broken(_) | Refusal::Stranger) {
        let _ = write(stream, &Verdict::Refused(refusal.clone()).encode()).await;
    }
    let _ = stream.shutdown().await;
}

enum Early {
    Refused(Refusal),
    /// A verdict came instead of a greeting, of which these are the first bytes.
    Verdict([u8; PREFIX_BYTES]),
}

/// Reads a greeting, and no byte more. Its first bytes decide whether the rest is waited for.
async fn read_greeting<S: AsyncRead + Unpin>(stream: &mut S) -> Result<Vec<u8>, Early> {
    let refused = |refusal| Err(Early::Refused(refusal));
    let mut prefix = [0; PREFIX_BYTES];
    let mut come = 0;
    while come < PREFIX_BYTES {
        match stream.read(&mut prefix[come..]).await {
            // Those who aren't understood are told so, or nothing comes of it: alerts of TLS are short.
            Ok(0) if prefix[0] == 0x15 => return refused(Refusal::SpeaksTls),
            Ok(0) => {
                return refused(Refusal::Broken("the other side closed it before it had said anything".to_owned()));
            }
            Ok(count) => come += count,
            Err(error) => return refused(error.into()),
        }
    }
    if Verdict::is_begun_by(&prefix) {
        return Err(Early::Verdict(prefix));
    }
    let length = check_prefix(&prefix).map_err(Early::Refused)?.min(GREETING_BYTES_MAX);
    let mut greeting = vec![0; length];
    greeting[..PREFIX_BYTES].copy_from_slice(&prefix);
    match stream.read_exact(&mut greeting[PREFIX_BYTES..]).await {
        Ok(_) => Ok(greeting),
        Err(error) => refused(error.into()),
    }
}

async fn read_refusal<S: AsyncRead + Unpin>(stream: &mut S, begun: &[u8; PREFIX_BYTES]) -> Refusal {
    let mut verdict = [0; VERDICT_BYTES];
    verdict[..PREFIX_BYTES].copy_from_slice(begun);
    match stream.read_exact(&mut verdict[PREFIX_BYTES..]).await.map(|_| Verdict::decode(&verdict)) {
        Ok(Ok(Verdict::Refused(refusal)) | Err(refusal)) => refusal,
        Ok(Ok(Verdict::Accepted { .. })) => Refusal::Malformed,
        Err(error) => error.into(),
    }
}

async fn write<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> Result<(), Refusal> {
    stream.write_all(bytes).await?;
    stream.flush().await.map_err(Refusal::from)
}
