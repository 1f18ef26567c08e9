//! What clients submit: a random graph, and what is known of it beforehand.

mod graphs;
mod nature;

use crate::random::{Random, fold, mix};
use crate::scenario::{HostPlan, JobPlan, Requires};
use raskt_graph::{Graph, LayerId, TaskId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A graph with all its results, and the nature of its tasks.
#[derive(Debug)]
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
}

impl Job {
    pub fn new(plan: &JobPlan) -> Self {
        let mut random = Random::new(plan.seed);
        let graph = Arc::new(graphs::draw(&mut random, plan));
        let wanted = draw_wanted(&mut random, &graph);
        let results = evaluate(&graph, plan.seed);
        let needed = find_needed(&graph, &wanted);
        let mut job = Self {
            plan: plan.clone(),
            graph,
            wanted,
            results,
            needed,
            given: BTreeSet::new(),
            failures: BTreeMap::new(),
            deaths: BTreeMap::new(),
        };
        if plan.gives {
            let first = all_tasks(&job.graph).take_while(|task| task.layer == LayerId(0));
            job.given = first.filter(|&task| job.graph.input_count(task) == 0 && job.is_needed(task)).collect();
        }
        job.draw_troubles(&mut random);
        job
    }

    fn draw_troubles(&mut self, random: &mut Random) {
        let tasks: Vec<_> = self.all_needed().filter(|task| !self.given.contains(task)).collect();
        for &task in &tasks {
            if random.chance(self.plan.flaky_per_million) && self.plan.retries > 0 {
                self.failures.insert(task, random.between(1, u64::from(self.plan.retries)) as u32);
            }
        }
        for _ in 0..self.plan.deadly.min(tasks.len() as u32) {
            let deaths = if random.chance(300_000) { u32::MAX } else { random.between(1, 6) as u32 };
            self.deaths.insert(*random.pick(&tasks), deaths);
        }
        if self.plan.doomed && !tasks.is_empty() {
            self.failures.insert(*random.pick(&tasks), u32::MAX);
        }
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
        self.plan.changes == 0 && (fails || kills)
    }

    /// Whether some host has what its tasks require.
    pub fn is_met_by(&self, hosts: &[HostPlan]) -> bool {
        match self.plan.requires {
            Requires::Gpu(amount) => hosts.iter().any(|host| host.gpu >= amount),
            Requires::Nothing | Requires::Host { .. } => true,
        }
    }

    /// How often `task` fails before it succeeds.
    pub fn failures(&self, task: TaskId) -> u32 {
        self.failures.get(&task).copied().unwrap_or(0)
    }

    /// How often `task` kills its worker before it succeeds.
    pub fn deaths(&self, task: TaskId) -> u32 {
        self.deaths.get(&task).copied().unwrap_or(0)
    }

    /// Time of all its tasks one after the other.
    pub fn nanoseconds(&self) -> u64 {
        self.all_needed().map(|task| self.task_nanoseconds(task)).sum()
    }
}

/// What a task makes of its inputs: a digest of who it is and what it read, in order.
pub(crate) fn compute(seed: u64, task: TaskId, inputs: impl IntoIterator<Item = u64>) -> u64 {
    let start = mix(seed ^ u64::from(task.layer.0) << 40 ^ task.index);
    inputs.into_iter().fold(start, fold)
}

/// The reference: all tasks in order, one after the other.
fn evaluate(graph: &Graph, seed: u64) -> Vec<Vec<u64>> {
    let mut results: Vec<Vec<u64>> = graph.layers().map(|_| vec![]).collect();
    for task in all_tasks(graph) {
        let mut inputs = vec![];
        graph.for_each_input(task, |input| inputs.push(results[input.layer.0 as usize][input.index as usize]));
        results[task.layer.0 as usize].push(compute(seed, task, inputs));
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

fn draw_wanted(random: &mut Random, graph: &Graph) -> Vec<TaskId> {
    let last = LayerId(graph.layers().len() as u32 - 1);
    // Whole last layers are what collections want; single tasks anywhere are what futures want.
    if random.chance(500_000) {
        return (0..graph.layer(last).len()).map(|index| TaskId::new(last, index)).collect();
    }
    let all: Vec<_> = all_tasks(graph).collect();
    let mut wanted: Vec<_> = (0..random.scaled(1, 8)).map(|_| *random.pick(&all)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

pub(crate) fn all_tasks(graph: &Graph) -> impl Iterator<Item = TaskId> {
    graph.layers().flat_map(|(id, layer)| (0..layer.len()).map(move |index| TaskId::new(id, index)))
}
