//! Walks a strided index in C order, in long runs.

use raskt_value::Dims;
use smallvec::SmallVec;

/// An index that is linear along each axis of a box, with axes merged where that keeps it so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Walk {
    shape: Dims,
    steps: SmallVec<[i64; 4]>,
    base: i64,
}

/// Elements whose index goes up evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Position in the part that is walked.
    pub at: usize,
    /// Index of the first element.
    pub index: i64,
    /// Difference of neighbours.
    pub step: i64,
    /// How many there are.
    pub length: usize,
}

impl Walk {
    /// The index `base + Σ steps[axis] * coordinate[axis]` over a box of `shape`.
    pub fn new(shape: &[usize], steps: impl IntoIterator<Item = i64>, base: i64) -> Self {
        let mut walk = Self { shape: Dims::new(), steps: SmallVec::new(), base };
        for (&length, step) in shape.iter().zip(steps) {
            if length == 1 {
                continue;
            }
            match (walk.shape.last_mut(), walk.steps.last_mut()) {
                (Some(outer), Some(last)) if *last == step.wrapping_mul(length as i64) => {
                    *outer *= length;
                    *last = step;
                }
                _ => {
                    walk.shape.push(length);
                    walk.steps.push(step);
                }
            }
        }
        walk
    }

    /// The lengths of its axes, as far as they aren't merged.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How much a step along each axis adds.
    pub fn steps(&self) -> &[i64] {
        &self.steps
    }

    /// The index of the first element.
    pub fn base(&self) -> i64 {
        self.base
    }

    /// The index of the first element, if all have it.
    pub fn uniform(&self) -> Option<i64> {
        self.steps.iter().all(|&step| step == 0).then_some(self.base)
    }

    /// The index of the first element, if each is one more than the one before it.
    pub fn contiguous(&self) -> Option<i64> {
        (self.steps.as_slice() == [1] || self.steps.is_empty()).then_some(self.base)
    }

    /// Calls `visit` with the runs that make up the elements `start..start + length` in C order.
    #[inline]
    pub fn for_each_run(&self, start: usize, length: usize, mut visit: impl FnMut(Run)) {
        let Some(inner) = self.shape.len().checked_sub(1) else {
            return visit(Run { at: 0, index: self.base, step: 0, length });
        };
        let mut at: Dims = SmallVec::from_elem(0, inner + 1);
        let mut rest = start;
        for axis in (0..=inner).rev() {
            at[axis] = rest % self.shape[axis];
            rest /= self.shape[axis];
        }
        let terms = at.iter().zip(&self.steps);
        let mut index = terms.fold(self.base, |sum, (&at, &step)| sum.wrapping_add(step.wrapping_mul(at as i64)));
        let mut done = 0;
        loop {
            let run = (self.shape[inner] - at[inner]).min(length - done);
            visit(Run { at: done, index, step: self.steps[inner], length: run });
            done += run;
            if done == length {
                return;
            }
            index = index.wrapping_sub(self.steps[inner].wrapping_mul(at[inner] as i64));
            at[inner] = 0;
            index = self.carry(&mut at, index, inner);
        }
    }

    /// Moves on by one along the axes before `inner`.
    #[inline]
    fn carry(&self, at: &mut Dims, mut index: i64, inner: usize) -> i64 {
        for axis in (0..inner).rev() {
            at[axis] += 1;
            index = index.wrapping_add(self.steps[axis]);
            if at[axis] < self.shape[axis] {
                break;
            }
            index = index.wrapping_sub(self.steps[axis].wrapping_mul(at[axis] as i64));
            at[axis] = 0;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(walk: &Walk, start: usize, length: usize) -> Vec<i64> {
        let mut found = vec![];
        walk.for_each_run(start, length, |run| {
            assert_eq!(run.at, found.len());
            found.extend((0..run.length as i64).map(|at| run.index + run.step * at));
        });
        found
    }

    #[test]
    fn axes_merge_where_they_can() {
        assert_eq!(Walk::new(&[2, 3, 4], [12, 4, 1], 5).contiguous(), Some(5));
        assert_eq!(Walk::new(&[2, 1, 4], [4, 99, 1], 0).contiguous(), Some(0));
        assert_eq!(Walk::new(&[2, 3], [0, 0], 7).uniform(), Some(7));
        assert_eq!(Walk::new(&[2, 3], [0, 1], 0).contiguous(), None);
    }

    #[test]
    fn any_part_of_any_walk_is_right() {
        let (shape, steps) = ([2, 3, 4], [-1_i64, 0, 5]);
        let walk = Walk::new(&shape, steps, 1);
        let mut expected = vec![];
        for (a, b, c) in (0..2).flat_map(|a| (0..3).flat_map(move |b| (0..4).map(move |c| (a, b, c)))) {
            expected.push(1 + steps[0] * a + steps[1] * b + steps[2] * c);
        }
        for start in 0..24 {
            for length in 1..=24 - start {
                assert_eq!(indices(&walk, start, length), expected[start..start + length]);
            }
        }
    }
}
