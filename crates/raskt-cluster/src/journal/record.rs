//! What is written.

use crate::failure::Root;
use crate::hello::Identity;
use crate::message::{FailureForm, Submission};
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that has happened, and that a scheduler which begins anew has to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Record {
    /// Numbers that were given out before aren't given out again.
    Numbers {
        next_client: u32,
        next_worker: u32,
    },
    /// A client that has something is known from now on.
    Client {
        client: u32,
        identity: Identity,
        /// What it proves by that it is the same, when it comes back.
        secret: [u8; 16],
    },
    /// Nothing of a client is kept.
    ClientGone {
        client: u32,
    },
    /// A graph was taken; it is the bulk.
    Submitted {
        client: u32,
        submission: Submission,
    },
    /// Tasks aren't wanted any more.
    Released {
        run: RunId,
        tasks: Vec<TaskRange>,
    },
    /// Nothing is wanted any more of runs that others read.
    RunsReleased {
        runs: Vec<RunId>,
    },
    /// Nobody needs anything of runs.
    Forgotten {
        runs: Vec<RunId>,
    },
    /// Why what comes after this and refers to the task that failed first has failed.
    Cause {
        failure: FailureForm,
    },
    /// Of a run whose tasks stand alone, tasks have failed.
    Failed {
        run: RunId,
        tasks: Vec<TaskRange>,
        root: Root,
    },
    /// A task that may be tried again has been so often, and has failed each time.
    Tried {
        run: RunId,
        task: TaskId,
        times: u32,
    },
    /// They are run again, with all that failed because of the same.
    Retried {
        run: RunId,
        tasks: Vec<TaskRange>,
    },
    /// A run has ended early.
    Ended {
        run: RunId,
        ended: EndedForm,
    },
    WorkerIn {
        worker: u32,
        identity: Identity,
    },
    WorkerOut {
        worker: u32,
    },
    /// Something that others understand, under a name of theirs: the last value counts, and nothing takes it away.
    Other {
        kind: u16,
        name: Vec<u8>,
        value: Option<Vec<u8>>,
    },
    /// The same under several names, all at once.
    Others {
        kind: u16,
        entries: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    },
}

impl Record {
    /// Without bulk.
    pub fn alone(self) -> (Self, Bytes) {
        (self, Bytes::new())
    }
}

/// Why a run is over, as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum EndedForm {
    Failed(Root),
    Lost,
    Refused(String),
}

/// Why a run is over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ended {
    Failed(Arc<FailureForm>),
    Lost,
    Refused(String),
}
