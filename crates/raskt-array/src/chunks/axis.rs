use crate::{ArrayError, Extent, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// How one axis is cut into blocks.
///
/// Even cuts are two numbers however many blocks there are; uneven ones are listed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Cut")]
pub struct AxisChunks(Cut);

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Cut {
    /// Blocks end at `chunk * k - skip`: the first may be shorter (after a slice), and the last.
    Regular { length: usize, chunk: usize, skip: usize },
    /// Where each block begins, and where the last ends.
    Uneven(Arc<[usize]>),
    /// So many blocks, whose lengths show when they are computed.
    Unknown { blocks: u32 },
}

impl TryFrom<Cut> for AxisChunks {
    type Error = &'static str;

    fn try_from(cut: Cut) -> std::result::Result<Self, Self::Error> {
        let is_sound = match &cut {
            Cut::Regular { length, chunk, skip } => {
                skip < chunk && length.checked_add(*chunk).is_some_and(|end| isize::try_from(end).is_ok())
            }
            Cut::Uneven(starts) => {
                let ends = starts.last().is_some_and(|&end| isize::try_from(end).is_ok());
                starts.len() > 1 && starts[0] == 0 && starts.is_sorted() && ends
            }
            Cut::Unknown { .. } => true,
        };
        let axis = Self(cut);
        let is_counted = is_sound && axis.count() < u32::MAX as usize;
        if is_counted { Ok(axis) } else { Err("a cut of an axis that is none") }
    }
}

impl AxisChunks {
    /// Blocks of `chunk` elements, the last one perhaps shorter. An axis of no element has one block without any.
    pub fn regular(length: usize, chunk: usize) -> Self {
        Self::skipping(length, chunk.max(1), 0)
    }

    /// One block.
    pub fn single(length: usize) -> Self {
        Self::regular(length, length)
    }

    /// So many blocks of unknown lengths.
    pub fn unknown(blocks: u32) -> Self {
        Self(Cut::Unknown { blocks })
    }

    /// Blocks of these lengths; none at all is one block without elements.
    pub fn uneven(lengths: &[usize]) -> Self {
        let total: usize = lengths.iter().sum();
        let Some((&first, rest)) = lengths.split_first() else { return Self::single(0) };
        let Some((&last, middle)) = rest.split_last() else { return Self::single(total) };
        let chunk = middle.first().copied().unwrap_or(first.max(last));
        let even = middle.iter().all(|&length| length == chunk) && first <= chunk && last <= chunk;
        if even && first > 0 && last > 0 {
            return Self::skipping(total, chunk, chunk - first);
        }
        let mut start = 0;
        let mut starts = vec![0];
        starts.extend(lengths.iter().map(|length| {
            start += length;
            start
        }));
        Self(Cut::Uneven(starts.into()))
    }

    /// Blocks that end at multiples of `chunk` less `skip`, in one form for equal cuts.
    fn skipping(length: usize, chunk: usize, skip: usize) -> Self {
        let first = chunk - skip;
        if length <= first {
            return Self(Cut::Regular { length, chunk: length.max(1), skip: 0 });
        }
        if length <= first + chunk {
            let chunk = first.max(length - first);
            return Self(Cut::Regular { length, chunk, skip: chunk - first });
        }
        Self(Cut::Regular { length, chunk, skip })
    }

    /// How many blocks there are: no more than [`normalize_chunks`](super::normalize_chunks) lets a user ask for.
    pub fn blocks(&self) -> u32 {
        u32::try_from(self.count()).expect("so many blocks are refused where they are asked for")
    }

    /// How many blocks there would be.
    pub(super) fn count(&self) -> usize {
        match &self.0 {
            Cut::Regular { length, chunk, skip } => (length + skip).div_ceil(*chunk).max(1),
            Cut::Uneven(starts) => starts.len() - 1,
            Cut::Unknown { blocks } => *blocks as usize,
        }
    }

    /// How many elements there are.
    pub fn length(&self) -> Extent {
        match &self.0 {
            Cut::Regular { length, .. } => Some(*length),
            Cut::Uneven(starts) => starts.last().copied(),
            Cut::Unknown { .. } => None,
        }
    }

    /// Whether the lengths are known.
    pub fn is_known(&self) -> bool {
        !matches!(self.0, Cut::Unknown { .. })
    }

    /// Where block `at` begins; the end of the axis for the block after the last. 0 where it isn't known.
    pub fn start(&self, at: u32) -> usize {
        match &self.0 {
            Cut::Regular { length, chunk, skip } => (at as usize * chunk).saturating_sub(*skip).min(*length),
            Cut::Uneven(starts) => starts[at as usize],
            Cut::Unknown { .. } => 0,
        }
    }

    /// How many elements block `at` has.
    pub fn block_length(&self, at: u32) -> Extent {
        self.is_known().then(|| self.start(at + 1) - self.start(at))
    }

    /// Length, and the multiples less which number blocks end at, of an even cut.
    pub(super) fn even(&self) -> Option<(usize, usize, usize)> {
        match self.0 {
            Cut::Regular { length, chunk, skip } => Some((length, chunk, skip)),
            _ => None,
        }
    }

    /// The lengths of the blocks, one by one.
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = Extent> {
        (0..self.blocks() as usize).map(|at| self.block_length(at as u32))
    }

    /// The longest block; nothing where it isn't known.
    pub fn longest(&self) -> Extent {
        match &self.0 {
            Cut::Regular { length, chunk, .. } => Some(*chunk.min(length)),
            Cut::Uneven(_) => self.lengths().flatten().max(),
            Cut::Unknown { .. } => None,
        }
    }

    /// The block that holds element `position`.
    pub(crate) fn locate(&self, position: usize) -> u32 {
        match &self.0 {
            Cut::Regular { chunk, skip, .. } => ((position + skip) / chunk) as u32,
            Cut::Uneven(starts) => {
                starts.partition_point(|&start| start <= position).clamp(1, starts.len() - 1) as u32 - 1
            }
            Cut::Unknown { .. } => 0,
        }
    }

    /// The cut of the elements `start`, `start + step`, ...: so many, each in the block where it was; empty blocks go.
    pub(crate) fn slice(&self, start: usize, step: isize, count: usize) -> Self {
        if step < 0 {
            let low = (start as isize + step * (count as isize - 1).max(0)) as usize;
            return self.slice(low, -step, count).reversed();
        }
        match &self.0 {
            _ if count == 0 => Self::single(0),
            Cut::Unknown { .. } => self.clone(),
            Cut::Regular { chunk, skip, .. } if chunk % step as usize == 0 => {
                let step = step as usize;
                let end = self.start(self.locate(start) + 1);
                let _ = skip;
                let first = (end - start).div_ceil(step).min(chunk / step);
                Self::skipping(count, chunk / step, chunk / step - first)
            }
            // No two elements are of one block.
            Cut::Regular { chunk, .. } if step as usize >= *chunk => Self::regular(count, 1),
            _ => self.slice_one_by_one(start, step as usize, count),
        }
    }

    fn slice_one_by_one(&self, start: usize, step: usize, count: usize) -> Self {
        let mut lengths = vec![];
        let mut taken = 0;
        let mut at = self.locate(start);
        while taken < count {
            let end = self.start(at + 1);
            let next = start + step * taken;
            let here = if end > next { (end - next).div_ceil(step).min(count - taken) } else { 0 };
            if here > 0 {
                lengths.push(here);
                taken += here;
            }
            at = if taken < count { self.locate(start + step * taken) } else { at };
        }
        Self::uneven(&lengths)
    }

    fn reversed(&self) -> Self {
        match &self.0 {
            Cut::Regular { length, chunk, .. } => {
                let last = length - self.start(self.blocks() - 1);
                Self::skipping(*length, *chunk, chunk - last.clamp(1, *chunk))
            }
            _ => {
                let mut lengths: Vec<usize> = self.lengths().flatten().collect();
                lengths.reverse();
                Self::uneven(&lengths)
            }
        }
    }

    /// The coarsest cut that cuts wherever `self` or `other` does.
    pub(crate) fn refine(&self, other: &Self) -> Result<Self> {
        if self == other || (other.blocks() == 1 && self.length() == other.length()) {
            return Ok(self.clone());
        }
        if self.blocks() == 1 && self.length() == other.length() {
            return Ok(other.clone());
        }
        if !self.is_known() || !other.is_known() {
            return Err(ArrayError::Chunks(format!(
                "blocks of unknown length can't be aligned with others: {self:?} and {other:?}; \
                 call `compute_chunk_sizes()` first"
            )));
        }
        let mut ends: Vec<usize> = (1..=self.blocks()).map(|at| self.start(at)).collect();
        ends.extend((1..=other.blocks()).map(|at| other.start(at)));
        ends.sort_unstable();
        ends.dedup();
        let mut start = 0;
        let lengths: Vec<usize> = ends
            .into_iter()
            .map(|end| {
                let length = end - start;
                start = end;
                length
            })
            .collect();
        Ok(Self::uneven(&lengths))
    }

    /// Several cuts one after the other.
    pub(crate) fn joined(parts: &[&Self]) -> Self {
        if parts.iter().any(|part| !part.is_known()) {
            return Self::unknown(parts.iter().map(|part| part.blocks()).sum());
        }
        Self::joined_evenly(parts).unwrap_or_else(|| {
            let lengths: Vec<usize> = parts.iter().flat_map(|part| part.lengths().flatten()).collect();
            Self::uneven(&lengths)
        })
    }

    /// The same where all blocks but the first and the last are equally long, however many they are.
    fn joined_evenly(parts: &[&Self]) -> Option<Self> {
        let (&(_, chunk, skip), mut total) = (&parts.first()?.even()?, 0);
        for (at, part) in parts.iter().enumerate() {
            let (length, own, own_skip) = part.even()?;
            let ends_with_a_block = at + 1 == parts.len() || (length + own_skip).is_multiple_of(chunk);
            if length == 0 || own != chunk || (at > 0 && own_skip > 0) || !ends_with_a_block {
                return None;
            }
            total += length;
        }
        Some(Self::skipping(total, chunk, skip))
    }

    /// What tells it from other cuts, for hashing.
    pub(crate) fn for_each_word(&self, mut visit: impl FnMut(u64)) {
        match &self.0 {
            Cut::Regular { length, chunk, skip } => [0, *length, *chunk, *skip].map(|word| visit(word as u64)),
            Cut::Unknown { blocks } => [1, *blocks as usize, 0, 0].map(|word| visit(word as u64)),
            Cut::Uneven(starts) => {
                visit(2);
                visit(starts.len() as u64);
                starts.iter().for_each(|&start| visit(start as u64));
                [(); 4]
            }
        };
    }
}

impl fmt::Debug for AxisChunks {
    /// The lengths as a tuple, the middle of many left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ENDS: u32 = 6;
        let count = self.blocks();
        f.write_str("(")?;
        for at in (0..count.min(ENDS)).chain(count.saturating_sub(ENDS).max(ENDS)..count) {
            let separator = match at {
                0 => "",
                at if at >= ENDS && at == count - ENDS && count > 2 * ENDS => ", ..., ",
                _ => ", ",
            };
            match self.block_length(at) {
                Some(length) => write!(f, "{separator}{length}")?,
                None => write!(f, "{separator}nan")?,
            }
        }
        f.write_str(if count == 1 { ",)" } else { ")" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lengths(axis: &AxisChunks) -> Vec<usize> {
        axis.lengths().flatten().collect()
    }

    #[test]
    fn equal_cuts_are_equal_however_they_came_about() {
        assert_eq!(AxisChunks::uneven(&[4, 4, 2]), AxisChunks::regular(10, 4));
        assert_eq!(AxisChunks::regular(18, 10).slice(5, 1, 8), AxisChunks::uneven(&[5, 3]));
        assert_eq!(AxisChunks::uneven(&[7]), AxisChunks::single(7));
        assert_eq!(lengths(&AxisChunks::single(0)), [0]);
    }

    #[test]
    fn a_hundred_million_blocks_are_two_numbers() {
        let axis = AxisChunks::regular(100_000_000_000, 1000);
        assert_eq!(axis.blocks(), 100_000_000);
        assert_eq!(axis.slice(500, 1, 99_999_999_000).blocks(), 100_000_000);
        assert_eq!(axis.locate(99_999_999_999), 99_999_999);
    }

    proptest! {
        #[test]
        fn a_slice_keeps_elements_in_their_blocks(
            cut in prop::collection::vec(0_usize..6, 1..7), even in any::<bool>(),
            start in 0_usize..30, step in prop_oneof![-9_isize..0, 1_isize..10], count in 0_usize..30,
        ) {
            let axis = if even { AxisChunks::regular(cut.iter().sum(), cut[0].max(1)) } else { AxisChunks::uneven(&cut) };
            let total = axis.length().unwrap() as isize;
            let count = (0..count as isize).take_while(|i| (0..total).contains(&(start as isize + step * i))).count();
            let sliced = axis.slice(start, step, count);
            let mut expected: Vec<(u32, usize)> = vec![];
            for i in 0..count as isize {
                let block = axis.locate((start as isize + step * i) as usize);
                match expected.last_mut() {
                    Some((last, length)) if *last == block => *length += 1,
                    _ => expected.push((block, 1)),
                }
            }
            let expected: Vec<usize> = expected.into_iter().map(|(_, length)| length).collect();
            prop_assert_eq!(lengths(&sliced), if count == 0 { vec![0] } else { expected });
        }

        #[test]
        fn cuts_that_are_joined_keep_their_blocks(
            parts in prop::collection::vec((1..4_usize, 0..9_usize, 0..3_usize), 1..5)
        ) {
            let cut = |&(chunk, length, skip): &(usize, usize, usize)| {
                AxisChunks::regular(length + skip, chunk).slice(skip, 1, length)
            };
            let parts: Vec<AxisChunks> = parts.iter().map(cut).collect();
            let each: Vec<usize> = parts.iter().flat_map(lengths).collect();
            let joined = AxisChunks::joined(&parts.iter().collect::<Vec<_>>());
            prop_assert_eq!(&lengths(&joined), &each);
            prop_assert_eq!(joined, AxisChunks::uneven(&each), "equal cuts are equal however they came about");
        }

        #[test]
        fn each_element_is_in_the_block_that_is_located(cut in prop::collection::vec(0_usize..6, 1..7)) {
            let axis = AxisChunks::uneven(&cut);
            for position in 0..axis.length().unwrap() {
                let at = axis.locate(position);
                prop_assert!((axis.start(at)..axis.start(at + 1)).contains(&position));
            }
        }
    }
}
