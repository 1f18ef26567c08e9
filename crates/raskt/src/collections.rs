//! Arrays and frames as things that can be computed.

use crate::compute::{Compute, ComputeError};
use raskt_array::{Array, assemble};
use raskt_frame::polars::prelude::DataFrame;
use raskt_frame::{Frame, FrameTable, StageOutput, lower_whole};
use raskt_graph::{GraphBuilder, LayerId};
use raskt_value::{Chunk, Value};

/// Computing an array gives one block with all its elements, in C order.
///
/// ```
/// use raskt::array::{Array, Chunks, Reduction};
/// use raskt::prelude::*;
/// use raskt::value::{DType, Scalar};
///
/// let x = Array::full(Chunks::single(&[1000, 1000]), Scalar::Float(1.5), DType::F64)?;
/// let total = x.reduce(Reduction::Sum, &Default::default())?.compute()?;
/// assert_eq!(total.as_slice::<f64>(), Some(&[1_500_000.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Compute for Array {
    type Output = Chunk;

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, ComputeError> {
        Ok(graph.lower(self)?)
    }

    fn finish(&self, values: Vec<Value>) -> Result<Chunk, ComputeError> {
        assemble(&values, self).map_err(|error| ComputeError::Result(error.to_string()))
    }
}

/// Computing a frame gives a Polars frame. Row labels, where there are any, are its first columns, under the names that
/// [`raskt_frame::index_column_name`] gives.
///
/// ```
/// use raskt::frame::{Aggregation, memory, polars::prelude::*};
/// use raskt::prelude::*;
///
/// let flights = df!["carrier" => ["UA", "AA", "UA"], "delay" => [3.0, -1.0, 5.0]]?;
/// let flights = memory(vec![flights], &[], &[], None);
/// let carrier = flights.column("carrier")?;
/// let mean = Aggregation {
///     name: "delay".into(),
///     column: flights.column("delay")?,
///     function: "mean".into(),
///     options: Default::default(),
/// };
/// let delays = flights.group(&[carrier], &[mean], true, true, false)?.compute()?;
/// assert_eq!(delays, df!["carrier" => ["AA", "UA"], "delay" => [-1.0, 4.0]]?);
/// # Ok::<(), std::boxed::Box<dyn std::error::Error>>(())
/// ```
impl Compute for Frame {
    type Output = DataFrame;

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, ComputeError> {
        Ok(lower_whole(graph, &StageOutput::of_frame(self))?)
    }

    fn finish(&self, values: Vec<Value>) -> Result<DataFrame, ComputeError> {
        let [value] = values.as_slice() else {
            return Err(ComputeError::Result(format!("one table was due, and {} came", values.len())));
        };
        let table = FrameTable::of(value).map_err(|error| ComputeError::Result(error.to_string()))?;
        Ok(table.frame.clone())
    }
}
