//! A scheduler, workers and clients that speak over real sockets, all in this process: native work, data that is given, failures.

use raskt_cluster::hello::Role;
use raskt_cluster::{
    Client, ClusterError, ErrorForm, Face, Job, Network, NetworkOptions, RemoteRun, SchedulerServer, Security, Token,
    WorkerOptions, WorkerServer,
};
use raskt_execute::{EngineOptions, Limits, Runners, Store};
use raskt_graph::{
    Graph, GraphBuilder, GraphForm, Grid, Layer, LayerId, MapInput, Op, OpBody, OpFlags, OpForm, OpKind, Shape, TaskId,
};
use raskt_schedule::{Offer, TaskRange};
use raskt_value::wire::{BodyForm, Decoders, WireError, WireForm};
use raskt_value::{Call, Chunk, ErrorKind, Kernel, NativeOp, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// Adds up what it reads, and its own number; fails at one.
#[derive(Clone, Serialize, Deserialize)]
struct Sum {
    fails_at: Option<u64>,
    milliseconds: u64,
}

impl Kernel for Sum {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        std::thread::sleep(Duration::from_millis(self.milliseconds));
        if self.fails_at == Some(call.index) {
            return Err(TaskError::new(ErrorKind::Value, "this one fails"));
        }
        let numbers = inputs.iter().map(number);
        Ok(Chunk::scalar(numbers.sum::<i64>() + call.index as i64).into())
    }

    fn name(&self) -> String {
        "sum".into()
    }

    fn wire(&self) -> Option<WireForm> {
        Some(WireForm::of("test.sum", 1, self))
    }
}

fn number(value: &Value) -> i64 {
    value.as_chunk().and_then(Chunk::as_slice::<i64>).expect("numbers").iter().sum()
}

fn decode(form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    Ok(Arc::new(form.read::<Sum>()?))
}

struct Native(Decoders);

impl Native {
    fn face() -> Arc<dyn Face> {
        let mut decoders = Decoders::default();
        decoders.add("test.sum", 1, decode);
        Arc::new(Self(decoders))
    }
}

impl Face for Native {
    fn body(&self, op: OpForm<BodyForm>) -> Result<OpBody, String> {
        match op.body {
            BodyForm::Native(form) => Ok(Arc::new(NativeOp(self.0.decode(&form).map_err(|error| error.to_string())?))),
            BodyForm::Foreign(form) => Err(format!("`{}` is of another language", form.tag)),
            BodyForm::Given(_) => Ok(Arc::new(())),
        }
    }

    fn decoders(&self) -> &Decoders {
        &self.0
    }

    fn cause(&self, _error: &TaskError) -> Option<Vec<u8>> {
        None
    }

    fn error(&self, form: ErrorForm) -> TaskError {
        TaskError::new(form.kind, form.message)
    }
}

struct Cluster {
    token: Token,
    scheduler: SchedulerServer,
    workers: Vec<WorkerServer>,
}

impl Cluster {
    fn of(workers: usize) -> Self {
        let token = Token::random().unwrap();
        let scheduler =
            SchedulerServer::start(network(&token, Role::Scheduler), &"tcp://127.0.0.1:0".parse().unwrap()).unwrap();
        let mut cluster = Self { token, scheduler, workers: vec![] };
        (0..workers).for_each(|at| cluster.join(&format!("worker-{at}")));
        cluster
    }

    fn join(&mut self, name: &str) {
        let options = WorkerOptions {
            scheduler: self.scheduler.address().clone(),
            listen: "tcp://127.0.0.1:0".parse().unwrap(),
            offer: Offer { name: name.into(), ..Offer::slots(1) },
            engine: EngineOptions { threads: 2, memory_limit: 1 << 30 },
        };
        let network = network(&self.token, Role::Worker);
        let store = Store::new(Limits::of_memory(1 << 30));
        self.workers.push(WorkerServer::start(network, options, Runners::default(), store, Native::face()).unwrap());
    }

    fn client(&self) -> Client {
        let network = network(&self.token, Role::Client);
        let listen = "tcp://127.0.0.1:0".parse().unwrap();
        let client = Client::connect(network, self.scheduler.address(), &listen, Native::face(), PATIENCE).unwrap();
        assert!(client.wait_for_workers(self.workers.len(), PATIENCE));
        client
    }
}

fn network(token: &Token, role: Role) -> Network {
    let security = Security { token: Some(token.clone()), tls: None };
    Network::start(NetworkOptions::new(role, security).unwrap()).unwrap()
}

/// So many sums of nothing, and trees of sums over them, four at a time; gives the layer of the root.
fn tree(count: u32, kernel: Sum) -> (Graph, LayerId) {
    let mut graph = GraphBuilder::new();
    let op = graph.op(sum(kernel, 1));
    let mut layer = graph.layer(Layer::new("source", op, Shape::source(count))).unwrap();
    let op = graph.op(sum(Sum { fails_at: None, milliseconds: 0 }, 2));
    let mut length = count;
    while length > 1 {
        let shape = Shape::Reduce { input: layer, grid: Grid::new([length]), fan_in: [4].into_iter().collect() };
        layer = graph.layer(Layer::new("sum", op, shape)).unwrap();
        length = length.div_ceil(4);
    }
    (graph.finish(), layer)
}

fn sum(kernel: Sum, digest: u128) -> Op {
    let body = Arc::new(NativeOp(Arc::new(kernel)));
    Op { kind: OpKind::Array, name: "sum".into(), digest, flags: OpFlags::default(), body }
}

/// What the tree's root is.
fn expected(count: u64) -> i64 {
    let (mut values, mut first) = ((0..count as i64).collect::<Vec<_>>(), true);
    while values.len() > 1 || first {
        first = false;
        values = values.chunks(4).zip(0..).map(|(part, at)| part.iter().sum::<i64>() + at).collect();
    }
    values[0]
}

fn submit(client: &Client, graph: &Graph, wanted: Vec<TaskRange>) -> RemoteRun {
    client.submit(Job { graph: form(graph), wanted, given: vec![] }).unwrap()
}

fn form(graph: &Graph) -> bytes::Bytes {
    let body = |op: &Op| match op.body.downcast_ref() {
        Some(NativeOp(kernel)) => Ok::<_, String>(BodyForm::Native(kernel.wire().ok_or("it stays")?)),
        None => Ok(BodyForm::Given(0)),
    };
    postcard::to_stdvec(&GraphForm::of(graph, body).unwrap()).unwrap().into()
}

fn wait(run: &RemoteRun) -> Result<Vec<i64>, ClusterError> {
    let values = run.wait_timeout(PATIENCE).unwrap_or_else(|| panic!("it doesn't end: {:?}", run.stalled()))?;
    Ok(values.iter().map(number).collect())
}

fn one(layer: LayerId) -> Vec<TaskRange> {
    vec![TaskRange::one(TaskId::new(layer, 0))]
}

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
    let job = Job { graph: form(&graph), wanted: vec![range(sums)], given: vec![(range(data), values)] };
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
