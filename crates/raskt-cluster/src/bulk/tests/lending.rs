//! The side that lends.

use super::super::counter::Counter;
use super::super::shared::SharedMemory;
use super::super::times::Times;
use super::super::{Piece, Provide, Reply};
use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that tell when they go.
struct Held(Bytes, Arc<AtomicBool>);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.1.store(true, Ordering::SeqCst);
    }
}

/// Gives a piece once.
struct Once(std::sync::Mutex<Option<Bytes>>);

impl Provide for Once {
    fn provide(&self, _: &[u8], reply: Reply) {
        match self.0.lock().unwrap().take() {
            Some(piece) => reply.give(vec![Piece::Own(piece)]),
            None => drop(reply),
        }
    }
}

struct Scene {
    fetcher: Puppet,
    serving: tokio::task::JoinHandle<BulkError>,
    piece: Bytes,
    is_gone: Arc<AtomicBool>,
}

const PROOF: [u8; 16] = *b"0123456789abcdef";

impl Scene {
    fn new(bytes: usize) -> Self {
        let (fetcher, stream) = Puppet::new();
        let (piece, is_gone) = (noise(1, bytes), Arc::<AtomicBool>::default());
        let held = Bytes::from_owner(Held(piece.clone(), is_gone.clone()));
        let counter = Counter::new(Arc::new(Once(Some(held).into())));
        let serving = tokio::spawn(async move {
            let mut serving = counter.serve(stream, BytesMut::new(), Times::default());
            poll_fn(|cx| serving.poll(cx)).await
        });
        Self { fetcher, serving, piece, is_gone }
    }

    async fn ask(&mut self, proof: Option<[u8; 16]>) -> Step {
        let (transfer, result, parts) = (5, b"x".to_vec(), vec![]);
        self.fetcher.say(Step::Request { transfer, result, parts, reserved: 1 << 30, credit: 1 << 30, proof }).await;
        let pieces = vec![self.piece.len() as u64];
        assert_eq!(self.fetcher.hear().await, Ok(Step::Opened { transfer, pieces }));
        self.fetcher.hear().await.unwrap()
    }

    /// Asks, and looks at what is lent.
    async fn borrow(&mut self) {
        let Step::Lent { transfer: 5, proof, places } = self.ask(Some(PROOF)).await else { panic!("nothing is lent") };
        // SAFETY: this process lends it, and whether it holds it is what is tested; the piece is kept by the test.
        let found = unsafe {
            (
                std::ptr::with_exposed_provenance::<[u8; 16]>(proof as usize).read(),
                std::slice::from_raw_parts(
                    std::ptr::with_exposed_provenance::<u8>(places[0] as usize),
                    self.piece.len(),
                ),
            )
        };
        assert!(places.len() == 1 && found.0 == PROOF && *found.1 == *self.piece);
        assert!(!self.is_gone.load(Ordering::SeqCst));
    }

    async fn until_gone(&self) {
        while !self.is_gone.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
    }
}

#[test]
fn what_is_lent_is_held_until_it_was_read() {
    run(async {
        let mut scene = Scene::new(BYTES);
        scene.borrow().await;
        // Signs of life change nothing.
        scene.fetcher.say(Step::Credit { transfer: 5, bytes: 1 << 20 }).await;
        assert_eq!(scene.ask_again().await, Step::Refused { transfer: 6, why: super::super::Missing::NotThere });
        assert!(!scene.is_gone.load(Ordering::SeqCst));
        scene.fetcher.say(Step::Read { transfer: 5 }).await;
        assert_eq!(scene.fetcher.hear().await, Ok(Step::Kept { transfer: 5 }));
        scene.until_gone().await;
    });
}

impl Scene {
    async fn ask_again(&mut self) -> Step {
        let (transfer, result, parts) = (6, b"x".to_vec(), vec![]);
        self.fetcher.say(Step::Request { transfer, result, parts, reserved: 9, credit: 9, proof: None }).await;
        self.fetcher.hear().await.unwrap()
    }
}

#[test]
fn what_is_lent_goes_when_nobody_wants_it_or_is_there_any_more() {
    run(async {
        let mut scene = Scene::new(BYTES);
        scene.borrow().await;
        scene.fetcher.say(Step::Cancel { transfer: 5 }).await;
        scene.until_gone().await;

        let mut scene = Scene::new(BYTES);
        scene.borrow().await;
        let (_closed, _) = Puppet::new();
        drop(std::mem::replace(&mut scene.fetcher, _closed));
        scene.until_gone().await;
        assert!(matches!(scene.serving.await.unwrap(), BulkError::Lost(_)));
    });
}

#[test]
fn what_can_not_be_read_is_handed_over() {
    run(async {
        for is_lent in [true, false] {
            let mut scene = Scene::new(BYTES);
            let step = if is_lent {
                scene.borrow().await;
                scene.fetcher.say(Step::Unreadable { transfer: 5 }).await;
                scene.fetcher.hear().await.unwrap()
            } else {
                scene.ask(None).await
            };
            let Step::Handles { transfer: 5, files: 1, pieces } = step else { panic!("{step:?}") };
            let files = scene.fetcher.0.take_files(1).unwrap();
            assert!(SharedMemory::pieces_of(files, &pieces).unwrap() == [scene.piece.clone()]);
        }
    });
}

#[test]
fn what_is_small_is_not_lent() {
    run(async {
        let mut scene = Scene::new((1 << 20) - 1);
        assert!(matches!(scene.ask(Some(PROOF)).await, Step::Handles { .. }));
        let mut scene = Scene::new(1000);
        assert!(matches!(scene.ask(Some(PROOF)).await, Step::Chunk { .. }));
    });
}

#[test]
fn who_has_read_what_is_not_lent_is_left() {
    run(async {
        for wrong in [Step::Read { transfer: 6 }, Step::Unreadable { transfer: 6 }] {
            let mut scene = Scene::new(BYTES);
            scene.borrow().await;
            scene.fetcher.say(wrong).await;
            assert!(matches!(scene.serving.await.unwrap(), BulkError::Violation(_)));
            assert!(scene.is_gone.load(Ordering::SeqCst));
        }
    });
}
