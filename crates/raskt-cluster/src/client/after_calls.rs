//! What is shared by name may name results of calls that the scheduler hasn't heard of yet: these are sent before.

use super::shared::Shared;
use crate::coordination::{Ask, Carrier, OverSession, Packed};
use crate::driver::Outbox;
use crate::message::FromClient;
use bytes::Bytes;
use std::sync::{Arc, Weak};

/// Carries what is asked of what is shared by name, behind the calls that wait for others: it may name what these give.
pub(super) struct AfterCalls {
    shared: Weak<Shared>,
    session: OverSession<FromClient>,
}

impl AfterCalls {
    pub fn new(shared: &Arc<Shared>, outbox: Outbox<FromClient>) -> Self {
        Self { shared: Arc::downgrade(shared), session: OverSession::new(outbox, FromClient::Coordination) }
    }
}

impl Carrier for AfterCalls {
    fn connections(&self) -> (u64, bool) {
        self.session.connections()
    }

    fn carry(&self, ask: Packed<Ask>, bulk: Vec<Bytes>) -> Result<(), String> {
        if let Some(shared) = self.shared.upgrade() {
            shared.send_calls();
        }
        self.session.carry(ask, bulk)
    }
}
