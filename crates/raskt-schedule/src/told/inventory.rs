//! What a worker holds, and when it told the scheduler of it: the worker's side of [`crate::Action::Discard`].

use crate::{Outcome, Report, RunId, TaskRange};
use raskt_graph::{LayerId, TaskId};
use std::collections::BTreeMap;

/// The results that a worker holds, by ranges, and which of them the scheduler was told of when.
///
/// Messages of scheduler and worker cross. A discard says how often the worker had been heard of what it holds; of a result that
/// it has spoken of since, or is about to, the scheduler will think anew, and it stays. Whoever drives a worker says here what
/// comes ([`Self::hold`]), what is told ([`Self::tell`], with every event that says what it holds, be it nothing) and what goes.
#[derive(Debug, Default)]
pub struct Inventory {
    runs: BTreeMap<RunId, Spans>,
    said: u64,
}

/// Neighbours that were told of together, by layer and first task. None are empty, and no two have a task in common.
#[derive(Debug, Default)]
struct Spans(BTreeMap<(LayerId, u64), Span>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    end: u64,
    /// The last time that the scheduler was told of them, counted over all that it is told of results; nothing if it wasn't.
    told: Option<u64>,
}

impl Inventory {
    /// Results came here, made or fetched, that the scheduler hasn't been told of: also where it knows of older ones.
    pub fn hold(&mut self, run: RunId, tasks: TaskRange) {
        if !tasks.is_empty() {
            self.runs.entry(run).or_default().set(tasks, None);
        }
    }

    /// The scheduler is told of results, as far as they are here. Of nothing is to be said as well: it counts.
    pub fn tell(&mut self, run: RunId, tasks: &[TaskRange]) {
        self.said += 1;
        let Some(spans) = self.runs.get_mut(&run) else { return };
        for range in tasks {
            spans.cut(*range).into_iter().for_each(|(part, _)| spans.set(part, Some(self.said)));
        }
    }

    /// The scheduler is told how tasks ended. Of what was consumed or not run that says nothing, whatever an earlier attempt has left
    /// of it here.
    pub fn tell_report(&mut self, report: &Report) {
        let is_kept = |outcome: &Outcome| matches!(outcome, Outcome::Done { .. });
        let kept = report.outcomes.iter().filter(|(_, outcome)| is_kept(outcome));
        self.tell(report.run, &kept.map(|&(range, _)| range).collect::<Vec<_>>());
    }

    /// The scheduler wants results dropped, and had been told what is here `version` times: gives those that are to go, which
    /// are no longer held. The others stay.
    pub fn discard(&mut self, run: RunId, tasks: &[TaskRange], version: u64) -> Vec<TaskRange> {
        let Some(spans) = self.runs.get_mut(&run) else { return vec![] };
        let mut dropped = vec![];
        for range in tasks {
            for (part, told) in spans.cut(*range) {
                match told {
                    Some(told) if told <= version => dropped.push(part),
                    _ => spans.set(part, told),
                }
            }
        }
        self.forget_empty(run);
        dropped
    }

    /// Another scheduler is there, or it has begun anew: it hasn't been told of anything.
    pub fn begin_anew(&mut self) {
        self.said = 0;
        self.runs.values_mut().for_each(Spans::forget_told);
    }

    /// Results are gone.
    pub fn lose(&mut self, run: RunId, tasks: TaskRange) {
        if let Some(spans) = self.runs.get_mut(&run) {
            spans.cut(tasks);
            self.forget_empty(run);
        }
    }

    /// All results of a run are gone.
    pub fn forget(&mut self, run: RunId) {
        self.runs.remove(&run);
    }

    /// Whether the scheduler was told of a result that is here.
    pub fn is_told(&self, run: RunId, task: TaskId) -> bool {
        self.runs.get(&run).and_then(|spans| spans.find(task)).is_some_and(|span| span.told.is_some())
    }

    /// How often the scheduler was told.
    pub fn said(&self) -> u64 {
        self.said
    }

    /// The runs of which something is here, in order.
    pub fn runs(&self) -> impl Iterator<Item = RunId> {
        self.runs.keys().copied()
    }

    /// What is here of a run, in order.
    pub fn of(&self, run: RunId) -> Vec<TaskRange> {
        let mut ranges: Vec<TaskRange> = vec![];
        for (&(layer, start), span) in self.runs.get(&run).iter().flat_map(|spans| &spans.0) {
            match ranges.last_mut() {
                Some(last) if last.layer == layer && last.end == start => last.end = span.end,
                _ => ranges.push(TaskRange { layer, start, end: span.end }),
            }
        }
        ranges
    }

    fn forget_empty(&mut self, run: RunId) {
        if self.runs.get(&run).is_some_and(|spans| spans.0.is_empty()) {
            self.runs.remove(&run);
        }
    }
}

impl Spans {
    fn find(&self, task: TaskId) -> Option<Span> {
        let (&(layer, _), span) = self.0.range(..=(task.layer, task.index)).next_back()?;
        (layer == task.layer && task.index < span.end).then_some(*span)
    }

    /// Takes `tasks` out; gives those that were in it, with when they were told of.
    fn cut(&mut self, tasks: TaskRange) -> Vec<(TaskRange, Option<u64>)> {
        let TaskRange { layer, start, end } = tasks;
        let mut parts = vec![];
        if tasks.is_empty() {
            return parts;
        }
        // From the last one on, which may reach beyond; the first may begin before.
        while let Some((&(of, first), &Span { end: last, told })) = self.0.range(..(layer, end)).next_back()
            && of == layer
            && last > start
        {
            self.0.remove(&(of, first));
            if last > end {
                self.0.insert((layer, end), Span { end: last, told });
            }
            if first < start {
                self.0.insert((layer, first), Span { end: start, told });
            }
            parts.push((TaskRange { layer, start: first.max(start), end: last.min(end) }, told));
        }
        parts.reverse();
        parts
    }

    /// Nobody was told of any of them. Neighbours stay apart until they are told of.
    fn forget_told(&mut self) {
        self.0.values_mut().for_each(|span| span.told = None);
    }

    /// Puts `tasks` in, in the place of what was known of them. Neighbours of which the same is known become one.
    fn set(&mut self, tasks: TaskRange, told: Option<u64>) {
        self.cut(tasks);
        let TaskRange { layer, mut start, mut end } = tasks;
        if let Some((&(of, first), before)) = self.0.range(..(layer, start)).next_back()
            && of == layer
            && *before == (Span { end: start, told })
        {
            self.0.remove(&(layer, first));
            start = first;
        }
        if let Some(after) = self.0.get(&(layer, end)).copied()
            && after.told == told
        {
            self.0.remove(&(layer, end));
            end = after.end;
        }
        self.0.insert((layer, start), Span { end, told });
    }
}
