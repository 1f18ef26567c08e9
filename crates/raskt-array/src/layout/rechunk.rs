use crate::expression::Expr;
use crate::{Array, ArrayError, Chunks, ChunksArg, Result, normalize_chunks};
use raskt_value::Dims;

impl Array {
    /// The same elements in other blocks.
    ///
    /// `limit` is the number of bytes of a block where `arg` leaves it open.
    pub fn rechunk(&self, arg: &ChunksArg, limit: Option<usize>) -> Result<Self> {
        // Axes of unknown length stay as they are, which is checked for each of them; 0 stands for their lengths.
        let shape: Dims = self.shape().iter().map(|length| length.unwrap_or(0)).collect();
        self.rechunk_to(normalize_chunks(arg, &shape, self.dtype(), limit, Some(self.chunks()))?)
    }

    /// The same elements in the blocks of `chunks`, which have the array's lengths.
    pub(crate) fn rechunk_to(&self, chunks: Chunks) -> Result<Self> {
        if *self.chunks() == chunks {
            return Ok(self.clone());
        }
        if self.shape() != chunks.shape() {
            let found = crate::error::shape_text(&self.shape());
            return Err(ArrayError::Chunks(format!("chunks {chunks:?} do not add up to shape {found}")));
        }
        let changed = self.chunks().axes().iter().zip(chunks.axes()).filter(|(old, new)| old != new);
        if changed.into_iter().any(|(old, new)| !old.is_known() || !new.is_known()) {
            return Err(ArrayError::Unknown { what: "rechunk".into() });
        }
        Ok(self.recut(chunks))
    }

    /// [`Self::rechunk_to`] of known lengths. Sources and arrays in memory are cut anew at once.
    pub(crate) fn recut(&self, chunks: Chunks) -> Self {
        let expr = match self.expr() {
            _ if *self.chunks() == chunks => return self.clone(),
            Expr::Generated(_) | Expr::Memory { .. } => self.expr().with_inputs(&[]),
            Expr::Rechunk { input } => return input.recut(chunks),
            _ => Expr::Rechunk { input: self.clone() },
        };
        expr.into_array(self.dtype(), chunks)
    }
}
