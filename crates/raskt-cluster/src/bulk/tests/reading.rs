//! What is read of other processes.

use super::super::peer_memory::PeerMemory;
use super::super::reading::{Lent, Unread};
use super::lender::Lender;
use super::*;

fn own() -> PeerMemory {
    PeerMemory::of_process(std::process::id() as i32).unwrap()
}

fn lend(proof: &[u8; 16], pieces: &[Bytes]) -> Lent {
    let place = |piece: &Bytes| (piece.as_ptr().expose_provenance() as u64, piece.len() as u64);
    let proof_at = (&raw const *proof).expose_provenance() as u64;
    Lent { proof: *proof, proof_at, pieces: pieces.iter().map(place).collect() }
}

fn all(_: usize) -> bool {
    true
}

#[test]
fn bytes_of_any_length_come_from_wherever_they_begin() {
    let (memory, mut chance) = (own(), Chance::new(7));
    let bytes = noise(3, 40 << 20);
    for _ in 0..60 {
        let piece = |chance: &mut Chance| {
            let most = [1, 70, 5000, 3 << 20, 36 << 20][chance.below(5) as usize];
            let (from, length) = (chance.below(4 << 20) as usize, chance.below(most) as usize);
            bytes.slice(from..from + length)
        };
        let pieces: Vec<_> = (0..chance.below(5)).map(|_| piece(&mut chance)).collect();
        let came = lend(&[5; 16], &pieces).read(&memory, all).unwrap();
        assert!(came == pieces);
        assert!(came.iter().all(|piece| piece.is_empty() || piece.as_ptr().addr() % 64 == 0));
    }
}

#[test]
fn bytes_of_another_process_come() {
    let mut lender = Lender::start();
    let memory = PeerMemory::of_process(lender.process.id() as i32).unwrap();
    let wanted = noise(1, BYTES);
    let came = lender.lent.read(&memory, all).unwrap();
    assert!(came == [wanted.clone(), wanted.slice(3..103)]);
    lender.kill();
    assert!(matches!(lender.lent.read(&memory, all), Err(Unread::Process(_))));
}

#[test]
fn who_was_killed_meanwhile_has_given_nothing() {
    for is_all_there in [true, false] {
        let mut lender = Lender::start();
        let memory = PeerMemory::of_process(lender.process.id() as i32).unwrap();
        let lent = Lent { pieces: lender.lent.pieces[..if is_all_there { 1 } else { 2 }].to_vec(), ..lender.lent };
        let mut has_begun = false;
        let came = lent.read(&memory, |_| {
            // It is killed after the first piece, of two or of one.
            if !has_begun {
                lender.kill();
            }
            has_begun = true;
            true
        });
        assert!(has_begun && came.is_err(), "{came:?}");
    }
}

#[test]
fn another_proof_is_another_process() {
    let (memory, piece) = (own(), [noise(1, 5000)]);
    let proof = [5; 16];
    let lent = Lent { proof: [6; 16], ..lend(&proof, &piece) };
    assert!(matches!(lent.read(&memory, all), Err(Unread::Process(_))));
    // The process itself has it, and not this one.
    let lender = Lender::start();
    let other = PeerMemory::of_process(lender.process.id() as i32).unwrap();
    assert!(matches!(lend(&proof, &piece).read(&other, all), Err(Unread::Process(_))));
}

#[test]
fn a_proof_that_went_meanwhile_is_none() {
    let (memory, piece) = (own(), [noise(1, 5000)]);
    let proof = std::sync::Mutex::new([5_u8; 16]);
    let lent = lend(&proof.lock().unwrap(), &piece);
    let came = lent.read(&memory, |_| {
        proof.lock().unwrap()[15] = 0;
        true
    });
    assert!(matches!(came, Err(Unread::Process(_))), "{came:?}");
}

#[test]
fn pieces_that_are_not_there_are_an_error() {
    let (memory, proof) = (own(), [5; 16]);
    let lent = |pieces| Lent { pieces, ..lend(&proof, &[]) };
    for wrong in [(8, 100), (u64::MAX - 4, 100), (1 << 63, 1 << 20)] {
        assert!(matches!(lent(vec![wrong]).read(&memory, all), Err(Unread::Pieces(_))));
    }
    for sum in [vec![(8, u64::MAX)], vec![(8, u64::MAX / 2); 3]] {
        assert!(matches!(lent(sum).read(&memory, all), Err(Unread::Pieces(_))));
    }
}

#[test]
fn what_nobody_waits_for_is_read_no_further() {
    let (memory, piece) = (own(), [noise(1, 40 << 20)]);
    let mut strides = 0;
    let came = lend(&[5; 16], &piece).read(&memory, |_| {
        strides += 1;
        strides < 2
    });
    assert!(came.is_err() && strides == 2);
}

#[test]
fn who_may_not_look_into_a_process_is_told_so() {
    let mut lender = Lender::start();
    lender.hide();
    // Rights belong to threads, and these end here.
    let denied = std::thread::spawn(move || {
        crate::testing::give_up_sight();
        let memory = PeerMemory::of_process(lender.process.id() as i32).unwrap();
        lender.lent.read(&memory, all)
    });
    let denied = denied.join().unwrap();
    assert!(matches!(&denied, Err(Unread::Process(error)) if error.raw_os_error() == Some(libc::EPERM)), "{denied:?}");
}
