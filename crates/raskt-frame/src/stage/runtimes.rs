//! Threads of runtimes that aren't the engine's.

use tokio::runtime::Handle;

/// What `work` gives, done by a thread that is in no runtime. The engine waits for its own by means of the one that a thread is in, and
/// breaks down where that has one thread alone: such read the graphs that come to a worker.
pub(super) fn outside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if Handle::try_current().is_err() {
        return work();
    }
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use crate::stage::common_engine_type;
    use polars::prelude::DataType;

    #[test]
    fn types_are_found_in_runtimes_of_one_thread() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(async { common_engine_type(&DataType::Int64, &DataType::Float64) });
        assert_eq!(found.unwrap(), DataType::Float64);
    }
}
