use super::heirs;
use crate::error::{FrameError, Result};
use crate::message::in_plain_words;
use polars::prelude::{DataFrame, Engine, LazyFrame, OptFlags, PolarsResult};
use polars_error::abort::{QueryAborted, catch_polars_abort, register_polars_abort_mechanism};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

static ONCE: Once = Once::new();

/// Prepares the engine: it runs on `threads` threads, and an interrupt (Ctrl-C) stops its queries. Call it before the
/// first query; only the first call counts.
pub fn initialise(threads: usize) {
    ONCE.call_once(|| {
        if std::env::var_os("POLARS_MAX_THREADS").is_none() {
            // The engine reads the number of its threads from nowhere else, once, when its first query starts.
            // SAFETY: this runs when the first frame is made, in the thread that makes it, before there is an engine. Rust
            // code of other threads that reads variables takes the standard library's lock, as this does; C code that
            // reads them in another thread at this moment might not.
            unsafe { std::env::set_var("POLARS_MAX_THREADS", threads.max(1).to_string()) };
        }
        register_polars_abort_mechanism();
        heirs::install();
    });
}

/// Runs a query.
pub(crate) fn collect(query: LazyFrame) -> Result<DataFrame> {
    guarded(|| Ok(in_our_order(query).collect_with_engine(Engine::Streaming)?.unwrap_single()))
}

/// Runs several queries as one, so that what they share is computed once.
pub(crate) fn collect_all(queries: Vec<LazyFrame>) -> Result<Vec<DataFrame>> {
    let plans = queries.into_iter().map(|query| query.logical_plan).collect();
    guarded(|| LazyFrame::collect_all_with_engine(plans, Engine::Streaming, our_optimisations()))
}

/// The query, whose rows stay in the order that the plan says: where nobody sees it, `Need` knows. The engine's own pass over
/// orders takes a choice between two constants for one that no order of rows can be seen in, and leaves out the sort
/// below.
pub(crate) fn in_our_order(query: LazyFrame) -> LazyFrame {
    query.with_check_order(false)
}

fn our_optimisations() -> OptFlags {
    OptFlags::default() - OptFlags::CHECK_ORDER_OBSERVE
}

/// Calls the engine; what it panics with and what interrupts it become errors. What runs tasks keeps the panics of their
/// threads, and of the engine's, off the screen.
fn guarded<T>(run: impl FnOnce() -> PolarsResult<T>) -> Result<T> {
    heirs::install();
    match catch_unwind(AssertUnwindSafe(|| catch_polars_abort(AssertUnwindSafe(run)))) {
        Ok(Ok(Ok(found))) => Ok(found),
        Ok(Ok(Err(error))) => Err(error.into()),
        Ok(Err(QueryAborted::KeyboardInterrupt)) => Err(FrameError::Cancelled),
        Ok(Err(QueryAborted::OocOutOfDisk)) => Err(FrameError::Io("no space is left to spill to on the disk".into())),
        Err(payload) => Err(FrameError::Engine(in_plain_words(&words_of(&*payload)))),
    }
}

fn words_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".into())
}
