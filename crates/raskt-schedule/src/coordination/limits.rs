//! How much may be shared, and waited for.

/// How much may be shared, and waited for. [`Default`] is what a scheduler has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a name.
    pub name_bytes: usize,
    /// Names of each kind of thing.
    pub names: usize,
    /// Bytes of a value.
    pub value_bytes: usize,
    /// Ranges of results that a value refers to.
    pub value_results: usize,
    /// Bytes of all values together, events of topics and waiting puts among them.
    pub all_bytes: u64,
    /// Bytes of the values of a reply, if there are more than one.
    pub reply_bytes: u64,
    /// Names in a reply.
    pub reply_names: usize,
    /// Values or events in a reply.
    pub reply_items: usize,
    /// Ranges of results that the values of a reply refer to, if there are more than one.
    pub reply_results: usize,
    /// Requests that wait, of all sessions.
    pub waiting: usize,
    /// Requests of a session that wait.
    pub waiting_of_a_session: usize,
    /// Locks that are asked for at once.
    pub locks_at_once: usize,
    /// Leases of a semaphore, and items of a queue.
    pub queue_items: u64,
    /// Who is known to name which semaphores and queues, in all.
    pub acquaintances: usize,
    /// Keys within keys of metadata.
    pub metadata_depth: usize,
    /// Bytes of all metadata, so that all of it fits in a reply.
    pub metadata_bytes: u64,
    /// Events that a topic keeps.
    pub topic_events: usize,
    /// Bytes of the events that a topic keeps.
    pub topic_bytes: u64,
    /// Bytes of an event.
    pub event_bytes: usize,
    /// Events that a subscriber is told at a time, before it says that it has them.
    pub events_at_once: usize,
    /// Topics that a session subscribes to.
    pub subscriptions_of_a_session: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            name_bytes: NAME_BYTES_MAX,
            names: NAMES_MAX,
            value_bytes: VALUE_BYTES_MAX,
            value_results: VALUE_RESULTS_MAX,
            all_bytes: ALL_BYTES_MAX,
            reply_bytes: REPLY_BYTES_MAX,
            reply_names: REPLY_NAMES_MAX,
            reply_items: REPLY_ITEMS_MAX,
            reply_results: REPLY_RESULTS_MAX,
            waiting: WAITING_MAX,
            waiting_of_a_session: WAITING_OF_A_SESSION_MAX,
            locks_at_once: LOCKS_AT_ONCE_MAX,
            queue_items: QUEUE_ITEMS_MAX,
            acquaintances: ACQUAINTANCES_MAX,
            metadata_depth: METADATA_DEPTH_MAX,
            metadata_bytes: METADATA_BYTES_MAX,
            topic_events: TOPIC_EVENTS_MAX,
            topic_bytes: TOPIC_BYTES_MAX,
            event_bytes: EVENT_BYTES_MAX,
            events_at_once: EVENTS_AT_ONCE_MAX,
            subscriptions_of_a_session: SUBSCRIPTIONS_OF_A_SESSION_MAX,
        }
    }
}

/// Bytes of a name.
pub(super) const NAME_BYTES_MAX: usize = 1 << 10;
/// Names of each kind of thing.
const NAMES_MAX: usize = 1 << 16;
/// Bytes of a value.
pub(super) const VALUE_BYTES_MAX: usize = 16 << 20;
/// Ranges of results that a value refers to.
const VALUE_RESULTS_MAX: usize = 1 << 14;
/// Bytes of all values together.
const ALL_BYTES_MAX: u64 = 1 << 30;
/// Bytes of the values of a reply: half of what a message may bring along.
const REPLY_BYTES_MAX: u64 = 32 << 20;
/// Names in a reply: what fits in the control part of a message, were each as long as it may be.
const REPLY_NAMES_MAX: usize = 1 << 11;
/// Values or events in a reply: what is said of each beside its bytes fits in the control part of a message.
const REPLY_ITEMS_MAX: usize = 1 << 16;
/// Ranges of results in a reply: some forty bytes each.
const REPLY_RESULTS_MAX: usize = 1 << 15;
/// Requests that wait, of all sessions.
const WAITING_MAX: usize = 1 << 20;
/// Requests of a session that wait.
const WAITING_OF_A_SESSION_MAX: usize = 1 << 16;
/// Locks that are asked for at once: their names fit in the control part of a message.
const LOCKS_AT_ONCE_MAX: usize = 1 << 11;
/// Leases of a semaphore, and items of a queue.
const QUEUE_ITEMS_MAX: u64 = 1 << 20;
/// Who is known to name which semaphores and queues.
const ACQUAINTANCES_MAX: usize = 1 << 20;
/// Keys within keys of metadata.
const METADATA_DEPTH_MAX: usize = 32;
/// Bytes of all metadata, keys included: what fits in the control part of a message.
const METADATA_BYTES_MAX: u64 = 2 << 20;
/// Events that a topic keeps.
const TOPIC_EVENTS_MAX: usize = 100_000;
/// Bytes of the events that a topic keeps.
const TOPIC_BYTES_MAX: u64 = 16 << 20;
/// Bytes of an event.
const EVENT_BYTES_MAX: usize = 1 << 20;
/// Events that a subscriber is told at a time.
const EVENTS_AT_ONCE_MAX: usize = 1 << 10;
/// Topics that a session subscribes to.
const SUBSCRIPTIONS_OF_A_SESSION_MAX: usize = 1 << 10;
