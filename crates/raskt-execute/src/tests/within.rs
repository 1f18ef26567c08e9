//! Computations of one call within a task, made in its slot.

use super::*;
use raskt_sync::Mutex;

/// Runs calls as an interpreter would that nobody has to take.
struct Plain;

impl Runner for Plain {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        NativeRunner.run(call, inputs)
    }
}

fn interpreting(threads: usize) -> Engine {
    Engine::new(EngineOptions { threads, memory_limit: 1 << 30 }, Runners::default().with_python(Arc::new(Plain)))
}

fn call(
    change: impl FnOnce(&mut Layer),
    body: impl Fn(&Call<'_>, &[Value]) -> Result<Value, TaskError> + Send + Sync + 'static,
) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(NativeOp(Arc::new(Closure(Box::new(body)))));
    let op = Op { kind: OpKind::Python, name: "call".into(), digest: 0, flags: OpFlags::default(), body };
    let mut layer = Layer::new("call", graph.op(op), Shape::source(1));
    change(&mut layer);
    let layer = graph.layer(layer).unwrap();
    (Arc::new(graph.finish()), vec![TaskId::new(layer, 0)])
}

fn seven() -> (Arc<Graph>, Vec<TaskId>) {
    call(|_| {}, |_, _| Ok(Chunk::scalar(7_i64).into()))
}

/// What `ask` finds within a task of `engine`.
fn within<R: Send + 'static>(engine: &Engine, ask: impl Fn(&Engine) -> R + Send + Sync + 'static) -> R {
    let found = Arc::new(Mutex::new(None));
    let (note, own) = (found.clone(), engine.clone());
    let body = move |_: &Call<'_>, _: &[Value]| {
        *note.lock() = Some(ask(&own));
        Ok(Chunk::scalar(0_i64).into())
    };
    submit(engine, one_task(body)).wait().unwrap();
    found.lock().take().expect("the task has run")
}

fn run((graph, wanted): (Arc<Graph>, Vec<TaskId>)) -> impl Fn(&Engine) -> Option<i64> + Send + Sync + 'static {
    move |engine| Some(number(&engine.run_within(&graph, &wanted)?.ok()?[0]))
}

#[test]
fn a_call_is_made_by_the_task_that_waits_for_it() {
    let engine = interpreting(2);
    let same = within(&engine, |engine| {
        let own = std::thread::current().id();
        let inner = call(|_| {}, move |_, _| Ok(Chunk::scalar(i64::from(std::thread::current().id() == own)).into()));
        run(inner)(engine)
    });
    assert_eq!(same, Some(1));
}

#[test]
fn what_is_known_or_asked_of_a_call_is_for_the_engine() {
    let engine = interpreting(2);
    assert_eq!(run(seven())(&engine), None, "nobody waits within a task");
    assert_eq!(
        within(&interpreting(2), {
            let engine = engine.clone();
            move |_| run(seven())(&engine)
        }),
        None
    );
    let asked = |annotations: Annotations| {
        call(move |layer| layer.annotations = Arc::new(annotations), |_, _| Ok(Chunk::scalar(7_i64).into()))
    };
    let costly = call(|layer| layer.cost.output_bytes = 1 << 20, |_, _| Ok(Chunk::scalar(7_i64).into()));
    let others = [
        asked(Annotations { retries: 1, ..Annotations::default() }),
        asked(Annotations { priority: 1, ..Annotations::default() }),
        asked(Annotations { resources: [("gpu".into(), 1)].into(), ..Annotations::default() }),
        asked(Annotations { workers: vec!["one".into()], ..Annotations::default() }),
        costly,
        sum_of(1),
        sum_of(9),
    ];
    for other in others {
        assert_eq!(within(&engine, run(other)), None);
    }
    assert_eq!(within(&engine, run(seven())), Some(7));
    let (graph, wanted) = seven();
    assert!(within(&engine, move |engine| engine.run_within(&graph, &[TaskId::new(LayerId(0), 1)]).is_none()));
    let (graph, _) = seven();
    let twice = within(&engine, move |engine| engine.run_within(&graph, &[wanted[0]; 2]).unwrap().unwrap().len());
    assert_eq!(twice, 2);
}

/// A call that waits in turn lends the one slot that it and the tasks below it have, and gets it back.
#[test]
fn calls_above_one_another_have_one_slot_to_lend() {
    let engine = interpreting(2);
    let lent = |engine: &Engine| engine.0.lock().lent();
    let own = engine.clone();
    let inner = call(
        |_| {},
        move |_, _| {
            let loan = Engine::lend_slot();
            let waits = lent(&own);
            drop(loan);
            let above = number(&own.run_within(&seven().0, &seven().1).expect("it is in a task").unwrap()[0]);
            let sum = number(&submit(&own, sum_of(20)).wait().unwrap()[0]);
            Ok(Chunk::scalar(i64::from(waits) * 1000 + above * 100 + i64::from(sum == 190)).into())
        },
    );
    assert_eq!(within(&engine, run(inner)), Some(1000 + 700 + 1));
    assert_eq!(lent(&engine), 0);
    assert!(within(&engine, |_| Engine::lend_slot().is_some()));
}

#[test]
fn errors_and_panics_of_a_call_name_it_and_leave_the_slot_as_it_was() {
    let engine = interpreting(1);
    let fails = || call(|_| {}, |_, _| Err(TaskError::new(ErrorKind::Value, "no")));
    let panics = || call(|_| {}, |_, _| panic!("oh"));
    for (inner, text) in [(fails(), "no"), (panics(), "oh")] {
        let error = within(&engine, move |engine| match engine.run_within(&inner.0, &inner.1) {
            Some(Err(RunError::Task { key, error })) => format!("{key}: {error}"),
            other => format!("{other:?}"),
        });
        assert!(error.starts_with("call") && error.contains(text), "{error}");
        assert_eq!(within(&engine, run(seven())), Some(7));
    }
}

#[test]
fn an_engine_that_is_shut_down_makes_no_call() {
    let engine = interpreting(1);
    let found = within(&engine, |engine| {
        engine.0.lock().is_shut_down = true;
        let found = run(seven())(engine);
        engine.0.lock().is_shut_down = false;
        found
    });
    assert_eq!(found, None);
}
