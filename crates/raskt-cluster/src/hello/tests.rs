//! Handshakes from bytes to bytes.

use super::*;
use crate::frame::WIRE_VERSION;
use crate::token::Token;
use proptest::prelude::*;
use std::net::SocketAddr;

fn greeting(role: Role) -> Greeting {
    Greeting::new(role, Identity { process: 1, incarnation: 2 }, SessionId(3)).unwrap()
}

fn demand(token: &Token) -> Demand {
    Demand { token: Some(token.clone()), roles: vec![Role::Worker, Role::Client], here: None }
}

/// All steps, with what each side has; gives what either comes to.
fn shake(dialer: Option<&Token>, listener: &Demand, bindings: [&[u8]; 2]) -> Result<(), Refusal> {
    let opening = Opening::new(greeting(Role::Worker), dialer.cloned(), bindings[0].to_vec());
    let asked = Asked::handle_opening(opening.bytes(), listener, greeting(Role::Scheduler), bindings[1].to_vec())?;
    let answer = asked.bytes().to_vec();
    let (opened, proof) = opening.handle_answer(&answer)?;
    let answered = asked.handle_proof(&proof)?;
    let verdict = answered.verdict(&Verdict::Accepted { expects: 9, is_resumed: false });
    let (peer, expects) = opened.handle_verdict(&verdict)?;
    assert_eq!((peer.role, expects), (Role::Scheduler, 9));
    Ok(())
}

#[test]
fn whoever_has_the_token_is_let_in() {
    let token = Token::random().unwrap();
    assert_eq!(shake(Some(&token), &demand(&token), [b"", b""]), Ok(()));
    assert_eq!(shake(token.scoped(Role::Worker).as_ref(), &demand(&token), [b"same", b"same"]), Ok(()));
    assert_eq!(shake(None, &Demand { token: None, roles: vec![Role::Worker], here: None }, [b"", b""]), Ok(()));
}

#[test]
fn nobody_else_is() {
    let (token, other) = (Token::random().unwrap(), Token::random().unwrap());
    assert_eq!(shake(Some(&other), &demand(&token), [b"", b""]), Err(Refusal::Token));
    assert_eq!(shake(None, &demand(&token), [b"", b""]), Err(Refusal::TokenMissing));
    assert_eq!(
        shake(token.scoped(Role::Client).as_ref(), &demand(&token), [b"", b""]),
        Err(Refusal::Role(Role::Worker))
    );
    let viewers = Demand { roles: vec![Role::Viewer], ..demand(&token) };
    assert_eq!(shake(Some(&token), &viewers, [b"", b""]), Err(Refusal::Role(Role::Worker)));
    assert_eq!(shake(Some(&token), &demand(&token), [b"one connection", b"another"]), Err(Refusal::Token));
}

#[test]
fn what_was_heard_once_is_of_no_use() {
    let token = Token::random().unwrap();
    let opening = Opening::new(greeting(Role::Worker), Some(token.clone()), vec![]);
    let heard = opening.bytes().to_vec();
    let asked = Asked::handle_opening(&heard, &demand(&token), greeting(Role::Scheduler), vec![]).unwrap();
    let (_, proof) = opening.handle_answer(asked.bytes()).unwrap();
    let again = Asked::handle_opening(&heard, &demand(&token), greeting(Role::Scheduler), vec![]).unwrap();
    assert!(matches!(again.handle_proof(&proof), Err(Refusal::Token)));
    assert!(asked.handle_proof(&proof).is_ok());
}

#[test]
fn a_role_is_bound_into_the_proof() {
    let token = Token::random().unwrap();
    let opening = Opening::new(greeting(Role::Worker), Some(token.clone()), vec![]);
    let mut forged = opening.bytes().to_vec();
    forged[14] = Role::Client as u8;
    let asked = Asked::handle_opening(&forged, &demand(&token), greeting(Role::Scheduler), vec![]).unwrap();
    let (_, proof) = opening.handle_answer(asked.bytes()).unwrap();
    assert!(matches!(asked.handle_proof(&proof), Err(Refusal::Token)));
}

fn socket(at: &str) -> Called {
    Called { host: 7, at: at.parse().unwrap() }
}

/// All steps of who has `called`, with a listener that is `here`. What lies between them has done something to the greeting.
fn reach(called: Option<Called>, here: Option<Called>, meddle: impl Fn(&mut [u8])) -> Result<(), Refusal> {
    let token = Token::random().unwrap();
    let dialer = Greeting { called, ..greeting(Role::Worker) };
    let opening = Opening::new(dialer, Some(token.clone()), vec![]);
    let mut heard = opening.bytes().to_vec();
    meddle(&mut heard[..]);
    let demand = Demand { here, ..demand(&token) };
    let asked = Asked::handle_opening(&heard, &demand, greeting(Role::Scheduler), vec![])?;
    let (opened, proof) = opening.handle_answer(asked.bytes())?;
    let verdict = asked.handle_proof(&proof)?.verdict(&Verdict::Accepted { expects: 0, is_resumed: false });
    opened.handle_verdict(&verdict).map(drop)
}

#[test]
fn who_has_called_a_socket_comes_to_nobody_else() {
    let ours = Some(socket("127.0.0.1:8786"));
    assert_eq!(reach(ours, ours, |_| ()), Ok(()));
    assert_eq!(reach(Some(socket("[::1]:8786")), Some(socket("[::1]:8786")), |_| ()), Ok(()));
    let elsewhere = Some(Called { host: 8, ..socket("127.0.0.1:8786") });
    for (called, word) in [
        (Some(socket("127.0.0.1:9000")), "127.0.0.1:9000, and this is 127.0.0.1:8786"),
        (Some(socket("127.0.0.2:8786")), "127.0.0.2:8786, and this is 127.0.0.1:8786"),
        (Some(socket("[::1]:8786")), "[::1]:8786, and this is 127.0.0.1:8786"),
        (elsewhere, "127.0.0.1:8786, and this is the same of another host"),
    ] {
        let refused = reach(called, ours, |_| ()).unwrap_err();
        assert!(refused.to_string().contains(word) && !refused.may_pass(), "{refused}");
        let Verdict::Refused(told) = Verdict::decode(&Verdict::Refused(refused.clone()).encode()).unwrap() else {
            panic!("refused")
        };
        assert_eq!(told.to_string(), refused.to_string(), "it is told as a whole");
    }
    let refused = reach(ours, None, |_| ()).unwrap_err().to_string();
    assert!(refused.contains("this is a socket in the file system") && refused.contains("--token-file"), "{refused}");
    assert!(refused.len() < VERDICT_BYTES - 64);
}

#[test]
fn who_says_nothing_of_what_he_has_called_may_have_come_by_whatever_way() {
    assert_eq!(reach(None, Some(socket("127.0.0.1:8786")), |_| ()), Ok(()));
    assert_eq!(reach(None, None, |_| ()), Ok(()));
}

#[test]
fn what_was_called_is_bound_into_the_proof() {
    let (theirs, ours) = (Some(socket("127.0.0.1:9000")), Some(socket("127.0.0.1:8786")));
    let put = |called: Option<Called>| {
        move |heard: &mut [u8]| heard[112..146].copy_from_slice(&Called::encode(called.as_ref()))
    };
    // As if it were the one at which he comes in the end, as if nothing were said, and as if something were.
    assert_eq!(reach(theirs, ours, put(ours)), Err(Refusal::Token));
    assert_eq!(reach(theirs, ours, put(None)), Err(Refusal::Token));
    assert_eq!(reach(None, ours, put(ours)), Err(Refusal::Token));
    assert_eq!(reach(ours, ours, put(ours)), Ok(()));
}

#[test]
fn sockets_of_one_address_are_one_whatever_version_of_ip_tells_of_them() {
    let at = |at: &str| Called::here(at.parse().unwrap());
    assert_eq!(at("[::ffff:127.0.0.1]:8786"), at("127.0.0.1:8786"));
    assert_ne!(at("[::1]:8786"), at("127.0.0.1:8786"));
    assert_eq!(at("127.0.0.1:8786").host == 0, this_host().is_empty(), "the kernel says which boot it is");
}

#[test]
fn a_listener_that_lacks_the_token_is_found_out() {
    let token = Token::random().unwrap();
    let opening = Opening::new(greeting(Role::Worker), Some(token.clone()), vec![]);
    let fake = demand(&Token::random().unwrap());
    let asked = Asked::handle_opening(opening.bytes(), &fake, greeting(Role::Scheduler), vec![]).unwrap();
    let (opened, proof) = opening.handle_answer(asked.bytes()).unwrap();
    let accepted = Verdict::Accepted { expects: 0, is_resumed: false };
    assert_eq!(opened.handle_verdict(&accepted.encode()).unwrap_err(), Refusal::Token);
    // Nor can it give back what it got.
    let opening = Opening::new(greeting(Role::Worker), Some(token), vec![]);
    let (opened, _) = opening.handle_answer(asked.bytes()).unwrap();
    let mut bytes = accepted.encode();
    Verdict::put_signature(&mut bytes, &proof);
    assert_eq!(opened.handle_verdict(&bytes).unwrap_err(), Refusal::Token);
}

#[test]
fn a_changed_verdict_is_found_out() {
    let token = Token::random().unwrap();
    let opening = Opening::new(greeting(Role::Worker), Some(token.clone()), vec![]);
    let asked = Asked::handle_opening(opening.bytes(), &demand(&token), greeting(Role::Scheduler), vec![]).unwrap();
    let (opened, proof) = opening.handle_answer(asked.bytes()).unwrap();
    let mut bytes = asked.handle_proof(&proof).unwrap().verdict(&Verdict::Accepted { expects: 5, is_resumed: true });
    bytes[16] = 6;
    assert_eq!(opened.handle_verdict(&bytes).unwrap_err(), Refusal::Token);
}

#[test]
fn other_versions_are_refused_in_a_sentence_that_says_which() {
    let mut old = greeting(Role::Worker);
    old.versions = (WIRE_VERSION + 1, WIRE_VERSION + 3);
    let refused = Greeting::decode(&old.encode()).unwrap_err();
    assert!(
        refused.to_string().contains(&format!("{} to {}", WIRE_VERSION + 1, WIRE_VERSION + 3))
            && refused.to_string().contains("upgrade"),
        "{refused}"
    );
    let long = Verdict::Refused(Refusal::NotWanted("ü\u{7}".repeat(500)));
    let Verdict::Refused(Refusal::NotWanted(read)) = Verdict::decode(&long.encode()).unwrap() else {
        panic!("refused")
    };
    assert!(read.starts_with("üü") && read.len() < VERDICT_BYTES);
}

#[test]
fn a_longer_greeting_of_a_later_version_is_read_as_far_as_it_is_known() {
    let mut later = greeting(Role::Worker);
    later.versions = (1, WIRE_VERSION);
    let mut bytes = later.encode().to_vec();
    bytes.resize(512, 7);
    bytes[8..10].copy_from_slice(&512_u16.to_le_bytes());
    assert_eq!(Greeting::decode(&bytes).unwrap(), later);
}

#[test]
fn versions_are_told_where_they_differ() {
    let list = |numpy: &str| Versions(vec![("python".into(), "3.11".into()), ("numpy".into(), numpy.into())]);
    let (one, other, bare) = (list("2.0"), list("2.1"), Versions(vec![("python".into(), "3.11".into())]));
    assert_eq!(mismatches(&[("client", &one), ("worker", &one)]), None);
    let table = mismatches(&[("client", &one), ("w1", &other), ("w2", &bare)]).unwrap().to_string();
    assert_eq!(table, "       client  w1   w2\nnumpy  2.0     2.1  -");
}

proptest! {
    #[test]
    fn greetings_come_back(
        versions in (0..=WIRE_VERSION, WIRE_VERSION..9), role in 0..4_usize, transfers: bool, flags: [bool; 2], ids: [u128; 2], numbers: [u64; 3],
        nonce: [u8; 32], called in proptest::option::of((any::<u128>(), any::<[u8; 4]>(), 1..=u16::MAX)),
    ) {
        let called = called.map(|(host, ip, port)| Called { host, at: SocketAddr::from((ip, port)) });
        let greeting = Greeting {
            versions, role: Role::ALL[role], purpose: if transfers { Purpose::Transfers } else { Purpose::Session },
            has_token: flags[0], is_established: flags[1], attempt: numbers[1] as u32, identity: Identity { process: ids[0], incarnation: numbers[0] },
            session: SessionId(ids[1]), expects: numbers[1], window_bytes: numbers[2], nonce, called,
        };
        prop_assert_eq!(Greeting::decode(&greeting.encode()), Ok(greeting));
    }

    #[test]
    fn any_bytes_are_a_greeting_or_refused(mut bytes in proptest::collection::vec(any::<u8>(), 0..600), magic: bool) {
        if magic && bytes.len() > 14 {
            bytes[..8].copy_from_slice(b"raskt:hi");
            bytes[8..14].copy_from_slice(&[0, 1, WIRE_VERSION as u8, 0, WIRE_VERSION as u8, 0]);
        }
        let _ = Greeting::decode(&bytes);
        let _ = Verdict::decode(&std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(0)));
        let _ = Introduction::from_frame(&crate::frame::Frame::new(crate::frame::Kind::Introduction, bytes.into(), vec![]));
    }
}
