//! How large results are, by what makes them.

use std::collections::BTreeMap;
use std::mem;

/// Results below so many bytes are counted and not moved: a file would cost more than it brings.
pub(crate) const KEPT_BYTES: usize = 64 << 10;

/// A function, or a kind of op: what gives results of about one size.
pub type Family = u64;

/// How many results are to come, by the family of what makes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs(Vec<(Family, u64)>);

/// More families than these aren't told apart in one assignment.
const FAMILIES_MOST: usize = 16;

/// The rest of them.
const OTHERS: Family = Family::MAX;

impl Outputs {
    /// So many of one family.
    pub fn of(family: Family, count: u64) -> Self {
        Self(vec![(family, count)])
    }

    /// `count` more of a family. The last families of very many count as one.
    pub fn add(&mut self, family: Family, count: u64) {
        match self.position(family) {
            Some(at) => self.0[at].1 += count,
            None if self.0.len() < FAMILIES_MOST => self.0.push((family, count)),
            None => self.0.push((OTHERS, count)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where those of a family are counted.
    fn position(&self, family: Family) -> Option<usize> {
        // Most are of the family of the one before.
        let of = |family| self.0.iter().rposition(move |(known, _)| *known == family);
        of(family).or_else(|| of(OTHERS))
    }

    /// One of them has come.
    pub(crate) fn came(&mut self, family: Family) {
        if let Some(at) = self.position(family) {
            self.0[at].1 = self.0[at].1.saturating_sub(1);
        }
    }

    fn largest(&self, size: impl Fn(Family) -> u64) -> u64 {
        self.0.iter().map(|(family, _)| size(*family)).max().unwrap_or(0)
    }

    fn sum(&self, bytes: impl Fn(Family, u64) -> u64) -> u64 {
        self.0.iter().fold(0, |sum, (family, count)| sum.saturating_add(bytes(*family, *count)))
    }
}

/// What results were lately, of each family. The last few hundred are known: where there are more, those that made nothing for longest
/// are forgotten. Of one that isn't known nothing is expected, but it may well be as all others are: that is enough to have somebody wait
/// for those that run, and not to refuse him anything.
#[derive(Default)]
pub(crate) struct Sizes {
    /// Of all families together.
    all: Size,
    lately: BTreeMap<Family, Size>,
    before: BTreeMap<Family, Size>,
}

/// So many families are in each of the two halves of what is known.
const HALF: usize = 512;

#[derive(Clone, Copy, Default)]
struct Size {
    /// Bytes that large ones had lately.
    usual: u64,
    /// How many of 256 were large lately.
    large: u32,
    /// Whether there were any, of whatever size.
    is_known: bool,
}

/// Of how many results about what is usual is made.
const USUAL_OF: u64 = 8;

/// Of how many small results it is believed that no more large ones come: they are forgotten later than they are learned.
const SMALL_OF: u32 = 16;

/// Where so many of 256 results were large lately, the next may be.
const OFTEN: u32 = 16;

/// How many results at most of a batch that makes many are taken to be in memory at a time: of the first some are let go of, or leave,
/// before the last comes.
const SOON: u64 = 2;

impl Size {
    /// Recent results count for more.
    fn learn(&mut self, bytes: u64) {
        self.usual = match self.usual {
            0 => bytes,
            usual => usual - usual / USUAL_OF + bytes / USUAL_OF,
        };
        self.large = match self.is_known {
            true => self.large + (256 - self.large) / USUAL_OF as u32,
            false => 256,
        };
        self.is_known = true;
    }

    fn learn_small(&mut self, count: u64) {
        self.is_known |= count > 0;
        // After some of them nothing is left.
        (0..count.min(8 * u64::from(SMALL_OF))).for_each(|_| self.large -= self.large.div_ceil(SMALL_OF));
    }

    /// What one has on average, the small ones among them; nothing if that is small.
    fn typical(&self) -> u64 {
        let typical = self.usual / 256 * u64::from(self.large);
        if typical >= KEPT_BYTES as u64 { typical } else { 0 }
    }

    /// What the next one may well have.
    fn likely(&self) -> u64 {
        if self.large >= OFTEN && self.usual >= KEPT_BYTES as u64 { self.usual } else { 0 }
    }
}

impl Sizes {
    /// A large result has so many bytes.
    pub fn learn(&mut self, family: Family, bytes: u64) {
        self.all.learn(bytes);
        self.change(family, |size| size.learn(bytes));
    }

    /// So many results were small.
    pub fn learn_small(&mut self, outputs: &Outputs) {
        for &(family, count) in &outputs.0 {
            self.all.learn_small(count);
            // Whose they are isn't known: the next ones may be of others.
            if family != OTHERS {
                self.change(family, |size| size.learn_small(count));
            }
        }
    }

    fn change(&mut self, family: Family, change: impl FnOnce(&mut Size)) {
        if let Some(size) = self.lately.get_mut(&family) {
            return change(size);
        }
        let mut size = self.of(family);
        change(&mut size);
        if self.lately.len() >= HALF {
            self.before = mem::take(&mut self.lately);
        }
        self.lately.insert(family, size);
    }

    /// What the largest of them has on average. One of which nothing is known is as all others are.
    pub fn typical(&self, outputs: &Outputs) -> u64 {
        outputs.largest(|family| self.known_or_all(family).typical())
    }

    /// What these have on average, all of them.
    pub fn expected(&self, outputs: &Outputs) -> u64 {
        outputs.sum(|family, count| self.of(family).typical().saturating_mul(count))
    }

    /// What the largest of them may well have.
    pub fn likely(&self, outputs: &Outputs) -> u64 {
        outputs.largest(|family| self.known_or_all(family).likely())
    }

    /// What these may well have at a time.
    pub fn likely_soon(&self, outputs: &Outputs) -> u64 {
        let large = outputs.0.iter().filter(|(family, _)| self.known_or_all(*family).likely() > 0);
        let count = large.fold(0_u64, |count, (_, more)| count.saturating_add(*more));
        self.likely(outputs).saturating_mul(count.min(SOON))
    }

    fn known_or_all(&self, family: Family) -> Size {
        let size = self.of(family);
        if size.is_known { size } else { self.all }
    }

    fn of(&self, family: Family) -> Size {
        self.lately.get(&family).or_else(|| self.before.get(&family)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn what_one_function_makes_says_nothing_of_another() {
        let mut sizes = Sizes::default();
        (0..20).for_each(|_| sizes.learn(1, 100 * MIB));
        assert_eq!(sizes.likely(&Outputs::of(1, 1)), 100 * MIB);
        assert_eq!(sizes.expected(&Outputs::of(1, 3)), 300 * MIB);
        assert_eq!(sizes.likely_soon(&Outputs::of(1, 500)), 200 * MIB);
        let mut several = Outputs::default();
        (10..30).for_each(|family| several.add(family, 3));
        assert_eq!(sizes.likely_soon(&several), 200 * MIB, "however many families may be as large");
        assert_eq!(sizes.expected(&Outputs::of(2, 5)), 0);
        assert_eq!(sizes.likely(&Outputs::of(2, 1)), 100 * MIB, "it isn't known");
        sizes.learn_small(&Outputs::of(2, 1));
        assert_eq!((sizes.likely(&Outputs::of(2, 1)), sizes.expected(&Outputs::of(2, 5))), (0, 0));
        let mut both = Outputs::of(2, 4);
        both.add(1, 2);
        assert_eq!(sizes.expected(&both), 200 * MIB);
        sizes.learn_small(&Outputs::of(2, 1_000));
        assert_eq!(sizes.expected(&Outputs::of(1, 1)), 100 * MIB);
        sizes.learn_small(&Outputs::of(1, 1_000));
        assert_eq!(sizes.expected(&Outputs::of(1, 1)), 0);
        assert_eq!(sizes.typical(&Outputs::of(2, 1)), 0);
    }

    /// Results that are large now and then, and small on average, are small.
    #[test]
    fn what_is_small_on_average_is_expected_of_nobody() {
        let mut sizes = Sizes::default();
        sizes.learn(1, 70 << 10);
        sizes.learn_small(&Outputs::of(1, 5));
        assert_eq!(sizes.expected(&Outputs::of(1, 100)), 0);
    }

    /// Each call of a function that was written in a loop may be of a family of its own.
    #[test]
    fn those_that_made_large_results_lately_are_known_however_many_come() {
        let mut sizes = Sizes::default();
        for family in 0..10_000 {
            sizes.learn(family, MIB);
            sizes.learn(1 << 40, 2 * MIB);
            assert!(sizes.lately.len() + sizes.before.len() <= 2 * HALF + 1);
        }
        assert_eq!(sizes.likely(&Outputs::of(1 << 40, 1)), 2 * MIB);
        assert_eq!(sizes.likely(&Outputs::of(9_999, 1)), MIB);
        assert_eq!(sizes.expected(&Outputs::of(3, 1)), 0, "it is forgotten");
    }

    #[test]
    fn one_large_result_among_small_ones_is_one_of_many() {
        let mut sizes = Sizes::default();
        sizes.learn_small(&Outputs::of(1, 100));
        sizes.learn(1, 256 * MIB);
        assert_eq!(sizes.expected(&Outputs::of(1, 1)), 32 * MIB);
        assert_eq!(sizes.likely(&Outputs::of(1, 1)), 256 * MIB);
    }

    #[test]
    fn the_last_functions_of_very_many_count_as_one() {
        let mut outputs = Outputs::default();
        (0..1_000).for_each(|family| outputs.add(family, 1));
        outputs.add(3, 1);
        outputs.came(4);
        outputs.came(999);
        let mut sizes = Sizes::default();
        sizes.learn_small(&outputs);
        (0..10).for_each(|_| sizes.learn(5_000, MIB));
        assert_eq!(sizes.likely(&Outputs::of(OTHERS, 1)), MIB, "they are no family");
        assert_eq!(outputs.0[3..5], [(3, 2), (4, 0)]);
        assert_eq!(outputs.0[FAMILIES_MOST..], [(OTHERS, 1_000 - FAMILIES_MOST as u64 - 1)]);
    }
}
