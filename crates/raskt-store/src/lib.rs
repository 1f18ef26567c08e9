//! Where results are kept, and the broker that promises memory for them.
//!
//! One [`Store`] serves every engine of a process. A result of some size becomes a [`StoredRef`]: it is in memory, or in a file,
//! or can be computed again, and the store moves it between these as memory gets short. Nothing starts before the memory
//! that it needs was promised by the [`Broker`]:
//!
//! ```text
//!  ask ──▶ it fits ───────────────────────────────▶ Promised ──▶ inputs are read ──▶ Loaded
//!   └────▶ it doesn't: victims are dropped or written, by threads of the store ──┘
//!              └─ nothing can be moved: one request goes beyond the limit, or Exhausted tells who holds what
//! ```
//!
//! What is decided (`state`, `order`, `broker`, `speed`) is apart from what is done (`threads`, `file`, `folder`, `place`): the
//! state hands out jobs and replies, and never touches a file.
//!
//! A file that is damaged, cut or gone is a result that isn't there: whoever needs it computes it again, or says that it
//! was lost. A wrong number can't come of it, since what is read is compared with a checksum that stayed in memory.

mod aligned;
mod arriving;
mod broken;
mod broker;
mod codec;
mod counts;
mod departures;
mod disk;
mod file;
mod folder;
mod fork;
mod lineage;
mod looking;
mod machine;
mod order;
mod place;
mod process_limit;
mod report;
mod request;
mod round;
mod sharing;
mod sizes;
mod slot;
mod sole;
mod speed;
mod state;
mod still;
mod store;
mod stored_ref;
mod threads;
mod unseen;
mod watch;

pub use arriving::Arriving;
pub use broken::Broken;
pub use broker::{Broker, Holder};
pub use folder::sweep_spilled;
pub use fork::forks;
pub use lineage::{Lineage, Origin, Past};
pub use machine::{
    freed_is_given_back_by, give_back_freed, keep_little_freed, machine_memory, own_bytes, processors, resident_bytes,
    taken_bytes,
};
pub use process_limit::ProcessLimit;
pub use report::{HolderLine, MemoryReport, Place};
pub use request::{Answer, Asker, Extent, Reply};
pub use sizes::{Family, Outputs};
pub use slot::ResultInfo;
pub use store::{Limits, Store};
pub use stored_ref::{Husk, Pins, StoredRef};

#[cfg(test)]
mod tests;
