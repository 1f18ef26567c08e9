//! Running what the collections describe.

use raskt_execute::{Engine, EngineOptions, RunError, Runners};
use raskt_futures::{FutureError, brought_here};
use raskt_graph::{GraphBuilder, GraphError, LayerId, TaskId};
use raskt_value::Value;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// Something lazy: an array, a frame, a delayed call.
pub trait Compute {
    /// What computing it gives.
    type Output;

    /// Adds it to a graph; the tasks of the layer that comes back are its blocks or partitions in order.
    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, ComputeError>;

    /// Puts the results of those tasks together.
    fn finish(&self, values: Vec<Value>) -> Result<Self::Output, ComputeError>;

    /// Computes it on the threads of this process.
    fn compute(&self) -> Result<Self::Output, ComputeError> {
        self.compute_on(engine())
    }

    /// Computes it on `engine`.
    fn compute_on(&self, engine: &Engine) -> Result<Self::Output, ComputeError> {
        let mut graph = GraphBuilder::new();
        let layer = self.lower(&mut graph)?;
        let wanted = (0..graph.get(layer).len()).map(|index| TaskId::new(layer, index)).collect();
        // What a cluster keeps is fetched before anything runs here.
        let graph = brought_here(graph.finish()).map_err(FutureError::from)?;
        self.finish(engine.submit(Arc::new(graph), wanted).wait()?)
    }
}

/// Why a computation gave no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ComputeError {
    /// A task failed, or the run was cancelled.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A cluster has no result, or can't be given what would make one.
    #[error(transparent)]
    Cluster(#[from] FutureError),
    /// The collection wrote a malformed graph: a bug.
    #[error("a malformed graph was written, which is a bug: {0}")]
    Graph(#[from] GraphError),
    /// The results don't fit together: a bug.
    #[error("the results don't fit together: {0}")]
    Result(String),
}

/// The engine that [`Compute::compute`] uses: a thread for each core, made when it is first needed.
pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new(EngineOptions::default(), Runners::default()))
}
