//! Data that graphs of this client were given, until its workers have fetched it.

use crate::bulk::{Missing, Provide, Reply};
use crate::message::ResultNames;
use crate::packing::Packing;
use raskt_graph::LayerId;
use raskt_schedule::{RunId, TaskRange};
use raskt_sync::Mutex;
use raskt_value::Value;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

pub(super) struct Shelf {
    data: Arc<Mutex<Data>>,
    /// What else is kept for runs.
    kept: Mutex<BTreeMap<RunId, Kept>>,
    packing: Packing,
}

type Kept = Vec<Arc<dyn Any + Send + Sync>>;

/// By run and layer: the first task, and what it and those after it stand for.
type Data = BTreeMap<(RunId, LayerId, u64), Arc<[Value]>>;

impl Shelf {
    pub fn start() -> io::Result<Self> {
        Ok(Self { data: Arc::default(), kept: Mutex::default(), packing: Packing::start()? })
    }

    /// Keeps data that a run is given, and what it needs beside.
    pub fn put(&self, run: RunId, given: Vec<(TaskRange, Vec<Value>)>, kept: Kept) {
        if !kept.is_empty() {
            self.kept.lock().insert(run, kept);
        }
        let mut data = self.data.lock();
        for (range, values) in given {
            data.insert((run, range.layer, range.start), values.into());
        }
    }

    /// The runs that it has something for.
    pub fn runs(&self) -> BTreeSet<RunId> {
        let mut runs: BTreeSet<_> = self.data.lock().keys().map(|key| key.0).collect();
        runs.extend(self.kept.lock().keys());
        runs
    }

    /// Forgets the data of a run, or all of it: to be called where objects of users may go.
    pub fn forgetting(self: &Arc<Self>, run: Option<RunId>) -> Box<dyn FnOnce() + Send> {
        let shelf = self.clone();
        Box::new(move || match run {
            Some(run) => shelf.forget(run),
            None => shelf.clear(),
        })
    }

    fn clear(&self) {
        let gone = std::mem::take(&mut *self.data.lock());
        let kept = std::mem::take(&mut *self.kept.lock());
        drop((gone, kept));
    }

    pub fn forget(&self, run: RunId) {
        let mut data = self.data.lock();
        let keys: Vec<_> =
            data.range((run, LayerId(0), 0)..).map(|(&key, _)| key).take_while(|key| key.0 == run).collect();
        let gone: Vec<_> = keys.iter().filter_map(|key| data.remove(key)).collect();
        drop(data);
        let kept = self.kept.lock().remove(&run);
        // The last owner of an object may run code of its own.
        drop((gone, kept));
    }
}

impl Provide for Shelf {
    fn provide(&self, result: &[u8], reply: Reply) {
        let Some(names) = ResultNames::of(result) else {
            return reply.refuse(Missing::NotThere);
        };
        let data = self.data.clone();
        let find = move || Some((find(&data.lock(), &names)?, Arc::new(()) as _));
        self.packing.give(find, reply);
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

#[cfg(test)]
mod tests {
    use super::super::home::KnownAs;
    use super::super::{Client, EndOfErrands, Errands, Job, Shared};
    use super::*;
    use crate::driver::{Network, NetworkOptions};
    use crate::hello::Role;
    use crate::native::NativeFace;
    use crate::{Security, Token};
    use raskt_schedule::FailureScope;
    use raskt_value::Chunk;
    use raskt_value::wire::Decoders;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    /// Nothing here takes this long, unless it goes wrong.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// One that has had a scheduler with a journal, and has none now.
    fn client() -> Client {
        let security = Security { token: Some(Token::random().unwrap()), tls: None };
        let network = Network::start(NetworkOptions::new(Role::Client, security).unwrap()).unwrap();
        let (network, shelf) = (Arc::new(network), Arc::new(Shelf::start().unwrap()));
        let listening =
            network.serve_results(&"tcp://127.0.0.1:0".parse().unwrap(), &[Role::Worker], shelf.clone()).unwrap();
        let shared = Arc::new(Shared::new(
            Arc::new(NativeFace(Decoders::default())),
            network.fetcher(),
            shelf,
            Errands::new().0,
        ));
        let known_as = KnownAs { client: 0, lineage: [1; 16], secret: Some([2; 16]) };
        let mut state = shared.state.lock();
        (state.next_run, state.known_as) = (Some(0), Some(known_as));
        drop(state);
        Client { _errands: EndOfErrands(shared.clone()), shared, network, listening }
    }

    /// A scheduler that has begun anew hears of a run at whatever moment, and has its data fetched.
    #[test]
    fn what_may_be_submitted_once_more_is_on_the_shelf() {
        let (client, is_over) = (client(), AtomicBool::new(false));
        let looks = || {
            let ends_by = Instant::now() + PATIENCE;
            // Were it told by a flag alone, whatever fails here would leave it looking.
            while !is_over.load(Ordering::Relaxed) && Instant::now() < ends_by {
                let state = client.shared.state.lock();
                let runs = client.shared.shelf.runs();
                assert!(state.unwritten.keys().all(|run| runs.contains(run)), "data isn't to be had");
            }
        };
        std::thread::scope(|scope| {
            let looking = scope.spawn(looks);
            for _ in 0..3000 {
                let range = TaskRange { layer: LayerId(0), start: 0, end: 1 };
                let given = vec![(range, vec![Value::from(Chunk::scalar(1_i64))])];
                let job = Job { given, ..Job::default() };
                assert!(client.begin(job, FailureScope::Task, |_, _, _| ()).is_err(), "there is no scheduler");
            }
            is_over.store(true, Ordering::Relaxed);
            looking.join().unwrap();
        });
    }
}
