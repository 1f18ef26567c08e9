//! A client of a cluster.

use super::native::{face, network, usual_security};
use super::{
    Address, Arguments, ConnectError, Function, Functions, Future, FutureError, Persist, Portable, Security, WorkerInfo,
};
use crate::compute::{Compute, ComputeError, engine};
use raskt_cluster::hello::Role;
use raskt_cluster::usual::listening_beside;
use raskt_execute::TaskRange;
use raskt_futures::HeldResult;
use raskt_graph::{Graph, GraphBuilder, TaskId};
use raskt_value::Value;
use std::sync::Arc;
use std::time::Duration;

/// A client of a cluster. What it has there is wanted as long as somebody here has a handle on it; with the last clone of the client
/// and of its futures all of it goes.
#[derive(Clone)]
pub struct Client(Arc<raskt_cluster::Client>);

/// How a client comes.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// What people call it.
    pub name: String,
    /// What peers are known by. Where it says nothing, the token of this user, for who listens at the address itself: where a port is
    /// forwarded a token has to be named.
    pub security: Option<Security>,
    /// Where workers fetch data from it; beside the scheduler where it says nothing.
    pub listen: Option<Address>,
    /// How long it waits for the scheduler.
    pub patience: Duration,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self { name: "client".into(), security: None, listen: None, patience: Duration::from_secs(10) }
    }
}

impl Client {
    /// Connects with the scheduler at that address (`tcp://127.0.0.1:8786`), with the token of this user, which `raskt scheduler` makes.
    ///
    /// ```no_run
    /// use raskt::cluster::Client;
    ///
    /// let client = Client::connect("tcp://127.0.0.1:8786")?;
    /// println!("{} workers", client.workers().len());
    /// # Ok::<(), raskt::cluster::ConnectError>(())
    /// ```
    pub fn connect(address: &str) -> Result<Self, ConnectError> {
        Self::connect_with(address, ConnectOptions::default())
    }

    /// The same, said more closely.
    pub fn connect_with(address: &str, options: ConnectOptions) -> Result<Self, ConnectError> {
        let address: Address = address.parse()?;
        let security = options.security.map_or_else(|| usual_security(&address), Ok)?;
        let network = network(Role::Client, &options.name, &security, &address)?;
        let listen = options.listen.unwrap_or_else(|| listening_beside(&address));
        let face = face(&Functions::new());
        let client = raskt_cluster::Client::connect(network, &address, &listen, face, options.patience)?;
        Ok(Self::of(client))
    }

    pub(super) fn of(client: raskt_cluster::Client) -> Self {
        Self(Arc::new(client))
    }

    /// Has the cluster call a function. An argument is a value, a future of one, or for lists futures of what is in them: results that
    /// it reads don't come here.
    ///
    /// A worker that doesn't know the function fails the call, and says which it knows. The call may be made more than once, if a worker
    /// that has its result dies.
    pub fn submit<A, R: Portable>(
        &self,
        function: Function<A, R>,
        arguments: impl Arguments<A>,
    ) -> Result<Future<R>, FutureError> {
        raskt_futures::submit(&self.0, function, arguments)
    }

    /// Has the cluster call a function with each of these arguments; each call is something by itself, and all are sent together.
    pub fn map<A, R: Portable>(
        &self,
        function: Function<A, R>,
        arguments: impl IntoIterator<Item = impl Arguments<A>>,
    ) -> Result<Vec<Future<R>>, FutureError> {
        raskt_futures::map(&self.0, function, arguments)
    }

    /// Has workers hold values, so that many calls can read them and they are sent once.
    pub fn scatter<T: Portable>(&self, values: &[T]) -> Result<Vec<Future<T>>, FutureError> {
        raskt_futures::scatter(&self.0, values)
    }

    /// Waits for all of these, and fetches them straight from the workers that have them; the first that failed is the error.
    pub fn gather<T>(&self, futures: &[Future<T>]) -> Result<Vec<T>, FutureError> {
        raskt_futures::gather(futures)
    }

    /// Has the cluster compute an array or a frame. Delayed closures can't travel, and are refused by name.
    ///
    /// ```
    /// use raskt::array::{Array, Chunks, AxisChunks, Reduction};
    /// use raskt::cluster::{Functions, LocalCluster};
    /// use raskt::value::{DType, Scalar};
    ///
    /// let cluster = LocalCluster::of_workers(2, &Functions::new())?;
    /// let client = cluster.client()?;
    /// let x = Array::full(Chunks::new([AxisChunks::regular(1_000_000, 100_000)]), Scalar::Float(0.5), DType::F64)?;
    /// let total = client.compute(&x.reduce(Reduction::Sum, &Default::default())?)?.result()?;
    /// assert_eq!(total.as_slice::<f64>(), Some(&[500_000.0][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compute<C>(&self, collection: &C) -> Result<Future<C::Output>, ComputeError>
    where
        C: Compute + Clone + Send + Sync + 'static,
    {
        let held = self.hold(collection)?;
        let collection = collection.clone();
        let finish = move |values: Vec<Value>| {
            collection.finish(values).map_err(|error| FutureError::Unreadable(error.to_string()))
        };
        Ok(Future::of(held, finish))
    }

    /// Has the cluster compute an array and keep its blocks: the same array, whose blocks are there or come. It goes on as any other, on
    /// its cluster without being sent, and elsewhere it is fetched.
    pub fn persist<C: Persist>(&self, collection: &C) -> Result<C, ComputeError> {
        collection.persisted_as(self.hold(collection)?)
    }

    /// Handles on the blocks or partitions, in order.
    fn hold(&self, collection: &impl Compute) -> Result<Vec<Arc<HeldResult>>, ComputeError> {
        let mut graph = GraphBuilder::for_travel();
        let layer = collection.lower(&mut graph)?;
        let graph: Graph = graph.finish();
        let count = graph.layer(layer).len();
        let wanted = TaskRange { layer, start: 0, end: count }.tasks().collect::<Vec<TaskId>>();
        let load = |values| engine().load(values).map_err(|error| FutureError::Unreadable(error.to_string()));
        Ok(raskt_futures::begin(&self.0, &graph, wanted, &load)?)
    }

    /// The workers that are there.
    pub fn workers(&self) -> Vec<WorkerInfo> {
        self.0.workers()
    }

    /// Waits until there are so many workers; says whether there are.
    pub fn wait_for_workers(&self, count: usize, patience: Duration) -> bool {
        self.0.wait_for_workers(count, patience)
    }

    /// Why the cluster is out of reach for good, if it is.
    pub fn lost(&self) -> Option<String> {
        self.0.lost()
    }

    /// Leaves the cluster; what was said has so long to arrive.
    pub fn close(&self, patience: Duration) {
        self.0.close(patience);
    }
}
