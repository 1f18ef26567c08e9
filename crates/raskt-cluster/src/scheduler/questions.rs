//! What clients ask about the cluster.

use super::absent::Recovery;
use super::core::Core;
use super::entries::WorkerEntry;
use crate::message::ToClient;
use crate::question::*;
use raskt_graph::TaskId;
use raskt_schedule::{Cursor, Progress, Resident, RunId, TaskRange, TaskState, WorkerId};

impl Core {
    pub fn ask(&mut self, client: u32, number: u64, question: Question) {
        let answer = match question {
            Question::Order(order) => match self.begin_order(client, number, order) {
                Ok(None) => return,
                Ok(Some(answer)) => answer,
                Err(reason) => Answer::Refused(reason),
            },
            question => match &mut self.recovery {
                // What workers hold isn't known before they are back.
                Some(recovery) if recovery.asked.len() < Recovery::ASKED_MOST => {
                    return recovery.asked.push((client, number, question));
                }
                _ => self.answer(question),
            },
        };
        self.tell_answer(client, number, answer);
    }

    pub fn tell_answer(&self, client: u32, number: u64, answer: Answer) {
        if let Some(entry) = self.clients.get(&client) {
            entry.send(&ToClient::Answer { number, answer });
        }
    }

    fn answer(&self, question: Question) -> Answer {
        match question {
            Question::Scheduler => Answer::Scheduler(self.facts()),
            Question::Workers { from } => {
                let there = self.workers.range(from..).filter(|(_, entry)| entry.is_in());
                let facts = there.map(|(&worker, entry)| self.worker_facts(worker, entry));
                Answer::Workers(facts.take(ANSWER_ENTRIES_MAX).collect())
            }
            Question::WhoHas { tasks } => {
                let tasks = each(tasks).filter_map(|(run, task)| self.result_facts(run, task));
                Answer::WhoHas(tasks.collect())
            }
            Question::Results { from } => self.results(from),
            Question::Processing { worker } => Answer::Processing(self.processing_facts(worker)),
            Question::Stories { tasks } => {
                let tasks = tasks.into_iter().take(ANSWER_ENTRIES_MAX);
                Answer::Stories(tasks.map(|(run, task)| self.story_facts(run, task)).collect())
            }
            Question::Runs { from } => Answer::Runs(self.run_facts(from)),
            Question::Log => Answer::Log(self.notes.all(self.now())),
            Question::Stream { from } => self.stream_from(from),
            Question::Order(_) => Answer::Refused("it is no question".into()),
        }
    }

    pub fn facts(&self) -> SchedulerFacts {
        let Progress { total: tasks, done } = self.machine.totals();
        SchedulerFacts {
            age_nanoseconds: self.now().0,
            clients: self.clients.len() as u64,
            workers: self.workers.values().filter(|worker| worker.is_in()).count() as u64,
            runs: self.runs.len() as u64,
            tasks,
            done,
            failed: self.errors.len() as u64,
            errands: self.errands.len() as u64,
        }
    }

    pub fn worker_facts(&self, worker: WorkerId, entry: &WorkerEntry) -> WorkerFacts {
        let load = self.machine.load_of(worker).unwrap_or_default();
        let since = |then: raskt_schedule::Time| self.now().0.saturating_sub(then.0);
        WorkerFacts {
            worker,
            resources: entry.resources.clone(),
            heard_nanoseconds: since(entry.heard_at),
            age_nanoseconds: since(entry.joined_at),
            is_retiring: entry.is_retiring,
            is_preparing: entry.is_preparing(),
            assignments: load.assignments,
            started: load.started,
            nanoseconds: load.nanoseconds,
            results: load.results,
            bytes: load.bytes,
        }
    }

    fn results(&self, from: Cursor) -> Answer {
        let (mut found, mut next) = self.machine.residents(from, LOOKED_AT_MOST);
        if let Some(first) = found.get(ANSWER_ENTRIES_MAX) {
            next = Some((first.run, first.task));
            found.truncate(ANSWER_ENTRIES_MAX);
        }
        Answer::Results { results: found.into_iter().map(|resident| self.named(resident)).collect(), next }
    }

    fn result_facts(&self, run: RunId, task: TaskId) -> Option<ResultFacts> {
        let workers = self.is_of(run, task).then(|| self.machine.holders(run, task))?;
        let held = self.machine.who_has(run, TaskRange::one(task), 1);
        let bytes = held.first()?.bytes;
        Some(self.named(Resident { run, task, bytes, workers }))
    }

    fn named(&self, resident: Resident) -> ResultFacts {
        let Resident { run, task, bytes, workers } = resident;
        ResultFacts { key: self.key(run, task), run, task, bytes, workers }
    }

    fn processing_facts(&self, worker: WorkerId) -> Vec<ProcessingFacts> {
        let placed = self.machine.processing(worker, None, ANSWER_ENTRIES_MAX);
        let tasks = placed.iter().flat_map(|placed| {
            let nanoseconds = self.now().0.saturating_sub(placed.since.0);
            let tasks = placed.tasks.iter().flat_map(|range| range.tasks());
            tasks.map(move |task| (placed.run, task, nanoseconds, placed.is_started))
        });
        let facts = tasks.map(|(run, task, nanoseconds, is_started)| {
            let key = self.key(run, task);
            ProcessingFacts { run, task, key, nanoseconds, is_started }
        });
        facts.take(ANSWER_ENTRIES_MAX).collect()
    }

    fn story_facts(&self, run: RunId, task: TaskId) -> StoryFacts {
        let story = if self.is_of(run, task) { self.machine.story(run, task) } else { None };
        let (state, worker) = match &story {
            None => ("forgotten", None),
            Some(story) if story.failure.is_some() => ("erred", story.failure.as_ref().and_then(|it| it.worker)),
            Some(story) => match story.state {
                Some(TaskState::Waiting { .. }) => ("waiting", None),
                Some(TaskState::Ready) => ("ready", None),
                Some(TaskState::Running { worker }) => ("processing", Some(worker)),
                Some(TaskState::InMemory { worker, .. }) => ("memory", Some(worker)),
                Some(TaskState::Released) | None => ("released", None),
            },
        };
        let (failures, deaths) = story.map(|story| (story.failures, story.deaths)).unwrap_or_default();
        StoryFacts { run, task, key: self.key(run, task), state: state.into(), worker, failures, deaths }
    }

    fn run_facts(&self, from: RunId) -> Vec<RunFacts> {
        let facts = self.runs.range(from..).take(ANSWER_ENTRIES_MAX).map(|(&run, record)| {
            let (total, done) = self.machine.progress(run).map_or((0, 0), |of| (of.total, of.done));
            RunFacts { run, client: record.client, total, done, bytes: record.bytes.len() as u64 }
        });
        facts.collect()
    }

    /// Whether there is such a task: it is others that name it.
    fn is_of(&self, run: RunId, task: TaskId) -> bool {
        let graph = self.machine.graph(run);
        graph.is_some_and(|graph| TaskRange::check_all(&[TaskRange::one(task)], graph).is_ok())
    }

    pub(super) fn key(&self, run: RunId, task: TaskId) -> String {
        let graph = self.machine.graph(run).filter(|_| self.is_of(run, task));
        let mut key = graph.map_or_else(|| format!("task {}", task.index), |graph| graph.key(task));
        key.truncate(key.floor_char_boundary(KEY_BYTES));
        key
    }
}

/// As many as may be asked for at a time. What ends before it begins is nothing.
fn each(tasks: Vec<(RunId, TaskRange)>) -> impl Iterator<Item = (RunId, TaskId)> {
    let tasks = tasks.into_iter().filter(|(_, range)| !range.is_empty());
    tasks.flat_map(|(run, range)| range.tasks().map(move |task| (run, task))).take(ANSWER_ENTRIES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_graph::LayerId;

    #[test]
    fn whatever_ranges_are_asked_for_a_bounded_number_of_tasks_is_meant() {
        let counted = |start, end| each(vec![(RunId(0), TaskRange { layer: LayerId(0), start, end }); 2]).count();
        assert_eq!((counted(5, 1), counted(u64::MAX, 0), counted(3, 3), counted(0, 4)), (0, 0, 0, 8));
        assert_eq!(counted(0, u64::MAX), ANSWER_ENTRIES_MAX);
    }
}
