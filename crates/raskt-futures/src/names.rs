//! Results as they are named in pickles, and results of other clients as those of this one.

use crate::held::HeldResult;
use raskt_cluster::{Client, ClusterError};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{RunId, TaskRange};
use raskt_sync::Mutex;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// How long the scheduler has to say that it knows.
const PATIENCE: Duration = Duration::from_secs(60);

/// What tells what a scheduler has handed out from what any other has: the same when it has begun anew with its journal.
pub type Cluster = [u8; 16];

/// Where a result is, as any client of its cluster can name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Of this cluster.
    pub cluster: Cluster,
    /// What tells the run from any other that ever had its number, if it is known.
    pub mark: Option<u64>,
    /// The run whose result it is, whoever submitted it.
    pub run: RunId,
    /// Its task.
    pub task: TaskId,
}

/// As it is pickled: bytes of the cluster and of the mark, run, layer, index.
pub type Written = ([u8; 24], u64, u32, u64);

impl Origin {
    /// As it is pickled.
    pub fn written(&self) -> Written {
        let mut name = [0; 24];
        name[..16].copy_from_slice(&self.cluster);
        name[16..].copy_from_slice(&self.mark.unwrap_or_default().to_le_bytes());
        (name, self.run.0, self.task.layer.0, self.task.index)
    }

    /// Nothing if no task has such a number.
    pub fn read((name, run, layer, index): Written) -> Option<Self> {
        let (cluster, mark) = name.split_first_chunk()?;
        let mark = u64::from_le_bytes(mark.try_into().ok()?);
        let is_task = index < 1 << TaskId::INDEX_BITS;
        let origin = || Self {
            cluster: *cluster,
            mark: (mark != 0).then_some(mark),
            run: RunId(run),
            task: TaskId::new(LayerId(layer), index),
        };
        is_task.then(origin)
    }
}

/// Which cluster a client is of, once its scheduler has answered.
pub fn cluster_of(client: &Client) -> Option<Cluster> {
    client.named()
}

/// By the address of the client: results of which a name was given away, and results of others by their names.
static KNOWN: Mutex<Known> = Mutex::new(Known { results: None, swept: 0 });

struct Known {
    results: Option<HashMap<(usize, RunId, TaskId), Weak<HeldResult>>>,
    /// How many there were after those that are gone were taken out last.
    swept: usize,
}

/// So many are never swept.
const FEW: usize = 64;

impl Known {
    fn get(&self, client: &Arc<Client>, place: (RunId, TaskId)) -> Option<Arc<HeldResult>> {
        self.results.as_ref()?.get(&key(client, place))?.upgrade().filter(|held| !held.is_cancelled())
    }

    fn insert(&mut self, client: &Arc<Client>, place: (RunId, TaskId), held: &Arc<HeldResult>) {
        let results = self.results.get_or_insert_default();
        if results.len() > 2 * self.swept + FEW {
            results.retain(|_, held| held.strong_count() > 0);
            self.swept = results.len();
        }
        results.insert(key(client, place), Arc::downgrade(held));
    }
}

fn key(client: &Arc<Client>, (run, task): (RunId, TaskId)) -> (usize, RunId, TaskId) {
    (Arc::as_ptr(client) as usize, run, task)
}

thread_local! {
    /// Results whose names are being given away by this thread, where somebody wants to know.
    static GIVEN_AWAY: RefCell<Option<Vec<Arc<HeldResult>>>> = const { RefCell::new(None) };

    /// The cluster that what this thread writes doesn't leave.
    static WITHIN: Cell<Option<Cluster>> = const { Cell::new(None) };
}

/// Has `work` write for processes of a cluster, all of whose results they can have by name, or for others that can't.
pub fn within<T>(cluster: Option<Cluster>, work: impl FnOnce() -> T) -> T {
    struct Outer(Option<Cluster>);
    impl Drop for Outer {
        fn drop(&mut self) {
            WITHIN.set(self.0);
        }
    }
    let _outer = Outer(WITHIN.replace(cluster));
    work()
}

/// Whether those for whom this thread writes can have a result by its name.
pub fn is_within(held: &HeldResult) -> bool {
    WITHIN.get().is_some_and(|cluster| cluster_of(held.client()) == Some(cluster)) && !held.is_cancelled()
}

/// What `work` gives, with the results whose names this thread gave away meanwhile: they have to stay until those who have the
/// names are there.
pub fn noting<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, Vec<Arc<HeldResult>>), E> {
    let outer = GIVEN_AWAY.replace(Some(vec![]));
    let result = work();
    let given = GIVEN_AWAY.replace(outer).unwrap_or_default();
    result.map(|result| (result, given))
}

/// The name of a result, by which others of its cluster get it as long as somebody holds it. It may wait for the scheduler.
pub fn named(held: &Arc<HeldResult>) -> Result<Option<Origin>, ClusterError> {
    let (run, task) = held.source();
    let Some(cluster) = cluster_of(held.client()) else { return Ok(None) };
    held.await_heard(PATIENCE)?;
    KNOWN.lock().insert(held.client(), (run, task), held);
    GIVEN_AWAY.with_borrow_mut(|given| {
        if let Some(given) = given {
            given.push(held.clone());
        }
    });
    Ok(Some(Origin { cluster, mark: held.mark(), run, task }))
}

/// The result at a place of the cluster of `client`, as one that this client holds. It may wait for the scheduler.
pub fn adopted(
    client: &Arc<Client>,
    place: (RunId, TaskId),
    mark: Option<u64>,
) -> Result<Arc<HeldResult>, ClusterError> {
    let known = KNOWN.lock().get(client, place);
    if let Some(known) = known.filter(|known| mark.is_none() || known.mark() == mark) {
        return Ok(known);
    }
    let (run, task) = client.adopt_at_once(place, mark, PATIENCE)?;
    let held = HeldResult::new(client.clone(), run, task, false);
    KNOWN.lock().insert(client, place, &held);
    Ok(held)
}

/// The same for many, with a word to the scheduler for each of their runs.
pub fn adopted_all(client: &Arc<Client>, origins: &[Origin]) -> Result<Vec<Arc<HeldResult>>, ClusterError> {
    let mut found: BTreeMap<(RunId, TaskId), Arc<HeldResult>> = BTreeMap::new();
    let mut missing: BTreeMap<(RunId, Option<u64>), Vec<TaskId>> = BTreeMap::new();
    for origin in origins {
        let place = (origin.run, origin.task);
        match KNOWN.lock().get(client, place).filter(|known| origin.mark.is_none() || known.mark() == origin.mark) {
            Some(known) => _ = found.insert(place, known),
            None => missing.entry((origin.run, origin.mark)).or_default().push(origin.task),
        }
    }
    for ((run, mark), mut tasks) in missing {
        tasks.sort_unstable();
        tasks.dedup();
        let adopted = client.adopt_all_at_once(run, &TaskRange::of(tasks.iter().copied()), mark, PATIENCE)?;
        for (task, index) in tasks.into_iter().zip(0..) {
            let held = HeldResult::new(client.clone(), adopted.clone(), TaskId::new(LayerId(0), index), false);
            KNOWN.lock().insert(client, (run, task), &held);
            found.insert((run, task), held);
        }
    }
    Ok(origins.iter().map(|origin| found[&(origin.run, origin.task)].clone()).collect())
}

/// A result of whichever client as one of `client`, if both are of one cluster. It may wait for the scheduler.
pub fn as_own(client: &Arc<Client>, held: &Arc<HeldResult>) -> Result<Option<Arc<HeldResult>>, ClusterError> {
    if Arc::ptr_eq(held.client(), client) {
        return Ok(Some(held.clone()));
    }
    if cluster_of(client).is_none() || cluster_of(client) != cluster_of(held.client()) || held.is_cancelled() {
        return Ok(None);
    }
    held.await_heard(PATIENCE)?;
    adopted(client, held.source(), held.mark()).map(Some)
}
