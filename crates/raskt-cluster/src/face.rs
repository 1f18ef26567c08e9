//! What a process of the cluster can do with work beside passing it on: read ops, and errors of other languages.

use crate::errand::ErrandCall;
use crate::failure::shortened;
use crate::message::ErrorForm;
use crate::this_worker::ThisWorker;
use raskt_graph::OpForm;
use raskt_graph::{Graph, OpBody};
use raskt_value::wire::{BodyForm, Decoders};
use raskt_value::{ErrorKind, TaskError};
use std::any::Any;

/// What a call is made of; only the face that has made it knows what is in it.
pub type CallBody = Box<dyn Any + Send>;

/// Knows the ops, values and errors of a language. A process without one runs native work.
pub trait Face: Send + Sync + 'static {
    /// The body of an op that has come; why it can't be read, if it can't.
    fn body(&self, op: OpForm<BodyForm>) -> Result<OpBody, String>;

    /// The op whose task `i` makes call `i` of these, which this face has made.
    fn calls(&self, calls: Vec<CallBody>) -> Result<OpForm<BodyForm>, String> {
        Err(format!("{} calls can't be sent: this program has no language for them", calls.len()))
    }

    /// What makes values of what has come.
    fn decoders(&self) -> &Decoders;

    /// The cause of an error as it travels, where it isn't ours: in no more than `most` bytes, or not at all.
    fn cause(&self, error: &TaskError, most: usize) -> Option<Vec<u8>>;

    /// The error that has come.
    fn error(&self, form: ErrorForm) -> TaskError;

    /// A worker begins in this process; it has no task yet.
    fn worker_begins(&self, worker: ThisWorker) {
        let _ = worker;
    }

    /// That worker is over.
    fn worker_ends(&self, number: u64) {
        let _ = number;
    }

    /// Says something to the user.
    fn tell(&self, sentence: &str) {
        tracing::warn!("{sentence}");
    }

    /// A worker is to have a plugin from now on; nothing takes it away. Never waits: tasks that come later begin when `goes_on` is called
    /// or dropped.
    fn plugin(&self, worker: u64, name: &str, plugin: Option<&[u8]>, goes_on: GoesOn) {
        let _ = (plugin, goes_on);
        tracing::warn!("worker {worker} knows nothing of plugins: `{name}` is left out");
    }

    /// Does what somebody wants done here, on a thread that may wait for it as long as it takes; gives what that somebody gets.
    fn errand(&self, _call: ErrandCall<'_>) -> Result<Vec<u8>, TaskError> {
        Err(TaskError::new(ErrorKind::Type, "this worker has no language in which it could do more than its tasks"))
    }
}

/// What tasks wait for is over once this is called or dropped.
pub struct GoesOn(Option<Box<dyn FnOnce() + Send + Sync>>);

impl GoesOn {
    /// One that has this called.
    pub fn new(call: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(call)))
    }
}

impl Drop for GoesOn {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(|call| call());
    }
}

/// The most bytes of a cause that travels: with the rest it fits into a frame.
const CAUSE_BYTES: usize = 2 << 20;

/// The most bytes of a message, and of a key: some show all that an object has.
const MESSAGE_BYTES: usize = 256 << 10;
const KEY_BYTES: usize = 4 << 10;

/// An error as it travels.
pub(crate) fn error_form(face: &dyn Face, key: String, error: &TaskError) -> ErrorForm {
    let cause = face.cause(error, CAUSE_BYTES).filter(|cause| cause.len() <= CAUSE_BYTES);
    let (key, message) = (shortened(&key, KEY_BYTES, ""), shortened(&error.message, MESSAGE_BYTES, ""));
    ErrorForm { key, kind: error.kind, message, cause }
}

/// The graph that has come.
pub(crate) fn read_graph(face: &dyn Face, bytes: &[u8]) -> Result<Graph, String> {
    let form: raskt_graph::GraphForm<BodyForm> = read(bytes)?;
    form.build(|op| face.body(op).map_err(Unreadable)).map_err(|Unreadable(reason)| reason)
}

/// The graph that has come, without what its ops do: for a scheduler.
pub(crate) fn read_shape(bytes: &[u8]) -> Result<Graph, String> {
    let form: raskt_graph::GraphForm<BodyForm> = read(bytes)?;
    let nothing = |_| Ok::<OpBody, Unreadable>(std::sync::Arc::new(()));
    form.build(nothing).map_err(|Unreadable(reason)| reason)
}

fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(bytes) {
        Ok((read, [])) => Ok(read),
        Ok((_, rest)) => Err(format!("a graph has {} bytes too many", rest.len())),
        Err(error) => Err(format!("a graph can't be read: {error}")),
    }
}

struct Unreadable(String);

impl From<raskt_graph::GraphError> for Unreadable {
    fn from(error: raskt_graph::GraphError) -> Self {
        Self(error.to_string())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub struct Wordy(pub usize);

    impl Face for Wordy {
        fn body(&self, _op: OpForm<BodyForm>) -> Result<OpBody, String> {
            Err("there are none".into())
        }

        fn decoders(&self) -> &Decoders {
            unreachable!("nothing is read")
        }

        fn cause(&self, _error: &TaskError, _most: usize) -> Option<Vec<u8>> {
            Some(vec![7; self.0])
        }

        fn error(&self, form: ErrorForm) -> TaskError {
            TaskError::new(form.kind, form.message)
        }
    }

    #[test]
    fn an_error_fits_into_a_frame_whatever_it_says() {
        let long = "ä".repeat(5 << 20);
        let error = TaskError::new(ErrorKind::Value, long.clone());
        for (cause, travels) in [(100, true), (CAUSE_BYTES, true), (CAUSE_BYTES + 1, false)] {
            let form = error_form(&Wordy(cause), long.clone(), &error);
            assert_eq!(form.cause.is_some(), travels);
            assert!(form.message.starts_with("ää") && form.message.ends_with("(10485760 bytes in all)"));
            assert!(postcard::to_stdvec(&form).unwrap().len() < crate::frame::CONTROL_BYTES_MAX);
        }
        let short = error_form(&Wordy(1), "sum[3]".into(), &TaskError::new(ErrorKind::Value, "no"));
        assert_eq!((short.key.as_str(), short.message.as_str()), ("sum[3]", "no"));
    }
}
