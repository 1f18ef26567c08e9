//! Philox in the registers of AVX-512: four groups of eight counters at a time.
//!
//! A round is a chain of five operations of which each waits for the one before. One group at a time leaves the
//! multipliers idle; the scheduler of the processor doesn't look far enough ahead to find the next group by itself.

use super::philox::{GROUP, Key, MULTIPLIER, WEYL};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Groups that are made together.
pub(super) const TOGETHER: usize = 4;
const LANES: usize = GROUP / 2;

type Vectors = [__m512i; TOGETHER];

/// Calls `store` with the 64 random bits of the first halves and of the second halves of four groups, of draw 0, for
/// each of `fours` of them.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn for_each_four(key: Key, group: u64, fours: usize, mut store: impl FnMut(usize, Vectors, Vectors)) {
    let splat = |word: u32| _mm512_set1_epi64(i64::from(word));
    let multipliers = MULTIPLIER.map(|word| _mm512_set1_epi64(word as i64));
    let lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for four in 0..fours {
        let first = |at: usize| group.wrapping_add((four * TOGETHER + at) as u64).wrapping_mul(LANES as u64);
        let mut c0: Vectors = std::array::from_fn(|at| _mm512_or_si512(splat(first(at) as u32), lanes));
        let mut c1: Vectors = std::array::from_fn(|at| splat((first(at) >> 32) as u32));
        let mut c2 = [_mm512_setzero_si512(); TOGETHER];
        let mut c3 = [splat(key.stream); TOGETHER];
        let key_of =
            |word: usize, round: u32| ((key.seed >> (32 * word)) as u32).wrapping_add(WEYL[word].wrapping_mul(round));
        // Written out, since the compiler would keep the loop, and with it what is the same in all lanes at first.
        macro_rules! rounds {
            ($($round:literal)*) => {$({
                let key0 = splat(key_of(0, $round));
                let key1 = splat(key_of(1, $round));
                let p0 = c0.map(|word| _mm512_mul_epu32(word, multipliers[0]));
                let p1 = c2.map(|word| _mm512_mul_epu32(word, multipliers[1]));
                // 0x96 is the table of the exclusive or of three operands.
                c0 = std::array::from_fn(|at| {
                    _mm512_ternarylogic_epi64::<0x96>(_mm512_srli_epi64::<32>(p1[at]), c1[at], key0)
                });
                c2 = std::array::from_fn(|at| {
                    _mm512_ternarylogic_epi64::<0x96>(_mm512_srli_epi64::<32>(p0[at]), c3[at], key1)
                });
                (c1, c3) = (p1, p0);
            })*};
        }
        rounds!(0 1 2 3 4 5 6 7 8 9);
        let low = _mm512_set1_epi64(0xFFFF_FFFF);
        let joined =
            |high: __m512i, own: __m512i| _mm512_or_si512(_mm512_slli_epi64::<32>(high), _mm512_and_si512(own, low));
        let heads = std::array::from_fn(|at| joined(c0[at], c1[at]));
        let tails = std::array::from_fn(|at| joined(c2[at], c3[at]));
        store(four, heads, tails);
    }
}

/// Writes the bits of all of `out`.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) fn fill_groups(key: Key, group: u64, out: &mut [[[MaybeUninit<u64>; LANES]; 2 * TOGETHER]]) {
    for_each_four(key, group, out.len(), |four, heads, tails| {
        for at in 0..TOGETHER {
            // SAFETY: each of them has room for eight words.
            unsafe {
                _mm512_storeu_si512(out[four][2 * at].as_mut_ptr().cast(), heads[at]);
                _mm512_storeu_si512(out[four][2 * at + 1].as_mut_ptr().cast(), tails[at]);
            }
        }
    });
}

/// Writes uniform numbers, `low + scale * bits` of 53 bits, to all of `out`.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) fn uniform_groups(
    key: Key,
    group: u64,
    low: f64,
    scale: f64,
    out: &mut [[[MaybeUninit<f64>; LANES]; 2 * TOGETHER]],
) {
    let (low, scale) = (_mm512_set1_pd(low), _mm512_set1_pd(scale));
    let number = |bits: __m512i| {
        let whole = _mm512_cvtepi64_pd(_mm512_srli_epi64::<11>(bits));
        _mm512_add_pd(low, _mm512_mul_pd(scale, whole))
    };
    for_each_four(key, group, out.len(), |four, heads, tails| {
        for at in 0..TOGETHER {
            // SAFETY: each of them has room for eight numbers.
            unsafe {
                _mm512_storeu_pd(out[four][2 * at].as_mut_ptr().cast(), number(heads[at]));
                _mm512_storeu_pd(out[four][2 * at + 1].as_mut_ptr().cast(), number(tails[at]));
            }
        }
    });
}
