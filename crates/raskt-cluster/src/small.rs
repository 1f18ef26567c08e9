//! Small results that go along with the word that they are there: whoever wants them needs to ask nobody.
//!
//! The worker writes them, the scheduler passes them on unread, and the client keeps them as they came until somebody wants a value.

use raskt_graph::TaskId;
use raskt_schedule::TaskRange;
use raskt_value::wire::{Decoders, WireForm};
use raskt_value::{Parcel, TaskError, Value};
use serde::{Deserialize, Serialize};

/// A result of more bytes, as it is written, is fetched.
pub(crate) const SMALL_BYTES: usize = 1 << 10;

/// Bytes of results that go along with one message.
pub(crate) const ALONG_BYTES: usize = 64 << 10;

/// Results of neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Small {
    /// The tasks.
    tasks: TaskRange,
    /// Where each ends.
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl Small {
    /// The first of `values` that are small, as many as may go along.
    pub fn of(values: Vec<(TaskId, Value)>) -> Vec<Self> {
        let (mut all, mut total): (Vec<Self>, usize) = (vec![], 0);
        for (task, value) in values {
            let Some(written) = write(&value) else { continue };
            total += written.len();
            if total > ALONG_BYTES {
                break;
            }
            match all.last_mut() {
                Some(last) if last.tasks.layer == task.layer && last.tasks.end == task.index => last.push(&written),
                _ => {
                    let tasks = TaskRange { layer: task.layer, start: task.index, end: task.index };
                    let mut first = Self { tasks, ends: vec![], bytes: vec![] };
                    first.push(&written);
                    all.push(first);
                }
            }
        }
        all
    }

    fn push(&mut self, written: &[u8]) {
        self.bytes.extend_from_slice(written);
        self.ends.push(self.bytes.len() as u32);
        self.tasks.end += 1;
    }

    pub fn tasks(&self) -> TaskRange {
        self.tasks
    }

    pub fn len(&self) -> usize {
        self.bytes.len() + self.ends.len() * size_of::<u32>()
    }

    /// The result of `task`, if it is there and can be read.
    pub fn value(&self, decoders: &Decoders, task: TaskId) -> Option<Result<Value, TaskError>> {
        let at = self.tasks.contains(task).then(|| (task.index - self.tasks.start) as usize)?;
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        let written = self.bytes.get(start as usize..*self.ends.get(at)? as usize)?;
        let (form, pieces): (WireForm, Vec<&[u8]>) = postcard::from_bytes(written).ok()?;
        let pieces = pieces.into_iter().map(crate::parcels::aligned).collect();
        Some(decoders.unpack(Parcel { form, pieces }))
    }
}

/// As it travels, if it is small.
fn write(value: &Value) -> Option<Vec<u8>> {
    if value.bytes() > SMALL_BYTES {
        return None;
    }
    let Parcel { form, pieces } = value.pack_at_once()?;
    // SAFETY: the bytes of a buffer are valid for reads as long as it lives.
    let bytes = |piece| unsafe { std::slice::from_raw_parts(raskt_value::Buffer::as_ptr(piece), piece.len()) };
    let pieces: Vec<&[u8]> = pieces.iter().map(bytes).collect();
    postcard::to_stdvec(&(form, pieces)).ok().filter(|written| written.len() <= SMALL_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_graph::LayerId;
    use raskt_value::Chunk;

    #[test]
    fn small_ones_go_along_and_others_do_not() {
        let task = |index| TaskId::new(LayerId(1), index);
        let value = |index: u64| match index {
            5 => Chunk::from_vec(vec![1_i64; 500], &[500]).unwrap().into(),
            _ => Value::from(Chunk::scalar(index as i64)),
        };
        let all = Small::of((0..10).map(|index| (task(index), value(index))).collect());
        assert_eq!(all.iter().map(|small| small.tasks.len()).collect::<Vec<_>>(), [5, 4]);
        let decoders = Decoders::default();
        for index in 0..10 {
            let found = all.iter().find_map(|small| small.value(&decoders, task(index)));
            let found = found.map(|value| value.unwrap().as_chunk().and_then(Chunk::as_slice::<i64>).unwrap()[0]);
            assert_eq!(found, (index != 5).then_some(index as i64));
        }
        let many = Small::of((0..100_000).map(|index| (task(index), value(0))).collect());
        assert!(many.iter().map(|small| small.bytes.len()).sum::<usize>() <= ALONG_BYTES);
    }
}
