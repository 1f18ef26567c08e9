//! Results and data whose packing or reading takes long, or panics: that keeps nobody else from his.

use crate::workplace::objects::*;
use crate::workplace::*;
use raskt_cluster::{Client, Job, TaskRun};
use raskt_graph::{Graph, GraphBuilder, Grid, Layer, LayerId, Op, Shape};
use raskt_schedule::TaskRange;
use raskt_value::{NativeOp, Value};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

/// Objects of this process wait for one and the same: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    let guard = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    BEING_PACKED.store(0, Ordering::SeqCst);
    MAY_GO.store(false, Ordering::SeqCst);
    guard
}

/// So many objects, and a sum over all of them.
fn objects(fate: Fate, count: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = graph.op(Op { body: Arc::new(NativeOp(Arc::new(Objects(fate)))), ..sum(QUICK, 7) });
    let input = graph.layer(Layer::new("objects", op, Shape::source(count))).unwrap();
    let op = graph.op(sum(QUICK, 8));
    let shape = Shape::Reduce { input, grid: Grid::new([count]), fan_in: [count].into_iter().collect() };
    graph.layer(Layer::new("sum", op, shape)).unwrap();
    graph.finish()
}

const fn first(count: u64) -> TaskRange {
    TaskRange { layer: LayerId(0), start: 0, end: count }
}

const TOTAL: TaskRange = TaskRange { layer: LayerId(1), start: 0, end: 1 };

fn begin(client: &Client, graph: &Graph, wanted: TaskRange) -> TaskRun {
    client.submit_tasks(Job { graph: form(graph), wanted: vec![wanted], ..Job::default() }).unwrap()
}

fn gathered(client: &Client, run: &TaskRun, wanted: TaskRange) -> Result<Vec<i64>, String> {
    let values = client.gather(&[(run.id(), vec![wanted])], Some(Instant::now() + PATIENCE));
    values.map(|values| values.iter().map(number).collect()).map_err(|error| error.to_string())
}

fn numbers_come(client: &Client) {
    let run = begin(client, &sums(10, QUICK, 0), first(10));
    assert_eq!(gathered(client, &run, first(10)).unwrap(), (0..10).collect::<Vec<_>>());
}

#[test]
fn results_do_not_wait_for_what_takes_long_to_pack() {
    let _alone = alone();
    let cluster = Cluster::of(1);
    let client = cluster.client();
    // More at a time than there are threads that pack as long as all goes well.
    let runs: Vec<_> = (0..5).map(|_| begin(&client, &objects(Fate::Waits, 1), first(1))).collect();
    std::thread::scope(|scope| {
        let gather = |run| gathered(&client, run, first(1)).unwrap();
        let coming: Vec<_> = runs.iter().map(|run| scope.spawn(move || gather(run))).collect();
        until(|| BEING_PACKED.load(Ordering::SeqCst) == 5);
        numbers_come(&client);
        MAY_GO.store(true, Ordering::SeqCst);
        assert!(coming.into_iter().all(|coming| coming.join().unwrap() == [0]));
    });
}

#[test]
fn data_does_not_wait_for_what_takes_long_to_pack() {
    let _alone = alone();
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let give = |value: Value| {
        let (graph, data, sums) = sums_of_given(1, QUICK);
        let job = Job { graph: form(&graph), wanted: vec![sums], given: vec![(data, vec![value])], ..Job::default() };
        (client.submit(job).unwrap(), sums)
    };
    let waiting: Vec<_> = (0..5).map(|at| give(Objects(Fate::Waits).value(at))).collect();
    until(|| BEING_PACKED.load(Ordering::SeqCst) == 5);
    assert_eq!(wait(&give(raskt_value::Chunk::scalar(7_i64).into()).0).unwrap(), [7]);
    MAY_GO.store(true, Ordering::SeqCst);
    let came: Vec<_> = waiting.iter().map(|(run, _)| wait(run).unwrap()[0]).collect();
    assert_eq!(came, [0, 1, 2, 3, 4]);
}

#[test]
fn who_panics_as_he_packs_fails_his_own_result_alone() {
    let _alone = alone();
    let cluster = Cluster::of(1);
    let client = cluster.client();
    for _ in 0..5 {
        let run = begin(&client, &objects(Fate::PanicsWhenPacked, 1), first(1));
        let error = gathered(&client, &run, first(1)).unwrap_err();
        assert!(error.contains("it panics when it is packed"), "{error}");
        let (graph, data, sums) = sums_of_given(1, QUICK);
        let given = vec![(data, vec![Objects(Fate::PanicsWhenPacked).value(1)])];
        let job = Job { graph: form(&graph), wanted: vec![sums], given, ..Job::default() };
        let error = wait(&client.submit(job).unwrap()).unwrap_err().to_string();
        assert!(error.contains("it panics when it is packed"), "{error}");
    }
    numbers_come(&client);
    assert_eq!(client.workers().len(), 1);
}

/// Of workers each has some objects, and one reads those of the other.
#[test]
fn who_panics_as_he_reads_fails_his_own_task_alone() {
    let _alone = alone();
    let cluster = Cluster::of(2);
    let client = cluster.client();
    for _ in 0..5 {
        let error = gathered(&client, &begin(&client, &objects(Fate::PanicsWhenRead, 8), TOTAL), TOTAL).unwrap_err();
        assert!(error.contains("it panics when it is read"), "{error}");
    }
    let (graph, root) = tree(100, QUICK);
    assert_eq!(wait(&submit(&client, &graph, one(root))).unwrap(), [expected(100)]);
    assert_eq!(client.workers().len(), 2);
}

/// A worker that stands still gives nothing, and is connected as ever: that it is gone the scheduler says.
#[test]
fn nobody_waits_for_what_a_worker_gives_that_has_left() {
    let _alone = alone();
    let mut cluster = Cluster::of(1);
    let client = cluster.client();
    let run = begin(&client, &objects(Fate::Waits, 1), first(1));
    std::thread::scope(|scope| {
        let coming = scope.spawn(|| gathered(&client, &run, first(1)).unwrap());
        until(|| BEING_PACKED.load(Ordering::SeqCst) == 1);
        // It doesn't hang up.
        let gone = cluster.workers.pop().unwrap();
        gone.shut_down(std::time::Duration::ZERO);
        cluster.join("other");
        until(|| BEING_PACKED.load(Ordering::SeqCst) == 2);
        MAY_GO.store(true, Ordering::SeqCst);
        assert_eq!(coming.join().unwrap(), [0]);
        drop(gone);
    });
}
