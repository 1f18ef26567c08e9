use crate::expression::View;
use crate::{Array, ArrayError, AxisChunks, Chunks, Extent, Index, Result, error::shape_text};

/// The axis that users call `axis`: negative ones count from the end.
pub(crate) fn axis_of(axis: isize, ndim: usize) -> Result<usize> {
    let from_start = if axis < 0 { axis + ndim as isize } else { axis };
    if (0..ndim as isize).contains(&from_start) {
        Ok(from_start as usize)
    } else {
        Err(ArrayError::Axis { axis, ndim })
    }
}

/// Several axes, each at most once.
pub(crate) fn axes_of(axes: &[isize], ndim: usize) -> Result<Vec<usize>> {
    let found: Vec<usize> = axes.iter().map(|&axis| axis_of(axis, ndim)).collect::<Result<_>>()?;
    for (at, axis) in found.iter().enumerate() {
        if found[..at].contains(axis) {
            return Err(ArrayError::Axes(format!("axis {axis} is named twice in {axes:?}")));
        }
    }
    Ok(found)
}

impl Array {
    /// The axes in another order; `None` reverses them.
    pub fn transpose(&self, axes: Option<&[isize]>) -> Result<Self> {
        let ndim = self.ndim();
        let order = match axes {
            None => (0..ndim).rev().collect(),
            Some(axes) if axes.len() != ndim => {
                return Err(ArrayError::Axes(format!("axes {axes:?} don't match an array of dimension {ndim}")));
            }
            Some(axes) => axes_of(axes, ndim)?,
        };
        Ok(self.with_axes(order.into_iter().map(Some)))
    }

    /// Two axes changed for each other.
    pub fn swap_axes(&self, a: isize, b: isize) -> Result<Self> {
        let (a, b) = (axis_of(a, self.ndim())?, axis_of(b, self.ndim())?);
        let mut order: Vec<usize> = (0..self.ndim()).collect();
        order.swap(a, b);
        Ok(self.with_axes(order.into_iter().map(Some)))
    }

    /// Axes moved to other positions; the others keep their order.
    pub fn move_axis(&self, source: &[isize], destination: &[isize]) -> Result<Self> {
        if source.len() != destination.len() {
            return Err(ArrayError::Axes(format!("axes {source:?} can't be moved to {destination:?}: not as many")));
        }
        let (from, to) = (axes_of(source, self.ndim())?, axes_of(destination, self.ndim())?);
        let mut order: Vec<usize> = (0..self.ndim()).filter(|axis| !from.contains(axis)).collect();
        let mut moves: Vec<_> = to.into_iter().zip(from).collect();
        moves.sort_unstable();
        moves.into_iter().for_each(|(to, from)| order.insert(to, from));
        Ok(self.with_axes(order.into_iter().map(Some)))
    }

    /// New axes of length 1, at these positions of the result.
    pub fn expand_dims(&self, axes: &[isize]) -> Result<Self> {
        let ndim = self.ndim() + axes.len();
        let new = axes_of(axes, ndim)?;
        let mut old = 0..self.ndim();
        Ok(self.with_axes((0..ndim).map(|axis| if new.contains(&axis) { None } else { old.next() })))
    }

    /// Without these axes, which must have length 1; `None` stands for all that do.
    pub fn squeeze(&self, axes: Option<&[isize]>) -> Result<Self> {
        let shape = self.shape();
        let gone = match axes {
            Some(axes) => axes_of(axes, self.ndim())?,
            None => (0..self.ndim()).filter(|&axis| shape[axis] == Some(1)).collect(),
        };
        if gone.iter().any(|&axis| shape[axis] != Some(1)) {
            let shape = shape_text(&shape);
            return Err(ArrayError::Shape(format!(
                "cannot select an axis to squeeze out of shape {shape} which has size not equal to one"
            )));
        }
        Ok(self.with_axes((0..self.ndim()).filter(|axis| !gone.contains(axis)).map(Some)))
    }

    /// Repeated along axes of length 1, and along new leading axes.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self> {
        let target: Vec<Extent> = shape.iter().map(|&length| Some(length)).collect();
        let own = self.shape();
        if crate::broadcast_shapes(&[&own, &target]).ok().as_deref() != Some(target.as_slice()) {
            return Err(ArrayError::Broadcast { shapes: vec![own.to_vec(), target] });
        }
        let new = shape.len() - self.ndim();
        let chunks = shape.iter().enumerate().map(|(axis, &length)| match axis.checked_sub(new) {
            Some(own) if self.chunks().axes()[own].length() == Some(length) => self.chunks().axes()[own].clone(),
            _ => AxisChunks::single(length),
        });
        self.broadcast_to_chunks(&Chunks::new(chunks))
    }

    /// The elements in reverse along these axes, or all.
    pub fn flip(&self, axes: Option<&[isize]>) -> Result<Self> {
        let axes = axes.map_or_else(|| Ok((0..self.ndim()).collect()), |axes| axes_of(axes, self.ndim()))?;
        let index =
            |axis| Index::Slice { start: None, stop: None, step: Some(if axes.contains(&axis) { -1 } else { 1 }) };
        self.index(&(0..self.ndim()).map(index).collect::<Vec<_>>())
    }

    /// The view with these axes; `None` is a new one of length 1.
    pub(crate) fn with_axes(&self, axes: impl Iterator<Item = Option<usize>>) -> Self {
        let axes: Vec<_> = axes.collect();
        let own = self.chunks().axes();
        let chunks = Chunks::new(axes.iter().map(|axis| axis.map_or(AxisChunks::single(1), |axis| own[axis].clone())));
        self.viewed(View::of_axes(self.ndim(), axes), chunks)
    }
}
