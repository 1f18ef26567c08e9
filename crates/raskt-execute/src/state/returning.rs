//! Another scheduler is there than the one that has handed out what this worker is at, or it has begun anew.

use super::State;
use crate::held_results::HeldResults;
use crate::worker_error::WorkerError;
use raskt_schedule::WorkerEvent;

/// Ranges of results of which the scheduler is told at a time.
const HELD_AT_A_TIME: usize = 1 << 14;

impl State {
    /// Nothing begins that was handed out before.
    pub fn drop_orders(&mut self) -> Result<(), WorkerError> {
        self.check_open()?;
        self.worker.handle_event(WorkerEvent::SchedulerBegan);
        self.act();
        Ok(())
    }

    /// Says what is here; what runs is told of when it is done.
    pub fn come_back(&mut self) -> Result<(), WorkerError> {
        self.check_open()?;
        let pieces = |(run, tasks): (_, Vec<_>)| -> Vec<_> {
            tasks.chunks(HELD_AT_A_TIME).map(|tasks| HeldResults { run, tasks: tasks.to_vec() }).collect()
        };
        let held: Vec<_> = self.held().into_iter().flat_map(pieces).collect();
        let size = (self.slots, self.memory);
        if let Some(elsewhere) = self.head.elsewhere_mut() {
            elsewhere.begin_anew(size, held);
        }
        // It may lend slots by now.
        self.resize();
        Ok(())
    }

    /// Whether no thread is at anything.
    pub fn is_idle(&self) -> bool {
        self.picked.is_empty()
    }
}
