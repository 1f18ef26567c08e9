//! What workers bring, and how they go.

use raskt_graph::Resources;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a worker brings when it joins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Assignments that it runs at a time.
    pub slots: u32,
    /// Bytes that it may hold.
    pub memory: u64,
    /// Amounts by name (`gpu`, or whatever it was started with), in thousandths.
    pub resources: Resources,
    /// What people call it, and what annotations name.
    pub name: Arc<str>,
}

impl Offer {
    /// Slots and nothing else; memory without bound.
    pub fn slots(slots: u32) -> Self {
        Self { slots, memory: u64::MAX, resources: Resources::default(), name: "".into() }
    }
}

/// Why a worker is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LossCause {
    /// It died, or can't be reached: what it was running may be the reason.
    Died,
    /// The same, and it was to fetch data of clients: to read that may be the reason as well.
    DiedFetching,
    /// It was asked to leave: nobody is to blame.
    Retired,
}
