//! Engines without threads, whose callers run the tasks.

use super::*;

#[test]
fn without_threads_a_task_may_wait_for_a_run_too() {
    for inner_threads in [0, 1] {
        let outer = engine(0);
        let inner = if inner_threads == 0 { outer.clone() } else { engine(inner_threads) };
        let nested = one_task(move |_, _| {
            let result =
                submit(&inner, sum_of(100)).wait().map_err(|error| TaskError::new(ErrorKind::Value, error.to_string()));
            result.map(|values| values[0].clone())
        });
        assert_eq!(number(&submit(&outer, nested).wait().unwrap()[0]), 4950);
    }
}

#[test]
fn callers_without_threads_share_an_engine() {
    let engine = engine(0);
    std::thread::scope(|scope| {
        for count in [1, 10, 1000, 5000] {
            let engine = &engine;
            scope.spawn(move || {
                let result = submit(engine, sum_of(count)).wait().unwrap();
                assert_eq!(number(&result[0]), (0..i64::from(count)).sum::<i64>());
            });
        }
    });
}

/// A caller that waits within a task takes up another one's task, while what it waits for ends.
#[test]
fn callers_without_threads_may_wait_within_each_others_tasks() {
    let engine = engine(0);
    let nested = |engine: &Engine| {
        let engine = engine.clone();
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph, move |_, _| {
            let ended = submit(&engine, sum_of(2)).wait_timeout(Duration::from_secs(20));
            let values =
                ended.expect("it ends").map_err(|error| TaskError::new(ErrorKind::Value, error.to_string()))?;
            Ok(values[0].clone())
        });
        let layer = graph.layer(Layer::new("nested", op, Shape::source(2))).unwrap();
        (Arc::new(graph.finish()), vec![TaskId::new(layer, 0), TaskId::new(layer, 1)])
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    let ended = submit(&engine, nested(&engine)).wait_timeout(Duration::from_secs(20));
                    assert_eq!(ended.expect("it ends").unwrap().iter().map(number).sum::<i64>(), 2);
                }
            });
        }
    });
}
