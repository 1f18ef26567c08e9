//! The side that reads.

use super::super::line::Line;
use super::super::order::{Done, Fetch, Order};
use super::super::step::Proof;
use super::super::times::Times;
use super::*;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot::{Receiver, channel, error::TryRecvError};

/// Somebody who fetches of a puppet.
struct Scene {
    giver: Puppet,
    orders: UnboundedSender<Order>,
    line: tokio::task::JoinHandle<BulkError>,
}

type Came = Result<Vec<Bytes>, BulkError>;

impl Scene {
    fn new() -> Self {
        let (giver, stream) = Puppet::new();
        let (orders, mut waiting) = unbounded_channel();
        let line = tokio::spawn(async move {
            let mut line = Line::new(stream, BytesMut::new(), &mut waiting, Times::default());
            let error = poll_fn(|cx| line.poll(cx)).await;
            line.fail(&error);
            error
        });
        Self { giver, orders, line }
    }

    /// Asks for something, and says what proof is wanted.
    async fn ask(&mut self) -> (u32, Option<Proof>, Receiver<Came>) {
        let (sender, came) = channel();
        let fetch = Fetch { result: b"x".to_vec(), parts: vec![], reserved: 1 << 30 };
        let done = Done(Some(Box::new(move |came| drop(sender.send(came)))));
        assert!(self.orders.send(Order { fetch, done }).is_ok());
        match self.giver.hear().await.unwrap() {
            Step::Request { transfer, proof, .. } => (transfer, proof, came),
            other => panic!("{other:?}"),
        }
    }

    async fn open(&mut self, transfer: u32, pieces: &[Bytes]) {
        let pieces = pieces.iter().map(|piece| piece.len() as u64).collect();
        self.giver.say(Step::Opened { transfer, pieces }).await;
    }

    async fn lend(&mut self, transfer: u32, proof: &Proof, places: Vec<u64>) {
        let proof = (&raw const *proof).expose_provenance() as u64;
        self.giver.say(Step::Lent { transfer, proof, places }).await;
    }

    /// Gives what is to come as bytes, in chunks.
    async fn send(&mut self, transfer: u32, piece: &Bytes) {
        for chunk in piece.chunks(1 << 20) {
            let chunk = Bytes::copy_from_slice(chunk);
            self.giver.say_chunk(Step::Chunk { transfer, piece: 0 }, chunk).await;
        }
    }

    async fn ended(self) -> BulkError {
        let Self { giver: _giver, orders: _orders, line } = self;
        line.await.unwrap()
    }
}

fn places(pieces: &[Bytes]) -> Vec<u64> {
    pieces.iter().map(|piece| piece.as_ptr().expose_provenance() as u64).collect()
}

#[test]
fn what_was_read_counts_when_it_was_kept() {
    run(async {
        let mut scene = Scene::new();
        let pieces = vec![noise(1, 100), noise(2, BYTES).slice(13..), Bytes::new(), noise(3, 5)];
        let (transfer, proof, mut came) = scene.ask().await;
        let proof = proof.unwrap();
        scene.open(transfer, &pieces).await;
        scene.lend(transfer, &proof, places(&pieces)).await;
        assert_eq!(scene.giver.hear().await, Ok(Step::Read { transfer }));
        let (next, another, _came) = scene.ask().await;
        assert!(next != transfer && another.is_some_and(|another| another != proof));
        assert_eq!(came.try_recv(), Err(TryRecvError::Empty));
        scene.giver.say(Step::Kept { transfer }).await;
        assert!(came.await.unwrap().unwrap() == pieces);
    });
}

#[test]
fn what_was_read_of_somebody_who_went_is_lost() {
    run(async {
        let mut scene = Scene::new();
        let piece = [noise(1, BYTES)];
        let (transfer, proof, came) = scene.ask().await;
        scene.open(transfer, &piece).await;
        scene.lend(transfer, &proof.unwrap(), places(&piece)).await;
        assert_eq!(scene.giver.hear().await, Ok(Step::Read { transfer }));
        drop(scene.giver);
        assert!(matches!(scene.line.await.unwrap(), BulkError::Lost(_)));
        assert!(matches!(came.await.unwrap(), Err(BulkError::Lost(_))));
    });
}

#[test]
fn who_has_no_proof_is_not_read_and_not_asked_again() {
    run(async {
        let mut scene = Scene::new();
        let piece = [noise(1, BYTES)];
        let (transfer, proof, came) = scene.ask().await;
        let mut another = proof.unwrap();
        another[7] ^= 1;
        scene.open(transfer, &piece).await;
        scene.lend(transfer, &another, places(&piece)).await;
        assert_eq!(scene.giver.hear().await, Ok(Step::Unreadable { transfer }));
        scene.send(transfer, &piece[0]).await;
        assert!(came.await.unwrap().unwrap() == piece);
        let (_, proof, _came) = scene.ask().await;
        assert_eq!(proof, None);
    });
}

#[test]
fn memory_that_is_not_there_comes_otherwise() {
    run(async {
        let mut scene = Scene::new();
        let piece = [noise(1, BYTES)];
        for wrong in [0, 8, u64::MAX - 5, 1 << 63] {
            let (transfer, proof, came) = scene.ask().await;
            scene.open(transfer, &piece).await;
            scene.lend(transfer, &proof.expect("others may be read"), vec![wrong]).await;
            assert_eq!(scene.giver.hear().await, Ok(Step::Unreadable { transfer }));
            scene.send(transfer, &piece[0]).await;
            assert!(came.await.unwrap().unwrap() == piece);
        }
    });
}

#[test]
fn who_lends_what_was_not_asked_for_is_left() {
    run(async {
        let piece = [noise(1, BYTES)];
        let places = places(&piece);
        for wrong in [vec![], vec![places[0]; 2]] {
            let mut scene = Scene::new();
            let (transfer, proof, _came) = scene.ask().await;
            scene.open(transfer, &piece).await;
            scene.lend(transfer, &proof.unwrap(), wrong).await;
            assert!(matches!(scene.ended().await, BulkError::Violation(_)));
        }
        let mut scene = Scene::new();
        let (transfer, proof, _came) = scene.ask().await;
        // How long it is has not been said.
        scene.lend(transfer, &proof.unwrap(), places.clone()).await;
        assert!(matches!(scene.ended().await, BulkError::Violation(_)));

        let mut scene = Scene::new();
        let (transfer, proof, _came) = scene.ask().await;
        scene.open(transfer, &piece).await;
        for _ in 0..2 {
            scene.lend(transfer, &proof.unwrap(), places.clone()).await;
        }
        assert!(matches!(scene.ended().await, BulkError::Violation(_)));

        let mut scene = Scene::new();
        let (transfer, _, came) = scene.ask().await;
        scene.open(transfer, &piece).await;
        scene.giver.say(Step::Kept { transfer }).await;
        assert!(matches!(scene.ended().await, BulkError::Violation(_)));
        assert!(matches!(came.await.unwrap(), Err(BulkError::Violation(_))));
    });
}
