//! The task of a session, on the side that calls.

use super::backoff::Backoff;
use super::core::Core;
use super::own::Own;
use super::peer::Peer;
use super::pump::pump;
use crate::address::Address;
use crate::dial::{Link, dial};
use crate::hello::{Purpose, Refusal, Role, SessionId};
use raskt_sync::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Whom to call.
pub(super) struct Call {
    pub address: Address,
    pub expects: Role,
    pub session: SessionId,
    /// What the peer says of itself.
    pub peer: Arc<Mutex<Option<Peer>>>,
}

/// After a connection that broke sooner, and over which nothing has arrived, there is the first wait of a backoff.
const LASTING: Duration = Duration::from_secs(1);

/// Calls, and calls again whenever the connection breaks, until the session is over.
pub(super) async fn keep_calling(core: Arc<Core>, own: Arc<Own>, call: Call) {
    let (_nobody, mut others) = mpsc::channel(1);
    let mut backoff = Backoff::default();
    let mut is_established = false;
    let mut attempt = 0_u32;
    while core.lost().is_none() {
        attempt = attempt.saturating_add(1);
        let dialed = tokio::select! {
            dialed = try_once(&core, &own, &call, is_established, attempt) => dialed,
            () = core.watch() => break,
        };
        match dialed {
            Ok(link) => {
                *call.peer.lock() = Some(Peer::of(&link, call.address.to_string()));
                is_established = true;
                backoff.reset();
                let (began, before) = (Instant::now(), core.lock().session.arrived());
                pump(&core, (link, None), own.options.squeeze, &mut others).await;
                if began.elapsed() >= LASTING || core.lock().session.arrived() > before {
                    continue;
                }
            }
            // Nothing but a signed word ends a session: what a damaged greeting is told is of no account.
            Err(refusal) if refusal.may_pass() || is_established && refusal != Refusal::SessionOver => {
                tracing::debug!("{} can't be reached: {refusal}", call.address);
            }
            Err(refusal @ Refusal::SessionOver) => {
                core.change(|session| session.handle_forgotten(&refusal.to_string()));
            }
            Err(refusal) => core.change(|session| session.handle_refused(&refusal.to_string())),
        }
        let chance = crate::random::random().map_or(0, u64::from_le_bytes);
        tokio::select! {
            () = tokio::time::sleep(backoff.failed(chance)) => {}
            () = core.watch() => {}
        }
    }
    core.deliver_in_turns().await;
}

async fn try_once(core: &Core, own: &Own, call: &Call, is_established: bool, attempt: u32) -> Result<Link, Refusal> {
    let mut greeting = own.greeting(call.session)?;
    greeting.purpose = Purpose::Session;
    (greeting.is_established, greeting.attempt) = (is_established, attempt);
    greeting.expects = core.lock().session.expects();
    let introduction = own.introduction.lock().clone();
    dial(&call.address, &own.options.security, greeting, &introduction, call.expects).await
}
