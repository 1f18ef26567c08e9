//! Frames come back as they were written, however they are cut, and nothing else comes back.

use super::*;
use bytes::Buf;
use proptest::prelude::*;

fn frame(control: Vec<u8>, bulk: Vec<Vec<u8>>) -> Frame {
    let bulk = bulk.into_iter().map(Bytes::from).collect();
    Frame { sequence: 7, acknowledged: 5, taken: 3, ..Frame::new(Kind::Messages, control.into(), bulk) }
}

fn written(frame: &Frame, squeeze: Squeeze) -> Vec<u8> {
    let mut pieces = Pieces::default();
    encode(frame, squeeze, &mut pieces).unwrap();
    pieces.copy_to_bytes(pieces.remaining()).to_vec()
}

/// What a decoder makes of bytes that come in pieces of `step`.
fn read(bytes: &[u8], step: usize) -> Result<Vec<Frame>, FrameError> {
    let mut decoder = Decoder::new();
    let mut frames = vec![];
    for part in bytes.chunks(step) {
        decoder.feed(part);
        while let Some(frame) = decoder.next()? {
            frames.push(frame);
        }
    }
    Ok(frames)
}

/// The same through the room that the decoder offers, as sockets do it.
fn read_in_place(mut bytes: &[u8]) -> Result<Vec<Frame>, FrameError> {
    let mut decoder = Decoder::new();
    let mut frames = vec![];
    while !bytes.is_empty() {
        let room = decoder.room();
        let part = room.len().min(bytes.len());
        for (to, from) in room.iter_mut().zip(bytes) {
            to.write(*from);
        }
        // SAFETY: they were written just now.
        unsafe { decoder.advance(part) };
        bytes = &bytes[part..];
        while let Some(frame) = decoder.next()? {
            frames.push(frame);
        }
    }
    Ok(frames)
}

fn parts() -> impl Strategy<Value = (Vec<u8>, Vec<Vec<u8>>)> {
    let bytes = |most: usize| {
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..most),
            (any::<u8>(), 0..most).prop_map(|(b, n)| vec![b; n])
        ]
    };
    (bytes(5000), proptest::collection::vec(bytes(3000), 0..5))
}

fn codec() -> impl Strategy<Value = Squeeze> {
    prop_oneof![Just(Squeeze::Never), Just(Squeeze::Lz4), Just(Squeeze::Zstd)]
}

proptest! {
    #[test]
    fn frames_come_back_however_they_are_cut(
        frames in proptest::collection::vec(parts(), 1..4),
        squeeze in codec(),
        step in 1_usize..3000,
    ) {
        let frames: Vec<_> = frames.into_iter().map(|(control, bulk)| frame(control, bulk)).collect();
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| written(frame, squeeze)).collect();
        prop_assert_eq!(read(&bytes, step).unwrap(), frames.clone());
        prop_assert_eq!(read_in_place(&bytes).unwrap(), frames);
    }

    #[test]
    fn a_flipped_bit_is_never_another_frame(parts in parts(), squeeze in codec(), at in any::<prop::sample::Index>()) {
        let whole = frame(parts.0, parts.1);
        let mut bytes = written(&whole, squeeze);
        let bit = at.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        // What fills up between segments means nothing.
        if let Ok(frames) = read(&bytes, 1000) {
            prop_assert!(frames.is_empty() || frames == [whole]);
        }
    }

    #[test]
    fn any_bytes_are_refused_or_waited_for(bytes in proptest::collection::vec(any::<u8>(), 64..400)) {
        prop_assert!(read(&bytes, 50).is_err());
    }

    #[test]
    fn a_header_of_any_numbers_takes_no_memory_for_what_has_not_come(
        kind in 0_u8..8, codec in any::<u8>(), numbers in any::<[u32; 4]>(), body in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let [control_wire_bytes, control_bytes, segments, bulk_wire_bytes] = numbers;
        let header = Header {
            kind: Kind::of(kind).unwrap_or(Kind::Close), codec, control_wire_bytes, control_bytes, segments, bulk_wire_bytes,
            sequence: 0, acknowledged: 0, taken: 0, body_checksum: 0,
        };
        let mut decoder = Decoder::new();
        decoder.feed(&header.encode());
        decoder.feed(&body);
        let _ = decoder.next();
        prop_assert!(decoder.room().len() <= 2 << 20);
    }
}

#[test]
fn segments_lie_aligned_in_what_they_were_read_into() {
    let whole = frame(vec![1; 100], vec![vec![2; 3], vec![], vec![3; 1000], vec![4; 2 << 20]]);
    for frame in read_in_place(&written(&whole, Squeeze::Never)).unwrap() {
        assert!(frame.bulk.iter().all(|part| part.is_empty() || part.as_ptr().addr() % ALIGNMENT_BYTES == 0));
        assert_eq!(frame, whole);
    }
}

#[test]
fn bulk_is_written_from_where_it_lies() {
    let bulk = Bytes::from(vec![9; 100_000]);
    let mut pieces = Pieces::default();
    encode(&Frame::new(Kind::Transfer, Bytes::new(), vec![bulk.clone()]), Squeeze::Never, &mut pieces).unwrap();
    let mut slices = [std::io::IoSlice::new(&[]); 4];
    let count = pieces.chunks_vectored(&mut slices);
    assert!(slices[..count].iter().any(|slice| slice.as_ptr() == bulk.as_ptr()));
}

#[test]
fn what_does_not_get_shorter_goes_as_it_is() {
    let noise: Vec<u8> = (0..40_000_u64).map(|at| (xxhash_rust::xxh3::xxh3_64(&at.to_le_bytes())) as u8).collect();
    let bytes = written(&frame(noise.clone(), vec![]), Squeeze::Lz4);
    assert_eq!(bytes.len(), HEADER_BYTES + noise.len());
    assert!(written(&frame(vec![1; 40_000], vec![]), Squeeze::Lz4).len() < 1000);
}

#[test]
fn what_is_announced_longer_than_it_can_be_is_refused_before_it_is_written_out() {
    let short = lz4_flex::block::compress(&[0; 10]);
    let refused = Squeeze::Lz4.expand(&short, 50 << 20).unwrap_err();
    assert!(matches!(refused, FrameError::TooLarge { limit, .. } if limit < 10_000), "{refused}");
    assert!(Squeeze::Zstd.expand(&zstd::bulk::compress(&[0; 1000], 1).unwrap(), 999).is_err());
    assert!(Squeeze::Zstd.expand(&zstd::bulk::compress(&[0; 1000], 1).unwrap(), 1001).is_err());
    assert!(Squeeze::Zstd.expand(&[0; 1000], FRAME_BYTES_MAX + 1).is_err());
}

#[test]
fn too_much_is_not_written() {
    let error = |frame: &Frame| encode(frame, Squeeze::Never, &mut Pieces::default()).unwrap_err();
    assert!(matches!(error(&frame(vec![0; CONTROL_BYTES_MAX + 1], vec![])), FrameError::TooLarge { .. }));
    assert!(matches!(error(&frame(vec![], vec![vec![]; SEGMENTS_MAX + 1])), FrameError::TooLarge { .. }));
    assert!(matches!(error(&frame(vec![], vec![vec![0; FRAME_BYTES_MAX]])), FrameError::TooLarge { .. }));
}
