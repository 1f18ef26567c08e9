//! Events as bytes.

use super::codec::{Decoder, Encoder};
use super::graphs;
use crate::flight::error::FlightError;
use crate::*;
use raskt_graph::{LayerId, TaskId};
use std::sync::Arc;

/// Writes a number that says which event it is, and its parts.
pub(super) fn encode(event: &Event, to: &mut Encoder) {
    match event {
        Event::GraphAdded { run, parent, graph, wanted, failure, imports } => {
            start(to, 0, run.0);
            to.list(parent.iter(), |to, parent| to.number(parent.0));
            graphs::encode(graph, to);
            encode_ranges(wanted, to);
            to.flag(*failure == FailureScope::Task);
            to.list(imports.iter(), |to, Import { tasks, run, from }| {
                encode_range(*tasks, to);
                to.number(run.0);
                encode_range(TaskRange::one(*from), to);
            });
        }
        Event::Wanted { run, tasks } => {
            start(to, 1, run.0);
            encode_ranges(tasks, to);
        }
        Event::Released { run, tasks } => {
            start(to, 2, run.0);
            encode_ranges(tasks, to);
        }
        Event::RunReleased { run } => start(to, 3, run.0),
        Event::Scattered { run, tasks, worker, bytes } => {
            start(to, 4, run.0);
            encode_ranges(tasks, to);
            to.number(u64::from(worker.0));
            to.number(*bytes);
        }
        Event::WorkerJoined { worker, offer } => {
            start(to, 5, u64::from(worker.0));
            to.number(u64::from(offer.slots));
            to.number(offer.memory);
            graphs::encode_resources(&offer.resources, to);
            to.text(&offer.name);
        }
        Event::WorkerResized { worker, slots, memory } => {
            start(to, 6, u64::from(worker.0));
            to.number(u64::from(*slots));
            to.number(*memory);
        }
        Event::WorkerLends { worker, slots } => {
            start(to, 25, u64::from(worker.0));
            to.number(u64::from(*slots));
        }
        Event::Waits { worker, run, attempt, does } => {
            start(to, 26, u64::from(worker.0));
            to.number(run.0);
            to.number(u64::from(attempt.0));
            to.flag(*does);
        }
        Event::WorkerRenamed { worker, name } => {
            start(to, 22, u64::from(worker.0));
            to.text(name);
        }
        Event::WorkerLost { worker, cause } => {
            start(to, 7, u64::from(worker.0));
            to.number(match cause {
                LossCause::Died => 0,
                LossCause::Retired => 1,
                LossCause::DiedFetching => 2,
            });
        }
        Event::ResultsLost { worker, run, tasks } => {
            start(to, 8, u64::from(worker.0));
            to.number(run.0);
            encode_ranges(tasks, to);
        }
        Event::Started { worker, run, attempt } => {
            start(to, 9, u64::from(worker.0));
            to.number(run.0);
            to.number(u64::from(attempt.0));
        }
        Event::Fetched { worker, run, tasks } => {
            start(to, 10, u64::from(worker.0));
            to.number(run.0);
            encode_ranges(tasks, to);
        }
        Event::Unsendable { worker, run, attempt, reader, from, is_deadly } => {
            start(to, 24, u64::from(worker.0));
            to.number(run.0);
            to.number(u64::from(attempt.0));
            encode_ranges(&[TaskRange::one(*reader)], to);
            to.number(u64::from(from.0));
            to.flag(*is_deadly);
        }
        Event::CopiesDropped { worker, run, tasks } => {
            start(to, 23, u64::from(worker.0));
            to.number(run.0);
            encode_ranges(tasks, to);
        }
        Event::FetchFailed { worker, run, attempt, input_run, task, from, reached } => {
            start(to, 11, u64::from(worker.0));
            to.number(run.0);
            to.number(u64::from(attempt.0));
            to.number(input_run.0);
            encode_ranges(&[TaskRange::one(*task)], to);
            to.number(u64::from(from.0));
            to.flag(*reached);
        }
        Event::Recalled { worker, run, attempt, tasks } => {
            start(to, 12, u64::from(worker.0));
            to.number(run.0);
            to.number(u64::from(attempt.0));
            encode_ranges(tasks, to);
        }
        Event::SlotsLent { worker, run, slots } => {
            start(to, 14, u64::from(worker.0));
            [run.0, u64::from(*slots)].into_iter().for_each(|number| to.number(number));
        }
        Event::SlotsReturned { worker, run, slots } => {
            start(to, 15, u64::from(worker.0));
            [run.0, u64::from(*slots)].into_iter().for_each(|number| to.number(number));
        }
        Event::Kept { worker, run, tasks } => {
            start(to, 18, u64::from(worker.0));
            to.number(run.0);
            to.list(tasks.iter(), |to, (range, bytes)| {
                encode_range(*range, to);
                to.number(*bytes);
            });
        }
        Event::RunsOn { worker, run, tasks } => {
            start(to, 21, u64::from(worker.0));
            to.number(run.0);
            encode_ranges(tasks, to);
        }
        Event::GiftsKept { worker, run, tasks, bytes } => {
            start(to, 19, u64::from(worker.0));
            to.number(run.0);
            encode_ranges(tasks, to);
            to.number(*bytes);
        }
        Event::TimePassed => start(to, 16, 0),
        Event::Retried { run, tasks } => {
            start(to, 17, run.0);
            encode_ranges(tasks, to);
        }
        Event::Cancelled { run, tasks } => {
            start(to, 20, run.0);
            encode_ranges(tasks, to);
        }
        Event::Reported { worker, report } => {
            start(to, 13, u64::from(worker.0));
            to.number(report.run.0);
            to.number(u64::from(report.attempt.0));
            to.list(report.outcomes.iter(), |to, (range, outcome)| {
                encode_range(*range, to);
                match outcome {
                    Outcome::Failed => to.number(0),
                    Outcome::NotRun => to.number(1),
                    Outcome::Done { bytes } => {
                        to.number(2);
                        to.number(*bytes);
                    }
                    Outcome::Consumed { bytes } => {
                        to.number(3);
                        to.number(*bytes);
                    }
                }
            });
            to.number(report.nanoseconds);
        }
    }
}

pub(super) fn decode(from: &mut Decoder) -> Result<Event, FlightError> {
    let kind = from.number()?;
    let first = from.number()?;
    let run = RunId(first);
    let worker = match kind {
        0..=4 | 17 | 20 => WorkerId(0),
        _ => WorkerId(u32::try_from(first).map_err(|_| FlightError::Malformed("a worker's number has 32 bits"))?),
    };
    Ok(match kind {
        0 => {
            let parents: Vec<RunId> = from.list(|from| Ok(RunId(from.number()?)))?;
            let (graph, wanted) = (Arc::new(graphs::decode(from)?), decode_ranges(from)?);
            let failure = if from.flag()? { FailureScope::Task } else { FailureScope::Run };
            let imports = from.list(|from| {
                let (tasks, run, first) = (decode_range(from)?, RunId(from.number()?), decode_range(from)?);
                Ok(Import { tasks, run, from: TaskId::new(first.layer, first.start) })
            })?;
            Event::GraphAdded { run, parent: parents.first().copied(), graph, wanted, failure, imports }
        }
        1 => Event::Wanted { run, tasks: decode_ranges(from)? },
        2 => Event::Released { run, tasks: decode_ranges(from)? },
        3 => Event::RunReleased { run },
        4 => {
            let (tasks, worker) = (decode_ranges(from)?, WorkerId(from.word()?));
            Event::Scattered { run, tasks, worker, bytes: from.number()? }
        }
        5 => {
            let (slots, memory) = (from.word()?, from.number()?);
            let resources = graphs::decode_resources(from)?;
            Event::WorkerJoined { worker, offer: Offer { slots, memory, resources, name: from.text()? } }
        }
        6 => Event::WorkerResized { worker, slots: from.word()?, memory: from.number()? },
        7 => {
            let cause = match from.number()? {
                0 => LossCause::Died,
                1 => LossCause::Retired,
                2 => LossCause::DiedFetching,
                _ => return Err(FlightError::Malformed("a worker is gone for no known reason")),
            };
            Event::WorkerLost { worker, cause }
        }
        8 => Event::ResultsLost { worker, run: RunId(from.number()?), tasks: decode_ranges(from)? },
        9 => Event::Started { worker, run: RunId(from.number()?), attempt: Attempt(from.word()?) },
        10 => Event::Fetched { worker, run: RunId(from.number()?), tasks: decode_ranges(from)? },
        24 => {
            let (run, attempt) = (RunId(from.number()?), Attempt(from.word()?));
            let reader = decode_ranges(from)?.first().map(|range| TaskId::new(range.layer, range.start));
            let reader = reader.ok_or(FlightError::Malformed("nobody reads what can't be sent"))?;
            let holder = WorkerId(from.word()?);
            Event::Unsendable { worker, run, attempt, reader, from: holder, is_deadly: from.flag()? }
        }
        23 => Event::CopiesDropped { worker, run: RunId(from.number()?), tasks: decode_ranges(from)? },
        11 => {
            let (run, attempt, input_run) = (RunId(from.number()?), Attempt(from.word()?), RunId(from.number()?));
            let task = decode_ranges(from)?.first().map(|range| TaskId::new(range.layer, range.start));
            let task = task.ok_or(FlightError::Malformed("a failed fetch names no task"))?;
            let (from, reached) = (WorkerId(from.word()?), from.flag()?);
            Event::FetchFailed { worker, run, attempt, input_run, task, from, reached }
        }
        12 => {
            let (run, attempt) = (RunId(from.number()?), Attempt(from.word()?));
            Event::Recalled { worker, run, attempt, tasks: decode_ranges(from)? }
        }
        13 => {
            let (run, attempt) = (RunId(from.number()?), Attempt(from.word()?));
            let outcomes = from.list(|from| {
                let range = decode_range(from)?;
                let outcome = match from.number()? {
                    0 => Outcome::Failed,
                    1 => Outcome::NotRun,
                    2 => Outcome::Done { bytes: from.number()? },
                    3 => Outcome::Consumed { bytes: from.number()? },
                    _ => return Err(FlightError::Malformed("a task ended in no known way")),
                };
                Ok((range, outcome))
            })?;
            Event::Reported { worker, report: Report { run, attempt, outcomes, nanoseconds: from.number()? } }
        }
        14 => Event::SlotsLent { worker, run: RunId(from.number()?), slots: from.word()? },
        15 => Event::SlotsReturned { worker, run: RunId(from.number()?), slots: from.word()? },
        16 => Event::TimePassed,
        18 => {
            let run = RunId(from.number()?);
            Event::Kept { worker, run, tasks: from.list(|from| Ok((decode_range(from)?, from.number()?)))? }
        }
        25 => Event::WorkerLends { worker, slots: from.word()? },
        26 => {
            let (run, attempt) = (RunId(from.number()?), Attempt(from.word()?));
            Event::Waits { worker, run, attempt, does: from.flag()? }
        }
        22 => Event::WorkerRenamed { worker, name: from.text()? },
        21 => Event::RunsOn { worker, run: RunId(from.number()?), tasks: decode_ranges(from)? },
        19 => {
            let (run, tasks) = (RunId(from.number()?), decode_ranges(from)?);
            Event::GiftsKept { worker, run, tasks, bytes: from.number()? }
        }
        17 => Event::Retried { run, tasks: decode_ranges(from)? },
        20 => Event::Cancelled { run, tasks: decode_ranges(from)? },
        _ => return Err(FlightError::Malformed("an event is of no known kind")),
    })
}

fn start(to: &mut Encoder, kind: u64, first: u64) {
    to.number(kind);
    to.number(first);
}

fn encode_range(range: TaskRange, to: &mut Encoder) {
    to.number(u64::from(range.layer.0));
    to.number(range.start);
    to.number(range.len());
}

fn decode_range(from: &mut Decoder) -> Result<TaskRange, FlightError> {
    let (layer, start, len) = (LayerId(from.word()?), from.number()?, from.number()?);
    let end = start.checked_add(len).ok_or(FlightError::Malformed("a range has no end"))?;
    Ok(TaskRange { layer, start, end })
}

fn encode_ranges(ranges: &[TaskRange], to: &mut Encoder) {
    to.list(ranges.iter(), |to, range| encode_range(*range, to));
}

fn decode_ranges(from: &mut Decoder) -> Result<Vec<TaskRange>, FlightError> {
    from.list(decode_range)
}
