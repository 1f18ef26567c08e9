//! Handles of results in the store (Ray: object references), and pins that keep them in memory.

use crate::broker::Holder;
use crate::lineage::{Lineage, Origin};
use crate::slot::SlotId;
use crate::threads::Shared;
use raskt_value::{DType, Dims, Summary, TaskError, Value};
use std::any::Any;
use std::fmt;
use std::mem;
use std::sync::Arc;

/// A result in the store. It leaves the store with its last owner.
pub struct StoredRef {
    pub(crate) shared: Arc<Shared>,
    pub(crate) id: SlotId,
    pub(crate) bytes: u64,
    pub(crate) layout: Option<(DType, Dims)>,
    pub(crate) summary: Option<Summary>,
    pub(crate) lineage: Lineage,
    /// Whether its going is still to be told.
    pub(crate) is_owner: bool,
}

/// What is left of the handle of a result that has left the store.
pub struct Husk(#[expect(dead_code, reason = "kept only to be dropped later")] Lineage);

impl StoredRef {
    /// The result that `value` stands for, if it stands for one.
    pub fn of(value: &Value) -> Option<Arc<Self>> {
        match value {
            Value::Stored(kept) => kept.clone().into_any().downcast().ok(),
            _ => None,
        }
    }

    /// The task that computes it again.
    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// The same result, of which this handle's going isn't the end: it tells what it is made of even when it is gone.
    pub fn origin(&self) -> Origin {
        Origin::new(&self.shared, self.id, self.lineage.clone())
    }

    /// The result, read from its file if need be; nothing if it has to be computed again. An error is why it couldn't be read this
    /// time: somebody else may succeed, and so may a second try.
    pub fn fetch(&self) -> Result<Option<Value>, TaskError> {
        self.shared.fetch(self.id)
    }

    /// Whether it is in memory or on disk, as far as is known.
    pub fn is_there(&self) -> bool {
        self.shared.change(|state| state.has(self.id)).unwrap_or(false)
    }

    /// The result, if it is in memory and may be had at once: nobody waits for it.
    pub fn in_memory(&self) -> Option<Value> {
        self.shared.in_memory(self.id)
    }

    /// Keeps the result in memory from when it is there, until what comes back is dropped: what is in use by the time that it is
    /// to leave would be taken for what somebody has for good.
    pub fn pin(self: &Arc<Self>) -> Pins {
        let pinned = self.shared.change(|state| {
            state.pin(self.id);
            state.epoch
        });
        pinned.map_or_else(|_| Pins::default(), |epoch| Pins { kept: vec![self.clone()], epoch })
    }

    /// Puts the result back after it was computed again, for `holder` if memory was promised for it. Gives the one that everybody
    /// has from now on: somebody may have been first.
    pub fn restore(&self, value: Value, holder: Option<Holder>) -> Result<Value, TaskError> {
        self.shared.restore(self.id, value, holder)
    }

    /// Lets go of one owner's share: if it was the last, the result leaves the store and is handed to the caller with what is
    /// left of the handle, who drops both where that is safe: what the result was made of may go with them. Else no task of
    /// that owner waits for it any more.
    pub fn release(self: Arc<Self>) -> Option<(Option<Value>, Husk)> {
        let mut last = Arc::into_inner(self)?;
        let value = last.shared.change(|state| state.remove(last.id)).ok().flatten();
        last.is_owner = false;
        let lineage = mem::replace(&mut last.lineage, Lineage::none());
        Some((value, Husk(lineage)))
    }

    /// Says when the task that reads it next has its turn; nothing if none waits for it.
    pub fn set_turn(&self, turn: Option<u32>) {
        let _ = self.shared.change(|state| state.set_turn(self.id, turn));
    }
}

impl Drop for StoredRef {
    fn drop(&mut self) {
        if self.is_owner {
            let value = self.shared.change(|state| state.remove(self.id));
            drop(value);
        }
    }
}

impl raskt_value::StoredValue for StoredRef {
    fn bytes(&self) -> usize {
        self.bytes as usize
    }

    fn block(&self) -> Option<(DType, &[usize])> {
        self.layout.as_ref().map(|(dtype, shape)| (*dtype, shape.as_slice()))
    }

    fn summary(&self) -> Option<Summary> {
        self.summary.clone()
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl fmt::Debug for StoredRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredRef({:?}, {} bytes)", self.id, self.bytes)
    }
}

/// Keeps results in memory until it is dropped, once they are there.
#[derive(Default)]
pub struct Pins {
    pub(crate) kept: Vec<Arc<StoredRef>>,
    /// What they were pinned in: a state that was put right has forgotten pins.
    pub(crate) epoch: u32,
}

impl Pins {
    /// Whether it keeps none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Puts the results themselves in the place of those that `values` stand for, as far as they are in memory and
    /// may be had at once; says whether they all are.
    pub fn put_in(&self, values: &mut [Value]) -> bool {
        let Some(first) = self.kept.first() else { return true };
        // Who is replaced may be the last of its result, which leaves the store then: not under its lock.
        let mut replaced = vec![];
        let put_in = first.shared.change(|state| {
            let mut all = true;
            for value in values {
                let Some(kept) = StoredRef::of(value) else { continue };
                match state.open(kept.id) {
                    Some(found) => replaced.push(mem::replace(value, found)),
                    None => all = false,
                }
            }
            all
        });
        put_in.unwrap_or(false)
    }
}

impl Drop for Pins {
    fn drop(&mut self) {
        let Some(first) = self.kept.first() else { return };
        let _ = first.shared.change(|state| {
            if state.epoch == self.epoch {
                self.kept.iter().for_each(|kept| state.unpin(kept.id));
            }
        });
    }
}
