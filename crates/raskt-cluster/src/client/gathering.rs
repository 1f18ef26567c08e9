//! Fetches results straight from those who hold them: many at once, and no more bytes under way than there may be.

use super::failed::ClusterError;
use super::shared::Shared;
use crate::bulk::{BulkError, Fetch, Missing, Source};
use crate::message::ResultNames;
use crate::parcels::unpack;
use crate::worker::TASKS_AT_A_TIME;
use bytes::Bytes;
use raskt_schedule::{RunId, TaskRange, WorkerId};
use raskt_value::{ErrorKind, TaskError, Value};
use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Instant;

/// Bytes of results that are on their way to a client at a time, as far as their sizes are known; one request may always be.
const IN_FLIGHT_BYTES: u64 = 256 << 20;

/// Bytes of the results of one request, as far as their sizes are known; one result may always be.
const REQUEST_BYTES: u64 = 16 << 20;

/// Bytes that are reserved for a request beyond twice those that its results are said to have: sizes are told by layer, of those
/// that came last, and not of each.
const SPARE_BYTES: u64 = 1 << 20;

/// Requests that one peer has at a time.
const REQUESTS_OF_A_PEER: usize = 32;

/// Results that somebody holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Where the first of them belongs among all that is gathered.
    pub at: usize,
    pub run: RunId,
    pub tasks: TaskRange,
    /// The run and the tasks as their holder knows them, one by one the same.
    pub name: (RunId, TaskRange),
    pub worker: WorkerId,
    /// Bytes of each, as far as is known.
    pub each: u64,
}

impl Part {
    /// Those of it that are in `tasks`, which it has.
    pub fn within(&self, tasks: TaskRange) -> Self {
        let skipped = tasks.start - self.tasks.start;
        let (run, of) = self.name;
        let name = (run, TaskRange { start: of.start + skipped, end: of.start + skipped + tasks.len(), ..of });
        Self { at: self.at + skipped as usize, tasks, name, ..*self }
    }
}

/// What is asked of one worker at once.
struct Request {
    worker: WorkerId,
    parts: Vec<Part>,
    bytes: u64,
    reserved: u64,
}

impl Request {
    fn of(worker: WorkerId, parts: Vec<Part>) -> Self {
        let bytes = parts.iter().map(|part| part.each.saturating_mul(part.tasks.len())).fold(0, u64::saturating_add);
        Self { worker, parts, bytes, reserved: bytes.saturating_mul(2).saturating_add(SPARE_BYTES) }
    }

    /// The same, now that it is known how much it is.
    fn larger(self, bytes: u64) -> Self {
        Self { bytes, reserved: bytes, ..self }
    }
}

type Came = (Request, Result<Vec<Bytes>, BulkError>);

/// Results on their way.
struct Gathering<'a> {
    shared: &'a Shared,
    sources: BTreeMap<WorkerId, Source>,
    waiting: BTreeMap<WorkerId, VecDeque<Request>>,
    /// Requests that each was sent and hasn't answered.
    open: BTreeMap<WorkerId, usize>,
    open_bytes: u64,
    came: (Sender<Came>, Receiver<Came>),
}

/// Fetches `parts` into `found`. Gives those that weren't to be had where they were said to be.
pub(super) fn fetch(
    shared: &Shared,
    parts: Vec<Part>,
    found: &mut [Option<Value>],
    deadline: Option<Instant>,
) -> Result<Vec<Part>, ClusterError> {
    let mut missed = vec![];
    let mut gathering = Gathering::new(shared, parts);
    gathering.ask();
    while gathering.is_open() {
        let (request, came) = gathering.next(deadline)?;
        match came {
            Ok(pieces) => put(shared, &request, pieces, found)?,
            Err(BulkError::TooLarge { bytes, .. }) => gathering.again(request.larger(bytes)),
            Err(BulkError::Missing(Missing::Failed(reason))) => {
                return Err(unread(&request, format!("a result can't be sent: {reason}")));
            }
            Err(error) => {
                tracing::debug!("results couldn't be fetched, and are waited for again: {error}");
                missed.extend(request.parts);
            }
        }
        gathering.ask();
    }
    Ok(missed)
}

impl<'a> Gathering<'a> {
    fn new(shared: &'a Shared, parts: Vec<Part>) -> Self {
        let mut by_worker: BTreeMap<WorkerId, Vec<Part>> = BTreeMap::new();
        for part in parts.into_iter().flat_map(cut) {
            by_worker.entry(part.worker).or_default().push(part);
        }
        let known = &shared.state.lock().workers;
        let sources = by_worker.keys().filter_map(|id| Some((*id, known.get(id)?.source()))).collect();
        let waiting = by_worker.into_iter().map(|(worker, parts)| (worker, requests(worker, parts))).collect();
        Self { shared, sources, waiting, open: BTreeMap::new(), open_bytes: 0, came: channel() }
    }

    fn is_open(&self) -> bool {
        self.open.values().any(|open| *open > 0)
    }

    /// Asks for as much as may be on its way, of each who holds something.
    fn ask(&mut self) {
        let workers: Vec<_> = self.waiting.keys().copied().collect();
        for worker in workers {
            while let Some(request) = self.next_of(worker) {
                self.send(request);
            }
        }
    }

    fn next_of(&mut self, worker: WorkerId) -> Option<Request> {
        let open = self.open.get(&worker).copied().unwrap_or(0);
        let waiting = self.waiting.get_mut(&worker)?;
        let next = waiting.front()?.bytes;
        let has_room = self.open_bytes == 0 || self.open_bytes.saturating_add(next) <= IN_FLIGHT_BYTES;
        if has_room && open < REQUESTS_OF_A_PEER { waiting.pop_front() } else { None }
    }

    fn send(&mut self, request: Request) {
        self.open_bytes += request.bytes;
        *self.open.entry(request.worker).or_default() += 1;
        let names = ResultNames(request.parts.iter().map(|part| part.name).collect());
        let fetch = Fetch { result: names.to_bytes(), parts: vec![], reserved: request.reserved };
        let sender = self.came.0.clone();
        match self.sources.get(&request.worker) {
            Some(source) => {
                self.shared.fetcher.fetch(source, fetch, move |pieces| drop(sender.send((request, pieces))));
            }
            None => drop(sender.send((request, Err(BulkError::Unreached("the worker is gone".into()))))),
        }
    }

    /// Asks for it anew, with more memory.
    fn again(&mut self, request: Request) {
        self.waiting.entry(request.worker).or_default().push_front(request);
    }

    fn next(&mut self, deadline: Option<Instant>) -> Result<Came, ClusterError> {
        let came = match deadline {
            Some(deadline) => self.came.1.recv_timeout(deadline.saturating_duration_since(Instant::now())),
            None => self.came.1.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let (request, came) = came.map_err(|_| ClusterError::TimedOut)?;
        self.open_bytes -= request.bytes;
        self.open.entry(request.worker).and_modify(|open| *open -= 1);
        Ok((request, came))
    }
}

fn put(
    shared: &Shared,
    request: &Request,
    pieces: Vec<Bytes>,
    found: &mut [Option<Value>],
) -> Result<(), ClusterError> {
    let values = unpack(shared.face.decoders(), pieces).map_err(|error| unread(request, error.message))?;
    let places: Vec<_> = request.parts.iter().flat_map(|part| part.at..part.at + part.tasks.len() as usize).collect();
    if values.len() != places.len() {
        let sentence = format!("{} results came, and {} were asked for", values.len(), places.len());
        return Err(unread(request, sentence));
    }
    for (at, value) in places.into_iter().zip(values) {
        found[at] = Some(value);
    }
    Ok(())
}

fn unread(request: &Request, reason: String) -> ClusterError {
    let run = request.parts.first().map_or(0, |part| part.run.0);
    ClusterError::Task {
        key: format!("results of run {run}"),
        error: TaskError::new(ErrorKind::Type, format!("a result can't be sent: {reason}")),
    }
}

/// No more than may be asked for at once, by number and by bytes.
fn cut(part: Part) -> impl Iterator<Item = Part> {
    let most = (REQUEST_BYTES / part.each.max(1)).clamp(1, TASKS_AT_A_TIME);
    let TaskRange { start, end, .. } = part.tasks;
    (start..end)
        .step_by(most as usize)
        .map(move |first| part.within(TaskRange { start: first, end: end.min(first + most), ..part.tasks }))
}

/// As few requests as may be.
fn requests(worker: WorkerId, parts: Vec<Part>) -> VecDeque<Request> {
    let mut groups: Vec<(Vec<Part>, u64, u64)> = vec![];
    for part in parts {
        let (tasks, bytes) = (part.tasks.len(), part.each.saturating_mul(part.tasks.len()));
        match groups.last_mut() {
            Some((group, all_tasks, all_bytes))
                if group.len() < ResultNames::MOST
                    && *all_tasks + tasks <= TASKS_AT_A_TIME
                    && all_bytes.saturating_add(bytes) <= REQUEST_BYTES =>
            {
                group.push(part);
                (*all_tasks, *all_bytes) = (*all_tasks + tasks, *all_bytes + bytes);
            }
            _ => groups.push((vec![part], tasks, bytes)),
        }
    }
    groups.into_iter().map(|(parts, ..)| Request::of(worker, parts)).collect()
}
