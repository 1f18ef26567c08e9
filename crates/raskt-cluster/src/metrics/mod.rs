//! What a process of a cluster measures, for those who look on over HTTP: `/metrics` as text of Prometheus, and `/health`.
//!
//! It listens only where somebody has asked for that. Within the host anybody may look; where others could reach it, only who has the
//! token of viewers. Requests are few, short and soon over, or they are none.

mod http;
mod process;
mod text;

pub(crate) use process::of_process;
pub use text::Text;

use crate::hello::Role;
use crate::token::Token;
use http::{Asked, Response};
use raskt_sync::Mutex;
use ring::hmac;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Requests that are answered at a time; others are turned away.
const AT_A_TIME: usize = 8;

/// After an error of the socket nobody is let in for so long.
const PAUSE: Duration = Duration::from_millis(50);

/// Why nobody can look on.
#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    /// The socket can't be had.
    #[error("metrics can't be given at {at}: {source}")]
    Socket {
        /// Where.
        at: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// Others could look on.
    #[error(
        "others could reach metrics at {0}, and there is no token by which they would be known: give them at 127.0.0.1"
    )]
    Open(SocketAddr),
}

/// Gives what is measured, until it is dropped.
pub struct MetricsServer {
    at: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What is measured, as it is now; nothing if the process doesn't do what it is there for.
pub type Measure = dyn Fn() -> Option<Text> + Send + Sync;

struct Host {
    measure: Box<Measure>,
    /// What those who look on have to say, where others can reach it.
    bearer: Option<String>,
    busy: AtomicUsize,
}

impl MetricsServer {
    /// Listens. `token` is that of the cluster, or of its viewers.
    pub fn start(at: SocketAddr, token: Option<&Token>, measure: Box<Measure>) -> Result<Self, MetricsError> {
        let bearer = match at.ip().is_loopback() {
            true => None,
            false => Some(token.and_then(|token| token.bearer(Role::Viewer)).ok_or(MetricsError::Open(at))?),
        };
        let failed = |source| MetricsError::Socket { at, source };
        let listener = TcpListener::bind(at).map_err(failed)?;
        let at = listener.local_addr().map_err(failed)?;
        let host = Arc::new(Host { measure, bearer, busy: AtomicUsize::new(0) });
        let is_over: Arc<AtomicBool> = Arc::default();
        let ends = is_over.clone();
        let thread = std::thread::Builder::new().name("raskt-metrics".into());
        let thread = thread.spawn(move || listen(&listener, &host, &ends)).map_err(failed)?;
        Ok(Self { at, is_over, thread: Mutex::new(Some(thread)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.at
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // The thread waits for somebody to come. Where nobody can, it goes with the process.
        let mut to = self.at;
        if to.ip().is_unspecified() {
            to.set_ip(if to.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
        }
        let came = TcpStream::connect_timeout(&to, Duration::from_secs(1)).is_ok();
        if let Some(thread) = self.thread.lock().take().filter(|_| came) {
            let _ = thread.join();
        }
    }
}

fn listen(listener: &TcpListener, host: &Arc<Host>, is_over: &AtomicBool) {
    loop {
        let came = listener.accept();
        if is_over.load(Ordering::Acquire) {
            return;
        }
        match came {
            Ok((stream, _)) => host.clone().take(stream),
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

impl Host {
    /// Answers elsewhere, if there aren't too many already.
    fn take(self: Arc<Self>, stream: TcpStream) {
        if self.busy.fetch_add(1, Ordering::AcqRel) >= AT_A_TIME {
            self.busy.fetch_sub(1, Ordering::AcqRel);
            return;
        }
        let host = self.clone();
        let answer = move || {
            let _ = http::serve(&stream, |asked| host.answer(asked));
            host.busy.fetch_sub(1, Ordering::AcqRel);
        };
        if std::thread::Builder::new().name("raskt-look".into()).spawn(answer).is_err() {
            self.busy.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn answer(&self, asked: &Asked<'_>) -> Response {
        if let Some(bearer) = &self.bearer
            && !asked.bearer.is_some_and(|given| are_same(bearer, given))
        {
            return Response::of(401, "who looks on here says who he is: Authorization: Bearer TOKEN\n");
        }
        match (asked.path, (self.measure)()) {
            ("/metrics", Some(text)) => Response::of(200, text.as_str()),
            ("/health", Some(_)) => Response::of(200, "ok\n"),
            ("/metrics" | "/health", None) => Response::of(503, "it has ended\n"),
            _ => Response::of(404, "there are /metrics and /health\n"),
        }
    }
}

/// Whether two secrets are the same, in a time that says nothing else.
fn are_same(one: &str, other: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, one.as_bytes());
    hmac::verify(&key, other.as_bytes(), hmac::sign(&key, one.as_bytes()).as_ref()).is_ok()
}

#[cfg(test)]
mod tests;
