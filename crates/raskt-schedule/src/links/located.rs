//! Where the results are that tasks of a run read: the one place where it is looked up for imported ones.

use crate::collections::by_number::Others;
use crate::copies::Copies;
use crate::run::Run;
use crate::tasks::Tasks;
use crate::{RunId, WorkerId};
use raskt_graph::{LayerId, TaskId};

/// The runs beside the one at hand.
pub(crate) type OtherRuns<'a> = Others<'a, RunId, Run>;

/// A task among those of the run that makes it.
#[derive(Clone, Copy)]
pub(crate) struct Located<'a> {
    /// That run, if it is another one.
    pub owner: Option<(RunId, &'a Run)>,
    pub tasks: &'a Tasks,
    pub task: TaskId,
}

impl Run {
    /// `task` itself, or what it stands for.
    pub fn locate<'a>(&'a self, others: OtherRuns<'a>, task: TaskId) -> Located<'a> {
        let own = Located { owner: None, tasks: &self.tasks, task };
        let Some(imports) = self.tasks.imports.as_ref().filter(|_| self.tasks.is_imported(task)) else { return own };
        let source = imports.source_of(task);
        let found = source.and_then(|(run, task)| Some((run, task, others.get(&run)?)));
        found.map_or(own, |(run, task, owner)| Located { owner: Some((run, owner)), tasks: &owner.tasks, task })
    }
}

impl<'a> Located<'a> {
    /// Whether `worker` holds it.
    pub fn is_at(&self, worker: WorkerId) -> bool {
        self.tasks.holds(worker, self.task)
    }

    /// One of those that hold it.
    pub fn holder(&self) -> WorkerId {
        self.tasks.record(self.task).worker
    }

    /// Others that hold it.
    pub fn copies(&self) -> impl Iterator<Item = WorkerId> + use<'a> {
        let record = self.tasks.record(self.task);
        let copies = self.tasks.replicas.get(&self.task).filter(|_| record.is_special);
        copies.into_iter().flat_map(Copies::iter)
    }

    /// Whether it stays when `run`, whose task stands for it, has read it.
    pub fn stays(&self) -> bool {
        self.owner.is_some() && self.tasks.is_wanted(self.task)
    }

    /// Reads to come of other runs, of those that own it, and those for which `run` stands.
    pub fn reads_elsewhere(&self) -> u64 {
        let Some((_, owner)) = self.owner else { return 0 };
        let record = self.tasks.record(self.task);
        let held = u64::from(self.tasks.layers[self.task.layer.0 as usize].holds.count(self.task.index));
        self.tasks.all_unread(&owner.graph, self.task, record) + held.saturating_sub(1)
    }
}

/// Bytes of a result of `layer` of `run`, or of one of `owner`.
pub(crate) fn bytes_of(run: &Run, owner: Option<&Run>, layer: LayerId) -> u64 {
    owner.unwrap_or(run).output_bytes(layer)
}
