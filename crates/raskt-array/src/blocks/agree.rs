//! Blocks of unknown lengths are compared where they meet.
//!
//! A block of length 1 is as good as any other, and not to be repeated beside a longer one: only an axis of which it is
//! known that all of it is of length 1 is.

use super::inputs::{block, check_count, length};
use super::{BlockInput, Blockwise};
use crate::Array;
use crate::expression::Expr;
use raskt_value::{Call, ErrorKind, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};

/// The arrays, each with its blocks compared with those of arrays before it along axes of unknown lengths.
///
/// `labels` tells for each axis with which axes of others it belongs together; `None` if with none.
pub(crate) fn agreeing(arrays: &[Array], labels: &[Vec<Option<usize>>]) -> Vec<Array> {
    if arrays.iter().all(|array| array.chunks().is_known()) {
        return arrays.to_vec();
    }
    (0..arrays.len()).map(|at| compared(arrays, labels, at)).collect()
}

fn compared(arrays: &[Array], labels: &[Vec<Option<usize>>], at: usize) -> Array {
    let own = &arrays[at];
    let unknown = |at: usize, axis: usize| !arrays[at].chunks().axes()[axis].is_known();
    let (mut inputs, mut reads, mut pairs) = (vec![own.clone()], vec![BlockInput::same(own.ndim())], vec![]);
    for (axis, label) in labels[at].iter().enumerate().filter(|(axis, label)| label.is_some() && unknown(at, *axis)) {
        let meets = |before: &usize| {
            let found = labels[*before].iter().position(|other| other == label);
            found.filter(|&other| unknown(*before, other)).map(|other| (*before, other))
        };
        let Some((before, other)) = (0..at).find_map(|before| meets(&before)) else { continue };
        if arrays[before].key() == own.key() && other == axis {
            continue;
        }
        inputs.push(arrays[before].clone());
        reads.push(BlockInput::axes((0..arrays[before].ndim()).map(|of| (of == other).then_some(axis))));
        pairs.push((axis, other));
    }
    if pairs.is_empty() {
        return own.clone();
    }
    let words: Vec<u64> = pairs.iter().flat_map(|&(axis, other)| [axis as u64, other as u64]).collect();
    let blockwise = Blockwise::native("compare lengths", Compare { pairs }, inputs, reads);
    let blockwise = words.into_iter().fold(blockwise, Blockwise::word);
    Expr::Blockwise(blockwise).into_array(own.dtype(), own.chunks().clone())
}

/// That blocks met which are not of one length, along an axis of each.
pub(crate) fn lengths_differ(one: usize, along: usize, other: usize, beside: usize) -> TaskError {
    let axes = if along == beside { format!("axis {along}") } else { format!("axes {along} and {beside}") };
    let message = format!(
        "operands could not be broadcast together: along {axes}, whose lengths were not known, a block of length {one} \
         meets one of length {other}; call `compute_chunk_sizes()` first"
    );
    TaskError::new(ErrorKind::UnknownLengths, message)
}

/// The first block, if it is as long as each of the others along a pair of axes.
#[derive(Serialize, Deserialize)]
pub(crate) struct Compare {
    pub(crate) pairs: Vec<(usize, usize)>,
}

impl Kernel for Compare {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        check_count(inputs, self.pairs.len() + 1)?;
        let own = block(inputs, 0)?;
        for (at, &(axis, other)) in self.pairs.iter().enumerate() {
            let (one, two) = (length(own, axis)?, length(block(inputs, at + 1)?, other)?);
            if one != two {
                return Err(lengths_differ(one, axis, two, other));
            }
        }
        Ok(inputs[0].clone())
    }

    fn name(&self) -> String {
        "compare lengths".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}
