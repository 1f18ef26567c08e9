//! Small graphs that are run by whoever asks, against the engine.

use super::*;
use crate::in_place::evaluate;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Layers that read one or two earlier ones, some of them nobody's; tasks are wanted in any order, also twice.
    #[test]
    fn it_gives_what_an_engine_gives(
        length in 1_u32..5,
        reads in prop::collection::vec((0_usize..8, 0_usize..8), 1..8),
        wanted in prop::collection::vec((0_u32..8, 0_u64..5), 1..6),
    ) {
        let mut graph = GraphBuilder::new();
        let index = op(&mut graph, |call, _| Ok(Chunk::scalar(call.index as i64).into()));
        let sum = op(&mut graph, |call, inputs| {
            Ok(Chunk::scalar(7 * call.index as i64 + inputs.iter().map(number).sum::<i64>()).into())
        });
        let grid = Grid::new([length]);
        let mut layers = vec![graph.layer(Layer::new("index", index, Shape::source(length))).unwrap()];
        for (one, other) in reads {
            let input = |at: usize| MapInput::same(layers[at % layers.len()], grid.clone());
            let shape = Shape::Map { grid: grid.clone(), inputs: vec![input(one), input(other)] };
            layers.push(graph.layer(Layer::new("sum", sum, shape)).unwrap());
        }
        let graph = Arc::new(graph.finish());
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(layer, index)| TaskId::new(layers[layer as usize % layers.len()], index % u64::from(length)))
            .collect();
        let numbers = |values: Vec<Value>| values.iter().map(number).collect::<Vec<_>>();
        let expected = numbers(engine(0).submit(graph.clone(), wanted.clone()).wait().unwrap());
        prop_assert_eq!(numbers(evaluate(&graph, &wanted).unwrap().unwrap()), expected);
    }
}

#[test]
fn what_nobody_needs_is_not_run_and_what_is_read_twice_is_run_once() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let mut graph = GraphBuilder::new();
    let source = op(&mut graph, move |call, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(Chunk::scalar(call.index as i64).into())
    });
    let sum = op(&mut graph, |_, inputs| Ok(Chunk::scalar(inputs.iter().map(number).sum::<i64>()).into()));
    let grid = Grid::new([5]);
    let first = graph.layer(Layer::new("first", source, Shape::source(5))).unwrap();
    let inputs = vec![MapInput::same(first, grid.clone()), MapInput::same(first, grid.clone())];
    let second = graph.layer(Layer::new("second", sum, Shape::Map { grid, inputs })).unwrap();
    let graph = graph.finish();
    let values = evaluate(&graph, &[TaskId::new(second, 3), TaskId::new(first, 3)]).unwrap().unwrap();
    assert_eq!(values.iter().map(number).collect::<Vec<_>>(), [6, 3]);
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn errors_and_panics_name_their_task() {
    let failing = one_task_named("odd", |_, _| Err(TaskError::new(ErrorKind::Value, "no")));
    let panicking = one_task_named("bad", |_, _| panic!("broken"));
    for ((graph, wanted), name, told) in [(failing, "odd", "no"), (panicking, "bad", "broken")] {
        let error = evaluate(&graph, &wanted).unwrap().unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(told), "{error}");
    }
}

#[test]
fn what_is_not_fit_for_it_is_left_to_an_engine() {
    let (graph, _) = sum_of(3);
    let beyond = [TaskId::new(LayerId(0), 3), TaskId::new(LayerId(9), 0)];
    beyond.iter().for_each(|task| assert!(run_in_place(&graph, &[*task]).is_none()));
    let (large, wanted) = sum_of(1_000_000);
    assert!(run_in_place(&large, &wanted).is_none());
    let mut graph = GraphBuilder::new();
    let one = op(&mut graph, |_, _| Ok(Chunk::scalar(1_i64).into()));
    let mut edges = ExplicitBuilder::default();
    edges.task();
    edges.own_input(0);
    edges.task();
    let layer = graph.layer(Layer::new("own", one, Shape::Explicit(edges.finish().unwrap()))).unwrap();
    assert!(evaluate(&graph.finish(), &[TaskId::new(layer, 1)]).is_none());
}

#[test]
fn where_a_kept_result_is_not_in_memory_nothing_has_been_run() {
    let store = Store::new(Limits::of_memory(1 << 20));
    let facts =
        raskt_store::ResultInfo { label: "block".into(), group: 1, turn: None, recompute_nanoseconds: None, family: 0 };
    let kept = store.keep_pinned(memory::block(1, 512), raskt_store::Lineage::none(), facts).unwrap().0;
    store.hold_unasked(1 << 20);
    let deadline = Instant::now() + Duration::from_secs(20);
    while kept.in_memory().is_some() {
        assert!(Instant::now() < deadline, "it stays in memory");
        std::thread::sleep(Duration::from_millis(1));
    }
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let mut graph = GraphBuilder::new();
    let sink = op(&mut graph, move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(Chunk::scalar(0_i64).into())
    });
    let body = Arc::new(NativeOp(Arc::new(Closure(Box::new(move |_, _| Ok(Value::Stored(kept.clone())))))));
    let flags = OpFlags { gives_stored: true, ..OpFlags::default() };
    let give = graph.op(Op { kind: OpKind::Array, name: "give".into(), digest: 0, flags, body });
    let sink = graph.layer(Layer::new("sink", sink, Shape::source(3))).unwrap();
    let give = graph.layer(Layer::new("give", give, Shape::source(1))).unwrap();
    let wanted = [TaskId::new(sink, 1), TaskId::new(give, 0)];
    assert!(evaluate(&graph.finish(), &wanted).is_none());
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    store.let_go_small(1 << 20);
}

/// What a store keeps may stand behind a gate, and comes after it.
#[test]
fn kept_results_that_wait_for_others_are_left_to_an_engine() {
    let mut graph = GraphBuilder::new();
    let sink = op(&mut graph, |_, _| Ok(Chunk::scalar(1_i64).into()));
    let body = Arc::new(NativeOp(Arc::new(Closure(Box::new(|_, inputs| Ok(inputs[0].clone()))))));
    let flags = OpFlags { gives_stored: true, ..OpFlags::default() };
    let give = graph.op(Op { kind: OpKind::Array, name: "give".into(), digest: 0, flags, body });
    let gate = graph.layer(Layer::new("gate", sink, Shape::source(1))).unwrap();
    let grid = Grid::new([1]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(gate, grid)] };
    let give = graph.layer(Layer::new("give", give, shape)).unwrap();
    let (graph, wanted) = (Arc::new(graph.finish()), vec![TaskId::new(give, 0)]);
    assert!(evaluate(&graph, &wanted).is_none() && run_in_place(&graph, &wanted).is_none());
}
