//! Graphs of native work on a cluster.

use crate::error::FutureError;
use crate::held::HeldResult;
use crate::here::fetched;
use crate::job::{Bring, Prepared};
use crate::names;
use raskt_cluster::{Client, Job};
use raskt_graph::{Graph, GraphForm, Op, TaskId};
use raskt_value::wire::BodyForm;
use raskt_value::{NativeOp, Value};
use std::sync::Arc;

/// Reads what stands for results that a store of this process keeps.
pub type Load<'a> = &'a dyn Fn(Vec<Value>) -> Result<Vec<Value>, FutureError>;

/// Has the graph run on the cluster of `client`, each task being something by itself, and gives handles on what is wanted, in order.
///
/// # Errors
/// What can't travel is refused by name.
pub fn begin(
    client: &Arc<Client>,
    graph: &Graph,
    wanted: Vec<TaskId>,
    load: Load<'_>,
) -> Result<Vec<Arc<HeldResult>>, FutureError> {
    Ok(prepare(client, graph, wanted, load)?.begin(client, vec![])?)
}

/// The graph as it is sent.
fn prepare(client: &Arc<Client>, graph: &Graph, wanted: Vec<TaskId>, load: Load<'_>) -> Result<Prepared, FutureError> {
    let mut given = vec![];
    let form = GraphForm::of(graph, |op| body(op, &mut given))?;
    let bytes = postcard::to_stdvec(&form).map_err(|error| FutureError::Stays(error.to_string()))?;
    let job = Job { graph: bytes.into(), ..Job::default() };
    Prepared::of(job, &form, &given, wanted, &mut Bringing { client, load })
}

fn body(op: &Op, given: &mut Vec<Vec<Value>>) -> Result<BodyForm, FutureError> {
    let refused = |why: Option<String>| {
        let why = why.unwrap_or_else(|| "it holds something that is only here".into());
        FutureError::Stays(format!("`{}` can't run in another process: {why}", op.name))
    };
    let Some(NativeOp(kernel)) = op.body.downcast_ref() else {
        return Err(refused(Some("it isn't native work".into())));
    };
    if let Some(values) = kernel.given() {
        given.push(values.to_vec());
        return Ok(BodyForm::Given(given.len() as u32 - 1));
    }
    kernel.wire().map(BodyForm::Native).ok_or_else(|| refused(kernel.stays_because()))
}

struct Bringing<'a> {
    client: &'a Arc<Client>,
    load: Load<'a>,
}

impl Bring for Bringing<'_> {
    type Error = FutureError;

    fn own(&mut self, held: &Arc<HeldResult>) -> Result<Option<Arc<HeldResult>>, FutureError> {
        Ok(names::as_own(self.client, held)?)
    }

    fn loaded(&mut self, values: Vec<Value>) -> Result<Vec<Value>, FutureError> {
        let values = fetched(values)?;
        let is_kept = |value: &Value| matches!(value, Value::Stored(_));
        if values.iter().any(is_kept) { (self.load)(values) } else { Ok(values) }
    }
}
