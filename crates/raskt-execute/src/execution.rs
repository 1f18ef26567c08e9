//! Runs an assignment on a thread.

use crate::batch::Batch;
use crate::made::Made;
use crate::panics;
use crate::reads::Reads;
use crate::recover::{Recovery, Unheld};
use crate::runner::{Runner, Runners};
use crate::turn::turn;
use crate::waited::waited;
use crate::watch::Watch;
use raskt_graph::{Graph, OpKind, TaskId};
use raskt_schedule::{Outcome, RunId, TaskRange, Ticket};
use raskt_store::{Broken, Holder, Lineage, Outputs, Past, Pins, ResultInfo, Store, StoredRef};
use raskt_value::{CancelToken, ErrorKind, TaskError, Value};
use std::mem;
use std::sync::Arc;
use std::time::Instant;

/// An assignment on a thread, with everything that its tasks read.
pub(crate) struct Execution {
    pub ticket: Ticket,
    /// What the store knows it by.
    pub holder: Holder,
    pub run: RunId,
    /// The number of the engine.
    pub engine: u32,
    pub graph: Arc<Graph>,
    /// Whether the graph costs nothing to keep and gives the same results at any time.
    pub is_repeatable: bool,
    /// What its results are made of, as long as they last.
    pub past: Option<Arc<Past>>,
    pub cancel: CancelToken,
    pub tasks: Vec<TaskRange>,
    /// Those whose results go with the last of their readers.
    pub transient: Vec<TaskRange>,
    /// What all tasks read.
    pub reads: Reads,
    /// How many of those outside were asked for. The others are had by the thread when their reader's turn comes.
    pub ahead: usize,
    /// Keep those of the inputs in memory that a store has. They are dropped after the inputs, so that what the store then
    /// lets go is freed.
    pub pins: Pins,
    /// Whether all inputs that were asked for are there. Else the thread has to compute some again, since their files were dropped or bad.
    pub is_whole: bool,
    /// Nothing was promised for its results: nobody knows how large they will be.
    pub is_unsized: bool,
    /// Why an input couldn't be had, or that there is no memory.
    pub failure: Option<TaskError>,
    /// When it was picked another thread was about to run Python tasks beside it.
    pub has_company: bool,
    /// What can't be read any more is told of, and not made again from what may be anywhere.
    pub tells_losses: bool,
}

/// What came of it.
pub(crate) struct Executed {
    pub ticket: Ticket,
    pub run: RunId,
    pub outcomes: Vec<(TaskRange, Outcome)>,
    pub tasks: Vec<TaskRange>,
    /// What the first of the tasks gave.
    pub made: Vec<Made>,
    /// The small results; nothing if the store broke before the large ones were in it.
    pub small: Result<Small, Broken>,
    /// Tasks weren't run since something that they read is lost.
    pub lost_input: bool,
    pub error: Option<(TaskId, String, TaskError)>,
    pub nanoseconds: u64,
}

/// Results that the engine keeps beside one another.
#[derive(Default)]
pub(crate) struct Small {
    pub bytes: u64,
    pub outputs: Outputs,
}

impl Execution {
    pub fn kind(&self) -> OpKind {
        self.graph.op_of(self.tasks[0].layer).kind
    }

    /// Whether a thread that runs assignments of `kind` can go on with it.
    pub fn fits(&self, kind: OpKind) -> bool {
        self.kind() == kind && (self.is_whole || kind != OpKind::Python)
    }

    /// Puts in all inputs that aren't there; the tasks fail if one can't be had.
    pub fn make_whole(&mut self, recovery: &Recovery) {
        // Asked twice: before a runner takes the interpreter for a whole stretch, and for each that follows in it. A
        // failure is no reason to try again: the tasks fail with it.
        if !self.is_whole {
            self.is_whole = true;
            self.failure = recovery.inputs(&mut self.reads.outside[..self.ahead], self.holder, &self.cancel).err();
        }
    }

    /// Runs the tasks one after the other, up to the first that fails. Each may use so many threads.
    pub fn execute(mut self, recovery: &Recovery, threads: usize) -> Executed {
        let (start, waited_before) = (Instant::now(), waited());
        let runner = recovery.runners.of(self.kind());
        let unread = self.leave_out_unreadable();
        let outside = mem::take(&mut self.reads.outside);
        let Ran { mut made, nanoseconds: measured, has_lost, result } = match &runner {
            Ok(runner) => self.run(recovery, threads, runner, outside),
            Err(error) => Ran::failed(error.clone()),
        };
        let adopted = runner.as_ref().map_or(Ok(()), |runner| recovery.adopt(&mut made, &***runner, &self.cancel));
        let error = adopted.and(result).err().filter(|_| !has_lost).and_then(|error| {
            // Where all tasks have results, none of them has failed.
            let task = self.tasks.iter().flat_map(|range| range.tasks()).nth(made.len())?;
            let key = runner.map(|runner| runner.key(&self.graph, task));
            Some((task, key.unwrap_or_else(|_| self.graph.key(task)), error))
        });
        let lost_input = has_lost || unread.is_some();
        // What is kept counts as nothing.
        // One that asks to be run again wasn't run. Its error is told for the case that nobody runs it any more.
        let has_failed = error.as_ref().is_some_and(|(.., error)| error.kind != ErrorKind::Rescheduled);
        let outcomes = outcomes(unread.as_ref().unwrap_or(&self.tasks), &made, has_failed);
        // Of which others had the slot while a task waited: that is their time.
        let at_work = || start.elapsed().saturating_sub(waited().saturating_sub(waited_before));
        let nanoseconds = measured.unwrap_or_else(|| at_work().as_nanos() as u64);
        let small = self.keep(recovery, &mut made, nanoseconds);
        let tasks = unread.unwrap_or(self.tasks);
        // The inputs are gone, before the engine hears of it: what nobody else needs is free before more is asked for.
        Executed { ticket: self.ticket, run: self.run, outcomes, tasks, made, small, lost_input, error, nanoseconds }
    }

    /// Tasks from the first one on that reads what isn't here are not run; gives all tasks then. A worker may have been assigned
    /// them before its scheduler heard that the result is lost.
    fn leave_out_unreadable(&mut self) -> Option<Vec<TaskRange>> {
        if self.failure.is_some() {
            // None of them is run.
            return None;
        }
        let Err(readable) = self.reads.link(&self.tasks, &self.transient) else { return None };
        assert!(self.tells_losses, "a task is assigned with or after all that it reads");
        let readable_tasks = TaskRange::of(self.tasks.iter().flat_map(|range| range.tasks()).take(readable));
        let all = mem::replace(&mut self.tasks, readable_tasks);
        self.reads.cut(readable);
        // What goes with its readers stays where one of them isn't run.
        let linked = self.reads.link(&self.tasks, &[]);
        linked.expect("all that the tasks before the first unreadable one read is there");
        Some(all)
    }

    /// What the tasks gave, and how it ended.
    fn run(&self, recovery: &Recovery, threads: usize, runner: &Arc<dyn Runner>, outside: Vec<Value>) -> Ran {
        if self.cancel.is_cancelled() {
            return Ran::failed(TaskError::cancelled());
        }
        if let Some(failure) = &self.failure {
            let has_lost = self.tells_losses && failure.kind == ErrorKind::Lost;
            return Ran { has_lost, ..Ran::failed(failure.clone()) };
        }
        let Some(first) = self.tasks.first() else { return Ran::default() };
        let key = |task| runner.key(&self.graph, task);
        let watch = Watch::begin(&self.graph, (self.run, self.engine), &key);
        let watch = watch.filter(|_| !runner.tells_itself(&self.graph, *first));
        let parts = (outside, &self.reads);
        let stored = Unheld::new(recovery, &**runner, &self.cancel);
        let mut batch = Batch::new((&stored, threads), (&self.graph, &self.cancel), &self.tasks, parts, watch);
        let result = panics::catch(|| runner.run_batch(&mut batch));
        let (made, nanoseconds) = batch.finish(&self.tasks);
        Ran { made, nanoseconds, has_lost: self.tells_losses && stored.has_lost(), result }
    }

    /// Puts large results into the store, which takes what was promised for them. Gives the small ones.
    fn keep(&self, recovery: &Recovery, made: &mut [Made], nanoseconds: u64) -> Result<Small, Broken> {
        if made.is_empty() {
            return Ok(Small::default());
        }
        let Ok(runner) = recovery.runners.of(self.kind()) else { return Ok(Small::default()) };
        let each = nanoseconds / made.len().max(1) as u64;
        let mut small = Small::default();
        let tasks = self.tasks.iter().flat_map(|range| range.tasks());
        for (task, made) in tasks.zip(made) {
            let Made::Here(value) = made else { continue };
            let bytes = value.bytes() as u64;
            if let Some(kept) = StoredRef::of(value) {
                kept.set_turn(turn(&self.graph, task));
            } else if bytes < Store::KEPT_BYTES as u64 {
                small.bytes += bytes;
                if self.is_unsized {
                    small.outputs.add(runner.family(&self.graph, task), 1);
                }
            } else if let Made::Here(value) = mem::replace(made, Made::Consumed { bytes }) {
                // The store's is the only one from here on: else it couldn't let go of it.
                let family = runner.family(&self.graph, task);
                let (lineage, facts) = (self.lineage(task), ResultInfo { family, ..self.facts(task, each, &value) });
                *made = Made::Here(Value::Stored(recovery.store.keep(value, lineage, facts, self.holder)?));
            }
        }
        Ok(small)
    }

    /// What the store is told of a result.
    fn facts(&self, task: TaskId, nanoseconds: u64, value: &Value) -> ResultInfo {
        let recompute_nanoseconds = self.is_cheap(task).then_some(nanoseconds);
        ResultInfo { recompute_nanoseconds, ..facts(&self.graph, (self.run, self.engine), task, value) }
    }

    /// Whether a kernel makes the result from nothing, at any time.
    fn is_cheap(&self, task: TaskId) -> bool {
        self.is_repeatable && self.graph.input_count(task) == 0
    }

    fn lineage(&self, task: TaskId) -> Lineage {
        match &self.past {
            // What it was made of may be anywhere: its loss is told, and the scheduler has it made again.
            _ if self.tells_losses && !self.is_cheap(task) => Lineage::none(),
            Some(past) => Lineage::lasting(past.clone(), task),
            None => Lineage::of_run(&self.graph, task),
        }
    }
}

/// What came of the tasks of an assignment.
struct Ran {
    /// What the first of them gave.
    made: Vec<Made>,
    /// The time that the runner says it took.
    nanoseconds: Option<u64>,
    /// The next one wasn't run, since something that it reads is lost.
    has_lost: bool,
    result: Result<(), TaskError>,
}

impl Default for Ran {
    fn default() -> Self {
        Self { made: vec![], nanoseconds: None, has_lost: false, result: Ok(()) }
    }
}

impl Ran {
    fn failed(error: TaskError) -> Self {
        Self { result: Err(error), ..Self::default() }
    }
}

/// What the store is told of a result of `task` of a run, and the engine's number; nothing of how it is made again.
pub(crate) fn facts(graph: &Graph, (run, engine): (RunId, u32), task: TaskId, value: &Value) -> ResultInfo {
    let own = match value {
        Value::Foreign(object) => object.label().cloned(),
        _ => None,
    };
    let label = own.unwrap_or_else(|| graph.op_of(task.layer).name.clone());
    // Runs of other engines have the same numbers.
    let group = u64::from(engine) << 40 | run.0;
    ResultInfo { label, group, turn: turn(graph, task), recompute_nanoseconds: None, family: 0 }
}

/// The first tasks have been made, the next has failed if one has, the rest were not run. Neighbours that ended alike make one
/// group.
fn outcomes(tasks: &[TaskRange], made: &[Made], failed: bool) -> Vec<(TaskRange, Outcome)> {
    let mut outcomes = vec![];
    for (at, task) in tasks.iter().flat_map(|range| range.tasks()).enumerate() {
        let outcome = match made.get(at) {
            Some(Made::Here(value)) => Outcome::Done { bytes: own_bytes(value) },
            Some(Made::Consumed { bytes }) => Outcome::Consumed { bytes: *bytes },
            None if failed && at == made.len() => Outcome::Failed,
            None => Outcome::NotRun,
        };
        Outcome::push(&mut outcomes, task, outcome);
    }
    outcomes
}

/// What is kept already takes no memory by being given again. How much an object of Python's takes is said by whoever made its
/// class: nothing takes more than a machine can address.
fn own_bytes(value: &Value) -> u64 {
    const MOST: u64 = 1 << 48;
    if matches!(value, Value::Stored(_)) { 0 } else { (value.bytes() as u64).min(MOST) }
}

/// A runner that is held for a stretch of executions of one kind.
pub(crate) fn runner_for(runners: &Runners, kind: OpKind) -> Option<Arc<dyn Runner>> {
    runners.of(kind).ok().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object whose class says that it is larger than anything can be.
    struct Boaster;

    impl raskt_value::Foreign for Boaster {
        fn bytes(&self) -> usize {
            1 << 62
        }
        fn type_name(&self) -> &str {
            "boaster"
        }
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }

    #[test]
    fn what_objects_say_of_their_size_can_be_added_up() {
        let made: Vec<_> = (0..8).map(|_| Made::Here(Value::Foreign(Arc::new(Boaster)))).collect();
        let tasks = [TaskRange { layer: raskt_graph::LayerId(0), start: 0, end: 8 }];
        let told = outcomes(&tasks, &made, false);
        assert_eq!(told, [(tasks[0], Outcome::Done { bytes: 8 << 48 })]);
    }
}
