//! To call somebody: connection, TLS, hello, introductions.

use crate::address::Address;
use crate::frame::{Decoder, Pieces, Squeeze, encode};
use crate::hello::{self, Called, Greeting, Introduction, Met, Refusal, Role};
use crate::security::Security;
use crate::stream::Stream;
use crate::tls::{self, Names};
use crate::token::Token;
use std::future::poll_fn;
use std::io;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// Connecting may take this long.
const CONNECT: Duration = Duration::from_secs(5);
/// All that follows, up to the introduction, may take this long.
pub(crate) const HELLO: Duration = Duration::from_secs(5);

/// A connection over which both sides know each other.
#[derive(Debug)]
pub(crate) struct Link {
    pub stream: Stream,
    /// What was read beyond the introduction waits in it.
    pub decoder: Decoder,
    pub peer: Greeting,
    pub introduction: Introduction,
    /// The number of the message that the peer expects next.
    pub peer_expects: u64,
}

/// Calls who is at an address, and takes him for nobody but `expects`.
pub(crate) async fn dial(
    address: &Address,
    security: &Security,
    own: Greeting,
    introduction: &Introduction,
    expects: Role,
) -> Result<Link, Refusal> {
    security.check_dialing(address).map_err(|error| Refusal::NotWanted(error.to_string()))?;
    let connected = timeout(CONNECT, connect(address)).await.map_err(|_| Refusal::Slow(CONNECT.as_secs()))?;
    let stream = connected?;
    let greeted = timeout(HELLO, greet(stream, address, security, own, introduction, expects)).await;
    greeted.map_err(|_| Refusal::Slow(HELLO.as_secs()))?
}

async fn connect(address: &Address) -> io::Result<Stream> {
    match address {
        Address::Unix(path) => Ok(Stream::Unix(UnixStream::connect(path).await?)),
        Address::Tcp { host, port } | Address::Tls { host, port } => {
            let stream = TcpStream::connect((&**host, *port)).await?;
            stream.set_nodelay(true)?;
            Ok(Stream::Tcp(stream))
        }
    }
}

async fn greet(
    stream: Stream,
    address: &Address,
    security: &Security,
    mut own: Greeting,
    introduction: &Introduction,
    expects: Role,
) -> Result<Link, Refusal> {
    own.called = called(&stream, address, security.token.as_ref())?;
    let (mut stream, binding) = secured(stream, address, security, expects).await?;
    let Met { peer, peer_expects } = hello::open(&mut stream, own, security.token.clone(), binding).await?;
    if peer.role != expects {
        return Err(Refusal::Role(peer.role));
    }
    let (introduction, decoder) = introduce(&mut stream, introduction).await?;
    Ok(Link { stream, decoder, peer, introduction, peer_expects })
}

/// What is said of the socket that was called. With a token that nobody has given to this process there must be one of its user, at
/// that very socket: anybody may have taken the port of a process that is gone.
fn called(stream: &Stream, address: &Address, token: Option<&Token>) -> Result<Option<Called>, Refusal> {
    if !token.is_some_and(Token::is_found) {
        return Ok(None);
    }
    match (stream, address) {
        (Stream::Tcp(tcp), Address::Tcp { .. }) => Ok(Some(Called::here(tcp.peer_addr()?))),
        // Certificates say who listens, and the proof is one for that connection alone.
        (Stream::Tcp(_), _) => Ok(None),
        _ => stream.check_user().map(|()| None),
    }
}

async fn secured(
    stream: Stream,
    address: &Address,
    security: &Security,
    expects: Role,
) -> Result<(Stream, Vec<u8>), Refusal> {
    let (Address::Tls { host, .. }, Stream::Tcp(tcp), Some(tls)) = (address, &stream, &security.tls) else {
        return Ok((stream, vec![]));
    };
    let _ = tcp;
    let Stream::Tcp(tcp) = stream else { return Err(Refusal::Malformed) };
    let name = tls.expected_name(expects, host)?;
    let connected = TlsConnector::from(tls.dialing()).connect(name, tcp).await?;
    let connection = connected.get_ref().1;
    if tls.names() == Names::Role {
        tls::check_role(connection.peer_certificates(), expects)?;
    }
    let binding = tls::binding(connection)?;
    Ok((Stream::Tls(Box::new(connected.into())), binding))
}

/// Both sides say what they are called and run on.
pub(crate) async fn introduce(stream: &mut Stream, own: &Introduction) -> Result<(Introduction, Decoder), Refusal> {
    let mut pieces = Pieces::default();
    encode(&own.to_frame()?, Squeeze::Never, &mut pieces).map_err(|error| Refusal::Broken(error.to_string()))?;
    stream.write_all_buf(&mut pieces).await?;
    stream.flush().await?;
    let mut decoder = Decoder::new();
    loop {
        if let Some(frame) = decoder.next().map_err(|error| Refusal::Broken(error.to_string()))? {
            return Ok((Introduction::from_frame(&frame)?, decoder));
        }
        let read = poll_fn(|cx| stream.poll_read_room(cx, decoder.room())).await?;
        if read == 0 {
            return Err(Refusal::Broken("the other side closed it before it had introduced itself".to_owned()));
        }
        // SAFETY: so many were read into the room just now.
        unsafe { decoder.advance(read) };
    }
}
