//! In which order the tasks of an explicit layer are best run.

use crate::explicit::{Edges, OUTER, Order, row};

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
    use crate::ExplicitBuilder;
    use proptest::prelude::*;

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
        let explicit = builder.finish().unwrap();
        assert_eq!((0..6).map(|rank| explicit.at_rank(rank)).collect::<Vec<_>>(), [0, 1, 4, 2, 3, 5]);
    }

    proptest! {
        #[test]
        fn every_task_comes_once_and_after_its_inputs(inputs in prop::collection::vec(prop::collection::vec(any::<u32>(), 0..4), 0..40)) {
            let mut builder = ExplicitBuilder::default();
            for (task, inputs) in inputs.iter().enumerate() {
                if task > 0 {
                    inputs.iter().for_each(|input| builder.own_input(u64::from(*input) % task as u64));
                }
                builder.task();
            }
            let explicit = builder.finish().unwrap();
            for (task, inputs) in inputs.iter().enumerate() {
                let rank = explicit.rank(task as u64);
                prop_assert_eq!(explicit.at_rank(rank), task as u64);
                if task > 0 {
                    prop_assert!(inputs.iter().all(|input| explicit.rank(u64::from(*input) % task as u64) < rank));
                }
            }
        }
    }
}
