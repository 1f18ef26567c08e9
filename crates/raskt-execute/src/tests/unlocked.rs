//! What is done without the engine's lock: code of others runs there, and what takes as long as a run is large.

use super::*;
use crate::shared::Shared;
use std::sync::Weak;

/// Notes where it is dropped: how often, and how often under the lock.
struct Dropped {
    shared: Weak<Shared>,
    drops: Arc<AtomicUsize>,
    locked: Arc<AtomicUsize>,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
        // Nobody but the caller uses the engine.
        if self.shared.upgrade().is_some_and(|shared| shared.is_locked()) {
            self.locked.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl raskt_value::Foreign for Dropped {
    fn bytes(&self) -> usize {
        8
    }

    fn type_name(&self) -> &str {
        "dropped"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

struct Counts {
    engine: Engine,
    drops: Arc<AtomicUsize>,
    locked: Arc<AtomicUsize>,
}

impl Counts {
    fn new() -> Self {
        Self { engine: engine(0), drops: Arc::default(), locked: Arc::default() }
    }

    fn one(&self) -> Dropped {
        let shared = Arc::downgrade(&self.engine.0);
        Dropped { shared, drops: self.drops.clone(), locked: self.locked.clone() }
    }

    /// Forty tasks that each give one, and one that reads them all; the op has one as well.
    fn graph(&self, fails: bool) -> (Arc<Graph>, Vec<TaskId>) {
        let (own, counts) = (self.one(), Self::like(self));
        let mut graph = GraphBuilder::new();
        let make = op(&mut graph, move |_, _| {
            let _ = &own;
            Ok(Value::Foreign(Arc::new(counts.one())))
        });
        let read = op(&mut graph, move |_, _| match fails {
            true => Err(TaskError::new(ErrorKind::Value, "asked to")),
            false => Ok(Chunk::scalar(1_i64).into()),
        });
        let made = graph.layer(Layer::new("make", make, Shape::source(40))).unwrap();
        let shape = Shape::Reduce { input: made, grid: Grid::new([40]), fan_in: [40].into_iter().collect() };
        let last = graph.layer(Layer::new("read", read, shape)).unwrap();
        let kept = (30..40).map(|index| TaskId::new(made, index));
        (Arc::new(graph.finish()), kept.chain([TaskId::new(last, 0)]).collect())
    }

    fn like(other: &Self) -> Self {
        Self { engine: other.engine.clone(), drops: other.drops.clone(), locked: other.locked.clone() }
    }
}

#[test]
fn results_and_graphs_go_without_the_lock_however_a_run_ends() {
    let counts = Counts::new();
    let engine = &counts.engine;
    assert_eq!(submit(engine, counts.graph(false)).wait().unwrap().len(), 11);
    assert!(submit(engine, counts.graph(true)).wait().is_err());
    drop(submit(engine, counts.graph(false)));
    let half_way = submit(engine, counts.graph(false));
    half_way.wait_timeout(Duration::from_nanos(1));
    half_way.cancel();
    drop(half_way);
    let broken = submit(engine, counts.graph(false));
    engine.break_down("asked to");
    assert!(broken.wait().is_err());
    drop(broken);
    let drops = counts.drops.load(Ordering::Relaxed);
    assert!(drops >= 5 + 2 * 40, "{drops} were dropped, the ops of five runs among them");
    assert_eq!(counts.locked.load(Ordering::Relaxed), 0, "of {drops}");
}

#[test]
fn a_run_is_made_ready_while_somebody_else_has_the_lock() {
    let engine = engine(1);
    let held = engine.0.lock();
    let (graph, wanted) = sum_of(1000);
    let completion = Arc::default();
    let wanted = TaskRange::of(wanted);
    assert!(state::Submitted::new(graph, wanted, None, (None, None), completion).is_ok());
    drop(held);
}
