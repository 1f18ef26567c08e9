//! How an engine is set up.

/// How an engine is set up.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// Threads of the pool; none means that whoever waits runs the tasks.
    pub threads: usize,
    /// Bytes that results and running tasks may hold, where the engine has a store to itself.
    pub memory_limit: u64,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { threads: raskt_store::processors(), memory_limit: usual_memory_limit() }
    }
}

/// Eight tenths of what the machine or the container has: the rest is for everything else.
pub fn usual_memory_limit() -> u64 {
    raskt_store::machine_memory().map_or(u64::MAX, |bytes| bytes / 10 * 8)
}
