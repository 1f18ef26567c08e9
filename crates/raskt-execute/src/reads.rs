//! What the tasks of an assignment read: values that are there, and results of one another.

use raskt_graph::{Graph, TaskId};
use raskt_schedule::TaskRange;
use raskt_value::Value;
use std::mem;

/// The inputs of all tasks of an assignment, one task after the other.
#[derive(Default)]
pub(crate) struct Reads {
    /// Those that are there before it starts.
    pub outside: Vec<Value>,
    /// Those that tasks of the assignment make, in order, once [`Self::link`] has found out by which.
    pub links: Vec<Link>,
    /// The same until then: the position among all inputs, and the task.
    unlinked: Vec<(u32, TaskId)>,
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
    /// What `tasks` read; `find` gives results that are there.
    pub fn of<'a>(graph: &Graph, tasks: &[TaskRange], find: impl Fn(TaskId) -> Option<&'a Value>) -> Self {
        let mut reads = Self::default();
        reads.ends.reserve(TaskRange::count(tasks) as usize);
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            let Self { outside, unlinked, .. } = &mut reads;
            graph.for_each_input(task, |input| match find(input) {
                Some(value) => outside.push(value.clone()),
                None => unlinked.push(((outside.len() + unlinked.len()) as u32, input)),
            });
            reads.ends.push((reads.outside.len() + reads.unlinked.len()) as u32);
        }
        reads
    }

    /// How many of those outside are to be in memory before the first task starts: all that it reads, and what those after it read
    /// up to so many bytes. Tasks that end soon are many to an assignment, however large what they read is.
    pub fn ahead(&self, bytes: u64) -> usize {
        let kept = |value: &&Value| matches!(value, Value::Stored(_));
        if !self.outside.iter().any(|value| kept(&value)) {
            return self.outside.len();
        }
        let (mut ahead, mut total, mut unlinked) = (0, 0_u64, self.unlinked.iter().peekable());
        let mut before = 0;
        for &end in &self.ends {
            while unlinked.next_if(|(input, _)| *input < end).is_some() {
                before += 1;
            }
            let until = end as usize - before;
            let own: u64 = self.outside[ahead..until].iter().filter(kept).map(|value| value.bytes() as u64).sum();
            if total > 0 && total.saturating_add(own) > bytes {
                return ahead;
            }
            total += own;
            ahead = until;
        }
        self.outside.len()
    }

    /// Finds out which of `tasks` make what others of them read; `transient` are those whose results go with their readers. This is
    /// for the thread that runs them: it needs no more than it has.
    /// Where one reads what isn't there either, nothing is linked, and the first such task is named by its position.
    pub fn link(&mut self, tasks: &[TaskRange], transient: &[TaskRange]) -> Result<(), usize> {
        if self.unlinked.is_empty() {
            return Ok(());
        }
        let places = Places::of(tasks);
        let link = |&(input, made_by): &(u32, TaskId)| {
            let task = places.find(made_by).ok_or(input)?;
            Ok(Link { input, task, is_last: false })
        };
        let links: Result<_, u32> = self.unlinked.iter().map(link).collect();
        self.links = links.map_err(|input| self.ends.partition_point(|end| *end <= input))?;
        self.unlinked = vec![];
        self.mark_last(tasks, transient);
        Ok(())
    }

    /// Only so many of the tasks read anything.
    pub fn cut(&mut self, tasks: usize) {
        self.ends.truncate(tasks);
        let end = self.ends.last().copied().unwrap_or(0);
        self.unlinked.retain(|(input, _)| *input < end);
        self.outside.truncate(end as usize - self.unlinked.len());
    }

    /// Marks the last reads of results that go with their readers.
    fn mark_last(&mut self, tasks: &[TaskRange], transient: &[TaskRange]) {
        let mut is_open = vec![false; self.ends.len()];
        let mut transient = transient.iter().flat_map(|range| range.tasks()).peekable();
        let tasks = tasks.iter().flat_map(|range| range.tasks());
        // Both are in the same order.
        tasks.zip(&mut is_open).for_each(|(task, is_open)| *is_open = transient.next_if_eq(&task).is_some());
        for link in self.links.iter_mut().rev() {
            link.is_last = mem::take(&mut is_open[link.task as usize]);
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
