//! What travels comes as it was, and what doesn't belong together is refused.

use crate::coordination::*;
use crate::frame::{CONTROL_BYTES_MAX, FRAME_BYTES_MAX};
use proptest::prelude::*;
use raskt_graph::LayerId;
use raskt_schedule::{RunId, TaskRange, Time};

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

/// What is said beside the bytes of the largest message of each kind.
fn control_bytes(message: impl Payloads + serde::Serialize) -> usize {
    postcard::to_stdvec(&Packed::pack(message).0).unwrap().len()
}

#[test]
fn the_largest_messages_fit_in_a_frame() {
    let limits = Limits::default();
    let name = Name::from("n".repeat(limits.name_bytes));
    let tasks = TaskRange { layer: LayerId(u32::MAX), start: u64::MAX - 1, end: u64::MAX };
    let value = |results| Value { bytes: Bytes::default(), results: vec![(RunId(u64::MAX), tasks); results] };
    let id = RequestId(u64::MAX);
    let lasts = Some(u64::MAX);
    let mut values = vec![value(0); limits.reply_items - 1];
    values.push(value(limits.reply_results));
    let event = TopicEvent { number: u64::MAX, time: Time(u64::MAX), bytes: Bytes::default() };
    let told = [
        Reply::Acquired(vec![name.clone(); limits.locks_at_once]),
        Reply::RunOut(vec![(name.clone(), u64::MAX); limits.reply_names]),
        Reply::Names { names: vec![name.clone(); limits.reply_names], more: true },
        Reply::Values { values, awaits_taken: true },
        Reply::Events { events: vec![event; limits.reply_items], more: true },
    ];
    let asked = [
        Request::AcquireLocks { names: vec![name.clone(); limits.locks_at_once], count: 1, holder: 0, timeout: lasts },
        Request::RefreshLeases { leases: vec![(name.clone(), u64::MAX); limits.reply_names] },
        Request::SetVariable { name, value: value(limits.value_results) },
    ];
    for reply in told {
        assert!(control_bytes(Told::Reply { id, reply }) <= CONTROL_BYTES_MAX);
    }
    for request in asked {
        assert!(control_bytes(Ask::Request { id, request }) <= CONTROL_BYTES_MAX);
    }
    // Beside one value of any size, a reply has no more than its bound.
    assert!(limits.value_bytes.max(limits.reply_bytes as usize) + limits.value_bytes <= FRAME_BYTES_MAX);
    assert!(limits.metadata_bytes as usize <= CONTROL_BYTES_MAX / 2);
}
