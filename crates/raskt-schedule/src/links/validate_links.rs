//! What must be true of runs that import from one another.

use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::task::Tag;
use crate::{Import, RunId};
use raskt_graph::TaskId;

impl Scheduler {
    /// Each knows of the other, and what is held for others is what they need.
    pub(crate) fn validate_links(&self, id: RunId, run: &Run) {
        assert!(self.unsettled.is_empty() && self.over.is_empty(), "runs have something to tell each other");
        assert!(!run.is_released || run.has_importers(), "{id:?} is released, and nobody imports from it");
        let parts = run.tasks.imports.iter().flat_map(|imports| imports.parts());
        let awaited: u64 = parts.map(|part| self.validate_import(id, run, part)).sum();
        let counted = run.tasks.imports.as_ref().map_or(0, |imports| imports.awaited);
        assert_eq!(counted, awaited, "what {id:?} imports and isn't there");
        for (layer, state) in run.graph.layers().map(|(layer, _)| (layer, &run.tasks.layers[layer.0 as usize])) {
            if state.holds.is_empty() && run.tasks.exports.is_none() {
                continue;
            }
            for index in 0..state.len {
                let task = TaskId::new(layer, index);
                let exports = run.tasks.exports.as_ref();
                let importers = exports.map(|exports| exports.within(crate::TaskRange::one(task))).unwrap_or_default();
                let needs = importers.iter().filter(|(importer, range)| {
                    let importer = &self.runs.get(importer).expect("who imports is there").tasks;
                    let own = TaskId::new(range.layer, range.start);
                    importer.is_needed(own) && importer.record(own).tag != Tag::Released
                });
                assert_eq!(state.holds.count(index) as usize, needs.count(), "how many others need {task} of {id:?}");
            }
        }
    }

    /// A task stands where that does which it stands for. Says how many of them are awaited.
    fn validate_import(&self, id: RunId, run: &Run, part: &Import) -> u64 {
        let owner = self.runs.get(&part.run).expect("who is imported from is there");
        assert!(!owner.tasks.is_imported(part.from), "{id:?} imports what stands for something else");
        let mut awaited = 0;
        for task in part.tasks.tasks().filter(|&task| run.tasks.is_needed(task)) {
            let source = part.source_of(task);
            let is_there = owner.tasks.is_needed(source) && owner.tasks.is_in_memory(source);
            let tag = run.tasks.record(task).tag;
            awaited += u64::from(tag.is_unfinished());
            assert!(matches!(tag, Tag::Untouched | Tag::Waiting | Tag::InMemory | Tag::Released), "{task} is {tag:?}");
            assert!(tag == Tag::Released || (tag == Tag::InMemory) == is_there, "{task} of {id:?} is {tag:?}");
            assert!(tag == Tag::Released || owner.tasks.root_of(source).is_none(), "{task} of {id:?} can't come");
        }
        awaited
    }
}
