//! Results that something named refers to: by ranges, how often.

use super::reply::Action;
use crate::{RunId, TaskRange};
use raskt_graph::LayerId;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// How often results are referred to. Says when the first does, and when none does any more.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// Neighbouring ranges of one layer have different counts, none of which is zero.
    counts: BTreeMap<(RunId, LayerId), Counts>,
}

/// By the first task: one past the last, and how often they are referred to.
type Counts = BTreeMap<u64, (u64, u64)>;

impl Holds {
    /// They are referred to once more.
    pub fn hold(&mut self, run: RunId, tasks: TaskRange, actions: &mut VecDeque<Action>) {
        if tasks.is_empty() {
            return;
        }
        let counts = self.counts.entry((run, tasks.layer)).or_default();
        let first = adjust(counts, tasks.start..tasks.end, |count| count + 1, |before, _| before == 0);
        let tasks = first.into_iter().map(|Range { start, end }| TaskRange { start, end, ..tasks });
        actions.extend(tasks.map(|tasks| Action::Hold { run, tasks }));
    }

    /// They are referred to once less.
    pub fn let_go(&mut self, run: RunId, tasks: TaskRange, actions: &mut VecDeque<Action>) {
        let Some(counts) = self.counts.get_mut(&(run, tasks.layer)).filter(|_| !tasks.is_empty()) else { return };
        let last = adjust(counts, tasks.start..tasks.end, |count| count.saturating_sub(1), |_, after| after == 0);
        if counts.is_empty() {
            self.counts.remove(&(run, tasks.layer));
        }
        let tasks = last.into_iter().map(|Range { start, end }| TaskRange { start, end, ..tasks });
        actions.extend(tasks.map(|tasks| Action::LetGo { run, tasks }));
    }

    /// All that is referred to.
    pub fn held(&self) -> Vec<(RunId, TaskRange)> {
        let mut held: Vec<(RunId, TaskRange)> = vec![];
        for (&(run, layer), counts) in &self.counts {
            for (&start, &(end, _)) in counts {
                match held.last_mut() {
                    Some((of, last)) if *of == run && last.layer == layer && last.end == start => last.end = end,
                    _ => held.push((run, TaskRange { layer, start, end })),
                }
            }
        }
        held
    }

    /// How often everything is referred to, task by task: for tests and validation of few tasks.
    pub fn total(&self) -> u128 {
        let counts = self.counts.values().flatten();
        counts.map(|(start, (end, count))| u128::from(end - start) * u128::from(*count)).sum()
    }
}

/// Changes how often the tasks of `range` are referred to, and gives those of which `is_told` says so, with the counts before
/// and after.
fn adjust(
    counts: &mut Counts,
    range: Range<u64>,
    change: impl Fn(u64) -> u64,
    is_told: impl Fn(u64, u64) -> bool,
) -> Vec<Range<u64>> {
    split(counts, range.start);
    split(counts, range.end);
    let mut pieces: Vec<(Range<u64>, u64)> = vec![];
    let mut at = range.start;
    for (&start, &(end, count)) in counts.range(range.clone()) {
        if at < start {
            pieces.push((at..start, 0));
        }
        pieces.push((start..end, count));
        at = end;
    }
    if at < range.end {
        pieces.push((at..range.end, 0));
    }
    let mut told: Vec<Range<u64>> = vec![];
    for (piece, before) in pieces {
        let after = change(before);
        match after {
            0 => drop(counts.remove(&piece.start)),
            _ => drop(counts.insert(piece.start, (piece.end, after))),
        }
        if is_told(before, after) && before != after {
            match told.last_mut() {
                Some(last) if last.end == piece.start => last.end = piece.end,
                _ => told.push(piece),
            }
        }
    }
    join(counts, range);
    told
}

/// Has a range begin at `at`, if one goes across it.
fn split(counts: &mut Counts, at: u64) {
    if let Some((&start, &(end, count))) = counts.range(..at).next_back()
        && at < end
    {
        counts.insert(start, (at, count));
        counts.insert(at, (end, count));
    }
}

/// Puts neighbours of the same count together, from the one before `range` to the one after it.
fn join(counts: &mut Counts, range: Range<u64>) {
    let from = counts.range(..range.start).next_back().map_or(range.start, |(&start, _)| start);
    let starts: Vec<u64> = counts.range(from..=range.end).map(|(&start, _)| start).collect();
    let mut before: Option<u64> = None;
    for start in starts {
        let (end, count) = counts[&start];
        match before.map(|before| (before, counts[&before])) {
            Some((first, (last_end, last_count))) if last_end == start && last_count == count => {
                counts.remove(&start);
                counts.insert(first, (end, count));
            }
            _ => before = Some(start),
        }
    }
}
