//! What an event costs grows with what it is about, and with nothing else.

use super::graphs::added;
use super::graphs::op;
use super::lent::{Cluster, gpu, layers};
use super::liveness::{all, assigns, done, drain, one_layer, with};
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

fn layer_read_in_part(len: u32, step: usize, upto: u32) -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let first = graph.layer(Layer::new("first", op, Shape::source(len))).unwrap();
    let ranges: AxisRanges = (0..upto).step_by(step).map(|at| at..at + 1).collect();
    let shape = Shape::Overlap { input: first, grid: Grid::new([len]), ranges: Arc::from([ranges]) };
    graph.layer(Layer::new("second", op, shape)).unwrap();
    Arc::new(graph.finish())
}

#[test]
fn what_is_needed_in_part_is_wanted_by_pages() {
    let len = 1 << 16;
    let graph = layer_read_in_part(len, 1, len / 2);
    let mut s = Scheduler::new(1_000_000);
    let second = TaskRange { layer: LayerId(1), start: 0, end: u64::from(len / 2) };
    s.handle_event(Time(0), added(RunId(1), None, graph, vec![second]));
    let before = s.steps();
    s.handle_event(
        Time(0),
        Event::Wanted {
            run: RunId(1),
            tasks: vec![TaskRange { layer: LayerId(0), start: 0, end: u64::from(len / 2) + 1 }],
        },
    );
    s.validate();
    let steps = s.steps() - before;
    assert!(steps <= 4 * u64::from(len) / 512, "{steps} steps for {} pages", len / 512);
}

/// A listed layer each of whose tasks is read by a layer of its own.
fn read_by_many(n: u32) -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let mut edges = ExplicitBuilder::default();
    (0..n).for_each(|_| _ = edges.task());
    let first = graph.layer(Layer::new("calls", op, Shape::Explicit(edges.finish().unwrap()))).unwrap();
    let slices: Vec<_> = (0..n)
        .map(|at| {
            let own: AxisRanges = (at..at + 1).map(|at| at..at + 1).collect();
            graph
                .layer(Layer::new(
                    "slice",
                    op,
                    Shape::Overlap { input: first, grid: Grid::new([n]), ranges: Arc::from([own]) },
                ))
                .unwrap()
        })
        .collect();
    let parts = Parts::new(0, &Grid::new([0]), slices.into_iter().map(|s| (s, 1))).unwrap();
    graph.layer(Layer::new("all", op, Shape::Concatenate(parts))).unwrap();
    Arc::new(graph.finish())
}

#[test]
fn a_release_asks_only_those_who_read() {
    let mut steps = vec![];
    for n in [1000, 2000, 4000, 8000] {
        let graph = read_by_many(n);
        let last = TaskRange { layer: LayerId(n + 1), start: 0, end: n.into() };
        let mut s = Scheduler::new(1_000_000);
        s.handle_event(Time(0), added(RunId(1), None, graph, vec![last]));
        let before = s.steps();
        s.handle_event(Time(0), Event::Released { run: RunId(1), tasks: vec![last] });
        steps.push(s.steps() - before);
        assert_eq!(s.progress(RunId(1)).unwrap().total, 0);
    }
    assert!(steps[3] < 10 * steps[0], "for 8 times as much: {steps:?}");
}

/// Explicit readers: is who reads a task found without asking all?
#[test]
fn listed_readers_are_found_by_what_they_read() {
    let mut steps = vec![];
    for n in [1000_u32, 2000, 4000] {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        let first = graph.layer(Layer::new("calls", op, Shape::source(n))).unwrap();
        for at in 0..n {
            let mut edges = ExplicitBuilder::default();
            edges.input(TaskId::new(first, at.into()));
            edges.task();
            graph.layer(Layer::new("one", op, Shape::Explicit(edges.finish().unwrap()))).unwrap();
        }
        let graph = Arc::new(graph.finish());
        let wanted = all(&graph)[1..].to_vec();
        let mut s = Scheduler::new(1_000_000);
        s.handle_event(Time(0), added(RunId(1), None, graph, wanted));
        let before = s.steps();
        s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(0), offer: Offer::slots(1) });
        loop {
            let given = assigns(&drain(&mut s));
            if given.is_empty() {
                break;
            }
            for (w, a) in given {
                s.handle_event(Time(0), done(w, &a, 100));
            }
        }
        steps.push(s.steps() - before);
    }
    assert!(steps[2] < 6 * steps[0], "for 4 times as much: {steps:?}");
}

#[test]
fn requirements_that_take_turns_are_remembered() {
    let mut found = vec![];
    for workers in [100_u32, 1000] {
        let mut s = Scheduler::new(1);
        for w in 0..workers {
            let resources = [("gpu".into(), 8000)].into();
            s.handle_event(
                Time(0),
                Event::WorkerJoined { worker: WorkerId(w), offer: Offer { resources, ..Offer::slots(1) } },
            );
        }
        let mut last = 0;
        for run in 0..30_u64 {
            let graph = one_layer(1, Some(with("gpu", 1000 * (1 + run % 6))));
            let before = s.steps();
            s.handle_event(Time(0), added(RunId(run), None, graph.clone(), all(&graph)));
            let given = assigns(&drain(&mut s));
            let (w, a) = &given[0];
            s.handle_event(Time(0), done(*w, a, 100));
            s.handle_event(Time(0), Event::RunReleased { run: RunId(run) });
            drain(&mut s);
            last = s.steps() - before;
        }
        found.push((workers, last));
    }
    assert!(found[1].1 < 2 * found[0].1 + 20, "{found:?}");
}

/// As t5, but where the array is a grid of many pages and each reader reads a part of it.
#[test]
fn a_release_of_a_large_array_asks_only_those_who_read_it() {
    let mut steps = vec![];
    for n in [500_u32, 1000, 2000] {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        let grid = Grid::new([n, 512]);
        let first = graph.layer(Layer::new("array", op, Shape::Map { grid: grid.clone(), inputs: vec![] })).unwrap();
        for at in 0..n {
            let own: AxisRanges = (at..at + 1).map(|at| at..at + 1).collect();
            let ranges = Arc::from([own, AxisRanges::same(512)]);
            graph.layer(Layer::new("slice", op, Shape::Overlap { input: first, grid: grid.clone(), ranges })).unwrap();
        }
        let graph = Arc::new(graph.finish());
        let wanted = all(&graph)[1..].to_vec();
        let mut s = Scheduler::new(1_000_000);
        s.handle_event(Time(0), added(RunId(1), None, graph, wanted.clone()));
        let before = s.steps();
        s.handle_event(Time(0), Event::Released { run: RunId(1), tasks: wanted });
        steps.push(s.steps() - before);
        assert_eq!(s.progress(RunId(1)).unwrap().total, 0);
    }
    assert!(steps[2] < 6 * steps[0], "for 4 times as much: {steps:?}");
}

/// What is passed in one go isn't looked at task by task since there is a suspect somewhere.
#[test]
fn a_suspect_elsewhere_costs_nothing() {
    let steps = |n: u32, has_suspect: bool| {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        let d = graph.layer(Layer::new("d", op, Shape::source(1))).unwrap();
        let a = graph.layer(Layer::new("a", op, Shape::source(1))).unwrap();
        let grid = Grid::new([n]);
        let c = graph.layer(Layer::new("c", op, Shape::source(n))).unwrap();
        let everybody = MapInput { layer: a, grid: Grid::new([1]), axes: [None].into_iter().collect() };
        let inputs = vec![MapInput::same(c, grid.clone()), everybody];
        let b = graph.layer(Layer::new("b", op, Shape::Map { grid, inputs })).unwrap();
        let graph = Arc::new(graph.finish());
        let mut s = Scheduler::new(1);
        let wanted = vec![TaskRange::one(TaskId::new(d, 0)), TaskRange { layer: b, start: 0, end: n.into() }];
        s.handle_event(Time(0), added(RunId(1), None, graph, wanted));
        let mut worker = 0;
        let mut given = vec![];
        let tell = |s: &mut Scheduler, e: Event| {
            s.handle_event(Time(0), e);
            assigns(&drain(s))
        };
        for _ in 0..if has_suspect { 2 } else { 0 } {
            let found = tell(&mut s, Event::WorkerJoined { worker: WorkerId(worker), offer: Offer::slots(3) });
            let of_d = found.iter().find(|(_, x)| x.tasks[0].layer == d).expect("d is handed out");
            tell(&mut s, Event::Started { worker: WorkerId(worker), run: RunId(1), attempt: of_d.1.attempt });
            tell(&mut s, Event::WorkerLost { worker: WorkerId(worker), cause: LossCause::Died });
            worker += 1;
        }
        for _ in 0..2 {
            given.extend(tell(&mut s, Event::WorkerJoined { worker: WorkerId(worker), offer: Offer::slots(3) }));
            worker += 1;
        }
        assert_eq!(s.is_suspect(RunId(1), TaskId::new(d, 0)), has_suspect);
        let (w, of_a) = given.iter().find(|(_, x)| x.tasks[0].layer == a).expect("a is handed out").clone();
        let event = done(w, &of_a, 100);
        let before = s.steps();
        s.handle_event(Time(0), event);
        s.steps() - before
    };
    let [without, with] = [false, true].map(|has_suspect| steps(10_000_000, has_suspect));
    assert!(with <= without + 8, "{without} steps, and {with} with a suspect elsewhere");
}

/// Of runs that have what they want, nobody asks whether they can go on.
#[test]
fn the_first_worker_and_the_last_look_at_no_run_that_has_ended() {
    let mut found = vec![];
    for runs in [10_u64, 1000] {
        let mut s = Scheduler::new(1);
        let join = |worker| Event::WorkerJoined { worker: WorkerId(worker), offer: Offer::slots(1) };
        s.handle_event(Time(0), join(0));
        for run in 0..runs {
            let graph = one_layer(1, None);
            s.handle_event(Time(0), added(RunId(run), None, graph.clone(), all(&graph)));
            for (w, a) in assigns(&drain(&mut s)) {
                s.handle_event(Time(0), done(w, &a, 100));
            }
            let tasks = vec![TaskRange { layer: LayerId(0), start: 0, end: 1 }];
            s.handle_event(Time(0), Event::Released { run: RunId(run), tasks });
        }
        // One of them all hasn't ended.
        let (graph, run) = (one_layer(1, Some(with("gpu", 1))), RunId(runs));
        s.handle_event(Time(0), added(run, None, graph.clone(), all(&graph)));
        drain(&mut s);
        let before = s.steps();
        s.handle_event(Time(0), Event::WorkerLost { worker: WorkerId(0), cause: LossCause::Died });
        assert_eq!(drain(&mut s), [Action::Stalled { run, cause: StallCause::NoWorkers }]);
        s.handle_event(Time(0), join(1));
        let told = drain(&mut s);
        assert!(
            matches!(&told[..], [Action::Stalled { run: other, cause: StallCause::Unmet { .. } }] if *other == run)
        );
        found.push(s.steps() - before);
        s.validate();
    }
    assert!(found[1] <= found[0], "{found:?}");
}

/// Many ask for different amounts of what a worker has none left of: what happens there is about none of them.
#[test]
fn an_event_at_a_worker_looks_at_nothing_that_lacks_what_hasnt_come_free() {
    let mut found = vec![];
    for needs in [10_u64, 1000] {
        let mut s = Scheduler::new(1);
        let resources = [("memory".into(), 10_000_000)].into();
        s.handle_event(
            Time(0),
            Event::WorkerJoined { worker: WorkerId(0), offer: Offer { resources, ..Offer::slots(4) } },
        );
        let graph = one_layer(1, Some(with("memory", 10_000_000)));
        s.handle_event(Time(0), added(RunId(0), None, graph.clone(), all(&graph)));
        let all_of_it = assigns(&drain(&mut s));
        assert_eq!(all_of_it.len(), 1);
        for run in 1..=needs {
            let graph = one_layer(1, Some(with("memory", 5_000_000 + run)));
            s.handle_event(Time(0), added(RunId(run), None, graph.clone(), all(&graph)));
        }
        let graph = one_layer(100, None);
        s.handle_event(Time(0), added(RunId(1 << 32), None, graph.clone(), all(&graph)));
        let mut given = std::collections::VecDeque::from(assigns(&drain(&mut s)));
        let mut most = 0;
        for _ in 0..20 {
            let (w, a) = given.pop_front().unwrap();
            let before = s.steps();
            s.handle_event(Time(0), done(w, &a, 100));
            most = most.max(s.steps() - before);
            given.extend(assigns(&drain(&mut s)));
        }
        s.validate();
        // When it comes free, one after the other has it.
        let mut next = all_of_it;
        for _ in 0..needs.min(20) {
            let (w, a) = next.pop().unwrap();
            s.handle_event(Time(0), done(w, &a, 100));
            next = assigns(&drain(&mut s));
            next.retain(|(_, a)| a.run != RunId(1 << 32));
            assert_eq!(next.len(), 1);
            s.validate();
        }
        found.push(most);
    }
    assert!(found[1] <= 40 && found[1] <= found[0] + 8, "{found:?}");
}

/// A slot is lent to a run that requires very many different things: nobody has any of them, or others have all.
#[test]
fn a_slot_is_lent_without_a_look_at_each_requirement() {
    for are_met in [false, true] {
        let mut found = vec![];
        for classes in [10_u64, 2000] {
            let mut s = Scheduler::new(1);
            let resources = [("memory".into(), 1_000_000)].into_iter().filter(|_| are_met).collect();
            let offer = Offer { resources, ..Offer::slots(2) };
            s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(0), offer });
            let takes_all = Some(with("memory", 1_000_000)).filter(|_| are_met);
            for (run, annotations) in [(0, None), (2, takes_all)] {
                let graph = one_layer(1, annotations);
                s.handle_event(Time(0), added(RunId(run), None, graph.clone(), all(&graph)));
            }
            assert_eq!(assigns(&drain(&mut s)).len(), 2);
            let mut graph = GraphBuilder::new();
            let op = op(&mut graph);
            for at in 0..classes {
                let layer = Layer::new("t", op, Shape::source(1));
                graph.layer(Layer { annotations: with("memory", 1 + at), ..layer }).unwrap();
            }
            graph.layer(Layer::new("own", op, Shape::source(1000))).unwrap();
            let graph = Arc::new(graph.finish());
            let event = added(RunId(1), Some(RunId(0)), graph.clone(), all(&graph));
            s.handle_event(Time(0), event);
            drain(&mut s);
            let before = s.steps();
            s.handle_event(Time(0), Event::SlotsLent { worker: WorkerId(0), run: RunId(1), slots: 1 });
            found.push(s.steps() - before);
            let given = assigns(&drain(&mut s));
            assert!(given.len() == 1 && given[0].1.run == RunId(1), "it goes on in the slot");
            s.validate();
        }
        assert!(found[1] <= found[0] + 8, "{found:?}");
    }
}

#[test]
fn an_event_looks_at_no_borrower_that_waits_on_another_worker() {
    let steps_beside = |workers: u32| {
        let mut cluster = Cluster::new();
        (0..workers).for_each(|worker| cluster.join(worker, 1, 1));
        cluster.submit(0, None, layers(vec![gpu(1); workers as usize], false));
        for worker in 0..workers {
            let run = 1 + u64::from(worker);
            cluster.submit(run, Some(0), layers(vec![gpu(1); 10], false));
            cluster.lend(worker, run);
        }
        let mut steps_of = |_| {
            let before = cluster.scheduler.steps();
            cluster.end(0, 1);
            cluster.scheduler.steps() - before
        };
        (0..8).map(&mut steps_of).skip(2).max().unwrap_or(0)
    };
    let (few, many) = (steps_beside(10), steps_beside(100));
    assert!(many <= few + few / 2 + 8, "{few} steps beside a few, and {many} beside many");
}
