//! What holds of whatever reads bytes that others wrote: it gives an error or a value; what it gives is the same when it is written and
//! read again, and can be used. Each is a function of any bytes at all, for whoever makes some up (`raskt-fuzz`).

use super::graphs::{graph, heard, some_graph, some_heard};
use super::{Chance, draw};
use crate::bulk::step::Step;
use crate::coordination::{Ask, Packed, Payloads, Told};
use crate::driver::nesting::read;
use crate::frame::{Decoder, Frame, HEADER_BYTES, Kind, Squeeze, encode};
use crate::hello::{
    Asked, Called, Demand, Greeting, Identity, Introduction, Opening, Role, SessionId, VERDICT_BYTES, Verdict,
};
use crate::journal::laws as journal;
use crate::message::{FromClient, FromWorker, ResultNames, ToClient, ToWorker};
use crate::session::{Payload, batch};
use bytes::{Buf, Bytes};
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Something that reads bytes.
#[derive(Clone, Copy)]
pub struct Reader {
    /// What it is called.
    pub name: &'static str,
    /// Has it read these, and panics where a law is broken.
    pub read: fn(&[u8]),
    /// Bytes that it takes.
    pub some: fn(&mut Chance) -> Option<Vec<u8>>,
}

/// All of this crate's.
pub fn readers() -> Vec<Reader> {
    vec![
        Reader { name: "frames", read: frames, some: some_frames },
        Reader { name: "greetings", read: greetings, some: some_greeting },
        Reader { name: "introductions", read: introduction, some: some_of::<Introduction> },
        Reader { name: "from_client", read: message::<FromClient>, some: some_of::<FromClient> },
        Reader { name: "to_client", read: message::<ToClient>, some: some_of::<ToClient> },
        Reader { name: "from_worker", read: message::<FromWorker>, some: some_of::<FromWorker> },
        Reader { name: "to_worker", read: message::<ToWorker>, some: some_of::<ToWorker> },
        Reader { name: "transfers", read: message::<Step>, some: some_of::<Step> },
        Reader { name: "asked", read: packed::<Ask>, some: some_packed::<Ask> },
        Reader { name: "told", read: packed::<Told>, some: some_packed::<Told> },
        Reader { name: "names", read: names, some: some_of::<ResultNames> },
        Reader { name: "graphs", read: graph, some: some_graph },
        Reader { name: "heard", read: heard, some: some_heard },
        Reader { name: "journals", read: journal::file, some: some_journal },
        Reader { name: "records", read: journal::records, some: some_of::<Vec<(crate::journal::Record, Vec<u8>)>> },
    ]
}

fn some_of<T: Serialize + DeserializeOwned>(chance: &mut Chance) -> Option<Vec<u8>> {
    postcard::to_stdvec(&draw::<T>(chance)?).ok()
}

fn message<T: Serialize + DeserializeOwned>(bytes: &[u8]) {
    let Ok(message) = read::<T>(bytes) else { return };
    let written = postcard::to_stdvec(&message).expect("a message can be written");
    let again = read::<T>(&written).expect("what was written can be read");
    assert_eq!(postcard::to_stdvec(&again).expect("a message can be written"), written);
}

/// A message and its bytes, one behind the other.
fn packed<T: Payloads + Serialize + DeserializeOwned + Clone + PartialEq + std::fmt::Debug>(bytes: &[u8]) {
    let Ok((packed, rest)) = postcard::take_from_bytes::<Packed<T>>(bytes) else { return };
    for bulk in [vec![], vec![Bytes::copy_from_slice(rest)], vec![Bytes::copy_from_slice(rest), Bytes::new()]] {
        let Ok(message) = packed.clone().unpack(&bulk) else { continue };
        let (again, bulk) = Packed::pack(message.clone());
        assert_eq!(again.unpack(&bulk).as_ref(), Ok(&message));
    }
    message::<Packed<T>>(&bytes[..bytes.len() - rest.len()]);
}

fn some_packed<T: Payloads + Serialize + DeserializeOwned>(chance: &mut Chance) -> Option<Vec<u8>> {
    let (packed, bulk) = Packed::pack(draw::<T>(chance)?);
    let mut bytes = postcard::to_stdvec(&packed).ok()?;
    bulk.iter().for_each(|part| bytes.extend_from_slice(part));
    Some(bytes)
}

fn names(bytes: &[u8]) {
    if let Some(names) = ResultNames::of(bytes) {
        assert_eq!(ResultNames::of(&names.to_bytes()), Some(names));
    }
}

fn introduction(bytes: &[u8]) {
    let frame = Frame::new(Kind::Introduction, Bytes::copy_from_slice(bytes), vec![]);
    let Ok(introduction) = Introduction::from_frame(&frame) else { return };
    let again = introduction.to_frame().expect("what fitted fits");
    assert_eq!(Introduction::from_frame(&again), Ok(introduction));
}

fn some_journal(chance: &mut Chance) -> Option<Vec<u8>> {
    Some(journal::sealed(&draw::<Vec<(crate::journal::Record, Vec<u8>)>>(chance)?))
}

fn own_greeting(role: Role) -> Greeting {
    let identity = Identity { process: 1, incarnation: 2 };
    Greeting::new(role, identity, SessionId(3)).expect("the system has random numbers")
}

/// As both sides hear it, and as the last word.
fn greetings(bytes: &[u8]) {
    if let Ok(greeting) = Greeting::decode(bytes) {
        assert_eq!(Greeting::decode(&greeting.encode()), Ok(greeting));
    }
    let demand = Demand { token: None, roles: Role::ALL.to_vec(), here: None };
    let opened = Opening::new(own_greeting(Role::Worker), None, vec![]).handle_answer(bytes);
    let asked = Asked::handle_opening(bytes, &demand, own_greeting(Role::Scheduler), vec![]);
    if let (Ok((opened, _)), Some(verdict)) = (opened, bytes.first_chunk::<VERDICT_BYTES>()) {
        _ = opened.handle_verdict(verdict);
    }
    if let (Ok(asked), Some(proof)) = (asked, bytes.first_chunk()) {
        assert!(asked.handle_proof(proof).is_ok(), "none is asked for");
    }
    if let Some(Ok(verdict)) = bytes.first_chunk().map(Verdict::decode) {
        let again = Verdict::decode(&verdict.encode()).expect("what was written can be read");
        assert_eq!(again.encode()[8], verdict.encode()[8], "it leads to the same");
        if let Verdict::Refused(refusal) = verdict {
            assert!(!refusal.to_string().contains(char::is_control), "nothing of it steers a terminal");
        }
    }
}

fn some_greeting(chance: &mut Chance) -> Option<Vec<u8>> {
    if chance.below(3) == 0 {
        let (expects, is_resumed) = (chance.next_number(), chance.below(2) == 0);
        return Some(Verdict::Accepted { expects, is_resumed }.encode().to_vec());
    }
    let mut greeting = own_greeting(Role::ALL[chance.below(4) as usize]);
    if chance.below(2) == 0 {
        let port = 1 + chance.below(1 << 15) as u16;
        greeting.called = Some(Called { host: chance.next_number().into(), at: ([127, 0, 0, 1], port).into() });
    }
    Some(greeting.encode().to_vec())
}

/// As they are, and with checksums that are right.
fn frames(bytes: &[u8]) {
    frames_of(bytes);
    let mut sealed = bytes.to_vec();
    seal(&mut sealed);
    frames_of(&sealed);
}

fn frames_of(bytes: &[u8]) {
    let whole = read_frames(bytes, bytes.len());
    if bytes.len() < 4096 {
        assert_eq!(read_frames(bytes, 7), whole, "it doesn't matter in which pieces they come");
    }
    for frame in whole {
        for squeeze in [Squeeze::Never, Squeeze::Lz4, Squeeze::Zstd] {
            assert_eq!(read_frames(&written(&frame, squeeze), usize::MAX), std::slice::from_ref(&frame));
        }
        messages(frame);
    }
}

fn read_frames(bytes: &[u8], piece: usize) -> Vec<Frame> {
    let (mut decoder, mut frames) = (Decoder::new(), vec![]);
    for piece in bytes.chunks(piece.max(1)) {
        decoder.feed(piece);
        loop {
            match decoder.next() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(_) => return frames,
            }
        }
    }
    frames
}

fn messages(frame: Frame) {
    let Ok(messages) = batch::unpack(frame.control, frame.bulk) else { return };
    let mut left = messages.iter();
    while left.len() > 0 {
        let (count, control, bulk) = batch::pack(left.clone());
        let expected: Vec<_> = left.by_ref().take(count).cloned().collect();
        assert_eq!(batch::unpack(control, bulk), Ok(expected));
    }
}

fn written(frame: &Frame, squeeze: Squeeze) -> Vec<u8> {
    let mut pieces = Default::default();
    encode(frame, squeeze, &mut pieces).expect("what was read can be written");
    let count = pieces.remaining();
    pieces.copy_to_bytes(count).to_vec()
}

fn some_frames(chance: &mut Chance) -> Option<Vec<u8>> {
    let kinds = [Kind::Messages, Kind::Messages, Kind::Heartbeat, Kind::Close, Kind::Introduction, Kind::Transfer];
    let squeezes = [Squeeze::Never, Squeeze::Lz4, Squeeze::Zstd];
    let mut bytes = vec![];
    for _ in 0..1 + chance.below(3) {
        let bytes_of = |chance: &mut Chance| {
            // Some of it can be squeezed.
            let (count, step) = (chance.below(3000) as usize, chance.below(3) as usize);
            Bytes::from((0..count).map(|at| (at * step % 251) as u8).collect::<Vec<_>>())
        };
        let payloads: Vec<_> = (0..chance.below(4))
            .map(|_| Payload {
                control: bytes_of(chance),
                bulk: (0..chance.below(3)).map(|_| bytes_of(chance)).collect(),
            })
            .collect();
        let (_, control, bulk) = batch::pack(payloads.iter());
        let mut frame = Frame::new(kinds[chance.below(kinds.len() as u64) as usize], control, bulk);
        frame.sequence = chance.below(100);
        bytes.extend(written(&frame, squeezes[chance.below(3) as usize]));
    }
    Some(bytes)
}

/// Puts right the checksums of the first frame.
fn seal(bytes: &mut [u8]) {
    let number = |bytes: &[u8], at: usize| {
        bytes.get(at..at + 4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]) as usize)
    };
    let Some((control, segments)) = number(bytes, 8).zip(number(bytes, 16)) else { return };
    let table = HEADER_BYTES..HEADER_BYTES.saturating_add(segments.saturating_mul(8));
    let control = table.end..table.end.saturating_add(control);
    if let (Some(of_table), Some(of_control)) = (bytes.get(table.clone()), bytes.get(control.clone())) {
        let mut checksum = xxh3_64_with_seed(of_control, xxh3_64(of_table));
        let mut at = control.end.next_multiple_of(64);
        for segment in table.step_by(8) {
            let length = number(bytes, segment).unwrap_or(0);
            checksum = xxh3_64_with_seed(bytes.get(at..at.saturating_add(length)).unwrap_or(&[]), checksum);
            at = at.saturating_add(length).saturating_add(length.next_multiple_of(64) - length);
        }
        bytes[48..56].copy_from_slice(&checksum.to_le_bytes());
    }
    if bytes.len() >= HEADER_BYTES {
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
    }
}
