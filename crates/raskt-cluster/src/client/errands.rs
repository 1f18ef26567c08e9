//! What a client does later and elsewhere: calls those who wanted to know, and tells the scheduler what isn't wanted any more.
//!
//! Neither may be done where it comes up. Whoever is called may do as he likes, and the thread of the network must not wait. What goes
//! may go anywhere, also where nobody may wait; and many go at once, which is better told together.

use crate::message::FromClient;
use raskt_schedule::{RunId, TaskRange};
use raskt_sync::{Mutex, guard};
use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// For so long what isn't wanted any more gathers before it is told: whoever asks for one result after the other, and lets each go,
/// would have three processes busy with that.
const GATHERING: Duration = Duration::from_millis(5);

/// How often it is looked whether a scheduler that has begun anew is back.
const AWAY: Duration = Duration::from_millis(50);

/// Runs, and ranges of tasks, that one message tells of at most.
pub(super) const TOLD_AT_A_TIME: usize = 1 << 14;

/// The way to the scheduler, for the thread that tells it.
pub(super) trait Tell: Send + Sync {
    /// Tells it, unless it is out of reach for good.
    fn tell(&self, message: &FromClient);
    /// Tells it what is cancelled, also where it begins anew before it has heard so.
    fn cancel(&self, tasks: Vec<(RunId, TaskRange)>, by_force: bool);
    /// Sends calls that have waited for long enough for others to go with them; when to look again, if some wait on.
    fn send_old_calls(&self) -> Option<Instant>;
    /// Whether it has begun anew, and isn't back to where it was.
    fn is_away(&self) -> bool;
}

/// The way to the thread that does it.
pub(super) struct Errands {
    sender: Mutex<Sender<Errand>>,
    let_go: Arc<Mutex<LetGo>>,
    thread: Arc<OnceLock<ThreadId>>,
}

enum Errand {
    Call(Box<dyn FnOnce() + Send>),
    Tell,
    /// What has gathered is told now, and then whoever waits for that hears so.
    TellNow(Sender<()>),
    LookAfterCalls,
    End,
}

/// What isn't wanted any more, and the scheduler hasn't been told.
#[derive(Default)]
struct LetGo {
    runs: Vec<RunId>,
    tasks: BTreeMap<RunId, Vec<TaskRange>>,
    /// What is cancelled, by whether that is by force.
    cancelled: BTreeMap<bool, BTreeMap<RunId, Vec<TaskRange>>>,
    /// What is to be told again where it is.
    missed: BTreeMap<RunId, Vec<TaskRange>>,
    /// The thread knows that there is something.
    is_told: bool,
    /// What was here is being told.
    is_on_its_way: bool,
}

/// What the thread begins with.
pub(super) struct Waiting {
    errands: Receiver<Errand>,
    let_go: Arc<Mutex<LetGo>>,
    thread: Arc<OnceLock<ThreadId>>,
}

impl Errands {
    /// The way to a thread that is to be started.
    pub fn new() -> (Self, Waiting) {
        let (sender, errands) = channel();
        let let_go: Arc<Mutex<LetGo>> = Arc::default();
        let thread: Arc<OnceLock<ThreadId>> = Arc::default();
        let waiting = Waiting { errands, let_go: let_go.clone(), thread: thread.clone() };
        (Self { sender: Mutex::new(sender), let_go, thread }, waiting)
    }

    /// Tells what has gathered: the client is about to leave. It waits `patience` for that at most.
    pub fn tell_now(&self, scheduler: &dyn Tell, patience: Duration) {
        if self.thread.get() == Some(&thread::current().id()) {
            // Whoever is called here would wait for himself.
            return tell(&self.let_go, scheduler);
        }
        let is_quiet = {
            let let_go = self.let_go.lock();
            !let_go.is_told && !let_go.is_on_its_way
        };
        let (told, hears) = channel();
        if !is_quiet && self.sender.lock().send(Errand::TellNow(told)).is_ok() {
            let _ = hears.recv_timeout(patience);
        }
    }

    /// Ends the thread when it has done what there is to do.
    pub fn end(&self) {
        let _ = self.sender.lock().send(Errand::End);
    }

    pub fn call(&self, call: Box<dyn FnOnce() + Send>) {
        // Where the thread is gone so is the client.
        let _ = self.sender.lock().send(Errand::Call(call));
    }

    /// Calls wait for others that go with them, and are to be sent if none come.
    pub fn look_after_calls(&self) {
        let _ = self.sender.lock().send(Errand::LookAfterCalls);
    }

    /// Nothing of a run is wanted any more.
    pub fn let_go(&self, run: RunId) {
        self.add(|let_go| {
            let_go.tasks.remove(&run);
            let_go.missed.remove(&run);
            let_go.runs.push(run);
        });
    }

    /// Some tasks of a run aren't wanted any more.
    pub fn let_go_of(&self, run: RunId, tasks: &[TaskRange]) {
        self.add(|let_go| {
            let ranges = let_go.tasks.entry(run).or_default();
            for range in tasks {
                match ranges.last_mut() {
                    Some(last) if last.layer == range.layer && last.end == range.start => last.end = range.end,
                    _ => ranges.push(*range),
                }
            }
        });
    }

    /// Tasks of a run are cancelled.
    pub fn cancel(&self, run: RunId, tasks: &[TaskRange], by_force: bool) {
        self.add(|let_go| let_go.cancelled.entry(by_force).or_default().entry(run).or_default().extend(tasks));
    }

    /// Results weren't where they were said to be.
    pub fn look_for(&self, run: RunId, tasks: impl IntoIterator<Item = TaskRange>) {
        self.add(|let_go| let_go.missed.entry(run).or_default().extend(tasks));
    }

    fn add(&self, add: impl FnOnce(&mut LetGo)) {
        let mut let_go = self.let_go.lock();
        add(&mut let_go);
        if !std::mem::replace(&mut let_go.is_told, true) {
            drop(let_go);
            let _ = self.sender.lock().send(Errand::Tell);
        }
    }
}

impl Waiting {
    /// Starts the thread, which ends with the client.
    pub fn start(self, scheduler: Arc<dyn Tell>) -> io::Result<()> {
        thread::Builder::new().name("raskt-client".into()).spawn(move || self.run(&*scheduler))?;
        Ok(())
    }

    fn run(&self, scheduler: &dyn Tell) {
        let _ = self.thread.set(thread::current().id());
        let (mut tells_at, mut looks_at): (Option<Instant>, Option<Instant>) = (None, None);
        loop {
            let errand = match tells_at.into_iter().chain(looks_at).min() {
                Some(at) => self.errands.recv_timeout(at.saturating_duration_since(Instant::now())),
                None => self.errands.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match errand {
                Ok(Errand::Tell) => tells_at = Some(Instant::now() + GATHERING),
                Ok(Errand::TellNow(_told)) if scheduler.is_away() => {}
                Ok(Errand::TellNow(told)) => {
                    tell(&self.let_go, scheduler);
                    let _ = told.send(());
                }
                Ok(Errand::LookAfterCalls) => looks_at = scheduler.send_old_calls(),
                Ok(Errand::Call(call)) => {
                    if let Err(story) = guard(call) {
                        tracing::error!("whoever was to be told that tasks have settled panicked: {story}");
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Errand::End) | Err(RecvTimeoutError::Disconnected) => return,
            }
            if looks_at.is_some_and(|at| at <= Instant::now()) {
                looks_at = scheduler.send_old_calls();
            }
            if tells_at.is_some_and(|at| at <= Instant::now()) {
                // While the scheduler is away others are called all the same.
                tells_at = scheduler.is_away().then(|| Instant::now() + AWAY);
                if tells_at.is_none() {
                    tell(&self.let_go, scheduler);
                }
            }
        }
    }
}

fn tell(let_go: &Mutex<LetGo>, scheduler: &dyn Tell) {
    let on_its_way = LetGo { is_on_its_way: true, ..LetGo::default() };
    let LetGo { runs, tasks, cancelled, missed, .. } = std::mem::replace(&mut *let_go.lock(), on_its_way);
    let (tasks, missed) = (by_run(tasks), by_run(missed));
    let sought = missed.chunks(TOLD_AT_A_TIME).map(|tasks| FromClient::Where { tasks: tasks.to_vec() });
    let of_tasks = tasks.chunks(TOLD_AT_A_TIME).map(|tasks| FromClient::Release { tasks: tasks.to_vec() });
    let of_runs = runs.chunks(TOLD_AT_A_TIME).map(|runs| FromClient::ReleaseRuns { runs: runs.to_vec() });
    // A run of which something has still to be told is there until then; and what is cancelled is as long as it is wanted.
    for (by_force, tasks) in cancelled {
        by_run(tasks).chunks(TOLD_AT_A_TIME).for_each(|tasks| scheduler.cancel(tasks.to_vec(), by_force));
    }
    for message in sought.chain(of_tasks).chain(of_runs) {
        // Where the session is over nothing is wanted any more.
        scheduler.tell(&message);
    }
    let_go.lock().is_on_its_way = false;
}

fn by_run(tasks: BTreeMap<RunId, Vec<TaskRange>>) -> Vec<(RunId, TaskRange)> {
    tasks.into_iter().flat_map(|(run, tasks)| tasks.into_iter().map(move |range| (run, range))).collect()
}
