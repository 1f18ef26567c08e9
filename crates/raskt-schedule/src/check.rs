//! Events come from outside: from callers, records, and workers across a network. What they name has to be there.

use crate::estimate::LARGEST;
use crate::{Event, EventError, Outcome, RunId, Scheduler, TaskRange};
use raskt_graph::{Graph, TaskId};

impl Scheduler {
    /// Whether `event` can be handled. What is known to be late (of runs that have ended, of workers that have gone) can: it
    /// changes nothing. Takes as long as the event is.
    pub fn check(&self, event: &Event) -> Result<(), EventError> {
        match event {
            Event::GraphAdded { run, graph, wanted, .. } => match self.runs.contains_key(run) {
                true => Err(EventError::RunTwice(*run)),
                false => are_of(graph, wanted),
            },
            Event::WorkerJoined { worker, .. } if self.workers.contains(*worker) => {
                Err(EventError::WorkerTwice(*worker))
            }
            Event::Wanted { run, tasks }
            | Event::Released { run, tasks }
            | Event::Retried { run, tasks }
            | Event::ResultsLost { run, tasks, .. }
            | Event::Fetched { run, tasks, .. }
            | Event::Recalled { run, tasks, .. } => self.are_of_run(*run, tasks),
            Event::Scattered { run, tasks, bytes, .. } => {
                self.are_of_run(*run, tasks)?;
                is_countable(tasks, *bytes)
            }
            Event::FetchFailed { run, task, .. } => self.is_of_run(*run, *task),
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
            | Event::SlotsLent { .. }
            | Event::SlotsReturned { .. }
            | Event::WorkerLost { .. }
            | Event::Started { .. }
            | Event::TimePassed => Ok(()),
        }
    }

    /// Of a run that isn't there nothing is known, and nothing is done.
    fn are_of_run(&self, run: RunId, tasks: &[TaskRange]) -> Result<(), EventError> {
        self.runs.get(&run).map_or(Ok(()), |run| are_of(&run.graph, tasks))
    }

    fn is_of_run(&self, run: RunId, task: TaskId) -> Result<(), EventError> {
        self.are_of_run(run, &[TaskRange::one(task)])
    }
}

/// Whether the graph has all of `tasks`.
pub(crate) fn are_of(graph: &Graph, tasks: &[TaskRange]) -> Result<(), EventError> {
    tasks.iter().try_for_each(|&TaskRange { layer, start, end }| {
        let layers = graph.layers().len();
        if layer.0 as usize >= layers {
            return Err(EventError::NoLayer { layer: layer.0, layers });
        }
        let (len, name) = (graph.layer(layer).len(), &graph.layer(layer).name);
        if start <= end && end <= len {
            return Ok(());
        }
        Err(EventError::NoTasks { name: name.clone(), start, end, len })
    })
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
