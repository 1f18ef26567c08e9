//! Fetches results of other workers, and data of clients, for the engine.

use super::memory::OfEngine;
use super::refusals::Refusals;
use super::room::{Held, Room};
use crate::bulk::{self, BulkError, Fetch, Fetcher, Source};
use crate::deadly::{Deadly, Way, given_up};
use crate::driver::Network;
use crate::face::Face;
use crate::failure::no_memory;
use crate::message::{ResultNames, WorkerInfo};
use crate::parcels::unpack;
use crate::pool::Pool;
use crate::turns::{Turn, Turns};
use bytes::Bytes;
use raskt_execute::{FetchAnswer, FetchRequest, Missing, Unreachable, WorkerEngine, WorkerError};
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange, WorkerId};
use raskt_sync::Mutex;
use raskt_value::{ErrorKind, TaskError, Value};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Results of one request to a peer.
pub(crate) const TASKS_AT_A_TIME: u64 = 4096;

pub(super) struct Fetching {
    fetcher: Fetcher,
    peers: Mutex<BTreeMap<WorkerId, Source>>,
    engine: OnceLock<WorkerEngine>,
    /// For what comes ahead of any task.
    pub(super) room: Arc<Room>,
    /// What couldn't be had by this worker, and was asked for again.
    refusals: Mutex<Refusals>,
    /// Results of which others seem to die, and those that are asked for without others beside them.
    deadly: Mutex<Deadly>,
    apart: Arc<Turns>,
    /// The worker leaves: what can't be had here is had elsewhere, whatever is why.
    leaves: AtomicBool,
    face: Arc<dyn Face>,
    /// Makes values of what has come: what reads an object is code of users.
    reading: Arc<Pool>,
    /// Tells the scheduler how it went, which may take nothing for a while: nobody waits there for what is read, nor the other way.
    answering: Arc<Pool>,
}

/// What has come, in pieces.
pub(super) type Came = Result<Vec<Bytes>, BulkError>;

/// Is called with what has come. Where it may be dropped instead, whoever waits has to hear of that.
pub(super) type Come = Box<dyn FnOnce(Came, &dyn Face) + Send>;

/// What has come of one part of a request, of each of its tasks: an error if that can't be sent, or read.
type Part = Result<Vec<Result<Value, Missing>>, BulkError>;

/// Is called with all parts of a request.
type Done = Box<dyn FnOnce(Vec<Part>) + Send>;

/// Parts of a request, until all have come.
struct Gathered {
    parts: Mutex<(usize, Vec<Option<Part>>)>,
    done: Mutex<Option<Done>>,
}

impl Gathered {
    fn put(&self, at: usize, part: Part) {
        let mut parts = self.parts.lock();
        parts.1[at] = Some(part);
        parts.0 -= 1;
        if parts.0 > 0 {
            return;
        }
        let all = std::mem::take(&mut parts.1).into_iter().flatten().collect();
        drop(parts);
        let done = self.done.lock().take();
        if let Some(done) = done {
            done(all);
        }
    }
}

/// The place of a part that hasn't come. Left empty, it says that it won't come.
struct Open {
    gathered: Arc<Gathered>,
    at: usize,
    is_put: bool,
}

impl Open {
    fn put(mut self, part: Part) {
        self.is_put = true;
        self.gathered.put(self.at, part);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.is_put {
            self.gathered.put(self.at, Err(BulkError::Lost("nobody has read it".into())));
        }
    }
}

impl Fetching {
    pub fn start(network: &Network, face: Arc<dyn Face>) -> io::Result<Arc<Self>> {
        let (peers, engine, room, refusals, deadly, apart, leaves) = Default::default();
        let reading = Arc::new(Pool::start("raskt-fetched")?);
        let answering = Arc::new(Pool::start("raskt-answers")?);
        let fetcher = network.fetcher();
        Ok(Arc::new(Self { fetcher, peers, engine, room, refusals, deadly, apart, leaves, face, reading, answering }))
    }

    pub fn engine(&self) -> Option<&WorkerEngine> {
        self.engine.get()
    }

    /// From now on the engine takes nothing any more, which says nothing of what it is to take.
    pub fn leave(&self) {
        self.leaves.store(true, Ordering::SeqCst);
    }

    pub fn leaves(&self) -> bool {
        self.leaves.load(Ordering::SeqCst)
    }

    /// Answers go to this engine.
    pub fn serve(&self, engine: WorkerEngine) {
        let (fetcher, threads) = (self.fetcher.clone(), self.answering.clone());
        self.room.comes_into(Box::new(OfEngine { engine: engine.clone(), fetcher, threads }));
        let _ = self.engine.set(engine);
    }

    pub fn joined(&self, workers: Vec<WorkerInfo>) {
        self.peers.lock().extend(workers.iter().map(|worker| (worker.worker, worker.source())));
    }

    /// Nobody asks for anything of the run any more.
    pub fn forget(&self, run: RunId) {
        self.deadly.lock().forget(run);
    }

    /// They have other numbers from now on.
    pub fn forget_peers(&self) {
        self.peers.lock().clear();
    }

    /// Nobody waits for what it was asked for: it may stand still, and not be seen to be gone.
    pub fn left(&self, worker: WorkerId) {
        let source = self.peers.lock().remove(&worker);
        if let Some(source) = source {
            self.fetcher.drop_source(&source);
        }
    }

    /// Asks another worker for results of which the engine is told.
    pub fn fetch(self: &Arc<Self>, request: FetchRequest) {
        let (this, id, count) = (self.clone(), request.id, TaskRange::count(&request.tasks) as usize);
        let first = request.tasks.first().map(|range| (request.run, TaskId::new(range.layer, range.start)));
        let done = move |parts: Vec<Part>| {
            let answer = answer(parts, count);
            let is_refused =
                answer.iter().flatten().any(|value| matches!(value, Err(Missing::Unsendable(_) | Missing::Deadly(_))));
            let pause = first.filter(|_| is_refused).map_or(Duration::ZERO, |first| this.refusals.lock().pause(first));
            let answering = this.clone();
            let tells = move || {
                if let Some(engine) = answering.engine.get() {
                    engine.fetched(id, answer);
                }
            };
            if pause.is_zero() { tells() } else { this.after(pause, tells) }
        };
        let deadly = self.deadly.lock();
        let ways = request.tasks.iter().flat_map(|&tasks| deadly.ways(request.run, tasks));
        let parts = ways.flat_map(|(tasks, way)| cut(tasks).map(move |part| (part, way))).collect();
        drop(deadly);
        self.gather(request.from, request.run, parts, Box::new(done));
    }

    /// Where results of a worker are fetched, if it is known.
    pub(super) fn source_of(&self, worker: WorkerId) -> Option<Source> {
        self.peers.lock().get(&worker).cloned()
    }

    pub(super) fn put_copies(
        &self,
        run: RunId,
        tasks: &[TaskRange],
        values: Vec<Value>,
        held: &Held,
    ) -> Result<(), NotPut> {
        let named = named(tasks, values)?;
        match self.engine.get() {
            Some(engine) => Ok(engine.put_copies(run, named, held.arriving())?),
            None => Err("the worker has no engine".to_owned().into()),
        }
    }

    pub(super) fn put(&self, run: RunId, tasks: &[TaskRange], values: Vec<Value>, held: &Held) -> Result<(), NotPut> {
        let named = named(tasks, values)?;
        match self.engine.get() {
            Some(engine) => Ok(engine.put(run, named, held.arriving())?),
            None => Ok(()),
        }
    }

    fn gather(self: &Arc<Self>, from: WorkerId, run: RunId, parts: Vec<(TaskRange, Way)>, done: Done) {
        let places = (parts.len(), parts.iter().map(|_| None).collect());
        let gathered = Arc::new(Gathered { parts: Mutex::new(places), done: Mutex::new(Some(done)) });
        for (at, (tasks, way)) in parts.into_iter().enumerate() {
            let open = Open { gathered: gathered.clone(), at, is_put: false };
            match way {
                Way::Together => self.ask(from, run, (tasks, way), open, None),
                Way::Apart => {
                    let this = self.clone();
                    self.apart.enter(from, move |turn| this.ask(from, run, (tasks, way), open, Some(turn)));
                }
                Way::GivenUp => open.put(Ok(vec![Err(Missing::Deadly(given_up()))])),
            }
        }
    }

    fn ask(
        self: &Arc<Self>,
        from: WorkerId,
        run: RunId,
        (tasks, way): (TaskRange, Way),
        open: Open,
        turn: Option<Turn>,
    ) {
        let this = self.clone();
        let come = move |pieces: Came, face: &dyn Face| {
            this.note(from, run, (tasks, way), &pieces);
            drop(turn);
            match read(pieces, face) {
                // It isn't said which of them it is.
                Ok(Err(_)) if tasks.len() > 1 => {
                    let halves = halves(tasks).map(|half| (half, Way::Together)).into();
                    this.gather(from, run, halves, Box::new(move |parts| open.put(joined(parts))));
                }
                Ok(Err(error)) => open.put(Ok(vec![Err(Missing::Unsendable(error))])),
                Ok(Ok(values)) => open.put(Ok(values.into_iter().map(Ok).collect())),
                Err(error) => open.put(Err(error)),
            }
        };
        // What was promised goes by what results of the layer had, and this one may have more.
        let reserved = self.memory();
        self.fetch_part(self.source_of(from).as_ref(), ResultNames(vec![(run, tasks)]), reserved, Box::new(come));
    }

    /// Whether who was to send these died of it, as far as can be seen. Where that was the last time, whoever asks next hears of it.
    fn note(&self, from: WorkerId, run: RunId, (tasks, way): (TaskRange, Way), came: &Came) {
        match came {
            Ok(_) => self.deadly.lock().came(run, tasks),
            Err(BulkError::Lost(_)) => _ = self.deadly.lock().lost(from, &[(run, tasks)], way),
            Err(_) => {}
        }
    }

    /// All memory that the worker has: more than that nobody takes.
    pub(super) fn memory(&self) -> u64 {
        self.engine.get().map_or(u64::MAX, |engine| engine.offer().memory)
    }

    /// Has something done when the scheduler has been told of all that is here.
    pub(super) fn once_told(&self, then: impl FnOnce() + Send + 'static) {
        match self.engine.get() {
            Some(engine) => engine.once_told(then),
            None => then(),
        }
    }

    /// Has something done later, which must not wait.
    pub(super) fn after(&self, pause: Duration, then: impl FnOnce() + Send + 'static) {
        self.fetcher.after(pause, then);
    }

    /// Has something done by a thread that may wait for the scheduler.
    pub(super) fn see_to(&self, job: impl FnOnce() + Send + 'static) {
        self.answering.run(job);
    }

    /// Fetches as many results as one request may name; `come` is called by a thread that makes values of what has come.
    pub(super) fn fetch_part(&self, source: Option<&Source>, names: ResultNames, reserved: u64, come: Come) {
        let (reading, answering, face) = (self.reading.clone(), self.answering.clone(), self.face.clone());
        let fetch = Fetch { result: names.to_bytes(), parts: vec![], reserved };
        let come = move |pieces: Came| {
            // Of what didn't come nothing is read.
            let threads = if pieces.is_ok() { reading } else { answering };
            threads.run(move || come(pieces, &*face));
        };
        match source {
            Some(source) => self.fetcher.fetch(source, fetch, come),
            None => come(Err(BulkError::Unreached("it isn't known any more".into()))),
        }
    }
}

/// As many neighbours at a time as one request may name.
fn cut(range: TaskRange) -> impl Iterator<Item = TaskRange> {
    let starts = (range.start..range.end).step_by(TASKS_AT_A_TIME as usize);
    starts.map(move |start| TaskRange { start, end: range.end.min(start + TASKS_AT_A_TIME), ..range })
}

fn halves(range: TaskRange) -> [TaskRange; 2] {
    let middle = range.start + range.len() / 2;
    [TaskRange { end: middle, ..range }, TaskRange { start: middle, ..range }]
}

fn joined(parts: Vec<Part>) -> Part {
    let parts: Vec<_> = parts.into_iter().collect::<Result<_, _>>()?;
    Ok(parts.into_iter().flatten().collect())
}

/// What has come, as values; the inner error if some of it can't be sent, or read.
fn read(pieces: Came, face: &dyn Face) -> Result<Result<Vec<Value>, TaskError>, BulkError> {
    match pieces {
        Ok(pieces) => Ok(unpack(face.decoders(), pieces)),
        Err(BulkError::Missing(bulk::Missing::Failed(reason))) => {
            Ok(Err(TaskError::new(ErrorKind::Type, format!("an input can't be sent to another worker: {reason}"))))
        }
        Err(error) => Err(error),
    }
}

fn answer(parts: Vec<Part>, count: usize) -> FetchAnswer {
    let mut values = Vec::with_capacity(count);
    for part in parts {
        match part {
            Ok(part) => values.extend(part),
            Err(BulkError::TooLarge { bytes, reserved }) => {
                let sentence =
                    format!("an input has {bytes} bytes, and a worker that needs it has {reserved} of memory");
                let error = TaskError::new(ErrorKind::Memory, sentence);
                return Ok((0..count).map(|_| Err(Missing::Unsendable(error.clone()))).collect());
            }
            Err(BulkError::Missing(bulk::Missing::NotThere)) => {
                return Ok((0..count).map(|_| Err(Missing::NotHere)).collect());
            }
            Err(_) => return Err(Unreachable),
        }
    }
    Ok(values)
}

/// Why the engine doesn't take something.
pub(super) struct NotPut {
    pub reason: String,
    /// It may take it when others have let go of memory.
    pub for_now: bool,
}

impl From<WorkerError> for NotPut {
    fn from(error: WorkerError) -> Self {
        match error {
            WorkerError::Memory(report) => Self { reason: no_memory(report), for_now: true },
            error => Self { reason: error.to_string(), for_now: false },
        }
    }
}

impl From<String> for NotPut {
    fn from(reason: String) -> Self {
        Self { reason, for_now: false }
    }
}

/// Each task with its value: as many of these have to have come.
fn named(tasks: &[TaskRange], values: Vec<Value>) -> Result<Vec<(TaskId, Value)>, String> {
    let wanted = TaskRange::count(tasks);
    if wanted != values.len() as u64 {
        return Err(format!("{} values came, and {wanted} were asked for", values.len()));
    }
    Ok(tasks.iter().flat_map(|range| range.tasks()).zip(values).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::NetworkOptions;
    use crate::hello::Role;
    use crate::native::NativeFace;
    use crate::{Security, Token};
    use raskt_graph::LayerId;
    use raskt_value::wire::Decoders;
    use std::sync::mpsc::channel;

    /// Nothing here takes this long, unless it goes wrong.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Threads of a pool, and more.
    const MANY: usize = 100;

    /// An object whose reading doesn't end keeps nobody from saying how it went, nor a scheduler that takes nothing what is read.
    #[test]
    fn reading_and_answering_wait_for_themselves() {
        let security = Security { token: Some(Token::random().unwrap()), tls: None };
        let network = Network::start(NetworkOptions::new(Role::Worker, security).unwrap()).unwrap();
        for is_reading in [true, false] {
            let fetching = Fetching::start(&network, Arc::new(NativeFace(Decoders::default()))).unwrap();
            let (go, may_go) = channel::<()>();
            let may_go = Arc::new(Mutex::new(may_go));
            for _ in 0..MANY {
                let may_go = may_go.clone();
                let stands = move || _ = may_go.lock().recv();
                if is_reading { fetching.reading.run(stands) } else { fetching.see_to(stands) }
            }
            let (told, was_told) = channel();
            if is_reading {
                let tasks = ResultNames(vec![(RunId(1), TaskRange { layer: LayerId(0), start: 0, end: 1 })]);
                let tells = told.clone();
                let come = move |came: Came, _: &dyn Face| tells.send(came.is_err()).unwrap();
                fetching.fetch_part(None, tasks, 1, Box::new(come));
                fetching.see_to(move || told.send(true).unwrap());
                assert_eq!(was_told.recv_timeout(PATIENCE), Ok(true));
            } else {
                fetching.reading.run(move || told.send(true).unwrap());
            }
            assert_eq!(was_told.recv_timeout(PATIENCE), Ok(true));
            drop(go);
        }
    }
}
