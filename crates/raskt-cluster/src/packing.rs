//! Packs results for those who ask for them: by threads of its own, as what packs an object is code of users. It takes as long as it
//! likes, may panic, and may itself wait for a result.

use crate::bulk::{Missing, Reply};
use crate::failure::shortened;
use crate::parcels::pack;
use crate::pool::Pool;
use raskt_value::Value;
use std::any::Any;
use std::io;
use std::sync::Arc;

/// The most bytes of a reason why something can't be packed: with the rest it fits into a frame, wherever it goes.
const REASON_BYTES: usize = 64 << 10;

/// The way to the threads. What is memory of its own doesn't wait for objects.
pub(crate) struct Packing {
    plain: Pool,
    objects: Arc<Pool>,
}

/// Results of which there may be none, and what has to be kept until they have gone.
pub(crate) type Found = Option<(Vec<Value>, Arc<dyn Any + Send + Sync>)>;

impl Packing {
    pub fn start() -> io::Result<Self> {
        Ok(Self { plain: Pool::start("raskt-pack")?, objects: Arc::new(Pool::start("raskt-pickle")?) })
    }

    /// Has results found and packed for whoever waits for the reply.
    pub fn give(&self, find: impl FnOnce() -> Found + Send + 'static, reply: Reply) {
        let objects = self.objects.clone();
        self.plain.run(move || {
            let Some((values, keeper)) = find() else { return reply.refuse(Missing::NotThere) };
            let is_plain = values.iter().all(is_plain);
            let give = move || match pack(&values, &keeper) {
                Ok(pieces) => reply.give(pieces),
                Err(error) => reply.refuse(Missing::Failed(shortened(&error.to_string(), REASON_BYTES, ""))),
            };
            match is_plain {
                true => give(),
                false => objects.run(give),
            }
        });
    }
}

/// Whether nobody else's code packs it.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Chunk(_) | Value::Table(_) | Value::Stored(_) => true,
        Value::Manifest(manifest) => manifest.parts.iter().all(is_plain),
        Value::Foreign(object) => object.pack_at_once().is_some(),
    }
}
