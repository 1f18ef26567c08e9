//! What a nanny decides: who is started, when, and who isn't any more.

use super::backoff::{Waits, chance};
use super::exit::{Exit, Verdict};
use super::memory::Excess;
use super::signs::{Heard, Silence};
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// One of those that are looked after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WardId(pub u32);

/// Whether somebody who dies is started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// For as long as his exit statuses don't say that he should not.
    WhileItShouldLive,
    /// Never.
    Never,
}

/// How one is looked after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ward {
    /// Whether he is started again.
    pub restart: Restart,
    /// Bytes that he may hold.
    pub memory_limit: Option<u64>,
}

/// What holds for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How long it takes until one who died is started again.
    pub waits: Waits,
    /// How long one who is to end may take before he is killed.
    pub grace: Duration,
    /// For how long somebody may hold too much memory.
    pub memory_patience: Duration,
    /// For how long somebody may give no sign of life, once he has given one: the scheduler has given him up long before.
    pub silence_patience: Duration,
    /// What waits differ by.
    pub seed: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            waits: Waits::default(),
            grace: Duration::from_secs(10),
            memory_patience: Duration::from_secs(5),
            silence_patience: Duration::from_secs(60),
            seed: 0,
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Start a process, and say whether it has been.
    Start(WardId),
    /// Ask it to end.
    Terminate(WardId),
    /// End it, and all that it has started.
    Kill(WardId),
    /// People should know.
    Tell(WardId, Report),
}

/// Why somebody is started again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// He ended.
    Ended(Exit),
    /// He held too much.
    Memory {
        /// What he held, in bytes.
        taken: u64,
        /// What he may hold.
        limit: u64,
    },
    /// He gave no sign of life.
    Silent {
        /// For longer than this.
        patience: Duration,
    },
    /// He couldn't be started.
    NotStarted(String),
}

/// What people should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// He will be started again.
    Restart {
        /// Why.
        cause: Cause,
        /// In how long.
        wait: Duration,
        /// The how-manyeth time it is.
        times: u64,
    },
    /// He holds too much, and is asked to end.
    TooMuchMemory {
        /// What he holds, in bytes.
        taken: u64,
        /// What he may hold.
        limit: u64,
    },
    /// He lives and gives no sign of it, and is asked to end.
    Silent {
        /// He has given none for longer than this.
        patience: Duration,
    },
    /// He didn't end when he was asked to, and is killed.
    Killed {
        /// How long he had.
        grace: Duration,
    },
    /// He isn't started again.
    Over(End),
}

/// How it ended with one for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// His last process ended so.
    Exit(Exit),
    /// He wasn't running when all were to end, or he never was: why not.
    NotRunning(Option<String>),
}

/// Looks after processes. Tell it what happens by `handle_…`, then do what [`poll_action`](Self::poll_action) says until it says
/// nothing, and tell it of the time at [`wakes_at`](Self::wakes_at). Times count from any beginning.
#[derive(Debug)]
pub struct Supervisor {
    rules: Rules,
    wards: Vec<Entry>,
    actions: VecDeque<Action>,
    is_stopping: bool,
}

#[derive(Debug)]
struct Entry {
    ward: Ward,
    state: State,
    /// How often he was started again.
    restarts: u64,
    /// Deaths in a row.
    deaths: u32,
    excess: Excess,
    silence: Silence,
    /// He isn't to come back any more.
    is_retired: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// He is being started.
    Starting,
    /// Since then.
    Running { since: Duration },
    /// He was asked to end, and is killed then; for this reason, if he is to come back.
    Ending { since: Duration, kill_at: Option<Duration>, returns: Option<Cause> },
    /// He is started then.
    Waiting { until: Duration },
    /// For good.
    Ended(End),
}

impl Supervisor {
    /// One that looks after nobody yet.
    pub fn new(rules: Rules) -> Self {
        Self { rules, wards: vec![], actions: VecDeque::new(), is_stopping: false }
    }

    /// Somebody more is to be looked after.
    pub fn add(&mut self, ward: Ward) -> WardId {
        let id = WardId(self.wards.len() as u32);
        let state = if self.is_stopping { State::Ended(End::NotRunning(None)) } else { State::Starting };
        if state == State::Starting {
            self.actions.push_back(Action::Start(id));
        }
        let is_retired = self.is_stopping;
        let (excess, silence) = Default::default();
        self.wards.push(Entry { ward, state, restarts: 0, deaths: 0, excess, silence, is_retired });
        id
    }

    /// His process runs.
    pub fn handle_started(&mut self, now: Duration, id: WardId) {
        let entry = self.entry(id);
        entry.state = State::Running { since: now };
        if entry.is_retired {
            self.ask_to_end(now, id, None);
        }
    }

    /// There was no starting him.
    pub fn handle_not_started(&mut self, now: Duration, id: WardId, why: String) {
        if self.comes_back(id) {
            self.restart(now, id, now, Cause::NotStarted(why));
        } else {
            self.end(id, End::NotRunning(Some(why)));
        }
    }

    /// His process has ended.
    pub fn handle_ended(&mut self, now: Duration, id: WardId, exit: Exit) {
        let (since, returns) = match &self.entry(id).state {
            State::Running { since } => (*since, None),
            State::Ending { since, returns, .. } => (*since, returns.clone()),
            State::Starting | State::Waiting { .. } | State::Ended(_) => return,
        };
        match (returns, exit.verdict()) {
            _ if !self.comes_back(id) => self.end(id, End::Exit(exit)),
            (Some(cause), _) => self.restart(now, id, since, cause),
            (None, Verdict::Left | Verdict::Hopeless) => self.end(id, End::Exit(exit)),
            (None, Verdict::Renew) => self.renew(id),
            (None, Verdict::Died) => self.restart(now, id, since, Cause::Ended(exit)),
        }
    }

    /// His process takes so many bytes.
    pub fn handle_memory(&mut self, now: Duration, id: WardId, taken: u64) {
        let patience = self.rules.memory_patience;
        let entry = self.entry(id);
        let (Some(limit), State::Running { .. }) = (entry.ward.memory_limit, &entry.state) else { return };
        if entry.excess.handle(now, taken, limit, patience) {
            self.actions.push_back(Action::Tell(id, Report::TooMuchMemory { taken, limit }));
            self.ask_to_end(now, id, Some(Cause::Memory { taken, limit }));
        }
    }

    /// What was heard of his process, which is to give signs of life.
    pub fn handle_signs(&mut self, now: Duration, id: WardId, heard: Heard) {
        let patience = self.rules.silence_patience;
        let entry = self.entry(id);
        if matches!(entry.state, State::Running { .. })
            && let Some(patience) = entry.silence.handle(now, heard, patience)
        {
            self.actions.push_back(Action::Tell(id, Report::Silent { patience }));
            self.ask_to_end(now, id, Some(Cause::Silent { patience }));
        }
    }

    /// One is to end, and not to come back.
    pub fn handle_retired(&mut self, now: Duration, id: WardId) {
        let entry = self.entry(id);
        entry.is_retired = true;
        match &entry.state {
            State::Running { .. } | State::Ending { .. } => self.ask_to_end(now, id, None),
            State::Waiting { .. } => self.end(id, End::NotRunning(None)),
            // Whoever is being started is asked once he runs.
            State::Starting | State::Ended(_) => {}
        }
    }

    /// All are to end, within what the rules give them.
    pub fn handle_stop(&mut self, now: Duration) {
        self.is_stopping = true;
        for id in self.ids() {
            self.handle_retired(now, id);
        }
    }

    /// All are to end now.
    pub fn handle_kill(&mut self, now: Duration) {
        self.handle_stop(now);
        for id in self.ids() {
            if let State::Ending { kill_at, .. } = &mut self.entry(id).state
                && kill_at.take().is_some()
            {
                self.actions.push_back(Action::Kill(id));
            }
        }
    }

    /// It is `now`.
    pub fn handle_time(&mut self, now: Duration) {
        let grace = self.rules.grace;
        for id in self.ids() {
            let entry = self.entry(id);
            match &mut entry.state {
                State::Waiting { until } if *until <= now => {
                    entry.state = State::Starting;
                    entry.restarts += 1;
                    self.actions.push_back(Action::Start(id));
                }
                State::Ending { kill_at, .. } if kill_at.is_some_and(|at| at <= now) => {
                    *kill_at = None;
                    self.actions.push_back(Action::Kill(id));
                    self.actions.push_back(Action::Tell(id, Report::Killed { grace }));
                }
                _ => {}
            }
        }
    }

    /// When it wants to know of the time.
    pub fn wakes_at(&self) -> Option<Duration> {
        let each = self.wards.iter().filter_map(|entry| match entry.state {
            State::Waiting { until } => Some(until),
            State::Ending { kill_at, .. } => kill_at,
            State::Starting | State::Running { .. } | State::Ended(_) => None,
        });
        each.min()
    }

    /// What is to be done next.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// How it ended with each; nothing as long as one lives, or is to.
    pub fn ends(&self) -> Option<Vec<End>> {
        let end = |entry: &Entry| match &entry.state {
            State::Ended(end) => Some(end.clone()),
            _ => None,
        };
        self.wards.iter().map(end).collect()
    }

    fn comes_back(&mut self, id: WardId) -> bool {
        let entry = self.entry(id);
        entry.ward.restart == Restart::WhileItShouldLive && !entry.is_retired
    }

    fn restart(&mut self, now: Duration, id: WardId, since: Duration, cause: Cause) {
        let Rules { waits, seed, .. } = self.rules;
        let entry = self.entry(id);
        let lived = now.saturating_sub(since);
        if lived >= waits.lived {
            entry.deaths = 0;
        }
        // Waits are for those who die as soon as they are started: what one has lived is a part of it.
        let wait = waits.after(entry.deaths, chance(seed ^ u64::from(id.0), entry.restarts)).saturating_sub(lived);
        entry.deaths = entry.deaths.saturating_add(1);
        (entry.excess, entry.silence) = Default::default();
        entry.state = State::Waiting { until: now + wait };
        let times = entry.restarts + 1;
        self.actions.push_back(Action::Tell(id, Report::Restart { cause, wait, times }));
    }

    fn renew(&mut self, id: WardId) {
        let entry = self.entry(id);
        (entry.excess, entry.silence) = Default::default();
        (entry.deaths, entry.state) = (0, State::Starting);
        entry.restarts += 1;
        self.actions.push_back(Action::Start(id));
    }

    /// Whoever was asked already isn't again, but he doesn't come back any more if he isn't to.
    fn ask_to_end(&mut self, now: Duration, id: WardId, cause: Option<Cause>) {
        let grace = self.rules.grace;
        match &mut self.entry(id).state {
            State::Ending { returns, .. } => *returns = cause,
            State::Running { since } => {
                let since = *since;
                self.entry(id).state = State::Ending { since, kill_at: Some(now + grace), returns: cause };
                self.actions.push_back(Action::Terminate(id));
            }
            State::Starting | State::Waiting { .. } | State::Ended(_) => {}
        }
    }

    fn end(&mut self, id: WardId, end: End) {
        self.actions.push_back(Action::Tell(id, Report::Over(end.clone())));
        self.entry(id).state = State::Ended(end);
    }

    fn ids(&self) -> impl Iterator<Item = WardId> + use<> {
        (0..self.wards.len() as u32).map(WardId)
    }

    fn entry(&mut self, id: WardId) -> &mut Entry {
        &mut self.wards[id.0 as usize]
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(exit) => write!(formatter, "it {exit}"),
            Self::Memory { taken, limit } => write!(formatter, "it held {taken} bytes, and may hold {limit}"),
            Self::Silent { patience } => {
                write!(formatter, "it gave no sign of life for {:.1} s", patience.as_secs_f64())
            }
            Self::NotStarted(why) => write!(formatter, "it couldn't be started: {why}"),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restart { cause, wait, times } => {
                write!(formatter, "{cause}; it is started again in {:.1} s (restart {times})", wait.as_secs_f64())
            }
            Self::TooMuchMemory { taken, limit } => {
                write!(formatter, "it holds {taken} bytes for too long, and may hold {limit}: it is asked to end")
            }
            Self::Silent { patience } => write!(
                formatter,
                "it lives and has stopped to be a worker: it gave no sign of that for {:.1} s, and is asked to end",
                patience.as_secs_f64()
            ),
            Self::Killed { grace } => {
                write!(formatter, "it didn't end within {:.1} s, and is killed", grace.as_secs_f64())
            }
            Self::Over(End::Exit(exit)) => write!(formatter, "it {exit}, and isn't started again"),
            Self::Over(End::NotRunning(Some(why))) => write!(formatter, "it couldn't be started: {why}"),
            Self::Over(End::NotRunning(None)) => write!(formatter, "it wasn't running, and isn't started again"),
        }
    }
}
