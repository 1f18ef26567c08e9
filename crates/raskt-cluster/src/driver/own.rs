//! What all sessions of a process have in common.

use crate::frame::Squeeze;
use crate::hello::{Greeting, Identity, Introduction, ProcessName, Role, SessionId, this_host};
use crate::security::Security;
use crate::session::Limits;
use raskt_sync::Mutex;
use std::io;
use std::sync::Arc;

/// What all sessions of a process have in common.
#[derive(Clone, Debug)]
pub struct NetworkOptions {
    /// As what it comes, and listens.
    pub role: Role,
    /// Which process it is.
    pub identity: Identity,
    /// What it says of itself: names, addresses and versions are to be filled in.
    pub introduction: Introduction,
    /// What peers are known by.
    pub security: Security,
    /// What sessions are held to.
    pub limits: Limits,
    /// How frames are compressed.
    pub squeeze: Squeeze,
}

impl NetworkOptions {
    /// With what is usual, for a process that was just started.
    pub fn new(role: Role, security: Security) -> io::Result<Self> {
        Ok(Self {
            role,
            identity: Identity::random()?,
            introduction: Introduction { host: this_host(), process: ProcessName::own(), ..Introduction::default() },
            security,
            limits: Limits::default(),
            squeeze: Squeeze::Never,
        })
    }
}

/// What its tasks know of the process.
pub(crate) struct Own {
    pub options: NetworkOptions,
    /// What the process says of itself to those who come from now on.
    pub introduction: Arc<Mutex<Introduction>>,
}

impl Own {
    pub(crate) fn greeting(&self, session: SessionId) -> io::Result<Greeting> {
        let mut greeting = Greeting::new(self.options.role, self.options.identity, session)?;
        greeting.window_bytes = self.options.limits.window_bytes;
        Ok(greeting)
    }
}
