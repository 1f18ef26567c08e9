use super::axis_of;
use crate::blocks::agree::agreeing;
use crate::expression::Expr;
use crate::{Array, ArrayError, AxisChunks, Chunks, Result, error::shape_text};
use raskt_value::promote;

impl Array {
    /// Arrays one after the other along an axis that they have.
    pub fn concatenate(arrays: &[Self], axis: isize) -> Result<Self> {
        let Some((first, rest)) = arrays.split_first() else {
            return Err(ArrayError::Value("need at least one array to concatenate".into()));
        };
        if first.ndim() == 0 {
            return Err(ArrayError::Value("zero-dimensional arrays cannot be concatenated".into()));
        }
        let axis = axis_of(axis, first.ndim())?;
        for array in rest {
            check_joins(first, array, axis)?;
        }
        let length = arrays.iter().try_fold(0_usize, |sum, array| sum.checked_add(array.shape()[axis].unwrap_or(0)));
        if length.is_none_or(|length| i64::try_from(length).is_err()) {
            return Err(ArrayError::Value("array is too big: its length is more than 64 bits can count".into()));
        }
        let dtype = arrays.iter().map(Self::dtype).reduce(promote).expect("there is a first array");
        let cuts = (0..first.ndim()).map(|other| common_cut(arrays, other, axis)).collect::<Result<Vec<_>>>()?;
        let inputs = arrays.iter().map(|array| {
            let own = |at: usize| if at == axis { array.chunks().axes()[axis].clone() } else { cuts[at].clone() };
            array.astype(dtype).rechunk_to(Chunks::new((0..cuts.len()).map(own)))
        });
        let labels: Vec<Option<usize>> = (0..first.ndim()).map(|other| (other != axis).then_some(other)).collect();
        let inputs = agreeing(&inputs.collect::<Result<Vec<_>>>()?, &vec![labels; arrays.len()]);
        // An array of no element has a block all the same; it would only be in the way.
        let mut inputs: Vec<_> = inputs.into_iter().filter(|input| input.shape()[axis] != Some(0)).collect();
        match inputs.len() {
            0 => arrays[0].astype(dtype).rechunk_to(Chunks::new(cuts)),
            1 => Ok(inputs.remove(0)),
            _ => Ok(joined(inputs, axis)),
        }
    }

    /// Arrays of one shape along a new axis.
    pub fn stack(arrays: &[Self], axis: isize) -> Result<Self> {
        let Some(first) = arrays.first() else {
            return Err(ArrayError::Value("need at least one array to stack".into()));
        };
        if arrays.iter().any(|array| array.shape() != first.shape()) {
            return Err(ArrayError::Shape("all input arrays must have the same shape".into()));
        }
        let axis = axis_of(axis, first.ndim() + 1)? as isize;
        let expanded = arrays.iter().map(|array| array.expand_dims(&[axis]));
        Self::concatenate(&expanded.collect::<Result<Vec<_>>>()?, axis)
    }
}

fn joined(inputs: Vec<Array>, axis: usize) -> Array {
    let parts: Vec<&AxisChunks> = inputs.iter().map(|input| &input.chunks().axes()[axis]).collect();
    let mut chunks = inputs[0].chunks().clone();
    chunks.axes_mut()[axis] = AxisChunks::joined(&parts);
    let dtype = inputs[0].dtype();
    Expr::Concatenate { inputs, axis }.into_array(dtype, chunks)
}

/// One cut of axis `other` for all arrays. The axis along which they are joined is each array's own.
fn common_cut(arrays: &[Array], other: usize, axis: usize) -> Result<AxisChunks> {
    let own = |array: &Array| array.chunks().axes()[other].clone();
    if other == axis {
        return Ok(own(&arrays[0]));
    }
    arrays[1..].iter().try_fold(own(&arrays[0]), |common, array| common.refine(&own(array)))
}

fn check_joins(first: &Array, array: &Array, axis: usize) -> Result<()> {
    let (a, b) = (first.shape(), array.shape());
    if a.len() != b.len() {
        return Err(ArrayError::Shape(format!(
            "all the input array dimensions must match: one has {} dimensions and another has {}",
            a.len(),
            b.len()
        )));
    }
    match (0..a.len()).find(|&other| other != axis && a[other] != b[other]) {
        Some(other) => Err(ArrayError::Shape(format!(
            "all the input array dimensions except for the concatenation axis must match exactly, but along dimension \
             {other} shapes {} and {} differ",
            shape_text(&a),
            shape_text(&b)
        ))),
        None => Ok(()),
    }
}
