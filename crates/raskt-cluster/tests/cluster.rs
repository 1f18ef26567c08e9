//! A scheduler, workers and clients that speak over real sockets, all in this process: native work, data that is given, failures.

use crate::workplace::*;
use raskt_cluster::hello::Role;
use raskt_cluster::{Client, Job, Token};
use raskt_graph::{Annotations, GraphBuilder, Grid, Layer, LayerId, MapInput, Op, OpFlags, OpKind, Shape};
use raskt_schedule::TaskRange;
use raskt_value::Chunk;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn a_tree_of_sums_comes_out_on_two_workers() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let quick = Sum { fails_at: None, milliseconds: 0 };
    for count in [1, 2, 5, 100, 3000] {
        let (graph, root) = tree(count, quick.clone());
        let run = submit(&client, &graph, one(root));
        assert_eq!(wait(&run).unwrap(), [expected(u64::from(count)).max(0)], "{count}");
    }
}

#[test]
fn many_results_come_in_the_order_in_which_they_were_wanted() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let (graph, _) = tree(20_000, Sum { fails_at: None, milliseconds: 0 });
    let all = TaskRange { layer: LayerId(0), start: 0, end: 20_000 };
    let wanted = vec![TaskRange { start: 10_000, ..all }, TaskRange { end: 10_000, ..all }];
    let run = submit(&client, &graph, wanted);
    let expected: Vec<i64> = (10_000..20_000).chain(0..10_000).collect();
    assert_eq!(wait(&run).unwrap(), expected);
}

#[test]
fn data_that_a_client_gives_is_fetched_and_read() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let mut graph = GraphBuilder::new();
    let op = graph.op(Op {
        kind: OpKind::Array,
        name: "given".into(),
        digest: 9,
        flags: OpFlags::default(),
        body: Arc::new(()),
    });
    let grid = Grid::new([10]);
    let data = graph.layer(Layer::new("data", op, Shape::source(10))).unwrap();
    let op = graph.op(sum(Sum { fails_at: None, milliseconds: 0 }, 2));
    let inputs = vec![MapInput::same(data, grid.clone())];
    let sums = graph.layer(Layer::new("sum", op, Shape::Map { grid, inputs })).unwrap();
    let graph = graph.finish();
    let values = (0..10_i64).map(|at| Chunk::from_vec(vec![at; 100_000], &[100_000]).unwrap().into()).collect();
    let range = |layer| TaskRange { layer, start: 0, end: 10 };
    let job =
        Job { graph: form(&graph), wanted: vec![range(sums)], given: vec![(range(data), values)], ..Job::default() };
    let run = client.submit(job).unwrap();
    let expected: Vec<i64> = (0..10).map(|at| at * 100_000 + at).collect();
    assert_eq!(wait(&run).unwrap(), expected);
}

#[test]
fn a_failure_is_told_and_others_go_on() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let (bad, bad_root) = tree(100, Sum { fails_at: Some(37), milliseconds: 0 });
    let (good, good_root) = tree(100, Sum { fails_at: None, milliseconds: 1 });
    let (bad, good) = (submit(&client, &bad, one(bad_root)), submit(&client, &good, one(good_root)));
    let error = wait(&bad).unwrap_err();
    assert!(error.to_string().contains("this one fails"), "{error}");
    assert_eq!(wait(&good).unwrap(), [expected(100)]);
}

#[test]
fn a_worker_that_goes_in_the_middle_takes_nothing_along() {
    let mut cluster = Cluster::of(3);
    let client = cluster.client();
    let (graph, root) = tree(300, Sum { fails_at: None, milliseconds: 5 });
    let run = submit(&client, &graph, one(root));
    assert!(run.wait_timeout(Duration::from_millis(200)).is_none());
    let gone = cluster.workers.pop().unwrap();
    gone.shut_down(Duration::ZERO);
    drop(gone);
    cluster.join("late");
    assert_eq!(wait(&run).unwrap(), [expected(300)]);
}

#[test]
fn a_run_that_nobody_wants_leaves_room_for_others() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let (slow, slow_root) = tree(10_000, Sum { fails_at: None, milliseconds: 20 });
    let run = submit(&client, &slow, one(slow_root));
    assert!(run.wait_timeout(Duration::from_millis(100)).is_none());
    drop(run);
    let (graph, root) = tree(10, Sum { fails_at: None, milliseconds: 0 });
    let run = submit(&client, &graph, one(root));
    assert_eq!(wait(&run).unwrap(), [expected(10)]);
}

#[test]
fn nobody_comes_in_with_another_token() {
    let cluster = Cluster::of(1);
    let listen = "tcp://127.0.0.1:0".parse().unwrap();
    let network = network(&Token::random().unwrap(), Role::Client);
    let found = Client::connect(network, cluster.scheduler.address(), &listen, Native::face(), PATIENCE);
    assert!(found.is_err());
}

/// Two of them are more than a frame.
const BYTES: i64 = 33 << 20;

#[test]
fn a_graph_of_several_frames_comes_through_in_pieces() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let mut large = GraphBuilder::new();
    for digest in [3, 4] {
        let heavy = Heavy { bytes: (0..BYTES).map(|at| (at % 251) as u8).collect() };
        let body = Arc::new(raskt_value::NativeOp(Arc::new(heavy)));
        let op = large.op(Op { kind: OpKind::Array, name: "heavy".into(), digest, flags: OpFlags::default(), body });
        large.layer(Layer::new("heavy", op, Shape::source(1))).unwrap();
    }
    let large = large.finish();
    let wanted = [0, 1].map(|layer| TaskRange { layer: LayerId(layer), start: 0, end: 1 });
    let heavy = submit(&client, &large, wanted.to_vec());
    // What comes after it isn't lost, and waits no longer than it has to.
    let (graph, root) = tree(100, QUICK);
    let light = submit(&client, &graph, one(root));
    assert_eq!(wait(&light).unwrap(), [expected(100)]);
    let sum: i64 = (0..BYTES).map(|at| at % 251).sum();
    assert_eq!(wait(&heavy).unwrap(), [sum; 2]);
}

#[test]
fn a_graph_that_is_too_large_is_refused_with_a_sentence() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let graph = bytes::Bytes::from(vec![0; (1 << 30) + 1]);
    let error = client.submit(Job { graph, ..Job::default() }).err().unwrap();
    assert!(error.to_string().contains("1073741824 may be"), "{error}");
}

#[test]
fn a_graph_that_workers_cannot_read_fails_its_tasks_and_no_worker() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let mut strange = GraphBuilder::new();
    let body = Arc::new(raskt_value::NativeOp(Arc::new(Strange)));
    let op = strange.op(Op { kind: OpKind::Array, name: "strange".into(), digest: 3, flags: OpFlags::default(), body });
    strange.layer(Layer::new("strange", op, Shape::source(4))).unwrap();
    let run = submit(&client, &strange.finish(), vec![TaskRange { layer: LayerId(0), start: 0, end: 4 }]);
    let error = wait(&run).unwrap_err();
    assert!(error.to_string().contains("can't read the graph"), "{error}");
    let (graph, root) = tree(100, QUICK);
    assert_eq!(wait(&submit(&client, &graph, one(root))).unwrap(), [expected(100)]);
    assert_eq!(client.workers().len(), 2);
}

/// Of a result that stays where it is, its readers elsewhere learn so, and the client, and nobody waits for it.
#[test]
fn what_cannot_be_sent_fails_whoever_needs_it_elsewhere() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let mut graph = GraphBuilder::new();
    let body = Arc::new(raskt_value::NativeOp(Arc::new(Rooted)));
    let op = graph.op(Op { kind: OpKind::Array, name: "rooted".into(), digest: 3, flags: OpFlags::default(), body });
    let rooted = graph.layer(Layer::new("rooted", op, Shape::source(4))).unwrap();
    let op = graph.op(sum(QUICK, 4));
    let shape = Shape::Reduce { input: rooted, grid: Grid::new([4]), fan_in: [4].into_iter().collect() };
    let sums = graph.layer(Layer::new("sum", op, shape)).unwrap();
    let graph = graph.finish();
    for wanted in [TaskRange { layer: sums, start: 0, end: 1 }, TaskRange { layer: rooted, start: 0, end: 1 }] {
        let error = wait(&submit(&client, &graph, vec![wanted])).unwrap_err();
        assert!(error.to_string().contains("can't be sent to another"), "{error}");
    }
    assert_eq!(client.workers().len(), 2);
}

/// Whoever asks by name gets an answer of each.
#[test]
fn no_two_workers_have_one_name() {
    let mut cluster = Cluster::of(0);
    let client = cluster.client();
    let names = |client: &Client| client.workers().into_iter().map(|worker| worker.name).collect::<Vec<_>>();
    for count in 1..=3 {
        cluster.join("same");
        assert!(client.wait_for_workers(count, PATIENCE));
    }
    assert_eq!(names(&client), ["same", "same-2", "same-3"]);
    // Tasks that name a worker wait for one of that name.
    let run_at = |name: &str| {
        let mut graph = GraphBuilder::new();
        let op = graph.op(sum(QUICK, 1));
        let named = Annotations { workers: vec![name.into()], ..Annotations::default() };
        graph.layer(Layer { annotations: named.into(), ..Layer::new("sum", op, Shape::source(1)) }).unwrap();
        let run = submit(&client, &graph.finish(), one(LayerId(0)));
        assert_eq!(wait(&run).unwrap(), [0]);
    };
    run_at("same-2");
    // A name that is free again goes to the first who calls itself so, and what was waiting for that name runs there.
    cluster.workers.remove(0).shut_down(Duration::ZERO);
    let deadline = Instant::now() + PATIENCE;
    while names(&client) != ["same", "same-3"] {
        assert!(Instant::now() < deadline, "there are {:?}", names(&client));
        std::thread::sleep(Duration::from_millis(1));
    }
    run_at("same");
    cluster.join("same");
    assert!(client.wait_for_workers(3, PATIENCE));
    assert_eq!(names(&client), ["same", "same-3", "same-2"]);
}
