//! Objects that leave memory as they travel: a pickle, and the large buffers that it refers to.
//!
//! In a program of a user what holds Python objects stays in memory: it is dear to pickle, and comes back as another object, which
//! somebody may compare with the one that he has. Results of a worker's process are nobody's but the worker's. Whoever asks for one gets it
//! in this form anyway, and a worker that couldn't rid itself of them would have no room for the next.

use super::codec::{drop_attached, references, refused, with_object};
use super::parcel::{self, Goes};
use crate::memory::fits_beside;
use pyo3::prelude::*;
use raskt_futures::HeldResult;
use raskt_futures::names::noting;
use raskt_value::wire::WireForm;
use raskt_value::{Buffer, Codec, Decoder, Encoded, ErrorKind, Parcel, TaskError, Unwritten, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process in which objects leave so; 0 if there is none. Its forks are nobody's workers.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Every piece begins at a multiple of this.
const ALIGNMENT: usize = Parcel::ALIGNMENT;

/// From now on objects of this process, which is a worker and nothing else, leave its memory as they travel.
#[pyfunction]
pub(super) fn objects_leave() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// Whether they do.
pub(super) fn do_leave() -> bool {
    PROCESS.load(Ordering::Relaxed) == std::process::id()
}

#[derive(Clone, Copy)]
pub(super) struct TravellingCodec {
    /// Whether nobody can change the object.
    pub fixed: bool,
}

impl Codec for TravellingCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        with_object(value, |py, object| {
            // Of a task that has it as an argument, for one.
            if references(object) > 1 {
                return Err(Unwritten::Shared);
            }
            // Its pickle lies beside it until it is written.
            if !fits_beside(value.bytes() as u64) {
                return Err(Unwritten::Shared);
            }
            let packed = noting(|| parcel::packed(object, Goes::FromMemory));
            packed.map(|(parcel, named)| encoded(parcel, named)).map_err(|error| refused(py, error))
        })
    }

    fn may_change(&self) -> bool {
        !self.fixed
    }

    fn let_go(&self, value: Value) {
        drop_attached(value);
    }
}

fn encoded(parcel: Parcel, named: Vec<Arc<HeldResult>>) -> Encoded {
    let lengths = parcel.pieces.iter().map(Buffer::len).collect();
    let filled = |piece: Buffer| {
        let padding = piece.len().next_multiple_of(ALIGNMENT) - piece.len();
        [piece, Buffer::from_vec(vec![0_u8; padding])]
    };
    let pieces = parcel.pieces.into_iter().flat_map(filled).collect();
    Encoded { pieces, decoder: Arc::new(Travelled { form: parcel.form, lengths, _named: named }) }
}

/// What makes an object of the pieces that it was written as.
struct Travelled {
    form: WireForm,
    lengths: Vec<usize>,
    /// What it has names of, and held until it left: it is to find that when it comes back.
    _named: Vec<Arc<HeldResult>>,
}

impl Decoder for Travelled {
    fn decode(&self, bytes: Buffer) -> Result<Value, TaskError> {
        let (mut at, mut pieces) = (0, Vec::with_capacity(self.lengths.len()));
        for &length in &self.lengths {
            let piece = bytes.part(at, length);
            pieces.push(piece.ok_or_else(|| TaskError::new(ErrorKind::Value, "its file is shorter than it is"))?);
            at += length.next_multiple_of(ALIGNMENT);
        }
        parcel::unpack(&self.form, pieces)
    }
}
