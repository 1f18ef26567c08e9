//! What of tasks that are to be cancelled others want, or what would fail with them.
//!
//! From the tasks everything is found that would fail; and from what others want of that, backwards, what they would lose it by.

use crate::collections::worklist::Worklist;
use crate::links::imports::Imports;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::{Failure, RunId, TaskRange};
use raskt_graph::{GridSet, Shape};
use std::collections::BTreeMap;

/// What is to be spared of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: whoever cancels something may cancel it.
    Nothing,
    /// What its client wants.
    Wanted,
    /// What it imports, though nothing of it may be wanted yet.
    Everything,
}

impl Scheduler {
    /// Those of `tasks` of a run that can be cancelled without taking something from anybody who has a `claim` on it.
    pub fn unclaimed(&self, id: RunId, tasks: &[TaskRange], claim: &dyn Fn(RunId) -> Claim) -> Vec<TaskRange> {
        if claim(id) == Claim::Nothing && !self.has_importers(id) {
            return tasks.to_vec();
        }
        let mut search = Search::new(self, claim);
        search.begin(id, tasks);
        search.find_failing();
        search.spare();
        tasks.iter().flat_map(|&range| search.spared.entry(id).or_default().gaps_in(range)).collect()
    }

    /// Whether others import tasks of `run`.
    fn has_importers(&self, run: RunId) -> bool {
        self.runs.get(&run).is_some_and(Run::has_importers)
    }

    /// The runs that import some of `tasks` of `run`, and what stands for those there.
    pub fn importers(&self, run: RunId, tasks: TaskRange) -> Vec<(RunId, TaskRange)> {
        let exports = self.runs.get(&run).and_then(|run| run.tasks.exports.as_ref());
        exports.map(|exports| exports.within(tasks)).unwrap_or_default()
    }
}

impl Scheduler {
    /// What of `tasks` of a run has failed, and why.
    pub fn failures_within(&self, run: RunId, tasks: TaskRange) -> Vec<(TaskRange, &Failure)> {
        let failures = self.runs.get(&run).and_then(|run| run.tasks.failures.as_ref());
        let within = failures.into_iter().flat_map(|failures| {
            let why = move |(range, root)| Some((range, failures.failure(root)?));
            failures.within(tasks).into_iter().filter_map(why)
        });
        within.collect()
    }
}

type ByRun = BTreeMap<RunId, Worklist>;

struct Search<'a> {
    scheduler: &'a Scheduler,
    claim: &'a dyn Fn(RunId) -> Claim,
    /// Perhaps among what would fail.
    open: ByRun,
    /// What is to be cancelled, and what would fail with it.
    found: ByRun,
    /// Those of these that are spared, and of which it isn't known yet what they are made of.
    claimed: Vec<(RunId, TaskRange)>,
    spared: ByRun,
}

impl<'a> Search<'a> {
    fn new(scheduler: &'a Scheduler, claim: &'a dyn Fn(RunId) -> Claim) -> Self {
        let (open, found, claimed, spared) = Default::default();
        Self { scheduler, claim, open, found, claimed, spared }
    }

    fn begin(&mut self, id: RunId, tasks: &[TaskRange]) {
        for &range in tasks {
            // What is there already is theirs as well; and what stands for it is there with it, but not what reads that.
            for (id, range) in [(id, range)].into_iter().chain(self.scheduler.importers(id, range)) {
                self.found.entry(id).or_default().insert(range);
                self.claim(id, range);
                self.expand(id, range);
            }
        }
    }

    /// Spares what somebody has a claim on.
    fn claim(&mut self, id: RunId, tasks: TaskRange) {
        let Some(run) = self.scheduler.runs.get(&id) else { return };
        match (self.claim)(id) {
            Claim::Nothing => {}
            Claim::Everything => self.claimed.push((id, tasks)),
            Claim::Wanted => {
                let wanted = run.tasks.layers[tasks.layer.0 as usize].wanted.stretches(tasks.start..tasks.end);
                self.claimed.extend(wanted.map(|part| (id, TaskRange { start: part.start, end: part.end, ..tasks })));
            }
        }
    }

    /// What reads `tasks` may be among what would fail.
    fn expand(&mut self, id: RunId, tasks: TaskRange) {
        let Some(run) = self.scheduler.runs.get(&id) else { return };
        // What isn't needed isn't read either, and there may be very much of it.
        let mut needed = Worklist::default();
        run.tasks.add_needed(tasks, &mut needed);
        let own = self.open.entry(id).or_default();
        while let Some(part) =
            needed.pop_first(|left| run.tasks.layers[left.layer.0 as usize].pages.end_of_first(left.start..left.end))
        {
            run.tasks.add_readers(&run.graph, part, own);
        }
        for (reader, stand_in) in self.scheduler.importers(id, tasks) {
            if (self.claim)(reader) == Claim::Everything {
                self.claimed.push((reader, stand_in));
            } else if let Some(run) = self.scheduler.runs.get(&reader) {
                run.tasks.add_needed(stand_in, self.open.entry(reader).or_default());
            }
        }
    }

    fn find_failing(&mut self) {
        while let Some((id, mut open)) = self.open.pop_first() {
            let Some(run) = self.scheduler.runs.get(&id) else { continue };
            let page =
                |left: TaskRange| run.tasks.layers[left.layer.0 as usize].pages.end_of_first(left.start..left.end);
            let Some(tasks) = open.pop_first(page) else { continue };
            self.open.insert(id, open);
            for part in run.tasks.unfinished_in(tasks) {
                let found = self.found.entry(id).or_default();
                let new = found.gaps_in(part);
                new.iter().for_each(|&range| found.insert(range));
                for range in new {
                    self.claim(id, range);
                    self.expand(id, range);
                }
            }
        }
    }

    fn spare(&mut self) {
        while let Some((id, tasks)) = self.claimed.pop() {
            let Some(run) = self.scheduler.runs.get(&id) else { continue };
            let spared = self.spared.entry(id).or_default();
            let new = spared.gaps_in(tasks);
            new.iter().for_each(|&range| spared.insert(range));
            for (of, input) in new.into_iter().flat_map(|range| inputs(id, run, range)) {
                let found = self.found.get(&of).map(|found| found.within(input)).unwrap_or_default();
                self.claimed.extend(found.into_iter().map(|range| (of, range)));
            }
        }
    }
}

/// What `tasks` read, or stand for.
fn inputs(id: RunId, run: &Run, tasks: TaskRange) -> Vec<(RunId, TaskRange)> {
    if let Some(imports) = run.tasks.imports.as_deref().filter(|imports: &&Imports| imports.has_layer(tasks.layer)) {
        return imports.within(tasks).into_iter().map(|part| (part.run, part.source())).collect();
    }
    let mut inputs = vec![];
    let shape = &run.graph.layer(tasks.layer).shape;
    if matches!(shape, Shape::Explicit(_)) {
        let one_by_one = |task| run.graph.for_each_input(task, |input| inputs.push((id, TaskRange::one(input))));
        tasks.tasks().for_each(one_by_one);
        return inputs;
    }
    for part in shape.grid().boxes(tasks.start..tasks.end) {
        shape.for_each_read(&GridSet::from(part), |layer, grid, read| {
            read.for_each_range(grid, |range| {
                inputs.push((id, TaskRange { layer, start: range.start, end: range.end }));
            });
        });
    }
    inputs
}
