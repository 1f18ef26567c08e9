//! Reading results from other workers: asked for again when nothing comes, given up after a few times.

use super::{Host, Jobs, Process};
use crate::check::Sometimes;
use crate::context::{Address, Context, Happening};
use crate::network::{Body, Message, Packet};
use raskt_graph::TaskId;
use raskt_schedule::{Fetch, RunId, TaskRange, Ticket, WorkerEvent, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// All that an assignment reads from others.
#[derive(Debug)]
pub(super) struct Preparation {
    /// Requests that haven't been answered.
    open: BTreeSet<u64>,
    /// What was fetched, and whether it is to be kept.
    fetched: BTreeMap<(RunId, TaskId), (u64, bool)>,
    keeps: BTreeSet<(RunId, TaskId)>,
}

/// A request to one worker.
#[derive(Debug)]
pub(super) struct Request {
    ticket: Ticket,
    run: RunId,
    from: WorkerId,
    tasks: Rc<[TaskId]>,
    tries: u32,
}

/// How a request ended.
enum Answer {
    Scattered(Vec<(TaskId, Option<u64>)>),
    Silence,
}

/// How often results are asked for, and how long an answer may take.
pub(crate) const FETCH_TRIES: u32 = 4;
pub(crate) const FETCH_NANOSECONDS: u64 = 40_000_000;

impl Process {
    /// Answers another worker, or a client.
    pub fn give(&mut self, context: &mut Context, to: Address, fetch: u64, run: RunId, tasks: &[TaskId]) {
        let mut noticed = vec![];
        let mut digest = |task| Some(self.memory.read(run, task, &mut noticed)?.digest);
        let values = tasks.iter().map(|&task| (task, digest(task))).collect();
        self.confess(context, noticed);
        context.transmit(Packet { from: self.address, to, body: Body::Fetched { fetch, values } });
    }

    /// Tells the scheduler of copies, as far as they are here.
    pub(super) fn tell_of_copies(&mut self, context: &mut Context, run: RunId, tasks: &[TaskRange]) {
        let copies = tasks.iter().flat_map(|range| range.tasks());
        let copies = TaskRange::of(copies.filter(|&task| self.memory.get(run, task).is_some()));
        if !copies.is_empty() {
            self.memory.inventory.tell(run, &copies);
            self.session.send(context, Message::Fetched { run, tasks: copies });
        }
    }

    fn request(&mut self, context: &mut Context, request: Request) -> u64 {
        let id = self.next_request;
        self.next_request += 1;
        self.requests.insert(id, request);
        self.ask(context, id);
        id
    }

    /// Asks once more; false if that was done often enough.
    fn ask(&mut self, context: &mut Context, id: u64) -> bool {
        let Some(request) = self.requests.get_mut(&id) else { return true };
        if request.tries == FETCH_TRIES {
            return false;
        }
        request.tries += 1;
        let body = Body::Fetch { fetch: id, run: request.run, tasks: request.tasks.clone() };
        context.transmit(Packet { from: self.address, to: Address::of(request.from), body });
        context.agenda.after(FETCH_NANOSECONDS, Happening::FetchTimer { own: self.address, fetch: id });
        true
    }

    /// Nobody waits for what is fetched for `ticket`.
    pub(super) fn drop_preparation(&mut self, ticket: Ticket) {
        if let Some(preparation) = self.preparations.remove(&ticket) {
            preparation.open.iter().for_each(|id| _ = self.requests.remove(id));
        }
        self.passing.remove(&ticket);
    }
}

impl Host {
    /// Asks other workers for what an assignment reads, as far as it isn't here.
    pub(super) fn fetch(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket, fetches: &[Fetch]) {
        let Some(process) = &mut self.process else { return };
        let mut places: BTreeMap<(WorkerId, RunId), Vec<TaskId>> = BTreeMap::new();
        let (mut keeps, mut fetched, mut noticed) = (BTreeSet::new(), BTreeMap::new(), vec![]);
        for fetch in fetches {
            let mut absent = vec![];
            for task in fetch.tasks.tasks() {
                match process.memory.read(fetch.run, task, &mut noticed) {
                    // It stays at hand though it may be dropped from memory meanwhile.
                    Some(stored) => _ = fetched.insert((fetch.run, task), (stored.digest, false)),
                    None => absent.push(task),
                }
            }
            keeps.extend(absent.iter().filter(|_| fetch.keep).map(|&task| (fetch.run, task)));
            if !absent.is_empty() {
                places.entry((fetch.from, fetch.run)).or_default().extend(absent);
            }
        }
        let request = |((from, run), tasks): (_, Vec<_>)| Request { ticket, run, from, tasks: tasks.into(), tries: 0 };
        let requests: Vec<_> = places.into_iter().map(request).collect();
        let open = requests.into_iter().map(|request| process.request(context, request)).collect();
        process.preparations.insert(ticket, Preparation { open, fetched, keeps });
        process.confess(context, noticed);
        self.end_preparation(context, jobs, ticket);
    }

    /// An answer has taken long.
    pub fn fetch_timer(&mut self, context: &mut Context, jobs: Jobs, request: u64) {
        if self.process.as_mut().is_some_and(|process| !process.ask(context, request)) {
            self.answered(context, jobs, request, Answer::Silence);
        }
    }

    /// The process that was asked is no more.
    pub(super) fn refused(&mut self, context: &mut Context, jobs: Jobs, request: u64) {
        self.answered(context, jobs, request, Answer::Silence);
    }

    /// An answer came, with all that was asked for or with some.
    pub(super) fn given(
        &mut self,
        context: &mut Context,
        jobs: Jobs,
        request: u64,
        values: Vec<(TaskId, Option<u64>)>,
    ) {
        self.answered(context, jobs, request, Answer::Scattered(values));
    }

    fn answered(&mut self, context: &mut Context, jobs: Jobs, id: u64, answer: Answer) {
        let Some(process) = &mut self.process else { return };
        // An answer that came twice, or too late, is for nobody.
        let Some(request) = process.requests.remove(&id) else { return };
        let Some(preparation) = process.preparations.get_mut(&request.ticket) else { return };
        preparation.open.remove(&id);
        let (missing, reached) = match answer {
            Answer::Silence => (request.tasks.first().copied(), false),
            Answer::Scattered(values) => {
                let mut missing = None;
                for (task, value) in values {
                    match value {
                        Some(digest) => {
                            let place = (request.run, task);
                            let keep = preparation.keeps.contains(&place);
                            preparation.fetched.insert(place, (digest, keep));
                        }
                        None => missing = missing.or(Some(task)),
                    }
                }
                (missing, true)
            }
        };
        match missing {
            Some(task) => {
                context.tally.saw(if reached { Sometimes::FetchMissed } else { Sometimes::FetchUnanswered });
                let (ticket, from, input_run) = (request.ticket, request.from, request.run);
                process.drop_preparation(ticket);
                self.handle(context, jobs, WorkerEvent::FetchFailed { ticket, input_run, task, from, reached });
            }
            None => self.end_preparation(context, jobs, request.ticket),
        }
    }

    /// Everything is here: copies that are worth keeping are kept, others wait for the assignment that reads them.
    fn end_preparation(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket) {
        let Some(process) = &mut self.process else { return };
        if process.preparations.get(&ticket).is_none_or(|preparation| !preparation.open.is_empty()) {
            return;
        }
        let Some(Preparation { fetched, .. }) = process.preparations.remove(&ticket) else { return };
        let mut passing = BTreeMap::new();
        for ((run, task), (digest, keep)) in fetched {
            if keep && process.memory.get(run, task).is_none() {
                let bytes = jobs.get(&run).map_or(1, |job| job.output_bytes(task));
                process.memory.put(run, task, digest, bytes);
                context.tally.saw(Sometimes::Copied);
            } else {
                passing.insert((run, task), digest);
            }
        }
        process.passing.insert(ticket, passing);
        self.handle(context, jobs, WorkerEvent::Fetched(ticket));
    }
}
