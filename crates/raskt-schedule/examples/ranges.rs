//! What it costs that a client wants, or doesn't want any more, very many tasks at once, and that a worker goes that
//! holds few of very many.

use raskt_graph::*;
use raskt_schedule::*;
use std::iter;
use std::sync::Arc;
use std::time::Instant;

const RUN: RunId = RunId(1);

fn pairs(len: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(()) as Arc<dyn std::any::Any + Send + Sync>;
    let op = graph.op(Op { kind: OpKind::Array, name: "test".into(), digest: 0, flags: OpFlags::default(), body });
    let first = graph.layer(Layer::new("first", op, Shape::source(len))).unwrap();
    let grid = Grid::new([len]);
    graph
        .layer(Layer::new("second", op, Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(first, grid)] }))
        .unwrap();
    graph.finish()
}

fn time(what: &str, scheduler: &mut Scheduler, event: Event) -> Vec<(WorkerId, Assignment)> {
    let start = Instant::now();
    scheduler.handle_event(Time(0), event);
    let took = start.elapsed();
    if !what.is_empty() {
        println!("{what:>40}: {:>8.2} ms", took.as_secs_f64() * 1e3);
    }
    let mut given = vec![];
    while let Some(action) = scheduler.poll_action() {
        if let Action::Assign { worker, assignment } = action {
            given.push((worker, assignment));
        }
    }
    given
}

/// An array, a slice of it for each block, and all of these together.
fn stack(count: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(()) as Arc<dyn std::any::Any + Send + Sync>;
    let op = graph.op(Op { kind: OpKind::Array, name: "test".into(), digest: 0, flags: OpFlags::default(), body });
    let array = graph.layer(Layer::new("array", op, Shape::source(count))).unwrap();
    let grid = Grid::new([count]);
    let slices: Vec<_> = (0..count)
        .map(|at| {
            let ranges = Arc::from([iter::once(at..at + 1).collect()]);
            let shape = Shape::Overlap { input: array, grid: grid.clone(), ranges };
            graph.layer(Layer::new("slice", op, shape)).unwrap()
        })
        .collect();
    let parts = Parts::new(0, &grid, slices.into_iter().map(|slice| (slice, 1))).unwrap();
    graph.layer(Layer::new("stack", op, Shape::Concatenate(parts))).unwrap();
    graph.finish()
}

fn run_all(scheduler: &mut Scheduler, workers: u32) {
    let mut given = vec![];
    for worker in 0..workers {
        let joined = Event::WorkerJoined { worker: WorkerId(worker), offer: Offer::slots(1) };
        given.extend(time("", scheduler, joined));
    }
    while let Some((worker, Assignment { run, attempt, tasks, .. })) = given.pop() {
        let outcomes = tasks.into_iter().map(|range| (range, Outcome::Done { bytes: 8 })).collect();
        let report = Report { run, attempt, outcomes, nanoseconds: 1000 };
        given.extend(time("", scheduler, Event::Reported { worker, report }));
    }
}

fn main() {
    let count = 10_000;
    let start = Instant::now();
    let graph = Arc::new(stack(count));
    println!("{:>40}: {:>8.2} ms", "10^4 slices of an array are stacked", start.elapsed().as_secs_f64() * 1e3);
    let wanted = vec![TaskRange { layer: LayerId(count + 1), start: 0, end: count.into() }];
    let mut scheduler = Scheduler::new(1_000_000);
    time(
        "and submitted",
        &mut scheduler,
        Event::GraphAdded { run: RUN, parent: None, graph, wanted, failure: FailureScope::Run, imports: vec![] },
    );
    let start = Instant::now();
    run_all(&mut scheduler, 1);
    println!("{:>40}: {:>8.2} ms", "and run", start.elapsed().as_secs_f64() * 1e3);
    println!("{:?}", scheduler.progress(RUN));
    let len = 10_000_000;
    let range = |layer| vec![TaskRange { layer: LayerId(layer), start: 0, end: len.into() }];
    let all = Arc::new(pairs(len));
    let mut scheduler = Scheduler::new(1_000_000);
    time(
        "",
        &mut scheduler,
        Event::GraphAdded {
            run: RUN,
            parent: None,
            graph: all.clone(),
            wanted: range(1),
            failure: FailureScope::Run,
            imports: vec![],
        },
    );
    time("10^7 inputs that wait are wanted", &mut scheduler, Event::Wanted { run: RUN, tasks: range(0) });
    time("they aren't any more", &mut scheduler, Event::Released { run: RUN, tasks: range(0) });
    time("nor are the 10^7 that read them", &mut scheduler, Event::Released { run: RUN, tasks: range(1) });
    time("", &mut scheduler, Event::RunReleased { run: RUN });
    time(
        "",
        &mut scheduler,
        Event::GraphAdded {
            run: RUN,
            parent: None,
            graph: all,
            wanted: [range(0), range(1)].concat(),
            failure: FailureScope::Run,
            imports: vec![],
        },
    );
    run_all(&mut scheduler, 10);
    println!("{:?}", scheduler.progress(RUN));
    time("", &mut scheduler, Event::WorkerJoined { worker: WorkerId(99), offer: Offer::slots(1) });
    time(
        "a worker goes that holds nothing",
        &mut scheduler,
        Event::WorkerLost { worker: WorkerId(99), cause: LossCause::Died },
    );
    time("", &mut scheduler, Event::WorkerJoined { worker: WorkerId(98), offer: Offer::slots(1) });
    let one = vec![TaskRange { layer: LayerId(0), start: 7_000_000, end: 7_000_001 }];
    time("", &mut scheduler, Event::Fetched { worker: WorkerId(98), run: RUN, tasks: one });
    time(
        "one goes that holds one copy",
        &mut scheduler,
        Event::WorkerLost { worker: WorkerId(98), cause: LossCause::Died },
    );
    time("10^7 results are released", &mut scheduler, Event::Released { run: RUN, tasks: range(0) });
}
