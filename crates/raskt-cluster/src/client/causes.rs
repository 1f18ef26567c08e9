//! What failed first, by the name under which the scheduler refers to it.

use super::failed::TaskFailed;
use crate::face::Face;
use crate::failure::Root;
use crate::message::FailureForm;
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::RunId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Failures that were told whole: whatever else fails because of one of them shares it.
#[derive(Default)]
pub(super) struct Causes(BTreeMap<Root, Arc<TaskFailed>>);

impl Causes {
    /// One is told whole.
    pub fn learn(&mut self, failure: FailureForm, face: &Arc<dyn Face>) -> Arc<TaskFailed> {
        let root = failure.root();
        let failed = TaskFailed::of_task(failure, face.clone());
        self.0.insert(root, failed.clone());
        failed
    }

    /// One is referred to.
    pub fn of(&self, root: Root, face: &Arc<dyn Face>) -> Arc<TaskFailed> {
        let unknown = || {
            let (run, task) = root;
            let failure = FailureForm { run, task, error: None, story: vec![], is_lost: false, killed: None };
            TaskFailed::of_task(failure, face.clone())
        };
        self.0.get(&root).cloned().unwrap_or_else(unknown)
    }

    /// What failed first in a run isn't referred to any more.
    pub fn forget(&mut self, run: RunId) {
        let later = self.0.range((run, TaskId::new(LayerId(0), 0))..).map(|(&root, _)| root);
        let roots: Vec<_> = later.take_while(|root| root.0 == run).collect();
        roots.iter().for_each(|root| drop(self.0.remove(root)));
    }

    /// Another scheduler is there, which refers to what it has told itself.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
