//! The generator: Philox4x32-10, sixteen elements at a time or one.
//!
//! Elements come in groups of sixteen. Eight counters make a group: the first two words of each are one 64-bit number
//! of the first half, the other two one of the second half. So eight counters in vector lanes fill a group without
//! moving anything between lanes.

#[cfg(target_arch = "x86_64")]
use super::wide;
use crate::kernel::operand::vectorised;
use std::mem::MaybeUninit;

/// Elements of a group.
pub(super) const GROUP: usize = 16;
const LANES: u64 = 8;
const ROUNDS: usize = 10;
pub(super) const MULTIPLIER: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
pub(super) const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const LOW: u64 = 0xFFFF_FFFF;

/// What tells one sequence of random numbers from another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub seed: u64,
    pub stream: u32,
}

/// The words of a counter after ten rounds, two and two in 64 bits.
///
/// The words are in the low halves; the high halves hold what the multiplications leave there, which each next
/// multiplication (32 by 32 bits) leaves out.
#[inline(always)]
pub(super) fn philox(key: Key, counter: [u64; 4]) -> (u64, u64) {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let (mut k0, mut k1) = (key.seed as u32, (key.seed >> 32) as u32);
    for _ in 0..ROUNDS {
        let (p0, p1) = (MULTIPLIER[0] * (c0 & LOW), MULTIPLIER[1] * (c2 & LOW));
        (c0, c1, c2, c3) = ((p1 >> 32) ^ c1 ^ u64::from(k0), p1, (p0 >> 32) ^ c3 ^ u64::from(k1), p0);
        (k0, k1) = (k0.wrapping_add(WEYL[0]), k1.wrapping_add(WEYL[1]));
    }
    ((c0 << 32) | (c1 & LOW), (c2 << 32) | (c3 & LOW))
}

/// The 64 random bits of each element of whole groups, of draw 0.
pub(super) fn fill_groups(key: Key, group: u64, out: &mut [[MaybeUninit<u64>; GROUP]]) {
    let done = wide_groups(out, |fours| {
        // SAFETY: this is called where the processor has the features.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            wide::fill_groups(key, group, fours);
        }
    });
    // SAFETY: the function is safe but for the features, which it checks.
    unsafe { narrow_groups(key, group.wrapping_add(done as u64), &mut out[done..]) }
}

/// Uniform numbers of `[low, low + span)`: what [`fill_groups`] makes, as numbers.
pub(super) fn uniform_groups(key: Key, group: u64, low: f64, span: f64, out: &mut [[MaybeUninit<f64>; GROUP]]) {
    let done = wide_groups(out, |fours| {
        // SAFETY: this is called where the processor has the features.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            wide::uniform_groups(key, group, low, span * UNIT, fours);
        }
    });
    // SAFETY: the function is safe but for the features, which it checks.
    unsafe { narrow_uniform(key, group.wrapping_add(done as u64), low, span * UNIT, &mut out[done..]) }
}

/// Four groups, as halves.
type Fours<T> = [[T; LANES as usize]; 8];

/// Calls `fill` with all groups that come in fours, where the processor has AVX-512; how many they are.
fn wide_groups<T>(groups: &mut [[T; GROUP]], fill: impl FnOnce(&mut [Fours<T>])) -> usize {
    #[cfg(target_arch = "x86_64")]
    if crate::kernel::operand::has_avx512() {
        let fours = groups.len() / wide::TOGETHER;
        // SAFETY: four arrays of sixteen are eight of eight.
        fill(unsafe { std::slice::from_raw_parts_mut(groups.as_mut_ptr().cast(), fours) });
        return fours * wide::TOGETHER;
    }
    0
}

vectorised! {
unsafe fn narrow_groups(key: Key, group: u64, out: &mut [[MaybeUninit<u64>; GROUP]]) {
    for (at, out) in out.iter_mut().enumerate() {
        let first = group.wrapping_add(at as u64).wrapping_mul(LANES);
        let (low, high) = (first & LOW, first >> 32);
        let (head, tail) = out.split_at_mut(LANES as usize);
        for (lane, (head, tail)) in head.iter_mut().zip(tail).enumerate() {
            let (a, b) = philox(key, [low + lane as u64, high, 0, u64::from(key.stream)]);
            head.write(a);
            tail.write(b);
        }
    }
}
}

vectorised! {
unsafe fn narrow_uniform(key: Key, group: u64, low: f64, scale: f64, out: &mut [[MaybeUninit<f64>; GROUP]]) {
    for (at, out) in out.iter_mut().enumerate() {
        let first = group.wrapping_add(at as u64).wrapping_mul(LANES);
        let (counter, high) = (first & LOW, first >> 32);
        let (head, tail) = out.split_at_mut(LANES as usize);
        for (lane, (head, tail)) in head.iter_mut().zip(tail).enumerate() {
            let (a, b) = philox(key, [counter + lane as u64, high, 0, u64::from(key.stream)]);
            head.write(low + scale * (a >> 11) as f64);
            tail.write(low + scale * (b >> 11) as f64);
        }
    }
}
}

/// The 64 random bits of element `index`, of draw `draw`.
pub(super) fn bits(key: Key, index: u64, draw: u32) -> u64 {
    let counter = (index / GROUP as u64).wrapping_mul(LANES).wrapping_add(index % LANES);
    let (head, tail) = philox(key, [counter & LOW, counter >> 32, u64::from(draw), u64::from(key.stream)]);
    if index % (GROUP as u64) < LANES { head } else { tail }
}

/// As many random bits as one element asks for.
pub(super) struct Draws {
    key: Key,
    index: u64,
    draw: u32,
}

impl Draws {
    pub fn new(key: Key, index: u64, draw: u32) -> Self {
        Self { key, index, draw }
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        let found = bits(self.key, self.index, self.draw);
        self.draw = self.draw.wrapping_add(1);
        found
    }

    /// Uniform over `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        unit(self.next())
    }

    /// A whole number of `[0, bound)`, for bounds far below 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Exponential of mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// 2^-53, the distance of the numbers that 53 random bits make.
pub(super) const UNIT: f64 = 1.0 / 9007199254740992.0;

/// 53 random bits as a number of `[0, 1)`.
#[inline(always)]
pub(super) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * UNIT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(seed: u64, counter: [u32; 4]) -> [u32; 4] {
        let (a, b) = philox(Key { seed, stream: 0 }, counter.map(u64::from));
        [(a >> 32) as u32, a as u32, (b >> 32) as u32, b as u32]
    }

    /// The known answers of Random123 (`kat_vectors`).
    #[test]
    fn it_is_philox() {
        assert_eq!(words(0, [0; 4]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(words(u64::MAX, [u32::MAX; 4]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        let pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
        assert_eq!(words(0x299f31d0_a4093822, pi), [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
    }

    #[test]
    fn groups_hold_what_single_elements_do() {
        let key = Key { seed: 7, stream: 3 };
        for group in [0_u64, 5, (1 << 29) - 6, 1 << 40] {
            let mut room = [[MaybeUninit::new(0_u64); GROUP]; 11];
            let mut numbers = [[MaybeUninit::new(0.0); GROUP]; 11];
            fill_groups(key, group, &mut room);
            uniform_groups(key, group, -1.0, 3.0, &mut numbers);
            // SAFETY: they were initialised.
            let (found, numbers) = unsafe {
                (
                    room.map(|group| group.map(|bits| bits.assume_init())),
                    numbers.map(|group| group.map(|x| x.assume_init())),
                )
            };
            let expected: Vec<u64> = (0..11 * GROUP as u64).map(|at| bits(key, group * 16 + at, 0)).collect();
            assert_eq!(found.as_flattened(), expected);
            let uniform: Vec<f64> = expected.iter().map(|&bits| -1.0 + 3.0 * unit(bits)).collect();
            assert_eq!(numbers.as_flattened(), uniform);
            // SAFETY: safe but for the features, which it checks; all were initialised.
            let narrow = unsafe {
                narrow_groups(key, group, &mut room);
                room.map(|group| group.map(|bits| bits.assume_init()))
            };
            assert_eq!(narrow.as_flattened(), expected);
        }
    }
}
