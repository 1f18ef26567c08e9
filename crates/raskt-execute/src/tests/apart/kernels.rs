//! Tasks whose results say what they are made of, some of them large.

use crate::{Runner, TaskCall};
use raskt_graph::{Graph, TaskId};
use raskt_schedule::RunId;
use raskt_value::{Chunk, ErrorKind, TaskError, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::graphs::{evaluate, result};

/// A linear congruential generator.
pub fn draws(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    }
}

/// Runs every task of a test, and counts them.
#[derive(Default)]
pub struct Mixer {
    /// The most KiB of a result; most have eight bytes.
    pub kib: u64,
    /// How long a task takes at the most.
    pub microseconds: u64,
    /// Tasks that fail, by graph.
    pub fails: BTreeSet<(usize, TaskId)>,
    pub ran: AtomicU64,
    /// Tasks wait as long as it is set.
    pub is_held: Arc<AtomicBool>,
}

/// What a graph of a test is known by.
pub fn identity(graph: &Arc<Graph>) -> usize {
    Arc::as_ptr(graph) as usize
}

impl Runner for Mixer {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        self.ran.fetch_add(1, Ordering::SeqCst);
        if self.fails.contains(&(std::ptr::from_ref(call.graph) as usize, call.task)) {
            return Err(TaskError::new(ErrorKind::Value, format!("{} was told to fail", call.task)));
        }
        while self.is_held.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if self.microseconds > 0 {
            std::thread::sleep(Duration::from_micros(mix(call.task) % self.microseconds));
        }
        let digest = result(call.task, inputs.iter().map(digest));
        Ok(block(digest, self.length(call.task)))
    }
}

impl Mixer {
    /// Numbers in the result of a task.
    fn length(&self, task: TaskId) -> usize {
        let mixed = mix(task);
        if self.kib == 0 || mixed.is_multiple_of(2) { 1 } else { (128 * (1 + mixed / 2 % self.kib)) as usize }
    }
}

fn mix(task: TaskId) -> u64 {
    result(task, [7, 11]) >> 20
}

pub fn block(digest: u64, length: usize) -> Value {
    Chunk::from_vec(vec![digest as i64; length], &[length]).expect("the shape fits").into()
}

/// What a result says, which stands in it everywhere.
pub fn digest(value: &Value) -> u64 {
    let numbers = value.as_chunk().and_then(Chunk::as_slice::<i64>).expect("tests pass integers");
    assert!(numbers.iter().all(|number| *number == numbers[0]), "a result is damaged");
    numbers[0] as u64
}

/// The same in memory of its own, as what has come over a network.
pub fn copied(value: &Value) -> Value {
    let numbers = value.as_chunk().and_then(Chunk::as_slice::<i64>).expect("tests pass integers");
    Chunk::from_vec(numbers.to_vec(), &[numbers.len()]).expect("the shape fits").into()
}

/// A run of a test.
#[derive(Clone, Debug)]
pub struct Job {
    pub run: RunId,
    pub graph: Arc<Graph>,
    pub wanted: Vec<TaskId>,
}

impl Job {
    pub fn expected(&self) -> Vec<u64> {
        let results = evaluate(&self.graph);
        self.wanted.iter().map(|task| results[task]).collect()
    }
}
