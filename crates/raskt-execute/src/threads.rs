//! The pool: as many threads at work as there are slots, whatever some of them are stuck in.

use crate::engine::Shared;
use crate::execution::{Execution, runner_for};
use crate::lending::{AtWork, settle_at};
use crate::recover;
use crate::state::{State, ThreadNumber};
use raskt_sync::guard;
use std::sync::Arc;
use std::time::Duration;

/// Wakes idle threads for the work that is there, and starts as many as are wanted where too few are free to take it up.
pub(crate) fn wake(shared: &Arc<Shared>, state: &mut State) {
    if shared.options.threads == 0 || !state.has_work() {
        return;
    }
    let free = shared.options.threads.saturating_sub(state.pool.busy());
    if state.pool.idle > 0 && free > 0 {
        shared.work().notify_one();
    }
    // Those that idle are woken one by one, each by the one before it.
    let wanted = state.waiting_executions().min(free).saturating_sub(state.pool.available());
    for _ in 0..wanted {
        if let Err(error) = start(shared, state) {
            return state.thread_refused(&error);
        }
    }
}

fn start(shared: &Arc<Shared>, state: &mut State) -> Result<(), String> {
    if state.pool.live() >= state.pool.most {
        return Err(format!("an engine has {} threads at most", state.pool.most));
    }
    let (shared, number) = (shared.clone(), state.pool.add());
    let started = std::thread::Builder::new().name("raskt-task".into()).spawn(move || live(&shared, number));
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
    while let Some(execution) = wait_for_work(shared, number) {
        run_stretch(shared, execution, &mut |state, kind| {
            let is_surplus = state.pool.busy() > shared.options.threads;
            if is_surplus { None } else { state.pick_of(kind, Some(number)) }
        });
    }
}

/// The next execution; nothing if this thread is to end. It is then no longer counted.
fn wait_for_work(shared: &Arc<Shared>, number: ThreadNumber) -> Option<Execution> {
    let mut state = shared.lock();
    state.pool.set_looking(number);
    loop {
        if !state.is_shut_down
            && state.pool.busy() < shared.options.threads
            && let Some(execution) = state.pick(Some(number))
        {
            state.pool.set_working(number);
            if state.has_work() && state.pool.idle > 0 && state.pool.busy() < shared.options.threads {
                shared.work().notify_one();
            }
            return Some(execution);
        }
        let mut expired = false;
        let is_spare = state.pool.idle < shared.options.threads.max(1) + SPARE;
        if !state.is_shut_down && is_spare {
            state.pool.idle += 1;
            (state, expired) = shared.work().wait_for(state, Duration::from_secs(IDLE_SECONDS));
            state.pool.idle -= 1;
        }
        if state.is_shut_down || !is_spare || (expired && !state.has_work()) {
            state.pool.remove(number);
            return None;
        }
    }
}

/// Runs `execution`, and what `next` picks after it of the same kind.
pub(crate) fn run_stretch(shared: &Arc<Shared>, execution: Execution, next: &mut Next<'_>) {
    let at_work = AtWork::start(shared, execution.run);
    // What panics here isn't a task: those that wait for it would wait for ever.
    if let Err(story) = guard(|| stretch(shared, execution, &at_work, next)) {
        shared.break_down(&story);
    }
}

/// Picks what a thread runs next.
pub(crate) type Next<'a> = dyn FnMut(&mut State, raskt_graph::OpKind) -> Option<Execution> + 'a;

fn stretch(shared: &Arc<Shared>, execution: Execution, at_work: &AtWork, pick: &mut Next<'_>) {
    let kind = execution.kind();
    let mut next = Some(execution);
    // What has to be computed again is, before the runner takes the interpreter for the whole stretch.
    next.iter_mut().for_each(|execution| recover::inputs(shared, execution));
    let mut step = || {
        let Some(mut execution) = next.take() else { return false };
        at_work.go_on_with(execution.run);
        recover::inputs(shared, &mut execution);
        let mut executed = execution.execute(shared);
        let taken_in = shared.change(|state| {
            state.executed(&mut executed);
            if !state.is_shut_down {
                next = pick(state, kind);
            }
        });
        taken_in.is_ok() && next.is_some()
    };
    match runner_for(&shared.runners, kind) {
        Some(runner) => runner.stretch(&mut step),
        None => while step() {},
    }
}
