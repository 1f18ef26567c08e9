//! Why tasks failed, as it travels.

use raskt_graph::TaskId;
use raskt_schedule::{Death, RunId};
use raskt_value::ErrorKind;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Why tasks failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureForm {
    /// The run of the task that failed first.
    pub run: RunId,
    /// That task.
    pub task: TaskId,
    /// What it raised, if it did: the same for all that failed with it.
    pub error: Option<Arc<ErrorForm>>,
    /// The deaths of workers that had it, if that is why.
    pub story: Vec<Death>,
    /// It stood for data that was given, and is gone.
    pub is_lost: bool,
    /// What is known of these deaths, if there were any.
    pub killed: Option<Arc<Killed>>,
}

/// What is known of deaths beside who died.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Killed {
    /// What the task is called by those who haven't submitted it.
    pub key: String,
    /// Why the last worker was ended, if somebody has said.
    pub cause: Option<String>,
}

/// An error of a task as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorForm {
    /// The key of the task, as people see it.
    pub key: String,
    /// What sort of failure it is.
    pub kind: ErrorKind,
    /// What was tried, the value and the cause.
    pub message: String,
    /// The cause itself where it isn't ours, as the face of the worker has written it.
    pub cause: Option<Vec<u8>>,
}

/// What is said of data for which a worker has no memory begins so: whoever reads it lacks memory, too.
pub(crate) const NO_MEMORY: &str = "a worker has no memory left for it";

/// That, and what holds the memory.
pub(crate) fn no_memory(report: impl std::fmt::Display) -> String {
    format!("{NO_MEMORY}: {report}")
}

/// A task that failed by itself, and its run.
pub(crate) type Root = (RunId, TaskId);

/// Bytes of errors that are kept whole in one place; what fails beyond is known by the beginning of its message.
pub(crate) const ERRORS_BYTES_MAX: usize = 256 << 20;

/// So many bytes of a message are kept in any case.
pub(crate) const BEGINNING_BYTES: usize = 1 << 10;

impl FailureForm {
    /// By what it is referred to.
    pub fn root(&self) -> Root {
        (self.run, self.task)
    }

    /// What it takes up beside itself.
    pub(crate) fn bytes(&self) -> usize {
        let killed = self.killed.as_ref();
        let killed = killed.map_or(0, |it| it.key.len() + it.cause.as_ref().map_or(0, String::len));
        killed + self.error.as_ref().map_or(0, |error| error.bytes())
    }

    /// Whether it was cancelled, or what it depends on was.
    pub fn is_cancellation(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.kind == ErrorKind::Cancelled)
    }
}

impl ErrorForm {
    /// What it takes up beside itself.
    pub(crate) fn bytes(&self) -> usize {
        self.key.len() + self.message.len() + self.cause.as_ref().map_or(0, Vec::len)
    }

    /// Leaves of it what is kept in any case; of what is so short already nothing changes.
    pub(crate) fn shorten(&mut self) {
        self.cause = None;
        if self.message.len() > BEGINNING_BYTES {
            self.message = shortened(&self.message, BEGINNING_BYTES, ": too much has failed to keep it");
        }
    }
}

/// A text in no more than `most` bytes: its beginning, how long it was, and `why`, which is much shorter.
pub(crate) fn shortened(text: &str, most: usize, why: &str) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let rest = format!("… ({} bytes in all{why})", text.len());
    format!("{}{rest}", &text[..text.floor_char_boundary(most.saturating_sub(rest.len()))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Never longer than it may be, and shortened once: who keeps it next has nothing to do.
        #[test]
        fn an_error_is_shortened_once(message in "[aä…]{0,2000}", cause in prop::option::of(0..9_usize)) {
            let cause = cause.map(|bytes| vec![1; bytes]);
            let whole = ErrorForm { key: "key".into(), kind: ErrorKind::Value, message, cause };
            let mut short = whole.clone();
            short.shorten();
            prop_assert!(short.cause.is_none() && short.message.len() <= BEGINNING_BYTES);
            prop_assert!(short.bytes() <= whole.bytes());
            let rest = format!("… ({} bytes in all: too much has failed to keep it)", whole.message.len());
            let kept = short.message.strip_suffix(&rest);
            match whole.message.len() > BEGINNING_BYTES {
                true => prop_assert!(kept.is_some_and(|kept| whole.message.starts_with(kept) && kept.len() > 900)),
                false => prop_assert_eq!(&short.message, &whole.message),
            }
            let mut again = short.clone();
            again.shorten();
            prop_assert_eq!(again, short);
        }
    }
}
