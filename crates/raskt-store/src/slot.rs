//! Where a result is: the table of its states.

use crate::broker::Holder;
use crate::file::SpillFile;
use crate::sizes::Family;
use raskt_value::{Codec, Value};
use std::fmt;
use std::sync::Arc;

/// The number of a result in the store; never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SlotId(pub u64);

/// What is known of a result when it comes into the store.
#[derive(Clone, Debug)]
pub struct ResultInfo {
    /// What made it, for people: `random`.
    pub label: Arc<str>,
    /// Results that are used together: those of one run.
    pub group: u64,
    /// The turn of the task that reads it next, the larger the later; nothing if no task of a live run does.
    pub turn: Option<u32>,
    /// What computing it again takes, if that needs no input and no data.
    pub recompute_nanoseconds: Option<u64>,
    /// What else that makes is taken to be about as large.
    pub family: Family,
}

/// A result and where it is.
pub(crate) struct Slot {
    pub facts: ResultInfo,
    pub bytes: u64,
    pub place: Residency,
    /// A file that holds it, be it in memory as well or not: then it leaves memory without being written again.
    pub file: Option<Arc<SpillFile>>,
    /// How it is written; nothing if it can't be.
    pub codec: Option<Arc<dyn Codec>>,
    /// Why it was seen to stay in memory, until that is looked at again.
    pub stays: Option<Stays>,
    /// Owners beside its handle: it goes with the last of them.
    pub claims: u32,
    /// Those who need it in memory.
    pub pins: u32,
    /// Those who wait for memory and will need it: while they wait it may leave for others.
    pub loose_pins: u32,
    /// When it was used last.
    pub used: u64,
    /// Requests that wait until it was read.
    pub waiters: Vec<Holder>,
}

/// Why a result that could leave memory stays there. It isn't looked at again whenever memory is short: there may be very many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stays {
    /// Somebody refers to it who doesn't leave with it, so that letting it go would free nothing; forgotten with the next use.
    Shared,
    /// The same, as only its own world can tell.
    SharedElsewhere,
    /// There is no room on the disk for it and those who leave with it, which need so much.
    Unwritable {
        /// Bytes of their files, of those that have to be written.
        room: u64,
    },
}

/// Where a result is.
///
/// | from | to | by |
/// |---|---|---|
/// | `Memory` | `Writing` | chosen to leave, when it is written, or those are that hold the same memory |
/// | `Memory` | `Out` | chosen to be dropped: it has a file, or is computed again |
/// | `Writing` | `Out` | all of them are written, and nobody has come to need or refer to any of them meanwhile |
/// | `Writing` | `Memory` | one of them is needed, or couldn't be written |
/// | `Out` | `Reading` | somebody needs it, and it has a file |
/// | `Reading` | `Memory` | read |
/// | `Reading` | `Out` | its file was bad, and is forgotten |
/// | `Out` | `Memory` | computed again while it had no file; or read by somebody who waits, from the file that it has |
pub(crate) enum Residency {
    /// In memory.
    Memory(Value),
    /// In memory, and being written, or about to leave with others that are.
    Writing(Value),
    /// Not in memory. Without a file it has to be computed again.
    Out,
    /// Being read.
    Reading,
}

impl Slot {
    /// The result, if it is in memory.
    pub fn value(&self) -> Option<&Value> {
        match &self.place {
            Residency::Memory(value) | Residency::Writing(value) => Some(value),
            Residency::Out | Residency::Reading => None,
        }
    }

    /// Bytes that it has in memory.
    pub fn bytes_in_memory(&self) -> u64 {
        if self.value().is_some() { self.bytes } else { 0 }
    }

    /// Whether it is about to leave, and whoever had it could change it meanwhile: nobody gets it before that is over.
    pub fn is_closed(&self) -> bool {
        matches!(self.place, Residency::Writing(_)) && self.codec.as_ref().is_some_and(|codec| codec.may_change())
    }

    /// Whether it was seen that somebody refers to it who doesn't leave with it.
    pub fn is_shared(&self) -> bool {
        matches!(self.stays, Some(Stays::Shared | Stays::SharedElsewhere))
    }

    /// Whether it could leave memory at all.
    pub fn can_leave(&self) -> bool {
        self.stays.is_none() && self.is_ready_to_leave()
    }

    /// The same, were it not seen to stay for what may be over: whether it can leave with those who hold its memory too.
    pub fn can_leave_with_others(&self) -> bool {
        !matches!(self.stays, Some(Stays::SharedElsewhere)) && self.is_ready_to_leave()
    }

    fn is_ready_to_leave(&self) -> bool {
        self.pins == 0
            && matches!(self.place, Residency::Memory(_))
            && (self.can_be_had_again() || self.codec.is_some())
    }

    /// Whether it needn't be written to be had again.
    pub fn can_be_had_again(&self) -> bool {
        self.file.is_some() || self.facts.recompute_nanoseconds.is_some()
    }
}

impl fmt::Debug for Residency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory(_) => "Memory",
            Self::Writing(_) => "Writing",
            Self::Out => "Out",
            Self::Reading => "Reading",
        })
    }
}
