//! Tasks that read one another within one assignment.

use super::*;
use raskt_value::Foreign;

/// A layer of tasks each of which runs `kernel` over the earlier tasks that `inputs` names.
fn reading(
    name: &str,
    inputs: &[&[u64]],
    cost: Cost,
    retries: u32,
    kernel: impl Fn(&Call<'_>, &[Value]) -> Result<Value, TaskError> + Send + Sync + 'static,
) -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph, kernel);
    let mut edges = ExplicitBuilder::default();
    for inputs in inputs {
        inputs.iter().for_each(|&input| edges.own_input(input));
        edges.task();
    }
    let layer = Layer::new(name, op, Shape::Explicit(edges.finish().unwrap())).with_cost(cost);
    let annotations = Arc::new(Annotations { retries, ..Annotations::default() });
    graph.layer(Layer { annotations, ..layer }).unwrap();
    Arc::new(graph.finish())
}

const QUICK: Cost = Cost { nanoseconds: 1000, output_bytes: 8, scratch_bytes: 0 };

/// One more than the sum of what a task reads.
fn one_more(inputs: &[Value]) -> i64 {
    1 + inputs.iter().map(number).sum::<i64>()
}

#[test]
fn what_only_tasks_of_one_assignment_read_goes_when_the_last_of_them_is_done() {
    struct Block(Arc<AtomicUsize>, i64);
    impl Foreign for Block {
        fn bytes(&self) -> usize {
            8
        }
        fn type_name(&self) -> &str {
            "block"
        }
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }
    impl Drop for Block {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let of = |value: &Value| match value {
        Value::Foreign(block) => block.as_any().downcast_ref::<Block>().unwrap().1,
        _ => panic!("it is a block"),
    };
    let (alive, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, peak) = (alive.clone(), most.clone());
    // A diamond, and a chain of a hundred behind it.
    let mut edges: Vec<Vec<u64>> = vec![vec![], vec![0], vec![0], vec![1, 2]];
    edges.extend((3..103).map(|before| vec![before]));
    let edges: Vec<&[u64]> = edges.iter().map(Vec::as_slice).collect();
    let graph = reading("reading", &edges, QUICK, 0, move |_, inputs| {
        peak.fetch_max(1 + counted.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let sum = 1 + inputs.iter().map(of).sum::<i64>();
        Ok(Value::Foreign(Arc::new(Block(counted.clone(), sum))))
    });
    let result = engine(0).submit(graph, vec![TaskId::new(LayerId(0), 103)]).wait().unwrap();
    assert_eq!(of(&result[0]), 105);
    assert_eq!((alive.load(Ordering::Relaxed), most.load(Ordering::Relaxed)), (1, 3));
    drop(result);
    assert_eq!(alive.load(Ordering::Relaxed), 0);
}

#[test]
fn a_failure_in_the_middle_of_a_chain_is_tried_again_from_there() {
    for (fails, retries, expected) in [(1, 1, Some(5)), (2, 1, None)] {
        let runs = Arc::new([const { AtomicUsize::new(0) }; 5]);
        let counted = runs.clone();
        let graph = reading("reading", &[&[], &[0], &[1], &[2], &[3]], QUICK, retries, move |call, inputs| {
            let before = counted[call.index as usize].fetch_add(1, Ordering::Relaxed);
            match call.index == 2 && before < fails {
                true => Err(TaskError::new(ErrorKind::Value, "not yet")),
                false => Ok(Chunk::scalar(one_more(inputs)).into()),
            }
        });
        let result = engine(0).submit(graph, vec![TaskId::new(LayerId(0), 4)]).wait();
        match expected {
            Some(expected) => assert_eq!(number(&result.unwrap()[0]), expected),
            None => assert!(matches!(result, Err(RunError::Task { key, .. }) if key == "reading[2]")),
        }
        let runs: Vec<_> = runs.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        assert_eq!(runs[..3], [1, 1, 2], "what was made before isn't made again");
    }
}

#[test]
fn a_panic_in_the_middle_of_a_chain_is_the_failure_of_that_task() {
    let graph = reading("reading", &[&[], &[0], &[1]], QUICK, 0, |call, inputs| match call.index {
        1 => panic!("at one"),
        _ => Ok(Chunk::scalar(one_more(inputs)).into()),
    });
    let result = engine(1).submit(graph, vec![TaskId::new(LayerId(0), 2)]).wait();
    assert!(matches!(result, Err(RunError::Task { key, .. }) if key == "reading[1]"));
}

#[test]
fn slow_tasks_that_become_ready_together_run_on_all_threads() {
    // One task, and four that read it and wait for one another: in one assignment they would wait for ever.
    let meeting = Arc::new(std::sync::Barrier::new(4));
    let edges: &[&[u64]] = &[&[], &[0], &[0], &[0], &[0], &[1, 2, 3, 4]];
    let graph = reading("slow", edges, Cost::default(), 0, move |call, inputs| {
        // It is known to be slow once the first has run.
        std::thread::sleep(Duration::from_millis(1));
        if (1..5).contains(&call.index) {
            meeting.wait();
        }
        Ok(Chunk::scalar(one_more(inputs)).into())
    });
    let result = engine(4).submit(graph, vec![TaskId::new(LayerId(0), 5)]).wait().unwrap();
    assert_eq!(number(&result[0]), 9);
}

#[test]
fn observers_are_told_of_results_that_go_with_their_readers() {
    let notes = Arc::new(Notes::default());
    let observation = observe(notes.clone());
    let graph = reading("passing", &[&[], &[0]], QUICK, 0, |_, inputs| Ok(Chunk::scalar(one_more(inputs)).into()));
    engine(0).submit(graph, vec![TaskId::new(LayerId(0), 1)]).wait().unwrap();
    drop(observation);
    let first = notes.of("passing[0]").id;
    assert!(notes.freed.lock().contains(&Freed::Result(first)));
}
