//! In which order the tasks of an explicit layer are best run.

use crate::explicit::{Edges, OUTER, row};

/// An order in both directions.
pub(crate) struct Order {
    /// When each task's turn is.
    pub ranks: Box<[u32]>,
    /// Whose turn is when.
    pub tasks: Box<[u32]>,
}

/// Depth first from the tasks that nobody in the layer reads, in their order: a task comes right after the inputs that
/// only it needed, so that these can be let go. Linear in the edges; nothing where it is the order of the tasks themselves.
pub(crate) fn depth_first(edges: &Edges) -> Option<Order> {
    let count = edges.input_ends.len();
    let mut walk = Walk { edges, ranks: vec![UNSEEN; count], tasks: Vec::with_capacity(count), open: vec![] };
    for task in 0..count as u64 {
        if row(&edges.inner_ends, &edges.inner, task).is_empty() {
            walk.visit(task as u32);
        }
    }
    let is_trivial = walk.tasks.iter().enumerate().all(|(rank, &task)| rank == task as usize);
    (!is_trivial).then(|| Order { ranks: walk.ranks.into(), tasks: walk.tasks.into() })
}

struct Walk<'a> {
    edges: &'a Edges,
    ranks: Vec<u32>,
    tasks: Vec<u32>,
    /// Tasks whose inputs are being visited, and how many of these have been.
    open: Vec<(u32, u32)>,
}

/// Not visited; a task that is open has the number below.
const UNSEEN: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

impl Walk<'_> {
    /// Gives a rank to each task that `end` needs and that has none, and then to itself.
    fn visit(&mut self, end: u32) {
        self.enter(end);
        while let Some((task, visited)) = self.open.last_mut() {
            let inputs = row(&self.edges.input_ends, &self.edges.inputs, u64::from(*task));
            let Some(&input) = inputs.get(*visited as usize) else {
                self.ranks[*task as usize] = self.tasks.len() as u32;
                self.tasks.push(*task);
                self.open.pop();
                continue;
            };
            *visited += 1;
            if input & OUTER == 0 && self.ranks[input as usize] == UNSEEN {
                self.enter(input);
            }
        }
    }

    fn enter(&mut self, task: u32) {
        self.ranks[task as usize] = OPEN;
        self.open.push((task, 0));
    }
}

#[cfg(test)]
mod tests {
    use crate::{ExplicitBuilder, LayerId, TaskId};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Two trees whose leaves all stand before their sums: each tree is finished before the next begins.
    #[test]
    fn a_tree_is_finished_before_the_next_begins() {
        let mut builder = ExplicitBuilder::default();
        for _ in 0..4 {
            builder.task();
        }
        for leaves in [[0, 1], [2, 3]] {
            leaves.into_iter().for_each(|leaf| builder.own_input(leaf));
            builder.task();
        }
        let (explicit, places) = builder.finish_in_order().unwrap();
        assert_eq!([0, 1, 4, 2, 3, 5].map(|task| places.of(task)), [0, 1, 2, 3, 4, 5]);
        assert_eq!(explicit.inputs(LayerId(0), 2).map(|input| input.index).collect::<Vec<_>>(), [0, 1]);
    }

    proptest! {
        #[test]
        fn in_order_the_same_tasks_read_the_same(
            inputs in prop::collection::vec(prop::collection::vec(any::<(bool, u32)>(), 0..4), 0..40),
        ) {
            let (mut builder, mut in_order) = (ExplicitBuilder::default(), ExplicitBuilder::default());
            for (task, inputs) in inputs.iter().enumerate() {
                for builder in [&mut builder, &mut in_order] {
                    for &(is_own, input) in inputs {
                        match is_own && task > 0 {
                            true => builder.own_input(u64::from(input) % task as u64),
                            false => builder.input(TaskId::new(LayerId(0), u64::from(input))),
                        }
                    }
                    builder.task();
                }
            }
            let explicit = builder.finish().unwrap();
            let (in_order, places) = in_order.finish_in_order().unwrap();
            let own = LayerId(1);
            let moved = |task: TaskId| if task.layer == own { TaskId::new(own, places.of(task.index)) } else { task };
            let all = 0..inputs.len() as u64;
            prop_assert_eq!(all.clone().map(|task| places.of(task)).collect::<BTreeSet<_>>(), all.clone().collect());
            for task in all {
                let place = places.of(task);
                prop_assert!(in_order.inputs(own, place).eq(explicit.inputs(own, task).map(moved)));
                prop_assert!(in_order.inputs(own, place).all(|input| input.layer != own || input.index < place));
                let mut readers = (vec![], vec![]);
                explicit.for_each_dependent(own, TaskId::new(own, task), |reader| readers.0.push(places.of(reader)));
                in_order.for_each_dependent(own, TaskId::new(own, place), |reader| readers.1.push(reader));
                readers.0.sort_unstable();
                readers.1.sort_unstable();
                prop_assert_eq!(readers.0, readers.1);
            }
        }
    }
}
