//! Collections whose parts stay with workers.

use crate::compute::{Compute, ComputeError};
use raskt_array::Array;
use raskt_futures::{FutureError, HeldResult};
use std::sync::Arc;

/// A collection that goes on while its parts stay with workers.
///
/// Arrays do, whose blocks are known by type and shape before they are there. A frame has to know facts of its tables that nobody tells
/// yet: compute it, and make one of what came.
pub trait Persist: Compute + Sized {
    /// The same, made of these results.
    fn persisted_as(&self, held: Vec<Arc<HeldResult>>) -> Result<Self, ComputeError>;
}

impl Persist for Array {
    fn persisted_as(&self, held: Vec<Arc<HeldResult>>) -> Result<Self, ComputeError> {
        let (chunks, grid) = (self.chunks(), self.chunks().grid());
        for (index, result) in held.iter().enumerate() {
            let shape = chunks.block_shape(&grid.coordinates(index as u64));
            let Some(shape) = shape.into_iter().collect::<Option<Box<[usize]>>>() else {
                let why = "the lengths of the array's blocks aren't known before they are there: compute it instead";
                return Err(FutureError::Stays(why.into()).into());
            };
            result.is_block(self.dtype(), shape);
        }
        let values = held.into_iter().map(HeldResult::value).collect();
        self.persisted(values).map_err(|error| ComputeError::Result(error.to_string()))
    }
}
