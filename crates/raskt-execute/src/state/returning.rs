//! Another scheduler is there than the one that has handed out what this worker is at, or it has begun anew.

use super::State;
use crate::held_results::{Adrift, HeldResults};
use crate::worker_error::WorkerError;
use raskt_schedule::{Assignment, Outcome, Report, RunId, TaskRange, WorkerEvent, WorkerTold};

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

    /// Says what is here, and what runs, which is told of when it is done.
    pub fn come_back(&mut self) -> Result<(), WorkerError> {
        self.check_open()?;
        let pieces = |(run, tasks): (_, Vec<_>)| -> Vec<_> {
            tasks.chunks(HELD_AT_A_TIME).map(|tasks| HeldResults { run, tasks: tasks.to_vec() }).collect()
        };
        let held: Vec<_> = self.held().into_iter().flat_map(pieces).collect();
        let adrift = self.worker.adrift().map(|(run, tasks)| Adrift { run, tasks: tasks.to_vec() });
        let adrift: Vec<_> = adrift.collect();
        self.adrift_slots = adrift.len() as u32;
        self.landed.clear();
        let size = (self.slots.saturating_sub(self.adrift_slots), self.memory);
        if let Some(elsewhere) = self.head.elsewhere_mut() {
            elsewhere.begin_anew(size, held, adrift);
        }
        // It may lend slots by now.
        self.resize();
        Ok(())
    }

    /// Something may be adrift no longer: its slot is the scheduler's again.
    pub(super) fn heed_adrift(&mut self) {
        let slots = if self.adrift_slots == 0 { 0 } else { self.worker.slots_adrift() };
        if slots < self.adrift_slots {
            self.adrift_slots = slots;
            self.resize();
        }
    }

    /// The scheduler is told of what came of something that was adrift, and may have handed it out in the meantime.
    pub(super) fn tell_kept(&mut self, run: RunId, tasks: Vec<(TaskRange, u64)>) {
        self.landed.extend(tasks.iter().map(|(range, _)| (run, *range)));
        self.head.tell(WorkerTold::Kept { run, tasks });
    }

    /// Reports what was handed out if all of it came of something that was adrift, and is here. Whether that is so.
    pub(super) fn is_answered(&mut self, assignment: &Assignment) -> bool {
        let &Assignment { run, attempt, ref tasks, .. } = assignment;
        let mut left = if self.landed.is_empty() { return false } else { tasks.clone() };
        let landed = self.landed.iter().filter(|(of, _)| *of == run);
        landed.for_each(|(_, range)| range.cut_out_of(&mut left));
        let Some(entry) = self.runs.get(&run).filter(|_| left.is_empty()) else { return false };
        let mut outcomes = vec![];
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            let Some(value) = entry.results.get(task) else { return false };
            Outcome::push(&mut outcomes, task, Outcome::Done { bytes: value.bytes() as u64 });
        }
        self.head.tell(WorkerTold::Reported(Report { run, attempt, outcomes, nanoseconds: 0 }));
        true
    }

    /// Whether no thread is at anything.
    pub fn is_idle(&self) -> bool {
        self.picked.is_empty()
    }
}
