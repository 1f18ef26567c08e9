//! Fetches results straight from those who hold them: many at once, and no more bytes under way than there may be.

use super::failed::ClusterError;
use super::shared::Shared;
use super::unreached::Unreached;
use crate::bulk::{BulkError, Fetch, Missing, Source};
use crate::deadly::{Way, given_up};
use crate::message::ResultNames;
use crate::parcels::unpack_each;
use crate::worker::TASKS_AT_A_TIME;
use bytes::Bytes;
use raskt_schedule::{RunId, TaskRange, WorkerId};
use raskt_value::{ErrorKind, TaskError, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
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
    way: Way,
}

impl Request {
    fn of(worker: WorkerId, parts: Vec<Part>) -> Self {
        let bytes = parts.iter().map(|part| part.each.saturating_mul(part.tasks.len())).fold(0, u64::saturating_add);
        Self { worker, parts, bytes, reserved: bytes.saturating_mul(2).saturating_add(SPARE_BYTES), way: Way::Together }
    }

    /// What its holder may die of.
    fn apart(part: Part) -> Self {
        Self { way: Way::Apart, ..Self::of(part.worker, vec![part]) }
    }

    /// Half of it, and the other half, if it is more than one result.
    fn halves(mut self) -> Result<[Self; 2], Self> {
        let (worker, last) = (self.worker, self.parts.len() / 2);
        if last > 0 {
            let rest = self.parts.split_off(last);
            return Ok([Self::of(worker, self.parts), Self::of(worker, rest)]);
        }
        match self.parts[..] {
            [part] if part.tasks.len() > 1 => {
                let TaskRange { start, end, .. } = part.tasks;
                let half = start + part.tasks.len() / 2;
                let of = |start, end| Self::of(worker, vec![part.within(TaskRange { start, end, ..part.tasks })]);
                Ok([of(start, half), of(half, end)])
            }
            _ => Err(self),
        }
    }

    /// The same, now that it is known how much it is.
    fn larger(self, bytes: u64) -> Self {
        Self { bytes, reserved: bytes, ..self }
    }
}

type Came = (Request, Result<Vec<Bytes>, BulkError>);

/// Results on their way. What has come stays, however often it is waited for the rest.
pub(super) struct Gathering {
    shared: Arc<Shared>,
    sources: BTreeMap<WorkerId, Source>,
    /// Workers that were called and not reached, and what came of it.
    unreached: BTreeMap<WorkerId, String>,
    /// Those that have answered.
    reached: BTreeSet<WorkerId>,
    waiting: BTreeMap<WorkerId, VecDeque<Request>>,
    /// Requests that each was sent and hasn't answered.
    open: BTreeMap<WorkerId, usize>,
    open_bytes: u64,
    came: (Sender<Came>, Receiver<Came>),
    found: Vec<Option<Value>>,
    missed: Vec<Part>,
    unread: Unread,
    /// As long as somebody wants what waits for its turn.
    wanted: Arc<()>,
}

/// What is there, and can't be had here, by its place.
pub(super) type Unread = BTreeMap<usize, TaskError>;

/// The first of them as the error of all.
pub(super) fn first_unread(unread: Unread) -> Result<(), ClusterError> {
    unread.into_iter().next().map_or(Ok(()), |(at, error)| Err(ClusterError::Unread { at, error }))
}

impl Gathering {
    /// Asks for `parts`, which are to come into `found`.
    pub fn begin(shared: &Arc<Shared>, parts: Vec<Part>, found: Vec<Option<Value>>) -> Self {
        let mut gathering = Self::new(shared.clone(), parts, found);
        gathering.ask();
        gathering
    }

    /// Waits until all that was to be had has come, or something can't be had and the others needn't come. After the deadline it can
    /// be waited for again, and nothing is asked for twice.
    pub fn wait(&mut self, deadline: Option<Instant>, needs_all: bool) -> Result<(), ClusterError> {
        while self.is_open() && (self.unread.is_empty() || !needs_all) {
            let (request, came) = self.next(deadline)?;
            if !matches!(came, Err(BulkError::Unreached(_) | BulkError::Refused(_))) {
                self.reached.insert(request.worker);
            }
            match came {
                Ok(pieces) => self.put(&request, pieces),
                Err(BulkError::TooLarge { bytes, .. }) => self.again(request.larger(bytes)),
                Err(BulkError::Missing(Missing::Failed(reason))) => self.without(request, &reason),
                Err(error) => {
                    tracing::debug!("results couldn't be fetched, and are waited for again: {error}");
                    if !matches!(error, BulkError::Missing(_)) {
                        self.ask_no_more(request.worker);
                    }
                    self.note_unreached(request.worker, &error);
                    self.miss(request, matches!(error, BulkError::Lost(_)));
                }
            }
            self.ask();
        }
        Ok(())
    }

    /// What has come, what wasn't to be had where it was said to be, and what can't be had. Of workers that aren't reached it is noted
    /// for how long that has been so, and what they hold can't be had at last.
    pub fn end(mut self, unreached: &Unreached) -> (Vec<Option<Value>>, Vec<Part>, Unread) {
        unreached.note(Instant::now(), std::mem::take(&mut self.unreached), &self.reached);
        let unread = &mut self.unread;
        self.missed.retain(|part| match unreached.given_up(part.worker) {
            Some(error) => {
                unread.extend((part.at..).zip(part.tasks.tasks()).map(|(at, _)| (at, error.clone())));
                false
            }
            None => true,
        });
        (self.found, self.missed, self.unread)
    }

    fn new(shared: Arc<Shared>, parts: Vec<Part>, found: Vec<Option<Value>>) -> Self {
        let (mut by_worker, mut apart, mut unread): (BTreeMap<WorkerId, Vec<Part>>, _, _) =
            (BTreeMap::new(), vec![], Unread::new());
        for (part, way) in ways(&shared, parts) {
            match way {
                Way::Together => by_worker.entry(part.worker).or_default().extend(cut(part)),
                Way::Apart => apart.extend(cut(part)),
                Way::GivenUp => _ = unread.insert(part.at, given_up()),
            }
        }
        apart.iter().for_each(|part| _ = by_worker.entry(part.worker).or_default());
        let known = shared.state.lock();
        let source = |id: &WorkerId| Some((*id, known.workers.get(id)?.source()));
        let sources = by_worker.keys().filter_map(source).collect();
        drop(known);
        let mut waiting: BTreeMap<_, _> =
            by_worker.into_iter().map(|(worker, parts)| (worker, requests(worker, parts))).collect();
        apart.into_iter().for_each(|part| waiting.entry(part.worker).or_default().push_back(Request::apart(part)));
        let (open, open_bytes, came, missed) = (BTreeMap::new(), 0, channel(), vec![]);
        let wanted = Arc::default();
        let (unreached, reached) = Default::default();
        Self { shared, sources, unreached, reached, waiting, open, open_bytes, came, found, missed, unread, wanted }
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
        let Some(source) = self.sources.get(&request.worker).cloned() else {
            return drop(sender.send((request, Err(BulkError::Unreached("the worker is gone".into())))));
        };
        if request.way != Way::Apart {
            return self.shared.fetcher.fetch(&source, fetch, move |pieces| drop(sender.send((request, pieces))));
        }
        let (fetcher, wanted) = (self.shared.fetcher.clone(), Arc::downgrade(&self.wanted));
        self.shared.apart.enter(request.worker, move |turn| {
            if wanted.strong_count() == 0 {
                return;
            }
            let come = move |pieces| {
                drop(sender.send((request, pieces)));
                drop(turn);
            };
            fetcher.fetch(&source, fetch, come);
        });
    }

    /// It was called where it is said to give results.
    fn note_unreached(&mut self, worker: WorkerId, error: &BulkError) {
        if let BulkError::Unreached(reason) | BulkError::Refused(reason) = error
            && let Some(about) = self.shared.state.lock().workers.get(&worker)
        {
            let told = format!("worker `{}` gives its at {} ({reason})", about.name, about.addresses.join(", "));
            self.unreached.insert(worker, told);
        }
    }

    /// Who isn't reached may be gone: what he wasn't asked for yet is looked for elsewhere, too.
    fn ask_no_more(&mut self, worker: WorkerId) {
        let requests = self.waiting.remove(&worker).unwrap_or_default();
        self.missed.extend(requests.into_iter().flat_map(|request| request.parts));
    }

    /// It didn't come, and is looked for again, unless too many have died who were to send it.
    fn miss(&mut self, request: Request, is_lost: bool) {
        let results: Vec<_> = request.parts.iter().map(|part| (part.run, part.tasks)).collect();
        if is_lost && self.shared.deadly.lock().lost(request.worker, &results, request.way) {
            request.parts.iter().for_each(|part| _ = self.unread.insert(part.at, given_up()));
        } else {
            self.missed.extend(request.parts);
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

    /// One of these can't be sent: the others are asked for without it.
    fn without(&mut self, request: Request, reason: &str) {
        match request.halves() {
            Ok([first, second]) => {
                self.again(second);
                self.again(first);
            }
            Err(alone) => alone.parts.iter().for_each(|part| _ = self.unread.insert(part.at, unsent(reason))),
        }
    }

    fn put(&mut self, request: &Request, pieces: Vec<Bytes>) {
        let mut deadly = self.shared.deadly.lock();
        request.parts.iter().for_each(|part| deadly.came(part.run, part.tasks));
        drop(deadly);
        let places: Vec<_> =
            request.parts.iter().flat_map(|part| part.at..part.at + part.tasks.len() as usize).collect();
        let values = unpack_each(self.shared.face.decoders(), pieces).and_then(|values| match values.len() {
            count if count == places.len() => Ok(values),
            count => Err(TaskError::new(ErrorKind::Io, format!("{count} came, and {} were asked for", places.len()))),
        });
        let values = values.unwrap_or_else(|error| vec![Err(error); places.len()]);
        for (at, value) in places.into_iter().zip(values) {
            match value {
                Ok(value) => self.found[at] = Some(value),
                Err(error) => _ = self.unread.insert(at, unreadable(&error)),
            }
        }
    }
}

fn unsent(reason: &str) -> TaskError {
    TaskError::new(ErrorKind::Type, format!("a result can't be sent: {reason}"))
}

pub(super) fn unreadable(error: &TaskError) -> TaskError {
    TaskError::new(ErrorKind::Type, format!("a result can't be read here: {}", error.message))
}

/// How each is asked for.
fn ways(shared: &Shared, parts: Vec<Part>) -> Vec<(Part, Way)> {
    let deadly = shared.deadly.lock();
    let ways =
        |part: Part| deadly.ways(part.run, part.tasks).into_iter().map(move |(tasks, way)| (part.within(tasks), way));
    parts.into_iter().flat_map(ways).collect()
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
