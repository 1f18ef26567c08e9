use crate::error::{FrameError, Result};
use polars::prelude::{DataFrame, Engine, LazyFrame, OptFlags, PolarsResult};
use polars_error::abort::{QueryAborted, catch_polars_abort, register_polars_abort_mechanism};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// How many queries run: while any does, panics are kept for the error and not printed.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// What the last panic while a query ran said.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);
static ONCE: Once = Once::new();

/// Prepares the engine: it runs on `threads` threads, and an interrupt (Ctrl-C) stops its queries. Call it before the
/// first query; only the first call counts.
pub fn initialise(threads: usize) {
    ONCE.call_once(|| {
        if std::env::var_os("POLARS_MAX_THREADS").is_none() {
            // SAFETY: set before the engine reads it and before this process has other threads that read variables.
            unsafe { std::env::set_var("POLARS_MAX_THREADS", threads.max(1).to_string()) };
        }
        register_polars_abort_mechanism();
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |about| {
            if RUNNING.load(Ordering::Relaxed) == 0 {
                return print(about);
            }
            let said = words_of(about.payload());
            *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
        }));
    });
}

/// Runs a query.
pub(crate) fn collect(query: LazyFrame) -> Result<DataFrame> {
    guarded(|| Ok(query.collect_with_engine(Engine::Streaming)?.unwrap_single()))
}

/// Runs several queries as one, so that what they share is computed once.
pub(crate) fn collect_all(queries: Vec<LazyFrame>) -> Result<Vec<DataFrame>> {
    let plans = queries.into_iter().map(|query| query.logical_plan).collect();
    guarded(|| LazyFrame::collect_all_with_engine(plans, Engine::Streaming, OptFlags::default()))
}

/// Calls the engine; what it panics with and what interrupts it become errors.
fn guarded<T>(run: impl FnOnce() -> PolarsResult<T>) -> Result<T> {
    RUNNING.fetch_add(1, Ordering::Relaxed);
    let caught = catch_unwind(AssertUnwindSafe(|| catch_polars_abort(AssertUnwindSafe(run))));
    RUNNING.fetch_sub(1, Ordering::Relaxed);
    match caught {
        Ok(Ok(Ok(found))) => Ok(found),
        Ok(Ok(Err(error))) => Err(error.into()),
        Ok(Err(QueryAborted::KeyboardInterrupt)) => Err(FrameError::Cancelled),
        Ok(Err(QueryAborted::OocOutOfDisk)) => Err(FrameError::Io("no space is left to spill to on the disk".into())),
        Err(payload) => {
            let last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
            Err(FrameError::Engine(last.unwrap_or_else(|| words_of(&*payload))))
        }
    }
}

fn words_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".into())
}
