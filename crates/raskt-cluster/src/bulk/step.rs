//! The words of transfers.

use serde::{Deserialize, Serialize};

/// One step of a transfer, the control part of its frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Step {
    /// Somebody wants a result.
    Request {
        transfer: u32,
        result: Vec<u8>,
        /// What of it; all if that is empty.
        parts: Vec<Part>,
        /// So many bytes have been reserved for it; nothing comes if it is more.
        reserved: u64,
        credit: u64,
        /// It may lie in the giver's memory, if this lies there, too; none if that can't be read.
        proof: Option<Proof>,
    },
    /// There it is: so long are its pieces, or the parts that were asked for.
    Opened { transfer: u32, pieces: Vec<u64> },
    /// There it isn't.
    Refused { transfer: u32, why: Missing },
    /// The next bytes of a piece, which are the frame's bulk.
    Chunk { transfer: u32, piece: u32 },
    /// The pieces lie in the memory of the files that came along, in this order: (which file, from where, how long).
    Handles { transfer: u32, files: u32, pieces: Vec<(u32, u64, u64)> },
    /// The pieces lie in the memory of whoever gives, at these addresses, and the proof at this one. They stay there until whoever
    /// fetches says what became of it.
    Lent { transfer: u32, proof: u64, places: Vec<u64> },
    /// They were read, if they were still there.
    Read { transfer: u32 },
    /// They were there all the time.
    Kept { transfer: u32 },
    /// They can't be read: let them come otherwise.
    Unreadable { transfer: u32 },
    /// So many bytes more may come.
    Credit { transfer: u32, bytes: u64 },
    /// Nobody wants it any more.
    Cancel { transfer: u32 },
    /// It is being looked for, packed or copied.
    Working { transfer: u32 },
}

/// What nobody can guess. Whoever asks draws it, and whoever gives puts it into his memory: where it is found, he is.
pub(crate) type Proof = [u8; 16];

/// A range of bytes of one piece of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which piece.
    pub piece: u32,
    /// From which byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Why a peer that was reached doesn't give a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Missing {
    /// It doesn't have it, or doesn't have that part of it.
    #[error("it is not there")]
    NotThere,
    /// It has it and can't give it, as it says.
    #[error("{0}")]
    Failed(String),
    /// It is more than was reserved.
    #[error("it has {0} bytes")]
    TooLarge(u64),
    /// Too much is asked for at a time.
    #[error("too much is asked for at a time")]
    Busy,
}
