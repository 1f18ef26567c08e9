//! Futures: calls that run as soon as they can, and handles on their results.
//!
//! A [`Task`] is one call. It counts the inputs that it waits for; the last of them to finish puts it into the line of
//! its [`Pool`]. The pool asks its engine for threads, as many as it is wide and no more than have something to do, and
//! each takes the first in line until the line is empty. So a future costs an entry in a heap and no graph or run of its
//! own, priorities hold among all that waits, and a call that nobody wants any more is passed over when its turn comes.
//!
//! Why not one living graph that grows with each call: a graph is shared, symbolic and never changes, and the
//! scheduler's sets and pages are sized by it. Why not a run for each call: a run that is alive is looked at whenever
//! work is handed out, and futures live as long as users hold them.

mod arrivals;
mod call;
mod class;
mod functions;
mod given;
mod held;
mod pool;
mod settings;
mod state;
mod task;
mod wait;

pub(crate) use class::{Future, future_node, timeout_error};
pub(crate) use given::look as take_back_given;
use pool::Pool;
use task::Task;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Future>()?;
    module.add_class::<functions::FuturePool>()?;
    module.add_class::<arrivals::Arrivals>()?;
    module.add_function(wrap_pyfunction!(functions::submit, module)?)?;
    module.add_function(wrap_pyfunction!(functions::finished_future, module)?)?;
    module.add_function(wrap_pyfunction!(functions::futures_in, module)?)?;
    module.add_function(wrap_pyfunction!(functions::gather_futures, module)?)?;
    module.add_function(wrap_pyfunction!(functions::wait_futures, module)?)?;
    module.add_function(wrap_pyfunction!(functions::close_futures, module)?)
}
