//! Data that graphs of this client were given, until its workers have fetched it.

use crate::bulk::{Missing, Provide, Reply};
use crate::message::ResultNames;
use crate::parcels::pack;
use raskt_graph::LayerId;
use raskt_schedule::{RunId, TaskRange};
use raskt_sync::Mutex;
use raskt_value::Value;
use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

pub(super) struct Shelf {
    data: Arc<Mutex<Data>>,
    jobs: Mutex<Sender<(ResultNames, Reply)>>,
}

/// By run and layer: the first task, and what it and those after it stand for.
type Data = BTreeMap<(RunId, LayerId, u64), Arc<[Value]>>;

impl Shelf {
    /// Starts the thread that packs: to pickle an object takes the interpreter.
    pub fn start() -> io::Result<Self> {
        let (jobs, asked) = channel();
        let data: Arc<Mutex<Data>> = Arc::default();
        let of_thread = data.clone();
        std::thread::Builder::new().name("raskt-given".into()).spawn(move || give(&asked, &of_thread))?;
        Ok(Self { data, jobs: Mutex::new(jobs) })
    }

    pub fn put(&self, run: RunId, given: Vec<(TaskRange, Vec<Value>)>) {
        let mut data = self.data.lock();
        for (range, values) in given {
            data.insert((run, range.layer, range.start), values.into());
        }
    }

    pub fn forget(&self, run: RunId) {
        let mut data = self.data.lock();
        let keys: Vec<_> =
            data.range((run, LayerId(0), 0)..).map(|(&key, _)| key).take_while(|key| key.0 == run).collect();
        let gone: Vec<_> = keys.iter().filter_map(|key| data.remove(key)).collect();
        drop(data);
        // The last owner of an object may run code of its own.
        drop(gone);
    }
}

impl Provide for Shelf {
    fn provide(&self, result: &[u8], reply: Reply) {
        if let Some(name) = ResultNames::of(result) {
            let _ = self.jobs.lock().send((name, reply));
        }
    }
}

fn give(asked: &Receiver<(ResultNames, Reply)>, data: &Mutex<Data>) {
    while let Ok((name, reply)) = asked.recv() {
        let Some(values) = find(&data.lock(), &name) else { continue };
        let keeper: Arc<dyn Any + Send + Sync> = Arc::new(());
        match pack(&values, &keeper) {
            Ok(pieces) => reply.give(pieces),
            Err(error) => reply.refuse(Missing::Failed(error.to_string())),
        }
    }
}

fn find(data: &Data, ResultNames(names): &ResultNames) -> Option<Vec<Value>> {
    let mut found = vec![];
    for &(run, tasks) in names {
        let (&(of, layer, first), values) = data.range(..=(run, tasks.layer, tasks.start)).next_back()?;
        let (start, end) = (tasks.start.checked_sub(first)? as usize, tasks.end.checked_sub(first)? as usize);
        let is_there = of == run && layer == tasks.layer;
        found.extend_from_slice(values.get(start..end).filter(|_| is_there)?);
    }
    Some(found)
}
