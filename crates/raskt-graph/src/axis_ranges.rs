//! What is read along one axis, and by whom: ranges that move one way only.

use crate::AxisSet;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Which coordinates of an input the coordinates of a layer read along one axis: a range each.
///
/// From each coordinate to the next neither end of the range moves back, or neither moves on (slices with a negative step).
/// So readers are neighbours, too, and are found without a search of all.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "RangesForm", try_from = "RangesForm")]
pub struct AxisRanges(Rule);

#[derive(Clone, Debug)]
enum Rule {
    Listed(Arc<Listed>),
    Even(Windows),
}

/// Ranges one by one: eight bytes each.
#[derive(Debug)]
struct Listed {
    ranges: Vec<Range<u32>>,
    /// Coordinates that read nothing, in order.
    empty: Vec<u32>,
    order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Rising,
    Falling,
    /// Neither: no range is found by bisection, and no graph takes it.
    None,
}

/// Even cuts read through even windows, however many there are. Points are elements of the input's axis, numbered so that its
/// block *b* has those from *b* × `block` on; coordinate *c* reads the blocks with points from `first` + *c* × `stride` on,
/// `width` of them, as far as they lie in `points`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Windows {
    /// Coordinates of the layer.
    pub count: u32,
    /// Where the window of coordinate 0 begins.
    pub first: i64,
    /// How far each window begins behind the one before it; before it, if it is negative.
    pub stride: i64,
    /// Points of a window.
    pub width: u64,
    /// Points that are read.
    pub points: Range<u64>,
    /// Points of a block of the input.
    pub block: u64,
}

/// Ranges as they travel.
#[derive(Serialize, Deserialize)]
enum RangesForm {
    Listed(Vec<(u32, u32)>),
    Even(Windows),
}

impl From<AxisRanges> for RangesForm {
    fn from(ranges: AxisRanges) -> Self {
        match ranges.0 {
            Rule::Even(windows) => Self::Even(windows),
            Rule::Listed(listed) => Self::Listed(listed.ranges.iter().map(|range| (range.start, range.end)).collect()),
        }
    }
}

impl TryFrom<RangesForm> for AxisRanges {
    type Error = &'static str;

    fn try_from(form: RangesForm) -> Result<Self, Self::Error> {
        match form {
            RangesForm::Even(windows) => Self::even(windows).ok_or("windows that leave gaps, or are too large"),
            RangesForm::Listed(ranges) => Ok(Self::listed(ranges.into_iter().map(|(start, end)| start..end).collect())),
        }
    }
}

/// Beyond this no number of a window is: so that sums and products of them can be counted.
const FAR: u64 = 1 << 61;

impl AxisRanges {
    /// These ranges, coordinate by coordinate.
    pub fn listed(ranges: Vec<Range<u32>>) -> Self {
        let empty = (0..).zip(&ranges).filter(|(_, range)| range.is_empty()).map(|(at, _)| at).collect();
        let is_rising = ranges.is_sorted_by_key(|range| range.start) && ranges.is_sorted_by_key(|range| range.end);
        let falls = |one: &Range<u32>, next: &Range<u32>| one.start >= next.start && one.end >= next.end;
        let order = match is_rising {
            true => Order::Rising,
            false if ranges.is_sorted_by(falls) => Order::Falling,
            false => Order::None,
        };
        Self(Rule::Listed(Arc::new(Listed { ranges, empty, order })))
    }

    /// The blocks that the windows show; nothing if a window shows none, if there is a block between two neighbours that
    /// neither shows, or if numbers are too large: such ranges have to be listed.
    pub fn even(windows: Windows) -> Option<Self> {
        let Windows { count, first, stride, width, points, block } = &windows;
        let reach = stride.unsigned_abs().checked_mul(u64::from(*count))?.checked_add(first.unsigned_abs())?;
        let is_far = reach.checked_add(*width)?.max(points.end).max(*block) > FAR;
        let is_gapless = *block > 0 && *stride != 0 && stride.unsigned_abs().saturating_sub(*width) < *block;
        if is_far || !is_gapless || points.end.div_ceil(*block) > u64::from(u32::MAX) {
            return None;
        }
        // What moves evenly is within the points from the first window to the last if it is at both ends.
        let ends = [0, count.saturating_sub(1)];
        let shows_some = *count == 0 || ends.into_iter().all(|at| !windows.shown(at).is_empty());
        shows_some.then_some(Self(Rule::Even(windows)))
    }

    /// Each coordinate reads the same one.
    pub fn same(count: u32) -> Self {
        let points = 0..u64::from(count);
        Self(Rule::Even(Windows { count, first: 0, stride: 1, width: 1, points, block: 1 }))
    }

    /// How many coordinates the layer has.
    pub fn len(&self) -> u32 {
        match &self.0 {
            Rule::Listed(listed) => listed.ranges.len() as u32,
            Rule::Even(windows) => windows.count,
        }
    }

    /// Whether the layer has no coordinate.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What coordinate `at` reads.
    pub fn at(&self, at: u32) -> Range<u32> {
        match &self.0 {
            Rule::Listed(listed) => listed.ranges[at as usize].clone(),
            Rule::Even(windows) => windows.blocks_of(windows.shown(at)),
        }
    }

    /// The windows, if ranges aren't listed.
    pub fn windows(&self) -> Option<&Windows> {
        match &self.0 {
            Rule::Listed(_) => None,
            Rule::Even(windows) => Some(windows),
        }
    }

    /// Who reads the coordinate `input`.
    pub fn readers_of(&self, input: u32) -> Range<u32> {
        let (start, end) = match &self.0 {
            Rule::Listed(listed) => listed.readers_of(input),
            Rule::Even(windows) => windows.readers_of(input),
        };
        start..end.max(start)
    }

    /// No coordinate of the input has more readers than so many.
    pub fn most_readers(&self) -> u32 {
        match &self.0 {
            Rule::Listed(listed) => listed.most_readers(),
            Rule::Even(Windows { count, stride, width, block, .. }) => {
                let most = (width + block - 1).div_ceil(stride.unsigned_abs());
                most.min(u64::from(*count)) as u32
            }
        }
    }

    /// No coordinate reads more than so many.
    pub fn most_read(&self) -> u32 {
        match &self.0 {
            Rule::Listed(listed) => listed.ranges.iter().map(|range| range.len() as u32).max().unwrap_or(0),
            Rule::Even(Windows { width, block, .. }) => u32::try_from(width.div_ceil(*block) + 1).unwrap_or(u32::MAX),
        }
    }

    /// How many coordinates read nothing.
    pub fn empty(&self) -> u32 {
        match &self.0 {
            Rule::Listed(listed) => listed.empty.len() as u32,
            Rule::Even(_) => 0,
        }
    }

    /// The first coordinate from `at` on that reads nothing.
    pub fn next_empty(&self, at: u32) -> Option<u32> {
        match &self.0 {
            Rule::Listed(listed) => {
                let empty = &listed.empty;
                empty.get(empty.partition_point(|&empty| empty < at)).copied()
            }
            Rule::Even(_) => None,
        }
    }

    /// What the coordinates of `readers` read between them.
    pub fn read_by(&self, readers: &AxisSet) -> AxisSet {
        let mut found: Vec<_> = readers.ranges().flat_map(|range| self.read_by_range(range)).collect();
        found.sort_unstable_by_key(|range| range.start);
        found.into_iter().collect()
    }

    fn read_by_range(&self, readers: Range<u32>) -> Vec<Range<u32>> {
        match &self.0 {
            Rule::Listed(listed) => {
                let mut ranges: Vec<_> = listed.ranges[readers.start as usize..readers.end as usize].to_vec();
                if listed.order == Order::Falling {
                    ranges.reverse();
                }
                ranges.into_iter().collect::<AxisSet>().ranges().collect()
            }
            // Between neighbours no block is left out.
            Rule::Even(_) => {
                let (one, other) = (self.at(readers.start), self.at(readers.end - 1));
                std::iter::once(one.start.min(other.start)..one.end.max(other.end)).collect()
            }
        }
    }

    /// Whether ranges move one way only, and stay within an axis of `length`.
    pub fn fits(&self, length: u32) -> bool {
        match &self.0 {
            Rule::Listed(listed) => {
                listed.order != Order::None && listed.ranges.iter().all(|range| range.end <= length)
            }
            Rule::Even(windows) => windows.points.end.div_ceil(windows.block) <= u64::from(length),
        }
    }
}

impl From<Vec<Range<u32>>> for AxisRanges {
    fn from(ranges: Vec<Range<u32>>) -> Self {
        Self::listed(ranges)
    }
}

impl FromIterator<Range<u32>> for AxisRanges {
    fn from_iter<T: IntoIterator<Item = Range<u32>>>(ranges: T) -> Self {
        Self::listed(ranges.into_iter().collect())
    }
}

impl Listed {
    /// As many readers as one coordinate has, at most: that many where a range begins.
    fn most_readers(&self) -> u32 {
        let starts = self.ranges.iter().filter(|range| !range.is_empty()).map(|range| self.readers_of(range.start));
        starts.map(|(from, to)| to.saturating_sub(from)).max().unwrap_or(0)
    }

    /// Readers are neighbours, found by bisection. Empty ranges among those of others hold nothing, and cannot lie between two
    /// that hold the same.
    fn readers_of(&self, input: u32) -> (u32, u32) {
        let before = |is_before: &dyn Fn(&Range<u32>) -> bool| self.ranges.partition_point(is_before) as u32;
        match self.order {
            Order::Falling => (before(&|range| range.start > input), before(&|range| range.end > input)),
            _ => (before(&|range| range.end <= input), before(&|range| range.start <= input)),
        }
    }
}

impl Windows {
    /// The points that coordinate `at` reads.
    fn shown(&self, at: u32) -> Range<u64> {
        let start = self.first + self.stride * i64::from(at);
        let end = start + self.width as i64;
        (start.max(0) as u64).max(self.points.start)..(end.max(0) as u64).min(self.points.end)
    }

    fn blocks_of(&self, points: Range<u64>) -> Range<u32> {
        // Division by 32 bits takes a fraction of the time.
        if let (Ok(start), Ok(end), Ok(block)) =
            (u32::try_from(points.start), u32::try_from(points.end), u32::try_from(self.block))
        {
            return start / block..(end - 1) / block + 1;
        }
        (points.start / self.block) as u32..((points.end - 1) / self.block + 1) as u32
    }

    fn readers_of(&self, input: u32) -> (u32, u32) {
        let block = u64::from(input).saturating_mul(self.block);
        let start = block.max(self.points.start);
        let end = block.saturating_add(self.block).min(self.points.end);
        if start >= end {
            return (0, 0);
        }
        // A window shows one of these points if it begins before the last of them, and ends behind the first.
        let begins_before = end as i64 - self.first;
        let ends_behind = start as i64 - self.first - self.width as i64;
        let (from, to) = if self.stride > 0 {
            (ends_behind.div_euclid(self.stride) + 1, -(-begins_before).div_euclid(self.stride))
        } else {
            ((-begins_before).div_euclid(-self.stride) + 1, -ends_behind.div_euclid(-self.stride))
        };
        let count = i64::from(self.count);
        (from.clamp(0, count) as u32, to.clamp(0, count) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn windows() -> impl Strategy<Value = Windows> {
        let stride = prop_oneof![-9..0_i64, 1..10_i64];
        (0..7_u32, -12..40_i64, stride, 1..9_u64, 0..12_u64, 1..30_u64, 1..6_u64).prop_map(
            |(count, first, stride, width, low, points, block)| Windows {
                count,
                first,
                stride,
                width,
                points: low..low + points,
                block,
            },
        )
    }

    fn points(windows: &Windows, at: u32) -> Vec<u64> {
        let start = windows.first + windows.stride * i64::from(at);
        (start..start + windows.width as i64)
            .filter_map(|at| u64::try_from(at).ok())
            .filter(|at| windows.points.contains(at))
            .collect()
    }

    proptest! {
        #[test]
        fn windows_read_the_blocks_that_they_show(windows in windows()) {
            let blocks = |at| points(&windows, at).into_iter().map(|at| (at / windows.block) as u32).collect::<Vec<_>>();
            let all: Vec<_> = (0..windows.count).map(blocks).collect();
            let Some(ranges) = AxisRanges::even(windows.clone()) else {
                let gap = windows.stride.unsigned_abs().saturating_sub(windows.width) >= windows.block;
                prop_assert!(gap || all.iter().any(Vec::is_empty), "what needn't be listed is refused");
                return Ok(());
            };
            for (at, blocks) in (0..).zip(&all) {
                prop_assert!(ranges.at(at).len() <= ranges.most_read() as usize);
                prop_assert_eq!(ranges.at(at), blocks[0]..blocks[blocks.len() - 1] + 1);
            }
            let listed = AxisRanges::listed(all.iter().map(|blocks| blocks[0]..blocks[blocks.len() - 1] + 1).collect());
            let length = windows.points.end.div_ceil(windows.block) as u32;
            prop_assert!(listed.fits(length) && ranges.fits(length));
            for input in 0..length + 2 {
                prop_assert!(ranges.most_readers() as usize >= ranges.readers_of(input).len());
                let readers = (0..windows.count).filter(|&at| ranges.at(at).contains(&input)).collect::<Vec<_>>();
                prop_assert_eq!(ranges.readers_of(input).collect::<Vec<_>>(), readers.clone());
                prop_assert_eq!(listed.readers_of(input).collect::<Vec<_>>(), readers);
            }
            let most = (0..length).map(|input| listed.readers_of(input).len() as u32).max();
            prop_assert_eq!(listed.most_readers(), most.unwrap_or(0));
        }

        #[test]
        fn what_is_read_is_what_each_reads(windows in windows(), mask in any::<u8>()) {
            let Some(ranges) = AxisRanges::even(windows) else { return Ok(()) };
            let readers: AxisSet = (0..ranges.len()).filter(|at| mask >> at & 1 == 1).map(|at| at..at + 1).collect();
            let mut each: Vec<_> = readers.ranges().flatten().map(|at| ranges.at(at)).collect();
            each.sort_by_key(|range| range.start);
            let each: AxisSet = each.into_iter().collect();
            prop_assert_eq!(ranges.read_by(&readers), each.clone());
            let listed = AxisRanges::listed((0..ranges.len()).map(|at| ranges.at(at)).collect());
            prop_assert_eq!(listed.read_by(&readers), each);
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_refused() {
        let windows = Windows { count: u32::MAX, first: 0, stride: i64::MAX, width: u64::MAX, points: 0..1, block: 1 };
        assert!(AxisRanges::even(windows.clone()).is_none());
        assert!(AxisRanges::even(Windows { stride: i64::MIN, width: 1, ..windows.clone() }).is_none());
        assert!(AxisRanges::even(Windows { stride: 0, block: 0, width: 1, ..windows }).is_none());
    }
}
