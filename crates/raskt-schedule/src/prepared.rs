//! Runs that come and go while nobody waits for the scheduler: what takes as long as a graph is large is done before it hears
//! of the graph, or after it has forgotten it. A driver that keeps the scheduler under a lock does it without the lock.

use crate::links::imports::Imports;
use crate::run::Run;
use crate::within::are_of;
use crate::{EventError, FailureScope, Import, RunId, Scheduler, Settings, TaskRange, Time};
use raskt_graph::Graph;
use std::sync::Arc;

/// A run that no scheduler has heard of yet.
#[derive(Debug)]
pub struct PreparedRun(Box<Run>);

/// What a scheduler knew of a run. There is nothing to do with it but to drop it.
#[derive(Debug)]
pub struct ForgottenRun(#[expect(dead_code, reason = "kept only to be dropped later")] Box<Run>);

impl PreparedRun {
    /// Finds out what of `graph` has to run for `wanted` to be there, for a scheduler with these settings.
    pub fn new(graph: Arc<Graph>, wanted: &[TaskRange], settings: &Settings) -> Result<Self, EventError> {
        Self::with_imports(graph, wanted, settings, &[])
    }

    /// The same of a graph with tasks that stand for tasks of other runs.
    pub fn with_imports(
        graph: Arc<Graph>,
        wanted: &[TaskRange],
        settings: &Settings,
        imports: &[Import],
    ) -> Result<Self, EventError> {
        are_of(&graph, wanted)?;
        let imports = Imports::new(&graph, imports)?;
        Ok(Self(Box::new(Run::new(graph, wanted, settings.heeds_requirements, imports))))
    }

    /// The same where a task that fails ends the run, or itself alone.
    pub fn with_failure(self, failure: FailureScope) -> Self {
        Self(Box::new(self.0.with_failure(failure)))
    }
}

impl Scheduler {
    /// Takes in a run as [`crate::Event::GraphAdded`] does, and differs in nothing but the time that it takes.
    pub fn submit(
        &mut self,
        now: Time,
        run: RunId,
        parent: Option<RunId>,
        prepared: PreparedRun,
    ) -> Result<(), EventError> {
        self.may_be_added(run, prepared.0.tasks.imports.as_deref())?;
        self.now = self.now.max(now);
        self.add(run, parent, *prepared.0);
        self.settle();
        self.assign();
        Ok(())
    }

    /// Forgets a run as [`crate::Event::RunReleased`] does, and gives what is left of it to the caller.
    pub fn release(&mut self, now: Time, run: RunId) -> Option<ForgottenRun> {
        self.now = self.now.max(now);
        let forgotten = self.end(run);
        self.settle();
        self.assign();
        forgotten.map(|run| ForgottenRun(Box::new(run)))
    }

    pub(crate) fn add(&mut self, id: RunId, parent: Option<RunId>, mut run: Run) {
        self.queue.add(id, parent);
        let above = parent.and_then(|parent| Some((parent, self.runs.get(&parent)?)));
        run.parent = above.map(|(parent, _)| parent);
        run.parent_requires = above.is_some_and(|(_, above)| above.classes.len() > 1);
        run.may_borrow = run.parent_requires || above.is_some_and(|(_, above)| above.may_borrow);
        run.needs = run.classes.iter().map(|class| self.workers.add_need(class.as_ref())).collect();
        run.id = id;
        self.runs.insert(id, run);
        self.link(id);
        self.publish(id);
    }
}
