//! Lists edges, and puts the tasks in the order in which they start.

use crate::explicit::{Edges, Explicit, OUTER, row};
use crate::order::{Order, depth_first};
use crate::{GraphError, LayerId, TaskId};
use std::sync::Arc;

/// Takes the tasks of an explicit layer one by one.
#[derive(Debug, Default)]
pub struct ExplicitBuilder {
    input_ends: Vec<u32>,
    /// As in the finished edges, but that positions are those in `outer`.
    inputs: Vec<u32>,
    outer: Vec<Outer>,
    /// The first read of an own task whose number can't be stored: (reader, input).
    too_large: Option<(u64, u64)>,
}

/// Where the tasks of a layer stand that was put in order.
#[derive(Clone, Debug)]
pub struct Places(Option<Box<[u32]>>);

impl Places {
    /// The index of the task that was ended as number `index`.
    pub fn of(&self, index: u64) -> u64 {
        self.0.as_ref().map_or(index, |places| u64::from(places[index as usize]))
    }
}

/// A read of another layer: ordered as the finished edges have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Outer {
    input: u64,
    reader: u32,
    /// Its position before they are sorted.
    position: u32,
}

/// The most tasks, and the most edges, that one explicit layer holds.
const LIMIT: u64 = OUTER as u64 - 1;

impl ExplicitBuilder {
    /// A builder with room for `tasks` tasks.
    pub fn with_capacity(tasks: usize) -> Self {
        let (input_ends, inputs) = (Vec::with_capacity(tasks), Vec::with_capacity(tasks));
        Self { input_ends, inputs, ..Self::default() }
    }

    /// Adds an input to the task that the next [`Self::task`] ends: a task of an earlier layer.
    pub fn input(&mut self, input: TaskId) {
        let (reader, position) = (self.input_ends.len() as u32, self.outer.len() as u32);
        self.inputs.push(OUTER | position);
        self.outer.push(Outer { input: input.pack(), reader, position });
    }

    /// Adds an input to the task that the next [`Self::task`] ends: an earlier task of this layer.
    pub fn own_input(&mut self, index: u64) {
        if index > LIMIT {
            self.too_large.get_or_insert((self.len(), index));
        }
        self.inputs.push(index as u32 & !OUTER);
    }

    /// Ends a task, whose inputs are those added since the last one, and gives its index.
    pub fn task(&mut self) -> u64 {
        self.input_ends.push(self.inputs.len() as u32);
        self.input_ends.len() as u64 - 1
    }

    /// How many tasks there are.
    pub fn len(&self) -> u64 {
        self.input_ends.len() as u64
    }

    /// Whether there is no task yet.
    pub fn is_empty(&self) -> bool {
        self.input_ends.is_empty()
    }

    /// The same layer with its tasks in the best order, and where each of them stands now.
    ///
    /// Who has listed tasks depth first, inputs right before who reads them, has no use for it.
    pub fn finish_in_order(self) -> Result<(Explicit, Places), GraphError> {
        let explicit = self.finish()?;
        let Some(Order { ranks, tasks }) = depth_first(&explicit.0) else { return Ok((explicit, Places(None))) };
        let mut ordered = Self::with_capacity(tasks.len());
        ordered.inputs.reserve_exact(explicit.edges());
        for &task in &tasks {
            for &input in row(&explicit.0.input_ends, &explicit.0.inputs, u64::from(task)) {
                match input & OUTER {
                    0 => ordered.own_input(u64::from(ranks[input as usize])),
                    _ => ordered.input(TaskId::unpack(explicit.0.outer_inputs[(input & !OUTER) as usize])),
                }
            }
            ordered.task();
        }
        drop((explicit, tasks));
        Ok((ordered.finish()?, Places(Some(ranks))))
    }

    /// The layer's edges, with the way back: linear in the edges within the layer.
    pub fn finish(mut self) -> Result<Explicit, GraphError> {
        for (what, found) in [("tasks", self.input_ends.len() as u64), ("edges", self.inputs.len() as u64)] {
            if found > LIMIT {
                return Err(GraphError::TooMany { what: format!("{what} of a layer"), found, limit: LIMIT });
            }
        }
        if let Some((reader, input)) = self.too_large {
            return Err(not_earlier(reader, input));
        }
        let mut edges = Edges::default();
        (edges.outer_inputs, edges.outer_readers) = self.sort_outer();
        (edges.input_ends, edges.inputs) = (self.input_ends, self.inputs);
        edges.input_ends.shrink_to_fit();
        edges.inputs.shrink_to_fit();
        edges.sources = count_sources(&edges);
        edges.inner_ends = count_readers(&edges)?;
        edges.inner = fill_inner(&edges.input_ends, &edges.inputs, &mut edges.inner_ends);
        Ok(Explicit(Arc::new(edges)))
    }

    /// Sorts the reads of other layers, and points the inputs at where they are now.
    fn sort_outer(&mut self) -> (Vec<u64>, Vec<u32>) {
        self.outer.sort_unstable();
        let mut moved = vec![0_u32; self.outer.len()];
        for (now, outer) in self.outer.iter().enumerate() {
            moved[outer.position as usize] = now as u32;
        }
        for input in self.inputs.iter_mut().filter(|input| **input & OUTER != 0) {
            *input = OUTER | moved[(*input & !OUTER) as usize];
        }
        let outer = std::mem::take(&mut self.outer);
        (outer.iter().map(|outer| outer.input).collect(), outer.iter().map(|outer| outer.reader).collect())
    }
}

fn not_earlier(reader: u64, input: u64) -> GraphError {
    // The layer has no number yet; the error shows the largest there is.
    let input = TaskId::new(LayerId((1 << 20) - 1), input);
    GraphError::Edge { layer: "explicit".into(), reader, input }
}

fn count_sources(edges: &Edges) -> u32 {
    let starts = std::iter::once(&0).chain(&edges.input_ends);
    starts.zip(&edges.input_ends).filter(|(start, end)| start == end).count() as u32
}

/// For each task, how many of this layer read it.
fn count_readers(edges: &Edges) -> Result<Vec<u32>, GraphError> {
    let mut counts = vec![0_u32; edges.input_ends.len()];
    for reader in 0..edges.input_ends.len() as u64 {
        for &input in row(&edges.input_ends, &edges.inputs, reader).iter().filter(|&input| input & OUTER == 0) {
            if u64::from(input) >= reader {
                return Err(not_earlier(reader, u64::from(input)));
            }
            counts[input as usize] += 1;
        }
    }
    Ok(counts)
}

/// Turns counts of readers into row ends, and fills the rows in order of the readers.
fn fill_inner(input_ends: &[u32], inputs: &[u32], counts: &mut [u32]) -> Vec<u32> {
    let mut total = 0;
    for count in counts.iter_mut() {
        let start = total;
        total += *count;
        *count = start;
    }
    let mut inner = vec![0; total as usize];
    for reader in 0..input_ends.len() as u64 {
        for &input in row(input_ends, inputs, reader).iter().filter(|&input| input & OUTER == 0) {
            let next = &mut counts[input as usize];
            inner[*next as usize] = reader as u32;
            *next += 1;
        }
    }
    inner
}
