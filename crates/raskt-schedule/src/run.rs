//! One submitted graph.

use crate::estimate::Estimate;
use crate::members::{Members, needed_for};
use crate::requirement::Requirement;
use crate::suspects::Suspects;
use crate::tasks::Tasks;
use crate::{StallCause, TaskRange};
use raskt_graph::{Graph, TaskId};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Run {
    pub graph: Arc<Graph>,
    pub tasks: Tasks,
    /// By layer.
    pub estimates: Vec<Estimate>,
    /// What layers ask of workers, by class; the first asks for nothing.
    pub classes: Vec<Option<Arc<Requirement>>>,
    /// Tasks that may have killed workers.
    pub suspects: Suspects,
    /// How often workers have said of a task that they didn't run it, without a cause that is known here.
    refusals: BTreeMap<TaskId, u32>,
    /// The client knows that all that it wants is there.
    pub is_finished: bool,
    /// What the client was told that it waits for.
    pub stalled: Option<StallCause>,
    /// By class, the priority under which it stands in line for workers; nothing if there is nothing to start.
    pub in_line: Vec<Option<i32>>,
}

impl Run {
    pub fn new(graph: Arc<Graph>, wanted: &[TaskRange], heeds_requirements: bool) -> Self {
        let mut members = vec![Members::Nothing; graph.layers().len()];
        for range in wanted {
            members[range.layer.0 as usize].insert(range.start..range.end, graph.layer(range.layer).len());
        }
        let needed = needed_for(&graph, &members);
        let (classes, class_of_layers) = classes(&graph, heeds_requirements);
        let tasks = Tasks::new(&graph, members, needed, class_of_layers);
        let estimates = vec![Estimate::default(); graph.layers().len()];
        let in_line = vec![None; classes.len()];
        Self {
            graph,
            tasks,
            estimates,
            classes,
            suspects: Suspects::default(),
            refusals: BTreeMap::new(),
            is_finished: false,
            stalled: None,
            in_line,
        }
    }

    /// Counts that a worker didn't run `task` and gave no cause; whether that counts as a failure by now.
    pub fn is_refused_too_often(&mut self, task: TaskId) -> bool {
        let refusals = self.refusals.entry(task).or_default();
        *refusals += 1;
        refusals.is_multiple_of(REFUSALS)
    }

    /// `task` is done.
    pub fn clear(&mut self, task: TaskId) {
        self.suspects.clear(task);
        if !self.refusals.is_empty() {
            self.refusals.remove(&task);
        }
    }

    /// Whether nothing of it runs and nothing can start, though results are missing.
    pub fn is_stuck(&self) -> bool {
        let waits = self.tasks.counts.unfinished_wanted > 0 && self.tasks.counts.running == 0;
        waits && self.in_line.iter().all(Option::is_none) && self.tasks.counts.ready == 0
    }
}

/// Refusals without a cause that count as one failure: a worker that always refuses mustn't be asked for ever.
const REFUSALS: u32 = 16;

/// The different requirements of a graph, and which of them each layer has.
fn classes(graph: &Graph, heeds_requirements: bool) -> (Vec<Option<Arc<Requirement>>>, Vec<u16>) {
    let mut classes: Vec<Option<Arc<Requirement>>> = Vec::from([None]);
    let of_layers = graph.layers().map(|(_, layer)| {
        let requirement = Requirement::of(&layer.annotations);
        if requirement.is_none() || !heeds_requirements {
            return 0;
        }
        let known = classes.iter().position(|other| other.as_deref() == Some(&requirement));
        let class = known.unwrap_or(classes.len()).min(usize::from(u16::MAX));
        if class == classes.len() {
            classes.push(Some(Arc::new(requirement)));
        }
        class as u16
    });
    let of_layers = of_layers.collect();
    (classes, of_layers)
}
