//! Tasks that stand for those of other runs, and tasks that others stand for.
//!
//! A task that stands for another is `Waiting` while that isn't in memory, and `InMemory` while it is: who has it, only the run that
//! owns it knows ([`crate::located`]). As long as it is needed and hasn't been let go, its owner is told to hold what it stands for:
//! as if a client wanted that, but for what the clients of the owner are told.

use crate::collections::worklist::Worklist;
use crate::task::{ELSEWHERE, Record, Tag};
use crate::tasks::Tasks;
use crate::{Import, TaskRange};
use raskt_graph::{Graph, TaskId};
use std::ops::Range;

impl Tasks {
    /// Whether `task` stands for one of another run.
    pub fn is_imported(&self, task: TaskId) -> bool {
        self.layers[task.layer.0 as usize].is_imported
    }

    /// What `task` stands for has come into memory, and is about so large.
    pub fn come(&mut self, graph: &Graph, task: TaskId, bytes: u64) {
        self.learn_size(task.layer, bytes);
        self.counts.done += 1;
        self.imports.iter_mut().for_each(|imports| imports.awaited -= 1);
        let unread = self.tell_readers(graph, task);
        let is_wanted = self.is_wanted(task);
        self.counts.unfinished_wanted -= u64::from(is_wanted);
        if is_wanted {
            self.note_changed(TaskRange::one(task));
        }
        let record = self.layers[task.layer.0 as usize].open(task.index);
        *record = Record { worker: ELSEWHERE, count: unread, tag: Tag::InMemory, is_special: false, ..*record };
        self.open_gates(graph, task);
        if unread == 0 && !is_wanted {
            self.release(task);
        }
    }

    /// `task`, which stands for another, has come to be needed.
    pub fn ask(&mut self, task: TaskId) {
        if let Some(imports) = &mut self.imports {
            imports.awaited += 1;
            TaskRange::push(&mut imports.asked, task);
        }
    }

    /// `tasks`, which stand for others, are no longer needed, and weren't there.
    pub fn unask(&mut self, tasks: TaskRange) {
        if let Some(imports) = &mut self.imports {
            imports.awaited -= tasks.len();
            imports.left.push(tasks);
        }
    }

    /// What `tasks` stand for, which was there, isn't needed, or isn't there any more.
    pub fn leave(&mut self, tasks: TaskRange) {
        if let Some(imports) = &mut self.imports {
            imports.left.push(tasks);
        }
    }

    /// Another run needs `tasks` from now on: those that aren't there are made. Those that have failed stay so: that run hears of it, and
    /// what they are made of, through however many runs, isn't looked at once more for it.
    pub fn hold_for_others(&mut self, graph: &Graph, tasks: TaskRange) {
        self.layers[tasks.layer.0 as usize].holds.add(tasks.start..tasks.end);
        let failed = self.failures.as_ref().map(|failures| failures.within(tasks)).unwrap_or_default();
        self.steps += failed.len() as u64;
        let ends = std::iter::once(tasks.start).chain(failed.iter().map(|(range, _)| range.end));
        let starts = failed.iter().map(|(range, _)| range.start).chain([tasks.end]);
        for (mut start, last) in ends.zip(starts) {
            while start < last {
                self.steps += 1;
                let (record, is_needed, end) = self.alike(TaskRange { start, end: last, ..tasks });
                if !is_needed || record.tag == Tag::Released {
                    TaskRange { start, end, ..tasks }.tasks().for_each(|task| self.take_up(graph, task));
                }
                start = end;
            }
        }
    }

    /// Another run needs `tasks` no longer.
    pub fn let_go_for_others(&mut self, graph: &Graph, tasks: TaskRange) {
        let mut unread = Worklist::default();
        for Range { mut start, end: last } in self.layers[tasks.layer.0 as usize].holds.remove(tasks.start..tasks.end) {
            while start < last {
                self.steps += 1;
                let (record, is_needed, end) = self.alike(TaskRange { start, end: last, ..tasks });
                let alike = TaskRange { start, end, ..tasks };
                match record.tag {
                    _ if !is_needed => {}
                    Tag::InMemory if record.count > 0 => {}
                    Tag::InMemory => {
                        let layer = &self.layers[tasks.layer.0 as usize];
                        for Range { start, end } in layer.wanted.gaps_in(start..end, layer.len) {
                            self.release_alike(TaskRange { start, end, ..tasks }, &record);
                        }
                    }
                    _ => unread.insert(alike),
                }
                start = end;
            }
        }
        self.drop_unread(graph, unread);
    }

    /// What the tasks of `part` that are needed and haven't been let go stand for: that is held for them.
    pub fn held_elsewhere(&self, part: &Import) -> Vec<TaskRange> {
        let (mut held, mut left) = (vec![], part.tasks);
        while !left.is_empty() {
            let (record, is_needed, end) = self.alike(left);
            let alike = part.within(TaskRange { end, ..left });
            held.extend(alike.filter(|_| is_needed && record.tag != Tag::Released).map(|alike| alike.source()));
            left.start = end;
        }
        held
    }

    /// Notes that `tasks` have come, gone or failed, for other runs that need some of them.
    pub fn tell_others(&mut self, tasks: TaskRange) {
        if self.layers[tasks.layer.0 as usize].holds.any(tasks.start..tasks.end)
            && let Some(exports) = &mut self.exports
        {
            exports.changed.push(tasks);
        }
    }
}
