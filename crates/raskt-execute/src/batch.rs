//! The tasks of one assignment, as their runner sees them.

use crate::RunError;
use crate::call::TaskCall;
use crate::made::Made;
use crate::panics;
use crate::reads::{Link, Reads};
use crate::watch::Watch;
use raskt_graph::{Graph, TaskId};
use raskt_schedule::TaskRange;
use raskt_store::Pins;
use raskt_value::{CancelToken, TaskError, Value};
use std::sync::Arc;

/// The tasks of one assignment, in order, to be run by a [`crate::Runner`]. A task may read results of earlier ones.
///
/// Most runners call [`Self::run_each`]. One that runs several tasks before it has their results goes from task to task by
/// [`Self::next_call`], as long as [`Self::is_next_ready`], and gives results by [`Self::push`] in the same order.
pub struct Batch<'a> {
    /// The graph that they are in.
    pub graph: &'a Arc<Graph>,
    /// Threads that each of them may use.
    pub threads: usize,
    /// Set when nobody wants the results any more.
    pub cancel: &'a CancelToken,
    /// How long the tasks took, where that is less than the time that the thread spent on them: it may have waited for
    /// another process, and how long a task takes decides how many make a batch.
    pub nanoseconds: Option<u64>,
    stored: &'a dyn Stored,
    /// Tasks that haven't been called, after those in `rest`.
    tasks: &'a [TaskRange],
    rest: Option<TaskRange>,
    outside: std::vec::IntoIter<Value>,
    ends: &'a [u32],
    /// Reads of results, of tasks that haven't been called.
    links: &'a [Link],
    /// The same, of tasks that have no result yet.
    unread: &'a [Link],
    called: usize,
    /// What the task that was called last reads.
    inputs: Vec<Value>,
    /// Keep those of them in memory that weren't asked for before. They are dropped after these.
    pins: Vec<Pins>,
    made: Vec<Made>,
    watch: Option<Watch<'a>>,
}

/// Knows the results that are in stores.
pub(crate) trait Stored {
    /// The value itself, if `value` stands for one that a store keeps, and what keeps it in memory.
    fn value(&self, value: Value) -> Result<(Value, Pins), RunError>;
}

impl<'a> Batch<'a> {
    pub(crate) fn new(
        (stored, threads): (&'a dyn Stored, usize),
        (graph, cancel): (&'a Arc<Graph>, &'a CancelToken),
        tasks: &'a [TaskRange],
        (outside, reads): (Vec<Value>, &'a Reads),
        watch: Option<Watch<'a>>,
    ) -> Self {
        Self {
            graph,
            threads,
            cancel,
            nanoseconds: None,
            stored,
            tasks,
            rest: None,
            outside: outside.into_iter(),
            ends: &reads.ends,
            links: &reads.links,
            unread: &reads.links,
            called: 0,
            inputs: vec![],
            pins: vec![],
            made: Vec::with_capacity(reads.ends.len()),
            watch,
        }
    }

    /// Runs the tasks one after the other by `run`, up to the first that fails; the error is that of the task after the last
    /// that has a result.
    pub fn run_each(
        &mut self,
        mut run: impl FnMut(&TaskCall<'_>, &[Value]) -> Result<Value, TaskError>,
    ) -> Result<(), TaskError> {
        while let Some(call) = self.next_call()? {
            if self.cancel.is_cancelled() {
                return Err(TaskError::cancelled());
            }
            let value = self.watched(&call, || run(&call, &self.inputs))?;
            self.push(value);
        }
        Ok(())
    }

    /// The next task; what it reads is at [`Self::inputs`] until the next call. It has to be ready.
    pub fn next_call(&mut self) -> Result<Option<TaskCall<'a>>, TaskError> {
        let Some(task) = self.next_task() else { return Ok(None) };
        self.inputs.clear();
        self.pins.clear();
        let (start, end) = (self.input_start(), self.ends[self.called]);
        for input in start..end {
            let value = match self.links.split_first() {
                Some((link, rest)) if link.input == input => {
                    self.links = rest;
                    self.linked(link.task as usize)?
                }
                _ => {
                    let next = self.outside.next().expect("what a task reads is there or made before it");
                    self.itself(next)?
                }
            };
            self.inputs.push(value);
        }
        self.called += 1;
        Ok(Some(TaskCall { graph: self.graph, task, threads: self.threads, cancel: self.cancel }))
    }

    /// What the task that was called last reads.
    pub fn inputs(&self) -> &[Value] {
        &self.inputs
    }

    /// Whether all that the next task reads is there.
    pub fn is_next_ready(&self) -> bool {
        let Some(&end) = self.ends.get(self.called) else { return true };
        let own = self.links.iter().take_while(|link| link.input < end);
        own.into_iter().all(|link| (link.task as usize) < self.made.len())
    }

    /// Takes the result of the first task that has none.
    pub fn push(&mut self, value: Value) {
        let end = self.ends[self.made.len()];
        self.made.push(Made::Here(value));
        while let Some((link, rest)) = self.unread.split_first().filter(|(link, _)| link.input < end) {
            self.unread = rest;
            if link.is_last {
                self.spend(link.task as usize);
            }
        }
    }

    /// Calls `run`, which runs `call`, and tells observers of it. A panic fails the task.
    pub fn watched(
        &self,
        call: &TaskCall<'_>,
        run: impl FnOnce() -> Result<Value, TaskError>,
    ) -> Result<Value, TaskError> {
        match &self.watch {
            Some(watch) => watch.run(call.task, || panics::catch(run)),
            None => panics::catch(run),
        }
    }

    /// What has come of it.
    pub(crate) fn finish(mut self, tasks: &[TaskRange]) -> (Vec<Made>, Option<u64>) {
        if let Some(watch) = self.watch.take() {
            watch.tell_of_others(tasks, &self.made);
        }
        (self.made, self.nanoseconds)
    }

    fn next_task(&mut self) -> Option<TaskId> {
        let range = self.rest.filter(|range| !range.is_empty()).or_else(|| {
            let (next, later) = self.tasks.split_first()?;
            self.tasks = later;
            Some(*next)
        })?;
        self.rest = Some(TaskRange { start: range.start + 1, ..range });
        Some(TaskId::new(range.layer, range.start))
    }

    fn input_start(&self) -> u32 {
        self.called.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// What `value` stands for, if it only does. Kernels never see such.
    fn itself(&mut self, value: Value) -> Result<Value, TaskError> {
        if !matches!(value, Value::Stored(_)) {
            return Ok(value);
        }
        let found = self.stored.value(value);
        let (value, pins) = found.map_err(RunError::into_task_error)?;
        self.pins.push(pins);
        Ok(value)
    }

    /// The result of an earlier task.
    fn linked(&mut self, task: usize) -> Result<Value, TaskError> {
        match &self.made[task] {
            Made::Here(value) => self.itself(value.clone()),
            Made::Consumed { .. } => unreachable!("a result goes with the last of its readers"),
        }
    }

    /// Its last reader is done.
    fn spend(&mut self, task: usize) {
        let bytes = self.made[task].bytes();
        self.made[task] = Made::Consumed { bytes };
    }
}
