//! Tasks of a job that stand for tasks of others.

use super::{Job, all_tasks};
use crate::scenario::{ImportPlan, JobPlan, Requires};
use raskt_graph::{Graph, LayerId, TaskId};
use raskt_schedule::{FailureScope, Import, RunId, TaskRange};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Neighbours that stand for others.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    tasks: TaskRange,
    /// The other job, by its position in the scenario.
    job: usize,
    source: Rc<Job>,
    from: TaskId,
}

impl Link {
    pub fn new(plan: &ImportPlan, earlier: &[Rc<Job>]) -> Option<Self> {
        let ImportPlan { layer, start, count, job, from } = *plan;
        let tasks = TaskRange { layer: LayerId(layer), start, end: start + count };
        Some(Self { tasks, job, source: earlier.get(job)?.clone(), from: TaskId::new(LayerId(from.0), from.1) })
    }

    pub fn source_of(&self, task: TaskId) -> Option<(&Rc<Job>, TaskId)> {
        let index = || self.from.index + (task.index - self.tasks.start);
        self.tasks.contains(task).then(|| (&self.source, TaskId::new(self.from.layer, index())))
    }
}

impl Job {
    pub fn failure(&self) -> FailureScope {
        if self.plan.alone.is_some() { FailureScope::Task } else { FailureScope::Run }
    }

    /// The jobs that it imports from, by their positions in the scenario.
    pub fn source_jobs(&self) -> impl Iterator<Item = usize> {
        self.links.iter().map(|link| link.job)
    }

    /// The same job as it is submitted, when there is a run of each that it imports from.
    pub fn bound_to(&self, runs: &BTreeMap<usize, RunId>) -> Self {
        let import = |link: &Link| Some(Import { tasks: link.tasks, run: *runs.get(&link.job)?, from: link.from });
        Self { imports: self.links.iter().filter_map(import).collect(), ..self.clone() }
    }

    /// What it imports, as its client says it.
    pub fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// Whether `task` stands for another.
    pub fn is_imported(&self, task: TaskId) -> bool {
        self.links.iter().any(|link| link.tasks.contains(task))
    }

    /// What `task` stands for, in whatever run of that job.
    pub fn source_of(&self, task: TaskId) -> Option<(&Rc<Job>, TaskId)> {
        self.links.iter().find_map(|link| link.source_of(task))
    }

    /// Under which name workers know `task` of `run`, which is of this job. `job_of` tells of other runs.
    pub fn place_of<'a>(
        &self,
        run: RunId,
        task: TaskId,
        job_of: impl Fn(RunId) -> Option<&'a Rc<Job>>,
    ) -> (RunId, TaskId) {
        let source = |imports: &[Import], task: TaskId| {
            let import = imports.iter().find(|import| import.tasks.contains(task))?;
            let index = import.from.index + (task.index - import.tasks.start);
            Some((import.run, TaskId::new(import.from.layer, index)))
        };
        let Some(mut place) = source(&self.imports, task) else { return (run, task) };
        while let Some(next) = job_of(place.0).and_then(|job| source(&job.imports, place.1)) {
            place = next;
        }
        place
    }

    /// Whether `task` can't ever be computed.
    pub fn is_hopeless(&self, task: TaskId) -> bool {
        self.dooms[task.layer.0 as usize][task.index as usize]
    }

    /// Whether `task` needs the task `root` of the job of this seed: by itself, or by what it stands for.
    pub fn needs(&self, task: TaskId, (seed, root): (u64, TaskId)) -> bool {
        let (mut open, mut seen) = (vec![(self, task)], BTreeSet::new());
        while let Some((job, task)) = open.pop() {
            if (job.plan.seed, task) == (seed, root) {
                return true;
            }
            if seen.insert((job.plan.seed, task)) {
                open.extend(job.source_of(task).map(|(source, task)| (&**source, task)));
                job.graph.for_each_input(task, |input| open.push((job, input)));
            }
        }
        false
    }
}

/// What the layers of a job require, and those of the jobs that it imports from, each once.
pub(super) fn find_requires(plan: &JobPlan, links: &[Link]) -> Vec<Requires> {
    let own = plan.layers.iter().map(|layer| layer.requires);
    let all = own.chain(links.iter().flat_map(|link| link.source.requires.iter().copied()));
    let mut requires = vec![];
    all.for_each(|one| requires.extend((!requires.contains(&one)).then_some(one)));
    requires
}

/// By layer and index: what always fails, and what needs that.
pub(super) fn find_dooms(graph: &Graph, plan: &JobPlan, links: &[Link]) -> Vec<Vec<bool>> {
    let mut dooms: Vec<Vec<bool>> = graph.layers().map(|_| vec![]).collect();
    let always = |task: TaskId| {
        let is_it = |&&(layer, index, times): &&(u32, u64, u32)| {
            (layer, index) == (task.layer.0, task.index) && times == u32::MAX
        };
        plan.failures.iter().chain(&plan.deaths).any(|one| is_it(&one))
    };
    for task in all_tasks(graph) {
        let imported = links.iter().find_map(|link| link.source_of(task));
        let mut is_doomed = always(task) || imported.is_some_and(|(source, task)| source.is_hopeless(task));
        graph.for_each_input(task, |input| is_doomed |= dooms[input.layer.0 as usize][input.index as usize]);
        dooms[task.layer.0 as usize].push(is_doomed);
    }
    dooms
}
