//! Fetches the results of a run from those who hold them, all at once.

use super::shared::Shared;
use crate::Address;
use crate::bulk::{BulkError, Fetch, Source};
use crate::hello::Role;
use crate::message::ResultName;
use crate::parcels::unpack;
use crate::worker::cut;
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange};
use raskt_value::{ErrorKind, TaskError, Value};
use std::collections::BTreeMap;
use std::sync::mpsc::channel;

/// The results of `wanted`, in that order; an error of the outer kind if a holder is gone.
pub(super) fn gather(
    shared: &Shared,
    run: RunId,
    wanted: &[TaskRange],
    holders: Vec<(TaskRange, Vec<Address>)>,
) -> Result<Result<Vec<Value>, TaskError>, BulkError> {
    let (sender, receiver) = channel::<(TaskRange, Result<Vec<Bytes>, BulkError>)>();
    let mut open = 0;
    for (tasks, addresses) in holders {
        for tasks in cut(tasks) {
            let sender = sender.clone();
            let result = ResultName { run, tasks }.to_bytes();
            let fetch = Fetch { result, parts: vec![], reserved: u64::MAX };
            let done = move |pieces| drop(sender.send((tasks, pieces)));
            let source = Source { addresses: addresses.clone(), role: Role::Worker, identity: None };
            shared.fetcher.fetch(&source, fetch, done);
            open += 1;
        }
    }
    drop(sender);
    let mut found: BTreeMap<TaskId, Value> = BTreeMap::new();
    for (tasks, pieces) in receiver.iter().take(open) {
        match unpack(shared.face.decoders(), pieces?) {
            Ok(values) => found.extend(tasks.tasks().zip(values)),
            Err(error) => return Ok(Err(error)),
        }
    }
    let missing = |task: TaskId| {
        TaskError::new(
            ErrorKind::Lost,
            format!("the result of task {} of layer {} didn't come", task.index, task.layer.0),
        )
    };
    let all = wanted.iter().flat_map(|range| range.tasks());
    Ok(all.map(|task| found.get(&task).cloned().ok_or_else(|| missing(task))).collect())
}
