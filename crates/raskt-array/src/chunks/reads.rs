use super::AxisChunks;
use raskt_graph::{AxisRanges, Windows};
use std::ops::Range;

impl AxisChunks {
    /// Which of these blocks hold the elements of each block of `output`, whose element *o* is element `start` + `step` × *o*.
    pub(crate) fn read_by(&self, output: &Self, start: usize, step: isize) -> AxisRanges {
        if !self.is_known() || !output.is_known() {
            return AxisRanges::same(output.blocks());
        }
        let even = self.windows(output, start, step).and_then(AxisRanges::even);
        even.unwrap_or_else(|| {
            let ranges =
                (0..output.blocks()).map(|at| self.blocks_of(output.start(at)..output.start(at + 1), start, step));
            AxisRanges::listed(ranges.collect())
        })
    }

    /// The same for even cuts: what a block of the output shows is a window of as many elements.
    fn windows(&self, output: &Self, start: usize, step: isize) -> Option<Windows> {
        let ((_, block, skip), (length, chunk, output_skip)) = (self.even()?, output.even()?);
        let far = step.checked_mul(length.checked_sub(1)? as isize)?;
        // Elements are numbered so that blocks begin at multiples.
        let first = start.checked_add(skip)? as isize;
        let (low, high) = if step > 0 { (first, first + far + 1) } else { (first + far, first + 1) };
        // Of a block that is whole, the element that comes first in the input.
        let earliest = if step > 0 { -(output_skip as isize) } else { chunk as isize - output_skip as isize - 1 };
        Some(Windows {
            count: output.blocks(),
            first: first.checked_add(step.checked_mul(earliest)?)? as i64,
            stride: step.checked_mul(chunk as isize)? as i64,
            width: step.unsigned_abs().checked_mul(chunk - 1)? as u64 + 1,
            points: low as u64..high as u64,
            block: block as u64,
        })
    }

    /// The blocks that hold these elements of the output. No elements have a block all the same, of which nothing is taken:
    /// that keeps the ranges in order.
    fn blocks_of(&self, elements: Range<usize>, start: usize, step: isize) -> Range<u32> {
        let block = |element: usize| {
            let position = start as isize + step * element as isize;
            self.locate(position as usize).min(self.blocks() - 1)
        };
        let (one, other) = (block(elements.start), block(elements.end.max(elements.start + 1) - 1));
        one.min(other)..one.max(other) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Even cuts, with a first block that may be shorter, and uneven ones, with blocks of no element.
    fn cut(lengths: &[usize], is_even: bool, skip: usize) -> AxisChunks {
        let total = lengths.iter().sum::<usize>();
        match is_even {
            true => AxisChunks::regular(total + skip, lengths[0].max(1)).slice(skip, 1, total),
            false => AxisChunks::uneven(lengths),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn blocks_read_the_blocks_of_their_elements(
            lengths in prop::collection::vec(0..6_usize, 1..7), skip in 0..5_usize, is_even in any::<bool>(),
            start in 0..30_usize, step in prop_oneof![-5..0_isize, 1..6_isize], count in 1..30_isize,
            chunk in prop::option::of(1..9_usize),
        ) {
            let input = cut(&lengths, is_even, skip);
            let total = input.length().unwrap() as isize;
            let count = (0..count).take_while(|at| (0..total).contains(&(start as isize + step * at))).count();
            if count == 0 {
                return Ok(());
            }
            // As a slice is cut, or, as for a new cut, in any way.
            let output = chunk.map_or_else(|| input.slice(start, step, count), |chunk| AxisChunks::regular(count, chunk));
            let ranges = input.read_by(&output, start, step);
            prop_assert_eq!(ranges.len(), output.blocks());
            prop_assert!(ranges.fits(input.blocks()));
            for at in 0..output.blocks() {
                let elements = output.start(at)..output.start(at + 1);
                let blocks = elements.map(|element| input.locate((start as isize + step * element as isize) as usize));
                let blocks: Vec<u32> = blocks.collect();
                let (first, last) = (blocks.iter().min().unwrap(), blocks.iter().max().unwrap());
                prop_assert_eq!(ranges.at(at), *first..last + 1);
            }
        }
    }

    #[test]
    fn a_hundred_million_blocks_are_read_by_a_rule() {
        let input = AxisChunks::regular(100_000_000_000, 1000);
        for (start, step) in [(0, 1), (7, 1), (3, 2), (99_999_999_999, -1), (99_999_999_990, -5)] {
            let output = input.slice(start, step, 15_000_000_000);
            assert!(input.read_by(&output, start, step).windows().is_some(), "{start} {step}");
        }
        assert!(input.read_by(&AxisChunks::regular(100_000_000_000, 700), 0, 1).windows().is_some());
    }
}
