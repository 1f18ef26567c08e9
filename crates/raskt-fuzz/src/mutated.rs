//! What becomes of bytes on their way through hostile hands.

use raskt_cluster::testing::Chance;

/// Numbers at which something changes.
const EDGES: [u64; 12] =
    [0, 1, 127, 128, 255, 300, 1 << 16, 1 << 20, u32::MAX as u64, 1 << 47, i64::MAX as u64, u64::MAX];

/// `bytes` with a few changes; parts of `other` may come to stand among them.
pub fn mutated(bytes: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // As they are, too: what is right is to be taken.
    for _ in 0..chance.below(4) {
        change(&mut bytes, other, chance);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    let at = chance.below(bytes.len() as u64) as usize;
    let edge = EDGES[chance.below(EDGES.len() as u64) as usize];
    if bytes.is_empty() {
        return bytes.extend_from_slice(other);
    }
    match chance.below(10) {
        0 => bytes[at] ^= 1 << chance.below(8),
        1 => bytes[at] = chance.next_number() as u8,
        2 => bytes[at] = bytes[at].wrapping_add(1),
        3 => bytes.truncate(at),
        // A number, or a length that lies.
        4 | 5 => drop(bytes.splice(at..=at, varint(edge))),
        6 => {
            let width = if chance.below(2) == 0 { 4 } else { 8 };
            let until = bytes.len().min(at + width);
            bytes[at..until].copy_from_slice(&edge.to_le_bytes()[..until - at]);
        }
        7 => {
            let part = part_of(other, chance).to_vec();
            let until = at + chance.below((bytes.len() - at) as u64 + 1) as usize;
            bytes.splice(at..until, part);
        }
        8 => {
            let part = part_of(bytes, chance).to_vec();
            bytes.splice(at..at, part);
        }
        _ => drop(bytes.drain(at..(at + 1 + chance.below(8) as usize).min(bytes.len()))),
    }
}

fn part_of<'a>(bytes: &'a [u8], chance: &mut Chance) -> &'a [u8] {
    let from = chance.below(bytes.len() as u64) as usize;
    let until = from + chance.below((bytes.len() - from) as u64 + 1) as usize;
    &bytes[from..until]
}

/// Seven bits a byte, the lowest first.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = vec![];
    while number >= 1 << 7 {
        bytes.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
