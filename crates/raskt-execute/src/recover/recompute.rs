//! Computes a lost result from what it is made of, through the graphs of all results that these were made of.

use super::Recovery;
use crate::call::TaskCall;
use crate::{RunError, panics};
use raskt_graph::TaskId;
use raskt_store::{Lineage, Origin, Past, Store};
use raskt_value::{CancelToken, ErrorKind, TaskError, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Recovery {
    /// The result of the task that `lineage` names.
    pub(super) fn compute(&self, lineage: &Lineage, cancel: &CancelToken) -> Result<Value, RunError> {
        let results = Counted { store: &self.store, values: BTreeMap::new() };
        let mut again = Recompute { recovery: self, cancel, pasts: vec![], unread: BTreeMap::new(), results };
        let wanted = again.step(lineage)?;
        again.count_reads(wanted)?;
        again.compute(wanted)
    }
}

/// A task of one of the graphs.
type Step = (usize, TaskId);

/// Tasks that are computed again, each once, whatever reads it.
struct Recompute<'a> {
    recovery: &'a Recovery,
    cancel: &'a CancelToken,
    /// The graphs that were met. They are few: one for each result in a row that was made of the one before.
    pasts: Vec<Arc<Past>>,
    /// How often each result will yet be read.
    unread: BTreeMap<Step, u32>,
    results: Counted<'a>,
}

impl Recompute<'_> {
    /// The task that makes a result; an error if it isn't known.
    fn step(&mut self, lineage: &Lineage) -> Result<Step, RunError> {
        let (past, task) = lineage.get().ok_or_else(lost)?;
        let same = |known: &Arc<Past>| Arc::ptr_eq(known.graph(), past.graph());
        let at = self.pasts.iter().position(same).unwrap_or_else(|| {
            self.pasts.push(past);
            self.pasts.len() - 1
        });
        Ok((at, task))
    }

    /// Calls `visit` with each step that has to be made before `step`: what its task reads, or what a kept result that is
    /// gone was made of.
    fn before(&mut self, step: Step, visit: &mut dyn FnMut(Step)) -> Result<(), RunError> {
        let past = self.pasts[step.0].clone();
        match past.origin(step.1) {
            Some(origin) if origin.is_there() => {}
            Some(origin) => visit(self.step(origin.lineage())?),
            None => past.graph().for_each_input(step.1, |input| visit((step.0, input))),
        }
        Ok(())
    }

    /// Counts how often each step that `wanted` needs is read.
    fn count_reads(&mut self, wanted: Step) -> Result<(), RunError> {
        let mut stack = vec![wanted];
        while let Some(step) = stack.pop() {
            let mut before = vec![];
            self.before(step, &mut |step| before.push(step))?;
            for step in before {
                let reads = self.unread.entry(step).or_insert(0);
                if *reads == 0 {
                    stack.push(step);
                }
                *reads += 1;
            }
        }
        Ok(())
    }

    /// The result of `wanted`, from the tasks that read nothing on. A result goes when its last reader has run.
    fn compute(&mut self, wanted: Step) -> Result<Value, RunError> {
        let mut stack = vec![wanted];
        while let Some(&step) = stack.last() {
            let made = match self.results.values.contains_key(&step) {
                true => None,
                false => self.make(step, &mut stack)?,
            };
            match made {
                Some(value) => self.results.insert(step, value),
                None if stack.last() != Some(&step) => continue,
                None => {}
            }
            stack.pop();
        }
        Ok(self.results.remove(&wanted).expect("the wanted task is the first on the stack and the last to leave it"))
    }

    /// The result of a step; nothing if steps that are put on the stack have to be made before.
    fn make(&mut self, step: Step, stack: &mut Vec<Step>) -> Result<Option<Value>, RunError> {
        let past = self.pasts[step.0].clone();
        match past.origin(step.1) {
            Some(origin) => self.make_origin(origin, stack),
            None => self.make_task(&past, step, stack),
        }
    }

    fn make_origin(&mut self, origin: &Origin, stack: &mut Vec<Step>) -> Result<Option<Value>, RunError> {
        if let Some(value) = origin.fetch().map_err(RunError::Unread)? {
            return Ok(Some(value));
        }
        let behind = self.step(origin.lineage())?;
        let Some(value) = self.results.values.get(&behind).cloned() else {
            stack.push(behind);
            return Ok(None);
        };
        self.was_read(behind);
        origin.restore(value).map(Some).map_err(RunError::Unread)
    }

    fn make_task(&mut self, past: &Past, step: Step, stack: &mut Vec<Step>) -> Result<Option<Value>, RunError> {
        let (at, task) = step;
        let before = stack.len();
        past.graph().for_each_input(task, |input| {
            if !self.results.values.contains_key(&(at, input)) {
                stack.push((at, input));
            }
        });
        if stack.len() > before {
            return Ok(None);
        }
        let mut inputs = vec![];
        past.graph().for_each_input(task, |input| inputs.push(self.results.values[&(at, input)].clone()));
        let value = self.run(past, task, &inputs)?;
        drop(inputs);
        past.graph().for_each_input(task, |input| self.was_read((at, input)));
        Ok(Some(value))
    }

    fn was_read(&mut self, step: Step) {
        if let Some(left) = self.unread.get_mut(&step) {
            *left -= 1;
            if *left == 0 {
                self.unread.remove(&step);
                self.results.remove(&step);
            }
        }
    }

    fn run(&self, past: &Past, task: TaskId, inputs: &[Value]) -> Result<Value, RunError> {
        let Self { recovery, cancel, .. } = self;
        let graph = past.graph();
        let call = TaskCall { graph, task, threads: 1, cancel };
        let runner = recovery.runners.of(call.op().kind);
        let ran = runner.as_ref().map_err(TaskError::clone).and_then(|runner| match cancel.is_cancelled() {
            true => Err(TaskError::cancelled()),
            false => panics::catch(|| runner.run(&call, inputs)),
        });
        match ran {
            // A task that gives what a store keeps has nothing else to compute it from than that one's own lineage.
            Ok(value) => recovery.itself(value, cancel),
            Err(error) => {
                let key = runner.map(|runner| runner.key(graph, task));
                Err(RunError::Task { key: key.unwrap_or_else(|_| graph.key(task)), error })
            }
        }
    }
}

/// Results on the way to one that is computed again. Nobody was promised memory for them: the store counts them as they come, and
/// others leave for them, so that nobody else is promised what they take.
struct Counted<'a> {
    store: &'a Store,
    values: BTreeMap<Step, Value>,
}

impl Counted<'_> {
    fn insert(&mut self, step: Step, value: Value) {
        self.store.hold_unasked(value.bytes() as u64);
        self.values.insert(step, value);
    }

    fn remove(&mut self, step: &Step) -> Option<Value> {
        let value = self.values.remove(step)?;
        self.store.let_go_small(value.bytes() as u64);
        Some(value)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.values).into_values().map(|value| value.bytes() as u64).sum();
        self.store.let_go_small(bytes);
    }
}

fn lost() -> RunError {
    let message =
        "a result was spilled, its file is gone or damaged, and what it was computed from is not there any more";
    RunError::Unread(TaskError::new(ErrorKind::Lost, message))
}
