//! Jobs as plain data: what stands here stays what it is when the drawing changes.

/// A graph that a client submits, and what the client does about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPlan {
    /// Where its tasks' durations, real sizes and results come from.
    pub seed: u64,
    /// Who submits it.
    pub client: u32,
    /// When.
    pub at: u64,
    /// Its graph.
    pub layers: Vec<LayerPlan>,
    /// What the client wants: layer and index of tasks, in order.
    pub wanted: Vec<(u32, u64)>,
    /// The client puts the results of the first layer into a worker, instead of having them computed.
    pub gives: bool,
    /// Time of a usual task.
    pub task_nanoseconds: u64,
    /// Whether the sizes that the layers state are wrong.
    pub wrong_sizes: bool,
    /// How often a failed task is tried again.
    pub retries: u32,
    /// Tasks that fail at first, by layer and index, and how often.
    pub failures: Vec<(u32, u64, u32)>,
    /// Tasks that kill their worker, by layer and index, and how often.
    pub deaths: Vec<(u32, u64, u32)>,
    /// How often the client wants other results than before.
    pub changes: u32,
    /// The client gives it up so long after submitting it.
    pub cancel_after: Option<u64>,
    /// The client submits it once more after giving it up.
    pub resubmit: bool,
    /// The client keeps the results until the end instead of releasing them when it has them.
    pub keep: bool,
    /// How often the client submits it once more, each time as soon as it has the results.
    pub rounds: u32,
    /// Jobs that tasks of it submit and wait for.
    pub nested: Vec<NestedPlan>,
    /// Its tasks stand alone, as futures do.
    pub alone: Option<AlonePlan>,
    /// Tasks that stand for those of other jobs. They are of layers that read nothing, and cover these, in order.
    pub imports: Vec<ImportPlan>,
}

/// What a client does with tasks that stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlonePlan {
    /// How often it has failed ones run again.
    pub retries: u32,
    /// Results that it releases one by one when it has read them, in a million.
    pub releases_per_million: u32,
}

/// Neighbours that stand for neighbours of another job: of whatever run of it there is when the job is submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportPlan {
    /// The layer.
    pub layer: u32,
    /// The first of them, and how many.
    pub start: u64,
    /// How many.
    pub count: u64,
    /// The other job, by position; it comes before.
    pub job: usize,
    /// Layer and index of the first that they stand for.
    pub from: (u32, u64),
}

/// A job that tasks of another one submit, each anew whenever it runs, and wait for. Who submits it, when, and what is done
/// about it afterwards is not said by the job, but by what becomes of these tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedPlan {
    /// The tasks, by layer and index.
    pub callers: Vec<(u32, u64)>,
    /// What they submit.
    pub job: JobPlan,
}

/// A layer of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerPlan {
    /// Its tasks and what they read.
    pub shape: ShapePlan,
    /// Time of a task as the layer states it; nothing where it states none.
    pub nanoseconds: u64,
    /// Bytes of a result as the layer states them.
    pub output_bytes: u64,
    /// Bytes that a task needs while it runs.
    pub scratch_bytes: u64,
    /// Higher goes first.
    pub priority: i32,
    /// What its tasks require of the workers that run them.
    pub requires: Requires,
}

/// How many tasks a layer has, and what each of them reads. Layers are named by position, and those that are read come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapePlan {
    /// Tasks that read nothing.
    Source {
        /// How many.
        tasks: u64,
    },
    /// Each reads its own block of one layer or of several of the same length.
    Map {
        /// Which.
        inputs: Vec<u32>,
    },
    /// Each row of a grid reads all blocks of a layer, each task one of them.
    Broadcast {
        /// Which.
        input: u32,
        /// How many rows.
        rows: u64,
    },
    /// Each reads a few neighbours.
    Reduce {
        /// Of which layer.
        input: u32,
        /// How many.
        fan_in: u32,
    },
    /// Each reads all tasks of a layer.
    Exchange {
        /// Which.
        input: u32,
        /// How many there are.
        consumers: u64,
    },
    /// Each reads neighbouring tasks, in ranges that overlap, leave gaps, or are empty at the end.
    Overlap {
        /// Of which layer.
        input: u32,
        /// How many there are.
        tasks: u64,
        /// How far one range begins after the other.
        step: u64,
        /// How long a range is.
        reach: u64,
    },
    /// A grid of tasks, each of which reads one block of each input: with axes permuted, left out, or read twice.
    GridMap {
        /// How many along each axis.
        grid: Vec<u32>,
        /// What is read.
        inputs: Vec<ReadPlan>,
    },
    /// Each reads a box of neighbours in a grid.
    GridReduce {
        /// Of which layer.
        input: u32,
        /// The grid of that layer.
        grid: Vec<u32>,
        /// How many along each axis.
        fan_in: Vec<u32>,
    },
    /// Each reads a box: a range along each axis. Slices, halos, other chunks; ranges may be empty.
    GridOverlap {
        /// Of which layer.
        input: u32,
        /// The grid of that layer.
        grid: Vec<u32>,
        /// For each axis and each coordinate of a reader, the coordinates that are read.
        ranges: Vec<Vec<(u32, u32)>>,
    },
    /// The tasks of several layers one after the other.
    Concat {
        /// Which.
        inputs: Vec<u32>,
    },
    /// Whatever is said for each.
    Explicit {
        /// How many there are.
        tasks: u64,
        /// A task, and layer and index of what it reads, in order of the tasks. Of the own layer it may read earlier ones.
        reads: Vec<(u64, u32, u64)>,
    },
}

/// How a grid of tasks reads a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadPlan {
    /// Which.
    pub input: u32,
    /// The grid of that layer.
    pub grid: Vec<u32>,
    /// For each of its axes the axis of the reader whose coordinate is taken, or none where block 0 is read.
    pub axes: Vec<Option<u8>>,
}

/// What tasks require of the workers that run them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requires {
    /// Nothing.
    Nothing,
    /// Thousandths of a `gpu` for each assignment.
    Gpu(u64),
    /// The worker of one host, by name.
    Host {
        /// Which.
        host: usize,
        /// Others will do if it isn't there.
        allows_others: bool,
    },
}

impl JobPlan {
    /// How many tasks each layer has.
    pub(crate) fn lengths(&self) -> Vec<u64> {
        let mut lengths = vec![];
        for layer in &self.layers {
            lengths.push(layer.shape.length(&lengths));
        }
        lengths
    }

    /// Whether its layers fit together, and it has all the tasks that it names. What is drawn does; what is cut down may not.
    pub(crate) fn is_sound(&self) -> bool {
        let mut lengths = vec![];
        for layer in &self.layers {
            if !layer.shape.fits(&lengths) {
                return false;
            }
            lengths.push(layer.shape.length(&lengths));
        }
        let has = |layer: u32, index: u64| lengths.get(layer as usize).is_some_and(|&length| index < length);
        self.wanted.iter().all(|&(layer, index)| has(layer, index))
            && self.failures.iter().chain(&self.deaths).all(|&(layer, index, _)| has(layer, index))
            && self
                .nested
                .iter()
                .all(|nested| nested.job.is_sound() && nested.callers.iter().all(|&(layer, index)| has(layer, index)))
    }

    /// Whether what it imports is there, where it stands at `at`.
    pub(crate) fn imports_are_sound(&self, jobs: &[Self], at: usize) -> bool {
        let (lengths, mut next): (Vec<u64>, Option<(u32, u64)>) = (self.lengths(), None);
        for import in &self.imports {
            let Some(&length) = lengths.get(import.layer as usize) else { return false };
            let is_source = matches!(self.layers[import.layer as usize].shape, ShapePlan::Source { .. });
            let (layer, start) = next.take().unwrap_or((import.layer, 0));
            let of = jobs.get(import.job).filter(|_| import.job < at).map(Self::lengths).unwrap_or_default();
            let has = of.get(import.from.0 as usize).is_some_and(|&length| import.from.1 + import.count <= length);
            if !is_source || (layer, start) != (import.layer, import.start) || import.count == 0 || !has {
                return false;
            }
            let end = start + import.count;
            next = (end < length).then_some((layer, end));
            if end > length {
                return false;
            }
        }
        next.is_none()
    }

    /// Its tasks by layer and index, without those that it doesn't have.
    pub(crate) fn drop_absent_tasks(&mut self) {
        let lengths = self.lengths();
        let has = |layer: u32, index: u64| lengths.get(layer as usize).is_some_and(|&length| index < length);
        self.wanted.retain(|&(layer, index)| has(layer, index));
        self.failures.retain(|&(layer, index, _)| has(layer, index));
        self.deaths.retain(|&(layer, index, _)| has(layer, index));
        self.nested.iter_mut().for_each(|nested| nested.callers.retain(|&(layer, index)| has(layer, index)));
    }
}

impl ShapePlan {
    /// How many tasks a layer of this shape has, after layers of these lengths.
    pub(crate) fn length(&self, lengths: &[u64]) -> u64 {
        match self {
            Self::Source { tasks } | Self::Overlap { tasks, .. } | Self::Explicit { tasks, .. } => *tasks,
            Self::Map { inputs } => lengths[inputs[0] as usize],
            Self::Broadcast { input, rows } => rows * lengths[*input as usize],
            Self::Reduce { input, fan_in } => lengths[*input as usize].div_ceil(u64::from(*fan_in)),
            Self::Exchange { consumers, .. } => *consumers,
            Self::GridMap { grid, .. } => blocks(grid),
            Self::GridReduce { grid, fan_in, .. } => {
                grid.iter().zip(fan_in).map(|(&length, &fan_in)| u64::from(length.div_ceil(fan_in))).product()
            }
            Self::GridOverlap { ranges, .. } => ranges.iter().map(|axis| axis.len() as u64).product(),
            Self::Concat { inputs } => inputs.iter().map(|&input| lengths[input as usize]).sum(),
        }
    }

    /// Whether a layer of this shape can stand after layers of these lengths.
    fn fits(&self, lengths: &[u64]) -> bool {
        let is_there = |input: u32| (input as usize) < lengths.len();
        let is_of = |input: u32, grid: &[u32]| is_there(input) && lengths[input as usize] == blocks(grid);
        match self {
            Self::Source { .. } => true,
            Self::Map { inputs } => {
                let is_equal = |&input: &u32| is_there(input) && lengths[input as usize] == lengths[inputs[0] as usize];
                !inputs.is_empty() && inputs.iter().all(is_equal)
            }
            Self::Concat { inputs } => inputs.iter().all(|&input| is_there(input)),
            Self::Broadcast { input, .. }
            | Self::Reduce { input, .. }
            | Self::Exchange { input, .. }
            | Self::Overlap { input, .. } => is_there(*input),
            Self::GridMap { inputs, .. } => inputs.iter().all(|read| is_of(read.input, &read.grid)),
            Self::GridReduce { input, grid, .. } | Self::GridOverlap { input, grid, .. } => is_of(*input, grid),
            Self::Explicit { tasks, reads } => reads.iter().all(|&(reader, layer, index)| match layer as usize {
                own if own == lengths.len() => reader < *tasks && index < reader,
                other => reader < *tasks && lengths.get(other).is_some_and(|&length| index < length),
            }),
        }
    }
}

/// How many blocks a grid has.
pub(crate) fn blocks(grid: &[u32]) -> u64 {
    grid.iter().map(|&length| u64::from(length)).product()
}
