//! The pool: as many threads at work as there are slots, whatever some of them are stuck in.

use crate::execution::{Execution, runner_for};
use crate::lending::{AtWork, GLANCES, settle_at};
use crate::room::pool_stack;
use crate::shared::Shared;
use crate::state::{State, ThreadNumber};
use raskt_graph::OpKind;
use raskt_schedule::Ticket;
use raskt_sync::{MutexGuard, guard};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Starts as many threads as are wanted where too few are free to take up the work that is there; whether an idle one is to be
/// woken for it, once it can have the lock.
pub(crate) fn wake(shared: &Arc<Shared>, state: &mut State) -> bool {
    state.heed_strays();
    if shared.options.threads == 0 {
        return false;
    }
    let is_timed = is_wanted_for_time(shared, state) | is_wanted_for_store(shared, state);
    if !state.has_work() || state.is_left_to_waiter {
        return is_timed;
    }
    let free = shared.options.threads.saturating_sub(state.pool.busy());
    let is_idle = state.pool.idle > 0 && free > 0;
    // Those that idle are woken one by one, each by the one before it.
    let wanted = state.waiting_executions().min(free).saturating_sub(state.pool.available());
    for _ in 0..wanted {
        if let Err(error) = start(shared, state) {
            state.thread_refused(&error);
            break;
        }
    }
    is_idle || is_timed
}

/// Sees to it that some idle thread waits no longer than until the scheduler wants to be told that time has passed: whether one is
/// to be woken for it. Where all threads are at work, nothing could begin then.
fn is_wanted_for_time(shared: &Arc<Shared>, state: &mut State) -> bool {
    let Some(at) = state.wakes_at() else { return false };
    if state.timer.is_some_and(|timer| timer <= at) || state.pool.busy() >= shared.options.threads {
        return false;
    }
    if state.pool.available() > 0 {
        return true;
    }
    let was_refused = state.pool.refused.is_some();
    if let Err(error) = start(shared, state) {
        state.pool.refused = Some(error);
        if !was_refused {
            // Those who wait look after the time from here on.
            state.nudge_all();
        }
    }
    false
}

/// Where the system gives the store no thread, those who wait for work or for runs do what it has to do: whether one that idles is
/// to be woken for it.
fn is_wanted_for_store(shared: &Shared, state: &mut State) -> bool {
    let is_stranded = shared.store.is_stranded();
    if is_stranded && !state.store_was_stranded {
        // From here on they look again and again.
        state.nudge_all();
    }
    state.store_was_stranded = is_stranded;
    is_stranded && state.pool.idle > 0
}

fn start(shared: &Arc<Shared>, state: &mut State) -> Result<(), String> {
    if state.pool.live() >= state.pool.most {
        return Err(format!("an engine has {} threads at most", state.pool.most));
    }
    let (shared, number) = (shared.clone(), state.pool.add());
    let thread = std::thread::Builder::new().name("raskt-task".into()).stack_size(pool_stack());
    let started = thread.spawn(move || live(&shared, number));
    state.pool.refused = None;
    started.map(drop).map_err(|error| {
        state.pool.remove(number);
        error.to_string()
    })
}

/// How long a thread without work waits before it ends itself.
const IDLE_SECONDS: u64 = 30;

/// Threads that may idle beyond those that there is work for: where tasks wait for tasks, they come and go.
const SPARE: usize = 4;

fn live(shared: &Arc<Shared>, number: ThreadNumber) {
    settle_at(shared, number);
    live_on(shared, number, None, false);
}

/// The rest of a thread's life, which begins with `first`.
fn live_on(shared: &Arc<Shared>, number: ThreadNumber, mut first: Option<Execution>, is_settled: bool) {
    while let Some(execution) = first.take().or_else(|| wait_for_work(shared, number)) {
        if is_settled || execution.kind() != OpKind::Python {
            run(shared, number, execution);
            continue;
        }
        let mut first = Some(execution);
        let settled = guard(|| settle(shared, &mut || live_on(shared, number, first.take(), true)));
        if let Err(story) = settled {
            shared.break_down(&story);
        }
        match first {
            None => return,
            // It didn't come to that; what it was to begin with is waited for.
            Some(execution) => run(shared, number, execution),
        }
    }
}

fn settle(shared: &Arc<Shared>, live: &mut (dyn FnMut() + Send)) {
    match runner_for(&shared.recovery.runners, OpKind::Python) {
        Some(runner) => runner.settle(live),
        None => live(),
    }
}

fn run(shared: &Arc<Shared>, number: ThreadNumber, execution: Execution) {
    // Before it begins, so that a scheduler elsewhere knows of it should it take the process along.
    shared.tell_rest();
    run_stretch(shared, execution, &mut |state, kind| {
        let is_surplus = state.pool.busy() > shared.options.threads;
        if is_surplus { None } else { state.pick_of(kind, Some(number)) }
    });
}

/// The next execution; nothing if this thread is to end. It is then no longer counted.
pub(crate) fn wait_for_work(shared: &Arc<Shared>, number: ThreadNumber) -> Option<Execution> {
    if shared.is_left_behind() {
        // A task has forked, and this is the child that came back from it.
        return None;
    }
    let mut state = shared.lock();
    state.pool.set_looking(number);
    let mut has_helped = false;
    loop {
        if !state.is_shut_down
            && state.pool.busy() < shared.options.threads
            && let Some(execution) = state.pick(Some(number))
        {
            state.pool.set_working(number);
            // One was woken, for whatever there was then: if there is more, the next one has to be.
            pass_on(shared, &mut state);
            return Some(execution);
        }
        let mut expired = false;
        let is_spare = state.pool.idle < shared.options.threads.max(1) + SPARE;
        if !state.is_shut_down && is_spare {
            if !has_helped && shared.store.is_stranded() {
                (state, has_helped) = help_store(shared, state);
                continue;
            }
            has_helped = false;
            let timer = state.wakes_at();
            let now = Instant::now();
            if timer.is_some_and(|at| at <= now) {
                state = tell_time(shared, state);
                continue;
            }
            state.timer = timer;
            let is_stranded = shared.store.is_stranded();
            let most = if is_stranded { GLANCES } else { Duration::from_secs(IDLE_SECONDS) };
            let patience = timer.map_or(most, |at| at.duration_since(now).min(most));
            state.pool.idle += 1;
            (state, expired) = shared.work().wait_for(state, patience);
            state.pool.idle -= 1;
            // Who else waits for it is woken once more, and sees to it.
            state.timer = None;
            // If the scheduler waits for a time, somebody has to stay for it.
            expired &= !is_stranded && state.wakes_at().is_none();
        }
        if state.is_shut_down || !is_spare || (expired && !state.has_work()) {
            state.pool.remove(number);
            // It may have been woken for work, and be going all the same: that wake-up mustn't be lost.
            if !state.is_shut_down {
                pass_on(shared, &mut state);
            }
            return None;
        }
    }
}

/// Does one thing that the store has to do and no thread of its own for; whether there is nothing more.
fn help_store<'a>(shared: &'a Arc<Shared>, mut state: MutexGuard<'a, State>) -> (MutexGuard<'a, State>, bool) {
    // It looks for work again at once, and counts as one that will.
    state.pool.idle += 1;
    drop(state);
    let has_helped = !shared.store.help();
    let mut state = shared.lock();
    state.pool.idle -= 1;
    (state, has_helped)
}

/// Those that idle are woken one at a time, for work or for time to be told: one that takes up something else, or ends, leaves
/// what remains to the next.
fn pass_on(shared: &Arc<Shared>, state: &mut State) {
    let has_work = state.has_work() && state.pool.idle > 0 && state.pool.busy() < shared.options.threads;
    if is_wanted_for_time(shared, state) || has_work {
        shared.work().notify_one();
    }
}

/// Tells the scheduler that time has passed.
fn tell_time<'a>(shared: &'a Arc<Shared>, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    drop(state);
    let _ = shared.change(|state| {
        state.timer = None;
        state.time_passed();
    });
    shared.lock()
}

/// Runs `execution`, and what `next` picks after it of the same kind.
pub(crate) fn run_stretch(shared: &Arc<Shared>, execution: Execution, next: &mut Next<'_>) {
    let at_work = AtWork::start(shared, execution.run);
    let current = Cell::new(execution.ticket);
    // What panics here isn't a task: those that wait for it would wait for ever.
    if let Err(story) = guard(|| stretch(shared, execution, (&at_work, &current), next)) {
        shared.break_down(&story);
        // The thread is at it no longer, and says so: nobody else would give back what was promised for it.
        let _ = shared.change(|state| state.found_track(current.get(), 0));
    }
}

/// Picks what a thread runs next.
pub(crate) type Next<'a> = dyn FnMut(&mut State, OpKind) -> Option<Execution> + 'a;

fn stretch(
    shared: &Arc<Shared>,
    execution: Execution,
    (at_work, current): (&AtWork, &Cell<Ticket>),
    pick: &mut Next<'_>,
) {
    let (kind, has_company) = (execution.kind(), execution.has_company);
    let mut next = Some(execution);
    // What has to be computed again is, before the runner takes the interpreter for the whole stretch.
    next.iter_mut().for_each(|execution| execution.make_whole(&shared.recovery));
    let mut step = || {
        let Some(mut execution) = next.take() else { return false };
        at_work.go_on_with(execution.run, execution.ticket);
        current.set(execution.ticket);
        execution.make_whole(&shared.recovery);
        let mut executed = execution.execute(&shared.recovery, shared.options.threads.max(1));
        let taken_in = shared.change(|state| {
            state.executed(&mut executed);
            if !state.is_shut_down {
                next = pick(state, kind);
            }
        });
        taken_in.is_ok() && next.is_some()
    };
    match runner_for(&shared.recovery.runners, kind) {
        Some(runner) => runner.stretch(has_company, &mut step),
        None => while step() {},
    }
}
