//! What is wrong with events from outside.

use crate::{RunId, WorkerId};
use std::sync::Arc;
use thiserror::Error;

/// Why an event can't be handled: it names what isn't there, or what no worker can have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EventError {
    /// A run that is there is submitted.
    #[error("run {} was submitted before", .0.0)]
    RunTwice(RunId),
    /// A run is imported from that isn't there.
    #[error("what it reads isn't there any more (results of run {}): whoever had it has let go of it, or has left", .0.0)]
    NoRun(RunId),
    /// Of a layer some tasks stand for others and some don't, or for two; or they read something.
    #[error("not every task of layer `{name}` stands for exactly one other")]
    NotImported {
        /// What people call the layer.
        name: Arc<str>,
    },
    /// Data is given for tasks that stand for others.
    #[error("data was given for layer `{name}`, whose tasks stand for those of other runs")]
    GivenTwice {
        /// What people call the layer.
        name: Arc<str>,
    },
    /// A worker joins under the highest number there is, which stands for workers that only another run knows.
    #[error("no worker can have number {}", .0.0)]
    ReservedWorker(WorkerId),
    /// A worker that is there joins.
    #[error("worker {} has joined before", .0.0)]
    WorkerTwice(WorkerId),
    /// Tasks of a layer that the graph doesn't have.
    #[error("tasks of layer {layer}, and the graph has {layers} layers")]
    NoLayer {
        /// The layer.
        layer: u32,
        /// How many there are.
        layers: usize,
    },
    /// Tasks that a layer doesn't have, or a range that ends before it begins.
    #[error("tasks {start} to {end} of layer `{name}`, which has {len} tasks")]
    NoTasks {
        /// What people call the layer.
        name: Arc<str>,
        /// The first of the tasks.
        start: u64,
        /// One past the last of them.
        end: u64,
        /// How many the layer has.
        len: u64,
    },
    /// An assignment in which there is nothing to do.
    #[error("an assignment without a task")]
    NoTask,
    /// Results of more bytes than any can have.
    #[error("{results} results of {bytes} bytes, which is more than a worker can hold")]
    TooManyBytes {
        /// How many results there are.
        results: u64,
        /// The bytes of all of them.
        bytes: u64,
    },
}
