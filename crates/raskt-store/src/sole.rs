//! Whether letting go of values would free their memory.

use raskt_value::{Buffer, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether nobody but the caller refers to the memory of `values`, of which he has one of each: dropping all of them frees it.
pub(crate) fn are_sole(values: &[&Value]) -> bool {
    let mut references = References::default();
    values.iter().all(|value| references.count(value)) && references.are_all()
}

/// References that were met, by what they refer to, and how many there are in all.
#[derive(Default)]
struct References {
    values: BTreeMap<usize, Count>,
    owners: BTreeMap<usize, Count>,
}

struct Count {
    met: usize,
    there: usize,
}

impl References {
    /// Counts a value, and what is in it if it is met for the first time; says whether it may be sole.
    fn count(&mut self, value: &Value) -> bool {
        match value {
            Value::Chunk(chunk) => {
                if meet(&mut self.values, chunk) {
                    self.count_owner(chunk.buffer());
                }
                true
            }
            // Parts that were read back are in one piece of memory, which only they refer to.
            Value::Manifest(manifest) => {
                !meet(&mut self.values, manifest) || manifest.parts.iter().all(|part| self.count(part))
            }
            // What its columns share with other tables is counted with each of them, so that letting one go is no mistake.
            Value::Table(table) => Arc::strong_count(table) == 1,
            // Whether others of its world refer to it is seen when it is written, where that can be asked.
            Value::Foreign(object) => Arc::strong_count(object) == 1,
            Value::Stored(_) => false,
        }
    }

    fn count_owner(&mut self, buffer: &Buffer) {
        meet(&mut self.owners, buffer.owner());
    }

    /// Whether all references to what was met were met.
    fn are_all(&self) -> bool {
        self.values.values().chain(self.owners.values()).all(|count| count.met == count.there)
    }
}

/// Counts a reference; whether it is the first one to what it refers to.
fn meet<T: ?Sized>(counts: &mut BTreeMap<usize, Count>, reference: &Arc<T>) -> bool {
    let count = counts.entry(Arc::as_ptr(reference).addr()).or_insert(Count { met: 0, there: 0 });
    count.met += 1;
    count.there = Arc::strong_count(reference);
    count.met == 1
}
