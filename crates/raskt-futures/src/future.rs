//! Handles on results that have a type.

use crate::error::FutureError;
use crate::held::{HeldResult, Standing, fetch, ranges_of, retry};
use crate::packed::{Packed, Portable};
use raskt_cluster::{ClusterError, Until};
use raskt_value::Value;
use std::any::type_name;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A handle on a result that a cluster makes. It is wanted there as long as a clone of this is kept.
pub struct Future<T> {
    /// What it is put together of.
    held: Arc<[Arc<HeldResult>]>,
    read: Arc<Read<T>>,
}

/// Puts a result together.
pub(crate) type Read<T> = dyn Fn(Vec<Value>) -> Result<T, FutureError> + Send + Sync;

/// Where a future stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is to come, or to come again.
    Pending,
    /// Workers have it.
    Finished,
    /// It won't come, unless that is asked for.
    Failed,
    /// Nobody wants it any more.
    Cancelled,
}

impl<T> Future<T> {
    /// That of several results, which `read` puts together.
    pub fn of(
        held: Vec<Arc<HeldResult>>,
        read: impl Fn(Vec<Value>) -> Result<T, FutureError> + Send + Sync + 'static,
    ) -> Self {
        Self { held: held.into(), read: Arc::new(read) }
    }

    /// Where it stands.
    pub fn status(&self) -> Status {
        let mut status = Status::Finished;
        for held in &*self.held {
            match held.standing() {
                Standing::Available => {}
                Standing::Pending => status = Status::Pending,
                Standing::Failed(_) => return Status::Failed,
                Standing::Cancelled => return Status::Cancelled,
            }
        }
        status
    }

    /// Whether it is over: finished, failed or cancelled.
    pub fn is_done(&self) -> bool {
        self.status() != Status::Pending
    }

    /// Waits until it is over, and fetches nothing.
    pub fn wait(&self) {
        self.wait_until(None);
    }

    /// The same for so long; says whether it is over.
    pub fn wait_timeout(&self, patience: Duration) -> bool {
        self.wait_until(deadline(patience))
    }

    fn wait_until(&self, deadline: Option<Instant>) -> bool {
        let Some(first) = self.held.first() else { return true };
        let watch = first.client().watch(&ranges_of(self.held.iter().map(|held| &**held)));
        watch.wait(Until::FirstFailure, deadline)
    }

    /// Waits for the result, and fetches it.
    pub fn result(&self) -> Result<T, FutureError> {
        self.read(fetch(&self.held, None)?)
    }

    /// The same for so long: an error if it isn't here by then.
    pub fn result_timeout(&self, patience: Duration) -> Result<T, FutureError> {
        self.read(fetch(&self.held, deadline(patience))?)
    }

    /// Nobody wants it any more, whoever has a clone of this; says whether it wasn't over before. What runs already isn't stopped.
    pub fn cancel(&self) -> bool {
        self.held.iter().fold(false, |was_open, held| held.cancel(false) | was_open)
    }

    /// Has what failed of it run again, with what failed first.
    pub fn retry(&self) -> Result<(), ClusterError> {
        let is_over = |held: &&Arc<HeldResult>| held.is_cancelled() || matches!(held.standing(), Standing::Failed(_));
        let over: Vec<_> = self.held.iter().filter(is_over).cloned().collect();
        retry(&over)
    }

    /// Why it can't go on as things are, if it can't: no worker is there, for one.
    pub fn stalled(&self) -> Option<String> {
        self.held.iter().find_map(|held| held.stalled())
    }

    /// What it is put together of.
    pub fn held(&self) -> &[Arc<HeldResult>] {
        &self.held
    }

    /// The result itself, put together of what has come.
    pub(crate) fn read(&self, values: Vec<Value>) -> Result<T, FutureError> {
        (self.read)(values)
    }
}

impl<T: Portable> Future<T> {
    /// That of one result, which is a value of Rust.
    pub(crate) fn of_one(held: Arc<HeldResult>) -> Self {
        Self::of(vec![held], |values| match values.as_slice() {
            [value] => Ok(Packed::within(value)?.read()?),
            _ => Err(FutureError::Unreadable(format!("one result was due, and {} came", values.len()))),
        })
    }

    /// Its one result, for calls that read it.
    pub(crate) fn only(&self) -> Result<Arc<HeldResult>, FutureError> {
        match &*self.held {
            [only] => Ok(only.clone()),
            all => {
                let kind = type_name::<T>();
                Err(FutureError::Stays(format!("a `{kind}` of {} blocks can't be an argument of a call", all.len())))
            }
        }
    }
}

/// The time at which that is over; nothing if nobody lives so long.
fn deadline(patience: Duration) -> Option<Instant> {
    Instant::now().checked_add(patience)
}

impl<T> Clone for Future<T> {
    fn clone(&self) -> Self {
        Self { held: self.held.clone(), read: self.read.clone() }
    }
}

impl<T> fmt::Debug for Future<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Future<{}>({:?})", type_name::<T>(), self.status())
    }
}
