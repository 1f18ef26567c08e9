//! What is to be fetched, and who waits for it.

use super::{BulkError, Part};
use bytes::Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Which result is fetched, and what was reserved for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The name of the result.
    pub result: Vec<u8>,
    /// What of it; all if that is empty.
    pub parts: Vec<Part>,
    /// Bytes of memory that were reserved for it. If it has more, nothing is sent, and the error says how many.
    pub reserved: u64,
}

type Came = Result<Vec<Bytes>, BulkError>;

/// Who waits for a result. He is told once, whatever happens, and does no harm to others if he panics.
pub(super) struct Done(pub Option<Box<dyn FnOnce(Came) + Send>>);

impl Done {
    pub fn tell(mut self, came: Came) {
        self.tell_once(came);
    }

    fn tell_once(&mut self, came: Came) {
        if let Some(done) = self.0.take()
            && catch_unwind(AssertUnwindSafe(|| done(came))).is_err()
        {
            tracing::error!("whoever waited for a result panicked when it came");
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.tell_once(Err(BulkError::Lost("the network has stopped".to_owned())));
    }
}

pub(super) struct Order {
    pub fetch: Fetch,
    pub done: Done,
}
