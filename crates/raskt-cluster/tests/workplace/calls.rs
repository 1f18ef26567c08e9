//! Calls that are made one by one: sums that may wait, or fail.

use super::number;
use raskt_cluster::{Call as ClientCall, CallBody, Client, TaskRun};
use raskt_graph::{OpFlags, OpForm, OpKind, TaskId};
use raskt_schedule::RunId;
use raskt_value::wire::{BodyForm, WireError, WireForm};
use raskt_value::{Call, Chunk, ErrorKind, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex};

/// Adds a number to the sum of what it reads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plus {
    /// Unlike that of any other call of the program.
    pub id: u64,
    pub number: i64,
    pub fails: bool,
    /// It waits until this is [`open`].
    pub gate: Option<u64>,
    /// Whoever writes it does.
    pub written_behind: Option<u64>,
}

static OPEN: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
static MADE: Mutex<BTreeMap<u64, u32>> = Mutex::new(BTreeMap::new());
static CHANGED: Condvar = Condvar::new();

/// Lets those go on that wait for it.
pub fn open(gate: u64) {
    OPEN.lock().unwrap().insert(gate);
    CHANGED.notify_all();
}

fn await_open(gate: u64) {
    let _open = CHANGED.wait_while(OPEN.lock().unwrap(), |open| !open.contains(&gate)).unwrap();
}

/// How often a call was made.
pub fn made(id: u64) -> u32 {
    MADE.lock().unwrap().get(&id).copied().unwrap_or(0)
}

struct Several(Vec<Plus>);

impl Kernel for Several {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let Plus { id, number: own, fails, gate, .. } = &self.0[call.index as usize];
        gate.iter().copied().for_each(await_open);
        *MADE.lock().unwrap().entry(*id).or_default() += 1;
        if *fails {
            return Err(TaskError::new(ErrorKind::Value, format!("call {id} fails")));
        }
        Ok(Chunk::scalar(inputs.iter().map(number).sum::<i64>() + own).into())
    }

    fn name(&self) -> String {
        "plus".into()
    }

    fn wire(&self) -> Option<WireForm> {
        Some(WireForm::of("test.calls", 1, &self.0))
    }
}

pub fn decode(form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    Ok(Arc::new(Several(form.read()?)))
}

pub fn op_of(calls: Vec<CallBody>) -> Result<OpForm<BodyForm>, String> {
    let calls: Vec<_> = calls.into_iter().map(|call| *call.downcast::<Plus>().expect("calls of this file")).collect();
    calls.iter().filter_map(|call| call.written_behind).for_each(await_open);
    let body = BodyForm::Native(Several(calls).wire().ok_or("it stays")?);
    Ok(OpForm { kind: OpKind::Array, name: "plus".into(), digest: 0, flags: OpFlags::default(), body })
}

/// What a call gives: the run and the task, as long as it is wanted.
pub type Made = (TaskRun, TaskId);

pub fn place((run, task): &Made) -> (RunId, TaskId) {
    (run.id(), *task)
}

/// The call of what reads these.
pub fn call_of(plus: Plus, reads: &[&Made]) -> ClientCall {
    let reads = reads.iter().map(|made| place(made)).collect();
    ClientCall { body: Box::new(plus), bytes: 16, reads, annotations: None, parent: None, keeps: vec![] }
}

pub fn call(client: &Client, plus: Plus, reads: &[&Made]) -> Made {
    client.call(call_of(plus, reads)).unwrap()
}
