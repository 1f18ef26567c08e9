//! A runner that holds something while tasks run, which the store's threads need as well.

use super::*;
use raskt_store::{Lineage, ResultInfo, StoredRef};
use raskt_sync::{Condvar, Mutex};
use raskt_value::{Buffer, Codec, Encoded, Foreign, Unwritten};

/// What one thread at a time may hold.
#[derive(Default)]
struct Interpreter {
    is_held: Mutex<bool>,
    changed: Condvar,
}

impl Interpreter {
    fn take(&self) {
        let mut is_held = self.is_held.lock();
        while *is_held {
            is_held = self.changed.wait(is_held);
        }
        *is_held = true;
    }

    fn let_go(&self) {
        *self.is_held.lock() = false;
        self.changed.notify_all();
    }
}

struct Interpreted {
    interpreter: Arc<Interpreter>,
    batches: AtomicUsize,
}

impl Runner for Interpreted {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        NativeRunner.run(call, inputs)
    }

    fn run_batch(&self, batch: &mut Batch<'_>) -> Result<(), TaskError> {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.interpreter.take();
        let ran = batch.run_each(|call, inputs| self.run(call, inputs));
        self.interpreter.let_go();
        ran
    }

    fn let_wait(&self, wait: &mut (dyn FnMut() + Send)) {
        self.interpreter.let_go();
        wait();
        self.interpreter.take();
    }
}

const BYTES: usize = 1 << 20;

/// An object that only the interpreter can write.
struct Interned(Arc<Interpreter>);

impl Foreign for Interned {
    fn bytes(&self) -> usize {
        BYTES
    }

    fn type_name(&self) -> &str {
        "interned"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(InternedCodec(self.0.clone())))
    }
}

struct InternedCodec(Arc<Interpreter>);

impl Codec for InternedCodec {
    fn encode(&self, _: &Value) -> Result<Encoded, Unwritten> {
        self.0.take();
        let interpreter = self.0.clone();
        let decoder = move |_: Buffer| Ok(Value::Foreign(Arc::new(Interned(interpreter.clone()))));
        self.0.let_go();
        Ok(Encoded { pieces: vec![Buffer::from_vec(vec![1_u8; 8])], decoder: Arc::new(decoder) })
    }

    fn may_change(&self) -> bool {
        true
    }
}

fn python(graph: &mut GraphBuilder, name: &str, body: Box<Body>) -> OpId {
    let body = Arc::new(NativeOp(Arc::new(Closure(body))));
    graph.op(Op { kind: OpKind::Python, name: name.into(), digest: 0, flags: OpFlags::default(), body })
}

/// A task gives a result that a store keeps and that begins to leave, and one of the same assignment reads it.
#[test]
fn a_task_that_waits_for_a_result_to_be_written_lets_the_writer_have_the_interpreter() {
    let interpreter = Arc::new(Interpreter::default());
    let runner = Arc::new(Interpreted { interpreter: interpreter.clone(), batches: AtomicUsize::new(0) });
    let store = Store::new(Limits::of_memory(2 * BYTES as u64));
    let options = EngineOptions { threads: 1, ..EngineOptions::default() };
    let engine = Engine::with_store(options, store.clone(), Runners::default().with_python(runner.clone()));
    let facts = ResultInfo { label: "interned".into(), group: 1, turn: None, recompute_nanoseconds: None, family: 0 };
    let value = Value::Foreign(Arc::new(Interned(interpreter)));
    let kept: Arc<StoredRef> = store.keep_pinned(value, Lineage::none(), facts).unwrap().0;
    let (place, given) = (store.clone(), kept.clone());
    let mut graph = GraphBuilder::new();
    let give = move |_: &Call<'_>, _: &[Value]| {
        place.hold_unasked(2 * BYTES as u64);
        Ok(Value::Stored(given.clone()))
    };
    let give = python(&mut graph, "give", Box::new(give));
    let read = |_: &Call<'_>, inputs: &[Value]| {
        assert!(!matches!(inputs[0], Value::Stored(_)));
        Ok(Chunk::scalar(inputs[0].bytes() as i64).into())
    };
    let read = python(&mut graph, "read", Box::new(read));
    // What nobody knows the time of is handed out alone.
    let cost = Cost { nanoseconds: 1000, output_bytes: 8, scratch_bytes: 0 };
    let given = graph.layer(Layer::new("give", give, Shape::source(1)).with_cost(cost)).unwrap();
    let grid = Grid::new([1]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(given, grid)] };
    let last = graph.layer(Layer::new("read", read, shape).with_cost(cost)).unwrap();
    let run = engine.submit(Arc::new(graph.finish()), vec![TaskId::new(last, 0)]);
    let result = run.wait_timeout(Duration::from_secs(20)).expect("it doesn't hang").unwrap();
    assert_eq!(number(&result[0]), BYTES as i64);
    assert_eq!(runner.batches.load(Ordering::Relaxed), 1, "both are of one assignment");
    store.let_go_small(2 * BYTES as u64);
    drop(kept);
}
