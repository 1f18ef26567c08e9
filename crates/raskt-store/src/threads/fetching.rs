//! Results for those who wait for them on their own threads.

use super::{Shared, value_of};
use crate::broker::Holder;
use crate::file::ReadError;
use crate::slot::SlotId;
use raskt_value::{TaskError, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often who reads a result waits so long, or for one that is written, before he has it beyond the limit.
const ROOM_WAITS: u32 = 20;

/// How long he waits in all whose result came without a promise.
const ROOM_PATIENCE: Duration = Duration::from_secs(30);

impl Shared {
    /// The result, for somebody who waits for it on his own thread; nothing if it has to be computed again. An error is why it
    /// couldn't be read this time: a signal that came while Python read it, say. Its file stays.
    ///
    /// What is read for him alone doesn't come back into the store: others who need memory would send it away at once. Only
    /// what he may change does, so that everybody has the same. That has to wait while others are still leaving for what came
    /// before it, or who reads fast would have all of it in memory. He reads without the lock: others may have had it meanwhile,
    /// and changed it. Then he looks again.
    pub fn fetch(self: &Arc<Self>, id: SlotId) -> Result<Option<Value>, TaskError> {
        let mut waits = 0;
        loop {
            let inner = self.inner.lock();
            if inner.state.is_closed(id) {
                self.wait_to_come(inner);
                continue;
            }
            if let Some(value) = inner.state.open(id) {
                return Ok(Some(value));
            }
            let Some(file) = inner.state.file(id) else { return Ok(None) };
            let stays = inner.state.may_change(id);
            if stays && waits < ROOM_WAITS && inner.state.is_making_room() {
                waits += 1;
                self.wait_to_come(inner);
                continue;
            }
            drop(inner);
            let value = match value_of(&file) {
                Ok(value) if stays => value,
                Ok(value) => return Ok(Some(value)),
                Err(ReadError::Unread(error)) => return Err(error),
                Err(ReadError::Damaged) => {
                    if self.change(|state| state.lose_file(id, &file)).is_err() {
                        return Ok(None);
                    }
                    continue;
                }
            };
            match self.change(|state| state.came_back(id, &file, value.clone())) {
                Ok(None) => {}
                Ok(found) => return Ok(found),
                // The store broke: who has read it has it all the same.
                Err(_) => return Ok(Some(value)),
            }
        }
    }

    /// Waits for others to leave for what came without a promise, as long as they do, and not longer than a slow disk may take to
    /// write what one result needs: others may go on moving for ever.
    pub fn wait_for_room(self: &Arc<Self>) {
        let (mut waits, mut moves, began) = (0, None, Instant::now());
        while waits < ROOM_WAITS && began.elapsed() < ROOM_PATIENCE {
            let inner = self.inner.lock();
            if !inner.state.is_making_room() {
                return;
            }
            let is_still = moves.replace(inner.state.moves) == Some(inner.state.moves);
            waits = if is_still { waits + 1 } else { 0 };
            self.wait_to_come(inner);
        }
    }

    /// Puts a result back that was computed again, for `holder` if he was promised memory for it; gives the one that everybody
    /// has from now on. Somebody may have been first, and have changed it since.
    pub fn restore(self: &Arc<Self>, id: SlotId, value: Value, holder: Option<Holder>) -> Result<Value, TaskError> {
        loop {
            match self.change(|state| state.restore(id, value.clone(), holder)) {
                Ok(None) => {}
                Ok(Some(found)) => return Ok(found),
                // The store broke: who has computed it has it all the same.
                Err(_) => return Ok(value),
            }
            if let Some(found) = self.fetch(id)? {
                return Ok(found);
            }
        }
    }

    /// A result, if it is in memory and nobody has to wait for it.
    pub fn in_memory(&self, id: SlotId) -> Option<Value> {
        self.inner.lock().state.open(id)
    }
}
