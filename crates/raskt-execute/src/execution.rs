use crate::engine::Shared;
use crate::runner::{Batch, Done, Runner, Runners};
use crate::watch::Watch;
use crate::{panics, recover};
use raskt_graph::{Graph, OpKind, TaskId};
use raskt_schedule::{Outcome, RunId, TaskRange, Ticket};
use raskt_store::Pins;
use raskt_value::{CancelToken, TaskError, Value};
use std::sync::Arc;
use std::time::Instant;

/// An assignment on a thread, with everything that its tasks read.
pub(crate) struct Execution {
    pub ticket: Ticket,
    pub run: RunId,
    /// The number of the engine.
    pub engine: u32,
    pub graph: Arc<Graph>,
    pub cancel: CancelToken,
    pub tasks: Vec<TaskRange>,
    /// The inputs of all tasks, one after the other.
    pub inputs: Vec<Value>,
    /// Where the inputs of each task end.
    pub input_ends: Vec<u32>,
    /// Keep those of the inputs in memory that a store has. They are dropped after the inputs, so that what the store then
    /// lets go is freed.
    pub pins: Pins,
    /// Whether all inputs are there. Else the thread has to compute some again, since their files were dropped or bad.
    pub is_whole: bool,
    /// Why an input couldn't be had.
    pub failure: Option<TaskError>,
}

/// What came of it.
pub(crate) struct Executed {
    pub ticket: Ticket,
    pub run: RunId,
    pub outcomes: Vec<(TaskRange, Outcome)>,
    pub results: Vec<(TaskId, Value)>,
    pub error: Option<(TaskId, String, TaskError)>,
    pub nanoseconds: u64,
}

impl Execution {
    pub fn kind(&self) -> OpKind {
        self.graph.op_of(self.tasks[0].layer).kind
    }

    /// Runs the tasks one after the other, up to the first that fails.
    pub fn execute(self, shared: &Arc<Shared>) -> Executed {
        let (runners, threads) = (&shared.runners, shared.options.threads.max(1));
        let start = Instant::now();
        let mut done = Done { results: Vec::with_capacity(self.input_ends.len()), nanoseconds: None };
        let ran = runners.of(self.kind()).and_then(|runner| self.run(runner, threads, &mut done));
        let adopted = recover::adopt(shared, &mut done.results, &self.cancel);
        let error = adopted.and(ran).err().and_then(|error| {
            // Where all tasks have results, none of them has failed.
            let task = self.tasks.iter().flat_map(|range| range.tasks()).nth(done.results.len())?;
            let key = runners.of(self.kind()).map(|runner| runner.key(&self.graph, task));
            Some((task, key.unwrap_or_else(|_| self.graph.key(task)), error))
        });
        let outcomes = outcomes(&self.tasks, done.results.len() as u64, error.is_some());
        let nanoseconds = done.nanoseconds.unwrap_or_else(|| start.elapsed().as_nanos() as u64);
        let tasks = self.tasks.iter().flat_map(|range| range.tasks());
        let results = tasks.zip(done.results).collect();
        // The inputs go here, before the engine hears of it: what nobody else needs is free before more is asked for.
        Executed { ticket: self.ticket, run: self.run, outcomes, results, error, nanoseconds }
    }

    fn run(&self, runner: &Arc<dyn Runner>, threads: usize, done: &mut Done) -> Result<(), TaskError> {
        if self.cancel.is_cancelled() {
            return Err(TaskError::cancelled());
        }
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let Self { graph, cancel, tasks, inputs, input_ends, .. } = self;
        let watch = Watch::begin(self, &**runner);
        let mut batch = Batch { graph, threads, cancel, tasks, inputs, input_ends, watch };
        let ran = panics::catch(|| runner.run_batch(&batch, done));
        if let Some(watch) = batch.watch.take() {
            watch.tell_of_others(tasks, &done.results);
        }
        ran
    }
}

/// The first `done` tasks are done, the next has failed if one has, the rest were not run.
fn outcomes(tasks: &[TaskRange], done: u64, failed: bool) -> Vec<(TaskRange, Outcome)> {
    let mut outcomes = vec![];
    let mut before = 0;
    for range in tasks {
        let cut = |at: u64| range.start + at.saturating_sub(before).min(range.len());
        let (done_end, failed_end) = (cut(done), cut(done + u64::from(failed)));
        for (start, end, outcome) in [
            (range.start, done_end, Outcome::Done { bytes: 0 }),
            (done_end, failed_end, Outcome::Failed),
            (failed_end, range.end, Outcome::NotRun),
        ] {
            if start < end {
                outcomes.push((TaskRange { layer: range.layer, start, end }, outcome));
            }
        }
        before += range.len();
    }
    outcomes
}

/// A runner that is held for a stretch of executions of one kind.
pub(crate) fn runner_for(runners: &Runners, kind: OpKind) -> Option<Arc<dyn Runner>> {
    runners.of(kind).ok().cloned()
}
