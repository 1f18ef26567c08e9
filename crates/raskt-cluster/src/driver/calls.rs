//! The task of a session, on the side that calls.

use super::backoff::Backoff;
use super::core::Core;
use super::network::Own;
use super::pump::pump;
use crate::address::Address;
use crate::dial::dial;
use crate::hello::{Greeting, Introduction, Purpose, Refusal, Role, SessionId};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Whom to call.
pub(super) struct Call {
    pub address: Address,
    pub expects: Role,
    pub session: SessionId,
    /// What the peer said of itself, as soon as it has.
    pub introduced: Box<dyn Fn(&Greeting, &Introduction) + Send + Sync>,
}

/// Calls, and calls again whenever the connection breaks, until the session is over.
pub(super) async fn keep_calling(core: Arc<Core>, own: Arc<Own>, call: Call) {
    let (_nobody, mut others) = mpsc::channel(1);
    let mut backoff = Backoff::default();
    let mut is_established = false;
    while core.lost().is_none() {
        let dialed = tokio::select! {
            dialed = try_once(&core, &own, &call, is_established) => dialed,
            () = core.watch() => break,
        };
        match dialed {
            Ok(link) => {
                (call.introduced)(&link.peer, &link.introduction);
                is_established = true;
                backoff.reset();
                pump(&core, link, own.options.squeeze, &mut others).await;
            }
            // Nothing but a signed word ends a session: what a damaged greeting is told is of no account.
            Err(refusal) if refusal.may_pass() || is_established && refusal != Refusal::SessionOver => {
                tracing::debug!("{} can't be reached: {refusal}", call.address);
                let chance = crate::token::random().map_or(0, u64::from_le_bytes);
                tokio::select! {
                    () = tokio::time::sleep(backoff.failed(chance)) => {}
                    () = core.watch() => break,
                }
            }
            Err(refusal) => core.change(|session| session.handle_refused(&refusal.to_string())),
        }
    }
    core.deliver();
}

async fn try_once(core: &Core, own: &Own, call: &Call, is_established: bool) -> Result<crate::dial::Link, Refusal> {
    let mut greeting = own.greeting(call.session).map_err(|error| Refusal::Broken(error.to_string()))?;
    greeting.purpose = Purpose::Session;
    greeting.is_established = is_established;
    greeting.expects = core.lock().session.expects();
    dial(&call.address, &own.options.security, greeting, &own.options.introduction, call.expects).await
}
