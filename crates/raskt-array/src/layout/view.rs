use crate::expression::{Expr, View};
use crate::kernel::{Affine, Source};
use crate::{Array, Chunks};
use raskt_value::{Chunk, LayoutError, Strides};

impl Array {
    /// The array seen through `view`. Sources and arrays in memory take the view into themselves at once.
    pub(crate) fn viewed(&self, view: View, chunks: Chunks) -> Self {
        if view.is_identity(self.chunks(), &chunks) {
            return self.clone();
        }
        let expr = match self.expr() {
            Expr::Generated(source) => Expr::Generated(view_source(source, &view)),
            // Repeated along an axis of unknown length, it is viewed when blocks are there.
            Expr::Memory { chunk, token } if chunks.is_known() => {
                Expr::Memory { chunk: view_chunk(chunk, &view, &chunks), token: *token }
            }
            _ => Expr::View { input: self.clone(), view },
        };
        expr.into_array(self.dtype(), chunks)
    }
}

fn view_source(source: &Source, view: &View) -> Source {
    let start: Vec<u64> = view.start.iter().map(|&start| start as u64).collect();
    let base = source.index.at(&start);
    let steps = view
        .axes
        .iter()
        .map(|axis| axis.from.map_or(0, |from| source.index.steps[from as usize].wrapping_mul(axis.step as i64)));
    let steps = steps.collect();
    Source { generator: source.generator.clone(), dtype: source.dtype, index: Affine { base, steps } }
}

/// The view of a block, of which the lengths are those of `chunks`.
fn view_chunk(chunk: &Chunk, view: &View, chunks: &Chunks) -> Chunk {
    let shape = chunks.known_shape("a view of memory").expect("views of known arrays are known");
    view_block(chunk, view, &shape).expect("a view stays within the array that it is of")
}

/// The view of a block, which has the view's axes, of `shape`; no element is copied.
///
/// # Errors
/// If it leaves the memory of the block: a view that has come from elsewhere may.
pub(crate) fn view_block(chunk: &Chunk, view: &View, shape: &[usize]) -> Result<Chunk, LayoutError> {
    // What can't be counted is far outside, wherever it is taken to be.
    let far = |(stride, step): (isize, isize)| stride.saturating_mul(step);
    let strides: Strides = view
        .axes
        .iter()
        .map(|axis| axis.from.map_or(0, |from| far((chunk.strides()[from as usize], axis.step))))
        .collect();
    let empty = shape.contains(&0);
    let moved = chunk.strides().iter().zip(&view.start).map(|(&stride, &start)| stride as i128 * start as i128);
    let offset = usize::try_from(moved.fold(chunk.offset() as i128, i128::saturating_add)).unwrap_or(usize::MAX);
    let offset = if empty { 0 } else { offset };
    Chunk::from_parts(chunk.dtype(), shape.into(), strides, offset, chunk.buffer().clone())
}
