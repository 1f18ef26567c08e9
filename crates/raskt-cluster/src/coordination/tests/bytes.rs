//! What travels comes as it was, and what doesn't belong together is refused.

use crate::coordination::*;
use proptest::prelude::*;

fn bytes() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(any::<u8>(), 0..40).prop_map(Bytes::from)
}

fn ask() -> impl Strategy<Value = Ask> {
    let entries = prop::collection::vec((prop::collection::vec("[ab]".prop_map(Name::from), 0..3), bytes()), 0..5);
    let request = prop_oneof![
        bytes().prop_map(|event| Request::Log { topic: "t".into(), event }),
        bytes().prop_map(|bytes| Request::SetVariable { name: "v".into(), value: Value { bytes, results: vec![] } }),
        entries.prop_map(|entries| Request::SetMetadata { keys: vec!["k".into()], entries }),
        Just(Request::Locked { name: "x".into() }),
    ];
    prop_oneof![
        9 => request.prop_map(|request| Ask::Request { id: RequestId(3), request }),
        1 => Just(Ask::Taken { id: RequestId(7) }),
    ]
}

proptest! {
    #[test]
    fn a_message_comes_as_it_was(ask in ask()) {
        let (packed, bulk) = Packed::pack(ask.clone());
        let written = postcard::to_stdvec(&packed).unwrap();
        prop_assert_eq!(postcard::from_bytes::<Packed<Ask>>(&written).unwrap().unpack(&bulk), Ok(ask));
    }

    /// Whatever somebody writes: it is a message or an error, and never more bytes than came.
    #[test]
    fn anything_else_is_refused(ask in ask(), cut in 0..40usize, at in any::<prop::sample::Index>(), flip in 1..=255u8) {
        let (packed, bulk) = Packed::pack(ask.clone());
        let shorter: Vec<_> = bulk.iter().map(|part| part.slice(..part.len() - cut.min(part.len()))).collect();
        let is_cut = shorter != bulk;
        prop_assert_eq!(packed.clone().unpack(&shorter).is_err(), is_cut);
        let twice = [bulk.clone(), vec![bytes::Bytes::from_static(b"x")]].concat();
        prop_assert!(packed.clone().unpack(&twice).is_err());
        let mut written = postcard::to_stdvec(&packed).unwrap();
        let at = at.index(written.len());
        written[at] ^= flip;
        if let Ok(other) = postcard::from_bytes::<Packed<Ask>>(&written) {
            let _ = other.unpack(&bulk);
        }
    }
}

#[test]
fn a_value_that_travels_in_both_places_is_refused() {
    let ask = Ask::Request { id: RequestId(1), request: Request::Log { topic: "t".into(), event: "abc".into() } };
    let (honest, bulk) = Packed::pack(ask.clone());
    let whole = postcard::to_stdvec(&(ask, vec![3u32])).unwrap();
    let both: Packed<Ask> = postcard::from_bytes(&whole).unwrap();
    assert_eq!(both.unpack(&bulk), Err(WireError::Lengths { values: 1, lengths: 1 }));
    assert!(honest.unpack(&bulk).is_ok());
}
