//! Where the fields of a line end, found a block at a time.

/// Finds separators and ends of lines in a text; positions are asked for in rising order.
pub(super) struct Ends<'a> {
    text: &'a [u8],
    separator: u8,
    /// Where the block begins that was looked at last.
    block: usize,
    /// A bit for each byte of it that ends a field and wasn't found yet.
    ends: u32,
}

impl<'a> Ends<'a> {
    pub(super) fn new(text: &'a [u8], separator: u8) -> Self {
        let mut ends = Self { text, separator, block: 0, ends: 0 };
        ends.load(0);
        ends
    }

    /// The first separator or end of a line at `from` or after it, or the end of the text.
    #[inline]
    pub(super) fn next(&mut self, from: usize) -> usize {
        loop {
            while self.ends == 0 {
                if self.block + BLOCK >= self.text.len() {
                    return self.text.len();
                }
                self.load(self.block + BLOCK);
            }
            let end = self.block + self.ends.trailing_zeros() as usize;
            self.ends &= self.ends - 1;
            if end >= from {
                return end;
            }
        }
    }

    #[inline]
    fn load(&mut self, block: usize) {
        self.block = block;
        let rest = &self.text[block..];
        self.ends = match rest.first_chunk() {
            Some(whole) => matches(whole, self.separator),
            None => matches(&padded(rest), self.separator),
        };
        // What lies behind the text is no end, even where the separator is a zero byte.
        if rest.len() < BLOCK {
            self.ends &= (1 << rest.len()) - 1;
        }
    }
}

/// A bit for each byte that is `separator` or the end of a line.
#[cfg(target_feature = "avx2")]
#[inline]
fn matches(bytes: &[u8; BLOCK], separator: u8) -> u32 {
    use std::arch::x86_64::*;
    // SAFETY: this is compiled only for processors with AVX2; the block has as many bytes as are loaded, and the load
    // asks for no alignment.
    unsafe {
        let found = _mm256_loadu_si256(bytes.as_ptr().cast());
        let separators = _mm256_cmpeq_epi8(found, _mm256_set1_epi8(separator.cast_signed()));
        let lines = _mm256_cmpeq_epi8(found, _mm256_set1_epi8(b'\n'.cast_signed()));
        _mm256_movemask_epi8(_mm256_or_si256(separators, lines)).cast_unsigned()
    }
}

/// A bit for each byte that is `separator` or the end of a line.
#[cfg(not(target_feature = "avx2"))]
fn matches(bytes: &[u8; BLOCK], separator: u8) -> u32 {
    let is_end = |byte: &u8| *byte == separator || *byte == b'\n';
    bytes.iter().enumerate().fold(0, |ends, (at, byte)| ends | u32::from(is_end(byte)) << at)
}

/// Bytes of a block: as many as a word has bits.
const BLOCK: usize = 32;
const DOTS: u64 = broadcast(b'.');
const ZEROS: u64 = broadcast(b'0');

const fn broadcast(byte: u8) -> u64 {
    byte as u64 * 0x0101_0101_0101_0101
}

/// The highest bit of each byte in which the two are equal.
#[inline]
fn equal(word: u64, other: u64) -> u64 {
    const LOW: u64 = broadcast(0x7f);
    let differ = word ^ other;
    !(((differ & LOW) + LOW) | differ | LOW)
}

/// The `length` bytes (one to eight) at `from`, the first of them lowest, zeros above them.
#[inline]
pub(super) fn word_at(text: &[u8], from: usize, length: usize) -> u64 {
    let word = match text[from..].first_chunk() {
        Some(whole) => u64::from_le_bytes(*whole),
        None => u64::from_le_bytes(padded(&text[from..])),
    };
    word & (u64::MAX >> (64 - 8 * length))
}

/// The last bytes of a text, zeros behind them.
#[cold]
#[inline(never)]
fn padded<const N: usize>(rest: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes[..rest.len()].copy_from_slice(rest);
    bytes
}

/// What a short field spells, as far as that is plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelled {
    /// Digits, with a sign or without.
    Int,
    /// Digits around one point, with a sign or without.
    Float,
    /// Something else, which may be a number all the same: `1e5`, `inf`.
    Other,
}

/// What the `length` bytes (one to eight) of `word` spell.
#[inline]
pub(super) fn spelled(mut word: u64, mut length: usize) -> Spelled {
    if matches!(word as u8, b'-' | b'+') {
        word >>= 8;
        length -= 1;
    }
    if length == 0 {
        return Spelled::Other;
    }
    // The bytes behind the field count as zeros, and so does the point.
    let word = if length < 8 { word | ZEROS << (8 * length) } else { word };
    let points = equal(word, DOTS);
    let word = word + ((points >> 7) * u64::from(b'0' - b'.'));
    const HIGH: u64 = broadcast(0xf0);
    let digits = word & HIGH == ZEROS && (word + broadcast(6)) & HIGH == ZEROS;
    match (digits, points.count_ones()) {
        (true, 0) => Spelled::Int,
        (true, 1) if length > 1 => Spelled::Float,
        _ => Spelled::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_numbers_are_told_by_their_characters() {
        for (field, expected) in [
            ("0", Spelled::Int),
            ("12345678", Spelled::Int),
            ("-1", Spelled::Int),
            ("+1234567", Spelled::Int),
            ("1.5", Spelled::Float),
            (".5", Spelled::Float),
            ("5.", Spelled::Float),
            ("-.25", Spelled::Float),
            (".", Spelled::Other),
            ("-", Spelled::Other),
            ("-.", Spelled::Other),
            ("1.2.3", Spelled::Other),
            ("1e5", Spelled::Other),
            ("--1", Spelled::Other),
            ("1:30", Spelled::Other),
            ("1/2", Spelled::Other),
            ("\u{7f}1", Spelled::Other),
            ("é1", Spelled::Other),
            ("N1234", Spelled::Other),
        ] {
            assert_eq!(spelled(word_at(field.as_bytes(), 0, field.len()), field.len()), expected, "{field}");
        }
    }

    proptest! {
        #[test]
        fn ends_are_those_of_a_plain_search(
            text in prop::collection::vec(prop::sample::select(&b"ab,\n\0;\xff"[..]), 0..200),
            skipped in 0_usize..50,
        ) {
            for separator in [b',', 0, b';'] {
                let mut ends = Ends::new(&text, separator);
                let mut from = 0;
                while from <= text.len() {
                    let plain = text[from..].iter().position(|byte| *byte == separator || *byte == b'\n');
                    let end = plain.map_or(text.len(), |at| from + at);
                    prop_assert_eq!(ends.next(from), end);
                    from = end + 1 + skipped;
                }
            }
        }

        #[test]
        fn a_plain_spelling_agrees_with_the_parser(field in "[-+]?[0-9.]{1,7}") {
            let found = spelled(word_at(field.as_bytes(), 0, field.len()), field.len());
            let parsed = field.parse::<f64>().is_ok();
            prop_assert_eq!(found != Spelled::Other, parsed);
            prop_assert_eq!(found == Spelled::Int, field.parse::<i64>().is_ok());
        }
    }
}
