//! What a process of the cluster can do with work beside passing it on: read ops, and errors of other languages.

use crate::message::ErrorForm;
use raskt_graph::OpForm;
use raskt_graph::{Graph, OpBody};
use raskt_value::TaskError;
use raskt_value::wire::{BodyForm, Decoders};

/// Knows the ops, values and errors of a language. A process without one runs native work.
pub trait Face: Send + Sync + 'static {
    /// The body of an op that has come; why it can't be read, if it can't.
    fn body(&self, op: OpForm<BodyForm>) -> Result<OpBody, String>;

    /// What makes values of what has come.
    fn decoders(&self) -> &Decoders;

    /// The cause of an error as it travels, where it isn't ours.
    fn cause(&self, error: &TaskError) -> Option<Vec<u8>>;

    /// The error that has come.
    fn error(&self, form: ErrorForm) -> TaskError;
}

/// The most bytes of a cause that travels.
const CAUSE_BYTES: usize = 4 << 20;

/// An error as it travels.
pub(crate) fn error_form(face: &dyn Face, key: String, error: &TaskError) -> ErrorForm {
    let cause = face.cause(error).filter(|cause| cause.len() <= CAUSE_BYTES);
    ErrorForm { key, kind: error.kind, message: error.message.clone(), cause }
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
