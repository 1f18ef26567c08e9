//! Tasks that ask to be run again.

use super::*;

fn again() -> TaskError {
    TaskError::new(ErrorKind::Rescheduled, "not now")
}

#[test]
fn a_task_that_asks_for_it_is_run_again() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = tries.clone();
    let graph = one_task(move |_, _| match counted.fetch_add(1, Ordering::Relaxed) {
        0..5 => Err(again()),
        tries => Ok(Chunk::scalar(tries as i64).into()),
    });
    assert_eq!(number(&submit(&engine(1), graph).wait().unwrap()[0]), 5);
    assert_eq!(tries.load(Ordering::Relaxed), 6);
}

#[test]
fn those_beside_one_that_asks_for_it_are_run_once() {
    let tries: Arc<Vec<AtomicUsize>> = Arc::new((0..100).map(|_| AtomicUsize::new(0)).collect());
    let counted = tries.clone();
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph, move |call, _| {
        let before = counted[call.index as usize].fetch_add(1, Ordering::Relaxed);
        if call.index % 10 == 3 && before == 0 { Err(again()) } else { Ok(Chunk::scalar(call.index as i64).into()) }
    });
    let layer = graph.layer(Layer::new("index", op, Shape::source(100))).unwrap();
    let wanted: Vec<_> = (0..100).map(|index| TaskId::new(layer, index)).collect();
    let results = submit(&engine(2), (Arc::new(graph.finish()), wanted)).wait().unwrap();
    assert_eq!(results.iter().map(number).collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
    let tries: Vec<_> = tries.iter().map(|tries| tries.load(Ordering::Relaxed)).collect();
    let expected: Vec<_> = (0..100).map(|index| if index % 10 == 3 { 2 } else { 1 }).collect();
    assert_eq!(tries, expected);
}

#[test]
fn those_behind_tasks_that_ask_for_it_often_do_not_fail() {
    let tries: Arc<Vec<AtomicUsize>> = Arc::new((0..40).map(|_| AtomicUsize::new(0)).collect());
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph, move |call, _| {
        let before = tries[call.index as usize].fetch_add(1, Ordering::Relaxed);
        // Together they ask for it far more often than one may.
        if call.index < 20 && before < 10 { Err(again()) } else { Ok(Chunk::scalar(call.index as i64).into()) }
    });
    let layer = graph.layer(Layer::new("index", op, Shape::source(40))).unwrap();
    let wanted: Vec<_> = (0..40).map(|index| TaskId::new(layer, index)).collect();
    let results = submit(&engine(1), (Arc::new(graph.finish()), wanted)).wait().unwrap();
    assert_eq!(results.iter().map(number).collect::<Vec<_>>(), (0..40).collect::<Vec<_>>());
}

#[test]
fn a_task_that_asks_for_it_without_end_fails_with_what_it_said() {
    let engine = engine(1);
    let error = submit(&engine, one_task(|_, _| Err(again()))).wait().unwrap_err();
    assert!(error.to_string().contains("not now"), "{error}");
    assert_eq!(number(&submit(&engine, sum_of(10)).wait().unwrap()[0]), 45);
}
