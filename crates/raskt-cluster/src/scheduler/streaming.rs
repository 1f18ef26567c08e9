//! What workers report of assignments, for those who ask how a computation went.

use super::core::Core;
use super::stream::Ended;
use crate::question::{ANSWER_ENTRIES_MAX, Answer, KEY_BYTES, StreamFacts};
use raskt_schedule::{Outcome, Report, TaskRange, WorkerId};

/// What is said of layers by this name is told with what becomes of them.
const SPAN: &str = "span";

fn bounded(mut words: String) -> String {
    words.truncate(words.floor_char_boundary(KEY_BYTES));
    words
}

impl Core {
    /// A worker reports how an assignment ended. What it says of tasks that there aren't is for others to refuse.
    pub fn note_report(&mut self, worker: WorkerId, report: &Report) {
        let Some(graph) = self.machine.graph(report.run) else { return };
        let (mut done, mut failed, mut bytes) = (0_u64, 0_u64, 0_u64);
        for (range, outcome) in &report.outcomes {
            let tasks = range.end.saturating_sub(range.start);
            match outcome {
                Outcome::Done { bytes: of } | Outcome::Consumed { bytes: of } => {
                    (done, bytes) = (done.saturating_add(tasks), bytes.saturating_add(*of));
                }
                Outcome::Failed => failed = failed.saturating_add(tasks),
                Outcome::NotRun => {}
            }
        }
        let Some((first, _)) =
            report.outcomes.first().filter(|(range, _)| TaskRange::check_all(&[*range], graph).is_ok())
        else {
            return;
        };
        let layer = graph.layer(first.layer);
        let said = layer.annotations.other.contains_key(SPAN).then(|| layer.annotations.clone());
        let (name, index) = (layer.name.clone(), first.start);
        let (run, at, nanoseconds) = (report.run, self.now(), report.nanoseconds);
        self.stream.push(Ended { worker, run, name, index, at, nanoseconds, done, failed, bytes, said });
    }

    /// Those from a number on, and the number of the next; that alone from a number on that none has yet.
    pub fn stream_from(&self, from: u64) -> Answer {
        let (first, found) = self.stream.from(from);
        let facts = found.take(ANSWER_ENTRIES_MAX).map(|ended| {
            let key = bounded(format!("{}[{}]", ended.name, ended.index));
            let span = ended.said.as_ref().and_then(|said| said.other.get(SPAN));
            StreamFacts {
                worker: ended.worker,
                run: ended.run,
                key,
                age_nanoseconds: self.now().0.saturating_sub(ended.at.0),
                nanoseconds: ended.nanoseconds,
                done: ended.done,
                failed: ended.failed,
                bytes: ended.bytes,
                span: bounded(span.cloned().unwrap_or_default()),
            }
        });
        let ended: Vec<_> = facts.collect();
        let next = first.min(self.stream.next()) + ended.len() as u64;
        Answer::Stream { ended, next }
    }
}
