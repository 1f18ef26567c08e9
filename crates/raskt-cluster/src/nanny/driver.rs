//! The thread of a nanny: it starts processes, hears of their ends, and does what the supervisor decides.

use super::child::{Child, Stream};
use super::exit::Exit;
use super::supervisor::{Action, End, Report, Restart, Rules, Supervisor, Ward, WardId};
use raskt_store::taken_bytes;
use raskt_sync::{Condvar, Mutex, guard};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often memory and signs of life are looked at.
const GLANCE: Duration = Duration::from_millis(500);

/// Hears what processes write and how they fare. It is called by threads of the nanny.
pub trait Watcher: Send + Sync + 'static {
    /// A ward's process has written a line.
    fn line(&self, ward: &str, stream: Stream, line: &[u8]);
    /// A ward's process has this number.
    fn started(&self, ward: &str, process: u32);
    /// Something that people should know.
    fn report(&self, ward: &str, report: &Report);
}

/// One who is to be looked after.
#[derive(Clone, Debug)]
pub struct WardOptions {
    /// What people call him.
    pub name: String,
    /// The program, and its arguments.
    pub command: Vec<OsString>,
    /// Whether he is started again.
    pub restart: Restart,
    /// Bytes that his process may hold.
    pub memory_limit: Option<u64>,
    /// Whether his standard input stays open until he is to end; it is empty else.
    pub keeps_input: bool,
    /// Whether his process is told by `--signs` how it gives signs of life ([`Signs`](super::Signs)): one that stops to is ended.
    pub gives_signs: bool,
}

/// How a nanny works.
pub struct NannyOptions {
    /// Those that she begins with.
    pub wards: Vec<WardOptions>,
    /// What holds for all.
    pub rules: Rules,
    /// Who hears of it.
    pub watcher: Arc<dyn Watcher>,
}

/// Looks after processes until all have ended for good. When this goes, they are killed.
pub struct Nanny {
    inputs: Sender<Input>,
    outcome: Arc<Outcome>,
    thread: Option<JoinHandle<()>>,
}

enum Input {
    Add(WardOptions, Sender<WardId>),
    Ended(WardId),
    Retire(WardId),
    Stop,
    Kill,
}

/// How it ended with each, once all have ended.
#[derive(Default)]
struct Outcome {
    ends: Mutex<Option<Vec<End>>>,
    changed: Condvar,
}

impl Nanny {
    /// Starts the thread, which starts the processes.
    pub fn start(options: NannyOptions) -> io::Result<Self> {
        let (inputs, received) = channel();
        let outcome = Arc::new(Outcome::default());
        let (told, sender) = (outcome.clone(), inputs.clone());
        let run = move || {
            let mut driver = Driver::new(options, sender);
            let ends = guard(|| driver.run(&received)).unwrap_or_else(|story| driver.broken(&story));
            *told.ends.lock() = Some(ends);
            told.changed.notify_all();
        };
        let thread = std::thread::Builder::new().name("raskt-nanny".into()).spawn(run)?;
        Ok(Self { inputs, outcome, thread: Some(thread) })
    }

    /// One more is to be looked after; nothing if all have ended meanwhile.
    pub fn add(&self, ward: WardOptions) -> Option<WardId> {
        let (sender, added) = channel();
        self.inputs.send(Input::Add(ward, sender)).ok()?;
        added.recv().ok()
    }

    /// One is to end, and not to come back.
    pub fn retire(&self, ward: WardId) {
        let _ = self.inputs.send(Input::Retire(ward));
    }

    /// All are to end, within the grace that the rules give.
    pub fn stop(&self) {
        let _ = self.inputs.send(Input::Stop);
    }

    /// All are to end now.
    pub fn kill(&self) {
        let _ = self.inputs.send(Input::Kill);
    }

    /// Waits until all have ended for good, or for so long; gives how, in the order in which they were added.
    pub fn wait(&self, patience: Duration) -> Option<Vec<End>> {
        let deadline = Instant::now() + patience;
        let mut ends = self.outcome.ends.lock();
        while ends.is_none() {
            let (guard, is_over) = self.outcome.changed.wait_until(ends, deadline);
            ends = guard;
            if is_over {
                break;
            }
        }
        ends.clone()
    }
}

impl Drop for Nanny {
    fn drop(&mut self) {
        self.kill();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Calls a watcher, whose panic ends nobody else.
fn heard(call: impl FnOnce()) {
    if let Err(story) = guard(call) {
        tracing::error!("whoever hears of processes that are looked after panicked: {story}");
    }
}

struct Driver {
    supervisor: Supervisor,
    wards: Vec<WardOptions>,
    children: BTreeMap<WardId, Child>,
    watcher: Arc<dyn Watcher>,
    inputs: Sender<Input>,
    beginning: Instant,
    looked_at: Duration,
}

impl Driver {
    fn new(options: NannyOptions, inputs: Sender<Input>) -> Self {
        let NannyOptions { wards, rules, watcher } = options;
        let mut driver = Self {
            supervisor: Supervisor::new(rules),
            wards: vec![],
            children: BTreeMap::new(),
            watcher,
            inputs,
            beginning: Instant::now(),
            looked_at: Duration::ZERO,
        };
        wards.into_iter().for_each(|ward| _ = driver.add(ward));
        driver
    }

    fn run(&mut self, received: &Receiver<Input>) -> Vec<End> {
        loop {
            self.act();
            if let Some(ends) = self.supervisor.ends() {
                return ends;
            }
            match received.recv_timeout(self.until_next()) {
                Ok(input) => self.take(input),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.look_at_processes();
            self.supervisor.handle_time(self.now());
        }
    }

    /// Something panicked: nobody looks after the processes any more, which end, and nobody waits for them.
    fn broken(&mut self, story: &str) -> Vec<End> {
        for child in std::mem::take(&mut self.children).into_values() {
            child.kill();
            let _: Exit = child.reap();
        }
        let why = format!("whoever looked after it broke down, which is a bug in raskt: {story}");
        vec![End::NotRunning(Some(why)); self.wards.len()]
    }

    fn now(&self) -> Duration {
        self.beginning.elapsed()
    }

    fn add(&mut self, ward: WardOptions) -> WardId {
        let id = self.supervisor.add(Ward { restart: ward.restart, memory_limit: ward.memory_limit });
        self.wards.push(ward);
        id
    }

    fn take(&mut self, input: Input) {
        let now = self.now();
        match input {
            Input::Add(ward, told) => _ = told.send(self.add(ward)),
            Input::Ended(id) => {
                if let Some(child) = self.children.remove(&id) {
                    let exit = child.reap();
                    self.supervisor.handle_ended(now, id, exit);
                }
            }
            Input::Retire(id) => self.supervisor.handle_retired(now, id),
            Input::Stop => self.supervisor.handle_stop(now),
            Input::Kill => self.supervisor.handle_kill(now),
        }
    }

    fn act(&mut self) {
        while let Some(action) = self.supervisor.poll_action() {
            match action {
                Action::Start(id) => match self.begin(id) {
                    Ok(()) => self.supervisor.handle_started(self.now(), id),
                    Err(error) => self.supervisor.handle_not_started(self.now(), id, error.to_string()),
                },
                Action::Terminate(id) => _ = self.children.get_mut(&id).map(Child::terminate),
                Action::Kill(id) => _ = self.children.get(&id).map(Child::kill),
                Action::Tell(id, report) => {
                    heard(|| self.watcher.report(&self.wards[id.0 as usize].name, &report));
                }
            }
        }
    }

    fn begin(&mut self, id: WardId) -> io::Result<()> {
        let WardOptions { name, command, keeps_input, gives_signs, .. } = &self.wards[id.0 as usize];
        let mut child = Child::start(command, *keeps_input, *gives_signs)?;
        heard(|| self.watcher.started(name, child.number().unsigned_abs()));
        let (watcher, name, inputs) = (self.watcher.clone(), Arc::<str>::from(&**name), self.inputs.clone());
        let line = move |stream, line: &[u8]| heard(|| watcher.line(&name, stream, line));
        let watched = child.watch(line, move || drop(inputs.send(Input::Ended(id))));
        if let Err(error) = watched {
            let _: Exit = child.reap();
            return Err(error);
        }
        self.children.insert(id, child);
        Ok(())
    }

    /// How long nothing is to be done unless somebody says something.
    fn until_next(&self) -> Duration {
        let now = self.now();
        let glance = self.is_looked_at().then(|| self.looked_at + GLANCE);
        let next = [self.supervisor.wakes_at(), glance].into_iter().flatten().min();
        next.map_or(Duration::from_secs(3600), |at| at.saturating_sub(now))
    }

    fn is_looked_at(&self) -> bool {
        let looks = |ward: &WardOptions| ward.memory_limit.is_some() || ward.gives_signs;
        self.children.keys().any(|id| looks(&self.wards[id.0 as usize]))
    }

    fn look_at_processes(&mut self) {
        let now = self.now();
        if now < self.looked_at + GLANCE || !self.is_looked_at() {
            return;
        }
        self.looked_at = now;
        for (&id, child) in &mut self.children {
            // Far from its limit it is told roughly.
            let limit = self.wards[id.0 as usize].memory_limit;
            let roughly = limit.map_or(u64::MAX, |limit| limit / 2);
            let number = u32::try_from(child.number()).ok();
            if let Some(taken) = number.and_then(|number| taken_bytes(number, roughly)) {
                self.supervisor.handle_memory(now, id, taken);
            }
            if let Some(heard) = child.listen() {
                self.supervisor.handle_signs(now, id, heard);
            }
        }
    }
}
