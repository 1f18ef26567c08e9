//! Clients: they submit jobs, read the results where the scheduler says that they are, and release them.

use crate::check::{Sometimes, Violation};
use crate::context::{Address, Context, Happening, Node};
use crate::host::{FETCH_NANOSECONDS, FETCH_TRIES, Jobs};
use crate::job::{Job, all_tasks};
use crate::network::{Body, Message, Packet, Session};
use crate::random::Random;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, StallCause, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

#[derive(Debug)]
pub(crate) struct Client {
    pub node: Node,
    pub process: Option<Process>,
}

/// One life of a client.
#[derive(Debug)]
pub(crate) struct Process {
    pub address: Address,
    pub session: Session,
    pub runs: BTreeMap<RunId, Owned>,
    reads: BTreeMap<u64, Read>,
    next_read: u64,
    /// Runs that ended since the world last looked.
    pub ended: Vec<RunId>,
}

/// A run that a client has submitted and not released.
#[derive(Debug)]
pub(crate) struct Owned {
    wanted: BTreeSet<TaskId>,
    /// More is wanted than when the reads at hand began.
    has_grown: bool,
    /// Wanted results that haven't been read.
    unread: BTreeSet<TaskId>,
    open_reads: usize,
    /// The results are kept until the end of the world.
    pub keeps: bool,
    pub is_kept: bool,
    /// Wanted tasks that have failed, as far as the client was told.
    failed: BTreeSet<TaskId>,
    /// The data that it gives is in a worker, if it gives any.
    pub has_data: bool,
    /// How often it still has failed ones run again.
    retries: u32,
    /// Results that it releases by themselves when it has read them, in a million.
    releases_per_million: u32,
    /// Since when no worker has what it requires, as far as the client was told.
    unmet_since: Option<u64>,
}

/// Results that are asked for.
#[derive(Debug)]
struct Read {
    run: RunId,
    from: WorkerId,
    tasks: Vec<TaskId>,
    /// What the worker knows them by.
    of: RunId,
    places: Rc<[TaskId]>,
    tries: u32,
    /// It is one of the reads of all that is wanted; if not, of what has just come.
    is_of_all: bool,
}

/// How long a client waits for a worker that could run what it wants: longer than one takes to come back.
pub(crate) const UNMET_NANOSECONDS: u64 = 3_000_000_000;

/// Tasks that a client no longer wants at one time, at most.
const CHANGED_TASKS: usize = 16;

/// What is asked of each worker for results of `run`, under the names that they have there.
fn reads_of(jobs: Jobs, run: RunId, holders: impl Iterator<Item = (TaskId, WorkerId)>, is_of_all: bool) -> Vec<Read> {
    let mut places: BTreeMap<(WorkerId, RunId), Vec<(TaskId, TaskId)>> = BTreeMap::new();
    for (task, holder) in holders {
        let (of, place) = jobs[&run].place_of(run, task, |run| jobs.get(&run));
        places.entry((holder, of)).or_default().push((task, place));
    }
    let read = |((from, of), found): (_, Vec<(TaskId, TaskId)>)| {
        let (tasks, places): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        Read { run, from, tasks, of, places: places.into(), tries: 0, is_of_all }
    };
    places.into_iter().map(read).collect()
}

impl Client {
    pub fn new(node: Node) -> Self {
        Self { node, process: None }
    }

    pub fn start(&mut self, context: &mut Context) {
        if self.process.is_some() {
            return;
        }
        let address = context.new_address(self.node);
        let mut session = Session::new(address, Address::HEAD);
        session.send(context, Message::JoinClient);
        context.agenda.after(0, Happening::Beat(address));
        let (runs, reads) = (BTreeMap::new(), BTreeMap::new());
        self.process = Some(Process { address, session, runs, reads, next_read: 0, ended: vec![] });
    }

    /// The client dies; gives the runs that nobody will ask for any more.
    pub fn crash(&mut self) -> Vec<RunId> {
        let process = self.process.take();
        process.map(|process| process.runs.into_keys().chain(process.ended).collect()).unwrap_or_default()
    }

    pub fn process_at(&mut self, address: Address) -> Option<&mut Process> {
        self.process.as_mut().filter(|process| process.address == address)
    }
}

impl Process {
    pub fn submit(&mut self, context: &mut Context, run: RunId, job: &Job, keeps: bool) {
        let owned = Owned {
            wanted: job.wanted.iter().chain(&job.given).copied().collect(),
            has_grown: false,
            unread: BTreeSet::new(),
            open_reads: 0,
            keeps,
            is_kept: false,
            failed: BTreeSet::new(),
            has_data: job.given.is_empty(),
            retries: job.plan.alone.map_or(0, |alone| alone.retries),
            releases_per_million: job.plan.alone.map_or(0, |alone| alone.releases_per_million),
            unmet_since: None,
        };
        self.runs.insert(run, owned);
        self.session.send(context, Message::Submit { run });
    }

    pub fn release(&mut self, context: &mut Context, run: RunId) {
        if self.runs.remove(&run).is_some() {
            self.session.send(context, Message::Release { run });
            self.ended.push(run);
        }
    }

    /// Wants some more tasks of a run, wherever they are in its graph, and some fewer.
    pub fn change(&mut self, context: &mut Context, jobs: Jobs, run: RunId, random: &mut Random) {
        let (Some(owned), Some(job)) = (self.runs.get_mut(&run), jobs.get(&run)) else { return };
        let mut less: Vec<_> = owned.wanted.iter().copied().filter(|_| random.chance(500_000)).collect();
        less.truncate(CHANGED_TASKS);
        let all: Vec<_> = all_tasks(&job.graph).collect();
        let mut more: BTreeSet<_> = (0..random.below(4)).map(|_| *random.pick(&all)).collect();
        // Some of what is no longer wanted is wanted again in the same breath.
        more.extend(less.iter().filter(|_| random.chance(300_000)));
        if !less.is_empty() && random.chance(800_000) {
            less.iter().for_each(|task| _ = owned.wanted.remove(task));
            owned.unread.retain(|task| owned.wanted.contains(task));
            context.tally.saw(Sometimes::WantedLess);
            self.session.send(context, Message::Unwant { run, tasks: TaskRange::of(less) });
        }
        if !more.is_empty() {
            owned.wanted.extend(&more);
            (owned.has_grown, owned.is_kept) = (true, false);
            context.tally.saw(Sometimes::WantedMore);
            self.session.send(context, Message::Want { run, tasks: TaskRange::of(more) });
        }
    }

    /// Reads what was kept once more, to see that it is still there, and releases it then.
    pub fn leave(&mut self, context: &mut Context) {
        for (&run, owned) in &mut self.runs {
            owned.keeps = false;
            if std::mem::take(&mut owned.is_kept) {
                self.session.send(context, Message::Where { run });
            }
        }
    }

    pub fn receive(&mut self, context: &mut Context, jobs: Jobs, packet: Packet) {
        match packet.body {
            Body::Data { sequence, message } => {
                for message in self.session.receive(context, sequence, message) {
                    self.read(context, jobs, &message);
                }
            }
            Body::Ack { expects } => self.session.confirm(expects),
            Body::Fetched { fetch, values } => self.results_came(context, jobs, fetch, &values),
            Body::Refused { fetch } => self.results_came(context, jobs, fetch, &[]),
            _ => {}
        }
    }

    fn read(&mut self, context: &mut Context, jobs: Jobs, message: &Message) {
        match message {
            Message::Finished { run, holders, failed } => self.run_finished(context, jobs, *run, holders, failed),
            Message::Available { run, holders } => self.results_are_there(context, jobs, *run, holders),
            Message::Unavailable { run, tasks } => {
                // What was being read may be gone; whoever misses it asks where it is.
                let owned = self.runs.get_mut(run).filter(|owned| owned.is_kept);
                let is_wanted = |owned: &&mut Owned| {
                    tasks.iter().any(|range| owned.wanted.iter().any(|task| range.contains(*task)))
                };
                context.tally.add(Sometimes::KeptAndLost, u64::from(owned.filter(is_wanted).is_some()));
            }
            Message::TasksFailed { run, tasks } => {
                let owned = self.runs.get_mut(run).into_iter();
                owned.for_each(|owned| owned.failed.extend(tasks.iter().flat_map(|range| range.tasks())));
            }
            Message::Refused { run } => {
                if self.runs.remove(run).is_some() {
                    self.ended.push(*run);
                }
            }
            Message::Scattered { run } => {
                if let Some(owned) = self.runs.get_mut(run) {
                    owned.has_data = true;
                    let tasks = TaskRange::of(owned.wanted.iter().copied());
                    self.session.send(context, Message::Want { run: *run, tasks });
                }
            }
            Message::Lost { run } => {
                if self.runs.remove(run).is_some() {
                    self.ended.push(*run);
                }
            }
            Message::Failed { run, root, task, killed } => {
                self.run_failed(context, jobs, *run, (*root, *task), *killed);
            }
            Message::Stalled { run, cause } => self.stalled(context, *run, Some(cause)),
            Message::Resumed { run } => self.stalled(context, *run, None),
            other => unreachable!("clients aren't sent {other:?}"),
        }
    }

    fn run_finished(
        &mut self,
        context: &mut Context,
        jobs: Jobs,
        run: RunId,
        holders: &[(TaskId, WorkerId)],
        failed: &[TaskId],
    ) {
        let Some(owned) = self.runs.get_mut(&run) else { return };
        if owned.is_kept || owned.open_reads > 0 {
            return;
        }
        // What was wanted since isn't among them: the scheduler says so again when that is there, too.
        let is_there = |task: &TaskId| holders.binary_search_by_key(task, |&(found, _)| found).is_ok();
        if !owned.wanted.iter().all(|task| is_there(task) || failed.contains(task)) {
            return;
        }
        owned.failed = failed.iter().copied().collect();
        let retried: Vec<_> = failed.iter().copied().filter(|task| owned.wanted.contains(task)).collect();
        if owned.retries > 0 && !retried.is_empty() {
            owned.retries -= 1;
            context.tally.saw(Sometimes::AskedToRetry);
            return self.session.send(context, Message::Retry { run, tasks: TaskRange::of(retried) });
        }
        owned.has_grown = false;
        if jobs[&run].plan.alone.is_none() && jobs[&run].is_doomed() {
            context.violate(Violation::new(format!("run {} finished, and one of its tasks always fails", run.0)));
        }
        let wanted = holders.iter().copied().filter(|(task, _)| owned.wanted.contains(task));
        let reads = reads_of(jobs, run, wanted, true);
        owned.unread = owned.wanted.iter().copied().filter(|task| is_there(task)).collect();
        owned.open_reads = reads.len();
        if reads.is_empty() {
            return self.has_all(context, run);
        }
        reads.into_iter().for_each(|read| self.begin_read(context, read));
    }

    fn begin_read(&mut self, context: &mut Context, read: Read) {
        let id = self.next_read;
        self.next_read += 1;
        self.reads.insert(id, read);
        self.ask(context, id);
    }

    /// Some results have come: those that the client will release by themselves it reads at once.
    fn results_are_there(&mut self, context: &mut Context, jobs: Jobs, run: RunId, holders: &[(TaskId, WorkerId)]) {
        let Some(owned) = self.runs.get_mut(&run) else { return };
        holders.iter().for_each(|(task, _)| _ = owned.failed.remove(task));
        let odds = owned.releases_per_million;
        let chosen: Vec<_> = holders.iter().copied().filter(|_| context.random.chance(odds)).collect();
        for read in reads_of(jobs, run, chosen.into_iter(), false) {
            self.begin_read(context, read);
        }
    }

    fn stalled(&mut self, context: &Context, run: RunId, cause: Option<&StallCause>) {
        if let Some(owned) = self.runs.get_mut(&run) {
            let is_unmet = matches!(cause, Some(StallCause::Unmet { .. }));
            owned.unmet_since = is_unmet.then_some(context.now());
        }
    }

    /// Gives runs up that have waited for long for a worker that there isn't.
    pub fn give_up_unmet(&mut self, context: &mut Context) -> Vec<RunId> {
        let is_long = |since: u64| context.now() > since + UNMET_NANOSECONDS;
        let unmet = self.runs.iter().filter(|(_, owned)| owned.unmet_since.is_some_and(is_long));
        let unmet: Vec<_> = unmet.map(|(&run, _)| run).collect();
        for &run in &unmet {
            context.tally.saw(Sometimes::GivenUpUnmet);
            self.release(context, run);
        }
        unmet
    }

    fn run_failed(
        &mut self,
        context: &mut Context,
        jobs: Jobs,
        run: RunId,
        (root, task): (RunId, TaskId),
        killed: bool,
    ) {
        if self.runs.remove(&run).is_none() {
            return;
        }
        let job = &jobs[&root];
        if !killed && job.failures(task) <= job.plan.retries {
            context.violate(Violation::of(root, task, "its run failed because of it, and it doesn't fail for good"));
        }
        self.ended.push(run);
    }

    /// Asks once more; false if that was done often enough.
    fn ask(&mut self, context: &mut Context, id: u64) -> bool {
        let Some(read) = self.reads.get_mut(&id) else { return true };
        if read.tries == FETCH_TRIES {
            return false;
        }
        read.tries += 1;
        let body = Body::Fetch { fetch: id, run: read.of, tasks: read.places.clone() };
        context.transmit(Packet { from: self.address, to: Address::of(read.from), body });
        context.agenda.after(FETCH_NANOSECONDS, Happening::FetchTimer { own: self.address, fetch: id });
        true
    }

    pub fn read_timer(&mut self, context: &mut Context, jobs: Jobs, read: u64) {
        if !self.ask(context, read) {
            self.results_came(context, jobs, read, &[]);
        }
    }

    fn results_came(&mut self, context: &mut Context, jobs: Jobs, read: u64, values: &[(TaskId, Option<u64>)]) {
        let Some(read) = self.reads.remove(&read) else { return };
        let Some(owned) = self.runs.get_mut(&read.run) else { return };
        let mut released = vec![];
        for (place, value) in values {
            let Some(value) = value else { continue };
            // Several tasks of a run may stand for the same one.
            for &task in read.places.iter().zip(&read.tasks).filter(|(known, _)| *known == place).map(|(_, task)| task)
            {
                if *value != jobs[&read.run].result(task) || jobs[&read.run].is_hopeless(task) {
                    context.violate(Violation::of(read.run, task, "its client got a wrong result"));
                }
                owned.unread.remove(&task);
                if !read.is_of_all && !owned.keeps && owned.wanted.remove(&task) {
                    released.push(task);
                }
            }
        }
        if !released.is_empty() {
            context.tally.saw(Sometimes::ReleasedAlone);
            self.session.send(context, Message::Unwant { run: read.run, tasks: TaskRange::of(released) });
            if owned.open_reads == 0 && !owned.is_kept {
                // It may be that all else has been there for long.
                self.session.send(context, Message::Where { run: read.run });
            }
        }
        if !read.is_of_all {
            return;
        }
        owned.open_reads -= 1;
        if owned.open_reads > 0 {
            return;
        }
        if owned.unread.is_empty() && !owned.has_grown {
            self.has_all(context, read.run);
        } else {
            context.tally.add(Sometimes::FetchMissed, u64::from(!owned.unread.is_empty()));
            self.session.send(context, Message::Where { run: read.run });
        }
    }

    fn has_all(&mut self, context: &mut Context, run: RunId) {
        let Some(owned) = self.runs.get_mut(&run) else { return };
        if owned.keeps {
            owned.is_kept = true;
            self.ended.push(run);
        } else {
            self.release(context, run);
        }
    }
}
