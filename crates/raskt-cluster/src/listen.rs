//! The door: who comes is let in, or sent away, in bounded time and memory.

use crate::address::Address;
use crate::dial::{HELLO, Link, introduce};
use crate::hello::{self, Answered, Called, Demand, Greeting, Introduction, Refusal, Role, Verdict};
use crate::security::{InsecureError, Security};
use crate::sparing::{Sparing, Telling};
use crate::stream::Stream;
use crate::tls;
use raskt_sync::Mutex;
use rustix::fs::Mode;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, UnixListener};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// So many may be at the door at a time.
const HALF_OPEN_MAX: usize = 256;
/// So many of one address may be.
const HALF_OPEN_PER_ADDRESS_MAX: usize = 64;
/// How long accepting pauses after the system refused (of file descriptors, say).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Who is told of those that were sent away; the line has no secret in it.
pub type Refused = Arc<dyn Fn(&RefusedPeer) + Send + Sync>;

/// Somebody who wasn't let in.
#[derive(Clone, Debug)]
pub struct RefusedPeer {
    /// Where from.
    pub from: String,
    /// Why.
    pub refusal: Refusal,
}

impl fmt::Display for RefusedPeer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} was not let in: {}", self.from, self.refusal)
    }
}

/// Writes a line for each to the log. Of many within a minute the first are written, and how many the others were.
pub fn log_refused() -> Refused {
    let sparing = Mutex::new(Sparing::new(Instant::now()));
    Arc::new(move |peer| match sparing.lock().tell(Instant::now()) {
        Telling::Nothing => {}
        Telling::This { left_out: 0 } => tracing::warn!("{peer}"),
        Telling::This { left_out } => tracing::warn!("{peer}, as {left_out} others in the minutes before"),
    })
}

/// What a door needs to know.
pub(crate) struct DoorOptions {
    pub security: Security,
    pub accepts: Vec<Role>,
    pub own: Greeting,
    /// What is said of this process, as it is when somebody comes.
    pub introduction: Arc<Mutex<Introduction>>,
    pub refused: Refused,
}

/// Who decides about those that have proven themselves.
pub(crate) trait Keeper: Send + Sync + 'static {
    /// The number of the message that is expected next in the session, and whether it was there before.
    fn admit(&self, peer: &Greeting) -> Result<(u64, bool), Refusal>;
    /// The peer is in.
    fn enter(&self, link: Link, from: String);
}

/// A socket that is listened at.
pub(crate) struct Door {
    socket: Socket,
    address: Address,
    options: DoorOptions,
    crowd: Crowd,
}

enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Door {
    /// Listens, if that is safe.
    pub async fn open(address: &Address, options: DoorOptions) -> Result<Self, ListenError> {
        options.security.check_listening(address)?;
        let failed = |source| ListenError::Socket { address: address.to_string(), source };
        let (socket, address) = bind(address).await.map_err(failed)?;
        Ok(Self { socket, address, options, crowd: Crowd::default() })
    }

    /// Where it really listens.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Lets in who comes, for ever.
    pub async fn keep(self: Arc<Self>, keeper: Arc<dyn Keeper>) {
        loop {
            match self.accept().await {
                Ok((stream, from, ip)) => match self.crowd.enter(ip) {
                    Some(place) => drop(tokio::spawn(self.clone().meet(stream, from, place, keeper.clone()))),
                    None => self.tell(from, Refusal::Busy),
                },
                Err(error) => {
                    tracing::warn!("{} can't accept: {error}", self.address);
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn accept(&self) -> io::Result<(Stream, String, IpAddr)> {
        match &self.socket {
            Socket::Tcp(listener) => {
                let (stream, from) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok((Stream::Tcp(stream), from.to_string(), from.ip()))
            }
            Socket::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Stream::Unix(stream), self.address.to_string(), IpAddr::V4(Ipv4Addr::LOCALHOST)))
            }
        }
    }

    async fn meet(self: Arc<Self>, stream: Stream, from: String, place: Place, keeper: Arc<dyn Keeper>) {
        let met = timeout(HELLO, self.greet(stream, &*keeper)).await;
        drop(place);
        match met.unwrap_or(Err(Refusal::Slow(HELLO.as_secs()))) {
            Ok(link) => keeper.enter(link, from),
            Err(refusal) => self.tell(from, refusal),
        }
    }

    async fn greet(&self, stream: Stream, keeper: &dyn Keeper) -> Result<Link, Refusal> {
        stream.check_user()?;
        let here = here(&stream)?;
        let (mut stream, binding) = self.secured(stream).await?;
        let certified = certified_role(&stream, self.options.security.token.is_none());
        let mut own = self.options.own.clone();
        own.nonce = crate::random::random()?;
        let demand = Demand { token: self.options.security.token.clone(), roles: self.options.accepts.clone(), here };
        let answered = hello::answer(&mut stream, &demand, own, binding, certified).await?;
        let peer = answered.peer().clone();
        match keeper.admit(&peer) {
            Ok((expects, is_resumed)) => {
                judge(&mut stream, &answered, Verdict::Accepted { expects, is_resumed }).await?;
                let own = self.options.introduction.lock().clone();
                let (introduction, decoder) = introduce(&mut stream, &own).await?;
                Ok(Link { stream, decoder, peer_expects: peer.expects, peer, introduction })
            }
            Err(refusal) => {
                judge(&mut stream, &answered, Verdict::Refused(refusal.clone())).await?;
                let _ = stream.shutdown().await;
                Err(refusal)
            }
        }
    }

    async fn secured(&self, stream: Stream) -> Result<(Stream, Vec<u8>), Refusal> {
        let (Address::Tls { .. }, Some(tls)) = (&self.address, &self.options.security.tls) else {
            return Ok((stream, vec![]));
        };
        let Stream::Tcp(tcp) = stream else { return Err(Refusal::Malformed) };
        let config = tls.answering(self.options.security.token.is_none());
        let config = config.ok_or_else(|| Refusal::Tls("this side has no certificate".to_owned()))?;
        let accepted = TlsAcceptor::from(config).accept(tcp).await?;
        let binding = tls::binding(accepted.get_ref().1)?;
        Ok((Stream::Tls(Box::new(accepted.into())), binding))
    }

    fn tell(&self, from: String, refusal: Refusal) {
        (self.options.refused)(&RefusedPeer { from, refusal });
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        if let Address::Unix(path) = &self.address {
            let _ = std::fs::remove_file(path);
        }
    }
}

async fn bind(address: &Address) -> io::Result<(Socket, Address)> {
    match address {
        Address::Unix(path) => {
            // Whoever comes before the mode is set is sent away for being another user.
            let bound = bind_path(path)?;
            rustix::fs::chmod(path, Mode::RUSR | Mode::WUSR)?;
            Ok((Socket::Unix(bound), address.clone()))
        }
        Address::Tcp { host, port } | Address::Tls { host, port } => {
            let listener = TcpListener::bind((&**host, *port)).await?;
            let bound = listener.local_addr()?;
            // A name that was taken for this host's must be.
            if address.is_of_this_host() && !bound.ip().is_loopback() {
                return Err(io::Error::other(format!("`{host}` is {}, which others can reach", bound.ip())));
            }
            Ok((Socket::Tcp(listener), address.clone().with_port(bound.port())))
        }
    }
}

/// A socket that a dead process has left is taken away; one at which somebody listens is not.
fn bind_path(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            let answered = std::os::unix::net::UnixStream::connect(path);
            if answered.is_ok() || !std::fs::symlink_metadata(path)?.file_type().is_socket() {
                return Err(error);
            }
            std::fs::remove_file(path)?;
            UnixListener::bind(path)
        }
        bound => bound,
    }
}

/// What those have called who come by this connection, unless something between them and this process has changed it.
fn here(stream: &Stream) -> io::Result<Option<Called>> {
    match stream {
        Stream::Tcp(tcp) => Ok(Some(Called::here(tcp.local_addr()?))),
        Stream::Tls(_) | Stream::Unix(_) | Stream::Quiet(_) => Ok(None),
    }
}

/// A certificate must say the role in which its owner comes. Where the token decides, none is needed; one that is there
/// must be right all the same.
fn certified_role(stream: &Stream, is_needed: bool) -> impl FnOnce(&Greeting) -> Result<(), Refusal> + use<> {
    let certificates = match stream {
        Stream::Tls(tls) => tls.get_ref().1.peer_certificates().map(<[_]>::to_vec),
        Stream::Tcp(_) | Stream::Unix(_) | Stream::Quiet(_) => None,
    };
    move |peer| match certificates {
        None if !is_needed => Ok(()),
        certificates => tls::check_role(certificates.as_deref(), peer.role),
    }
}

async fn judge(stream: &mut Stream, answered: &Answered, verdict: Verdict) -> Result<(), Refusal> {
    stream.write_all(&answered.verdict(&verdict)).await?;
    Ok(stream.flush().await?)
}

/// Those who are at the door.
#[derive(Clone, Default)]
struct Crowd(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One place at the door, which is free when this goes.
struct Place {
    crowd: Crowd,
    ip: IpAddr,
}

impl Crowd {
    fn enter(&self, ip: IpAddr) -> Option<Place> {
        let mut there = self.0.lock();
        let (all, own) = (there.values().sum::<usize>(), there.get(&ip).copied().unwrap_or(0));
        if all >= HALF_OPEN_MAX || own >= HALF_OPEN_PER_ADDRESS_MAX {
            return None;
        }
        *there.entry(ip).or_default() += 1;
        Some(Place { crowd: self.clone(), ip })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut there = self.crowd.0.lock();
        if let Some(count) = there.get_mut(&self.ip) {
            *count -= 1;
            if *count == 0 {
                there.remove(&self.ip);
            }
        }
    }
}

/// Why a process doesn't listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// It wouldn't be safe.
    #[error(transparent)]
    Insecure(#[from] InsecureError),
    /// The system says no.
    #[error("`{address}` can't be listened at: {source}")]
    Socket {
        /// Where.
        address: String,
        /// Why not.
        source: io::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crowd_at_the_door_is_bounded_in_all_and_for_each_address() {
        let crowd = Crowd::default();
        let ip = |last: u8| IpAddr::V4(Ipv4Addr::new(10, 0, 0, last));
        let mut places: Vec<_> = (0..HALF_OPEN_PER_ADDRESS_MAX).map(|_| crowd.enter(ip(1)).unwrap()).collect();
        assert!(crowd.enter(ip(1)).is_none());
        for at in 0..HALF_OPEN_MAX - HALF_OPEN_PER_ADDRESS_MAX {
            places.push(crowd.enter(ip(2 + (at % 100) as u8)).unwrap());
        }
        assert!(crowd.enter(ip(200)).is_none());
        places.clear();
        assert!(crowd.enter(ip(1)).is_some() && crowd.0.lock().is_empty());
    }
}
