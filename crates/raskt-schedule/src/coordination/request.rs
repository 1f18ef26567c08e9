//! What sessions ask.

use super::bytes::{Bytes, Name, Value};
use serde::{Deserialize, Serialize};

/// What a session asks. Timeouts are nanoseconds from when it is heard; none waits for as long as it takes, and zero not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// `count` of these locks, all at once, first come first served.
    AcquireLocks {
        /// Their names; each once.
        names: Vec<Name>,
        /// How many of them; the first that can be had.
        count: u64,
        /// Who holds them, within the session.
        holder: u64,
        /// How long it waits.
        timeout: Option<u64>,
    },
    /// Lets go of locks: all, or none if it doesn't hold one of them.
    ReleaseLocks {
        /// Their names.
        names: Vec<Name>,
        /// Who holds them.
        holder: u64,
    },
    /// Whether somebody holds a lock.
    Locked {
        /// Its name.
        name: Name,
    },
    /// Says how many leases a semaphore has.
    OpenSemaphore {
        /// Its name.
        name: Name,
        /// How many.
        leases: u64,
    },
    /// A lease of a semaphore.
    AcquireLease {
        /// The semaphore.
        name: Name,
        /// How many leases it has.
        leases: u64,
        /// The lease, by a number that the session chooses.
        lease: u64,
        /// How long the lease lasts unless it is refreshed; none lasts as long as the session.
        lasts: Option<u64>,
        /// How long this waits.
        timeout: Option<u64>,
    },
    /// These leases are still in use. The reply names those that had run out.
    RefreshLeases {
        /// Semaphores, and leases.
        leases: Vec<(Name, u64)>,
    },
    /// Gives back a lease.
    ReleaseLease {
        /// The semaphore.
        name: Name,
        /// The lease.
        lease: u64,
    },
    /// How many leases of a semaphore are held.
    Leases {
        /// Its name.
        name: Name,
    },
    /// Forgets a semaphore; leases that are held end, and who waits is told.
    CloseSemaphore {
        /// Its name.
        name: Name,
    },
    /// Sets an event: who waits goes on.
    SetEvent {
        /// Its name.
        name: Name,
    },
    /// Clears an event.
    ClearEvent {
        /// Its name.
        name: Name,
    },
    /// Whether an event is set.
    EventIsSet {
        /// Its name.
        name: Name,
    },
    /// Waits for an event.
    WaitForEvent {
        /// Its name.
        name: Name,
        /// How long it waits.
        timeout: Option<u64>,
    },
    /// Gives a variable a value.
    SetVariable {
        /// Its name.
        name: Name,
        /// The value.
        value: Value,
    },
    /// The value of a variable, once it has one.
    GetVariable {
        /// Its name.
        name: Name,
        /// How long it waits.
        timeout: Option<u64>,
    },
    /// Forgets a variable; who waits is told.
    DeleteVariable {
        /// Its name.
        name: Name,
    },
    /// Says how many items a queue may have; none says nothing of it, and takes what others say.
    OpenQueue {
        /// Its name.
        name: Name,
        /// How many.
        size: Option<u64>,
    },
    /// Puts an item at the end of a queue, once there is room.
    Put {
        /// The queue.
        name: Name,
        /// The item.
        value: Value,
        /// How long it waits.
        timeout: Option<u64>,
    },
    /// The first item of a queue, once there is one.
    Get {
        /// The queue.
        name: Name,
        /// How long it waits.
        timeout: Option<u64>,
    },
    /// The first `count` items of a queue, once it has so many; fewer where more wouldn't fit in a reply.
    GetMany {
        /// The queue.
        name: Name,
        /// How many.
        count: u64,
        /// How long it waits.
        timeout: Option<u64>,
    },
    /// What a queue has now, be it nothing; those at its front where not all fits in a reply.
    GetAll {
        /// The queue.
        name: Name,
    },
    /// How many items a queue has.
    QueueSize {
        /// Its name.
        name: Name,
    },
    /// Forgets a queue with what is in it; who waits is told.
    CloseQueue {
        /// Its name.
        name: Name,
    },
    /// Logs an event under a topic.
    Log {
        /// The topic.
        topic: Name,
        /// The event.
        event: Bytes,
    },
    /// Events that a topic still keeps, from this number on.
    EventsOf {
        /// The topic.
        topic: Name,
        /// The number.
        from: u64,
    },
    /// Topics, in order, after this one.
    Topics {
        /// The last one that is known.
        after: Option<Name>,
    },
    /// Has the events of a topic told from here on, or from this number on.
    Subscribe {
        /// The topic.
        topic: Name,
        /// The first event that is wanted, if it is still kept.
        from: Option<u64>,
    },
    /// Ends that.
    Unsubscribe {
        /// The topic.
        topic: Name,
    },
    /// Puts metadata under a key, in the place of all that was there: one entry without further keys, or several with them.
    SetMetadata {
        /// The key, and keys within it.
        keys: Vec<Name>,
        /// Further keys, and what is under them.
        entries: Vec<(Vec<Name>, Bytes)>,
    },
    /// All metadata under a key.
    GetMetadata {
        /// The key, and keys within it; none is everything.
        keys: Vec<Name>,
    },
    /// Publishes a dataset.
    PublishDataset {
        /// Its name.
        name: Name,
        /// What it is.
        value: Value,
        /// Whether it takes the place of one that is there.
        replace: bool,
    },
    /// A dataset.
    GetDataset {
        /// Its name.
        name: Name,
    },
    /// Names of datasets, in order, after this one.
    Datasets {
        /// The last one that is known.
        after: Option<Name>,
    },
    /// Forgets a dataset; says whether there was one.
    UnpublishDataset {
        /// Its name.
        name: Name,
    },
}

impl Request {
    /// How long it waits at most.
    pub fn timeout(&self) -> Option<u64> {
        match self {
            Self::AcquireLocks { timeout, .. }
            | Self::AcquireLease { timeout, .. }
            | Self::WaitForEvent { timeout, .. }
            | Self::GetVariable { timeout, .. }
            | Self::Put { timeout, .. }
            | Self::Get { timeout, .. }
            | Self::GetMany { timeout, .. } => *timeout,
            _ => None,
        }
    }

    /// Whether it only looks, however often: a scheduler that has begun anew can be asked it again. Whoever asks sees to it himself that
    /// it doesn't wait for longer then.
    pub fn can_be_repeated(&self) -> bool {
        matches!(
            self,
            Self::Locked { .. }
                | Self::Leases { .. }
                | Self::EventIsSet { .. }
                | Self::WaitForEvent { .. }
                | Self::GetVariable { .. }
                | Self::QueueSize { .. }
                | Self::EventsOf { from: 0, .. }
                | Self::Topics { .. }
                | Self::GetMetadata { .. }
                | Self::GetDataset { .. }
                | Self::Datasets { .. }
        )
    }

    /// Whether it can wait for a scheduler that is to come. What gives back isn't needed there, and topics are listened to again by
    /// themselves.
    pub fn can_wait(&self) -> bool {
        !matches!(
            self,
            Self::ReleaseLocks { .. }
                | Self::ReleaseLease { .. }
                | Self::RefreshLeases { .. }
                | Self::Subscribe { .. }
                | Self::Unsubscribe { .. }
        )
    }

    /// Its payloads, in an order that is always the same: what travels beside it.
    pub fn payloads<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut Bytes)) {
        match self {
            Self::SetVariable { value, .. } | Self::Put { value, .. } | Self::PublishDataset { value, .. } => {
                visit(&mut value.bytes);
            }
            Self::Log { event, .. } => visit(event),
            Self::SetMetadata { entries, .. } => entries.iter_mut().for_each(|(_, bytes)| visit(bytes)),
            _ => {}
        }
    }
}
