//! Tasks within tasks, as deep as it goes: on few threads, and with an error where it goes no deeper.

use super::*;
use crate::room::stack_left;
use std::hint::black_box;

const PATIENCE: Duration = Duration::from_secs(60);

/// A task that waits for such a task, and so on, each of which has used so much of the stack before it does.
#[derive(Clone)]
struct Chain {
    engine: Engine,
    kind: OpKind,
    /// Uses stack, and then calls what it is given.
    using: fn(&mut dyn FnMut()),
    most_threads: Arc<AtomicUsize>,
    /// The least stack that a task began with.
    least_stack: Arc<AtomicUsize>,
}

impl Chain {
    fn new(engine: &Engine) -> Self {
        let (most_threads, least_stack) = (Arc::default(), Arc::new(AtomicUsize::new(usize::MAX)));
        Self { engine: engine.clone(), kind: OpKind::Array, using: |call| call(), most_threads, least_stack }
    }

    fn run(&self, depth: u32) -> Result<i64, RunError> {
        let result = submit(&self.engine, self.task(depth)).wait_timeout(PATIENCE).expect("it doesn't hang");
        Ok(number(&result?[0]))
    }

    fn task(&self, depth: u32) -> (Arc<Graph>, Vec<TaskId>) {
        let (mut graph, inner) = (GraphBuilder::new(), self.clone());
        let body = move |_: &Call<'_>, _: &[Value]| {
            inner.least_stack.fetch_min(stack_left(), Ordering::Relaxed);
            inner.most_threads.fetch_max(inner.engine.0.lock().pool.live(), Ordering::Relaxed);
            let mut below = Ok(0);
            if depth > 0 {
                (inner.using)(&mut || below = inner.run(depth - 1));
            }
            match below {
                Ok(below) => Ok(Chunk::scalar(below + 1).into()),
                Err(error) => Err(TaskError::new(error.kind(), innermost(&error.to_string()))),
            }
        };
        let (name, flags) = ("link".into(), OpFlags::default());
        let body = Arc::new(NativeOp(Arc::new(Closure(Box::new(body)))));
        let op = graph.op(Op { kind: self.kind, name, digest: 0, flags, body });
        let layer = graph.layer(Layer::new("link", op, Shape::source(1))).unwrap();
        (Arc::new(graph.finish()), vec![TaskId::new(layer, 0)])
    }
}

/// An error of a task, without the names of all tasks around it.
fn innermost(error: &str) -> &str {
    error.rsplit("failed: ").next().unwrap_or_default()
}

#[inline(never)]
fn use_64_kib(call: &mut dyn FnMut()) {
    let used = black_box([1_u8; 64 << 10]);
    call();
    black_box(used);
}

#[test]
fn a_long_chain_of_tasks_that_wait_for_one_another_needs_few_threads() {
    for (threads, depth) in [(1, 1000), (2, 3000)] {
        let engine = engine(threads);
        let chain = Chain::new(&engine);
        assert_eq!(chain.run(depth).unwrap(), i64::from(depth) + 1);
        let (most, least) = (chain.most_threads.load(Ordering::Relaxed), chain.least_stack.load(Ordering::Relaxed));
        assert!(most <= threads + 8, "{most} threads, with {threads} at work, for a chain of {depth}");
        assert!(least >= 7 << 20, "a task began with {least} bytes of stack");
        engine.shut_down(PATIENCE);
        let state = engine.0.lock();
        assert_eq!((state.pool.live(), state.pool.busy(), state.lent()), (0, 0, 0));
    }
}

#[test]
fn where_no_thread_can_be_had_a_chain_ends_with_an_error_before_the_stack_does() {
    for most in [1, 3] {
        let engine = engine(2);
        engine.0.lock().pool.most = most;
        let chain = Chain { using: use_64_kib, ..Chain::new(&engine) };
        assert_eq!(chain.run(20).unwrap(), 21);
        let error = chain.run(3000).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Memory);
        assert!(text.contains("an engine has") && text.contains("begins none with less than 2097152"), "{text}");
        let least = chain.least_stack.load(Ordering::Relaxed);
        assert!((2 << 20..4 << 20).contains(&least), "it goes as deep as it may: {least} bytes were left");
        assert_eq!(chain.run(20).unwrap(), 21, "the next one works");
        assert_eq!(engine.0.lock().lent(), 0);
    }
}

#[test]
fn without_threads_a_chain_ends_with_an_error_before_the_stack_of_its_caller_does() {
    // Less than what is left elsewhere, so that half of it is the bound.
    for (stack, depth) in [(1 << 20, 3), (6 << 20, 20)] {
        let caller = std::thread::Builder::new().stack_size(stack).spawn(move || {
            let engine = engine(0);
            let chain = Chain { using: use_64_kib, ..Chain::new(&engine) };
            assert_eq!(chain.run(depth).unwrap(), i64::from(depth) + 1);
            let text = chain.run(3000).unwrap_err().to_string();
            assert!(text.contains("bytes of stack left, and begins none with less"), "{text}");
            assert_eq!(chain.run(depth).unwrap(), i64::from(depth) + 1);
        });
        caller.unwrap().join().unwrap();
    }
}

/// A runner that counts the tasks that the calling thread is in, and says that there is no room for more than a few.
struct Cramped;

thread_local! {
    static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

static DEEPEST: AtomicUsize = AtomicUsize::new(0);

impl Runner for Cramped {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        DEPTH.set(DEPTH.get() + 1);
        DEEPEST.fetch_max(DEPTH.get(), Ordering::Relaxed);
        let result = NativeRunner.run(call, inputs);
        DEPTH.set(DEPTH.get() - 1);
        result
    }

    fn has_room(&self) -> bool {
        DEPTH.get() < 20
    }
}

#[test]
fn a_thread_without_room_in_its_interpreter_leaves_what_is_deeper_to_another() {
    let options = EngineOptions { threads: 1, memory_limit: 1 << 30 };
    let engine = Engine::new(options, Runners::default().with_python(Arc::new(Cramped)));
    let chain = Chain { kind: OpKind::Python, ..Chain::new(&engine) };
    assert_eq!(chain.run(200).unwrap(), 201);
    assert_eq!(DEEPEST.load(Ordering::Relaxed), 20);
    let most = chain.most_threads.load(Ordering::Relaxed);
    assert!((10..=12).contains(&most), "{most} threads");
    // Where there is no other, it goes on, as far as the interpreter lets it.
    engine.0.lock().pool.most = 2;
    engine.shut_down(PATIENCE);
    let engine = Engine::new(options, Runners::default().with_python(Arc::new(Cramped)));
    engine.0.lock().pool.most = 1;
    let chain = Chain { kind: OpKind::Python, ..Chain::new(&engine) };
    assert_eq!(chain.run(60).unwrap(), 61);
    assert_eq!(DEEPEST.load(Ordering::Relaxed), 61);
}
