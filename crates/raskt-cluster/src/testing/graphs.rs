//! Graphs as they come: what is read of them is written again, walked through, and handed to a scheduler.

use super::{Chance, draw};
use crate::face::read_shape;
use raskt_graph::{
    ExplicitBuilder, Graph, GraphBuilder, GraphForm, Grid, Layer, MapInput, Op, OpFlags, OpKind, Shape, TaskId,
};
use raskt_schedule::{Event, FailureScope, Offer, RunId, Scheduler, TaskRange, Time, WorkerId, WorkerTold};
use raskt_value::wire::BodyForm;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Graphs of more tasks are not walked through.
const TASKS_MOST: u64 = 2000;
/// What a hostile graph has a machine do is bounded by what it says of itself; tests needn't wait for it.
const EDGES_MOST: u64 = 20_000;

fn written(graph: &Graph) -> Vec<u8> {
    let form =
        GraphForm::of(graph, |op| Ok::<_, ()>(BodyForm::Given(op.digest as u32))).expect("every body has a form");
    postcard::to_stdvec(&form).expect("a form can be written")
}

/// It is read or refused, and what was read is the same when it has travelled on.
pub(super) fn graph(bytes: &[u8]) {
    let Ok(graph) = read_shape(bytes) else { return };
    let once = written(&graph);
    let again = read_shape(&once).expect("what was written can be read");
    assert_eq!(written(&again), once);
    assert_eq!(again.tasks(), graph.tasks());
    if graph.tasks() <= TASKS_MOST {
        walk(&graph);
    }
}

fn walk(graph: &Graph) {
    let mut edges = 0;
    for (id, layer) in graph.layers() {
        for index in 0..layer.len() {
            graph.for_first_inputs(TaskId::new(id, index), 100, |input| {
                edges += 1;
                assert!(input.index < graph.layer(input.layer).len(), "a task reads one that isn't there");
            });
        }
    }
    if edges <= EDGES_MOST {
        handed_out(&mut machine(graph.clone()));
    }
}

/// A scheduler with a worker and a run of which everything is wanted.
fn machine(graph: Graph) -> Scheduler {
    let mut machine = Scheduler::new(0);
    let offer = Offer { slots: 2, memory: 1 << 30, resources: Default::default(), name: "w".into() };
    let all = |(layer, found): (_, &Layer)| TaskRange { layer, start: 0, end: found.len() };
    let wanted = graph.layers().map(all).filter(|range| !range.is_empty()).collect();
    let (graph, failure, imports) = (Arc::new(graph), FailureScope::Task, vec![]);
    machine.try_event(Time(0), Event::WorkerJoined { worker: WorkerId(0), offer }).expect("it is the first worker");
    let event = Event::GraphAdded { run: RunId(0), parent: None, graph, wanted, failure, imports };
    machine.try_event(Time(0), event).expect("it wants what there is");
    machine
}

fn handed_out(machine: &mut Scheduler) {
    while machine.poll_action().is_some() {}
}

/// What clients and workers have a machine hear.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Heard {
    Told(u32, WorkerTold),
    Wanted(u64, Vec<TaskRange>),
    Released(u64, Vec<TaskRange>),
    Retried(u64, Vec<TaskRange>),
    RunReleased(u64),
    Joined(u32, Offer),
}

impl Heard {
    fn into_event(self) -> Event {
        match self {
            Self::Told(worker, told) => told.into_event(WorkerId(worker)),
            Self::Wanted(run, tasks) => Event::Wanted { run: RunId(run), tasks },
            Self::Released(run, tasks) => Event::Released { run: RunId(run), tasks },
            Self::Retried(run, tasks) => Event::Retried { run: RunId(run), tasks },
            Self::RunReleased(run) => Event::RunReleased { run: RunId(run) },
            Self::Joined(worker, offer) => Event::WorkerJoined { worker: WorkerId(worker), offer },
        }
    }
}

/// Whatever a machine is told, it takes it in or refuses it.
pub(super) fn heard(bytes: &[u8]) {
    let Ok(all) = crate::driver::nesting::read::<Vec<Heard>>(bytes) else { return };
    let mut machine = machine(every_shape(3));
    handed_out(&mut machine);
    for (at, heard) in all.into_iter().enumerate() {
        _ = machine.try_event(Time(at as u64), heard.into_event());
        handed_out(&mut machine);
    }
}

pub(super) fn some_heard(chance: &mut Chance) -> Option<Vec<u8>> {
    let count = 1 + chance.below(6);
    let heard: Vec<Heard> = (0..count).filter_map(|_| draw(chance)).collect();
    postcard::to_stdvec(&heard).ok()
}

/// Layers of every shape, of so many tasks each.
pub(super) fn every_shape(count: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(());
    let op = graph.op(Op { kind: OpKind::Array, name: "op".into(), digest: 1, flags: OpFlags::default(), body });
    let mut add = |name: &str, shape| graph.layer(Layer::new(name, op, shape)).expect("it fits what it reads");
    let grid = Grid::new([count]);
    let source = add("source", Shape::source(count));
    let inputs = vec![MapInput::same(source, grid.clone()), MapInput::same(source, grid.clone())];
    let map = add("map", Shape::Map { grid: grid.clone(), inputs });
    add("reduce", Shape::Reduce { input: map, grid, fan_in: [2].into_iter().collect() });
    add("exchange", Shape::Exchange { input: map, producers: u64::from(count), consumers: 2 });
    let mut listed = ExplicitBuilder::with_capacity(count as usize);
    for index in 0..u64::from(count) {
        listed.input(TaskId::new(source, index));
        (0..index).for_each(|before| listed.own_input(before));
        listed.task();
    }
    add("listed", Shape::Explicit(listed.finish().expect("tasks read earlier ones")));
    graph.finish()
}

pub(crate) fn some_graph(chance: &mut Chance) -> Option<Vec<u8>> {
    Some(written(&every_shape(1 + chance.below(9) as u32)))
}
