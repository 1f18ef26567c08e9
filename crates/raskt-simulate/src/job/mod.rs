//! What clients submit: a graph, and what is known of it beforehand.

mod graphs;
mod links;
mod nature;

pub(crate) use nature::stated_bytes;

use crate::random::{fold, mix};
use crate::scenario::{GPU, HostPlan, JobPlan, Requires};
use links::{Link, find_dooms, find_requires};
use raskt_graph::{Graph, LayerId, Resources, TaskId};
use raskt_schedule::Import;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// A graph with all its results, and the nature of its tasks.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub plan: JobPlan,
    pub graph: Arc<Graph>,
    pub wanted: Vec<TaskId>,
    /// By layer and index.
    results: Vec<Vec<u64>>,
    /// By layer and index: whether a wanted task needs it.
    needed: Vec<Vec<bool>>,
    /// Tasks whose results the client gives.
    pub given: BTreeSet<TaskId>,
    /// How often a task fails before it succeeds.
    failures: BTreeMap<TaskId, u32>,
    /// How often a task kills its worker before it succeeds.
    deaths: BTreeMap<TaskId, u32>,
    /// What tasks submit and wait for.
    nested: BTreeMap<TaskId, Rc<Job>>,
    /// What its tasks stand for that stand for others, and in a submitted run of it, of which runs.
    links: Vec<Link>,
    imports: Vec<Import>,
    /// What its layers require, and those of the jobs that it imports from.
    requires: Vec<Requires>,
    /// By layer and index: whether it can't ever be computed, since it or what it needs always fails.
    dooms: Vec<Vec<bool>>,
    /// Time of the longest of its tasks.
    longest: u64,
}

impl Job {
    pub fn new(plan: &JobPlan, earlier: &[Rc<Job>]) -> Self {
        let graph = Arc::new(graphs::build(&plan.layers, plan.retries));
        let wanted: Vec<_> = plan.wanted.iter().map(|&(layer, index)| TaskId::new(LayerId(layer), index)).collect();
        let needed = find_needed(&graph, &wanted);
        let links: Vec<Link> = plan.imports.iter().filter_map(|import| Link::new(import, earlier)).collect();
        let times = |list: &[(u32, u64, u32)]| {
            list.iter().map(|&(layer, index, times)| (TaskId::new(LayerId(layer), index), times)).collect()
        };
        let mut job = Self {
            plan: plan.clone(),
            results: evaluate(&graph, plan.seed, &links),
            dooms: find_dooms(&graph, plan, &links),
            requires: find_requires(plan, &links),
            links,
            imports: vec![],
            failures: times(&plan.failures),
            deaths: times(&plan.deaths),
            graph,
            wanted,
            needed,
            given: BTreeSet::new(),
            nested: nested(plan),
            longest: 0,
        };
        job.longest = job.all_needed().map(|task| job.task_nanoseconds(task)).max().unwrap_or(0);
        if plan.gives {
            let first = all_tasks(&job.graph).take_while(|task| task.layer == LayerId(0));
            job.given = first.filter(|&task| job.graph.input_count(task) == 0 && job.is_needed(task)).collect();
        }
        job
    }

    /// What its client wants when it submits it: nothing until what is given is there.
    pub fn wanted_at_first(&self) -> &[TaskId] {
        if self.given.is_empty() { &self.wanted } else { &[] }
    }

    /// All tasks that have to run, in order.
    pub fn all_needed(&self) -> impl Iterator<Item = TaskId> {
        all_tasks(&self.graph).filter(|&task| self.is_needed(task))
    }

    pub fn is_needed(&self, task: TaskId) -> bool {
        self.needed[task.layer.0 as usize][task.index as usize]
    }

    /// What `task` gives if everything goes right.
    pub fn result(&self, task: TaskId) -> u64 {
        self.results[task.layer.0 as usize][task.index as usize]
    }

    /// Whether one of its tasks is sure to fail for good, whatever its client wants meanwhile.
    pub fn is_doomed(&self) -> bool {
        let fails = self.failures.values().any(|&failures| failures > self.plan.retries);
        let kills = self.deaths.values().any(|&deaths| deaths == u32::MAX);
        let waits_in_vain = || self.all_needed().any(|task| self.is_hopeless(task));
        self.plan.changes == 0 && (fails || kills || waits_in_vain())
    }

    /// Whether its tasks require nothing of the workers that run them.
    pub fn is_for_all(&self) -> bool {
        self.requires.iter().all(|requires| *requires == Requires::Nothing)
    }

    /// Whether any worker has what each of its tasks requires, if that is no certain host.
    pub fn is_met_by_any(&self, workers: &[Resources]) -> bool {
        self.requires.iter().all(|requires| match *requires {
            Requires::Gpu(amount) => workers.iter().any(|worker| worker.get(GPU).is_some_and(|has| *has >= amount)),
            Requires::Nothing => true,
            Requires::Host { .. } => false,
        })
    }

    /// Whether for each of its tasks some host has what it requires; of those that have left, there is nothing.
    pub fn is_met_by(&self, hosts: &[Option<HostPlan>]) -> bool {
        self.requires.iter().all(|requires| match *requires {
            Requires::Gpu(amount) => hosts.iter().flatten().any(|host| host.gpu >= amount),
            Requires::Host { host, allows_others } => allows_others || hosts[host].is_some(),
            Requires::Nothing => true,
        })
    }

    /// How often `task` fails before it succeeds.
    pub fn failures(&self, task: TaskId) -> u32 {
        self.failures.get(&task).copied().unwrap_or(0)
    }

    /// How often `task` kills its worker before it succeeds.
    pub fn deaths(&self, task: TaskId) -> u32 {
        self.deaths.get(&task).copied().unwrap_or(0)
    }

    /// What `task` submits, and waits for.
    pub fn nested(&self, task: TaskId) -> Option<&Rc<Job>> {
        self.nested.get(&task)
    }

    /// Time of all its tasks that are needed one after the other, with what they wait for. If what is wanted changes, any of them
    /// may come to be.
    pub fn nanoseconds(&self) -> u64 {
        let is_needed = |task: &TaskId| self.plan.changes > 0 || self.is_needed(*task);
        let own: u64 = all_tasks(&self.graph).filter(is_needed).map(|task| self.task_nanoseconds(task)).sum();
        own + self.nested.values().map(|job| job.nanoseconds()).sum::<u64>()
    }

    /// The priorities of its layers.
    pub fn highest_priority(&self) -> i32 {
        self.plan.layers.iter().map(|layer| layer.priority).max().unwrap_or(0)
    }

    pub fn lowest_priority(&self) -> i32 {
        self.plan.layers.iter().map(|layer| layer.priority).min().unwrap_or(0)
    }

    /// Time of the longest of its tasks.
    pub fn longest_nanoseconds(&self) -> u64 {
        self.longest
    }

    /// How many tasks it has, with those of what they wait for.
    pub fn tasks(&self) -> u64 {
        self.graph.tasks() + self.nested.values().map(|job| job.tasks()).sum::<u64>()
    }
}

fn nested(plan: &JobPlan) -> BTreeMap<TaskId, Rc<Job>> {
    let jobs = plan.nested.iter().flat_map(|nested| {
        let job = Rc::new(Job::new(&nested.job, &[]));
        nested.callers.iter().map(move |&(layer, index)| (TaskId::new(LayerId(layer), index), job.clone()))
    });
    jobs.collect()
}

/// What a task makes of its inputs: a digest of who it is and what it read, in order.
pub(crate) fn compute(seed: u64, task: TaskId, inputs: impl IntoIterator<Item = u64>) -> u64 {
    let start = mix(seed ^ u64::from(task.layer.0) << 40 ^ task.index);
    inputs.into_iter().fold(start, fold)
}

/// The reference: all tasks in order, one after the other.
fn evaluate(graph: &Graph, seed: u64, links: &[Link]) -> Vec<Vec<u64>> {
    let mut results: Vec<Vec<u64>> = graph.layers().map(|_| vec![]).collect();
    for task in all_tasks(graph) {
        let mut inputs = vec![];
        graph.for_each_input(task, |input| inputs.push(results[input.layer.0 as usize][input.index as usize]));
        let own = || compute(seed, task, inputs);
        let imported = links.iter().find_map(|link| link.source_of(task));
        let result = imported.map_or_else(own, |(source, task)| source.result(task));
        results[task.layer.0 as usize].push(result);
    }
    results
}

fn find_needed(graph: &Graph, wanted: &[TaskId]) -> Vec<Vec<bool>> {
    let mut needed: Vec<_> = graph.layers().map(|(_, layer)| vec![false; layer.len() as usize]).collect();
    let mut open = wanted.to_vec();
    while let Some(task) = open.pop() {
        if !std::mem::replace(&mut needed[task.layer.0 as usize][task.index as usize], true) {
            graph.for_each_input(task, |input| open.push(input));
        }
    }
    needed
}

pub(crate) fn all_tasks(graph: &Graph) -> impl Iterator<Item = TaskId> {
    graph.layers().flat_map(|(id, layer)| (0..layer.len()).map(move |index| TaskId::new(id, index)))
}
