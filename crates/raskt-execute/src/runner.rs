//! Runners: one for each kind of op.

use crate::batch::Batch;
use crate::call::TaskCall;
use raskt_graph::{Graph, OpKind, TaskId};
use raskt_schedule::TaskRange;
use raskt_store::{Family, Outputs};
use raskt_value::{Call, ErrorKind, NativeOp, TaskError, Value};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Knows how to run the ops of one kind.
pub trait Runner: Send + Sync + 'static {
    /// Runs one task. A panic in it is caught by the caller and fails that task alone.
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError>;

    /// Runs the tasks of a batch one after the other, up to the first that fails; the error is that of the task after the
    /// last that has a result. A runner that reaches further than a thread (a process) sends them together.
    fn run_batch(&self, batch: &mut Batch<'_>) -> Result<(), TaskError> {
        batch.run_each(|call, inputs| self.run(call, inputs))
    }

    /// Runs `step` again and again until it says that no more tasks of this kind are at hand. A runner that must hold
    /// something while it runs (the interpreter) takes it once here, for the whole stretch. Where it `has_company` another thread is about
    /// to run Python tasks beside it.
    fn stretch(&self, has_company: bool, step: &mut dyn FnMut() -> bool) {
        let _ = has_company;
        while step() {}
    }

    /// Calls `live`: what is left of the life of a thread that is about to run its first task of this kind, and may run many. A runner
    /// that has to set up something for each thread (the interpreter does) sets it up once here, and not for each stretch.
    fn settle(&self, live: &mut (dyn FnMut() + Send)) {
        live();
    }

    /// Calls `wait`, which may wait for other threads: what is held while tasks run, and those may need (the interpreter), is let
    /// go of meanwhile.
    fn let_wait(&self, wait: &mut (dyn FnMut() + Send)) {
        wait();
    }

    /// Whether the calling thread, which is in tasks already, has room for another one above them, beside its stack. An
    /// interpreter may bound how deep functions call each other in a thread; what is deeper goes to another thread then.
    fn has_room(&self) -> bool {
        true
    }

    /// The name of a task's own function, to be put into messages; by default the layer's.
    fn key(&self, graph: &Graph, task: TaskId) -> String {
        graph.key(task)
    }

    /// What else gives results of about the size of this task's: the calls of its function, say, and by default all ops of its name.
    fn family(&self, graph: &Graph, task: TaskId) -> Family {
        let mut hasher = DefaultHasher::new();
        graph.op_of(task.layer).name.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether tasks like the first of `tasks` run others' work, and tell observers of it in place of themselves.
    fn tells_itself(&self, graph: &Graph, tasks: TaskRange) -> bool {
        let _ = (graph, tasks);
        false
    }

    /// Lets go of what it keeps between tasks; the engine is shut down.
    fn shut_down(&self) {}
}

/// The runners of an engine, by kind of op.
#[derive(Clone)]
pub struct Runners {
    native: Arc<dyn Runner>,
    python: Option<Arc<dyn Runner>>,
}

impl Default for Runners {
    fn default() -> Self {
        Self { native: Arc::new(NativeRunner), python: None }
    }
}

impl Runners {
    /// The same runners, with one for Python calls.
    pub fn with_python(self, runner: Arc<dyn Runner>) -> Self {
        Self { python: Some(runner), ..self }
    }

    /// The same runners, with another one for native kernels.
    #[cfg(test)]
    pub(crate) fn with_native(self, runner: Arc<dyn Runner>) -> Self {
        Self { native: runner, ..self }
    }

    /// Whether the calling thread has room for a task above those that it is in, of whichever kind.
    pub(crate) fn have_room(&self) -> bool {
        self.native.has_room() && self.python.as_ref().is_none_or(|python| python.has_room())
    }

    pub(crate) fn shut_down(&self) {
        self.native.shut_down();
        if let Some(python) = &self.python {
            python.shut_down();
        }
    }

    /// What these tasks give.
    pub(crate) fn outputs(&self, graph: &Graph, tasks: &[TaskRange]) -> Outputs {
        let mut outputs = Outputs::default();
        for range in tasks {
            let Ok(runner) = self.of(graph.op_of(range.layer).kind) else { continue };
            range.tasks().for_each(|task| outputs.add(runner.family(graph, task), 1));
        }
        outputs
    }

    pub(crate) fn of(&self, kind: OpKind) -> Result<&Arc<dyn Runner>, TaskError> {
        match kind {
            OpKind::Array | OpKind::Frame => Ok(&self.native),
            OpKind::Python => self.python.as_ref().ok_or_else(|| {
                TaskError::new(ErrorKind::NotImplemented, "this engine has no interpreter to run Python calls")
            }),
        }
    }
}

/// Runs native kernels.
pub struct NativeRunner;

impl Runner for NativeRunner {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let op = call.op();
        let NativeOp(kernel) = op.body.downcast_ref().ok_or_else(|| {
            TaskError::new(
                ErrorKind::Type,
                format!("op `{}` is of kind {:?} and not a native kernel", op.name, op.kind),
            )
        })?;
        let threads = if op.flags.uses_all_threads { call.threads } else { 1 };
        kernel.run(&Call { index: call.task.index, threads, cancel: call.cancel }, inputs)
    }
}
