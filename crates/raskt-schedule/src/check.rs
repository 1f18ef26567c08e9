//! Events come from outside: from callers, records, and workers across a network. What they name has to be there.

use crate::estimate::LARGEST;
use crate::links::imports::Imports;
use crate::task::ELSEWHERE;
use crate::within::are_of;
use crate::{Event, EventError, Outcome, RunId, Scheduler, TaskRange};
use raskt_graph::TaskId;

impl Scheduler {
    /// Whether `event` can be handled. What is known to be late (of runs that have ended, of workers that have gone) can: it
    /// changes nothing. Takes as long as the event is.
    pub fn check(&self, event: &Event) -> Result<(), EventError> {
        match event {
            Event::GraphAdded { run, graph, wanted, imports, .. } => {
                are_of(graph, wanted)?;
                let imports = Imports::new(graph, imports)?;
                self.may_be_added(*run, imports.as_deref())
            }
            Event::WorkerJoined { worker: ELSEWHERE, .. } => Err(EventError::ReservedWorker(ELSEWHERE)),
            Event::WorkerJoined { worker, .. } if self.workers.contains(*worker) => {
                Err(EventError::WorkerTwice(*worker))
            }
            Event::Wanted { run, tasks }
            | Event::Released { run, tasks }
            | Event::Retried { run, tasks }
            | Event::Cancelled { run, tasks }
            | Event::ResultsLost { run, tasks, .. }
            | Event::Fetched { run, tasks, .. }
            | Event::CopiesDropped { run, tasks, .. }
            | Event::RunsOn { run, tasks, .. }
            | Event::Recalled { run, tasks, .. } => self.are_of_run(*run, tasks),
            Event::Scattered { run, tasks, bytes, .. } | Event::GiftsKept { run, tasks, bytes, .. } => {
                self.are_of_run(*run, tasks)?;
                self.may_be_given(*run, tasks)?;
                is_countable(tasks, *bytes)
            }
            Event::Kept { run, tasks, .. } => tasks.iter().try_for_each(|(range, bytes)| {
                self.are_of_run(*run, &[*range])?;
                is_countable(&[*range], *bytes)
            }),
            Event::FetchFailed { input_run: run, task, .. } | Event::Unsendable { run, reader: task, .. } => {
                self.is_of_run(*run, *task)
            }
            Event::Reported { report, .. } => report.outcomes.iter().try_for_each(|(range, outcome)| {
                self.are_of_run(report.run, &[*range])?;
                match *outcome {
                    Outcome::Done { bytes } | Outcome::Consumed { bytes } => is_countable(&[*range], bytes),
                    Outcome::Failed | Outcome::NotRun => Ok(()),
                }
            }),
            Event::RunReleased { .. }
            | Event::WorkerJoined { .. }
            | Event::WorkerResized { .. }
            | Event::WorkerLends { .. }
            | Event::Waits { .. }
            | Event::WorkerRenamed { .. }
            | Event::SlotsLent { .. }
            | Event::SlotsReturned { .. }
            | Event::WorkerLost { .. }
            | Event::Started { .. }
            | Event::TimePassed => Ok(()),
        }
    }

    /// Whether a run can be added under this number, as far as that depends on others.
    pub(crate) fn may_be_added(&self, run: RunId, imports: Option<&Imports>) -> Result<(), EventError> {
        if self.runs.contains_key(&run) {
            return Err(EventError::RunTwice(run));
        }
        imports.into_iter().flat_map(Imports::parts).try_for_each(|import| {
            let owner = self.runs.get(&import.run).ok_or(EventError::NoRun(import.run))?;
            are_of(&owner.graph, &[import.source()])
        })
    }

    /// What stands for tasks of other runs is given to those.
    fn may_be_given(&self, run: RunId, tasks: &[TaskRange]) -> Result<(), EventError> {
        let Some(run) = self.runs.get(&run) else { return Ok(()) };
        let imported = tasks.iter().find(|range| run.tasks.layers[range.layer.0 as usize].is_imported);
        imported.map_or(Ok(()), |range| Err(EventError::GivenTwice { name: run.graph.layer(range.layer).name.clone() }))
    }

    /// Of a run that isn't there nothing is known, and nothing is done.
    fn are_of_run(&self, run: RunId, tasks: &[TaskRange]) -> Result<(), EventError> {
        self.runs.get(&run).map_or(Ok(()), |run| are_of(&run.graph, tasks))
    }

    fn is_of_run(&self, run: RunId, task: TaskId) -> Result<(), EventError> {
        self.are_of_run(run, &[TaskRange::one(task)])
    }
}

/// What is told of several results is told in one sum. A run that isn't there may be told of ranges of any kind.
fn is_countable(tasks: &[TaskRange], bytes: u64) -> Result<(), EventError> {
    let lens = tasks.iter().map(|range| range.end.saturating_sub(range.start));
    let results = lens.fold(0, u64::saturating_add);
    if bytes <= LARGEST.saturating_mul(results.max(1)) {
        return Ok(());
    }
    Err(EventError::TooManyBytes { results, bytes })
}
