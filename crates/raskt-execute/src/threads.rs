//! The pool: as many threads at work as there are slots, whatever some of them are stuck in.

use crate::engine::Shared;
use crate::execution::{Execution, runner_for};
use crate::recover;
use crate::state::State;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

thread_local! {
    /// The engines whose tasks this thread is running, the innermost last: a task may compute, on this engine or another.
    static WORKS_FOR: RefCell<Vec<Arc<Shared>>> = const { RefCell::new(vec![]) };
}

/// The engine whose task this thread is running.
pub(crate) fn works_for() -> Option<Arc<Shared>> {
    WORKS_FOR.with_borrow(|engines| engines.last().cloned())
}

/// While it lives, this thread runs tasks of an engine.
struct AtWork(());

impl AtWork {
    fn start(shared: &Arc<Shared>) -> Self {
        WORKS_FOR.with_borrow_mut(|engines| engines.push(shared.clone()));
        Self(())
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let ended = WORKS_FOR.with_borrow_mut(Vec::pop);
        drop(ended);
    }
}

/// Wakes idle threads for the work that is there, and starts as many as are wanted where too few are free to take it up.
pub(crate) fn wake(shared: &Arc<Shared>, state: &mut State) {
    if shared.options.threads == 0 || !state.has_work() {
        return;
    }
    if state.idle_threads > 0 {
        shared.work().notify_one();
    }
    // Those that idle are woken one by one, each by the one before it.
    let mut wanted = state.waiting_executions().saturating_sub(state.idle_threads);
    while wanted > 0 && state.free_threads() < shared.options.threads {
        let shared = shared.clone();
        let started = std::thread::Builder::new().name("raskt-task".into()).spawn(move || live(&shared));
        if started.is_err() {
            // No thread can be had now; those that there are do the work.
            return;
        }
        state.live_threads += 1;
        wanted -= 1;
    }
}

/// How long a thread without work waits before it ends itself.
const IDLE_SECONDS: u64 = 30;

fn live(shared: &Arc<Shared>) {
    while let Some(execution) = wait_for_work(shared) {
        run_stretch(shared, execution, &mut || true);
    }
}

/// The next execution; nothing if this thread is to end. It is then no longer counted.
fn wait_for_work(shared: &Arc<Shared>) -> Option<Execution> {
    let mut state = shared.lock();
    loop {
        let is_surplus = state.free_threads() > shared.options.threads;
        if !state.is_shut_down
            && !is_surplus
            && let Some(execution) = state.pick()
        {
            if state.has_work() && state.idle_threads > 0 {
                shared.work().notify_one();
            }
            return Some(execution);
        }
        let mut expired = false;
        if !state.is_shut_down && !is_surplus {
            state.idle_threads += 1;
            (state, expired) = shared.work().wait_for(state, Duration::from_secs(IDLE_SECONDS));
            state.idle_threads -= 1;
        }
        if state.is_shut_down || is_surplus || (expired && !state.has_work()) {
            state.live_threads -= 1;
            return None;
        }
    }
}

/// Runs `execution` and whatever of the same kind comes after it, while `goes_on` says so.
pub(crate) fn run_stretch(shared: &Arc<Shared>, execution: Execution, goes_on: &mut dyn FnMut() -> bool) {
    let _at_work = AtWork::start(shared);
    let kind = execution.kind();
    let mut next = Some(execution);
    // What has to be computed again is, before the runner takes the interpreter for the whole stretch.
    next.iter_mut().for_each(|execution| recover::inputs(shared, execution));
    let mut step = || {
        let Some(mut execution) = next.take() else { return false };
        recover::inputs(shared, &mut execution);
        let mut executed = execution.execute(shared);
        shared.change(|state| {
            state.executed(&mut executed);
            // Without threads of its own, an engine has none too many.
            let is_surplus = state.free_threads() > shared.options.threads;
            if goes_on() && !state.is_shut_down && !is_surplus {
                next = state.pick_of(kind);
            }
        });
        next.is_some()
    };
    match runner_for(&shared.runners, kind) {
        Some(runner) => runner.stretch(&mut step),
        None => while step() {},
    }
}
