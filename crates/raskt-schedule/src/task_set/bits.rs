//! Tasks as a bit each.

use raskt_graph::{Grid, GridSet};
use std::ops::Range;

/// Adds the tasks of a range.
pub(crate) fn insert(bits: &mut [u64], added: &Range<u64>) {
    for word in added.start / 64..added.end.div_ceil(64) {
        bits[word as usize] |= mask(word, added);
    }
}

/// Takes out the tasks of a range.
pub(crate) fn remove(bits: &mut [u64], removed: &Range<u64>) {
    for word in removed.start / 64..removed.end.div_ceil(64) {
        bits[word as usize] &= !mask(word, removed);
    }
}

/// Takes out those of a range that are in, and adds those that aren't.
pub(crate) fn flip(bits: &mut [u64], flipped: &Range<u64>) {
    for word in flipped.start / 64..flipped.end.div_ceil(64) {
        bits[word as usize] ^= mask(word, flipped);
    }
}

/// Adds the blocks of `set`. Rows are alike: where one is of more ranges than words, its words are what is added to each, so that it
/// costs no more than the bits are long.
pub(crate) fn insert_set(bits: &mut [u64], grid: &Grid, set: &GridSet) {
    let row = set.row(grid);
    let words = row.last().map_or(0, |last| last.end.div_ceil(64)) as usize;
    if row.len() < words {
        return set.for_each_range(grid, |range| insert(bits, &range));
    }
    let mut pattern = vec![0; words];
    row.iter().for_each(|range| insert(&mut pattern, range));
    set.for_each_row(grid, |start| insert_words(bits, start, &pattern));
}

/// Adds the tasks that `words` say, counted from `start`.
fn insert_words(bits: &mut [u64], start: u64, words: &[u64]) {
    let (first, shift) = ((start / 64) as usize, start % 64);
    for (at, &word) in (first..).zip(words) {
        bits[at] |= word << shift;
        let beyond = if shift == 0 { 0 } else { word >> (64 - shift) };
        if beyond != 0 {
            bits[at + 1] |= beyond;
        }
    }
}

/// The first bit from `from` on and before `end` that is set; or that isn't, if `flips` has all bits and not none.
pub(crate) fn next(bits: &[u64], from: u64, end: u64, flips: u64) -> Option<u64> {
    let bits = &bits[..bits.len().min(end.div_ceil(64) as usize)];
    let first = (from / 64) as usize;
    let here = (bits.get(first)? ^ flips) >> (from % 64);
    if here != 0 {
        return Some(from + u64::from(here.trailing_zeros()));
    }
    let word = first + 1 + bits[first + 1..].iter().position(|&word| word != flips)?;
    Some(word as u64 * 64 + u64::from((bits[word] ^ flips).trailing_zeros()))
}

/// The bits of `word` that lie in `range`.
pub(crate) fn mask(word: u64, range: &Range<u64>) -> u64 {
    let start = range.start.saturating_sub(word * 64).min(64);
    let end = range.end.saturating_sub(word * 64).min(64);
    let below = |bit: u64| if bit == 64 { u64::MAX } else { (1 << bit) - 1 };
    below(end) & !below(start)
}
