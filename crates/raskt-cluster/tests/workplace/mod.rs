//! A cluster in this process, whose parts speak over real sockets, and work for it: sums.

#![allow(dead_code, reason = "not every test needs all of it")]

pub mod calls;
pub mod killed;
pub mod objects;

use raskt_cluster::hello::Role;
use raskt_cluster::{
    Address, CallBody, Client, ClusterError, ErrandCall, ErrorForm, Face, GoesOn, Job, Network, NetworkOptions,
    RemoteRun, SchedulerServer, Security, Token, WorkerOptions, WorkerServer,
};
use raskt_execute::{EngineOptions, Limits, Runners, Store};
use raskt_graph::{
    Graph, GraphBuilder, GraphForm, Grid, Layer, LayerId, MapInput, Op, OpBody, OpFlags, OpForm, OpKind, Shape, TaskId,
};
use raskt_schedule::{Offer, TaskRange};
use raskt_value::wire::{BodyForm, Decoders, WireError, WireForm};
use raskt_value::{Call, Chunk, ErrorKind, Kernel, NativeOp, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

pub const PATIENCE: Duration = Duration::from_secs(60);

/// How often sums of each number were run in this process, since it [`COUNTS`].
pub static RUNS: Mutex<BTreeMap<u64, u32>> = Mutex::new(BTreeMap::new());

pub static COUNTS: AtomicBool = AtomicBool::new(false);

/// A worker of this process was told of a plugin: which, and what it is.
pub type Plugged = (u64, String, Option<Vec<u8>>);

/// What workers of this process were told of plugins.
pub static PLUGGED: Mutex<Vec<Plugged>> = Mutex::new(vec![]);

/// Nobody else in this process tells workers of plugins meanwhile.
pub fn tell_of_plugins_alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    PLUGGED.lock().unwrap().clear();
    guard
}

/// Adds up what it reads, and its own number; fails at one.
#[derive(Clone, Serialize, Deserialize)]
pub struct Sum {
    pub fails_at: Option<u64>,
    pub milliseconds: u64,
}

impl Kernel for Sum {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        if COUNTS.load(Ordering::Relaxed) {
            *RUNS.lock().unwrap().entry(call.index).or_default() += 1;
        }
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

pub fn number(value: &Value) -> i64 {
    value.as_chunk().and_then(Chunk::as_slice::<i64>).expect("numbers").iter().sum()
}

pub fn decode(form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    Ok(Arc::new(form.read::<Sum>()?))
}

/// Sums up bytes that it brings along.
#[derive(Clone, Serialize, Deserialize)]
pub struct Heavy {
    pub bytes: Vec<u8>,
}

impl Kernel for Heavy {
    fn run(&self, _call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(Chunk::scalar(self.bytes.iter().map(|&byte| i64::from(byte)).sum::<i64>()).into())
    }

    fn name(&self) -> String {
        "heavy".into()
    }

    fn wire(&self) -> Option<WireForm> {
        Some(WireForm::of("test.heavy", 1, self))
    }
}

fn decode_heavy(form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    Ok(Arc::new(form.read::<Heavy>()?))
}

/// Gives what can't be sent to another process.
pub struct Rooted;

impl Kernel for Rooted {
    fn run(&self, _call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        std::thread::sleep(Duration::from_millis(200));
        Ok(Value::Foreign(Arc::new(Root)))
    }

    fn name(&self) -> String {
        "rooted".into()
    }

    fn wire(&self) -> Option<WireForm> {
        Some(WireForm::of("test.rooted", 1, &()))
    }
}

struct Root;

impl raskt_value::Foreign for Root {
    fn bytes(&self) -> usize {
        8
    }

    fn type_name(&self) -> &str {
        "root"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn decode_rooted(_form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    Ok(Arc::new(Rooted))
}

/// A kernel that no worker knows.
pub struct Strange;

impl Kernel for Strange {
    fn run(&self, _call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        Err(TaskError::new(ErrorKind::Value, "nobody runs this"))
    }

    fn name(&self) -> String {
        "strange".into()
    }

    fn wire(&self) -> Option<WireForm> {
        Some(WireForm::of("test.strange", 1, &()))
    }
}

pub struct Native(Decoders);

impl Native {
    pub fn face() -> Arc<dyn Face> {
        let mut decoders = Decoders::default();
        decoders.add("test.sum", 1, decode);
        decoders.add("test.heavy", 1, decode_heavy);
        decoders.add("test.rooted", 1, decode_rooted);
        decoders.add("test.calls", 1, calls::decode);
        objects::add(&mut decoders);
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

    fn calls(&self, calls: Vec<CallBody>) -> Result<OpForm<BodyForm>, String> {
        calls::op_of(calls)
    }

    fn decoders(&self) -> &Decoders {
        &self.0
    }

    fn cause(&self, _error: &TaskError, _most: usize) -> Option<Vec<u8>> {
        None
    }

    fn error(&self, form: ErrorForm) -> TaskError {
        TaskError::new(form.kind, form.message)
    }

    fn plugin(&self, worker: u64, name: &str, plugin: Option<&[u8]>, _goes_on: GoesOn) {
        PLUGGED.lock().unwrap().push((worker, name.to_owned(), plugin.map(<[u8]>::to_vec)));
    }

    /// Says the bytes again, with the number of the worker; for those that begin so waits, fails, panics, or gives too much.
    fn errand(&self, call: ErrandCall<'_>) -> Result<Vec<u8>, TaskError> {
        match call.bytes {
            b"wait" => std::thread::sleep(PATIENCE),
            b"pause" => std::thread::sleep(Duration::from_secs(3)),
            b"fail" => return Err(TaskError::new(ErrorKind::Key, "as was asked for")),
            b"panic" => panic!("as was asked for"),
            b"large" => return Ok(vec![0; raskt_cluster::ERRAND_BYTES_MAX + 1]),
            _ => {}
        }
        Ok([call.bytes, format!(" by {}", call.worker.0).as_bytes()].concat())
    }
}

pub struct Cluster {
    pub token: Token,
    pub scheduler: SchedulerServer,
    pub workers: Vec<WorkerServer>,
    /// Where Unix sockets are, if they aren't of TCP.
    pub folder: Option<String>,
}

impl Cluster {
    pub fn of(workers: usize) -> Self {
        Self::at(workers, "tcp://127.0.0.1:0".into(), None)
    }

    /// The same over Unix sockets in a folder.
    pub fn within(workers: usize, folder: &str) -> Self {
        Self::at(workers, format!("unix://{folder}/scheduler"), Some(folder.to_owned()))
    }

    fn at(workers: usize, address: String, folder: Option<String>) -> Self {
        let token = Token::random().unwrap();
        let scheduler = SchedulerServer::start(network(&token, Role::Scheduler), &address.parse().unwrap()).unwrap();
        let mut cluster = Self { token, scheduler, workers: vec![], folder };
        for at in 0..workers {
            cluster.join(&format!("worker-{at}"));
            // Tests know them by their numbers, which are those in which they come.
            let deadline = Instant::now() + PATIENCE;
            while cluster.scheduler.workers() <= at {
                assert!(Instant::now() < deadline, "worker {at} doesn't join");
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        cluster
    }

    fn listen(&self, name: &str) -> Address {
        let address = self.folder.as_ref().map(|folder| format!("unix://{folder}/{name}"));
        address.unwrap_or_else(|| "tcp://127.0.0.1:0".into()).parse().unwrap()
    }

    pub fn join(&mut self, name: &str) {
        self.join_with(name, 1 << 30);
    }

    /// The same of a worker with so much memory.
    pub fn join_with(&mut self, name: &str, memory: u64) {
        let options = WorkerOptions {
            scheduler: self.scheduler.address().clone(),
            listen: self.listen(name),
            offer: Offer { name: name.into(), ..Offer::slots(1) },
            engine: EngineOptions { threads: 2, memory_limit: memory },
        };
        let network = network(&self.token, Role::Worker);
        let store = Store::new(Limits::of_memory(memory));
        self.workers.push(WorkerServer::start(network, options, Runners::default(), store, Native::face()).unwrap());
    }

    pub fn client(&self) -> Client {
        let network = network(&self.token, Role::Client);
        let listen = self.listen("client");
        let client = Client::connect(network, self.scheduler.address(), &listen, Native::face(), PATIENCE).unwrap();
        assert!(client.wait_for_workers(self.workers.len(), PATIENCE));
        client
    }
}

pub fn network(token: &Token, role: Role) -> Network {
    let security = Security { token: Some(token.clone()), tls: None };
    Network::start(NetworkOptions::new(role, security).unwrap()).unwrap()
}

/// So many sums of nothing, and trees of sums over them, four at a time; gives the layer of the root.
pub fn tree(count: u32, kernel: Sum) -> (Graph, LayerId) {
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

pub fn sum(kernel: Sum, digest: u128) -> Op {
    let body = Arc::new(NativeOp(Arc::new(kernel)));
    Op { kind: OpKind::Array, name: "sum".into(), digest, flags: OpFlags::default(), body }
}

/// What the tree's root is.
pub fn expected(count: u64) -> i64 {
    let (mut values, mut first) = ((0..count as i64).collect::<Vec<_>>(), true);
    while values.len() > 1 || first {
        first = false;
        values = values.chunks(4).zip(0..).map(|(part, at)| part.iter().sum::<i64>() + at).collect();
    }
    values[0]
}

pub fn submit(client: &Client, graph: &Graph, wanted: Vec<TaskRange>) -> RemoteRun {
    client.submit(Job { graph: form(graph), wanted, given: vec![], ..Job::default() }).unwrap()
}

pub fn form(graph: &Graph) -> bytes::Bytes {
    let body = |op: &Op| match op.body.downcast_ref() {
        Some(NativeOp(kernel)) => Ok::<_, String>(BodyForm::Native(kernel.wire().ok_or("it stays")?)),
        None => Ok(BodyForm::Given(0)),
    };
    postcard::to_stdvec(&GraphForm::of(graph, body).unwrap()).unwrap().into()
}

pub fn wait(run: &RemoteRun) -> Result<Vec<i64>, ClusterError> {
    let values = run.wait_timeout(PATIENCE).unwrap_or_else(|| panic!("it doesn't end: {:?}", run.stalled()))?;
    Ok(values.iter().map(number).collect())
}

pub fn one(layer: LayerId) -> Vec<TaskRange> {
    vec![TaskRange::one(TaskId::new(layer, 0))]
}

/// One layer of `count` sums, each of the `inputs` tasks of a layer before it that stand for tasks of other runs, if there are any.
pub fn sums(count: u32, kernel: Sum, inputs: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = graph.op(sum(kernel, 1));
    let shape = match inputs {
        0 => Shape::source(count),
        _ => {
            let op = graph.op(given());
            let input = graph.layer(Layer::new("stand-in", op, Shape::source(inputs))).unwrap();
            let fan_in = [inputs.div_ceil(count)].into_iter().collect();
            Shape::Reduce { input, grid: Grid::new([inputs]), fan_in }
        }
    };
    graph.layer(Layer::new("sum", op, shape)).unwrap();
    graph.finish()
}

/// What stands for something else.
pub fn given() -> Op {
    let (flags, body) = (OpFlags::default(), Arc::new(()));
    Op { kind: OpKind::Array, name: "given".into(), digest: 9, flags, body }
}

/// A layer of data, and a sum of each piece of it; with the ranges of both.
pub fn sums_of_given(count: u32, kernel: Sum) -> (Graph, TaskRange, TaskRange) {
    let mut graph = GraphBuilder::new();
    let op = graph.op(given());
    let grid = Grid::new([count]);
    let data = graph.layer(Layer::new("data", op, Shape::source(count))).unwrap();
    let op = graph.op(sum(kernel, 2));
    let inputs = vec![MapInput::same(data, grid.clone())];
    let sums = graph.layer(Layer::new("sum", op, Shape::Map { grid, inputs })).unwrap();
    let range = |layer| TaskRange { layer, start: 0, end: u64::from(count) };
    (graph.finish(), range(data), range(sums))
}

pub const QUICK: Sum = Sum { fails_at: None, milliseconds: 0 };
