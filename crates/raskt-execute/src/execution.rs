use crate::batch::{Batch, Made};
use crate::engine::Shared;
use crate::reads::Reads;
use crate::runner::{Runner, Runners};
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
    /// What all tasks read.
    pub reads: Reads,
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
    pub tasks: Vec<TaskRange>,
    /// What the first of the tasks gave.
    pub made: Vec<Made>,
    pub error: Option<(TaskId, String, TaskError)>,
    pub nanoseconds: u64,
}

impl Execution {
    pub fn kind(&self) -> OpKind {
        self.graph.op_of(self.tasks[0].layer).kind
    }

    /// Whether a thread that runs assignments of `kind` can go on with it.
    pub fn fits(&self, kind: OpKind) -> bool {
        self.kind() == kind && (self.is_whole || kind != OpKind::Python)
    }

    /// Runs the tasks one after the other, up to the first that fails.
    pub fn execute(mut self, shared: &Arc<Shared>) -> Executed {
        let start = Instant::now();
        let outside = std::mem::take(&mut self.reads.outside);
        let runner = shared.runners.of(self.kind());
        let ((mut made, measured), ran) = match &runner {
            Ok(runner) => self.run(shared, runner, outside),
            Err(error) => (Default::default(), Err(error.clone())),
        };
        let adopted = recover::adopt(shared, &mut made, &self.cancel);
        let error = adopted.and(ran).err().and_then(|error| {
            // Where all tasks have results, none of them has failed.
            let task = self.tasks.iter().flat_map(|range| range.tasks()).nth(made.len())?;
            let key = runner.map(|runner| runner.key(&self.graph, task));
            Some((task, key.unwrap_or_else(|_| self.graph.key(task)), error))
        });
        let outcomes = outcomes(&self.tasks, &made, error.is_some());
        let nanoseconds = measured.unwrap_or_else(|| start.elapsed().as_nanos() as u64);
        // The inputs are gone, before the engine hears of it: what nobody else needs is free before more is asked for.
        Executed { ticket: self.ticket, run: self.run, outcomes, tasks: self.tasks, made, error, nanoseconds }
    }

    /// What the tasks gave, the time that the runner says it took, and how it ended.
    fn run(
        &self,
        shared: &Arc<Shared>,
        runner: &Arc<dyn Runner>,
        outside: Vec<Value>,
    ) -> ((Vec<Made>, Option<u64>), Result<(), TaskError>) {
        if self.cancel.is_cancelled() {
            return (Default::default(), Err(TaskError::cancelled()));
        }
        if let Some(failure) = &self.failure {
            return (Default::default(), Err(failure.clone()));
        }
        let watch = Watch::begin(self, &**runner);
        let mut batch = Batch::new(shared, (&self.graph, &self.cancel), &self.tasks, (outside, &self.reads), watch);
        let ran = panics::catch(|| runner.run_batch(&mut batch));
        (batch.finish(&self.tasks), ran)
    }
}

/// The first tasks have been made, the next has failed if one has, the rest were not run. Neighbours that ended alike make one
/// group.
fn outcomes(tasks: &[TaskRange], made: &[Made], failed: bool) -> Vec<(TaskRange, Outcome)> {
    let mut outcomes = vec![];
    for (at, task) in tasks.iter().flat_map(|range| range.tasks()).enumerate() {
        let outcome = match made.get(at) {
            Some(Made::Here(value)) => Outcome::Done { bytes: own_bytes(value) },
            Some(Made::Spent { bytes }) => Outcome::Spent { bytes: *bytes },
            None if failed && at == made.len() => Outcome::Failed,
            None => Outcome::NotRun,
        };
        Outcome::push(&mut outcomes, task, outcome);
    }
    outcomes
}

/// What is kept already takes no memory by being given again.
fn own_bytes(value: &Value) -> u64 {
    if matches!(value, Value::Kept(_)) { 0 } else { value.bytes() as u64 }
}

/// A runner that is held for a stretch of executions of one kind.
pub(crate) fn runner_for(runners: &Runners, kind: OpKind) -> Option<Arc<dyn Runner>> {
    runners.of(kind).ok().cloned()
}
