//! What the state has threads of the store do, and what comes of it.

use crate::codec::codec_of;
use crate::file::SpillFile;
use crate::slot::SlotId;
use raskt_value::{Codec, Value};
use std::path::PathBuf;
use std::sync::Arc;

/// What a thread of the store is to do.
pub(crate) enum Job {
    /// `known` is the file that it has, which may still hold what it is.
    Write {
        id: SlotId,
        value: Value,
        codec: Arc<dyn Codec>,
        known: Option<Arc<SpillFile>>,
        /// What it was counted with when it began to leave.
        bytes: u64,
        epoch: u32,
    },
    Read {
        id: SlotId,
        file: Arc<SpillFile>,
        epoch: u32,
    },
    /// Removes what dead processes left there.
    Sweep {
        place: PathBuf,
        epoch: u32,
    },
}

impl Job {
    /// What it holds, if nobody does it.
    pub fn into_garbage(self) -> Vec<Garbage> {
        match self {
            Self::Write { value, codec, known, .. } => {
                let value = Garbage::Value(value, Some(codec));
                std::iter::once(value).chain(known.map(Garbage::File)).collect()
            }
            Self::Read { file, .. } => vec![Garbage::File(file)],
            Self::Sweep { .. } => vec![],
        }
    }
}

/// What became of writing a result.
pub(crate) enum Written {
    /// It is in this file: a new one, or the one that it had.
    To(Arc<SpillFile>),
    /// It stays for now: somebody else refers to it, so that nothing would be free, or something came between.
    Shared,
    /// It is larger than it was taken to be, or than it was when it was written before, and there may be no file of it beside those
    /// that there are.
    NoRoom,
    /// It can't be written, now or later.
    Never,
    /// There is no room, or the disk is broken.
    Trouble(String),
}

/// What a thread of the store is to drop.
pub(crate) enum Garbage {
    Value(Value, Option<Arc<dyn Codec>>),
    File(#[expect(dead_code, reason = "kept only to be dropped later")] Arc<SpillFile>),
}

impl Garbage {
    /// A value that was never in the store, or is there no more.
    pub fn of(value: Value) -> Self {
        let codec = codec_of(&value);
        Self::Value(value, codec)
    }

    /// Drops it, so that its memory is free when this returns.
    pub fn let_go(self) {
        if let Self::Value(value, Some(codec)) = self {
            codec.let_go(value);
        }
    }
}
