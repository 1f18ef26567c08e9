//! Why tasks failed: each error once, whoever it is told to.

use crate::failure::{ERRORS_BYTES_MAX, Root};
use crate::message::{ErrorForm, FailureForm, ToClient};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{RunId, TaskRange};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Errors of tasks that haven't succeeded since, of runs that are known.
#[derive(Debug, Default)]
pub(super) struct Errors {
    by_task: BTreeMap<Root, Arc<ErrorForm>>,
    bytes: usize,
}

impl Errors {
    pub fn get(&self, root: Root) -> Option<&Arc<ErrorForm>> {
        self.by_task.get(&root)
    }

    pub fn len(&self) -> usize {
        self.by_task.len()
    }

    pub fn insert(&mut self, root: Root, error: impl Into<Arc<ErrorForm>>) {
        self.insert_within(root, error.into(), ERRORS_BYTES_MAX);
    }

    fn insert_within(&mut self, root: Root, mut error: Arc<ErrorForm>, most: usize) {
        if self.bytes + error.bytes() > most {
            Arc::make_mut(&mut error).shorten();
        }
        self.bytes += error.bytes();
        let before = self.by_task.insert(root, error);
        self.bytes -= before.map_or(0, |before| before.bytes());
    }

    /// Those of `tasks` of a run of which there are errors.
    pub fn within(&self, run: RunId, tasks: TaskRange) -> Vec<TaskId> {
        let at = |index| (run, TaskId::new(tasks.layer, index));
        self.by_task.range(at(tasks.start)..at(tasks.end.max(tasks.start))).map(|((_, task), _)| *task).collect()
    }

    /// A task has succeeded after all.
    pub fn remove(&mut self, root: Root) {
        self.bytes -= self.by_task.remove(&root).map_or(0, |error| error.bytes());
    }

    /// A run isn't known any more.
    pub fn forget(&mut self, run: RunId) {
        for error in take_of(&mut self.by_task, run) {
            self.bytes -= error.bytes();
        }
    }
}

fn take_of<T>(by_task: &mut BTreeMap<Root, T>, run: RunId) -> Vec<T> {
    let later = by_task.range((run, TaskId::new(LayerId(0), 0))..).map(|(&root, _)| root);
    let roots: Vec<_> = later.take_while(|root| root.0 == run).collect();
    roots.iter().filter_map(|root| by_task.remove(root)).collect()
}

/// Failures that a client was told of: it keeps them, and each is told once.
#[derive(Debug, Default)]
pub(super) struct ToldFailures(BTreeMap<Root, FailureForm>);

impl ToldFailures {
    /// How the client is told: by the name of a failure that it knows.
    pub fn told(&mut self, message: &ToClient) -> Option<ToClient> {
        match message {
            ToClient::TasksFailed { run, tasks, failure } if self.knows(failure) => {
                Some(ToClient::TasksFailedToo { run: *run, tasks: tasks.clone(), root: failure.root() })
            }
            ToClient::Failed { run, failure } if self.knows(failure) => {
                Some(ToClient::FailedToo { run: *run, root: failure.root() })
            }
            _ => None,
        }
    }

    /// Whether it was told of it before; from now on it was.
    fn knows(&mut self, failure: &FailureForm) -> bool {
        // What was run again may have failed otherwise.
        let is_known = self.0.get(&failure.root()).is_some_and(|known| known == failure);
        if !is_known {
            self.0.insert(failure.root(), failure.clone());
        }
        is_known
    }

    /// A run isn't known any more: whether the client has to hear of that.
    pub fn forget(&mut self, run: RunId) -> bool {
        !take_of(&mut self.0, run).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::BEGINNING_BYTES;
    use raskt_value::ErrorKind;

    fn root(run: u64, index: u64) -> Root {
        (RunId(run), TaskId::new(LayerId(0), index))
    }

    fn error(bytes: usize) -> ErrorForm {
        let (key, message) = ("a".into(), "m".repeat(2 * BEGINNING_BYTES));
        ErrorForm { key, kind: ErrorKind::Value, message, cause: Some(vec![0; bytes]) }
    }

    #[test]
    fn errors_are_bounded_and_count_no_more_when_they_are_forgotten() {
        let mut errors = Errors::default();
        for index in 0..10 {
            errors.insert_within(root(1 + index % 2, index), error(10_000).into(), 50_000);
        }
        let whole = (0..10).filter(|&index| errors.get(root(1 + index % 2, index)).unwrap().cause.is_some()).count();
        assert_eq!(whole, 4);
        assert!(errors.bytes < 50_000 + 6 * (BEGINNING_BYTES + 100), "{}", errors.bytes);
        assert!(
            errors.get(root(2, 9)).unwrap().message.ends_with("(2048 bytes in all: too much has failed to keep it)")
        );
        // The same again takes its place.
        errors.insert_within(root(1, 0), error(0).into(), usize::MAX);
        errors.forget(RunId(2));
        assert!(errors.get(root(2, 9)).is_none() && errors.get(root(1, 8)).is_some());
        errors.forget(RunId(1));
        assert_eq!((errors.bytes, errors.by_task.len()), (0, 0));
    }

    fn failed(run: u64, root: Root, error: &Arc<ErrorForm>) -> ToClient {
        let failure = FailureForm {
            run: root.0,
            task: root.1,
            error: Some(error.clone()),
            story: vec![],
            is_lost: false,
            killed: None,
        };
        ToClient::TasksFailed { run: RunId(run), tasks: vec![], failure }
    }

    #[test]
    fn a_failure_is_told_whole_once() {
        let mut told = ToldFailures::default();
        let (first, second) = (Arc::new(error(100)), Arc::new(error(200)));
        assert!(told.told(&failed(7, root(1, 0), &first)).is_none());
        for run in 8..20 {
            let short = told.told(&failed(run, root(1, 0), &first));
            assert!(matches!(short, Some(ToClient::TasksFailedToo { run: of, root: told, .. })
                if of == RunId(run) && told == root(1, 0)));
        }
        // It was run again, and fails otherwise.
        assert!(told.told(&failed(7, root(1, 0), &second)).is_none());
        assert!(told.told(&failed(7, root(1, 0), &second)).is_some());
        assert!(!told.forget(RunId(2)) && told.forget(RunId(1)) && !told.forget(RunId(1)));
        assert!(told.told(&failed(7, root(1, 0), &second)).is_none(), "the client has let go of it");
    }
}
