//! Merges the partials of several blocks.

use super::Partial;
use super::fold::{Fold, WithFold};
use super::state::State;
use raskt_value::{Chunk, ErrorKind, TaskError};

/// The merger of partials.
pub(super) struct Combine<'a> {
    pub partials: &'a [Partial],
}

impl WithFold for Combine<'_> {
    type Output = Result<Partial, TaskError>;

    fn run<F: Fold>(self) -> Self::Output {
        let malformed = || TaskError::new(ErrorKind::Value, "partial reductions of one kind and shape were expected");
        let first = self.partials.first().ok_or_else(malformed)?;
        let shape = first.fields.first().ok_or_else(malformed)?.shape().to_vec();
        let mut rows = Vec::with_capacity(self.partials.len());
        let mut count = 0_i64;
        for partial in self.partials {
            if partial.fields.iter().rev().skip(1).any(|field| field.shape() != shape) {
                let message = "blocks of an array are not of one length along an axis: they do not make an array";
                return Err(TaskError::new(ErrorKind::Value, message));
            }
            let row = <F::State as State>::load(&partial.fields).ok_or_else(malformed)?;
            if row.len() != shape.iter().product::<usize>() {
                return Err(malformed());
            }
            rows.push(row);
            count = partial.count().and_then(|own| own.checked_add(count)).ok_or_else(malformed)?;
        }
        let mut fields = State::store(&merged::<F>(rows), &shape);
        fields.push(Chunk::scalar(count));
        Ok(Partial { fields })
    }
}

/// Neighbours two by two, and what comes of them again, until one is left.
fn merged<F: Fold>(mut rows: Vec<Vec<F::State>>) -> Vec<F::State> {
    while rows.len() > 1 {
        let mut next = Vec::with_capacity(rows.len().div_ceil(2));
        let mut rest = rows.into_iter();
        while let Some(mut row) = rest.next() {
            if let Some(later) = rest.next() {
                row.iter_mut().zip(later).for_each(|(a, b)| *a = F::merge(*a, b));
            }
            next.push(row);
        }
        rows = next;
    }
    rows.pop().unwrap_or_default()
}

impl Partial {
    /// How many elements went into each state.
    pub(super) fn count(&self) -> Option<i64> {
        self.fields.last()?.as_slice::<i64>()?.first().copied()
    }
}
