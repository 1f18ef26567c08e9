//! Results that are small against what it took to make them: a second worker holds each, so that it outlives the first.
//!
//! Making a result again takes as long as making it took, and as long as what it was made of took which is gone by then: the sum of ten
//! thousand simulations is a number, and costs them all. Copies are made by the way, one at a time of what a worker holds; what isn't
//! copied when its worker dies is made again as ever.

use crate::ranges::RangeMap;
use raskt_graph::TaskId;
use raskt_schedule::{Outcome, Report, RunId, Scheduler, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// What took less on one thread, in nanoseconds, is made again in no time: a copy is work of three processes.
const DEAR: u64 = 50_000_000;

/// A copy takes no more than this part of what making it again does; a byte takes about a nanosecond.
const SHARE: u64 = 100;

/// A result of more bytes isn't copied, whatever it took: memory is dear as well.
const BYTES_MOST: u64 = 1 << 20;

/// Of a report of more tasks nobody looks at what each has read.
const TASKS_MOST: u64 = 64;

/// Inputs of a task that are looked at.
const INPUTS_MOST: u64 = 256;

/// What waits to be copied, for each worker: what comes beyond isn't.
const WAITING_MOST: usize = 1 << 12;

/// Copies on which somebody may die: what pickles or reads the result may be why, and it would be made again, and copied, for ever.
const DEATHS_MOST: u8 = 2;

/// After so long it would have been heard that a worker had died when it was to give something.
const HEARD_OF: Duration = Duration::from_secs(20);

/// Ranges of one copy.
const RANGES_MOST: usize = 1 << 8;

#[derive(Default)]
pub(super) struct Backups {
    /// Dear results that are in memory.
    dear: BTreeMap<RunId, RangeMap<Dear>>,
    /// Of what each worker holds.
    lanes: BTreeMap<WorkerId, Lane>,
    /// Copies that are under way, and whose lane they are of.
    copies: BTreeMap<u64, WorkerId>,
    /// How often somebody has died while these were copied.
    deaths: BTreeMap<RunId, BTreeMap<TaskId, u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dear {
    /// What it took, in nanoseconds.
    cost: u64,
    /// Against that.
    is_small: bool,
}

#[derive(Default)]
struct Lane {
    waiting: VecDeque<(RunId, TaskId)>,
    under_way: Option<UnderWay>,
    /// What wasn't copied last, and when: whoever was to give it may have died, of which it isn't heard yet.
    failed: Option<(Instant, ToCopy)>,
}

/// A copy that is being made, and who makes it.
struct UnderWay {
    copy: u64,
    to: WorkerId,
    of: ToCopy,
}

/// Results of a worker that are to be copied: of one run.
#[derive(Clone)]
pub(super) struct ToCopy {
    pub run: RunId,
    pub tasks: Vec<TaskRange>,
}

impl Backups {
    /// A worker tells of results: which of them are dear is remembered, and those that are small against it are given. It is asked before
    /// the machine hears of them: what they were made of may go when it does.
    pub fn dear(&mut self, machine: &Scheduler, report: &Report) -> Vec<(RunId, TaskId)> {
        // Tasks of one assignment may have been made of each other: what one of them took isn't known, and all are copied together.
        let own = report.nanoseconds;
        if own < DEAR && self.dear.is_empty() {
            return vec![];
        }
        // Nobody has looked yet whether there are such tasks.
        let told: Vec<_> = report.outcomes.iter().map(|(range, _)| *range).collect();
        if machine.graph(report.run).is_none_or(|graph| TaskRange::check_all(&told, graph).is_err()) {
            return vec![];
        }
        let tasks = report
            .outcomes
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Done { .. } | Outcome::Consumed { .. }));
        let (mut cost, mut bytes, mut count, mut done) = (own, 0_u64, 0, vec![]);
        for (range, outcome) in tasks {
            count += range.len();
            if count > TASKS_MOST {
                return vec![];
            }
            range.tasks().for_each(|task| cost = cost.saturating_add(self.cost_of_inputs(machine, report.run, task)));
            if let Outcome::Done { bytes: of } = outcome {
                bytes = bytes.saturating_add(*of);
                done.extend(range.tasks());
            }
        }
        if cost < DEAR {
            return vec![];
        }
        let is_small = bytes <= BYTES_MOST && bytes <= cost / SHARE;
        let dear = self.dear.entry(report.run).or_default();
        done.iter().for_each(|&task| dear.set(TaskRange::one(task), Dear { cost, is_small }));
        if is_small { done.into_iter().map(|task| (report.run, task)).collect() } else { vec![] }
    }

    /// What went into the making of what `task` reads, as far as that was dear.
    fn cost_of_inputs(&self, machine: &Scheduler, run: RunId, task: TaskId) -> u64 {
        let mut cost = 0_u64;
        let mut add = |input| {
            let made_at = machine.made_at(run, input);
            let of_input = made_at.and_then(|(run, input)| self.dear.get(&run)?.get(input));
            cost = cost.saturating_add(of_input.map_or(0, |dear| dear.cost));
        };
        if let Some(graph) = machine.graph(run).filter(|_| !self.dear.is_empty()) {
            graph.for_first_inputs(task, INPUTS_MOST, &mut add);
        }
        cost
    }

    /// What is to be copied once `worker` is gone, and who else holds it: of runs that it knew.
    pub fn of(
        &self,
        machine: &Scheduler,
        worker: WorkerId,
        runs: &BTreeSet<RunId>,
    ) -> Vec<(WorkerId, (RunId, TaskId))> {
        let mut others = vec![];
        for (&run, dear) in self.dear.iter().filter(|(run, _)| runs.contains(run)) {
            let small = dear.all().filter(|(_, dear)| dear.is_small).flat_map(|(range, _)| range.tasks());
            for task in small {
                if let [one, other] = machine.holders(run, task)[..]
                    && (one == worker || other == worker)
                {
                    others.push((if one == worker { other } else { one }, (run, task)));
                }
            }
        }
        others
    }

    /// Results are to be copied from `worker`. Whether it has none under way.
    pub fn add(&mut self, worker: WorkerId, results: Vec<(RunId, TaskId)>) -> bool {
        let lane = self.lanes.entry(worker).or_default();
        let room = WAITING_MOST.saturating_sub(lane.waiting.len());
        lane.waiting.extend(results.into_iter().take(room));
        lane.under_way.is_none()
    }

    /// Workers of which there is something to copy, and no copy is under way.
    pub fn idle(&self) -> Vec<WorkerId> {
        let idle = self.lanes.iter().filter(|(_, lane)| lane.under_way.is_none() && !lane.waiting.is_empty());
        idle.map(|(&from, _)| from).collect()
    }

    /// What is to be copied from `worker` next: what nobody else holds by now, and somebody needs.
    pub fn next(&mut self, machine: &Scheduler, worker: WorkerId) -> Option<ToCopy> {
        let lane = self.lanes.get_mut(&worker).filter(|lane| lane.under_way.is_none())?;
        let mut next: Option<ToCopy> = None;
        while let Some(&(run, task)) = lane.waiting.front() {
            if next.as_ref().is_some_and(|next| next.run != run || next.tasks.len() == RANGES_MOST) {
                break;
            }
            let deaths = self.deaths.get(&run).and_then(|deaths| deaths.get(&task)).copied().unwrap_or(0);
            // One on which somebody has died comes alone: the others were beside it.
            if deaths > 0 && next.is_some() {
                break;
            }
            lane.waiting.pop_front();
            if deaths < DEATHS_MOST && machine.holders(run, task) == [worker] {
                TaskRange::push(&mut next.get_or_insert(ToCopy { run, tasks: vec![] }).tasks, task);
                if deaths > 0 {
                    break;
                }
            }
        }
        next
    }

    pub fn began(&mut self, copy: u64, from: WorkerId, to: WorkerId, of: ToCopy) {
        self.lanes.entry(from).or_default().under_way = Some(UnderWay { copy, to, of });
        self.copies.insert(copy, from);
    }

    /// `worker` has made a copy, or couldn't: whose results it was of, if it was one of these.
    pub fn ended(&mut self, copy: u64, worker: WorkerId, is_made: bool) -> Option<WorkerId> {
        let from = *self.copies.get(&copy)?;
        match self.lanes.get_mut(&from) {
            Some(lane) if lane.under_way.as_ref().is_some_and(|way| (way.copy, way.to) == (copy, worker)) => {
                let of = lane.under_way.take().map(|way| way.of);
                lane.failed = of.clone().filter(|_| !is_made).map(|of| (Instant::now(), of));
                let made = of.filter(|_| is_made);
                if let Some((deaths, tasks)) = made.and_then(|of| Some((self.deaths.get_mut(&of.run)?, of.tasks))) {
                    tasks.iter().flat_map(|range| range.tasks()).for_each(|task| _ = deaths.remove(&task));
                }
            }
            // It is gone meanwhile.
            None => {}
            Some(_) => return None,
        }
        self.copies.remove(&copy);
        Some(from)
    }

    /// A worker is gone. Gives those whose copies it was making.
    pub fn lost(&mut self, worker: WorkerId, has_died: bool) -> Vec<WorkerId> {
        let Lane { under_way, failed, .. } = self.lanes.remove(&worker).unwrap_or_default();
        under_way.iter().for_each(|way| _ = self.copies.remove(&way.copy));
        let failed = failed.filter(|(since, _)| since.elapsed() < HEARD_OF).map(|(_, of)| of);
        let copied = under_way.map(|way| way.of).into_iter().chain(failed).filter(|_| has_died);
        copied.for_each(|of| self.note_deaths(&of));
        let lanes = self.lanes.iter().filter(|(_, lane)| lane.under_way.as_ref().is_some_and(|way| way.to == worker));
        let lanes: Vec<_> = lanes.map(|(&from, _)| from).collect();
        for from in &lanes {
            let Some(lane) = self.lanes.get_mut(from) else { continue };
            let Some(UnderWay { copy, of, .. }) = lane.under_way.take() else { continue };
            self.copies.remove(&copy);
            // They are as dear as before; but reading them may be what it died of.
            if has_died {
                self.note_deaths(&of);
            }
            let again = of.tasks.iter().flat_map(|range| range.tasks()).map(|task| (of.run, task));
            self.lanes.entry(*from).or_default().waiting.extend(again);
        }
        lanes
    }

    /// Somebody has died while these were copied.
    fn note_deaths(&mut self, of: &ToCopy) {
        if self.dear.contains_key(&of.run) {
            let deaths = self.deaths.entry(of.run).or_default();
            of.tasks.iter().flat_map(|range| range.tasks()).for_each(|task| *deaths.entry(task).or_default() += 1);
        }
    }

    /// Results go from a worker: what another one holds is as dear as before.
    pub fn discarded(&mut self, machine: &Scheduler, run: RunId, tasks: &[TaskRange]) {
        if let Some(dear) = self.dear.get_mut(&run) {
            let parts: Vec<_> = tasks.iter().flat_map(|&range| dear.cut(range)).collect();
            for (part, known) in parts {
                let held = part.tasks().filter(|&task| !machine.holders(run, task).is_empty());
                held.for_each(|task| dear.set(TaskRange::one(task), known));
            }
            if dear.is_empty() {
                self.dear.remove(&run);
            }
        }
    }

    pub fn forget(&mut self, run: RunId) {
        self.dear.remove(&run);
        self.deaths.remove(&run);
    }
}
