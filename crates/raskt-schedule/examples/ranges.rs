//! What it costs that a client wants, or doesn't want any more, very many tasks at once, and that a worker goes that holds few of very many.

use raskt_graph::*;
use raskt_schedule::*;
use std::sync::Arc;
use std::time::Instant;

const RUN: RunId = RunId(1);

fn graph(len: u32) -> Graph {
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

fn main() {
    let len = 10_000_000;
    let range = |layer| vec![TaskRange { layer: LayerId(layer), start: 0, end: len.into() }];
    let all = Arc::new(graph(len));
    let mut scheduler = Scheduler::new(1_000_000);
    time("", &mut scheduler, Event::GraphAdded { run: RUN, parent: None, graph: all.clone(), wanted: range(1) });
    time("10^7 inputs that wait are wanted", &mut scheduler, Event::Wanted { run: RUN, tasks: range(0) });
    time("they aren't any more", &mut scheduler, Event::Released { run: RUN, tasks: range(0) });
    time("nor are the 10^7 that read them", &mut scheduler, Event::Released { run: RUN, tasks: range(1) });
    time("", &mut scheduler, Event::RunReleased { run: RUN });
    time(
        "",
        &mut scheduler,
        Event::GraphAdded { run: RUN, parent: None, graph: all, wanted: [range(0), range(1)].concat() },
    );
    let mut given = vec![];
    for worker in 0..10 {
        given.extend(time(
            "",
            &mut scheduler,
            Event::WorkerJoined { worker: WorkerId(worker), offer: Offer::slots(1) },
        ));
    }
    while let Some((worker, Assignment { run, attempt, tasks, .. })) = given.pop() {
        let outcomes = tasks.into_iter().map(|range| (range, Outcome::Done { bytes: 8 })).collect();
        let report = Report { run, attempt, outcomes, nanoseconds: 1000 };
        given.extend(time("", &mut scheduler, Event::Reported { worker, report }));
    }
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
