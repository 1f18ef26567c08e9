//! Turns: threads whose tasks pass the interpreter to and fro run one after the other.
//!
//! Tasks that call pandas on small frames hold the interpreter nearly all the time, and let it go for microseconds, many
//! times in each, within the libraries. If another thread waits for it, it gets it at every such moment, and has to be
//! woken for it: two threads then take longer than one alone. So each thread looks at what a turn of a few milliseconds
//! cost it. Where the threads together got no more than about one processor, since they waited for each other, they take
//! turns from then on; in between they try again whether they still would. Tasks that wait for something else (a
//! disk, a clock) or that work with the interpreter free are seen by the same numbers, and run at the same time.
//!
//! Nobody waits for longer than a turn: a task that takes longer isn't one of those, and might be waiting for what waits.

mod usage;

use raskt_execute::Pace;
use raskt_sync::{Condvar, Mutex};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use usage::Usage;

/// A thread that runs Python tasks gives way to others at least this often, even if its tasks are builtins that never
/// reach the interpreter's own switch.
const TURN: Duration = Duration::from_millis(5);

/// While one lives, its thread counts as one that runs Python tasks.
pub(crate) struct Runs {
    /// Whether the thread runs them within a task, which waits for them in its own turn.
    is_inner: bool,
}

/// The time in which a thread runs tasks without giving way.
pub(crate) struct Turn {
    /// Unlike that of any other; a turn within a turn has none.
    number: Option<u64>,
    begun: Instant,
    usage: Option<Usage>,
}

/// What the threads of a process share. A fork has none of its parent's threads, one of which may hold the lock for ever: it gets
/// a state of its own.
struct Shared {
    process: u32,
    state: Mutex<State>,
    floor_free: Condvar,
    /// That of a fork.
    next: OnceLock<Box<Self>>,
}

struct State {
    /// How many threads run Python tasks.
    running: usize,
    pace: Pace,
    /// The number of the turn that has the floor, and when it began.
    floor: Option<(u64, Instant)>,
    /// The numbers of those that wait for it, in the order in which they came.
    waiting: VecDeque<u64>,
    next_number: u64,
}

static FIRST: OnceLock<Shared> = OnceLock::new();

impl Shared {
    fn get() -> &'static Self {
        let process = std::process::id();
        let mut shared = FIRST.get_or_init(|| Self::new(process));
        while shared.process != process {
            shared = shared.next.get_or_init(|| Box::new(Self::new(process)));
        }
        shared
    }

    fn new(process: u32) -> Self {
        let (waiting, next_number) = (VecDeque::new(), 0);
        let state = State { running: 0, pace: Pace::START, floor: None, waiting, next_number };
        Self { process, state: Mutex::new(state), floor_free: Condvar::new(), next: OnceLock::new() }
    }
}

thread_local! {
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

impl Runs {
    pub fn new() -> Self {
        let is_inner = IS_RUNNING.replace(true);
        if !is_inner {
            Shared::get().state.lock().running += 1;
        }
        Self { is_inner }
    }

    /// Begins a turn, once others have had theirs if they go one after the other. The interpreter isn't held meanwhile.
    pub fn turn(&self) -> Turn {
        if self.is_inner {
            return Turn { number: None, begun: Instant::now(), usage: None };
        }
        let shared = Shared::get();
        let mut state = shared.state.lock();
        let number = state.next_number;
        state.next_number += 1;
        if state.pace.is_one_by_one() {
            state.waiting.push_back(number);
            while let Some(patience) = state.patience(number) {
                (state, _) = shared.floor_free.wait_for(state, patience);
            }
            state.waiting.retain(|&waiting| waiting != number);
            state.floor = Some((number, Instant::now()));
        }
        let usage = if state.running > 1 { Usage::now() } else { None };
        Turn { number: Some(number), begun: Instant::now(), usage }
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        if !self.is_inner {
            IS_RUNNING.set(false);
            let mut state = Shared::get().state.lock();
            state.running = state.running.saturating_sub(1);
        }
    }
}

impl Turn {
    pub fn is_over(&self) -> bool {
        self.begun.elapsed() > TURN
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let spent = self.usage.take().and_then(|usage| usage.spent());
        let shared = Shared::get();
        let mut state = shared.state.lock();
        if let Some(spent) = spent {
            let (running, others_wait) = (state.running, !state.waiting.is_empty());
            state.pace.learn(&spent, running, others_wait);
        }
        if state.floor.is_some_and(|(holder, _)| holder == number) {
            state.floor = None;
        }
        if !state.waiting.is_empty() {
            shared.floor_free.notify_all();
        }
    }
}

impl State {
    /// How long turn `number` has yet to wait; nothing if it may begin.
    fn patience(&self, number: u64) -> Option<Duration> {
        if !self.pace.is_one_by_one() {
            return None;
        }
        let begun = self.floor.map(|(_, begun)| begun.elapsed()).filter(|elapsed| *elapsed <= TURN);
        match begun {
            Some(elapsed) => Some(TURN - elapsed + Duration::from_micros(1)),
            // Whoever is before it was told as well.
            None if self.waiting.front() != Some(&number) => Some(TURN),
            None => None,
        }
    }
}
