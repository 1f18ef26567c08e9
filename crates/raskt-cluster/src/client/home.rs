//! Where the scheduler is, by what it knows this client, and how far that is on its way back.

use crate::Address;
use crate::driver::Network;
use crate::message::Submission;
use bytes::Bytes;
use raskt_schedule::RunId;
use raskt_sync::Mutex;
use std::collections::BTreeSet;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Weak};

/// Where the scheduler is.
pub(crate) struct Home {
    pub network: Weak<Network>,
    pub scheduler: Address,
    /// Held by who sends a graph in pieces: those of one graph aren't to come among those of another.
    pub large: Mutex<()>,
}

impl Home {
    pub fn new(network: &Arc<Network>, scheduler: Address) -> Self {
        Self { network: Arc::downgrade(network), scheduler, large: Mutex::new(()) }
    }
}

/// By what a scheduler knows a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownAs {
    pub client: u32,
    pub lineage: [u8; 16],
    /// Nothing if it keeps no journal.
    pub secret: Option<[u8; 16]>,
}

/// On the way back.
pub(crate) struct Away {
    /// What tells it from any other: the scheduler may begin anew once more meanwhile.
    pub number: u64,
    /// Its runs that the scheduler has named so far.
    pub known: BTreeSet<RunId>,
    /// Whoever goes on when it has named all.
    pub all_known: Sender<BTreeSet<RunId>>,
}

/// What was submitted, until it is known to outlive the scheduler.
#[derive(Clone)]
pub(super) struct Unwritten {
    /// One that reads another comes after it, which its number doesn't say.
    pub order: u64,
    pub submission: Submission,
    pub graph: Bytes,
}
