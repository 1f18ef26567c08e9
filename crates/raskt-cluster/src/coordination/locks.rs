//! Locks that are held here, and those that were lost with their session: whoever releases one of them hears so.

use raskt_schedule::coordination::{CoordinationError, Kind, Name, RequestId};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Locks {
    /// By the request that they were the answer to: who has them.
    held: BTreeMap<RequestId, (u64, Vec<Name>)>,
    /// By who had them: why that is over.
    lost: BTreeMap<(u64, Name), String>,
}

impl Locks {
    pub fn add(&mut self, id: RequestId, holder: u64, names: Vec<Name>) {
        // What is lost is of no account to one who has it again.
        names.iter().for_each(|name| _ = self.lost.remove(&(holder, name.clone())));
        self.held.insert(id, (holder, names));
    }

    /// Nobody has what was the answer to this request.
    pub fn give_back(&mut self, id: RequestId) {
        self.held.remove(&id);
    }

    /// A holder lets go of locks; an error if one of them was lost. That is said once.
    pub fn release(&mut self, holder: u64, names: &[Name]) -> Option<CoordinationError> {
        self.held.retain(|_, (of, held)| {
            held.retain(|name| *of != holder || !names.contains(name));
            !held.is_empty()
        });
        let mut lost = vec![];
        for name in names {
            lost.extend(self.lost.remove(&(holder, name.clone())).map(|why| (name.clone(), why)));
        }
        let (name, why) = lost.pop()?;
        Some(CoordinationError::Lost { kind: Kind::Lock, name, why })
    }

    /// The session in which they were held is over.
    pub fn lose(&mut self, why: &str) {
        for (holder, names) in std::mem::take(&mut self.held).into_values() {
            for name in names {
                tracing::warn!("lock `{name}` isn't held any more, though nobody has released it: {why}");
                self.lost.insert((holder, name), why.to_owned());
            }
        }
    }
}
