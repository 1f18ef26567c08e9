//! What the tasks of an assignment read: values that are there, and results of one another.

use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Assignment, TaskRange};
use raskt_value::Value;

/// The inputs of all tasks of an assignment, one task after the other.
#[derive(Default)]
pub(crate) struct Reads {
    /// Those that are there before it starts.
    pub outside: Vec<Value>,
    /// Those that tasks of the assignment make, in order.
    pub links: Vec<Link>,
    /// Where the inputs of each task end, counting both.
    pub ends: Vec<u32>,
}

/// An input that a task of the same assignment makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The position among all inputs.
    pub input: u32,
    /// The position of the task that makes it.
    pub task: u32,
    /// Nobody reads it afterwards: it goes when this reader is done.
    pub is_last: bool,
}

impl Reads {
    /// What the tasks of `assignment` read; `find` gives results that are there.
    pub fn of<'a>(graph: &Graph, assignment: &Assignment, find: impl Fn(TaskId) -> Option<&'a Value>) -> Self {
        let mut reads = Self::default();
        let mut places: Option<Places> = None;
        for task in assignment.tasks.iter().flat_map(|range| range.tasks()) {
            let Self { outside, links, .. } = &mut reads;
            graph.for_each_input(task, |input| match find(input) {
                Some(value) => outside.push(value.clone()),
                None => {
                    let places = places.get_or_insert_with(|| Places::of(&assignment.tasks));
                    let made_by = places.find(input).expect("a task is assigned with or after all that it reads");
                    let input = (outside.len() + links.len()) as u32;
                    links.push(Link { input, task: made_by, is_last: false });
                }
            });
            reads.ends.push((reads.outside.len() + reads.links.len()) as u32);
        }
        if !reads.links.is_empty() {
            reads.mark_last(assignment);
        }
        reads
    }

    /// Marks the last reads of results that go with their readers.
    fn mark_last(&mut self, assignment: &Assignment) {
        let mut is_open = vec![false; self.ends.len()];
        let mut fleeting = assignment.fleeting.iter().flat_map(|range| range.tasks()).peekable();
        let tasks = assignment.tasks.iter().flat_map(|range| range.tasks());
        // Both are in the same order.
        tasks.zip(&mut is_open).for_each(|(task, is_open)| *is_open = fleeting.next_if_eq(&task).is_some());
        for link in self.links.iter_mut().rev() {
            link.is_last = std::mem::take(&mut is_open[link.task as usize]);
        }
    }
}

/// Where tasks stand in an assignment.
struct Places(Vec<(TaskRange, u32)>);

impl Places {
    fn of(tasks: &[TaskRange]) -> Self {
        let mut before = 0;
        let place = |&range: &TaskRange| {
            before += range.len() as u32;
            (range, before - range.len() as u32)
        };
        let mut places: Vec<_> = tasks.iter().map(place).collect();
        places.sort_unstable_by_key(|(range, _)| (range.layer, range.start));
        Self(places)
    }

    fn find(&self, task: TaskId) -> Option<u32> {
        let after = self.0.partition_point(|(range, _)| (range.layer, range.start) <= (task.layer, task.index));
        let (range, first) = self.0.get(after.checked_sub(1)?)?;
        range.contains(task).then(|| first + (task.index - range.start) as u32)
    }
}
