//! What isn't needed any more.

use crate::queue::push_for;
use crate::task::{Record, Tag};
use crate::tasks::Tasks;
use raskt_graph::{Graph, TaskId};
use std::collections::BTreeSet;

/// Tasks to be looked at, the last first: whoever reads a task comes after it, so that all readers are settled before it.
type Worklist = BTreeSet<TaskId>;

impl Tasks {
    /// No client wants `tasks` any more: results that nobody reads are let go, and what isn't done and nobody needs won't be.
    pub fn unwant(&mut self, graph: &Graph, tasks: impl Iterator<Item = TaskId>) {
        let mut unread = Worklist::new();
        for task in tasks {
            let layer = &mut self.layers[task.layer.0 as usize];
            if !layer.wanted.contains(task.index) {
                continue;
            }
            layer.wanted.remove(task.index, layer.len);
            let record = layer.pages.get(task.index);
            if record.tag == Tag::InMemory {
                self.count_holders(task, true);
            }
            match record.tag {
                Tag::InMemory if record.count == 0 => self.release(graph, task),
                Tag::InMemory => {}
                _ => {
                    self.counts.unfinished_wanted -= 1;
                    unread.insert(task);
                }
            }
        }
        while let Some(task) = unread.pop_last() {
            let is_kept = self.is_wanted(task) || self.count_unread(graph, task) > 0;
            if !is_kept && self.is_needed(task) && self.record(task).tag.is_unfinished() {
                self.drop_task(graph, task, &mut unread);
            }
        }
    }

    /// `Waiting`, `Ready` or `Running` → not needed. This is the one way back from being needed.
    fn drop_task(&mut self, graph: &Graph, task: TaskId, unread: &mut Worklist) {
        self.count_reads(graph, task);
        let layer = &mut self.layers[task.layer.0 as usize];
        self.counts.total -= 1;
        let record = layer.pages.get(task.index);
        match record.tag {
            Tag::Ready => self.counts.ready -= 1,
            Tag::Running => {
                self.end_hand_out(task);
                push_for(&mut self.cancelled, (record.worker, record.attempt), task);
            }
            _ => {}
        }
        let layer = &mut self.layers[task.layer.0 as usize];
        if let Some(record) = layer.pages.get_mut(task.index) {
            *record = Record::default();
        }
        layer.pages.released(task.index);
        layer.needed.remove(task.index, layer.len);
        if let Some(exchange) = &mut layer.exchange {
            exchange.consumers_left -= 1;
            if exchange.consumers_left > 0 {
                return;
            }
            self.close_sources(task.layer);
        }
        self.leave_inputs(graph, task, |tasks, input| match tasks.record(input).tag {
            Tag::InMemory => tasks.read(graph, input),
            Tag::Released => {}
            _ => drop(unread.insert(input)),
        });
    }
}
